/// The case `mechanics`: its scene, and members who give, at random and to everything there is, the commands that the
/// script of the other cases leaves out; who break off, come back, leave while they are held. What was tried is
/// counted: a case in which a command never succeeded says nothing of it.
#ifndef ISO_GOLDEN_MECHANICS_H
#define ISO_GOLDEN_MECHANICS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_case.h"

/// Weights on ropes, symbolic and of the game, that break; lifts; heaps of bodies of two shapes; carts as compounds; a
/// world that lets few contact points be.
static const char MECHANICS_SCENE[] =
    "{\"format\": 1, \"name\": \"mechanics\", \"seed\": 99, \"game\": {\"name\": \"golden\"},"
    " \"capacities\": {\"bodies\": 80, \"shapes\": 160, \"joints\": 64, \"contacts\": 512, \"contact_points\": 18, "
    "\"kept_bodies\": 6, \"slots\": 4},"
    " \"constraints\": {\"leash\": [\"body dog, post\", \"scalar length\", \"limit length eps inf\","
    "   \"constraint |dog.position - post.position|\", \"limit constraint (-inf) length\"]},"
    " \"blueprints\": [{\"name\": \"cart\", \"bodies\": ["
    "   {\"name\": \"box\", \"mass\": 2, \"shapes\": [{\"kind\": \"box\", \"half_width\": 0.5, \"half_height\": 0.2}, "
    "{\"kind\": \"circle\", \"radius\": 0.2, \"centre\": [0.3, 0.3]}]},"
    "   {\"name\": \"wheel\", \"position\": [0.1, -0.4], \"angular_velocity\": 2, \"shapes\": [{\"kind\": \"circle\", "
    "\"radius\": 0.3}]}],"
    "  \"joints\": [{\"kind\": \"revolute\", \"body_a\": \"box\", \"body_b\": \"wheel\", \"at\": [0.1, -0.4]},"
    "   {\"kind\": \"symbolic\", \"constraint\": \"leash\", \"bodies\": {\"dog\": \"wheel\", \"post\": \"box\"}, "
    "\"scalars\": {\"length\": 1}}]}],"
    " \"compounds\": [{\"blueprint\": \"cart\", \"position\": [-3, 9], \"angle\": 1, \"velocity\": [1, 0], "
    "\"angular_velocity\": -1, \"owner\": \"everyone\"}],"
    " \"bodies\": ["
    "  {\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{\"kind\": \"box\", \"half_width\": 30, "
    "\"half_height\": 1, \"centre\": [0, -1]}]},"
    "  {\"generator\": \"row\", \"name\": \"lift\", \"count\": 3, \"step\": [4, 0], \"body\": {\"type\": "
    "\"kinematic\", \"position\": [-4, 1],"
    "   \"owner\": \"everyone\", \"shapes\": [{\"kind\": \"box\", \"half_width\": 1.5, \"half_height\": 0.2}]}},"
    "  {\"generator\": \"grid\", \"name\": \"heap\", \"columns\": 4, \"rows\": 3, \"step\": [1.1, 1.1], \"body\": "
    "{\"position\": [-2, 3], \"owner\": \"everyone\","
    "   \"shapes\": [{\"kind\": \"box\", \"half_width\": 0.4, \"half_height\": 0.3}, {\"kind\": \"circle\", "
    "\"radius\": 0.3, \"centre\": [0, 0.3]}]}},"
    "  {\"generator\": \"row\", \"name\": \"weight\", \"count\": 6, \"step\": [2, 0], \"body\": {\"position\": [-12, "
    "6], \"owner\": \"everyone\","
    "   \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.4}]}}],"
    " \"joints\": ["
    "  {\"kind\": \"symbolic\", \"constraint\": \"leash\", \"owner\": \"everyone\", \"bodies\": {\"dog\": "
    "\"weight[0]\", \"post\": \"weight[1]\"}, \"scalars\": {\"length\": 2}, \"break\": {\"force\": 40}},"
    "  {\"kind\": \"symbolic\", \"constraint\": \"leash\", \"owner\": \"everyone\", \"bodies\": {\"dog\": "
    "\"weight[2]\", \"post\": \"ground\"}, \"scalars\": {\"length\": 9}},"
    "  {\"kind\": \"user\", \"constraint\": \"rope\", \"owner\": \"everyone\", \"bodies\": {\"body1\": \"weight[3]\", "
    "\"body2\": \"weight[4]\"}, \"scalars\": {\"length\": 2.5}},"
    "  {\"kind\": \"user\", \"constraint\": \"rope\", \"owner\": \"everyone\", \"bodies\": {\"body1\": \"ground\", "
    "\"body2\": \"weight[5]\"}, \"scalars\": {\"length\": 7}, \"break\": {\"force\": 60, \"remove\": true}},"
    "  {\"kind\": \"revolute\", \"owner\": \"everyone\", \"body_a\": \"heap[0,0]\", \"body_b\": \"heap[0,1]\", \"at\": "
    "[-1.4, 3]},"
    "  {\"kind\": \"prismatic\", \"owner\": \"everyone\", \"body_a\": \"lift[0]\", \"body_b\": \"heap[2,0]\", \"at\": "
    "[-2, 5], \"axis\": [0, 1]},"
    "  {\"kind\": \"distance\", \"owner\": \"everyone\", \"body_a\": \"heap[2,2]\", \"body_b\": \"weight[5]\", "
    "\"anchor_a\": [0, 0], \"anchor_b\": [0, 0], \"length\": 3}]}";

