/// The server's recording: what the host does about it (server/host/sessions/session_recording.c), its chain of files
/// and its writer (recording.c, writer.c) over the virtual disk and clock. What its threads do is done here when they
/// would come to it: the writer some time after something was handed in, and then it is busy for as long as the disk
/// takes; a sync covers what stood in the file when it began.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/sessions/record_actions.h"
#include "host/sessions/session_recording.h"
#include "host/sessions/worker_actions.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "isostep/proto/recording.h"
#include "sim.h"

void randombytes_buf(void *bytes, size_t size);

/// Of the run that is going on; the host's code has no argument for it.
static sim *the_sim;
static char last_log[400];

void recording_bind(sim *s) {
    the_sim = s;
}

uint64_t iso__clock_now(void) {
    return server_now_ns(the_sim);
}

void iso__log(const iso__log_about *about, const char *format, ...) {
    (void)about;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_log, sizeof last_log, format, arguments);
    va_end(arguments);
    sim_log(the_sim, "%s", last_log);
}

const char *recording_last_log(void) {
    return last_log;
}

/// Of libsodium, for the salts of files: from the seed, too.
void randombytes_buf(void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        ((uint8_t *)bytes)[i] = (uint8_t)sim_random_next(&the_sim->random);
    }
}

// ---- the disk as the host sees it: a file's descriptor is its number, but while a server starts (node_folder.c)
// ----------

iso_status iso__disk_create_file(iso__disk *disk, const char *name) {
    return folder_is_shown() ? folder_create(the_sim, name, &disk->file) : disk_create(the_sim, name, &disk->file);
}

iso_status iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written) {
    return folder_is_shown() ? folder_write(the_sim, disk->file, bytes, size, offset, written)
                             : disk_write(the_sim, disk->file, bytes, size, offset, written);
}

iso_status iso__disk_sync(const iso__disk *disk) {
    return folder_is_shown() ? folder_sync(the_sim, disk->file) : disk_sync(the_sim, disk->file);
}

iso_status iso__disk_truncate(iso__disk *disk, uint64_t size) {
    return folder_is_shown() ? folder_truncate(the_sim, disk->file, size) : disk_truncate(the_sim, disk->file, size);
}

iso_status iso__disk_close_file(iso__disk *disk) {
    if (folder_is_shown()) {
        close(disk->file);
    }
    disk->file = -1;
    return ISO_OK;
}

iso_status iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name) {
    (void)disk;
    return folder_is_shown() ? folder_rename(the_sim, name, new_name) : disk_rename(the_sim, name, new_name);
}

iso_status iso__disk_remove(const iso__disk *disk, const char *name) {
    (void)disk;
    return folder_is_shown() ? folder_remove(the_sim, name) : disk_remove(the_sim, name);
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
    const uint64_t busy_ns = s->server.recording.writer_busy_until_ns;
    return busy_ns > s->disk.hangs_until_ns ? busy_ns : s->disk.hangs_until_ns;
}

/// The next time at which the writer has something to do.
static void recording_plan(sim *s) {
    sim_recording *recording = &s->server.recording;
    uint64_t when_ns = clock_when(&s->server.clock, iso__writer_next_deadline(&recording->writer));
    if (recording->writer.queue.count > 0 || recording->writer.dirty != NULL) {
        when_ns = s->now_ns + sim_random_below(&s->random, SIM_MS / 4);
    }
    const uint64_t free_ns = recording_busy_until(s);
    if (when_ns != UINT64_MAX) {
        recording_schedule(s, SIM_WRITER, &recording->writer_due_ns, when_ns > free_ns ? when_ns : free_ns);
    }
    if (recording->writer.syncs.count > 0 && !recording->is_syncing) {
        recording->is_syncing = true;
        disk_begin_sync(s);
        const uint64_t sync_ns = s->now_ns + sim_random_below(&s->random, 60 * SIM_MS);
        sim_schedule(s, sync_ns, (sim_event){.kind = SIM_SYNCED, .count = s->server.incarnation});
    }
}

/// Called by the host when there is something new.
static void recording_wake(void *user) {
    sim *s = user;
    const uint64_t when_ns = s->now_ns + s->disk.spent_ns + sim_random_below(&s->random, SIM_MS / 4);
    recording_schedule(s, SIM_REPORT, &s->server.recording.report_due_ns, when_ns);
}

/// A recording that begins again can be gone on from at once: its file begins with the state of that moment.
static void recording_check_begin(sim *s) {
    sim_recording *recording = &s->server.recording;
    const iso__recording *recorded = &recording->hosted.recording;
    if (recorded->generation == recording->generation) {
        return;
    }
    recording->generation = recorded->generation;
    if (recorded->report.is_degraded) {
        return; // the disk still fails
    }
    const sim_file *file = &s->disk.files[s->disk.file_count - 1];
    iso_recording opened;
    iso_recording_error error;
    const iso_status status = iso_recording_open(&opened, file->bytes, file->size, ISO_RECORDING_TORN, &error);
    SIM_CHECK(s, status == ISO_OK, "the recording begins again, and %s has no keyframe: %s", file->name,
              iso_status_name(status));
}

