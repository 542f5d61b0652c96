/// isostep-replay perturb: a copy of a recording that differs in one thing, for drills.
#include "perturb.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "rewrite.h"

static const char help[] =
    "Usage: isostep-replay perturb FILE --tick T (--flip FIELD:BIT | --command CHANGE) [--keep-roots] -o OUT "
    "[--force]\n"
    "\n"
    "Writes a copy of a recording that differs in one thing from tick T on, with right checksums. The change\n"
    "is described in a note of the copy.\n"
    "\n"
    "  --flip SECTION[RECORD].FIELD[ELEMENT]:BIT\n"
    "                 one bit of the state after tick T, as bodies[3].velocity[0]:12: a fault of memory. The copy gets "
    "a\n"
    "                 keyframe of the flipped state; verify fails at T, as no input explains it\n"
    "  --command drop[:N] | change[:N] | flip:N:BIT\n"
    "                 the Nth command of tick T, from 0, is left out, gets another argument, or has one bit of its\n"
    "                 canonical bytes flipped. Without :N the first command at or after tick T that can be changed so\n"
    "  --keep-roots   leaves roots and other keyframes as they are, so that verify must fail at T. Without it all "
    "from\n"
    "                 T on are computed again, so that a changed command gives another, consistent recording\n"
    "  -o OUT         the copy, never FILE itself\n"
    "  --force        replaces OUT when it exists, never OUT.part\n"
    "Exit codes: 0 done; 2 usage, nothing like that at T, or OUT or OUT.part exists; 3 FILE is unreadable, corrupt\n"
    "or of another version, or OUT cannot be written.\n";

typedef struct perturbation {
    const char *path;
    const char *out;
    uint64_t tick;
    bool has_tick;
    const char *flip_text;
    const char *edit_text;
    perturb_flip flip;
    perturb_edit edit;
    bool keep_roots;
    bool force;

    replay_file file;
    replay_walk walk; // of the changed world
    replay_writer writer;
    uint64_t *roots;    // new ones, of the ticks from `tick` on
    uint64_t true_root; // of the state that is flipped, before
    char what[PERTURB_TEXT_SIZE];
} perturbation;

static bool is_flip(const perturbation *p) {
    return p->flip_text != NULL;
}

/// Finds the command to change: its tick and index. @return false, after a line on standard error
static bool find_command(perturbation *p, iso_recording_tick_buffer *buffer) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(&p->file.recording, p->tick, &keyframe);
    uint64_t cursor = keyframe.ticks_offset, offset;
    iso_recording_tick tick;
    iso_status status;
    while (iso__replay_next_tick(&p->file.recording, &cursor, buffer, &tick, &offset, &status)) {
        if (tick.input.tick < p->tick) {
            continue;
        }
        iso_command changed;
        const uint32_t first = p->edit.has_index ? p->edit.index : 0;
        for (uint32_t i = first; i < tick.input.command_count; ++i) {
            if (iso__replay_perturb_edit_make(&p->edit, &tick.input.commands[i].command, &changed)) {
                p->tick = tick.input.tick;
                p->edit.index = i;
                return true;
            }
            if (p->edit.has_index) {
                iso_print(stderr, "isostep-replay: command %u of tick %llu, %s, cannot be changed so\n", i,
                          (unsigned long long)p->tick, iso_command_kind_name(tick.input.commands[i].command.kind));
                return false;
            }
        }
        if (p->edit.has_index) {
            iso_print(stderr, "isostep-replay: --command %s: tick %llu has %u command%s\n", p->edit_text,
                      (unsigned long long)p->tick, tick.input.command_count, iso_text_plural(tick.input.command_count));
            return false;
        }
    }
    iso_print(stderr, "isostep-replay: there is no command at or after tick %llu that can be changed so\n",
              (unsigned long long)p->tick);
    return false;
}

