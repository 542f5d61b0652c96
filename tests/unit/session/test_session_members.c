/// Who takes part, as every connection is told it: by name, before the tick with the change, and not too often.
#include "session_rig.h"

/// What a client makes of the messages that it was sent.
typedef struct list {
    iso_member entries[2][ISO_SPECTATORS_TOLD_MAX]; // by role and slot
    uint32_t spectators;
    uint32_t messages, told; // since WELCOME; entries of changes
    bool is_welcomed, is_complete;
} list;

static iso_member *list_at(list *l, uint8_t role, uint8_t slot) {
    return &l->entries[role - ISO_ROLE_PLAYER][slot];
}

static void list_take(list *l, const iso_message_members *members) {
    assert_true(l->is_welcomed);
    assert_int_equal(members->is_complete, l->messages == 0); // all of them directly after WELCOME, and only then
    if (members->is_complete) {
        memset(l->entries, 0, sizeof l->entries);
    }
    l->messages += 1;
    l->told += members->is_complete ? 0 : members->count;
    l->spectators = members->spectators;
    for (uint32_t i = 0; i < members->count; ++i) {
        const iso_member *entry = &members->members[i];
        iso_member *place = list_at(l, entry->role, entry->slot);
        *place = *entry;
        if (entry->presence == ISO_PRESENCE_GONE) {
            assert_false(members->is_complete);
            memset(place, 0, sizeof *place);
        }
    }
}

/// The newest tick's change is known by name: the slot, the generation, and what has become of it.
static void list_check_change(list *l, const iso_change *change) {
    const iso_member *member = list_at(l, ISO_ROLE_PLAYER, change->slot);
    if (change->kind == ISO_CHANGE_LEAVE) {
        assert_true(member->presence == 0 || member->slot_generation > change->slot_generation);
        return;
    }
    assert_int_equal(member->slot_generation, change->slot_generation);
    assert_int_equal(member->presence, change->kind == ISO_CHANGE_DROP ? ISO_PRESENCE_HELD : ISO_PRESENCE_HERE);
}

/// Takes what `connection` was sent since rig_forget. Ticks up to `old` are stepped late, with a list of later.
static void list_read(list *l, const rig *r, uint64_t connection, uint64_t old) {
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const rig_seen *seen = &r->seen[i];
        if (seen->kind != ISO_SESSION_ACTION_SEND || seen->connection != connection) {
            continue;
        }
        if (seen->message.kind == ISO_MESSAGE_WELCOME) {
            l->is_welcomed = true;
        } else if (seen->message.kind == ISO_MESSAGE_MEMBERS) {
            list_take(l, &seen->message.as.members);
        } else if (l->is_welcomed) {
            assert_true(l->messages > 0); // MEMBERS comes first
        }
        for (uint32_t k = 0; seen->message.kind == ISO_MESSAGE_TICK && seen->message.as.tick.tick > old &&
                             k < seen->message.as.tick.change_count;
             ++k) {
            list_check_change(l, &seen->message.as.tick.changes[k]);
        }
    }
}

/// The same of all that it was ever sent.
static list list_make(const rig *r, uint64_t connection, uint64_t old) {
    list l = {0};
    list_read(&l, r, connection, old);
    return l;
}

/// The list is what the session has.
static void list_expect(list *l, const rig *r) {
    for (uint32_t slot = 0; slot < ISO_SLOT_COUNT_MAX; ++slot) {
        iso_recording_event member;
        const iso_member *entry = list_at(l, ISO_ROLE_PLAYER, (uint8_t)slot);
        if (!iso_session_get_member(r->session, slot, &member)) {
            assert_int_equal(entry->presence, 0);
            continue;
        }
        assert_int_equal(entry->slot_generation, member.slot_generation);
        assert_string_equal(entry->name, member.name);
        assert_int_equal(entry->presence,
                         member.kind == ISO_RECORDING_EVENT_DROPPED ? ISO_PRESENCE_HELD : ISO_PRESENCE_HERE);
    }
}

static uint32_t list_count(const list *l, uint8_t role) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ISO_SPECTATORS_TOLD_MAX; ++i) {
        count += l->entries[role - ISO_ROLE_PLAYER][i].presence != 0;
    }
    return count;
}

