/// What the native codec says of messages: web_verdicts FILE… prints a line "status FILE" for each, with the limits of
/// a client.
#include <stdio.h>

#include "isostep/proto/codec.h"

static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
static uint8_t bytes[ISO_FRAME_MAX_SERVER + 1];

int main(int argc, char **argv) {
    const iso_decode_limits limits = iso_decode_limits_from_server();
    for (int i = 1; i < argc; ++i) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            perror(argv[i]);
            return 1;
        }
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        iso_message message;
        const iso_status status = iso_message_decode(bytes, size, &limits, memory, sizeof memory, &message);
        printf("%d %s\n", (int)status, argv[i]);
    }
    return 0;
}
