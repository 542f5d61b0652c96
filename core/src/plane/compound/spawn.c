/// Makes compounds from blueprints, all of one or nothing.
///
/// Parts are created one after the other. Until the last one is there nothing else in the world has changed: shapes
/// wake what they are near only then. So what was made can be taken away without a trace.
#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/compound/blueprint.h"
#include "plane/compound/frame.h"
#include "plane/joint/joint.h"
#include "plane/world/body.h"
#include "plane/world/compound.h"
#include "plane/world/shape.h"
#include "plane/world/spin.h"
#include "plane/world/wake.h"
#include "world/slots.h"

/// What has been made, by number in the blueprint.
typedef struct spawn_parts {
    iso_body_id bodies[ISO_BLUEPRINT_PARTS_MAX];
    uint32_t shapes[ISO_BLUEPRINT_PARTS_MAX], joints[ISO_BLUEPRINT_PARTS_MAX]; // indices
    uint32_t body_count, shape_count, joint_count;
} spawn_parts;

/// Where and how the compound is to be.
typedef struct spawn_place {
    const iso_compound_def *def;
    int64_t turns;
    iso_rotation rotation;
} spawn_place;

iso_compound_def iso_compound_def_default(void) {
    return (iso_compound_def){.owner = {0, ISO_OWNER_NOBODY}};
}

/// Removes parts as if they had never been created: generations and counts go back, too.
static void spawn_undo(iso_world *world, const spawn_parts *parts, const iso__globals *before) {
    for (uint32_t i = 0; i < parts->body_count; ++i) {
        const iso_status status = iso_body_destroy(world, parts->bodies[i]);
        ISO_ASSERT(status == ISO_OK);
        world->body_generations[parts->bodies[i].index] -= 2;
    }
    for (uint32_t i = 0; i < parts->shape_count; ++i) {
        world->shape_generations[parts->shapes[i]] -= 2;
    }
    for (uint32_t i = 0; i < parts->joint_count; ++i) {
        world->joint_generations[parts->joints[i]] -= 2;
    }
    *world->globals = *before;
}

/// The velocity of a point of the compound as of a rigid body: v + w x r.
/// @param arm  [m] from the compound's origin, within 60,000
static iso_vec2_wide spawn_velocity(const spawn_place *place, iso_vec2_wide arm) {
    const iso_wide w = place->def->angular_velocity;
    return (iso_vec2_wide){iso_wide_sub(place->def->velocity.x, iso_wide_mul(w, arm.y)),
                           iso_wide_add(place->def->velocity.y, iso_wide_mul(w, arm.x))};
}

static iso_status spawn_body(iso_world *world, const spawn_place *place, const iso__plane_body *part,
                             spawn_parts *parts) {
    iso_blueprint_body body;
    iso__plane_blueprint_read_body(part, &body);
    iso_body_def *def = &body.def;
    const iso_vec2_wide arm = iso__plane_frame_turn(place->rotation, def->position);
    def->position = (iso_vec2_wide){place->def->position.x + arm.x, place->def->position.y + arm.y};
    def->angle = iso_radians_from_turns(iso__add64(place->turns, part->angle));
    def->owner = place->def->owner;
    if (def->type != ISO_BODY_STATIC) {
        const iso_vec2_wide own = iso__plane_frame_turn(place->rotation, def->velocity);
        const iso_vec2_wide given = spawn_velocity(place, arm);
        def->velocity = (iso_vec2_wide){iso_wide_add(own.x, given.x), iso_wide_add(own.y, given.y)};
        def->angular_velocity = iso_wide_add(def->angular_velocity, place->def->angular_velocity);
    }
    const iso_status status = iso_body_create(world, def, &parts->bodies[parts->body_count]);
    parts->body_count += status == ISO_OK;
    return status;
}

static iso_status spawn_joint(iso__plane *plane, const spawn_place *place, const iso__plane_blueprint *blueprint,
                              const iso__plane_blueprint_joint *part, spawn_parts *parts) {
    iso_joint_def def;
    iso__plane_blueprint_read_joint(blueprint, part, &def);
    iso_body_id *const bodies[] = {&def.body_a, &def.body_b, &def.body_c, &def.body_d};
    for (uint32_t i = 0; i < 4; ++i) {
        *bodies[i] = bodies[i]->generation != 0 ? parts->bodies[bodies[i]->index] : *bodies[i];
    }
    if ((iso_joint_kind_has(def.kind) & ISO_JOINT_HAS_TARGET) != 0) {
        const iso_vec2_wide target = iso__plane_frame_turn(place->rotation, def.target);
        def.target = (iso_vec2_wide){place->def->position.x + target.x, place->def->position.y + target.y};
    }
    def.owner = place->def->owner;
    iso_joint_id joint;
    iso_status status = iso__plane_joint_motor_check(plane, &def);
    status = status == ISO_OK ? iso_joint_create(&plane->world, &def, &joint) : status;
    if (status == ISO_OK) {
        parts->joints[parts->joint_count++] = joint.index;
    }
    return status;
}

