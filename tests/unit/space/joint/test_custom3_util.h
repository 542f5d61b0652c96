/// What the tests of joints in space with rows of their own share: a game with constraints, its world, sources in
/// symbols.
#ifndef TEST_CUSTOM3_UTIL_H
#define TEST_CUSTOM3_UTIL_H

#include "isostep/constraint.h"
#include "isostep/joint.h"
#include "isostep/program.h"
#include "isostep/snapshot.h"
#include "space/world/space.h"
#include "unit/space/joint/joint3_util.h"

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

#define BOX_HALF ((vec3){0.4, 0.2, 0.3})

// ---- a game's constraints ------------------------------------------------------------------------

/// A vector of a body's frame in the world.
static inline void user_turn(const iso_constraint3_body *body, const iso_wide *v, iso_wide *r) {
    for (int i = 0; i < 3; ++i) {
        r[i] = 0;
        for (int axis = 0; axis < 3; ++axis) {
            r[i] = iso_wide_add(r[i], iso_wide_mul(v[axis], (iso_wide)body->axes[axis][i] * 4));
        }
    }
}

/// J of d . (x + r), for a sign: r x d by a turning.
static inline void user_fill(iso_wide *jacobian, int d, const iso_wide *r, iso_wide sign) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    jacobian[d] = sign * ISO_WIDE_ONE;
    jacobian[3 + e] = sign * r[f];
    jacobian[3 + f] = -sign * r[e];
}

static inline void pivot_rows(const iso_constraint3_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_constraint3_rows *rows) {
    (void)state;
    iso_wide r[2][3];
    user_turn(&bodies[0], params->vectors3[0], r[0]);
    user_turn(&bodies[1], params->vectors3[1], r[1]);
    for (int d = 0; d < 3; ++d) {
        rows->error[d] = bodies[1].position[d] + r[1][d] - bodies[0].position[d] - r[0][d];
        user_fill(rows->jacobian[d][0], d, r[0], -1);
        user_fill(rows->jacobian[d][1], d, r[1], 1);
    }
}

/// One body: its centre does not fall below a height, by at most a force; its state counts ticks and breaks.
static inline iso_status shelf_check(const iso_program_params *params) {
    return params->scalars[1] >= 0 ? ISO_OK : ISO_ERR_RANGE;
}

static inline void shelf_prepare(const iso_constraint3_body *bodies, const iso_program_params *params,
                                 iso_wide *state) {
    (void)params;
    state[0] += 1;
    state[2] = bodies[0].position[1];
}

static inline void shelf_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low,
                                iso_wide *high) {
    (void)state;
    low[0] = params->scalars[0];
    high[0] = ISO_WIDE_MAX;
}

static inline void shelf_rows(const iso_constraint3_body *bodies, const iso_program_params *params,
                              const iso_wide *state, iso_constraint3_rows *rows) {
    (void)params;
    (void)state;
    rows->error[0] = bodies[0].position[1];
    rows->jacobian[0][0][1] = ISO_WIDE_ONE;
}

static inline void shelf_strength(const iso_program_params *params, const iso_wide *state, iso_wide *most) {
    (void)state;
    most[0] = params->scalars[1];
}

static inline void shelf_broken(const iso_program_params *params, iso_wide *state) {
    (void)params;
    state[1] += 1;
}

/// Brings the turning of B against A about the world's z axis to a rate.
static inline void pace_rows(const iso_constraint3_body *bodies, const iso_program_params *params,
                             const iso_wide *state, iso_constraint3_rows *rows) {
    (void)bodies;
    (void)state;
    rows->error[0] = -params->scalars[0];
    rows->jacobian[0][0][5] = -ISO_WIDE_ONE;
    rows->jacobian[0][1][5] = ISO_WIDE_ONE;
}

/// Rows of the numbers that `wild` has.
static iso_constraint3_rows wild;

static inline void wild_rows(const iso_constraint3_body *bodies, const iso_program_params *params,
                             const iso_wide *state, iso_constraint3_rows *rows) {
    (void)bodies;
    (void)params;
    (void)state;
    *rows = wild;
}

static inline void flat_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                             iso_constraint_rows *rows) {
    (void)bodies;
    (void)params;
    (void)state;
    rows->jacobian[0][0][0] = ISO_WIDE_ONE;
}

enum { PIVOT, SHELF, PACE, WILD, FLAT, USER_COUNT };

