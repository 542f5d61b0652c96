/// See contact_rules.h.
#include "plane/dynamics/contact_rules.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/contact.h"
#include "plane/world/contact_point.h"
#include "plane/world/geometry.h"
#include "plane/world/mass.h"
#include "plane/world/scratch.h"
#include "plane/world/shape.h"
#include "solver/parallel.h"

#define RULES_GRAIN 256u                 // contacts of some us: what it takes to hand them to another thread
#define SPEED_MAX   (80 * ISO_FIX16_ONE) // with the largest velocities of a friction row still within 32 bits

// ---- one-way shapes ------------------------------------------------------------------------------

/// Whether a normal [Q2.30] that leaves a shape is on its solid side: within acos(1/4), 75 degrees, of its vector.
static bool rules_is_solid_side(const iso__plane *plane, uint32_t shape, int64_t nx, int64_t ny) {
    int64_t solid[2];
    if (!iso__plane_shape_one_way(plane, shape, solid)) {
        return true;
    }
    const int64_t x = plane->shapes[shape].one_way[0], y = plane->shapes[shape].one_way[1]; // Q15.16, within 1
    const int64_t along = iso__round_shift(solid[0] * nx + solid[1] * ny, 44);              // Q.16, at most sqrt(2)
    return along > 0 && 16 * along * along > x * x + y * y;
}

void iso__plane_contact_rule_passing(const iso__plane *plane, iso__plane_contact *contact,
                                     const iso__plane_manifold *manifold, bool is_new) {
    ISO_VALIDATE_ASSERT(manifold->count > 0);
    // What is inside stays as it is: neither thrown out, nor dropped because the shallowest way out has changed.
    const int32_t slop = plane->world.def.slop * 256;
    bool is_inside = false;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        is_inside = is_inside || manifold->points[p].separation < -slop;
    }
    if (is_new || !is_inside) {
        contact->flags &= (uint8_t)~ISO__PLANE_CONTACT_PASSES;
        const int64_t nx = manifold->normal[0], ny = manifold->normal[1]; // from A to B
        const bool is_solid = rules_is_solid_side(plane, contact->shape_a, nx, ny) &&
                              rules_is_solid_side(plane, contact->shape_b, -nx, -ny);
        contact->flags |= is_solid ? 0 : ISO__PLANE_CONTACT_PASSES;
    }
}

// ---- before the rows -----------------------------------------------------------------------------

/// sqrt(f f') for friction, the larger restitution, the sum of the speeds: A's surface runs along the tangent, B's
/// against it, so that both carry B the same way.
static iso__plane_contact_surface rules_mix(const iso__plane *plane, const iso__plane_contact *contact) {
    const iso__plane_shape *a = &plane->shapes[contact->shape_a], *b = &plane->shapes[contact->shape_b];
    const uint32_t friction = a->friction == b->friction ? (uint32_t)a->friction
                                                         : iso__isqrt64((uint64_t)a->friction * (uint64_t)b->friction);
    const int64_t speed = iso__clamp64((int64_t)a->surface_speed + b->surface_speed, -SPEED_MAX, SPEED_MAX);
    return (iso__plane_contact_surface){
        .friction = (int32_t)friction,
        .restitution = iso__max32(a->restitution, b->restitution),
        .speed = (int32_t)(speed * 8),                                   // Q15.16 to Q12.19
        .tie_step = iso__plane_contact_has_pose(plane, contact) ? 1 : 0, // other rows differ from tick to tick
    };
}

/// The contact as the game sees it.
static iso_step_contact rules_see(const iso__plane *plane, uint32_t number) {
    const iso__plane_contact *contact = &plane->contacts[plane->scratch->solved[number]];
    const iso__plane_manifold *from = &plane->scratch->manifolds[number];
    const uint32_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
    const iso_wide reduced = iso__reduced_mass(plane->body_derived[a].mass, plane->body_derived[b].mass);
    iso_step_contact seen = {
        .shape_a = {contact->shape_a, plane->world.shape_generations[contact->shape_a]},
        .shape_b = {contact->shape_b, plane->world.shape_generations[contact->shape_b]},
        .body_a = {a, plane->world.body_generations[a]},
        .body_b = {b, plane->world.body_generations[b]},
        .manifold = {.normal = {from->normal[0], from->normal[1]},
                     .is_touching = (contact->flags & ISO__PLANE_CONTACT_TOUCHES) != 0,
                     .point_count = (uint8_t)from->count},
    };
    for (uint32_t p = 0; p < from->count; ++p) {
        iso_contact_point *point = &seen.manifold.points[p];
        *point = iso__plane_contact_point(plane, a, b, from, p);
        point->normal_impulse = iso_wide_mul(reduced, iso__shl64(contact->normal_impulse[p], 13));
        point->tangent_impulse = iso_wide_mul(reduced, iso__shl64(contact->tangent_impulse[p], 13));
    }
    return seen;
}

/// @return whether the contact has rows
static bool rules_ask(iso__plane *plane, uint32_t number, bool is_enabled) {
    const iso_step_contact seen = rules_see(plane, number);
    iso__plane_contact_surface *surface = &plane->scratch->surfaces[number];
    iso_contact_rules rules = {
        .is_enabled = is_enabled,
        .friction = surface->friction >> 12,
        .restitution = surface->restitution >> 12,
        .surface_speed = surface->speed / 8,
    };
    const iso_contact_rules before = rules;
    plane->world.game->before_contact(&plane->world, plane->world.game_state, &seen, &rules);
    // What the game leaves alone keeps the bits that Q15.16 has no room for.
    if (rules.friction != before.friction) {
        surface->friction = (int32_t)((uint32_t)iso__clamp32(rules.friction, 0, ISO__FRICTION_MAX) << 12);
    }
    if (rules.restitution != before.restitution) {
        surface->restitution = (int32_t)((uint32_t)iso__clamp32(rules.restitution, 0, ISO_FIX16_ONE) << 12);
    }
    surface->speed = iso__clamp32(rules.surface_speed, -SPEED_MAX, SPEED_MAX) * 8;
    return is_enabled && rules.is_enabled;
}

