/// isostep-replay state: the fields of the state after a tick, by the names that compare and bisect use.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/diff_text.h"
#include "names.h"
#include "options.h"
#include "place.h"
#include "walk.h"

static const char help[] =
    "Usage: isostep-replay state FILE [FIELD] [--tick T] [--body NAME | --joint NAME] [--json]\n"
    "\n"
    "Writes the state after a tick of a recording, a line for each field: its name and its value, in its unit and, "
    "in\n"
    "brackets, as it is stored. The state is simulated from the keyframe before.\n"
    "FIELD chooses of it: a section (bodies), a record (bodies[3]), a field of it (bodies[3].velocity), one element "
    "of\n"
    "that (bodies[3].velocity[0]), or a field of all records (bodies.velocity, globals.tick). Without it all is "
    "written.\n"
    "\n"
    "  --tick T      after tick T; by default the recording's last\n"
    "  --body NAME   of the record of the scene's body with this name, as ball or box[3,5]; FIELD is then one of "
    "bodies\n"
    "  --joint NAME  of the record of the scene's joint with this name; FIELD is then one of joints\n"
    "  --json        one object on standard output: result, tick, root, fields: section, record, field, element, "
    "value\n"
    "                (as it is stored), unit, and the name of what has one in the scene\n"
    "Exit codes: 0 done; 2 usage, also when there is no such tick or field; 3 the file is unreadable, corrupt or of\n"
    "another version.\n";

/// What of a state is wanted.
typedef struct selection {
    const char *text; // as the user wrote it; NULL: everything
    iso_section section;
    bool has_record, has_field, has_element;
    uint32_t record, element;
    char field[64];
} selection;

typedef struct writer {
    const iso_world *world;
    const selection *wanted;
    const replay_names *names;
    bool json;
    uint64_t count; // of elements written
} writer;

// ---- what is wanted ------------------------------------------------------------------------------

static bool selection_parse(const char *text, selection *wanted) {
    const char *at = text;
    wanted->text = text;
    if (!iso__replay_place_section(text, &at, &wanted->section)) {
        return false;
    }
    wanted->has_record = *at == '[';
    bool ok = iso__replay_place_index(&at, &wanted->record);
    if (ok && *at == '.') {
        const size_t size = strcspn(++at, "[");
        ok = size > 0 && size < sizeof wanted->field;
        memcpy(wanted->field, at, ok ? size : 0);
        wanted->has_field = true;
        at += size;
        wanted->has_element = *at == '[';
        ok = ok && iso__replay_place_index(&at, &wanted->element);
    }
    if (!ok || *at != 0) {
        iso_print(stderr,
                  "isostep-replay: %s: expected SECTION[RECORD].FIELD[ELEMENT], as bodies[3].velocity[0], or "
                  "less of it\n",
                  text);
    }
    return ok && *at == 0;
}

/// Whether a name is another one with at most two letters more, less or changed, or a part of it.
static bool is_near(const char *a, const char *b) {
    enum { LENGTH_MAX = 63 };
    const size_t size_a = strlen(a), size_b = strlen(b);
    if (strstr(a, b) != NULL || strstr(b, a) != NULL) {
        return true;
    }
    if (size_a > LENGTH_MAX || size_b > LENGTH_MAX) {
        return false;
    }
    // Row by row: how many edits lead from a's beginning to each beginning of b.
    size_t row[LENGTH_MAX + 1];
    for (size_t j = 0; j <= size_b; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= size_a; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= size_b; ++j) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[size_b] <= 2;
}

/// Names the fields that may have been meant, or all of them.
static void report_no_field(const selection *wanted, const iso_field *fields, uint32_t count) {
    uint32_t near = 0;
    for (uint32_t i = 0; i < count; ++i) {
        near += is_near(wanted->field, fields[i].name);
    }
    const char *follows = near > 0 ? "; near it:" : count > 0 ? "; there are" : ", which has none";
    iso_print(stderr, "isostep-replay: %s: there is no field %s in %s%s", wanted->text, wanted->field,
              iso_section_name(wanted->section), follows);
    for (uint32_t i = 0; i < count; ++i) {
        if (near == 0 || is_near(wanted->field, fields[i].name)) {
            iso_print(stderr, " %s", fields[i].name);
        }
    }
    iso_print(stderr, "\n");
}

