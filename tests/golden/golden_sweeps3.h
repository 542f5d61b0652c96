/// The world of the case `sweeps3`: bullets of every shape at fine ground of heights, at thin plates that rest, turn
/// and fall, and at each other; a wide plate whose sweep over the ground reaches its bound, which decides nothing here;
/// and bodies that are swept against what is static only.
#ifndef ISO_GOLDEN_SWEEPS3_H
#define ISO_GOLDEN_SWEEPS3_H

#include "golden_mechanics3.h"

#define SWEEPS3_GRID    97 // samples in a row of the ground, every half metre
#define SWEEPS3_BULLETS 32

/// A body that flies.
static inline void sweeps3_shoot(iso_world *world, uint32_t shape, iso_vec3 from, iso_vec3 speed, bool is_bullet) {
    iso_body3_def def = iso_body3_def_default();
    def.position = iso_vec3_to_wide(from);
    def.velocity = iso_vec3_to_wide(speed);
    def.angular_velocity.z = (int32_t)shape * ISO_WIDE_ONE;
    def.params.bullet = is_bullet;
    iso_shape3_def of = mechanics3_shape(shape);
    of.restitution = shape % 3 == 0 ? ISO_FIX16_ONE / 2 : 0;
    mechanics3_add(world, &def, &of);
}

/// Three thin plates in a row: one rests, one turns, one may fall.
static inline void sweeps3_plates(iso_world *world) {
    static const uint8_t types[] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC, ISO_BODY_DYNAMIC};
    const fix16_t metre = ISO_FIX16_ONE;
    for (int32_t i = 0; i < 3; ++i) {
        const iso_shape3_def plate = iso_shape3_def_box(metre / 64, 3 * metre, 3 * metre);
        iso_body3_def def = iso_body3_def_default();
        def.type = types[i];
        def.position = (iso_vec3_wide){(4 * i - 4) * ISO_WIDE_ONE, 6 * ISO_WIDE_ONE, 4 * i * ISO_WIDE_ONE};
        def.angular_velocity.y = i == 1 ? 3 * ISO_WIDE_ONE : 0;
        mechanics3_add(world, &def, &plate);
    }
}

static inline void sweeps3_ground(iso_world *world) {
    static int16_t samples[SWEEPS3_GRID * SWEEPS3_GRID];
    for (int i = 0; i < SWEEPS3_GRID * SWEEPS3_GRID; ++i) {
        const int x = i % SWEEPS3_GRID - SWEEPS3_GRID / 2, z = i / SWEEPS3_GRID - SWEEPS3_GRID / 2;
        samples[i] = (int16_t)(x * x / 16 + z * z / 16 + (x * 7 + z * 5) % 13);
    }
    const iso_heights_def ground = {samples, SWEEPS3_GRID, SWEEPS3_GRID, ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 32};
    uint32_t heights = 0;
    mechanics3_expect(iso_world_add_heights(world, &ground, &heights), "the heights");
    const iso_shape3_def shape = iso_shape3_def_heights(heights);
    iso_body3_def def = iso_body3_def_default();
    def.type = ISO_BODY_STATIC;
    mechanics3_add(world, &def, &shape);
}

/// @return a world that lives as long as the program
static inline iso_world *sweeps3_make(void) {
    iso_world_def limits = iso_world_def_default();
    limits.dimensions = 3;
    limits.body_capacity = limits.shape_capacity = 128;
    limits.contact_capacity = 1024;
    const size_t size = iso_world_size(&limits, NULL);
    iso_world *world = NULL;
    mechanics3_expect(iso_world_create(&limits, NULL, aligned_alloc(64, size), size, &world), "the world");
    sweeps3_ground(world);
    sweeps3_plates(world);
    const fix16_t metre = ISO_FIX16_ONE;
    for (int32_t i = 0; i < SWEEPS3_BULLETS; ++i) {
        const uint32_t shape = (uint32_t)i;
        const iso_vec3 above = {(i % 8 - 4) * 2 * metre + 1000 * i, (12 + i) * metre, (i / 8 - 2) * 3 * metre};
        sweeps3_shoot(world, shape, above, (iso_vec3){i * metre, -90 * metre, -i * metre}, i % 4 != 3);
        const iso_vec3 beside = {(i % 2 == 0 ? -16 : 16) * metre, (4 + i % 5) * metre,
                                 (i % 4 * 4 - 2) * metre + 700 * i};
        sweeps3_shoot(world, shape / 2, beside, (iso_vec3){(i % 2 == 0 ? 120 : -80) * metre, 2 * metre, i * 3000},
                      true);
    }
    iso_body3_def def = iso_body3_def_default();
    def.position = (iso_vec3_wide){-12 * ISO_WIDE_ONE, 20 * ISO_WIDE_ONE, 0};
    def.velocity = (iso_vec3_wide){60 * ISO_WIDE_ONE, -60 * ISO_WIDE_ONE, 0};
    def.params.bullet = true;
    const iso_shape3_def wide = iso_shape3_def_box(8 * metre, metre / 8, 8 * metre);
    mechanics3_add(world, &def, &wide);
    iso_world_start(world);
    return world;
}

#endif