/// @return false when there is no place
static bool enter_as(rig *r, uint64_t connection, iso_role role, const char *name) {
    rig_open(r, connection);
    iso_message hello = rig_hello(r, role);
    strcpy(hello.as.hello.member, name);
    rig_message(r, connection, &hello);
    if (rig_last(r, connection, ISO_MESSAGE_REFUSAL) != NULL) {
        return false;
    }
    rig_ack_all(r, connection);
    rig_caught_up(r, connection);
    return true;
}

static void leave(rig *r, uint64_t connection) {
    const iso_message message = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, connection, &message);
}

static uint32_t count_notes(const rig *r, const char *text) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        count += r->seen[i].kind == ISO_SESSION_ACTION_LOG && strcmp(r->seen[i].note.text, text) == 0;
    }
    return count;
}

static void test_session_tells_everyone_who_is_there(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    enter_as(r, 1, ISO_ROLE_PLAYER, "ada");
    rig_ticks(r, 3);
    enter_as(r, 2, ISO_ROLE_SPECTATOR, "eve");
    rig_ticks(r, 3);
    const uint64_t old = rig_tick(r);
    enter_as(r, 3, ISO_ROLE_PLAYER, "Zo\xC3\xAB");
    rig_ticks(r, 3);
    for (uint64_t connection = 1; connection <= 3; ++connection) {
        list l = list_make(r, connection, old);
        list_expect(&l, r);
        assert_int_equal(list_count(&l, ISO_ROLE_PLAYER), 2);
        assert_string_equal(list_at(&l, ISO_ROLE_PLAYER, 0)->name, "ada");
        assert_string_equal(list_at(&l, ISO_ROLE_PLAYER, 1)->name, "Zo\xC3\xAB");
        assert_int_equal(list_at(&l, ISO_ROLE_PLAYER, 1)->slot_generation, 1);
        assert_int_equal(l.spectators, 1);
        assert_string_equal(list_at(&l, ISO_ROLE_SPECTATOR, 0)->name, "eve");
    }
    rig_destroy(r);
}

static void test_session_tells_who_is_held_is_back_and_leaves(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const uint64_t tick = rig_last_tick(r, 1)->tick, root = rig_last_tick(r, 1)->root;
    rig_cut(r, 1);
    rig_ticks(r, 1);
    list l = list_make(r, 2, 20);
    assert_int_equal(list_at(&l, ISO_ROLE_PLAYER, 0)->presence, ISO_PRESENCE_HELD);

    rig_forget(r);
    rig_ticks(r, 50);
    assert_int_equal(rig_count(r, 2, ISO_MESSAGE_MEMBERS), 0);
    rig_open(r, 3);
    iso_message hello = rig_resume(r, &welcome, tick, root);
    strcpy(hello.as.hello.member, "ada, again");
    rig_message(r, 3, &hello);
    assert_int_equal(rig_welcome(r, 3).resumed, ISO_RESUMED_TICKS);
    list_read(&l, r, 2, UINT64_MAX);
    list_expect(&l, r); // still held, by its new name
    rig_ticks(r, 8);
    rig_caught_up(r, 3);
    rig_ticks(r, 2);
    for (uint64_t connection = 2; connection <= 3; ++connection) {
        l = connection == 3 ? (list){0} : l;
        list_read(&l, r, connection, rig_tick(r) - 3);
        list_expect(&l, r);
        assert_int_equal(list_at(&l, ISO_ROLE_PLAYER, 0)->presence, ISO_PRESENCE_HERE);
        assert_string_equal(list_at(&l, ISO_ROLE_PLAYER, 0)->name, "ada, again");
    }

    rig_forget(r);
    leave(r, 3);
    assert_int_equal(count_notes(r, "leaves"), 1); // the connection
    assert_int_equal(count_notes(r, "left"), 0);
    rig_ticks(r, 1);
    assert_int_equal(count_notes(r, "leaves"), 1);
    assert_int_equal(count_notes(r, "left"), 1); // the member, in a tick
    const iso_message *members = rig_last(r, 2, ISO_MESSAGE_MEMBERS);
    assert_non_null(members);
    assert_false(members->as.members.is_complete);
    assert_int_equal(members->as.members.count, 1);
    assert_int_equal(members->as.members.members[0].presence, ISO_PRESENCE_GONE);
    assert_int_equal(members->as.members.members[0].slot_generation, 1);
    assert_string_equal(members->as.members.members[0].name, "ada, again");
    rig_destroy(r);
}

