/// A world in the plane has no functions of space, one in space none of the plane: they tell so and change nothing.
///
/// The tables name every function of the headers that takes a world; a test reads the headers to see that none is
/// missing.
#include "unit/space/world/space_util.h"

#include "isostep/draw.h"
#include "isostep/games.h"
#include "isostep/joint3.h"

/// What the calls are given: handles that are alive in the world, and room for what they return.
typedef struct rig {
    iso_world *w;
    iso_body_id b;
    iso_shape_id s;
    iso_joint_id j;
    iso_compound_id c;
    iso_body_def body;
    iso_body_params params;
    iso_shape_def shape;
    iso_joint_def joint;
    iso_compound_def compound;
    iso_blueprint_def blueprint;
    iso_program program;
    iso_program_params program_params;
    iso_body3_def body3;
    iso_body3_params params3;
    iso_shape3_def shape3;
    iso_joint3_def joint3;
} rig;

static const iso_vec2_wide P2 = {ISO_WIDE_ONE, ISO_WIDE_ONE};
static const iso_vec3_wide P3 = {ISO_WIDE_ONE, ISO_WIDE_ONE, 0};
static const iso_wide ONES[3] = {ISO_WIDE_ONE, ISO_WIDE_ONE, ISO_WIDE_ONE};
#define ANY iso_query_filter_default()

/// What a call may write; filled with a pattern before each.
static union {
    uint8_t bytes[16384];
    iso_wide wide[8];
    iso_vec2_wide vec2;
    iso_vec3_wide vec3;
    uint32_t count;
    iso_body_id body;
    iso_shape_id shape;
    iso_joint_id joint;
    iso_compound_id compound;
    iso_body_view body_view;
    iso_body_params params;
    iso_shape_def shape_def;
    iso_joint_def joint_def;
    iso_compound_view compound_view;
    iso_blueprint_view blueprint_view;
    iso_point_hit point_hit;
    iso_ray_hit ray_hit;
    iso_overlap_hit overlap_hit;
    iso_contact_view contact;
    iso_contact_manifold manifold;
    iso_contact3_view contact3;
    iso_contact3_manifold manifold3;
    iso_body3_view body3_view;
    iso_body3_params params3;
    iso_shape3_def shape3_def;
    iso_joint3_def joint3_def;
} out, out2;

