/// Worlds in space as words of 32 bits.
#include "space.h"

#include "isostep/body3.h"
#include "isostep/draw3.h"
#include "isostep/heights.h"
#include "isostep/shape3.h"

#include "item.h"

uint32_t iso_web_pose3_words(void) {
    return ISO__WEB_POSE3_WORDS;
}

uint32_t iso_web_shape3_words(void) {
    return ISO__WEB_SHAPE3_WORDS;
}

uint32_t iso_web_line3_words(void) {
    return ISO__WEB_LINE3_WORDS;
}

// ---- poses ----------------------------------------------------------------------------------------

/// Where a body is shown that is at the pose of the view. @return false: there
typedef bool pose_source(const void *user, iso_body_id body, const iso_body3_view *view, iso_client_pose3 *pose);

static uint32_t write_poses(const iso_world *world, pose_source *shown, const void *user, int32_t *words,
                            uint32_t capacity) {
    uint32_t count = 0;
    iso_body3_view view;
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0;
         body = iso_body_next(world, body.index + 1)) {
        if (iso_body3_get(world, body, &view) != ISO_OK) {
            return 0; // a world in the plane
        }
        iso_client_pose3 pose = {view.position, view.rotation};
        if (count++ >= capacity) {
            continue;
        }
        (void)shown(user, body, &view, &pose);
        const uint32_t sleeps = iso_body_is_awake(world, body) ? 0 : 256;
        const int32_t all[ISO__WEB_POSE3_WORDS] = {(int32_t)body.index,
                                                   (int32_t)body.generation,
                                                   iso__web_narrow(pose.position.x),
                                                   iso__web_narrow(pose.position.y),
                                                   iso__web_narrow(pose.position.z),
                                                   pose.rotation.x,
                                                   pose.rotation.y,
                                                   pose.rotation.z,
                                                   pose.rotation.w,
                                                   view.owner.slot,
                                                   (int32_t)(view.type | sleeps)};
        __builtin_memcpy(words, all, sizeof(all));
        words += ISO__WEB_POSE3_WORDS;
    }
    return count;
}

typedef struct line_poses {
    const iso_world *world;
    pose_source *shown;
    const void *user;
} line_poses;

static bool line_pose(const void *user, uint64_t time, iso_body_id body, iso_vec3_wide *position, iso_quat *rotation) {
    const line_poses *poses = user;
    iso_body3_view view;
    (void)time;
    if (iso_body3_get(poses->world, body, &view) != ISO_OK) {
        return false;
    }
    iso_client_pose3 pose = {view.position, view.rotation};
    (void)poses->shown(poses->user, body, &view, &pose);
    *position = pose.position;
    *rotation = pose.rotation;
    return true;
}

static uint32_t write_lines(const iso_world *world, pose_source *shown, const void *user, uint32_t what, int32_t *words,
                            uint32_t capacity) {
    const line_poses poses = {world, shown, user};
    uint32_t count = 0;
    iso_draw3 draw;
    iso_draw3_begin(&draw, world, what & (ISO_DRAW_JOINTS | ISO_DRAW_CONTACTS));
    iso_draw3_set_poses(&draw, line_pose, &poses, 0);
    for (const iso_draw3_item *item; (item = iso_draw3_next(&draw)) != NULL;) {
        const bool is_line = item->kind == ISO_DRAW3_LINE || item->kind == ISO_DRAW3_ARROW;
        if ((!is_line && item->kind != ISO_DRAW3_POINT) || count++ >= capacity) {
            continue;
        }
        const iso_vec3_wide a = item->points[0], b = item->points[is_line ? 1 : 0];
        const int32_t all[ISO__WEB_LINE3_WORDS] = {item->role + (item->is_active ? 256 : 0),
                                                   iso__web_narrow(a.x),
                                                   iso__web_narrow(a.y),
                                                   iso__web_narrow(a.z),
                                                   iso__web_narrow(b.x),
                                                   iso__web_narrow(b.y),
                                                   iso__web_narrow(b.z)};
        __builtin_memcpy(words, all, sizeof(all));
        words += ISO__WEB_LINE3_WORDS;
    }
    return count;
}

typedef struct client_time {
    const iso_client *client;
    uint64_t now_ns;
} client_time;

static bool shown_by_client(const void *user, iso_body_id body, const iso_body3_view *view, iso_client_pose3 *pose) {
    const client_time *time = user;
    (void)view;
    const iso_status status = iso_client_body_pose3_at(time->client, time->now_ns, body, pose);
    return status == ISO_OK || iso_client_body_pose3(time->client, body, pose) == ISO_OK; // does not interpolate
}

uint32_t iso_web_poses3(const iso_client *client, uint64_t now_ns, int32_t *words, uint32_t capacity) {
    const iso_world *world = iso_client_predicted_world(client);
    const client_time time = {client, now_ns};
    return world == NULL ? 0 : write_poses(world, shown_by_client, &time, words, capacity);
}

uint32_t iso_web_lines3(const iso_client *client, uint64_t now_ns, uint32_t what, int32_t *words, uint32_t capacity) {
    const iso_world *world = iso_client_predicted_world(client);
    const client_time time = {client, now_ns};
    return world == NULL ? 0 : write_lines(world, shown_by_client, &time, what, words, capacity);
}

// ---- poses of a player ----------------------------------------------------------------------------

uint32_t iso_player_poses3_size(const iso_world *world) {
    return (uint32_t)(iso_world_get_def(world)->body_capacity * sizeof(iso_player_pose3));
}

