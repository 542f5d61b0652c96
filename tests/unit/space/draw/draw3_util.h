/// Pictures of worlds in space, and a pair of bodies with a joint of each kind.
#ifndef TEST_DRAW3_UTIL_H
#define TEST_DRAW3_UTIL_H

#include "isostep/draw3.h"
#include "unit/space/joint/joint3_util.h"

/// What the header promises of coordinates near the origin, and what a definition loses by rounding to Q15.16.
#define EXACT   3e-8
#define ROUNDED (4 / 65536.0)

#define ITEMS_MAX 128u
typedef struct picture {
    iso_draw3_item items[ITEMS_MAX];
    uint32_t count;
} picture;

/// @param shown  NULL: where the bodies are
static inline void picture_take_at(const iso_world *world, uint32_t what, iso_draw3_pose *shown, const void *user,
                                   uint64_t time, picture *is) {
    static iso_draw3 draw;
    iso_draw3_begin(&draw, world, what);
    if (shown != NULL) {
        iso_draw3_set_poses(&draw, shown, user, time);
    }
    is->count = 0;
    for (const iso_draw3_item *item; (item = iso_draw3_next(&draw)) != NULL;) {
        assert_true(is->count < ITEMS_MAX);
        is->items[is->count++] = *item;
    }
}

static inline void picture_take(const iso_world *world, uint32_t what, picture *is) {
    picture_take_at(world, what, NULL, NULL, 0, is);
}

static inline uint32_t picture_count(const picture *is, iso_draw_role role) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        count += is->items[i].role == role;
    }
    return count;
}

/// The nth item of a role from 0 on.
static inline const iso_draw3_item *picture_nth(const picture *is, iso_draw_role role, uint32_t nth) {
    for (uint32_t i = 0; i < is->count; ++i) {
        if (is->items[i].role == role && nth-- == 0) {
            return &is->items[i];
        }
    }
    fail_msg("role %d is not in the picture", (int)role);
    return NULL;
}

/// The only item of a role.
static inline const iso_draw3_item *picture_need(const picture *is, iso_draw_role role) {
    EXPECT(picture_count(is, role) == 1, "role %d is %u times in the picture", (int)role, picture_count(is, role));
    return picture_nth(is, role, 0);
}

static inline vec3 from_unit3(iso_unit3 n) {
    return (vec3){n.x / 1073741824.0, n.y / 1073741824.0, n.z / 1073741824.0};
}

static inline void expect_near3(vec3 is, vec3 wanted, double bound, const char *what) {
    EXPECT_NEAR(is.x, wanted.x, bound, "%s, x", what);
    EXPECT_NEAR(is.y, wanted.y, bound, "%s, y", what);
    EXPECT_NEAR(is.z, wanted.z, bound, "%s, z", what);
}

static inline void expect_place(iso_vec3_wide at, vec3 wanted, double bound, const char *what) {
    expect_near3(from_wide3(at), wanted, bound, what);
}

// ---- a pair of bodies ----------------------------------------------------------------------------

/// A static body and a box, both turned, and the frames that a joint of theirs has on them.
typedef struct pair {
    iso_world *world;
    iso_body_id a, b;
    vec3 places[2];
    quat turns[2], frames[2];
} pair;

static inline pair pair_make(void) {
    rng random = {11};
    pair is = {.world = space_make(0), .places = {{1, 2, -1}, {4, 2, 0.5}}};
    for (int i = 0; i < 2; ++i) {
        is.turns[i] = quat_random(&random);
        is.frames[i] = quat_random(&random);
    }
    is.a = body3_add(is.world, ISO_BODY_STATIC, is.places[0], is.turns[0]);
    is.b = body3_box(is.world, ISO_BODY_DYNAMIC, is.places[1], is.turns[1], (vec3){0.5, 0.4, 0.3});
    return is;
}

/// With all that the kind may have; anchors are the bodies' origins.
static inline iso_joint3_def pair_def(const pair *is, uint8_t kind) {
    iso_joint3_def def = iso_joint3_def_default(kind);
    def.body_a = kind == ISO_JOINT3_TARGET ? (iso_body_id){0, 0} : is->a;
    def.body_b = is->b;
    def.frame_a.rotation = quat_to(is->frames[0]);
    def.frame_b.rotation = quat_to(is->frames[1]);
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const bool has_axis = iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE;
        def.axes[n].limit_enabled = def.axes[n].motor_enabled = def.axes[n].spring_enabled = has_axis;
        if (has_axis) {
            def.axes[n].lower = fix(0.25);
            def.axes[n].upper = fix(1.25);
            def.axes[n].rest = fix(0.75);
            def.axes[n].spring_hertz = fix(1);
            def.axes[n].motor_speed = fix(1);
            def.axes[n].motor_max = ISO_WIDE_ONE;
        }
    }
    return def;
}

#endif