static void recording_write(sim *s) {
    sim_recording *recording = &s->server.recording;
    recording->writer_due_ns = UINT64_MAX;
    s->disk.spent_ns = 0;
    // What is taken in the first turn is done in the second.
    (void)iso__writer_turn(&recording->writer, false);
    (void)iso__writer_turn(&recording->writer, false);
    recording->writer_busy_until_ns = s->now_ns + s->disk.spent_ns;
    recording_check_begin(s);
    if (recording->hosted.recording.number != recording->number && sim_random_one_in(&s->trouble, 16)) {
        // While the new file is on its way to the disk, and the old one about to be sealed.
        sim_schedule(s, s->now_ns + sim_random_below(&s->trouble, 200 * SIM_MS),
                     (sim_event){.kind = SIM_KILL, .count = 1});
    }
    s->totals.rolls += recording->hosted.recording.number - recording->number;
    recording->number = recording->hosted.recording.number;
    recording_plan(s);
}

// ---- what the session hears -------------------------------------------------------------------------------

/// For the host's code: it tells the session something.
void iso__worker_hand_in(iso__hosted *hosted, uint64_t now, const iso_session_event *event) {
    sim *s = the_sim;
    iso_session_handle(hosted->session, now, event);
    oracle_stepped(s);
    server_drain(s);
}

/// Of the host's thread; the writer's wakes come as events here.
void iso__worker_hear_recording(void *user) {
    recording_wake(user);
}

static iso__hosted *recording_hosted(sim *s) {
    s->server.recording.hosted.session = s->server.session;
    return &s->server.recording.hosted;
}

bool recording_is_safe(const sim *s) {
    return s->server.recording.is_up && !iso_session_is_degraded(s->server.session);
}

/// One in so many times the server is killed soon after.
static void recording_plan_kill(sim *s, uint64_t count) {
    if (sim_random_one_in(&s->trouble, count)) {
        const bool power_cut = sim_random_one_in(&s->trouble, 3);
        sim_schedule(s, s->now_ns + sim_random_below(&s->trouble, SIM_SECOND),
                     (sim_event){.kind = SIM_KILL, .count = power_cut});
    }
}

/// Counts what has become of it.
static void recording_follow(sim *s) {
    sim_recording *recording = &s->server.recording;
    const bool lost = recording->hosted.is_lost;
    SIM_CHECK(s, !lost || s->disk.has_failed, "the recording degraded without a fault: %s",
              iso_status_name(recording->hosted.recording_lost));
    s->totals.degraded += lost && !recording->is_lost;
    s->totals.disks_given_up += lost && !recording->is_lost && recording->hosted.recording_lost == ISO_ERR_TIMEOUT;
    if (lost && !recording->is_lost) {
        recording->lost_ns = s->now_ns;
        recording_plan_kill(s, 3);
    }
    recording->is_lost = lost;
    const bool begun_again = recording->hosted.report.generation > 0 && recording_is_safe(s);
    s->totals.begun_again += begun_again && !recording->is_begun_again;
    if (begun_again && !recording->is_begun_again) {
        recording_plan_kill(s, 3);
    }
    recording->is_begun_again = begun_again;
    recording_plan(s);
}

void recording_check_begun_again(sim *s) {
    const sim_recording *recording = &s->server.recording;
    const uint64_t since_ns = recording->lost_ns > s->disk.fault_ns ? recording->lost_ns : s->disk.fault_ns;
    const uint64_t works_ns = since_ns > s->disk.hangs_until_ns ? since_ns : s->disk.hangs_until_ns;
    iso_session_info info;
    iso_session_get_info(s->server.session, &info);
    // One that stands or ends records nothing.
    const bool soon = recording->hosted.restart_wait_ns <= SIM_SECOND && s->server.clock.jumps == 0 &&
                      info.state == ISO_SESSION_RUNNING;
    SIM_CHECK(s, !recording->is_up || !recording->is_lost || !soon || s->now_ns < works_ns + 3 * SIM_SECOND,
              "the disk works, and the recording was not begun again");
}

void recording_check(sim *s) {
    if (s->server.recording.is_up && !s->server.is_closed) {
        iso__session_recording_check(recording_hosted(s));
        recording_follow(s);
    }
}

