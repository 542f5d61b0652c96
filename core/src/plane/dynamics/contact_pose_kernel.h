/// Following the poses of contacts in lanes: the tests and separations of contact_pose.c, eight contacts or half of
/// them at a time. Included by one file per instruction set, after its lane operations.
///
/// As in contact_kernel.h a lane is 64 bits wide and numbers of 32 bits stand in its low half. A sum of 64 bits is
/// shifted logically where the low half of the result is read alone, or with a power of two added and taken off again.
/// What does not fit is left to the scalar code, so a lane only has to be right where all of these hold:
///
///   |dx|, |dy|  < 2^30 quanta of Q.24: 64 m between the centres, and so much at most to a point from either
///   |vx|, |vy|  < 2^29 quanta of Q.24 per second: 32 m/s
///   |s|         < 2^30 quanta of Q.24, a separation
///
/// Where B's anchor has moved from A's is small when the pose is near: with q the rotation of the frame and w how far B
/// has turned against A it is at most |(x, y)| + w |r|, r the anchor of the other body, below 2^28 quanta. So its low
/// half is all of it, whatever its terms are. Compared with the scalar code:
/// tests/unit/plane/dynamics/test_contact_pose.c.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_POSE_KERNEL_H
#define ISO_PLANE_DYNAMICS_CONTACT_POSE_KERNEL_H

#include <stddef.h>

#include "base/inline.h"
#include "math/fixed_ops.h"
#include "plane/dynamics/contact_pose.h"
#include "plane/world/scratch.h"
#include "simd/lanes.h"

_Static_assert(offsetof(iso__plane_manifold_point, anchor_b) == offsetof(iso__plane_manifold_point, anchor_a) + 8,
               "both anchors are gathered at once");
_Static_assert(offsetof(iso__plane_body, spin) == offsetof(iso__plane_body, velocity) + 8,
               "a body's motion is gathered at once");
_Static_assert(offsetof(iso__plane_body_derived, radius_exponent) == offsetof(iso__plane_body_derived, gyration) + 4,
               "read as the fifth byte");
_Static_assert(offsetof(iso__plane_manifold, is_a_smaller) == offsetof(iso__plane_manifold, extent) + 4 &&
                   sizeof(iso__plane_manifold) >= offsetof(iso__plane_manifold, extent) + 8,
               "read as the fifth byte");
_Static_assert(offsetof(iso__plane_contact, flags) == offsetof(iso__plane_contact, pose_angle) + 11 &&
                   ISO__PLANE_CONTACT_TOUCHES == 1,
               "read as the eighth byte from the second angle on");
_Static_assert(offsetof(iso__plane_manifold_point, separation_made) ==
                   offsetof(iso__plane_manifold_point, separation) + 4,
               "both separations are gathered at once");

typedef struct kernel_vector {
    iso__lanes x, y; // low
} kernel_vector;

/// Of pairs.
ISO__ALWAYS_INLINE kernel_vector kernel_vector_split(iso__lanes pair) {
    return (kernel_vector){pair, iso__lanes_high(pair)};
}

/// a . b + half, of 64 bits.
ISO__ALWAYS_INLINE iso__lanes kernel_dot(kernel_vector a, kernel_vector b, int64_t half) {
    return iso__lanes_add(iso__lanes_add(iso__lanes_mul(a.x, b.x), iso__lanes_set(half)), iso__lanes_mul(a.y, b.y));
}

/// a x b + half, of 64 bits.
ISO__ALWAYS_INLINE iso__lanes kernel_cross(kernel_vector a, kernel_vector b, int64_t half) {
    return iso__lanes_sub(iso__lanes_add(iso__lanes_mul(a.x, b.y), iso__lanes_set(half)), iso__lanes_mul(a.y, b.x));
}

#define KERNEL_HALF (INT64_C(1) << 29)

/// Turned by q, and by its inverse.
ISO__ALWAYS_INLINE kernel_vector kernel_turn(kernel_vector q, kernel_vector v) {
    const kernel_vector mirrored = {v.y, v.x};
    return (kernel_vector){
        iso__lanes_shift_right(iso__lanes_sub(iso__lanes_add(iso__lanes_mul(q.x, v.x), iso__lanes_set(KERNEL_HALF)),
                                              iso__lanes_mul(q.y, v.y)),
                               30),
        iso__lanes_shift_right(kernel_dot(q, mirrored, KERNEL_HALF), 30)};
}

