/// What iso_game_check says about a game as a whole and about its constraints: a refusal names the constraint, what is
/// wrong, and what was expected. Fields: test_state_snapshot.c; events: test_emit.c.
#include <stdio.h>

#include "unit/state/test_state_util.h"

static void flat(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                 iso_constraint_rows *rows) {
    (void)bodies, (void)params, (void)state, (void)rows;
}

static void deep(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                 iso_constraint3_rows *rows) {
    (void)bodies, (void)params, (void)state, (void)rows;
}

/// @param text  what is said; NULL: nothing is wrong
static void check(const char *file, int line, const iso_game *game, const char *text) {
    char is[256] = "before";
    const iso_status status = iso_game_check(game, is, sizeof is);
    const bool is_right =
        text == NULL ? status == ISO_OK && is[0] == 0 : status == ISO_ERR_RANGE && strcmp(is, text) == 0;
    if (!is_right) {
        print_error("%s:%d: status %d, \"%s\"\n", file, line, status, is);
        fail();
    }
    assert_int_equal(iso_game_check(game, NULL, 0), status);
}

#define CHECK(game, text) check(__FILE__, __LINE__, game, text)

static iso_game game_with(const iso_constraint *constraints, uint32_t count, uint32_t dimensions) {
    return (iso_game){.name = "odd", .dimensions = dimensions, .constraints = constraints, .constraint_count = count};
}

static const char *const names[8] = {"a", "b_2", "C", "d", "e", "f", "g", "h"};

/// A constraint with all that it can have.
static iso_constraint full(void) {
    return (iso_constraint){.name = "pin",
                            .body_count = 2,
                            .vector_count = 8,
                            .scalar_count = 8,
                            .row_count = 2,
                            .angular_rows = 3,
                            .velocity_rows = 3,
                            .vector_names = names,
                            .scalar_names = names,
                            .rows = flat};
}

/// CONSTRAINT(text, change): a constraint that is right but for the change.
#define CONSTRAINT(text, ...)                               \
    do {                                                    \
        iso_constraint pin = full();                        \
        __VA_ARGS__;                                        \
        const iso_game game = game_with(&pin, 1, 0);        \
        CHECK(&game, "the game odd: its constraint " text); \
    } while (0)

#define NAME_EXPECTED "; expected 1 to 31 of a-z, A-Z, 0-9, _ and -"

static void test_names_of_constraints_are_there_valid_and_unique(void **state) {
    (void)state;
    const iso_constraint none = full();
    const iso_game alone = game_with(&none, 1, 0);
    CHECK(&alone, NULL);
    CONSTRAINT("0 has the name ''" NAME_EXPECTED, pin.name = NULL);
    CONSTRAINT("0 has the name ''" NAME_EXPECTED, pin.name = "");
    CONSTRAINT("0 has the name 'a b'" NAME_EXPECTED, pin.name = "a b");
    CONSTRAINT("0 has the name 'a12345678901234567890123456789012'" NAME_EXPECTED,
               pin.name = "a12345678901234567890123456789012");
    iso_constraint several[3] = {full(), full(), full()};
    several[1].name = "Pin-2_";
    const iso_game game = game_with(several, 3, 0);
    CHECK(&game, "the game odd: its constraints 0 and 2 have the name pin; expected one of its own for each");
    several[2].name = "a123456789012345678901234567890";
    CHECK(&game, NULL);
}

