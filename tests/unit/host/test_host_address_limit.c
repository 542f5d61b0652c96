/// The limits per address, with a clock of the test's own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/peers/address_limit.h"
#include "unit/address_util.h"

#define S UINT64_C(1000000000)

static iso__address_limit limit;

static int init(void **state) {
    (void)state;
    return iso__address_limit_init(&limit,
                                   &(iso__address_limit_config){.connections_max = 8, .accepts_per_second = 200})
               ? 0
               : -1;
}

static iso__address_limit_answer enter(const char *text, uint64_t now, uint32_t *index) {
    const iso__address address = read_address(text, 0);
    return iso__address_limit_enter(&limit, &address, now, index);
}

static void test_eight_connections_at_a_time(void **state) {
    (void)state;
    uint32_t index, first = 0;
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
        first = i == 0 ? index : first;
    }
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_CONNECTIONS);
    assert_int_equal(enter("::ffff:192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_CONNECTIONS);
    assert_int_equal(enter("192.0.2.2", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    iso__address_limit_leave(&limit, first);
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
}

static void test_held_slots_count_like_connections(void **state) {
    (void)state;
    uint32_t index, other;
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_equal(enter("192.0.2.2", S, &other), ISO__ADDRESS_LIMIT_TAKEN);
    uint64_t origin = iso__address_limit_origin(&limit, index);
    assert_true(origin != 0 && origin != iso__address_limit_origin(&limit, other));
    assert_true(iso__address_limit_origin(&limit, ISO__ADDRESS_LIMIT_EXEMPT) == 0);
    for (int i = 0; i < 7; ++i) {
        iso__address_limit_hold(&limit, origin, true);
    }
    assert_false(iso__address_limit_is_over(&limit, index));
    iso__address_limit_hold(&limit, origin, true);
    assert_true(iso__address_limit_is_over(&limit, index));
    assert_false(iso__address_limit_is_over(&limit, other));
    assert_false(iso__address_limit_is_over(&limit, ISO__ADDRESS_LIMIT_EXEMPT));
    // It may still connect: to come back.
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    iso__address_limit_leave(&limit, index);
    iso__address_limit_hold(&limit, origin, false);
    assert_false(iso__address_limit_is_over(&limit, index));
    iso__address_limit_leave(&limit, index);
    // Without a connection, but with slots: it stays in the table.
    for (unsigned i = 0; i < 60000; ++i) {
        char text[32];
        inet_ntop(AF_INET, &(struct in_addr){htonl(0x0A000000u + i)}, text, sizeof text);
        assert_int_equal(enter(text, 2 * S, &other), ISO__ADDRESS_LIMIT_TAKEN);
        iso__address_limit_leave(&limit, other);
    }
    assert_int_equal(limit.entries[index].held, 7);
    assert_true(iso__address_limit_origin(&limit, index) == origin);
}

static void test_two_hundred_accepts_a_second(void **state) {
    (void)state;
    uint32_t index, taken = 0;
    for (int i = 0; i < 1000; ++i) {
        if (enter("192.0.2.1", S, &index) == ISO__ADDRESS_LIMIT_TAKEN) {
            iso__address_limit_leave(&limit, index);
            ++taken;
        }
    }
    assert_int_equal(taken, 200);
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_ACCEPTS);
    // Ten more after a twentieth of a second.
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(enter("192.0.2.1", S + S / 20, &index), ISO__ADDRESS_LIMIT_TAKEN);
        iso__address_limit_leave(&limit, index);
    }
    assert_int_equal(enter("192.0.2.1", S + S / 20, &index), ISO__ADDRESS_LIMIT_ACCEPTS);
}

static void test_three_strikes_in_a_minute_are_ten_minutes_out(void **state) {
    (void)state;
    uint32_t index;
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    assert_false(iso__address_limit_strike(&limit, index, 1 * S));
    assert_false(iso__address_limit_strike(&limit, index, 2 * S));
    // More than a minute after the first: the count begins anew.
    assert_false(iso__address_limit_strike(&limit, index, 62 * S));
    assert_false(iso__address_limit_strike(&limit, index, 63 * S));
    assert_true(iso__address_limit_strike(&limit, index, 64 * S));
    iso__address_limit_leave(&limit, index);
    assert_int_equal(enter("192.0.2.1", 65 * S, &index), ISO__ADDRESS_LIMIT_OUT);
    assert_int_equal(enter("192.0.2.1", (64 + 599) * S, &index), ISO__ADDRESS_LIMIT_OUT);
    assert_int_equal(enter("192.0.2.3", 65 * S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_equal(enter("192.0.2.1", (64 + 600) * S, &index), ISO__ADDRESS_LIMIT_TAKEN);
}

static void test_an_ipv6_network_is_one_address(void **state) {
    (void)state;
    uint32_t a, b;
    assert_int_equal(enter("2001:db8:0:1::1", S, &a), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_equal(enter("2001:db8:0:1:ffff::2", S, &b), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_equal(a, b);
    assert_int_equal(enter("2001:db8:0:2::1", S, &b), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_not_equal(a, b);
}

static void test_loopback_is_exempt_unless_asked(void **state) {
    (void)state;
    uint32_t index;
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(enter(i % 2 == 0 ? "127.0.0.1" : "::1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
        assert_int_equal(index, ISO__ADDRESS_LIMIT_EXEMPT);
        assert_false(iso__address_limit_strike(&limit, index, S));
    }
    limit.config.is_loopback = true;
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(enter("127.0.0.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    }
    assert_int_equal(enter("127.0.0.1", S, &index), ISO__ADDRESS_LIMIT_CONNECTIONS);
}

/// More addresses than the table holds: who is connected stays, and who is out stays longest.
static void test_a_full_table_forgets_the_idle_first(void **state) {
    (void)state;
    uint32_t connected, out, index;
    char text[32];
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(enter("198.51.100.1", S, &connected), ISO__ADDRESS_LIMIT_TAKEN);
    }
    assert_int_equal(enter("198.51.100.2", S, &out), ISO__ADDRESS_LIMIT_TAKEN);
    for (int i = 0; i < 3; ++i) {
        iso__address_limit_strike(&limit, out, S);
    }
    iso__address_limit_leave(&limit, out);
    for (unsigned i = 0; i < 60000; ++i) {
        inet_ntop(AF_INET, &(struct in_addr){htonl(0x0A000000u + i)}, text, sizeof text);
        assert_int_equal(enter(text, 2 * S, &index), ISO__ADDRESS_LIMIT_TAKEN);
        iso__address_limit_leave(&limit, index);
    }
    assert_int_equal(enter("198.51.100.2", 3 * S, &index), ISO__ADDRESS_LIMIT_OUT);
    assert_int_equal(enter("198.51.100.1", 3 * S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    assert_int_equal(index, connected);
    // Its connections are still counted, so this was the last one that it may have.
    assert_int_equal(enter("198.51.100.1", 3 * S, &index), ISO__ADDRESS_LIMIT_CONNECTIONS);
}

static bool is_trusted(const char *text) {
    const iso__address address = read_address(text, 0);
    return iso__address_limit_is_trusted(&limit, &address);
}

static void test_trusted_proxies_are_never_refused(void **state) {
    (void)state;
    iso__address_range ranges[4];
    uint32_t index;
    assert_false(is_trusted("127.0.0.1"));
    assert_true(iso__address_range_parse("10.1.0.0/17", &ranges[0]));
    assert_true(iso__address_range_parse("192.0.2.7", &ranges[1]));
    assert_true(iso__address_range_parse("2001:db8::/33", &ranges[2]));
    assert_true(iso__address_range_parse("127.0.0.0/8", &ranges[3]));
    limit.config.trusted = ranges;
    limit.config.trusted_count = 4;
    static const char *const yes[] = {"10.1.0.0",         "10.1.127.255", "::ffff:10.1.5.5", "192.0.2.7",
                                      "2001:db8:7fff::1", "127.3.2.1",    "::ffff:127.0.0.1"};
    static const char *const no[] = {"10.1.128.0", "10.0.255.255", "192.0.2.6", "2001:db8:8000::1", "::1", "::a01:505"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; ++i) {
        assert_true(is_trusted(yes[i]));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i) {
        assert_false(is_trusted(no[i]));
    }
    // They are many clients'.
    limit.config.is_loopback = true;
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(enter(yes[(unsigned)i % 7], S, &index), ISO__ADDRESS_LIMIT_TAKEN);
        assert_int_equal(index, ISO__ADDRESS_LIMIT_EXEMPT);
        assert_false(iso__address_limit_strike(&limit, index, S));
    }
    static const char *const wrong[] = {
        "",          "10.0.0.0/",   "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "2001:db8::/129", "2001:db8::1/64",
        "localhost", "10.0.0.0/8x", "10.0.0.0/-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_false(iso__address_range_parse(wrong[i], &ranges[0]));
    }
    assert_true(iso__address_range_parse("0.0.0.0/0", &ranges[0]));
    assert_true(iso__address_range_parse("::/0", &ranges[1]));
    limit.config.trusted_count = 1;
    assert_true(is_trusted("203.0.113.1"));
    assert_false(is_trusted("2001:db8::1"));
    limit.config.trusted_count = 2;
    assert_true(is_trusted("2001:db8::1"));
    // IPv4 is in no network of IPv6.
    limit.config.trusted = &ranges[1];
    limit.config.trusted_count = 1;
    assert_true(is_trusted("::1"));
    assert_false(is_trusted("203.0.113.1"));
    assert_false(is_trusted("::ffff:203.0.113.1"));
}

static void test_strikes_and_their_length_are_what_is_configured(void **state) {
    (void)state;
    uint32_t index;
    limit.config.strikes_max = 2;
    limit.config.out_seconds = 5;
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_LIMIT_TAKEN);
    assert_false(iso__address_limit_strike(&limit, index, 1 * S));
    assert_true(iso__address_limit_strike(&limit, index, 2 * S));
    iso__address_limit_leave(&limit, index);
    assert_int_equal(enter("192.0.2.1", 6 * S, &index), ISO__ADDRESS_LIMIT_OUT);
    char text[ISO__ADDRESS_LIMIT_TEXT_MAX];
    const iso__address address = read_address("192.0.2.1", 0);
    iso__address_limit_explain(&limit, ISO__ADDRESS_LIMIT_OUT, &address, 6 * S, text);
    assert_string_equal(text, "nothing from this address for 1 s: it has sent 2 malformed messages in a minute "
                              "(--address-strikes, --address-ban)");
    iso__address_limit_explain(&limit, ISO__ADDRESS_LIMIT_CONNECTIONS, &address, 6 * S, text);
    assert_string_equal(text, "at most 8 connections and held slots of one address (--address-connections)");
    iso__address_limit_explain(&limit, ISO__ADDRESS_LIMIT_ACCEPTS, &address, 6 * S, text);
    assert_string_equal(text, "at most 200 new connections a second from one address (--address-accepts)");
    assert_int_equal(enter("192.0.2.1", 7 * S, &index), ISO__ADDRESS_LIMIT_TAKEN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_eight_connections_at_a_time, init),
        cmocka_unit_test_setup(test_held_slots_count_like_connections, init),
        cmocka_unit_test_setup(test_two_hundred_accepts_a_second, init),
        cmocka_unit_test_setup(test_three_strikes_in_a_minute_are_ten_minutes_out, init),
        cmocka_unit_test_setup(test_an_ipv6_network_is_one_address, init),
        cmocka_unit_test_setup(test_loopback_is_exempt_unless_asked, init),
        cmocka_unit_test_setup(test_trusted_proxies_are_never_refused, init),
        cmocka_unit_test_setup(test_strikes_and_their_length_are_what_is_configured, init),
        cmocka_unit_test_setup(test_a_full_table_forgets_the_idle_first, init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
