/// The snapshot of a joining client: pieces, sizes, roots, memory. Everything in it may come from an enemy.
#include "test_client_util.h"

static void test_snapshot_with_other_game_parameters_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    iso_message m = talk_welcome_message(&t);
    m.as.welcome.fingerprint.game_params ^= 1;
    talk_say(&t, &m);
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_FINGERPRINT);
    talk_term(&t);
}

static void test_snapshot_gives_the_servers_world(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    for (uint32_t i = 0; i < t.begin.chunk_count; ++i) {
        assert_null(iso_client_world(t.client));
        talk_chunk(&t, i);
        assert_int_equal(talk_heard(&t, ISO_MESSAGE_SNAPSHOT_ACK)->as.snapshot_ack.index, i);
    }
    assert_non_null(iso_client_world(t.client));
    assert_int_equal(iso_client_tick(t.client), talk_tick(&t));
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_CATCHUP);
    talk_term(&t);
}

static void test_compressed_snapshot_is_handed_out_and_taken_back(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    uint8_t *raw = malloc(t.snapshot_size);
    memcpy(raw, t.snapshot, t.snapshot_size);
    // What stands in the pieces is the host's business: here, the first 700 bytes.
    t.begin.compression = ISO_COMPRESSION_ZSTD;
    t.begin.size = 700;
    t.begin.chunk_count = 2;
    const uint32_t raw_size = t.snapshot_size;
    t.snapshot_size = 700;
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_DECOMPRESS, 0));
    talk_chunk(&t, 1);
    const iso_client_action *action = talk_action(&t, ISO_CLIENT_ACTION_DECOMPRESS, 0);
    assert_non_null(action);
    assert_int_equal(action->size, 700);
    assert_int_equal(action->raw_size, raw_size);
    assert_memory_equal(action->bytes, raw, 700);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .bytes = raw, .size = raw_size});
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_CATCHUP);
    free(raw);
    talk_term(&t);
}

static void test_snapshot_that_does_not_decompress_is_refused(void **state) {
    (void)state;
    for (int wrong_size = 0; wrong_size < 2; ++wrong_size) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 16384);
        t.begin.compression = ISO_COMPRESSION_ZSTD;
        t.begin.size = 700;
        t.begin.chunk_count = 1;
        const uint32_t raw_size = t.snapshot_size;
        t.snapshot_size = 700;
        talk_begin(&t);
        talk_chunk(&t, 0);
        const iso_client_event event = {
            .kind = ISO_CLIENT_EVENT_DECOMPRESSED,
            .status = wrong_size ? ISO_OK : ISO_ERR_CORRUPT,
            .bytes = t.snapshot,
            .size = wrong_size ? raw_size - 1 : raw_size,
        };
        talk_event(&t, event);
        assert_ended(&t, ISO_ERR_CORRUPT);
        talk_term(&t);
    }
}

static void test_snapshot_pieces_in_another_order_are_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    talk_chunk(&t, 0);
    talk_chunk(&t, 2);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    talk_chunk(&t, 0);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);
}

static void test_snapshot_piece_of_another_size_is_refused(void **state) {
    (void)state;
    for (uint32_t size = 0; size <= 1001; size += size == 0 ? 499 : 501) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 500);
        talk_begin(&t);
        iso_message m = {.kind = ISO_MESSAGE_SNAPSHOT_CHUNK};
        m.as.snapshot_chunk.bytes = t.snapshot;
        m.as.snapshot_chunk.size = size;
        talk_say(&t, &m);
        assert_ended(&t, ISO_ERR_MALFORMED);
        talk_term(&t);
    }
}

static void test_snapshot_with_a_wrong_root_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    t.root ^= 1;
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_CORRUPT);
    assert_null(iso_client_world(t.client));
    talk_term(&t);
}

static void test_snapshot_of_another_tick_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 16384);
    t.begin.tick += 1;
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_CORRUPT);
    talk_term(&t);
}

static void test_every_spoilt_byte_of_a_snapshot_is_refused(void **state) {
    (void)state;
    uint32_t size = 1;
    for (uint32_t at = 0; at < size; at += 1 + at / 16) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, ISO_SNAPSHOT_CHUNK_SIZE);
        size = t.snapshot_size;
        t.snapshot[at] ^= 0x41;
        talk_begin(&t);
        for (uint32_t i = 0; i < t.begin.chunk_count; ++i) {
            talk_chunk(&t, i);
        }
        assert_int_not_equal(talk_end_status(&t), ISO_OK);
        talk_term(&t);
    }
}

