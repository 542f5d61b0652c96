/// Rebuilds the data that the step maintains incrementally, and compares it. Called at each tick by builds with
/// ISO_VALIDATE.
#include "plane/dynamics/validate.h"

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"

#ifdef ISO_VALIDATE

/// Checks which bodies are awake, and how many bodies each member owns.
static void validate_bodies(const iso__plane *plane) {
    uint32_t owned[ISO_SLOT_COUNT_MAX] = {0}, asleep = 0;
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        const iso__plane_body *body = &plane->bodies[i];
        const bool is_asleep = (body->flags & ISO__PLANE_BODY_ASLEEP) != 0;
        const bool is_awake = body->type == ISO_BODY_KINEMATIC || (body->type == ISO_BODY_DYNAMIC && !is_asleep);
        ISO_ASSERT(iso__bit_is_set(plane->world.awake, i) == is_awake);
        ISO_ASSERT(iso__bit_is_set(plane->world.asleep, i) == is_asleep);
        asleep += is_asleep;
        ISO_ASSERT(iso__bit_is_set(plane->world.kinematic, i) == (body->type == ISO_BODY_KINEMATIC));
        ISO_ASSERT(!is_asleep || (body->type == ISO_BODY_DYNAMIC && body->velocity[0] == 0 && body->velocity[1] == 0 &&
                                  body->spin == 0));
        ISO_ASSERT(plane->scratch->motions[i].velocity[0] == 0 && plane->scratch->motions[i].spin == 0);
        if (body->type != 0 && body->owner_slot < plane->world.def.slot_capacity &&
            body->owner_generation == plane->world.slots[body->owner_slot].generation) {
            ++owned[body->owner_slot];
        }
    }
    ISO_ASSERT(plane->world.asleep_count == asleep);
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        uint32_t of[4] = {ISO__WORLD_BODY, ISO__WORLD_BODY, ISO__WORLD_BODY, ISO__WORLD_BODY};
        if (plane->joints[i].kind != 0) {
            iso__plane_joint_bodies(&plane->world, i, of);
        }
        for (uint32_t n = 0; n < 4; ++n) {
            ISO_ASSERT(of[n] == ISO__WORLD_BODY || iso__bit_is_set(plane->world.jointed, of[n]));
        }
    }
    for (uint32_t i = 0; i < plane->world.def.slot_capacity; ++i) {
        ISO_ASSERT(plane->world.slots[i].occupied == 0 || plane->world.slots[i].body_count == owned[i]);
    }
}

/// Contacts are in strictly ascending order, each with a dynamic body; the solved ones are those with a body that
/// moved.
static void validate_contacts(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    iso__pair last = {0, 0};
    uint32_t solved = 0;
    for (uint32_t i = 0; i < plane->world.globals->contact_count; ++i) {
        const iso__plane_contact *contact = &plane->contacts[i];
        const uint64_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
        const iso__pair key = {a << 32 | b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
        ISO_ASSERT(a < b && (i == 0 || iso__pair_is_less(&last, &key)));
        last = key;
        const bool moved =
            iso__plane_body_is_moving(plane, (uint32_t)a) || iso__plane_body_is_moving(plane, (uint32_t)b);
        ISO_ASSERT(moved == (solved < scratch->solved_count && scratch->solved[solved] == i));
        solved += moved;
    }
    ISO_ASSERT(solved == scratch->solved_count);
}

/// Islands by spreading the lowest index along contacts and joints until nothing changes.
static bool validate_spread(const iso__plane *plane, uint32_t *labels, uint32_t a, uint32_t b) {
    if (a >= plane->world.def.body_capacity || b >= plane->world.def.body_capacity ||
        plane->bodies[a].type != ISO_BODY_DYNAMIC || plane->bodies[b].type != ISO_BODY_DYNAMIC ||
        labels[a] == labels[b]) {
        return false;
    }
    labels[a] = labels[b] = labels[a] < labels[b] ? labels[a] : labels[b];
    return true;
}

static void validate_islands(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    uint32_t *labels = scratch->colour_masks; // unused between steps
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        labels[scratch->moving[m]] = scratch->moving[m];
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t k = 0; k < scratch->solved_count; ++k) {
            const iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
            changes |= !iso__plane_contact_is_sensor(plane, contact) &&
                       validate_spread(plane, labels, plane->shapes[contact->shape_a].body,
                                       plane->shapes[contact->shape_b].body);
        }
        for (uint32_t j = 0; j < scratch->joint_count; ++j) {
            const uint32_t *bodies = scratch->joints[j].bodies;
            for (uint32_t n = 0; n < (bodies[2] < plane->world.def.body_capacity ? ISO__PLANE_JOINT_PAIRS : 1); ++n) {
                uint32_t a, b;
                iso__plane_joint_pair_of(bodies, n, &a, &b);
                changes |= validate_spread(plane, labels, a, b);
            }
        }
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        ISO_ASSERT(labels[scratch->moving[m]] == plane->world.islands[scratch->moving[m]]);
    }
}

/// Every pair of moving boxes that overlap is among the pairs. Of large worlds a share of the shapes at each tick.
void iso__plane_validate_pairs(const iso__plane *plane, iso__pair_list pairs) {
    const uint32_t stride = plane->world.globals->shape_count / 64 + 1;
    for (uint32_t s = (uint32_t)(plane->world.globals->tick % stride);
         pairs.dropped == 0 && s < plane->world.globals->shape_count; s += stride) {
        uint32_t expected = 0, found = 0;
        ISO_ASSERT(plane->shapes[s].kind == 0 || iso__bit_is_set(plane->world.displaced, plane->shapes[s].body) ||
                   iso__plane_broad_phase_box_is_current(plane, s));
        for (uint32_t t = 0; t < plane->world.globals->shape_count; ++t) {
            expected += iso__plane_broad_phase_is_candidate(plane, s, t);
        }
        for (uint32_t i = 0; i < pairs.count; ++i) {
            const uint32_t a = (uint32_t)(pairs.pairs[i].shapes >> 32), b = (uint32_t)pairs.pairs[i].shapes;
            ISO_ASSERT(i == 0 || iso__pair_is_less(&pairs.pairs[i - 1], &pairs.pairs[i]));
            found += (a == s || b == s) && iso__plane_broad_phase_is_candidate(plane, a, b);
        }
        ISO_ASSERT(expected == found);
    }
}

/// Checks that a cached hash is that of the records.
static void validate_hashes(iso_world *world) {
    const uint64_t root = iso_world_root(world);
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
    ISO_ASSERT(iso_world_root(world) == root);
}

void iso__plane_validate(iso__plane *plane) {
    validate_contacts(plane);
    validate_islands(plane);
    validate_bodies(plane);
    validate_hashes(&plane->world);
}

#else

// A build without ISO_VALIDATE has nothing here, but ISO C wants a declaration.
extern int iso__plane_validate_nothing;

#endif