/// Members and spectators come and go at random: all lists are right at the end, and no newest tick has an unknown
/// name.
static void test_session_keeps_all_lists_right(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    uint64_t seed = 7;
    uint64_t here[64];
    uint32_t count = 0;
    rig_join(r, 1, ISO_ROLE_SPECTATOR); // sees all of it
    for (uint64_t id = 2; id < 60; ++id) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint32_t dice = (uint32_t)(seed >> 33);
        char name[16];
        snprintf(name, sizeof name, "n%u", (unsigned)id);
        if (count > 3 && dice % 2 == 0) {
            const uint32_t at = dice / 2 % count;
            (dice % 3 == 0 ? leave : rig_cut)(r, here[at]);
            here[at] = here[--count];
        } else {
            const iso_role role = dice % 3 == 0 ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
            here[count] = id;
            count += enter_as(r, id, role, name) ? 1u : 0u;
        }
        rig_ticks(r, dice % 4);
    }
    rig_ticks(r, 8);
    list all = list_make(r, 1, 0);
    list_expect(&all, r);
    assert_true(all.messages > 20);
    for (uint32_t i = 0; i < count; ++i) {
        list l = list_make(r, here[i], rig_tick(r));
        list_expect(&l, r);
        assert_memory_equal(l.entries, all.entries, sizeof all.entries);
        assert_int_equal(l.spectators, all.spectators);
    }
    rig_destroy(r);
}

static void test_session_bounds_what_comings_and_goings_cost_others(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.unacked_ticks_max = 3000;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    list l = {0};
    // Spectators and members come and go as fast as they can, for four seconds.
    const uint32_t rate = iso_world_get_def(r->world)->tick_rate_hz;
    for (uint64_t id = 2; id < 2u + 4u * rate; ++id) {
        rig_join(r, id, id % 2 == 0 ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER);
        rig_ticks(r, 1);
        leave(r, id);
        list_read(&l, r, 1, UINT64_MAX);
        rig_forget(r);
    }
    assert_true(l.told > 96u && l.told <= 2u * 96u + 4u * (16u + 4u) + 2u);
    // What was held back is told as it is by then.
    rig_ticks(r, 2u * rate);
    list_read(&l, r, 1, UINT64_MAX);
    list_expect(&l, r);
    assert_int_equal(list_count(&l, ISO_ROLE_SPECTATOR), 0);
    rig_destroy(r);
}

/// One tick in which each of three members in the lowest slots leaves, or comes again. @return the next connection
static uint64_t churn(rig *r, uint64_t here[3], uint64_t next) {
    for (uint32_t i = 0; i < 3; ++i) {
        if (here[i] != 0) {
            leave(r, here[i]);
            here[i] = 0;
        } else {
            here[i] = next;
            rig_join(r, next++, ISO_ROLE_PLAYER);
        }
    }
    rig_ticks(r, 1);
    return next;
}

static void test_session_tells_of_each_slot_in_its_turn(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.unacked_ticks_max = 3000;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    uint64_t here[3] = {2, 3, 4}, next = 6;
    for (uint64_t id = 2; id <= 5; ++id) {
        rig_join(r, id, ISO_ROLE_PLAYER);
        rig_ticks(r, 1);
    }
    assert_int_equal(rig_welcome(r, 5).slot, 3);
    list l = list_make(r, 1, UINT64_MAX);
    const uint32_t rate = iso_world_get_def(r->world)->tick_rate_hz;
    for (uint32_t tick = 0; tick < rate; ++tick) { // until only what comes in may be spent
        rig_forget(r);
        next = churn(r, here, next);
        list_read(&l, r, 1, UINT64_MAX);
    }
    rig_cut(r, 5);
    // Each of the four slots once, at 16 a second.
    for (uint32_t tick = 0; tick < 4u * rate / 16u + 1u; ++tick) {
        rig_forget(r);
        next = churn(r, here, next);
        list_read(&l, r, 1, UINT64_MAX);
    }
    assert_int_equal(list_at(&l, ISO_ROLE_PLAYER, 3)->presence, ISO_PRESENCE_HELD);
    rig_destroy(r);
}

