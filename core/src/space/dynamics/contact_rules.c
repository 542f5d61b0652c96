/// See contact_rules.h. The calls go contact by contact in the order of their keys, on the calling thread, so that
/// their order depends on the state alone.
#include "space/dynamics/contact_rules.h"

#include "base/assert.h"
#include "solver/mass.h"
#include "space/world/contact.h"
#include "space/world/contact_point.h"

#define SURFACE_SPEED_MAX (80 * ISO_FIX16_ONE) // with the largest velocities of the friction rows still within 32 bits

// ---- before the rows -----------------------------------------------------------------------------

/// The contact as the game sees it.
static iso_step_contact3 rules_see(const iso__space *space, uint32_t number, bool is_touching) {
    const iso_world *world = &space->world;
    const iso__space_contact *contact = &space->contacts[number];
    const uint32_t a = space->shapes[contact->shape_a].body, b = space->shapes[contact->shape_b].body;
    iso_step_contact3 seen = {
        .shape_a = {contact->shape_a, world->shape_generations[contact->shape_a]},
        .shape_b = {contact->shape_b, world->shape_generations[contact->shape_b]},
        .body_a = {a, world->body_generations[a]},
        .body_b = {b, world->body_generations[b]},
        .child = (uint8_t)contact->child,
    };
    const iso__space_manifold *from = &space->scratch->manifolds[space->scratch->contact_manifolds[number]];
    iso__space_contact_read_manifold(space, contact, from, &seen.manifold);
    seen.manifold.is_touching = is_touching;
    return seen;
}

/// Q15.16 to Q4.28; what the game leaves alone keeps the bits that Q15.16 has no room for.
static int32_t rules_take(int32_t mixed, fix16_t before, fix16_t after, fix16_t most) {
    return after == before ? mixed : (int32_t)((uint32_t)iso__clamp32(after, 0, most) << 12);
}

static void rules_ask(iso__space *space, uint32_t number, iso__space_contact_rule *rule) {
    iso_world *world = &space->world;
    const uint8_t flags = space->contacts[number - space->contacts[number].child].flags;
    const iso_step_contact3 seen = rules_see(space, number, (flags & ISO__SPACE_CONTACT_TOUCHED) != 0);
    iso_contact3_rules rules = {
        .is_enabled = rule->is_enabled, .friction = rule->friction >> 12, .restitution = rule->restitution >> 12};
    const iso_contact3_rules before = rules;
    world->game->before_contact3(world, world->game_state, &seen, &rules);
    rule->is_enabled = rule->is_enabled && rules.is_enabled;
    rule->friction = rules_take(rule->friction, before.friction, rules.friction, ISO__FRICTION_MAX);
    rule->restitution = rules_take(rule->restitution, before.restitution, rules.restitution, ISO_FIX16_ONE);
    const fix16_t speeds[3] = {rules.surface_velocity.x, rules.surface_velocity.y, rules.surface_velocity.z};
    for (int axis = 0; axis < 3; ++axis) {
        rule->surface[axis] = iso__clamp32(speeds[axis], -SURFACE_SPEED_MAX, SURFACE_SPEED_MAX) * 8; // to Q12.19
    }
}

void iso__space_contacts_rule(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    const uint32_t count = scratch->rules == NULL ? 0 : space->world.globals->contact_count;
    ISO_ASSERT(count <= space->world.def.contact_capacity);
    for (uint32_t i = 0; i < count; ++i) {
        iso__space_contact *contact = &space->contacts[i];
        if (scratch->contact_manifolds[i] == UINT32_MAX) {
            continue;
        }
        scratch->rules[i] = iso__space_contact_mix(&space->shapes[contact->shape_a], &space->shapes[contact->shape_b]);
        rules_ask(space, i, &scratch->rules[i]);
        if (!scratch->rules[i].is_enabled) {
            iso__space_contact_clear(contact);
        }
    }
}

bool iso__space_shapes_pass(const iso__space *space, uint32_t shape_a, uint32_t shape_b) {
    ISO_ASSERT(shape_a < space->world.globals->shape_count && shape_b < space->world.globals->shape_count);
    const uint32_t number =
        space->scratch->rules == NULL ? UINT32_MAX : iso__space_contact_find(space, shape_a, shape_b);
    return number != UINT32_MAX && iso__space_contact_is_disabled(space, number);
}

// ---- after the rows ------------------------------------------------------------------------------

void iso__space_contacts_tell_game(iso__space *space) {
    iso_world *world = &space->world;
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t count = scratch->impulse_maxima == NULL ? 0 : world->globals->contact_count;
    ISO_ASSERT(count <= world->def.contact_capacity);
    for (uint32_t i = 0; i < count; ++i) {
        if (scratch->contact_manifolds[i] == UINT32_MAX) {
            continue;
        }
        iso_step_contact3 seen = rules_see(space, i, iso__space_contact_is_touching(space, i));
        const iso_wide reduced =
            iso__reduced_mass(space->body_derived[seen.body_a.index].mass, space->body_derived[seen.body_b.index].mass);
        for (uint32_t p = 0; p < seen.manifold.point_count; ++p) {
            seen.normal_impulse_max[p] = iso__space_contact_impulse(reduced, scratch->impulse_maxima[i][p]);
        }
        world->game->after_contact3(world, world->game_state, &seen);
    }
}
