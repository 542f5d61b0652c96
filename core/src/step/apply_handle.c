/// See apply_handle.h.
#include "step/apply_handle.h"

#include "base/assert.h"
#include "isostep/body.h"
#include "isostep/joint.h"
#include "isostep/shape.h"

iso_status iso__command_apply_handle(iso_world *world, const iso_command *command) {
    ISO_ASSERT(world->result_count <= ISO_TICK_COMMANDS_MAX);
    switch ((iso_command_kind)command->kind) {
    case ISO_COMMAND_DESTROY_BODY:
        return iso_body_destroy(world, command->as.destroy_body.body);
    case ISO_COMMAND_SET_BODY_TAG:
        return iso_body_set_tag(world, command->as.set_body_tag.body, command->as.set_body_tag.tag);
    case ISO_COMMAND_DESTROY_SHAPE:
        return iso_shape_destroy(world, command->as.destroy_shape.shape);
    case ISO_COMMAND_SET_FILTER:
        return iso_shape_set_filter(world, command->as.set_filter.shape, command->as.set_filter.filter);
    case ISO_COMMAND_SET_SHAPE_TAG:
        return iso_shape_set_tag(world, command->as.set_shape_tag.shape, command->as.set_shape_tag.tag);
    case ISO_COMMAND_DESTROY_JOINT:
        return iso_joint_destroy(world, command->as.destroy_joint.joint);
    case ISO_COMMAND_ENABLE_JOINT:
        return iso_joint_enable(world, command->as.enable_joint.joint, command->as.enable_joint.enabled);
    case ISO_COMMAND_SET_JOINT_TAG:
        return iso_joint_set_tag(world, command->as.set_joint_tag.joint, command->as.set_joint_tag.tag);
    case ISO_COMMAND_SET_JOINT_BREAK: {
        const iso_command_set_joint_break *limit = &command->as.set_joint_break;
        return iso_joint_set_break(world, limit->joint, limit->force, limit->torque, limit->error, limit->angle,
                                   limit->remove);
    }
    default:
        return ISO_ERR_BAD_ENUM;
    }
}
