/// From pairs to contacts: which shapes touch in this tick, where, and with which impulses of the last one.
#include "plane/dynamics/collide.h"

#include <string.h>

#include "base/assert.h"
#include "base/inline.h"
#include "plane/collide/manifold.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/contact_pose.h"
#include "plane/dynamics/contact_rules.h"
#include "plane/dynamics/excluded.h"
#include "plane/dynamics/kernels.h"
#include "plane/dynamics/pair_block.h"
#include "plane/dynamics/sleep.h"
#include "plane/world/contact.h"
#include "plane/world/geometry.h"
#include "plane/world/scratch.h"
#include "plane/world/wake.h"
#include "solver/parallel.h"

static iso__pair contact_key(const iso__plane *plane, const iso__plane_contact *contact) {
    const uint64_t body_a = plane->shapes[contact->shape_a].body, body_b = plane->shapes[contact->shape_b].body;
    return (iso__pair){body_a << 32 | body_b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
}

/// Copies from the contact of the last tick, if there was one, whether it touched and the impulses of points with the
/// same feature. All others have none.
static void contact_match(iso__plane_contact *contact, const iso__plane_contact *old) {
    contact->flags = old == NULL ? 0 : old->flags;
    for (uint32_t p = 0; p < 2; ++p) {
        contact->normal_impulse[p] = contact->tangent_impulse[p] = 0;
        for (uint32_t q = 0; old != NULL && p < contact->point_count && q < old->point_count; ++q) {
            if (contact->feature[p] == old->feature[q]) {
                contact->normal_impulse[p] = old->normal_impulse[q];
                contact->tangent_impulse[p] = old->tangent_impulse[q];
            }
        }
    }
}

static void contact_set_points(iso__plane_contact *contact, const iso__plane_manifold *manifold) {
    contact->point_count = (uint8_t)manifold->count;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact->feature[p] = manifold->points[p].feature;
    }
}

#define PAIR_GRAIN 256u // pairs of about 10 us
#define FOLLOW_RUN 12u  // contacts among which lanes look for those with known manifolds
#define FOLLOW_MIN 3u   // fewer are followed faster one by one

/// What lanes have found out about contacts of the last tick before the pass comes to them: of those from begin to end.
///
/// Where contacts keep their poses, a kernel follows several of them at once. Where few do, the scalar code finds that
/// out with less work. So each run of contacts is looked at as the last one shows. The bits are the same.
typedef struct follow_run {
    const iso__plane_kernels *kernels; // NULL: the scalar code follows all
    uint32_t begin, end;
    uint32_t limit;             // the contacts before this one may be looked at
    uint32_t settled, followed; // a bit per contact: lanes have found out; it keeps its manifold
    uint32_t asked, kept;       // of the contacts since begin, how many were asked for, how many are kept
} follow_run;

/// The state of a pass: indices into the contacts of the last tick, the excluded pairs and the new contacts.
///
/// As long as all contacts stand where they stood and keep their poses, nothing is copied: what is written are the
/// manifolds' separations, which depend on nothing that was there. From the first on that does not, contacts and
/// manifolds are made in the other memory.
typedef struct collision {
    iso__plane_contact *contacts; // that are made: world->contacts while nothing has moved, else contacts_next
    uint32_t *numbers;            // likewise of contact_manifolds
    iso__plane_manifold *manifolds;
    uint64_t old_shapes; // of the contact `old`, as in a pair; UINT64_MAX, which no pair has, at the end
    iso__pair old_key;   // the same with its bodies, when it has been read
    uint32_t old, excluded, candidates, made, solved;
    uint64_t dropped;
    follow_run run;
    uint32_t stayed_made, stayed_solved; // of those made before the first that was moved, while they are to be copied
    bool has_blocks;                     // what stays or moves as a whole is copied at the end of the pass
    bool is_moved;                       // contacts are made in the other memory
    bool has_old_key;
    bool has_woken; // a sleeping body was touched: the pass is repeated
} collision;

