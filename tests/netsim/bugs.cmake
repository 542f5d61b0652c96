# Bugs that were planted on purpose, one at a time, and what the check that must speak says. When a text below is not found
# any more because the product has changed, plant the bug anew. `netsim-NAME --must-fail TEXT --seeds A..B` says what each
# of the seeds finds.

planted_bug(bug-branch server/session/resume.c "has root"
  [[iso__ring_root(&session->ring, resume->tick, &root) && root == resume->root;]]
  [[iso__ring_root(&session->ring, resume->tick, &root);]])

planted_bug(bug-two-connections server/session/resume.c "crashed"
  [[if (member->connection != ISO__NO_CONNECTION) {]]
  [[if (member->connection + 1u < ISO__NO_CONNECTION && session->sealed_tick == 0) {]])

planted_bug(bug-replay server/session/inbox.c "crashed"
  [[const bool replayed = sequence <= member->last_sequence;]]
  [[const bool replayed = sequence < member->last_sequence;]])

planted_bug(bug-dropped-queue server/session/member.c "was lost"
  [[        member->state = ISO__MEMBER_DROPPING;
]]
  [[        member->state = ISO__MEMBER_DROPPING;
        member->queue_count = 0;
]])

planted_bug(bug-unwritten server/session/action.c "but the disk has only"
  [[session->recording ? session->written_tick : session->sealed_tick]]
  [[session->recording && session->written_tick == 0 ? session->written_tick : session->sealed_tick]])

planted_bug(bug-late-drop server/session/inbox.c "was moved by"
  [[member->late_policy == ISO_LATE_MOVE ?]]
  [[member->late_policy != ISO_LATE_STRICT ?]])

planted_bug(bug-durable server/recorder/recorder.c "was said to be safe"
  [[recorder->durable_tick = recorder->syncing_tick;]]
  [[recorder->durable_tick = recorder->written_tick;]])

planted_bug(bug-torn-tick server/recorder/recorder.c "is sent, but the disk has only"
  [[tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size]]
  [[tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size + 8]])

planted_bug(bug-settled server/host/recording.c "was said to be safe"
  [[progress.synced_size >= tape->begin_size]]
  [[progress.written_size >= tape->begin_size]])

planted_bug(bug-first-page proto/recording/recording.c "is VERSION at offset"
  [[if (iso__recording_head_is_torn(bytes, recording->file_size)) {]]
  [[if (recording->file_size == 0 && iso__recording_head_is_torn(bytes, 0)) {]])

planted_bug(bug-unsaid client-sample/lib/resume.c "was not said again"
  [[    commands_take_back(client, welcome->last_sequence);
]]
  [[    (void)commands_take_back;
]])

planted_bug(bug-full server/session/join.c "is told that the session is full, but slot"
  [[for (uint32_t slot = 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {]]
  [[for (uint32_t slot = session->stats.leaves > 0; slot < session->slot_count; ++slot) {
        if (session->members[slot].state == ISO__MEMBER_FREE) {]])

planted_bug(bug-silent client-sample/lib/ticks.c "than it was told, and says nothing"
  [[if (ours != theirs) {]]
  [[if (ours != theirs && client->phase != ISO_CLIENT_PHASE_ACTIVE) {]])

planted_bug(bug-old-secret server/session/resume.c "gets in with an old secret"
  [[        member->secret_used = connection->secret_number;
]]
  [[        member->secret_used = member->secret_used > 0 ? member->secret_used : connection->secret_number;
]])

planted_bug(bug-second-server server/host/lock.c "a second server takes the folder"
  [[if (fcntl(*file, F_OFD_SETLK, &lock) != 0) {]]
  [[if (fcntl(*file, F_OFD_GETLK, &lock) != 0) {]])

planted_bug(bug-second-kill server/session/member.c "may not come back to slot"
  [[        member->secrets_unknown = true;
]]
  [[        member->secrets_unknown = false;
]])

planted_bug(bug-roster server/host/recording.c "may not come back to slot"
  [[    write_roster(recording, next);
]]
  [[]])

planted_bug(bug-seal-early server/host/recording.c "was said to be safe"
  [[bool is_settled = tape_is_settled(present);]]
  [[bool is_settled = progress.started;]])

planted_bug(bug-nameless server/host/recording.c "was said to be safe"
  [[if (status == ISO_OK && !tape->name_is_durable) {]]
  [[if (status == ISO_OK && tape->first_tick == UINT64_MAX) {]])

planted_bug(bug-left-behind core/src/command/members.c "is still its own"
  [[    leave_bodies(world, slot);
]]
  [[    if (world->slots[slot].generation % 2 == 0) {
        leave_bodies(world, slot);
    }
]])

planted_bug(bug-stranded server/session/confirm.c "and compares none since"
  [[        iso__heal_doubt(session, connection, report->tick, root);
]]
  [[]])
