/// A room of random shapes of all kinds with their twins, and what tests of queries check hits with.
#ifndef TEST_ROOM3_H
#define TEST_ROOM3_H

#include "twin3.h"

#include "isostep/query3.h"

#include "world/world.h"

#define HITS_MAX 256u
#define SHAPES   60
/// 2^-30 of a distance, shapes of a few metres, places rounded to Q31.32; and what doubles lose 100 m out.
#define EXACT 5e-8

typedef struct room {
    iso_world *world;
    iso_shape_id shapes[SHAPES];
    twin twins[SHAPES];
    vector middles[SHAPES]; // a ball that has all of a shape in it
    double reaches[SHAPES];
    iso_shape3_def defs[SHAPES];
    uint32_t count;
    double size;
    iso_vec3_wide origin; // the middle of it; all doubles are relative to this
} room;

static inline iso_shape3_def shape_any(rng *random, double size, uint32_t kind) {
    iso_shape3_def def = iso_shape3_def_sphere(fix(size * rng_range(random, 0.2, 1)));
    const vector a = rng_vector(random, size), b = rng_vector(random, size);
    switch (kind) {
    case ISO_SHAPE3_SPHERE:
        def.points[0] = fix3(a.x[0] / 2, a.x[1] / 2, a.x[2] / 2);
        break;
    case ISO_SHAPE3_CAPSULE:
        def = iso_shape3_def_capsule(fix3(a.x[0], a.x[1], a.x[2]), fix3(b.x[0], b.x[1], b.x[2]),
                                     fix(size * rng_range(random, 0.05, 0.5)));
        break;
    case ISO_SHAPE3_BOX:
        def = box3(size * rng_range(random, 0.05, 1), size * rng_range(random, 0.05, 1),
                   size * rng_range(random, 0.05, 1));
        def.points[0] = fix3(a.x[0] / 2, a.x[1] / 2, a.x[2] / 2);
        def.rotation = rng_below(random, 3) != 0 ? rng_quat(random) : iso_quat_identity();
        break;
    case ISO_SHAPE3_HULL: {
        iso_vec3 points[10];
        const uint32_t count = 4 + rng_below(random, 7);
        for (uint32_t i = 0; i < count; ++i) {
            const vector v = rng_vector(random, 1);
            const double r = size * rng_range(random, 0.7, 1) / fmax(length(v), 0.1);
            points[i] = fix3(r * v.x[0], r * v.x[1], r * v.x[2]);
        }
        def = iso_shape3_def_hull(points, count);
        break;
    }
    default:
        def = iso_shape3_def_plane(fix3(b.x[0], b.x[1], b.x[2]), fix(-10 * size));
    }
    def.filter.category = 1u << rng_below(random, 3);
    def.filter.mask = rng_below(random, 8);
    return def;
}

/// Whether a solid's faces are as the twin has them: none was joined to another that is not quite in its plane.
static inline bool twin_is_even(const twin *is) {
    for (uint32_t f = 0; f < is->face_count; ++f) {
        for (uint32_t v = 0; v < is->count; ++v) {
            const double height = is->faces[f].offset - dot(is->faces[f].n, is->points[v]);
            if (height > 1e-7 && height < 1e-3) {
                return false;
            }
        }
    }
    return true;
}

static inline vector room_vec(const room *is, iso_vec3_wide place) {
    return vector_of((iso_vec3_wide){place.x - is->origin.x, place.y - is->origin.y, place.z - is->origin.z});
}

static inline iso_vec3_wide room_place(const room *is, vector p) {
    return (iso_vec3_wide){is->origin.x + wide(p.x[0]), is->origin.y + wide(p.x[1]), is->origin.z + wide(p.x[2])};
}

static inline twin room_twin(const room *is, iso_shape_id shape) {
    iso_shape3_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape3_get(is->world, shape, &def, &body), ISO_OK);
    const iso_body3_view view = view3(is->world, body);
    const matrix R = matrix_of(view.rotation);
    return twin_of_def(&def, room_vec(is, view.position), &R);
}

static inline void room_add_shape(room *is, iso_body_id body, const iso_shape3_def *def) {
    iso_shape_id shape;
    if (iso_shape3_create(is->world, body, def, &shape) == ISO_OK) {
        const twin made = room_twin(is, shape);
        if (def->kind == ISO_SHAPE3_HULL && !twin_is_even(&made)) {
            EXPECT_STATUS(iso_shape_destroy(is->world, shape), ISO_OK);
            return;
        }
        is->defs[is->count] = *def;
        is->shapes[is->count++] = shape;
    }
}

