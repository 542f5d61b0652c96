/// See contact.h.
#include "plane/world/contact.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/world/mass.h"
#include "plane/world/wake.h"
#include "world/events.h"

#define CONTACT_IMPULSE_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

void iso__plane_contact_tell_begin(iso__plane *plane, const iso__plane_contact *contact,
                                   const iso_contact_event *impact) {
    const uint32_t shapes[2] = {contact->shape_a, contact->shape_b};
    const uint32_t bodies[2] = {plane->shapes[shapes[0]].body, plane->shapes[shapes[1]].body};
    iso__event_contact_begin(&plane->world, shapes, bodies, impact);
}

void iso__plane_contact_tell_end(iso__plane *plane, const iso__plane_contact *contact) {
    const uint32_t shapes[2] = {contact->shape_a, contact->shape_b};
    const uint32_t bodies[2] = {plane->shapes[shapes[0]].body, plane->shapes[shapes[1]].body};
    iso__event_contact_end(&plane->world, shapes, bodies);
}

uint32_t iso__plane_contact_find_first(const iso__plane *plane, const iso__pair *pair) {
    uint32_t low = 0, high = plane->world.globals->contact_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const iso__plane_contact *contact = &plane->contacts[middle];
        const uint64_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
        const iso__pair key = {a << 32 | b, (uint64_t)contact->shape_a << 32 | contact->shape_b};
        if (iso__pair_is_less(&key, pair)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t iso__plane_contact_find(const iso__plane *plane, uint32_t shape_a, uint32_t shape_b) {
    const uint64_t body_a = plane->shapes[shape_a].body, body_b = plane->shapes[shape_b].body;
    const iso__pair pair = body_a < body_b ? (iso__pair){body_a << 32 | body_b, (uint64_t)shape_a << 32 | shape_b}
                                           : (iso__pair){body_b << 32 | body_a, (uint64_t)shape_b << 32 | shape_a};
    const uint32_t first = iso__plane_contact_find_first(plane, &pair);
    const bool is_found =
        first < plane->world.globals->contact_count &&
        ((uint64_t)plane->contacts[first].shape_a << 32 | plane->contacts[first].shape_b) == pair.shapes;
    return is_found ? first : UINT32_MAX;
}

void iso__plane_contacts_read(const iso_world *world, uint32_t first, uint32_t count, iso__contact_ends *ends) {
    const iso__plane *plane = iso__plane_of_const(world);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_contact *contact = &plane->contacts[first + i];
        ends[i] = (iso__contact_ends){{plane->shapes[contact->shape_a].body, plane->shapes[contact->shape_b].body},
                                      contact->point_count};
    }
}

void iso__plane_contact_leave(iso__plane *plane, const iso__plane_contact *contact) {
    if (contact->flags & ISO__PLANE_CONTACT_TOUCHES) {
        iso__plane_contact_tell_end(plane, contact);
    }
}

static bool contact_has_dynamic(const iso__plane *plane, const iso__plane_contact *contact) {
    return plane->bodies[plane->shapes[contact->shape_a].body].type == ISO_BODY_DYNAMIC ||
           plane->bodies[plane->shapes[contact->shape_b].body].type == ISO_BODY_DYNAMIC;
}

void iso__plane_contacts_remove(iso__plane *plane, uint32_t shape) {
    uint32_t kept = 0;
    const uint32_t count = plane->world.globals->contact_count;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_contact *contact = &plane->contacts[i];
        if (contact->shape_a == shape || contact->shape_b == shape || !contact_has_dynamic(plane, contact)) {
            iso__plane_body_wake(&plane->world, plane->shapes[contact->shape_a].body);
            iso__plane_body_wake(&plane->world, plane->shapes[contact->shape_b].body);
            iso__plane_contact_leave(plane, contact);
        } else {
            if (kept != i) {
                plane->contact_manifolds[kept] = plane->contact_manifolds[i];
                plane->contacts[kept] = *contact;
            }
            ++kept;
        }
    }
    if (kept != count) {
        plane->world.globals->contact_count = kept;
        iso__mark_section_dirty(&plane->world, ISO_SECTION_CONTACTS);
    }
}

