/// What JavaScript calls to play recordings. All functions are named in exports.txt.
#ifndef ISO_WEB_PLAYER_H
#define ISO_WEB_PLAYER_H

#include "isostep/body.h"
#include "isostep/proto/recording.h"
#include "isostep/world.h"

/// Whether this module computes the same as the program that wrote the recording.
/// @param own  receives what this module has, unless the game is not known
/// @return ISO_OK; ISO_ERR_VERSION; ISO_ERR_UNSUPPORTED: it has no such game
iso_status iso_player_check(const iso_recording *recording, iso_fingerprint *own);

/// Where a body was.
typedef struct iso_player_pose {
    iso_vec2_wide position; // [m]
    iso_wide angle_turns;   // [turns]
    uint32_t generation;    // of the body with this index; 0: there was none
} iso_player_pose;

/// Bytes for the poses of all bodies of a world.
uint32_t iso_player_poses_size(const iso_world *world);
/// Stores where all bodies are now.
void iso_player_keep_poses(const iso_world *world, iso_player_pose *poses);

/// The items of a world (isostep/draw.h), as iso_web_draw writes them.
/// @param before    where bodies were one tick earlier: they are drawn on their way from there; NULL: where they are
/// @param part_q16  of the way [1/65,536]
uint32_t iso_player_draw(const iso_world *world, const iso_player_pose *before, uint32_t part_q16, uint32_t what,
                         int32_t *words, uint32_t capacity);

#endif
