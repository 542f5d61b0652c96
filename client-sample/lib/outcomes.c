#include "outcomes.h"

#include "isostep/assert.h"

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_bytes(const uint8_t *a, const uint8_t *b, uint32_t size) {
    uint32_t i = 0;
    while (i < size && a[i] == b[i]) {
        i += 1;
    }
    return i == size ? 0 : a[i] < b[i] ? -1 : 1;
}

static int outcome_compare(const iso_client_outcome *a, const iso_client_outcome *b) {
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    const int first = compare_u64(a->first, b->first);
    const int second = compare_u64(a->second, b->second);
    if (first != 0 || second != 0) {
        return first != 0 ? first : second;
    }
    return a->kind == ISO_CLIENT_OUTCOME_EMIT ? compare_bytes(a->bytes, b->bytes, ISO_EMIT_SIZE_MAX)
                                              : (a->status > b->status) - (a->status < b->status);
}

static void list_add(iso__client_outcome_list *list, iso_client_outcome outcome) {
    if (list->count == ISO_CLIENT_OUTCOMES_MAX) {
        list->left_out += 1;
        return;
    }
    uint32_t at = list->count;
    // They come nearly in order: hardly anything moves.
    while (at > 0 && outcome_compare(&outcome, &list->items[at - 1u]) < 0) {
        list->items[at] = list->items[at - 1u];
        at -= 1;
    }
    list->items[at] = outcome;
    list->count += 1;
}

static void list_add_ids(iso__client_outcome_list *list, uint8_t kind, uint64_t first, uint64_t second) {
    list_add(list, (iso_client_outcome){.kind = kind, .tick = list->tick, .first = first, .second = second});
}

static void list_add_contacts(iso__client_outcome_list *list, uint8_t kind, const iso_contact_event *contacts,
                              uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        list_add_ids(list, kind, iso_id_pack(contacts[i].shape_a.index, contacts[i].shape_a.generation),
                     iso_id_pack(contacts[i].shape_b.index, contacts[i].shape_b.generation));
    }
}

static void list_add_bodies(iso__client_outcome_list *list, uint8_t kind, const iso_body_id *bodies, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        list_add_ids(list, kind, iso_id_pack(bodies[i].index, bodies[i].generation), 0);
    }
}

static void list_add_joints(iso__client_outcome_list *list, uint8_t kind, const iso_joint_sleep_event *joints,
                            uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        list_add_ids(list, kind, iso_id_pack(joints[i].joint.index, joints[i].joint.generation), joints[i].tag);
    }
}

static void list_add_emits(iso__client_outcome_list *list, const iso_emit_event *emits, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        iso_client_outcome outcome = {
            .kind = ISO_CLIENT_OUTCOME_EMIT, .tick = list->tick, .first = emits[i].code, .second = emits[i].size};
        __builtin_memcpy(outcome.bytes, emits[i].bytes, sizeof(outcome.bytes));
        list_add(list, outcome);
    }
}

/// What is rare and important comes before contacts and sleep, of which there may be more than fit.
static void list_add_events(iso__client_outcome_list *list, const iso_world *world) {
    iso_events events;
    iso_world_get_events(world, &events);
    list_add_emits(list, events.emits, events.emit_count);
    for (uint32_t i = 0; i < events.joint_break_count; ++i) {
        const iso_joint_id joint = events.joint_breaks[i].joint;
        list_add_ids(list, ISO_CLIENT_OUTCOME_JOINT_BREAK, iso_id_pack(joint.index, joint.generation),
                     events.joint_breaks[i].tag);
    }
    list_add_bodies(list, ISO_CLIENT_OUTCOME_LEFT_WORLD, events.left_world, events.left_world_count);
    for (uint32_t i = 0; i < events.removal_count; ++i) {
        const iso_body_id body = events.removals[i].body;
        list_add_ids(list, ISO_CLIENT_OUTCOME_REMOVAL, iso_id_pack(body.index, body.generation), 0);
    }
    list_add_contacts(list, ISO_CLIENT_OUTCOME_CONTACT_BEGIN, events.contact_begins, events.contact_begin_count);
    list_add_contacts(list, ISO_CLIENT_OUTCOME_CONTACT_END, events.contact_ends, events.contact_end_count);
    list_add_bodies(list, ISO_CLIENT_OUTCOME_SLEEP, events.sleeps, events.sleep_count);
    list_add_bodies(list, ISO_CLIENT_OUTCOME_WAKE, events.wakes, events.wake_count);
    list_add_joints(list, ISO_CLIENT_OUTCOME_JOINT_SLEEP, events.joint_sleeps, events.joint_sleep_count);
    list_add_joints(list, ISO_CLIENT_OUTCOME_JOINT_WAKE, events.joint_wakes, events.joint_wake_count);
}

