/// Definitions of joints on the wire, of both kinds of worlds: those of a constraint have its parameters, others none.
#include "test_codec_hand.h"

/// CreateJoint, or CreateJoint3, whose definition has so many parameters.
static void put_joint(fixture *f, bool in_space, uint64_t kind, uint64_t constraint, size_t param_count) {
    static const uint8_t params[8 * 33] = {1};
    f->size = 0;
    put_number(f, 1, kind);
    for (uint32_t frame = 7; frame <= 8 && in_space; ++frame) {
        const size_t start = f->size;
        put_number(f, 7, UINT64_C(1) << 31); // Joint3Frame.rotation_w
        wrap(f, start, frame);
    }
    for (uint32_t axis = 22; axis <= 24 && in_space; ++axis) {
        put_bytes(f, axis, "", 0);
    }
    if (constraint != 0) {
        put_number(f, in_space ? 27 : 43, constraint);
    }
    if (param_count > 0) {
        put_bytes(f, in_space ? 28 : 44, params, 8 * param_count);
    }
    wrap(f, 0, 1);
    wrap(f, 0, in_space ? ISO_COMMAND_CREATE_JOINT3 : ISO_COMMAND_CREATE_JOINT);
    wrap(f, 0, 4);
    put_number(f, 2, 1);
    wrap(f, 0, ISO_MESSAGE_INPUT);
}

/// 8 vectors and 8 scalars, or none of them.
static void test_codec_wants_all_parameters_of_a_constraint(void **state) {
    fixture *f = *state;
    for (int in_space = 0; in_space < 2; ++in_space) {
        const size_t all = in_space ? 32 : 24;
        for (uint64_t kind = ISO_JOINT_USER; kind <= ISO_JOINT_SYMBOLIC; ++kind) {
            for (size_t count = 0; count <= 33; ++count) {
                put_joint(f, in_space, kind, 5, count);
                expect(f, count == all ? ISO_OK : ISO_ERR_MALFORMED);
            }
        }
        put_joint(f, in_space, 1, 0, 0); // a revolute, a ball
        expect(f, ISO_OK);
        put_joint(f, in_space, 1, 5, 0);
        expect(f, ISO_ERR_MALFORMED);
        put_joint(f, in_space, 1, 0, all);
        expect(f, ISO_ERR_MALFORMED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_codec_wants_all_parameters_of_a_constraint, setup, teardown),
    };
    return cmocka_run_group_tests_name("codec_joint", tests, NULL, NULL);
}