static inline uint64_t contact_shapes(const iso__plane_contact *contact) {
    return (uint64_t)contact->shape_a << 32 | contact->shape_b;
}

static inline void collision_go_to(const iso__plane *plane, collision *at, uint32_t old) {
    at->old = old;
    at->has_old_key = false;
    at->old_shapes = old < plane->world.globals->contact_count ? contact_shapes(&plane->contacts[old]) : UINT64_MAX;
}

/// From here on the contacts are made in the other memory.
static void collision_move(iso__plane *plane, collision *at) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (at->is_moved) {
        return;
    }
    at->is_moved = true;
    at->contacts = scratch->contacts_next;
    at->numbers = scratch->contact_manifolds_next;
    at->manifolds = scratch->manifolds;
    at->stayed_made = at->made;
    at->stayed_solved = at->solved;
    if (at->has_blocks) {
        return;
    }
    memcpy(at->contacts, plane->contacts, at->made * sizeof *at->contacts);
    memcpy(at->numbers, plane->contact_manifolds, at->made * sizeof *at->numbers);
    memcpy(at->manifolds, scratch->manifolds_last, at->solved * sizeof *at->manifolds);
}

/// A contact without a moving body stays as it is while one of its bodies sleeps; two bodies that are no longer dynamic
/// do not touch.
static bool contact_is_kept(const iso__plane *plane, const iso__plane_contact *contact) {
    const uint32_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
    return !iso__plane_body_is_moving(plane, a) && !iso__plane_body_is_moving(plane, b) &&
           (iso__plane_body_is_asleep(plane, a) || iso__plane_body_is_asleep(plane, b));
}

/// Passes an old contact that has no moving pair.
static void contact_pass_one(iso__plane *plane, collision *at) {
    const iso__plane_contact *old = &plane->contacts[at->old];
    const bool is_kept = contact_is_kept(plane, old);
    if (!is_kept || at->made == plane->world.def.contact_capacity) {
        collision_move(plane, at);
        at->dropped += is_kept;
        iso__plane_contact_leave(plane, old);
        return;
    }
    if (at->made != at->old) {
        iso__mark_dirty(&plane->world, ISO_SECTION_CONTACTS, at->made);
    }
    if (at->is_moved) {
        at->contacts[at->made] = *old;
    }
    at->numbers[at->made++] = 0; // when it wakes it is made again
}

/// Whether there is a contact `old`, and it comes before a pair.
static inline bool collision_is_before(const iso__plane *plane, collision *at, const iso__pair *pair) {
    if (at->old == plane->world.globals->contact_count) {
        return false;
    }
    if (!at->has_old_key) {
        at->old_key = contact_key(plane, &plane->contacts[at->old]);
        at->has_old_key = true;
    }
    return iso__pair_is_less(&at->old_key, pair);
}

/// Passes the old contacts before `end`. NULL: all that are left.
static void contact_pass_old(iso__plane *plane, collision *at, const iso__pair *end) {
    while (end == NULL ? at->old < plane->world.globals->contact_count : collision_is_before(plane, at, end)) {
        contact_pass_one(plane, at);
        collision_go_to(plane, at, at->old + 1);
    }
}

static inline void contact_wake(iso__plane *plane, collision *at, uint32_t body) {
    if (!iso__plane_body_is_moving(plane, body) && iso__plane_body_is_asleep(plane, body)) {
        iso__plane_body_wake(&plane->world, body);
        iso__bit_set(plane->scratch->moving_bits, body);
        at->has_woken = true;
    }
}

static inline void contact_wake_pair(iso__plane *plane, collision *at, const iso__pair *pair) {
    contact_wake(plane, at, (uint32_t)(pair->bodies >> 32));
    contact_wake(plane, at, (uint32_t)pair->bodies);
}

/// The manifold that is known of a contact of the last tick, or NULL.
static inline iso__plane_manifold *contact_find_manifold(const iso__plane *plane, uint32_t old) {
    const uint32_t number = plane->contact_manifolds[old];
    return number == 0 ? NULL : &plane->scratch->manifolds_last[number - 1];
}

