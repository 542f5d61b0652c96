/// Execution of commands in space: which function each calls, quotas, and all or nothing of a spawn. The functions of
/// worlds in space stand in: they make bodies and shapes of the plane, for the bookkeeping is the same.
#include "unit/command/test_command3_util.h"
#include "unit/command/test_command_util.h"

#include "space/command/apply.h"
#include "world/kernel.h"

/// What the last call was, and what it was given.
typedef struct spy {
    const char *name;
    iso_body_id body;
    iso_shape_id shape;
    iso_vec3_wide vectors[2];
    iso_quat rotation;
    iso_wide mass, moments[3];
    fix16_t number;
    uint8_t type;
    iso_body3_params params;
    iso_body3_def def;
    iso_vec3 gravity;
    int velocities_set;
    iso_status shape_answer, velocity_answer;
} spy;
static spy seen;

// The linker puts these in the place of the functions without __wrap_ (iso_wrap in CMakeLists.txt).
iso_status __wrap_iso_body3_create(iso_world *world, const iso_body3_def *def, iso_body_id *body);
iso_status __wrap_iso__space_shape_create(iso_world *world, iso_body_id body, const iso_shape3_def *def,
                                          iso_shape_id *shape);
iso_status __wrap_iso_body3_set_type(iso_world *world, iso_body_id body, uint8_t type);
iso_status __wrap_iso_body3_set_params(iso_world *world, iso_body_id body, const iso_body3_params *params);
iso_status __wrap_iso_body3_set_mass(iso_world *world, iso_body_id body, iso_wide mass, const iso_wide moments[3]);
iso_status __wrap_iso_body3_set_position(iso_world *world, iso_body_id body, iso_vec3_wide position, iso_quat rotation);
iso_status __wrap_iso_body3_set_velocity(iso_world *world, iso_body_id body, iso_vec3_wide velocity,
                                         iso_vec3_wide angular_velocity);
iso_status __wrap_iso_body3_apply_force(iso_world *world, iso_body_id body, iso_vec3_wide force, iso_vec3_wide point);
iso_status __wrap_iso_body3_apply_torque(iso_world *world, iso_body_id body, iso_vec3_wide torque);
iso_status __wrap_iso_body3_apply_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse,
                                          iso_vec3_wide point);
iso_status __wrap_iso_body3_apply_angular_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse);
iso_status __wrap_iso_shape3_set_friction(iso_world *world, iso_shape_id shape, fix16_t friction);
iso_status __wrap_iso_shape3_set_restitution(iso_world *world, iso_shape_id shape, fix16_t restitution);
iso_status __wrap_iso_shape3_set_density(iso_world *world, iso_shape_id shape, fix16_t density);
iso_status __wrap_iso_world_set_gravity3(iso_world *world, iso_vec3 gravity);

iso_status __wrap_iso_body3_create(iso_world *world, const iso_body3_def *def, iso_body_id *body) {
    seen.name = "iso_body3_create";
    seen.def = *def;
    iso_body_def plane = iso_body_def_default();
    plane.type = def->type;
    plane.position.x = 1000 * ISO_WIDE_ONE; // where nobody wakes
    plane.position.y = 1000 * ISO_WIDE_ONE;
    plane.owner = def->owner;
    return iso_body_create(world, &plane, body);
}

iso_status __wrap_iso__space_shape_create(iso_world *world, iso_body_id body, const iso_shape3_def *def,
                                          iso_shape_id *shape) {
    seen.name = "iso__space_shape_create";
    const iso_shape_def plane = iso_shape_def_circle(def->radius);
    return seen.shape_answer == ISO_OK ? iso_shape_create(world, body, &plane, shape) : seen.shape_answer;
}

iso_status __wrap_iso_body3_set_type(iso_world *world, iso_body_id body, uint8_t type) {
    (void)world;
    seen.name = "iso_body3_set_type", seen.body = body, seen.type = type;
    return ISO_OK;
}

iso_status __wrap_iso_body3_set_params(iso_world *world, iso_body_id body, const iso_body3_params *params) {
    (void)world;
    seen.name = "iso_body3_set_params", seen.body = body, seen.params = *params;
    return ISO_OK;
}

iso_status __wrap_iso_body3_set_mass(iso_world *world, iso_body_id body, iso_wide mass, const iso_wide moments[3]) {
    (void)world;
    seen.name = "iso_body3_set_mass", seen.body = body, seen.mass = mass;
    memcpy(seen.moments, moments, sizeof seen.moments);
    return ISO_OK;
}

