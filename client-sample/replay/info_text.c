/// The summary of a recording for people: lines of facts, then a drawn timeline.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"

#define NAME_COLUMNS 14

/// "1,234,567".
static const char *grouped(uint64_t value, char *text) {
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *out = text;
    for (int i = 0; i < size; ++i) {
        if (i > 0 && (size - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = 0;
    return text;
}

/// "0:07.5", "1:02:03.0" after the recording's first tick.
static const char *clock_text(const iso_recording *recording, uint64_t tick, char *text, size_t size) {
    const uint64_t from = recording->header.first_tick;
    const uint64_t tenths = (tick > from ? tick - from : 0) * 10 / recording->header.def.tick_rate_hz;
    const unsigned minutes = (unsigned)(tenths / 600 % 60);
    const unsigned seconds = (unsigned)(tenths / 10 % 60);
    if (tenths >= 36000) {
        snprintf(text, size, "%" PRIu64 ":%02u:%02u.%u", tenths / 36000, minutes, seconds, (unsigned)(tenths % 10));
    } else {
        snprintf(text, size, "%u:%02u.%u", minutes, seconds, (unsigned)(tenths % 10));
    }
    return text;
}

static void print_identity(const replay_file *file) {
    const iso_recording *recording = &file->recording;
    const iso_recording_header *header = &recording->header;
    iso_print(stdout, "session    %s, epoch %u, uid ", header->session, header->epoch);
    for (size_t i = 0; i < ISO_RECORDING_UID_SIZE; ++i) {
        printf("%02x", header->uid[i]);
    }
    iso_print(stdout, "\nscene      %s, %u bytes, hash %016" PRIx64 "\n", header->scene_name, header->scene_size,
              header->scene_hash);
    iso_print(stdout, "world      %u Hz, %u substep%s, seed %" PRIu64 ", game %s\n", header->def.tick_rate_hz,
              header->def.substep_count, iso_text_plural(header->def.substep_count), header->def.seed,
              header->def.game[0] != 0 ? header->def.game : "none");
    iso_print(stdout, "recorded   by %s, format %u, %s\n", header->build[0] != 0 ? header->build : "an unnamed build",
              recording->version,
              recording->is_degraded ? "ended before its session by a disk error"
              : recording->goes_on   ? "sealed; its session continues"
              : recording->is_sealed ? "sealed"
                                     : "not sealed");
    const iso_game *game = header->def.game[0] != 0 ? iso__replay_game_known(header->def.game) : NULL;
    iso_fingerprint own;
    iso_fingerprint_make(&header->def, game, &own);
    printf("core       simulation %u, schema %016" PRIx64 ", arithmetic %016" PRIx64 ": %s\n",
           header->fingerprint.simulation_version, header->fingerprint.schema, header->fingerprint.arithmetic,
           iso_fingerprint_equal(&own, &header->fingerprint) ? "as this build's"
                                                             : "another version, this build cannot simulate it");
}

static void print_extent(const replay_file *file, const info_summary *summary, const uint64_t *last_root) {
    const iso_recording *recording = &file->recording;
    char number[32], time[32];
    printf("time       %s, ticks %" PRIu64 " to %" PRIu64 "\n",
           clock_text(recording, recording->last_tick, time, sizeof time), recording->header.first_tick,
           recording->last_tick);
    if (last_root != NULL) {
        printf("last root  %016" PRIx64 "\n", *last_root);
    }
    printf("bytes      %s", grouped(recording->file_size, number));
    if (recording->tick_count > 0) {
        const double ticks = (double)recording->tick_count;
        printf(", %.1f a tick, %.2f kB a second", (double)recording->file_size / ticks,
               (double)recording->file_size / ticks * recording->header.def.tick_rate_hz / 1000);
    }
    if (recording->size < recording->file_size) {
        printf(", of which the last %s are %s", grouped(recording->file_size - recording->size, number),
               recording->torn_offset > 0 ? "a torn end" : "not committed");
    }
    printf("\n");
    const uint64_t keyframes = summary->frame_count[ISO_RECORDING_KEYFRAME];
    const uint64_t keyframe_bytes =
        summary->frame_bytes[ISO_RECORDING_KEYFRAME] + summary->frame_bytes[ISO_RECORDING_CHUNK];
    const struct {
        const char *name;
        uint64_t count, bytes;
    } rows[] = {
        {"ticks", summary->frame_count[ISO_RECORDING_TICK], summary->frame_bytes[ISO_RECORDING_TICK]},
        {"keyframes", keyframes, keyframe_bytes},
        {"events", summary->frame_count[ISO_RECORDING_EVENT], summary->frame_bytes[ISO_RECORDING_EVENT]},
        {"marks", summary->frame_count[ISO_RECORDING_MARK], summary->frame_bytes[ISO_RECORDING_MARK]},
        {"header", 1, recording->frames_offset},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].count == 0) {
            continue;
        }
        printf("           %-9s %9s", rows[i].name, grouped(rows[i].count, number));
        printf(" %13s bytes %12.1f each", grouped(rows[i].bytes, number),
               (double)rows[i].bytes / (double)rows[i].count);
        if (rows[i].bytes == keyframe_bytes && keyframes > 0) {
            printf(", %.1f times compressed", (double)summary->raw_keyframe_bytes / (double)keyframe_bytes);
        }
        printf("\n");
    }
}

static void print_commands(const info_summary *summary) {
    uint64_t total = 0;
    char number[32];
    for (uint32_t kind = 0; kind < 256; ++kind) {
        total += summary->commands[kind];
    }
    printf("commands   %s", grouped(total, number));
    const char *separator = ": ";
    for (uint32_t kind = 0; kind < 256; ++kind) {
        if (summary->commands[kind] > 0) {
            printf("%s%s %s", separator, iso_command_kind_name((uint8_t)kind),
                   grouped(summary->commands[kind], number));
            separator = ", ";
        }
    }
    if (summary->commands_moved > 0) {
        printf("; %s came late and were moved", grouped(summary->commands_moved, number));
    }
    printf("\n");
}

/// A text in a column of NAME_COLUMNS characters, of which at most `most` are its own; longer when `most` is.
static void print_column(const char *text, size_t most) {
    char shown[ISO_RECORDING_TEXT_MAX + 16];
    snprintf(shown, sizeof shown, "%s", text);
    iso_text_make_printable(shown); // from here on it is UTF-8
    size_t size = 0, count = 0;
    while (shown[size] != 0 && count < most) {
        ++size;
        count += ((unsigned char)shown[size] & 0xC0) != 0x80; // another character begins, or the text ends
    }
    iso_print(stdout, "%.*s%*s", (int)size, shown, count < NAME_COLUMNS ? (int)(NAME_COLUMNS - count) : 0, "");
}

static void print_members(const iso_recording *recording, const info_summary *summary) {
    printf("members    %u\n", summary->member_count);
    for (uint32_t i = 0; i < summary->member_count; ++i) {
        const info_member *member = &summary->members[i];
        char from[32], to[32], number[32];
        printf("           slot %-2u ", member->slot);
        print_column(member->name[0] != 0 ? member->name : "-", SIZE_MAX);
        printf(" %8s to %-8s %8s commands", clock_text(recording, member->first_tick, from, sizeof from),
               clock_text(recording, member->last_tick, to, sizeof to), grouped(member->commands, number));
        if (member->drops > 0) {
            printf(", connection lost %" PRIu64 " time%s", member->drops, iso_text_plural(member->drops));
        }
        if (member->is_present) {
            printf(member->is_held ? ", held" : ", there at the end");
        } else if (member->left_status != ISO_OK) {
            printf(", ended by %s", iso_status_name((iso_status)member->left_status));
        }
        printf("\n");
    }
}

static void print_desyncs(const info_summary *summary) {
    printf("desyncs    %" PRIu64, summary->desync_count);
    if (summary->heal_count > 0) {
        printf(", %" PRIu64 " healed", summary->heal_count);
    }
    printf("\n");
    for (uint64_t i = 0; i < summary->desync_count && i < 8; ++i) {
        const iso_recording_event *event = &summary->desyncs[i];
        printf("           tick %" PRIu64 " slot %u: the session's root %016" PRIx64 ", the member's %016" PRIx64 "\n",
               event->about_tick, event->slot, event->root, event->other_root);
    }
    if (summary->desync_count > 8) {
        printf("           and %" PRIu64 " more\n", summary->desync_count - 8);
    }
}

// ---- The timeline ---------------------------------------------------------------------------------

static void print_label(const char *text, unsigned slot) {
    char label[ISO_RECORDING_TEXT_MAX + 16];
    snprintf(label, sizeof label, "%u %s", slot, text);
    print_column(slot < ISO_SLOT_COUNT_MAX ? label : text, NAME_COLUMNS - 1);
}

/// Commands per second as a row of bars that all have the same scale. @param there  NULL: everywhere
static void print_bars(const uint32_t *cells, const bool *there, uint32_t largest) {
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (uint32_t i = 0; i < INFO_CELLS; ++i) {
        if (cells[i] > 0) {
            fputs(bars[(cells[i] * UINT64_C(8) - 1) / largest], stdout);
        } else {
            fputs(there == NULL || there[i] ? "·" : " ", stdout);
        }
    }
}

static void print_marks(const char *label, const bool *cells, const char *mark) {
    bool any = false;
    for (uint32_t i = 0; i < INFO_CELLS; ++i) {
        any = any || cells[i];
    }
    if (!any) {
        return;
    }
    print_label(label, UINT32_MAX);
    for (uint32_t i = 0; i < INFO_CELLS; ++i) {
        fputs(cells[i] ? mark : " ", stdout);
    }
    printf("\n");
}

static uint32_t largest_of(const uint32_t *cells) {
    uint32_t largest = 1;
    for (uint32_t i = 0; i < INFO_CELLS; ++i) {
        largest = cells[i] > largest ? cells[i] : largest;
    }
    return largest;
}

static void print_timeline(const iso_recording *recording, const info_summary *summary) {
    char end[32];
    clock_text(recording, recording->last_tick, end, sizeof end);
    const double cell_seconds = (double)recording->tick_count / recording->header.def.tick_rate_hz / (double)INFO_CELLS;
    printf("\n");
    print_label("", UINT32_MAX);
    printf("0:00.0%*s\n", (int)INFO_CELLS - 6, end);
    const uint32_t largest = largest_of(summary->cells);
    print_label("commands", UINT32_MAX);
    print_bars(summary->cells, NULL, largest);
    if (recording->command_count > 0) {
        printf(" up to %.0f/s", (double)largest / cell_seconds);
    }
    printf("\n");
    uint32_t largest_member = 1;
    for (uint32_t i = 0; i < summary->member_count; ++i) {
        const uint32_t own = largest_of(summary->members[i].cells);
        largest_member = own > largest_member ? own : largest_member;
    }
    for (uint32_t i = 0; i < summary->member_count && i < 40; ++i) {
        const info_member *member = &summary->members[i];
        print_label(member->name[0] != 0 ? member->name : "-", member->slot);
        print_bars(member->cells, member->is_there, largest_member);
        if (i == 0 && recording->command_count > 0) {
            printf(" up to %.0f/s", (double)largest_member / cell_seconds);
        }
        printf("\n");
    }
    if (summary->member_count > 40) {
        printf("and %u more members\n", summary->member_count - 40);
    }
    print_marks("keyframes", summary->has_keyframe_cells, "◆");
    print_marks("desyncs", summary->has_desync_cells, "✗");
}

void iso__replay_info_print(const replay_file *file, const info_summary *summary, const uint64_t *last_root) {
    const iso_recording *recording = &file->recording;
    print_identity(file);
    print_extent(file, summary, last_root);
    print_commands(summary);
    print_members(recording, summary);
    print_desyncs(summary);
    if (recording->tick_count > 0) {
        print_timeline(recording, summary);
    }
}
