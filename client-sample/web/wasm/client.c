/// What the client library does not offer in a form that JavaScript can use: a configuration with functions in it, and
/// the displayed world as one array of numbers of 32 bits. All else JavaScript calls as it is (exports.txt).
#include "isostep/assert.h"
#include "isostep/client.h"

#include "games.h"
#include "item.h"
#include "memory.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/// The default configuration, with the module's memory and the library's games.
EXPORT(iso_web_config) void iso_web_config(iso_client_config *config) {
    *config = iso_client_config_default();
    config->allocator = iso__web_allocator();
    config->games = iso__web_games(&config->game_count);
    config->simd = ISO_SIMD_PORTABLE;
}

static bool texts_are_equal(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

/// The game of that name, or NULL.
EXPORT(iso_web_find_game) const iso_game *iso_web_find_game(const char *name) {
    uint32_t count;
    const iso_game *const *games = iso__web_games(&count);
    for (uint32_t i = 0; i < count; ++i) {
        if (texts_are_equal(games[i]->name, name)) {
            return games[i];
        }
    }
    return NULL;
}

/// The name of a game of the module, for the page's build. NULL: there are no more
const char *iso_web_game_name(uint32_t index) {
    uint32_t count;
    const iso_game *const *games = iso__web_games(&count);
    return index < count ? games[index]->name : NULL;
}

/// The words of one pose: index, generation, x, y [m, Q15.16], the angle's part of a turn [turns, 2^32 is one]
enum { POSE_WORDS = 5 };

/// The displayed pose of a body as POSE_WORDS words. @return whether there is such a body
static bool pose_write(const iso_client *client, uint64_t now_ns, iso_body_id body, int32_t *words) {
    iso_client_pose pose;
    iso_status status = iso_client_body_pose_at(client, now_ns, body, &pose);
    if (status == ISO_ERR_STATE) {
        status = iso_client_body_pose(client, body, &pose); // does not interpolate
    }
    if (status != ISO_OK) {
        return false;
    }
    words[0] = (int32_t)body.index;
    words[1] = (int32_t)body.generation;
    words[2] = iso__web_narrow(pose.position.x);
    words[3] = iso__web_narrow(pose.position.y);
    words[4] = (int32_t)(uint32_t)(uint64_t)pose.angle_turns;
    return true;
}

/// The displayed pose of the body that the member of a slot controls.
/// @param words  POSE_WORDS of them
/// @return whether there is one
EXPORT(iso_web_player_pose)
bool iso_web_player_pose(const iso_client *client, uint64_t now_ns, uint32_t slot, int32_t *words) {
    const iso_world *world = iso_client_predicted_world(client);
    return world != NULL && pose_write(client, now_ns, iso_world_get_player_body(world, slot), words);
}

/// The displayed poses of all bodies, by rising index.
/// @param now_ns    the time of iso_client_handle
/// @param words     POSE_WORDS each
/// @param capacity  [poses]
/// @return how many bodies there are; those beyond the capacity are left out
EXPORT(iso_web_poses)
uint32_t iso_web_poses(const iso_client *client, uint64_t now_ns, int32_t *words, uint32_t capacity) {
    ISO_ASSERT(words != NULL || capacity == 0);
    const iso_world *world = iso_client_predicted_world(client);
    uint32_t count = 0;
    if (world == NULL) {
        return 0;
    }
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0;
         body = iso_body_next(world, body.index + 1)) {
        int32_t pose[POSE_WORDS];
        if (pose_write(client, now_ns, body, pose) && count++ < capacity) {
            __builtin_memcpy(words, pose, sizeof(pose));
            words += POSE_WORDS;
        }
    }
    return count;
}

/// The items of the displayed world (isostep/draw.h), in their order.
/// @param what      bits ISO_DRAW_…
/// @param words, capacity  as of iso__web_write_items
/// @return likewise
EXPORT(iso_web_draw)
uint32_t iso_web_draw(const iso_client *client, uint64_t now_ns, uint32_t what, int32_t *words, uint32_t capacity) {
    iso_draw draw;
    if (iso_client_draw_begin(client, now_ns, what, &draw) != ISO_OK) {
        return 0;
    }
    return iso__web_write_items(&draw, words, capacity);
}

EXPORT(iso_web_pose_words) uint32_t iso_web_pose_words(void) {
    return POSE_WORDS;
}

EXPORT(iso_web_item_words) uint32_t iso_web_item_words(void) {
    return ISO__WEB_ITEM_WORDS;
}
