# Bugs that were planted on purpose, one at a time, and the seeds that find them. When a text below is not found any more
# because the product has changed, plant the bug anew; when its seeds do not find it any more, look for others with
# `netsim-NAME --must-fail --seeds A..B`.

planted_bug(bug-branch server/session/resume.c 57
  [[iso__ring_root(&session->ring, resume->tick, &root) && root == resume->root;]]
  [[iso__ring_root(&session->ring, resume->tick, &root);]])

planted_bug(bug-two-connections server/session/resume.c 3
  [[if (member->connection != ISO__NO_CONNECTION) {]]
  [[if (member->connection + 1u < ISO__NO_CONNECTION && session->sealed_tick == 0) {]])

planted_bug(bug-replay server/session/inbox.c 7
  [[const bool replayed = sequence <= member->last_sequence;]]
  [[const bool replayed = sequence < member->last_sequence;]])

planted_bug(bug-dropped-queue server/session/member.c 592
  [[        member->state = ISO__MEMBER_DROPPING;
]]
  [[        member->state = ISO__MEMBER_DROPPING;
        member->queue_count = 0;
]])

planted_bug(bug-unwritten server/session/action.c 2
  [[session->recording ? session->written_tick : session->sealed_tick]]
  [[session->recording && session->written_tick == 0 ? session->written_tick : session->sealed_tick]])

planted_bug(bug-late-drop server/session/inbox.c 11
  [[member->late_policy == ISO_LATE_MOVE ?]]
  [[member->late_policy != ISO_LATE_STRICT ?]])

planted_bug(bug-durable server/session/recorder.c 206
  [[recorder->durable_tick = recorder->syncing_tick;]]
  [[recorder->durable_tick = recorder->written_tick;]])

planted_bug(bug-torn-tick server/session/recorder.c 2
  [[tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size]]
  [[tick_at(recorder, recorder->written_tick + 1)->end <= recorder->file_size + 8]])

planted_bug(bug-settled server/session/recorder.c 169
  [[.settled = is_started(recorder) && recorder->synced_size >= recorder->keyframe_end]]
  [[.settled = is_started(recorder)]])

planted_bug(bug-unsaid client-sample/lib/resume.c 40
  [[    commands_take_back(client, welcome->last_sequence);
]]
  [[    (void)commands_take_back;
]])
