/// Fills the contact groups: the geometry and masses of each contact as the rows need them.
///
/// Where a contact stands, and what follows of its bodies' masses, is found when the colours are chosen. The rest is
/// filled by groups, so that threads may share them. contact_prepare_kernel.h fills the rows in lanes, with the same
/// bits.
///
/// A manifold that is kept keeps its normal and anchors, so the coefficients and masses of its rows stay as well, as
/// long as the contact stays at its place. A place is that of the number among the solved contacts, and so is a
/// manifold's: one that is kept with its number (is_standing) belongs to the rows that stand there.
#include "plane/dynamics/contact_prepare.h"

#include <string.h>

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/collide/manifold.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_row.h"
#include "plane/dynamics/contact_rules.h"
#include "plane/dynamics/kernels.h"
#include "plane/world/contact.h"
#include "plane/world/scratch.h"
#include "solver/mass.h"
#include "solver/parallel.h"

#define APPROACH_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

#define PREPARE_GRAIN  8u // groups of about 2 us: what it takes to hand them to another thread
#define PREFETCH_AHEAD 2u // groups

static void contact_clear_point(iso__plane_point_lanes *point, uint32_t lane) {
    // A row without mass never changes its impulse of zero.
    point->normal_a[lane] = point->normal_b[lane] = (iso__pair_lane){0, 0};
    point->tangent_a[lane] = point->tangent_b[lane] = (iso__pair_lane){0, 0};
    point->mass[lane] = point->impulse[lane] = (iso__pair_lane){0, 0};
    point->separation[lane] = ISO__LENGTH_ONE;
    point->approach[lane] = 0;
}

/// The normal velocities before the step; only restitution asks for them.
static void contact_fill_approach(const iso__plane_motion *motions, iso__plane_contact_group *group, uint32_t lane) {
    const iso__plane_motion *a = &motions[group->body_a[lane]], *b = &motions[group->body_b[lane]];
    const int64_t dx = (int64_t)b->velocity[0] - a->velocity[0], dy = (int64_t)b->velocity[1] - a->velocity[1];
    const int64_t along = group->normal[lane].lo * dx + group->normal[lane].hi * dy;
    for (uint32_t p = 0; p < 2; ++p) {
        iso__plane_point_lanes *point = &group->points[p];
        const int64_t turning =
            (int64_t)b->spin * point->normal_b[lane].lo - (int64_t)a->spin * point->normal_a[lane].lo;
        // No body leaves a contact faster than the largest speed, so restitution needs no larger values.
        const int64_t approach = iso__round_shift(along + turning, 30);
        point->approach[lane] =
            point->mass[lane].lo == 0 ? 0 : (int32_t)iso__clamp64(approach, -APPROACH_MAX, APPROACH_MAX);
    }
}

/// Clears the rows of points that a manifold does not have, or that are hidden. @return whether all rows remain
static bool contact_clear_points(const iso__plane_manifold *manifold, iso__plane_contact_group *group, uint32_t lane) {
    const uint32_t count = manifold->is_hidden ? 0 : manifold->count;
    for (uint32_t p = count; p < 2; ++p) {
        contact_clear_point(&group->points[p], lane);
    }
    return count == 2;
}

/// What there is besides rows.
static void contact_fill_group(const iso__plane *plane, iso__plane_contact_group *group) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    bool bounces = false, notes_impulses = iso__plane_contacts_are_told(&plane->world);
    uint32_t filled = 0;
    for (uint32_t lane = 0; lane < group->count; ++lane) {
        const uint32_t number = group->contact[lane];
        notes_impulses |= (plane->contacts[scratch->solved[number]].flags & ISO__PLANE_CONTACT_TOUCHES) == 0;
        bounces |= group->surface[lane].hi > 0;
        filled |= (uint32_t)contact_clear_points(&scratch->manifolds[number], group, lane) << lane;
    }
    group->filled = (uint8_t)filled;
    group->bounces = bounces;
    group->notes_impulses = notes_impulses || bounces;
    for (uint32_t p = 0; p < 2 && group->notes_impulses; ++p) {
        memset(group->points[p].approach, 0, sizeof group->points[p].approach);
        memset(group->points[p].impulse_max, 0, sizeof group->points[p].impulse_max);
    }
    for (uint32_t lane = 0; bounces && lane < group->count; ++lane) {
        if (group->surface[lane].hi > 0) {
            contact_fill_approach(scratch->motions, group, lane);
        }
    }
}

/// Reads the separations. @return the contacts whose coefficients still stand in the group, a bit for each
static uint32_t contact_separate(const iso__plane_step_scratch *scratch, iso__plane_contact_group *group) {
    uint32_t same = 0;
    for (uint32_t lane = 0; lane < group->count; ++lane) {
        const iso__plane_manifold *manifold = &scratch->manifolds[group->contact[lane]];
        group->points[0].separation[lane] = manifold->points[0].separation;
        group->points[1].separation[lane] = manifold->points[1].separation;
        same |= (uint32_t)(manifold->is_standing && !manifold->is_hidden) << lane;
    }
    return same & group->filled;
}

