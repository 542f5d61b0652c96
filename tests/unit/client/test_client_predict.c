/// The client's prediction: against the confirmed world, against a prediction made from scratch, and what is told of
/// it.
#include "test_client_stage.h"

/// The own member steers, jumps and spawns.
static void play(stage *s, uint64_t i) {
    if (i % 7 == 0) {
        const uint8_t control[8] = {0xFF, (uint8_t)(i % 2 == 0 ? 0x7F : 0x80), 0, 0, i % 21 == 0, 0, 0, 0};
        assert_int_equal(iso_client_set_control(s->t.client, control, sizeof(control)), ISO_OK);
    }
    if (i % 40 == 11) {
        const iso_command command = spawn_at((int32_t)(i % 9));
        assert_int_equal(iso_client_command(s->t.client, &command, NULL), ISO_OK);
    }
}

static void test_prediction_is_what_is_confirmed_when_alone(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    uint32_t compared = 0;
    for (uint64_t i = 0; i < 300; ++i) {
        play(&s, i);
        stage_tick(&s);
        const uint64_t first = s.first_roots[talk_tick(&s.t) % 256];
        assert_true(first == 0 || first == s.t.root);
        compared += first != 0;
    }
    assert_true(compared > 280);
    assert_in_range(s.ahead_max, 3, 8);
    const iso_client_stats stats = stage_stats(&s);
    assert_int_equal(stats.rollbacks, 0);
    assert_int_equal(stats.resteps, 0);
    assert_true(stats.commands_sent > 40);
    stage_term(&s);
}

static void test_own_input_shows_in_the_next_predicted_tick(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 10; ++i) {
        stage_tick(&s);
    }
    const uint64_t before = stage_stats(&s).last_target;
    const iso_command command = impulse_on(s.t.ball, 1000);
    assert_int_equal(iso_client_command(s.t.client, &command, NULL), ISO_OK);
    stage_pass(&s);
    iso_body_view ahead, confirmed;
    assert_int_equal(iso_body_get(iso_client_predicted_world(s.t.client), s.t.ball, &ahead), ISO_OK);
    assert_int_equal(iso_body_get(iso_client_world(s.t.client), s.t.ball, &confirmed), ISO_OK);
    assert_int_equal(stage_stats(&s).predicted_tick, before + 1);
    assert_true(ahead.velocity.y > confirmed.velocity.y + 100 * ISO_WIDE_ONE);
    stage_term(&s);
}

/// The prediction as it should be: from the server's world, with the commands that are under way.
static uint64_t scratch_root(stage *s, uint64_t until) {
    const size_t size = iso_world_save(s->t.world, s->image, iso_world_image_size_max(s->scratch));
    assert_int_equal(iso_world_restore(s->scratch, s->image, size), ISO_OK);
    uint32_t next = 0;
    for (uint64_t tick = talk_tick(&s->t) + 1; tick <= until; ++tick) {
        const uint32_t first = next;
        while (next < s->heard_count && s->targets[next] <= tick) {
            next += 1;
        }
        const iso_tick_input input = {tick, NULL, 0, s->heard + first, next - first};
        assert_int_equal(iso_world_step(s->scratch, &input), ISO_OK);
    }
    return iso_world_root(s->scratch);
}

static void test_wrong_prediction_is_put_right_exactly(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    uint32_t wrong = 0;
    for (uint64_t i = 0; i < 300; ++i) {
        play(&s, i);
        if (i % 5 == 2) {
            other_does(&s, impulse_on(s.t.ball, (int32_t)(i % 3)));
        }
        if (i % 31 == 3) {
            other_does(&s, spawn_at((int32_t)(i % 11)));
        }
        stage_tick(&s);
        const uint64_t first = s.first_roots[talk_tick(&s.t) % 256];
        wrong += first != 0 && first != s.t.root;
        if (i > 1) {
            const uint64_t tick = stage_stats(&s).predicted_tick;
            assert_true(tick > talk_tick(&s.t));
            assert_true(scratch_root(&s, tick) == s.last_roots[tick % 256]);
        }
    }
    const iso_client_stats stats = stage_stats(&s);
    assert_true(wrong > 60);
    assert_in_range(stats.rollbacks, 60, 80);
    assert_in_range(stats.max_rollback, 2, 8);
    assert_true(stats.resteps > stats.rollbacks && stats.resteps <= stats.rollbacks * stats.max_rollback);
    assert_int_equal(stats.desyncs, 0);
    stage_term(&s);
}

