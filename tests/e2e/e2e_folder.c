/// Folders of recordings: what is in them, and whether something has changed.
#include "e2e.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isostep/proto/recording.h"

static int by_name(const void *a, const void *b) {
    return strcmp(((const e2e_file *)a)->name, ((const e2e_file *)b)->name);
}

static void read_file(const char *folder, e2e_file *file) {
    char path[512];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &info), 0);
    file->modified_ns = (uint64_t)info.st_mtim.tv_sec * E2E_S + (uint64_t)info.st_mtim.tv_nsec;
    file->size = (size_t)info.st_size;
    file->bytes = malloc(file->size + 1);
    assert_non_null(file->bytes);
    assert_int_equal(read(fd, file->bytes, file->size), file->size);
    close(fd);
}

bool e2e_recording_has_begun(const char *path, uint64_t *durable_size) {
    static uint8_t bytes[1 << 22];
    iso_recording recording;
    iso_recording_error error;
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    bool has_begun =
        size >= 0 && iso_recording_open(&recording, bytes, (uint64_t)size, ISO_RECORDING_TORN, &error) == ISO_OK;
    if (durable_size != NULL) {
        *durable_size = has_begun ? recording.durable_offset : 0;
    }
    return has_begun;
}

e2e_image *e2e_folder_read(const char *folder) {
    e2e_image *image = calloc(1, sizeof *image);
    DIR *dir = opendir(folder);
    assert_non_null(image);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        // The lock's file says who has it.
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "server.lock") == 0) {
            continue;
        }
        assert_true(image->count < E2E_FILES_MAX);
        e2e_file *file = &image->files[image->count++];
        snprintf(file->name, sizeof file->name, "%s", entry->d_name);
        read_file(folder, file);
    }
    closedir(dir);
    qsort(image->files, image->count, sizeof image->files[0], by_name);
    return image;
}

void e2e_image_free(e2e_image *image) {
    for (size_t i = 0; i < image->count; ++i) {
        free(image->files[i].bytes);
    }
    free(image);
}

bool e2e_folder_has(const char *folder, const char *begin) {
    bool has = false;
    e2e_image *image = e2e_folder_read(folder);
    for (size_t i = 0; i < image->count; ++i) {
        has = has || strncmp(image->files[i].name, begin, strlen(begin)) == 0;
    }
    e2e_image_free(image);
    return has;
}

void e2e_folder_expect(const char *folder, e2e_image *expected) {
    e2e_image *now = e2e_folder_read(folder);
    for (size_t i = 0; i < now->count || i < expected->count; ++i) {
        const e2e_file *a = &expected->files[i], *b = &now->files[i];
        if (i >= now->count || i >= expected->count || strcmp(a->name, b->name) != 0) {
            fail_msg("the folder had %zu files and has %zu; the first that differs is %s, or %s", expected->count,
                     now->count, a->name, b->name);
        }
        if (a->size != b->size || memcmp(a->bytes, b->bytes, a->size) != 0 || a->modified_ns != b->modified_ns) {
            fail_msg("%s was changed: %zu and %zu bytes, modified at %llu and %llu ns", a->name, a->size, b->size,
                     (unsigned long long)a->modified_ns, (unsigned long long)b->modified_ns);
        }
    }
    e2e_image_free(now);
    e2e_image_free(expected);
}
