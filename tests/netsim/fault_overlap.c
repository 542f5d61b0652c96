/// A second server on the folder of the first. The lock is the host's own (server/host/recordings/lock.c), on a folder
/// of the real disk, since it is the kernel that keeps it; everything else of the recordings is on the virtual one.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/recordings/lock.h"
#include "sim.h"

static char folder_name[] = "/tmp/netsim-XXXXXX";
static int folder = -1;
static pid_t folder_maker;

int overlap_folder(void) {
    return folder;
}

void overlap_empty_folder(void) {
    DIR *dir = opendir(folder_name);
    for (const struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, ISO__LOCK_NAME) != 0) {
            unlinkat(folder, entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

static void overlap_remove_folder(void) {
    if (getpid() == folder_maker) {
        overlap_empty_folder();
        unlinkat(folder, ISO__LOCK_NAME, 0);
        rmdir(folder_name);
    }
}

bool overlap_make_folder(void) {
    if (mkdtemp(folder_name) == NULL) {
        return false;
    }
    folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder_maker = getpid();
    return folder >= 0 && atexit(overlap_remove_folder) == 0;
}

void overlap_lock(sim *s) {
    s->server.lock_file = -1;
    if (s->config.is_recording) {
        const bool taken = iso__lock_take(folder, "recordings", false, &s->server.lock_file);
        SIM_CHECK(s, taken, "the server may not have a folder that no other has");
    }
}

void overlap_unlock(sim *s) {
    if (s->server.lock_file >= 0) {
        close(s->server.lock_file);
    }
    s->server.lock_file = -1;
}

void overlap_try(sim *s) {
    if (s->server.lock_file < 0) {
        return;
    }
    int file = -1;
    const bool taken = iso__lock_take(folder, "recordings", false, &file);
    SIM_CHECK(s, !taken, "a second server takes the folder that the first one writes to");
    s->totals.second_servers += 1;
}

void overlap_plan(sim *s) {
    if (s->config.is_recording && sim_random_one_in(&s->trouble, 3)) {
        sim_schedule(s, sim_random_below(&s->trouble, s->shutdown_ns), (sim_event){.kind = SIM_SECOND_SERVER});
    }
}