/// Kernels do not read targets of bodies.
static follow_run follow_run_make(const iso__plane *plane, uint32_t limit) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const bool has_lanes = !scratch->has_moving_kinematic && scratch->params.keep_distance > 0;
    return (follow_run){.kernels = has_lanes ? iso__plane_kernels_of(plane->world.simd) : NULL, .limit = limit};
}

/// Has lanes follow the contacts with known manifolds from `begin` on, as many as they hold.
static void follow_run_look(const iso__plane *plane, follow_run *run) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t end = run->limit - run->begin < FOLLOW_RUN ? run->limit : run->begin + FOLLOW_RUN;
    iso__plane_pose_group group;
    uint32_t places[ISO__LANES], count = 0, next = run->begin;
    for (; next < end && count < ISO__LANES; ++next) {
        const uint32_t number = plane->contact_manifolds[next];
        if (number != 0) {
            places[count] = next - run->begin;
            group.body_a[count] = iso__plane_contact_key_a(scratch->contact_keys[number - 1]);
            group.body_b[count] = iso__plane_contact_key_b(scratch->contact_keys[number - 1]);
            group.contact[count] = next;
            group.manifold[count++] = number - 1;
        }
    }
    run->end = next;
    if (count < FOLLOW_MIN) {
        return;
    }
    group.count = count;
    for (uint32_t n = count; n < ISO__LANES; ++n) {
        group.body_a[n] = group.body_a[0];
        group.body_b[n] = group.body_b[0];
        group.contact[n] = group.contact[0];
        group.manifold[n] = group.manifold[0];
    }
    run->kernels->contacts_follow(plane, &group);
    for (uint32_t n = 0; n < count; ++n) {
        run->settled |= (~group.left >> n & 1) << places[n];
        run->followed |= (group.followed >> n & 1) << places[n];
    }
}

/// The run that begins with a contact.
static void follow_run_begin(const iso__plane *plane, follow_run *run, uint32_t old) {
    const bool keeps_many = 4 * run->kept >= 3 * run->asked;
    run->begin = old;
    run->end = run->limit - old < ISO__LANES ? run->limit : old + ISO__LANES;
    run->settled = run->followed = run->asked = run->kept = 0;
    if (keeps_many) {
        follow_run_look(plane, run);
    }
}

/// Whether the known manifold of the contact `old` is kept, and follows the bodies of the pair.
static inline bool contact_follow(const iso__plane *plane, iso__plane_known_turns *turns, follow_run *run,
                                  const iso__pair *pair, uint32_t old, iso__plane_manifold *known) {
    if (run->kernels != NULL && old >= run->end) {
        follow_run_begin(plane, run, old);
    }
    const uint32_t bit = UINT32_C(1) << (old - run->begin) % 32;
    bool is_kept = (run->followed & bit) != 0;
    if ((run->settled & bit) == 0) {
        const uint32_t bodies[2] = {(uint32_t)(pair->bodies >> 32), (uint32_t)pair->bodies};
        is_kept = iso__plane_contact_follow_pose(plane, turns, bodies, &plane->contacts[old], known);
    }
    ++run->asked;
    run->kept += is_kept;
    return is_kept;
}

/// Finds the manifold of a candidate that does not keep a known one, and what its contact has, if there are points.
/// @param old  of the last tick, or NULL
ISO__ALWAYS_INLINE void contact_make(const iso__plane *plane, iso__plane_known_turns *turns, const iso__pair *pair,
                                     const iso__plane_contact *old, bool has_known, iso__plane_contact *contact,
                                     iso__plane_manifold *manifold) {
    const uint32_t bodies[2] = {(uint32_t)(pair->bodies >> 32), (uint32_t)pair->bodies};
    const uint32_t shape_a = (uint32_t)(pair->shapes >> 32), shape_b = (uint32_t)pair->shapes;
    // What had no contact mostly has none yet.
    if (old == NULL &&
        !(iso__plane_rotation_is_upright(plane->body_derived[bodies[0]].rotation) &&
          iso__plane_rotation_is_upright(plane->body_derived[bodies[1]].rotation)) &&
        iso__plane_shapes_are_beyond(plane, &plane->scratch->params.manifold, shape_a, shape_b)) {
        manifold->count = 0;
        return;
    }
    if (old != NULL && !has_known && iso__plane_contact_keep_pose(plane, turns, bodies, old, manifold)) {
        *contact = *old;
    } else {
        *contact = (iso__plane_contact){.shape_a = shape_a, .shape_b = shape_b};
        iso__plane_contact_take_pose(plane, contact, manifold);
    }
    if (manifold->count > 0) {
        contact_set_points(contact, manifold);
        contact_match(contact, old);
    }
}

