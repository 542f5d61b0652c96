/// A server that starts over a folder of recordings with which anything has happened: bytes are changed, with or
/// without right checksums, files cut, doubled, renamed, removed. What killed servers left is the beginning, a whole
/// start of the host what is tried (find, judge, make the world, step it, do what was noted with the files), then ticks
/// and a kill.
///
/// Held against it: a start that is refused leaves the folder byte for byte; one that is not loses no byte of a whole
/// frame, whatever name it has afterwards; and what it has left can be started from again.
///
/// Each step is u8 what (low nibble), u8 which file; some take more bytes.
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz_input.h"

#include "../recording_repair.h"
#include "../unit/host/host_rig.h"

#define FILES_MAX  12u
#define STARTS_MAX 3u
#define STEPS_MAX  24u

typedef enum step_kind {
    STEP_CHANGE,   // u8, u8 where, u8 which bits
    STEP_REPAIRED, // the same, and right checksums
    STEP_CUT,      // u8, u8 where
    STEP_ZEROS,    // u8 how many at the end, times 16
    STEP_DOUBLE,   // u8 the name of the copy
    STEP_RENAME,   // u8 the new name
    STEP_REMOVE,
    STEP_START, // u8 how long, times 20 ms; its low bits choose what is done with what cannot be gone on from
} step_kind;

typedef struct stored_file {
    char name[HOST_DISK_NAME_SIZE];
    uint8_t *bytes;
    size_t size;
} stored_file;

typedef struct stored_folder {
    stored_file files[FILES_MAX];
    uint32_t count;
} stored_folder;

static stored_folder left; // by servers that were killed: what every input begins with
static iso__options options;
static host_rig *rig;

// ---- folders ----------------------------------------------------------------------------------------

static void folder_free(stored_folder *folder) {
    for (uint32_t i = 0; i < folder->count; ++i) {
        free(folder->files[i].bytes);
    }
    folder->count = 0;
}

static void path_of(char path[400], const char *name) {
    snprintf(path, 400, "%s/%s", the_disk.folder, name);
}

static stored_file file_read(const char *name) {
    stored_file file;
    struct stat info;
    char path[400];
    path_of(path, name);
    FILE *in = fopen(path, "rb");
    FUZZ_CHECK(in != NULL && fstat(fileno(in), &info) == 0);
    FUZZ_CHECK(strlen(name) < sizeof file.name);
    memcpy(file.name, name, strlen(name) + 1);
    file.size = (size_t)info.st_size;
    file.bytes = malloc(file.size + (file.size == 0));
    FUZZ_CHECK(file.bytes != NULL && fread(file.bytes, 1, file.size, in) == file.size);
    fclose(in);
    return file;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const stored_file *)a)->name, ((const stored_file *)b)->name);
}

static stored_folder folder_read(void) {
    stored_folder folder = {.count = 0};
    DIR *dir = opendir(the_disk.folder);
    FUZZ_CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        FUZZ_CHECK(folder.count < FILES_MAX);
        folder.files[folder.count++] = file_read(entry->d_name);
    }
    closedir(dir);
    qsort(folder.files, folder.count, sizeof folder.files[0],
          by_name); // a folder's own order is not the same each time
    return folder;
}

static void file_write(const stored_file *file) {
    char path[400];
    path_of(path, file->name);
    FILE *out = fopen(path, "wb");
    FUZZ_CHECK(out != NULL && fwrite(file->bytes, 1, file->size, out) == file->size && fclose(out) == 0);
}

static const stored_file *find_name(const stored_folder *folder, const char *name) {
    for (uint32_t i = 0; i < folder->count; ++i) {
        if (strcmp(folder->files[i].name, name) == 0) {
            return &folder->files[i];
        }
    }
    return NULL;
}

/// Whether some file begins with these bytes.
static bool has_bytes(const stored_folder *folder, const uint8_t *bytes, size_t size) {
    for (uint32_t i = 0; i < folder->count; ++i) {
        if (folder->files[i].size >= size && memcmp(folder->files[i].bytes, bytes, size) == 0) {
            return true;
        }
    }
    return false;
}

static void check_same(const stored_folder *before, const stored_folder *after) {
    FUZZ_CHECK(before->count == after->count);
    for (uint32_t i = 0; i < before->count; ++i) {
        const stored_file *file = &before->files[i], *now = find_name(after, file->name);
        FUZZ_CHECK(now != NULL && now->size == file->size && memcmp(now->bytes, file->bytes, file->size) == 0);
    }
}

/// Whole frames stay. A file whose first keyframe is not whole may go when it is certain that no tick was in it.
static void check_kept(const stored_folder *before, const stored_folder *after) {
    for (uint32_t i = 0; i < before->count; ++i) {
        const stored_file *file = &before->files[i];
        iso_recording recording;
        iso_recording_error error;
        const iso_status status = iso_recording_open(&recording, file->bytes, file->size, ISO_RECORDING_TORN, &error);
        if (status == ISO_OK) {
            FUZZ_CHECK(has_bytes(after, file->bytes,
                                 (size_t)(recording.is_sealed ? recording.footer_offset : recording.size)));
        } else if (status != ISO_ERR_TRUNCATED) {
            FUZZ_CHECK(has_bytes(after, file->bytes, file->size));
        }
    }
}

// ---- the server -------------------------------------------------------------------------------------