/// Whether all that a group holds is what would be found, besides separations: surfaces stand, and the impulses are
/// those that the last step has stored.
static bool contact_stands(const iso__plane *plane, const iso__plane_contact_group *group, uint32_t same) {
    return same == (1u << group->count) - 1 && plane->scratch->has_same_rules && group->touches && !group->bounces &&
           !iso__plane_contacts_are_told(&plane->world);
}

/// A group is written where the last one that was written does not end: no processor foresees that. While contacts stay
/// at their places, most groups are touched where their separations are.
static void contact_prefetch(const iso__plane_step_scratch *scratch, const iso__plane_contact_group *group) {
    if (scratch->has_same_rules && scratch->has_same_joints && scratch->has_same_contacts) {
        __builtin_prefetch(group->contact);
        __builtin_prefetch(group->points[0].separation, 1);
        __builtin_prefetch(group->points[1].separation, 1);
        __builtin_prefetch(&group->count, 1);
        return;
    }
    for (size_t at = 0; at < sizeof *group; at += 64) {
        __builtin_prefetch((const char *)group + at, 1);
    }
}

static void contact_place(const iso__plane *plane, iso__plane_contact_group *group, uint32_t lane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint64_t key = scratch->contact_keys[group->contact[lane]];
    const uint32_t body_a = iso__plane_contact_key_a(key), body_b = iso__plane_contact_key_b(key);
    const iso__plane_body_derived *a = &plane->body_derived[body_a], *b = &plane->body_derived[body_b];
    const iso__mass_shares share = iso__mass_shares_make(a->mass, b->mass);
    group->body_a[lane] = body_a;
    group->body_b[lane] = body_b;
    group->moves_a |= (uint8_t)((scratch->motions[body_a].kind != 0) << lane);
    group->moves_b |= (uint8_t)((scratch->motions[body_b].kind != 0) << lane);
    group->share[lane] = (iso__pair_lane){share.lo, share.hi};
    // L^2/(I sigma) = (m L^2/I) (1/m)/sigma = gyration * share.
    group->gain[lane] = (iso__pair_lane){(int32_t)iso__round_shift((int64_t)a->gyration * share.lo, 30),
                                         (int32_t)iso__round_shift((int64_t)b->gyration * share.hi, 30)};
    group->scale[lane] =
        (iso__pair_lane){ISO__PLANE_SCALE_MAX - a->radius_exponent, ISO__PLANE_SCALE_MAX - b->radius_exponent};
}

/// A kernel also reads the contacts and bodies of lanes that have none: they are the first lane's, whose bodies no
/// other thread writes.
static void contact_fill_rest(iso__plane_contact_group *group) {
    for (uint32_t lane = group->count; lane < ISO__LANES; ++lane) {
        group->body_a[lane] = group->body_a[0];
        group->body_b[lane] = group->body_b[0];
        group->contact[lane] = group->contact[0];
        group->share[lane] = group->share[0];
        group->gain[lane] = group->gain[0];
        group->scale[lane] = group->scale[0];
    }
}

/// Of a group whose contacts are known.
static void contact_place_group(const iso__plane *plane, iso__plane_contact_group *group) {
    group->moves_a = group->moves_b = group->filled = 0;
    for (uint32_t lane = 0; lane < group->count; ++lane) {
        contact_place(plane, group, lane);
    }
    contact_fill_rest(group);
}

/// Of the groups in their order from begin on.
static void contact_fill_groups(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_kernels *kernels = data;
    bool bounces = false;
    const uint32_t *order = plane->scratch->group_order;
    for (uint32_t n = begin; n < end; ++n) {
        iso__plane_contact_group *group = &plane->scratch->groups[order[n]];
        if (n + PREFETCH_AHEAD < end) {
            contact_prefetch(plane->scratch, &plane->scratch->groups[order[n + PREFETCH_AHEAD]]);
        }
        if (plane->scratch->has_new_places) {
            contact_place_group(plane, group);
        }
        const uint32_t same = contact_separate(plane->scratch, group);
        if (contact_stands(plane, group, same)) {
            group->notes_impulses = false;
            continue;
        }
        if (kernels != NULL) {
            kernels->contacts_prepare(plane, group, same);
        }
        for (uint32_t lane = 0; kernels == NULL && lane < group->count; ++lane) {
            if ((same >> lane & 1) != 0) {
                iso__plane_contact_update_rows(plane, group, lane);
            } else {
                iso__plane_contact_fill_rows(plane, group, lane);
            }
        }
        contact_fill_group(plane, group);
        bounces = bounces || group->bounces;
    }
    if (bounces) { // some piece says so
        __atomic_store_n(&plane->scratch->has_restitution, true, __ATOMIC_RELAXED);
    }
}