/// The contact `old` keeps its known manifold, which follows the bodies already: the same points with the same
/// impulses.
ISO__ALWAYS_INLINE void contact_keep(iso__plane *plane, collision *at, const iso__pair *pair,
                                     const iso__plane_manifold *known) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (known != &at->manifolds[at->solved]) {
        collision_move(plane, at);
        at->contacts[at->made] = plane->contacts[at->old];
        at->manifolds[at->solved] = *known;
        at->numbers[at->made] = at->solved + 1;
    }
    at->manifolds[at->solved].is_standing = known == &scratch->manifolds_last[at->solved];
    iso__plane_contact *contact = &at->contacts[at->made];
    ISO_VALIDATE_ASSERT(at->is_moved || at->made == at->old);
    ISO_VALIDATE_ASSERT(contact->feature[0] == known->points[0].feature &&
                        contact->feature[1] == known->points[1].feature);
    if (known->is_plain) {
        contact->flags &= (uint8_t)~ISO__PLANE_CONTACT_PASSES;
        contact_wake_pair(plane, at, pair);
    } else {
        if (!iso__plane_contact_is_sensor(plane, contact)) {
            contact_wake_pair(plane, at, pair);
        }
        iso__plane_contact_update_passing(plane, contact, known, false);
    }
    scratch->solved[at->solved++] = at->made++;
    collision_go_to(plane, at, at->old + 1);
}

/// Where a piece makes the contact and the manifold of the pair with this number: the last pair at the end of the other
/// memory, which the pass fills from the begin. Not a place when there are more pairs than room.
static inline uint32_t collision_place(const iso_world *world, uint32_t pair_count, uint32_t number) {
    return number + world->def.contact_capacity - pair_count;
}

/// A candidate that cannot have a contact any more wakes all the same.
static void contact_drop(iso__plane *plane, collision *at, const iso__pair *pair) {
    if (!iso__plane_shapes_have_sensor(plane, (uint32_t)(pair->shapes >> 32), (uint32_t)pair->shapes)) {
        contact_wake_pair(plane, at, pair);
    }
    ++at->dropped;
}

/// Computes the manifold of a candidate, and creates its contact if there are points.
/// @param place  where both have been made, UINT32_MAX: nowhere
ISO__ALWAYS_INLINE void contact_collide_anew(iso__plane *plane, collision *at, const iso__pair *pair, bool has_known,
                                             uint32_t place) {
    iso__plane_step_scratch *scratch = plane->scratch;
    const bool is_old = at->old_shapes == pair->shapes;
    const bool is_full = at->made == plane->world.def.contact_capacity;
    iso__plane_manifold beyond;
    iso__plane_contact contact_beyond;
    iso__plane_manifold *manifold = is_full ? &beyond : &scratch->manifolds[at->solved];
    iso__plane_contact *contact = is_full ? &contact_beyond : &scratch->contacts_next[at->made];
    if (place != UINT32_MAX && place > at->made && !is_full) {
        *contact = scratch->contacts_next[place];
        *manifold = scratch->manifolds[place];
    } else {
        contact_make(plane, &scratch->turns, pair, is_old ? &plane->contacts[at->old] : NULL, has_known, contact,
                     manifold);
    }
    if (manifold->count == 0) {
        return;
    }
    if (is_full) {
        contact_drop(plane, at, pair);
        return;
    }
    collision_move(plane, at);
    if (!iso__plane_contact_is_sensor(plane, contact)) {
        contact_wake_pair(plane, at, pair);
    }
    iso__plane_contact_update_passing(plane, contact, manifold, !is_old);
    at->numbers[at->made] = iso__plane_contact_has_pose(plane, contact) ? at->solved + 1 : 0;
    scratch->solved[at->solved++] = at->made++;
    if (is_old) {
        collision_go_to(plane, at, at->old + 1);
    }
}

