/// What is counted of refusals, and the table of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/watch/counters.h"
#include "host_rig.h"

static iso__counters counters;
static iso_command_result results[5];
static uint32_t result_count;

const iso_command_result *__wrap_iso_world_get_results(const iso_world *world, uint32_t *count);

const iso_command_result *__wrap_iso_world_get_results(const iso_world *world, uint32_t *count) {
    (void)world;
    *count = result_count;
    return results;
}

static int set_up(void **state) {
    (void)state;
    memset(&counters, 0, sizeof counters);
    host_rig_clear_log();
    return 0;
}

/// How often it has been counted, and nothing else.
static void expect_only(iso__answer answer, iso_status status, uint64_t count) {
    for (unsigned a = 0; a < ISO__ANSWER_COUNT; ++a) {
        for (unsigned code = 0; code < ISO__STATUS_END; ++code) {
            assert_int_equal(counters.answers[a][code], a == answer && (int32_t)code == -(int32_t)status ? count : 0);
        }
    }
    memset(&counters, 0, sizeof counters);
}

static void test_a_message_that_says_no_is_counted_for_each_who_hears_it(void **state) {
    (void)state;
    iso_message message = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal.code = ISO_ERR_SESSION_FULL};
    iso__counters_add_message(&counters, &message, 1);
    iso__counters_add_message(&counters, &message, 2);
    expect_only(ISO__ANSWER_REFUSAL, ISO_ERR_SESSION_FULL, 3);
    message = (iso_message){.kind = ISO_MESSAGE_BYE, .as.bye.code = ISO_ERR_TIMEOUT};
    iso__counters_add_message(&counters, &message, 5);
    expect_only(ISO__ANSWER_BYE, ISO_ERR_TIMEOUT, 5);
    message = (iso_message){.kind = ISO_MESSAGE_REJECT, .as.reject.code = ISO_ERR_TICK_LATE};
    iso__counters_add_message(&counters, &message, 1);
    expect_only(ISO__ANSWER_REJECT, ISO_ERR_TICK_LATE, 1);
    message = (iso_message){.kind = ISO_MESSAGE_DESYNC_NOTICE};
    iso__counters_add_message(&counters, &message, 2);
    assert_int_equal(counters.counts[ISO__COUNTER_FALSE_HASH], 2);
    expect_only(ISO__ANSWER_BYE, ISO_OK, 0);
    message = (iso_message){.kind = ISO_MESSAGE_TICK};
    iso__counters_add_message(&counters, &message, 2);
    assert_int_equal(counters.counts[ISO__COUNTER_FALSE_HASH], 0);
}

/// A status of a later version, or none, has no place.
static void test_what_is_no_error_is_not_counted(void **state) {
    (void)state;
    static const int32_t codes[] = {ISO_OK, 1, -(int32_t)ISO__STATUS_END, INT32_MIN + 1};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        const iso_message message = {.kind = ISO_MESSAGE_BYE, .as.bye.code = (iso_status)codes[i]};
        iso__counters_add_message(&counters, &message, 1);
        expect_only(ISO__ANSWER_BYE, ISO_OK, 0);
    }
    const iso_message least = {.kind = ISO_MESSAGE_BYE, .as.bye.code = (iso_status)-1};
    iso__counters_add_message(&counters, &least, 1);
    expect_only(ISO__ANSWER_BYE, (iso_status)-1, 1);
    const iso_message most = {.kind = ISO_MESSAGE_BYE, .as.bye.code = (iso_status)(1 - (int32_t)ISO__STATUS_END)};
    iso__counters_add_message(&counters, &most, 1);
    expect_only(ISO__ANSWER_BYE, (iso_status)(1 - (int32_t)ISO__STATUS_END), 1);
}

static void test_each_command_that_was_a_no_op_is_counted(void **state) {
    (void)state;
    results[1].status = results[3].status = results[4].status = ISO_ERR_STALE;
    result_count = 4; // the last one is not the tick's
    iso__counters_add_results(&counters, NULL);
    expect_only(ISO__ANSWER_RESULT, ISO_ERR_STALE, 2);
    result_count = 0;
    iso__counters_add_results(&counters, NULL);
    expect_only(ISO__ANSWER_RESULT, ISO_ERR_STALE, 0);
}

static void test_the_table_has_a_line_for_each_limit_that_was_reached(void **state) {
    (void)state;
    iso__counters_print(&counters);
    assert_string_equal(host_rig_log, "limits reached (limit, answer, count):\n  none\n");
    host_rig_clear_log();
    const iso_message bye = {.kind = ISO_MESSAGE_BYE, .as.bye.code = ISO_ERR_TIMEOUT};
    iso__counters_add_message(&counters, &bye, 1);
    iso__counters_print(&counters);
    assert_string_equal(host_rig_log, "limits reached (limit, answer, count):\n"
                                      "  slow writer, silence                 TIMEOUT, ended: 1\n");
    host_rig_clear_log();
    const iso_message refusal = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal.code = ISO_ERR_FRAME_TOO_LARGE};
    iso__counters_add_message(&counters, &refusal, 20);
    const iso_message reject = {.kind = ISO_MESSAGE_REJECT, .as.reject.code = ISO_ERR_FINGERPRINT};
    iso__counters_add_message(&counters, &reject, 3);
    results[0].status = ISO_ERR_QUOTA;
    result_count = 1;
    iso__counters_add_results(&counters, NULL);
    iso__counters_print(&counters);
    assert_string_equal(host_rig_log, "limits reached (limit, answer, count):\n"
                                      "  oversize frame                       FRAME_TOO_LARGE, refused: 20\n"
                                      "  slow writer, silence                 TIMEOUT, ended: 1\n"
                                      "  body, joint, contact bombs           QUOTA, no-op: 1\n"
                                      "  other version, other arithmetic      FINGERPRINT, rejected: 3\n");
}

static void test_the_table_has_what_no_message_tells(void **state) {
    (void)state;
    iso__counters_add(&counters, ISO__COUNTER_TURNED_AWAY, 1);
    iso__counters_print(&counters);
    assert_string_equal(host_rig_log, "limits reached (limit, answer, count):\n"
                                      "  connection flood                     refused, the server is full: 1\n");
    host_rig_clear_log();
    iso__counters_add(&counters, ISO__COUNTER_TURNED_AWAY, 41);
    iso__counters_add(&counters, ISO__COUNTER_RECORDING_RESTARTED, 2);
    iso__counters_print(&counters);
    assert_string_equal(host_rig_log, "limits reached (limit, answer, count):\n"
                                      "  connection flood                     refused, the server is full: 42\n"
                                      "  disk full, failing or hanging disk   recordings that started again: 2\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_message_that_says_no_is_counted_for_each_who_hears_it, set_up),
        cmocka_unit_test_setup(test_what_is_no_error_is_not_counted, set_up),
        cmocka_unit_test_setup(test_each_command_that_was_a_no_op_is_counted, set_up),
        cmocka_unit_test_setup(test_the_table_has_a_line_for_each_limit_that_was_reached, set_up),
        cmocka_unit_test_setup(test_the_table_has_what_no_message_tells, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
