/// Contacts that keep their manifold while their bodies hardly move.
///
/// A contact with two points stores the pose at which its manifold was made: the offset of B's origin from A's, and
/// both bodies' angles. The manifold is a function of the shapes and of this pose, rounded as it is stored, so it can
/// be made again at any time, after a restore for example; that it is known from the last step only saves the work.
///
/// While the bodies are near that pose, normal and anchors stay as they were, in the world's orientation, and only the
/// separations follow: with dc the offset of the centres now, and the anchors rA, rB turned with their bodies,
///
///   s = s0 + n . (dc + rB' - rA')        since dc + rB - rA was 0 when the manifold was made
///
/// Were everything made anew in each tick, the arms of a stack's weight would grow as it leans, and soft contacts would
/// follow until it buckles, as a column does. With arms that stay, what a settled stack leans does not add up.
///
/// Near means, for the bodies' motion against each other since then: the smaller piece's centre of mass moved by d in
/// the frame of the other body and turned by w, and d + e w is within a bound, with e the extent of the smaller piece.
/// No point of it has moved farther. The same has to hold for where the velocities lead in this tick, so that nothing
/// fast is kept, and neither body may have turned in the world by more than a bound, since the normal does not turn.
/// The centres are those of the present masses: a change of mass moves both poses alike.
///
/// A point of its own is not kept: it is a corner or a round border that rolls, and the other end of a face comes down
/// beside it. Nor is a pair with a capsule: its end rolls as it tilts, and what balances on one, as the walker does on
/// its feet, falls when the arms of its weight stay behind.
///
/// Ranges: offsets are below 2^31 quanta of Q.24, sums of two of them times a cosine below 2^63. Speeds are below
/// 2^28 quanta of Q12.19. Turns that are compared are below an eighth, and spins faster than 64 rad/s are not kept.
#include "plane/dynamics/contact_pose.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "plane/collide/seam.h"
#include "plane/world/body.h"
#include "plane/world/contact.h"
#include "plane/world/geometry.h"
#include "plane/world/scratch.h"
#include "plane/world/spin.h"

#define POSE_ANGLE_FRACTION ISO__PLANE_POSE_ANGLE_FRACTION
#define POSE_SPEED_MAX      (INT64_C(128) << 24) // [m/s] Q.24: half a metre in each of 128 ticks a second, twice

/// The offset of a body's centre of mass from its origin when it is turned so, [m] Q31.32.
static iso_vec2_wide pose_centre(const iso__plane_body_derived *derived, iso_rotation q) {
    const int32_t *centre = derived->local_centre;
    return (centre[0] | centre[1]) == 0 ? (iso_vec2_wide){0, 0} : iso__rotate_to_wide(q, centre[0], centre[1]);
}

/// The pose that the contact stores, as the offset of the centres.
static void pose_read(const iso__plane *plane, const iso__plane_contact *contact, const uint32_t bodies[2],
                      iso__plane_relative_pose *pose) {
    const iso__plane_body_derived *a = &plane->body_derived[bodies[0]], *b = &plane->body_derived[bodies[1]];
    for (int i = 0; i < 2; ++i) {
        const uint32_t angle = contact->pose_angle[i];
        const bool is_now = angle == (uint32_t)(uint64_t)plane->bodies[bodies[i]].angle;
        pose->rotation[i] = is_now ? plane->body_derived[bodies[i]].rotation : iso_rotation_make(angle);
    }
    const iso_vec2_wide ca = pose_centre(a, pose->rotation[0]), cb = pose_centre(b, pose->rotation[1]);
    pose->offset[0] = contact->pose_offset[0] + iso__round_shift(cb.x - ca.x, 8);
    pose->offset[1] = contact->pose_offset[1] + iso__round_shift(cb.y - ca.y, 8);
}

/// Of a manifold that is new: where its points are does not change while it is kept.
static inline void pose_mark_short(const iso__plane *plane, iso__plane_manifold *manifold) {
    manifold->is_short = iso__plane_seam_is_short(manifold, plane->scratch->params.manifold.slop);
    manifold->is_hidden = manifold->is_standing = false;
}

