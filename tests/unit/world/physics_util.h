/// What the tests of physics share: worlds on the heap, numbers as doubles, random poses, messages with figures.
#ifndef TEST_PHYSICS_UTIL_H
#define TEST_PHYSICS_UTIL_H

#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/isostep.h"
#include "unit/random.h"

#define PI  3.14159265358979323846
#define ONE ISO_FIX16_ONE

/// The quanta of the formats, as doubles.
#define QUANTUM_FIX16    (1.0 / 65536.0)
#define QUANTUM_VELOCITY (1.0 / 524288.0)
#define QUANTUM_LENGTH   (1.0 / 16777216.0)
#define QUANTUM_WIDE     (1.0 / 4294967296.0)

/// Fails with a message that carries figures.
#define EXPECT(condition, ...)     \
    do {                           \
        if (!(condition)) {        \
            fail_msg(__VA_ARGS__); \
        }                          \
    } while (0)

/// |actual - expected| <= bound; the text says what was compared.
#define EXPECT_NEAR(actual, expected, bound, ...)                                                                 \
    do {                                                                                                          \
        const double near_actual = (actual), near_expected = (expected), near_bound = (bound);                    \
        if (!(fabs(near_actual - near_expected) <= near_bound)) {                                                 \
            char near_text[200];                                                                                  \
            snprintf(near_text, sizeof near_text, __VA_ARGS__);                                                   \
            fail_msg("%s: %.12g, expected %.12g within %.3g, off by %.3g", near_text, near_actual, near_expected, \
                     near_bound, near_actual - near_expected);                                                    \
        }                                                                                                         \
    } while (0)

#define EXPECT_STATUS(call, expected) assert_string_equal(iso_status_name(call), iso_status_name(expected))

static inline fix16_t fix(double value) {
    return (fix16_t)lround(value * 65536.0);
}

static inline iso_wide wide(double value) {
    return (iso_wide)llround(value * 4294967296.0);
}

static inline double from_fix(fix16_t value) {
    return value / 65536.0;
}

static inline double from_wide(iso_wide value) {
    return (double)value / 4294967296.0;
}

// ---- random numbers, the same in every run -------------------------------------------------------

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *random) {
    return random_u64(&random->state);
}

static inline double rng_range(rng *random, double low, double high) {
    return low + (high - low) * ((double)(rng_next(random) >> 11) / 9007199254740992.0);
}

static inline uint32_t rng_below(rng *random, uint32_t end) {
    return (uint32_t)(rng_next(random) % end);
}

// ---- worlds --------------------------------------------------------------------------------------

static inline iso_world *world_make(const iso_world_def *def) {
    const size_t size = iso_world_size(def, NULL);
    assert_true(size > 0);
    // A test makes thousands of worlds: giving the memory of each back to the system takes longer than the rest.
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xA5, size); // nothing may rely on clean memory
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(def, NULL, memory, size, &world), ISO_OK);
    return world;
}

static inline void world_free(iso_world *world) {
    free(world); // the world stands at the begin of its memory
}

/// A small world with the usual settings and this gravity along y, in which nothing sleeps.
static inline iso_world_def world_def_small(double gravity) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = 256;
    def.shape_capacity = 512;
    def.joint_capacity = 64;
    def.contact_capacity = 1024;
    def.slot_capacity = 0;
    def.gravity = (iso_vec2){0, fix(gravity)};
    def.sleep_speed = 0;
    return def;
}

static inline iso_world *world_make_small(double gravity) {
    const iso_world_def def = world_def_small(gravity);
    return world_make(&def);
}

static inline void world_steps(iso_world *world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        EXPECT_STATUS(iso_world_step_empty(world), ISO_OK);
    }
}

/// Gives `to` the state of `from`, by its memory image or by a snapshot.
static inline void world_carry(iso_world *to, const iso_world *from, bool by_snapshot) {
    const size_t size = by_snapshot ? iso_snapshot_size(from) : iso_world_image_size(from);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(by_snapshot ? iso_snapshot_encode(from, bytes, size) : iso_world_save(from, bytes, size), size);
    EXPECT_STATUS(by_snapshot ? iso_snapshot_decode(to, bytes, size) : iso_world_restore(to, bytes, size), ISO_OK);
    free(bytes);
}

