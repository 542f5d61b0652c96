/// Writes the case files: golden_make DIRECTORY scenes.txt
///
/// Drivers hold their sticks and buttons this way and that, nothing else: what the games of samples are played with.
///
/// The inputs of `sandbox` come from a small generator that watches the world while it makes them, so that they
/// name bodies which exist: members join late, leave and come back, drive, spawn every kind of shape, connect,
/// push, drag, destroy, and also ask for what is refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scene_world.h"
#include "golden_case.h"
#include "golden_game.h"
#include "golden_mechanics.h"
#include "golden_mechanics3.h"
#include "golden_sweeps3.h"

static void write_number(FILE *file, uint64_t value, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) {
        fputc((int)(value >> (8 * i) & 0xFF), file);
    }
}

static iso_world *build(const char *name) {
    static const iso_builtin_scene own = {"mechanics", MECHANICS_SCENE, sizeof MECHANICS_SCENE - 1};
    if (strcmp(name, "mechanics3") == 0) {
        return mechanics3_make();
    }
    if (strcmp(name, "contacts3") == 0) {
        return contacts3_make();
    }
    if (strcmp(name, "sweeps3") == 0) {
        return sweeps3_make();
    }
    const iso_builtin_scene *builtin = strcmp(name, own.name) == 0 ? &own : iso_builtin_scene_find(name);
    if (builtin == NULL) {
        fprintf(stderr, "golden_make: there is no scene %s\n", name);
        exit(1);
    }
    return scene_world_make("golden_make", builtin, &golden_game);
}

// ---- inputs of the sandbox -----------------------------------------------------------------------

#define MEMBERS 3u
#define KEPT    24u

typedef struct member_script {
    uint64_t random;
    uint64_t sequences[MEMBERS];
    bool is_in[MEMBERS];
    uint64_t bodies[KEPT];
    uint64_t joints[KEPT];
    uint32_t body_count, joint_count;
} member_script;

static uint32_t script_random(member_script *script, uint32_t below) {
    script->random = script->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(script->random >> 33) % below;
}

static fix16_t script_coordinate(member_script *script) {
    return (fix16_t)script_random(script, 16 * 65536) - 8 * 65536;
}

static iso_shape_def script_shape(member_script *script) {
    const fix16_t size = (fix16_t)(10000 + script_random(script, 30000));
    iso_shape_def shape = script_random(script, 2) ? iso_shape_def_circle(size) : iso_shape_def_box(size, size / 2);
    if (shape.kind == ISO_SHAPE_POLYGON && script_random(script, 2)) {
        shape.radius = 3000;
    }
    if (script_random(script, 4) == 0) {
        shape.restitution = 40000;
    }
    return shape;
}

static iso_body_id script_body(member_script *script) {
    const uint64_t id = script->body_count ? script->bodies[script_random(script, script->body_count)] : 0;
    return iso_body_id_unpack(id);
}

static void script_control(member_script *script, iso_command *command) {
    const uint32_t x = script_random(script, 3), buttons = script_random(script, 8) == 0;
    const uint16_t axis = x == 0 ? 0x8001 : x == 1 ? 0 : 0x7FFF;
    command->kind = ISO_COMMAND_SET_CONTROL;
    command->as.set_control.size = 8;
    command->as.set_control.bytes[0] = (uint8_t)axis;
    command->as.set_control.bytes[1] = (uint8_t)(axis >> 8);
    command->as.set_control.bytes[4] = (uint8_t)buttons;
}

static void script_create(member_script *script, iso_command *command) {
    switch (script_random(script, 4)) {
    case 0:
        command->kind = ISO_COMMAND_CREATE_JOINT;
        command->as.create_joint.joint = iso_joint_def_default();
        command->as.create_joint.joint.body_a = script_body(script);
        command->as.create_joint.joint.body_b = script_body(script);
        command->as.create_joint.joint.anchor_a.x = 30000;
        command->as.create_joint.joint.anchor_b.x = -30000;
        command->as.create_joint.joint.limit_enabled = script_random(script, 2);
        command->as.create_joint.joint.lower = -40000;
        command->as.create_joint.joint.upper = 50000;
        break;
    case 2:
        command->kind = ISO_COMMAND_CREATE_JOINT;
        command->as.create_joint.joint = iso_joint_def_default();
        command->as.create_joint.joint.kind = ISO_JOINT_DISTANCE;
        command->as.create_joint.joint.body_a = script_body(script);
        command->as.create_joint.joint.body_b = script_body(script);
        command->as.create_joint.joint.rest = 2 * 65536;
        command->as.create_joint.joint.break_error = ISO_WIDE_ONE;
        command->as.create_joint.joint.break_angle = ISO_WIDE_ONE;
        command->as.create_joint.joint.remove_on_break = script_random(script, 2);
        break;
    case 1:
        command->kind = ISO_COMMAND_CREATE_JOINT;
        command->as.create_joint.joint = iso_joint_def_default();
        command->as.create_joint.joint.kind = ISO_JOINT_TARGET;
        command->as.create_joint.joint.body_b = script_body(script);
        command->as.create_joint.joint.hertz = 5 * 65536;
        command->as.create_joint.joint.force_max = 500 * ISO_WIDE_ONE;
        command->as.create_joint.joint.target = iso_vec2_to_wide((iso_vec2){script_coordinate(script), 8 * 65536});
        break;
    default:
        command->kind = ISO_COMMAND_CREATE_SHAPE;
        command->as.create_shape.body = script_body(script);
        command->as.create_shape.shape = iso_shape_def_circle(15000);
        command->as.create_shape.shape.points[0].y = 20000;
        break;
    }
}