/// Of a manifold that can be kept: what would have to be read of the shapes' records.
static void pose_note_shapes(const iso__plane *plane, const iso__plane_contact *contact,
                             iso__plane_manifold *manifold) {
    const iso__plane_shape *a = &plane->shapes[contact->shape_a], *b = &plane->shapes[contact->shape_b];
    const int32_t extent_a = plane->shape_derived[contact->shape_a].extent;
    const int32_t extent_b = plane->shape_derived[contact->shape_b].extent;
    manifold->is_plain = ((a->flags | b->flags) & ISO__PLANE_SHAPE_SENSOR) == 0 &&
                         (a->one_way[0] | a->one_way[1] | b->one_way[0] | b->one_way[1]) == 0;
    manifold->is_a_smaller = extent_a < extent_b;
    manifold->extent = iso__min32(extent_a, extent_b);
}

void iso__plane_contact_take_pose(const iso__plane *plane, iso__plane_contact *contact, iso__plane_manifold *manifold) {
    ISO_VALIDATE_ASSERT(contact->shape_a < plane->world.globals->shape_count &&
                        contact->shape_b < plane->world.globals->shape_count);
    const uint32_t body_a = plane->shapes[contact->shape_a].body, body_b = plane->shapes[contact->shape_b].body;
    const iso__plane_body *a = &plane->bodies[body_a], *b = &plane->bodies[body_b];
    const iso__plane_body_derived *da = &plane->body_derived[body_a], *db = &plane->body_derived[body_b];
    const iso_vec2_wide ca = pose_centre(da, da->rotation), cb = pose_centre(db, db->rotation);
    // Shapes reach at most 60 m from the origin, and their boxes overlap, so the origins are less than 121 m apart.
    const int64_t x = iso__round_shift(b->position[0] - a->position[0] - cb.x + ca.x, 8);
    const int64_t y = iso__round_shift(b->position[1] - a->position[1] - cb.y + ca.y, 8);
    const iso__plane_relative_pose pose = {
        .rotation = {da->rotation, db->rotation},
        .offset = {x + iso__round_shift(cb.x - ca.x, 8), y + iso__round_shift(cb.y - ca.y, 8)},
    };
    iso__plane_shapes_collide_at(plane, &plane->scratch->params.manifold, contact->shape_a, contact->shape_b, &pose,
                                 manifold);
    pose_mark_short(plane, manifold);
    contact->point_count = (uint8_t)manifold->count;
    if (iso__plane_contact_has_pose(plane, contact)) {
        contact->pose_offset[0] = iso__narrow32(x);
        contact->pose_offset[1] = iso__narrow32(y);
        contact->pose_angle[0] = (uint32_t)(uint64_t)a->angle;
        contact->pose_angle[1] = (uint32_t)(uint64_t)b->angle;
        pose_note_shapes(plane, contact, manifold);
    }
}

/// How two bodies have moved since a pose, and are moving.
typedef struct pose_motion {
    int64_t centre[2];      // [m] Q.24, of B from A now
    int64_t spin[2];        // [rad/s] Q.20
    int32_t turned[2];      // [turns] Q0.32, each
    iso_rotation turn[2];   // the same as rotations
    int32_t velocity[2][2]; // before the step
} pose_motion;

/// The rotation of a small turn. A body's contacts often have the same one, from when it lay down.
static inline iso_rotation pose_turn_of(iso__plane_known_turns *turns, int32_t turned) {
    if (turned == 0) {
        return (iso_rotation){ISO_ROTATION_ONE, 0};
    }
    iso__plane_known_turn *known =
        &turns->slots[((uint32_t)turned * UINT32_C(0x9E3779B1)) >> (32 - ISO__PLANE_KNOWN_TURN_BITS)];
    if (known->turned != turned) {
        *known = (iso__plane_known_turn){turned, iso_rotation_make((uint32_t)turned)};
    }
    return known->rotation;
}

