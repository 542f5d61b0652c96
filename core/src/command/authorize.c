/// Which commands are allowed in games without rules of their own, and in games that check ownership.
#include "isostep/game.h"

#include "plane/joint/joint.h"
#include "world/kernel.h"
#include "world/world.h"

static iso_status authorize_owner(const iso_world *world, uint32_t slot, iso_owner owner) {
    const bool is_allowed =
        owner.slot == ISO_OWNER_EVERYONE || (owner.slot == slot && owner.generation == world->slots[slot].generation);
    return is_allowed ? ISO_OK : ISO_ERR_NOT_OWNER;
}

static iso_status authorize_body(const iso_world *world, uint32_t slot, iso_body_id body) {
    if (!iso__body_is_alive(world, body)) {
        return ISO_ERR_STALE;
    }
    return authorize_owner(world, slot, world->kernel->body_owner(world, body.index));
}

/// A shape belongs to its body's owner.
static iso_status authorize_shape(const iso_world *world, uint32_t slot, iso_shape_id shape) {
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    const uint32_t body = world->kernel->shape_body(world, shape.index);
    return authorize_body(world, slot, (iso_body_id){body, world->body_generations[body]});
}

static iso_status authorize_joint(const iso_world *world, uint32_t slot, iso_joint_id joint) {
    if (!iso__joint_is_alive(world, joint)) {
        return ISO_ERR_STALE;
    }
    return authorize_owner(world, slot, world->kernel->joint_owner(world, joint.index));
}

/// Whoever owns its parts by now.
static iso_status authorize_compound(const iso_world *world, uint32_t slot, iso_compound_id compound) {
    if (!iso__compound_is_alive(world, compound)) {
        return ISO_ERR_STALE;
    }
    return authorize_owner(world, slot, world->kernel->compound_owner(world, compound.index));
}

/// All bodies that the joint has.
static iso_status authorize_joined_custom(const iso_world *world, uint32_t slot, const iso_joint_def *joint) {
    const iso_body_id others[] = {joint->body_a, joint->body_c, joint->body_d};
    iso_status status = authorize_body(world, slot, joint->body_b);
    for (uint32_t i = 0; i < 3 && status == ISO_OK; ++i) {
        status = others[i].generation != 0 ? authorize_body(world, slot, others[i]) : ISO_OK;
    }
    return status;
}

/// A member that joins bodies must be allowed to command all of them.
static iso_status authorize_joined(const iso_world *world, uint32_t slot, const iso_joint_def *joint) {
    if (iso_joint_kind_is_custom(joint->kind)) {
        return authorize_joined_custom(world, slot, joint);
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODY_A) != 0) {
        const iso_status status = authorize_body(world, slot, joint->body_a);
        if (status != ISO_OK) {
            return status;
        }
    }
    if ((iso_joint_kind_has(joint->kind) & ISO_JOINT_HAS_BODIES_CD) != 0) {
        iso_status status = authorize_body(world, slot, joint->body_c);
        status = status == ISO_OK ? authorize_body(world, slot, joint->body_d) : status;
        if (status != ISO_OK) {
            return status;
        }
    }
    return authorize_body(world, slot, joint->body_b);
}

/// Likewise in space; a TARGET has no A, a constraint of one body neither.
static iso_status authorize_joined3(const iso_world *world, uint32_t slot, const iso_joint3_def *joint) {
    const bool is_of_one = iso_joint3_kind_is_custom(joint->kind) && joint->body_a.generation == 0;
    const bool has_a = (iso_joint3_kind_has(joint->kind) & ISO_JOINT3_HAS_BODY_A) != 0 && !is_of_one;
    const iso_status status = has_a ? authorize_body(world, slot, joint->body_a) : ISO_OK;
    return status == ISO_OK ? authorize_body(world, slot, joint->body_b) : status;
}