typedef struct mechanics {
    uint64_t random;
    uint64_t sequences[4];
    bool is_in[4];
    uint32_t done[64];   // by kind of command: how many succeeded
    uint32_t breaks[64]; // by kind of joint
    uint32_t removals;
    uint8_t joint_kinds[64]; // by index, before the step
} mechanics;

static uint32_t mechanics_random(mechanics *m, uint32_t below) {
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->random >> 33) % below;
}

static fix16_t mechanics_number(mechanics *m, int32_t low, int32_t high) {
    return low * ISO_FIX16_ONE + (fix16_t)mechanics_random(m, (uint32_t)(high - low) * 65536u);
}

/// Any body but the ground.
static iso_body_id mechanics_body(mechanics *m, const iso_world *world) {
    const iso_body_id body = iso_body_next(world, 1 + mechanics_random(m, 30));
    return body.generation != 0 ? body : iso_body_next(world, 1);
}

static iso_joint_id mechanics_joint(mechanics *m, const iso_world *world) {
    const iso_joint_id joint = iso_joint_next(world, mechanics_random(m, 16));
    return joint.generation != 0 ? joint : iso_joint_next(world, 0);
}

/// A shape that touches another.
static iso_shape_id mechanics_shape(mechanics *m, const iso_world *world) {
    iso_contact_view contact;
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    if (counts.contacts == 0 || !iso_world_get_contact(world, mechanics_random(m, counts.contacts), &contact)) {
        return (iso_shape_id){0, 0};
    }
    return contact.shape_b;
}

/// Up to an eighth of a metre from where it is, turned by up to one turn and a bit.
static void mechanics_put_body(mechanics *m, const iso_world *world, iso_body_id body, iso_command *c) {
    iso_body_view view;
    c->kind = ISO_COMMAND_SET_BODY_POSITION;
    c->as.set_body_position.body = body;
    if (iso_body_get(world, body, &view) == ISO_OK) {
        const int64_t x = mechanics_number(m, -1, 1) * INT64_C(8193);
        const int64_t y = mechanics_number(m, -1, 1) * INT64_C(8193);
        c->as.set_body_position.position = (iso_vec2_wide){view.position.x + x, view.position.y + y};
        c->as.set_body_position.angle =
            iso_radians_from_turns(view.angle_turns) + mechanics_number(m, -7, 7) * INT64_C(65537);
    }
}