static void edit_command(perturbation *p, iso_recording_tick *tick, iso_recording_tick_buffer *buffer) {
    iso_sealed_command *command = &buffer->commands[p->edit.index];
    snprintf(p->what, sizeof p->what, "slot %u sequence %llu %s %s", command->slot,
             (unsigned long long)command->sequence, iso_command_kind_name(command->command.kind),
             p->edit.kind == PERTURB_DROP ? "dropped" : "changed");
    if (p->edit.kind == PERTURB_DROP) {
        --tick->input.command_count;
        memmove(command, command + 1, (tick->input.command_count - p->edit.index) * sizeof *command);
    } else {
        const iso_command before = command->command;
        iso__replay_perturb_edit_make(&p->edit, &before, &command->command);
    }
}

static bool write_note(perturbation *p) {
    iso_recording_event note = {.kind = ISO_RECORDING_EVENT_NOTE, .slot = 0xFF, .about_tick = p->tick};
    snprintf(note.name, sizeof note.name, "perturbed: %.50s", p->what);
    return iso__replay_writer_event(&p->writer, &note);
}

static bool on_tick(void *user, iso_recording_tick *tick, iso_recording_tick_buffer *buffer) {
    perturbation *p = user;
    const uint64_t now = tick->input.tick;
    if (now < p->tick) {
        return true;
    }
    if (now == p->tick) {
        if (!is_flip(p)) {
            edit_command(p, tick, buffer);
        }
        if (!write_note(p)) {
            return false;
        }
    }
    if (p->keep_roots) {
        return true;
    }
    iso_world *world = p->walk.world.world;
    if (now > p->tick || !is_flip(p)) {
        const iso_status status = iso_world_step(world, &tick->input);
        if (status != ISO_OK) {
            iso_print(stderr, "isostep-replay: with this change tick %llu cannot be simulated: %s\n",
                      (unsigned long long)now, iso_status_text(status));
            return false;
        }
    }
    p->roots[now - p->tick] = iso_world_root(world);
    if (tick->has_root && tick->hashed_tick >= p->tick) {
        tick->root = p->roots[tick->hashed_tick - p->tick];
    }
    return true;
}

static bool write_flipped(perturbation *p) {
    iso_world *world = p->walk.world.world;
    return iso__replay_writer_state(&p->writer, world, p->keep_roots ? p->true_root : iso_world_root(world));
}

static bool on_keyframe(void *user, uint64_t tick, const iso_recording_keyframe *keyframe) {
    perturbation *p = user;
    if (tick == p->tick && is_flip(p)) {
        return write_flipped(p);
    }
    if (keyframe != NULL && tick >= p->tick && !p->keep_roots) {
        return iso__replay_writer_state(&p->writer, p->walk.world.world, p->roots[tick - p->tick]);
    }
    if (keyframe == NULL) {
        return true;
    }
    replay_rewrite copy = {.recording = &p->file.recording, .writer = &p->writer};
    return iso__replay_rewrite_copy(&copy, keyframe);
}

static bool write_copy(perturbation *p) {
    const iso_recording *recording = &p->file.recording;
    const uint64_t first = recording->header.first_tick;
    replay_rewrite rewrite = {.recording = recording,
                              .writer = &p->writer,
                              .from = first,
                              .to = recording->last_tick,
                              .tick = on_tick,
                              .keyframe = on_keyframe,
                              .user = p};
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, first, &keyframe);
    bool ok = iso__replay_writer_open(&p->writer, p->out, &recording->header);
    if (is_flip(p) && p->tick == first) {
        p->roots[0] = iso_world_root(p->walk.world.world);
        ok = ok && write_flipped(p) && write_note(p);
    } else {
        ok = ok && iso__replay_rewrite_copy(&rewrite, &keyframe);
    }
    ok = ok && iso__replay_rewrite_run(&rewrite, "perturb", false);
    if (ok && p->writer.has_root && !p->keep_roots && p->writer.root_tick >= p->tick) {
        iso__replay_writer_root(&p->writer, p->writer.root_tick, p->roots[p->writer.root_tick - p->tick]);
    }
    return iso__replay_writer_close(&p->writer, ok) && ok;
}

