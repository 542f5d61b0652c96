/// Any bytes as an envelope, under both sides' limits. What is accepted must encode, and come back the same.
#include "fuzz.h"

#include "isostep/proto/codec.h"

static _Alignas(16) uint8_t decode_memory[ISO_DECODE_MEMORY_FROM_SERVER];
static _Alignas(16) uint8_t again_memory[ISO_DECODE_MEMORY_FROM_SERVER];
static _Alignas(16) uint8_t encode_memory[ISO_ENCODE_MEMORY_SIZE];
// A message that came in an unusually short form can grow when it is written in ours.
static uint8_t first[4 * ISO_FRAME_MAX_SERVER];
static uint8_t second[4 * ISO_FRAME_MAX_SERVER];

static void check_limits(const uint8_t *bytes, size_t size, iso_decode_limits limits, size_t memory_size) {
    iso_message message;
    if (iso_message_decode(bytes, size, &limits, decode_memory, memory_size, &message) != ISO_OK) {
        return;
    }
    size_t first_size = 0;
    FUZZ_CHECK(iso_message_encode(&message, encode_memory, sizeof encode_memory, first, sizeof first, &first_size) ==
               ISO_OK);

    limits.size_max = sizeof first;
    iso_message back;
    FUZZ_CHECK(iso_message_decode(first, first_size, &limits, again_memory, sizeof again_memory, &back) == ISO_OK);
    FUZZ_CHECK(back.kind == message.kind);
    size_t second_size = 0;
    FUZZ_CHECK(iso_message_encode(&back, encode_memory, sizeof encode_memory, second, sizeof second, &second_size) ==
               ISO_OK);
    FUZZ_CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
}

/// An INPUT that is read in full is counted right, and its kind is seen before.
static void check_count(const uint8_t *bytes, size_t size) {
    iso_decode_limits limits = iso_decode_limits_from_client();
    iso_message whole, counted;
    const iso_status status =
        iso_message_decode(bytes, size, &limits, decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &whole);
    if (status == ISO_OK) {
        FUZZ_CHECK(iso_message_peek(bytes, size, &limits) == whole.kind);
    }
    limits.commands = ISO_DECODE_COMMANDS_COUNTED;
    const iso_status count =
        iso_message_decode(bytes, size, &limits, again_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &counted);
    if (status != ISO_OK || whole.kind != ISO_MESSAGE_INPUT) {
        return;
    }
    const iso_message_input *a = &whole.as.input, *b = &counted.as.input;
    FUZZ_CHECK(count == ISO_OK && counted.kind == ISO_MESSAGE_INPUT && b->commands == NULL);
    FUZZ_CHECK(a->target_tick == b->target_tick && a->first_sequence == b->first_sequence &&
               a->ack_tick == b->ack_tick && a->command_count == b->command_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    iso_decode_limits from_client = iso_decode_limits_from_client();
    check_count(bytes, size);
    from_client.commands = ISO_DECODE_COMMANDS_CHECKED;
    check_limits(bytes, size, from_client, ISO_DECODE_MEMORY_FROM_CLIENT);
    check_limits(bytes, size, iso_decode_limits_from_server(), ISO_DECODE_MEMORY_FROM_SERVER);
    return 0;
}
