/// Joins faces of a hull that are nearly one.
///
/// Faces whose points lie within 2^-12 m of the plane of a larger neighbour become part of it, which keeps its plane:
/// the largest face that can take a neighbour takes its largest one, until none can. What a face can take is kept with
/// it, and looked for again only when its neighbours have changed.
#include "space/collide/hull_join.h"

#include "space/collide/hull_ring.h"
#include "space/collide/vec_ops.h"

#define HULL3_PLANE  (INT64_C(1) << (54 - 12)) // [m] Q.54: 2^-12 m
#define HULL3_VOLUME (UINT64_C(6) << 42)       // [m^3] Q.72: 6 times 2^-30

/// The largest neighbour that a face can take.
typedef struct hull3_part {
    bool is_known;
    uint8_t owner; // that face plus one; 0: none
} hull3_part;

/// Six times the volume within the faces, Q.72.
static iso__int128 hull3_find_volume(const iso__space_hull_builder *builder) {
    iso__int128 volume = {0, 0};
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        int64_t area[3];
        iso__space_hull_find_area(builder, &builder->faces[i], area);
        volume = iso__int128_add(
            volume, iso__space_hull_height(area, builder->points[0], builder->points[builder->faces[i].ring[0]]));
    }
    return volume;
}

static void hull3_set_owner(iso__space_hull_builder *builder, uint32_t f, uint8_t owner) {
    const iso__space_hull_face *face = &builder->faces[f];
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        builder->owner[face->ring[i]][face->ring[i + 1 < face->ring_count ? i + 1 : 0]] = owner;
    }
}

/// Whether a face's points are on the plane of a larger one, which it does not fold back over.
static bool hull3_is_part(const iso__space_hull_builder *builder, const iso__space_hull_face *large,
                          const iso__space_hull_face *small) {
    if (large->area < small->area || iso__space_ops_cosine(large->normal, small->normal) <= 0) {
        return false;
    }
    for (uint32_t i = 0; i < small->ring_count; ++i) {
        const int32_t *p = builder->points[small->ring[i]];
        const int64_t wide[3] = {p[0], p[1], p[2]};
        if (iso__abs_u64(iso__space_ops_dot(large->normal, wide) - large->offset) > (uint64_t)HULL3_PLANE) {
            return false;
        }
    }
    return true;
}

/// Finds the largest neighbour that a face can take, the first one around it of equal ones.
static void hull3_find_part(const iso__space_hull_builder *builder, uint32_t f, hull3_part *part) {
    const iso__space_hull_face *face = &builder->faces[f];
    *part = (hull3_part){.is_known = true};
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        const uint8_t owner = builder->owner[face->ring[i + 1 < face->ring_count ? i + 1 : 0]][face->ring[i]];
        if (owner == 0 || owner - 1u == f || !hull3_is_part(builder, face, &builder->faces[owner - 1])) {
            continue;
        }
        if (part->owner == 0 || builder->faces[owner - 1].area > builder->faces[part->owner - 1].area) {
            part->owner = owner;
        }
    }
}

/// The largest face that can take a neighbour, and the largest neighbour that it can take.
static bool hull3_find_parts(const iso__space_hull_builder *builder, hull3_part *parts, uint32_t *large,
                             uint32_t *small) {
    bool is_found = false;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        if (is_found && builder->faces[f].area <= builder->faces[*large].area) {
            continue;
        }
        if (!parts[f].is_known) {
            hull3_find_part(builder, f, &parts[f]);
        }
        if (parts[f].owner != 0) {
            *large = f;
            is_found = true;
        }
    }
    *small = is_found ? parts[*large].owner - 1u : 0;
    return is_found;
}

/// The ring of two faces: what is left of both rings without the edges between them. False when that is not one ring.
static bool hull3_join_rings(iso__space_hull_builder *builder, uint32_t large, uint32_t small) {
    uint8_t next[ISO__SPACE_HULL_VERTICES] = {0}; // plus one
    uint32_t edge_count = 0, start = 0;
    const uint32_t both[2] = {large, small};
    for (uint32_t m = 0; m < 2; ++m) {
        const iso__space_hull_face *face = &builder->faces[both[m]];
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            const uint8_t from = face->ring[i], to = face->ring[i + 1 < face->ring_count ? i + 1 : 0];
            if (builder->owner[to][from] == both[1 - m] + 1) {
                continue;
            }
            if (next[from] != 0) {
                return false;
            }
            next[from] = (uint8_t)(to + 1);
            start = from;
            edge_count += 1;
        }
    }
    hull3_set_owner(builder, large, 0);
    hull3_set_owner(builder, small, 0);
    iso__space_hull_face *face = &builder->faces[large];
    face->ring_count = 0;
    uint32_t at = start;
    do {
        if (next[at] == 0 || face->ring_count == ISO__SPACE_HULL_VERTICES) {
            return false;
        }
        face->ring[face->ring_count++] = (uint8_t)at;
        at = next[at] - 1u;
    } while (at != start);
    return face->ring_count == edge_count && edge_count >= 3;
}

/// Joins a face to another. False when they do not make one.
static bool hull3_join(iso__space_hull_builder *builder, hull3_part *parts, uint32_t large, uint32_t small) {
    if (!hull3_join_rings(builder, large, small)) {
        return false;
    }
    builder->faces[large].area += builder->faces[small].area;
    // The last face takes the place of the one that is gone.
    const uint32_t last = builder->face_count - 1, joined = large == last ? small : large;
    builder->faces[small] = builder->faces[last];
    parts[small] = parts[last];
    builder->face_count -= 1;
    if (small < builder->face_count) {
        hull3_set_owner(builder, small, (uint8_t)(small + 1));
    }
    hull3_set_owner(builder, joined, (uint8_t)(joined + 1));
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        parts[f].owner = parts[f].owner == last + 1 ? (uint8_t)(small + 1) : parts[f].owner;
    }
    // Whoever is next to the joined face, as all are who were next to the smaller one, may take others now.
    const iso__space_hull_face *face = &builder->faces[joined];
    parts[joined].is_known = false;
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        const uint32_t owner = builder->owner[face->ring[i + 1 < face->ring_count ? i + 1 : 0]][face->ring[i]];
        if (owner != 0) {
            parts[owner - 1].is_known = false;
        }
    }
    return true;
}

bool iso__space_hull_join_faces(iso__space_hull_builder *builder) {
    const iso__int128 before = hull3_find_volume(builder);
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        hull3_set_owner(builder, f, (uint8_t)(f + 1));
    }
    hull3_part parts[ISO__SPACE_HULL_FACES] = {{0}};
    uint32_t large = 0, small = 0;
    const uint32_t face_count = builder->face_count;
    while (hull3_find_parts(builder, parts, &large, &small)) {
        if (!hull3_join(builder, parts, large, small)) {
            return false;
        }
    }
    const bool is_other = builder->face_count != face_count;
    const iso__int128 volume = is_other ? hull3_find_volume(builder) : before, least = {0, HULL3_VOLUME};
    const iso__int128 most_of_it = iso__int128_sub(before, iso__int128_round_shift(before, 3));
    return builder->face_count >= 4 && iso__int128_compare(volume, least) >= 0 &&
           iso__int128_compare(volume, most_of_it) >= 0;
}
