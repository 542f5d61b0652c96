/// The rules that a snapshot must fulfil, broken one at a time.
#include "plane/world/segment.h"
#include "plane/world/shape.h"
#include "test_snapshot_util.h"

/// Breaks the world's own memory, which is then encoded: what a peer with a broken solver would send.
typedef void break_fn(iso_world *world);

// A line for each rule.
// clang-format off
static void break_tick(iso_world *w) { w->globals->tick = UINT64_C(1) << 53; }
static void break_random(iso_world *w) { w->globals->random[1] &= ~UINT64_C(1); }
static void break_gravity(iso_world *w) { w->globals->gravity[1] = 1000 * ISO_FIX16_ONE + 1; }
static void break_occupied(iso_world *w) { w->slots[0].occupied = 3; }
static void break_free_slot(iso_world *w) { w->slots[1].last_sequence = 1; }
static void break_sequence(iso_world *w) { w->slots[0].last_sequence = UINT64_C(1) << 53; }
static void break_control_tick(iso_world *w) { w->slots[0].control_tick = w->globals->tick + 1; }
static void break_control_size(iso_world *w) { w->slots[0].control_size = 33; }
static void break_control_rest(iso_world *w) { w->slots[2].control[8] = 1; }
static void break_owned_count(iso_world *w) { w->slots[0].body_count += 1; }
static void break_body_type(iso_world *w) { iso__plane_of(w)->bodies[3].type = 4; }
static void break_body_flags(iso_world *w) { iso__plane_of(w)->bodies[3].flags = 64; }
static void break_body_asleep_static(iso_world *w) { iso__plane_of(w)->bodies[0].flags = ISO__PLANE_BODY_ASLEEP; }
static void break_body_asleep_moving(iso_world *w) { iso__plane_of(w)->bodies[3].flags = ISO__PLANE_BODY_ASLEEP; iso__plane_of(w)->bodies[3].quiet_ticks = 0; iso__plane_of(w)->bodies[3].velocity[0] = 1; }
static void break_body_asleep_quiet(iso_world *w) { iso__plane_of(w)->bodies[3] = (iso__plane_body){.type = iso__plane_of(w)->bodies[3].type, .owner_slot = iso__plane_of(w)->bodies[3].owner_slot, .owner_generation = iso__plane_of(w)->bodies[3].owner_generation, .flags = ISO__PLANE_BODY_ASLEEP, .quiet_ticks = 1}; }
static void break_body_quiet(iso_world *w) { iso__plane_of(w)->bodies[3].quiet_ticks = 60; }
static void break_body_quiet_far(iso_world *w) { iso__plane_of(w)->bodies[3].quiet_ticks = 1; iso__plane_of(w)->bodies[3].quiet_moved[1] = -42949673; }
static void break_body_quiet_begins(iso_world *w) { iso__plane_of(w)->bodies[3].quiet_ticks = 30; iso__plane_of(w)->bodies[3].quiet_moved[2] = 1; iso__plane_of(w)->bodies[3].quiet_moved[0] = iso__plane_of(w)->bodies[3].quiet_moved[1] = 0; }
static void break_body_quiet_gain(iso_world *w) { iso__plane_of(w)->bodies[3].quiet_ticks = 30; memset(iso__plane_of(w)->bodies[3].quiet_moved, 0, sizeof iso__plane_of(w)->bodies[3].quiet_moved); iso__plane_of(w)->bodies[3].quiet_gain = (1 << 30) + 1; }
static void break_body_quiet_gain_early(iso_world *w) { iso__plane_of(w)->bodies[3].quiet_ticks = 29; iso__plane_of(w)->bodies[3].quiet_gain = 1; }
static void break_body_quiet_static(iso_world *w) { iso__plane_of(w)->bodies[0].quiet_ticks = 1; }
static void break_body_own_mass(iso_world *w) { iso__plane_of(w)->bodies[3].mass = 65535; }
static void break_body_own_mass_high(iso_world *w) { iso__plane_of(w)->bodies[3].mass = (INT64_C(1) << 49) + 1; }
static void break_body_own_inertia(iso_world *w) { iso__plane_of(w)->bodies[3].inertia = -1; }
static void break_body_gyration(iso_world *w) { iso__plane_of(w)->bodies[3].inertia = 1; } // m L^2 / I above 500
static void break_body_linear_damping(iso_world *w) { iso__plane_of(w)->bodies[3].linear_damping = -1; }
static void break_body_angular_damping(iso_world *w) { iso__plane_of(w)->bodies[3].angular_damping = 1000 * ISO_FIX16_ONE + 1; }
static void break_body_gravity_scale(iso_world *w) { iso__plane_of(w)->bodies[3].gravity_scale = -100 * ISO_FIX16_ONE - 1; }
static void break_body_lock_x(iso_world *w) { iso__plane_of(w)->bodies[3].flags = ISO__PLANE_BODY_LOCK_X; iso__plane_of(w)->bodies[3].velocity[0] = 1; }
static void break_body_fixed_rotation(iso_world *w) { iso__plane_of(w)->bodies[3].flags = ISO__PLANE_BODY_FIXED_ROTATION; iso__plane_of(w)->bodies[3].spin = 1; }
static void break_body_position(iso_world *w) { iso__plane_of(w)->bodies[3].position[0] = ISO_POSITION_MAX_M * ISO_WIDE_ONE + 1; }
static void break_body_position_low(iso_world *w) { iso__plane_of(w)->bodies[3].position[1] = INT64_MIN; }
static void break_body_velocity(iso_world *w) { iso__plane_of(w)->bodies[3].velocity[1] = (512 << 19) + 1; }
static void break_body_spin(iso_world *w) { iso__plane_of(w)->bodies[3].spin = INT32_MIN; }
static void break_static_velocity(iso_world *w) { iso__plane_of(w)->bodies[0].velocity[0] = 1; }
static void break_owner_slot(iso_world *w) { iso__plane_of(w)->bodies[3].owner_slot = 32; }
static void break_owner_generation(iso_world *w) { iso__plane_of(w)->bodies[3].owner_generation = 1; }
static void break_dead_body(iso_world *w) { iso__plane_of(w)->bodies[UTIL_DEAD].tag = 1; }
static void break_revived_body(iso_world *w) { w->body_generations[UTIL_DEAD] += 1; }
static void break_killed_body(iso_world *w) { w->body_generations[3] += 1; }
static void break_unused_body(iso_world *w) { w->body_generations[UTIL_DEAD] = 0; }
static void break_last_generation(iso_world *w) { w->body_generations[3] = UINT32_MAX; }
static void break_shape_body(iso_world *w) { iso__plane_of(w)->shapes[37].body = w->globals->body_count; } // touches nothing
static void break_shape_dead_body(iso_world *w) { iso__plane_of(w)->shapes[37].body = UTIL_DEAD; }
static void break_shape_kind(iso_world *w) { iso__plane_of(w)->shapes[3].kind = 3; }
static void break_shape_density(iso_world *w) { iso__plane_of(w)->shapes[3].density = -1; }
static void break_shape_friction_bits(iso_world *w) { iso__plane_of(w)->shapes[3].friction += 1; }
static void break_shape_friction(iso_world *w) { iso__plane_of(w)->shapes[3].friction = INT32_MAX & ~0xFFF; }
static void break_shape_restitution(iso_world *w) { iso__plane_of(w)->shapes[3].restitution = (1 << 28) + (1 << 12); }
static void break_shape_surface_speed(iso_world *w) { iso__plane_of(w)->shapes[3].surface_speed = 41 * ISO_FIX16_ONE; }
static void break_shape_one_way(iso_world *w) { iso__plane_of(w)->shapes[3].one_way[1] = -ISO_FIX16_ONE - 1; }
static void break_shape_flags(iso_world *w) { iso__plane_of(w)->shapes[3].flags = 2; }
static void break_shape_radius(iso_world *w) { iso__plane_of(w)->shapes[3].radius = -256; }
static void break_shape_owner(iso_world *w) { iso__plane_of(w)->shapes[3].owner_slot = 32; }
static void break_spawn_count(iso_world *w) { w->globals->spawn_count = UINT64_C(1) << 53; }
static void break_spawn_number(iso_world *w) { iso__plane_of(w)->bodies[3].spawn_number = w->globals->spawn_count + 1; }
static void break_shape_convexity(iso_world *w) { iso__plane_of(w)->shapes[3].vertices[0] = 0; iso__plane_of(w)->shapes[3].vertices[1] = 0; }
static void break_shape_bits(iso_world *w) { iso__plane_of(w)->shapes[3].vertices[0] += 1; }
static void break_shape_extent(iso_world *w) { iso__plane_of(w)->shapes[3].vertices[2] = 61 << 24; }
static void break_shape_vertices(iso_world *w) { iso__plane_of(w)->shapes[3].vertex_count = 2; }
static void make_segment(iso__plane_shape *s) { s->kind = ISO_SHAPE_SEGMENT; s->radius = 0; s->vertex_count = 2; iso__plane_segment_write(s, (iso_vec2_wide[]){{0, 0}, {0, 0}, {ISO_WIDE_ONE, 1}, {ISO_WIDE_ONE, 1}}); }
static void make_tapered(iso__plane_shape *s) { const uint32_t body = s->body; const iso_shape_def def = iso_shape_def_tapered_capsule((iso_vec2){0, 0}, (iso_vec2){METRE, 0}, METRE / 2, METRE / 4); iso__plane_shape_write_record(s, body, &def); }
static void break_shape_tapered_circle(iso_world *w) { make_tapered(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertices[ISO__PLANE_SHAPE_RADIUS_B] = METRE << 10; }
static void break_shape_tapered_same(iso_world *w) { make_tapered(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertices[ISO__PLANE_SHAPE_RADIUS_B] = iso__plane_of(w)->shapes[37].radius; }
static void break_shape_tapered_bits(iso_world *w) { make_tapered(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertices[ISO__PLANE_SHAPE_RADIUS_B] += 1; }
static void break_shape_tapered_point(iso_world *w) { make_tapered(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertex_count = 1; }
static void break_shape_segment_vertices(iso_world *w) { make_segment(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertex_count = 3; }
static void break_shape_segment_radius(iso_world *w) { make_segment(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].radius = 1 << 20; }
static void break_shape_segment_point(iso_world *w) { make_segment(&iso__plane_of(w)->shapes[37]); iso__plane_of(w)->shapes[37].vertices[1] = 1001; }
static void break_shape_mass(iso_world *w) { iso__plane_of(w)->shapes[3].density = 1; iso__plane_of(w)->shapes[3].radius = 0; for (int i = 0; i < 8; ++i) { iso__plane_of(w)->shapes[3].vertices[i] /= 64; } }
static void break_dead_shape(iso_world *w) { iso__plane_of(w)->shapes[UTIL_DEAD].mask = 1; }
static void break_shape_generation(iso_world *w) { w->shape_generations[UTIL_DEAD] += 1; }
static void break_joint_kind(iso_world *w) { iso__plane_of(w)->joints[0].kind = 99; }
static void break_joint_flags(iso_world *w) { iso__plane_of(w)->joints[0].flags |= 64; }
static void break_joint_reserved(iso_world *w) { iso__plane_of(w)->joints[0].reserved = 1; }
static void break_joint_bodies(iso_world *w) { iso__plane_of(w)->joints[0].body_a = iso__plane_of(w)->joints[0].body_b; }
static void break_joint_dead_body(iso_world *w) { iso__plane_of(w)->joints[0].body_b = UTIL_DEAD; }
static void break_joint_far_body(iso_world *w) { iso__plane_of(w)->joints[0].body_b = UINT32_MAX - 1; }
static void break_joint_world(iso_world *w) { iso__plane_of(w)->joints[0].body_a = UINT32_MAX; }
static void break_target_body(iso_world *w) { iso__plane_of(w)->joints[5].body_a = 1; }
static void break_target_dead(iso_world *w) { iso__plane_of(w)->joints[5].body_b = UTIL_DEAD; }
static void break_joint_force(iso_world *w) { iso__plane_of(w)->joints[0].force_max = -1; }
static void break_joint_hertz(iso_world *w) { iso__plane_of(w)->joints[0].hertz = -1; }
static void break_joint_damping(iso_world *w) { iso__plane_of(w)->joints[0].damping_ratio = 1001 * ISO_FIX16_ONE; }
static void break_joint_anchor(iso_world *w) { iso__plane_of(w)->joints[0].anchor_a[0] = 61 << 24; }
static void break_joint_anchor_bits(iso_world *w) { iso__plane_of(w)->joints[0].anchor_b[0] += 1; }
static void break_joint_target(iso_world *w) { iso__plane_of(w)->joints[5].target[0] = ISO_POSITION_MAX_M * ISO_WIDE_ONE + 1; }
static void break_joint_impulse(iso_world *w) { iso__plane_of(w)->joints[0].impulse[1] = (INT64_C(1) << 47) + 1; }
static void break_joint_part(iso_world *w) { iso__plane_of(w)->joints[5].flags |= 8; }
static void break_joint_limits(iso_world *w) { iso__plane_of(w)->joints[0].lower = iso__plane_of(w)->joints[0].upper + 1; }
static void break_joint_motor(iso_world *w) { iso__plane_of(w)->joints[0].motor_max = -1; }
static void break_joint_spring(iso_world *w) { iso__plane_of(w)->joints[0].spring_hertz = -1; }
static void break_joint_stiffness(iso_world *w) { iso__plane_of(w)->joints[0].spring_stiffness = -1; }
static void break_joint_damper(iso_world *w) { iso__plane_of(w)->joints[0].spring_damping = -1; }
static void break_joint_break(iso_world *w) { iso__plane_of(w)->joints[0].break_error = -1; }
static void break_joint_off_impulse(iso_world *w) { iso__plane_of(w)->joints[0].impulse[ISO__PLANE_JOINT_AXIS_IMPULSE] = 1; }
static void break_joint_disabled_impulse(iso_world *w) {
    iso__plane_of(w)->joints[0].flags &= (uint8_t)~2;
    iso__plane_of(w)->joints[0].impulse[0] = 1;
}
static void break_joint_lower_impulse(iso_world *w) {
    iso__plane_of(w)->joints[0].flags |= 4;
    iso__plane_of(w)->joints[0].impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + 2] = -1;
}
static void break_joint_upper_impulse(iso_world *w) {
    iso__plane_of(w)->joints[0].flags |= 4;
    iso__plane_of(w)->joints[0].impulse[ISO__PLANE_JOINT_AXIS_IMPULSE + 3] = 1;
}
static void break_joint_axis_impulse(iso_world *w) {
    iso__plane_of(w)->joints[6].impulse[ISO__PLANE_JOINT_AXIS_IMPULSE] = (INT64_C(1) << 50) + 1;
}
static void break_joint_length(iso_world *w) { iso__plane_of(w)->joints[6].rest = -1; }
static void break_joint_direction(iso_world *w) { iso__plane_of(w)->joints[6].direction[0] = iso__plane_of(w)->joints[6].direction[1] = 0; }
static void break_joint_needless_direction(iso_world *w) { iso__plane_of(w)->joints[0].direction[0] = 1 << 30; }
static void break_joint_owner(iso_world *w) { iso__plane_of(w)->joints[0].owner_slot = 99; }
static void break_dead_joint(iso_world *w) { iso__plane_of(w)->joints[4].hertz = 1; }
static void break_contact_order(iso_world *w) { const iso__plane_contact c = iso__plane_of(w)->contacts[0]; iso__plane_of(w)->contacts[0] = iso__plane_of(w)->contacts[1]; iso__plane_of(w)->contacts[1] = c; }
static void break_contact_twice(iso_world *w) { iso__plane_of(w)->contacts[1] = iso__plane_of(w)->contacts[0]; }
static void break_contact_bodies(iso_world *w) {
    iso__plane_contact *last = &iso__plane_of(w)->contacts[w->globals->contact_count - 1]; // (b, a) comes after all others
    const uint32_t a = last->shape_a;
    last->shape_a = last->shape_b;
    last->shape_b = a;
}
static void break_contact_one_body(iso_world *w) { iso__plane_of(w)->contacts[w->globals->contact_count - 1].shape_a = iso__plane_of(w)->contacts[w->globals->contact_count - 1].shape_b; }
static void break_contact_shape(iso_world *w) { iso__plane_of(w)->contacts[w->globals->contact_count - 1].shape_b = w->globals->shape_count; }
static void break_contact_dead_shape(iso_world *w) { iso__plane_of(w)->contacts[0].shape_a = UTIL_DEAD; }
static void break_contact_child(iso_world *w) { iso__plane_of(w)->contacts[0].child = 1; }
static void break_contact_flags(iso_world *w) { iso__plane_of(w)->contacts[0].flags = 4; }
static void break_contact_points(iso_world *w) { iso__plane_of(w)->contacts[0].point_count = 3; }
static void break_contact_no_points(iso_world *w) { iso__plane_of(w)->contacts[0].point_count = 0; }
static void break_contact_pull(iso_world *w) { iso__plane_of(w)->contacts[0].normal_impulse[0] = -1; }
static void break_contact_push(iso_world *w) { iso__plane_of(w)->contacts[0].normal_impulse[0] = (512 << 19) + 1; }
static void break_contact_tangent(iso_world *w) { iso__plane_of(w)->contacts[0].tangent_impulse[0] = INT32_MIN; }

static iso__plane_contact *contact_with_points(iso_world *w, uint8_t count) {
    for (uint32_t i = 0; i < w->globals->contact_count; ++i) {
        if (iso__plane_of(w)->contacts[i].point_count == count) {
            return &iso__plane_of(w)->contacts[i];
        }
    }
    fail_msg("the scene has no contact with %d points", count);
    return NULL;
}
static void break_contact_unused_feature(iso_world *w) { contact_with_points(w, 1)->feature[1] = 1; }
static void break_contact_unused_impulse(iso_world *w) { contact_with_points(w, 1)->tangent_impulse[1] = 1; }
static void break_contact_pose_of_one_point(iso_world *w) { contact_with_points(w, 1)->pose_angle[1] = 1; }
static void break_contact_pose_offset(iso_world *w) { contact_with_points(w, 2)->pose_offset[0] = INT32_MIN; }
// clang-format on

static void break_contact_of_statics(iso_world *w) {
    // Both bodies become static: nothing else about the contact is wrong.
    iso__plane_contact *c = contact_with_points(w, 2);
    for (int i = 0; i < 2; ++i) {
        iso__plane_body *body =
            &iso__plane_of(w)->bodies[iso__plane_of(w)->shapes[i == 0 ? c->shape_a : c->shape_b].body];
        body->type = ISO_BODY_STATIC;
        body->velocity[0] = body->velocity[1] = body->spin = 0;
    }
}

#define RULE(name) \
    { #name, break_##name }
static const struct rule {
    const char *name;
    break_fn *breaks;
} RULES[] = {
    RULE(tick),
    RULE(random),
    RULE(gravity),
    RULE(occupied),
    RULE(free_slot),
    RULE(sequence),
    RULE(control_tick),
    RULE(control_size),
    RULE(control_rest),
    RULE(owned_count),
    RULE(body_type),
    RULE(body_flags),
    RULE(body_asleep_static),
    RULE(body_asleep_moving),
    RULE(body_asleep_quiet),
    RULE(body_quiet),
    RULE(body_quiet_far),
    RULE(body_quiet_begins),
    RULE(body_quiet_gain),
    RULE(body_quiet_gain_early),
    RULE(body_quiet_static),
    RULE(body_own_mass),
    RULE(body_own_mass_high),
    RULE(body_own_inertia),
    RULE(body_gyration),
    RULE(body_linear_damping),
    RULE(body_angular_damping),
    RULE(body_gravity_scale),
    RULE(body_lock_x),
    RULE(body_fixed_rotation),
    RULE(body_position),
    RULE(body_position_low),
    RULE(body_velocity),
    RULE(body_spin),
    RULE(static_velocity),
    RULE(owner_slot),
    RULE(owner_generation),
    RULE(dead_body),
    RULE(revived_body),
    RULE(killed_body),
    RULE(unused_body),
    RULE(last_generation),
    RULE(shape_body),
    RULE(shape_dead_body),
    RULE(shape_kind),
    RULE(shape_density),
    RULE(shape_friction_bits),
    RULE(shape_friction),
    RULE(shape_restitution),
    RULE(shape_surface_speed),
    RULE(shape_one_way),
    RULE(shape_flags),
    RULE(shape_radius),
    RULE(shape_owner),
    RULE(spawn_count),
    RULE(spawn_number),
    RULE(shape_convexity),
    RULE(shape_bits),
    RULE(shape_extent),
    RULE(shape_vertices),
    RULE(shape_tapered_circle),
    RULE(shape_tapered_same),
    RULE(shape_tapered_bits),
    RULE(shape_tapered_point),
    RULE(shape_segment_vertices),
    RULE(shape_segment_radius),
    RULE(shape_segment_point),
    RULE(shape_mass),
    RULE(dead_shape),
    RULE(shape_generation),
    RULE(joint_kind),
    RULE(joint_flags),
    RULE(joint_bodies),
    RULE(joint_dead_body),
    RULE(joint_far_body),
    RULE(joint_world),
    RULE(target_body),
    RULE(target_dead),
    RULE(joint_force),
    RULE(joint_hertz),
    RULE(joint_damping),
    RULE(joint_anchor),
    RULE(joint_anchor_bits),
    RULE(joint_target),
    RULE(joint_impulse),
    RULE(joint_part),
    RULE(joint_limits),
    RULE(joint_motor),
    RULE(joint_spring),
    RULE(joint_break),
    RULE(joint_stiffness),
    RULE(joint_damper),
    RULE(joint_reserved),
    RULE(joint_off_impulse),
    RULE(joint_disabled_impulse),
    RULE(joint_lower_impulse),
    RULE(joint_upper_impulse),
    RULE(joint_axis_impulse),
    RULE(joint_length),
    RULE(joint_direction),
    RULE(joint_needless_direction),
    RULE(joint_owner),
    RULE(dead_joint),
    RULE(contact_order),
    RULE(contact_pose_of_one_point),
    RULE(contact_pose_offset),
    RULE(contact_twice),
    RULE(contact_bodies),
    RULE(contact_one_body),
    RULE(contact_shape),
    RULE(contact_dead_shape),
    RULE(contact_child),
    RULE(contact_flags),
    RULE(contact_points),
    RULE(contact_no_points),
    RULE(contact_pull),
    RULE(contact_push),
    RULE(contact_tangent),
    RULE(contact_unused_feature),
    RULE(contact_unused_impulse),
    RULE(contact_of_statics),
};

static void test_each_broken_rule_is_refused_without_a_trace(void **state) {
    (void)state;
    iso_world *world = util_world_lively(40);
    iso_world *target = util_world_lively(7);
    const uint64_t target_root = iso_world_root(target);
    snapshot good = snapshot_of(world);
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; ++i) {
        assert_int_equal(iso_snapshot_decode(world, good.bytes, good.size), ISO_OK);
        RULES[i].breaks(world);
        snapshot bad = snapshot_of(world);
        const iso_status status = decode_exact(target, bad.bytes, bad.size);
        if (status != ISO_ERR_CORRUPT) {
            fail_msg("rule %s: %s", RULES[i].name, iso_status_name(status));
        }
        assert_int_equal(util_fresh_root(target), target_root);
        free(bad.bytes);
    }
    // What was refused left nothing behind that a step would see.
    iso_world *untouched = util_world_lively(7);
    util_steps(target, 30);
    util_steps(untouched, 30);
    assert_int_equal(iso_world_root(target), iso_world_root(untouched));
    assert_int_equal(iso_snapshot_decode(target, good.bytes, good.size), ISO_OK);
    free(good.bytes);
    util_world_free(untouched);
    util_world_free(target);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_broken_rule_is_refused_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