static void test_change_of_the_session_is_put_right(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 30; ++i) {
        stage_tick(&s);
    }
    stage_pass(&s);
    const iso_change leave = {ISO_CHANGE_LEAVE, 1, 1};
    talk_step_with(&s.t, &leave, 1, NULL, 0, false);
    stage_look(&s);
    assert_int_equal(stage_stats(&s).rollbacks, 1);
    const uint64_t tick = stage_stats(&s).predicted_tick;
    assert_true(scratch_root(&s, tick) == s.last_roots[tick % 256]);
    stage_term(&s);
}

static void test_command_that_is_sealed_late_is_expected_with_every_tick(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 10; ++i) {
        stage_tick(&s);
    }
    s.late_ticks = 3;
    const iso_command command = impulse_on(s.t.ball, 5);
    assert_int_equal(iso_client_command(s.t.client, &command, NULL), ISO_OK);
    for (int i = 0; i < 20; ++i) {
        stage_tick(&s);
    }
    const iso_client_stats stats = stage_stats(&s);
    assert_int_equal(stats.rollbacks, 3); // the ticks that it was expected in and was not
    assert_int_equal(s.outcomes[s.outcome_count - 1].mark, ISO_CLIENT_MARK_CONFIRMED);
    stage_term(&s);
}

static void test_prediction_stops_where_it_may_not_go_on(void **state) {
    (void)state;
    // Without ticks the inputs are held after a tenth of a second, with them what is predicted.
    for (uint8_t frames = 1; frames <= 8; ++frames) {
        stage s;
        stage_init(&s, frames);
        for (int i = 0; i < 20; ++i) {
            stage_tick(&s);
        }
        // The server falls silent.
        for (int i = 0; i < 30; ++i) {
            stage_pass(&s);
            s.t.now_ns += S / 60;
        }
        assert_int_equal(s.ahead_max, frames);
        assert_int_equal(stage_stats(&s).predicted_tick, talk_tick(&s.t) + frames);
        stage_term(&s);
    }
}

static void test_prediction_runs_as_far_as_the_round_trip_asks_for(void **state) {
    (void)state;
    stage s;
    stage_init_far(&s, ISO_CLIENT_PREDICT_MAX, 13);
    for (int i = 0; i < 40; ++i) {
        stage_tick(&s);
    }
    assert_int_equal(ISO_CLIENT_PREDICT_MAX, 16);
    assert_in_range(s.ahead_max, 13, 15);
    assert_int_equal(stage_stats(&s).predicted_tick, stage_stats(&s).last_target);
    assert_int_equal(stage_stats(&s).max_unpredicted, 0);
    stage_term(&s);
}

/// How much faster upwards the ball is in the predicted world than in the confirmed one [m/s].
static int64_t ball_is_ahead(const stage *s) {
    iso_body_view ahead, confirmed;
    assert_int_equal(iso_body_get(iso_client_predicted_world(s->t.client), s->t.ball, &ahead), ISO_OK);
    assert_int_equal(iso_body_get(iso_client_world(s->t.client), s->t.ball, &confirmed), ISO_OK);
    return (ahead.velocity.y - confirmed.velocity.y) / ISO_WIDE_ONE;
}