ISO__ALWAYS_INLINE kernel_vector kernel_turn_back(kernel_vector q, kernel_vector v) {
    return (kernel_vector){iso__lanes_shift_right(kernel_dot(q, v, KERNEL_HALF), 30),
                           iso__lanes_shift_right(kernel_cross(q, v, KERNEL_HALF), 30)};
}

/// The rotation of a turn [turns] Q0.32 below 2^27 quanta, as iso_rotation_make: the same sums, of which a coefficient
/// of more than 32 bits is a multiple of 2 or 4.
ISO__ALWAYS_INLINE kernel_vector kernel_rotation(iso__lanes turned) {
    const iso__lanes zero = iso__lanes_set(0), half = iso__lanes_set(INT64_C(1) << 30);
    const iso__lanes z = iso__lanes_max(turned, iso__lanes_sub_pairs(zero, turned));
    const iso__lanes w =
        iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(z, z), iso__lanes_set(INT64_C(1) << 26)), 27);
#define KERNEL_TIMES_W(x) iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(x, w), half), 31)
    iso__lanes sine = iso__lanes_sub(KERNEL_TIMES_W(iso__lanes_set(2651)), iso__lanes_set(314146));
    sine = iso__lanes_add(KERNEL_TIMES_W(sine), iso__lanes_set(21392309));
    sine = iso__lanes_sub(KERNEL_TIMES_W(sine), iso__lanes_set(693598665));
    sine = KERNEL_TIMES_W(sine);
    const iso__lanes sine_z = iso__lanes_add(
        iso__lanes_mul(sine, z), iso__lanes_shift_left(iso__lanes_mul(iso__lanes_set(INT64_C(6746518852) / 4), z), 2));
    sine = iso__lanes_shift_right(iso__lanes_add(sine_z, iso__lanes_set(INT64_C(1) << 31)), 32);
    iso__lanes cosine = iso__lanes_add(KERNEL_TIMES_W(iso__lanes_set(-30337)), iso__lanes_set(2799827));
    cosine = iso__lanes_sub(KERNEL_TIMES_W(cosine), iso__lanes_set(136187643));
    cosine = KERNEL_TIMES_W(cosine);
#undef KERNEL_TIMES_W
    const iso__lanes cosine_w =
        iso__lanes_add(iso__lanes_mul(cosine, w),
                       iso__lanes_shift_left(iso__lanes_mul(iso__lanes_set(INT64_C(2649351744) / 2), w), 1));
    cosine = iso__lanes_shift_right(iso__lanes_add(cosine_w, iso__lanes_set(INT64_C(1) << 33)), 34);
    return (kernel_vector){iso__lanes_sub(iso__lanes_set(ISO__UNIT_ONE), cosine),
                           iso__lanes_if_positive(turned, sine, iso__lanes_sub(zero, sine))};
}

/// What is read of bodies and contacts, and how far they may move. The manifolds are those of the last step.
typedef struct kernel_pose_sources {
    const iso__plane_body *bodies;
    const iso__plane_body_derived *body_derived;
    const iso__plane_contact *contacts;
    iso__plane_manifold *manifolds;
    int64_t tick_rate, keep_turn, keep_distance;
} kernel_pose_sources;

/// The contacts of a chunk.
typedef struct kernel_following {
    const kernel_pose_sources *from;
    const iso__plane_manifold *manifolds;
    const uint32_t *numbers;
    kernel_vector turn[2], frame, centre, velocity; // B's centre from A's; B's velocity against A's
    iso__lanes turned, spin;                        // low: of B against A [rad] and [rad/s] Q.20
    iso__lanes frame_spin;                          // low, of the frame
    iso__lanes extent, bound;
    iso__lanes left; // not zero: left to the scalar code
    iso__lanes far;  // below zero: not near
} kernel_following;

/// Leaves to the scalar code what is not within +-2^bits, of 64 bits.
#define kernel_leave_beyond(on, x, bits) \
    ((on)->left = iso__lanes_or(         \
         (on)->left, iso__lanes_shift_right(iso__lanes_add(x, iso__lanes_set(INT64_C(1) << (bits))), (bits) + 1)))

/// Not near where a number of 64 bits is below zero.
ISO__ALWAYS_INLINE void kernel_keep_positive(kernel_following *on, iso__lanes x) {
    on->far = iso__lanes_or(on->far, x);
}

