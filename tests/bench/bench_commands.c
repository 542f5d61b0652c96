/// What commands cost at most: ticks with 64 commands of each kind, or as many of them as a session puts into one tick,
/// of one member, about the dearest things that the quotas of the sandboxes allow. commands.sh counts the instructions.
///
///   bench_commands [--list]
///
/// Runs all kinds of both numbers of dimensions. Under callgrind it dumps after each tick: "KIND DIMENSIONS with" or
/// "without". With --list it prints of each kind its dimensions, how many commands were in the tick, how many of them
/// were carried out, and their price.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "../scene_world.h"
#include "price.h"

#define METRE    ISO_FIX16_ONE
#define COMMANDS 64u
#define HULLS    (ISO_COMMAND_BODY3_SHAPES_MAX / ISO_COMMAND_HULL_SHAPES)
#define NEAR     40 // bodies that lie about the dear one

/// A world, and what its commands are about.
typedef struct rig {
    iso_world *world;
    uint32_t dimensions;
    iso_owner owner;
    iso_body_id dear;   // with many shapes, of the member
    iso_body_id roomy;  // with one hull less, or few shapes
    iso_body_id moved;  // kinematic
    iso_shape_id shape; // of the dear one
    iso_joint_id joint; // between it and another
    iso_joint_id target;
    iso_joint_id motor;
    iso_shape_id shapes[COMMANDS];
    iso_joint_id joints[COMMANDS];
    iso_body_id bodies[COMMANDS];
    iso_compound_id compounds[COMMANDS];
    uint32_t shape_count, joint_count, body_count, compound_count;
} rig;

static void need(iso_status status, const char *what) {
    if (status != ISO_OK) {
        fprintf(stderr, "bench_commands: %s: %s\n", what, iso_status_name(status));
        exit(1);
    }
}

/// A hull of as many points as one may have, all of them corners.
/// @param meets  0: nothing, so that the ticks with it have no contacts more
static iso_shape3_def hull_at(double x, double radius, uint32_t meets) {
    iso_vec3 points[ISO_HULL_VERTICES_MAX];
    for (uint32_t i = 0; i < ISO_HULL_VERTICES_MAX; ++i) {
        const double z = 1 - (2 * i + 1) / (double)ISO_HULL_VERTICES_MAX, r = radius * sqrt(1 - z * z);
        points[i] = (iso_vec3){(fix16_t)((x + r * cos(2.399963 * i)) * METRE), (fix16_t)(r * sin(2.399963 * i) * METRE),
                               (fix16_t)(radius * z * METRE)};
    }
    iso_shape3_def def = iso_shape3_def_hull(points, ISO_HULL_VERTICES_MAX);
    def.filter.mask = meets;
    return def;
}

static iso_shape_def polygon_at(double x, double radius) {
    iso_shape_def def = iso_shape_def_default();
    def.kind = ISO_SHAPE_POLYGON;
    def.point_count = ISO_POLYGON_VERTICES_MAX;
    for (uint32_t i = 0; i < ISO_POLYGON_VERTICES_MAX; ++i) {
        const double angle = 6.283185307 * i / ISO_POLYGON_VERTICES_MAX;
        def.points[i] =
            (iso_vec2){(fix16_t)((x + radius * cos(angle)) * METRE), (fix16_t)(radius * sin(angle) * METRE)};
    }
    return def;
}

// ---- worlds --------------------------------------------------------------------------------------