static void test_input_beyond_what_is_predicted_shows_at_once(void **state) {
    (void)state;
    stage s;
    stage_init_far(&s, ISO_CLIENT_PREDICT_MAX, 24);
    for (int i = 0; i < 40; ++i) {
        stage_tick(&s);
    }
    const iso_client_stats before = stage_stats(&s);
    assert_in_range(before.predicted_tick, talk_tick(&s.t) + ISO_CLIENT_PREDICT_MAX - 1,
                    talk_tick(&s.t) + ISO_CLIENT_PREDICT_MAX);
    assert_int_equal(s.unpredicted, before.last_target - before.predicted_tick);
    assert_in_range(s.unpredicted, 8, 10);
    assert_int_equal(before.rollbacks, 0);

    const iso_command command = impulse_on(s.t.ball, 1000);
    assert_int_equal(iso_client_command(s.t.client, &command, NULL), ISO_OK);
    stage_pass(&s);
    assert_int_equal(s.heard_count, 1);
    const uint64_t target = s.targets[0];
    assert_true(target > talk_tick(&s.t) + ISO_CLIENT_PREDICT_MAX);
    // It shows until it is confirmed, in the tick that it was meant for.
    while (talk_tick(&s.t) < target) {
        assert_true(ball_is_ahead(&s) > 100);
        stage_tick(&s);
    }
    assert_true(ball_is_ahead(&s) < 100);
    stage_tick(&s);
    const iso_client_stats after = stage_stats(&s);
    assert_in_range(after.rollbacks, 1, before.unpredicted + 1);
    assert_int_equal(after.max_unpredicted, before.unpredicted);
    for (uint32_t i = 0; i + 1 < s.outcome_count; ++i) {
        assert_int_not_equal(s.outcomes[i].mark, s.outcomes[i + 1].mark);
    }
    assert_int_equal(s.outcomes[s.outcome_count - 1].mark, ISO_CLIENT_MARK_CONFIRMED);
    stage_term(&s);
}

static uint32_t count_marked(const stage *s, uint64_t sequence, uint8_t mark, iso_client_outcome *last) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->outcome_count; ++i) {
        if (s->outcomes[i].first == sequence && s->outcomes[i].mark == mark) {
            count += 1;
            *last = s->outcomes[i];
        }
    }
    return count;
}

static void test_outcomes_are_predicted_then_confirmed(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 10; ++i) {
        stage_tick(&s);
    }
    uint64_t sequence;
    const iso_command command = spawn_at(2);
    assert_int_equal(iso_client_command(s.t.client, &command, &sequence), ISO_OK);
    for (int i = 0; i < 12; ++i) {
        stage_tick(&s);
    }
    iso_client_outcome predicted = {0}, confirmed = {0};
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_PREDICTED, &predicted), 1);
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_CONFIRMED, &confirmed), 1);
    assert_int_equal(s.outcome_count, 2);
    assert_true(predicted.second == confirmed.second && predicted.tick == confirmed.tick);
    assert_int_equal(predicted.status, ISO_OK);
    assert_true(predicted.second != 0);
    stage_term(&s);
}

static void test_events_are_predicted_then_confirmed(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (uint64_t i = 0; i < 300; ++i) {
        play(&s, i);
        stage_tick(&s);
    }
    const uint32_t *begins = s.events[ISO_CLIENT_OUTCOME_CONTACT_BEGIN];
    assert_true(begins[ISO_CLIENT_MARK_CONFIRMED] >= 8); // what was spawned has come down
    assert_true(begins[ISO_CLIENT_MARK_PREDICTED] >= begins[ISO_CLIENT_MARK_CONFIRMED] - 1);
    for (uint32_t kind = 1; kind <= ISO_CLIENT_OUTCOME_JOINT_WAKE; ++kind) {
        assert_int_equal(s.events[kind][ISO_CLIENT_MARK_WITHDRAWN], 0); // alone, everything comes true
    }
    // Somebody kicks the ball into the air: contacts that were thought to last, and sleep, do not come true.
    for (uint64_t i = 0; i < 200; ++i) {
        if (i % 40 == 0) {
            other_does(&s, impulse_on(s.t.ball, 6));
        }
        stage_tick(&s);
    }
    uint32_t predicted = 0, settled = 0;
    for (uint32_t kind = 1; kind <= ISO_CLIENT_OUTCOME_JOINT_WAKE; ++kind) {
        predicted += s.events[kind][ISO_CLIENT_MARK_PREDICTED];
        settled += s.events[kind][ISO_CLIENT_MARK_CONFIRMED] + s.events[kind][ISO_CLIENT_MARK_WITHDRAWN];
    }
    assert_true(s.events[ISO_CLIENT_OUTCOME_CONTACT_END][ISO_CLIENT_MARK_CONFIRMED] >= 4);
    assert_true(predicted <= settled + 16); // all but those of the ticks that are still ahead
    stage_term(&s);
}

static iso_body_id emit_ball;

/// The sandbox, which tells in each tick where the ball is, twice the same.
static void emit_after_step(iso_world *world, void *state) {
    (void)state;
    iso_body_view view;
    if (iso_body_get(world, emit_ball, &view) == ISO_OK) {
        const int64_t place[2] = {view.position.x, view.position.y};
        assert_int_equal(iso_world_emit(world, 7, place, sizeof place), ISO_OK);
        assert_int_equal(iso_world_emit(world, 7, place, sizeof place), ISO_OK);
    }
}