static void recording_report(sim *s) {
    sim_recording *recording = &s->server.recording;
    recording->report_due_ns = UINT64_MAX;
    iso__session_recording_hear(recording_hosted(s));
    SIM_CHECK(s,
              recording->hosted.report.durable_tick <= recording->hosted.report.written_tick ||
                  !recording->hosted.report.has_started,
              "tick %llu is durable, but only %llu are written",
              (unsigned long long)recording->hosted.report.durable_tick,
              (unsigned long long)recording->hosted.report.written_tick);
    recording_check(s);
}

uint64_t recording_deadline_ns(const sim *s) {
    return s->server.recording.is_up ? iso__session_recording_deadline(&s->server.recording.hosted) : UINT64_MAX;
}

void recording_time(sim *s) {
    if (s->server.recording.is_up) {
        iso__session_recording_pass_time(recording_hosted(s), server_now_ns(s));
        recording_follow(s);
    }
}

void recording_event(sim *s, const sim_event *event) {
    sim_recording *recording = &s->server.recording;
    if (!recording->is_up || event->count != s->server.incarnation) {
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
        recording->is_syncing = false;
        (void)iso__writer_sync(&recording->writer, false);
        recording_plan(s);
    }
}

// ---- what the session hands in ----------------------------------------------------------------------------

void recording_act(sim *s, const iso_session_action *action) {
    if (action->kind == ISO_SESSION_ACTION_RECORD_TICK) {
        oracle_sealed(s, action->tick, action->input->changes, action->input->change_count, action->input->commands,
                      action->input->command_count);
    }
    iso__session_recording_do(recording_hosted(s), action);
    recording_plan(s);
}

// ---- its life ---------------------------------------------------------------------------------------------

static iso_recording_header recording_header(sim *s, uint64_t first_tick) {
    iso_recording_header header = {.build = "netsim",
                                   .scene_name = "netsim",
                                   .epoch = s->epoch,
                                   .run = s->config.run,
                                   .first_tick = first_tick,
                                   .def = s->def};
    snprintf(header.session, sizeof header.session, "%s", s->config.name);
    memcpy(header.uid, s->config.uid, sizeof header.uid);
    iso_fingerprint_make(&s->def, s->game, &header.fingerprint);
    snprintf(s->server.scene, sizeof s->server.scene, "{\"format\":1,\"name\":\"netsim-%llu\"}",
             (unsigned long long)s->seed);
    header.scene = s->server.scene;
    header.scene_size = (uint32_t)strlen(s->server.scene);
    return header;
}

void recording_start(sim *s, uint64_t first_tick, const iso__recovery *previous) {
    sim_recording *recording = &s->server.recording;
    static iso__worker worker; // of which the host counts in the counters
    static iso__counters counters;
    worker.counters = &counters;
    *recording = (sim_recording){.is_up = true, .number = 1, .writer_due_ns = UINT64_MAX, .report_due_ns = UINT64_MAX};
    recording->hosted = (iso__hosted){.memory.limit = SIZE_MAX, .worker = &worker, .is_recorded = true};
    memcpy(recording->hosted.name, s->config.name, sizeof s->config.name);
    iso__recording_config config = {
        .header = recording_header(s, first_tick),
        .state_size_max = iso_world_image_size_max(s->server.world),
        .roll_size = s->roll_size,
        .memory = &recording->hosted.memory,
        .wake = iso__worker_hear_recording,
        .wake_user = s,
    };
    if (previous != NULL) {
        config.roster = previous->roster;
        memcpy(config.part_name, previous->part_name, sizeof config.part_name);
        memcpy(config.final_name, previous->final_name, sizeof config.final_name);
    }
    bool made = iso__writer_init(&recording->writer, 0, 1);
    made = made && iso__recording_init(&recording->hosted.recording, &recording->writer, &config) == ISO_OK;
    SIM_CHECK(s, made, "the recording cannot be made");
    iso__writer_begin(&recording->writer);
    recording_plan(s);
}

void recording_stop(sim *s) {
    sim_recording *recording = &s->server.recording;
    if (recording->is_up) {
        recording->is_up = false;
        iso__recording_term(&recording->hosted.recording);
        iso__writer_term(&recording->writer);
        SIM_CHECK(s, atomic_load(&recording->hosted.memory.used) == 0, "the recording does not give its memory back");
    }
}

void recording_die(sim *s) {
    sim_recording *recording = &s->server.recording;
    // The kernel may have done some of what the writer was about to do, and a part of a write.
    if (recording->is_up && recording->writer_due_ns != UINT64_MAX && sim_random_one_in(&s->random, 2)) {
        s->disk.ops_left = sim_random_below(&s->random, 4);
        (void)iso__writer_turn(&recording->writer, false);
        (void)iso__writer_turn(&recording->writer, false);
    }
    s->disk.ops_left = 0;
    recording_stop(s);
    s->disk.ops_left = UINT64_MAX;
}
