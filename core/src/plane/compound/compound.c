/// Compounds as a whole: where they are, moving and destroying them.
#include "isostep/compound.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "plane/compound/frame.h"
#include "plane/world/body.h"
#include "plane/world/body_mass.h"
#include "plane/world/compound.h"

#define COMPOUND_SPEED_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)

/// A pose of the blueprint in the world.
typedef struct compound_frame {
    iso_vec2_wide origin; // [m]
    int64_t turns;
} compound_frame;

/// A body's origin, whose centre and angle are given.
static iso_vec2_wide compound_body_origin(const iso__plane *plane, uint32_t body, iso_vec2_wide centre, int64_t turns) {
    const int32_t *local = plane->body_derived[body].local_centre;
    const iso_vec2_wide offset = iso__rotate_to_wide(iso_rotation_make((uint32_t)(uint64_t)turns), local[0], local[1]);
    return (iso_vec2_wide){centre.x - offset.x, centre.y - offset.y};
}

/// Where the blueprint is as seen from the compound's first body. @return false: it has none
static bool compound_find_frame(const iso__plane *plane, iso_compound_id compound, compound_frame *frame) {
    uint32_t first = UINT32_MAX;
    for (iso_body_id b = iso_compound_next_body(&plane->world, compound, 0); b.generation != 0;
         b = iso_compound_next_body(&plane->world, compound, b.index + 1)) {
        first = first == UINT32_MAX || plane->bodies[b.index].part < plane->bodies[first].part ? b.index : first;
    }
    if (first == UINT32_MAX) {
        return false;
    }
    const iso__plane_body *body = &plane->bodies[first];
    const iso__plane_blueprint *blueprint = &plane->blueprints[plane->compounds[compound.index].blueprint - 1];
    const iso__plane_body *part = &plane->blueprint_bodies[blueprint->body_first + body->part];
    const iso_vec2_wide centre = {body->position[0], body->position[1]};
    const iso_vec2_wide origin = compound_body_origin(plane, first, centre, body->angle);
    frame->turns = iso__sub64(body->angle, part->angle);
    const iso_vec2_wide arm = iso__plane_frame_turn(iso_rotation_make((uint32_t)(uint64_t)frame->turns),
                                                    (iso_vec2_wide){part->position[0], part->position[1]});
    frame->origin = (iso_vec2_wide){origin.x - arm.x, origin.y - arm.y};
    return true;
}

iso_status iso_compound_get(const iso_world *world, iso_compound_id compound, iso_compound_view *view) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__compound_is_alive(world, compound)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_compound *record = &plane->compounds[compound.index];
    *view = (iso_compound_view){
        .blueprint = record->blueprint - 1,
        .tag = record->tag,
        .owner = {record->owner_generation, (uint16_t)record->owner_slot},
    };
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        view->body_count += plane->bodies[i].compound == compound.index + 1;
    }
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        view->joint_count += plane->joints[i].compound == compound.index + 1;
    }
    compound_frame frame;
    if (compound_find_frame(plane, compound, &frame)) {
        view->position = frame.origin;
        view->angle = iso_radians_from_turns(frame.turns);
    }
    return ISO_OK;
}

iso_status iso_compound_destroy(iso_world *world, iso_compound_id compound) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    if (!iso__compound_is_alive(world, compound)) {
        return ISO_ERR_STALE;
    }
    for (iso_body_id b = iso_compound_next_body(world, compound, 0); b.generation != 0;
         b = iso_compound_next_body(world, compound, b.index + 1)) {
        iso_body_destroy(world, b);
    }
    // Joints without one of its bodies, if there are any. The last part ends the compound.
    for (iso_joint_id j = iso_compound_next_joint(world, compound, 0); j.generation != 0;
         j = iso_compound_next_joint(world, compound, j.index + 1)) {
        iso_joint_destroy(world, j);
    }
    return ISO_OK;
}

/// Where a body's centre goes when the compound moves from one frame to another, turning by q.
static iso_vec2_wide compound_carry(const iso__plane_body *body, const compound_frame *from, const compound_frame *to,
                                    iso_rotation q) {
    const iso_vec2_wide arm = {body->position[0] - from->origin.x, body->position[1] - from->origin.y};
    const iso_vec2_wide turned = iso__plane_frame_turn(q, arm);
    return (iso_vec2_wide){to->origin.x + turned.x, to->origin.y + turned.y};
}

/// Turns a body's velocity; a component beyond the largest speed is clamped and counted.
static void compound_turn_velocity(iso_world *world, iso__plane_body *body, iso_rotation q) {
    const iso_vec2_wide v = iso__plane_frame_turn(q, (iso_vec2_wide){body->velocity[0], body->velocity[1]});
    const int64_t x = iso__clamp64(v.x, -COMPOUND_SPEED_MAX, COMPOUND_SPEED_MAX);
    const int64_t y = iso__clamp64(v.y, -COMPOUND_SPEED_MAX, COMPOUND_SPEED_MAX);
    world->globals->clamped_velocities += x != v.x || y != v.y;
    body->velocity[0] = (int32_t)x;
    body->velocity[1] = (int32_t)y;
    iso__plane_body_lock(body);
}

iso_status iso_compound_set_position(iso_world *world, iso_compound_id compound, iso_vec2_wide position,
                                     iso_wide angle) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__compound_is_alive(world, compound)) {
        return ISO_ERR_STALE;
    }
    compound_frame from;
    const compound_frame to = {position, iso_turns_from_radians(angle)};
    if (!compound_find_frame(plane, compound, &from)) {
        return ISO_ERR_WRONG_TYPE;
    }
    const int64_t turn = iso__sub64(to.turns, from.turns);
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turn);
    bool is_within = iso__plane_body_place_is_valid(position);
    for (iso_body_id b = iso_compound_next_body(world, compound, 0); b.generation != 0 && is_within;
         b = iso_compound_next_body(world, compound, b.index + 1)) {
        const iso_vec2_wide centre = compound_carry(&plane->bodies[b.index], &from, &to, q);
        const int64_t turns = iso__add64(plane->bodies[b.index].angle, turn);
        is_within = iso__plane_body_place_is_valid(centre) &&
                    iso__plane_body_place_is_valid(compound_body_origin(plane, b.index, centre, turns));
    }
    if (!is_within) {
        return ISO_ERR_RANGE;
    }
    for (iso_body_id b = iso_compound_next_body(world, compound, 0); b.generation != 0;
         b = iso_compound_next_body(world, compound, b.index + 1)) {
        iso__plane_body *body = &plane->bodies[b.index];
        const iso_vec2_wide centre = compound_carry(body, &from, &to, q);
        compound_turn_velocity(world, body, q);
        iso__plane_body_teleport(plane, b.index, (int64_t[2]){centre.x, centre.y}, iso__add64(body->angle, turn));
    }
    return ISO_OK;
}