/// What was told of one tick. @return how often it has the mark
static uint32_t count_emits(const stage *s, uint64_t tick, uint8_t mark, const int64_t *place) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->emit_count; ++i) {
        const iso_client_outcome *emit = &s->emits[i];
        const bool is_it = emit->tick == tick && emit->mark == mark;
        count += is_it && (place == NULL || memcmp(emit->bytes, place, 16) == 0);
        assert_true(!is_it || (emit->first == 7 && emit->second == 16));
    }
    return count;
}

static void test_events_of_the_game_are_told_with_their_bytes(void **state) {
    (void)state;
    stage s;
    static iso_game emitting;
    emitting = iso_game_sandbox;
    emitting.after_step = emit_after_step;
    talk_games[0] = &emitting;
    stage_init(&s, 8);
    emit_ball = s.t.ball;
    uint64_t withdrawn = 0;
    for (uint64_t i = 0; i < 160; ++i) {
        if (i % 40 == 20) {
            other_does(&s, impulse_on(s.t.ball, 6));
        }
        stage_tick(&s);
        iso_body_view view;
        assert_int_equal(iso_body_get(s.t.world, s.t.ball, &view), ISO_OK);
        const int64_t place[2] = {view.position.x, view.position.y};
        const uint64_t tick = talk_tick(&s.t);
        // Confirmed once each, in the form that the server's world has; each prediction of it was confirmed or
        // withdrawn.
        assert_int_equal(count_emits(&s, tick, ISO_CLIENT_MARK_CONFIRMED, place), 2);
        assert_int_equal(count_emits(&s, tick, ISO_CLIENT_MARK_CONFIRMED, NULL), 2);
        assert_int_equal(count_emits(&s, tick, ISO_CLIENT_MARK_PREDICTED, NULL),
                         count_emits(&s, tick, ISO_CLIENT_MARK_WITHDRAWN, NULL) +
                             count_emits(&s, tick, ISO_CLIENT_MARK_PREDICTED, place));
        withdrawn += count_emits(&s, tick, ISO_CLIENT_MARK_WITHDRAWN, NULL);
    }
    assert_true(withdrawn >= 3 * 2);
    stage_term(&s);
    talk_games[0] = &iso_game_sandbox;
}

static iso_joint_id sleeping_joint;
static iso_body_id sleeping_body;

/// The sandbox, in which two bodies without gravity are joined, and one of them is woken later.
static void join_before_step(iso_world *world, void *state) {
    (void)state;
    const uint64_t tick = iso_world_get_tick(world);
    if (tick == 20) {
        iso_body_def def = iso_body_def_default();
        iso_joint_def joint = iso_joint_def_default();
        def.params.gravity_scale = 0;
        def.position.y = 100 * ISO_WIDE_ONE;
        assert_int_equal(iso_body_create(world, &def, &joint.body_a), ISO_OK);
        assert_int_equal(iso_body_create(world, &def, &joint.body_b), ISO_OK);
        joint.tag = 4000000007u;
        assert_int_equal(iso_joint_create(world, &joint, &sleeping_joint), ISO_OK);
        sleeping_body = joint.body_a;
    } else if (tick == 100) {
        assert_int_equal(iso_body_wake(world, sleeping_body), ISO_OK);
    }
}

static void test_joints_that_sleep_and_wake_are_told_with_their_tag(void **state) {
    (void)state;
    stage s;
    static iso_game joining;
    joining = iso_game_sandbox;
    joining.before_step = join_before_step;
    talk_games[0] = &joining;
    stage_init(&s, 8);
    while (talk_tick(&s.t) < 110) {
        stage_tick(&s);
    }
    for (uint32_t kind = ISO_CLIENT_OUTCOME_JOINT_SLEEP; kind <= ISO_CLIENT_OUTCOME_JOINT_WAKE; ++kind) {
        assert_int_equal(s.events[kind][ISO_CLIENT_MARK_PREDICTED], 1);
        assert_int_equal(s.events[kind][ISO_CLIENT_MARK_CONFIRMED], 1);
        assert_int_equal(s.events[kind][ISO_CLIENT_MARK_WITHDRAWN], 0);
        assert_true(s.last[kind].first == iso_id_pack(sleeping_joint.index, sleeping_joint.generation));
        assert_true(s.last[kind].second == 4000000007u);
    }
    assert_int_equal(s.last[ISO_CLIENT_OUTCOME_JOINT_SLEEP].tick, 49); // the 30th of half a second
    assert_int_equal(s.last[ISO_CLIENT_OUTCOME_JOINT_WAKE].tick, 100);
    stage_term(&s);
    talk_games[0] = &iso_game_sandbox;
}

