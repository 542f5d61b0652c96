/// The faces of a hull as rings of corners; their areas, normals and offsets.
#include "space/collide/hull_ring.h"

#include "space/collide/vec_ops.h"

/// Sorts the points of a plane by two coordinates.
static uint32_t hull3_sort(const iso__space_hull_builder *builder, uint32_t on_plane, int u, int v, uint8_t *sorted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->count; ++i) {
        if ((on_plane >> i & 1) == 0) {
            continue;
        }
        const int32_t *p = builder->points[i];
        uint32_t at = count++;
        for (; at > 0; --at) {
            const int32_t *q = builder->points[sorted[at - 1]];
            if (q[u] < p[u] || (q[u] == p[u] && q[v] < p[v])) {
                break;
            }
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = (uint8_t)i;
    }
    return count;
}

/// Whether r is to the left of the way from p to q, seen along one coordinate.
static bool hull3_turns_left(const int32_t *p, const int32_t *q, const int32_t *r, int u, int v) {
    return ((int64_t)q[u] - p[u]) * ((int64_t)r[v] - p[v]) - ((int64_t)q[v] - p[v]) * ((int64_t)r[u] - p[u]) > 0;
}

/// Turns a face's ring so that it begins with its lowest vertex, and around if it is the other way.
void iso__space_hull_turn_ring(iso__space_hull_face *face, bool is_reversed) {
    uint8_t ring[ISO__SPACE_HULL_VERTICES] = {0};
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        ring[i] = face->ring[is_reversed ? face->ring_count - 1 - i : i];
        lowest = ring[i] < ring[lowest] ? i : lowest;
    }
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        face->ring[i] = ring[(lowest + i) % face->ring_count];
    }
}

/// The corners of the points on a plane (Andrew's chains), seen along the coordinate in which its normal is largest.
void iso__space_hull_make_ring(const iso__space_hull_builder *builder, const int64_t normal[3],
                               iso__space_hull_face *face) {
    int w = 0;
    for (int i = 1; i < 3; ++i) {
        w = iso__abs_u64(normal[i]) > iso__abs_u64(normal[w]) ? i : w;
    }
    const int u = (w + 1) % 3, v = (w + 2) % 3;
    uint8_t sorted[ISO__SPACE_HULL_VERTICES], ring[2 * ISO__SPACE_HULL_VERTICES];
    const uint32_t count = hull3_sort(builder, face->on_plane, u, v, sorted);
    uint32_t ring_count = 0;
    for (int chain = 0; chain < 2; ++chain) {
        const uint32_t begin = ring_count;
        for (uint32_t i = 0; i < count; ++i) {
            const uint8_t at = sorted[chain == 0 ? i : count - 1 - i];
            while (ring_count >= begin + 2 &&
                   !hull3_turns_left(builder->points[ring[ring_count - 2]], builder->points[ring[ring_count - 1]],
                                     builder->points[at], u, v)) {
                --ring_count;
            }
            ring[ring_count++] = at;
        }
        --ring_count; // the other chain begins with it
    }
    face->ring_count = (uint8_t)ring_count;
    for (uint32_t i = 0; i < ring_count; ++i) {
        face->ring[i] = ring[i];
    }
    iso__space_hull_turn_ring(face, normal[w] < 0);
}

/// Twice the area of a face along its normal, from the triangles that its first vertex makes with its edges. Twice the
/// face's projections, so below 2^63.
void iso__space_hull_find_area(const iso__space_hull_builder *builder, const iso__space_hull_face *face,
                               int64_t area[3]) {
    area[0] = area[1] = area[2] = 0;
    for (uint32_t i = 1; i + 1 < face->ring_count; ++i) {
        int64_t n[3];
        iso__space_hull_cross(builder->points[face->ring[0]], builder->points[face->ring[i]],
                              builder->points[face->ring[i + 1]], n);
        for (int k = 0; k < 3; ++k) {
            area[k] += n[k];
        }
    }
}

void iso__space_hull_measure_face(const iso__space_hull_builder *builder, iso__space_hull_face *face) {
    int64_t area[3];
    iso__space_hull_find_area(builder, face, area);
    face->area = iso__space_ops_normalize(area, face->normal);
    const int32_t *p = builder->points[face->ring[0]];
    const int64_t wide[3] = {p[0], p[1], p[2]};
    face->offset = iso__space_ops_dot(face->normal, wide);
}
