/// isostep-replay dump: a recording as text, one line per frame, change and command; or its events.
#include <stdlib.h>
#include <string.h>

#include "compare/search.h"
#include "dump_events.h"
#include "options.h"

static const char help[] =
    "Usage: isostep-replay dump FILE [--from T] [--to T] [--events [--contacts] [--sleep] [--json]]\n"
    "\n"
    "Writes ticks with their roots, session changes, commands, events and marks as text.\n"
    "\n"
    "  --from T  the first tick, by default the recording's first\n"
    "  --to T    the last tick, by default the recording's last\n"
    "  --events  instead what the ticks did, a line each: what the game emitted, joints that\n"
    "            broke, bodies that were removed or came to the border. They are simulated\n"
    "  --contacts  with --events: also shapes that began to touch or ceased to, sensors among them\n"
    "  --sleep   with --events: also bodies and joints that fell asleep or woke\n"
    "  --json    with --events: an object in each line: session, tick, event, and what it says\n"
    "Exit codes: 0 done; 1 what was simulated for --events is not what was recorded; 2 usage;\n"
    "3 the file is unreadable, corrupt or of another version.\n";

static const char *event_name(uint8_t kind) {
    switch (kind) {
#define EVENT_NAME(name, number)     \
    case ISO_RECORDING_EVENT_##name: \
        return #name;
        ISO_RECORDING_EVENT_LIST(EVENT_NAME)
#undef EVENT_NAME
    default:
        return "UNKNOWN";
    }
}

/// The member in the last event of a slot.
typedef struct dump_names {
    uint32_t generations[ISO_SLOT_COUNT_MAX];
    char names[ISO_SLOT_COUNT_MAX][ISO_RECORDING_TEXT_MAX + 1];
} dump_names;

static void dump_names_note(dump_names *names, const iso_recording_event *event) {
    const bool is_known = event->slot < ISO_SLOT_COUNT_MAX && event->name[0] == 0 &&
                          names->generations[event->slot] == event->slot_generation;
    if (event->slot < ISO_SLOT_COUNT_MAX && !is_known) {
        names->generations[event->slot] = event->slot_generation;
        snprintf(names->names[event->slot], sizeof names->names[0], "%s", event->name);
    }
}

static void dump_change(const iso_change *change, const dump_names *names) {
    printf("  %s slot %u generation %u", iso__replay_change_name(change->kind), change->slot, change->slot_generation);
    const bool is_known =
        change->slot < ISO_SLOT_COUNT_MAX && names->generations[change->slot] == change->slot_generation;
    if (is_known && names->names[change->slot][0] != 0) {
        iso_print(stdout, " \"%s\"", names->names[change->slot]);
    }
    printf("\n");
}

static void dump_tick(const iso_recording_tick *tick, const dump_names *names) {
    const iso_tick_input *input = &tick->input;
    printf("tick %llu", (unsigned long long)input->tick);
    if (tick->has_root && tick->hashed_tick == input->tick) {
        printf(" root %016llx", (unsigned long long)tick->root);
    } else if (tick->has_root) {
        printf(" root of %llu %016llx", (unsigned long long)tick->hashed_tick, (unsigned long long)tick->root);
    }
    printf("\n");
    for (uint32_t i = 0; i < input->change_count; ++i) {
        dump_change(&input->changes[i], names);
    }
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso_sealed_command *command = &input->commands[i];
        printf("  slot %u sequence %llu ", command->slot, (unsigned long long)command->sequence);
        iso__replay_print_command(stdout, &command->command);
        if (command->moved > 0) {
            printf(" (moved %u)", command->moved);
        }
        printf("\n");
    }
}

static void dump_event(const iso_recording_event *event) {
    printf("event %s", event_name(event->kind));
    if (event->slot != 0xFF) {
        printf(" slot %u generation %u", event->slot, event->slot_generation);
    }
    printf(" tick %llu", (unsigned long long)event->about_tick);
    if (event->name[0] != 0) {
        iso_print(stdout, " \"%s\"", event->name);
    }
    if (event->status != ISO_OK) {
        printf(" status %s", iso_status_name((iso_status)event->status));
    }
    if (event->root != 0 || event->other_root != 0) {
        printf(" %016llx %016llx", (unsigned long long)event->root, (unsigned long long)event->other_root);
    }
    printf("\n");
}

