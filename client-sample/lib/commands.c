#include "state.h"

#define RING_SIZE (ISO__CLIENT_FLIGHT_MAX + ISO_CLIENT_COMMANDS_MAX)

iso__client_command *iso__client_commands_at(iso__client_input *input, uint32_t index)
{
    return &input->ring[(input->first + index) % RING_SIZE];
}

void iso__client_commands_push(iso__client_input *input, const iso_command *command)
{
    iso__client_command *entry = iso__client_commands_at(input, input->sent_count + input->waiting_count);
    // Field by field: of a whole struct a compiler makes a memmove, which there is none of without a C library.
    __builtin_memcpy(&entry->command, command, sizeof(*command));
    entry->sequence = input->next_sequence;
    entry->target = 0;
    entry->predicted = 0;
    entry->refused = false;
    input->waiting_count += 1;
    input->next_sequence += 1;
}

void iso__client_commands_sealed(iso_client *client, const iso_message_tick *message)
{
    iso__client_input *input = &client->input;
    uint64_t sealed = 0;
    for (uint32_t i = 0; i < message->command_count; i++) {
        sealed = message->commands[i].slot == client->activation.slot ? message->commands[i].sequence : sealed;
    }
    // Commands are sealed in the order of their sequences: what is below the last one has had its turn. One of an input
    // that was refused as a whole never gets one.
    const uint64_t patience = client->welcome.limits.ahead_ticks_max + client->welcome.limits.late_ticks_max;
    while (input->sent_count > 0) {
        const iso__client_command *oldest = iso__client_commands_at(input, 0);
        if (oldest->sequence > sealed && !oldest->refused && oldest->target + patience >= message->tick) {
            break;
        }
        input->first = (input->first + 1u) % RING_SIZE;
        input->sent_count -= 1;
    }
}

void iso__client_commands_refused(iso_client *client, uint64_t sequence)
{
    iso__client_input *input = &client->input;
    for (uint32_t i = 0; i < input->sent_count; i++) {
        iso__client_command *entry = iso__client_commands_at(input, i);
        if (entry->sequence != sequence) {
            continue;
        }
        entry->refused = true;
        if (client->predict != 0 && entry->predicted > client->tick) {
            client->predict->state = ISO__CLIENT_PREDICT_WRONG;
        }
    }
}