static void script_push(member_script *script, iso_command *command) {
    const iso_wide strength = (iso_wide)(script_random(script, 11)) * ISO_WIDE_ONE - 5 * ISO_WIDE_ONE;
    switch (script_random(script, 5)) {
    case 0:
        command->kind = ISO_COMMAND_APPLY_IMPULSE;
        command->as.apply_impulse.body = script_body(script);
        command->as.apply_impulse.impulse = (iso_vec2_wide){strength, 2 * ISO_WIDE_ONE};
        break;
    case 1:
        command->kind = ISO_COMMAND_APPLY_FORCE;
        command->as.apply_force.body = script_body(script);
        command->as.apply_force.force = (iso_vec2_wide){20 * strength, 100 * ISO_WIDE_ONE};
        break;
    case 2:
        command->kind = ISO_COMMAND_APPLY_TORQUE;
        command->as.apply_torque.body = script_body(script);
        command->as.apply_torque.torque = 10 * strength;
        break;
    case 3:
        command->kind = ISO_COMMAND_SET_VELOCITY;
        command->as.set_velocity.body = script_body(script);
        command->as.set_velocity.velocity = iso_vec2_to_wide((iso_vec2){script_coordinate(script), 5 * 65536});
        command->as.set_velocity.angular_velocity = iso_wide_from_fix16(script_coordinate(script));
        break;
    default:
        command->kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
        command->as.apply_angular_impulse.body = script_body(script);
        command->as.apply_angular_impulse.impulse = strength;
        break;
    }
}

static void script_change_joint(member_script *script, iso_command *command) {
    const uint64_t packed = script->joints[script_random(script, script->joint_count)];
    const iso_joint_id id = iso_joint_id_unpack(packed);
    const bool enabled = script_random(script, 4) != 0;
    switch (script_random(script, 6)) {
    case 0:
        command->kind = ISO_COMMAND_SET_JOINT_MOTOR;
        command->as.set_joint_motor =
            (iso_command_set_joint_motor){id, enabled, script_coordinate(script), 50 * ISO_WIDE_ONE};
        break;
    case 1:
        command->kind = ISO_COMMAND_SET_JOINT_LIMITS;
        command->as.set_joint_limits =
            (iso_command_set_joint_limits){id, enabled, (fix16_t)script_random(script, 65536), 2 * 65536};
        break;
    case 2:
        command->kind = ISO_COMMAND_SET_JOINT_SPRING;
        command->as.set_joint_spring =
            (iso_command_set_joint_spring){id, enabled, 3 * 65536, 20000, (fix16_t)script_random(script, 2 * 65536)};
        break;
    case 3:
        command->kind = ISO_COMMAND_SET_JOINT_BREAK;
        command->as.set_joint_break =
            (iso_command_set_joint_break){id, 400 * ISO_WIDE_ONE, 200 * ISO_WIDE_ONE, 0, 0, enabled};
        break;
    case 4:
        command->kind = ISO_COMMAND_SET_JOINT; // the joints of the script are of more kinds: some are refused
        command->as.set_joint = (iso_command_set_joint){id, iso_joint_def_default()};
        command->as.set_joint.definition.enabled = enabled;
        command->as.set_joint.definition.hertz = (fix16_t)script_random(script, 10 * 65536);
        command->as.set_joint.definition.correction_max = 65536;
        break;
    default:
        command->kind = ISO_COMMAND_ENABLE_JOINT;
        command->as.enable_joint = (iso_command_enable_joint){id, enabled};
        break;
    }
}

static void script_destroy(member_script *script, iso_command *command) {
    if (script->joint_count > 0 && script_random(script, 2)) {
        const uint64_t id = script->joints[script_random(script, script->joint_count)];
        command->kind = ISO_COMMAND_DESTROY_JOINT;
        command->as.destroy_joint.joint = iso_joint_id_unpack(id);
    } else {
        command->kind = ISO_COMMAND_DESTROY_BODY;
        command->as.destroy_body.body = script_body(script);
    }
}