ISO__ALWAYS_INLINE void contact_collide(iso__plane *plane, collision *at, const iso__pair *pair, pair_finding finding,
                                        uint32_t place) {
    iso__plane_manifold *known = at->old_shapes == pair->shapes ? contact_find_manifold(plane, at->old) : NULL;
    const bool is_kept =
        finding == PAIR_KEPT || (finding == PAIR_UNKNOWN && known != NULL &&
                                 contact_follow(plane, &plane->scratch->turns, &at->run, pair, at->old, known));
    if (is_kept && at->made < plane->world.def.contact_capacity) {
        contact_keep(plane, at, pair, known);
    } else if (is_kept) {
        contact_drop(plane, at, pair);
    } else if (finding != PAIR_EMPTY) {
        contact_collide_anew(plane, at, pair, known != NULL, finding == PAIR_MADE ? place : UINT32_MAX);
    }
}

static inline bool pair_is_moving(const iso__plane *plane, const iso__pair *pair) {
    return iso__plane_body_is_moving(plane, (uint32_t)(pair->bodies >> 32)) ||
           iso__plane_body_is_moving(plane, (uint32_t)pair->bodies);
}

static inline bool pair_overlaps(const iso__plane *plane, const iso__pair *pair) {
    const iso__plane_box *boxes = plane->broad_phase->boxes;
    return iso__plane_box_overlaps(&boxes[(uint32_t)(pair->shapes >> 32)], &boxes[(uint32_t)pair->shapes]);
}

static uint32_t block_count(const iso__pair_list *pairs) {
    return (pairs->count + ISO__PLANE_BLOCK_PAIRS - 1) / ISO__PLANE_BLOCK_PAIRS;
}

/// What the pass finds out about a moving pair. Writes only what is of this pair.
/// @param old  of the last tick, UINT32_MAX: none
static pair_finding contact_look_at(iso__plane *plane, iso__plane_known_turns *turns, follow_run *run,
                                    const iso__pair *pair, uint32_t old, uint32_t place) {
    if (!pair_overlaps(plane, pair)) {
        return PAIR_APART;
    }
    const iso__plane_contact *contact = old == UINT32_MAX ? NULL : &plane->contacts[old];
    iso__plane_manifold *known = old == UINT32_MAX ? NULL : contact_find_manifold(plane, old);
    if (known != NULL && contact_follow(plane, turns, run, pair, old, known)) {
        return PAIR_KEPT;
    }
    if (place >= plane->world.def.contact_capacity) {
        return PAIR_UNKNOWN;
    }
    iso__plane_manifold *manifold = &plane->scratch->manifolds[place];
    contact_make(plane, turns, pair, contact, known != NULL, &plane->scratch->contacts_next[place], manifold);
    return manifold->count > 0 ? PAIR_MADE : PAIR_EMPTY;
}

