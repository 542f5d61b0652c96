/// See may_meet.h.
#include "plane/dynamics/may_meet.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/collide/hull.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/excluded.h"
#include "plane/dynamics/way.h"
#include "plane/world/contact.h"
#include "plane/world/geometry.h"
#include "plane/world/shape.h"

/// Whether a joint keeps the shapes of two bodies from colliding.
static bool pair_is_excluded(const iso__plane_step_scratch *scratch, uint32_t a, uint32_t b) {
    const uint64_t bodies = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint32_t at = iso__plane_excluded_find(scratch, bodies);
    return iso__plane_excluded_next(scratch, &at, bodies);
}

/// Whether the middle of b began in front of a segment a.
static bool pair_begins_in_front(const iso__plane *plane, uint32_t a, uint32_t b) {
    const uint32_t body = plane->shapes[a].body;
    const iso__plane_body *record = &plane->bodies[body];
    iso__plane_way way_a = {.begin = {record->position[0], record->position[1]}, .begin_angle = record->angle};
    if (record->type != ISO_BODY_STATIC) {
        way_a = iso__plane_way_of(plane, body);
    }
    const iso__plane_way way_b = iso__plane_way_of(plane, plane->shapes[b].body);
    const int32_t *middle = plane->shape_derived[b].middle;
    const iso_vec2_wide v = iso__rotate_to_wide(iso__plane_way_rotation(&way_b, 0), middle[0], middle[1]);
    iso__plane_hull hull;
    iso__plane_shape_hull_turned(plane, a, iso__plane_way_rotation(&way_a, 0), &hull);
    return iso__dot_shift(hull.normals[0][0], way_b.begin[0] + v.x - way_a.begin[0] - hull.vertices[0][0],
                          hull.normals[0][1], way_b.begin[1] + v.y - way_a.begin[1] - hull.vertices[0][1],
                          ISO__UNIT_FRACTION) > 0;
}

/// Whether b comes to a one-way shape or a segment a from its solid side.
static bool pair_meets_solid_side(const iso__plane *plane, uint32_t a, uint32_t b) {
    const iso__plane_shape *shape = &plane->shapes[a];
    if (shape->kind == ISO_SHAPE_SEGMENT && !pair_begins_in_front(plane, a, b)) {
        return false;
    }
    int64_t solid[2];
    if (!iso__plane_shape_one_way(plane, a, solid)) {
        return true;
    }
    const int64_t *on_a = plane->scratch->drifts[shape->body].moved;
    const int64_t *on_b = plane->scratch->drifts[plane->shapes[b].body].moved;
    return iso__dot_shift(solid[0], on_b[0] - on_a[0], solid[1], on_b[1] - on_a[1], ISO__UNIT_FRACTION) < 0;
}

/// Whether the step had a contact of them that does not push: what passes a one-way shape, or what the game let pass.
static bool pair_passes(const iso__plane *plane, uint32_t a, uint32_t b) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t contact = scratch->free_count > 0 ? iso__plane_contact_find(plane, a, b) : UINT32_MAX;
    uint32_t low = 0, high = contact == UINT32_MAX ? 0 : scratch->solved_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scratch->solved[middle] < contact) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return contact != UINT32_MAX && low < scratch->solved_count && scratch->solved[low] == contact &&
           scratch->contact_colours[low] == ISO__PLANE_COLOUR_NONE;
}

bool iso__plane_shapes_may_meet(const iso__plane *plane, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < plane->world.globals->shape_count && b < plane->world.globals->shape_count);
    return plane->shapes[a].kind != ISO_SHAPE_SEGMENT && iso__plane_broad_phase_allows(plane, a, b) &&
           !pair_is_excluded(plane->scratch, plane->shapes[a].body, plane->shapes[b].body) &&
           !iso__plane_shapes_have_sensor(plane, a, b) && pair_meets_solid_side(plane, a, b) &&
           pair_meets_solid_side(plane, b, a) && !pair_passes(plane, a, b);
}
