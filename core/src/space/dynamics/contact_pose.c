/// Contacts of solids that keep their manifold while their bodies hardly move, as in the plane
/// (plane/dynamics/contact_pose.c).
///
/// A contact with three or four points stores the pose at which its manifold was made: the offset of B's origin from
/// A's, and both rotations. The manifold is a function of the shapes and of this pose, rounded as it is stored, so it
/// can be made again at any time, after a restore for example; that it is known from the last tick only saves the work.
///
/// While the bodies are near that pose, normal and anchors stay as they were, in the world's orientation, and only the
/// separations follow. With c the offset of the centres, dA, dB the rotations of the bodies since then and rA, rB the
/// anchors,
///
///   s = s0 + n . (c' - c) + n . (dB rB - rB) - n . (dA rA - rA)
///
/// since c + rB - rA was 0 when the manifold was made; n . (d r - r) is (d^-1 n - n) . r.
///
/// Were everything made anew in each tick, the arms of a stack's weight would grow as it leans, and soft contacts would
/// follow until it buckles, as a column does. With arms that stay, what a settled stack leans does not add up.
///
/// Near means, for the motion of the smaller shape's body in the frame of the other one since then: its centre of mass
/// moved by d and it turned by w, and d + e w is within a bound, with e the extent of the smaller shape. No point of it
/// has moved farther. The same has to hold for where the velocities lead in this tick, so that nothing fast is kept,
/// and neither body may have turned in the world by more than a bound, since the normal does not turn.
///
/// A manifold has four points at most, so of a patch with more corners some are left out. It is kept only while the
/// bodies turn so little across the normal that these stay above the others.
///
/// Round shapes roll, and of two points the third may come down beside them: neither is kept. A plane or a field of
/// heights may be far away, where anchors are cut off, so it must not have turned at all.
///
/// Ranges: centres are below 2^31 quanta of Q.24 apart where nothing is a plane or heights. What moves farther than
/// POSE_WAY_MAX in a tick, or turns by more, is not near.
#include "space/dynamics/contact_pose.h"

#include <string.h>

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "solver/parallel.h"
#include "space/collide/manifold_heights.h"
#include "space/collide/vec_ops.h"
#include "space/world/body.h"
#include "space/world/body_mass.h"
#include "space/world/contact.h"
#include "space/world/contact_match.h"
#include "space/world/shape.h"

#define POSE_POINTS_MIN 3
#define POSE_WAY_MAX    ((int64_t)ISO__UNIT_ONE) // [m] or [rad] Q.24: 64 in a tick
#define BODY_GRAIN      64u
#define CONTACT_GRAIN   64u

// ---- a tick's ways -------------------------------------------------------------------------------

static void tick_ways_make(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    const iso__space *space = iso__space_of(world);
    const int64_t rate = world->def.tick_rate_hz;
    for (uint32_t i = begin; i < end; ++i) {
        iso__space_tick_way *way = &space->scratch->tick_ways[i];
        *way = (iso__space_tick_way){.moved = {0}};
        if (!iso__bit_is_set(space->scratch->moving_bits, i)) {
            continue;
        }
        const iso__space_body_derived *derived = &space->body_derived[i];
        const unsigned to_radians = (unsigned)(6 - derived->radius_exponent); // spins of Q12.19 times 2 to rad/s Q.24
        int32_t spin[3];
        iso__space_body_spin(&space->bodies[i], derived, spin);
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t speed = iso__shl64(space->bodies[i].velocity[axis], 5);
            way->moved[axis] = iso__saturate32(speed / rate);
            way->turned[axis] = iso__saturate32((iso__shl64(spin[axis], to_radians) >> 1) / rate);
        }
    }
}

void iso__space_poses_begin(iso__space *space) {
    ISO_ASSERT(space->world.globals->body_count <= space->world.def.body_capacity);
    if (space->scratch->has_poses && space->scratch->params.keep_distance > 0) {
        iso__parallel_for(&space->world, 0, space->world.globals->body_count, BODY_GRAIN, tick_ways_make, NULL);
    }
}

// ---- poses ---------------------------------------------------------------------------------------

/// How the bodies of a contact have moved since its pose.
typedef struct pose_motion {
    uint32_t shapes[2], bodies[2];
    int64_t centre[3];  // [m] Q.24, of B from A now
    int64_t shift[3];   // [m] Q.24, of B against A
    int32_t turn[2][4]; // Q2.30, of each in the world, w >= 0
    bool has_turned[2];
} pose_motion;

