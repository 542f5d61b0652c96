/// Pictures of worlds, and a pair of bodies with a joint of each kind.
#ifndef ISO_TEST_DRAW_UTIL_H
#define ISO_TEST_DRAW_UTIL_H

#include "unit/world/physics_util.h"

#define ITEMS_MAX 64u
typedef struct picture {
    iso_draw_item items[ITEMS_MAX];
    uint32_t count;
} picture;

static inline picture picture_take(const iso_world *world, uint32_t what) {
    picture is;
    iso_draw_fill(world, what, is.items, ITEMS_MAX, &is.count);
    EXPECT(is.count <= ITEMS_MAX, "%u items", is.count);
    return is;
}

/// A static body at (1, 2) turned by 0.3, and a box at (4, 2) turned by 0.5.
typedef struct pair {
    iso_world *world;
    iso_body_id a, b;
} pair;

static inline pair pair_make(void) {
    pair is = {.world = world_make_small(0)};
    const iso_shape_def box = shape_box(0.5, 0.5);
    is.a = body_add(is.world, ISO_BODY_STATIC, 1, 2, 0.3);
    is.b = body_add_shape(is.world, ISO_BODY_DYNAMIC, 4, 2, 0.5, &box);
    return is;
}

static inline iso_joint_def pair_def(const pair *is, uint8_t kind) {
    const uint32_t has = iso_joint_kind_has(kind);
    iso_joint_def def = iso_joint_def_default();
    def.kind = kind;
    def.body_a = (has & ISO_JOINT_HAS_BODY_A) != 0 ? is->a : (iso_body_id){0, 0};
    def.body_b = is->b;
    def.body_c = (has & ISO_JOINT_HAS_BODIES_CD) != 0 ? is->a : (iso_body_id){0, 0};
    def.body_d = (has & ISO_JOINT_HAS_BODIES_CD) != 0 ? is->b : (iso_body_id){0, 0};
    def.ratchet = (has & ISO_JOINT_HAS_RATCHET) != 0 ? fix(0.5) : 0;
    def.limit_enabled = (has & ISO_JOINT_HAS_LIMIT) != 0;
    def.motor_enabled = (has & ISO_JOINT_HAS_MOTOR) != 0;
    def.spring_enabled = (has & ISO_JOINT_HAS_SPRING) != 0;
    def.spring_hertz = ONE;
    def.lower = def.limit_enabled ? fix(0.25) : 0;
    def.upper = def.limit_enabled ? fix(1.25) : 0;
    def.rest = fix(0.75);
    def.motor_speed = def.motor_enabled ? ONE : 0;
    def.motor_max = def.motor_enabled ? ISO_WIDE_ONE : 0;
    return def;
}

#endif
