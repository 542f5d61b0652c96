/// Finds the faces of a hull without rounding.
///
/// A surface of triangles grows from a tetrahedron. Each point that is outside is on the list of one triangle that it
/// is above. The point that is highest above a triangle takes the place of all triangles that it is above: they are
/// next to one another, and triangles to the point go from the edges around them. Only points of the removed triangles'
/// lists are looked at again: of n points on a sphere about n log n.
///
/// A point on a triangle's plane is not above it, so nothing is ever rounded, no new triangle is without area, and a
/// face with more than three points is several triangles of one plane. They are put together in the end.
///
/// Source: Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996.
#include "space/collide/hull_faces.h"

#include "base/assert.h"
#include "space/collide/hull_ring.h"

typedef struct hull3_triangle {
    int64_t normal[3];  // outwards, Q.48: twice the area
    iso__int128 height; // Q.72: of the first point of its list
    uint8_t corners[3]; // counterclockwise from outside
    uint8_t first;      // of the points above it, plus one; the highest
} hull3_triangle;

/// Sets of triangles are bits.
typedef struct hull3_surface {
    const int32_t (*points)[3];
    uint32_t count;
    uint64_t alive;   // triangles of the surface
    uint64_t crowded; // of them, with points above them
    hull3_triangle triangles[ISO__SPACE_HULL_FACES];
    uint8_t next[ISO__SPACE_HULL_VERTICES]; // of a list, plus one
    uint8_t owner[ISO__SPACE_HULL_VERTICES]
                 [ISO__SPACE_HULL_VERTICES]; // the triangle with the edge from one corner to another
} hull3_surface;

_Static_assert(ISO__SPACE_HULL_FACES <= 64 && ISO__SPACE_HULL_FACES == 2 * ISO__SPACE_HULL_VERTICES - 4,
               "a bit for each triangle");

static iso__int128 hull3_height_over(const hull3_surface *surface, uint32_t triangle, uint32_t point) {
    const hull3_triangle *is = &surface->triangles[triangle];
    return iso__space_hull_height(is->normal, surface->points[is->corners[0]], surface->points[point]);
}

static uint32_t hull3_add_triangle(hull3_surface *surface, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t at = (uint32_t)__builtin_ctzll(~surface->alive);
    ISO_ASSERT(at < ISO__SPACE_HULL_FACES);
    hull3_triangle *is = &surface->triangles[at];
    iso__space_hull_cross(surface->points[a], surface->points[b], surface->points[c], is->normal);
    is->corners[0] = (uint8_t)a;
    is->corners[1] = (uint8_t)b;
    is->corners[2] = (uint8_t)c;
    is->first = 0;
    surface->alive |= UINT64_C(1) << at;
    surface->owner[a][b] = surface->owner[b][c] = surface->owner[c][a] = (uint8_t)at;
    return at;
}

/// Puts a point on the list of the first of the triangles that it is above; if there is none it is inside.
static void hull3_place_point(hull3_surface *surface, const uint8_t *triangles, uint32_t count, uint32_t point) {
    for (uint32_t i = 0; i < count; ++i) {
        const iso__int128 height = hull3_height_over(surface, triangles[i], point);
        if (iso__int128_sign(height) <= 0) {
            continue;
        }
        hull3_triangle *is = &surface->triangles[triangles[i]];
        const bool is_highest = is->first == 0 || iso__int128_compare(height, is->height) > 0;
        uint8_t *link = is_highest ? &is->first : &surface->next[is->first - 1u];
        surface->next[point] = *link;
        *link = (uint8_t)(point + 1);
        is->height = is_highest ? height : is->height;
        surface->crowded |= UINT64_C(1) << triangles[i];
        return;
    }
}

/// The ends of the points along x, the point that is farthest from their line, the point that is farthest from the
/// plane of these three. False when all are on one plane.
static bool hull3_find_tetrahedron(const hull3_surface *surface, uint32_t at[4]) {
    const int32_t(*points)[3] = surface->points;
    at[0] = at[1] = at[2] = at[3] = 0;
    for (uint32_t i = 1; i < surface->count; ++i) {
        at[0] = points[i][0] < points[at[0]][0] ? i : at[0];
        at[1] = points[i][0] > points[at[1]][0] ? i : at[1];
    }
    uint64_t widest = 0;
    int64_t normal[3];
    for (uint32_t i = 0; i < surface->count; ++i) {
        iso__space_hull_cross(points[at[0]], points[at[1]], points[i], normal);
        for (int k = 0; k < 3; ++k) {
            const uint64_t width = iso__abs_u64(normal[k]);
            at[2] = width > widest ? i : at[2];
            widest = width > widest ? width : widest;
        }
    }
    iso__space_hull_cross(points[at[0]], points[at[1]], points[at[2]], normal);
    iso__int128 farthest = {0, 0};
    for (uint32_t i = 0; i < surface->count; ++i) {
        const iso__int128 height = iso__space_hull_height(normal, points[at[0]], points[i]);
        const iso__int128 low = iso__int128_sign(height) > 0 ? iso__int128_neg(height) : height;
        if (iso__int128_compare(low, farthest) < 0) {
            farthest = low;
            at[3] = i;
        }
    }
    if (iso__int128_sign(iso__space_hull_height(normal, points[at[0]], points[at[3]])) > 0) {
        const uint32_t kept = at[1];
        at[1] = at[2];
        at[2] = kept;
    }
    return iso__int128_sign(farthest) != 0;
}