static void test_outcome_that_does_not_come_true_is_withdrawn(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 10; ++i) {
        stage_tick(&s);
    }
    uint64_t sequence;
    const iso_command command = spawn_at(2);
    assert_int_equal(iso_client_command(s.t.client, &command, &sequence), ISO_OK);
    stage_tick(&s);
    other_does(&s, spawn_at(-5)); // takes the place that the own body was predicted to get
    for (int i = 0; i < 12; ++i) {
        stage_tick(&s);
    }
    iso_client_outcome predicted = {0}, withdrawn = {0}, confirmed = {0};
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_PREDICTED, &predicted), 2);
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_WITHDRAWN, &withdrawn), 1);
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_CONFIRMED, &confirmed), 1);
    assert_true(predicted.second == confirmed.second && withdrawn.second != confirmed.second);
    stage_term(&s);
}

static void test_refused_command_is_taken_out_of_the_prediction(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 10; ++i) {
        stage_tick(&s);
    }
    uint64_t sequence;
    const iso_command command = spawn_at(2);
    assert_int_equal(iso_client_command(s.t.client, &command, &sequence), ISO_OK);
    stage_pass(&s);
    assert_int_equal(s.heard_count, 1);
    s.heard_count = 0;
    iso_message m = {.kind = ISO_MESSAGE_REJECT};
    m.as.reject.sequence = sequence;
    m.as.reject.code = ISO_ERR_RATE;
    talk_say(&s.t, &m);
    stage_look(&s);
    iso_client_outcome withdrawn = {0};
    assert_int_equal(count_marked(&s, sequence, ISO_CLIENT_MARK_WITHDRAWN, &withdrawn), 1);
    assert_true(scratch_root(&s, stage_stats(&s).predicted_tick) == s.last_roots[stage_stats(&s).predicted_tick % 256]);
    for (int i = 0; i < 5; ++i) {
        stage_tick(&s);
    }
    assert_int_equal(stage_stats(&s).rollbacks, 1);
    stage_term(&s);
}

static void test_nothing_is_allocated_while_playing(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    s.t.refuse_above = 1; // and a try would be seen
    s.t.largest = 0;
    for (uint64_t i = 0; i < 200; ++i) {
        play(&s, i);
        if (i % 5 == 2) {
            other_does(&s, impulse_on(s.t.ball, 3));
        }
        stage_tick(&s);
    }
    assert_int_equal(s.t.largest, 0);
    assert_true(stage_stats(&s).rollbacks > 30);
    stage_term(&s);
}

static int64_t gap(iso_wide a, iso_wide b) {
    return a > b ? a - b : b - a;
}

static void test_errors_are_shown_gliding(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 100; ++i) {
        stage_tick(&s); // the ball lies still
    }
    stage_pass(&s);
    iso_client_pose before, after;
    iso_body_view view;
    assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &before), ISO_OK);
    iso_command jump = impulse_on(s.t.ball, 0);
    jump.kind = ISO_COMMAND_SET_VELOCITY;
    jump.as.set_velocity = (iso_command_set_velocity){.body = s.t.ball, .velocity = {5 * ISO_WIDE_ONE, 0}};
    other_does(&s, jump);
    stage_seal(&s);
    assert_int_equal(stage_stats(&s).rollbacks, 1);
    const iso_world *ahead = iso_client_predicted_world(s.t.client);
    assert_int_equal(iso_body_get(ahead, s.t.ball, &view), ISO_OK);
    assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &after), ISO_OK);
    // The world has moved the body by several ticks' way at once; the eye sees none of that.
    int64_t error = gap(after.position.x, view.position.x);
    assert_true(gap(view.position.x, before.position.x) > ISO_WIDE_ONE / 8);
    assert_true(after.position.x == before.position.x);
    assert_true(after.angle_turns == before.angle_turns);
    for (int i = 0; i < 30; ++i) {
        stage_tick(&s);
        assert_int_equal(iso_body_get(iso_client_predicted_world(s.t.client), s.t.ball, &view), ISO_OK);
        assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &after), ISO_OK);
        const int64_t left = gap(after.position.x, view.position.x);
        assert_true(left <= error);
        error = left;
    }
    assert_true(error < ISO_WIDE_ONE / 100);
    assert_int_equal(iso_client_body_pose(s.t.client, (iso_body_id){50, 1}, &after), ISO_ERR_STALE);
    stage_term(&s);
}