static iso__pair contact_pair(const iso__space *space, const iso__space_contact *contact) {
    const uint64_t a = contact->shape_a, b = contact->shape_b;
    return (iso__pair){(uint64_t)space->shapes[a].body << 32 | space->shapes[b].body, a << 32 | b};
}

static bool body_has_centre(const iso__space_body_derived *derived) {
    return (derived->local_centre[0] | derived->local_centre[1] | derived->local_centre[2]) != 0;
}

/// The offset of a body's centre of mass from its origin when it is turned so, [m] Q.24.
static void pose_centre(const iso__space_body_derived *derived, const int32_t rotation[9], int64_t centre[3]) {
    iso__space_ops_turn32(rotation, derived->local_centre, centre);
}

/// The offset of B's origin from A's [m] Q.24, of which the record has the low bits.
static void pose_origins(const iso__space *space, const iso__pair *pair, const int64_t centre[3], int64_t origins[3]) {
    const iso__space_body_derived *a = &space->body_derived[pair->bodies >> 32];
    const iso__space_body_derived *b = &space->body_derived[(uint32_t)pair->bodies];
    memcpy(origins, centre, 3 * sizeof origins[0]);
    int64_t from[3];
    if (body_has_centre(a)) {
        pose_centre(a, a->rotation, from);
        for (int i = 0; i < 3; ++i) {
            origins[i] += from[i];
        }
    }
    if (body_has_centre(b)) {
        pose_centre(b, b->rotation, from);
        for (int i = 0; i < 3; ++i) {
            origins[i] -= from[i];
        }
    }
}

static bool shape_may_keep(const iso__space_shape *shape) {
    return shape->kind != ISO_SHAPE3_SPHERE && shape->kind != ISO_SHAPE3_CAPSULE;
}

void iso__space_pose_take(const iso__space *space, const iso__space_manifold *manifold, iso__space_contact *contact) {
    ISO_ASSERT(contact->shape_a < space->world.globals->shape_count &&
               contact->shape_b < space->world.globals->shape_count);
    const iso__space_shape *a = &space->shapes[contact->shape_a], *b = &space->shapes[contact->shape_b];
    if (manifold->count < POSE_POINTS_MIN || space->scratch->params.keep_distance == 0 || !shape_may_keep(a) ||
        !shape_may_keep(b)) {
        return;
    }
    const iso__pair pair = contact_pair(space, contact);
    int64_t centre[3], origins[3];
    iso__space_pair_offset(space, &pair, centre);
    pose_origins(space, &pair, centre, origins);
    for (int i = 0; i < 3; ++i) {
        contact->pose_offset[i] = (int32_t)(uint32_t)(uint64_t)origins[i];
    }
    memcpy(contact->pose_rotation_a, space->bodies[a->body].rotation, sizeof contact->pose_rotation_a);
    memcpy(contact->pose_rotation_b, space->bodies[b->body].rotation, sizeof contact->pose_rotation_b);
}

void iso__space_pose_drop(iso__space_contact *contact) {
    ISO_ASSERT(contact->point_count <= ISO__SPACE_CONTACT_POINTS);
    memset(contact->pose_offset, 0, sizeof contact->pose_offset);
    memset(contact->pose_rotation_a, 0, sizeof contact->pose_rotation_a);
    memset(contact->pose_rotation_b, 0, sizeof contact->pose_rotation_b);
}

/// The rotation from a pose to now. @return whether there is any
static bool pose_turn(const int32_t now[4], const int32_t then[4], int32_t turn[4]) {
    if (memcmp(now, then, 4 * sizeof now[0]) == 0) {
        turn[0] = turn[1] = turn[2] = 0;
        turn[3] = ISO__UNIT_ONE;
        return false;
    }
    const int32_t back[4] = {iso__neg32(then[0]), iso__neg32(then[1]), iso__neg32(then[2]), then[3]};
    iso__quat_mul(now, back, turn);
    for (int i = 0; i < 4 && turn[3] < 0; ++i) {
        turn[i] = i == 3 ? turn[i] : iso__neg32(turn[i]);
    }
    turn[3] = turn[3] < 0 ? iso__neg32(turn[3]) : turn[3];
    return true;
}

