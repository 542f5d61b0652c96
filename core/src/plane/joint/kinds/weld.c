/// The weld: two anchor points stay together, and the angle between the bodies stays.
///
///   point  C = (xB + rB) - (xA + rA)         plane/joint/point.c
///   axis   x = phiB - phiA, held at rest     plane/joint/axis.c; soft with the joint's softness, or with its spring's
///
/// The 2x2 block and the angle's row are solved one after the other, so that no block mixes metres and radians. With
/// anchors away from the centres the two disturb each other: on a lever of ten radii a solve removes a three-hundredth
/// of the error. But bodies that are welded at one point are welded at every point. With the centres d apart in A's
/// frame (when the angle is at rest) and angular shares aA + aB = 1, the point P = xA + aB d is moved by the impulses
/// of its row alone, since
///
///   J_P M^-1 J_x^T = perp(P - xB)/IB + perp(P - xA)/IA = 0
///
/// So a rigid weld without a maximum holds its bodies at P. The record has the impulses at the anchors, whose torque is
///
///   M_P = M + (r - P) x F,   j_x changes by (r - P) x j sigma_x / sigma
///
/// A weld that is soft or may yield does so at its anchors.
#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/joint/kind.h"
#include "plane/joint/kinds/point_angle.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"

#define APART_MAX (INT64_C(64) << 24) // [m] Q7.24: of what is turned, so that it stays within the format

static bool weld_is_rigid(const iso__plane_joint *joint) {
    return joint->hertz == 0 && joint->force_max == 0 && joint->torque_max == 0 && joint->correction_max == 0 &&
           !iso__plane_joint_has_spring(joint);
}

/// The change of the angle's impulse when the point's acts at the anchors instead of at P, where the bodies are now.
static int64_t weld_turned(const iso__plane *plane, const iso__plane_joint_work *work) {
    const int64_t *impulse = work->point.row.impulse;
    if ((work->moved[0] | work->moved[1]) == 0) {
        return 0;
    }
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, work->body_a),
                                  *b = iso__plane_joint_body(plane, work->body_b);
    const iso_vec2_wide lever =
        iso__rotate_to_wide(plane->scratch->rotations[work->body_b], work->moved[0], work->moved[1]);
    const int64_t moment = iso__dot_shift(lever.x, impulse[1], -lever.y, impulse[0], ISO__WIDE_FRACTION);
    // sigma_x / sigma = t / (L^2 a) of either body; the one that turns more easily is the more exact.
    const int64_t share_a = iso__plane_joint_angular_share(a, b, ISO_WIDE_ONE);
    const bool is_a = share_a > ISO__UNIT_ONE / 2;
    const int64_t turn = is_a ? work->point.row.turn_a : work->point.row.turn_b;
    const int64_t share = is_a ? share_a : ISO__UNIT_ONE - share_a;
    const int k = 2 * (is_a ? work->exponent_a : work->exponent_b);
    const int64_t turned = iso__mul_div(moment, turn * (ISO__UNIT_ONE >> ISO__GYRO_FRACTION), share);
    const int64_t most = ISO__AXIS_IMPULSE_MAX;
    return k > 0 ? iso__clamp64(iso__round_shift(turned, (unsigned)k), -most, most)
                 : iso__shl64(iso__clamp64(turned, -(most >> -k), most >> -k), (unsigned)-k);
}

static bool weld_is_far(int64_t place) {
    return place > APART_MAX || place < -APART_MAX;
}

static void weld_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    iso__plane_point_angle_prepare(plane, joint, work);
    if (work->axis_count == 0 || !weld_is_rigid(joint)) {
        return;
    }
    // d: from A's centre to B's, by the anchors.
    const iso_rotation turned = iso_rotation_make((uint32_t)iso_turns_from_radians(iso_wide_from_fix16(joint->rest)));
    const iso_rotation back = {turned.c, -turned.s};
    const iso_vec2_wide to_b = iso__rotate_to_wide(turned, work->local_b[0], work->local_b[1]);
    const int64_t x = work->local_a[0] - iso__round_shift(to_b.x, 8),
                  y = work->local_a[1] - iso__round_shift(to_b.y, 8);
    if (weld_is_far(x) || weld_is_far(y)) {
        return;
    }
    const iso__plane_body_derived *a = iso__plane_joint_body(plane, work->body_a),
                                  *b = iso__plane_joint_body(plane, work->body_b);
    const int64_t share_a = iso__plane_joint_angular_share(a, b, ISO_WIDE_ONE);
    const int32_t from_b[2] = {(int32_t)-iso__mul_shift(x, share_a, ISO__UNIT_FRACTION),
                               (int32_t)-iso__mul_shift(y, share_a, ISO__UNIT_FRACTION)};
    const iso_vec2_wide of_b = iso__rotate_to_wide(back, from_b[0], from_b[1]);
    const int64_t of_b_x = iso__round_shift(of_b.x, 8), of_b_y = iso__round_shift(of_b.y, 8);
    const int64_t moved_x = work->local_b[0] - of_b_x, moved_y = work->local_b[1] - of_b_y;
    if (weld_is_far(moved_x) || weld_is_far(moved_y)) {
        return;
    }
    work->moved[0] = (int32_t)moved_x;
    work->moved[1] = (int32_t)moved_y;
    work->local_a[0] = (int32_t)(x + from_b[0]);
    work->local_a[1] = (int32_t)(y + from_b[1]);
    work->local_b[0] = (int32_t)of_b_x;
    work->local_b[1] = (int32_t)of_b_y;
    work->is_moved = true;
    int64_t *impulse = &work->axes[0].base.impulse[ISO__AXIS_HOLD];
    *impulse = iso__clamp64(*impulse + weld_turned(plane, work), -ISO__AXIS_IMPULSE_MAX, ISO__AXIS_IMPULSE_MAX);
}

static void weld_store(const iso__plane *plane, const iso__plane_joint_work *work, iso__plane_joint *joint) {
    if (work->is_moved) {
        int64_t *impulse = &joint->impulse[ISO__PLANE_JOINT_AXIS_IMPULSE];
        *impulse = iso__clamp64(*impulse - weld_turned(plane, work), -ISO__AXIS_IMPULSE_MAX, ISO__AXIS_IMPULSE_MAX);
    }
}

const iso__plane_joint_kind iso__plane_kind_weld = {.prepare = weld_prepare,
                                                    .update = iso__plane_point_angle_update,
                                                    .measure = iso__plane_point_angle_measure,
                                                    .store = weld_store};
