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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    check_limits(bytes, size, iso_decode_limits_from_client(), ISO_DECODE_MEMORY_FROM_CLIENT);
    check_limits(bytes, size, iso_decode_limits_from_server(), ISO_DECODE_MEMORY_FROM_SERVER);
    return 0;
}
