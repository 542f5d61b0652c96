/// Bans and their file, what is written down of changes, and how often somebody may be wrong.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text_time.h"
#include "host/peers/bans.h"
#include "host/peers/guess_limit.h"
#include "host/watch/audit.h"
#include "unit/address_util.h"

#define NOW INT64_C(1800000000)

static char folder[] = "/tmp/isostep-moderation-XXXXXX", path[64], text[1 << 14];

static int set_up(void **state) {
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const char *content(void) {
    FILE *file = fopen(path, "r");
    const size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static void put(const char *what) {
    FILE *file = fopen(path, "w");
    fputs(what, file);
    fclose(file);
}

static const iso__address *address_of(const char *name) {
    static iso__address address;
    address = read_address(name, 0);
    assert_int_not_equal(address.family, ISO__ADDRESS_NONE);
    return &address;
}

// ---- Bans -------------------------------------------------------------------------------------------

static void test_networks_are_read_and_written(void **state) {
    (void)state;
    static const struct {
        const char *from, *to; // NULL: it is none
    } cases[] = {
        {"192.0.2.7", "192.0.2.7/32"},
        {"192.0.2.7/24", "192.0.2.0/24"},
        {"10.255.0.0/9", "10.128.0.0/9"},
        {"::ffff:192.0.2.7", "192.0.2.7/32"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:db8:1:2:3:4:5:6/128", "2001:db8:1:2:3:4:5:6/128"},
        {"2001:db8::/32", "2001:db8::/32"},
        {"seat:00112233445566778899aabbccddeeff:31:7", "seat:00112233445566778899aabbccddeeff:31:7"},
        {"0.0.0.0/0", NULL},
        {"192.0.0.0/7", NULL},
        {"::/15", NULL},
        {"192.0.2.7/33", NULL},
        {"192.0.2.7/", NULL},
        {"192.0.2.7/8x", NULL},
        {"192.0.2", NULL},
        {"example.com", NULL},
        {"", NULL},
        {"seat:0011:3:7", NULL},
        {"seat:00112233445566778899aabbccddeeff:32:7", NULL},
        {"seat:00112233445566778899aabbccddeeff:3:7x", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso__ban ban;
        char what[ISO__BAN_WHAT_SIZE];
        if (iso__ban_read(&ban, cases[i].from) != (cases[i].to != NULL)) {
            fail_msg("%s", cases[i].from);
        }
        if (cases[i].to == NULL) {
            continue;
        }
        iso__ban_write(&ban, what);
        assert_string_equal(what, cases[i].to);
    }
}

static void test_a_ban_is_of_its_network_until_it_is_over(void **state) {
    (void)state;
    iso__bans bans;
    iso__ban ban, wide;
    assert_true(iso__bans_open(&bans, AT_FDCWD, NULL, NULL));
    assert_true(iso__ban_read(&ban, "192.0.2.0/25") && iso__ban_read(&wide, "2001:db8::/47"));
    ban.until_s = NOW + 10;
    assert_true(iso__bans_add(&bans, &ban, NOW) && iso__bans_add(&bans, &wide, NOW));
    assert_non_null(iso__bans_find_address(&bans, address_of("192.0.2.127"), NOW));
    assert_non_null(iso__bans_find_address(&bans, address_of("::ffff:192.0.2.1"), NOW));
    assert_null(iso__bans_find_address(&bans, address_of("192.0.2.128"), NOW));
    assert_null(iso__bans_find_address(&bans, address_of("192.0.2.127"), NOW + 10));
    assert_non_null(iso__bans_find_address(&bans, address_of("2001:db8:1::9"), NOW + 10));
    assert_null(iso__bans_find_address(&bans, address_of("2001:db8:2::9"), NOW));
    // The same once more changes it.
    ban.until_s = 0;
    assert_true(iso__bans_add(&bans, &ban, NOW));
    assert_int_equal(bans.count, 2);
    assert_non_null(iso__bans_find_address(&bans, address_of("192.0.2.1"), NOW + 1000));
    // IPv4 is kept in a form of IPv6, and is in no network of it.
    assert_true(iso__ban_read(&wide, "::1") && iso__bans_add(&bans, &wide, NOW));
    assert_non_null(iso__bans_find_address(&bans, address_of("::1"), NOW));
    assert_null(iso__bans_find_address(&bans, address_of("198.51.100.1"), NOW));
    assert_null(iso__bans_find_address(&bans, address_of("::ffff:198.51.100.1"), NOW));
    iso__bans_term(&bans);
}

static void test_a_banned_seat_is_that_slot_and_generation(void **state) {
    (void)state;
    iso__bans bans;
    iso__ban ban;
    iso_resume resume = {.slot = 3, .slot_generation = 7};
    assert_true(iso__bans_open(&bans, AT_FDCWD, NULL, NULL));
    memset(resume.uid, 0xAB, sizeof resume.uid);
    assert_true(iso__ban_read(&ban, "seat:abababababababababababababababab:3:7"));
    assert_true(iso__bans_add(&bans, &ban, NOW));
    assert_non_null(iso__bans_find_seat(&bans, &resume, NOW));
    resume.slot_generation = 8;
    assert_null(iso__bans_find_seat(&bans, &resume, NOW));
    resume.slot_generation = 7;
    resume.uid[15] = 0;
    assert_null(iso__bans_find_seat(&bans, &resume, NOW));
    // The next who has the seat is somebody else: a ban of theirs is another one.
    assert_true(iso__ban_read(&ban, "seat:abababababababababababababababab:3:8"));
    assert_true(iso__bans_add(&bans, &ban, NOW));
    assert_int_equal(bans.count, 2);
    iso__bans_term(&bans);
}

static void test_bans_are_kept_in_a_file(void **state) {
    (void)state;
    iso__bans bans;
    iso__ban ban;
    char id[ISO__BAN_ID_SIZE];
    struct stat about;
    assert_true(iso__bans_open(&bans, AT_FDCWD, path, path));
    assert_true(iso__ban_read(&ban, "192.0.2.7"));
    strcpy(ban.by, "anna");
    strcpy(ban.reason, "two\nlines");
    assert_true(iso__bans_add(&bans, &ban, NOW));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    iso__ban_id(&ban, id);
    assert_true(iso__ban_read(&ban, "192.0.2.8"));
    ban.until_s = NOW + 60;
    assert_true(iso__bans_add(&bans, &ban, NOW));
    assert_non_null(strstr(content(), "\n192.0.2.7/32 never anna two?lines\n192.0.2.8/32 2027-01-15T08:01:00Z - \n"));
    iso__bans_term(&bans);
    assert_true(iso__bans_open(&bans, AT_FDCWD, path, path));
    assert_int_equal(bans.count, 2);
    assert_string_equal(bans.list[0].reason, "two?lines");
    assert_int_equal(bans.list[1].until_s, NOW + 60);
    assert_int_equal(iso__bans_remove(&bans, "0123456789abcdef", NOW), 0);
    // What is over goes with the next change.
    assert_int_equal(iso__bans_remove(&bans, id, NOW + 60), 1);
    assert_int_equal(bans.count, 0);
    assert_null(strstr(content(), "192.0.2"));
    iso__bans_term(&bans);
}

static void test_a_file_that_is_wrong_changes_nothing(void **state) {
    (void)state;
    static const char *const wrong[] = {"192.0.2.8/32\n", "192.0.2 never me\n", "192.0.2.8 tomorrow me\n"};
    iso__bans bans;
    put("# by hand\n\n192.0.2.7 never me\n");
    assert_true(iso__bans_open(&bans, AT_FDCWD, path, path));
    for (size_t i = 0; i < 3; ++i) {
        put(wrong[i]);
        assert_false(iso__bans_reload(&bans));
        assert_non_null(iso__bans_find_address(&bans, address_of("192.0.2.7"), NOW));
    }
    put("192.0.2.8/32 never me\n");
    assert_int_equal(chmod(path, 0662), 0); // whoever may write to it decides who comes
    assert_false(iso__bans_reload(&bans));
    assert_non_null(iso__bans_find_address(&bans, address_of("192.0.2.7"), NOW));
    iso__bans_term(&bans);
    assert_false(iso__bans_open(&bans, AT_FDCWD, path, path)); // nor does a server start with it
    iso__bans_term(&bans);
    // What cannot be kept has not happened.
    char nowhere[80];
    snprintf(nowhere, sizeof nowhere, "%s/none/file", folder);
    iso__ban ban;
    assert_true(iso__bans_open(&bans, AT_FDCWD, nowhere, nowhere));
    assert_true(iso__ban_read(&ban, "192.0.2.7"));
    assert_false(iso__bans_add(&bans, &ban, NOW));
    assert_int_equal(bans.count, 0);
    iso__bans_term(&bans);
}

// ---- What is written down ---------------------------------------------------------------------------

static const char *reason; // NULL: none was given

static void write_line(iso__audit *audit, const char *from, int64_t now_s) {
    const iso__audit_line line = {
        .address = from != NULL ? address_of(from) : NULL,
        .by = "anna",
        .role = "admin",
        .what = "POST /api/bans",
        .about = "\"x\"",
        .status = 200,
        .result = "done",
        .reason = reason,
    };
    iso__audit_write(audit, &line, now_s);
}

static void test_addresses_expire_in_their_place(void **state) {
    (void)state;
    assert_int_equal(ISO__AUDIT_ADDRESS_S, 30 * 86400); // as API.md promises
    iso__audit audit;
    struct stat before, after;
    assert_true(iso__audit_open(&audit, path));
    write_line(&audit, "192.0.2.7", NOW);
    write_line(&audit, NULL, NOW + 1);
    write_line(&audit, "2001:db8::1", NOW + ISO__AUDIT_ADDRESS_S);
    assert_non_null(strstr(content(),
                           "{\"time\":\"2027-01-15T08:00:00Z\",\"address\":\"192.0.2.7:0\",\"by\":\"anna\",\"role\":"
                           "\"admin\",\"what\":\"POST /api/bans\",\"about\":\"\\\"x\\\"\",\"status\":200,"
                           "\"result\":\"done\"}\n"));
    assert_int_equal(stat(path, &before), 0);
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S); // the moment before
    assert_non_null(strstr(content(), "192.0.2.7"));
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S + 1); // within the hour: not looked at
    assert_non_null(strstr(content(), "192.0.2.7"));
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S + 3600);
    assert_null(strstr(content(), "192.0.2.7"));
    assert_non_null(strstr(text, "\"address\":null         ,\"by\":\"anna\""));
    assert_non_null(strstr(text, "\"address\":\"[2001:db8::1]:0\""));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_ino, after.st_ino);
    write_line(&audit, "192.0.2.9", NOW + ISO__AUDIT_ADDRESS_S + 3601); // at the end, as ever
    assert_non_null(strstr(content() + before.st_size, "192.0.2.9"));
    iso__audit_close(&audit);
}

