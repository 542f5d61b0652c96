# Bugs that were planted on purpose, one at a time, and what the check that must speak says. When a text below is not
# found any more because the product has changed, plant the bug anew. `netsim-NAME --must-fail TEXT --seeds A..B` says
# what each of the seeds finds. The numbers at the end are the seeds that find it first: they only save time, and the
# run says which to name instead when they do not find it any more.

planted_bug(bug-branch server/session/resume.c "has root"
  [[iso__ring_root(&session->ring, resume->tick, &root) && root == resume->root;]]
  [[iso__ring_root(&session->ring, resume->tick, &root);]] 7 68)

planted_bug(bug-two-connections server/session/resume.c "crashed"
  [[if (member->connection != ISO__NO_CONNECTION) {]]
  [[if (member->connection + 1u < ISO__NO_CONNECTION && session->sealed_tick == 0) {]] 3 5)

planted_bug(bug-replay server/session/inbox.c "crashed"
  [[const bool replayed = sequence <= member->last_sequence;]]
  [[const bool replayed = sequence < member->last_sequence;]] 49 101)

planted_bug(bug-dropped-queue server/session/member.c "was lost"
  [[        member->state = ISO__MEMBER_DROPPING;
]]
  [[        member->state = ISO__MEMBER_DROPPING;
        member->queue_count = 0;
]] 3 4)

planted_bug(bug-unwritten server/session/reading.c "but the disk has only"
  [[session->is_recording ? session->written_tick : session->sealed_tick]]
  [[session->is_recording && session->written_tick == 0 ? session->written_tick : session->sealed_tick]] 2 3)

planted_bug(bug-late-drop server/session/inbox.c "was moved by"
  [[member->late_policy == ISO_LATE_MOVE ?]]
  [[member->late_policy != ISO_LATE_STRICT ?]] 4 11)

planted_bug(bug-durable server/recorder/recorder_results.c "was said to be safe"
  [[recorder->durable_tick = recorder->syncing_tick;]]
  [[recorder->durable_tick = recorder->written_tick;]] 33 48)

planted_bug(bug-torn-tick server/recorder/recorder_results.c "the recording cuts beyond the end"
  [[iso__recorder_tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size]]
  [[iso__recorder_tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size + 8]] 16 119)

planted_bug(bug-settled server/host/recordings/recording_file.c "was said to be safe"
  [[progress.synced_size >= file->begin_size]]
  [[progress.written_size >= file->begin_size]] 614 703)

planted_bug(bug-first-page proto/recording/recording.c "the server does not start"
  [[if (iso__recording_head_is_torn(bytes, recording->file_size)) {]]
  [[if (recording->file_size == 0 && iso__recording_head_is_torn(bytes, 0)) {]] 7 140)

planted_bug(bug-unsaid client-sample/lib/resume.c "which the server has not heard"
  [[    commands_take_back(client, welcome->last_sequence);
]]
  [[    (void)commands_take_back;
]] 3 7)

planted_bug(bug-full server/session/join.c "is told that the session is full, but slot"
  [[for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {]]
  [[for (uint32_t slot = session->stats.leaves > 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {]] 12 31)

planted_bug(bug-silent client-sample/lib/ticks.c "than it was told, and says nothing"
  [[if (ours != theirs) {]]
  [[if (ours != theirs && client->phase != ISO_CLIENT_PHASE_ACTIVE) {]] 3 4)

planted_bug(bug-old-secret server/session/resume.c "gets in with an old secret"
  [[        member->secret_used = connection->secret_number;
]]
  [[        member->secret_used = member->secret_used > 0 ? member->secret_used : connection->secret_number;
]] 9 31)

planted_bug(bug-second-server server/host/recordings/lock.c "a second server takes the folder"
  [[if (fcntl(*file, F_OFD_SETLK, &lock) != 0) {]]
  [[if (fcntl(*file, F_OFD_GETLK, &lock) != 0) {]] 8 9)

planted_bug(bug-second-kill server/session/member.c "may not come back to slot"
  [[        member->has_unknown_secrets = true;
]]
  [[        member->has_unknown_secrets = false;
]] 7 9)

planted_bug(bug-roster server/host/recordings/recording.c "takes client"
  [[    write_roster(recording, next);
]]
  [[]] 7 58)

# Sealed early alone it would still be found: it says that its session goes on.
planted_bug(bug-seal-early server/host/recordings/recording.c "was said to be safe"
  [[    bool is_settled = iso__recording_file_is_settled(present);
    if (!is_settled && !progress.is_finished) {
        return;
    }
    recording->is_seal_due = false;
    iso_recorder_event end = {
        .kind = is_settled ? ISO_RECORDER_SEAL : ISO_RECORDER_GIVE_UP, .goes_on = true,]]
  [[    bool is_settled = progress.has_started;
    if (!is_settled && !progress.is_finished) {
        return;
    }
    recording->is_seal_due = false;
    iso_recorder_event end = {
        .kind = is_settled ? ISO_RECORDER_SEAL : ISO_RECORDER_GIVE_UP, .goes_on = false,]] 7 58)

planted_bug(bug-nameless server/host/recordings/recording.c "was said to be safe"
  [[if (status == ISO_OK && !file->name_is_durable) {]]
  [[if (status == ISO_OK && file->first_tick == UINT64_MAX) {]] 48 163)

planted_bug(bug-left-behind core/src/plane/command/members.c "is still its own"
  [[    leave_bodies(plane, slot);
]]
  [[    if (world->slots[slot].generation % 2 == 0) {
        leave_bodies(plane, slot);
    }
]] 12 19)

planted_bug(bug-stranded server/session/confirm.c "and compares none since"
  [[        iso__heal_doubt(session, connection, report->tick, root);
]]
  [[]] 883 971)

planted_bug(bug-forgotten client-sample/lib/commands.c "was not said again"
  [[if (!oldest->is_sealed && !oldest->is_refused) {]]
  [[if (!oldest->is_sealed && !oldest->is_refused && lost_count > 0) {]] 52 56)

planted_bug(bug-unheard client-sample/lib/commands.c "which the server has not heard"
  [[entry->sequence <= client->input.heard_sequence && entry->target]]
  [[entry->target]] 98 128)

planted_bug(bug-not-begun-again server/host/sessions/session_recording.c "and the recording was not begun again"
  [[    hosted->is_restart_asked = true;
]]
  [[]] 6 16)

planted_bug(bug-final-early server/host/start/recovery_changes.c "which is not there"
  [[if (status == ISO_OK && change->kind == ISO__RECOVERY_FINISH &&
        iso__disk_rename]]
  [[if (status == ISO_OK && iso__disk_rename]] 5 9)

planted_bug(bug-window client-sample/lib/predict.c "predicts tick"
  [[const uint64_t furthest = client->tick + client->predict_frames;]]
  [[const uint64_t furthest = client->tick + client->predict_frames + 2u;]] 6 7)

planted_bug(bug-shared-lock server/host/recordings/lock.c "a second server takes the folder"
  [[.l_type = F_WRLCK]]
  [[.l_type = F_RDLCK]] 8 9)

planted_bug(bug-held server/session/member.c "slots are held for address"
  [[    member->connection = ISO__NO_CONNECTION;
    session->has_changed_holds = true;
    if (member->state == ISO__MEMBER_ACTIVE) {]]
  [[    member->connection = ISO__NO_CONNECTION;
    if (member->state == ISO__MEMBER_ACTIVE) {]] 3 7)

planted_bug(bug-no-keyframe server/host/recordings/recording.c "has no keyframe"
  [[    if (status == ISO_OK) {
        status = iso__recording_file_handle(file, &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME,]]
  [[    if (status != ISO_OK) {
        status = iso__recording_file_handle(file, &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME,]] 6 12)

planted_bug(bug-killed-again server/host/start/recovery_files.c "was killed again while it came back"
  [[if (status == ISO_ERR_TRUNCATED && is_part) {]]
  [[s->is_lost = status == ISO_ERR_TRUNCATED;
    if (status == ISO_ERR_TRUNCATED && is_part) {]] 23 73)

planted_bug(bug-overshoot client-sample/lib/clock.c "after the server's clock has gone on"
  [[believed_q8 > latest_q8 + ISO__CLIENT_CLOCK_SLIP_Q8) {]]
  [[believed_q8 > latest_q8 + 1000u * ISO__CLIENT_CLOCK_SLIP_Q8) {]] 64 103)

# All clients come from one address then.
planted_bug(bug-one-address server/base/address.c "is not waited for any more, but the clock has stood"
  [[memcpy(bytes + sizeof mapped_prefix, ipv4, 4);]]
  [[memcpy(bytes + sizeof mapped_prefix, ipv4, 3), bytes[15] = 0;]] 49 75)

planted_bug(bug-held-for-ever server/host/peers/address_limit.c "may not join for"
  [[entry->held = held ? entry->held + 1 : entry->held > 0 ? entry->held - 1 : 0;]]
  [[entry->held += held;]] 4 51)

planted_bug(bug-other-bytes client-sample/lib/outcomes.c "neither confirmed nor withdrawn"
  [[? compare_bytes(a->bytes, b->bytes, ISO_EMIT_SIZE_MAX)]]
  [[? compare_bytes(a->bytes, b->bytes, 0)]] 7 15)

planted_bug(bug-not-withdrawn client-sample/lib/predict.c "neither confirmed nor withdrawn"
  [[        iso__client_outcomes_withdraw_after(&client->predict->outcomes, 0);
]]
  [[]] 18 82)

planted_bug(bug-missed-outcomes client-sample/lib/predict.c "and was not told"
  [[if (predict == 0 || (client->phase != ISO_CLIENT_PHASE_ACTIVE && client->stats.first_tick == 0)) {]]
  [[if (predict == 0 || client->phase != ISO_CLIENT_PHASE_ACTIVE) {]] 2 16)

planted_bug(bug-kept-wrong client-sample/lib/ticks.c "keeps what it was told of tick"
  [[wrong != 0 && wrong <= tick ? wrong : tick + 1u;]]
  [[wrong != 0 && wrong > tick ? wrong : tick + 1u;]] 7 24)

planted_bug(bug-drift client-sample/lib/clock.c "ticks beside the lead"
  [[    drift_learn(clock, now_ns, error_q8);
    if]]
  [[    (void)drift_learn;
    if]] 233 256)

planted_bug(bug-waits client-sample/lib/spare.c "still waits for a connection"
  [[        return iso__client_spare_take_place(client, ISO_ERR_TIMEOUT);]]
  [[        return false;]] 144 313)

planted_bug(bug-seat client-sample/lib/spare.c "left a silent connection and is a new member"
  [[    client->is_resumable = client->role == ISO_ROLE_PLAYER && client->welcome.hold_ms > 0;]]
  [[    client->is_resumable = false;]] 3 10)