static inline double world_substep(const iso_world *world) {
    const iso_world_def *def = iso_world_get_def(world);
    return 1.0 / ((double)def->tick_rate_hz * def->substep_count);
}

static inline double world_tick(const iso_world *world) {
    return 1.0 / iso_world_get_def(world)->tick_rate_hz;
}

static inline iso_world_counts world_counts(const iso_world *world) {
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    return counts;
}

// ---- bodies --------------------------------------------------------------------------------------

/// A body without shapes. [m], [rad]
static inline iso_body_id body_add(iso_world *world, iso_body_type type, double x, double y, double angle) {
    iso_body_def def = iso_body_def_default();
    def.type = (uint8_t)type;
    def.position = iso_vec2_to_wide((iso_vec2){fix(x), fix(y)});
    def.angle = iso_wide_from_fix16(fix(angle));
    iso_body_id body = {0, 0};
    EXPECT_STATUS(iso_body_create(world, &def, &body), ISO_OK);
    return body;
}

static inline iso_shape_id shape_add(iso_world *world, iso_body_id body, const iso_shape_def *def) {
    iso_shape_id shape = {0, 0};
    EXPECT_STATUS(iso_shape_create(world, body, def, &shape), ISO_OK);
    return shape;
}

static inline iso_body_id body_add_shape(iso_world *world, iso_body_type type, double x, double y, double angle,
                                         const iso_shape_def *def) {
    const iso_body_id body = body_add(world, type, x, y, angle);
    shape_add(world, body, def);
    return body;
}

static inline iso_shape_def shape_box(double half_width, double half_height) {
    return iso_shape_def_box(fix(half_width), fix(half_height));
}

static inline iso_shape_def shape_circle(double radius) {
    return iso_shape_def_circle(fix(radius));
}

static inline iso_body_view body_view(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    EXPECT_STATUS(iso_body_get(world, body, &view), ISO_OK);
    return view;
}

/// What a test reads of a body. [m], [rad], [m/s], [rad/s] of the centre of mass
typedef struct pose {
    double x, y, angle, vx, vy, w, mass, inertia;
} pose;

static inline pose body_pose(const iso_world *world, iso_body_id body) {
    const iso_body_view view = body_view(world, body);
    return (pose){from_wide(view.centre.x),   from_wide(view.centre.y),   2 * PI * from_wide(view.angle_turns),
                  from_wide(view.velocity.x), from_wide(view.velocity.y), from_wide(view.angular_velocity),
                  from_wide(view.mass),       from_wide(view.inertia)};
}

static inline void body_set_velocity(iso_world *world, iso_body_id body, double vx, double vy, double w) {
    EXPECT_STATUS(
        iso_body_set_velocity(world, body, iso_vec2_to_wide((iso_vec2){fix(vx), fix(vy)}), iso_wide_from_fix16(fix(w))),
        ISO_OK);
}

static inline iso_shape_def shape_capsule(double ax, double ay, double bx, double by, double radius) {
    return iso_shape_def_capsule((iso_vec2){fix(ax), fix(ay)}, (iso_vec2){fix(bx), fix(by)}, fix(radius));
}

/// A capsule whose ends are at most `size` from the origin, on either side of it.
static inline iso_shape_def shape_capsule_random(rng *random, double size, double radius) {
    const double turn = rng_range(random, 0, 2 * PI), a = size * rng_range(random, 0.05, 1),
                 b = size * rng_range(random, 0, 1);
    return shape_capsule(a * cos(turn), a * sin(turn), -b * cos(turn), -b * sin(turn), radius);
}

/// A convex polygon with its points on an ellipse at random angles, none too close together.
static inline iso_shape_def shape_polygon_random(rng *random, uint32_t count, double radius_x, double radius_y,
                                                 double rounding) {
    iso_shape_def def = iso_shape_def_default();
    def.kind = ISO_SHAPE_POLYGON;
    def.point_count = (uint8_t)count;
    def.radius = fix(rounding);
    const double turn = rng_range(random, 0, 2 * PI);
    for (uint32_t i = 0; i < count; ++i) {
        const double angle = turn + 2 * PI * (i + rng_range(random, 0, 0.6)) / count;
        def.points[i] = (iso_vec2){fix(radius_x * cos(angle)), fix(radius_y * sin(angle))};
    }
    return def;
}

#endif