static void script_command(member_script *script, iso_command *command) {
    memset(command, 0, sizeof *command);
    const uint32_t choice = script_random(script, 10);
    if (choice < 5) {
        script_control(script, command);
    } else if (choice < 7) {
        command->kind = ISO_COMMAND_SPAWN_BODY;
        command->as.spawn_body.body = iso_body_def_default();
        command->as.spawn_body.body.position =
            iso_vec2_to_wide((iso_vec2){script_coordinate(script), 6 * 65536 + script_coordinate(script) / 4});
        command->as.spawn_body.body.angular_velocity = iso_wide_from_fix16(script_coordinate(script));
        command->as.spawn_body.shape = script_shape(script);
    } else if (choice == 7) {
        script_create(script, command);
    } else if (choice == 8 && script->joint_count > 0 && script_random(script, 2)) {
        script_change_joint(script, command);
    } else if (choice == 8) {
        script_push(script, command);
    } else {
        script_destroy(script, command);
    }
}

/// Another stick and other buttons every third of a second, the buttons seldom.
static void script_drive(member_script *script, uint64_t number, golden_tick *tick) {
    for (uint8_t slot = 0; slot < MEMBERS && number % 8 == 0; ++slot) {
        if (!script->is_in[slot]) {
            continue;
        }
        const uint64_t stretch = number / 24 + 7u * slot;
        const uint16_t x = stretch % 7 < 3   ? 0x7FFF
                           : stretch % 7 < 6 ? 0x8001
                                             : 0,
                       y = stretch % 5 < 3 ? 0xC000 : 0x3FFF;
        iso_sealed_command *sealed = &tick->commands[tick->input.command_count++];
        *sealed = (iso_sealed_command){.slot = slot, .sequence = ++script->sequences[slot]};
        sealed->command.kind = ISO_COMMAND_SET_CONTROL;
        sealed->command.as.set_control.size = 8;
        uint8_t *bytes = sealed->command.as.set_control.bytes;
        bytes[0] = (uint8_t)x;
        bytes[1] = (uint8_t)(x >> 8);
        bytes[2] = (uint8_t)y;
        bytes[3] = (uint8_t)(y >> 8);
        bytes[4] = stretch % 4 == 3 ? 1 + (uint8_t)(script_random(script, 16) == 0) : 0;
    }
}

/// Member 0 joins at once, 1 at tick 20, 2 at tick 100; 1 leaves at tick 200 and comes back at tick 260.
static void script_changes(member_script *script, const iso_world *world, uint64_t number, golden_tick *tick) {
    static const struct {
        uint64_t tick;
        uint8_t slot, kind;
    } plan[] = {{1, 0, ISO_CHANGE_JOIN},
                {20, 1, ISO_CHANGE_JOIN},
                {100, 2, ISO_CHANGE_JOIN},
                {200, 1, ISO_CHANGE_LEAVE},
                {260, 1, ISO_CHANGE_JOIN}};
    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; ++i) {
        if (plan[i].tick == number) {
            iso_slot_view slot;
            iso_world_get_slot(world, plan[i].slot, &slot);
            const bool joins = plan[i].kind == ISO_CHANGE_JOIN;
            tick->changes[tick->input.change_count++] =
                (iso_change){plan[i].kind, plan[i].slot, slot.generation + (joins ? 1 : 0)};
            script->is_in[plan[i].slot] = joins;
            script->sequences[plan[i].slot] = joins ? 0 : script->sequences[plan[i].slot];
        }
    }
}

static void script_tick(member_script *script, const iso_world *world, uint64_t number, bool drives,
                        golden_tick *tick) {
    tick->input = (iso_tick_input){.tick = number, .changes = tick->changes, .commands = tick->commands};
    script_changes(script, world, number, tick);
    if (drives) {
        script_drive(script, number, tick);
        return;
    }
    for (uint8_t slot = 0; slot < MEMBERS; ++slot) {
        for (uint32_t n = script->is_in[slot] ? script_random(script, 3) : 0; n > 0; --n) {
            iso_sealed_command *command = &tick->commands[tick->input.command_count];
            script_command(script, &command->command);
            if (iso_command_check(&command->command) == ISO_OK) {
                command->slot = slot;
                command->sequence = ++script->sequences[slot];
                ++tick->input.command_count;
            }
        }
    }
}

