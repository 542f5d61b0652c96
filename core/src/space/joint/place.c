/// See place.h.
///
///   r  = (principal axes to the world) local,   u = r / L
///   e  = xB + rB - xA - rA
///   qA = q fA, the joint's axes of A in the world,   relative = conj(qA) qB, its sign such that w >= 0
///   G  in the world = R diag(G) R^T of the principal axes R
#include "space/joint/place.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/world/joint_mass.h"

#define GAIN_BITS 26 // alpha G max(u)^2 is below 2^26: three components and two bodies stay below K's 2^30

// ---- once a tick ---------------------------------------------------------------------------------

/// The joint's frame on a body, along the principal axes.
static void place_meet(const iso__space *space, uint32_t index, const int32_t anchor[3], const int32_t frame[4],
                       iso__space_joint_body *body) {
    const iso__space_body_derived *derived = iso__space_joint_body_of(space, index);
    *body = (iso__space_joint_body){.body = index, .exponent = derived->radius_exponent};
    if (index >= space->world.def.body_capacity) {
        body->frame[3] = ISO__UNIT_ONE;
        return;
    }
    int64_t local[3];
    for (int axis = 0; axis < 3; ++axis) {
        local[axis] = iso__shl64((int64_t)anchor[axis] - derived->local_centre[axis], 8);
    }
    iso__rotate3_wide_inverse(derived->principal, local, body->local);
    iso__quat_conj_mul(derived->frame, frame, body->frame);
    iso__quat_renormalise(body->frame);
}

/// How impulses change a body's velocities.
static void place_take_mass(const iso__space_body_derived *derived, int32_t share, int32_t turn_share,
                            iso__space_joint_body *body) {
    const int64_t *G = derived->gyrations; // descending
    body->share = share;
    body->is_round = G[0] == G[2];
    for (int axis = 0; axis < 3 && G[2] != 0; ++axis) {
        body->gains[axis] = iso__mul_shift(G[axis], share, ISO__UNIT_FRACTION);
        body->turns[axis] =
            iso__mul_shift(iso__div_shift(G[axis], ISO__WIDE_FRACTION, G[2]), turn_share, ISO__UNIT_FRACTION);
    }
}

void iso__space_joint_meet(const iso__space *space, const iso__space_joint *joint, iso__space_joint_work *work) {
    const bool has_a = joint->body_a != ISO__WORLD_BODY;
    const uint32_t index_a = has_a ? joint->body_a : space->world.def.body_capacity;
    ISO_ASSERT(joint->body_b < space->world.def.body_capacity && index_a != joint->body_b);
    place_meet(space, index_a, joint->anchor_a, joint->frame_a, &work->a);
    place_meet(space, joint->body_b, joint->anchor_b, joint->frame_b, &work->b);
    const iso__space_body_derived *a = iso__space_joint_body_of(space, index_a),
                                  *b = &space->body_derived[joint->body_b];
    const int32_t share_a = iso__joint_share(a->mass, b->mass),
                  turn_a = iso__space_joint_turn_share(a, b, iso__space_joint_ratio(joint));
    place_take_mass(a, share_a, turn_a, &work->a);
    place_take_mass(b, b->mass == 0 ? 0 : ISO__UNIT_ONE - share_a, b->gyrations[2] == 0 ? 0 : ISO__UNIT_ONE - turn_a,
                    &work->b);
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t from = has_a ? space->bodies[joint->body_a].position[axis] : joint->target[axis];
        work->start[axis] = space->bodies[joint->body_b].position[axis] - from;
    }
}

// ---- once a substep ------------------------------------------------------------------------------

void iso__space_tensor_apply(const int64_t M[6], const int64_t v[3], int64_t result[3]) {
    ISO_VALIDATE_ASSERT(result != M); // it may be v
    const int64_t x = iso__dot3_shift(M[0], v[0], M[1], v[1], M[2], v[2], ISO__WIDE_FRACTION);
    const int64_t y = iso__dot3_shift(M[1], v[0], M[3], v[1], M[4], v[2], ISO__WIDE_FRACTION);
    result[2] = iso__dot3_shift(M[2], v[0], M[4], v[1], M[5], v[2], ISO__WIDE_FRACTION);
    result[0] = x;
    result[1] = y;
}