static void mechanics_change_body(mechanics *m, const iso_world *world, iso_command *c) {
    const iso_body_id body = mechanics_body(m, world);
    switch (mechanics_random(m, 6)) {
    case 0:
        c->kind = ISO_COMMAND_SET_BODY_PARAMS;
        c->as.set_body_params.body = body;
        c->as.set_body_params.params = iso_body_params_default();
        c->as.set_body_params.params.linear_damping = mechanics_number(m, 0, 2);
        c->as.set_body_params.params.angular_damping = mechanics_number(m, 0, 3);
        c->as.set_body_params.params.gravity_scale = mechanics_number(m, -1, 2);
        c->as.set_body_params.params.fixed_rotation = mechanics_random(m, 3) == 0;
        c->as.set_body_params.params.lock_x = mechanics_random(m, 4) == 0;
        c->as.set_body_params.params.lock_y = mechanics_random(m, 4) == 0;
        c->as.set_body_params.params.bullet = mechanics_random(m, 4) == 0;
        c->as.set_body_params.params.sleep_enabled = mechanics_random(m, 2) == 0;
        break;
    case 1:
        c->kind = ISO_COMMAND_SET_BODY_MASS;
        c->as.set_body_mass.body = body;
        c->as.set_body_mass.mass = mechanics_random(m, 3) * ISO_WIDE_ONE / 2;
        c->as.set_body_mass.inertia = mechanics_random(m, 3) * ISO_WIDE_ONE / 4;
        break;
    case 2:
        c->kind = ISO_COMMAND_SET_BODY_TYPE;
        c->as.set_body_type.body = body;
        c->as.set_body_type.type =
            mechanics_random(m, 3) == 0 ? (uint8_t)(ISO_BODY_STATIC + mechanics_random(m, 2)) : ISO_BODY_DYNAMIC;
        if (body.index <= 3) {
            c->as.set_body_type.type = ISO_BODY_KINEMATIC; // the lifts go on
        }
        break;
    case 3:
        mechanics_put_body(m, world, body, c);
        break;
    case 4:
        c->kind = ISO_COMMAND_SET_BODY_TAG;
        c->as.set_body_tag.body = body;
        c->as.set_body_tag.tag = mechanics_random(m, UINT32_MAX);
        break;
    default:
        c->kind = ISO_COMMAND_MOVE_KINEMATIC;
        c->as.move_kinematic.body = iso_body_next(world, 1 + mechanics_random(m, 3));
        iso_body_view view;
        if (iso_body_get(world, c->as.move_kinematic.body, &view) == ISO_OK) {
            c->as.move_kinematic.position =
                iso_vec2_to_wide((iso_vec2){iso_fix16_from_wide(view.position.x) + mechanics_number(m, -1, 1) / 4,
                                            iso_fix16_from_wide(view.position.y) + mechanics_number(m, -1, 1) / 4});
            c->as.move_kinematic.angle = iso_wide_from_fix16(mechanics_number(m, -1, 1) / 8);
        }
        break;
    }
}

/// What a shape is made of.
static void mechanics_change_material(mechanics *m, iso_shape_id shape, iso_command *c) {
    switch (mechanics_random(m, 5)) {
    case 0:
        c->kind = ISO_COMMAND_SET_SHAPE_FRICTION;
        c->as.set_shape_friction = (iso_command_set_shape_friction){shape, mechanics_number(m, 0, 2)};
        break;
    case 1:
        c->kind = ISO_COMMAND_SET_SHAPE_RESTITUTION;
        c->as.set_shape_restitution = (iso_command_set_shape_restitution){shape, mechanics_number(m, 0, 1) / 4};
        break;
    case 2:
        c->kind = ISO_COMMAND_SET_SHAPE_TAG;
        c->as.set_shape_tag = (iso_command_set_shape_tag){shape, mechanics_random(m, UINT32_MAX)};
        break;
    case 3:
        c->kind = ISO_COMMAND_SET_SHAPE_SURFACE_SPEED;
        c->as.set_shape_surface_speed = (iso_command_set_shape_surface_speed){shape, mechanics_number(m, -5, 5)};
        break;
    default:
        c->kind = ISO_COMMAND_SET_SHAPE_DENSITY;
        c->as.set_shape_density = (iso_command_set_shape_density){shape, mechanics_number(m, 0, 5)};
        break;
    }
}

