/// What the tests of worlds in space share: worlds, bodies, rotations as doubles.
#ifndef TEST_SPACE_UTIL_H
#define TEST_SPACE_UTIL_H

#include "unit/world/physics_util.h"

#include "isostep/body3.h"
#include "isostep/shape3.h"
#include "isostep/vec3.h"

#define QUANTUM_UNIT (1.0 / 1073741824.0)

typedef struct vector {
    double x[3];
} vector;

/// A rotation matrix, rows.
typedef struct matrix {
    double m[3][3];
} matrix;

static inline vector vector_of(iso_vec3_wide v) {
    return (vector){{from_wide(v.x), from_wide(v.y), from_wide(v.z)}};
}

static inline iso_vec3_wide wide3(double x, double y, double z) {
    return (iso_vec3_wide){wide(x), wide(y), wide(z)};
}

static inline iso_vec3 fix3(double x, double y, double z) {
    return (iso_vec3){fix(x), fix(y), fix(z)};
}

static inline vector cross(vector a, vector b) {
    return (vector){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline double dot(vector a, vector b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static inline double length(vector a) {
    return sqrt(dot(a, a));
}

static inline vector sum(vector a, double s, vector b) {
    return (vector){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}

static inline vector turned(const matrix *R, vector v) {
    vector is;
    for (int i = 0; i < 3; ++i) {
        is.x[i] = R->m[i][0] * v.x[0] + R->m[i][1] * v.x[1] + R->m[i][2] * v.x[2];
    }
    return is;
}

static inline vector turned_back(const matrix *R, vector v) {
    vector is;
    for (int i = 0; i < 3; ++i) {
        is.x[i] = R->m[0][i] * v.x[0] + R->m[1][i] * v.x[1] + R->m[2][i] * v.x[2];
    }
    return is;
}

static inline matrix product(const matrix *a, const matrix *b) {
    matrix is;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            is.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return is;
}

static inline matrix matrix_of_doubles(const double q[4]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return (matrix){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                     {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                     {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static inline matrix matrix_of(iso_quat q) {
    return matrix_of_doubles(
        (double[4]){q.x * QUANTUM_UNIT, q.y * QUANTUM_UNIT, q.z * QUANTUM_UNIT, q.w * QUANTUM_UNIT});
}

static inline double quat_length(iso_quat q) {
    const double x = q.x * QUANTUM_UNIT, y = q.y * QUANTUM_UNIT, z = q.z * QUANTUM_UNIT, w = q.w * QUANTUM_UNIT;
    return sqrt(x * x + y * y + z * z + w * w);
}

static inline double rng_sign(rng *random) {
    return rng_range(random, -1, 1);
}

static inline vector rng_vector(rng *random, double size) {
    return (vector){{size * rng_sign(random), size * rng_sign(random), size * rng_sign(random)}};
}

static inline iso_quat rng_quat(rng *random) {
    return iso_quat_normalize(
        (iso_quat){(int32_t)(rng_next(random) >> 34) - (1 << 29), (int32_t)(rng_next(random) >> 34) - (1 << 29),
                   (int32_t)(rng_next(random) >> 34) - (1 << 29), (int32_t)(rng_next(random) >> 34) - (1 << 29)});
}

// ---- worlds and bodies ---------------------------------------------------------------------------

/// A small world in space without gravity, in which nothing sleeps.
static inline iso_world_def space_def(void) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = 3;
    def.body_capacity = 64;
    def.shape_capacity = 128;
    def.joint_capacity = 8;
    def.contact_capacity = 256;
    def.slot_capacity = 0;
    def.gravity = (iso_vec2){0, 0};
    def.sleep_speed = 0;
    return def;
}

static inline iso_world *space_make(void) {
    const iso_world_def def = space_def();
    return world_make(&def);
}

static inline iso_body_id body3_add(iso_world *world, iso_body_type type, iso_vec3_wide position, iso_quat rotation) {
    iso_body3_def def = iso_body3_def_default();
    def.type = (uint8_t)type;
    def.position = position;
    def.rotation = rotation;
    iso_body_id body = {0, 0};
    EXPECT_STATUS(iso_body3_create(world, &def, &body), ISO_OK);
    return body;
}

static inline iso_shape_id shape3_add(iso_world *world, iso_body_id body, const iso_shape3_def *def) {
    iso_shape_id shape = {0, 0};
    EXPECT_STATUS(iso_shape3_create(world, body, def, &shape), ISO_OK);
    return shape;
}

/// A dynamic body of one shape at the origin.
static inline iso_body_id body3_of(iso_world *world, const iso_shape3_def *shape) {
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(0, 0, 0), iso_quat_identity());
    shape3_add(world, body, shape);
    return body;
}

static inline iso_body3_view view3(const iso_world *world, iso_body_id body) {
    iso_body3_view view;
    EXPECT_STATUS(iso_body3_get(world, body, &view), ISO_OK);
    return view;
}

static inline iso_shape3_def box3(double x, double y, double z) {
    return iso_shape3_def_box(fix(x), fix(y), fix(z));
}

static inline void body3_set_velocity(iso_world *world, iso_body_id body, vector v, vector w) {
    EXPECT_STATUS(iso_body3_set_velocity(world, body, wide3(v.x[0], v.x[1], v.x[2]), wide3(w.x[0], w.x[1], w.x[2])),
                  ISO_OK);
}

/// A dynamic body with these moments: a ball of 1 m whose own moments they are, 10 kg.
static inline iso_body_id body3_with_moments(iso_world *world, double a, double b, double c) {
    iso_shape3_def ball = iso_shape3_def_sphere(fix(0.9));
    const iso_body_id body = body3_of(world, &ball);
    const iso_wide moments[3] = {wide(a), wide(b), wide(c)};
    EXPECT_STATUS(iso_body3_set_mass(world, body, wide(10), moments), ISO_OK);
    return body;
}

static inline double body3_energy(const iso_world *world, iso_body_id body) {
    iso_wide energy;
    EXPECT_STATUS(iso_body3_get_kinetic_energy(world, body, &energy), ISO_OK);
    return from_wide(energy);
}

#endif