// ---- places --------------------------------------------------------------------------------------

void iso__plane_contacts_place(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->solved_count <= plane->world.globals->contact_count);
    uint32_t next[ISO__COLOURS + 1];
    for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
        next[c] = scratch->colours[c].group_begin * ISO__LANES;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        if (scratch->contact_colours[i] != ISO__PLANE_COLOUR_NONE) {
            const uint32_t place = next[scratch->contact_colours[i]]++;
            iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
            if (place % ISO__LANES == 0) {
                scratch->group_order[count++] = place / ISO__LANES;
            }
            ISO_VALIDATE_ASSERT(place < scratch->colours[scratch->contact_colours[i]].group_end * ISO__LANES);
            scratch->contact_places[i] = place;
            group->contact[place % ISO__LANES] = i;
            group->count = place % ISO__LANES + 1;
        }
    }
    ISO_ASSERT(count == scratch->group_count);
    scratch->has_new_places = true;
}

#ifdef ISO_VALIDATE
/// The places of the last step are those that would be found now, with the same masses.
static void contact_validate_places(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        if (scratch->contact_colours[i] == ISO__PLANE_COLOUR_NONE) {
            continue;
        }
        const uint32_t place = scratch->contact_places[i], lane = place % ISO__LANES;
        const iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
        const iso__plane_body_derived *a = &plane->body_derived[group->body_a[lane]];
        const iso__plane_body_derived *b = &plane->body_derived[group->body_b[lane]];
        const iso__mass_shares share = iso__mass_shares_make(a->mass, b->mass);
        ISO_ASSERT(group->contact[lane] == i && lane < group->count);
        ISO_ASSERT(group->body_a[lane] == iso__plane_contact_key_a(scratch->contact_keys[i]));
        ISO_ASSERT(group->body_b[lane] == iso__plane_contact_key_b(scratch->contact_keys[i]));
        ISO_ASSERT(group->share[lane].lo == share.lo && group->share[lane].hi == share.hi);
        ISO_ASSERT(group->gain[lane].lo == iso__round_shift((int64_t)a->gyration * share.lo, 30));
        ISO_ASSERT(group->gain[lane].hi == iso__round_shift((int64_t)b->gyration * share.hi, 30));
        ISO_ASSERT(group->scale[lane].lo == ISO__PLANE_SCALE_MAX - a->radius_exponent);
        ISO_ASSERT(group->scale[lane].hi == ISO__PLANE_SCALE_MAX - b->radius_exponent);
        ISO_ASSERT((group->moves_a >> lane & 1) == (scratch->motions[group->body_a[lane]].kind != 0));
        ISO_ASSERT((group->moves_b >> lane & 1) == (scratch->motions[group->body_b[lane]].kind != 0));
    }
}
#endif

#ifdef ISO_VALIDATE
/// The coefficients that stand in the groups are those that would be found now.
static void contact_validate_rows(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__plane_contact_group *group = &scratch->groups[g];
        iso__plane_contact_group found = *group;
        for (uint32_t lane = 0; lane < group->count; ++lane) {
            iso__plane_contact_fill_rows(plane, &found, lane);
            found.points[0].separation[lane] = scratch->manifolds[group->contact[lane]].points[0].separation;
            found.points[1].separation[lane] = scratch->manifolds[group->contact[lane]].points[1].separation;
            contact_clear_points(&scratch->manifolds[group->contact[lane]], &found, lane);
        }
        ISO_ASSERT(memcmp(&found, group, sizeof found) == 0);
    }
}
#endif

/// Impacts are solved in the order of the contacts, not of the groups.
static void contact_list_bouncing(iso__plane_step_scratch *scratch) {
    scratch->bouncing_count = 0;
    for (uint32_t i = 0; scratch->has_restitution && i < scratch->solved_count; ++i) {
        if (scratch->contact_colours[i] != ISO__PLANE_COLOUR_NONE && scratch->surfaces[i].restitution > 0) {
            scratch->bouncing[scratch->bouncing_count++] = scratch->contact_places[i];
        }
    }
}

void iso__plane_step_prepare_contacts(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->solved_count <= plane->world.globals->contact_count);
    scratch->has_restitution = false;
    iso__parallel_for(&plane->world, 0, scratch->group_count, PREPARE_GRAIN, contact_fill_groups,
                      (void *)(uintptr_t)iso__plane_kernels_of(plane->world.simd));
    scratch->has_new_places = false;
#ifdef ISO_VALIDATE
    contact_validate_places(plane);
    contact_validate_rows(plane);
#endif
    contact_list_bouncing(scratch);
}
