/// See heights_group.h.
#include "space/collide/heights_group.h"

#include <string.h>

#include "space/collide/manifold_reduce.h"
#include "space/collide/vec_ops.h"

/// Cosines, Q.60, from which on normals are put into one group: 7 and 25 degrees.
static const int64_t GROUP_COSINES[] = {INT64_C(1144327802542048640), INT64_C(1044901737467196288)};

void iso__space_field_points_add(iso__space_field_points *points, const iso__space_field_point *point) {
    if (points->count < ISO__SPACE_FIELD_POINTS) {
        points->points[points->count++] = *point;
        return;
    }
    uint32_t shallowest = 0;
    for (uint32_t i = 1; i < ISO__SPACE_FIELD_POINTS; ++i) {
        shallowest = points->points[i].separation > points->points[shallowest].separation ? i : shallowest;
    }
    if (point->separation < points->points[shallowest].separation) {
        points->points[shallowest] = *point;
    }
}

/// The points' numbers by separation; of equal ones in their order.
static void points_sort(const iso__space_field_points *points, uint8_t order[ISO__SPACE_FIELD_POINTS]) {
    for (uint32_t i = 0; i < points->count; ++i) {
        uint32_t to = i;
        for (; to > 0 && points->points[order[to - 1]].separation > points->points[i].separation; --to) {
            order[to] = order[to - 1];
        }
        order[to] = (uint8_t)i;
    }
}

/// Puts each point into the first group whose first point's normal is as its own, at `level` 0 exactly, else within an
/// angle.
/// @return how many groups
static uint32_t points_group_at(const iso__space_field_points *points, const uint8_t order[ISO__SPACE_FIELD_POINTS],
                                uint32_t level, uint8_t group[ISO__SPACE_FIELD_POINTS]) {
    uint32_t first[ISO__SPACE_FIELD_POINTS], count = 0;
    for (uint32_t n = 0; n < points->count; ++n) {
        const uint32_t i = order[n];
        const int32_t *normal = points->points[i].normal;
        uint32_t g = 0;
        for (; g < count; ++g) {
            const int32_t *other = points->points[first[g]].normal;
            if (points->points[i].is_border != points->points[first[g]].is_border) {
                continue;
            }
            if (level == 0 ? memcmp(normal, other, sizeof points->points[i].normal) == 0
                           : iso__space_ops_cosine(normal, other) >= GROUP_COSINES[level - 1]) {
                break;
            }
        }
        group[i] = (uint8_t)g;
        if (g == count) {
            first[count++] = i;
        }
    }
    return count;
}

/// Groups by equal normals; when these are too many, by similar ones. The groups are in the order of their deepest
/// points.
static uint32_t points_group(const iso__space_field_points *points, uint8_t group[ISO__SPACE_FIELD_POINTS]) {
    uint8_t order[ISO__SPACE_FIELD_POINTS];
    points_sort(points, order);
    for (uint32_t level = 0; level <= 2; ++level) {
        const uint32_t count = points_group_at(points, order, level, group);
        if (count <= ISO__SPACE_MANIFOLD_CHILDREN) {
            return count;
        }
    }
    return ISO__SPACE_MANIFOLD_CHILDREN;
}

/// The mean of a group's normals; where all are the same that one, in all bits.
static void group_find_normal(const iso__space_field_points *points, const uint8_t *members, uint32_t count,
                              int32_t normal[3]) {
    int64_t sum[3] = {0, 0, 0};
    bool is_same = true;
    for (uint32_t i = 0; i < count; ++i) {
        const int32_t *n = points->points[members[i]].normal;
        is_same = is_same && memcmp(n, points->points[members[0]].normal, 3 * sizeof n[0]) == 0;
        for (int k = 0; k < 3; ++k) {
            sum[k] += n[k];
        }
    }
    memcpy(normal, points->points[members[0]].normal, 3 * sizeof normal[0]);
    if (!is_same) {
        iso__space_ops_normalize(sum, normal);
    }
}

/// The number among the members of the deepest point, the first of several.
static uint32_t group_find_deepest(const iso__space_field_points *points, const uint8_t *members, uint32_t count) {
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < count; ++i) {
        const bool is_deeper = points->points[members[i]].separation < points->points[members[deepest]].separation;
        deepest = is_deeper ? i : deepest;
    }
    return deepest;
}

/// The number of a solid's corner among the members, of a corner that is there twice that of the deeper point;
/// UINT32_MAX: it is not.
static uint32_t group_find_corner(const iso__space_field_points *points, const uint8_t *members, uint32_t count,
                                  uint8_t corner) {
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__space_field_point *point = &points->points[members[i]];
        const bool is_first = found == UINT32_MAX;
        if (point->corner == corner && (is_first || point->separation < points->points[members[found]].separation)) {
            found = i;
        }
    }
    return found;
}

