/// See contact_point.h; and the public functions that compute more of a contact than its record contains.
#include "space/world/contact_point.h"

#include "isostep/world.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/collide/manifold_heights.h"
#include "space/world/body_mass.h"
#include "space/world/contact.h"
#include "space/world/contact_match.h"
#include "space/world/geometry.h"

// ---- points --------------------------------------------------------------------------------------

iso_vec3_wide iso__space_contact_place(const iso__space *space, uint32_t body_a, uint32_t body_b,
                                       const iso__space_manifold_point *point) {
    const bool is_from_b = iso__space_contact_is_from_b(space, body_a);
    const int64_t *centre = space->bodies[is_from_b ? body_b : body_a].position;
    const int32_t *anchor = is_from_b ? point->anchor_b : point->anchor_a;
    return (iso_vec3_wide){centre[0] + anchor[0] * INT64_C(256), centre[1] + anchor[1] * INT64_C(256),
                           centre[2] + anchor[2] * INT64_C(256)};
}

/// The velocity [m/s] of a body's material point. @param arm  [m] Q7.24, from the centre of mass, world orientation
static iso_vec3_wide body_velocity_at(const iso__space *space, uint32_t body, const int32_t arm[3]) {
    const iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *derived = &space->body_derived[body];
    const unsigned shift = (unsigned)(13 - derived->radius_exponent);
    int32_t spin[3];
    if (record->type == ISO_BODY_STATIC) {
        return (iso_vec3_wide){0, 0, 0};
    }
    iso__space_body_spin(record, derived, spin);
    const iso_vec3_wide omega = {iso__shl64(spin[0], shift), iso__shl64(spin[1], shift), iso__shl64(spin[2], shift)};
    const iso_vec3_wide r = {iso__shl64(arm[0], 8), iso__shl64(arm[1], 8), iso__shl64(arm[2], 8)};
    const int32_t *v = record->velocity;
    return iso_vec3_wide_add((iso_vec3_wide){iso__shl64(v[0], 13), iso__shl64(v[1], 13), iso__shl64(v[2], 13)},
                             iso_vec3_wide_cross(omega, r));
}

iso_wide iso__space_contact_approach(const iso__space *space, uint32_t body_a, uint32_t body_b,
                                     const iso__space_manifold *manifold, uint32_t number) {
    const iso__space_manifold_point *point = &manifold->points[number];
    const iso_vec3_wide apart = iso_vec3_wide_sub(body_velocity_at(space, body_a, point->anchor_a),
                                                  body_velocity_at(space, body_b, point->anchor_b));
    const int32_t *n = manifold->normal;
    return iso__dot3_shift(apart.x, n[0], apart.y, n[1], apart.z, n[2], ISO__UNIT_FRACTION);
}

iso_wide iso__space_contact_impulse(iso_wide reduced, int32_t impulse) {
    return iso_wide_mul(reduced, iso__shl64(impulse, 13));
}

/// j = sigma lambda, so lambda = j / sigma.
static iso_wide contact_reduced_mass(const iso__space *space, const iso__space_contact *contact) {
    return iso__reduced_mass(space->body_derived[space->shapes[contact->shape_a].body].mass,
                             space->body_derived[space->shapes[contact->shape_b].body].mass);
}

static iso_vec3_wide contact_friction(const iso__space_contact *contact, iso_wide reduced) {
    const int32_t *j = contact->friction_impulse;
    return (iso_vec3_wide){iso__space_contact_impulse(reduced, j[0]), iso__space_contact_impulse(reduced, j[1]),
                           iso__space_contact_impulse(reduced, j[2])};
}

static iso_wide contact_twist(const iso__space_contact *contact, iso_wide reduced) {
    return iso_wide_mul(reduced, iso__shl64(contact->twist_impulse, 16)); // Q15.16
}

void iso__space_contact_read_manifold(const iso__space *space, const iso__space_contact *contact,
                                      const iso__space_manifold *from, iso_contact3_manifold *manifold) {
    const uint32_t a = space->shapes[contact->shape_a].body, b = space->shapes[contact->shape_b].body;
    const iso_wide reduced = contact_reduced_mass(space, contact);
    *manifold = (iso_contact3_manifold){.point_count = from->count,
                                        .friction_impulse = contact_friction(contact, reduced),
                                        .twist_impulse = contact_twist(contact, reduced)};
    if (from->count > 0) {
        manifold->normal = (iso_unit3){from->normal[0], from->normal[1], from->normal[2]};
    }
    for (uint32_t p = 0; p < from->count; ++p) {
        manifold->points[p] = (iso_contact3_point){
            .point = iso__space_contact_place(space, a, b, &from->points[p]),
            .separation = iso__shl64(from->points[p].separation, 8),
            .approach_speed = iso__space_contact_approach(space, a, b, from, p),
            .normal_impulse = iso__space_contact_impulse(reduced, contact->normal_impulse[p]),
        };
    }
}

// ---- pairs ---------------------------------------------------------------------------------------

static uint32_t contact_first(const iso__space *space, uint32_t index) {
    while (index > 0 && space->contacts[index].child > 0) {
        --index;
    }
    return index;
}

bool iso__space_contact_is_touching(const iso__space *space, uint32_t index) {
    const uint32_t first = contact_first(space, index);
    return iso__space_contacts_touch(&space->contacts[first], iso__space_contact_pair_count(space, first));
}