static void list_collect(iso__client_outcome_list *list, const iso_world *world, uint8_t slot,
                         const iso_tick_input *input) {
    uint32_t result_count;
    const iso_command_result *results = iso_world_get_results(world, &result_count);
    list->tick = input->tick;
    list->count = 0;
    list->left_out = 0;
    for (uint32_t i = 0; i < input->command_count && i < result_count; ++i) {
        if (input->commands[i].slot == slot) {
            list_add(list, (iso_client_outcome){
                               .kind = ISO_CLIENT_OUTCOME_RESULT,
                               .tick = input->tick,
                               .first = input->commands[i].sequence,
                               .second = results[i].id,
                               .status = results[i].status,
                           });
        }
    }
    list_add_events(list, world);
}

static void mark(iso__client_outcomes *outcomes, const iso_client_outcome *outcome, uint8_t as) {
    const uint32_t capacity = sizeof(outcomes->marked) / sizeof(outcomes->marked[0]);
    if (outcomes->marked_count < capacity) {
        outcomes->marked[outcomes->marked_count] = *outcome;
        outcomes->marked[outcomes->marked_count].mark = as;
        outcomes->marked_count += 1;
    }
}

/// Merges the outcomes predicted for a tick with the new ones, both in order.
/// @param unchanged  the mark of what both have; 0: none
static void list_compare(iso__client_outcomes *outcomes, const iso__client_outcome_list *before,
                         const iso__client_outcome_list *now, uint8_t fresh, uint8_t unchanged) {
    uint32_t b = 0, n = 0;
    while (b < before->count || n < now->count) {
        const int order = b == before->count ? 1
                          : n == now->count  ? -1
                                             : outcome_compare(&before->items[b], &now->items[n]);
        if (order < 0) {
            mark(outcomes, &before->items[b], ISO_CLIENT_MARK_WITHDRAWN);
        } else if (order > 0) {
            mark(outcomes, &now->items[n], fresh);
        } else if (unchanged != 0) {
            mark(outcomes, &now->items[n], unchanged);
        }
        b += order <= 0;
        n += order >= 0;
    }
}

static iso__client_outcome_list *list_of(iso__client_outcomes *outcomes, uint64_t tick) {
    iso__client_outcome_list *list = &outcomes->predicted[tick % ISO__CLIENT_OUTCOME_TICKS];
    if (list->tick != tick) {
        list->tick = tick;
        list->count = 0;
        list->left_out = 0;
    }
    return list;
}

uint32_t iso__client_outcomes_confirm(iso__client_outcomes *outcomes, const iso_world *world, uint8_t slot,
                                      const iso_tick_input *input) {
    ISO_ASSERT(slot < ISO_SLOT_COUNT_MAX && input->tick == iso_world_get_tick(world));
    iso__client_outcome_list *predicted = list_of(outcomes, input->tick);
    list_collect(&outcomes->scratch, world, slot, input);
    list_compare(outcomes, predicted, &outcomes->scratch, ISO_CLIENT_MARK_CONFIRMED, ISO_CLIENT_MARK_CONFIRMED);
    predicted->count = 0;
    return outcomes->scratch.left_out;
}

void iso__client_outcomes_predict(iso__client_outcomes *outcomes, const iso_world *world, uint8_t slot,
                                  const iso_tick_input *input) {
    ISO_ASSERT(slot < ISO_SLOT_COUNT_MAX && input->tick == iso_world_get_tick(world));
    iso__client_outcome_list *predicted = list_of(outcomes, input->tick);
    list_collect(&outcomes->scratch, world, slot, input);
    list_compare(outcomes, predicted, &outcomes->scratch, ISO_CLIENT_MARK_PREDICTED, 0);
    *predicted = outcomes->scratch;
}

void iso__client_outcomes_withdraw_after(iso__client_outcomes *outcomes, uint64_t tick) {
    ISO_ASSERT(outcomes->marked_count <= sizeof(outcomes->marked) / sizeof(outcomes->marked[0]));
    for (uint32_t i = 0; i < ISO__CLIENT_OUTCOME_TICKS; ++i) {
        iso__client_outcome_list *list = &outcomes->predicted[i];
        for (uint32_t k = 0; list->tick > tick && k < list->count; ++k) {
            mark(outcomes, &list->items[k], ISO_CLIENT_MARK_WITHDRAWN);
        }
        list->count = list->tick > tick ? 0 : list->count;
    }
}
