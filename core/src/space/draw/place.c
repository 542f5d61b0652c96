/// See place.h.
#include "space/draw/place.h"

#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"

/// [m] Farther out nothing is shown, so that no sum of what follows from a pose leaves its range.
#define PLACE_MAX (ISO_WIDE_ONE << 15)

iso_vec3_wide iso__space_draw_beside(iso_vec3_wide from, const int32_t rotation[9], const int32_t by[3]) {
    int64_t way[3];
    iso__rotate3_wide(rotation, (const int64_t[3]){by[0] * INT64_C(256), by[1] * INT64_C(256), by[2] * INT64_C(256)},
                      way);
    return (iso_vec3_wide){from.x + way[0], from.y + way[1], from.z + way[2]};
}

/// From a body's origin to its centre of mass, rounded as iso_body3_get and iso_body3_set_position do.
static iso_vec3_wide place_offset(const iso__space_body_derived *derived, const int32_t rotation[9]) {
    int32_t offset[3];
    iso__rotate3(rotation, derived->local_centre, offset);
    return (iso_vec3_wide){offset[0] * INT64_C(256), offset[1] * INT64_C(256), offset[2] * INT64_C(256)};
}

/// The pose in the state.
static void place_in_world(const iso__space *space, uint32_t body, iso__space_draw_place *place) {
    const iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    for (int i = 0; i < 9; ++i) {
        place->rotation[i] = derived->rotation[i];
    }
    for (int i = 0; i < 4; ++i) {
        place->quat[i] = record->rotation[i];
    }
    place->centre = (iso_vec3_wide){record->position[0], record->position[1], record->position[2]};
    const iso_vec3_wide offset = place_offset(derived, place->rotation);
    place->position =
        (iso_vec3_wide){place->centre.x - offset.x, place->centre.y - offset.y, place->centre.z - offset.z};
}

void iso__space_draw_place_of(const iso_draw3 *draw, uint32_t body, iso__space_draw_place *place) {
    const iso__space *space = iso__space_of_const(draw->world);
    place_in_world(space, body, place);
    const iso_body_id id = {body, draw->world->body_generations[body]};
    iso_vec3_wide position;
    iso_quat shown;
    if (draw->pose == NULL || !draw->pose(draw->pose_user, draw->pose_time, id, &position, &shown)) {
        return;
    }
    const iso_quat q = iso_quat_normalize(shown);
    place->position = (iso_vec3_wide){iso__clamp64(position.x, -PLACE_MAX, PLACE_MAX),
                                      iso__clamp64(position.y, -PLACE_MAX, PLACE_MAX),
                                      iso__clamp64(position.z, -PLACE_MAX, PLACE_MAX)};
    place->quat[0] = q.x;
    place->quat[1] = q.y;
    place->quat[2] = q.z;
    place->quat[3] = q.w;
    iso__quat_matrix(place->quat, place->rotation);
    const iso_vec3_wide offset = place_offset(&space->body_derived[body], place->rotation);
    place->centre =
        (iso_vec3_wide){place->position.x + offset.x, place->position.y + offset.y, place->position.z + offset.z};
}

iso_vec3_wide iso__space_draw_carry(const iso_draw3 *draw, uint32_t body, iso_vec3_wide at) {
    if (draw->pose == NULL) {
        return at;
    }
    iso__space_draw_place from, to;
    place_in_world(iso__space_of_const(draw->world), body, &from);
    iso__space_draw_place_of(draw, body, &to);
    int64_t arm[3] = {iso_wide_sub(at.x, from.centre.x), iso_wide_sub(at.y, from.centre.y),
                      iso_wide_sub(at.z, from.centre.z)};
    iso__rotate3_wide_inverse(from.rotation, arm, arm);
    iso__rotate3_wide(to.rotation, arm, arm);
    return (iso_vec3_wide){iso_wide_add(to.centre.x, arm[0]), iso_wide_add(to.centre.y, arm[1]),
                           iso_wide_add(to.centre.z, arm[2])};
}
