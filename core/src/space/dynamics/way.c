/// See way.h. Ranges: ways are below 2^7 m along each axis, places within 2^15 m; products have 128 bits.
#include "space/dynamics/way.h"

#include <string.h>

#include "base/assert.h"
#include "math/quat.h"
#include "math/vec3.h"

#define WAY3_PARTS      4  // a half-angle vector may be a quarter of pi long
#define WAY3_HALF_SHIFT 13 // from a rotation vector in Q.32 to half of such a part of it in Q.48
#define WAY3_ANGLE_SLOP 32 // [rad] Q31.32: what iso__quat_to_vector may be off

iso__space_way iso__space_way_of(const iso__space *space, uint32_t body) {
    const iso__space_body *record = &space->bodies[body];
    const iso__space_drift *drift = &space->scratch->drifts[body];
    ISO_VALIDATE_ASSERT(body < space->world.globals->body_count);
    iso__space_way is = {
        .begin = {record->position[0], record->position[1], record->position[2]},
        .begin_q = {record->rotation[0], record->rotation[1], record->rotation[2], record->rotation[3]},
        .limit = ISO_WIDE_ONE,
    };
    if (!iso__bit_is_set(space->scratch->moving_bits, body)) {
        return is;
    }
    for (int axis = 0; axis < 3; ++axis) {
        is.begin[axis] = drift->from[axis];
        is.moved[axis] = record->position[axis] - drift->from[axis];
    }
    is.limit = drift->limit;
    if (memcmp(record->rotation, drift->from_q, sizeof drift->from_q) != 0) {
        const int32_t *from = drift->from_q;
        const int32_t back[4] = {iso__neg32(from[0]), iso__neg32(from[1]), iso__neg32(from[2]), from[3]};
        int32_t turn[4];
        iso__quat_mul(record->rotation, back, turn);
        iso__quat_renormalise(turn);
        iso__quat_to_vector(turn, is.angle);
        is.turn = iso__length3(is.angle) + WAY3_ANGLE_SLOP;
        memcpy(is.begin_q, from, sizeof is.begin_q);
    }
    return is;
}

void iso__space_way_place(const iso__space_way *is, int64_t s, int64_t place[3]) {
    ISO_VALIDATE_ASSERT(is->limit >= 0 && is->limit <= ISO_WIDE_ONE);
    s = iso__min64(s, is->limit);
    for (int axis = 0; axis < 3; ++axis) {
        place[axis] = is->begin[axis] + iso__mul_shift(is->moved[axis], s, 32);
    }
}

void iso__space_way_rotation(const iso__space_way *is, int64_t s, int32_t q[4]) {
    ISO_VALIDATE_ASSERT(is->limit >= 0 && is->limit <= ISO_WIDE_ONE);
    s = iso__min64(s, is->limit);
    memcpy(q, is->begin_q, sizeof is->begin_q);
    if (is->turn == 0) {
        return;
    }
    int64_t half[3];
    for (int axis = 0; axis < 3; ++axis) {
        half[axis] = iso__mul_shift(iso__shl64(is->angle[axis], WAY3_HALF_SHIFT), s, 32);
    }
    for (int part = 0; part < WAY3_PARTS; ++part) {
        iso__quat_integrate(q, half);
    }
    iso__quat_renormalise(q);
}

iso__space_box iso__space_way_box(const iso__space *space, uint32_t shape, const iso__space_way *is) {
    ISO_ASSERT(shape < space->world.globals->shape_count);
    const int64_t reach = iso__space_way_reach(space, shape);
    int64_t end[3];
    int32_t low[3], high[3];
    iso__space_way_place(is, is->limit, end);
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = iso__saturate32((iso__min64(is->begin[axis], end[axis]) - reach) >> 16);
        high[axis] = iso__saturate32(((iso__max64(is->begin[axis], end[axis]) + reach) >> 16) + 1);
    }
    return (iso__space_box){low[0], low[1], low[2], high[0], high[1], high[2]};
}