/// Remembers what the tick created.
static void script_learn(member_script *script, const iso_world *world, const golden_tick *tick) {
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (results[i].status != ISO_OK || results[i].id == 0) {
            continue;
        }
        const uint8_t kind = tick->commands[i].command.kind;
        if (kind == ISO_COMMAND_SPAWN_BODY) {
            const uint32_t place = script->body_count < KEPT ? script->body_count++ : script_random(script, KEPT);
            script->bodies[place] = results[i].id;
        } else if (kind == ISO_COMMAND_CREATE_JOINT) {
            const uint32_t place = script->joint_count < KEPT ? script->joint_count++ : script_random(script, KEPT);
            script->joints[place] = results[i].id;
        }
    }
}

// ---- cases ---------------------------------------------------------------------------------------

static void write_tick(FILE *file, const iso_tick_input *input) {
    write_number(file, input->change_count, 2);
    for (uint32_t i = 0; i < input->change_count; ++i) {
        write_number(file, input->changes[i].kind, 1);
        write_number(file, input->changes[i].slot, 1);
        write_number(file, input->changes[i].slot_generation, 4);
    }
    write_number(file, input->command_count, 2);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        uint8_t bytes[ISO_COMMAND_SIZE_MAX];
        const size_t size = iso_command_encode(&input->commands[i].command, bytes, sizeof bytes);
        write_number(file, input->commands[i].slot, 1);
        write_number(file, input->commands[i].sequence, 8);
        write_number(file, size, 2);
        fwrite(bytes, 1, size, file);
    }
}

/// @param emulated  the tick by which the case must have shown what it is there for
static void make_case(const char *directory, const char *scene, uint32_t tick_count, uint32_t emulated,
                      const char *players, const char *kind) {
    const bool drives = strcmp(players, "drivers") == 0, has_members = drives || strcmp(players, "members") == 0;
    const bool has_mechanics = strcmp(players, "mechanics") == 0;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.case", directory, scene);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "golden_make: cannot write %s\n", path);
        exit(1);
    }
    iso_world *world = build(scene);
    if (iso_world_get_def(world)->dimensions != (strcmp(kind, "space") == 0 ? 3 : 2)) {
        fprintf(stderr, "golden_make: the world of %s is not of the %s\n", scene, kind);
        exit(1);
    }
    const size_t size = iso_snapshot_size(world);
    uint8_t *snapshot = malloc(size);
    iso_snapshot_encode(world, snapshot, size);
    fputs(GOLDEN_MAGIC, file);
    write_number(file, size, 4);
    fwrite(snapshot, 1, size, file);
    write_number(file, tick_count, 4);
    member_script script = {.random = 20260101};
    mechanics others = {.random = 20260202};
    golden_tick *tick = calloc(1, sizeof *tick);
    for (uint64_t t = 1; t <= tick_count; ++t) {
        tick->input = (iso_tick_input){.tick = t, .changes = tick->changes, .commands = tick->commands};
        if (has_members) {
            script_tick(&script, world, t, drives, tick);
            if (iso_world_step(world, &tick->input) != ISO_OK) {
                fprintf(stderr, "golden_make: %s: tick %u is refused\n", scene, (unsigned)t);
                exit(1);
            }
            script_learn(&script, world, tick);
        }
        if (has_mechanics) {
            mechanics_tick(&others, world, t, tick);
            if (iso_world_step(world, &tick->input) != ISO_OK) {
                fprintf(stderr, "golden_make: %s: tick %u is refused\n", scene, (unsigned)t);
                exit(1);
            }
            mechanics_count(&others, world, tick);
            if (t == emulated) {
                mechanics_check(&others, t);
            }
        }
        write_tick(file, &tick->input);
    }
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    if (has_members && (counts.commands_applied < 100 || (counts.commands_refused < 10) != drives)) {
        fprintf(stderr, "golden_make: %s: too few commands apply (%u) or are refused (%u) to say much\n", scene,
                (unsigned)counts.commands_applied, (unsigned)counts.commands_refused);
        exit(1);
    }
    if (fclose(file) != 0) {
        fprintf(stderr, "golden_make: cannot write %s\n", path);
        exit(1);
    }
    free(tick);
    free(snapshot);
    free(world);
}

int main(int argc, char **argv) {
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: golden_make DIRECTORY scenes.txt\n");
        return 2;
    }
    char line[256], scene[64], players[16], kind[16];
    unsigned ticks, emulated;
    while (fgets(line, sizeof line, list)) {
        if (line[0] == '#') {
            continue;
        }
        if (sscanf(line, "%63s %u %u %15s %15s", scene, &ticks, &emulated, players, kind) != 5) {
            fprintf(stderr, "golden_make: %s: not a scene: %s", argv[2], line);
            return 2;
        }
        make_case(argv[1], scene, ticks, emulated, players, kind);
    }
    fclose(list);
    return 0;
}