/// A heap of bodies about the dear one, joined to it, so that what wakes, unties or removes has something to go
/// through.
static void rig_crowd(rig *r) {
    for (uint32_t i = 0; i < NEAR; ++i) {
        const iso_wide x = (iso_wide)(i % 8) * ISO_WIDE_ONE / 2, y = (iso_wide)(2 + i / 8) * ISO_WIDE_ONE / 2;
        iso_body_id body;
        if (r->dimensions == 3) {
            iso_body3_def def = iso_body3_def_default();
            def.owner = r->owner;
            def.position = (iso_vec3_wide){x, y, 0};
            const iso_shape3_def shape = iso_shape3_def_box(METRE / 2, METRE / 2, METRE / 2);
            need(iso_body3_create(r->world, &def, &body), "a body");
            need(iso_shape3_create(r->world, body, &shape, &r->shapes[r->shape_count++]), "its shape");
            iso_joint3_def joint = iso_joint3_def_default(ISO_JOINT3_BALL);
            joint.body_a = r->dear;
            joint.body_b = body;
            joint.owner = r->owner;
            need(iso_joint3_create(r->world, &joint, &r->joints[r->joint_count++]), "a joint");
        } else {
            iso_body_def def = iso_body_def_default();
            def.owner = r->owner;
            def.position = (iso_vec2_wide){x, y};
            const iso_shape_def shape = iso_shape_def_box(METRE / 2, METRE / 2);
            need(iso_body_create(r->world, &def, &body), "a body");
            need(iso_shape_create(r->world, body, &shape, &r->shapes[r->shape_count++]), "its shape");
            iso_joint_def joint = iso_joint_def_default();
            joint.kind = ISO_JOINT_REVOLUTE;
            joint.body_a = r->dear;
            joint.body_b = body;
            joint.owner = r->owner;
            need(iso_joint_create(r->world, &joint, &r->joints[r->joint_count++]), "a joint");
        }
        r->bodies[r->body_count++] = body;
    }
}

static void rig_fill3(rig *r) {
    iso_body3_def def = iso_body3_def_default();
    def.owner = r->owner;
    def.position.y = 4 * ISO_WIDE_ONE;
    need(iso_body3_create(r->world, &def, &r->dear), "the dear body");
    need(iso_body3_create(r->world, &def, &r->roomy), "the roomy body");
    def.type = ISO_BODY_KINEMATIC;
    need(iso_body3_create(r->world, &def, &r->moved), "a kinematic body");
    for (uint32_t i = 0; i < HULLS; ++i) {
        const iso_shape3_def shape = hull_at(0.3 * i, 0.5 + 0.1 * i, UINT32_MAX);
        iso_shape_id other;
        need(iso_shape3_create(r->world, r->dear, &shape, &r->shape), "a hull");
        need(i + 1 < HULLS ? iso_shape3_create(r->world, r->roomy, &shape, &other) : ISO_OK, "a hull");
    }
    iso_joint3_def target = iso_joint3_def_default(ISO_JOINT3_TARGET), hinge = iso_joint3_def_default(ISO_JOINT3_HINGE);
    hinge.body_a = r->roomy;
    target.body_b = hinge.body_b = r->dear;
    target.owner = hinge.owner = r->owner;
    need(iso_joint3_create(r->world, &target, &r->target), "a target");
    need(iso_joint3_create(r->world, &hinge, &r->motor), "a hinge");
    r->joint = r->motor;
}

static void rig_fill2(rig *r) {
    iso_body_def def = iso_body_def_default();
    def.owner = r->owner;
    def.position.y = 4 * ISO_WIDE_ONE;
    need(iso_body_create(r->world, &def, &r->dear), "the dear body");
    need(iso_body_create(r->world, &def, &r->roomy), "the roomy body");
    def.type = ISO_BODY_KINEMATIC;
    need(iso_body_create(r->world, &def, &r->moved), "a kinematic body");
    for (uint32_t i = 0; i < 150; ++i) {
        const iso_shape_def shape = polygon_at(0.1 * i, 0.5);
        need(iso_shape_create(r->world, r->dear, &shape, &r->shape), "a shape");
    }
    r->roomy = r->dear; // a body in the plane may have all shapes of its member
    iso_joint_def target = iso_joint_def_default(), hinge = iso_joint_def_default();
    target.kind = ISO_JOINT_TARGET;
    hinge.kind = ISO_JOINT_REVOLUTE;
    hinge.body_a = r->moved;
    target.body_b = hinge.body_b = r->dear;
    target.owner = hinge.owner = r->owner;
    need(iso_joint_create(r->world, &target, &r->target), "a target");
    need(iso_joint_create(r->world, &hinge, &r->motor), "a revolute");
    r->joint = r->motor;
    iso_compound_def compound = iso_compound_def_default();
    compound.owner = r->owner;
    for (uint32_t i = 0; i < 4; ++i) {
        compound.position.x = (iso_wide)(20 + 4 * i) * ISO_WIDE_ONE;
        need(iso_compound_create(r->world, &compound, &r->compounds[r->compound_count++]), "a compound");
    }
}