static void mechanics_change_shape(mechanics *m, const iso_world *world, iso_command *c) {
    switch (mechanics_random(m, 6)) {
    case 0:
        c->kind = ISO_COMMAND_DESTROY_SHAPE;
        c->as.destroy_shape.shape = mechanics_shape(m, world);
        if (c->as.destroy_shape.shape.index == 0) {
            c->as.destroy_shape.shape.generation = 0; // the ground's stays
        }
        break;
    case 1:
        c->kind = ISO_COMMAND_CREATE_SHAPE;
        c->as.create_shape.body = mechanics_body(m, world);
        c->as.create_shape.shape = iso_shape_def_circle(mechanics_number(m, 0, 1) / 4 + 4000);
        c->as.create_shape.shape.points[0].x = mechanics_number(m, -1, 1) / 2;
        break;
    case 2:
    case 3:
        mechanics_change_material(m, mechanics_shape(m, world), c);
        break;
    default:
        c->kind = ISO_COMMAND_SET_FILTER;
        c->as.set_filter.shape = mechanics_shape(m, world);
        c->as.set_filter.filter = (iso_filter){1u << mechanics_random(m, 3), UINT32_MAX >> mechanics_random(m, 2),
                                               (int32_t)mechanics_random(m, 3) - 1};
        if (c->as.set_filter.shape.index == 0) {
            c->as.set_filter.filter = (iso_filter){1, UINT32_MAX, 0};
        }
        break;
    }
}

/// What the joint is, with other numbers.
static void mechanics_set_joint(mechanics *m, const iso_world *world, iso_joint_id joint, iso_command *c) {
    c->kind = ISO_COMMAND_SET_JOINT;
    c->as.set_joint.joint = joint;
    if (iso_joint_get(world, joint, &c->as.set_joint.definition) != ISO_OK) {
        c->as.set_joint.definition = iso_joint_def_default();
        return;
    }
    iso_joint_def *def = &c->as.set_joint.definition;
    def->hertz = mechanics_random(m, 2) ? mechanics_number(m, 1, 9) : 0;
    def->damping_ratio = mechanics_number(m, 0, 2);
    def->force_max = mechanics_random(m, 3) * 100 * ISO_WIDE_ONE;
    def->correction_max = (fix16_t)mechanics_random(m, 2) * ISO_FIX16_ONE;
    def->enabled = mechanics_random(m, 4) != 0;
    def->break_force = mechanics_random(m, 2) * 30 * ISO_WIDE_ONE;
    if (iso_joint_kind_is_custom(def->kind)) {
        def->params.scalars[0] = (1 + mechanics_random(m, 8)) * ISO_WIDE_ONE;
        def->enabled = true;
    }
}

/// Another body for A or B.
static void mechanics_set_bodies(mechanics *m, const iso_world *world, iso_joint_id joint, iso_command *c) {
    iso_joint_def def = {0};
    const bool is_known = iso_joint_get(world, joint, &def) == ISO_OK;
    const bool has_a = is_known && def.body_a.generation != 0 && mechanics_random(m, 2) == 0;
    const iso_body_id other = mechanics_body(m, world);
    c->kind = ISO_COMMAND_SET_JOINT_BODIES;
    c->as.set_joint_bodies = (iso_command_set_joint_bodies){joint, has_a ? other : def.body_a,
                                                            has_a ? def.body_b : other, def.body_c, def.body_d};
}