/// Bodies of one to three shapes, some of them destroyed again, so that indices have gaps; and one half-space.
static inline void room_make(room *is, uint64_t seed, double size, double far) {
    rng random = {seed};
    *is = (room){.world = space_make(), .size = size, .origin = wide3(far, -far, far / 3)};
    while (is->count < SHAPES) {
        const double spread = 6 * size;
        const bool is_plane = is->count == 7;
        const iso_body_id body =
            body3_add(is->world, rng_below(&random, 2) && !is_plane ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC,
                      room_place(is, rng_vector(&random, spread)), rng_quat(&random));
        for (uint32_t i = 0; i < 1 + rng_below(&random, 3) && is->count < SHAPES; ++i) {
            const iso_shape3_def def =
                shape_any(&random, size, is_plane ? ISO_SHAPE3_PLANE : 1 + rng_below(&random, 4));
            room_add_shape(is, body, &def);
        }
        if (rng_below(&random, 5) == 0) {
            const iso_body_id gone = body3_of(is->world, &is->defs[0]);
            EXPECT_STATUS(iso_body_destroy(is->world, gone), ISO_OK);
        }
    }
    for (uint32_t i = 0; i < is->count; ++i) {
        is->twins[i] = room_twin(is, is->shapes[i]);
        vector middle = {{0, 0, 0}};
        for (uint32_t v = 0; v < is->twins[i].count; ++v) {
            middle = sum(middle, 1.0 / is->twins[i].count, is->twins[i].points[v]);
        }
        is->middles[i] = middle;
        is->reaches[i] = is->twins[i].count == 0 ? HUGE_VAL : 0;
        for (uint32_t v = 0; v < is->twins[i].count; ++v) {
            is->reaches[i] = fmax(is->reaches[i], length(apart(is->twins[i].points[v], middle)) + is->twins[i].radius);
        }
    }
}

static inline uint32_t room_find(const room *is, iso_shape_id shape) {
    for (uint32_t i = 0; i < is->count; ++i) {
        if (is->shapes[i].index == shape.index && is->shapes[i].generation == shape.generation) {
            return i;
        }
    }
    fail_msg("a hit names the shape %u:%u, which is not there", shape.index, shape.generation);
    return 0;
}

static inline iso_query_filter filter_any(rng *random) {
    return rng_below(random, 2) ? iso_query_filter_default()
                                : (iso_query_filter){1 + rng_below(random, 7), 1 + rng_below(random, 7)};
}

static inline bool room_sees(const room *is, uint32_t i, iso_query_filter filter) {
    const iso_filter of = is->defs[i].filter;
    return (of.category & filter.mask) != 0 && (of.mask & filter.category) != 0;
}

static inline vector unit_of(iso_unit3 n) {
    return (vector){{n.x * QUANTUM_UNIT, n.y * QUANTUM_UNIT, n.z * QUANTUM_UNIT}};
}

static inline bool is_zero(iso_unit3 n) {
    return (n.x | n.y | n.z) == 0;
}

/// Hits have a hole: copies without what is in it.
#define CLEAN(type, key)                                          \
    static inline void clean_##type(type *hits, uint32_t count) { \
        for (uint32_t i = 0; i < count; ++i) {                    \
            const type hit = hits[i];                             \
            memset(&hits[i], 0, sizeof hit);                      \
            hits[i].shape = hit.shape;                            \
            hits[i].body = hit.body;                              \
            hits[i].point = hit.point;                            \
            hits[i].normal = hit.normal;                          \
            hits[i].key = hit.key;                                \
        }                                                         \
    }
CLEAN(iso_point3_hit, distance)
CLEAN(iso_ray3_hit, fraction)
CLEAN(iso_cast3_hit, fraction)

static inline uint32_t at_most(uint32_t count, uint32_t most) {
    return count < most ? count : most;
}

// ---- ways ----------------------------------------------------------------------------------------

/// A point on a ray, or a shape on its way, against a twin.
typedef struct way {
    const twin *of;
    const twin *moving; // NULL: a point
    vector o, d;
} way;

static inline double way_depth(const way *is, double s) {
    if (is->moving == NULL) {
        return twin_distance(is->of, sum(is->o, s, is->d));
    }
    twin moved = *is->moving;
    for (uint32_t i = 0; i < moved.count; ++i) {
        moved.points[i] = sum(moved.points[i], s, is->d);
    }
    for (uint32_t f = 0; f < moved.face_count; ++f) {
        moved.faces[f].offset += s * dot(moved.faces[f].n, is->d);
    }
    return twin_separation(&moved, is->of);
}

/// @param deepest  the least signed distance along the way
/// @return where it enters, as a share of the way, when it does
static inline double way_truth(const way *is, int thirds, double *deepest) {
    double low = 0, high = 1;
    for (int i = 0; i < thirds; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const bool falls = way_depth(is, a) >= way_depth(is, b);
        low = falls ? a : low;
        high = falls ? high : b;
    }
    const double at = (low + high) / 2, begin = way_depth(is, 0), end = way_depth(is, 1), middle = way_depth(is, at);
    *deepest = fmin(middle, fmin(begin, end));
    low = 0;
    high = middle <= fmin(begin, end) ? at : begin < end ? 0 : 1;
    for (int i = 0; i < thirds; ++i) {
        const double half = (low + high) / 2;
        *(way_depth(is, half) > 0 ? &low : &high) = half;
    }
    return high;
}

#endif