iso_status __wrap_iso_body3_set_position(iso_world *world, iso_body_id body, iso_vec3_wide position,
                                         iso_quat rotation) {
    (void)world;
    seen.name = "iso_body3_set_position", seen.body = body, seen.vectors[0] = position, seen.rotation = rotation;
    return ISO_OK;
}

static iso_status see(const char *name, iso_body_id body, iso_vec3_wide first, iso_vec3_wide second) {
    seen.name = name, seen.body = body, seen.vectors[0] = first, seen.vectors[1] = second;
    return ISO_OK;
}

iso_status __wrap_iso_body3_set_velocity(iso_world *world, iso_body_id body, iso_vec3_wide velocity,
                                         iso_vec3_wide angular_velocity) {
    (void)world;
    ++seen.velocities_set;
    see("iso_body3_set_velocity", body, velocity, angular_velocity);
    return seen.velocity_answer;
}

iso_status __wrap_iso_body3_apply_force(iso_world *world, iso_body_id body, iso_vec3_wide force, iso_vec3_wide point) {
    (void)world;
    return see("iso_body3_apply_force", body, force, point);
}

iso_status __wrap_iso_body3_apply_torque(iso_world *world, iso_body_id body, iso_vec3_wide torque) {
    (void)world;
    return see("iso_body3_apply_torque", body, torque, (iso_vec3_wide){0, 0, 0});
}

iso_status __wrap_iso_body3_apply_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse,
                                          iso_vec3_wide point) {
    (void)world;
    return see("iso_body3_apply_impulse", body, impulse, point);
}

iso_status __wrap_iso_body3_apply_angular_impulse(iso_world *world, iso_body_id body, iso_vec3_wide impulse) {
    (void)world;
    return see("iso_body3_apply_angular_impulse", body, impulse, (iso_vec3_wide){0, 0, 0});
}

iso_status __wrap_iso_shape3_set_friction(iso_world *world, iso_shape_id shape, fix16_t friction) {
    (void)world;
    seen.name = "iso_shape3_set_friction", seen.shape = shape, seen.number = friction;
    return ISO_OK;
}

iso_status __wrap_iso_shape3_set_restitution(iso_world *world, iso_shape_id shape, fix16_t restitution) {
    (void)world;
    seen.name = "iso_shape3_set_restitution", seen.shape = shape, seen.number = restitution;
    return ISO_OK;
}

iso_status __wrap_iso_shape3_set_density(iso_world *world, iso_shape_id shape, fix16_t density) {
    (void)world;
    seen.name = "iso_shape3_set_density", seen.shape = shape, seen.number = density;
    return ISO_OK;
}

iso_status __wrap_iso_world_set_gravity3(iso_world *world, iso_vec3 gravity) {
    (void)world;
    seen.name = "iso_world_set_gravity3", seen.gravity = gravity;
    return ISO_OK;
}

// ---- tests ---------------------------------------------------------------------------------------

static const iso_body_id BODY = {5, 7};
static const iso_shape_id SHAPE = {6, 9};
static const iso_vec3_wide FIRST = {1, 2, 3}, SECOND = {4, 5, 6};

static iso_status apply(iso_world *world, const iso_command *command, uint64_t *id) {
    memset(&seen, 0, offsetof(spy, shape_answer));
    return iso__space_command_apply(world, 0, command, id);
}

/// A command that only hands on: its arguments are the function's.
static void assert_calls(iso_world *world, const iso_command *command, const char *name) {
    uint64_t id = 77;
    assert_int_equal(apply(world, command, &id), ISO_OK);
    assert_int_equal(id, 77);
    assert_string_equal(seen.name, name);
}

static void test_pushes_call_their_functions(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_command c = {.kind = ISO_COMMAND_APPLY_FORCE3, .as.apply_force3 = {BODY, FIRST, SECOND}};
    assert_calls(world, &c, "iso_body3_apply_force");
    assert_memory_equal(seen.vectors, ((const iso_vec3_wide[]){FIRST, SECOND}), sizeof seen.vectors);
    c = (iso_command){.kind = ISO_COMMAND_APPLY_IMPULSE3, .as.apply_impulse3 = {BODY, FIRST, SECOND}};
    assert_calls(world, &c, "iso_body3_apply_impulse");
    assert_memory_equal(seen.vectors, ((const iso_vec3_wide[]){FIRST, SECOND}), sizeof seen.vectors);
    c = (iso_command){.kind = ISO_COMMAND_APPLY_TORQUE3, .as.apply_torque3 = {BODY, FIRST}};
    assert_calls(world, &c, "iso_body3_apply_torque");
    assert_memory_equal(seen.vectors, &FIRST, sizeof FIRST);
    c = (iso_command){.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE3, .as.apply_angular_impulse3 = {BODY, SECOND}};
    assert_calls(world, &c, "iso_body3_apply_angular_impulse");
    assert_memory_equal(seen.vectors, &SECOND, sizeof SECOND);
    c = (iso_command){.kind = ISO_COMMAND_SET_VELOCITY3, .as.set_velocity3 = {BODY, FIRST, SECOND}};
    assert_calls(world, &c, "iso_body3_set_velocity");
    assert_memory_equal(seen.vectors, ((const iso_vec3_wide[]){FIRST, SECOND}), sizeof seen.vectors);
    assert_memory_equal(&seen.body, &BODY, sizeof BODY);
    util_world_free(world);
}