/// Functions of the plane. X(name, arguments behind the world)
#define PLANE_LIST(X)                                                                \
    X(iso_body_create, &r->body, &out.body)                                          \
    X(iso_body_get, r->b, &out.body_view)                                            \
    X(iso_body_get_params, r->b, &out.params)                                        \
    X(iso_body_set_params, r->b, &r->params)                                         \
    X(iso_body_set_mass, r->b, 2 * ISO_WIDE_ONE, 0)                                  \
    X(iso_body_get_own_mass, r->b, &out.wide[0], &out.wide[1])                       \
    X(iso_body_set_type, r->b, ISO_BODY_KINEMATIC)                                   \
    X(iso_body_set_position, r->b, P2, 0)                                            \
    X(iso_body_move_kinematic, r->b, P2, 0)                                          \
    X(iso_body_set_velocity, r->b, P2, 0)                                            \
    X(iso_body_apply_force, r->b, P2, P2)                                            \
    X(iso_body_apply_force_to_centre, r->b, P2)                                      \
    X(iso_body_apply_torque, r->b, ISO_WIDE_ONE)                                     \
    X(iso_body_apply_impulse, r->b, P2, P2)                                          \
    X(iso_body_apply_angular_impulse, r->b, ISO_WIDE_ONE)                            \
    X(iso_body_get_world_point, r->b, P2, &out.vec2)                                 \
    X(iso_body_get_local_point, r->b, P2, &out.vec2)                                 \
    X(iso_body_get_world_vector, r->b, P2, &out.vec2)                                \
    X(iso_body_get_local_vector, r->b, P2, &out.vec2)                                \
    X(iso_body_get_point_velocity, r->b, P2, &out.vec2)                              \
    X(iso_body_get_local_point_velocity, r->b, P2, &out.vec2)                        \
    X(iso_body_get_kinetic_energy, r->b, &out.wide[0])                               \
    X(iso_shape_create, r->b, &r->shape, &out.shape)                                 \
    X(iso_shape_set_friction, r->s, ONE / 8)                                         \
    X(iso_shape_set_restitution, r->s, ONE / 8)                                      \
    X(iso_shape_set_surface_speed, r->s, ONE / 8)                                    \
    X(iso_shape_set_density, r->s, 3 * ONE)                                          \
    X(iso_shape_get, r->s, &out.shape_def, &out2.body)                               \
    X(iso_joint_create, &r->joint, &out.joint)                                       \
    X(iso_joint_copy, r->j, NULL, &out.joint)                                        \
    X(iso_joint_get, r->j, &out.joint_def)                                           \
    X(iso_joint_set, r->j, &r->joint)                                                \
    X(iso_joint_set_bodies, r->j, (iso_body_id[4]){r->b, r->b, r->b, r->b})          \
    X(iso_joint_set_target, r->j, P2)                                                \
    X(iso_joint_set_motor, r->j, true, ONE, ISO_WIDE_ONE)                            \
    X(iso_joint_set_limits, r->j, true, -ONE, ONE)                                   \
    X(iso_joint_set_spring, r->j, true, ONE, ONE, 0)                                 \
    X(iso_joint_set_stiffness, r->j, true, ISO_WIDE_ONE, ISO_WIDE_ONE, 0)            \
    X(iso_joint_set_params, r->j, &r->program_params, &out.count)                    \
    X(iso_joint_get_force, r->j, &out.vec2)                                          \
    X(iso_joint_get_torque, r->j, &out.wide[0])                                      \
    X(iso_joint_get_body_impulse, r->j, r->b, &out.vec2, &out2.wide[0])              \
    X(iso_joint_get_angle, r->j, &out.wide[0])                                       \
    X(iso_joint_get_length, r->j, &out.wide[0])                                      \
    X(iso_joint_get_speed, r->j, &out.wide[0])                                       \
    X(iso_joint_get_speed_max, r->j, &out.wide[0])                                   \
    X(iso_joint_get_separation, r->j, &out.wide[0])                                  \
    X(iso_joint_get_angle_error, r->j, &out.wide[0])                                 \
    X(iso_world_add_blueprint, &r->blueprint, &out.count)                            \
    X(iso_compound_create, &r->compound, &out.compound)                              \
    X(iso_compound_destroy, r->c)                                                    \
    X(iso_compound_get, r->c, &out.compound_view)                                    \
    X(iso_compound_set_position, r->c, P2, 0)                                        \
    X(iso_shape_get_closest_point, r->s, P2, &out.point_hit)                         \
    X(iso_query_point_all, P2, 0, ANY, &out.point_hit, 1, &out2.count)               \
    X(iso_query_point_closest, P2, 0, ANY, &out.point_hit, &out2.count)              \
    X(iso_query_ray_all, P2, P2, ANY, &out.ray_hit, 1, &out2.count)                  \
    X(iso_query_ray_closest, P2, P2, ANY, &out.ray_hit, &out2.count)                 \
    X(iso_query_box_all, P2, P2, ANY, &out.overlap_hit, 1, &out2.count)              \
    X(iso_query_box_closest, P2, P2, ANY, &out.overlap_hit, &out2.count)             \
    X(iso_query_shape_all, &r->shape, P2, 0, ANY, &out.overlap_hit, 1, &out2.count)  \
    X(iso_query_shape_closest, &r->shape, P2, 0, ANY, &out.overlap_hit, &out2.count) \
    X(iso_world_add_program, &r->program, &out.count)                                \
    X(iso_world_set_gravity, (iso_vec2){ONE, ONE})