/// What a body's centre has moved about its origin, since it was turned as the pose has it.
static void pose_add_centre(const iso__space_body_derived *derived, const int32_t then[4], int64_t sign,
                            int64_t shift[3]) {
    int32_t rotation[9];
    int64_t now[3], before[3];
    iso__quat_matrix(then, rotation);
    pose_centre(derived, derived->rotation, now);
    pose_centre(derived, rotation, before);
    for (int i = 0; i < 3; ++i) {
        shift[i] += sign * (now[i] - before[i]);
    }
}

static void pose_read_motion(const iso__space *space, const iso__space_contact *contact, pose_motion *motion) {
    const iso__pair pair = contact_pair(space, contact);
    int64_t origins[3];
    iso__space_pair_offset(space, &pair, motion->centre);
    pose_origins(space, &pair, motion->centre, origins);
    for (int i = 0; i < 3; ++i) {
        // What moved by more than 128 m since then has no contact any more.
        motion->shift[i] = (int32_t)((uint32_t)(uint64_t)origins[i] - (uint32_t)contact->pose_offset[i]);
    }
    const int32_t *const then[2] = {contact->pose_rotation_a, contact->pose_rotation_b};
    for (int side = 0; side < 2; ++side) {
        motion->shapes[side] = side == 0 ? contact->shape_a : contact->shape_b;
        motion->bodies[side] = space->shapes[motion->shapes[side]].body;
        const iso__space_body_derived *derived = &space->body_derived[motion->bodies[side]];
        motion->has_turned[side] =
            pose_turn(space->bodies[motion->bodies[side]].rotation, then[side], motion->turn[side]);
        if (motion->has_turned[side] && body_has_centre(derived)) {
            pose_add_centre(derived, then[side], side == 0 ? -1 : 1, motion->shift);
        }
    }
}

// ---- near ----------------------------------------------------------------------------------------

/// d v - v of a rotation d, v Q.24.
static void turn_way(const int32_t turn[4], const int64_t v[3], int64_t way[3]) {
    // 2 w (u x v) + 2 u x (u x v): |u| is below an eighth and |v| below 2^32, so sums stay below 2^61.
    const int64_t u[3] = {turn[0], turn[1], turn[2]};
    int64_t c[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = iso__round_shift(u[j] * v[k] - u[k] * v[j], ISO__UNIT_FRACTION - 1);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        way[i] = iso__round_shift(turn[3] * c[i] + u[j] * c[k] - u[k] * c[j], ISO__UNIT_FRACTION);
    }
}

/// d^-1 n - n of a direction.
static void turn_back_way(const int32_t turn[4], const int32_t n[3], int64_t way[3]) {
    const int32_t back[4] = {iso__neg32(turn[0]), iso__neg32(turn[1]), iso__neg32(turn[2]), turn[3]};
    const int64_t wide[3] = {n[0], n[1], n[2]};
    turn_way(back, wide, way);
}

static uint64_t square3(const int64_t v[3]) {
    return (uint64_t)(v[0] * v[0]) + (uint64_t)(v[1] * v[1]) + (uint64_t)(v[2] * v[2]);
}

static bool is_within3(const int64_t v[3], int64_t most) {
    return iso__abs_u64(v[0]) <= (uint64_t)most && iso__abs_u64(v[1]) <= (uint64_t)most &&
           iso__abs_u64(v[2]) <= (uint64_t)most;
}

/// |moved| + extent |turned| <= bound, all Q.24; the bound is below 2^31.
static bool pose_is_within(const int64_t moved[3], const int64_t turned[3], int64_t extent, int64_t bound) {
    if (!is_within3(moved, bound) || !is_within3(turned, ISO__UNIT_ONE)) {
        return false;
    }
    const int64_t angle = (int64_t)iso__isqrt64(square3(turned)); // below 2^31
    const int64_t left = bound - ((extent * angle) >> 24);
    return left >= 0 && square3(moved) <= (uint64_t)(left * left);
}

/// Whether a body has turned by no more than a contact bears.
static bool turn_is_small(const iso__space *space, const int32_t turn[4]) {
    const int64_t u[3] = {turn[0], turn[1], turn[2]};
    const int64_t half = (int64_t)space->world.def.contact_keep_angle << 13; // [rad] Q.30, an eighth at most
    return is_within3(u, half) && square3(u) <= (uint64_t)(half * half);
}

