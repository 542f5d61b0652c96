/// See adopt.h.
#include "space/snapshot/adopt.h"

#include "base/assert.h"
#include "math/quat.h"
#include "space/snapshot/check.h"
#include "space/snapshot/restore.h"
#include "space/world/body_mass.h"
#include "space/world/hulls.h"
#include "space/world/own_mass.h"

/// Exchanges two records without room for a copy of all of them: the scratch of shapes is as long as the shapes.
static void adopt_exchange(iso__space_shape *a, iso__space_shape *b) {
    const iso__space_shape kept = *a;
    *a = *b;
    *b = kept;
}

/// Puts the snapshot's shapes into the world, those that were there into the scratch.
static void adopt_stage_shapes(iso__space *space, const iso__snapshot *snapshot) {
    const uint32_t old_count = space->world.globals->shape_count, new_count = snapshot->globals.shape_count;
    size_t at = 0;
    for (uint32_t i = 0; i < new_count || i < old_count; ++i) {
        iso__space_shape *kept = &space->staged_shapes[i];
        *kept = (iso__space_shape){0};
        if (i < new_count) {
            at += iso__space_snapshot_read_shape(snapshot->parts[ISO_SECTION_SHAPES] + at, snapshot->variable_size - at,
                                                 kept);
        }
        adopt_exchange(kept, &space->shapes[i]);
    }
}

/// Links the shapes to their bodies by ascending index.
static void adopt_link_shapes(iso__space *space, uint32_t body_count, uint32_t shape_count) {
    for (uint32_t i = 0; i < body_count; ++i) {
        space->body_derived[i].first_shape = UINT32_MAX;
    }
    for (uint32_t i = shape_count; i-- > 0;) {
        if (space->shapes[i].kind != 0) {
            uint32_t *first = &space->body_derived[space->shapes[i].body].first_shape;
            space->shape_derived[i].next_shape = *first;
            *first = i;
        }
    }
}

/// Derives a body from the shapes that are in the world, and makes their hulls.
static iso_status adopt_derive_body(iso__space *space, uint32_t index, const iso__space_body *body,
                                    const iso__space_own_mass *own) {
    static const int32_t origin[3] = {0, 0, 0};
    iso__space_body_derived derived = {.first_shape = space->body_derived[index].first_shape};
    if (body->type != 0) {
        for (uint32_t i = derived.first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
            if (space->shapes[i].kind == ISO_SHAPE3_HULL) {
                iso__space_hulls_make(space, i, origin);
            }
        }
        const iso_status status = iso__space_body_derive(space, body, own, origin, &derived);
        if (status != ISO_OK) {
            return status;
        }
        iso__space_hulls_move(space, derived.first_shape, origin, derived.local_centre);
        iso__quat_matrix(body->rotation, derived.rotation);
    }
    space->body_derived[index] = derived;
    return ISO_OK;
}

/// No body spins faster than the world allows; how it is turned is rounded after that was so, which is the more of a
/// spin the thinner the body is.
static bool adopt_is_slow(const iso_world_def *def, const iso__space_body_derived *derived, iso__space_body body) {
    const int32_t most = iso__space_body_spin_max(def, derived->radius_exponent);
    return !iso__space_body_limit_spin(most + (most >> 10) + 2, &body, derived);
}

/// What is locked does not turn: the momentum is one of what its locks let it do.
static bool adopt_is_locked(const iso__space_body_derived *derived, const iso__space_body *body) {
    iso__space_body locked = *body;
    iso__space_body_lock(&locked, derived);
    const uint64_t slack = derived->gyrations[0] != 0 ? UINT64_C(1) << 28 : 0; // 2^-12 m/s: the axes are rounded, too
    bool is_right = true;
    for (int axis = 0; axis < 3; ++axis) {
        is_right = is_right && iso__abs_u64(locked.momentum[axis] - body->momentum[axis]) <= slack;
    }
    return is_right;
}

/// A spin in the place of a momentum has the bits of one.
static bool adopt_is_spin(const iso__space_body_derived *derived, const iso__space_body *body) {
    const int64_t bits = body->momentum[0] | body->momentum[1] | body->momentum[2];
    return derived->gyrations[0] != 0 || (bits & ((INT64_C(1) << 21) - 1)) == 0;
}

static bool adopt_may_turn(const iso__space *space, uint32_t index, const iso__space_body *body) {
    const iso__space_body_derived *derived = &space->body_derived[index];
    return body->type == 0 || (adopt_is_slow(&space->world.def, derived, *body) && adopt_is_locked(derived, body) &&
                               adopt_is_spin(derived, body));
}