/// The same of spectators' places. Two come and go; the one behind them goes.
static void test_session_tells_of_each_place_in_its_turn(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.unacked_ticks_max = 3000;
    config.connection_capacity = 128;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    for (uint64_t id = 2; id <= 4; ++id) {
        rig_join(r, id, ISO_ROLE_SPECTATOR);
        rig_ticks(r, 1);
    }
    list l = list_make(r, 1, UINT64_MAX);
    assert_int_equal(list_count(&l, ISO_ROLE_SPECTATOR), 3);
    const uint32_t rate = iso_world_get_def(r->world)->tick_rate_hz;
    uint64_t here[2] = {2, 3}, next = 5;
    for (uint32_t tick = 0; tick < 2u * rate + rate; ++tick) {
        rig_forget(r);
        for (uint32_t i = 0; i < 2; ++i) {
            leave(r, here[i]);
            here[i] = next;
            rig_join(r, next++, ISO_ROLE_SPECTATOR);
        }
        if (tick == 2u * rate) {
            leave(r, 4);
        }
        rig_ticks(r, 1);
        list_read(&l, r, 1, UINT64_MAX);
    }
    assert_int_equal(list_at(&l, ISO_ROLE_SPECTATOR, 2)->presence, 0);
    rig_destroy(r);
}

static void test_session_names_as_many_spectators_as_the_list_has_places(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.connection_capacity = 128;
    config.spectator_capacity = 100;
    rig *r = rig_create(&config);
    for (uint64_t id = 1; id <= 70; ++id) {
        char name[16];
        snprintf(name, sizeof name, "w%u", (unsigned)id);
        enter_as(r, id, ISO_ROLE_SPECTATOR, name);
    }
    rig_ticks(r, 2);
    list l = list_make(r, 1, UINT64_MAX);
    rig_forget(r);
    assert_int_equal(l.spectators, 70);
    assert_int_equal(list_count(&l, ISO_ROLE_SPECTATOR), 64);
    // Who had no place gets that of one who goes.
    leave(r, 3);
    rig_ticks(r, 30);
    list_read(&l, r, 1, UINT64_MAX);
    assert_int_equal(l.spectators, 69);
    assert_int_equal(list_count(&l, ISO_ROLE_SPECTATOR), 64);
    const iso_member *second = list_at(&l, ISO_ROLE_SPECTATOR, 2);
    assert_int_equal(second->slot_generation, 2);
    assert_true(atoi(second->name + 1) > 64);
    rig_destroy(r);
}

/// The snapshot that it gets still has who has left.
static void test_session_names_who_leaves_until_the_leave_is_sealed(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    enter_as(r, 1, ISO_ROLE_PLAYER, "ada");
    enter_as(r, 2, ISO_ROLE_PLAYER, "bob");
    rig_ticks(r, 3);
    const uint8_t slot = rig_welcome(r, 1).slot;
    leave(r, 1);
    enter_as(r, 3, ISO_ROLE_SPECTATOR, "eve");
    list l = list_make(r, 3, 0);
    iso_member *ada = list_at(&l, ISO_ROLE_PLAYER, slot);
    assert_int_equal(ada->presence, ISO_PRESENCE_HERE);
    assert_string_equal(ada->name, "ada");
    rig_ticks(r, 1);
    l = list_make(r, 3, rig_tick(r));
    assert_int_equal(list_at(&l, ISO_ROLE_PLAYER, slot)->presence, 0);
    rig_ticks(r, 2);
    l = list_make(r, 3, rig_tick(r));
    list_expect(&l, r);
    rig_destroy(r);
}

/// The name that the connection has, as all others are told.
static const char *name_of(const rig *r, uint64_t connection) {
    const iso_message *welcome = rig_last(r, connection, ISO_MESSAGE_WELCOME);
    assert_non_null(welcome);
    static char name[ISO_MEMBER_NAME_MAX + 1];
    list l = list_make(r, connection, UINT64_MAX);
    if (welcome->as.welcome.role == ISO_ROLE_PLAYER) {
        memcpy(name, list_at(&l, ISO_ROLE_PLAYER, welcome->as.welcome.slot)->name, sizeof name);
    }
    return name;
}

