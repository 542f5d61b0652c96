/// Changing one command.
#include "perturb.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/// Reads ":NUMBER". @return what stands behind it, or NULL
static const char *parse_part(const char *at, uint32_t *value) {
    if (*at != ':' || !isdigit((unsigned char)at[1])) {
        return NULL;
    }
    char *end;
    const unsigned long number = strtoul(at + 1, &end, 10);
    *value = (uint32_t)number;
    return number <= 8 * ISO_COMMAND_SIZE_MAX ? end : NULL;
}

bool iso__replay_perturb_edit_parse(const char *text, perturb_edit *edit) {
    static const char *const names[] = {[PERTURB_DROP] = "drop", [PERTURB_CHANGE] = "change", [PERTURB_FLIP] = "flip"};
    *edit = (perturb_edit){0};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const size_t size = strlen(names[i]);
        if (strncmp(text, names[i], size) != 0) {
            continue;
        }
        edit->kind = (perturb_edit_kind)i;
        const char *at = text + size;
        edit->has_index = *at != 0 || edit->kind == PERTURB_FLIP;
        at = edit->has_index ? parse_part(at, &edit->index) : at;
        at = at != NULL && edit->kind == PERTURB_FLIP ? parse_part(at, &edit->bit) : at;
        if (at != NULL && *at == 0) {
            return true;
        }
    }
    iso_print(stderr, "isostep-replay: --command %s: expected drop, drop:N, change, change:N or flip:N:BIT\n", text);
    return false;
}

/// Makes a command another one that does something else. @return false when this kind is left alone
static bool change(iso_command *command) {
    switch (command->kind) {
    case ISO_COMMAND_SET_CONTROL:
        if (command->as.set_control.size == 0) {
            return false;
        }
        command->as.set_control.bytes[command->as.set_control.size > 1 ? 1 : 0] ^= 0x20;
        return true;
    case ISO_COMMAND_SPAWN_BODY:
        command->as.spawn_body.body.velocity.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_APPLY_FORCE:
        command->as.apply_force.force.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_APPLY_IMPULSE:
        command->as.apply_impulse.impulse.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_VELOCITY:
        command->as.set_velocity.velocity.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_BODY_POSITION:
        command->as.set_body_position.position.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SPAWN_BODY3:
        command->as.spawn_body3.body.velocity.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_APPLY_FORCE3:
        command->as.apply_force3.force.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_APPLY_IMPULSE3:
        command->as.apply_impulse3.impulse.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_VELOCITY3:
        command->as.set_velocity3.velocity.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_BODY_POSITION3:
        command->as.set_body_position3.position.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_TARGET3:
        command->as.set_target3.target.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SPAWN_COMPOUND:
        command->as.spawn_compound.velocity.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_COMPOUND_POSITION:
        command->as.set_compound_position.position.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_BODY_TAG:
        command->as.set_body_tag.tag ^= 1;
        return true;
    case ISO_COMMAND_SET_SHAPE_TAG:
        command->as.set_shape_tag.tag ^= 1;
        return true;
    case ISO_COMMAND_SET_JOINT_TAG:
        command->as.set_joint_tag.tag ^= 1;
        return true;
    case ISO_COMMAND_SET_SHAPE_FRICTION:
        command->as.set_shape_friction.friction ^= ISO_FIX16_ONE / 4;
        return true;
    case ISO_COMMAND_SET_SHAPE_SURFACE_SPEED:
        command->as.set_shape_surface_speed.speed ^= ISO_FIX16_ONE / 4;
        return true;
    case ISO_COMMAND_SET_SHAPE_RESTITUTION:
        command->as.set_shape_restitution.restitution ^= ISO_FIX16_ONE / 4;
        return true;
    case ISO_COMMAND_SET_SHAPE_DENSITY:
        command->as.set_shape_density.density ^= ISO_FIX16_ONE / 4;
        return true;
    default:
        return false;
    }
}

bool iso__replay_perturb_edit_make(const perturb_edit *edit, const iso_command *command, iso_command *result) {
    *result = *command;
    if (edit->kind == PERTURB_DROP) {
        return true;
    }
    if (edit->kind == PERTURB_CHANGE) {
        return change(result) && iso_command_check(result) == ISO_OK;
    }
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    const size_t size = iso_command_encode(command, bytes, sizeof bytes);
    if (edit->bit >= 8 * size) {
        return false;
    }
    bytes[edit->bit / 8] ^= (uint8_t)(1u << edit->bit % 8);
    // A kind that the recording's world has not would make its tick one that no session seals.
    return iso_command_decode(bytes, size, result) == ISO_OK &&
           (iso_command_dimensions(command->kind) & ~iso_command_dimensions(result->kind)) == 0;
}
