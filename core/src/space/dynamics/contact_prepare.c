/// See contact_prepare.h.
///
/// Contacts take their colours in key order; joints have none.
#include "space/dynamics/contact_prepare.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "solver/parallel.h"
#include "space/dynamics/contact_rows.h"
#include "space/dynamics/contact_rules.h"

#define FILL_GRAIN 2u

// ---- colours -------------------------------------------------------------------------------------

static uint32_t *colour_mask(const iso__space *space, uint32_t body) {
    return space->bodies[body].type == ISO_BODY_DYNAMIC ? &space->scratch->colour_masks[body] : NULL;
}

/// A body that has a colour is known to touch something: its drift, in a cache line of its own, is left alone.
static void body_touch(iso__space_scratch *scratch, uint32_t body) {
    if (scratch->colour_masks[body] == 0) {
        scratch->drifts[body].is_free = false;
    }
}

/// Lists the contacts with rows, with their colours, and counts those of each.
/// @return how many have rows
static uint32_t contacts_colour(iso__space *space, uint32_t counts[ISO__COLOURS + 1]) {
    iso__space_scratch *scratch = space->scratch;
    uint32_t count = 0;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->colour_masks[scratch->moving[m]] = 0;
    }
    for (uint32_t i = 0; i < space->world.globals->contact_count; ++i) {
        if (iso__space_contact_has_rows(space, i)) {
            const iso__space_contact *contact = &space->contacts[i];
            const uint32_t a = space->shapes[contact->shape_a].body, b = space->shapes[contact->shape_b].body;
            body_touch(scratch, a);
            body_touch(scratch, b);
            const uint32_t colour = iso__colour_take_pair(colour_mask(space, a), colour_mask(space, b));
            scratch->contact_colours[count++] = i << 6 | colour;
            ++counts[colour];
        }
    }
    return count;
}

// ---- groups --------------------------------------------------------------------------------------

/// Unused lanes: the first one's bodies, so that they can be read, and zeros.
static void group_fill_up(iso__space_contact_group *group) {
    for (uint32_t lane = group->count; lane < ISO__LANES; ++lane) {
        group->body_a[lane] = group->body_a[0];
        group->body_b[lane] = group->body_b[0];
        group->contact[lane] = group->contact[0];
    }
}

/// Divides the contacts of each colour into groups, in the order of their keys.
static void groups_begin(iso__space_scratch *scratch, uint32_t count, const uint32_t counts[ISO__COLOURS + 1]) {
    uint32_t next[ISO__COLOURS + 1];
    scratch->group_count = iso__colour_groups(counts, ISO__LANES, scratch->colour_groups);
    for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
        next[c] = scratch->colour_groups[c].begin;
    }
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        scratch->groups[g].count = 0;
    }
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t *at = &next[scratch->contact_colours[n] & 63u];
        iso__space_contact_group *to = &scratch->groups[*at];
        to->contact[to->count++] = scratch->contact_colours[n] >> 6;
        *at += to->count == ISO__LANES;
    }
}

/// Contacts of a colour stand far from each other in memory: the next group's are fetched while one is filled.
static void group_fetch(const iso__space *space, const iso__space_contact_group *group) {
    const iso__space_scratch *scratch = space->scratch;
    for (uint32_t n = 0; n < group->count; ++n) {
        const char *contact = (const char *)&space->contacts[group->contact[n]];
        const char *manifold = (const char *)&scratch->manifolds[scratch->contact_manifolds[group->contact[n]]];
        __builtin_prefetch(contact);
        __builtin_prefetch(contact + sizeof(iso__space_contact) - 1);
        for (size_t at = 0; at < sizeof(iso__space_manifold); at += 64) {
            __builtin_prefetch(manifold + at);
        }
    }
}

static void group_fill(iso__space *space, iso__space_contact_group *group) {
    uint32_t contacts[ISO__LANES];
    const uint32_t count = group->count;
    memcpy(contacts, group->contact, sizeof contacts);
    if (count < ISO__LANES) {
        memset(group, 0, sizeof *group);
    }
    group->count = count;
    group->point_count = 0;
    group->moves_a = group->moves_b = 0;
    group->bounces = group->carries = false;
    group->notes = space->scratch->impulse_maxima != NULL;
    iso__space_contacts_fill(space, contacts, group);
    group->notes = group->notes || group->bounces;
    group_fill_up(group);
}

/// Group by group: one that is filled stays in the cache.
static void groups_fill(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    (void)data;
    iso__space *space = iso__space_of(world);
    for (uint32_t g = begin; g < end; ++g) {
        if (g + 1 < end) {
            group_fetch(space, &space->scratch->groups[g + 1]);
        }
        group_fill(space, &space->scratch->groups[g]);
    }
}

void iso__space_contacts_colour(iso__space *space) {
    uint32_t counts[ISO__COLOURS + 1] = {0};
    const uint32_t count = contacts_colour(space, counts);
    ISO_ASSERT(count <= space->world.globals->contact_count);
    groups_begin(space->scratch, count, counts);
}

void iso__space_contacts_prepare(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->group_count <= space->world.globals->contact_count);
    iso__space_gains_make(space);
    iso__parallel_for(&space->world, 0, scratch->group_count, FILL_GRAIN, groups_fill, NULL);
}