/// Leaves of a group of a solid the points on ridges, in their order, and then the corners of the lowest face, in that
/// of its ring: the face at the deepest corner that is most against the group's normal.
/// @return how many are left
static uint32_t group_leave_lowest(const iso__space_field_points *points, const int32_t normal[3], uint8_t *members,
                                   uint32_t count) {
    const iso__space_hull *solid = points->solid;
    uint8_t left[ISO__SPACE_FIELD_POINTS];
    uint32_t left_count = 0, deepest = UINT32_MAX;
    int32_t up[3];
    for (uint32_t i = 0; i < count; ++i) {
        const iso__space_field_point *point = &points->points[members[i]];
        if (point->corner == ISO__SPACE_NO_CORNER) {
            left[left_count++] = members[i];
        } else if (deepest == UINT32_MAX || point->separation < points->points[members[deepest]].separation) {
            deepest = i;
        }
    }
    if (deepest == UINT32_MAX) {
        return count;
    }
    iso__space_ops_turn_unit_back(points->rotation, normal, up);
    const uint32_t face = iso__space_hull_find_face(solid, solid->normals, points->points[members[deepest]].corner, up);
    for (uint32_t i = solid->first[face]; i < solid->first[face + 1]; ++i) {
        const uint32_t found = group_find_corner(points, members, count, solid->ring[i]);
        if (found != UINT32_MAX) {
            left[left_count++] = members[found];
        }
    }
    memcpy(members, left, left_count);
    return left_count;
}

/// Whether a corner of the lowest face is not among the members.
static bool group_lacks_corners(const iso__space_field_points *points, const int32_t normal[3], const uint8_t *members,
                                uint32_t count) {
    const iso__space_hull *solid = points->solid;
    uint32_t corners = 0;
    for (uint32_t i = 0; i < count; ++i) {
        corners += points->points[members[i]].corner != ISO__SPACE_NO_CORNER;
    }
    if (corners == 0) {
        return false;
    }
    int32_t up[3];
    iso__space_ops_turn_unit_back(points->rotation, normal, up);
    const uint8_t corner = points->points[members[count - 1]].corner; // corners stand behind ridges
    const uint32_t face = iso__space_hull_find_face(solid, solid->normals, corner, up);
    return corners < (uint32_t)(solid->first[face + 1] - solid->first[face]);
}

/// Whether no point is on a ridge: then those of a solid are corners of one face.
static bool group_is_patch(const iso__space_field_points *points, const uint8_t *members, uint32_t count) {
    bool is_patch = true;
    for (uint32_t i = 0; i < count; ++i) {
        is_patch = is_patch && points->points[members[i]].corner != ISO__SPACE_NO_CORNER;
    }
    return is_patch;
}

/// Makes a manifold of a group of points: of a ball its deepest one, else four at most.
static void group_make(const iso__space_field_points *points, uint8_t *members, uint32_t count,
                       iso__space_manifold *manifold) {
    static const int64_t none[3] = {0, 0, 0};
    int32_t t1[3] = {0, 0, 0}, t2[3];
    *manifold = (iso__space_manifold){.count = 0};
    group_find_normal(points, members, count, manifold->normal);
    count = group_leave_lowest(points, manifold->normal, members, count);
    iso__space_ops_perpendicular(manifold->normal, t1);
    iso__space_ops_cross(manifold->normal, t1, t2);
    int64_t flat[ISO__SPACE_FIELD_POINTS][3];
    for (uint32_t i = 0; i < count; ++i) {
        const iso__space_field_point *point = &points->points[members[i]];
        flat[i][0] = iso__space_ops_along(t1, point->place);
        flat[i][1] = iso__space_ops_along(t2, point->place);
        flat[i][2] = point->separation;
    }
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    const bool is_ball = points->is_ball, is_patch = group_is_patch(points, members, count);
    const uint32_t kept_count =
        is_ball ? 1
                : iso__space_manifold_reduce((const int64_t(*)[3])flat, count, points->settings->slop, is_patch, kept,
                                             &manifold->leaves_corners);
    manifold->leaves_corners |= points->solid != NULL && group_lacks_corners(points, manifold->normal, members, count);
    if (is_ball) {
        kept[0] = (uint8_t)group_find_deepest(points, members, count);
    }
    for (uint32_t i = 0; i < kept_count; ++i) {
        const iso__space_field_point *point = &points->points[members[kept[i]]];
        iso__space_manifold_add_point(points->settings, point->place, point->separation, none, manifold);
    }
}

uint32_t iso__space_field_points_make(const iso__space_field_points *points, iso__space_manifold *manifolds) {
    uint8_t group[ISO__SPACE_FIELD_POINTS];
    const uint32_t count = points_group(points, group);
    for (uint32_t g = 0; g < count; ++g) {
        uint8_t members[ISO__SPACE_FIELD_POINTS];
        uint32_t member_count = 0;
        for (uint32_t i = 0; i < points->count; ++i) {
            if (group[i] == g) {
                members[member_count++] = (uint8_t)i;
            }
        }
        group_make(points, members, member_count, &manifolds[g]);
    }
    return count;
}
