/// The ring of sealed ticks: what was put in comes out, the oldest give way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring.h"

#define RING_TICKS 256u
#define RING_BYTES (1u << 20)

static iso_change changes[ISO_TICK_CHANGES_MAX];
static iso_sealed_command commands[ISO_TICK_COMMANDS_MAX];
static iso_change read_changes[ISO_TICK_CHANGES_MAX];
static iso_sealed_command read_commands[ISO_TICK_COMMANDS_MAX];

static iso__ring ring_make(void) {
    iso__ring ring = {.tick_capacity = RING_TICKS, .byte_capacity = RING_BYTES};
    ring.ticks = calloc(RING_TICKS, sizeof *ring.ticks);
    ring.bytes = malloc(RING_BYTES);
    iso__ring_init(&ring, 5);
    return ring;
}

static void ring_free(iso__ring *ring) {
    free(ring->ticks);
    free(ring->bytes);
}

/// A tick whose contents follow from its number.
static iso_tick_input tick_make(uint64_t tick, uint32_t command_count) {
    iso_tick_input input = {.tick = tick,
                            .changes = changes,
                            .change_count = (uint32_t)(tick % 3u),
                            .commands = commands,
                            .command_count = command_count};
    for (uint32_t i = 0; i < input.change_count; ++i) {
        changes[i] = (iso_change){ISO_CHANGE_JOIN, (uint8_t)(tick % 32u), (uint32_t)(tick * 77u)};
    }
    for (uint32_t i = 0; i < command_count; ++i) {
        memset(&commands[i], 0, sizeof commands[i]);
        commands[i].slot = (uint8_t)(i / 16u);
        commands[i].sequence = tick * 1000u + i;
        commands[i].moved = (uint8_t)tick;
        commands[i].command.kind = ISO_COMMAND_CUSTOM;
        commands[i].command.as.custom.size = (uint16_t)(tick % ISO_CUSTOM_SIZE_MAX);
        memset(commands[i].command.as.custom.bytes, (int)(tick & 0xFFu), commands[i].command.as.custom.size);
    }
    return input;
}

static void expect_tick(const iso__ring *ring, uint64_t tick, uint32_t command_count) {
    const iso_tick_input expected = tick_make(tick, command_count);
    iso_tick_input input;
    assert_true(iso__ring_read(ring, tick, read_changes, read_commands, &input));
    assert_int_equal(input.tick, tick);
    assert_int_equal(input.change_count, expected.change_count);
    for (uint32_t i = 0; i < input.change_count; ++i) {
        assert_memory_equal(&input.changes[i].slot_generation, &expected.changes[i].slot_generation, 4);
        assert_int_equal(input.changes[i].slot, expected.changes[i].slot);
    }
    assert_int_equal(input.command_count, expected.command_count);
    for (uint32_t i = 0; i < input.command_count; ++i) {
        assert_int_equal(input.commands[i].slot, expected.commands[i].slot);
        assert_int_equal(input.commands[i].sequence, expected.commands[i].sequence);
        assert_int_equal(input.commands[i].moved, expected.commands[i].moved);
        assert_memory_equal(input.commands[i].command.as.custom.bytes, expected.commands[i].command.as.custom.bytes,
                            expected.commands[i].command.as.custom.size);
    }
}

static void test_ring_keeps_the_newest_ticks(void **state) {
    (void)state;
    iso__ring ring = ring_make();
    for (uint64_t tick = 5; tick < 2000; ++tick) {
        const iso_tick_input input = tick_make(tick, 2);
        iso__ring_append(&ring, &input, NULL, tick * 3u);
    }
    uint64_t root;
    assert_false(iso__ring_root(&ring, 2000, &root));
    assert_false(iso__ring_root(&ring, 1999 - RING_TICKS, &root));
    for (uint64_t tick = 2000 - RING_TICKS; tick < 2000; ++tick) {
        expect_tick(&ring, tick, 2);
        assert_true(iso__ring_root(&ring, tick, &root));
        assert_true(root == tick * 3u);
    }
    ring_free(&ring);
}

/// Ticks of very different sizes wrap around the buffer at every place; what is still kept is whole.
static void test_ring_gives_up_the_oldest_when_bytes_run_out(void **state) {
    (void)state;
    iso__ring ring = ring_make();
    for (uint64_t tick = 5; tick < 3000; ++tick) {
        const uint32_t count = (uint32_t)(tick * 7919u % 200u);
        const iso_tick_input input = tick_make(tick, count);
        iso__ring_append(&ring, &input, NULL, tick);
        assert_true(ring.first <= tick);
        expect_tick(&ring, ring.first, (uint32_t)(ring.first * 7919u % 200u));
        expect_tick(&ring, tick, count);
        iso_tick_input none;
        assert_false(iso__ring_read(&ring, ring.first - 1, read_changes, read_commands, &none));
    }
    // Bytes, not the number of ticks, were the limit; roots are kept for longer.
    assert_true(ring.end - ring.first < RING_TICKS);
    assert_true(ring.end - ring.first > 20);
    assert_int_equal(ring.end - ring.first_root, RING_TICKS);
    ring_free(&ring);
}

/// Small ticks use a part of the buffer again and again; the rest need never be touched.
static void test_ring_of_small_ticks_touches_little(void **state) {
    (void)state;
    iso__ring ring = ring_make();
    uint32_t highest = 0;
    for (uint64_t tick = 5; tick < 200000; ++tick) {
        const iso_tick_input input = {.tick = tick};
        iso__ring_append(&ring, &input, NULL, tick);
        highest = ring.write_offset > highest ? ring.write_offset : highest;
        assert_true(ring.end - ring.first == (tick - 4 < RING_TICKS ? tick - 4 : RING_TICKS));
    }
    assert_in_range(highest, ring.byte_capacity / 8u, ring.byte_capacity / 4u);
    ring_free(&ring);
}

/// What it promises to spare is still there after the largest tick that there can be.
static void test_ring_tells_whether_a_tick_would_be_spared(void **state) {
    (void)state;
    iso__ring ring = ring_make();
    uint64_t kept = 5;
    uint32_t promised = 0, refused = 0;
    for (uint64_t tick = 5; tick < 20000; ++tick) {
        const uint32_t count = tick % 3u == 0 ? 200 : (uint32_t)(tick * 7919u % 200u);
        const iso_tick_input input = tick_make(tick, count);
        kept = kept < ring.first ? tick - 1u - tick * 7919u % 5u : kept; // here and there in the buffer
        const bool spared = kept < ring.end && iso__ring_spares(&ring, kept);
        promised += spared ? 1u : 0u;
        refused += spared ? 0u : 1u;
        iso__ring_append(&ring, &input, NULL, tick);
        assert_true(!spared || ring.first <= kept);
    }
    assert_true(promised > 100 && refused > 10);
    ring_free(&ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_of_small_ticks_touches_little),
        cmocka_unit_test(test_ring_tells_whether_a_tick_would_be_spared),
        cmocka_unit_test(test_ring_keeps_the_newest_ticks),
        cmocka_unit_test(test_ring_gives_up_the_oldest_when_bytes_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
