/// isostep-replay check: the errors of a scene, or its content.
#include <stdlib.h>

#include "options.h"
#include "scene.h"

static const char help[] =
    "Usage: isostep-replay check SCENE [--json]\n"
    "\n"
    "Reads a scene and builds its world, without a step. SCENE is a built-in scene or a JSON file. For each\n"
    "kind of error it prints a line: where the first is (line, column, JSON pointer), the value there, what was\n"
    "expected, names that are like one that is not there, and how many more there are of this kind. Parts that\n"
    "depend on something wrong, such as joints when a body is wrong, are not checked. Of a valid scene it prints the\n"
    "content, and how much of its capacities is used.\n"
    "\n"
    "  --json  one object on standard output: result (ok, invalid, unreadable); of a valid one name, game,\n"
    "          tick_rate_hz, substeps, bodies, shapes, joints, constraints, custom_joints (each with used and\n"
    "          capacity), contacts, joint_kinds, compounds, blueprints (how many\n"
    "          compounds of each), world_bytes, scene_hash, root; of an invalid one errors, each with\n"
    "          file (that it includes, else empty), line, column (0: unknown), path, value, expected,\n"
    "          nearest (names), more (how many)\n"
    "Exit codes: 0 the scene is valid; 2 usage; 3 it is unreadable or invalid.\n";

/// The maximum number of errors that are printed.
#define CHECK_ERRORS_MAX 32u

typedef struct check {
    replay_scene scene;
    iso_scene_error errors[CHECK_ERRORS_MAX];
    uint32_t error_count;
} check;

// ---- what is wrong -------------------------------------------------------------------------------

static void report_errors(const check *c, bool json) {
    for (uint32_t i = 0; i < c->error_count; ++i) {
        char line[1200];
        iso_scene_error_format(&c->errors[i], line, sizeof line);
        iso_print(stderr, "isostep-replay: %s: %s\n", c->scene.argument, line);
    }
    if (c->error_count == CHECK_ERRORS_MAX) {
        iso_print(stderr, "isostep-replay: %s: there may be more\n", c->scene.argument);
    }
    if (!json) {
        return;
    }
    printf("{\"result\":\"invalid\",\"errors\":[");
    for (uint32_t i = 0; i < c->error_count; ++i) {
        const iso_scene_error *error = &c->errors[i];
        printf("%s{\"file\":", i > 0 ? "," : "");
        iso_print_json_string(stdout, error->file);
        printf(",\"line\":%u,\"column\":%u,\"path\":", error->line, error->column);
        iso_print_json_string(stdout, error->path);
        printf(",\"value\":");
        iso_print_json_string(stdout, error->value);
        printf(",\"expected\":");
        iso_print_json_string(stdout, error->expected);
        printf(",\"nearest\":");
        iso_print_json_string(stdout, error->nearest);
        printf(",\"more\":%u}", error->more);
    }
    printf("]}\n");
}

static void report_unreadable(const char *why, bool json) {
    if (json) {
        printf("{\"result\":\"unreadable\",\"error\":");
        iso_print_json_string(stdout, why);
        printf("}\n");
    }
}

// ---- what is right -------------------------------------------------------------------------------

typedef struct usage {
    const char *name;
    uint32_t used, capacity;
} usage;

#define USAGE_COUNT  5
#define USAGE_JOINTS 2

static uint32_t count_compounds(const iso_scene *scene, uint32_t blueprint) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->compound_count; ++i) {
        count += scene->compounds[i].blueprint == blueprint;
    }
    return count;
}

/// How many joints of this kind there are, those of compounds included.
static uint32_t count_kind(const iso_scene *scene, uint8_t kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        count += (scene->def.dimensions == 3 ? scene->joints3[i].def.kind : scene->joints[i].def.kind) == kind;
    }
    for (uint32_t i = 0; i < scene->blueprint_count; ++i) {
        count += count_kind(scene->blueprints[i].parts, kind) * count_compounds(scene, i);
    }
    return count;
}

static uint32_t count_custom(const iso_scene *scene) {
    const bool in_space = scene->def.dimensions == 3;
    return count_kind(scene, in_space ? ISO_JOINT3_SYMBOLIC : ISO_JOINT_SYMBOLIC) +
           count_kind(scene, in_space ? ISO_JOINT3_USER : ISO_JOINT_USER);
}

static void list_usages(const iso_scene *scene, usage usages[USAGE_COUNT]) {
    const iso_world_def *def = iso_scene_def(scene);
    const usage all[USAGE_COUNT] = {
        {"bodies", scene->body_count + scene->compound_bodies, def->body_capacity},
        {"shapes", scene->shape_total + scene->compound_shapes, def->shape_capacity},
        {"joints", scene->joint_count + scene->compound_joints, def->joint_capacity},
        {"constraints", scene->program_count, def->program_capacity},
        {"custom_joints", count_custom(scene), def->custom_joint_capacity},
    };
    for (size_t i = 0; i < USAGE_COUNT; ++i) {
        usages[i] = all[i];
    }
}

typedef struct kind_name {
    uint8_t kind;
    const char *name;
} kind_name;

