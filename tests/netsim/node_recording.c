/// The server's recording: the host's own chain of files and writer (server/host/recording.c, writer.c) over the virtual
/// disk and clock. What its threads do is done here when they would come to it: the writer some time after something was
/// handed in, and then it is busy for as long as the disk takes; a sync covers what stood in the file when it began.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/hosted.h"
#include "host/log.h"
#include "sim.h"

void randombytes_buf(void *bytes, size_t size);

/// Of the run that is going on; the host's code has no argument for it.
static sim *the_sim;

void recording_bind(sim *s) {
    the_sim = s;
}

uint64_t iso__clock_now(void) {
    return server_now_ns(the_sim);
}

void iso__log(const iso__log_about *about, const char *format, ...) {
    (void)about;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sim_log(the_sim, "%s", text);
}

/// Of libsodium, for the salts of files: from the seed, too.
void randombytes_buf(void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        ((uint8_t *)bytes)[i] = (uint8_t)sim_random_next(&the_sim->random);
    }
}

// ---- the disk as the host sees it: a file's descriptor is its number ------------------------------------

iso_status iso__disk_create_file(iso__disk *disk, const char *name) {
    return disk_create(the_sim, name, &disk->file);
}

iso_status iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written) {
    return disk_write(the_sim, disk->file, bytes, size, offset, written);
}

iso_status iso__disk_sync(const iso__disk *disk) {
    return disk_sync(the_sim, disk->file);
}

iso_status iso__disk_truncate(iso__disk *disk, uint64_t size) {
    return disk_truncate(the_sim, disk->file, size);
}

iso_status iso__disk_close_file(iso__disk *disk) {
    disk->file = -1;
    return ISO_OK;
}

iso_status iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name) {
    (void)disk;
    return disk_rename(the_sim, name, new_name);
}

/// A file whose first keyframe the disk did not take: it does not take its end either.
iso_status iso__disk_remove(const iso__disk *disk, const char *name) {
    (void)disk;
    (void)name;
    return ISO_ERR_IO;
}

void iso__disk_share(const iso__disk *disk, const char *name) {
    (void)disk;
    (void)name;
}

iso_status iso__disk_sync_folder(const iso__disk *disk) {
    (void)disk;
    return disk_sync_folder(the_sim);
}

// ---- when its threads come to it --------------------------------------------------------------------------

static void recording_schedule(sim *s, uint8_t kind, uint64_t *due_ns, uint64_t when_ns) {
    when_ns = when_ns > s->now_ns ? when_ns : s->now_ns;
    if (when_ns < *due_ns) {
        *due_ns = when_ns;
        sim_schedule(s, when_ns, (sim_event){.kind = kind, .count = s->server.incarnation});
    }
}

static uint64_t recording_busy_until(const sim *s) {
    const uint64_t busy_ns = s->server.tape.writer_busy_until_ns;
    return busy_ns > s->disk.hangs_until_ns ? busy_ns : s->disk.hangs_until_ns;
}

/// The next time at which the writer has something to do.
static void recording_plan(sim *s) {
    sim_tape *tape = &s->server.tape;
    uint64_t when_ns = clock_when(&s->server.clock, iso__writer_next_deadline(&tape->writer));
    if (tape->writer.queue.count > 0 || tape->writer.dirty != NULL) {
        when_ns = s->now_ns + sim_random_below(&s->random, SIM_MS / 4);
    }
    const uint64_t free_ns = recording_busy_until(s);
    if (when_ns != UINT64_MAX) {
        recording_schedule(s, SIM_WRITER, &tape->writer_due_ns, when_ns > free_ns ? when_ns : free_ns);
    }
    if (tape->writer.syncs.count > 0 && !tape->syncing) {
        tape->syncing = true;
        disk_begin_sync(s);
        const uint64_t sync_ns = s->now_ns + sim_random_below(&s->random, 60 * SIM_MS);
        sim_schedule(s, sync_ns, (sim_event){.kind = SIM_SYNCED, .count = s->server.incarnation});
    }
}