static void step(iso_world *world, const iso_change *changes, uint32_t change_count, const iso_sealed_command *commands,
                 uint32_t count) {
    const iso_tick_input input = {iso_world_get_tick(world) + 1, changes, change_count, commands, count};
    need(iso_world_step(world, &input), "a tick");
}

static rig rig_make(uint32_t dimensions) {
    const iso_builtin_scene *scene = iso_builtin_scene_find(dimensions == 3 ? "sandbox3" : "sandbox");
    rig r = {.world = scene_world_make("bench_commands", scene, NULL), .dimensions = dimensions};
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    step(r.world, &join, 1, NULL, 0);
    r.owner = (iso_owner){1, 0};
    if (dimensions == 3) {
        rig_fill3(&r);
    } else {
        rig_fill2(&r);
    }
    rig_crowd(&r);
    for (uint32_t i = 0; i < 20; ++i) {
        step(r.world, NULL, 0, NULL, 0);
    }
    return r;
}

// ---- commands ------------------------------------------------------------------------------------

/// The commands that are about a body, a shape or a joint and some numbers.
static void command_about(const rig *r, uint32_t n, iso_command *c) {
    const fix16_t number = (fix16_t)(n + 1) * METRE;
    const iso_wide wide = (iso_wide)(n + 1) * ISO_WIDE_ONE;
    switch ((iso_command_kind)c->kind) {
#define ABOUT(NAME, snake, what, id) \
    case ISO_COMMAND_##NAME:         \
        c->as.snake.what = (id);     \
        break;
        ABOUT(DESTROY_BODY, destroy_body, body, n == 0 ? r->dear : r->bodies[n % r->body_count])
        ABOUT(DESTROY_SHAPE, destroy_shape, shape, n == 0 ? r->shape : r->shapes[n % r->shape_count])
        ABOUT(DESTROY_JOINT, destroy_joint, joint, r->joints[n % r->joint_count])
        ABOUT(APPLY_FORCE, apply_force, body, r->dear)
        ABOUT(APPLY_IMPULSE, apply_impulse, body, r->dear)
        ABOUT(APPLY_TORQUE, apply_torque, body, r->dear)
        ABOUT(APPLY_ANGULAR_IMPULSE, apply_angular_impulse, body, r->dear)
        ABOUT(SET_VELOCITY, set_velocity, body, r->dear)
        ABOUT(SET_TARGET, set_target, joint, r->target)
        ABOUT(SET_FILTER, set_filter, shape, r->shape)
        ABOUT(MOVE_KINEMATIC, move_kinematic, body, r->moved)
        ABOUT(SET_BODY_POSITION, set_body_position, body, r->dear)
        ABOUT(SET_BODY_TAG, set_body_tag, body, r->dear)
        ABOUT(SET_SHAPE_TAG, set_shape_tag, shape, r->shape)
        ABOUT(SET_JOINT_TAG, set_joint_tag, joint, r->joint)
        ABOUT(SET_SHAPE_SURFACE_SPEED, set_shape_surface_speed, shape, r->shape)
        ABOUT(SET_JOINT_MOTOR, set_joint_motor, joint, r->motor)
        ABOUT(SET_JOINT_LIMITS, set_joint_limits, joint, r->motor)
        ABOUT(SET_JOINT_SPRING, set_joint_spring, joint, r->motor)
        ABOUT(SET_JOINT_STIFFNESS, set_joint_stiffness, joint, r->motor)
        ABOUT(SET_JOINT_BREAK, set_joint_break, joint, r->motor)
        ABOUT(DESTROY_COMPOUND, destroy_compound, compound, r->compounds[n % (r->compound_count + 1)])
        ABOUT(APPLY_FORCE3, apply_force3, body, r->dear)
        ABOUT(APPLY_IMPULSE3, apply_impulse3, body, r->dear)
        ABOUT(APPLY_TORQUE3, apply_torque3, body, r->dear)
        ABOUT(APPLY_ANGULAR_IMPULSE3, apply_angular_impulse3, body, r->dear)
        ABOUT(SET_VELOCITY3, set_velocity3, body, r->dear)
        ABOUT(SET_TARGET3, set_target3, joint, r->target)
#undef ABOUT
    case ISO_COMMAND_SET_BODY_TYPE:
        c->as.set_body_type.body = r->dear;
        c->as.set_body_type.type = n % 2 == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC;
        break;
    case ISO_COMMAND_SET_BODY_PARAMS:
        c->as.set_body_params = (iso_command_set_body_params){r->dear, iso_body_params_default()};
        break;
    case ISO_COMMAND_SET_BODY_PARAMS3:
        c->as.set_body_params3 = (iso_command_set_body_params3){r->dear, iso_body3_params_default()};
        break;
    case ISO_COMMAND_SET_BODY_MASS:
        c->as.set_body_mass = (iso_command_set_body_mass){r->dear, 900 * wide, 0};
        break;
    case ISO_COMMAND_SET_BODY_MASS3:
        c->as.set_body_mass3 = (iso_command_set_body_mass3){.body = r->dear, .mass = 900 * wide};
        break;
    case ISO_COMMAND_SET_BODY_POSITION3:
        c->as.set_body_position3.body = r->dear;
        c->as.set_body_position3.rotation = iso_quat_identity();
        c->as.set_body_position3.position.y = wide;
        break;
    case ISO_COMMAND_SET_SHAPE_FRICTION:
        c->as.set_shape_friction = (iso_command_set_shape_friction){r->shape, (fix16_t)n};
        break;
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
        c->as.set_shape_restitution = (iso_command_set_shape_restitution){r->shape, (fix16_t)n};
        break;
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        c->as.set_shape_density = (iso_command_set_shape_density){r->shape, number};
        break;
    case ISO_COMMAND_ENABLE_JOINT:
        c->as.enable_joint = (iso_command_enable_joint){r->motor, n % 2 != 0};
        break;
    case ISO_COMMAND_SET_JOINT_BODIES:
        c->as.set_joint_bodies = (iso_command_set_joint_bodies){
            .joint = r->motor, .body_a = r->bodies[n % r->body_count], .body_b = r->dear};
        break;
    case ISO_COMMAND_SET_COMPOUND_POSITION:
        c->as.set_compound_position.compound = r->compounds[n % (r->compound_count + 1)];
        c->as.set_compound_position.position.x = (20 + n) * ISO_WIDE_ONE;
        break;
    default:
        fprintf(stderr, "bench_commands: there is no example of %s\n", iso_command_kind_name(c->kind));
        exit(1);
    }
}