/// Of the pairs from begin on.
static void contact_look_piece(iso__plane *plane, void *data, uint32_t begin, uint32_t end) {
    const iso__pair_list *pairs = data;
    uint8_t *findings = plane->scratch->pair_findings;
    iso__plane_known_turns turns = {0};
    collision at = {.excluded = iso__plane_excluded_find(plane->scratch, pairs->pairs[begin].bodies)};
    collision_go_to(plane, &at, iso__plane_contact_find_first(plane, &pairs->pairs[begin]));
    // The contacts of the next piece's pairs are its own.
    at.run = follow_run_make(plane, end < pairs->count ? iso__plane_contact_find_first(plane, &pairs->pairs[end])
                                                       : plane->world.globals->contact_count);
    for (uint32_t i = begin; i < end; ++i) {
        const iso__pair *pair = &pairs->pairs[i];
        findings[i] = PAIR_UNKNOWN;
        if (!pair_is_moving(plane, pair) || iso__plane_excluded_next(plane->scratch, &at.excluded, pair->bodies)) {
            continue;
        }
        while (at.old_shapes != pair->shapes && collision_is_before(plane, &at, pair)) {
            collision_go_to(plane, &at, at.old + 1);
        }
        const uint32_t old = at.old_shapes == pair->shapes ? at.old : UINT32_MAX;
        const uint32_t place = collision_place(&plane->world, pairs->count, i);
        findings[i] = (uint8_t)contact_look_at(plane, &turns, &at.run, pair, old, place);
    }
}

/// Of the blocks of pairs from begin on.
static void contact_look_blocks(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__pair_list *pairs = data;
    const uint32_t last = end * ISO__PLANE_BLOCK_PAIRS;
    contact_look_piece(plane, data, begin * ISO__PLANE_BLOCK_PAIRS, last < pairs->count ? last : pairs->count);
    iso__plane_pair_blocks_plan(plane, pairs, begin, end);
}

/// Has several threads look at the pairs, when there are any. @return NULL: nobody has looked
static const uint8_t *contact_look(iso__plane *plane, iso__pair_list *pairs) {
    if (!iso__has_threads(&plane->world) || pairs->count < 2 * PAIR_GRAIN) {
        return NULL;
    }
    iso__parallel_for(&plane->world, 0, block_count(pairs), PAIR_GRAIN / ISO__PLANE_BLOCK_PAIRS, contact_look_blocks,
                      pairs);
    return plane->scratch->pair_findings;
}

/// The pairs from begin on.
/// @param findings  of several threads, NULL: there are none
ISO__ALWAYS_INLINE void contact_walk_pairs(iso__plane *plane, collision *at, const iso__pair_list *pairs,
                                           uint32_t begin, uint32_t end, const uint8_t *findings) {
    const uint32_t candidate_max = iso__plane_broad_phase_candidate_max(&plane->world.def);
    for (uint32_t i = begin; i < end; ++i) {
        const iso__pair *pair = &pairs->pairs[i];
        const pair_finding finding = findings == NULL ? PAIR_UNKNOWN : (pair_finding)findings[i];
        if (finding == PAIR_APART || !pair_is_moving(plane, pair) ||
            (finding == PAIR_UNKNOWN && !pair_overlaps(plane, pair))) {
            continue;
        }
        if (at->candidates == candidate_max) {
            ++at->dropped;
            continue;
        }
        ++at->candidates;
        if (iso__plane_excluded_next(plane->scratch, &at->excluded, pair->bodies)) {
            continue;
        }
        if (at->old_shapes != pair->shapes) {
            contact_pass_old(plane, at, pair);
        }
        contact_collide(plane, at, pair, finding, collision_place(&plane->world, pairs->count, i));
    }
}

/// Passes the contacts of a plain block at once. @return false when one would be dropped
static bool contact_pass_block(iso__plane *plane, collision *at, const iso__pair *first, iso__plane_pair_block *block) {
    if (at->candidates + (uint64_t)block->candidates > iso__plane_broad_phase_candidate_max(&plane->world.def)) {
        return false;
    }
    if (block->old > at->old) {
        contact_pass_old(plane, at, first);
    }
    if (at->made + (uint64_t)block->count > plane->world.def.contact_capacity) {
        return false;
    }
    ISO_ASSERT(at->old == block->old);
    if (block->count > 0 && (block->manifold != at->solved || at->made != at->old)) {
        collision_move(plane, at);
    }
    block->is_passed = true;
    block->made = at->made;
    block->solved = at->solved;
    at->made += block->count;
    at->solved += block->count;
    at->candidates += block->candidates;
    collision_go_to(plane, at, block->old + block->count);
    return true;
}

