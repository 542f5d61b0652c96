/// isr-edit: a recording that lies.
///
/// Copies a recording with one command changed: the first one at or after a tick that can be changed without changing
/// its size. Checksums are made anew, and as no size changes, the index in the footer stays right. The copy opens
/// strictly; only simulating it shows that the recorded roots are not those of its commands.
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "isostep/proto/recording.h"

static const char help[] =
    "Usage: isr-edit IN OUT --tick T\n"
    "\n"
    "Writes a copy of a recording in which one command at or after tick T is another one, with right checksums.\n"
    "Says which. Exit codes: 0 done; 2 usage; 3 IN is unreadable, OUT cannot be written, or there is no such "
    "command.\n";

/// Makes a command another one of the same size. @return false when this kind is left alone
static bool change(iso_command *command) {
    switch (command->kind) {
    case ISO_COMMAND_SET_CONTROL:
        if (command->as.set_control.size == 0) {
            return false;
        }
        command->as.set_control.bytes[command->as.set_control.size > 1 ? 1 : 0] ^= 0x20;
        return true;
    case ISO_COMMAND_SPAWN_BODY:
        command->as.spawn_body.body.velocity.x ^= ISO_FIX16_ONE;
        return true;
    case ISO_COMMAND_APPLY_FORCE:
        command->as.apply_force.force.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_APPLY_IMPULSE:
        command->as.apply_impulse.impulse.x ^= ISO_WIDE_ONE;
        return true;
    case ISO_COMMAND_SET_VELOCITY:
        command->as.set_velocity.velocity.x ^= ISO_FIX16_ONE;
        return true;
    default:
        return false;
    }
}

/// Changes the first command of a tick that can be, in place. @return its index, or -1
static int32_t change_tick(uint8_t *bytes, const iso_recording_frame *frame, iso_recording_tick_buffer *buffer,
                           iso_recording_tick *tick) {
    if (frame->type != ISO_RECORDING_TICK || iso_recording_read_tick(frame, buffer, tick) != ISO_OK) {
        return -1;
    }
    for (uint32_t i = 0; i < tick->input.command_count; i++) {
        const iso_sealed_command before = buffer->commands[i];
        if (!change(&buffer->commands[i].command) || iso_command_check(&buffer->commands[i].command) != ISO_OK) {
            buffer->commands[i] = before;
            continue;
        }
        uint8_t *copy = malloc(ISO_RECORDING_TICK_FRAME_MAX);
        const size_t size = copy != NULL ? iso_recording_encode_tick(tick, copy, ISO_RECORDING_TICK_FRAME_MAX) : 0;
        const bool fits = size == frame->size + ISO_RECORDING_FRAME_EXTRA_SIZE;
        if (fits) {
            memcpy(bytes + frame->offset, copy, size);
        }
        free(copy);
        return fits ? (int32_t)i : -1;
    }
    return -1;
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (in != NULL && fseek(in, 0, SEEK_END) == 0) {
        const long end = ftell(in);
        rewind(in);
        *size = end > 0 ? (size_t)end : 0;
        bytes = malloc(*size + 1);
        if (bytes != NULL && fread(bytes, 1, *size, in) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return bytes;
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size) {
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        return false;
    }
    const bool whole = fwrite(bytes, 1, size, out) == size;
    return fclose(out) == 0 && whole;
}

/// Changes a command of the recording in `bytes`. @return false when it does not open or has none
static bool edit(uint8_t *bytes, size_t size, uint64_t from) {
    iso_recording recording;
    iso_recording_error error;
    if (iso_recording_open(&recording, bytes, size, ISO_RECORDING_TORN, &error) != ISO_OK) {
        fprintf(stderr, "isr-edit: %s at offset %llu\n", error.what, (unsigned long long)error.offset);
        return false;
    }
    iso_recording_tick_buffer *buffer = malloc(sizeof *buffer);
    uint64_t offset = recording.frames_offset;
    iso_recording_frame frame;
    int32_t index = -1;
    while (buffer != NULL && index < 0 && iso_recording_next(&recording, &offset, &frame)) {
        iso_recording_tick tick;
        if (frame.type != ISO_RECORDING_TICK || iso_recording_read_root(&frame, &tick) != ISO_OK ||
            tick.input.tick < from) {
            continue;
        }
        index = change_tick(bytes, &frame, buffer, &tick);
        if (index >= 0) {
            const iso_sealed_command *command = &buffer->commands[index];
            printf("tick %llu slot %u sequence %llu %s\n", (unsigned long long)tick.input.tick, command->slot,
                   (unsigned long long)command->sequence, iso_command_kind_name(command->command.kind));
        }
    }
    free(buffer);
    if (index < 0) {
        fprintf(stderr, "isr-edit: there is no command at or after tick %llu that can be changed\n",
                (unsigned long long)from);
    }
    return index >= 0;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"tick", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    uint64_t from = 0;
    bool has_tick = false;
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return 0;
        }
        char *end = NULL;
        from = option == 't' ? strtoull(optarg, &end, 10) : 0;
        has_tick = option == 't' && end != optarg && *end == 0;
        if (!has_tick) {
            break;
        }
    }
    if (!has_tick || optind + 2 != argc) {
        fputs(help, stderr);
        return 2;
    }
    size_t size = 0;
    uint8_t *bytes = read_file(argv[optind], &size);
    if (bytes == NULL) {
        fprintf(stderr, "isr-edit: %s: %s\n", argv[optind], strerror(errno));
        return 3;
    }
    bool done = edit(bytes, size, from);
    if (done && !write_file(argv[optind + 1], bytes, size)) {
        fprintf(stderr, "isr-edit: %s: %s\n", argv[optind + 1], strerror(errno));
        done = false;
    }
    free(bytes);
    return done ? 0 : 3;
}