/// Called by the host when there is something new.
static void recording_wake(void *user) {
    sim *s = user;
    const uint64_t when_ns = s->now_ns + s->disk.spent_ns + sim_random_below(&s->random, SIM_MS / 4);
    recording_schedule(s, SIM_REPORT, &s->server.tape.report_due_ns, when_ns);
}

static void recording_write(sim *s) {
    sim_tape *tape = &s->server.tape;
    tape->writer_due_ns = UINT64_MAX;
    s->disk.spent_ns = 0;
    // What is taken in the first turn is done in the second.
    (void)iso__writer_turn(&tape->writer, false);
    (void)iso__writer_turn(&tape->writer, false);
    tape->writer_busy_until_ns = s->now_ns + s->disk.spent_ns;
    s->totals.rolls += tape->recording.number - tape->number;
    tape->number = tape->recording.number;
    recording_plan(s);
}

// ---- what the session hears -------------------------------------------------------------------------------

static void recording_tell_degraded(sim *s, iso_status status) {
    sim_tape *tape = &s->server.tape;
    if (tape->degraded_told) {
        return;
    }
    SIM_CHECK(s, s->disk.failed, "the recording degraded without a fault: %s", iso_status_name(status));
    tape->degraded_told = true;
    tape->waited_ns = 0;
    iso__recording_give_up(&tape->recording, status);
    recording_plan(s);
    server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DEGRADED, .status = status});
}

/// As the host's worker does it.
static void recording_report(sim *s) {
    sim_tape *tape = &s->server.tape;
    tape->report_due_ns = UINT64_MAX;
    const iso__recording_report old = tape->report;
    iso__recording_get_report(&tape->recording, &tape->report);
    const iso__recording_report *now = &tape->report;
    if (now->started && (!old.started || now->written_tick > old.written_tick)) {
        tape->waited_ns = now->written_tick < tape->handed_tick && !tape->degraded_told ? server_now_ns(s) : 0;
        server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = now->written_tick});
    }
    if (now->started && now->durable_tick > old.durable_tick) {
        SIM_CHECK(s, now->durable_tick <= now->written_tick, "tick %llu is durable, but only %llu are written",
                  (unsigned long long)now->durable_tick, (unsigned long long)now->written_tick);
        server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DURABLE, .tick = now->durable_tick});
    }
    if (now->degraded) {
        recording_tell_degraded(s, now->status);
    }
    if (now->finished && !tape->sealed_told) {
        tape->sealed_told = true;
        server_handle(s, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    }
}

uint64_t recording_deadline_ns(const sim *s) {
    const sim_tape *tape = &s->server.tape;
    return tape->up && tape->waited_ns != 0 ? tape->waited_ns + ISO__DISK_PATIENCE_NS : UINT64_MAX;
}

void recording_time(sim *s) {
    if (recording_deadline_ns(s) <= server_now_ns(s)) {
        s->totals.disks_given_up += 1;
        recording_tell_degraded(s, ISO_ERR_TIMEOUT);
    }
}

void recording_event(sim *s, const sim_event *event) {
    sim_tape *tape = &s->server.tape;
    if (!tape->up || event->count != s->server.incarnation) {
        return; // of a server that is no more
    }
    if (event->kind == SIM_REPORT) {
        recording_report(s);
    } else if (recording_busy_until(s) > s->now_ns && event->kind == SIM_WRITER) {
        sim_schedule(s, recording_busy_until(s), *event);
    } else if (disk_hangs(s, event)) {
        return;
    } else if (event->kind == SIM_WRITER) {
        recording_write(s);
    } else {
        tape->syncing = false;
        (void)iso__writer_sync(&tape->writer, false);
        recording_plan(s);
    }
}

// ---- what the session hands in ----------------------------------------------------------------------------