/// Functions of space.
#define SPACE_LIST(X)                                                                                      \
    X(iso_body3_create, &r->body3, &out.body)                                                              \
    X(iso_body3_get, r->b, &out.body3_view)                                                                \
    X(iso_body3_get_params, r->b, &out.params3)                                                            \
    X(iso_body3_set_params, r->b, &r->params3)                                                             \
    X(iso_body3_set_mass, r->b, 2 * ISO_WIDE_ONE, ONES)                                                    \
    X(iso_body3_get_own_mass, r->b, &out.wide[0], &out.wide[1])                                            \
    X(iso_body3_set_type, r->b, ISO_BODY_KINEMATIC)                                                        \
    X(iso_body3_set_position, r->b, P3, iso_quat_identity())                                               \
    X(iso_body3_set_velocity, r->b, P3, P3)                                                                \
    X(iso_body3_apply_force, r->b, P3, P3)                                                                 \
    X(iso_body3_apply_force_to_centre, r->b, P3)                                                           \
    X(iso_body3_apply_torque, r->b, P3)                                                                    \
    X(iso_body3_apply_impulse, r->b, P3, P3)                                                               \
    X(iso_body3_apply_angular_impulse, r->b, P3)                                                           \
    X(iso_body3_get_kinetic_energy, r->b, &out.wide[0])                                                    \
    X(iso_shape3_create, r->b, &r->shape3, &out.shape)                                                     \
    X(iso_shape3_get, r->s, &out.shape3_def, &out2.body)                                                   \
    X(iso_shape3_set_friction, r->s, ONE / 8)                                                              \
    X(iso_shape3_set_restitution, r->s, ONE / 8)                                                           \
    X(iso_shape3_set_density, r->s, 3 * ONE)                                                               \
    X(iso_joint3_def_between, r->b, r->b, P3, (iso_vec3){ONE, 0, 0}, (iso_vec3){0, 0, 0}, &out.joint3_def) \
    X(iso_joint3_create, &r->joint3, &out.joint)                                                           \
    X(iso_joint3_get, r->j, &out.joint3_def)                                                               \
    X(iso_joint3_set, r->j, &r->joint3)                                                                    \
    X(iso_joint3_set_motor, r->j, 0, true, ONE, ISO_WIDE_ONE)                                              \
    X(iso_joint3_set_limits, r->j, 0, true, -ONE, ONE)                                                     \
    X(iso_joint3_set_spring, r->j, 0, true, ONE, ONE, 0)                                                   \
    X(iso_joint3_set_maximum, r->j, ISO_WIDE_ONE, ISO_WIDE_ONE)                                            \
    X(iso_joint3_set_target, r->j, P3)                                                                     \
    X(iso_joint3_set_params, r->j, &r->program_params, &out.count)                                         \
    X(iso_joint3_set_axis, r->j, 0, &r->joint3.axes[0])                                                    \
    X(iso_joint3_set_stiffness, r->j, 0, true, ISO_WIDE_ONE, ISO_WIDE_ONE, 0)                              \
    X(iso_joint3_get_axis_speed_max, r->j, 0, &out.wide[0])                                                \
    X(iso_joint3_get_force, r->j, &out.vec3)                                                               \
    X(iso_joint3_get_torque, r->j, &out.vec3)                                                              \
    X(iso_joint3_get_axis, r->j, 0, &out.wide[0])                                                          \
    X(iso_joint3_get_axis_speed, r->j, 0, &out.wide[0])                                                    \
    X(iso_joint3_get_separation, r->j, &out.wide[0])                                                       \
    X(iso_joint3_get_angle_error, r->j, &out.wide[0])                                                      \
    X(iso_world_set_gravity3, (iso_vec3){ONE, ONE, ONE})

/// Functions of the plane without a status: what they return in space.
#define NULL_LIST(X)                                                                           \
    X(iso_body_next_joint, iso_body_next_joint(r->w, r->b, 0).generation == 0)                 \
    X(iso_world_get_blueprint, !iso_world_get_blueprint(r->w, 0, &out.blueprint_view))         \
    X(iso_world_find_blueprint, iso_world_find_blueprint(r->w, "pair") == UINT32_MAX)          \
    X(iso_compound_is_valid, !iso_compound_is_valid(r->w, r->c))                               \
    X(iso_compound_next, iso_compound_next(r->w, 0).generation == 0)                           \
    X(iso_compound_next_body, iso_compound_next_body(r->w, r->c, 0).generation == 0)           \
    X(iso_compound_next_joint, iso_compound_next_joint(r->w, r->c, 0).generation == 0)         \
    X(iso_compound_find_body, iso_compound_find_body(r->w, r->c, 0).generation == 0)           \
    X(iso_joint_get_compound, iso_joint_get_compound(r->w, r->j).generation == 0)              \
    X(iso_world_get_contact, !iso_world_get_contact(r->w, 0, &out.contact))                    \
    X(iso_world_get_contact_manifold, !iso_world_get_contact_manifold(r->w, 0, &out.manifold)) \
    X(iso_world_get_program, iso_world_get_program(r->w, 0) == NULL)