static void test_changes_call_their_functions(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_command c = {.kind = ISO_COMMAND_SET_GRAVITY3, .as.set_gravity3 = {{7, 8, 9}}};
    assert_calls(world, &c, "iso_world_set_gravity3");
    assert_memory_equal(&seen.gravity, ((const fix16_t[]){7, 8, 9}), 12);
    c = (iso_command){.kind = ISO_COMMAND_SET_BODY_TYPE, .as.set_body_type = {BODY, ISO_BODY_STATIC}};
    assert_calls(world, &c, "iso_body3_set_type");
    assert_int_equal(seen.type, ISO_BODY_STATIC);
    c = (iso_command){.kind = ISO_COMMAND_SET_BODY_PARAMS3, .as.set_body_params3 = {BODY, {.angular_damping = 5}}};
    assert_calls(world, &c, "iso_body3_set_params");
    assert_int_equal(seen.params.angular_damping, 5);
    c = (iso_command){.kind = ISO_COMMAND_SET_BODY_MASS3, .as.set_body_mass3 = {BODY, 11, SECOND}};
    assert_calls(world, &c, "iso_body3_set_mass");
    assert_int_equal(seen.mass, 11);
    assert_memory_equal(seen.moments, &SECOND, sizeof SECOND);
    c = (iso_command){.kind = ISO_COMMAND_SET_BODY_POSITION3, .as.set_body_position3 = {BODY, FIRST, {1, 2, 3, 4}}};
    assert_calls(world, &c, "iso_body3_set_position");
    assert_memory_equal(&seen.rotation, ((const int32_t[]){1, 2, 3, 4}), 16);
    assert_memory_equal(seen.vectors, &FIRST, sizeof FIRST);
    c = (iso_command){.kind = ISO_COMMAND_SET_SHAPE_FRICTION, .as.set_shape_friction = {SHAPE, 3}};
    assert_calls(world, &c, "iso_shape3_set_friction");
    c = (iso_command){.kind = ISO_COMMAND_SET_SHAPE_RESTITUTION, .as.set_shape_restitution = {SHAPE, 3}};
    assert_calls(world, &c, "iso_shape3_set_restitution");
    c = (iso_command){.kind = ISO_COMMAND_SET_SHAPE_DENSITY, .as.set_shape_density = {SHAPE, 3}};
    assert_calls(world, &c, "iso_shape3_set_density");
    assert_int_equal(seen.number, 3);
    assert_memory_equal(&seen.shape, &SHAPE, sizeof SHAPE);
    util_world_free(world);
}

static iso_command spawn3(uint8_t type) {
    iso_command c = {.kind = ISO_COMMAND_SPAWN_BODY3,
                     .as.spawn_body3 = {iso_body3_def_default(), iso_shape3_def_sphere(METRE)}};
    c.as.spawn_body3.body.type = type;
    c.as.spawn_body3.body.velocity = FIRST;
    c.as.spawn_body3.body.angular_velocity = SECOND;
    c.as.spawn_body3.body.owner = (iso_owner){7, 3};     // ignored
    c.as.spawn_body3.body.params.linear_damping = METRE; // ignored
    return c;
}