static iso_command command_make(const rig *r, uint8_t kind, uint32_t n) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = kind;
    switch ((iso_command_kind)kind) {
    case ISO_COMMAND_SET_CONTROL:
        c.as.set_control.size = 12;
        break;
    case ISO_COMMAND_CUSTOM:
        c.as.custom.size = 1;
        c.as.custom.bytes[0] = 1; // a respawn
        break;
    case ISO_COMMAND_SPAWN_BODY:
        c.as.spawn_body.body = iso_body_def_default();
        c.as.spawn_body.shape = polygon_at(0, 0.5);
        break;
    case ISO_COMMAND_CREATE_SHAPE:
        c.as.create_shape = (iso_command_create_shape){r->roomy, polygon_at(0.1 * n, 0.5)};
        break;
    case ISO_COMMAND_CREATE_JOINT:
        c.as.create_joint.joint = iso_joint_def_default();
        c.as.create_joint.joint.kind = ISO_JOINT_REVOLUTE;
        c.as.create_joint.joint.body_a = r->bodies[n % r->body_count];
        c.as.create_joint.joint.body_b = r->dear;
        break;
    case ISO_COMMAND_SET_JOINT:
        c.as.set_joint.joint = r->motor;
        c.as.set_joint.definition = iso_joint_def_default();
        c.as.set_joint.definition.kind = ISO_JOINT_REVOLUTE;
        c.as.set_joint.definition.body_a = r->moved;
        c.as.set_joint.definition.body_b = r->dear;
        break;
    case ISO_COMMAND_SET_GRAVITY:
        c.as.set_gravity.gravity.y = -(fix16_t)n * 1000;
        break;
    case ISO_COMMAND_SET_GRAVITY3:
        c.as.set_gravity3.gravity.y = -(fix16_t)n * 1000;
        break;
    case ISO_COMMAND_SPAWN_COMPOUND:
        c.as.spawn_compound.position.x = (40 + 3 * n) * ISO_WIDE_ONE;
        break;
    case ISO_COMMAND_SPAWN_BODY3:
        c.as.spawn_body3.body = iso_body3_def_default();
        c.as.spawn_body3.body.position.y = (10 + 3 * n) * ISO_WIDE_ONE;
        c.as.spawn_body3.shape = hull_at(0, 0.5, 0);
        break;
    case ISO_COMMAND_CREATE_SHAPE3:
        c.as.create_shape3 =
            (iso_command_create_shape3){n == 0 ? r->roomy : r->bodies[n % r->body_count], hull_at(0, 0.5, 0)};
        break;
    case ISO_COMMAND_CREATE_JOINT3:
        c.as.create_joint3.joint = iso_joint3_def_default(ISO_JOINT3_BALL);
        c.as.create_joint3.joint.body_a = r->bodies[n % r->body_count];
        c.as.create_joint3.joint.body_b = r->dear;
        break;
    case ISO_COMMAND_SET_JOINT3:
        c.as.set_joint3.joint = r->motor;
        c.as.set_joint3.definition = iso_joint3_def_default(ISO_JOINT3_HINGE);
        c.as.set_joint3.definition.body_a = r->roomy;
        c.as.set_joint3.definition.body_b = r->dear;
        break;
    case ISO_COMMAND_SET_JOINT_AXIS3:
        c.as.set_joint_axis3.joint = r->motor;
        c.as.set_joint_axis3.definition.motor_enabled = true;
        c.as.set_joint_axis3.definition.motor_speed = (fix16_t)n;
        break;
    default:
        command_about(r, n, &c);
        break;
    }
    return c;
}

