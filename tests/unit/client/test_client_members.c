/// Who takes part, as the client library keeps it.
#include "test_client_rig.h"

static void say(rig *r, bool complete, uint32_t spectators, const iso_member *members, uint32_t count) {
    iso_message message = {.kind = ISO_MESSAGE_MEMBERS};
    message.as.members = (iso_message_members){complete, spectators, members, count};
    talk_say(&r->t, &message);
}

static void expect_names(const rig *r, const char *const *names, uint32_t count) {
    uint32_t there;
    const iso_member *members = iso_client_members(r->t.client, &there);
    assert_int_equal(there, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_string_equal(members[i].name, names[i]);
    }
}

static void test_client_keeps_the_list_of_members(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    expect_names(&r, NULL, 0);
    const iso_member all[] = {
        {ISO_ROLE_PLAYER, 1, ISO_PRESENCE_HERE, 4, "ada"},
        {ISO_ROLE_PLAYER, 6, ISO_PRESENCE_HELD, 2, "bob"},
        {ISO_ROLE_SPECTATOR, 3, ISO_PRESENCE_HERE, 1, "eve"},
    };
    say(&r, true, 1, all, 3);
    expect_names(&r, (const char *const[]){"ada", "bob", "eve"}, 3);
    const iso_client_action *action = talk_action(&r.t, ISO_CLIENT_ACTION_MEMBERS, 0);
    assert_non_null(action);
    assert_true(action->is_complete);
    assert_int_equal(action->member_count, 3);

    // One joins between, one goes, one comes back under another name, one takes a slot with the next generation.
    const iso_member changes[] = {
        {ISO_ROLE_PLAYER, 0, ISO_PRESENCE_HERE, 1, "kim"},        {ISO_ROLE_PLAYER, 1, ISO_PRESENCE_HERE, 5, "joe"},
        {ISO_ROLE_PLAYER, 6, ISO_PRESENCE_HERE, 2, "bobby"},      {ISO_ROLE_SPECTATOR, 3, ISO_PRESENCE_GONE, 1, "eve"},
        {ISO_ROLE_SPECTATOR, 9, ISO_PRESENCE_GONE, 1, "unknown"},
    };
    say(&r, false, 70, changes, 5);
    expect_names(&r, (const char *const[]){"kim", "joe", "bobby"}, 3);
    assert_false(talk_action(&r.t, ISO_CLIENT_ACTION_MEMBERS, 0)->is_complete);
    assert_int_equal(iso_client_spectator_count(r.t.client), 70);
    assert_string_equal(iso_client_find_member(r.t.client, 1, 5)->name, "joe");
    assert_null(iso_client_find_member(r.t.client, 1, 4)); // the one before
    assert_null(iso_client_find_member(r.t.client, 2, 0));
    assert_null(iso_client_find_member(r.t.client, 3, 1)); // a spectator's place is no slot

    say(&r, true, 0, all, 1);
    expect_names(&r, (const char *const[]){"ada"}, 1);
    talk_term(&r.t);
}

static void test_client_has_room_for_all_places(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    iso_member all[ISO_MEMBERS_MAX];
    memset(all, 0, sizeof(all));
    for (uint32_t i = 0; i < ISO_MEMBERS_MAX; ++i) {
        const bool player = i < ISO_SLOT_COUNT_MAX;
        all[i].role = player ? ISO_ROLE_PLAYER : ISO_ROLE_SPECTATOR;
        all[i].slot = (uint8_t)(player ? i : i - ISO_SLOT_COUNT_MAX);
        all[i].presence = ISO_PRESENCE_HERE;
        all[i].slot_generation = i + 1;
    }
    say(&r, true, 64, all, ISO_MEMBERS_MAX);
    say(&r, false, 64, all, ISO_MEMBERS_MAX);
    uint32_t count;
    assert_memory_equal(iso_client_members(r.t.client, &count), all, sizeof(all));
    assert_int_equal(count, ISO_MEMBERS_MAX);
    talk_term(&r.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_keeps_the_list_of_members),
        cmocka_unit_test(test_client_has_room_for_all_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