void recording_act(sim *s, const iso_session_action *action) {
    sim_tape *tape = &s->server.tape;
    iso_status status = ISO_OK;
    if (action->kind == ISO_SESSION_ACTION_RECORD_TICK) {
        oracle_sealed(s, action->tick, action->input->changes, action->input->change_count, action->input->commands,
                      action->input->command_count);
        tape->handed_tick = action->tick;
        tape->waited_ns = tape->waited_ns == 0 && !tape->degraded_told ? server_now_ns(s) : tape->waited_ns;
        status = iso__recording_tick(&tape->recording, action->input, action->root);
    } else if (action->kind == ISO_SESSION_ACTION_RECORD_KEYFRAME) {
        const iso_recording_keyframe keyframe = {.tick = action->tick,
                                                 .root = action->root,
                                                 .raw_size = (uint32_t)action->plain_size,
                                                 .stored_size = (uint32_t)action->byte_count};
        status = iso__recording_keyframe(&tape->recording, &keyframe, action->bytes);
    } else if (action->kind == ISO_SESSION_ACTION_RECORD_EVENT) {
        status = iso__recording_event(&tape->recording, action->event);
    } else {
        status = iso__recording_seal(&tape->recording, action->tick, action->root, action->status == ISO_ERR_RESTARTING);
    }
    SIM_CHECK(s, status == ISO_OK || s->disk.failed, "the recording does not take action %u: %s", (unsigned)action->kind,
              iso_status_name(status));
    if (status != ISO_OK) {
        recording_tell_degraded(s, status);
    }
    recording_plan(s);
}

// ---- its life ---------------------------------------------------------------------------------------------

static iso_recording_header recording_header(sim *s, uint64_t first_tick) {
    iso_recording_header header = {
        .build = "netsim", .scene_name = "netsim", .epoch = s->epoch, .first_tick = first_tick, .def = s->def};
    snprintf(header.session, sizeof header.session, "%s", s->config.name);
    memcpy(header.uid, s->config.uid, sizeof header.uid);
    iso_fingerprint_make(&s->def, s->game, &header.fingerprint);
    snprintf(s->server.scene, sizeof s->server.scene, "{\"format\":1,\"name\":\"netsim-%llu\"}",
             (unsigned long long)s->seed);
    header.scene = s->server.scene;
    header.scene_size = (uint32_t)strlen(s->server.scene);
    return header;
}

void recording_start(sim *s, uint64_t first_tick, const sim_file *previous, const iso__roster *roster) {
    sim_tape *tape = &s->server.tape;
    *tape = (sim_tape){.up = true, .number = 1, .writer_due_ns = UINT64_MAX, .report_due_ns = UINT64_MAX};
    tape->memory.limit = SIZE_MAX;
    iso__recording_config config = {
        .header = recording_header(s, first_tick),
        .state_size_max = iso_world_image_size_max(s->server.world),
        .roll_size = s->roll_size,
        .memory = &tape->memory,
        .wake = recording_wake,
        .wake_user = s,
    };
    if (previous != NULL) {
        config.roster = *roster;
        memcpy(config.part_name, previous->name, sizeof config.part_name);
        memcpy(config.final_name, previous->name, sizeof config.final_name);
        *strstr(config.final_name, ".part") = 0;
    }
    bool made = iso__writer_init(&tape->writer, 0, 1);
    made = made && iso__recording_init(&tape->recording, &tape->writer, &config) == ISO_OK;
    SIM_CHECK(s, made, "the recording cannot be made");
    iso__writer_begin(&tape->writer);
    recording_plan(s);
}

void recording_stop(sim *s) {
    sim_tape *tape = &s->server.tape;
    if (tape->up) {
        tape->up = false;
        iso__recording_term(&tape->recording);
        iso__writer_term(&tape->writer);
        SIM_CHECK(s, atomic_load(&tape->memory.used) == 0, "the recording does not give its memory back");
    }
}

void recording_die(sim *s) {
    sim_tape *tape = &s->server.tape;
    // The kernel may have done some of what the writer was about to do, and a part of a write.
    if (tape->up && tape->writer_due_ns != UINT64_MAX && sim_random_one_in(&s->random, 2)) {
        s->disk.ops_left = sim_random_below(&s->random, 4);
        (void)iso__writer_turn(&tape->writer, false);
        (void)iso__writer_turn(&tape->writer, false);
    }
    s->disk.ops_left = 0;
    recording_stop(s);
    s->disk.ops_left = UINT64_MAX;
}
