/// See wake.h.
#include "plane/world/wake.h"

#include "plane/world/geometry.h"
#include "plane/world/joint.h"

void iso__plane_body_refresh_awake(iso__plane *plane, uint32_t body) {
    const iso__plane_body *record = &plane->bodies[body];
    iso__awake_note(&plane->world, body, record->type, (record->flags & ISO__PLANE_BODY_ASLEEP) != 0);
}

void iso__plane_body_wake(iso_world *world, uint32_t body) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_body *record = &plane->bodies[body];
    // The island of a dynamic body that is awake is awake as a whole: a player's ball, pushed at each tick, wakes
    // nothing.
    const bool is_asleep = (record->flags & ISO__PLANE_BODY_ASLEEP) != 0;
    world->wakes_islands = world->wakes_islands || is_asleep || record->type != ISO_BODY_DYNAMIC;
    if (is_asleep) {
        record->flags &= (uint8_t)~ISO__PLANE_BODY_ASLEEP;
        iso__plane_body_refresh_awake(plane, body);
        iso__bit_set(world->woken, body);
        iso__mark_dirty(world, ISO_SECTION_BODIES, body);
    } else if (record->quiet_ticks != 0) {
        iso__plane_body_restart_quiet(record);
        iso__mark_dirty(world, ISO_SECTION_BODIES, body);
    }
}

void iso__plane_joint_wake(iso_world *world, const iso__plane_joint *joint) {
    const uint32_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
    for (uint32_t i = 0; i < 4; ++i) {
        if (bodies[i] != ISO__WORLD_BODY) {
            iso__plane_body_wake(world, bodies[i]);
        }
    }
}

void iso__plane_body_wake_neighbours(iso__plane *plane, uint32_t body) {
    for (uint32_t i = 0; i < plane->world.globals->contact_count; ++i) {
        const uint32_t a = plane->shapes[plane->contacts[i].shape_a].body,
                       b = plane->shapes[plane->contacts[i].shape_b].body;
        if (a == body || b == body) {
            iso__plane_body_wake(&plane->world, a == body ? b : a);
        }
    }
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        const iso__plane_joint *joint = &plane->joints[i];
        if (joint->kind != 0 && iso__plane_joint_has_body(joint, body)) {
            iso__plane_joint_wake(&plane->world, joint);
        }
    }
}

static bool body_overlaps(const iso__plane *plane, uint32_t body, const iso__plane_box *box, int32_t growth) {
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        const iso__plane_box other = iso__plane_shape_box(plane, i, growth);
        if (iso__plane_box_overlaps(box, &other)) {
            return true;
        }
    }
    return false;
}

void iso__plane_shape_wake_near(iso__plane *plane, uint32_t shape) {
    if (plane->world.asleep_count == 0) {
        return; // as while a world is built, of however many shapes
    }
    if (plane->bodies[plane->shapes[shape].body].type == ISO_BODY_DYNAMIC) {
        return; // it is awake itself, and the step finds the bodies that it touches
    }
    const int32_t growth = iso__plane_box_growth(&plane->world.def);
    const iso__plane_box box = iso__plane_shape_box(plane, shape, growth);
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = plane->world.asleep[w]; bits != 0; bits &= bits - 1) {
            const uint32_t sleeper = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (body_overlaps(plane, sleeper, &box, growth)) {
                iso__plane_body_wake(&plane->world, sleeper);
            }
        }
    }
}