static void test_session_gives_equal_and_blank_names_a_number(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    static const char *const asked[] = {"ada", "ada", "", "   "};
    static const char *const given[] = {"ada", "ada 2", "client", "client 2"};
    for (uint64_t i = 0; i < 4; ++i) {
        assert_true(enter_as(r, i + 1, ISO_ROLE_PLAYER, asked[i]));
        rig_ticks(r, 4);
        assert_string_equal(name_of(r, i + 1), given[i]);
    }
    // A spectator's name counts as a player's, and the recording and the log have what was given.
    enter_as(r, 5, ISO_ROLE_SPECTATOR, "ada");
    rig_ticks(r, 4);
    list l = list_make(r, 1, UINT64_MAX);
    assert_string_equal(list_at(&l, ISO_ROLE_SPECTATOR, 0)->name, "ada 3");
    iso_recording_event member;
    assert_true(iso_session_get_member(r->session, 1, &member));
    assert_string_equal(member.name, "ada 2");
    bool is_logged = false;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        is_logged =
            is_logged || (strcmp(r->seen[i].note.member, "ada 2") == 0 && strcmp(r->seen[i].note.text, "joined") == 0);
    }
    assert_true(is_logged);
    rig_destroy(r);
}

static void test_session_keeps_the_given_name_of_who_comes_back(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    enter_as(r, 1, ISO_ROLE_PLAYER, "ada");
    enter_as(r, 2, ISO_ROLE_PLAYER, "ada");
    rig_ticks(r, 10);
    const iso_message_welcome welcome = rig_welcome(r, 2);
    const uint64_t tick = rig_last_tick(r, 2)->tick, root = rig_last_tick(r, 2)->root;
    rig_cut(r, 2);
    leave(r, 1);
    rig_ticks(r, 3);
    rig_open(r, 3);
    iso_message hello = rig_resume(r, &welcome, tick, root);
    strcpy(hello.as.hello.member, "ada");
    rig_message(r, 3, &hello);
    rig_ticks(r, 3);
    assert_string_equal(name_of(r, 3), "ada 2");
    // The first one's name is free again.
    enter_as(r, 4, ISO_ROLE_PLAYER, "ada");
    rig_ticks(r, 3);
    assert_string_equal(name_of(r, 4), "ada");
    rig_destroy(r);
}

/// Whole characters are cut off for the number; a name that ends with a number is one like any other.
static void test_session_makes_room_for_the_number_of_a_name(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    static const char full[] = "0123456789abcdefghijklmno\xE2\x82\xAC\xE2\x82\xAC"; // 31 bytes
    static const char cut[] = "0123456789abcdefghijklmno\xE2\x82\xAC 2";            // 30: half a character has no room
    assert_true(enter_as(r, 1, ISO_ROLE_PLAYER, full) && enter_as(r, 2, ISO_ROLE_PLAYER, full));
    assert_true(enter_as(r, 3, ISO_ROLE_PLAYER, cut) && enter_as(r, 4, ISO_ROLE_PLAYER, "ada 2"));
    rig_ticks(r, 4);
    assert_string_equal(name_of(r, 1), full);
    assert_string_equal(name_of(r, 2), cut);
    assert_string_equal(name_of(r, 3), "0123456789abcdefghijklmno\xE2\x82\xAC 3");
    assert_string_equal(name_of(r, 4), "ada 2");
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_tells_everyone_who_is_there),
        cmocka_unit_test(test_session_tells_who_is_held_is_back_and_leaves),
        cmocka_unit_test(test_session_names_who_leaves_until_the_leave_is_sealed),
        cmocka_unit_test(test_session_keeps_all_lists_right),
        cmocka_unit_test(test_session_gives_equal_and_blank_names_a_number),
        cmocka_unit_test(test_session_keeps_the_given_name_of_who_comes_back),
        cmocka_unit_test(test_session_makes_room_for_the_number_of_a_name),
        cmocka_unit_test(test_session_bounds_what_comings_and_goings_cost_others),
        cmocka_unit_test(test_session_tells_of_each_slot_in_its_turn),
        cmocka_unit_test(test_session_tells_of_each_place_in_its_turn),
        cmocka_unit_test(test_session_names_as_many_spectators_as_the_list_has_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
