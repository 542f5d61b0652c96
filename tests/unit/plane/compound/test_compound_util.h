/// A blueprint with everything in it: bodies off their centres of mass, one without shapes, an own mass, joints of two
/// bodies and of one.
#ifndef TEST_COMPOUND_UTIL_H
#define TEST_COMPOUND_UTIL_H

#include "unit/command/test_command_util.h"

#define DOLL_BODIES 4u
#define DOLL_SHAPES 4u
#define DOLL_JOINTS 3u

typedef struct doll {
    iso_blueprint_body bodies[DOLL_BODIES];
    iso_shape_def shapes[DOLL_SHAPES - 1]; // two bodies share one
    iso_joint_def joints[DOLL_JOINTS];
    iso_blueprint_def def;
} doll;

static inline iso_vec2_wide doll_place(int32_t x, int32_t y) {
    return (iso_vec2_wide){x * ISO_WIDE_ONE / 100, y * ISO_WIDE_ONE / 100};
}

/// Torso, head, arm, and a point without a shape; the members of `doll` refer to each other, so it stays where it is.
static inline void doll_make(doll *d, const char *name) {
    memset(d, 0, sizeof *d);
    d->shapes[0] = iso_shape_def_box(METRE / 4, METRE / 2);
    d->shapes[1] = iso_shape_def_circle(METRE / 4);
    d->shapes[1].points[0] = (iso_vec2){METRE / 8, METRE / 16}; // off the origin
    d->shapes[2] = iso_shape_def_box(METRE / 8, METRE / 8);
    const uint32_t firsts[DOLL_BODIES] = {0, 1, 1, 0}, counts[DOLL_BODIES] = {1, 1, 2, 0};
    for (uint32_t i = 0; i < DOLL_BODIES; ++i) {
        d->bodies[i] = (iso_blueprint_body){iso_body_def_default(), 0, 0, firsts[i], counts[i]};
        d->bodies[i].def.tag = 100 + i;
    }
    d->bodies[0].def.position = doll_place(10, 20);
    d->bodies[0].def.angle = ISO_WIDE_ONE / 3;
    d->bodies[1].def.position = doll_place(10, 125);
    d->bodies[1].def.velocity = (iso_vec2_wide){0, ISO_WIDE_ONE};
    d->bodies[1].def.params.linear_damping = METRE / 2;
    d->bodies[2].def.position = doll_place(-80, 50);
    d->bodies[2].def.angle = -5 * ISO_WIDE_ONE;
    d->bodies[2].mass = 7 * ISO_WIDE_ONE;
    d->bodies[3].def.position = doll_place(300, -40);
    for (uint32_t i = 0; i < DOLL_JOINTS; ++i) {
        d->joints[i] = iso_joint_def_default();
        d->joints[i].body_a = (iso_body_id){0, 1};
        d->joints[i].body_b = (iso_body_id){i + 1, 1};
    }
    d->joints[0].anchor_a = (iso_vec2){0, METRE / 2};
    d->joints[0].anchor_b = (iso_vec2){0, -METRE / 2};
    d->joints[1].kind = ISO_JOINT_DISTANCE;
    d->joints[1].rest = METRE;
    d->joints[2].kind = ISO_JOINT_TARGET;
    d->joints[2].body_a = (iso_body_id){0, 0};
    d->joints[2].target = (iso_vec2_wide){4 * ISO_WIDE_ONE, -ISO_WIDE_ONE};
    d->joints[2].force_max = 10 * ISO_WIDE_ONE;
    d->def = (iso_blueprint_def){name, d->bodies, DOLL_BODIES, d->shapes, DOLL_SHAPES - 1, d->joints, DOLL_JOINTS};
}

/// Adds the blueprint of this name. @return its index
static inline uint32_t doll_add(iso_world *world, const char *name) {
    doll d;
    uint32_t index = UINT32_MAX;
    doll_make(&d, name);
    assert_int_equal(iso_world_add_blueprint(world, &d.def, &index), ISO_OK);
    return index;
}

/// The lively world with the blueprint in it. Members are in the slots 0 and 2.
static inline iso_world *doll_world(const iso_game *game) {
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, game);
    util_world_fill(world);
    doll_add(world, "doll");
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 0);
    change(world, ISO_CHANGE_JOIN, 2);
    return world;
}

static inline iso_compound_def doll_at(int32_t x, int32_t y, iso_wide angle) {
    iso_compound_def def = iso_compound_def_default();
    def.position = (iso_vec2_wide){x * ISO_WIDE_ONE, y * ISO_WIDE_ONE};
    def.angle = angle;
    return def;
}

static inline iso_compound_id doll_create(iso_world *world, const iso_compound_def *def) {
    iso_compound_id compound = {0, 0};
    assert_int_equal(iso_compound_create(world, def, &compound), ISO_OK);
    return compound;
}

static inline iso_body_view doll_part(const iso_world *world, iso_compound_id compound, uint32_t part) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_compound_find_body(world, compound, part), &view), ISO_OK);
    return view;
}

static inline iso_command spawn_compound(uint32_t blueprint, int32_t x, int32_t y) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SPAWN_COMPOUND;
    c.as.spawn_compound.blueprint = blueprint;
    c.as.spawn_compound.position = (iso_vec2_wide){x * ISO_WIDE_ONE, y * ISO_WIDE_ONE};
    c.as.spawn_compound.tag = 55;
    return c;
}

#endif