/// Writes how many joints there are of each kind that there is.
static void print_kinds(const iso_scene *scene, const char *format, const char *separator) {
#define JOINT_KIND(NAME, number, snake, has)                                        {number, #snake},
#define JOINT3_KIND(NAME, number, snake, linear, angular, axis0, axis1, axis2, has) {number, #snake},
    static const kind_name of_plane[] = {ISO_JOINT_KIND_LIST(JOINT_KIND)};
    static const kind_name of_space[] = {ISO_JOINT3_KIND_LIST(JOINT3_KIND) ISO_JOINT3_CUSTOM_LIST(JOINT3_KIND)};
#undef JOINT_KIND
#undef JOINT3_KIND
    const bool in_space = scene->def.dimensions == 3;
    const kind_name *kinds = in_space ? of_space : of_plane;
    const size_t kind_count = in_space ? sizeof of_space / sizeof of_space[0] : sizeof of_plane / sizeof of_plane[0];
    const char *before = "";
    for (size_t i = 0; i < kind_count; ++i) {
        const uint32_t count = count_kind(scene, kinds[i].kind);
        if (count > 0) {
            printf("%s", before);
            printf(format, kinds[i].name, count);
            before = separator;
        }
    }
}

/// Writes each blueprint and how many compounds of it there are.
static void print_blueprints(const iso_scene *scene, const char *format, const char *separator) {
    for (uint32_t i = 0; i < scene->blueprint_count; ++i) {
        printf("%s", i > 0 ? separator : "");
        printf(format, scene->blueprints[i].name, count_compounds(scene, i));
    }
}

static void report_json(const check *c) {
    const iso_scene *scene = c->scene.scene;
    const iso_world_def *def = iso_scene_def(scene);
    usage usages[USAGE_COUNT];
    list_usages(scene, usages);
    printf("{\"result\":\"ok\",\"name\":\"%s\",\"game\":", scene->name);
    iso_print_json_string(stdout, def->game);
    printf(",\"tick_rate_hz\":%u,\"substeps\":%u", def->tick_rate_hz, def->substep_count);
    for (size_t i = 0; i < USAGE_COUNT; ++i) {
        printf(",\"%s\":{\"used\":%u,\"capacity\":%u}", usages[i].name, usages[i].used, usages[i].capacity);
    }
    printf(",\"contacts\":{\"capacity\":%u},\"joint_kinds\":{", def->contact_capacity);
    print_kinds(scene, "\"%s\":%u", ",");
    printf("},\"compounds\":%u,\"blueprints\":{", scene->compound_count);
    print_blueprints(scene, "\"%s\":%u", ",");
    printf("},\"world_bytes\":%zu,\"scene_hash\":\"%016llx\",\"root\":\"%016llx\"}\n", iso_world_size(def, scene->game),
           (unsigned long long)iso_scene_hash(scene), (unsigned long long)iso_world_root(c->scene.world));
}

static void report(const check *c) {
    const iso_scene *scene = c->scene.scene;
    const iso_world_def *def = iso_scene_def(scene);
    usage usages[USAGE_COUNT];
    list_usages(scene, usages);
    iso_print(stdout, "%s: a scene of %s%s, %u Hz, %u substep%s\n", scene->name,
              def->game[0] != 0 ? "the game " : "no game", def->game, def->tick_rate_hz, def->substep_count,
              iso_text_plural(def->substep_count));
    for (size_t i = 0; i < USAGE_COUNT; ++i) {
        printf("%-13s  %u of %u", usages[i].name, usages[i].used, usages[i].capacity);
        if (i == USAGE_JOINTS && usages[i].used > 0) {
            printf(": ");
            print_kinds(scene, "%s %u", ", ");
        }
        printf("\n");
    }
    printf("compounds      %u", scene->compound_count);
    if (scene->blueprint_count > 0) {
        printf(" of %u blueprint%s: ", scene->blueprint_count, iso_text_plural(scene->blueprint_count));
        print_blueprints(scene, "%s %u", ", ");
    }
    printf("\n");
    printf("contacts       room for %u\n", def->contact_capacity);
    printf("world          %zu bytes\nscene hash     %016llx\nroot           %016llx at tick 0\n",
           iso_world_size(def, scene->game), (unsigned long long)iso_scene_hash(scene),
           (unsigned long long)iso_world_root(c->scene.world));
}

// ---- check ---------------------------------------------------------------------------------------

/// @return the exit code
static int check_scene(check *c, const char *argument, bool json) {
    const char *why = "";
    if (!iso__replay_scene_read(&c->scene, argument, &why)) {
        report_unreadable(why, json);
        return REPLAY_EXIT_UNREADABLE;
    }
    const iso_status status = iso__replay_scene_make(&c->scene, c->errors, CHECK_ERRORS_MAX, &c->error_count);
    if (status == ISO_ERR_SCENE_INVALID) {
        report_errors(c, json);
        return REPLAY_EXIT_UNREADABLE;
    }
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", argument, iso_status_text(status));
        report_unreadable(iso_status_text(status), json);
        return REPLAY_EXIT_UNREADABLE;
    }
    if (json) {
        report_json(c);
    } else {
        report(c);
    }
    return REPLAY_EXIT_OK;
}

int iso__replay_check(int argc, char **argv) {
    bool json = false;
    const replay_option options[] = {
        {"--json", .flag = &json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, options, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "SCENE", "a built-in scene or a file") : code;
    if (code >= 0) {
        return code;
    }
    check *c = calloc(1, sizeof *c);
    if (c == NULL) {
        iso_print(stderr, "isostep-replay: %s\n", iso_status_text(ISO_ERR_MEMORY));
        return REPLAY_EXIT_UNREADABLE;
    }
    code = check_scene(c, argv[first], json);
    iso__replay_scene_free(&c->scene);
    free(c);
    return code;
}