/// Whether the world has what is wanted, as far as that does not differ from record to record.
static bool selection_check(const selection *wanted, const iso_world *world) {
    if (wanted->text == NULL) {
        return true;
    }
    const uint32_t records = iso_section_record_count(world, wanted->section);
    uint32_t count;
    const iso_field *fields = iso_section_fields(world, wanted->section, &count);
    uint32_t i = 0;
    while (wanted->has_field && i < count && strcmp(fields[i].name, wanted->field) != 0) {
        ++i;
    }
    if (wanted->has_field && i == count) {
        report_no_field(wanted, fields, count);
        return false;
    }
    if (wanted->has_record && wanted->record >= records) {
        iso_print(stderr, "isostep-replay: %s: %s has %" PRIu32 " record%s after this tick, from 0 on\n", wanted->text,
                  iso_section_name(wanted->section), records, iso_text_plural(records));
        return false;
    }
    if (wanted->has_element && wanted->element >= fields[i].count) {
        iso_print(stderr, "isostep-replay: %s: %s has %u element%s, from 0 on\n", wanted->text, fields[i].name,
                  fields[i].count, iso_text_plural(fields[i].count));
        return false;
    }
    return true;
}

// ---- the fields ----------------------------------------------------------------------------------

/// The mass of a body that has none of its own in the state: that of its shapes. In space the state has another field
/// for it. @return 0: it has one, or is not dynamic
static iso_wide mass_of_shapes(const iso_world *world, const iso_diff *place) {
    if (place->section != ISO_SECTION_BODIES || strcmp(place->field->name, "mass") != 0 || place->value_a != 0) {
        return 0;
    }
    const iso_body_id body = iso_body_next(world, place->record);
    iso_body_view view;
    const bool is_there = body.generation != 0 && body.index == place->record;
    return is_there && iso_body_get(world, body, &view) == ISO_OK ? view.mass : 0;
}

static void write_element(writer *w, const iso_diff *place) {
    if (!w->json) {
        char name[ISO_DIFF_TEXT_SIZE], value[ISO_DIFF_TEXT_SIZE], mass[ISO_WIDE_TEXT_SIZE];
        const iso_wide of_shapes = mass_of_shapes(w->world, place);
        iso_wide_to_text(of_shapes, mass);
        iso_print(stdout, "%s: %s%s%s%s\n", iso_diff_place_text(place, name),
                  iso_diff_value_text(place->field, place->value_a, value),
                  of_shapes != 0 ? ", so that of its shapes: " : "", of_shapes != 0 ? mass : "",
                  of_shapes != 0 ? " kg" : "");
    } else {
        printf("%s{\"section\":\"%s\",\"record\":%" PRIu32 ",\"field\":", w->count > 0 ? "," : "",
               iso_section_name(place->section), place->record);
        iso_print_json_string(stdout, place->field->name);
        char value[ISO_DIFF_TEXT_SIZE];
        printf(",\"element\":%" PRIu32 ",\"value\":%s,\"unit\":", place->element,
               iso_diff_stored_text(place->field, place->value_a, value));
        iso_print_json_string(stdout, place->field->unit);
        const char *name = iso__replay_names_of(w->names, w->world, place->section, place->record);
        if (name[0] != 0) {
            printf(",\"name\":");
            iso_print_json_string(stdout, name);
        }
        printf("}");
    }
    ++w->count;
}

static void write_record(writer *w, iso_section section, uint32_t index) {
    const selection *wanted = w->wanted;
    uint32_t count;
    const iso_field *fields = iso_section_fields(w->world, section, &count);
    const void *record = iso_section_record(w->world, section, index);
    const char *name = iso__replay_names_of(w->names, w->world, section, index);
    if (!w->json && !wanted->has_field && name[0] != 0) {
        iso_print(stdout, "%s[%" PRIu32 "].name: %s\n", iso_section_name(section), index, name);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (wanted->has_field && strcmp(fields[i].name, wanted->field) != 0) {
            continue;
        }
        const uint32_t used = iso_field_used_count(w->world, section, record, &fields[i]);
        for (uint32_t j = 0; j < used; ++j) {
            if (!wanted->has_element || j == wanted->element) {
                const int64_t value = iso_field_read(&fields[i], j, record);
                write_element(w, &(iso_diff){section, index, &fields[i], j, value, value});
            }
        }
    }
}