/// Creates the parts in the order of the blueprint. @return the first error; *parts has those that were created
static iso_status spawn_parts_make(iso__plane *plane, const iso__plane_blueprint *blueprint, const spawn_place *place,
                                   spawn_parts *parts) {
    const iso__plane_body *bodies = &plane->blueprint_bodies[blueprint->body_first];
    iso_status status = ISO_OK;
    for (uint32_t i = 0; i < blueprint->body_count && status == ISO_OK; ++i) {
        status = spawn_body(&plane->world, place, &bodies[i], parts);
    }
    for (uint32_t i = 0; i < blueprint->shape_count && status == ISO_OK; ++i) {
        const iso__plane_shape *part = &plane->blueprint_shapes[blueprint->shape_first + i];
        iso_shape_def def;
        iso_shape_id shape;
        iso__plane_shape_read_record(part, &def);
        status = iso__plane_shape_add(plane, parts->bodies[part->body - blueprint->body_first], &def, &shape);
        if (status == ISO_OK) {
            parts->shapes[parts->shape_count++] = shape.index;
        }
    }
    for (uint32_t i = 0; i < blueprint->body_count && status == ISO_OK; ++i) {
        if (bodies[i].mass != 0 || bodies[i].inertia != 0) {
            status = iso_body_set_mass(&plane->world, parts->bodies[i], bodies[i].mass, bodies[i].inertia);
        }
    }
    for (uint32_t i = 0; i < blueprint->body_count && status == ISO_OK; ++i) {
        const iso_wide own = iso__plane_angular_velocity_from_spin(bodies[i].spin, 0);
        const iso_wide wanted = iso_wide_add(own, place->def->angular_velocity);
        status = iso__plane_body_can_turn(plane, parts->bodies[i].index, wanted) ? ISO_OK : ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < blueprint->joint_count && status == ISO_OK; ++i) {
        status = spawn_joint(plane, place, blueprint, &plane->blueprint_joints[blueprint->joint_first + i], parts);
    }
    return status;
}

/// Makes the parts a compound.
/// @return its index; UINT32_MAX: there is no room for it
static uint32_t spawn_bind(iso__plane *plane, const iso_compound_def *def, const spawn_parts *parts) {
    uint32_t used = plane->world.globals->compound_count;
    const uint32_t index = iso__slot_take(&plane->world.compound_map, plane->world.compound_generations,
                                          iso__compound_capacity(&plane->world.def), &used);
    if (index == UINT32_MAX) {
        return index;
    }
    plane->world.globals->compound_count = (uint16_t)used;
    plane->compounds[index] = (iso__plane_compound){
        .blueprint = def->blueprint + 1,
        .tag = def->tag,
        .owner_generation = def->owner.generation,
        .owner_slot = def->owner.slot,
    };
    for (uint32_t i = 0; i < parts->body_count; ++i) {
        plane->bodies[parts->bodies[i].index].compound = index + 1;
        plane->bodies[parts->bodies[i].index].part = i;
    }
    for (uint32_t i = 0; i < parts->joint_count; ++i) {
        plane->joints[parts->joints[i]].compound = index + 1;
        plane->joints[parts->joints[i]].part = i;
    }
    iso__mark_dirty(&plane->world, ISO_SECTION_COMPOUNDS, index);
    iso__mark_section_dirty(&plane->world, ISO_SECTION_GENERATIONS);
    return index;
}

iso_status iso_compound_create(iso_world *world, const iso_compound_def *def, iso_compound_id *compound) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (def->blueprint >= world->globals->blueprint_count) {
        return ISO_ERR_STALE;
    }
    if (!iso__owner_is_valid(def->owner) || !iso__plane_body_place_is_valid(def->position) ||
        !iso__plane_body_speed_is_valid(def->velocity) ||
        iso__abs_u64(def->angular_velocity) > (uint64_t)ISO_SPEED_MAX_M_S * ISO_WIDE_ONE) {
        return ISO_ERR_RANGE;
    }
    const int64_t turns = iso_turns_from_radians(def->angle);
    const spawn_place place = {def, turns, iso_rotation_make((uint32_t)(uint64_t)turns)};
    const iso__globals before = *world->globals;
    spawn_parts parts;
    parts.body_count = parts.shape_count = parts.joint_count = 0;
    iso_status status = spawn_parts_make(plane, &plane->blueprints[def->blueprint], &place, &parts);
    const uint32_t index = status == ISO_OK ? spawn_bind(plane, def, &parts) : UINT32_MAX;
    if (index == UINT32_MAX) {
        spawn_undo(world, &parts, &before);
        return status == ISO_OK ? ISO_ERR_CAPACITY : status;
    }
    for (uint32_t i = 0; i < parts.shape_count; ++i) {
        iso__plane_shape_wake_near(plane, parts.shapes[i]);
    }
    *compound = (iso_compound_id){index, world->compound_generations[index]};
    return ISO_OK;
}

// ---- blueprints ----------------------------------------------------------------------------------