/// Of whom the joint is, and all its new bodies: a joint of one's own is no way to get at bodies of others.
static iso_status authorize_joined_again(const iso_world *world, uint32_t slot,
                                         const iso_command_set_joint_bodies *set) {
    const iso_body_id bodies[4] = {set->body_a, set->body_b, set->body_c, set->body_d};
    iso_joint_def def;
    const iso_status status = authorize_joint(world, slot, set->joint);
    if (status != ISO_OK || iso_joint_get(world, set->joint, &def) != ISO_OK) {
        return status;
    }
    iso__plane_joint_def_set_bodies(&def, bodies);
    return authorize_joined(world, slot, &def);
}

iso_status iso_game_authorize_default(const iso_world *world, const void *state, uint32_t slot,
                                      const iso_command *command) {
    (void)world;
    (void)state;
    (void)slot;
    return command->kind == ISO_COMMAND_SET_CONTROL || command->kind == ISO_COMMAND_CUSTOM ? ISO_OK : ISO_ERR_REFUSED;
}

// By type of argument: the first one that has an owner, or that the sender will own, decides.
#define OWNED_BODY(name)       return authorize_body(world, slot, c->name);
#define OWNED_SHAPE(name)      return authorize_shape(world, slot, c->name);
#define OWNED_JOINT(name)      return authorize_joint(world, slot, c->name);
#define OWNED_COMPOUND(name)   return authorize_compound(world, slot, c->name);
#define OWNED_BLUEPRINT(name)  return ISO_OK;
#define OWNED_JOINT_DEF(name)  return authorize_joined(world, slot, &c->name);
#define OWNED_JOINT3_DEF(name) return authorize_joined3(world, slot, &c->name);
#define OWNED_BODY_DEF(name)   return ISO_OK;
#define OWNED_BODY3_DEF(name)  return ISO_OK;
#define OWNED_CONTROL(name)    return ISO_OK;
#define OWNED_PAYLOAD(name)    return ISO_OK;
#define OWNED_SHAPE_DEF(name)
#define OWNED_BODY_TYPE(name)
#define OWNED_BODY_PARAMS(name)
#define OWNED_FILTER(name)
#define OWNED_BOOL(name)
#define OWNED_U32(name)
#define OWNED_FIX16(name)
#define OWNED_WIDE(name)
#define OWNED_VEC2(name)
#define OWNED_VEC2_WIDE(name)
#define OWNED_SHAPE3_DEF(name)
#define OWNED_JOINT3_AXIS(name)
#define OWNED_BODY3_PARAMS(name)
#define OWNED_VEC3(name)
#define OWNED_VEC3_WIDE(name)
#define OWNED_QUAT(name)

#define OWNED_ARG(type, name, wire, bound, unit) OWNED_##type(name)
#define AUTHORIZE_KIND(NAME, number, snake, worlds)                                                            \
    static iso_status authorize_##snake(const iso_world *world, uint32_t slot, const iso_command_##snake *c) { \
        (void)world, (void)slot, (void)c;                                                                      \
        ISO_COMMAND_##snake##_ARGS(OWNED_ARG) return ISO_ERR_REFUSED; /* what is the world's */                \
    }
ISO_COMMAND_KIND_LIST(AUTHORIZE_KIND)
#undef AUTHORIZE_KIND

iso_status iso_game_authorize_owner(const iso_world *world, const void *state, uint32_t slot,
                                    const iso_command *command) {
    (void)state;
    if (command->kind == ISO_COMMAND_SET_JOINT_BODIES) {
        return authorize_joined_again(world, slot, &command->as.set_joint_bodies);
    }
    switch ((iso_command_kind)command->kind) {
#define AUTHORIZE_CASE(NAME, number, snake, worlds) \
    case ISO_COMMAND_##NAME:                        \
        return authorize_##snake(world, slot, &command->as.snake);
        ISO_COMMAND_KIND_LIST(AUTHORIZE_CASE)
#undef AUTHORIZE_CASE
    }
    return ISO_ERR_REFUSED;
}
