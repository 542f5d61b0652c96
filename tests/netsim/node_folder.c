/// The virtual disk as a real folder: a server that starts looks through it with the host's own recovery
/// (server/host/start/recovery.c), which opens and reads files by itself. What it changes goes through
/// host/recordings/disk.h, and is done here with both, so that it takes part in faults, kills and power cuts.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim.h"

static bool shown;
static int folder = -1;
static ino_t inodes[SIM_FILES_MAX]; // of the files of the virtual disk; 0: not there

bool folder_is_shown(void) {
    return shown;
}

int folder_show(sim *s) {
    folder = overlap_folder();
    overlap_empty_folder(); // a process that has failed may have left something
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        const sim_file *file = &s->disk.files[i];
        struct stat info;
        inodes[i] = 0;
        if (!disk_has(file)) {
            continue;
        }
        const int real = openat(folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        const bool copied =
            real >= 0 && write(real, file->bytes, file->size) == (ssize_t)file->size && fstat(real, &info) == 0;
        SIM_CHECK(s, copied, "%s cannot be shown to a real process", file->name);
        close(real);
        inodes[i] = info.st_ino;
    }
    return folder;
}

void folder_begin(sim *s, uint64_t ops_left) {
    s->disk.ops_left = ops_left;
    shown = true;
}

void folder_end(sim *s) {
    shown = false;
    s->disk.ops_left = UINT64_MAX;
    overlap_empty_folder();
}

static int folder_number(const sim *s, int file) {
    struct stat info;
    for (uint32_t i = 0; fstat(file, &info) == 0 && i < s->disk.file_count; ++i) {
        if (inodes[i] == info.st_ino) {
            return (int)i;
        }
    }
    sim_fail(s, "the server works on a file that is not in the folder");
}

iso_status folder_create(sim *s, const char *name, int *file) {
    int number;
    const iso_status status = disk_create(s, name, &number);
    if (status == ISO_OK) {
        struct stat info;
        *file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        SIM_CHECK(s, *file >= 0 && fstat(*file, &info) == 0, "a real file cannot be made");
        inodes[number] = info.st_ino;
    }
    return status;
}

iso_status folder_write(sim *s, int file, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written) {
    const iso_status status = disk_write(s, folder_number(s, file), bytes, size, offset, written);
    const bool done = pwrite(file, bytes, *written, (off_t)offset) == (ssize_t)*written;
    SIM_CHECK(s, done, "a real file cannot be written");
    return status;
}

iso_status folder_sync(sim *s, int file) {
    const int number = folder_number(s, file);
    disk_begin_sync(s);
    return disk_sync(s, number);
}

iso_status folder_truncate(sim *s, int file, uint64_t size) {
    const iso_status status = disk_truncate(s, folder_number(s, file), size);
    SIM_CHECK(s, status != ISO_OK || ftruncate(file, (off_t)size) == 0, "a real file cannot be cut");
    return status;
}

iso_status folder_rename(sim *s, const char *name, const char *new_name) {
    SIM_CHECK(s, strstr(new_name, ISO__RECORDING_DAMAGED) == NULL,
              "%s is put aside: it is damaged where nothing has damaged it", name);
    const iso_status status = disk_rename(s, name, new_name);
    SIM_CHECK(s, status != ISO_OK || renameat(folder, name, folder, new_name) == 0, "a real file cannot be renamed");
    return status;
}

iso_status folder_remove(sim *s, const char *name) {
    const int number = disk_number(s, name);
    const iso_status status = disk_remove(s, name);
    SIM_CHECK(s, status != ISO_OK || unlinkat(folder, name, 0) == 0, "a real file cannot be removed");
    inodes[number] = status == ISO_OK ? 0 : inodes[number];
    return status;
}