/// Writes a definition behind the world's blueprints, where nothing is read before the counts rise.
static iso_status add_write(iso__plane *plane, const iso_blueprint_def *def, iso__plane_blueprint *blueprint) {
    const uint32_t index = plane->world.globals->blueprint_count, room = iso__blueprint_capacity(&plane->world.def);
    iso_status status = ISO_OK;
    for (uint32_t i = 0; i < def->body_count && status == ISO_OK; ++i) {
        const iso_blueprint_body *body = &def->bodies[i];
        status = iso__plane_blueprint_write_body(body, &plane->blueprint_bodies[blueprint->body_first + i]);
        if (body->shape_first > def->shape_count || body->shape_count > def->shape_count - body->shape_first ||
            body->shape_count > ISO_BLUEPRINT_PARTS_MAX - blueprint->shape_count) {
            return ISO_ERR_RANGE;
        }
        for (uint32_t s = 0; s < body->shape_count && status == ISO_OK; ++s) {
            const uint32_t at = blueprint->shape_first + blueprint->shape_count++;
            status = at < room
                         ? iso__plane_blueprint_write_shape(&def->shapes[body->shape_first + s],
                                                            blueprint->body_first + i, &plane->blueprint_shapes[at])
                         : ISO_ERR_CAPACITY;
        }
    }
    for (uint32_t i = 0; i < def->joint_count && status == ISO_OK; ++i) {
        status = iso__plane_blueprint_write_joint(&def->joints[i], blueprint, index,
                                                  &plane->blueprint_joints[blueprint->joint_first + i]);
    }
    return status;
}

/// Clears what add_write wrote and could not be added.
static void add_clear(iso__plane *plane) {
    const iso__globals *globals = plane->world.globals;
    const uint32_t room = iso__blueprint_capacity(&plane->world.def);
    for (uint32_t i = globals->blueprint_body_count; i < room; ++i) {
        plane->blueprint_bodies[i] = (iso__plane_body){0};
    }
    for (uint32_t i = globals->blueprint_shape_count; i < room; ++i) {
        plane->blueprint_shapes[i] = (iso__plane_shape){0};
    }
    for (uint32_t i = globals->blueprint_joint_count; i < room; ++i) {
        plane->blueprint_joints[i] = (iso__plane_blueprint_joint){0};
    }
    if (globals->blueprint_count < room) {
        plane->blueprints[globals->blueprint_count] = (iso__plane_blueprint){0};
    }
}

/// Whether the world has room for one compound of the last blueprint, and takes each of its parts.
static iso_status add_try(iso__plane *plane, uint32_t index) {
    iso_compound_def def = iso_compound_def_default();
    def.blueprint = index;
    const spawn_place place = {&def, 0, iso_rotation_make(0)};
    const iso__globals before = *plane->world.globals;
    spawn_parts parts;
    parts.body_count = parts.shape_count = parts.joint_count = 0;
    const iso_status status = spawn_parts_make(plane, &plane->blueprints[index], &place, &parts);
    spawn_undo(&plane->world, &parts, &before);
    return status;
}

iso_status iso_world_add_blueprint(iso_world *world, const iso_blueprint_def *def, uint32_t *index) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    iso__globals *globals = world->globals;
    const uint32_t room = iso__blueprint_capacity(&world->def);
    iso__plane_blueprint blueprint = {
        .body_first = globals->blueprint_body_count,
        .body_count = def->body_count,
        .shape_first = globals->blueprint_shape_count,
        .joint_first = globals->blueprint_joint_count,
        .joint_count = def->joint_count,
    };
    if (!iso__plane_blueprint_write_name(def->name, blueprint.name) ||
        iso_world_find_blueprint(world, def->name) != UINT32_MAX || def->body_count == 0 ||
        def->body_count > ISO_BLUEPRINT_PARTS_MAX || def->joint_count > ISO_BLUEPRINT_PARTS_MAX) {
        return ISO_ERR_RANGE;
    }
    if (def->body_count > room - blueprint.body_first || def->joint_count > room - blueprint.joint_first) {
        return ISO_ERR_CAPACITY;
    }
    const iso__globals before = *globals;
    const uint32_t added = globals->blueprint_count;
    iso_status status = add_write(plane, def, &blueprint);
    if (status == ISO_OK) {
        plane->blueprints[added] = blueprint;
        globals->blueprint_count = (uint16_t)(added + 1);
        globals->blueprint_body_count += blueprint.body_count;
        globals->blueprint_shape_count += blueprint.shape_count;
        globals->blueprint_joint_count += blueprint.joint_count;
        status = add_try(plane, added);
    }
    if (status != ISO_OK) {
        *globals = before;
        add_clear(plane);
        return status;
    }
    *index = added;
    iso__mark_section_dirty(world, ISO_SECTION_GLOBALS);
    iso__mark_section_dirty(world, ISO_SECTION_BLUEPRINTS);
    iso__mark_section_dirty(world, ISO_SECTION_BLUEPRINT_BODIES);
    iso__mark_section_dirty(world, ISO_SECTION_BLUEPRINT_SHAPES);
    iso__mark_section_dirty(world, ISO_SECTION_BLUEPRINT_JOINTS);
    return ISO_OK;
}