static void mechanics_change_joint(mechanics *m, const iso_world *world, iso_command *c) {
    const iso_joint_id joint = mechanics_joint(m, world);
    const bool enabled = mechanics_random(m, 4) != 0;
    switch (mechanics_random(m, 10)) {
    case 0:
        c->kind = ISO_COMMAND_SET_JOINT_MOTOR;
        c->as.set_joint_motor =
            (iso_command_set_joint_motor){joint, enabled, mechanics_number(m, -3, 3), 20 * ISO_WIDE_ONE};
        break;
    case 1:
        c->kind = ISO_COMMAND_SET_JOINT_LIMITS;
        c->as.set_joint_limits =
            (iso_command_set_joint_limits){joint, enabled, mechanics_number(m, 0, 1), mechanics_number(m, 1, 3)};
        break;
    case 2:
        c->kind = ISO_COMMAND_SET_JOINT_SPRING;
        c->as.set_joint_spring = (iso_command_set_joint_spring){joint, enabled, mechanics_number(m, 1, 5),
                                                                mechanics_number(m, 0, 1), mechanics_number(m, 0, 2)};
        break;
    case 3:
        c->kind = ISO_COMMAND_SET_JOINT_BREAK;
        c->as.set_joint_break = (iso_command_set_joint_break){joint,
                                                              20 * ISO_WIDE_ONE,
                                                              0,
                                                              mechanics_random(m, 2) * ISO_WIDE_ONE / 2,
                                                              mechanics_random(m, 2) * ISO_WIDE_ONE,
                                                              mechanics_random(m, 6) == 0};
        break;
    case 4:
        c->kind = ISO_COMMAND_ENABLE_JOINT;
        c->as.enable_joint = (iso_command_enable_joint){joint, enabled};
        break;
    case 5:
        c->kind = ISO_COMMAND_CREATE_JOINT;
        c->as.create_joint.joint = iso_joint_def_default();
        c->as.create_joint.joint.kind = mechanics_random(m, 2) ? ISO_JOINT_USER : ISO_JOINT_SYMBOLIC;
        c->as.create_joint.joint.body_a = mechanics_body(m, world);
        c->as.create_joint.joint.body_b = mechanics_body(m, world);
        c->as.create_joint.joint.params.scalars[0] = (1 + mechanics_random(m, 4)) * ISO_WIDE_ONE;
        c->as.create_joint.joint.break_force = 50 * ISO_WIDE_ONE;
        break;
    case 6:
        c->kind = ISO_COMMAND_SET_JOINT_TAG;
        c->as.set_joint_tag = (iso_command_set_joint_tag){joint, mechanics_random(m, UINT32_MAX)};
        break;
    case 7:
        c->kind = ISO_COMMAND_SET_JOINT_STIFFNESS;
        c->as.set_joint_stiffness =
            (iso_command_set_joint_stiffness){joint, enabled, (1 + mechanics_random(m, 200)) * ISO_WIDE_ONE,
                                              mechanics_random(m, 5) * ISO_WIDE_ONE, mechanics_number(m, 0, 2)};
        break;
    case 8:
        mechanics_set_bodies(m, world, joint, c);
        break;
    default:
        mechanics_set_joint(m, world, joint, c);
        break;
    }
}

static void mechanics_spawn(mechanics *m, iso_command *c) {
    c->kind = ISO_COMMAND_SPAWN_BODY;
    c->as.spawn_body.body = iso_body_def_default();
    c->as.spawn_body.body.position =
        iso_vec2_to_wide((iso_vec2){mechanics_number(m, -8, 8), mechanics_number(m, 5, 9)});
    c->as.spawn_body.shape = iso_shape_def_circle(mechanics_number(m, 0, 1) + 20000);
}

/// Carts are spawned, put elsewhere and destroyed; their parts meet the other commands, too.
static void mechanics_use_compound(mechanics *m, const iso_world *world, iso_command *c) {
    iso_compound_id compound = iso_compound_next(world, mechanics_random(m, 4));
    compound = iso_compound_id_is_null(compound) ? iso_compound_next(world, 0) : compound;
    const iso_vec2_wide place = iso_vec2_to_wide((iso_vec2){mechanics_number(m, -8, 8), mechanics_number(m, 2, 9)});
    const iso_wide angle = iso_wide_from_fix16(mechanics_number(m, -7, 7));
    switch (mechanics_random(m, 5)) {
    case 0:
    case 1:
        c->kind = ISO_COMMAND_SPAWN_COMPOUND;
        c->as.spawn_compound = (iso_command_spawn_compound){
            mechanics_random(m, 8) == 0, place, angle, {ISO_WIDE_ONE, -ISO_WIDE_ONE}, angle, mechanics_random(m, 9)};
        break;
    case 2:
        c->kind = ISO_COMMAND_DESTROY_COMPOUND;
        c->as.destroy_compound.compound = compound;
        break;
    default:
        c->kind = ISO_COMMAND_SET_COMPOUND_POSITION;
        c->as.set_compound_position = (iso_command_set_compound_position){compound, place, angle};
        break;
    }
}