static void write_state(writer *w) {
    const selection *wanted = w->wanted;
    for (uint32_t i = 0; i < ISO_SECTION_COUNT; ++i) {
        const iso_section section = (iso_section)i;
        if (wanted->text != NULL && wanted->section != section) {
            continue;
        }
        const uint32_t records = iso_section_record_count(w->world, section);
        for (uint32_t record = 0; record < records; ++record) {
            if (!wanted->has_record || record == wanted->record) {
                write_record(w, section, record);
            }
        }
    }
}

// ---- state ---------------------------------------------------------------------------------------

/// What of the scene is wanted by its name, if `name` is not NULL.
typedef struct named {
    iso_section section;
    const char *name;
} named;

/// Makes the record that of what has this name in the scene. @return false, after a line on standard error
static bool selection_name(selection *wanted, const named *by, const replay_names *names, const iso_world *world) {
    if (by->name == NULL) {
        return true;
    }
    const bool is_body = by->section == ISO_SECTION_BODIES;
    if (wanted->text != NULL && (wanted->section != by->section || wanted->has_record)) {
        const char *section = iso_section_name(by->section);
        iso_print(stderr, "isostep-replay: %s: with --%s, FIELD is a field of %s without a number, as %s.%s\n",
                  wanted->text, iso__replay_names_noun(by->section), section, section, is_body ? "angle" : "kind");
        return false;
    }
    wanted->text = wanted->text != NULL ? wanted->text : is_body ? "--body" : "--joint";
    wanted->section = by->section;
    wanted->has_record = true;
    return iso__replay_names_find(names, world, by->section, by->name, &wanted->record);
}

/// @return the exit code
static int state_of(const iso_recording *recording, uint64_t tick, selection *wanted, const named *by, bool json) {
    if (tick < recording->header.first_tick || tick > recording->last_tick) {
        iso_print(stderr, "isostep-replay: --tick %llu: the recording goes from tick %llu to %llu\n",
                  (unsigned long long)tick, (unsigned long long)recording->header.first_tick,
                  (unsigned long long)recording->last_tick);
        return REPLAY_EXIT_USAGE;
    }
    replay_walk walk;
    iso_status status = iso__replay_walk_make(&walk, recording);
    if (status == ISO_OK) {
        status = iso__replay_walk_seek(&walk, tick);
    }
    replay_names names;
    iso__replay_names_make(&names, recording);
    int code = status == ISO_OK ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
    if (status != ISO_OK && json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\"}\n", iso_status_name(status));
    } else if (status == ISO_OK &&
               (!selection_name(wanted, by, &names, walk.world.world) || !selection_check(wanted, walk.world.world))) {
        code = REPLAY_EXIT_USAGE;
    } else if (status == ISO_OK) {
        writer w = {.world = walk.world.world, .wanted = wanted, .names = &names, .json = json};
        if (json) {
            printf("{\"result\":\"ok\",\"tick\":%" PRIu64 ",\"root\":\"%016" PRIx64 "\",\"fields\":[", tick,
                   iso_world_root(walk.world.world));
        }
        write_state(&w);
        printf("%s", json ? "]}\n" : "");
    }
    iso__replay_names_free(&names);
    iso__replay_walk_free(&walk);
    return code;
}

int iso__replay_state(int argc, char **argv) {
    bool json = false, has_tick = false;
    uint64_t tick = 0;
    const char *body = NULL, *joint = NULL;
    const replay_option options[] = {
        {"--body", .text = &body},
        {"--joint", .text = &joint},
        {"--tick", .number = &tick, .max = REPLAY_TICK_MAX, .given = &has_tick},
        {"--json", .flag = &json},
        {0},
    };
    int first;
    const int code = iso__replay_options(argc, argv, help, options, &first);
    if (code >= 0) {
        return code;
    }
    if (argc - first < 1 || argc - first > 2) {
        return iso__replay_usage(argv, first == argc ? "FILE is missing: expected a recording"
                                                     : "expected one FILE and at most one FIELD");
    }
    if (body != NULL && joint != NULL) {
        return iso__replay_usage(argv, "--body and --joint: expected one of them");
    }
    selection wanted = {0};
    if (first + 1 < argc && !selection_parse(argv[first + 1], &wanted)) {
        return REPLAY_EXIT_USAGE;
    }
    replay_file file;
    if (iso__replay_file_open(&file, argv[first], json) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    const named by = {joint != NULL ? ISO_SECTION_JOINTS : ISO_SECTION_BODIES, joint != NULL ? joint : body};
    const int done = state_of(&file.recording, has_tick ? tick : file.recording.last_tick, &wanted, &by, json);
    iso__replay_file_close(&file);
    return done;
}
