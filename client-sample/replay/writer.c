/// Writing recordings: a file is written as PATH.part and renamed when it is whole.
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isostep/proto/compression.h"

static bool fail(const replay_writer *writer) {
    return iso__replay_fault(writer->path, "written", errno);
}

/// Whether this path leads to that file. @param path  NULL: to none
static bool is_file(const char *path, const struct stat *file) {
    struct stat at;
    return path != NULL && stat(path, &at) == 0 && at.st_dev == file->st_dev && at.st_ino == file->st_ino;
}

bool iso__replay_writer_check_path(const char *path, const char *input, bool force) {
    struct stat out;
    // What is written into a device or a pipe takes nothing's place.
    if (stat(path, &out) != 0 || !S_ISREG(out.st_mode)) {
        return true;
    }
    if (is_file(input, &out)) {
        iso_print(stderr, "isostep-replay: %s: it is the input; name another file\n", path);
        return false;
    }
    if (!force) {
        iso_print(stderr, "isostep-replay: %s: it exists; name another file, or use --force to replace it\n", path);
    }
    return force;
}

/// @return malloc'ed; NULL: no memory
static char *make_part_path(const char *path) {
    char *part = malloc(strlen(path) + sizeof ".part");
    if (part != NULL) {
        sprintf(part, "%s.part", path);
    }
    return part;
}

static bool refuse_part(const char *part) {
    iso_print(stderr,
              "isostep-replay: %s: it exists, and --force does not replace it: the recording is written there until "
              "it is whole; name another file, or remove this one if a run that was ended has left it\n",
              part);
    return false;
}

/// Whether nobody's file is where the recording is written until it is whole. A server writes its own recording under
/// such a name, and a link of that name leads to a file that nobody spoke of.
static bool check_part(const char *part, const char *input) {
    struct stat there;
    if (lstat(part, &there) != 0) {
        return true;
    }
    if (stat(part, &there) != 0 || !is_file(input, &there)) {
        return refuse_part(part);
    }
    iso_print(stderr,
              "isostep-replay: %s: it is the input, and the recording would be written there until it is whole; name "
              "another file\n",
              part);
    return false;
}

/// What a name leads to that is no regular file.
static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)                    ? "a folder"
           : S_ISFIFO(mode)                 ? "a FIFO"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "no regular file";
}

/// Whether the recording may take the place of what has its name. Renaming puts it there instead of a device, a FIFO or
/// a link; it does not write into these.
static bool check_place(const char *path, bool force) {
    struct stat there;
    if (stat(path, &there) == 0) {
        if (!S_ISREG(there.st_mode)) {
            iso_print(stderr,
                      "isostep-replay: %s: it is %s, which --force does not replace either; expected a new name or a "
                      "regular file\n",
                      path, kind_of(there.st_mode));
        }
        return S_ISREG(there.st_mode);
    }
    if (lstat(path, &there) == 0 && !force) {
        iso_print(stderr,
                  "isostep-replay: %s: it is a link that leads to no file; name another file, or use --force to "
                  "replace it\n",
                  path);
        return false;
    }
    return true;
}

bool iso__replay_writer_check_recording(const char *path, const char *input, bool force) {
    char *part = make_part_path(path);
    if (part == NULL) {
        return iso__replay_fault(path, "written", ENOMEM);
    }
    const bool ok =
        check_place(path, force) && iso__replay_writer_check_path(path, input, force) && check_part(part, input);
    free(part);
    return ok;
}