/// Most bodies have no target.
static inline void pose_read_velocity(const iso__plane *plane, uint32_t body, const iso__plane_body *record,
                                      pose_motion *motion, int i) {
    int32_t velocity[3] = {record->velocity[0], record->velocity[1], record->spin};
    if (plane->scratch->has_moving_kinematic) {
        iso__plane_body_read_velocity(plane, body, velocity);
    }
    motion->velocity[i][0] = velocity[0];
    motion->velocity[i][1] = velocity[1];
    const int8_t k = plane->body_derived[body].radius_exponent; // as iso__plane_angular_velocity_from_spin
    motion->spin[i] = iso__shl64(velocity[2], (unsigned)(13 - k)) >> (ISO__WIDE_FRACTION - POSE_ANGLE_FRACTION);
}

/// @return false when one of the bodies has turned too far
static inline bool pose_read_motion(const iso__plane *plane, iso__plane_known_turns *turns,
                                    const iso__plane_contact *contact, const uint32_t bodies[2], pose_motion *motion) {
    const iso__plane_body *a = &plane->bodies[bodies[0]], *b = &plane->bodies[bodies[1]];
    const uint32_t limit = plane->scratch->params.keep_turn;
    motion->turned[0] = (int32_t)((uint32_t)(uint64_t)a->angle - contact->pose_angle[0]);
    motion->turned[1] = (int32_t)((uint32_t)(uint64_t)b->angle - contact->pose_angle[1]);
    if (iso__abs_u32(motion->turned[0]) > limit || iso__abs_u32(motion->turned[1]) > limit) {
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        motion->centre[i] = iso__round_shift(b->position[i] - a->position[i], 8);
        motion->turn[i] = pose_turn_of(turns, motion->turned[i]);
        pose_read_velocity(plane, bodies[i], i == 0 ? a : b, motion, i);
    }
    return true;
}

/// |(x, y)| + farthest <= bound; all Q.24, the bound below 2^31.
static inline bool pose_is_within(int64_t x, int64_t y, int64_t farthest, int64_t bound) {
    const int64_t left = bound - farthest;
    return left >= 0 && iso__abs_u64(x) <= (uint64_t)left && iso__abs_u64(y) <= (uint64_t)left &&
           x * x + y * y <= left * left;
}

/// Whether the bodies are near the pose of a manifold, and stay so in this tick.
static inline bool pose_is_near(const iso__plane *plane, const iso__plane_contact *contact,
                                const iso__plane_manifold *known, const pose_motion *motion) {
    const iso__step_params *params = &plane->scratch->params;
    const int frame = known->is_a_smaller ? 1 : 0; // the body in whose frame the other's centre is compared
    const int64_t extent = known->extent;
    const int64_t farthest = iso__min64(params->keep_distance, extent / 8);
    const int64_t bound = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0 ? farthest : farthest / 4;
    if (iso__abs_u64(motion->spin[0]) > ISO__PLANE_POSE_SPIN_MAX ||
        iso__abs_u64(motion->spin[1]) > ISO__PLANE_POSE_SPIN_MAX) {
        return false;
    }
    // Both anchors are the same point, so this is how far the centres were apart.
    const iso__plane_manifold_point *point = &known->points[0];
    const int64_t before_x = (int64_t)point->anchor_a[0] - point->anchor_b[0];
    const int64_t before_y = (int64_t)point->anchor_a[1] - point->anchor_b[1];
    const int64_t rate = plane->world.def.tick_rate_hz;
    const int64_t turned = (int64_t)motion->turned[1] - motion->turned[0];      // both are below a quarter
    const int64_t turn = iso__round_shift(turned * ISO__PLANE_POSE_TWO_PI, 32); // [rad] Q.20
    const iso_rotation q = motion->turn[frame];
    const int64_t dx = motion->centre[0], dy = motion->centre[1];
    const int64_t x = iso__round_shift(q.c * dx + q.s * dy, 30) - before_x;
    const int64_t y = iso__round_shift(q.c * dy - q.s * dx, 30) - before_y;
    if (!pose_is_within(x, y, (extent * (int64_t)iso__abs_u64(turn)) >> POSE_ANGLE_FRACTION, bound)) {
        return false;
    }
    // The same a tick later, in units of a tick: the bound is at most half a metre, the rate 128 Hz.
    const int64_t w = motion->spin[frame];
    const int64_t vx =
        (int64_t)(motion->velocity[1][0] - motion->velocity[0][0]) * 32 + ((w * dy) >> POSE_ANGLE_FRACTION);
    const int64_t vy =
        (int64_t)(motion->velocity[1][1] - motion->velocity[0][1]) * 32 - ((w * dx) >> POSE_ANGLE_FRACTION);
    if (iso__abs_u64(vx) > POSE_SPEED_MAX || iso__abs_u64(vy) > POSE_SPEED_MAX) {
        return false; // it moves farther than twice any bound
    }
    const int64_t turn_next = turn * rate + motion->spin[1] - motion->spin[0];
    return pose_is_within(x * rate + iso__round_shift(q.c * vx + q.s * vy, 30),
                          y * rate + iso__round_shift(q.c * vy - q.s * vx, 30),
                          (extent * (int64_t)iso__abs_u64(turn_next)) >> POSE_ANGLE_FRACTION, bound * rate);
}