static const char *const user_vectors[] = {"anchor1", "anchor2"};
static const char *const user_scalars[] = {"low", "most"};
static const iso_constraint user_constraints[USER_COUNT] = {
    [PIVOT] = {.name = "pivot",
               .body_count = 2,
               .vector_count = 2,
               .row_count = 3,
               .vector_names = user_vectors,
               .rows3 = pivot_rows},
    [SHELF] = {.name = "shelf",
               .body_count = 1,
               .scalar_count = 2,
               .row_count = 1,
               .scalar_names = user_scalars,
               .check = shelf_check,
               .prepare3 = shelf_prepare,
               .bounds = shelf_bounds,
               .strength = shelf_strength,
               .broken = shelf_broken,
               .rows3 = shelf_rows},
    [PACE] = {.name = "pace",
              .body_count = 2,
              .scalar_count = 1,
              .row_count = 1,
              .angular_rows = 1,
              .velocity_rows = 1,
              .scalar_names = user_scalars,
              .rows3 = pace_rows},
    [WILD] = {.name = "wild", .body_count = 2, .row_count = 6, .angular_rows = 56, .rows3 = wild_rows},
    [FLAT] = {.name = "flat", .body_count = 2, .row_count = 1, .rows = flat_rows},
};
static const iso_game user_game = {.name = "user",
                                   .version = 1,
                                   .control_layout = "none",
                                   .dimensions = 12,
                                   .constraints = user_constraints,
                                   .constraint_count = USER_COUNT};

static inline iso_world *user_world_of(iso_world_def def, const iso_game *game) {
    def.program_capacity = 4;
    def.custom_joint_capacity = 12;
    memcpy(def.game, game->name, strlen(game->name));
    const size_t size = iso_world_size(&def, game);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xA5, size); // nothing may rely on clean memory
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, game, memory, size, &world), ISO_OK);
    return world;
}

static inline iso_world *user_world(double gravity, const iso_game *game) {
    return user_world_of(space_def(gravity), game);
}

/// A constraint of the game, or of the world's program, between two bodies or, with a null A, of one.
static inline iso_joint3_def custom3_def(uint8_t kind, uint32_t constraint, iso_body_id a, iso_body_id b) {
    iso_joint3_def def = iso_joint3_def_default(kind);
    def.constraint = constraint;
    def.body_a = a;
    def.body_b = b;
    return def;
}

static inline void custom3_vector(iso_joint3_def *def, int index, vec3 v) {
    def->params.vectors3[index][0] = wide(v.x);
    def->params.vectors3[index][1] = wide(v.y);
    def->params.vectors3[index][2] = wide(v.z);
}

// ---- sources in symbols --------------------------------------------------------------------------

#define FRAMES3                                      \
    "body a, b\n"                                    \
    "vector anchor1, anchor2, x1, y1, z1, x2, y2\n"  \
    "constraint\n"                                   \
    "let r1 = relative a.rotation anchor1 in\n"      \
    "let r2 = relative b.rotation anchor2 in\n"      \
    "let e = b.position + r2 - a.position - r1 in\n" \
    "let xa = relative a.rotation x1 in\n"           \
    "let ya = relative a.rotation y1 in\n"           \
    "let za = relative a.rotation z1 in\n"           \
    "let xb = relative b.rotation x2 in\n"           \
    "let yb = relative b.rotation y2 in\n"
#define BALL3      FRAMES3 "e"
#define HINGE3     FRAMES3 "{ e ya dot (xa cross xb) za dot (xa cross xb) }"
#define SLIDER3    FRAMES3 "{ ya dot e za dot e ya dot xb za dot xb za dot yb }"
#define UNIVERSAL3 FRAMES3 "{ e xa dot xb }"

static inline uint32_t program3_add(iso_world *world, const char *source) {
    static iso_program_scratch scratch;
    iso_program program;
    iso_program_error error = {0, 0, ""};
    const iso_status status = iso_program3_compile(source, strlen(source), &scratch, &program, &error);
    EXPECT(status == ISO_OK, "%u:%u: %s\n%s", error.line, error.column, error.message, source);
    uint32_t index = UINT32_MAX;
    EXPECT_STATUS(iso_world_add_program(world, &program, &index), ISO_OK);
    return index;
}

// ---- states --------------------------------------------------------------------------------------

typedef struct blob {
    uint8_t *bytes;
    size_t size;
} blob;

static inline blob snapshot_of(const iso_world *world) {
    blob s = {NULL, iso_snapshot_size(world)};
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    assert_int_equal(iso_snapshot_encode(world, s.bytes, s.size), s.size);
    return s;
}

static inline void assert_same_future(iso_world *a, iso_world *b, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        assert_true(iso_world_root(a) == iso_world_root(b));
        world_steps(a, 1);
        world_steps(b, 1);
    }
    assert_true(iso_world_root(a) == iso_world_root(b));
}

#endif
