/// Prices of commands: every kind has one; what a member's units do not cover is refused; what a tick's units do not
/// cover waits for the next one, in turns.
#include "session_rig.h"

#include "price.h"

#define SHAPES 48u

static void test_every_kind_has_a_price(void **state) {
    (void)state;
#define EXPECT_PRICE(name, number, snake, worlds) assert_true(iso__price_of_kind(ISO_COMMAND_##name).base > 0);
    ISO_COMMAND_KIND_LIST(EXPECT_PRICE)
    assert_int_equal(iso__price_of_kind(0).base, 0);
    assert_int_equal(iso__price_of_kind(255).base, 0);
}

/// Each row of the table in server/README.md, in the order of the list.
static void test_the_document_has_the_prices(void **state) {
    (void)state;
    FILE *file = fopen(ISO_TEST_SERVER_README, "r");
    assert_non_null(file);
    char line[512];
    const char *head = "| command | base | corner | shape | hull | joint | pairs |\n";
    bool has_head = false;
    while (!has_head && fgets(line, sizeof line, file) != NULL) {
        has_head = strcmp(line, head) == 0;
    }
    assert_true(has_head && fgets(line, sizeof line, file) != NULL);
#define EXPECT_ROW(name, base, corner, shape, hull, joint, pairs)                                                     \
    assert_non_null(fgets(line, sizeof line, file));                                                                  \
    assert_string_equal(line, "| " #name " | " #base " | " #corner " | " #shape " | " #hull " | " #joint " | " #pairs \
                              " |\n");
    ISO__PRICE_LIST(EXPECT_ROW)
    assert_true(fgets(line, sizeof line, file) == NULL || line[0] != '|');
    fclose(file);
}

/// Two members whose commands are limited by their prices alone, and a body of many shapes that both may command.
static rig *dear_members(void) {
    iso_session_config config = rig_config();
    config.commands_per_tick = 64;
    config.commands_burst = 1024;
    rig *r = rig_two_members(&config);
    for (uint32_t i = 1; i < SHAPES; ++i) {
        iso_shape_id shape;
        const iso_shape_def box = iso_shape_def_box(ISO_FIX16_ONE / 2, ISO_FIX16_ONE / 2);
        assert_int_equal(iso_shape_create(r->world, (iso_body_id){1, 1}, &box, &shape), ISO_OK);
    }
    return r;
}

static iso_command dear_command(iso_command_kind kind, uint32_t n) {
    iso_command command = {.kind = (uint8_t)kind};
    if (kind == ISO_COMMAND_SET_BODY_TYPE) {
        command.as.set_body_type = (iso_command_set_body_type){{1, 1}, n % 2 == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC};
    } else {
        command.as.set_body_tag = (iso_command_set_body_tag){{1, 1}, n};
    }
    return command;
}

/// @return how many were refused with RATE
static uint32_t send_many(rig *r, uint64_t connection, iso_command_kind kind, uint64_t first, uint32_t count) {
    iso_command commands[ISO_INPUT_COMMANDS_MAX];
    assert_true(count <= ISO_INPUT_COMMANDS_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        commands[i] = dear_command(kind, i);
    }
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){
        .target_tick = rig_tick(r) + 1, .first_sequence = first, .commands = commands, .command_count = count};
    const uint64_t before = rig_stats(r).rejected_rate;
    rig_message(r, connection, &message);
    return (uint32_t)(rig_stats(r).rejected_rate - before);
}

static uint32_t dear_price(const rig *r) {
    const iso_command command = dear_command(ISO_COMMAND_SET_BODY_TYPE, 0);
    return iso__price_of(r->world, 0, 0, &command);
}

static void test_a_member_pays_for_its_commands(void **state) {
    (void)state;
    rig *r = dear_members();
    assert_int_equal(send_many(r, 1, ISO_COMMAND_SET_BODY_TAG, 1, 60), 0);
    rig_ticks(r, 60); // its units are all there again
    const uint32_t price = dear_price(r), covered = ISO__MEMBER_UNITS_BURST / price;
    assert_true(price > 14 * SHAPES && covered < 60);
    assert_int_equal(send_many(r, 1, ISO_COMMAND_SET_BODY_TYPE, 61, 60), 60 - covered);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_RATE);
    // Another member's units are its own.
    assert_int_equal(send_many(r, 2, ISO_COMMAND_SET_BODY_TYPE, 1, 10), 0);
    rig_destroy(r);
}

static uint32_t count_of_tick(const rig *r, uint64_t tick) {
    uint32_t count = 0;
    while (rig_sealed_sequence(r, 1, tick, count) != 0) {
        ++count;
    }
    return count;
}

static void test_a_tick_takes_what_its_units_cover(void **state) {
    (void)state;
    rig *r = dear_members();
    const uint32_t price = dear_price(r), in_tick = ISO__TICK_UNITS / price;
    assert_int_equal(send_many(r, 1, ISO_COMMAND_SET_BODY_TYPE, 1, 40), 0);
    assert_int_equal(send_many(r, 2, ISO_COMMAND_SET_BODY_TYPE, 1, 3), 0);
    const uint64_t tick = rig_tick(r) + 1;
    rig_ticks(r, 4);
    assert_true(in_tick > 6 && in_tick < 40);
    // In turns: the other's three are in the first tick. The rest follows, in sequence.
    assert_int_equal(count_of_tick(r, tick), in_tick);
    const uint32_t own = in_tick - 3;
    assert_int_equal(rig_sealed_sequence(r, 1, tick, own - 1), own);
    assert_int_equal(rig_sealed_sequence(r, 1, tick, own), 1);
    assert_int_equal(rig_sealed_sequence(r, 1, tick + 1, 0), own + 1);
    assert_int_equal(count_of_tick(r, tick) + count_of_tick(r, tick + 1) + count_of_tick(r, tick + 2) +
                         count_of_tick(r, tick + 3),
                     43);
    rig_destroy(r);
}

/// What is not there yet may be the dearest that its member has.
static void test_what_is_not_there_costs_as_the_dearest(void **state) {
    (void)state;
    rig *r = dear_members();
    iso_command command = dear_command(ISO_COMMAND_SET_BODY_TYPE, 0);
    command.as.set_body_type.body = (iso_body_id){50, 1};
    const uint32_t before = iso__price_of(r->world, 1, 0, &command);
    assert_true(before < dear_price(r) / 4);
    const iso_owner owner = {1, 1};
    assert_int_equal(iso_body_set_owner(r->world, (iso_body_id){1, 1}, owner), ISO_OK);
    assert_int_equal(iso__price_of(r->world, 1, 0, &command), dear_price(r));
    assert_int_equal(iso__price_of(r->world, 0, 0, &command), before);
    // And what earlier commands of the tick make may be its.
    assert_int_equal(iso__price_of(r->world, 0, 10, &command), before + 10 * (14 + 18 + 4));
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_a_price),
        cmocka_unit_test(test_the_document_has_the_prices),
        cmocka_unit_test(test_a_member_pays_for_its_commands),
        cmocka_unit_test(test_a_tick_takes_what_its_units_cover),
        cmocka_unit_test(test_what_is_not_there_costs_as_the_dearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
