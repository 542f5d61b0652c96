/// Counting the content of a recording.
#include "info.h"

#include <stdlib.h>
#include <string.h>

static uint32_t cell_of(const info_summary *summary, uint64_t tick) {
    const uint64_t span = summary->last_tick - summary->first_tick;
    if (span == 0 || tick <= summary->first_tick) {
        return 0;
    }
    const uint64_t cell = (tick - summary->first_tick - 1) * INFO_CELLS / span;
    return cell < INFO_CELLS ? (uint32_t)cell : INFO_CELLS - 1;
}

/// The member of a slot in one of its generations, made if it is not known. NULL when there are too many.
static info_member *find_member(info_summary *summary, uint8_t slot, uint32_t generation) {
    for (uint32_t i = summary->member_count; i-- > 0;) {
        if (summary->members[i].slot == slot && summary->members[i].generation == generation) {
            return &summary->members[i];
        }
    }
    if (summary->member_count == INFO_MEMBERS_MAX) {
        return NULL;
    }
    info_member *member = &summary->members[summary->member_count++];
    *member = (info_member){.slot = slot, .generation = generation};
    return member;
}

/// The member that has a slot now.
static info_member *find_present(info_summary *summary, uint8_t slot) {
    for (uint32_t i = summary->member_count; i-- > 0;) {
        if (summary->members[i].slot == slot) {
            return summary->members[i].is_present ? &summary->members[i] : NULL;
        }
    }
    return NULL;
}

static void come(info_member *member, uint64_t tick) {
    member->since = tick;
    member->is_held = false;
}

/// The end of a time in which the member was there.
static void go(info_summary *summary, info_member *member, uint64_t tick) {
    for (uint32_t i = cell_of(summary, member->since); !member->is_held && i <= cell_of(summary, tick); ++i) {
        member->is_there[i] = true;
    }
    member->last_tick = tick;
}

static void count_change(info_summary *summary, const iso_change *change, uint64_t tick) {
    info_member *member = find_member(summary, change->slot, change->slot_generation);
    if (member == NULL) {
        return;
    }
    if (change->kind == ISO_CHANGE_JOIN) {
        member->is_present = true;
        member->first_tick = tick;
        come(member, tick);
    } else if (change->kind == ISO_CHANGE_RESUME) {
        come(member, tick);
    } else if (member->is_present) {
        go(summary, member, tick);
        member->is_held = change->kind == ISO_CHANGE_DROP;
        member->is_present = member->is_held;
        member->drops += member->is_held;
    }
}

static void count_changes(info_summary *summary, const iso_tick_input *input) {
    for (uint32_t i = 0; i < input->change_count; ++i) {
        count_change(summary, &input->changes[i], input->tick);
    }
}

static void count_commands(info_summary *summary, const iso_tick_input *input) {
    const uint32_t cell = cell_of(summary, input->tick);
    summary->cells[cell] += input->command_count;
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso_sealed_command *command = &input->commands[i];
        ++summary->commands[command->command.kind];
        summary->commands_moved += command->moved > 0;
        info_member *member = find_present(summary, command->slot);
        if (member != NULL) {
            ++member->commands;
            ++member->cells[cell];
        }
    }
}

/// Reads an event about a member: its name, that it left; and, in a file that begins later than the session, that it
/// was already there, for which there is no change.
static void count_member_event(info_summary *summary, const iso_recording_event *event) {
    info_member *member =
        event->slot < ISO_SLOT_COUNT_MAX ? find_member(summary, event->slot, event->slot_generation) : NULL;
    if (member == NULL) {
        return;
    }
    if (event->kind == ISO_RECORDING_EVENT_LEFT) {
        member->left_status = event->status;
        return;
    }
    memcpy(member->name, event->name, sizeof member->name);
    const bool came_before = event->kind != ISO_RECORDING_EVENT_MEMBER || event->about_tick < summary->first_tick;
    if (came_before && !member->is_present && member->last_tick == 0) {
        member->is_present = true;
        member->first_tick = summary->first_tick;
        member->last_tick = summary->first_tick;
        come(member, summary->first_tick);
        member->is_held = event->kind == ISO_RECORDING_EVENT_DROPPED;
    }
}

static void count_event(info_summary *summary, const iso_recording_event *event) {
    switch (event->kind) {
    case ISO_RECORDING_EVENT_DESYNC:
        if (summary->desync_count < INFO_DESYNCS_MAX) {
            summary->desyncs[summary->desync_count] = *event;
        }
        ++summary->desync_count;
        summary->has_desync_cells[cell_of(summary, event->about_tick)] = true;
        break;
    case ISO_RECORDING_EVENT_HEALED:
        ++summary->heal_count;
        break;
    case ISO_RECORDING_EVENT_NOTE:
        ++summary->note_count;
        break;
    default:
        count_member_event(summary, event);
    }
}

static iso_status count_frame(info_summary *summary, const iso_recording_frame *frame,
                              iso_recording_tick_buffer *buffer) {
    iso_recording_tick tick;
    iso_recording_event event;
    iso_recording_keyframe keyframe;
    iso_status status = ISO_OK;
    ++summary->frame_count[frame->type];
    summary->frame_bytes[frame->type] += frame->size + ISO_RECORDING_FRAME_EXTRA_SIZE;
    if (frame->type == ISO_RECORDING_TICK) {
        status = iso_recording_read_tick(frame, buffer, &tick);
        if (status == ISO_OK) {
            count_changes(summary, &tick.input);
            count_commands(summary, &tick.input);
        }
    } else if (frame->type == ISO_RECORDING_EVENT) {
        status = iso_recording_read_event(frame, &event);
        if (status == ISO_OK) {
            count_event(summary, &event);
        }
    } else if (frame->type == ISO_RECORDING_KEYFRAME) {
        status = iso_recording_read_keyframe(frame, &keyframe);
        if (status == ISO_OK) {
            summary->has_keyframe_cells[cell_of(summary, keyframe.tick)] = true;
            summary->raw_keyframe_bytes += keyframe.raw_size;
        }
    }
    return status;
}

iso_status iso__replay_info_summary_make(info_summary *summary, const iso_recording *recording) {
    memset(summary, 0, sizeof *summary);
    summary->first_tick = recording->header.first_tick;
    summary->last_tick = recording->last_tick;
    summary->members = calloc(INFO_MEMBERS_MAX, sizeof *summary->members);
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    uint64_t cursor = recording->frames_offset;
    iso_recording_frame frame;
    iso_status status = summary->members != NULL && buffer != NULL ? ISO_OK : ISO_ERR_MEMORY;
    while (status == ISO_OK && iso_recording_next(recording, &cursor, &frame)) {
        status = count_frame(summary, &frame, buffer);
    }
    free(buffer);
    for (uint32_t i = 0; status == ISO_OK && i < summary->member_count; ++i) {
        info_member *member = &summary->members[i];
        if (member->is_present) {
            go(summary, member, recording->last_tick);
        }
    }
    return status;
}

void iso__replay_info_summary_free(info_summary *summary) {
    free(summary->members);
    summary->members = NULL;
}
