/// Joints: constraints between two bodies, or a body and a point of the world.
#ifndef ISOSTEP_JOINT_H
#define ISOSTEP_JOINT_H

#include "isostep/body.h"
#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of joints. X(name, number, scene name)
///   REVOLUTE  holds two anchor points together and lets the bodies turn freely
///   TARGET    pulls an anchor of body B towards a point of the world; for dragging
#define ISO_JOINT_KIND_LIST(X)   \
    X(REVOLUTE, 1, "revolute")   \
    X(TARGET, 2, "target")

typedef enum iso_joint_kind {
#define ISO_JOINT_KIND_ENUM(name, number, text) ISO_JOINT_##name = (number),
    ISO_JOINT_KIND_LIST(ISO_JOINT_KIND_ENUM)
#undef ISO_JOINT_KIND_ENUM
} iso_joint_kind;

typedef struct iso_joint_def {
    uint8_t kind;            // iso_joint_kind
    bool collide_connected;  // whether the two bodies' shapes collide
    iso_body_id body_a;      // null for TARGET
    iso_body_id body_b;
    iso_vec2 anchor_a;       // [m] body A's frame
    iso_vec2 anchor_b;       // [m] body B's frame
    fix16_t hertz;           // softness; 0: the world's joint hertz and damping ratio (rigid)
    fix16_t damping_ratio;   // 0 to 1000; read when hertz is above 0
    iso_wide force_max;      // [N]; 0: unlimited
    iso_vec2 target;         // [m] TARGET: the point of the world
    iso_owner owner;
} iso_joint_def;

/// A rigid revolute joint between null bodies; the caller sets the bodies and anchors.
iso_joint_def iso_joint_def_default(void);

struct iso_world;

/// Creates a joint. Between two bodies that are not dynamic it is allowed and does nothing.
/// @return ISO_OK; ISO_ERR_STALE (a body); ISO_ERR_CAPACITY; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE;
///         ISO_ERR_WRONG_TYPE (both bodies are one; the body of a TARGET is not dynamic).
///         On error the world is unchanged.
iso_status iso_joint_create(struct iso_world *world, const iso_joint_def *def, iso_joint_id *joint);

/// @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_destroy(struct iso_world *world, iso_joint_id joint);

bool iso_joint_is_valid(const struct iso_world *world, iso_joint_id joint);

/// The lowest live joint index at or above `index`, as a handle; null when there is none.
iso_joint_id iso_joint_next(const struct iso_world *world, uint32_t index);

/// Reads a joint back as its definition. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_get(const struct iso_world *world, iso_joint_id joint, iso_joint_def *def);

/// Moves the target of a TARGET joint. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE; ISO_ERR_RANGE.
iso_status iso_joint_set_target(struct iso_world *world, iso_joint_id joint, iso_vec2 target);

/// The force [N] that the joint applied to body B in the last substep.
/// @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_get_force(const struct iso_world *world, iso_joint_id joint, iso_vec2_wide *force);

/// The distance [m] between the joint's two anchor points now. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_joint_get_separation(const struct iso_world *world, iso_joint_id joint, iso_wide *separation);

#ifdef __cplusplus
}
#endif

#endif
