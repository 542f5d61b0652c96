/// The worlds of the cases `mechanics3` and `contacts3`: what the other scenes in space with roots do not have. The
/// first has contacts of every pair of shapes and a joint of every kind: bodies of all shapes fall on a floor and on
/// each other; half of them may sleep. The second has a game that decides about contacts (golden_game3.h).
#ifndef ISO_GOLDEN_MECHANICS3_H
#define ISO_GOLDEN_MECHANICS3_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_game3.h"
#include "isostep/isostep.h"

#define MECHANICS3_BODIES 48u

static inline void mechanics3_expect(iso_status status, const char *what) {
    if (status != ISO_OK) {
        fprintf(stderr, "golden_make: a world in space: %s: %s\n", what, iso_status_text(status));
        exit(1);
    }
}

/// A sphere, a box, a capsule or a hull of half a metre.
static inline iso_shape3_def mechanics3_shape(uint32_t number) {
    static const iso_vec3 points[] = {{39322, 0, 0},    {-32768, 6554, 0}, {0, 39322, 0},        {0, -26214, 13107},
                                      {6554, 0, 32768}, {0, 6554, -39322}, {19661, 19661, 19661}};
    switch (number % 4) {
    case 0:
        return iso_shape3_def_sphere(30000);
    case 1:
        return iso_shape3_def_box(30000, 20000, 25000);
    case 2:
        return iso_shape3_def_capsule((iso_vec3){0, -30000, 0}, (iso_vec3){0, 30000, 0}, 15000);
    default:
        return iso_shape3_def_hull(points, sizeof points / sizeof points[0]);
    }
}

static inline iso_body_id mechanics3_add(iso_world *world, const iso_body3_def *def, const iso_shape3_def *shape) {
    iso_body_id body;
    iso_shape_id id;
    mechanics3_expect(iso_body3_create(world, def, &body), "a body");
    mechanics3_expect(iso_shape3_create(world, body, shape, &id), "a shape");
    return body;
}

/// Bodies near each other. TARGET pulls one to a point of the world.
static inline void mechanics3_connect(iso_world *world, uint8_t kind, iso_body_id a, iso_body_id b) {
    iso_joint_id joint;
    iso_joint3_def def = iso_joint3_def_default(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.anchor.x = 30000;
    def.frame_b.anchor.x = -30000;
    if (kind == ISO_JOINT3_DISTANCE) {
        def.axes[0].rest = ISO_FIX16_ONE;
    } else if (kind == ISO_JOINT3_MOTOR) {
        def.hertz = 2 * ISO_FIX16_ONE;
        def.force_max = def.torque_max = 500 * ISO_WIDE_ONE;
    } else if (kind == ISO_JOINT3_TARGET) {
        def.body_a = (iso_body_id){0, 0};
        def.frame_a.anchor.x = 0;
        def.target = (iso_vec3_wide){ISO_WIDE_ONE, 8 * ISO_WIDE_ONE, 0};
        def.hertz = 2 * ISO_FIX16_ONE;
        def.force_max = 2000 * ISO_WIDE_ONE;
    }
    mechanics3_expect(iso_joint3_create(world, &def, &joint), "a joint");
}

/// @return a world that lives as long as the program
static inline iso_world *mechanics3_make(void) {
    iso_body_id bodies[MECHANICS3_BODIES];
    iso_world_def limits = iso_world_def_default();
    limits.dimensions = 3;
    limits.body_capacity = limits.shape_capacity = 64;
    limits.joint_capacity = 16;
    limits.contact_capacity = 1024;
    const size_t size = iso_world_size(&limits, NULL);
    iso_world *world = NULL;
    mechanics3_expect(iso_world_create(&limits, NULL, aligned_alloc(64, size), size, &world), "the world");
    iso_body3_def def = iso_body3_def_default();
    def.type = ISO_BODY_STATIC;
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ISO_FIX16_ONE, 0}, 0);
    mechanics3_add(world, &def, &floor);
    for (uint32_t i = 0; i < MECHANICS3_BODIES; ++i) {
        const int32_t n = (int32_t)i;
        const iso_shape3_def shape = mechanics3_shape(i);
        def = iso_body3_def_default();
        def.position =
            iso_vec3_to_wide((iso_vec3){n % 3 * ISO_FIX16_ONE + 500 * n, (n / 3 + 1) * 75000, n % 4 * 50000});
        def.angular_velocity.x = n * ISO_WIDE_ONE / 16;
        def.params.sleep_enabled = i % 2 != 0;
        bodies[i] = mechanics3_add(world, &def, &shape);
    }
#define MECHANICS3_CONNECT(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    mechanics3_connect(world, (number), bodies[3 * (number)], bodies[3 * (number) + 1]);
    ISO_JOINT3_KIND_LIST(MECHANICS3_CONNECT)
#undef MECHANICS3_CONNECT
    iso_world_start(world);
    return world;
}

/// The world of the case `contacts3`: a floor that carries, a plate over it that is open from below, ground of heights,
/// a disc that turns. @return a world that lives as long as the program
static inline iso_world *contacts3_make(void) {
    iso_world_def limits = iso_world_def_default();
    limits.dimensions = 3;
    limits.body_capacity = limits.shape_capacity = 128;
    limits.contact_capacity = 512;
    limits.joint_capacity = 4;
    limits.contact_point_limit = 48;
    memcpy(limits.game, golden_game3.name, strlen(golden_game3.name));
    const size_t size = iso_world_size(&limits, &golden_game3);
    iso_world *world = NULL;
    mechanics3_expect(iso_world_create(&limits, &golden_game3, aligned_alloc(64, size), size, &world), "the world");
    int16_t samples[49];
    for (int i = 0; i < 49; ++i) {
        samples[i] = (int16_t)(i * i % 11 - 20);
    }
    uint32_t heights = 0;
    const iso_heights_def ground = {samples, 7, 7, ISO_FIX16_ONE, ISO_FIX16_ONE / 32};
    mechanics3_expect(iso_world_add_heights(world, &ground, &heights), "the heights");
    const fix16_t metre = ISO_FIX16_ONE;
    const iso_shape3_def shapes[] = {iso_shape3_def_plane((iso_vec3){0, metre, 0}, -4 * metre),
                                     iso_shape3_def_box(2 * metre, metre / 8, 2 * metre),
                                     iso_shape3_def_box(metre, metre / 4, metre), iso_shape3_def_heights(heights)};
    const uint32_t tags[] = {GOLDEN3_BELT, GOLDEN3_PLATE, GOLDEN3_RUBBER, 0};
    for (int i = 0; i < 4; ++i) {
        iso_body3_def def = iso_body3_def_default();
        def.type = i == 2 ? ISO_BODY_KINEMATIC : ISO_BODY_STATIC;
        def.tag = tags[i];
        def.position.x = i * ISO_WIDE_ONE - 2 * ISO_WIDE_ONE;
        def.position.y = i == 1 ? 2 * ISO_WIDE_ONE : 0;
        def.angular_velocity.y = i == 2 ? ISO_WIDE_ONE : 0;
        mechanics3_add(world, &def, &shapes[i]);
    }
    iso_world_start(world);
    return world;
}

#endif