static void mechanics_command(mechanics *m, const iso_world *world, iso_command *c) {
    memset(c, 0, sizeof *c);
    switch (mechanics_random(m, 9)) {
    case 8:
        mechanics_use_compound(m, world, c);
        break;
    case 0:
    case 1:
        mechanics_change_body(m, world, c);
        break;
    case 2:
        mechanics_change_shape(m, world, c);
        break;
    case 3:
    case 4:
        mechanics_change_joint(m, world, c);
        break;
    case 5:
        mechanics_spawn(m, c);
        break;
    case 6:
        c->kind = ISO_COMMAND_CUSTOM;
        c->as.custom.size = (uint16_t)mechanics_random(m, 9);
        for (uint32_t i = 0; i < c->as.custom.size; ++i) {
            c->as.custom.bytes[i] = (uint8_t)mechanics_random(m, 256);
        }
        break;
    default:
        c->kind = ISO_COMMAND_SET_GRAVITY;
        c->as.set_gravity.gravity = (iso_vec2){mechanics_number(m, -2, 2), mechanics_number(m, -12, -6)};
        if (mechanics_random(m, 2)) {
            c->kind = ISO_COMMAND_DESTROY_BODY;
            c->as.destroy_body.body = iso_body_next(world, 22 + mechanics_random(m, 20)); // of those that were spawned
        }
        break;
    }
}

/// Member 0 stays; 1 breaks off twice and comes back; 2 breaks off and is then taken for gone; 3 leaves.
static void mechanics_changes(mechanics *m, const iso_world *world, uint64_t number, golden_tick *tick) {
    static const struct {
        uint16_t tick;
        uint8_t slot, kind;
    } plan[] = {{1, 0, ISO_CHANGE_JOIN},   {2, 1, ISO_CHANGE_JOIN},    {3, 2, ISO_CHANGE_JOIN},
                {5, 3, ISO_CHANGE_JOIN},   {30, 1, ISO_CHANGE_DROP},   {44, 1, ISO_CHANGE_RESUME},
                {50, 2, ISO_CHANGE_DROP},  {70, 2, ISO_CHANGE_LEAVE},  {80, 3, ISO_CHANGE_LEAVE},
                {90, 1, ISO_CHANGE_DROP},  {95, 2, ISO_CHANGE_JOIN},   {110, 1, ISO_CHANGE_RESUME},
                {130, 2, ISO_CHANGE_DROP}, {131, 2, ISO_CHANGE_RESUME}};
    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; ++i) {
        const uint8_t slot = plan[i].slot, kind = plan[i].kind;
        if (plan[i].tick != number) {
            continue;
        }
        iso_slot_view view;
        iso_world_get_slot(world, slot, &view);
        tick->changes[tick->input.change_count++] =
            (iso_change){kind, slot, view.generation + (kind == ISO_CHANGE_JOIN)};
        m->is_in[slot] = kind == ISO_CHANGE_JOIN || kind == ISO_CHANGE_RESUME;
        m->sequences[slot] = kind == ISO_CHANGE_JOIN ? 0 : m->sequences[slot];
    }
}

