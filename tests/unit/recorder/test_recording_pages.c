/// A power cut: a disk keeps any of the pages that were written since the last sync, in any order. No such image may be
/// taken for corruption, and none may lack a tick that was said to be durable.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "recorder_disk.h"
#include "unit/many.h"

#define PAGE_SIZE          4096u
#define SESSIONS           ISO_TEST_MANY(160u)
#define IMAGES_PER_SESSION 3u // of each kind

/// Which pages above the durable end the disk has kept.
typedef enum image_kind {
    IMAGE_ANY_SUBSET,   // each one or not, one of them perhaps as it was at some time before
    IMAGE_END_PAGE_OLD, // all but the one that the durable end stands in
    IMAGE_KINDS,
} image_kind;

typedef struct tally {
    uint32_t images, corrupt;
    uint64_t lost_ticks; // at or below the durable tick
} tally;

static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((random_state >> 33) % bound);
}

/// The next tick, with commands of random bytes.
static void write_tick(disk *d, uint64_t number, uint32_t command_count) {
    static iso_sealed_command commands[64];
    for (uint32_t i = 0; i < command_count; ++i) {
        memset(&commands[i], 0, sizeof commands[i]);
        commands[i].slot = (uint8_t)(i / 2);
        commands[i].sequence = number * 64 + i;
        commands[i].command.kind = ISO_COMMAND_SET_CONTROL;
        commands[i].command.as.set_control.size = 32;
        for (uint32_t k = 0; k < 32; ++k) {
            commands[i].command.as.set_control.bytes[k] = (uint8_t)random_below(256);
        }
    }
    const iso_recording_tick tick = {
        .input = {.tick = number, .commands = commands, .command_count = command_count},
        .has_root = true,
        .hashed_tick = number,
        .root = sample_root(number),
    };
    const iso_recorder_event event = {.kind = ISO_RECORDER_TICK, .tick = &tick};
    assert_int_equal(iso_recorder_handle(d->recorder, d->now_ns, &event), ISO_OK);
}

/// A session that is cut off at some moment; syncs take their time.
static void run_session(disk *d, uint64_t seed) {
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    disk_begin(d, 1u << 20);
    d->holds_syncs = true;
    disk_open(d);
    assert_int_equal(disk_keyframe(d, 0, 300 + random_below(9000)), ISO_OK);
    const uint32_t commands = random_below(64);
    const uint64_t ticks = 1 + random_below(90);
    const uint64_t sync_ticks = 1 + random_below(40);
    uint64_t sync_until = 0;
    for (uint64_t tick = 1; tick <= ticks; ++tick) {
        d->now_ns = tick * 1000000000 / 60;
        write_tick(d, tick, commands);
        if (random_below(40) == 0) {
            assert_int_equal(disk_keyframe(d, tick, 300 + random_below(9000)), ISO_OK);
        }
        const bool was_out = d->sync_is_out;
        disk_run(d);
        sync_until = d->sync_is_out && !was_out ? tick + sync_ticks : sync_until;
        if (d->sync_is_out && tick >= sync_until) {
            disk_finish_sync(d, ISO_OK);
            disk_run(d);
        }
    }
}

/// What the disk has after the power is back: what was synced, and some of the pages behind. A page that was not kept
/// is as it was synced, or, if it was written back in between, as it was then.
static uint64_t make_image(const disk *d, image_kind kind, uint8_t *image) {
    const uint64_t first_page = d->synced_size / PAGE_SIZE;
    memcpy(image, d->bytes, d->size);
    for (uint64_t page = first_page; page * PAGE_SIZE < d->size; ++page) {
        const uint64_t start = page == first_page ? d->synced_size : page * PAGE_SIZE;
        const uint64_t end = (page + 1) * PAGE_SIZE < d->size ? (page + 1) * PAGE_SIZE : d->size;
        const bool kept = kind == IMAGE_END_PAGE_OLD ? page != first_page : random_below(2) == 0;
        const uint64_t old =
            kind == IMAGE_ANY_SUBSET && random_below(4) == 0 ? random_below((uint32_t)(end - start) + 1) : 0;
        if (!kept) {
            memset(image + start + old, 0, end - start - old);
        }
    }
    const bool short_size = kind == IMAGE_ANY_SUBSET && random_below(4) == 0;
    return short_size ? d->synced_size + random_below((uint32_t)(d->size - d->synced_size) + 1) : d->size;
}

static void judge_image(const disk *d, image_kind kind, tally *t) {
    uint8_t *image = malloc((size_t)d->size);
    iso_recording recording;
    iso_recording_error error;
    const uint64_t size = make_image(d, kind, image);
    const iso_status status = iso_recording_open(&recording, image, size, ISO_RECORDING_TORN, &error);
    const iso_recorder_progress progress = disk_progress(d);
    ++t->images;
    t->corrupt += status == ISO_ERR_CORRUPT || status == ISO_ERR_VERSION;
    if (progress.is_settled) {
        const uint64_t kept = status == ISO_OK ? recording.last_tick : 0;
        t->lost_ticks += kept < progress.durable_tick ? progress.durable_tick - kept : 0;
        t->lost_ticks += status != ISO_OK;
    }
    if (status == ISO_OK && recording.last_tick > 0) {
        assert_true(recording.root_tick == recording.last_tick && recording.root == sample_root(recording.last_tick));
    }
    free(image);
}

static void test_no_page_that_a_power_cut_leaves_out_is_corruption(void **state) {
    (void)state;
    tally tallies[IMAGE_KINDS] = {0};
    for (uint64_t seed = 0; seed < SESSIONS; ++seed) {
        disk d;
        run_session(&d, seed);
        for (uint32_t i = 0; i < IMAGES_PER_SESSION * IMAGE_KINDS; ++i) {
            judge_image(&d, (image_kind)(i % IMAGE_KINDS), &tallies[i % IMAGE_KINDS]);
        }
        disk_end(&d);
    }
    const char *names[IMAGE_KINDS] = {"any subset of pages", "only the page at the durable end is old"};
    for (uint32_t kind = 0; kind < IMAGE_KINDS; ++kind) {
        print_message("%s: %u images, %u judged corrupt, %llu durable ticks lost\n", names[kind], tallies[kind].images,
                      tallies[kind].corrupt, (unsigned long long)tallies[kind].lost_ticks);
    }
    for (uint32_t kind = 0; kind < IMAGE_KINDS; ++kind) {
        assert_int_equal(tallies[kind].corrupt, 0);
        assert_int_equal(tallies[kind].lost_ticks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_page_that_a_power_cut_leaves_out_is_corruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