/// Makes the world and puts it where the change is. @return the exit code
static int make_world(perturbation *p) {
    iso_status status = iso__replay_walk_make(&p->walk, &p->file.recording);
    if (status == ISO_OK) {
        status = iso__replay_walk_seek(&p->walk, is_flip(p) ? p->tick : p->tick - 1);
    }
    if (status != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    if (is_flip(p)) {
        p->true_root = iso_world_root(p->walk.world.world);
        return iso__replay_perturb_flip_apply(&p->flip, p->walk.world.world, p->what) ? REPLAY_EXIT_OK
                                                                                      : REPLAY_EXIT_USAGE;
    }
    return REPLAY_EXIT_OK;
}

static int perturb(perturbation *p) {
    const iso_recording *recording = &p->file.recording;
    const uint64_t first = recording->header.first_tick + !is_flip(p);
    if (p->tick < first || p->tick > recording->last_tick) {
        iso_print(stderr, "isostep-replay: --tick %llu: expected a tick from %llu to %llu\n",
                  (unsigned long long)p->tick, (unsigned long long)first, (unsigned long long)recording->last_tick);
        return REPLAY_EXIT_USAGE;
    }
    if (!iso__replay_writer_check_recording(p->out, p->path, p->force)) {
        return REPLAY_EXIT_USAGE;
    }
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    const bool found = buffer != NULL && (is_flip(p) || find_command(p, buffer));
    free(buffer);
    if (!found) {
        return REPLAY_EXIT_USAGE;
    }
    p->roots = calloc(recording->last_tick - p->tick + 1, sizeof *p->roots);
    int code = p->roots == NULL ? REPLAY_EXIT_UNREADABLE : make_world(p);
    if (code == REPLAY_EXIT_OK) {
        code = write_copy(p) ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
    }
    if (code == REPLAY_EXIT_OK) {
        iso_print(stdout, "%s: tick %llu %s\n", p->out, (unsigned long long)p->tick, p->what);
    }
    free(p->roots);
    iso__replay_walk_free(&p->walk);
    return code;
}

static bool parse_flip(const char *text, void *flip) {
    return iso__replay_perturb_flip_parse(text, flip);
}

static bool parse_edit(const char *text, void *edit) {
    return iso__replay_perturb_edit_parse(text, edit);
}

/// @return as iso__replay_options
static int parse_options(int argc, char **argv, perturbation *p) {
    const replay_option list[] = {
        {"--tick", .number = &p->tick, .max = REPLAY_TICK_MAX, .given = &p->has_tick},
        {"--flip", .text = &p->flip_text, .parse = parse_flip, .into = &p->flip},
        {"--command", .text = &p->edit_text, .parse = parse_edit, .into = &p->edit},
        {"--keep-roots", .flag = &p->keep_roots},
        {"--output", .letter = 'o', .text = &p->out},
        {"--force", .flag = &p->force},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, list, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "FILE", "a recording") : code;
    const char *fault = !p->has_tick     ? "--tick T is missing: expected the tick to change"
                        : p->out == NULL ? "-o OUT is missing: expected the name of the new recording"
                        : (p->flip_text == NULL) == (p->edit_text == NULL) ? "expected one of --flip and --command"
                                                                           : NULL;
    p->path = argv[first];
    return code < 0 && fault != NULL ? iso__replay_usage(argv, fault) : code;
}

int iso__replay_perturb(int argc, char **argv) {
    perturbation p = {0};
    int code = parse_options(argc, argv, &p);
    if (code >= 0) {
        return code;
    }
    if (iso__replay_file_open(&p.file, p.path, false) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    code = perturb(&p);
    iso__replay_file_close(&p.file);
    return code;
}
