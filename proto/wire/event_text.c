/// Events as lines. See isostep/proto/event_text.h.
#include "isostep/proto/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/diff_text.h"

typedef struct line {
    char *text;
    size_t size;
    bool json;
} line;

__attribute__((format(printf, 2, 3))) static void line_add(line *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->text + to->size, ISO_EVENT_TEXT_SIZE - to->size, format, arguments);
    va_end(arguments);
    ISO_ASSERT(size >= 0 && to->size + (size_t)size < ISO_EVENT_TEXT_SIZE);
    to->size += (size_t)size;
}

static void line_add_name(line *to, const char *name) {
    line_add(to, to->json ? ",\"%s\":" : " %s=", name);
}

static void line_add_id(line *to, const char *name, uint32_t index, uint32_t generation) {
    line_add_name(to, name);
    line_add(to, to->json ? "{\"index\":%" PRIu32 ",\"generation\":%" PRIu32 "}" : "%" PRIu32 "/%" PRIu32, index,
             generation);
}

static void line_add_wide(line *to, iso_wide value) {
    char text[ISO_WIDE_TEXT_SIZE];
    iso_wide_to_text(value, text);
    line_add(to, "%s", text);
}

static void line_add_vector(line *to, const char *name, iso_vec2_wide value) {
    line_add_name(to, name);
    line_add(to, "%s", to->json ? "[" : "");
    line_add_wide(to, value.x);
    line_add(to, ",");
    line_add_wide(to, value.y);
    line_add(to, "%s", to->json ? "]" : "");
}

static void line_add_vector3(line *to, const char *name, iso_vec3_wide value) {
    const iso_wide parts[3] = {value.x, value.y, value.z};
    line_add_name(to, name);
    line_add(to, "%s", to->json ? "[" : "");
    for (int i = 0; i < 3; ++i) {
        line_add(to, "%s", i > 0 ? "," : "");
        line_add_wide(to, parts[i]);
    }
    line_add(to, "%s", to->json ? "]" : "");
}

static void line_add_field(line *to, const iso_field *field, const uint8_t *bytes) {
    const bool is_array = to->json && field->count > 1;
    line_add(to, "%s", is_array ? "[" : "");
    for (uint32_t i = 0; i < field->count; ++i) {
        char text[ISO_DIFF_TEXT_SIZE];
        const int64_t value = iso_field_read(field, i, bytes);
        line_add(to, "%s%s", i > 0 ? "," : "",
                 to->json ? iso_diff_stored_text(field, value, text) : iso_diff_value_text(field, value, text));
    }
    line_add(to, "%s", is_array ? "]" : "");
}

static void line_add_emit(line *to, const iso_game *game, uint32_t code, const uint8_t *bytes, uint32_t size) {
    const iso_game_event *named = iso_game_find_event(game, code);
    if (to->json) {
        line_add(to, ",\"game\":\"%s\"", game->name);
    }
    // Bytes of another size are those of another version of the game.
    if (named == NULL || named->size != size) {
        line_add(to, to->json ? ",\"code\":%" PRIu32 : " code %" PRIu32, code);
        line_add_name(to, "bytes");
        line_add(to, "%s", to->json ? "\"" : "");
        for (uint32_t i = 0; i < size; ++i) {
            line_add(to, "%02x", bytes[i]);
        }
        line_add(to, "%s", to->json ? "\"" : "");
        return;
    }
    line_add(to, to->json ? ",\"event\":\"%s\",\"fields\":{" : " %s", named->name);
    for (uint32_t i = 0; i < named->field_count; ++i) {
        const iso_field *field = &named->fields[i];
        line_add(to, to->json ? "%s\"%s\":" : "%s%s=", to->json && i == 0 ? "" : to->json ? "," : " ", field->name);
        line_add_field(to, field, bytes);
    }
    line_add(to, "%s", to->json ? "}" : "");
}

static void line_add_event(line *to, const char *name) {
    line_add(to, to->json ? ",\"event\":\"%s\"" : " %s", name);
}