/// Not near where a number of 64 bits is not within +-limit.
ISO__ALWAYS_INLINE void kernel_keep_within(kernel_following *on, iso__lanes x, int64_t limit) {
    kernel_keep_positive(on, iso__lanes_add(iso__lanes_set(limit), x));
    kernel_keep_positive(on, iso__lanes_sub(iso__lanes_set(limit), x));
}

/// Not near where |v| + extent |turn| > bound, of 64 bits; v and bound are below 2^31.
ISO__ALWAYS_INLINE void kernel_keep_near(kernel_following *on, kernel_vector v, iso__lanes turn, iso__lanes bound) {
    const iso__lanes magnitude = iso__lanes_max(turn, iso__lanes_sub_pairs(iso__lanes_set(0), turn));
    const iso__lanes rest = iso__lanes_sub(bound, iso__lanes_shift_right(iso__lanes_mul(on->extent, magnitude), 20));
    kernel_keep_positive(on, rest);
    kernel_keep_positive(on, iso__lanes_sub(iso__lanes_sub(iso__lanes_mul(rest, rest), iso__lanes_mul(v.x, v.x)),
                                            iso__lanes_mul(v.y, v.y)));
}

/// As pose_is_near, which the spins and turns have passed.
/// @param a, b  anchors of the first point
ISO__ALWAYS_INLINE void kernel_keep_poses(kernel_following *on, kernel_vector a, kernel_vector b) {
    const iso__lanes one = iso__lanes_set(INT64_C(1) << 30), ticks = iso__lanes_set(on->from->tick_rate);
    const iso__lanes wide_x = iso__lanes_add(kernel_dot(on->frame, on->centre, KERNEL_HALF),
                                             iso__lanes_sub(iso__lanes_mul(b.x, one), iso__lanes_mul(a.x, one)));
    const iso__lanes wide_y = iso__lanes_add(kernel_cross(on->frame, on->centre, KERNEL_HALF),
                                             iso__lanes_sub(iso__lanes_mul(b.y, one), iso__lanes_mul(a.y, one)));
    // Below 2^32 quanta, so that what is small in the low half is small, and the sum of both squares fits.
    const kernel_vector moved = {iso__lanes_shift_right(wide_x, 30), iso__lanes_shift_right(wide_y, 30)};
    kernel_keep_near(on, moved, on->turned, on->bound);
    // A tick later. The products of spins and centres are below 2^57, so that the sums are above zero.
    const iso__lanes above = iso__lanes_set(INT64_C(1) << 60), off = iso__lanes_set(INT64_C(1) << 40);
    const iso__lanes quanta = iso__lanes_set(32);
    const iso__lanes by_y =
        iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(on->frame_spin, on->centre.y), above), 20);
    const iso__lanes by_x =
        iso__lanes_shift_right(iso__lanes_add(iso__lanes_mul(on->frame_spin, on->centre.x), above), 20);
    const iso__lanes vx = iso__lanes_add(iso__lanes_mul(on->velocity.x, quanta), iso__lanes_sub(by_y, off));
    const iso__lanes vy = iso__lanes_sub(iso__lanes_mul(on->velocity.y, quanta), iso__lanes_sub(by_x, off));
    kernel_leave_beyond(on, vx, 29);
    kernel_leave_beyond(on, vy, 29);
    const kernel_vector going = kernel_turn_back(on->frame, (kernel_vector){vx, vy});
    const kernel_vector next = {iso__lanes_add(iso__lanes_mul(moved.x, ticks), going.x),
                                iso__lanes_add(iso__lanes_mul(moved.y, ticks), going.y)};
    kernel_keep_near(on, next, iso__lanes_add(iso__lanes_mul(on->turned, ticks), on->spin),
                     iso__lanes_mul(on->bound, ticks));
}

/// As pose_separation.
ISO__ALWAYS_INLINE iso__lanes kernel_separation(kernel_following *on, kernel_vector normal, uint32_t p,
                                                kernel_vector anchor_a, kernel_vector anchor_b) {
    const kernel_vector a = kernel_turn(on->turn[0], anchor_a), b = kernel_turn(on->turn[1], anchor_b);
    const kernel_vector apart = {iso__lanes_add(on->centre.x, iso__lanes_sub(b.x, a.x)),
                                 iso__lanes_add(on->centre.y, iso__lanes_sub(b.y, a.y))};
    const iso__lanes made = iso__lanes_high(
        iso__lanes_gather_pairs(&on->manifolds->points[p].separation, sizeof *on->manifolds, on->numbers));
    const iso__lanes separation =
        iso__lanes_add(kernel_dot(normal, apart, KERNEL_HALF), iso__lanes_mul(made, iso__lanes_set(INT64_C(1) << 30)));
    kernel_leave_beyond(on, separation, 60);
    return iso__lanes_shift_right(separation, 30);
}

