/// Events as lines. See isostep/proto/event_text.h.
#include "isostep/proto/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"
#include "isostep/proto/diff_text.h"
#include "isostep/shape.h"
#include "isostep/shape3.h"
#include "wire/json_text.h"

typedef struct line {
    char *text;
    size_t size;
    bool json;
    const iso_event_view *view;
} line;

static const iso_event_view view_plain, view_with_sleep = {.has_sleep = true};

__attribute__((format(printf, 2, 3))) static void line_add(line *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->text + to->size, ISO_EVENT_TEXT_SIZE - to->size, format, arguments);
    va_end(arguments);
    ISO_ASSERT(size >= 0 && to->size + (size_t)size < ISO_EVENT_TEXT_SIZE);
    to->size += (size_t)size;
}

/// A text of others, which a file may have brought, within the quotes of a string.
static void line_add_json_text(line *to, const char *text) {
    const uint8_t *at = (const uint8_t *)text;
    const uint8_t *const end = at + strlen(text);
    while (at < end) {
        char character[ISO__JSON_CHARACTER_SIZE];
        at += iso__json_character(at, end, character);
        line_add(to, "%s", character);
    }
}

static void line_add_name(line *to, const char *name) {
    line_add(to, to->json ? ",\"%s\":" : " %s=", name);
}

static void line_add_id(line *to, const char *name, uint32_t index, uint32_t generation) {
    line_add_name(to, name);
    line_add(to, to->json ? "{\"index\":%" PRIu32 ",\"generation\":%" PRIu32 "}" : "%" PRIu32 "/%" PRIu32, index,
             generation);
}

/// An id of what the scene may have a name for.
static void line_add_named(line *to, const char *what, bool is_joint, uint32_t index, uint32_t generation) {
    const iso_event_view *view = to->view;
    const char *name = view->name != NULL ? view->name(view->user, is_joint, index, generation) : NULL;
    line_add_id(to, what, index, generation);
    if (name == NULL || name[0] == 0) {
        return;
    }
    if (!to->json) {
        line_add(to, "(%s)", name);
        return;
    }
    --to->size; // the brace
    line_add(to, ",\"name\":\"");
    line_add_json_text(to, name);
    line_add(to, "\"}");
}

static void line_add_body_id(line *to, const char *what, iso_body_id body) {
    line_add_named(to, what, false, body.index, body.generation);
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
    line_add_named(to, "joint", true, event->joint.index, event->joint.generation);
    line_add_name(to, "tag");
    line_add(to, "%" PRIu32, event->tag);
    line_add_body_id(to, "body_a", event->body_a);
    line_add_body_id(to, "body_b", event->body_b);
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
    line_add_named(to, "joint", true, event->joint.index, event->joint.generation);
    line_add_name(to, "tag");
    line_add(to, "%" PRIu32, event->tag);
}

static void line_add_body(line *to, const char *name, iso_body_id body) {
    line_add_event(to, name);
    line_add_body_id(to, "body", body);
}

static bool is_sensor(const iso_world *world, iso_shape_id shape) {
    iso_body_id body;
    iso_shape_def def;
    iso_shape3_def def3;
    return iso_world_get_def(world)->dimensions == 3
               ? iso_shape3_get(world, shape, &def3, &body) == ISO_OK && def3.is_sensor
               : iso_shape_get(world, shape, &def, &body) == ISO_OK && def.is_sensor;
}

static void line_add_contact(line *to, const iso_world *world, const iso_contact_event *event, bool begins) {
    const bool in_space = iso_world_get_def(world)->dimensions == 3;
    line_add_event(to, begins ? "contact_begin" : "contact_end");
    line_add_body_id(to, "body_a", event->body_a);
    line_add_id(to, "shape_a", event->shape_a.index, event->shape_a.generation);
    line_add_body_id(to, "body_b", event->body_b);
    line_add_id(to, "shape_b", event->shape_b.index, event->shape_b.generation);
    if (!begins) {
        return;
    }
    const bool sensor = is_sensor(world, event->shape_a) || is_sensor(world, event->shape_b);
    line_add_name(to, "sensor");
    line_add(to, "%s", sensor ? "true" : "false");
    if (in_space) {
        line_add_vector3(to, "point", event->point3);
    } else {
        line_add_vector(to, "point", event->point);
    }
    line_add_name(to, "approach_speed");
    line_add_wide(to, event->approach_speed);
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

uint32_t iso_event_view_count(const iso_world *world, const iso_event_view *view) {
    ISO_ASSERT(world != NULL && view != NULL);
    iso_events events;
    iso_world_get_events(world, &events);
    const uint32_t contacts = events.contact_begin_count + events.contact_end_count;
    const uint32_t sleep = events.sleep_count + events.wake_count + events.joint_sleep_count + events.joint_wake_count;
    return events.emit_count + events.joint_break_count + events.removal_count + events.left_world_count +
           (view->has_contacts ? contacts : 0) + (view->has_sleep ? sleep : 0);
}

uint32_t iso_event_count_with_sleep(const iso_world *world) {
    ISO_ASSERT(world != NULL);
    return iso_event_view_count(world, &view_with_sleep);
}

uint32_t iso_event_count(const iso_world *world) {
    ISO_ASSERT(world != NULL);
    return iso_event_view_count(world, &view_plain);
}

/// What comes after the events of every view.
static void line_add_asked(line *to, const iso_world *world, const iso_events *events, uint32_t index) {
    const uint32_t begins = to->view->has_contacts ? events->contact_begin_count : 0;
    const uint32_t ends = to->view->has_contacts ? events->contact_end_count : 0;
    if (index < begins) {
        line_add_contact(to, world, &events->contact_begins[index], true);
    } else if ((index -= begins) < ends) {
        line_add_contact(to, world, &events->contact_ends[index], false);
    } else {
        line_add_sleep(to, events, index - ends);
    }
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
        line_add_body_id(to, "body", removal->body);
        line_add_name(to, "slot");
        line_add(to, "%u", removal->owner.slot);
    } else if ((index -= events.removal_count) < events.left_world_count) {
        line_add_body(to, "left_world", events.left_world[index]);
    } else {
        line_add_asked(to, world, &events, index - events.left_world_count);
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
    line to = {.text = text, .view = &view_plain};
    line_add_tick(&to, tick);
    line_add_emit(&to, game, code, bytes, size);
    return to.size;
}

size_t iso_event_view_to_text(const iso_world *world, const iso_event_view *view, uint32_t index,
                              char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(index < iso_event_view_count(world, view));
    line to = {.text = text, .view = view};
    line_add_tick(&to, iso_world_get_tick(world));
    return line_make(&to, world, index);
}

size_t iso_event_view_to_json(const iso_world *world, const iso_event_view *view, uint32_t index, const char *session,
                              char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(index < iso_event_view_count(world, view) && session != NULL);
    line to = {.text = text, .json = true, .view = view};
    line_add(&to, "{\"session\":\"");
    line_add_json_text(&to, session);
    line_add(&to, "\",\"tick\":%" PRIu64, iso_world_get_tick(world));
    return line_make(&to, world, index);
}

size_t iso_event_to_text(const iso_world *world, uint32_t index, char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(world != NULL && text != NULL);
    return iso_event_view_to_text(world, &view_with_sleep, index, text);
}

size_t iso_event_to_json(const iso_world *world, uint32_t index, const char *session, char text[ISO_EVENT_TEXT_SIZE]) {
    ISO_ASSERT(world != NULL && text != NULL);
    return iso_event_view_to_json(world, &view_with_sleep, index, session, text);
}
