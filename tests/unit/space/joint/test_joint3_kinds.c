// What the kinds of joints in space have: the bits agree with the rows and axes of their lines.
#include "isostep/joint.h"
#include "space/joint/kind.h"
#include "unit/space/joint/joint3_util.h"

typedef struct kind_row {
    const char *name;
    uint8_t kind;
    uint32_t has;
} kind_row;

static const kind_row kinds[] = {
#define KIND(name, number, snake, linear, angular, axis0, axis1, axis2, has) {#name, number, has},
    ISO_JOINT3_KIND_LIST(KIND) ISO_JOINT3_CUSTOM_LIST(KIND)
#undef KIND
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/// Whether each of `one` comes with `other` alone.
static bool bits_need(uint32_t has, uint32_t one, uint32_t other) {
    return (has & one) == 0 || (has & other) != 0;
}

static bool bits_are_of(uint32_t has, uint32_t bit, bool expected) {
    return ((has & bit) != 0) == expected;
}

static void test_a_kind_has_what_its_line_says(void **state) {
    (void)state;
    uint32_t count = 0;
    for (uint32_t number = 0; number < 256; ++number) {
        count += iso_joint3_kind_has((uint8_t)number) != 0;
    }
    assert_int_equal(count, KINDS); // no other number has anything
    for (size_t k = 0; k < KINDS; ++k) {
        EXPECT(iso_joint3_kind_has(kinds[k].kind) == kinds[k].has, "%s", kinds[k].name);
    }
}

static void test_what_a_kind_has_agrees_with_its_rows_and_axes(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; ++k) {
        const char *name = kinds[k].name;
        const uint32_t has = kinds[k].has;
        const uint8_t linear = iso__space_joint_linear_rows(kinds[k].kind);
        const uint8_t angular = iso__space_joint_angular_rows(kinds[k].kind);
        const iso_joint3_axis_kind axis = iso_joint3_axis_of(kinds[k].kind, 0);
        EXPECT(bits_are_of(has, ISO_JOINT3_HAS_TARGET, (has & ISO_JOINT3_HAS_BODY_A) == 0), "%s: a target or A", name);
        EXPECT(linear != 2 || (has & ISO_JOINT3_HAS_LINE) != 0, "%s: two rows hold on a line", name);
        EXPECT(linear != 3 || (has & ISO_JOINT3_HAS_LINE) == 0, "%s: three rows hold at a point", name);
        EXPECT(bits_are_of(has, ISO_JOINT3_HAS_AXES_ANGLE, angular == 1), "%s: one row holds the axes' angle", name);
        EXPECT(angular == 0 || (has & ISO_JOINT3_HAS_FRAMES) != 0, "%s: rows of angles need frames", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_AXIS | ISO_JOINT3_IS_HELD, ISO_JOINT3_HAS_FRAMES), "%s: frames", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_SECOND, ISO_JOINT3_HAS_AXIS), "%s: a second axis", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_AXES_ANGLE, ISO_JOINT3_HAS_SECOND), "%s: an angle of two axes", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_AXIS | ISO_JOINT3_HAS_LINE | ISO_JOINT3_IS_HELD,
                         axis == ISO_JOINT3_AXIS_NONE ? 0 : UINT32_MAX),
               "%s: axis 0", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_LENGTH | ISO_JOINT3_HAS_RADIUS,
                         axis == ISO_JOINT3_AXIS_LENGTH ? UINT32_MAX : 0),
               "%s: axis 0 is a length", name);
        EXPECT(bits_need(has, ISO_JOINT3_HAS_RATIO, axis == ISO_JOINT3_AXIS_ANGLE ? UINT32_MAX : 0),
               "%s: axis 0 is an angle", name);
        EXPECT(bits_are_of(has, ISO_JOINT3_COUNTS_TURNS, (has & (ISO_JOINT3_HAS_RATIO | ISO_JOINT3_HAS_RADIUS)) != 0),
               "%s: a ratio is of turns", name);
        EXPECT((has & ISO_JOINT3_IS_CUSTOM) == 0 || has == (ISO_JOINT3_HAS_BODY_A | ISO_JOINT3_IS_CUSTOM),
               "%s: a constraint has nothing of these", name);
    }
}

static void test_one_function_says_in_both_worlds_whether_a_kind_is_custom(void **state) {
    (void)state;
    uint32_t count = 0;
    for (uint32_t number = 0; number < 256; ++number) {
        const uint8_t kind = (uint8_t)number;
        const bool is_custom = iso_joint_kind_is_custom(kind);
        EXPECT(is_custom == ((iso_joint_kind_has(kind) & ISO_JOINT_IS_CUSTOM) != 0), "%u in the plane", number);
        EXPECT(is_custom == ((iso_joint3_kind_has(kind) & ISO_JOINT3_IS_CUSTOM) != 0), "%u in space", number);
        EXPECT(is_custom == iso_joint3_kind_is_custom(kind), "%u by the name in space", number);
        count += is_custom;
    }
    assert_int_equal(count, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kind_has_what_its_line_says),
        cmocka_unit_test(test_what_a_kind_has_agrees_with_its_rows_and_axes),
        cmocka_unit_test(test_one_function_says_in_both_worlds_whether_a_kind_is_custom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
