/// Blocks of up to three rows between two bodies in space: lengths, and angles. See block.c.
#ifndef ISO_SPACE_JOINT_BLOCK_H
#define ISO_SPACE_JOINT_BLOCK_H

#include "space/joint/work.h"

/// Sets a block's softness and maximum from the record.
void iso__space_block_prepare(const iso__space *space, const iso__space_joint *joint, uint8_t count,
                              int64_t impulse_max, const int64_t *impulse, iso__space_block *block);

/// Makes it one that takes all of the speed and nothing of the place.
void iso__space_block_brake(iso__space_block *block);

/// Sets direction, C and K of the linear block: all of e with three rows, what is across a_A with two.
void iso__space_linear_update(iso__space_joint_work *work);

/// Sets the angular block's directions and its C [rad] Q31.32 along them. Of the directions those that are in use.
void iso__space_angular_update(iso__space_joint_work *work, int32_t direction[3][3], const int64_t error[3]);

/// Applies the whole impulses.
void iso__space_linear_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work);
void iso__space_angular_warm_start(iso__space_scratch *scratch, const iso__space_joint_work *work);

void iso__space_linear_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax);
void iso__space_angular_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax);

/// The impulse of a block in the world.
void iso__space_block_impulse(const iso__space_block *block, const int64_t j[3], int64_t world[3]);

/// A velocity within ±400 m/s; counts what it had to cut.
static inline int32_t iso__space_joint_clamp_speed(int64_t speed, uint64_t *clamps) {
    const int64_t most = ISO_SPEED3_MAX_M_S * (int64_t)ISO__VEL_ONE;
    const int64_t clamped = iso__clamp64(speed, -most, most);
    *clamps += clamped != speed;
    return (int32_t)clamped;
}

#endif