/// Functions of both, with what a world of either kind answers to a handle that it does not have.
#define SHARED_LIST(X)                                                                                                \
    X(iso_body_destroy, iso_body_destroy(r->w, (iso_body_id){9, 9}) == ISO_ERR_STALE)                                 \
    X(iso_body_is_valid, !iso_body_is_valid(r->w, (iso_body_id){9, 9}))                                               \
    X(iso_body_next, iso_body_id_equal(iso_body_next(r->w, 0), r->b))                                                 \
    X(iso_body_next_shape, iso_shape_id_equal(iso_body_next_shape(r->w, r->b, 0), r->s) &&                            \
                               iso_body_next_shape(r->w, r->b, r->s.index + 1).generation == 0)                       \
    X(iso_body_set_tag, iso_body_set_tag(r->w, (iso_body_id){9, 9}, 1) == ISO_ERR_STALE)                              \
    X(iso_body_set_owner,                                                                                             \
      iso_body_set_owner(r->w, (iso_body_id){9, 9}, (iso_owner){0, ISO_OWNER_NOBODY}) == ISO_ERR_STALE)               \
    X(iso_body_is_awake, iso_body_is_awake(r->w, r->b))                                                               \
    X(iso_body3_is_pushed, !iso_body3_is_pushed(r->w, r->b))                                                          \
    X(iso_body_wake, iso_body_wake(r->w, (iso_body_id){9, 9}) == ISO_ERR_STALE)                                       \
    X(iso_body_next_contact, iso_body_next_contact(r->w, r->b, 0) == UINT32_MAX)                                      \
    X(iso_world_get_contact3, !iso_world_get_contact3(r->w, 0, &out.contact3))                                        \
    X(iso_world_get_contact3_manifold, !iso_world_get_contact3_manifold(r->w, 0, &out.manifold3))                     \
    X(iso_body_get_island,                                                                                            \
      iso_body_get_island(r->w, (iso_body_id){9, 9}) == UINT32_MAX && iso_body_get_island(r->w, r->b) == r->b.index)  \
    X(iso_shape_destroy, iso_shape_destroy(r->w, (iso_shape_id){9, 9}) == ISO_ERR_STALE)                              \
    X(iso_shape_is_valid, iso_shape_is_valid(r->w, r->s))                                                             \
    X(iso_shape_next, iso_shape_next(r->w, 0).generation == r->s.generation)                                          \
    X(iso_shape_set_filter, iso_shape_set_filter(r->w, (iso_shape_id){9, 9}, (iso_filter){1, 1, 0}) == ISO_ERR_STALE) \
    X(iso_shape_set_tag, iso_shape_set_tag(r->w, (iso_shape_id){9, 9}, 1) == ISO_ERR_STALE)                           \
    X(iso_joint_destroy, iso_joint_destroy(r->w, r->j) != ISO_OK)                                                     \
    X(iso_joint_is_valid, !iso_joint_is_valid(r->w, r->j))                                                            \
    X(iso_joint_is_awake, !iso_joint_is_awake(r->w, r->j))                                                            \
    X(iso_joint_next, iso_joint_next(r->w, 0).generation == 0)                                                        \
    X(iso_joint_set_break, iso_joint_set_break(r->w, r->j, 1, 1, 1, 1, true) != ISO_OK)                               \
    X(iso_joint_set_tag, iso_joint_set_tag(r->w, r->j, 1) != ISO_OK)                                                  \
    X(iso_joint_enable, iso_joint_enable(r->w, r->j, false) != ISO_OK)                                                \
    X(iso_world_get_gravity, iso_world_get_gravity(r->w).y == -10 * ONE)                                              \
    X(iso_world_get_gravity3, iso_world_get_gravity3(r->w).y == -10 * ONE)                                            \
    X(iso_world_get_def, iso_world_get_def(r->w)->dimensions >= 2)                                                    \
    X(iso_world_get_game, iso_world_get_game(r->w) == NULL)                                                           \
    X(iso_world_get_game_state, iso_world_get_game_state(r->w) == NULL)                                               \
    X(iso_world_get_tick, iso_world_get_tick(r->w) == 2)                                                              \
    X(iso_world_get_player_body, iso_world_get_player_body(r->w, 0).generation == 0)                                  \
    X(iso_world_get_slot, !iso_world_get_slot(r->w, 0, (iso_slot_view *)out.bytes))