static bool pair_may_turn(const iso__space *space, const pose_motion *motion) {
    bool may = true;
    for (int side = 0; side < 2; ++side) {
        const bool is_ground = iso__space_shape_is_ground(space->shapes[motion->shapes[side]].kind);
        const int32_t *turned = space->scratch->tick_ways[motion->bodies[side]].turned;
        may = may && (!motion->has_turned[side] || (!is_ground && turn_is_small(space, motion->turn[side])));
        may = may && (!is_ground || (turned[0] | turned[1] | turned[2]) == 0);
    }
    return may;
}

/// The turn of B against A as a vector, [rad] Q.24: twice the vector of dB dA^-1, of small turns.
static void pose_turned(const pose_motion *motion, int64_t turned[3]) {
    const int32_t *a = motion->turn[0], *b = motion->turn[1];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const int64_t sum =
            iso__mul32(a[3], b[i]) - iso__mul32(b[3], a[i]) - iso__mul32(b[j], a[k]) + iso__mul32(b[k], a[j]);
        turned[i] = iso__round_shift(sum, 2 * ISO__UNIT_FRACTION - 1 - 24);
    }
}

/// Of a manifold that has not all corners of the patch: whether the bodies have turned against each other across its
/// normal by so little that none of the others is deeper by more than a tenth of the slop.
static bool pose_is_level(const iso__space *space, const pose_motion *motion, const iso__space_manifold *manifold) {
    const int32_t extents[2] = {space->shape_derived[motion->shapes[0]].extent,
                                space->shape_derived[motion->shapes[1]].extent};
    const int64_t extent = extents[0] == 0 || (extents[1] != 0 && extents[1] < extents[0]) ? extents[1] : extents[0];
    const int64_t none[3] = {0, 0, 0};
    int64_t turned[3], across[3];
    if (!manifold->leaves_corners) {
        return true;
    }
    pose_turned(motion, turned);
    iso__space_ops_advance(turned, manifold->normal, -iso__space_ops_along(manifold->normal, turned), across);
    return pose_is_within(none, across, extent, space->scratch->params.manifold.slop / 10);
}

/// Whether the bodies are near the pose, and stay so in this tick.
static bool pose_is_near(const iso__space *space, const iso__space_contact *contact, const pose_motion *motion) {
    const iso__space_scratch *scratch = space->scratch;
    if (!pair_may_turn(space, motion)) {
        return false;
    }
    const bool is_ground[2] = {iso__space_shape_is_ground(space->shapes[motion->shapes[0]].kind),
                               iso__space_shape_is_ground(space->shapes[motion->shapes[1]].kind)};
    const int32_t extents[2] = {space->shape_derived[motion->shapes[0]].extent,
                                space->shape_derived[motion->shapes[1]].extent};
    const int smaller = is_ground[0] || (!is_ground[1] && extents[1] < extents[0]) ? 1 : 0, frame = 1 - smaller;
    const int64_t sign = smaller == 1 ? 1 : -1, extent = extents[smaller];
    // A field has further faces, which a solid may come to on a way on which it stays at its own. A plane is as a flat
    // field.
    const int64_t keep = scratch->params.keep_distance, slop = scratch->params.manifold.slop;
    const int64_t farthest = iso__min64(is_ground[frame] ? iso__min64(keep, slop) : keep, extent / 8);
    const int64_t bound = (contact->flags & ISO__SPACE_CONTACT_TOUCHES) != 0 ? farthest : farthest / 4;
    int64_t moved[3], turned[3], carried[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        moved[i] = sign * motion->shift[i];
    }
    const iso__space_tick_way *way = &scratch->tick_ways[motion->bodies[smaller]],
                              *other = &scratch->tick_ways[motion->bodies[frame]];
    if (!is_ground[frame]) {
        int64_t from[3], now[3];
        for (int i = 0; i < 3; ++i) {
            now[i] = sign * motion->centre[i];
            from[i] = now[i] - moved[i];
        }
        turn_way(motion->turn[frame], from, carried);
        for (int i = 0; i < 3; ++i) {
            moved[i] -= carried[i];
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            carried[i] = iso__round_shift(other->turned[j] * now[k] - other->turned[k] * now[j], 24);
        }
    }
    pose_turned(motion, turned);
    if (!pose_is_within(moved, turned, extent, bound)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        moved[i] += (int64_t)way->moved[i] - other->moved[i] - carried[i];
        turned[i] += sign * ((int64_t)way->turned[i] - other->turned[i]);
    }
    return pose_is_within(moved, turned, extent, bound);
}

