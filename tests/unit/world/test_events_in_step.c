/// What a game may read of a step's events: in after_step the lists are complete, and they are the same in a world that
/// has just been decoded. In the plane and in space.
#include "unit/space/world/space_util.h"

#include "isostep/joint3.h"
#include "world/world.h"

enum { BODY_COUNT = 6, WAKE_TICK = 200, DESTROY_TICK = 230, TICK_COUNT = 420, LIST_COUNT = 8 };

typedef struct reader_state {
    uint64_t digest;
    uint64_t counts[LIST_COUNT];
    uint64_t pushed, fallen; // packed ids: what is thrown up out of its sleep, what is destroyed in after_step
} reader_state;

static const iso_field reader_fields[] = {
    ISO_FIELD_OF(reader_state, digest, "", U64),
    ISO_FIELD_OF(reader_state, counts, "", U64),
    ISO_FIELD_OF(reader_state, pushed, "", U64),
    ISO_FIELD_OF(reader_state, fallen, "", U64),
};

static const char *const list_names[LIST_COUNT] = {"contact_begins", "contact_ends", "joint_breaks", "sleeps",
                                                   "wakes",          "left_world",   "joint_sleeps", "joint_wakes"};

static void list_counts(const iso_events *events, uint32_t counts[LIST_COUNT]) {
    const uint32_t are[LIST_COUNT] = {events->contact_begin_count, events->contact_end_count, events->joint_break_count,
                                      events->sleep_count,         events->wake_count,        events->left_world_count,
                                      events->joint_sleep_count,   events->joint_wake_count};
    memcpy(counts, are, sizeof are);
}

static uint64_t mixed(uint64_t digest, int64_t number) {
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211);
}

static uint64_t mixed_contacts(uint64_t digest, const iso_contact_event *events, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const iso_contact_event *e = &events[i];
        const int64_t numbers[] = {e->shape_a.index,  e->shape_b.index, e->body_a.index, e->body_b.index,
                                   e->point.x,        e->point.y,       e->normal.x,     e->normal.y,
                                   e->approach_speed, e->point3.x,      e->point3.y,     e->point3.z,
                                   e->normal3.x,      e->normal3.y,     e->normal3.z};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; ++n) {
            digest = mixed(digest, numbers[n]);
        }
    }
    return digest;
}

/// Of the first `count` of each list.
static uint64_t mixed_events(uint64_t digest, const iso_events *events, const uint32_t counts[LIST_COUNT]) {
    digest = mixed_contacts(digest, events->contact_begins, counts[0]);
    digest = mixed_contacts(digest, events->contact_ends, counts[1]);
    for (uint32_t i = 0; i < counts[2]; ++i) {
        const iso_joint_event *e = &events->joint_breaks[i];
        digest = mixed(mixed(digest, e->joint.index), e->force.x ^ e->force.y ^ e->force3.x ^ e->force3.y);
    }
    const iso_body_id *const bodies[3] = {events->sleeps, events->wakes, events->left_world};
    for (uint32_t list = 0; list < 3; ++list) {
        for (uint32_t i = 0; i < counts[3 + list]; ++i) {
            digest = mixed(digest, bodies[list][i].index);
        }
    }
    const iso_joint_sleep_event *const joints[2] = {events->joint_sleeps, events->joint_wakes};
    for (uint32_t list = 0; list < 2; ++list) {
        for (uint32_t i = 0; i < counts[6 + list]; ++i) {
            digest = mixed(digest, joints[list][i].joint.index);
        }
    }
    return digest;
}

// ---- the game ------------------------------------------------------------------------------------

static void reader_before_step(iso_world *world, void *state) {
    const reader_state *reader = state;
    if (iso_world_get_tick(world) == WAKE_TICK) {
        const iso_body_id body = iso_body_id_unpack(reader->pushed);
        if (iso_world_get_def(world)->dimensions == 3) {
            body3_set_velocity(world, body, (vector){{0, 8, 0}}, (vector){{0, 0, 0}});
        } else {
            body_set_velocity(world, body, 0, 8, 0);
        }
    }
}

/// What after_step read in the last step of any world.
static uint32_t read_counts[LIST_COUNT];
static uint64_t read_digest;

static void reader_after_step(iso_world *world, void *state) {
    reader_state *reader = state;
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.tick, iso_world_get_tick(world));
    list_counts(&events, read_counts);
    read_digest = mixed_events(0, &events, read_counts);
    reader->digest = mixed(reader->digest, (int64_t)read_digest);
    for (int list = 0; list < LIST_COUNT; ++list) {
        reader->counts[list] += read_counts[list];
    }
    if (iso_world_get_tick(world) == DESTROY_TICK) {
        EXPECT_STATUS(iso_body_destroy(world, iso_body_id_unpack(reader->fallen)), ISO_OK);
    }
}

static const iso_game reader_game = {
    .name = "reader",
    .version = 1,
    .dimensions = 12,
    .state_size = sizeof(reader_state),
    .fields = reader_fields,
    .field_count = sizeof reader_fields / sizeof reader_fields[0],
    .before_step = reader_before_step,
    .after_step = reader_after_step,
};

// ---- the world -----------------------------------------------------------------------------------