/// Functions that other tests call with both kinds of worlds.
static const char *const ELSEWHERE[] = {"iso_world_start",        "iso_world_step",
                                        "iso_world_step_empty",   "iso_world_get_results",
                                        "iso_world_read_control", "iso_world_random",
                                        "iso_world_random_below", "iso_world_get_counts",
                                        "iso_world_drop_caches",  "iso_world_set_profile_clock",
                                        "iso_world_take_profile"};

#define PLANE_CALL(name, ...)               \
    static iso_status call_##name(rig *r) { \
        return name(r->w, __VA_ARGS__);     \
    }
PLANE_LIST(PLANE_CALL)
SPACE_LIST(PLANE_CALL)

#define BOOL_CALL(name, condition)        \
    static bool is_right_##name(rig *r) { \
        return condition;                 \
    }
NULL_LIST(BOOL_CALL)
SHARED_LIST(BOOL_CALL)

typedef struct status_entry {
    const char *name;
    iso_status (*call)(rig *r);
} status_entry;

typedef struct bool_entry {
    const char *name;
    bool (*is_right)(rig *r);
} bool_entry;

#define STATUS_ENTRY(name, ...)     {#name, call_##name},
#define BOOL_ENTRY(name, condition) {#name, is_right_##name},
static const status_entry PLANE[] = {PLANE_LIST(STATUS_ENTRY)}, SPACE[] = {SPACE_LIST(STATUS_ENTRY)};
static const bool_entry NULLS[] = {NULL_LIST(BOOL_ENTRY)}, SHARED[] = {SHARED_LIST(BOOL_ENTRY)};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/// A world of either kind with a ball at (1, 1), and definitions that are right where they may be used.
static rig rig_make(uint16_t dimensions) {
    iso_world_def def = space_def();
    def.dimensions = dimensions;
    def.gravity = (iso_vec2){0, -10 * ONE};
    rig r = {.w = world_make(&def),
             .body = iso_body_def_default(),
             .params = iso_body_params_default(),
             .shape = iso_shape_def_circle(ONE),
             .joint = iso_joint_def_default(),
             .compound = iso_compound_def_default(),
             .blueprint = {.name = "pair"},
             .body3 = iso_body3_def_default(),
             .params3 = iso_body3_params_default(),
             .shape3 = iso_shape3_def_sphere(ONE),
             .joint3 = iso_joint3_def_default(ISO_JOINT3_BALL)};
    r.body.position = P2;
    r.body3.position = P3;
    if (dimensions == 2) {
        EXPECT_STATUS(iso_body_create(r.w, &r.body, &r.b), ISO_OK);
        EXPECT_STATUS(iso_shape_create(r.w, r.b, &r.shape, &r.s), ISO_OK);
    } else {
        EXPECT_STATUS(iso_body3_create(r.w, &r.body3, &r.b), ISO_OK);
        EXPECT_STATUS(iso_shape3_create(r.w, r.b, &r.shape3, &r.s), ISO_OK);
    }
    r.joint.body_b = r.joint3.body_b = r.b;
    r.params.linear_damping = r.params3.linear_damping = ONE;
    world_steps(r.w, 2);
    return r;
}

static uint64_t fresh_root(iso_world *world) {
    iso_world_drop_caches(world);
    return iso_world_root(world);
}

