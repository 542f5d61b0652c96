/// Several threads read one world at the same time, as isostep/world.h allows: each sees the same, and under the thread
/// sanitizer nobody writes.
#include "physics_util.h"

#include <pthread.h>

#include "isostep/snapshot.h"

#define READERS 4
#define ROUNDS  6

typedef struct reader {
    const iso_world *world;
    uint64_t digest;
    uint32_t failures; // an assertion belongs to the thread of the test
    pthread_t thread;
} reader;

static void see(reader *r, uint64_t value) {
    r->digest = (r->digest ^ value) * UINT64_C(0x100000001b3);
}

static void want(reader *r, bool is_so) {
    r->failures += !is_so;
}

static void see_bytes(reader *r, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        see(r, bytes[i]);
    }
}

static void read_shapes(reader *r, iso_body_id body, iso_vec2_wide place) {
    for (iso_shape_id s = iso_body_next_shape(r->world, body, 0); s.generation != 0;
         s = iso_body_next_shape(r->world, body, s.index + 1)) {
        iso_shape_def def;
        iso_body_id of;
        iso_point_hit hit;
        want(r, iso_shape_get(r->world, s, &def, &of) == ISO_OK);
        want(r, iso_shape_get_closest_point(r->world, s, place, &hit) == ISO_OK);
        see(r, (uint64_t)def.radius);
        see(r, (uint64_t)hit.distance);
    }
}

static void read_joints(reader *r, iso_body_id body) {
    for (iso_joint_id j = iso_body_next_joint(r->world, body, 0); j.generation != 0;
         j = iso_body_next_joint(r->world, body, j.index + 1)) {
        iso_vec2_wide force;
        iso_wide torque, speed, angle, length, separation, turned;
        want(r, iso_joint_get_force(r->world, j, &force) == ISO_OK);
        want(r, iso_joint_get_torque(r->world, j, &torque) == ISO_OK);
        want(r, iso_joint_get_speed(r->world, j, &speed) == ISO_OK);
        want(r, iso_joint_get_angle(r->world, j, &angle) == ISO_OK);
        want(r, iso_joint_get_length(r->world, j, &length) == ISO_OK);
        want(r, iso_joint_get_separation(r->world, j, &separation) == ISO_OK);
        want(r, iso_joint_get_angle_error(r->world, j, &turned) == ISO_OK);
        see(r, (uint64_t)(force.x ^ force.y ^ torque ^ speed ^ angle ^ length ^ separation ^ turned));
    }
}

static void read_contacts(reader *r, iso_body_id body) {
    for (uint32_t c = iso_body_next_contact(r->world, body, 0); c != UINT32_MAX;
         c = iso_body_next_contact(r->world, body, c + 1)) {
        iso_contact_view view;
        iso_contact_manifold manifold;
        want(r, iso_world_get_contact(r->world, c, &view));
        want(r, iso_world_get_contact_manifold(r->world, c, &manifold));
        see(r, (uint64_t)view.normal_impulse[0]);
        for (uint8_t p = 0; p < manifold.point_count; ++p) {
            see(r, (uint64_t)manifold.points[p].separation);
        }
    }
}

static void read_whole(reader *r) {
    const iso_vec2_wide from = {-20 * ISO_WIDE_ONE, ISO_WIDE_HALF}, along = {40 * ISO_WIDE_ONE, 0};
    iso_ray_hit hits[8];
    iso_draw_item items[64];
    uint32_t count;
    want(r, iso_query_ray_all(r->world, from, along, iso_query_filter_default(), hits, 8, &count) == ISO_OK);
    see(r, count);
    iso_draw_fill(r->world, ISO_DRAW_ALL, items, 64, &count);
    see(r, count);
    iso_events events;
    iso_world_get_events(r->world, &events);
    see(r, events.contact_begin_count);
    see(r, world_counts(r->world).awake_bodies);
    const size_t snapshot_size = iso_snapshot_size(r->world), image_size = iso_world_image_size(r->world);
    uint8_t *bytes = malloc(snapshot_size + image_size);
    want(r, bytes != NULL && iso_snapshot_encode(r->world, bytes, snapshot_size) == snapshot_size);
    see_bytes(r, bytes, snapshot_size);
    want(r, iso_world_save(r->world, bytes, image_size) == image_size);
    free(bytes);
}

static void *read_world(void *user) {
    reader *r = user;
    for (int round = 0; round < ROUNDS; ++round) {
        for (iso_body_id b = iso_body_next(r->world, 0); b.generation != 0; b = iso_body_next(r->world, b.index + 1)) {
            iso_body_view view = {0};
            want(r, iso_body_get(r->world, b, &view) == ISO_OK);
            see(r, (uint64_t)(view.position.x ^ view.velocity.y));
            see(r, iso_body_get_island(r->world, b));
            read_shapes(r, b, view.position);
            read_joints(r, b);
            read_contacts(r, b);
        }
        read_whole(r);
    }
    return NULL;
}

static void test_readers_of_one_world_do_not_disturb_each_other(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def floor = shape_box(20, 1), box = shape_box(0.4, 0.4);
    iso_body_id last = body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    rng random = {1};
    for (uint32_t i = 0; i < 40; ++i) {
        const iso_body_id body =
            body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -5, 5), rng_range(&random, 1, 9), 0.1 * i, &box);
        if (i % 5 == 4) {
            iso_joint_def def = iso_joint_def_default();
            def.kind = i % 2 == 0 ? ISO_JOINT_DISTANCE : ISO_JOINT_WHEEL;
            def.rest = ISO_FIX16_ONE;
            def.body_a = last;
            def.body_b = body;
            iso_joint_id joint;
            EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
        }
        last = body;
    }
    world_steps(world, 100);
    assert_true(world_counts(world).contacts > 30);
    const uint64_t root = iso_world_root(world);
    reader alone = {.world = world}, readers[READERS];
    read_world(&alone);
    assert_int_equal(alone.failures, 0);
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (reader){.world = world};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_world, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_int_equal(readers[i].failures, 0);
        assert_true(readers[i].digest == alone.digest);
    }
    iso_world_drop_caches(world); // the root of the state, not of what was hashed before
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers_of_one_world_do_not_disturb_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