static void test_large_errors_are_not_smoothed(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 8);
    for (int i = 0; i < 100; ++i) {
        stage_tick(&s);
    }
    iso_command jump = impulse_on(s.t.ball, 0);
    jump.kind = ISO_COMMAND_SET_VELOCITY;
    jump.as.set_velocity = (iso_command_set_velocity){.body = s.t.ball, .velocity = {0, 400 * ISO_WIDE_ONE}};
    stage_pass(&s);
    other_does(&s, jump);
    stage_seal(&s);
    iso_client_pose pose;
    iso_body_view view;
    assert_int_equal(iso_body_get(iso_client_predicted_world(s.t.client), s.t.ball, &view), ISO_OK);
    assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &pose), ISO_OK);
    assert_true(view.position.y > 10 * ISO_WIDE_ONE && pose.position.y == view.position.y);
    stage_term(&s);
}

static void test_without_prediction_the_confirmed_world_is_shown(void **state) {
    (void)state;
    stage s;
    stage_init(&s, 0);
    for (uint64_t i = 0; i < 50; ++i) {
        play(&s, i);
        stage_tick(&s);
        assert_ptr_equal(iso_client_predicted_world(s.t.client), iso_client_world(s.t.client));
    }
    iso_client_pose pose;
    iso_body_view view;
    assert_int_equal(iso_body_get(iso_client_world(s.t.client), s.t.ball, &view), ISO_OK);
    assert_int_equal(iso_client_body_pose(s.t.client, s.t.ball, &pose), ISO_OK);
    assert_true(pose.position.y == view.position.y && pose.angle_turns == view.angle_turns);
    assert_int_equal(stage_stats(&s).predicted_tick, talk_tick(&s.t));
    stage_term(&s);
}

static void test_prediction_needs_a_player_with_a_world(void **state) {
    (void)state;
    talk t;
    iso_client *client;
    iso_client_config config = talk_config(&t);
    config.predict_frames = ISO_CLIENT_PREDICT_MAX + 1;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config.predict_frames = 1;
    config.verify = false;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config.verify = true;
    config.role = ISO_ROLE_SPECTATOR;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prediction_is_what_is_confirmed_when_alone),
        cmocka_unit_test(test_own_input_shows_in_the_next_predicted_tick),
        cmocka_unit_test(test_wrong_prediction_is_put_right_exactly),
        cmocka_unit_test(test_change_of_the_session_is_put_right),
        cmocka_unit_test(test_command_that_is_sealed_late_is_expected_with_every_tick),
        cmocka_unit_test(test_prediction_stops_where_it_may_not_go_on),
        cmocka_unit_test(test_prediction_runs_as_far_as_the_round_trip_asks_for),
        cmocka_unit_test(test_input_beyond_what_is_predicted_shows_at_once),
        cmocka_unit_test(test_outcomes_are_predicted_then_confirmed),
        cmocka_unit_test(test_events_are_predicted_then_confirmed),
        cmocka_unit_test(test_events_of_the_game_are_told_with_their_bytes),
        cmocka_unit_test(test_joints_that_sleep_and_wake_are_told_with_their_tag),
        cmocka_unit_test(test_outcome_that_does_not_come_true_is_withdrawn),
        cmocka_unit_test(test_refused_command_is_taken_out_of_the_prediction),
        cmocka_unit_test(test_nothing_is_allocated_while_playing),
        cmocka_unit_test(test_errors_are_shown_gliding),
        cmocka_unit_test(test_large_errors_are_not_smoothed),
        cmocka_unit_test(test_without_prediction_the_confirmed_world_is_shown),
        cmocka_unit_test(test_prediction_needs_a_player_with_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