typedef void spoil_begin(iso_message_snapshot_begin *begin);
static void spoil_size_zero(iso_message_snapshot_begin *b) {
    b->size = 0;
}
static void spoil_raw_zero(iso_message_snapshot_begin *b) {
    b->raw_size = 0;
}
static void spoil_raw_other(iso_message_snapshot_begin *b) {
    b->raw_size += 1;
}
static void spoil_chunk_zero(iso_message_snapshot_begin *b) {
    b->chunk_size = 0;
}
static void spoil_chunk_large(iso_message_snapshot_begin *b) {
    b->chunk_size = 16385;
}
static void spoil_count_less(iso_message_snapshot_begin *b) {
    b->chunk_count -= 1;
}
static void spoil_count_more(iso_message_snapshot_begin *b) {
    b->chunk_count += 1;
}
static void spoil_compression(iso_message_snapshot_begin *b) {
    b->compression = 3;
}
static void spoil_epoch(iso_message_snapshot_begin *b) {
    b->epoch += 1;
}
static void spoil_tick(iso_message_snapshot_begin *b) {
    b->tick = ISO_TICK_END;
}
static void spoil_huge(iso_message_snapshot_begin *b) {
    b->size = b->raw_size = UINT32_MAX;
    b->chunk_size = 16384;
    b->chunk_count = (uint32_t)(((uint64_t)UINT32_MAX + 16383) / 16384);
}
static void spoil_huge_raw(iso_message_snapshot_begin *b) {
    b->compression = ISO_COMPRESSION_ZSTD;
    b->raw_size = UINT32_MAX;
}

static void test_hostile_snapshot_sizes_are_refused_without_memory(void **state) {
    (void)state;
    const struct {
        spoil_begin *spoil;
        iso_status status;
    } cases[] = {
        {spoil_size_zero, ISO_ERR_MALFORMED},   {spoil_raw_zero, ISO_ERR_MALFORMED},
        {spoil_raw_other, ISO_ERR_MALFORMED},   {spoil_chunk_zero, ISO_ERR_MALFORMED},
        {spoil_chunk_large, ISO_ERR_MALFORMED}, {spoil_count_less, ISO_ERR_MALFORMED},
        {spoil_count_more, ISO_ERR_MALFORMED},  {spoil_compression, ISO_ERR_BAD_ENUM},
        {spoil_epoch, ISO_ERR_MALFORMED},       {spoil_tick, ISO_ERR_MALFORMED},
        {spoil_huge, ISO_ERR_MEMORY},           {spoil_huge_raw, ISO_ERR_MEMORY},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 500);
        cases[i].spoil(&t.begin);
        const size_t before = t.allocated_max;
        talk_begin(&t);
        assert_ended(&t, cases[i].status);
        assert_int_equal(t.allocated_max, before);
        talk_term(&t);
    }
}

static void test_world_beyond_the_limit_is_refused(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.world_size_max = 10000;
    talk_init(&t, &config);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

static void test_every_failing_allocation_is_an_end(void **state) {
    (void)state;
    talk t;
    iso_client *client = NULL;
    talk_init(&t, NULL);
    t.refuse_above = 1;
    iso_client_config config = talk_config(&t);
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_MEMORY);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ENDED);
    t.refuse_above = 0;
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 16384);
    t.refuse_above = t.snapshot_size; // the world does not fit
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot_with_other_game_parameters_is_refused),
        cmocka_unit_test(test_snapshot_gives_the_servers_world),
        cmocka_unit_test(test_compressed_snapshot_is_handed_out_and_taken_back),
        cmocka_unit_test(test_snapshot_that_does_not_decompress_is_refused),
        cmocka_unit_test(test_snapshot_pieces_in_another_order_are_refused),
        cmocka_unit_test(test_snapshot_piece_of_another_size_is_refused),
        cmocka_unit_test(test_snapshot_with_a_wrong_root_is_refused),
        cmocka_unit_test(test_snapshot_of_another_tick_is_refused),
        cmocka_unit_test(test_every_spoilt_byte_of_a_snapshot_is_refused),
        cmocka_unit_test(test_hostile_snapshot_sizes_are_refused_without_memory),
        cmocka_unit_test(test_world_beyond_the_limit_is_refused),
        cmocka_unit_test(test_every_failing_allocation_is_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