/// What a body has of its own. Its record is the next one if it has one, since they are in the order of the bodies.
static iso__space_own_mass adopt_read_own_mass(const iso__snapshot *snapshot, uint32_t body, uint32_t *next) {
    iso__space_own_mass own = {.body = UINT32_MAX};
    if (*next < snapshot->globals.own_mass_count) {
        iso__snapshot_read(snapshot, ISO_SECTION_OWN_MASSES, *next, &own);
    }
    if (own.body != body) {
        return (iso__space_own_mass){.body = body};
    }
    *next += 1;
    return own;
}

static iso_status adopt_check_staged(iso__space *space, const iso__snapshot *snapshot) {
    uint32_t next_own = 0;
    adopt_link_shapes(space, snapshot->globals.body_count, snapshot->globals.shape_count);
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        iso__space_body body;
        iso__snapshot_read(snapshot, ISO_SECTION_BODIES, i, &body);
        const iso__space_own_mass own = adopt_read_own_mass(snapshot, i, &next_own);
        if (adopt_derive_body(space, i, &body, &own) != ISO_OK || !adopt_may_turn(space, i, &body)) {
            return ISO_ERR_CORRUPT;
        }
    }
    return iso__space_snapshot_check_contacts(space, snapshot);
}

/// The state from before again.
static void adopt_undo(iso__space *space, const iso__snapshot *snapshot) {
    const iso__globals *globals = space->world.globals;
    for (uint32_t i = 0; i < globals->shape_count || i < snapshot->globals.shape_count; ++i) {
        adopt_exchange(&space->staged_shapes[i], &space->shapes[i]);
    }
    const uint32_t bodies =
        globals->body_count > snapshot->globals.body_count ? globals->body_count : snapshot->globals.body_count;
    adopt_link_shapes(space, bodies, globals->shape_count);
    for (uint32_t i = 0; i < globals->body_count; ++i) {
        const iso__space_own_mass own = iso__space_own_mass_of(space, i);
        const iso_status status = adopt_derive_body(space, i, &space->bodies[i], &own);
        ISO_ASSERT(status == ISO_OK);
        iso__space_body_derive_shapes(space, i);
    }
}

static void adopt_records(iso__space *space, const iso__snapshot *snapshot) {
    iso_world *world = &space->world;
    const iso__kernel *kernel = snapshot->kernel;
    const uint8_t *const *parts = snapshot->parts;
    const iso__globals *globals = &snapshot->globals;
    iso__space_clear(world, globals);
    *world->globals = *globals;
    iso__snapshot_read_records(kernel, ISO_SECTION_SLOTS, parts[ISO_SECTION_SLOTS], world->slots,
                               world->def.slot_capacity);
    iso__snapshot_read_records(kernel, ISO_SECTION_BODIES, parts[ISO_SECTION_BODIES], space->bodies,
                               globals->body_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_JOINTS, parts[ISO_SECTION_JOINTS], space->joints,
                               globals->joint_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_PROGRAMS, parts[ISO_SECTION_PROGRAMS], world->programs,
                               globals->program_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_CUSTOM_JOINTS, parts[ISO_SECTION_CUSTOM_JOINTS],
                               space->custom_joints, globals->custom_joint_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_CONTACTS, parts[ISO_SECTION_CONTACTS], space->contacts,
                               globals->contact_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_OWN_MASSES, parts[ISO_SECTION_OWN_MASSES], space->own_masses,
                               globals->own_mass_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_HEIGHTS, parts[ISO_SECTION_HEIGHTS], space->heights,
                               globals->height_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_HEIGHT_SAMPLES, parts[ISO_SECTION_HEIGHT_SAMPLES],
                               space->height_blocks, globals->height_block_count);
    const uint8_t *at = parts[ISO_SECTION_GENERATIONS];
    at += iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, world->body_generations, globals->body_count);
    at +=
        iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, world->shape_generations, globals->shape_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, world->joint_generations, globals->joint_count);
    iso__space_arrive(world);
}

iso_status iso__space_snapshot_adopt(iso_world *world, const iso__snapshot *snapshot) {
    iso__space *space = iso__space_of(world);
    adopt_stage_shapes(space, snapshot);
    const iso_status status = adopt_check_staged(space, snapshot);
    if (status != ISO_OK) {
        adopt_undo(space, snapshot);
        return status;
    }
    adopt_records(space, snapshot);
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        iso__space_body_derive_shapes(space, i);
    }
    world->kernel->drop_caches(world);
    return ISO_OK;
}
