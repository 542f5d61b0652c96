/// What a player of recordings needs besides the reader: whether this module computes what was recorded, and pictures
/// of a world, also between two ticks. exports.txt names these functions, so that a module without recordings has none
/// of them.
#include "isostep/proto/recording.h"

#include "games.h"
#include "item.h"
#include "player.h"

iso_status iso_player_check(const iso_recording *recording, iso_fingerprint *own) {
    const iso_world_def *def = &recording->header.def;
    const iso_game *game = def->game[0] != 0 ? iso_web_find_game(def->game) : NULL;
    if (def->game[0] != 0 && game == NULL) {
        return ISO_ERR_UNSUPPORTED;
    }
    iso_fingerprint_make(def, game, own);
    return iso_fingerprint_equal(own, &recording->header.fingerprint) ? ISO_OK : ISO_ERR_VERSION;
}

// ---- pictures -------------------------------------------------------------------------------------

uint32_t iso_player_poses_size(const iso_world *world) {
    return (uint32_t)(iso_world_get_def(world)->body_capacity * sizeof(iso_player_pose));
}

void iso_player_keep_poses(const iso_world *world, iso_player_pose *poses) {
    const uint32_t capacity = iso_world_get_def(world)->body_capacity;
    for (uint32_t i = 0; i < capacity; ++i) {
        poses[i].generation = 0;
    }
    iso_body_view view;
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0;
         body = iso_body_next(world, body.index + 1)) {
        (void)iso_body_get(world, body, &view);
        poses[body.index] = (iso_player_pose){view.position, view.angle_turns, body.generation};
    }
}

/// What is farther apart after one tick has not moved: it was put there.
#define JUMP (4 * ISO_WIDE_ONE) // [m] in one direction

static bool is_near(iso_wide from, iso_wide to) {
    return to - from < JUMP && from - to < JUMP;
}

static iso_wide between(iso_wide from, iso_wide to, int64_t part_q16) {
    return from + (to - from) * part_q16 / 65536;
}

typedef struct picture_time {
    const iso_world *world;
    const iso_player_pose *before;
} picture_time;

static bool pose_at(const void *user, uint64_t part_q16, iso_body_id body, iso_vec2_wide *position,
                    iso_wide *angle_turns) {
    const picture_time *time = user;
    const iso_player_pose *before = &time->before[body.index];
    iso_body_view view;
    if (before->generation != body.generation || iso_body_get(time->world, body, &view) != ISO_OK ||
        !is_near(before->position.x, view.position.x) || !is_near(before->position.y, view.position.y) ||
        !is_near(before->angle_turns, view.angle_turns)) {
        return false;
    }
    position->x = between(before->position.x, view.position.x, (int64_t)part_q16);
    position->y = between(before->position.y, view.position.y, (int64_t)part_q16);
    *angle_turns = between(before->angle_turns, view.angle_turns, (int64_t)part_q16);
    return true;
}

uint32_t iso_player_draw(const iso_world *world, const iso_player_pose *before, uint32_t part_q16, uint32_t what,
                         int32_t *words, uint32_t capacity) {
    const picture_time time = {world, before};
    iso_draw draw;
    iso_draw_begin(&draw, world, what);
    if (before != NULL) {
        iso_draw_set_poses(&draw, pose_at, &time, part_q16);
    }
    return iso__web_write_items(&draw, words, capacity);
}