/// R diag(g) R^T: xx, xy, xz, yy, yz, zz.
static void place_turn_tensor(const int32_t R[9], const int64_t g[3], bool is_round, int64_t M[6]) {
    if (is_round) {
        M[0] = M[3] = M[5] = g[0];
        M[1] = M[2] = M[4] = 0;
        return;
    }
    int64_t scaled[9];
    for (int i = 0; i < 9; ++i) {
        scaled[i] = iso__mul_shift(g[i % 3], R[i], ISO__UNIT_FRACTION);
    }
    int at = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            const int64_t *s = &scaled[3 * i];
            M[at++] = iso__dot3_shift(s[0], R[3 * j], s[1], R[3 * j + 1], s[2], R[3 * j + 2], ISO__UNIT_FRACTION);
        }
    }
}

static int64_t place_scale(int64_t length, int8_t exponent) {
    return exponent > 0 ? iso__round_shift(length, (unsigned)exponent) : iso__shl64(length, (unsigned)-exponent);
}

static void place_lever(iso__space_joint_body *body, const iso__space_drift *drift) {
    iso__rotate3_wide(drift->axes, body->local, body->lever);
    for (int axis = 0; axis < 3; ++axis) {
        body->arm[axis] = place_scale(body->lever[axis], body->exponent);
    }
}

/// The joint's axes in the world, and their quaternion.
static void place_axes(iso__space_joint_body *body, const iso__space_drift *drift) {
    int32_t R[9], *q = body->rotation;
    iso__quat_mul(drift->q, body->frame, q);
    iso__quat_renormalise(q);
    iso__quat_matrix(q, R);
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 3; ++i) {
            body->axes[axis][i] = R[3 * i + axis];
        }
    }
}

static void place_relative(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b) {
    place_axes(&work->a, a);
    place_axes(&work->b, b);
    iso__quat_conj_mul(work->a.rotation, work->b.rotation, work->relative);
    iso__quat_renormalise(work->relative);
    const bool is_negative = work->relative[3] < 0;
    for (int i = 0; i < 4 && is_negative; ++i) {
        work->relative[i] = iso__neg32(work->relative[i]);
    }
}

/// The tensors in the world; the one of levers is halved until rows with such arms keep their range.
static void place_turn_body(iso__space_joint_body *body, const iso__space_drift *drift, bool has_axes) {
    if (body->turns[2] == 0 && body->gains[2] == 0) {
        return; // all is zero already
    }
    uint64_t longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        longest |= iso__abs_u64(body->arm[axis]);
    }
    place_turn_tensor(drift->axes, body->gains, body->is_round, body->gain);
    if (has_axes) {
        place_turn_tensor(drift->axes, body->turns, body->is_round, body->turn);
    }
    const int bits =
        (int)iso__bit_width64((uint64_t)body->gains[0]) + 2 * (int)iso__bit_width64(longest) - 3 * ISO__WIDE_FRACTION;
    const unsigned down = bits > GAIN_BITS ? (unsigned)(bits - GAIN_BITS) : 0;
    for (int i = 0; i < 6 && down > 0; ++i) {
        body->gain[i] = down > 62 ? 0 : iso__round_shift(body->gain[i], down);
    }
}

void iso__space_joint_place(iso__space_joint_work *work, const iso__space_drift *a, const iso__space_drift *b) {
    ISO_VALIDATE_ASSERT(work->a.exponent >= -8 && work->a.exponent <= 6 && work->b.exponent >= -8 &&
                        work->b.exponent <= 6);
    place_lever(&work->a, a);
    place_lever(&work->b, b);
    for (int axis = 0; axis < 3; ++axis) {
        work->apart[axis] =
            work->start[axis] + b->moved[axis] - a->moved[axis] + work->b.lever[axis] - work->a.lever[axis];
        if (work->is_on_line) {
            work->a.arm[axis] = place_scale(work->a.lever[axis] + work->apart[axis], work->a.exponent);
        }
    }
    place_turn_body(&work->a, a, work->has_axes);
    place_turn_body(&work->b, b, work->has_axes);
    if (work->has_axes) {
        place_relative(work, a, b);
    }
}
