/// Definitions that need more memory than there is: what a world of them needs is said right, or said to be too much.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "large_snapshot.h"

#define BLOCK_SIZE ((size_t)1 << 20)

/// On machines of 64 bits the sizes are known to be more than 2^32; the others must not wrap there.
static void test_a_world_beyond_the_address_space_is_not_made(void **state) {
    (void)state;
    void *block = aligned_alloc(64, BLOCK_SIZE);
    assert_non_null(block);
    for (uint16_t dimensions = 2; dimensions <= 3; ++dimensions) {
        size_t size = 0;
        uint8_t *snapshot = large_snapshot_make(dimensions, 1, &size);
        assert_non_null(snapshot);
        assert_in_range(size, 1000, 64000);
        iso_world_def def;
        uint64_t tick;
        assert_int_equal(iso_snapshot_read_def(snapshot, size, &def, &tick), ISO_OK);
        assert_int_equal(def.contact_capacity, ISO_CONTACT_CAPACITY_MAX);
        const size_t needed = iso_world_size(&def, NULL);
        if (sizeof(size_t) == 4) {
            assert_true(needed == SIZE_MAX);
        } else {
            assert_true(needed > (size_t)UINT32_MAX && needed % 64 == 0);
        }
        iso_world *world = NULL;
        assert_int_equal(iso_world_create(&def, NULL, block, BLOCK_SIZE, &world), ISO_ERR_BUFFER);
        assert_int_equal(iso_world_create(&def, NULL, block, needed - 1, &world), ISO_ERR_BUFFER);
        if (sizeof(size_t) == 4) {
            assert_int_equal(iso_world_create(&def, NULL, block, needed, &world), ISO_ERR_BUFFER);
        }
        assert_null(world);
        free(snapshot);
    }
    free(block);
}

/// What half, a quarter and so on of these capacities need falls by about as much: nowhere does a sum wrap.
static void test_sizes_rise_with_the_capacities(void **state) {
    (void)state;
    for (uint16_t dimensions = 2; dimensions <= 3; ++dimensions) {
        size_t above = SIZE_MAX;
        for (uint32_t part = 1; part <= 1024; part *= 2) {
            const iso_world_def def = large_def(dimensions, part);
            const size_t size = iso_world_size(&def, NULL);
            assert_true(size > 0 && size <= above);
            assert_true(above == SIZE_MAX ||
                        (size < above / 2 + above / 64 + (1u << 20) && size > above / 2 - (1u << 20)));
            above = size;
        }
        assert_true(above < (size_t)64 << 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_world_beyond_the_address_space_is_not_made),
        cmocka_unit_test(test_sizes_rise_with_the_capacities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