/// [rad/s] Q.20, of 64 bits: as iso__plane_angular_velocity_from_spin, whose shift left and this one right are one
/// shift right.
ISO__ALWAYS_INLINE iso__lanes kernel_angular_velocity(const iso__plane_body_derived *derived, iso__lanes spin,
                                                      const uint32_t *bodies) {
    const iso__lanes bytes = iso__lanes_gather_pairs(&derived->gyration, sizeof *derived, bodies);
    // 8 + k, of the fifth byte.
    const iso__lanes shift =
        iso__lanes_shift_right(iso__lanes_add(iso__lanes_shift_left(bytes, 24), iso__lanes_set(INT64_C(8) << 56)), 56);
    const iso__lanes above = iso__lanes_set(INT64_C(1) << 50);
    const iso__lanes sum = iso__lanes_add(iso__lanes_mul(spin, iso__lanes_set(512)), above);
    return iso__lanes_sub(iso__lanes_shift_right_each(sum, shift), iso__lanes_shift_right_each(above, shift));
}

/// As pose_read_motion, of A or of B.
/// @param from  [turns], low: the angle at the pose
/// @return [turns] Q.32, low: how far it has turned
ISO__ALWAYS_INLINE iso__lanes kernel_read_turn(kernel_following *on, int i, const uint32_t *bodies, iso__lanes from) {
    const iso__plane_body *records = on->from->bodies;
    const iso__lanes turned =
        iso__lanes_sub_pairs(iso__lanes_gather_pairs(&records->angle, sizeof *records, bodies), from);
    kernel_keep_within(on, iso__lanes_mul(turned, iso__lanes_set(1)), on->from->keep_turn);
    on->turn[i] = kernel_rotation(turned);
    return turned;
}

ISO__ALWAYS_INLINE iso__lanes kernel_read_centre(kernel_following *on, iso__lanes difference) {
    kernel_leave_beyond(on, difference, 38);
    return iso__lanes_shift_right(iso__lanes_add(difference, iso__lanes_set(128)), 8);
}

/// Reads where the bodies of a chunk are.
ISO__ALWAYS_INLINE void kernel_read_poses(kernel_following *on, const iso__plane_pose_group *group, uint32_t i) {
    const iso__plane_body *records = on->from->bodies;
    const iso__plane_contact *contacts = on->from->contacts;
    const uint32_t *a = &group->body_a[i], *b = &group->body_b[i];
    iso__lanes ax, ay, bx, by, velocity_a, velocity_b, spin_a, spin_b;
    iso__lanes_gather(records->position, sizeof *records, a, &ax, &ay);
    iso__lanes_gather(records->position, sizeof *records, b, &bx, &by);
    on->centre.x = kernel_read_centre(on, iso__lanes_sub(bx, ax));
    on->centre.y = kernel_read_centre(on, iso__lanes_sub(by, ay));
    const iso__lanes angles = iso__lanes_gather_pairs(contacts->pose_angle, sizeof *contacts, &group->contact[i]);
    const iso__lanes turned_a = kernel_read_turn(on, 0, a, angles);
    const iso__lanes turned_b = kernel_read_turn(on, 1, b, iso__lanes_high(angles));
    const iso__lanes turn = iso__lanes_mul(iso__lanes_sub(turned_b, turned_a), iso__lanes_set(ISO__PLANE_POSE_TWO_PI));
    on->turned = iso__lanes_high(iso__lanes_add(turn, iso__lanes_set(INT64_C(1) << 31)));
    iso__lanes_gather(records->velocity, sizeof *records, a, &velocity_a, &spin_a);
    iso__lanes_gather(records->velocity, sizeof *records, b, &velocity_b, &spin_b);
    on->velocity = kernel_vector_split(iso__lanes_sub_pairs(velocity_b, velocity_a));
    spin_a = kernel_angular_velocity(on->from->body_derived, spin_a, a);
    spin_b = kernel_angular_velocity(on->from->body_derived, spin_b, b);
    kernel_keep_within(on, spin_a, ISO__PLANE_POSE_SPIN_MAX);
    kernel_keep_within(on, spin_b, ISO__PLANE_POSE_SPIN_MAX);
    on->spin = iso__lanes_sub(spin_b, spin_a);
    // The fifth byte says which shape is the smaller one, and the eighth whether they touch.
    on->extent = iso__lanes_gather_pairs(&on->manifolds->extent, sizeof *on->manifolds, on->numbers);
    const iso__lanes is_a_smaller = iso__lanes_shift_right(iso__lanes_shift_left(on->extent, 24), 56);
    on->frame.x = iso__lanes_if_positive(is_a_smaller, on->turn[1].x, on->turn[0].x);
    on->frame.y = iso__lanes_if_positive(is_a_smaller, on->turn[1].y, on->turn[0].y);
    on->frame_spin = iso__lanes_if_positive(is_a_smaller, spin_b, spin_a);
    const iso__lanes flags = iso__lanes_gather_pairs(&contacts->pose_angle[1], sizeof *contacts, &group->contact[i]);
    const iso__lanes touches = iso__lanes_shift_right(iso__lanes_shift_left(flags, 7), 63);
    const iso__lanes eighth = iso__lanes_shift_right(iso__lanes_shift_left(on->extent, 32), 35);
    on->bound = iso__lanes_shift_right_each(iso__lanes_min(eighth, iso__lanes_set(on->from->keep_distance)),
                                            iso__lanes_sub(iso__lanes_set(2), iso__lanes_add(touches, touches)));
}