static iso_status dump_mark(const iso_recording_frame *frame) {
    iso_recording_mark mark;
    const iso_status status = iso_recording_read_mark(frame, &mark);
    if (status == ISO_OK) {
        printf("mark durable tick %llu, offset %llu\n", (unsigned long long)mark.durable_tick,
               (unsigned long long)mark.durable_offset);
    }
    return status;
}

/// @return ISO_OK, or what is wrong with a frame
static iso_status dump(const iso_recording *recording, uint64_t from, uint64_t to, iso_recording_tick_buffer *buffer) {
    dump_names names = {0};
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, from, &keyframe);
    uint64_t cursor = keyframe.ticks_offset;
    uint64_t next_tick = keyframe.tick + 1; // events belong to the tick that commits them
    iso_recording_frame frame;
    iso_status status = ISO_OK;
    while (status == ISO_OK && next_tick <= to + 1 && iso_recording_next(recording, &cursor, &frame)) {
        iso_recording_tick tick;
        iso_recording_event event;
        if (frame.type == ISO_RECORDING_TICK && next_tick <= to) {
            status = iso_recording_read_tick(&frame, buffer, &tick);
            if (status == ISO_OK && next_tick >= from) {
                dump_tick(&tick, &names);
            }
        } else if (frame.type == ISO_RECORDING_EVENT && next_tick <= to) {
            status = iso_recording_read_event(&frame, &event);
            if (status == ISO_OK) {
                dump_names_note(&names, &event);
            }
            if (status == ISO_OK && next_tick >= from) {
                dump_event(&event);
            }
        } else if (frame.type == ISO_RECORDING_MARK && next_tick >= from && next_tick <= to) {
            status = dump_mark(&frame);
        } else if (frame.type == ISO_RECORDING_KEYFRAME) {
            status = iso_recording_read_keyframe(&frame, &keyframe);
            if (status == ISO_OK && keyframe.tick >= from && keyframe.tick <= to) {
                printf("keyframe %llu root %016llx, %u bytes, %u stored\n", (unsigned long long)keyframe.tick,
                       (unsigned long long)keyframe.root, keyframe.raw_size, keyframe.stored_size);
            }
        }
        next_tick += frame.type == ISO_RECORDING_TICK ? 1 : 0;
    }
    return status;
}

int iso__replay_dump(int argc, char **argv) {
    uint64_t from = 0, to = REPLAY_TICK_MAX;
    bool events = false, contacts = false, sleep = false, json = false;
    const replay_option options[] = {
        {"--from", .number = &from, .max = REPLAY_TICK_MAX},
        {"--to", .number = &to, .max = REPLAY_TICK_MAX},
        {"--events", .flag = &events},
        {"--contacts", .flag = &contacts},
        {"--sleep", .flag = &sleep},
        {"--json", .flag = &json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, options, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "FILE", "a recording") : code;
    if (code >= 0) {
        return code;
    }
    if ((json || sleep || contacts) && !events) {
        return iso__replay_usage(argv, json    ? "--json: expected --events, too"
                                       : sleep ? "--sleep: expected --events, too"
                                               : "--contacts: expected --events, too");
    }
    replay_file file;
    if (iso__replay_file_open(&file, argv[first], false) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    if (from > to || from > file.recording.last_tick) {
        iso_print(stderr, "isostep-replay: --from %llu: expected no more than --to and the last tick, which is %llu\n",
                  (unsigned long long)from, (unsigned long long)file.recording.last_tick);
        iso__replay_file_close(&file);
        return REPLAY_EXIT_USAGE;
    }
    if (events) {
        code = iso__replay_dump_events(&file.recording, from, to, contacts, sleep, json);
        iso__replay_file_close(&file);
        return code;
    }
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    const iso_status status = buffer != NULL ? dump(&file.recording, from, to, buffer) : ISO_ERR_MEMORY;
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", file.path, iso_status_text(status));
    }
    free(buffer);
    iso__replay_file_close(&file);
    return status == ISO_OK ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
}