static void test_a_spawned_body_belongs_to_its_member(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    iso_command c = spawn3(ISO_BODY_DYNAMIC);
    uint64_t id = 0;
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    const iso_body_id body = iso_body_id_unpack(id);
    assert_true(iso_body_is_valid(world, body));
    assert_int_equal(owner_of(world, body).slot, 0);
    assert_int_equal(owner_of(world, body).generation, 1);
    assert_int_equal(seen.def.params.linear_damping, 0);
    const iso_shape_id shape = iso_body_next_shape(world, body, 0);
    assert_int_equal(world->kernel->shape_owner(world, shape.index).slot, 0);
    // The velocities are set once more when the body has its shape.
    assert_int_equal(seen.velocities_set, 1);
    assert_memory_equal(seen.vectors, ((const iso_vec3_wide[]){FIRST, SECOND}), sizeof seen.vectors);
    c = spawn3(ISO_BODY_STATIC);
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    assert_int_equal(seen.velocities_set, 0);
    // A further shape belongs to who added it.
    c = (iso_command){.kind = ISO_COMMAND_CREATE_SHAPE3, .as.create_shape3 = {body, iso_shape3_def_sphere(METRE)}};
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    assert_int_equal(world->kernel->shape_owner(world, iso_shape_id_unpack(id).index).generation, 1);
    c = (iso_command){.kind = ISO_COMMAND_DESTROY_SHAPE, .as.destroy_shape = {iso_shape_id_unpack(id)}};
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    c = (iso_command){.kind = ISO_COMMAND_DESTROY_BODY, .as.destroy_body = {body}};
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    assert_false(iso_body_is_valid(world, body));
    util_world_free(world);
}

/// The root counts generations, used slots and spawned bodies.
static void test_a_refused_spawn_leaves_nothing(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    const iso_command c = spawn3(ISO_BODY_DYNAMIC);
    const uint64_t before = util_fresh_root(world);
    const iso_world_counts counts = counts_of(world);
    uint64_t id = 77;
    seen.shape_answer = ISO_ERR_GEOMETRY;
    assert_int_equal(apply(world, &c, &id), ISO_ERR_GEOMETRY);
    assert_int_equal(util_fresh_root(world), before);
    seen.shape_answer = ISO_OK;
    seen.velocity_answer = ISO_ERR_RANGE;
    assert_int_equal(apply(world, &c, &id), ISO_ERR_RANGE);
    assert_int_equal(util_fresh_root(world), before);
    assert_int_equal(id, 77);
    const iso_world_counts after = counts_of(world);
    assert_memory_equal(&after, &counts,
                        offsetof(iso_world_counts, awake_bodies)); // behind the last one stands padding
    assert_int_equal(after.awake_bodies, counts.awake_bodies);
    seen.velocity_answer = ISO_OK;
    assert_int_equal(apply(world, &c, &id), ISO_OK);
    assert_int_not_equal(util_fresh_root(world), before);
    util_world_free(world);
}

static void test_quotas_hold_in_space(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.game_params[3] = 3 * ISO_WIDE_ONE; // bodies_per_slot, with the member's own ball
    def.game_params[4] = 4 * ISO_WIDE_ONE; // shapes_per_slot, likewise
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change join = {ISO_CHANGE_JOIN, 0, 1};
    util_step(world, &join, 1, NULL, 0);
    const iso_command body = spawn3(ISO_BODY_DYNAMIC);
    uint64_t id = 0;
    assert_int_equal(apply(world, &body, &id), ISO_OK);
    assert_int_equal(apply(world, &body, &id), ISO_OK);
    assert_int_equal(apply(world, &body, &id), ISO_ERR_QUOTA);
    const iso_command shape = {.kind = ISO_COMMAND_CREATE_SHAPE3,
                               .as.create_shape3 = {iso_body_id_unpack(id), iso_shape3_def_sphere(METRE)}};
    assert_int_equal(apply(world, &shape, &id), ISO_OK);
    assert_int_equal(apply(world, &shape, &id), ISO_ERR_QUOTA);
    util_world_free(world);
}

static void test_what_space_has_not_is_refused(void **state) {
    (void)state;
    iso_world *world = util_world_lively(3);
    uint64_t id = 77;
    const uint64_t before = util_fresh_root(world);
#define REFUSED(NAME, number, snake, worlds)                                             \
    {                                                                                    \
        const iso_command c = {.kind = ISO_COMMAND_##NAME};                              \
        const bool is_of_plane = iso_command_dimensions(c.kind) == ISO_COMMAND_IN_PLANE; \
        assert_true(!is_of_plane || apply(world, &c, &id) == ISO_ERR_BAD_ENUM);          \
    }
    ISO_COMMAND_KIND_LIST(REFUSED)
#undef REFUSED
    assert_int_equal(util_fresh_root(world), before);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushes_call_their_functions),
        cmocka_unit_test(test_changes_call_their_functions),
        cmocka_unit_test(test_a_spawned_body_belongs_to_its_member),
        cmocka_unit_test(test_a_refused_spawn_leaves_nothing),
        cmocka_unit_test(test_quotas_hold_in_space),
        cmocka_unit_test(test_what_space_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
