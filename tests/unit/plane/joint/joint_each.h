/// A world with one joint of each kind, all of their parts switched on.
#ifndef TEST_JOINT_EACH_H
#define TEST_JOINT_EACH_H

#include "joint_util.h"

// The kinds that need no constraint; those that do: test_custom_joint.c, test_custom_state.c.
#define EACH_COUNT(name, number, snake, has) +(((has)&ISO_JOINT_IS_CUSTOM) == 0)
#define EACH_KINDS                           ((size_t)(0 ISO_JOINT_KIND_LIST(EACH_COUNT)))

/// The kth of these kinds, k below EACH_KINDS.
static inline uint8_t each_kind(size_t k) {
    size_t at = 0;
#define EACH_KIND(name, number, snake, has)              \
    if (((has)&ISO_JOINT_IS_CUSTOM) == 0 && at++ == k) { \
        return ISO_JOINT_##name;                         \
    }
    ISO_JOINT_KIND_LIST(EACH_KIND)
#undef EACH_KIND
    fail_msg("there are %zu kinds, not %zu", at, k + 1);
    return 0;
}

/// The bodies of one joint, A to D.
typedef struct each {
    iso_body_id bodies[4];
    iso_joint_id joint;
} each;

/// A definition of this kind that is right, with its parts on as `parts` says.
static inline iso_joint_def each_def(uint8_t kind, const iso_body_id bodies[4], bool parts) {
    const uint32_t has = iso_joint_kind_has(kind);
    iso_joint_def def =
        joint_def((iso_joint_kind)kind, (has & ISO_JOINT_HAS_BODY_A) != 0 ? bodies[0] : (iso_body_id){0, 0}, bodies[1]);
    def.body_c = (has & ISO_JOINT_HAS_BODIES_CD) != 0 ? bodies[2] : (iso_body_id){0, 0};
    def.body_d = (has & ISO_JOINT_HAS_BODIES_CD) != 0 ? bodies[3] : (iso_body_id){0, 0};
    def.limit_enabled = parts && (has & ISO_JOINT_HAS_LIMIT) != 0;
    def.motor_enabled = parts && (has & ISO_JOINT_HAS_MOTOR) != 0;
    def.spring_enabled = parts && (has & ISO_JOINT_HAS_SPRING) != 0;
    def.ratchet = ONE / 4;
    return def;
}

/// A is static or floats, B hangs beside it; a pulley has two more like them.
static inline each each_add(iso_world *world, uint8_t kind, double x, bool is_static) {
    each is;
    const iso_shape_def box = shape_box(0.4, 0.3), disc = shape_circle(0.35);
    for (int i = 0; i < 4; ++i) {
        const bool carries = i % 2 == 0;
        is.bodies[i] = body_add_shape(world, carries && is_static ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC, x + 1.2 * i,
                                      carries ? 0 : -1, 0.2 * i, carries ? &box : &disc);
        iso_body_params params = iso_body_params_default();
        params.gravity_scale = carries ? 0 : ONE;
        EXPECT_STATUS(iso_body_set_params(world, is.bodies[i], &params), ISO_OK);
    }
    iso_joint_def def = each_def(kind, is.bodies, true);
    def.anchor_a = def.anchor_c = (iso_vec2){fix(0.3), fix(-0.1)};
    def.anchor_b = def.anchor_d = (iso_vec2){fix(-0.2), fix(0.1)};
    def.axis = (iso_vec2){fix(1), fix(-2)};
    def.target = iso_vec2_to_wide((iso_vec2){fix(x), fix(1)});
    def.ratio = fix(1.5);
    def.rest = fix(1);
    def.lower = fix(0.5);
    def.upper = fix(2);
    def.reference = fix(0.3);
    def.motor_speed = fix(1.5);
    def.motor_max = wide(2);
    def.spring_hertz = fix(3);
    def.spring_damping_ratio = fix(0.3);
    is.joint = joint_add(world, &def);
    return is;
}

static inline void each_add_all(iso_world *world, each all[EACH_KINDS]) {
    for (size_t k = 0; k < EACH_KINDS; ++k) {
        all[k] = each_add(world, each_kind(k), 7.0 * (double)k - 50, k % 2);
    }
}

/// Everything that is state: the root without what caches may have kept.
static inline uint64_t each_root(iso_world *world) {
    iso_world_drop_caches(world);
    return iso_world_root(world);
}

#endif