// ---- manifolds -----------------------------------------------------------------------------------

/// Makes the manifold of a pose again.
static void pose_collide(const iso__space *space, const iso__space_contact *contact, const pose_motion *motion,
                         iso__space_manifold *manifold) {
    const iso__step_params *params = &space->scratch->params;
    const iso__space_manifold_settings settings = {params->manifold.slop, params->manifold.speculative};
    iso__space_collider a = space->scratch->colliders[motion->shapes[0]];
    iso__space_collider b = space->scratch->colliders[motion->shapes[1]];
    int64_t offset[3];
    iso__quat_matrix(contact->pose_rotation_a, a.rotation);
    iso__quat_matrix(contact->pose_rotation_b, b.rotation);
    iso__space_ops_sub(motion->centre, motion->shift, offset);
    manifold->count = 0;
    if (a.kind == ISO__SPACE_COLLIDER_HEIGHTS || b.kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        iso__space_manifold found[ISO__SPACE_MANIFOLD_CHILDREN];
        if (iso__space_manifold_heights(&settings, &a, &b, offset, found) == 1) {
            *manifold = found[0];
        }
    } else {
        iso__space_manifold_make(&settings, &a, &b, offset, manifold);
    }
}

static void manifold_follow(const pose_motion *motion, iso__space_manifold *manifold) {
    int64_t of_a[3] = {0, 0, 0}, of_b[3] = {0, 0, 0};
    if (motion->has_turned[0]) {
        turn_back_way(motion->turn[0], manifold->normal, of_a);
    }
    if (motion->has_turned[1]) {
        turn_back_way(motion->turn[1], manifold->normal, of_b);
    }
    const int64_t apart = iso__space_ops_dot(manifold->normal, motion->shift);
    for (uint32_t p = 0; p < manifold->count; ++p) {
        iso__space_manifold_point *point = &manifold->points[p];
        int64_t change = apart;
        for (int i = 0; i < 3; ++i) {
            change += of_b[i] * point->anchor_b[i] - of_a[i] * point->anchor_a[i];
        }
        point->separation = iso__saturate32(point->separation_made + iso__round_shift(change, ISO__UNIT_FRACTION));
    }
}

bool iso__space_pose_keep(const iso__space *space, uint32_t contact, iso__space_manifold *manifold) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__space_contact *record = &space->contacts[contact];
    ISO_ASSERT(contact < space->world.globals->contact_count && iso__space_contact_has_pose(record));
    pose_motion motion;
    if (scratch->params.keep_distance == 0) {
        return false;
    }
    pose_read_motion(space, record, &motion);
    if (!pose_is_near(space, record, &motion)) {
        return false;
    }
    if (scratch->knows_manifolds && scratch->known[contact].count > 0) {
        *manifold = scratch->known[contact];
    } else {
        pose_collide(space, record, &motion, manifold);
    }
    // A state that was written by hand may have a pose in which its shapes do not touch so.
    if (manifold->count != record->point_count || !pose_is_level(space, &motion, manifold)) {
        return false;
    }
    manifold_follow(&motion, manifold);
    return true;
}

// ---- from tick to tick ---------------------------------------------------------------------------

static void poses_copy(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    const iso__space *space = iso__space_of(world);
    const iso__space_scratch *scratch = space->scratch;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t number = scratch->contact_manifolds[i];
        if (number == UINT32_MAX || !iso__space_contact_has_pose(&space->contacts[i])) {
            scratch->known[i].count = 0;
        } else {
            scratch->known[i] = scratch->manifolds[number];
        }
    }
}

void iso__space_poses_remember(iso__space *space) {
    const uint32_t count = space->world.globals->contact_count;
    ISO_ASSERT(count <= space->world.def.contact_capacity);
    bool has_poses = false;
    for (uint32_t i = 0; i < count && !has_poses; ++i) {
        has_poses = iso__space_contact_has_pose(&space->contacts[i]);
    }
    space->scratch->has_poses = has_poses;
    space->scratch->knows_manifolds = has_poses;
    if (has_poses) {
        iso__parallel_for(&space->world, 0, count, CONTACT_GRAIN, poses_copy, NULL);
    }
}
