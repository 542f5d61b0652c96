/// The game of the case `contacts3`: what a game may decide about contacts in space. A plate is open from below,
/// surfaces carry, bodies slide, bounce and pass; all that it is told goes into its state. Members get boxes and balls
/// until the limit of contact points takes some back. Right for any bits in its state, as a game must be.
#ifndef ISO_GOLDEN_GAME3_H
#define ISO_GOLDEN_GAME3_H

#include "isostep/isostep.h"

/// Tags of bodies.
enum { GOLDEN3_PLATE = 1, GOLDEN3_BELT, GOLDEN3_GHOST, GOLDEN3_ICE, GOLDEN3_RUBBER };

typedef struct golden3_state {
    uint64_t seen, told; // digests of what it was asked about and told
    uint32_t asked, passed;
} golden3_state;

static const iso_field GOLDEN3_FIELDS[] = {
    {"seen", "", offsetof(golden3_state, seen), 1, ISO_FIELD_U64},
    {"told", "", offsetof(golden3_state, told), 1, ISO_FIELD_U64},
    {"asked", "", offsetof(golden3_state, asked), 1, ISO_FIELD_U32},
    {"passed", "", offsetof(golden3_state, passed), 1, ISO_FIELD_U32},
};

static uint64_t golden3_mix(uint64_t digest, int64_t number) {
    digest = (digest ^ (uint64_t)number) * UINT64_C(0x9E3779B97F4A7C15);
    return digest ^ digest >> 29;
}

static void golden3_before_contact(const iso_world *world, void *state, const iso_step_contact3 *contact,
                                   iso_contact3_rules *rules) {
    golden3_state *golden = state;
    const iso_contact3_manifold *is = &contact->manifold;
    ++golden->asked;
    golden->seen = golden3_mix(golden->seen, is->normal.x ^ is->normal.z * (INT64_C(1) << 32));
    for (uint8_t p = 0; p < is->point_count; ++p) {
        golden->seen = golden3_mix(golden->seen, is->points[p].point.y);
        golden->seen = golden3_mix(golden->seen, is->points[p].approach_speed);
        golden->seen = golden3_mix(golden->seen, is->points[p].separation ^ is->points[p].normal_impulse);
    }
    for (int side = 0; side < 2; ++side) {
        iso_body3_view view;
        if (iso_body3_get(world, side ? contact->body_b : contact->body_a, &view) != ISO_OK) {
            continue;
        }
        switch (view.tag) {
        case GOLDEN3_PLATE: // what is not above it passes
            rules->is_enabled = rules->is_enabled && (side ? -(int64_t)is->normal.y : is->normal.y) > 1 << 28;
            break;
        case GOLDEN3_BELT:
            rules->surface_velocity.x = side ? -2 * ISO_FIX16_ONE : 2 * ISO_FIX16_ONE;
            rules->surface_velocity.z = 30000;
            break;
        case GOLDEN3_GHOST:
            rules->is_enabled = iso_world_get_tick(world) % 100 < 80;
            break;
        case GOLDEN3_ICE:
            rules->friction = 0;
            break;
        case GOLDEN3_RUBBER:
            rules->restitution = 52000;
            break;
        default:
            break;
        }
    }
    golden->passed += !rules->is_enabled;
}

static void golden3_after_contact(const iso_world *world, void *state, const iso_step_contact3 *contact) {
    golden3_state *golden = state;
    const iso_contact3_manifold *is = &contact->manifold;
    (void)world;
    golden->told = golden3_mix(golden->told, is->friction_impulse.x ^ is->friction_impulse.z);
    golden->told = golden3_mix(golden->told, is->twist_impulse + is->is_touching);
    for (uint8_t p = 0; p < is->point_count; ++p) {
        golden->told = golden3_mix(golden->told, contact->normal_impulse_max[p]);
        golden->told = golden3_mix(golden->told, is->points[p].normal_impulse);
    }
}

/// Every fifth tick each member gets one more.
static void golden3_before_step(iso_world *world, void *state) {
    (void)state;
    iso_slot_view slot;
    for (uint32_t s = 0; iso_world_get_tick(world) % 5 == 0 && iso_world_get_slot(world, s, &slot); ++s) {
        const fix16_t size = 20000 + (fix16_t)iso_world_random_below(world, 15000);
        iso_body3_def def = iso_body3_def_default();
        def.owner = (iso_owner){slot.generation, (uint16_t)s};
        def.tag = GOLDEN3_GHOST + iso_world_random_below(world, 8);
        def.position.x = (iso_wide)iso_world_random_below(world, 6 << 16) * 65536 - 3 * ISO_WIDE_ONE;
        def.position.y = 3 * ISO_WIDE_ONE;
        def.position.z = (iso_wide)iso_world_random_below(world, 6 << 16) * 65536 - 3 * ISO_WIDE_ONE;
        def.rotation = iso_quat_from_axis_angle((iso_vec3){1, 2, 3}, iso_world_random_below(world, 1 << 20) << 14);
        const iso_shape3_def shape = iso_world_random_below(world, 3) == 0
                                         ? iso_shape3_def_sphere(size)
                                         : iso_shape3_def_box(size, size / 2, size - 5000);
        iso_body_id body;
        iso_shape_id id;
        if (slot.is_occupied && iso_body3_create(world, &def, &body) == ISO_OK &&
            iso_shape3_create(world, body, &shape, &id) != ISO_OK) {
            iso_body_destroy(world, body);
        }
    }
}

static const iso_game golden_game3 = {
    .name = "golden3",
    .version = 1,
    .control_layout = "none",
    .control_size = 8,
    .dimensions = 8,
    .state_size = sizeof(golden3_state),
    .fields = GOLDEN3_FIELDS,
    .field_count = sizeof GOLDEN3_FIELDS / sizeof GOLDEN3_FIELDS[0],
    .before_step = golden3_before_step,
    .before_contact3 = golden3_before_contact,
    .after_contact3 = golden3_after_contact,
};

#endif