bool iso__plane_contacts_have_body(const iso__plane *plane, uint32_t body) {
    for (uint32_t i = 0; i < plane->world.globals->contact_count; ++i) {
        const iso__plane_contact *contact = &plane->contacts[i];
        if (plane->shapes[contact->shape_a].body == body || plane->shapes[contact->shape_b].body == body ||
            !contact_has_dynamic(plane, contact)) {
            return true;
        }
    }
    return false;
}

void iso__plane_contacts_forget(iso__plane *plane, uint32_t body) {
    for (uint32_t i = 0; i < plane->world.globals->contact_count; ++i) {
        const iso__plane_contact *contact = &plane->contacts[i];
        if (body == UINT32_MAX || plane->shapes[contact->shape_a].body == body ||
            plane->shapes[contact->shape_b].body == body) {
            plane->contact_manifolds[i] = 0;
        }
    }
}

static int32_t contact_rescale(int32_t impulse, iso_wide before, iso_wide after) {
    // Two bodies of infinite mass exchange nothing.
    const int64_t scaled = after == 0 ? 0 : iso__mul_div(impulse, before, after);
    return (int32_t)iso__clamp64(scaled, -CONTACT_IMPULSE_MAX, CONTACT_IMPULSE_MAX);
}

void iso__plane_contacts_rescale(iso__plane *plane, uint32_t body, iso_wide before, iso_wide after) {
    for (uint32_t i = 0; i < plane->world.globals->contact_count; ++i) {
        iso__plane_contact *contact = &plane->contacts[i];
        const uint32_t a = plane->shapes[contact->shape_a].body, b = plane->shapes[contact->shape_b].body;
        if (a != body && b != body) {
            continue;
        }
        // lambda = j / sigma stays, so j' / j = sigma' / sigma: the reduced masses are the sigmas' inverses.
        const iso_wide other = plane->body_derived[a == body ? b : a].mass;
        const iso_wide from = iso__reduced_mass(before, other), to = iso__reduced_mass(after, other);
        for (uint32_t p = 0; p < contact->point_count; ++p) {
            contact->normal_impulse[p] = contact_rescale(contact->normal_impulse[p], from, to);
            contact->tangent_impulse[p] = contact_rescale(contact->tangent_impulse[p], from, to);
        }
        iso__mark_dirty(&plane->world, ISO_SECTION_CONTACTS, i);
    }
}

bool iso_world_get_contact(const iso_world *world, uint32_t index, iso_contact_view *view) {
    ISO__PLANE_ONLY(world, false);
    const iso__plane *plane = iso__plane_of_const(world);
    if (index >= world->globals->contact_count) {
        return false;
    }
    const iso__plane_contact *contact = &plane->contacts[index];
    const uint32_t body_a = plane->shapes[contact->shape_a].body, body_b = plane->shapes[contact->shape_b].body;
    *view = (iso_contact_view){
        .shape_a = {contact->shape_a, world->shape_generations[contact->shape_a]},
        .shape_b = {contact->shape_b, world->shape_generations[contact->shape_b]},
        .body_a = {body_a, world->body_generations[body_a]},
        .body_b = {body_b, world->body_generations[body_b]},
        .point_count = contact->point_count,
    };
    // j = sigma lambda, so lambda = j / sigma, with sigma = 1/mA + 1/mB and no share of a body without mass.
    const iso_wide reduced = iso__reduced_mass(plane->body_derived[body_a].mass, plane->body_derived[body_b].mass);
    for (uint32_t p = 0; p < contact->point_count; ++p) {
        view->normal_impulse[p] = iso_wide_mul(reduced, iso__shl64(contact->normal_impulse[p], 13));
        view->tangent_impulse[p] = iso_wide_mul(reduced, iso__shl64(contact->tangent_impulse[p], 13));
    }
    return true;
}