/// @return whether it has started; it was killed then
static bool serve(uint64_t for_ns, uint32_t policy) {
    rig = calloc(1, sizeof *rig);
    FUZZ_CHECK(rig != NULL);
    host_disk_restart();
    host_rig_now_ns += HOST_RIG_SECOND;
    if (options.session_count > 0) {
        rig->options = options;
        rig->options.recover_policy = policy;
        rig->config.options = &rig->options;
        rig->config.roll_size = UINT64_C(1) << 40;
    }
    const bool started = host_rig_start(rig);
    if (started) {
        options = rig->options;
        host_rig_join(rig, 0);
        host_rig_run(rig, for_ns);
    }
    host_rig_end(rig);
    free(rig);
    return started;
}

static void step_start(uint8_t argument, bool names_are_right) {
    stored_folder before = folder_read();
    const uint32_t policy = argument % 4u % 3u;
    const bool started = serve(argument / 4u * 20 * HOST_RIG_MS, policy);
    stored_folder after = folder_read();
    if (started) {
        check_kept(&before, &after);
    } else {
        check_same(&before, &after);
    }
    folder_free(&after);
    if (started) {
        stored_folder between = folder_read();
        if (!serve(20 * HOST_RIG_MS, ISO__RECOVER_REFUSE)) {
            FUZZ_CHECK(!names_are_right);
            stored_folder refused = folder_read();
            check_same(&between, &refused);
            folder_free(&refused);
        }
        folder_free(&between);
    }
    folder_free(&before);
}

static void make_left(void) {
    host_disk_begin();
    host_rig_now_ns = 1000;
    for (uint32_t i = 0; i < 3; ++i) {
        FUZZ_CHECK(serve(700 * HOST_RIG_MS, ISO__RECOVER_REFUSE));
    }
    left = folder_read();
    host_disk_end();
}

// ---- what happens to the files ----------------------------------------------------------------------

/// Names that such a folder can have: of the session's other epochs and numbers, of others, with each end.
static void make_name(char name[HOST_DISK_NAME_SIZE], const char *from, uint8_t choice) {
    static const char *const ends[] = {".isr",         ".isr.part", ".isr.damaged",      ".isr.part.damaged",
                                       ".isr.ignored", ".isr.torn", ".isr.part.ignored", ".tmp"};
    const char *uid = strchr(from, '-');
    snprintf(name, HOST_DISK_NAME_SIZE, "%s%.9s-%u%s", (choice & 128) != 0 ? "other" : "main",
             uid != NULL ? uid : "-00000000", 1u + (choice >> 3 & 3), (choice & 64) != 0 ? ".2" : "");
    strncat(name, ends[choice & 7], HOST_DISK_NAME_SIZE - strlen(name) - 1);
}

static void step_rename(fuzz_input *input, const stored_folder *folder, const stored_file *file, bool keeps) {
    stored_file copy = *file;
    char path[400];
    make_name(copy.name, file->name, fuzz_take(input));
    if (find_name(folder, copy.name) != NULL || folder->count + 4 > FILES_MAX) {
        return;
    }
    file_write(&copy);
    path_of(path, file->name);
    if (!keeps) {
        remove(path);
    }
}

static void step_file(fuzz_input *input, step_kind kind, uint8_t which) {
    stored_folder folder = folder_read();
    if (folder.count == 0) {
        return;
    }
    stored_file *file = &folder.files[which % folder.count];
    char path[400];
    path_of(path, file->name);
    if (kind == STEP_DOUBLE || kind == STEP_RENAME) {
        step_rename(input, &folder, file, kind == STEP_DOUBLE);
    } else if (kind == STEP_REMOVE) {
        remove(path);
    } else if (kind == STEP_ZEROS) {
        const size_t more = 16u * fuzz_take(input);
        file->bytes = realloc(file->bytes, file->size + more + 1);
        FUZZ_CHECK(file->bytes != NULL);
        memset(file->bytes + file->size, 0, more);
        file->size += more;
        file_write(file);
    } else if (file->size > 0) {
        const size_t where =
            ((size_t)fuzz_take(input) | (size_t)fuzz_take(input) << 8) * (file->size / 65536u + 1u) % file->size;
        if (kind == STEP_CUT) {
            file->size = where;
        } else {
            file->bytes[where] ^= (uint8_t)(fuzz_take(input) | 1u);
        }
        if (kind == STEP_REPAIRED) {
            recording_repair(file->bytes, file->size);
        }
        file_write(file);
    }
    folder_free(&folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_input input = {bytes, size};
    uint32_t starts = 0;
    bool names_are_right = true;
    if (left.count == 0) {
        make_left();
    }
    host_disk_begin();
    for (uint32_t i = 0; i < left.count; ++i) {
        file_write(&left.files[i]);
    }
    for (uint32_t i = 0; i < STEPS_MAX && input.size > 0 && starts < STARTS_MAX; ++i) {
        const step_kind kind = (step_kind)(fuzz_take(&input) & 7);
        const uint8_t argument = fuzz_take(&input);
        if (kind == STEP_START) {
            ++starts;
            step_start(argument, names_are_right);
        } else {
            names_are_right = names_are_right && kind != STEP_RENAME && kind != STEP_DOUBLE;
            step_file(&input, kind, argument);
        }
    }
    if (starts < STARTS_MAX) {
        step_start(0, names_are_right);
    }
    host_disk_end();
    return 0;
}