static bool hull3_begin(hull3_surface *surface) {
    uint32_t at[4];
    if (!hull3_find_tetrahedron(surface, at)) {
        return false;
    }
    const uint8_t triangles[4] = {(uint8_t)hull3_add_triangle(surface, at[0], at[1], at[2]),
                                  (uint8_t)hull3_add_triangle(surface, at[0], at[3], at[1]),
                                  (uint8_t)hull3_add_triangle(surface, at[1], at[3], at[2]),
                                  (uint8_t)hull3_add_triangle(surface, at[2], at[3], at[0])};
    for (uint32_t i = 0; i < surface->count; ++i) {
        if (i != at[0] && i != at[1] && i != at[2] && i != at[3]) {
            hull3_place_point(surface, triangles, 4, i);
        }
    }
    return true;
}

/// The triangles that a point is above, from one of them on, and the edges around them.
static uint64_t hull3_find_seen(const hull3_surface *surface, uint32_t from, uint32_t point, uint8_t edges[][2],
                                uint32_t *edge_count) {
    uint64_t seen = UINT64_C(1) << from, hidden = 0;
    uint8_t stack[ISO__SPACE_HULL_FACES];
    uint32_t depth = 0;
    *edge_count = 0;
    stack[depth++] = (uint8_t)from;
    while (depth > 0) {
        const uint8_t *corners = surface->triangles[stack[--depth]].corners;
        for (uint32_t e = 0; e < 3; ++e) {
            const uint8_t a = corners[e], b = corners[(e + 1) % 3], beyond = surface->owner[b][a];
            const uint64_t bit = UINT64_C(1) << beyond;
            if ((seen & bit) != 0) {
                continue;
            }
            if ((hidden & bit) == 0 && iso__int128_sign(hull3_height_over(surface, beyond, point)) > 0) {
                seen |= bit;
                stack[depth++] = beyond;
                continue;
            }
            hidden |= bit;
            ISO_ASSERT(*edge_count < ISO__SPACE_HULL_VERTICES);
            edges[*edge_count][0] = a;
            edges[*edge_count][1] = b;
            *edge_count += 1;
        }
    }
    return seen;
}

/// Makes the highest point above a triangle a corner of the surface.
static void hull3_grow(hull3_surface *surface, uint32_t triangle) {
    const uint32_t point = surface->triangles[triangle].first - 1u;
    uint8_t edges[ISO__SPACE_HULL_VERTICES][2], made[ISO__SPACE_HULL_VERTICES], orphans[ISO__SPACE_HULL_VERTICES];
    uint32_t edge_count, orphan_count = 0;
    const uint64_t seen = hull3_find_seen(surface, triangle, point, edges, &edge_count);
    for (uint64_t bits = seen & surface->crowded; bits != 0; bits &= bits - 1) {
        for (uint32_t p = surface->triangles[__builtin_ctzll(bits)].first; p != 0; p = surface->next[p - 1]) {
            orphans[orphan_count++] = (uint8_t)(p - 1);
        }
    }
    surface->alive &= ~seen;
    surface->crowded &= ~seen;
    for (uint32_t i = 0; i < edge_count; ++i) {
        made[i] = (uint8_t)hull3_add_triangle(surface, edges[i][0], edges[i][1], point);
    }
    for (uint32_t i = 0; i < orphan_count; ++i) {
        if (orphans[i] != point) {
            hull3_place_point(surface, made, edge_count, orphans[i]);
        }
    }
}

// ---- from triangles to faces ---------------------------------------------------------------------

