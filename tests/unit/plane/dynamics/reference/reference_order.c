/// Which constraint is solved when: joints by index, then contacts by key, take the lowest colour that is free at
/// their dynamic bodies; contacts with a static body take theirs from the last eight. Solved by colour, in a colour
/// joints first; what found no colour comes before all.
#include "reference_world.h"

#define COLOURS        32u
#define COLOURS_SHARED 24u // below: joints and contacts of two dynamic bodies
#define NO_COLOUR      32u

static uint8_t take_colour(reference_body *a, reference_body *b, uint32_t first, uint32_t end) {
    for (uint32_t colour = first; colour < end; ++colour) {
        const uint32_t bit = UINT32_C(1) << colour;
        if ((a->is_dynamic && (a->colours & bit)) || (b->is_dynamic && (b->colours & bit))) {
            continue;
        }
        a->colours |= bit;
        b->colours |= bit;
        return (uint8_t)colour;
    }
    return NO_COLOUR;
}

void reference_build_order(reference_world *world) {
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].colours = 0;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        reference_joint *joint = &world->joints[i];
        joint->colour = take_colour(&world->bodies[joint->body_a], &world->bodies[joint->body_b], 0, COLOURS_SHARED);
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference_contact *contact = &world->contacts[i];
        reference_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
        const bool is_shared = a->is_dynamic && b->is_dynamic;
        contact->colour = is_shared ? take_colour(a, b, 0, COLOURS_SHARED) : take_colour(a, b, COLOURS_SHARED, COLOURS);
    }
    world->order_count = 0;
    for (uint32_t n = 0; n <= COLOURS; ++n) {
        const uint32_t colour = n == 0 ? NO_COLOUR : n - 1;
        for (uint32_t i = 0; i < world->joint_count; ++i) {
            if (world->joints[i].colour == colour) {
                world->order[world->order_count++] = i;
            }
        }
        for (uint32_t i = 0; i < world->contact_count; ++i) {
            if (world->contacts[i].colour == colour) {
                world->order[world->order_count++] = REFERENCE_JOINTS_MAX + i;
            }
        }
    }
}
