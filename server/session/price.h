/// What commands cost: a price in units of about a thousand instructions of the tick that carries them out.
///
/// The prices are those of the most expensive example of each kind, rounded up: tests/bench/commands.sh counts them.
/// They are derived from what a command creates (a shape's corners), from its body (shapes, hulls and joints) and from
/// how many things of the world it has to go through. They decide in which tick a command is sealed, and nothing within
/// a tick: a replay does not know them. server/README.md has the table.
#ifndef ISO_SESSION_PRICE_H
#define ISO_SESSION_PRICE_H

#include "isostep/isostep.h"

/// Units of a tick: 20 million instructions. What is above waits for the next tick; a command that is dearer goes
/// alone.
#define ISO__TICK_UNITS 20000u

/// Units of a member on average in a tick, and at once. Above that its commands are refused with RATE.
#define ISO__MEMBER_UNITS       4000u
#define ISO__MEMBER_UNITS_BURST 40000u

/// X(kind, base, corner, shape, hull, joint, pairs)
///   base    of every command of the kind
///   corner  of each point of the shape that it brings
///   shape   of each shape of the body, or of the compound, that it is about; a hull counts as one, too
///   hull    of each of these that is a hull in space
///   joint   of each joint of the body
///   pairs   of each 128 pairs of one of these shapes and a contact or body of the world
/// For each 32 bodies, shapes, joints and contacts of the world one unit is added to all but SET_CONTROL.
#define ISO__PRICE_LIST(X)                        \
    X(SET_CONTROL, 2, 0, 0, 0, 0, 0)              \
    X(SPAWN_BODY, 100, 6, 0, 0, 0, 0)             \
    X(DESTROY_BODY, 30, 0, 2, 0, 4, 1)            \
    X(CREATE_SHAPE, 40, 4, 12, 0, 4, 0)           \
    X(DESTROY_SHAPE, 30, 0, 12, 18, 4, 0)         \
    X(CREATE_JOINT, 60, 0, 0, 0, 0, 0)            \
    X(DESTROY_JOINT, 200, 0, 0, 0, 0, 0)          \
    X(APPLY_FORCE, 4, 0, 0, 0, 0, 0)              \
    X(APPLY_IMPULSE, 8, 0, 0, 0, 0, 0)            \
    X(APPLY_TORQUE, 4, 0, 0, 0, 0, 0)             \
    X(APPLY_ANGULAR_IMPULSE, 4, 0, 0, 0, 0, 0)    \
    X(SET_VELOCITY, 4, 0, 0, 0, 0, 0)             \
    X(SET_TARGET, 8, 0, 0, 0, 0, 0)               \
    X(SET_GRAVITY, 8, 0, 0, 0, 0, 0)              \
    X(SET_FILTER, 20, 0, 0, 0, 0, 0)              \
    X(CUSTOM, 60, 0, 0, 0, 0, 0)                  \
    X(SET_BODY_TYPE, 60, 0, 14, 18, 4, 1)         \
    X(SET_BODY_PARAMS, 20, 0, 12, 0, 4, 0)        \
    X(SET_BODY_MASS, 20, 0, 12, 0, 4, 0)          \
    X(MOVE_KINEMATIC, 120, 0, 1, 0, 1, 0)         \
    X(SET_BODY_POSITION, 60, 0, 2, 1, 1, 1)       \
    X(SET_BODY_TAG, 4, 0, 0, 0, 0, 0)             \
    X(SET_SHAPE_FRICTION, 20, 0, 0, 0, 0, 0)      \
    X(SET_JOINT_MOTOR, 8, 0, 0, 0, 0, 0)          \
    X(SET_JOINT_LIMITS, 8, 0, 0, 0, 0, 0)         \
    X(SET_JOINT_SPRING, 8, 0, 0, 0, 0, 0)         \
    X(SET_JOINT_BREAK, 8, 0, 0, 0, 0, 0)          \
    X(ENABLE_JOINT, 12, 0, 0, 0, 0, 0)            \
    X(SET_JOINT, 12, 0, 0, 0, 0, 0)               \
    X(SET_SHAPE_RESTITUTION, 20, 0, 0, 0, 0, 0)   \
    X(SET_SHAPE_DENSITY, 20, 0, 12, 18, 4, 0)     \
    X(SPAWN_COMPOUND, 120, 0, 60, 0, 20, 0)       \
    X(DESTROY_COMPOUND, 40, 0, 20, 0, 4, 1)       \
    X(SET_COMPOUND_POSITION, 60, 0, 20, 0, 1, 1)  \
    X(SET_SHAPE_TAG, 4, 0, 0, 0, 0, 0)            \
    X(SET_JOINT_TAG, 4, 0, 0, 0, 0, 0)            \
    X(SET_SHAPE_SURFACE_SPEED, 20, 0, 0, 0, 0, 0) \
    X(SET_JOINT_BODIES, 12, 0, 0, 0, 0, 0)        \
    X(SET_JOINT_STIFFNESS, 8, 0, 0, 0, 0, 0)      \
    X(SPAWN_BODY3, 60, 28, 0, 0, 0, 0)            \
    X(CREATE_SHAPE3, 60, 20, 6, 18, 4, 0)         \
    X(APPLY_FORCE3, 4, 0, 0, 0, 0, 0)             \
    X(APPLY_IMPULSE3, 8, 0, 0, 0, 0, 0)           \
    X(APPLY_TORQUE3, 4, 0, 0, 0, 0, 0)            \
    X(APPLY_ANGULAR_IMPULSE3, 4, 0, 0, 0, 0, 0)   \
    X(SET_VELOCITY3, 4, 0, 0, 0, 0, 0)            \
    X(SET_GRAVITY3, 8, 0, 0, 0, 0, 0)             \
    X(SET_BODY_PARAMS3, 20, 0, 6, 18, 4, 0)       \
    X(SET_BODY_MASS3, 20, 0, 6, 18, 4, 0)         \
    X(SET_BODY_POSITION3, 60, 0, 1, 0, 1, 0)      \
    X(CREATE_JOINT3, 80, 0, 0, 0, 0, 0)           \
    X(SET_JOINT3, 12, 0, 0, 0, 0, 0)              \
    X(SET_JOINT_AXIS3, 12, 0, 0, 0, 0, 0)         \
    X(SET_TARGET3, 8, 0, 0, 0, 0, 0)

typedef struct iso__price {
    uint16_t base, corner, shape, hull, joint, pairs;
} iso__price;

/// Of a kind; all 0 of what is no kind.
iso__price iso__price_of_kind(uint8_t kind);

/// Whether a price follows from what the command is about, so that it may be another one when its turn comes.
static inline bool iso__price_varies(uint8_t kind) {
    const iso__price price = iso__price_of_kind(kind);
    return (price.shape | price.hull | price.joint | price.pairs) != 0;
}

/// Whether a command makes a shape or a joint of a body that is there.
static inline bool iso__price_makes(uint8_t kind) {
    return kind == ISO_COMMAND_CREATE_SHAPE || kind == ISO_COMMAND_CREATE_SHAPE3 || kind == ISO_COMMAND_CREATE_JOINT ||
           kind == ISO_COMMAND_CREATE_JOINT3;
}

/// The price of a command in a world as it is. What it is about may have to be made by an earlier command first: then
/// the dearest body of its member counts.
///
/// @param made  shapes and joints that earlier commands of the tick may add to the body
uint32_t iso__price_of(const iso_world *world, uint32_t slot, uint32_t made, const iso_command *command);

#endif