/// The path may be a link, as to another disk; and what is due later is found although what is before it is not read
/// again.
static void test_addresses_expire_behind_a_link_one_after_the_other(void **state) {
    (void)state;
    iso__audit audit;
    char real[80];
    snprintf(real, sizeof real, "%s.real", path);
    assert_int_equal(symlink(real, path), 0);
    assert_true(iso__audit_open(&audit, path));
    write_line(&audit, "192.0.2.7", NOW);
    write_line(&audit, "192.0.2.8", NOW + 7200);
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S + 3600);
    assert_null(strstr(content(), "192.0.2.7"));
    assert_non_null(strstr(text, "192.0.2.8"));
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S + 10800);
    assert_null(strstr(content(), "192.0.2.8"));
    // Emptied, as copytruncate of logrotate does.
    assert_int_equal(truncate(path, 0), 0);
    write_line(&audit, "192.0.2.9", NOW + 10800);
    iso__audit_expire(&audit, NOW + ISO__AUDIT_ADDRESS_S + 14401);
    assert_null(strstr(content(), "192.0.2.9"));
    assert_non_null(strstr(text, "\"address\":null"));
    iso__audit_close(&audit);
    unlink(real);
}

static void test_a_reason_is_the_last_of_a_line(void **state) {
    (void)state;
    iso__audit audit;
    assert_true(iso__audit_open(&audit, path));
    reason = "rude, \"twice\"";
    write_line(&audit, NULL, NOW);
    assert_non_null(strstr(content(), ",\"status\":200,\"result\":\"done\",\"reason\":\"rude, \\\"twice\\\"\"}\n"));
    reason = "";
    write_line(&audit, NULL, NOW);
    reason = NULL;
    write_line(&audit, NULL, NOW);
    assert_null(strstr(strstr(content(), "reason") + 1, "reason"));
    iso__audit_close(&audit);
}

