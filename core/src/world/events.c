#include "world/events.h"

#include "world/kernel.h"

void iso__events_clear(iso_world *world) {
    iso__event_lists *lists = &world->events;
    lists->contact_begin_count = lists->contact_end_count = lists->joint_break_count = 0;
    lists->sleep_count = lists->wake_count = lists->left_world_count = lists->removal_count = 0;
    lists->joint_sleep_count = lists->joint_wake_count = lists->emit_count = 0;
    lists->crowded_slots = 0;
}

/// The index of the next event of a list; UINT32_MAX when the list is full, and the event is counted as dropped.
static uint32_t events_take(iso_world *world, uint32_t *count) {
    if (*count < world->def.event_capacity) {
        return (*count)++;
    }
    ++world->globals->dropped_events;
    return UINT32_MAX;
}

static void events_add_contact(iso_world *world, iso_contact_event *list, uint32_t *count, const uint32_t shapes[2],
                               const uint32_t bodies[2], const iso_contact_event *impact) {
    const uint32_t place = events_take(world, count);
    if (place == UINT32_MAX) {
        return;
    }
    list[place] = (iso_contact_event){
        .shape_a = {shapes[0], world->shape_generations[shapes[0]]},
        .shape_b = {shapes[1], world->shape_generations[shapes[1]]},
        .body_a = {bodies[0], world->body_generations[bodies[0]]},
        .body_b = {bodies[1], world->body_generations[bodies[1]]},
        .point = impact->point,
        .normal = impact->normal,
        .approach_speed = impact->approach_speed,
        .point3 = impact->point3,
        .normal3 = impact->normal3,
    };
}

static void events_add_body(iso_world *world, iso_body_id *list, uint32_t *count, uint32_t body) {
    const uint32_t place = events_take(world, count);
    if (place != UINT32_MAX) {
        list[place] = (iso_body_id){body, world->body_generations[body]};
    }
}

void iso__event_contact_begin(iso_world *world, const uint32_t shapes[2], const uint32_t bodies[2],
                              const iso_contact_event *impact) {
    events_add_contact(world, world->events.contact_begins, &world->events.contact_begin_count, shapes, bodies, impact);
}

void iso__event_contact_end(iso_world *world, const uint32_t shapes[2], const uint32_t bodies[2]) {
    const iso_contact_event none = {0};
    events_add_contact(world, world->events.contact_ends, &world->events.contact_end_count, shapes, bodies, &none);
}

void iso__event_joint_break(iso_world *world, const iso_joint_event *event) {
    const uint32_t place = events_take(world, &world->events.joint_break_count);
    if (place != UINT32_MAX) {
        world->events.joint_breaks[place] = *event;
    }
}

static void events_add_joint(iso_world *world, iso_joint_sleep_event *list, uint32_t *count, uint32_t joint,
                             uint32_t tag) {
    const uint32_t place = events_take(world, count);
    if (place != UINT32_MAX) {
        list[place] = (iso_joint_sleep_event){{joint, world->joint_generations[joint]}, tag};
    }
}

void iso__event_joint_sleep(iso_world *world, uint32_t joint, uint32_t tag) {
    events_add_joint(world, world->events.joint_sleeps, &world->events.joint_sleep_count, joint, tag);
}

void iso__event_joint_wake(iso_world *world, uint32_t joint, uint32_t tag) {
    events_add_joint(world, world->events.joint_wakes, &world->events.joint_wake_count, joint, tag);
}

void iso__event_sleep(iso_world *world, uint32_t body) {
    events_add_body(world, world->events.sleeps, &world->events.sleep_count, body);
}

void iso__event_wake(iso_world *world, uint32_t body) {
    events_add_body(world, world->events.wakes, &world->events.wake_count, body);
}

void iso__event_removal(iso_world *world, uint32_t body) {
    world->events.removals[world->events.removal_count++] = (iso_removal_event){
        .body = {body, world->body_generations[body]},
        .owner = world->kernel->body_owner(world, body),
    };
}

void iso__event_left_world(iso_world *world, uint32_t body) {
    events_add_body(world, world->events.left_world, &world->events.left_world_count, body);
}

iso_status iso_world_emit(iso_world *world, uint32_t code, const void *bytes, size_t size) {
    if (!world->is_stepping) {
        return ISO_ERR_STATE;
    }
    const iso_game_event *named = iso_game_find_event(world->game, code);
    if (size > (bytes == NULL ? 0 : ISO_EMIT_SIZE_MAX) || (named != NULL && size != named->size)) {
        return ISO_ERR_RANGE;
    }
    const uint32_t place = events_take(world, &world->events.emit_count);
    if (place == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso_emit_event *event = &world->events.emits[place];
    *event = (iso_emit_event){.code = code, .size = (uint32_t)size};
    for (size_t i = 0; i < size; ++i) {
        event->bytes[i] = ((const uint8_t *)bytes)[i];
    }
    return ISO_OK;
}

void iso_world_get_events(const iso_world *world, iso_events *events) {
    const iso__event_lists *lists = &world->events;
    *events = (iso_events){
        .tick = world->globals->tick,
        .contact_begins = lists->contact_begins,
        .contact_ends = lists->contact_ends,
        .joint_breaks = lists->joint_breaks,
        .joint_sleeps = lists->joint_sleeps,
        .joint_wakes = lists->joint_wakes,
        .sleeps = lists->sleeps,
        .wakes = lists->wakes,
        .left_world = lists->left_world,
        .removals = lists->removals,
        .emits = lists->emits,
        .contact_begin_count = lists->contact_begin_count,
        .contact_end_count = lists->contact_end_count,
        .joint_break_count = lists->joint_break_count,
        .joint_sleep_count = lists->joint_sleep_count,
        .joint_wake_count = lists->joint_wake_count,
        .sleep_count = lists->sleep_count,
        .wake_count = lists->wake_count,
        .left_world_count = lists->left_world_count,
        .removal_count = lists->removal_count,
        .emit_count = lists->emit_count,
    };
}
