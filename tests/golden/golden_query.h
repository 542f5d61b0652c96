/// A digest of what queries answer about a world: the same questions each time, all around the origin, where the
/// scenes are.
#ifndef ISO_GOLDEN_QUERY_H
#define ISO_GOLDEN_QUERY_H

#include "golden_query3.h"

static inline uint64_t golden_mix_point(uint64_t digest, const iso_point_hit *hit) {
    digest = golden_mix(golden_mix(digest, hit->shape.index), hit->body.index);
    digest = golden_mix(golden_mix(digest, hit->point.x), hit->point.y);
    return golden_mix(golden_mix(golden_mix(digest, hit->normal.x), hit->normal.y), hit->distance);
}

static inline uint64_t golden_mix_ray(uint64_t digest, const iso_ray_hit *hit) {
    digest = golden_mix(golden_mix(digest, hit->shape.index), hit->body.index);
    digest = golden_mix(golden_mix(digest, hit->point.x), hit->point.y);
    return golden_mix(golden_mix(golden_mix(digest, hit->normal.x), hit->normal.y), hit->fraction);
}

/// A place within 32 m of the origin.
static inline iso_vec2_wide golden_place(uint64_t *state) {
    const int64_t half = INT64_C(1) << 37, x = golden_random(state, 38) - half;
    return (iso_vec2_wide){x, golden_random(state, 38) - half};
}

static inline uint64_t golden_query_digest(const iso_world *world) {
    if (iso_world_get_def(world)->dimensions != 2) {
        return golden_query3_digest(world);
    }
    const iso_query_filter filter = iso_query_filter_default();
    const iso_shape_def capsule =
        iso_shape_def_capsule((iso_vec2){-ISO_FIX16_ONE, 0}, (iso_vec2){ISO_FIX16_ONE, 0}, ISO_FIX16_ONE / 2);
    uint64_t state = 1, digest = GOLDEN_DIGEST_EMPTY;
    for (uint32_t i = 0; i < GOLDEN_QUESTIONS; ++i) {
        iso_point_hit points[GOLDEN_HITS];
        iso_ray_hit rays[GOLDEN_HITS];
        iso_overlap_hit overlaps[GOLDEN_HITS];
        uint32_t count = 0;
        const iso_vec2_wide p = golden_place(&state), q = golden_place(&state);
        iso_query_ray_all(world, p, (iso_vec2_wide){q.x - p.x, q.y - p.y}, filter, rays, GOLDEN_HITS, &count);
        digest = golden_mix(digest, count);
        for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
            digest = golden_mix_ray(digest, &rays[h]);
        }
        iso_query_point_all(world, q, ISO_WIDE_ONE, filter, points, GOLDEN_HITS, &count);
        digest = golden_mix(digest, count);
        for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
            digest = golden_mix_point(digest, &points[h]);
        }
        iso_query_point_closest(world, p, 64 * ISO_WIDE_ONE, filter, &points[0], &count);
        digest = count > 0 ? golden_mix_point(digest, &points[0]) : golden_mix(digest, -1);
        iso_query_shape_all(world, &capsule, p, iso_radians_from_turns(q.x), filter, overlaps, GOLDEN_HITS, &count);
        digest = golden_mix(digest, count);
        for (uint32_t h = 0; h < count && h < GOLDEN_HITS; ++h) {
            digest = golden_mix(golden_mix(digest, overlaps[h].shape.index), overlaps[h].separation);
        }
        iso_query_box_closest(world, q, (iso_vec2_wide){q.x + 2 * ISO_WIDE_ONE, q.y + ISO_WIDE_ONE}, filter,
                              &overlaps[0], &count);
        digest = count > 0 ? golden_mix(golden_mix(digest, overlaps[0].shape.index), overlaps[0].separation)
                           : golden_mix(digest, -1);
    }
    return digest;
}

#endif