/// Each is refused, and neither the world nor what the caller has is written to.
static void expect_other_dimension(rig *r, const status_entry *table, size_t count) {
    uint8_t pattern[sizeof out.bytes];
    memset(pattern, 0x5A, sizeof pattern);
    for (size_t i = 0; i < count; ++i) {
        memset(&out, 0x5A, sizeof out);
        memset(&out2, 0x5A, sizeof out2);
        const uint64_t before = fresh_root(r->w);
        const iso_status status = table[i].call(r);
        EXPECT(status == ISO_ERR_DIMENSION, "%s: %s", table[i].name, iso_status_name(status));
        EXPECT(fresh_root(r->w) == before, "%s changed the world", table[i].name);
        EXPECT(memcmp(&out, pattern, sizeof pattern) == 0 && memcmp(&out2, pattern, sizeof pattern) == 0,
               "%s wrote a result", table[i].name);
    }
}

static void expect_right(rig *r, const bool_entry *table, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint64_t before = fresh_root(r->w);
        EXPECT(table[i].is_right(r), "%s", table[i].name);
        EXPECT(fresh_root(r->w) == before, "%s changed the world", table[i].name);
    }
}

/// Nothing of what was refused is left for a step, a force for example.
static void expect_untouched(rig *r, uint16_t dimensions) {
    rig fresh = rig_make(dimensions);
    for (int t = 0; t < 10; ++t) {
        world_steps(r->w, 1);
        world_steps(fresh.w, 1);
        assert_true(iso_world_root(r->w) == iso_world_root(fresh.w));
    }
    world_free(fresh.w);
}

static void test_functions_of_the_plane_are_refused_in_space(void **state) {
    (void)state;
    rig r = rig_make(3);
    expect_other_dimension(&r, PLANE, COUNT(PLANE));
    expect_right(&r, NULLS, COUNT(NULLS));
    expect_right(&r, SHARED, COUNT(SHARED));
    expect_untouched(&r, 3);
    world_free(r.w);
}

static void test_functions_of_space_are_refused_in_the_plane(void **state) {
    (void)state;
    rig r = rig_make(2);
    expect_other_dimension(&r, SPACE, COUNT(SPACE));
    expect_right(&r, SHARED, COUNT(SHARED));
    expect_untouched(&r, 2);
    world_free(r.w);
}

/// In their own worlds none of them says so.
static void test_functions_are_not_refused_where_they_belong(void **state) {
    (void)state;
    for (uint16_t dimensions = 2; dimensions <= 3; ++dimensions) {
        const status_entry *table = dimensions == 2 ? PLANE : SPACE;
        for (size_t i = 0; i < (dimensions == 2 ? COUNT(PLANE) : COUNT(SPACE)); ++i) {
            rig r = rig_make(dimensions);
            EXPECT(table[i].call(&r) != ISO_ERR_DIMENSION, "%s", table[i].name);
            world_free(r.w);
        }
    }
}

/// Pictures of the plane show nothing of a world in space.
static void test_a_world_in_space_has_no_items_of_the_plane(void **state) {
    (void)state;
    rig r = rig_make(3);
    iso_draw_item items[4];
    uint32_t count = 9;
    iso_draw_fill(r.w, ISO_DRAW_ALL, items, 4, &count);
    assert_int_equal(count, 0);
    world_free(r.w);
}

