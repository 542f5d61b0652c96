/// The limits per address, with a clock of the test's own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/address.h"

#define S UINT64_C(1000000000)

static iso__addresses addresses;

static int init(void **state) {
    (void)state;
    return iso__addresses_init(&addresses, &(iso__address_config){.connections_max = 8, .accepts_per_second = 200})
               ? 0
               : -1;
}

static iso__address_answer enter(const char *text, uint64_t now, uint32_t *index) {
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
        return iso__addresses_enter(&addresses, (struct sockaddr *)&in, now, index);
    assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
    return iso__addresses_enter(&addresses, (struct sockaddr *)&in6, now, index);
}

static void test_eight_connections_at_a_time(void **state) {
    (void)state;
    uint32_t index, first = 0;
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_TAKEN);
        first = i == 0 ? index : first;
    }
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_CONNECTIONS);
    assert_int_equal(enter("::ffff:192.0.2.1", S, &index), ISO__ADDRESS_CONNECTIONS);
    assert_int_equal(enter("192.0.2.2", S, &index), ISO__ADDRESS_TAKEN);
    iso__addresses_leave(&addresses, first);
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_TAKEN);
}

static void test_held_slots_count_like_connections(void **state) {
    (void)state;
    uint32_t index, other;
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_TAKEN);
    assert_int_equal(enter("192.0.2.2", S, &other), ISO__ADDRESS_TAKEN);
    uint64_t origin = iso__addresses_origin(&addresses, index);
    assert_true(origin != 0 && origin != iso__addresses_origin(&addresses, other));
    assert_true(iso__addresses_origin(&addresses, ISO__ADDRESS_EXEMPT) == 0);
    for (int i = 0; i < 7; ++i)
        iso__addresses_hold(&addresses, origin, true);
    assert_false(iso__addresses_is_over(&addresses, index));
    iso__addresses_hold(&addresses, origin, true);
    assert_true(iso__addresses_is_over(&addresses, index));
    assert_false(iso__addresses_is_over(&addresses, other));
    assert_false(iso__addresses_is_over(&addresses, ISO__ADDRESS_EXEMPT));
    // It may still connect: to come back.
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_TAKEN);
    iso__addresses_leave(&addresses, index);
    iso__addresses_hold(&addresses, origin, false);
    assert_false(iso__addresses_is_over(&addresses, index));
    iso__addresses_leave(&addresses, index);
    // Without a connection, but with slots: it stays in the table.
    for (unsigned i = 0; i < 60000; ++i) {
        char text[32];
        inet_ntop(AF_INET, &(struct in_addr){htonl(0x0A000000u + i)}, text, sizeof text);
        assert_int_equal(enter(text, 2 * S, &other), ISO__ADDRESS_TAKEN);
        iso__addresses_leave(&addresses, other);
    }
    assert_int_equal(addresses.entries[index].held, 7);
    assert_true(iso__addresses_origin(&addresses, index) == origin);
}

static void test_two_hundred_accepts_a_second(void **state) {
    (void)state;
    uint32_t index, taken = 0;
    for (int i = 0; i < 1000; ++i) {
        if (enter("192.0.2.1", S, &index) == ISO__ADDRESS_TAKEN) {
            iso__addresses_leave(&addresses, index);
            ++taken;
        }
    }
    assert_int_equal(taken, 200);
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_ACCEPTS);
    // Ten more after a twentieth of a second.
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(enter("192.0.2.1", S + S / 20, &index), ISO__ADDRESS_TAKEN);
        iso__addresses_leave(&addresses, index);
    }
    assert_int_equal(enter("192.0.2.1", S + S / 20, &index), ISO__ADDRESS_ACCEPTS);
}

