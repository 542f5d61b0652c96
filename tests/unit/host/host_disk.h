/// A disk for the host's tests: the functions of host/recordings/disk.h on a real folder, behind a layer that counts
/// every operation, lets the one with a given number fail, tear, hang or be the last, and knows what a power cut would
/// leave.
///
/// Bound in by the linker (--wrap), so that everything above the seam is the host's own code.
#ifndef ISO_TESTS_HOST_DISK_H
#define ISO_TESTS_HOST_DISK_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_DISK_FILES_MAX 128u
#define HOST_DISK_NAME_SIZE 128u

typedef enum host_disk_fault {
    HOST_DISK_WORKS,
    HOST_DISK_FAILS,     // operation `fault_at` fails, a write after half of its bytes
    HOST_DISK_HANGS,     // it takes `hang_ns`
    HOST_DISK_DIES,      // it and all later ones are not done
    HOST_DISK_DIES_TORN, // the same, but of a write half is done; anything else is done
} host_disk_fault;

/// What a power cut leaves of what was not synced.
typedef enum host_disk_loss {
    HOST_DISK_LOSES_ALL,   // neither bytes nor names
    HOST_DISK_LOSES_BYTES, // names are there, bytes are not
    HOST_DISK_LOSES_NAMES, // bytes are there, names are not
    HOST_DISK_LOSES_HALF,  // every second byte range and name
    HOST_DISK_LOSSES,
} host_disk_loss;

typedef struct host_disk_file {
    char name[HOST_DISK_NAME_SIZE];
    char durable_name[HOST_DISK_NAME_SIZE]; // after the last sync of the folder; "": none
    int descriptor;                         // -1: closed
    uint64_t size, synced_size;
    bool has_sync_failed;
    bool is_removed;
} host_disk_file;

typedef struct host_disk {
    char folder[128];
    uint32_t op_count;
    uint32_t fault_at; // counted from 1
    host_disk_fault fault;
    uint64_t hang_ns;
    void (*hang)(void *user, uint64_t ns); // lets the others go on for so long
    void *user;
    bool is_full; // writes fail after half of their bytes
    bool syncs_fail;
    bool creates_fail;
    bool is_dead;
    uint32_t syncs_repeated; // after one of the same file had failed
    uint32_t creates, renames, removes, folder_syncs;
    host_disk_file files[HOST_DISK_FILES_MAX];
    uint32_t file_count;
} host_disk;

extern host_disk the_disk;

typedef enum host_disk_kind { HOST_DISK_WRITE, HOST_DISK_SYNC, HOST_DISK_OTHER } host_disk_kind;

/// @name For a writer with its threads: a disk that does not answer until it is told to
/// @{
/// From now on operations of this kind wait.
void host_disk_hold(host_disk_kind kind);
/// None waits any more, or will. May be called at any time.
void host_disk_release(void);
/// @return how many wait
uint32_t host_disk_held(void);
/// @}

/// Makes an empty folder.
void host_disk_begin(void);
/// Forgets faults and counts; what is in the folder is what a new process finds.
void host_disk_restart(void);
void host_disk_cut_power(host_disk_loss loss);
/// Removes the folder.
void host_disk_end(void);

#endif