/// Numbers that are no section, no kind, no set and no place.
static void test_numbers_that_are_none_are_told_so(void **state) {
    (void)state;
    for (uint16_t dimensions = 2; dimensions <= 3; ++dimensions) {
        rig r = rig_make(dimensions);
        static const int sections[] = {ISO_SECTION_COUNT, ISO_SECTION_COUNT + 1, 255, 1 << 20, INT32_MAX, -1,
                                       INT32_MIN};
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i) {
            const iso_section section = (iso_section)sections[i];
            uint32_t count = 9;
            assert_null(iso_section_fields(r.w, section, &count));
            assert_int_equal(count, 0);
            assert_int_equal(iso_section_record_count(r.w, section), 0);
            assert_null(iso_section_record(r.w, section, 0));
            // The hash of nothing, as that of a section without records.
            assert_true(iso_world_section_hash(r.w, section) == iso_world_section_hash(r.w, ISO_SECTION_CONTACTS));
            assert_string_equal(iso_section_name(section), "unknown");
            const iso_field field = {.count = 7};
            assert_int_equal(iso_field_used_count(r.w, section, &r, &field), 7);
            const iso_simd set = (iso_simd)sections[i], had = iso_world_get_simd(r.w);
            assert_false(iso_simd_is_supported(set));
            assert_string_equal(iso_simd_name(set), "?");
            EXPECT_STATUS(iso_world_set_simd(r.w, set), ISO_ERR_BAD_ENUM);
            assert_int_equal(iso_world_get_simd(r.w), had);
            assert_string_equal(iso_status_name((iso_status)(1000 + (sections[i] & 0xFFFF))), "UNKNOWN");
            const uint32_t place = (uint32_t)sections[i];
            assert_int_equal(iso_body_next(r.w, place).generation, 0);
            assert_int_equal(iso_shape_next(r.w, place).generation, 0);
            assert_int_equal(iso_joint_next(r.w, place).generation, 0);
            assert_int_equal(iso_compound_next(r.w, place).generation, 0);
            assert_int_equal(iso_body_next_shape(r.w, r.b, place).generation, 0);
            assert_int_equal(iso_body_next_joint(r.w, r.b, place).generation, 0);
            assert_int_equal(iso_body_next_contact(r.w, r.b, place), UINT32_MAX);
            assert_int_equal(iso_compound_next_body(r.w, r.c, place).generation, 0);
            assert_null(iso_world_get_program(r.w, place));
            assert_false(iso_world_get_contact(r.w, place, &out.contact));
            assert_false(iso_world_get_contact3(r.w, place, &out.contact3));
            assert_false(iso_world_get_blueprint(r.w, place, &out.blueprint_view));
            assert_false(iso_world_get_slot(r.w, place, (iso_slot_view *)out.bytes));
            assert_int_equal(iso_world_get_player_body(r.w, place).generation, 0);
            iso_world_read_control(r.w, place, out.bytes, 8);
            EXPECT(iso_joint3_get_axis(r.w, r.j, place, &out.wide[0]) != ISO_OK, "an axis %u", place);
        }
        for (uint32_t kind = 0; kind < 256; ++kind) {
            (void)iso_joint_kind_has((uint8_t)kind);
            (void)iso_command_kind_name((uint8_t)kind);
            (void)iso_command_dimensions((uint8_t)kind);
            assert_int_equal(iso_joint3_axis_of((uint8_t)kind, 3), ISO_JOINT3_AXIS_NONE);
            EXPECT(kind == ISO_BODY_STATIC || kind == ISO_BODY_DYNAMIC || kind == ISO_BODY_KINEMATIC ||
                       (dimensions == 2 ? iso_body_set_type(r.w, r.b, (uint8_t)kind)
                                        : iso_body3_set_type(r.w, r.b, (uint8_t)kind)) != ISO_OK,
                   "a type %u", kind);
            const iso_world_def def = {.dimensions = (uint16_t)(kind + 4)};
            iso_fingerprint none;
            iso_fingerprint_make(&def, NULL, &none);
            assert_int_equal(none.simulation_version, 0);
        }
        world_free(r.w);
    }
}

// ---- the tables are complete ---------------------------------------------------------------------

static bool is_listed(const char *name, size_t size) {
#define LISTED(table)                                                                  \
    for (size_t i = 0; i < COUNT(table); ++i) {                                        \
        if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0) { \
            return true;                                                               \
        }                                                                              \
    }
    LISTED(PLANE) LISTED(SPACE) LISTED(NULLS) LISTED(SHARED) for (size_t i = 0; i < COUNT(ELSEWHERE); ++i) {
        if (strlen(ELSEWHERE[i]) == size && memcmp(ELSEWHERE[i], name, size) == 0) {
            return true;
        }
    }
    return false;
}