static iso_body_id add_box(iso_world *world, iso_body_type type, double x, double y, double half_width) {
    iso_body_id body;
    if (iso_world_get_def(world)->dimensions == 3) {
        const iso_shape3_def box = box3(half_width, 0.5, half_width > 1 ? half_width : 0.5);
        body = body3_add(world, type, wide3(x, y, 0), iso_quat_identity());
        shape3_add(world, body, &box);
        return body;
    }
    const iso_shape_def box = shape_box(half_width, 0.5);
    return body_add_shape(world, type, x, y, 0, &box);
}

/// Holds two boxes together, 2 m apart. @param break_force  [N]
static void add_joint(iso_world *world, iso_body_id a, iso_body_id b, double break_force) {
    iso_joint_id joint;
    if (iso_world_get_def(world)->dimensions == 3) {
        iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_FIXED);
        def.body_a = a;
        def.body_b = b;
        def.frame_a.anchor.x = ONE;
        def.frame_b.anchor.x = -ONE;
        def.break_force = wide(break_force);
        EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_OK);
        return;
    }
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_WELD;
    def.body_a = a;
    def.body_b = b;
    def.anchor_a.x = ONE;
    def.anchor_b.x = -ONE;
    def.break_force = wide(break_force);
    EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
}

/// Boxes that fall on a floor and sleep there, two of them joined; one that hangs on a joint which breaks; one that
/// flies out of the world.
static iso_world *reader_world(uint16_t dimensions) {
    iso_world_def def = dimensions == 3 ? space_def() : world_def_small(0);
    def.gravity = (iso_vec2){0, fix(-10)};
    def.sleep_speed = fix(0.05);
    strcpy(def.game, reader_game.name);
    const size_t size = iso_world_size(&def, &reader_game);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xA5, size); // nothing may rely on clean memory
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, &reader_game, memory, size, &world), ISO_OK);
    iso_body_id boxes[BODY_COUNT];
    add_box(world, ISO_BODY_STATIC, 0, -0.5, 30);
    for (int i = 0; i < BODY_COUNT; ++i) {
        boxes[i] = add_box(world, ISO_BODY_DYNAMIC, 2 * i - 8, 1 + 0.3 * (i / 2), 0.5);
    }
    add_joint(world, boxes[0], boxes[1], 0);
    const iso_body_id hook = add_box(world, ISO_BODY_STATIC, 8, 6, 0.5);
    add_joint(world, hook, add_box(world, ISO_BODY_DYNAMIC, 10, 6, 0.5), 1);
    const iso_body_id flyer = add_box(world, ISO_BODY_DYNAMIC, ISO_POSITION_MAX_M - 5, 0, 0.5);
    if (dimensions == 3) {
        body3_set_velocity(world, flyer, (vector){{50, 0, 0}}, (vector){{0, 0, 0}});
    } else {
        body_set_velocity(world, flyer, 50, 0, 0);
    }
    iso_world_start(world);
    reader_state *reader = (reader_state *)(void *)world->game_state;
    reader->pushed = iso_id_pack(boxes[0].index, boxes[0].generation);
    reader->fallen = iso_id_pack(boxes[5].index, boxes[5].generation);
    return world;
}

/// The lists after the step are those that after_step read, but for what it did itself.
static void assert_read_all(const iso_world *world, const char *where) {
    iso_events events;
    uint32_t counts[LIST_COUNT];
    iso_world_get_events(world, &events);
    list_counts(&events, counts);
    const uint32_t own_ends = iso_world_get_tick(world) == DESTROY_TICK ? 1 : 0;
    for (int list = 0; list < LIST_COUNT; ++list) {
        EXPECT(counts[list] == read_counts[list] + (list == 1 ? own_ends : 0),
               "%s, tick %u: %u of %s, but %u were read", where, (unsigned)iso_world_get_tick(world), counts[list],
               list_names[list], read_counts[list]);
    }
    EXPECT(mixed_events(0, &events, read_counts) == read_digest, "%s, tick %u: other events were read", where,
           (unsigned)iso_world_get_tick(world));
}

static void run(uint16_t dimensions, const char *where) {
    iso_world *world = reader_world(dimensions), *fresh = reader_world(dimensions);
    for (int tick = 0; tick < TICK_COUNT; ++tick) {
        const size_t size = iso_snapshot_size(world);
        uint8_t *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
        EXPECT_STATUS(iso_snapshot_decode(fresh, bytes, size), ISO_OK);
        iso_world_drop_caches(fresh);
        free(bytes);
        world_steps(world, 1);
        assert_read_all(world, where);
        world_steps(fresh, 1);
        assert_read_all(fresh, where);
        EXPECT(iso_world_root(world) == iso_world_root(fresh), "%s, tick %d: a decoded world reads other events", where,
               tick + 1);
    }
    const reader_state *reader = iso_world_get_game_state(world);
    for (int list = 0; list < LIST_COUNT; ++list) {
        EXPECT(reader->counts[list] > 0, "%s: no %s", where, list_names[list]);
    }
    world_free(world);
    world_free(fresh);
}

static void test_after_step_reads_all_events_of_the_step(void **state) {
    (void)state;
    run(2, "in the plane");
    run(3, "in space");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_step_reads_all_events_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