/// Writes the separations of the contacts that are followed.
ISO__ALWAYS_INLINE void kernel_write(const kernel_following *on, iso__plane_pose_group *group, uint32_t i,
                                     int32_t separations[2][ISO__LANES_COUNT]) {
    uint64_t left[ISO__LANES_COUNT], far[ISO__LANES_COUNT];
    iso__lanes_store(left, on->left);
    iso__lanes_store(far, on->far);
    for (uint32_t lane = 0; lane < ISO__LANES_COUNT && i + lane < group->count; ++lane) {
        if (left[lane] != 0) {
            group->left |= UINT32_C(1) << (i + lane);
        } else if (far[lane] >> 63 == 0) {
            iso__plane_manifold *manifold = &on->from->manifolds[on->numbers[lane]];
            manifold->points[0].separation = separations[0][lane];
            manifold->points[1].separation = separations[1][lane];
            manifold->is_hidden = false;
            group->followed |= UINT32_C(1) << (i + lane);
        }
    }
}

ISO__ALWAYS_INLINE void kernel_follow(const kernel_pose_sources *from, iso__plane_pose_group *group, uint32_t i) {
    const iso__plane_manifold *manifolds = from->manifolds;
    kernel_following on = {.from = from, .manifolds = manifolds, .numbers = &group->manifold[i]};
    on.left = on.far = iso__lanes_set(0);
    kernel_read_poses(&on, group, i);
    iso__lanes a[2], b[2];
    for (uint32_t p = 0; p < 2; ++p) {
        iso__lanes_gather(manifolds->points[p].anchor_a, sizeof *manifolds, on.numbers, &a[p], &b[p]);
    }
    const kernel_vector normal =
        kernel_vector_split(iso__lanes_gather_pairs(manifolds->normal, sizeof *manifolds, on.numbers));
    kernel_keep_poses(&on, kernel_vector_split(a[0]), kernel_vector_split(b[0]));
    int32_t separations[2][ISO__LANES_COUNT];
    for (uint32_t p = 0; p < 2; ++p) {
        iso__lanes_narrow(separations[p],
                          kernel_separation(&on, normal, p, kernel_vector_split(a[p]), kernel_vector_split(b[p])));
    }
    kernel_write(&on, group, i, separations);
}

static void kernel_contacts_follow(const iso__plane *plane, iso__plane_pose_group *group) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const kernel_pose_sources from = {
        .bodies = plane->bodies,
        .body_derived = plane->body_derived,
        .contacts = plane->contacts,
        .manifolds = scratch->manifolds_last,
        .tick_rate = plane->world.def.tick_rate_hz,
        .keep_turn = scratch->params.keep_turn,
        .keep_distance = scratch->params.keep_distance,
    };
    group->followed = group->left = 0;
    for (uint32_t i = 0; i < group->count; i += ISO__LANES_COUNT) {
        kernel_follow(&from, group, i);
    }
}

#undef KERNEL_HALF

#endif