/// Whether the text behind a name is "(" and a world as the first parameter.
static bool takes_world(const char *at) {
    static const char *const begins[] = {"(struct iso_world *", "(const struct iso_world *", "(iso_world *",
                                         "(const iso_world *"};
    for (size_t i = 0; i < COUNT(begins); ++i) {
        if (strncmp(at, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void test_every_function_with_a_world_is_in_a_table(void **state) {
    (void)state;
    static const char *const headers[] = {"body",  "shape", "joint",  "compound", "query",   "contact",
                                          "world", "body3", "shape3", "joint3",   "contact3"};
    uint32_t found = 0;
    for (size_t h = 0; h < COUNT(headers); ++h) {
        char path[512];
        snprintf(path, sizeof path, "%s/include/isostep/%s.h", ISO_TEST_CORE_DIR, headers[h]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        static char text[1 << 17];
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        for (const char *at = strstr(text, "iso_"); at != NULL; at = strstr(at, "iso_")) {
            const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
            if (takes_world(at + size)) {
                ++found;
                EXPECT(is_listed(at, size), "%.*s of %s.h is in no table", (int)size, at, headers[h]);
            }
            at += size;
        }
    }
    EXPECT(found > 135, "only %u were found", found);
}

// ---- games ---------------------------------------------------------------------------------------

static iso_status create_with(uint32_t game_dimensions, uint16_t dimensions) {
    const iso_game game = {.name = "odd", .dimensions = game_dimensions};
    iso_world_def def = space_def();
    def.dimensions = dimensions;
    strcpy(def.game, "odd");
    const size_t size = iso_world_size(&def, &game);
    assert_true(size > 0);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    const iso_status status = iso_world_create(&def, &game, memory, size, &world);
    assert_true((world != NULL) == (status == ISO_OK));
    free(memory);
    return status;
}

static void test_a_game_is_refused_in_a_world_that_it_is_not_for(void **state) {
    (void)state;
    // 0 means the plane, 4 the plane, 8 space, 12 both.
    static const uint32_t games[4] = {0, 4, 8, 12};
    for (int i = 0; i < 4; ++i) {
        const bool has_plane = games[i] != 8, has_space = games[i] >= 8;
        EXPECT_STATUS(create_with(games[i], 2), has_plane ? ISO_OK : ISO_ERR_DIMENSION);
        EXPECT_STATUS(create_with(games[i], 3), has_space ? ISO_OK : ISO_ERR_DIMENSION);
    }
    iso_world_def def = space_def();
    strcpy(def.game, "sandbox");
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox.params[i].value;
    }
    const size_t size = iso_world_size(&def, &iso_game_sandbox);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &iso_game_sandbox, memory, size, &world), ISO_ERR_DIMENSION);
    free(memory);
}

static void test_definitions_of_the_other_kind_are_out_of_range(void **state) {
    (void)state;
    const char *field = NULL;
    iso_world_def def = space_def();
#define BAD(change, name)                                            \
    def = space_def();                                               \
    change;                                                          \
    EXPECT_STATUS(iso_world_def_check(&def, &field), ISO_ERR_RANGE); \
    assert_string_equal(field, name)
    BAD(def.dimensions = 4, "dimensions");
    BAD(def.dimensions = 0, "dimensions");
    BAD(def.gravity_z = 1001 * ONE, "gravity_z");
    BAD(def.integrator = 2, "integrator");
    BAD(def.dimensions = 2; def.gravity_z = 1, "gravity_z");
    BAD(def.dimensions = 2; def.integrator = 1, "integrator");
    EXPECT_STATUS(iso_world_def_check(&(iso_world_def){0}, &field), ISO_ERR_RANGE);
    world_free(space_make());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_the_plane_are_refused_in_space),
        cmocka_unit_test(test_functions_of_space_are_refused_in_the_plane),
        cmocka_unit_test(test_functions_are_not_refused_where_they_belong),
        cmocka_unit_test(test_a_world_in_space_has_no_items_of_the_plane),
        cmocka_unit_test(test_numbers_that_are_none_are_told_so),
        cmocka_unit_test(test_every_function_with_a_world_is_in_a_table),
        cmocka_unit_test(test_a_game_is_refused_in_a_world_that_it_is_not_for),
        cmocka_unit_test(test_definitions_of_the_other_kind_are_out_of_range),
    };
    return cmocka_run_group_tests_name("dimension", tests, NULL, NULL);
}