static void mechanics_tick(mechanics *m, const iso_world *world, uint64_t number, golden_tick *tick) {
    tick->input = (iso_tick_input){.tick = number, .changes = tick->changes, .commands = tick->commands};
    mechanics_changes(m, world, number, tick);
    for (uint8_t slot = 0; slot < 4; ++slot) {
        for (uint32_t n = m->is_in[slot] ? mechanics_random(m, 4) : 0; n > 0; --n) {
            iso_sealed_command *sealed = &tick->commands[tick->input.command_count];
            mechanics_command(m, world, &sealed->command);
            if (iso_command_check(&sealed->command) == ISO_OK) {
                sealed->slot = slot;
                sealed->sequence = ++m->sequences[slot];
                ++tick->input.command_count;
            }
        }
    }
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation != 0 && j.index < 64;
         j = iso_joint_next(world, j.index + 1)) {
        iso_joint_def def;
        m->joint_kinds[j.index] = iso_joint_get(world, j, &def) == ISO_OK ? def.kind : 0;
    }
}

static void mechanics_count(mechanics *m, const iso_world *world, const golden_tick *tick) {
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        m->done[tick->commands[i].command.kind % 64] += results[i].status == ISO_OK;
    }
    iso_events events;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.joint_break_count; ++i) {
        m->breaks[m->joint_kinds[events.joint_breaks[i].joint.index % 64] % 64] += 1;
    }
    m->removals += events.removal_count;
}

/// Ends the program when the case, up to `tick`, does not show what it is there for.
static void mechanics_check(const mechanics *m, uint64_t tick) {
    static const uint8_t kinds[] = {
        ISO_COMMAND_SPAWN_BODY,
        ISO_COMMAND_DESTROY_BODY,
        ISO_COMMAND_CREATE_SHAPE,
        ISO_COMMAND_DESTROY_SHAPE,
        ISO_COMMAND_CREATE_JOINT,
        ISO_COMMAND_SET_FILTER,
        ISO_COMMAND_CUSTOM,
        ISO_COMMAND_SET_BODY_TYPE,
        ISO_COMMAND_SET_BODY_PARAMS,
        ISO_COMMAND_SET_BODY_MASS,
        ISO_COMMAND_MOVE_KINEMATIC,
        ISO_COMMAND_SET_JOINT_MOTOR,
        ISO_COMMAND_SET_JOINT_LIMITS,
        ISO_COMMAND_SET_JOINT_SPRING,
        ISO_COMMAND_SET_JOINT_BREAK,
        ISO_COMMAND_ENABLE_JOINT,
        ISO_COMMAND_SET_JOINT,
        ISO_COMMAND_SET_GRAVITY,
        ISO_COMMAND_SET_BODY_POSITION,
        ISO_COMMAND_SET_BODY_TAG,
        ISO_COMMAND_SET_SHAPE_FRICTION,
        ISO_COMMAND_SET_SHAPE_RESTITUTION,
        ISO_COMMAND_SET_SHAPE_DENSITY,
        ISO_COMMAND_SPAWN_COMPOUND,
        ISO_COMMAND_DESTROY_COMPOUND,
        ISO_COMMAND_SET_COMPOUND_POSITION,
        ISO_COMMAND_SET_SHAPE_TAG,
        ISO_COMMAND_SET_JOINT_TAG,
        ISO_COMMAND_SET_SHAPE_SURFACE_SPEED,
        ISO_COMMAND_SET_JOINT_BODIES,
        ISO_COMMAND_SET_JOINT_STIFFNESS,
    };
    for (size_t i = 0; i < sizeof kinds; ++i) {
        if (m->done[kinds[i]] < 2) {
            fprintf(stderr, "golden_make: mechanics: by tick %u only %u %s succeeded\n", (unsigned)tick,
                    (unsigned)m->done[kinds[i]], iso_command_kind_name(kinds[i]));
            exit(1);
        }
    }
    if (m->breaks[ISO_JOINT_USER] == 0 || m->breaks[ISO_JOINT_SYMBOLIC] == 0 || m->removals == 0) {
        fprintf(stderr,
                "golden_make: mechanics: by tick %u %u joints of USER and %u of SYMBOLIC broke, %u bodies went to the "
                "limit of contact points\n",
                (unsigned)tick, (unsigned)m->breaks[ISO_JOINT_USER], (unsigned)m->breaks[ISO_JOINT_SYMBOLIC],
                (unsigned)m->removals);
        exit(1);
    }
}

#endif
