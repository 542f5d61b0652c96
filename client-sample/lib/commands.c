#include "commands.h"

#include "actions.h"
#include "invariants.h"
#include "times.h"

iso__client_command *iso__client_commands_at(iso__client_input *input, uint32_t index) {
    ISO_ASSERT(index < ISO__CLIENT_RING_SIZE && input->first < ISO__CLIENT_RING_SIZE);
    return &input->ring[(input->first + index) % ISO__CLIENT_RING_SIZE];
}

void iso__client_commands_push(iso__client_input *input, const iso_command *command) {
    ISO_ASSERT(input->sent_count + input->waiting_count < ISO__CLIENT_RING_SIZE);
    iso__client_command *entry = iso__client_commands_at(input, input->sent_count + input->waiting_count);
    // Field by field: of a whole struct a compiler makes a memmove, which there is none of without a C library.
    __builtin_memcpy(&entry->command, command, sizeof(*command));
    entry->sequence = input->next_sequence;
    entry->target = 0;
    entry->predicted = 0;
    entry->is_refused = false;
    entry->is_sealed = false;
    input->waiting_count += 1;
    input->next_sequence += 1;
}

/// Both are in the order of their sequences.
static void sealed_mark(iso_client *client, const iso_message_tick *message) {
    iso__client_input *input = &client->input;
    uint32_t k = 0;
    for (uint32_t i = 0; i < message->command_count; ++i) {
        const iso_sealed_command *sealed = &message->commands[i];
        if (sealed->slot != client->activation.slot) {
            continue;
        }
        while (k < input->sent_count && iso__client_commands_at(input, k)->sequence < sealed->sequence) {
            k += 1;
        }
        if (k < input->sent_count && iso__client_commands_at(input, k)->sequence == sealed->sequence) {
            iso__client_commands_at(input, k)->is_sealed = true;
        }
        input->sealed_sequence = sealed->sequence;
    }
}

/// Whether a command that was sent has neither been sealed nor refused, and will not be. Commands are sealed in the
/// order of their sequences, so one below the last sealed one will not be sealed any more. A command that the server
/// may not have received yet can still be.
static bool is_lost(const iso_client *client, const iso__client_command *entry, uint64_t tick) {
    const uint64_t patience = client->welcome.limits.ahead_ticks_max + client->welcome.limits.late_ticks_max;
    return entry->sequence <= client->input.sealed_sequence ||
           (entry->sequence <= client->input.heard_sequence && entry->target + patience < tick);
}

void iso__client_commands_sealed(iso_client *client, const iso_message_tick *message) {
    ISO_ASSERT(iso__client_input_fits(&client->input));
    iso__client_input *input = &client->input;
    uint32_t lost_count = 0;
    // A snapshot may be from a time when the slot belonged to another member.
    if (input->sent_count > 0 && message->tick >= client->stats.first_tick) {
        sealed_mark(client, message);
    }
    while (input->sent_count > 0) {
        const iso__client_command *oldest = iso__client_commands_at(input, 0);
        if (!oldest->is_sealed && !oldest->is_refused) {
            if (!is_lost(client, oldest, message->tick) || lost_count == ISO__CLIENT_LOST_PER_TICK) {
                break;
            }
            iso__client_action_push(client, ISO_CLIENT_ACTION_LOST)->sequence = oldest->sequence;
            client->stats.commands_lost += 1;
            lost_count += 1;
        }
        input->first = (input->first + 1u) % ISO__CLIENT_RING_SIZE;
        input->sent_count -= 1;
    }
}

void iso__client_commands_pinged(iso__client_input *input) {
    ISO_ASSERT(iso__client_input_fits(input));
    input->pinged_sequence =
        input->sent_count > 0 ? iso__client_commands_at(input, input->sent_count - 1u)->sequence : 0;
}

void iso__client_commands_heard(iso__client_input *input) {
    ISO_ASSERT(input->pinged_sequence < input->next_sequence);
    input->heard_sequence =
        input->pinged_sequence > input->heard_sequence ? input->pinged_sequence : input->heard_sequence;
}

void iso__client_commands_refused(iso_client *client, uint64_t sequence) {
    ISO_ASSERT(iso__client_input_fits(&client->input));
    iso__client_input *input = &client->input;
    for (uint32_t i = 0; i < input->sent_count; ++i) {
        iso__client_command *entry = iso__client_commands_at(input, i);
        if (entry->sequence != sequence) {
            continue;
        }
        entry->is_refused = true;
        if (client->predict != 0 && entry->predicted > client->tick) {
            client->predict->state = ISO__CLIENT_PREDICT_WRONG;
        }
    }
}