static void test_another_file_is_no_audit_log(void **state) {
    (void)state;
    iso__audit audit;
    put("a key");
    assert_false(iso__audit_open(&audit, path));
    assert_string_equal(content(), "a key");
    iso__audit_close(&audit);
    assert_false(iso__audit_open(&audit, folder));
    assert_true(iso__audit_open(&audit, NULL));
    write_line(&audit, NULL, NOW); // nowhere
    iso__audit_close(&audit);
}

// ---- Who is wrong -----------------------------------------------------------------------------------

static void test_wrong_guesses_come_back_with_time(void **state) {
    (void)state;
    static iso__guess_limit limit;
    iso__guess_limit_init(&limit, 3, 10);
    for (unsigned i = 0; i < 3; ++i) {
        assert_true(iso__guess_limit_has(&limit, address_of("192.0.2.7"), 1000));
        iso__guess_limit_take(&limit, address_of("192.0.2.7"), 1000);
    }
    assert_false(iso__guess_limit_has(&limit, address_of("192.0.2.7"), 1009));
    assert_true(iso__guess_limit_has(&limit, address_of("192.0.2.8"), 1009));
    assert_true(iso__guess_limit_has(&limit, address_of("192.0.2.7"), 1010));
    iso__guess_limit_take(&limit, address_of("192.0.2.7"), 1010);
    assert_false(iso__guess_limit_has(&limit, address_of("::ffff:192.0.2.7"), 1010)); // the same
    // Of a machine with a whole /64 each address is the same.
    for (unsigned i = 0; i < 3; ++i) {
        iso__guess_limit_take(&limit, address_of(i == 0 ? "2001:db8::1" : "2001:db8::2"), 1000);
    }
    assert_false(iso__guess_limit_has(&limit, address_of("2001:db8::3"), 1000));
    // All of loopback is one.
    for (unsigned i = 0; i < 3; ++i) {
        iso__guess_limit_take(&limit, address_of(i == 0 ? "127.0.0.1" : i == 1 ? "::1" : "::ffff:127.7.0.1"), 1000);
    }
    assert_false(iso__guess_limit_has(&limit, address_of("127.255.0.9"), 1000));
    assert_false(iso__guess_limit_has(&limit, address_of("::1"), 1000));
    assert_true(iso__guess_limit_has(&limit, address_of("128.0.0.1"), 1000));
}