/// The status of the folder that a path's last name is in. @return false when there is none
static bool find_folder(const char *path, struct stat *folder) {
    const char *slash = strrchr(path, '/');
    char *name = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const bool found = name != NULL && stat(name, folder) == 0;
    free(name);
    return found;
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/// Whether two paths lead to one file, or would if it were made.
static bool is_same_place(const char *a, const char *b) {
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0 || (stat(a, &of_a) == 0 && is_file(b, &of_a))) {
        return true;
    }
    return strcmp(last_name(a), last_name(b)) == 0 && find_folder(a, &of_a) && find_folder(b, &of_b) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool iso__replay_writer_check_other(const char *option, const char *path, const char *recording_option,
                                    const char *recording) {
    char *part = make_part_path(recording);
    if (part == NULL) {
        return iso__replay_fault(recording, "written", ENOMEM);
    }
    const bool is_same = is_same_place(path, recording);
    const bool is_part = is_same_place(path, part);
    if (is_same || is_part) {
        iso_print(stderr, "isostep-replay: %s %s: it is the file %s %s; expected two different files\n", option, path,
                  is_same ? "that is written by" : "that is written, until it is whole, by", recording_option);
    }
    free(part);
    return !is_same && !is_part;
}

/// Makes the file that is written, and no other: what came there since the check is not this run's.
static bool create_part(replay_writer *writer) {
    const int fd = open(writer->part_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno == EEXIST ? refuse_part(writer->part_path) : iso__replay_fault(writer->part_path, "made", errno);
    }
    writer->out = fdopen(fd, "wb");
    if (writer->out == NULL) {
        const int error = errno;
        close(fd);
        remove(writer->part_path);
        return iso__replay_fault(writer->part_path, "made", error);
    }
    return true;
}

static bool append(replay_writer *writer, size_t size) {
    if (size == 0) {
        errno = EOVERFLOW;
        return fail(writer);
    }
    if (fwrite(writer->frame, 1, size, writer->out) != size) {
        return fail(writer);
    }
    writer->offset += size;
    return true;
}

/// Makes room for frames of this size.
static bool reserve(replay_writer *writer, size_t size) {
    if (size > writer->frame_capacity) {
        free(writer->frame);
        writer->frame_capacity = size + size / 4;
        writer->frame = malloc(writer->frame_capacity);
    }
    if (writer->frame == NULL) {
        writer->frame_capacity = 0;
        errno = ENOMEM;
        return fail(writer);
    }
    return true;
}

bool iso__replay_writer_open(replay_writer *writer, const char *path, const iso_recording_header *header) {
    memset(writer, 0, sizeof *writer);
    writer->path = path;
    writer->part_path = make_part_path(path);
    writer->index = calloc(ISO_RECORDING_INDEX_MAX, sizeof *writer->index);
    if (writer->part_path == NULL || writer->index == NULL) {
        errno = ENOMEM;
        return fail(writer);
    }
    if (!create_part(writer)) {
        return false;
    }
    writer->last_tick = header->first_tick;
    // A file that is synced once, at its end, has no marks.
    iso_recording_header own = *header;
    own.salt = 0;
    return reserve(writer, iso_recording_head_bound(header->scene_size) + ISO_RECORDING_TICK_FRAME_MAX) &&
           append(writer, iso_recording_encode_head(&own, &writer->chain, writer->frame, writer->frame_capacity));
}

static uint64_t *tick_end(replay_writer *writer, uint64_t tick) {
    return &writer->tick_ends[tick % (ISO_RECORDING_KEYFRAME_LAG_MAX + 1)];
}

/// The index has a limit: beyond it every second entry is left out, as often as needed.
static void note_keyframe(replay_writer *writer, uint64_t tick) {
    if (writer->index_count == ISO_RECORDING_INDEX_MAX) {
        for (uint32_t i = 1; i < writer->index_count / 2; ++i) {
            writer->index[i] = writer->index[2 * i];
        }
        writer->index_count /= 2;
    }
    writer->index[writer->index_count++] = (iso_recording_index_entry){.tick = tick, .offset = writer->offset};
}

bool iso__replay_writer_keyframe(replay_writer *writer, const iso_recording_keyframe *keyframe, const uint8_t *stored) {
    const bool first = writer->index_count == 0;
    iso_recording_keyframe placed = *keyframe;
    placed.ticks_offset = first ? writer->offset : *tick_end(writer, keyframe->tick);
    if (first) {
        *tick_end(writer, keyframe->tick) = writer->offset;
    }
    note_keyframe(writer, keyframe->tick);
    return reserve(writer, iso_recording_keyframe_bound(keyframe->stored_size)) &&
           append(writer, iso_recording_encode_keyframe(&placed, stored, &writer->chain, writer->frame,
                                                        writer->frame_capacity));
}

bool iso__replay_writer_state(replay_writer *writer, iso_world *world, uint64_t root) {
    const size_t raw_size = iso_snapshot_size(world);
    uint8_t *raw = malloc(raw_size);
    const size_t bound = iso_compress_bound(raw_size);
    uint8_t *stored = malloc(bound);
    bool ok = raw != NULL && stored != NULL;
    if (ok) {
        const size_t written = iso_snapshot_encode(world, raw, raw_size);
        const size_t stored_size = iso_compress(raw, written, stored, bound);
        const iso_recording_keyframe keyframe = {.tick = iso_world_get_tick(world),
                                                 .root = root,
                                                 .raw_size = (uint32_t)raw_size,
                                                 .stored_size = (uint32_t)stored_size};
        ok = iso__replay_writer_keyframe(writer, &keyframe, stored);
    } else {
        errno = ENOMEM;
        fail(writer);
    }
    free(raw);
    free(stored);
    return ok;
}

bool iso__replay_writer_tick(replay_writer *writer, const iso_recording_tick *tick) {
    if (!reserve(writer, ISO_RECORDING_TICK_FRAME_MAX) ||
        !append(writer, iso_recording_encode_tick(tick, &writer->chain, writer->frame, writer->frame_capacity))) {
        return false;
    }
    *tick_end(writer, tick->input.tick) = writer->offset;
    writer->last_tick = tick->input.tick;
    if (tick->has_root) {
        iso__replay_writer_root(writer, tick->hashed_tick, tick->root);
    }
    return true;
}

void iso__replay_writer_root(replay_writer *writer, uint64_t tick, uint64_t root) {
    writer->has_root = true;
    writer->root_tick = tick;
    writer->root = root;
}

bool iso__replay_writer_event(replay_writer *writer, const iso_recording_event *event) {
    return reserve(writer, ISO_RECORDING_EVENT_FRAME_MAX) &&
           append(writer, iso_recording_encode_event(event, &writer->chain, writer->frame, writer->frame_capacity));
}

static bool seal(replay_writer *writer) {
    const iso_recording_footer footer = {
        .last_tick = writer->last_tick,
        .is_degraded = writer->is_degraded,
        .has_root = writer->has_root,
        .root_tick = writer->root_tick,
        .root = writer->root,
        .entries = writer->index,
        .entry_count = writer->index_count,
    };
    return reserve(writer, iso_recording_end_bound(writer->index_count)) &&
           append(writer, iso_recording_encode_end(&footer, writer->offset, &writer->chain, writer->frame,
                                                   writer->frame_capacity)) &&
           (fflush(writer->out) == 0 || fail(writer)) && (fsync(fileno(writer->out)) == 0 || fail(writer));
}

bool iso__replay_writer_close(replay_writer *writer, bool whole) {
    bool ok = true;
    if (writer->out != NULL) {
        ok = whole && seal(writer);
        const bool closed = fclose(writer->out) == 0 || fail(writer);
        ok = ok && closed &&
             (rename(writer->part_path, writer->path) == 0 || iso__replay_fault(writer->part_path, "renamed", errno));
        if (!ok) {
            remove(writer->part_path);
        }
    }
    free(writer->part_path);
    free(writer->index);
    free(writer->frame);
    return ok;
}