static void test_three_strikes_in_a_minute_are_ten_minutes_out(void **state) {
    (void)state;
    uint32_t index;
    assert_int_equal(enter("192.0.2.1", S, &index), ISO__ADDRESS_TAKEN);
    assert_false(iso__addresses_strike(&addresses, index, 1 * S));
    assert_false(iso__addresses_strike(&addresses, index, 2 * S));
    // More than a minute after the first: the count begins anew.
    assert_false(iso__addresses_strike(&addresses, index, 62 * S));
    assert_false(iso__addresses_strike(&addresses, index, 63 * S));
    assert_true(iso__addresses_strike(&addresses, index, 64 * S));
    iso__addresses_leave(&addresses, index);
    assert_int_equal(enter("192.0.2.1", 65 * S, &index), ISO__ADDRESS_OUT);
    assert_int_equal(enter("192.0.2.1", (64 + 599) * S, &index), ISO__ADDRESS_OUT);
    assert_int_equal(enter("192.0.2.3", 65 * S, &index), ISO__ADDRESS_TAKEN);
    assert_int_equal(enter("192.0.2.1", (64 + 600) * S, &index), ISO__ADDRESS_TAKEN);
}

static void test_an_ipv6_network_is_one_address(void **state) {
    (void)state;
    uint32_t a, b;
    assert_int_equal(enter("2001:db8:0:1::1", S, &a), ISO__ADDRESS_TAKEN);
    assert_int_equal(enter("2001:db8:0:1:ffff::2", S, &b), ISO__ADDRESS_TAKEN);
    assert_int_equal(a, b);
    assert_int_equal(enter("2001:db8:0:2::1", S, &b), ISO__ADDRESS_TAKEN);
    assert_int_not_equal(a, b);
}

static void test_loopback_is_exempt_unless_asked(void **state) {
    (void)state;
    uint32_t index;
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(enter(i % 2 == 0 ? "127.0.0.1" : "::1", S, &index), ISO__ADDRESS_TAKEN);
        assert_int_equal(index, ISO__ADDRESS_EXEMPT);
        assert_false(iso__addresses_strike(&addresses, index, S));
    }
    addresses.config.is_loopback = true;
    for (int i = 0; i < 8; ++i)
        assert_int_equal(enter("127.0.0.1", S, &index), ISO__ADDRESS_TAKEN);
    assert_int_equal(enter("127.0.0.1", S, &index), ISO__ADDRESS_CONNECTIONS);
}

/// More addresses than the table holds: who is connected stays, and who is out stays longest.
static void test_a_full_table_forgets_the_idle_first(void **state) {
    (void)state;
    uint32_t connected, out, index;
    char text[32];
    for (int i = 0; i < 7; ++i)
        assert_int_equal(enter("198.51.100.1", S, &connected), ISO__ADDRESS_TAKEN);
    assert_int_equal(enter("198.51.100.2", S, &out), ISO__ADDRESS_TAKEN);
    for (int i = 0; i < 3; ++i)
        iso__addresses_strike(&addresses, out, S);
    iso__addresses_leave(&addresses, out);
    for (unsigned i = 0; i < 60000; ++i) {
        inet_ntop(AF_INET, &(struct in_addr){htonl(0x0A000000u + i)}, text, sizeof text);
        assert_int_equal(enter(text, 2 * S, &index), ISO__ADDRESS_TAKEN);
        iso__addresses_leave(&addresses, index);
    }
    assert_int_equal(enter("198.51.100.2", 3 * S, &index), ISO__ADDRESS_OUT);
    assert_int_equal(enter("198.51.100.1", 3 * S, &index), ISO__ADDRESS_TAKEN);
    assert_int_equal(index, connected);
    // Its connections are still counted, so this was the last one that it may have.
    assert_int_equal(enter("198.51.100.1", 3 * S, &index), ISO__ADDRESS_CONNECTIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_eight_connections_at_a_time, init),
        cmocka_unit_test_setup(test_held_slots_count_like_connections, init),
        cmocka_unit_test_setup(test_two_hundred_accepts_a_second, init),
        cmocka_unit_test_setup(test_three_strikes_in_a_minute_are_ten_minutes_out, init),
        cmocka_unit_test_setup(test_an_ipv6_network_is_one_address, init),
        cmocka_unit_test_setup(test_loopback_is_exempt_unless_asked, init),
        cmocka_unit_test_setup(test_a_full_table_forgets_the_idle_first, init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
