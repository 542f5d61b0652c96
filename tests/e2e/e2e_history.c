#include "e2e_history.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "e2e.h"
#include "isostep/proto/recording.h"

/// A file, read from end to end.
typedef struct file {
    char path[512];
    uint8_t *bytes;
    size_t size;
    iso_recording recording;
} file;

void e2e_history_init(e2e_history *history, const char *session, uint64_t capacity) {
    *history = (e2e_history){.session = session, .capacity = capacity};
    history->seen = calloc(capacity, sizeof *history->seen);
    history->recorded = calloc(capacity, sizeof *history->recorded);
    history->is_there = calloc(capacity, sizeof *history->is_there);
    assert_true(history->seen != NULL && history->recorded != NULL && history->is_there != NULL);
}

void e2e_history_term(e2e_history *history) {
    free(history->seen);
    free(history->recorded);
    free(history->is_there);
}

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/// Whether it is a recording of this session, sealed or not.
static bool is_of(const char *name, const char *session) {
    size_t size = strlen(session);
    return strncmp(name, session, size) == 0 && name[size] == '-' &&
           (ends_with(name, ".isr") || ends_with(name, ".isr.part"));
}

static void file_read(file *one, const char *folder, const char *name) {
    snprintf(one->path, sizeof one->path, "%s/%s", folder, name);
    FILE *in = fopen(one->path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    one->size = (size_t)ftell(in);
    one->bytes = malloc(one->size + 1);
    assert_non_null(one->bytes);
    rewind(in);
    assert_int_equal(fread(one->bytes, 1, one->size, in), one->size);
    fclose(in);
}

/// @return false: nothing is in it, not even a first state
static bool file_open(file *one, iso_recording_mode mode) {
    iso_recording_error error;
    iso_status status = iso_recording_open(&one->recording, one->bytes, one->size, mode, &error);
    if (status == ISO_ERR_TRUNCATED && mode == ISO_RECORDING_TORN) {
        return false;
    }
    if (status != ISO_OK) {
        fail_msg("%s: %s at %llu: %s", one->path, iso_status_name(status), (unsigned long long)error.offset,
                 error.what);
    }
    return true;
}

static void enter_root(e2e_history *history, const file *one, uint64_t tick, uint64_t root) {
    if (tick >= history->capacity) {
        return;
    }
    if (history->recorded[tick] != 0 && history->recorded[tick] != root) {
        fail_msg("%s has tick %llu with root %016llx, another file with %016llx", one->path, (unsigned long long)tick,
                 (unsigned long long)root, (unsigned long long)history->recorded[tick]);
    }
    history->recorded[tick] = root;
}

static void enter_file(e2e_history *history, const file *one) {
    uint64_t offset = one->recording.frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(&one->recording, &offset, &frame)) {
        iso_recording_tick tick;
        iso_recording_keyframe keyframe;
        if (frame.type == ISO_RECORDING_TICK && iso_recording_read_root(&frame, &tick) == ISO_OK) {
            if (tick.input.tick < history->capacity) {
                history->is_there[tick.input.tick] = true;
            }
            if (tick.has_root) {
                enter_root(history, one, tick.hashed_tick, tick.root);
            }
        } else if (frame.type == ISO_RECORDING_KEYFRAME && iso_recording_read_keyframe(&frame, &keyframe) == ISO_OK) {
            enter_root(history, one, keyframe.tick, keyframe.root);
        }
    }
}

/// @param all_roots  each tick's root must be recorded by now; else that of the last ticks may still have been under
///                   way
static void check_seen(const e2e_history *history, bool all_roots) {
    for (uint64_t tick = 1; tick < history->capacity; ++tick) {
        const uint64_t seen = history->seen[tick], recorded = history->recorded[tick];
        if (seen == 0) {
            continue;
        }
        if (!history->is_there[tick] || (recorded == 0 && all_roots)) {
            fail_msg("tick %llu of %s, which a player saw with root %016llx, is lost", (unsigned long long)tick,
                     history->session, (unsigned long long)seen);
        }
        if (recorded != 0 && recorded != seen) {
            fail_msg("tick %llu of %s, which a player saw with root %016llx, was recorded with %016llx",
                     (unsigned long long)tick, history->session, (unsigned long long)seen,
                     (unsigned long long)recorded);
        }
    }
}