/// How many of these addresses may still be wrong. @param format  of a number below 65,536, in hexadecimal or in two
/// bytes
static unsigned count_free(const iso__guess_limit *limit, const char *format, unsigned count, uint64_t now) {
    unsigned free_count = 0;
    for (unsigned i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, format, i / 256, i % 256);
        free_count += iso__guess_limit_has(limit, address_of(name), now);
    }
    return free_count;
}

/// Each of these addresses is wrong as often as it may be.
static unsigned guess_all(iso__guess_limit *limit, const char *format, unsigned count, uint64_t now) {
    unsigned guess_count = 0;
    for (unsigned i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, format, i / 256, i % 256);
        for (; iso__guess_limit_has(limit, address_of(name), now); ++guess_count) {
            iso__guess_limit_take(limit, address_of(name), now);
        }
    }
    return guess_count;
}

#define SECOND 1000000000ull

/// One customer has a /56, or a /48, and nobody else may be kept out by it.
static void test_networks_of_one_customer_have_a_budget_together(void **state) {
    (void)state;
    static iso__guess_limit limit;
    const uint64_t now = 1000 * SECOND;
    iso__guess_limit_init(&limit, 10, 10 * SECOND);
    // All of a /56.
    assert_int_equal(guess_all(&limit, "2001:db8:0:%x%02x::1", 256, now), 40);
    assert_string_equal(iso__guess_limit_why(&limit, address_of("2001:db8:0:0::2"), now),
                        "the network of this address");
    assert_true(iso__guess_limit_has(&limit, address_of("2001:db8:0:100::"), now));
    assert_true(iso__guess_limit_has(&limit, address_of("2001:db8:1::"), now));
    // All of its /48, which gets no more than that with time.
    assert_int_equal(guess_all(&limit, "2001:db8:0:%x%02x::1", 65536, now), 120);
    assert_int_equal(guess_all(&limit, "2001:db8:0:%x%02x::1", 65536, now + 10 * SECOND), 16);
    assert_int_equal(count_free(&limit, "2001:db%x:%x::", 256, now + 10 * SECOND), 256);
    assert_int_equal(count_free(&limit, "198.51.%u.%u", 256, now + 10 * SECOND), 256);
    iso__guess_limit_init(&limit, 10, 10 * SECOND);
    for (unsigned i = 0; i < 10; ++i) {
        iso__guess_limit_take(&limit, address_of("2001:db8::"), now);
    }
    assert_string_equal(iso__guess_limit_why(&limit, address_of("2001:db8::1"), now), "this address");
}