// ---- ticks ---------------------------------------------------------------------------------------

/// As many commands of a kind as a session puts into the next tick, which has only these.
static uint32_t fill_tick(const rig *r, uint8_t kind, iso_sealed_command *commands, uint32_t *units) {
    uint32_t count = 0, made = 0;
    for (*units = 0; count < COMMANDS; ++count) {
        iso_sealed_command *next = &commands[count];
        *next = (iso_sealed_command){.slot = 0, .sequence = count + 1, .command = command_make(r, kind, count)};
        if (iso_command_check(&next->command) != ISO_OK) {
            fprintf(stderr, "bench_commands: the example of %s is wrong\n", iso_command_kind_name(kind));
            exit(1);
        }
        const uint32_t price = iso__price_of(r->world, 0, made, &next->command);
        if (price > ISO__TICK_UNITS - *units && count > 0) {
            break;
        }
        *units += price;
        made += iso__price_makes(kind);
    }
    return count;
}

static void run_kind(const rig *r, const void *image, size_t size, uint8_t kind, bool is_list) {
    static iso_sealed_command commands[COMMANDS];
    char name[64];
    uint32_t units, in_tick = 0;
    for (uint32_t with = 0; with < 2; ++with) {
        need(iso_world_restore(r->world, image, size), "restore");
        step(r->world, NULL, 0, NULL, 0);
        in_tick = fill_tick(r, kind, commands, &units);
        CALLGRIND_ZERO_STATS;
        step(r->world, NULL, 0, commands, with * in_tick);
        snprintf(name, sizeof name, "%s %u %s", iso_command_kind_name(kind), r->dimensions,
                 with != 0 ? "with" : "without");
        CALLGRIND_DUMP_STATS_AT(name);
    }
    uint32_t count, done = 0;
    const iso_command_result *results = iso_world_get_results(r->world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        done += results[i].status == ISO_OK;
    }
    if (is_list) {
        printf("%s %u %u %u %u\n", iso_command_kind_name(kind), r->dimensions, in_tick, done, units);
    }
    if (done == 0) {
        fprintf(stderr, "bench_commands: no %s was carried out: %s\n", iso_command_kind_name(kind),
                count > 0 ? iso_status_name(results[0].status) : "no result");
    }
}

int main(int argc, char **argv) {
    const bool is_list = argc == 2 && strcmp(argv[1], "--list") == 0;
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        const rig r = rig_make(dimensions);
        const size_t capacity = iso_world_image_size_max(r.world);
        void *image = malloc(capacity);
        const size_t size = image != NULL ? iso_world_save(r.world, image, capacity) : 0;
        need(size > 0 ? ISO_OK : ISO_ERR_CAPACITY, "save");
        for (uint32_t kind = 1; kind < 256; ++kind) {
            if (iso_command_has_dimensions((uint8_t)kind, dimensions)) {
                run_kind(&r, image, size, (uint8_t)kind, is_list);
            }
        }
        free(image);
    }
    return 0;
}