/// With the findings of several threads.
static void contact_walk_blocks(iso__plane *plane, collision *at, const iso__pair_list *pairs) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    at->has_blocks = true;
    for (uint32_t b = 0; b < block_count(pairs); ++b) {
        const uint32_t first = b * ISO__PLANE_BLOCK_PAIRS;
        const uint32_t last =
            pairs->count - first < ISO__PLANE_BLOCK_PAIRS ? pairs->count : first + ISO__PLANE_BLOCK_PAIRS;
        iso__plane_pair_block *block = &scratch->pair_blocks[b];
        if (!block->is_plain || !contact_pass_block(plane, at, &pairs->pairs[first], block)) {
            contact_walk_pairs(plane, at, pairs, first, last, scratch->pair_findings);
        }
    }
}

/// Merges the moving pairs, the old contacts and the excluded pairs, all in key order.
static collision contact_walk(iso__plane *plane, iso__pair_list pairs) {
    iso__plane_step_scratch *scratch = plane->scratch;
    const uint8_t *findings = contact_look(plane, &pairs);
    collision at = {.contacts = plane->contacts,
                    .numbers = plane->contact_manifolds,
                    .manifolds = scratch->manifolds_last,
                    .dropped = pairs.dropped,
                    .run = follow_run_make(plane, plane->world.globals->contact_count)};
    collision_go_to(plane, &at, 0);
    if (findings == NULL) {
        contact_walk_pairs(plane, &at, &pairs, 0, pairs.count, NULL);
    } else {
        contact_walk_blocks(plane, &at, &pairs);
    }
    contact_pass_old(plane, &at, NULL);
    scratch->solved_count = at.solved;
    if (findings != NULL) {
        const iso__plane_block_target to = {.contacts = at.is_moved ? at.contacts : NULL,
                                            .numbers = at.numbers,
                                            .manifolds = at.manifolds,
                                            .made = at.stayed_made,
                                            .solved = at.stayed_solved};
        iso__plane_pair_blocks_store(&plane->world, block_count(&pairs), &to);
    }
    return at;
}

/// The manifolds in use are those that the last pass has written.
static void contact_exchange(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    iso__plane_contact *const contacts = plane->contacts;
    plane->contacts = scratch->contacts_next;
    scratch->contacts_next = contacts;
    uint32_t *const numbers = plane->contact_manifolds;
    plane->contact_manifolds = scratch->contact_manifolds_next;
    scratch->contact_manifolds_next = numbers;
}

static void contact_exchange_manifolds(iso__plane_step_scratch *scratch) {
    iso__plane_manifold *const manifolds = scratch->manifolds;
    scratch->manifolds = scratch->manifolds_last;
    scratch->manifolds_last = manifolds;
}

void iso__plane_step_collide(iso__plane *plane, iso__pair_list pairs) {
    ISO_ASSERT(pairs.count <= plane->broad_phase->pair_capacity);
    iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t ends = plane->world.events.contact_end_count;
    const uint64_t dropped_events = plane->world.globals->dropped_events;
    iso__plane_excluded_update(plane);
    contact_exchange_manifolds(scratch);
    collision at = contact_walk(plane, pairs);
    while (at.has_woken) {
        // The woken islands' pairs count, too. Each round wakes a body, so this ends.
        plane->world.events.contact_end_count = ends;
        plane->world.globals->dropped_events = dropped_events;
        iso__plane_step_wake_islands(plane);
        at = contact_walk(plane, iso__plane_broad_phase_repeat(plane));
    }
    const uint32_t count_before = plane->world.globals->contact_count;
    ISO_ASSERT(at.made <= plane->world.def.contact_capacity && scratch->solved_count <= at.made);
    if (at.is_moved) {
        contact_exchange(plane);
    } else {
        contact_exchange_manifolds(scratch);
    }
    plane->world.globals->contact_count = at.made;
    plane->world.globals->dropped_contacts += at.dropped;
    if (at.made < count_before && at.made > 0) {
        iso__mark_dirty(&plane->world, ISO_SECTION_CONTACTS, at.made - 1); // its shard has become shorter
    }
}