/// Those for whom there is no place share one, so that many addresses do not get more guesses each time they come
/// round. They wait for some seconds then, not for as long as somebody has more addresses than there are places.
static void test_full_table_slows_down_and_locks_nobody_out(void **state) {
    (void)state;
    static iso__guess_limit limit;
    const uint64_t now = 1000 * SECOND;
    iso__guess_limit_init(&limit, 10, 10 * SECOND);
    const unsigned places = ISO__GUESS_LIMIT_SETS * ISO__GUESS_LIMIT_WAYS;
    assert_in_range(guess_all(&limit, "10.%u.%u.1", 65536, now), 10 * places,
                    10 * places + 100 * ISO__GUESS_LIMIT_SETS);
    assert_int_equal(guess_all(&limit, "10.%u.%u.1", 65536, now), 0);
    assert_int_equal(count_free(&limit, "203.0.%u.%u", 4096, now), 0);
    assert_string_equal(iso__guess_limit_why(&limit, address_of("203.0.113.1"), now), "many addresses");
    // The other family has places of its own.
    assert_int_equal(count_free(&limit, "2001:db%x:%x::", 1024, now), 1024);
    assert_int_equal(count_free(&limit, "203.0.%u.%u", 4096, now + 1 * SECOND), 4096);
    // Who was wrong stays known.
    assert_false(iso__guess_limit_has(&limit, address_of("10.0.0.1"), now + 9 * SECOND));
    assert_int_equal(count_free(&limit, "203.0.%u.%u", 4096, now + 101 * SECOND), 4096);
}

int main(void) {
#define MODERATION_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MODERATION_TEST(test_networks_are_read_and_written),
        MODERATION_TEST(test_a_ban_is_of_its_network_until_it_is_over),
        MODERATION_TEST(test_a_banned_seat_is_that_slot_and_generation),
        MODERATION_TEST(test_bans_are_kept_in_a_file),
        MODERATION_TEST(test_a_file_that_is_wrong_changes_nothing),
        MODERATION_TEST(test_addresses_expire_in_their_place),
        MODERATION_TEST(test_addresses_expire_behind_a_link_one_after_the_other),
        MODERATION_TEST(test_a_reason_is_the_last_of_a_line),
        MODERATION_TEST(test_another_file_is_no_audit_log),
        MODERATION_TEST(test_wrong_guesses_come_back_with_time),
        MODERATION_TEST(test_networks_of_one_customer_have_a_budget_together),
        MODERATION_TEST(test_full_table_slows_down_and_locks_nobody_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