/// The triangles of the plane of one of them. They are next to one another.
static uint64_t hull3_find_plane(const hull3_surface *surface, uint32_t from, uint32_t *on_plane) {
    uint64_t found = UINT64_C(1) << from;
    uint8_t stack[ISO__SPACE_HULL_FACES];
    uint32_t depth = 0;
    *on_plane = 0;
    stack[depth++] = (uint8_t)from;
    while (depth > 0) {
        const uint8_t *corners = surface->triangles[stack[--depth]].corners;
        for (uint32_t e = 0; e < 3; ++e) {
            const uint8_t a = corners[e], b = corners[(e + 1) % 3], beyond = surface->owner[b][a];
            const uint8_t *of = surface->triangles[beyond].corners;
            const uint8_t opposite = (uint8_t)(of[0] ^ of[1] ^ of[2] ^ a ^ b);
            *on_plane |= UINT32_C(1) << a;
            if ((found >> beyond & 1) == 0 && iso__int128_sign(hull3_height_over(surface, from, opposite)) == 0) {
                found |= UINT64_C(1) << beyond;
                stack[depth++] = beyond;
            }
        }
    }
    return found;
}

/// A number that is in the order of the first three points of a plane that are on no line.
static uint32_t hull3_rank(const hull3_surface *surface, uint32_t on_plane) {
    const uint32_t a = (uint32_t)__builtin_ctz(on_plane);
    on_plane &= on_plane - 1;
    const uint32_t b = (uint32_t)__builtin_ctz(on_plane);
    uint32_t c;
    int64_t normal[3];
    do {
        on_plane &= on_plane - 1;
        ISO_ASSERT(on_plane != 0);
        c = (uint32_t)__builtin_ctz(on_plane);
        iso__space_hull_cross(surface->points[a], surface->points[b], surface->points[c], normal);
    } while ((normal[0] | normal[1] | normal[2]) == 0);
    return a << 16 | b << 8 | c;
}

/// The points that are no corners of triangles. They are inside, or on faces and edges.
static uint32_t hull3_find_rest(const hull3_surface *surface) {
    uint32_t rest = surface->count == 32 ? UINT32_MAX : (UINT32_C(1) << surface->count) - 1;
    for (uint64_t bits = surface->alive; bits != 0; bits &= bits - 1) {
        const uint8_t *corners = surface->triangles[__builtin_ctzll(bits)].corners;
        rest &= ~(UINT32_C(1) << corners[0] | UINT32_C(1) << corners[1] | UINT32_C(1) << corners[2]);
    }
    return rest;
}

typedef struct hull3_plane {
    uint32_t rank, on_plane, triangle;
} hull3_plane;

/// The planes of the triangles, in the order of their ranks.
static uint32_t hull3_find_planes(const hull3_surface *surface, hull3_plane *planes) {
    const uint32_t rest = hull3_find_rest(surface);
    uint32_t count = 0;
    for (uint64_t left = surface->alive; left != 0;) {
        hull3_plane plane = {.triangle = (uint32_t)__builtin_ctzll(left)};
        left &= ~hull3_find_plane(surface, plane.triangle, &plane.on_plane);
        for (uint32_t bits = rest; bits != 0; bits &= bits - 1) {
            const uint32_t point = (uint32_t)__builtin_ctz(bits);
            const bool is_on = iso__int128_sign(hull3_height_over(surface, plane.triangle, point)) == 0;
            plane.on_plane |= (uint32_t)is_on << point;
        }
        plane.rank = hull3_rank(surface, plane.on_plane);
        uint32_t at = count++;
        for (; at > 0 && planes[at - 1].rank > plane.rank; --at) {
            planes[at] = planes[at - 1];
        }
        planes[at] = plane;
    }
    return count;
}

bool iso__space_hull_find_faces(iso__space_hull_builder *builder) {
    hull3_surface surface;
    surface.points = builder->points;
    surface.count = builder->count;
    surface.alive = surface.crowded = 0;
    if (!hull3_begin(&surface)) {
        return false;
    }
    while (surface.crowded != 0) {
        hull3_grow(&surface, (uint32_t)__builtin_ctzll(surface.crowded));
    }
    hull3_plane planes[ISO__SPACE_HULL_FACES];
    builder->face_count = hull3_find_planes(&surface, planes);
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        const hull3_triangle *triangle = &surface.triangles[planes[i].triangle];
        iso__space_hull_face *face = &builder->faces[i];
        face->on_plane = planes[i].on_plane;
        if (__builtin_popcount(face->on_plane) == 3) {
            face->ring_count = 3;
            for (uint32_t k = 0; k < 3; ++k) {
                face->ring[k] = triangle->corners[k];
            }
            iso__space_hull_turn_ring(face, false);
        } else {
            iso__space_hull_make_ring(builder, triangle->normal, face);
        }
        iso__space_hull_measure_face(builder, face);
    }
    return true;
}
