/// A digest of what queries answer about a world in space: the same questions each time, around the origin, where the
/// scenes are.
#ifndef ISO_GOLDEN_QUERY3_H
#define ISO_GOLDEN_QUERY3_H

#include "golden_mix.h"

static inline uint64_t golden_mix_vec3(uint64_t digest, iso_vec3_wide v) {
    return golden_mix(golden_mix(golden_mix(digest, v.x), v.y), v.z);
}

static inline uint64_t golden_mix_hit3(uint64_t digest, iso_shape_id shape, iso_vec3_wide point, iso_unit3 normal,
                                       iso_wide value) {
    digest = golden_mix_vec3(golden_mix(digest, shape.index), point);
    digest = golden_mix(golden_mix(golden_mix(digest, normal.x), normal.y), normal.z);
    return golden_mix(digest, value);
}

/// A place within 16 m of the origin, 2 m below to 14 m above it.
static inline iso_vec3_wide golden_place3(uint64_t *state) {
    const int64_t half = INT64_C(1) << 36;
    const int64_t x = golden_random(state, 37) - half, y = golden_random(state, 36) - 2 * ISO_WIDE_ONE;
    return (iso_vec3_wide){x, y, golden_random(state, 37) - half};
}

static inline uint64_t golden_digest_rays3(const iso_world *world, iso_vec3_wide from, iso_vec3_wide way,
                                           uint64_t digest) {
    iso_ray3_hit hits[GOLDEN_HITS];
    uint32_t count = 0;
    iso_query3_ray_all(world, from, way, iso_query_filter_default(), hits, GOLDEN_HITS, &count);
    digest = golden_mix(digest, count);
    for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
        digest = golden_mix_hit3(digest, hits[h].shape, hits[h].point, hits[h].normal, hits[h].fraction);
    }
    return digest;
}

static inline uint64_t golden_digest_points3(const iso_world *world, iso_vec3_wide point, uint64_t digest) {
    iso_point3_hit hits[GOLDEN_HITS];
    uint32_t count = 0;
    iso_query3_nearest(world, point, 4 * ISO_WIDE_ONE, iso_query_filter_default(), hits, GOLDEN_HITS, &count);
    digest = golden_mix(digest, count);
    for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
        digest = golden_mix_hit3(digest, hits[h].shape, hits[h].point, hits[h].normal, hits[h].distance);
    }
    return digest;
}

/// A capsule that overlaps, and a box on its way.
static inline uint64_t golden_digest_shapes3(const iso_world *world, iso_vec3_wide from, iso_vec3_wide way,
                                             uint64_t digest) {
    const iso_shape3_def capsule =
        iso_shape3_def_capsule((iso_vec3){-ISO_FIX16_ONE, 0, 0}, (iso_vec3){ISO_FIX16_ONE, 0, 0}, ISO_FIX16_ONE / 2);
    const iso_shape3_def box = iso_shape3_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 3, ISO_FIX16_ONE / 4);
    const iso_quat turn = {(int32_t)(way.x >> 8), (int32_t)(way.y >> 8), (int32_t)(way.z >> 8), 1 << 28};
    iso_overlap3_hit overlaps[GOLDEN_HITS];
    iso_cast3_hit casts[GOLDEN_HITS];
    uint32_t count = 0;
    iso_query3_shape_all(world, &capsule, from, turn, iso_query_filter_default(), overlaps, GOLDEN_HITS, &count);
    digest = golden_mix(digest, count);
    for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
        digest = golden_mix(golden_mix(digest, overlaps[h].shape.index), overlaps[h].separation);
    }
    iso_query3_cast_all(world, &box, from, turn, way, iso_query_filter_default(), casts, GOLDEN_HITS, &count);
    digest = golden_mix(digest, count);
    for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
        digest = golden_mix_hit3(digest, casts[h].shape, casts[h].point, casts[h].normal, casts[h].fraction);
    }
    return digest;
}

static inline uint64_t golden_query3_digest(const iso_world *world) {
    uint64_t state = 1, digest = GOLDEN_DIGEST_EMPTY;
    for (uint32_t i = 0; i < GOLDEN_QUESTIONS; ++i) {
        const iso_vec3_wide p = golden_place3(&state), q = golden_place3(&state);
        const iso_vec3_wide way = {q.x - p.x, q.y - p.y, q.z - p.z};
        digest = golden_digest_rays3(world, p, way, digest);
        digest = golden_digest_points3(world, q, digest);
        digest = golden_digest_shapes3(world, p, way, digest);
    }
    return digest;
}

#endif