/// Whether the shapes may still touch: since the contact was made they moved. A manifold wants them near.
static bool pair_is_near(const iso__space *space, const iso__pair *pair) {
    const int64_t *a = space->bodies[pair->bodies >> 32].position;
    const int64_t *b = space->bodies[(uint32_t)pair->bodies].position;
    const int64_t extents = (int64_t)space->shape_derived[pair->shapes >> 32].extent +
                            space->shape_derived[(uint32_t)pair->shapes].extent; // [m] Q.24
    const uint64_t reach = (uint64_t)(extents * 256 + iso_wide_from_fix16(space->world.def.speculative_distance));
    bool is_near = true;
    for (int axis = 0; axis < 3; ++axis) {
        is_near = is_near && iso__abs_u64(b[axis] - a[axis]) <= reach;
    }
    return is_near;
}

/// The manifolds of a pair: of what is not heights one, which may have no points. @return how many
static uint32_t pair_collide(const iso__space *space, const iso__pair *pair,
                             iso__space_manifold found[ISO__SPACE_MANIFOLD_CHILDREN]) {
    const iso__space_manifold_settings settings = {.slop = (int64_t)space->world.def.slop * 256,
                                                   .speculative = (int64_t)space->world.def.speculative_distance * 256};
    iso__space_collider a, b;
    iso__space_hull rooms[2];
    int64_t offset[3];
    uint32_t count = 1;
    iso__space_collider_make(space, (uint32_t)(pair->shapes >> 32), &rooms[0], &a);
    iso__space_collider_make(space, (uint32_t)pair->shapes, &rooms[1], &b);
    iso__space_pair_offset(space, pair, offset);
    found[0].count = 0;
    if (a.kind == ISO__SPACE_COLLIDER_HEIGHTS || b.kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        count = iso__space_manifold_heights(&settings, &a, &b, offset, found);
    } else if (a.kind == ISO__SPACE_COLLIDER_PLANE || b.kind == ISO__SPACE_COLLIDER_PLANE ||
               pair_is_near(space, pair)) {
        iso__space_manifold_make(&settings, &a, &b, offset, found);
    }
    for (uint32_t c = 0; c < count; ++c) {
        iso__space_pair_set_places(space, pair, &found[c]);
    }
    return count;
}

void iso__space_contact_collide(const iso__space *space, uint32_t index, iso__space_contact *contact,
                                iso__space_manifold *manifold) {
    const uint32_t first = contact_first(space, index), child = index - first;
    const iso__space_contact *old = &space->contacts[first];
    const uint64_t a = old->shape_a, b = old->shape_b;
    const iso__pair pair = {(uint64_t)space->shapes[a].body << 32 | space->shapes[b].body, a << 32 | b};
    iso__space_manifold found[ISO__SPACE_MANIFOLD_CHILDREN];
    iso__space_contact made[ISO__SPACE_MANIFOLD_CHILDREN];
    const uint32_t count = pair_collide(space, &pair, found);
    for (uint32_t c = 0; c < count; ++c) {
        iso__space_contact_make(&pair, &found[c], &made[c]);
    }
    *contact = *(old + child);
    manifold->count = 0;
    if (child < count && found[child].count > 0) {
        iso__space_contacts_match(made, count, old, iso__space_contact_pair_count(space, first),
                                  iso__space_contact_is_round(space, old));
        *manifold = found[child];
        for (uint32_t p = 0; p < ISO__SPACE_CONTACT_POINTS; ++p) {
            contact->normal_impulse[p] = made[child].normal_impulse[p];
        }
    }
}

// ---- public --------------------------------------------------------------------------------------

bool iso_world_get_contact3(const iso_world *world, uint32_t index, iso_contact3_view *view) {
    if (world->kernel->dimensions != 3 || index >= world->globals->contact_count) {
        return false;
    }
    const iso__space *space = iso__space_of_const(world);
    const iso__space_contact *contact = &space->contacts[index];
    const uint32_t body_a = space->shapes[contact->shape_a].body, body_b = space->shapes[contact->shape_b].body;
    const iso_wide reduced = contact_reduced_mass(space, contact);
    *view = (iso_contact3_view){
        .shape_a = {contact->shape_a, world->shape_generations[contact->shape_a]},
        .shape_b = {contact->shape_b, world->shape_generations[contact->shape_b]},
        .body_a = {body_a, world->body_generations[body_a]},
        .body_b = {body_b, world->body_generations[body_b]},
        .child = (uint8_t)contact->child,
        .point_count = contact->point_count,
        .is_touching = iso__space_contact_is_touching(space, index),
        .friction_impulse = contact_friction(contact, reduced),
        .twist_impulse = contact_twist(contact, reduced),
    };
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        view->normal_impulse[p] = iso__space_contact_impulse(reduced, contact->normal_impulse[p]);
    }
    return true;
}

bool iso_world_get_contact3_manifold(const iso_world *world, uint32_t index, iso_contact3_manifold *manifold) {
    if (world->kernel->dimensions != 3 || index >= world->globals->contact_count) {
        return false;
    }
    const iso__space *space = iso__space_of_const(world);
    iso__space_contact contact;
    iso__space_manifold from;
    iso__space_contact_collide(space, index, &contact, &from);
    iso__space_contact_read_manifold(space, &contact, &from, manifold);
    manifold->is_touching = iso__space_contact_is_touching(space, index);
    return true;
}