/// Notes a contact's bodies, and whether it has rows. @return whether that is as in the last step
static bool rules_note(iso__plane_step_scratch *scratch, uint32_t number, uint64_t key, bool is_enabled) {
    const bool had_rows = scratch->contact_colours[number] != ISO__PLANE_COLOUR_NONE;
    const bool is_same = scratch->contact_keys[number] == key && had_rows == is_enabled;
    scratch->contact_keys[number] = key;
    if (had_rows != is_enabled) {
        scratch->contact_colours[number] = is_enabled ? 0 : ISO__PLANE_COLOUR_NONE; // the graph chooses
    }
    return is_same;
}

/// Whether a contact is that of the last step with this number, and had rows, which nothing but its surfaces has a say
/// in: then what was noted of it still holds.
static inline bool rules_stand(const iso__plane_step_scratch *scratch, uint32_t number) {
    const iso__plane_manifold *manifold = &scratch->manifolds[number];
    return manifold->is_standing && manifold->is_plain && scratch->contact_colours[number] != ISO__PLANE_COLOUR_NONE;
}

#ifdef ISO_VALIDATE
/// What stands is what would be found now.
static void rules_validate(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        const iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
        const uint64_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
        const iso__plane_contact_surface mixed = rules_mix(plane, contact), *noted = &scratch->surfaces[k];
        ISO_ASSERT(noted->friction == mixed.friction && noted->restitution == mixed.restitution &&
                   noted->speed == mixed.speed && noted->tie_step == mixed.tie_step);
        ISO_ASSERT((scratch->contact_keys[k] & ~ISO__PLANE_CONTACT_KEY_SENSOR) == (a << 32 | b));
    }
}
#endif

typedef struct rules_job {
    bool asks;
    uint64_t change_count, free_count; // of the contacts: others than in the last step, and those without rows
} rules_job;

/// The solved contacts from begin on.
static void rules_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    rules_job *job = data;
    uint64_t changes = 0, free = 0;
    for (uint32_t k = begin; k < end; ++k) {
        if (scratch->has_same_rules && rules_stand(scratch, k)) {
            continue;
        }
        const iso__plane_contact *contact = &plane->contacts[scratch->solved[k]];
        const iso__plane_shape *a = &plane->shapes[contact->shape_a], *b = &plane->shapes[contact->shape_b];
        scratch->surfaces[k] = rules_mix(plane, contact);
        const uint64_t sensor =
            ((a->flags | b->flags) & ISO__PLANE_SHAPE_SENSOR) != 0 ? ISO__PLANE_CONTACT_KEY_SENSOR : 0;
        bool is_enabled = sensor == 0 && (contact->flags & ISO__PLANE_CONTACT_PASSES) == 0;
        is_enabled = job->asks ? rules_ask(plane, k, is_enabled) : is_enabled;
        changes += !rules_note(scratch, k, sensor | (uint64_t)a->body << 32 | b->body, is_enabled);
        free += !is_enabled;
    }
    iso__count_shared(&job->change_count, changes);
    iso__count_shared(&job->free_count, free);
}

void iso__plane_contacts_rule(iso__plane *plane) {
    ISO_ASSERT(plane->scratch->solved_count <= plane->world.globals->contact_count);
    iso__plane_step_scratch *scratch = plane->scratch;
    rules_job job = {.asks = plane->world.game != NULL && plane->world.game->before_contact != NULL};
    scratch->has_same_rules = !job.asks && !plane->has_changed_surfaces;
    plane->has_changed_surfaces = false;
    if (job.asks) { // in the order of the contacts, on this thread
        rules_range(&plane->world, &job, 0, scratch->solved_count);
    } else {
        iso__parallel_for(&plane->world, 0, scratch->solved_count, RULES_GRAIN, rules_range, &job);
    }
    scratch->has_same_contacts = job.change_count == 0 && scratch->solved_count == scratch->contact_key_count;
    scratch->contact_key_count = scratch->solved_count;
    scratch->free_count = (uint32_t)job.free_count;
#ifdef ISO_VALIDATE
    if (!job.asks) {
        rules_validate(plane);
    }
#endif
}

// ---- after the rows ------------------------------------------------------------------------------

void iso__plane_contacts_tell_game(iso__plane *plane) {
    ISO_ASSERT(plane->scratch->solved_count <= plane->world.globals->contact_count);
    if (!iso__plane_contacts_are_told(&plane->world)) {
        return;
    }
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t k = 0; k < scratch->solved_count; ++k) {
        iso_step_contact seen = rules_see(plane, k);
        const iso_wide reduced =
            iso__reduced_mass(plane->body_derived[seen.body_a.index].mass, plane->body_derived[seen.body_b.index].mass);
        for (uint32_t p = 0; p < 2 && scratch->contact_colours[k] != ISO__PLANE_COLOUR_NONE; ++p) {
            seen.normal_impulse_max[p] = iso_wide_mul(reduced, iso__shl64(scratch->impulse_maxima[k][p], 13));
        }
        plane->world.game->after_contact(&plane->world, plane->world.game_state, &seen);
    }
}
