/// See way.h. Ranges: ways are below 2^7 m along each axis, places within 2^15 m; products have 128 bits.
#include "plane/dynamics/way.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/body.h"
#include "plane/world/spin.h"

iso__plane_way iso__plane_way_of(const iso__plane *plane, uint32_t body) {
    ISO_VALIDATE_ASSERT(body < plane->world.globals->body_count);
    const iso__plane_body *record = &plane->bodies[body];
    const iso__plane_drift *drift = &plane->scratch->drifts[body];
    const int8_t k = plane->body_derived[body].radius_exponent;
    iso__plane_way is = {.moved = {drift->moved[0], drift->moved[1]},
                         .angle = iso__plane_turns_from_arc(drift->turned, k),
                         .limit = iso__plane_body_is_moving(plane, body) ? plane->scratch->limits[body] : ISO_WIDE_ONE};
    is.begin[0] = record->position[0] - is.moved[0];
    is.begin[1] = record->position[1] - is.moved[1];
    is.begin_angle = iso__sub64(record->angle, is.angle);
    const int64_t arc = (int64_t)iso__abs_u64(drift->turned);
    is.turn = (k >= 0 ? arc >> k : iso__shl64(arc, (unsigned)-k)) + 2;
    return is;
}

void iso__plane_way_place(const iso__plane_way *is, int64_t s, int64_t place[2]) {
    ISO_VALIDATE_ASSERT(is->limit >= 0 && is->limit <= ISO_WIDE_ONE);
    s = iso__min64(s, is->limit);
    place[0] = is->begin[0] + iso__mul_shift(is->moved[0], s, 32);
    place[1] = is->begin[1] + iso__mul_shift(is->moved[1], s, 32);
}

int64_t iso__plane_way_angle(const iso__plane_way *is, int64_t s) {
    ISO_VALIDATE_ASSERT(is->limit >= 0 && is->limit <= ISO_WIDE_ONE);
    return iso__add64(is->begin_angle, iso__mul_shift(is->angle, iso__min64(s, is->limit), 32));
}

iso_rotation iso__plane_way_rotation(const iso__plane_way *is, int64_t s) {
    ISO_VALIDATE_ASSERT(is->turn >= 0);
    return iso_rotation_make((uint32_t)(uint64_t)iso__plane_way_angle(is, s));
}

int64_t iso__plane_way_reach(const iso__plane *plane, uint32_t shape) {
    ISO_VALIDATE_ASSERT(shape < plane->world.globals->shape_count);
    const iso__plane_shape_derived *derived = &plane->shape_derived[shape];
    const int64_t *origin = derived->origin;
    const int64_t off = (origin[0] | origin[1]) == 0 ? 0 : iso_wide_hypot(origin[0], origin[1]) + 1;
    return iso__shl64(derived->extent, 8) + off;
}