void iso_player_keep_poses3(const iso_world *world, iso_player_pose3 *poses) {
    const uint32_t capacity = iso_world_get_def(world)->body_capacity;
    for (uint32_t i = 0; i < capacity; ++i) {
        poses[i].generation = 0;
    }
    iso_body3_view view;
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0;
         body = iso_body_next(world, body.index + 1)) {
        (void)iso_body3_get(world, body, &view);
        poses[body.index] = (iso_player_pose3){view.position, view.rotation, body.generation};
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

/// On the straight line between both quaternions: of the turns of one tick the eye sees no difference.
static iso_quat rotation_between(iso_quat from, iso_quat to, int64_t part_q16) {
    const int64_t dot =
        (int64_t)from.x * to.x + (int64_t)from.y * to.y + (int64_t)from.z * to.z + (int64_t)from.w * to.w;
    const int64_t sign = dot < 0 ? -1 : 1; // the shorter way
    return iso_quat_normalize(
        (iso_quat){(int32_t)between(from.x, sign * to.x, part_q16), (int32_t)between(from.y, sign * to.y, part_q16),
                   (int32_t)between(from.z, sign * to.z, part_q16), (int32_t)between(from.w, sign * to.w, part_q16)});
}

typedef struct picture_time {
    const iso_player_pose3 *before;
    uint32_t part_q16;
} picture_time;

static bool shown_by_player(const void *user, iso_body_id body, const iso_body3_view *view, iso_client_pose3 *pose) {
    const picture_time *time = user;
    if (time->before == NULL) {
        return false;
    }
    const iso_player_pose3 *before = &time->before[body.index];
    const iso_vec3_wide from = before->position, to = view->position;
    if (before->generation != body.generation || !is_near(from.x, to.x) || !is_near(from.y, to.y) ||
        !is_near(from.z, to.z)) {
        return false;
    }
    const int64_t part = time->part_q16;
    pose->position =
        (iso_vec3_wide){between(from.x, to.x, part), between(from.y, to.y, part), between(from.z, to.z, part)};
    pose->rotation = rotation_between(before->rotation, view->rotation, part);
    return true;
}

uint32_t iso_player_poses3(const iso_world *world, const iso_player_pose3 *before, uint32_t part_q16, int32_t *words,
                           uint32_t capacity) {
    const picture_time time = {before, part_q16};
    return write_poses(world, shown_by_player, &time, words, capacity);
}

uint32_t iso_player_lines3(const iso_world *world, const iso_player_pose3 *before, uint32_t part_q16, uint32_t what,
                           int32_t *words, uint32_t capacity) {
    const picture_time time = {before, part_q16};
    return write_lines(world, shown_by_player, &time, what, words, capacity);
}

// ---- shapes ---------------------------------------------------------------------------------------

/// FNV-1a over words: which shapes are the same, nothing else depends on it.
static uint32_t hashed(uint32_t hash, int32_t word) {
    return (hash ^ (uint32_t)word) * UINT32_C(16777619);
}

static int32_t geometry_hash(const iso_shape3_def *def) {
    uint32_t hash = hashed(UINT32_C(2166136261), def->kind);
    const int32_t numbers[] = {def->radius,     def->offset,     def->heights,   def->rotation.x,
                               def->rotation.y, def->rotation.z, def->rotation.w};
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        hash = hashed(hash, numbers[i]);
    }
    for (uint32_t i = 0; i < def->point_count; ++i) {
        hash = hashed(hashed(hashed(hash, def->points[i].x), def->points[i].y), def->points[i].z);
    }
    return (int32_t)hash;
}

uint32_t iso_web_shapes3(const iso_world *world, int32_t *words, uint32_t capacity) {
    uint32_t count = 0;
    iso_shape3_def def;
    iso_body_id body;
    for (iso_shape_id shape = iso_shape_next(world, 0); shape.generation != 0;
         shape = iso_shape_next(world, shape.index + 1)) {
        if (iso_shape3_get(world, shape, &def, &body) != ISO_OK) {
            return 0; // a world in the plane
        }
        if (count++ >= capacity) {
            continue;
        }
        const int32_t all[ISO__WEB_SHAPE3_WORDS] = {(int32_t)body.index, (int32_t)shape.index,
                                                    (int32_t)shape.generation, geometry_hash(&def), def.is_sensor};
        __builtin_memcpy(words, all, sizeof(all));
        words += ISO__WEB_SHAPE3_WORDS;
    }
    return count;
}

uint32_t iso_web_heights3(const iso_world *world, iso_shape_id shape, int32_t *words, uint32_t capacity) {
    iso_shape3_def def;
    iso_body_id body;
    iso_heights_def field;
    if (iso_shape3_get(world, shape, &def, &body) != ISO_OK || def.kind != ISO_SHAPE3_HEIGHTS ||
        iso_world_get_heights(world, def.heights, &field) != ISO_OK) {
        return 0;
    }
    const uint32_t count = (uint32_t)field.columns * field.rows;
    if (count + ISO__WEB_HEIGHTS3_WORDS <= capacity) {
        const int32_t about[ISO__WEB_HEIGHTS3_WORDS] = {field.columns, field.rows, field.cell, field.scale};
        __builtin_memcpy(words, about, sizeof(about));
        for (uint32_t i = 0; i < count; ++i) {
            words[ISO__WEB_HEIGHTS3_WORDS + i] = field.samples[i];
        }
    }
    return count + ISO__WEB_HEIGHTS3_WORDS;
}