static void test_counts_of_constraints_are_within_their_limits(void **state) {
    (void)state;
    CONSTRAINT("pin: body_count is 0; expected 1 to 4", pin.body_count = 0);
    CONSTRAINT("pin: body_count is 5; expected 1 to 4", pin.body_count = 5);
    CONSTRAINT("pin: body_count is 3; expected 1 to 2, as it has rows3 for space", pin.body_count = 3,
               pin.rows3 = deep);
    CONSTRAINT("pin: row_count is 0; expected 1 to 6", pin.row_count = 0);
    CONSTRAINT("pin: row_count is 7; expected 1 to 6", pin.row_count = 7);
    CONSTRAINT("pin: vector_count is 9; expected at most 8", pin.vector_count = 9);
    CONSTRAINT("pin: scalar_count is 255; expected at most 8", pin.scalar_count = 255);
    CONSTRAINT("pin: angular_rows is 4; expected at most 3", pin.angular_rows = 4);
    CONSTRAINT("pin: velocity_rows is 4; expected at most 3", pin.velocity_rows = 4);
    CONSTRAINT("pin: velocity_rows is 128; expected at most 63", pin.row_count = 6, pin.velocity_rows = 128);
    const iso_game many = game_with(NULL, 65536, 0), none = game_with(NULL, 1, 0);
    CHECK(&many, "the game odd: constraint_count is 65536; expected at most 65535");
    CHECK(&none, "the game odd: it has a number of constraints, but no constraints");
}

static void test_parameters_of_constraints_have_names(void **state) {
    (void)state;
    static const char *const short_of_one[8] = {"a", NULL};
    static const char *const spaced[8] = {"a", "b", "c d"};
    static const char *const hyphened[8] = {"a-b"};
    static const char *const twice[8] = {"a", "b", "a", "d", "e", "f", "g", "h"};
    CONSTRAINT("pin: vector_names is NULL; expected names: 8", pin.vector_names = NULL);
    CONSTRAINT("pin: scalar_names is NULL; expected names: 1", pin.scalar_names = NULL, pin.scalar_count = 1);
    CONSTRAINT("pin: vector_names 1 has the name ''; expected 1 to 31 of a-z, A-Z, 0-9 and _",
               pin.vector_names = short_of_one);
    CONSTRAINT("pin: scalar_names 2 has the name 'c d'; expected 1 to 31 of a-z, A-Z, 0-9 and _",
               pin.scalar_names = spaced);
    CONSTRAINT("pin: scalar_names 0 has the name 'a-b'; expected 1 to 31 of a-z, A-Z, 0-9 and _",
               pin.scalar_names = hyphened);
    CONSTRAINT("pin: vector_names 2 has the name a of another; expected one of its own for each",
               pin.vector_names = twice);
    iso_constraint bare = {.name = "bare", .body_count = 1, .row_count = 1, .rows = flat};
    const iso_game game = game_with(&bare, 1, 0);
    CHECK(&game, NULL);
}

static void test_constraints_are_for_worlds_that_the_game_is_for(void **state) {
    (void)state;
    static const struct {
        uint32_t dimensions;
        bool has_rows, has_rows3;
        const char *text;
    } cases[] = {
        {0, true, false, NULL},
        {4, true, true, NULL},
        {8, true, true, NULL},
        {8, false, true, NULL},
        {12, true, false, NULL},
        {12, false, true, NULL},
        {0, false, true,
         "the game odd: its constraint pin: it has no rows; expected it, as the game is for the plane alone"},
        {4, false, false,
         "the game odd: its constraint pin: it has no rows; expected it, as the game is for the plane alone"},
        {8, true, false,
         "the game odd: its constraint pin: it has no rows3; expected it, as the game is for space alone"},
        {12, false, false, "the game odd: its constraint pin: it has neither rows nor rows3; expected one of them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_constraint pin = full();
        pin.rows = cases[i].has_rows ? flat : NULL;
        pin.rows3 = cases[i].has_rows3 ? deep : NULL;
        const iso_game game = game_with(&pin, 1, cases[i].dimensions);
        CHECK(&game, cases[i].text);
    }
}

static void test_dimensions_are_bits_that_are_some(void **state) {
    (void)state;
    static const uint32_t bad[] = {1, 2, 3, 16, 5, 28};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const iso_game game = {.name = "odd", .dimensions = bad[i]};
        char text[160];
        snprintf(
            text, sizeof text,
            "the game odd: dimensions is %u; expected the bits 4 (the plane), 8 (space), 12 (both), or 0 (the plane)",
            bad[i]);
        CHECK(&game, text);
    }
    for (uint32_t good = 0; good <= 12; good += 4) {
        const iso_game game = {.name = "odd", .dimensions = good};
        CHECK(&game, NULL);
    }
}