/// An anchor that has turned with its body, [m] Q.24.
static inline void pose_turn(iso_rotation q, const int32_t anchor[2], int64_t turned[2]) {
    turned[0] = iso__round_shift((int64_t)q.c * anchor[0] - (int64_t)q.s * anchor[1], 30);
    turned[1] = iso__round_shift((int64_t)q.s * anchor[0] + (int64_t)q.c * anchor[1], 30);
}

static inline int32_t pose_separation(const pose_motion *motion, const iso__plane_manifold *manifold,
                                      const iso__plane_manifold_point *point) {
    int64_t a[2], b[2];
    pose_turn(motion->turn[0], point->anchor_a, a);
    pose_turn(motion->turn[1], point->anchor_b, b);
    const int64_t x = motion->centre[0] + b[0] - a[0], y = motion->centre[1] + b[1] - a[1];
    const int64_t change = iso__round_shift(manifold->normal[0] * x + manifold->normal[1] * y, 30);
    return iso__saturate32(point->separation_made + change);
}

bool iso__plane_contact_follow_pose(const iso__plane *plane, iso__plane_known_turns *turns, const uint32_t bodies[2],
                                    const iso__plane_contact *contact, iso__plane_manifold *known) {
    ISO_VALIDATE_ASSERT(bodies[0] < plane->world.globals->body_count && bodies[1] < plane->world.globals->body_count);
    pose_motion motion;
    if (plane->scratch->params.keep_distance == 0 || !pose_read_motion(plane, turns, contact, bodies, &motion) ||
        !pose_is_near(plane, contact, known, &motion)) {
        return false;
    }
    for (uint32_t p = 0; p < known->count; ++p) {
        known->points[p].separation = pose_separation(&motion, known, &known->points[p]);
    }
    known->is_hidden = false; // what the last step found
    return true;
}

bool iso__plane_contact_keep_pose(const iso__plane *plane, iso__plane_known_turns *turns, const uint32_t bodies[2],
                                  const iso__plane_contact *contact, iso__plane_manifold *manifold) {
    ISO_VALIDATE_ASSERT(contact->shape_a < plane->world.globals->shape_count &&
                        contact->shape_b < plane->world.globals->shape_count);
    const iso__step_params *params = &plane->scratch->params;
    if (!iso__plane_contact_has_pose(plane, contact) || params->keep_distance == 0) {
        return false;
    }
    iso__plane_relative_pose pose;
    pose_read(plane, contact, bodies, &pose);
    iso__plane_shapes_collide_at(plane, &params->manifold, contact->shape_a, contact->shape_b, &pose, manifold);
    pose_mark_short(plane, manifold);
    pose_note_shapes(plane, contact, manifold);
    // A change of mass rounds the centres anew, and a point at the very edge may vanish.
    return manifold->count == 2 && iso__plane_contact_follow_pose(plane, turns, bodies, contact, manifold);
}
