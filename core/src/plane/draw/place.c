/// See place.h.
#include "plane/draw/place.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "plane/draw/item.h"
#include "plane/world/body.h"

/// [m] Farther out nothing is shown, so that no sum of what follows from a pose leaves its range.
#define PLACE_MAX (ISO_WIDE_ONE << 15)

/// The pose in the state.
static iso__plane_draw_place place_in_world(const iso__plane *plane, uint32_t body) {
    const iso__plane_body *record = &plane->bodies[body];
    return (iso__plane_draw_place){
        .position = iso__plane_body_origin(plane, body),
        .centre = {record->position[0], record->position[1]},
        .rotation = plane->body_derived[body].rotation,
        .turns = record->angle,
    };
}

iso__plane_draw_place iso__plane_draw_place_of(const iso_draw *draw, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    iso__plane_draw_place place = place_in_world(plane, body);
    const iso_body_id id = {body, plane->world.body_generations[body]};
    iso_vec2_wide position;
    iso_wide turns;
    if (draw->pose == NULL || !draw->pose(draw->pose_user, draw->pose_time, id, &position, &turns)) {
        return place;
    }
    place.position.x = iso__clamp64(position.x, -PLACE_MAX, PLACE_MAX);
    place.position.y = iso__clamp64(position.y, -PLACE_MAX, PLACE_MAX);
    place.rotation = iso_rotation_make((uint32_t)turns);
    place.turns = turns;
    const int32_t *centre = plane->body_derived[body].local_centre;
    const iso_vec2_wide offset = iso__rotate_to_wide(place.rotation, centre[0], centre[1]);
    place.centre = (iso_vec2_wide){place.position.x + offset.x, place.position.y + offset.y};
    return place;
}

iso_vec2_wide iso__plane_draw_carry(const iso_draw *draw, uint32_t body, iso_vec2_wide at) {
    if (draw->pose == NULL) {
        return at;
    }
    const iso__plane_draw_place from = place_in_world(iso__plane_of_const(draw->world), body),
                                to = iso__plane_draw_place_of(draw, body);
    const iso_rotation turn = iso_rotation_inv_mul(from.rotation, to.rotation);
    const iso_vec2_wide arm = {iso_wide_sub(at.x, from.centre.x), iso_wide_sub(at.y, from.centre.y)};
    return iso__plane_draw_along(iso__plane_draw_along(to.centre, turn.c, turn.s, arm.x), iso__neg32(turn.s), turn.c,
                                 arm.y);
}

iso_wide iso__plane_draw_carry_angle(const iso_draw *draw, uint32_t body, iso_wide angle) {
    if (draw->pose == NULL) {
        return angle;
    }
    const iso_wide from = iso__plane_of_const(draw->world)->bodies[body].angle,
                   to = iso__plane_draw_place_of(draw, body).turns;
    return iso_wide_add(angle, iso_radians_from_turns(iso_wide_sub(to, from)));
}