static void line_add_break(line *to, const iso_joint_event *event, bool in_space) {
    line_add_event(to, "joint_break");
    line_add_id(to, "joint", event->joint.index, event->joint.generation);
    line_add_name(to, "tag");
    line_add(to, "%" PRIu32, event->tag);
    line_add_id(to, "body_a", event->body_a.index, event->body_a.generation);
    line_add_id(to, "body_b", event->body_b.index, event->body_b.generation);
    if (in_space) {
        line_add_vector3(to, "force", event->force3);
        line_add_vector3(to, "torque", event->torque3);
        return;
    }
    line_add_vector(to, "force", event->force);
    line_add_name(to, "torque");
    line_add_wide(to, event->torque);
}

static void line_add_joint_sleep(line *to, const char *name, const iso_joint_sleep_event *event) {
    line_add_event(to, name);
    line_add_id(to, "joint", event->joint.index, event->joint.generation);
    line_add_name(to, "tag");
    line_add(to, "%" PRIu32, event->tag);
}

static void line_add_body(line *to, const char *name, iso_body_id body) {
    line_add_event(to, name);
    line_add_id(to, "body", body.index, body.generation);
}

/// What comes after the other events.
static void line_add_sleep(line *to, const iso_events *events, uint32_t index) {
    if (index < events->sleep_count) {
        line_add_body(to, "sleep", events->sleeps[index]);
    } else if ((index -= events->sleep_count) < events->wake_count) {
        line_add_body(to, "wake", events->wakes[index]);
    } else if ((index -= events->wake_count) < events->joint_sleep_count) {
        line_add_joint_sleep(to, "joint_sleep", &events->joint_sleeps[index]);
    } else {
        line_add_joint_sleep(to, "joint_wake", &events->joint_wakes[index - events->joint_sleep_count]);
    }
}

uint32_t iso_event_count_with_sleep(const iso_world *world) {
    ISO_ASSERT(world != NULL);
    iso_events events;
    iso_world_get_events(world, &events);
    return iso_event_count(world) + events.sleep_count + events.wake_count + events.joint_sleep_count +
           events.joint_wake_count;
}

uint32_t iso_event_count(const iso_world *world) {
    ISO_ASSERT(world != NULL);
    iso_events events;
    iso_world_get_events(world, &events);
    return events.emit_count + events.joint_break_count + events.removal_count + events.left_world_count;
}

static size_t line_make(line *to, const iso_world *world, uint32_t index) {
    iso_events events;
    iso_world_get_events(world, &events);
    if (index < events.emit_count) {
        const iso_emit_event *emit = &events.emits[index];
        line_add_emit(to, iso_world_get_game(world), emit->code, emit->bytes, emit->size);
    } else if ((index -= events.emit_count) < events.joint_break_count) {
        line_add_break(to, &events.joint_breaks[index], iso_world_get_def(world)->dimensions == 3);
    } else if ((index -= events.joint_break_count) < events.removal_count) {
        const iso_removal_event *removal = &events.removals[index];
        line_add_event(to, "removal");
        line_add_id(to, "body", removal->body.index, removal->body.generation);
        line_add_name(to, "slot");
        line_add(to, "%u", removal->owner.slot);
    } else if ((index -= events.removal_count) < events.left_world_count) {
        line_add_body(to, "left_world", events.left_world[index]);
    } else {
        line_add_sleep(to, &events, index - events.left_world_count);
    }
    line_add(to, "%s", to->json ? "}" : "");
    return to->size;
}

static void line_add_tick(line *to, uint64_t tick) {
    line_add(to, "tick %" PRIu64, tick);
}

size_t iso_game_event_to_text(const iso_game *game, uint64_t tick, uint32_t code, const uint8_t *bytes, uint32_t size,
                              char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT((bytes != NULL || size == 0) && size <= ISO_EMIT_SIZE_MAX && text != NULL);
    line to = {.text = text};
    line_add_tick(&to, tick);
    line_add_emit(&to, game, code, bytes, size);
    return to.size;
}

size_t iso_event_to_text(const iso_world *world, uint32_t index, char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(index < iso_event_count_with_sleep(world));
    line to = {.text = text};
    line_add_tick(&to, iso_world_get_tick(world));
    return line_make(&to, world, index);
}

size_t iso_event_to_json(const iso_world *world, uint32_t index, const char *session, char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(index < iso_event_count_with_sleep(world) && session != NULL);
    line to = {.text = text, .json = true};
    line_add(&to, "{\"session\":\"%s\",\"tick\":%" PRIu64, session, iso_world_get_tick(world));
    return line_make(&to, world, index);
}