static void test_a_game_and_its_parameters_have_names(void **state) {
    (void)state;
    iso_game_param params[2] = {{"force", 1, 0, 2}, {"force_2-B", 1, 0, 2}};
    iso_game game = {.name = "odd", .params = params, .param_count = 2};
    CHECK(&game, NULL);
    params[1].name = "force";
    CHECK(&game, "the game odd: two params have the name force; expected one of its own for each");
    params[1].name = NULL;
    CHECK(&game, "the game odd: param 1 has the name ''" NAME_EXPECTED);
    params[1].name = "a b";
    CHECK(&game, "the game odd: param 1 has the name 'a b'" NAME_EXPECTED);
    game.params = NULL;
    CHECK(&game, "the game odd: it has a number of params, but no params");
    game.param_count = 9;
    CHECK(&game, "the game odd: param_count is 9; expected at most 8");
    const iso_game unnamed = {.version = 1}, loud = {.name = "Odd"};
    CHECK(&unnamed, "the game : it has the name ''; expected 1 to 31 of a-z, 0-9 and -");
    CHECK(&loud, "the game Odd: it has the name 'Odd'; expected 1 to 31 of a-z, 0-9 and -");
    static const iso_field nameless = {NULL, "", 0, 1, ISO_FIELD_U32};
    const iso_game holder = {.name = "odd", .state_size = 4, .fields = &nameless, .field_count = 1};
    CHECK(&holder, "the game odd: field 0 of its state has no name");
}

/// @param text  what is said of the list; NULL: nothing is wrong
static void check_list(const iso_game *const *games, size_t count, const char *text) {
    static const iso_game cloth = {.name = "cloth"}, hound = {.name = "hound"};
    static const iso_game *const others[] = {&cloth, &hound};
    char is[256] = "before";
    const iso_status status = iso_game_check_list(games, count, others, 2, is, sizeof is);
    assert_string_equal(is, text != NULL ? text : "");
    assert_int_equal(status, text != NULL ? ISO_ERR_RANGE : ISO_OK);
    assert_int_equal(iso_game_check_list(games, count, others, 2, NULL, 0), status);
}

static void test_a_list_of_games_has_each_name_once(void **state) {
    (void)state;
    const iso_game odd = {.name = "odd"}, even = {.name = "even"}, odd_again = {.name = "odd", .version = 2};
    const iso_game unnamed = {.version = 1}, hound = {.name = "hound"};
    check_list(NULL, 0, NULL);
    check_list((const iso_game *const[]){&odd, &even}, 2, NULL);
    check_list(NULL, 1, "the program has a number of games, but no list of them");
    check_list((const iso_game *const[]){&odd, NULL}, 2, "game 1 of the program's list is NULL; expected a game");
    check_list((const iso_game *const[]){NULL}, 1, "game 0 of the program's list is NULL; expected a game");
    check_list((const iso_game *const[]){&odd, &unnamed}, 2,
               "the game : it has the name ''; expected 1 to 31 of a-z, 0-9 and -");
    check_list((const iso_game *const[]){&odd, &even, &odd_again}, 3,
               "the game odd: two games of the program have this name; expected one of its own for each");
    check_list((const iso_game *const[]){&hound}, 1,
               "the game hound: the library has a game of this name; expected another name");
    // The library's own, given once more, is no other.
    const iso_game *const own[] = {&hound};
    assert_int_equal(iso_game_check_list(own, 1, own, 1, NULL, 0), ISO_OK);
    CHECK(NULL, "the game is NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_constraints_are_there_valid_and_unique),
        cmocka_unit_test(test_counts_of_constraints_are_within_their_limits),
        cmocka_unit_test(test_parameters_of_constraints_have_names),
        cmocka_unit_test(test_constraints_are_for_worlds_that_the_game_is_for),
        cmocka_unit_test(test_dimensions_are_bits_that_are_some),
        cmocka_unit_test(test_a_game_and_its_parameters_have_names),
        cmocka_unit_test(test_a_list_of_games_has_each_name_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
