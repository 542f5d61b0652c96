/// Addresses: from and to the kernel's forms, and what is compared of them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/address.h"
#include "unit/address_util.h"

static struct sockaddr_in make_in(const char *text, uint16_t port) {
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET, text, &in.sin_addr), 1);
    return in;
}

static struct sockaddr_in6 make_in6(const char *text, uint16_t port, uint32_t scope) {
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope};
    assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
    return in6;
}

static void expect_kernel(const iso__address *address, const void *name, size_t size) {
    struct sockaddr_storage to;
    memset(&to, 0xEE, sizeof to); // all of it is written
    assert_int_equal(iso__address_to_kernel(address, &to), size);
    assert_memory_equal(&to, name, size);
}

static void test_ipv4_comes_and_goes(void **state) {
    (void)state;
    const struct sockaddr_in in = make_in("192.0.2.7", 7790);
    const iso__address address = iso__address_from_kernel((const struct sockaddr *)&in);
    assert_int_equal(address.family, ISO__ADDRESS_IPV4);
    assert_int_equal(address.port, 7790);
    assert_memory_equal(address.bytes, "\0\0\0\0\0\0\0\0\0\0\xFF\xFF\xC0\x00\x02\x07", 16);
    expect_kernel(&address, &in, sizeof in);
}

static void test_ipv6_comes_and_goes_with_its_interface(void **state) {
    (void)state;
    const struct sockaddr_in6 in6 = make_in6("fe80::1", 65535, 3);
    const iso__address address = iso__address_from_kernel((const struct sockaddr *)&in6);
    assert_int_equal(address.family, ISO__ADDRESS_IPV6);
    assert_int_equal(address.port, 65535);
    assert_int_equal(address.scope, 3);
    assert_memory_equal(address.bytes, &in6.sin6_addr, 16);
    expect_kernel(&address, &in6, sizeof in6);
}

/// An address has one form, however it came. A listener is nevertheless bound as it was written.
static void test_ipv4_in_the_form_of_ipv6_is_ipv4(void **state) {
    (void)state;
    const struct sockaddr_in in = make_in("192.0.2.7", 7790);
    const struct sockaddr_in6 in6 = make_in6("::ffff:192.0.2.7", 7790, 0), scoped = make_in6("::ffff:192.0.2.7", 1, 5);
    iso__address address = iso__address_from_kernel((const struct sockaddr *)&in6);
    assert_int_equal(address.family, ISO__ADDRESS_IPV4);
    assert_int_equal(address.port, 7790);
    assert_memory_equal(address.bytes, &in6.sin6_addr, 16);
    expect_kernel(&address, &in, sizeof in);
    address.binds_mapped = true;
    expect_kernel(&address, &in6, sizeof in6);
    assert_int_equal(iso__address_from_kernel((const struct sockaddr *)&scoped).scope, 0);
    address = iso__address_make_ipv6(&in6.sin6_addr, 7790);
    assert_int_equal(address.family, ISO__ADDRESS_IPV4);
    expect_kernel(&address, &in, sizeof in);
}

static void test_local_socket_comes_without_its_path(void **state) {
    (void)state;
    const struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/run/isostep/admin"};
    iso__address address = iso__address_from_kernel((const struct sockaddr *)&local);
    assert_int_equal(address.family, ISO__ADDRESS_LOCAL);
    assert_int_equal(address.port, 0);
    assert_null(address.path);
    address.path = local.sun_path;
    expect_kernel(&address, &local, sizeof local);
}

static void test_loopback_is_what_only_this_machine_reaches(void **state) {
    (void)state;
    static const char *const yes[] = {"127.0.0.1", "127.255.1.2", "::ffff:127.0.0.1", "::1"};
    static const char *const no[] = {"126.0.0.1", "128.0.0.1", "0.0.0.0", "::ffff:192.0.2.7", "::", "::2", "1::1"};
    const iso__address local = {.family = ISO__ADDRESS_LOCAL};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; ++i) {
        const iso__address address = read_address(yes[i], 0);
        assert_true(iso__address_is_loopback(&address));
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i) {
        const iso__address address = read_address(no[i], 0);
        assert_false(iso__address_is_loopback(&address));
    }
    assert_true(iso__address_is_loopback(&local));
}

static bool is_same(const char *left, const char *right) {
    const iso__address a = read_address(left, 1), b = read_address(right, 2);
    return iso__address_is_same(&a, &b);
}

static void test_one_key_is_one_machine(void **state) {
    (void)state;
    uint8_t key[16];
    const iso__address v4 = read_address("192.0.2.7", 1), v6 = read_address("2001:db8:1:2:3:4:5:6", 1);
    iso__address_key(&v4, key);
    assert_memory_equal(key, v4.bytes, 16);
    iso__address_key(&v6, key);
    assert_memory_equal(key, v6.bytes, 8);
    assert_memory_equal(key + 8, "\0\0\0\0\0\0\0\0", 8);
    assert_true(is_same("192.0.2.7", "192.0.2.7"));
    assert_true(is_same("192.0.2.7", "::ffff:192.0.2.7"));
    assert_false(is_same("192.0.2.7", "192.0.2.8"));
    assert_true(is_same("2001:db8:1:2::1", "2001:db8:1:2:ffff::1"));
    assert_false(is_same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert_false(is_same("::1", "0.0.0.0")); // both have a key that begins with zeros
}

static bool has(const char *network, const char *text) {
    iso__address_range range;
    const iso__address address = read_address(text, 0);
    assert_true(iso__address_range_parse(network, &range));
    return iso__address_range_has(&range, &address);
}

static void test_ipv4_is_in_networks_of_ipv4_in_either_form(void **state) {
    (void)state;
    assert_true(has("192.0.2.0/25", "192.0.2.127"));
    assert_true(has("192.0.2.0/25", "::ffff:192.0.2.127"));
    assert_false(has("192.0.2.0/25", "192.0.2.128"));
    assert_true(has("::ffff:192.0.2.0/121", "192.0.2.127"));
    assert_false(has("::ffff:192.0.2.0/121", "192.0.2.128"));
    assert_true(has("192.0.2.7", "::ffff:192.0.2.7"));
    assert_true(has("0.0.0.0/0", "::ffff:192.0.2.7"));
    assert_false(has("0.0.0.0/0", "::1"));
    assert_true(has("::/0", "::1"));
    assert_false(has("::/0", "192.0.2.7"));
    assert_false(has("::/0", "::ffff:192.0.2.7"));
}

static void test_local_socket_is_in_no_network(void **state) {
    (void)state;
    const iso__address local = {.family = ISO__ADDRESS_LOCAL};
    iso__address_range range;
    assert_true(iso__address_range_parse("::/0", &range));
    assert_false(iso__address_range_has(&range, &local));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ipv4_comes_and_goes),
        cmocka_unit_test(test_ipv6_comes_and_goes_with_its_interface),
        cmocka_unit_test(test_ipv4_in_the_form_of_ipv6_is_ipv4),
        cmocka_unit_test(test_local_socket_comes_without_its_path),
        cmocka_unit_test(test_loopback_is_what_only_this_machine_reaches),
        cmocka_unit_test(test_one_key_is_one_machine),
        cmocka_unit_test(test_ipv4_is_in_networks_of_ipv4_in_either_form),
        cmocka_unit_test(test_local_socket_is_in_no_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