void e2e_history_read(e2e_history *history, const char *folder) {
    const time_t now = time(NULL);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        file one;
        struct stat info;
        if (!is_of(entry->d_name, history->session)) {
            continue;
        }
        snprintf(one.path, sizeof one.path, "%s/%s", folder, entry->d_name);
        assert_int_equal(stat(one.path, &info), 0);
        if (info.st_mtime + 2 < history->read_at) {
            continue;
        }
        file_read(&one, folder, entry->d_name);
        if (file_open(&one, ends_with(entry->d_name, ".part") ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT)) {
            enter_file(history, &one);
        }
        free(one.bytes);
    }
    closedir(dir);
    history->read_at = now;
    check_seen(history, false);
}

static int by_order(const void *a, const void *b) {
    const iso_recording *x = &((const file *)a)->recording, *y = &((const file *)b)->recording;
    if (x->header.epoch != y->header.epoch) {
        return x->header.epoch < y->header.epoch ? -1 : 1;
    }
    return x->header.first_tick < y->header.first_tick ? -1 : x->header.first_tick > y->header.first_tick;
}

/// Each epoch begins where the one before ended, each file of an epoch within the one before.
static void check_chain(const file *files, uint32_t count) {
    assert_int_equal(files[0].recording.header.first_tick, 0);
    for (uint32_t i = 1; i < count; ++i) {
        const iso_recording *a = &files[i - 1].recording, *b = &files[i].recording;
        assert_memory_equal(a->header.uid, b->header.uid, sizeof a->header.uid);
        if (a->header.epoch == b->header.epoch) {
            assert_in_range(b->header.first_tick, a->header.first_tick + 1, a->last_tick);
        } else {
            assert_int_equal(b->header.first_tick, a->last_tick);
        }
    }
}

uint32_t e2e_history_check_sealed(e2e_history *history, const char *folder) {
    enum { FILES_MAX = 4096 };
    static char output[1 << 16];
    file *files = calloc(FILES_MAX, sizeof *files);
    uint32_t count = 0;
    DIR *dir = opendir(folder);
    assert_true(dir != NULL && files != NULL);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (!is_of(entry->d_name, history->session)) {
            continue;
        }
        assert_true(count < FILES_MAX);
        file *one = &files[count++];
        file_read(one, folder, entry->d_name);
        file_open(one, ISO_RECORDING_STRICT);
        enter_file(history, one);
        if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", one->path, NULL}, output, sizeof output) != 0) {
            fail_msg("%s does not verify: %s", one->path, output);
        }
        free(one->bytes);
    }
    closedir(dir);
    assert_true(count > 0);
    qsort(files, count, sizeof files[0], by_order);
    check_chain(files, count);
    check_seen(history, true);
    free(files);
    return count;
}

/// A kill ends a write at any byte: whole frames, of which the last one lacks its end. A whole one would have been
/// judged wrong.
static void check_torn(const char *folder, const char *name) {
    file one;
    file_read(&one, folder, name);
    size_t offset = 0;
    while (offset + ISO_RECORDING_FRAME_HEAD_SIZE <= one.size) {
        const uint8_t *at = one.bytes + offset;
        const uint32_t size = at[2] | (uint32_t)at[3] << 8 | (uint32_t)at[4] << 16 | (uint32_t)at[5] << 24;
        offset += ISO_RECORDING_FRAME_HEAD_SIZE + size + 4;
    }
    if (offset == one.size) {
        fail_msg("%s holds whole frames alone", one.path);
    }
    free(one.bytes);
}

void e2e_history_check_names(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strstr(entry->d_name, ".isr.torn") != NULL) {
            check_torn(folder, entry->d_name);
        } else if (strstr(entry->d_name, ".damaged") != NULL || strstr(entry->d_name, ".ignored") != NULL) {
            fail_msg("the recording %s was put aside", entry->d_name);
        }
    }
    closedir(dir);
}
