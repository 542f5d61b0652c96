/// The ring of images: what is kept, what goes, what comes back.
#include "test_client_util.h"

typedef struct album {
    talk t;
    iso__client_images images;
    iso_allocator allocator;
    uint64_t roots[512];
} album;

static void album_init(album *a, uint64_t memory, uint32_t at_least) {
    talk_init(&a->t, NULL);
    a->allocator = (iso_allocator){talk_allocate, talk_release, &a->t};
    a->images = (iso__client_images){0};
    assert_true(iso__client_images_init(&a->images, &a->allocator, a->t.world, memory, at_least));
}

static void album_term(album *a) {
    iso__client_images_term(&a->images, &a->allocator);
    talk_term(&a->t);
}

static void album_step(album *a) {
    // Bodies come and go, so that the images' sizes differ.
    const uint64_t tick = talk_tick(&a->t);
    iso_body_def def = iso_body_def_default();
    iso_body_id body = iso_body_next(a->t.world, 3);
    if (tick % 5 != 0) {
        def.position.x = iso_wide_from_fix16((fix16_t)(tick % 7 * 4) * ISO_FIX16_ONE);
        (void)iso_body_create(a->t.world, &def, &body);
    } else {
        for (; body.generation != 0; body = iso_body_next(a->t.world, 3)) {
            assert_int_equal(iso_body_destroy(a->t.world, body), ISO_OK);
        }
    }
    assert_int_equal(iso_world_step_empty(a->t.world), ISO_OK);
    a->t.root = iso_world_root(a->t.world);
    a->roots[talk_tick(&a->t) % 512] = a->t.root;
    iso__client_images_save(&a->images, a->t.world, talk_tick(&a->t), a->t.root);
}

static void test_every_kept_image_comes_back_exactly(void **state) {
    (void)state;
    for (uint64_t memory = 0; memory < 400000; memory += 29000) {
        album a;
        album_init(&a, memory, 0);
        uint32_t most = 0;
        for (int i = 0; i < 200; ++i) {
            album_step(&a);
            most = a.images.count > most ? a.images.count : most;
            size_t bytes = 0;
            for (uint32_t k = 0; k < a.images.count; ++k) {
                const iso__client_image *image = &a.images.ring[(a.images.first + k) % ISO__CLIENT_IMAGES_MAX];
                assert_int_equal(image->tick, talk_tick(&a.t) - (a.images.count - 1 - k)); // no gap
                bytes += image->size;
                assert_true(image->offset + image->size <= a.images.capacity);
            }
            assert_true(bytes <= a.images.capacity && a.images.capacity <= memory);
        }
        assert_true(memory < 29000 || most > 2);
        const uint64_t end = talk_tick(&a.t);
        for (uint32_t k = 0; k < a.images.count; ++k) {
            const uint64_t tick = end - k;
            assert_false(iso__client_images_restore(&a.images, a.t.world, tick, a.roots[tick % 512] + 1));
            assert_true(iso__client_images_restore(&a.images, a.t.world, tick, a.roots[tick % 512]));
            assert_true(iso_world_root(a.t.world) == a.roots[tick % 512]);
            assert_int_equal(talk_tick(&a.t), tick);
        }
        assert_false(iso__client_images_restore(&a.images, a.t.world, end - a.images.count,
                                                a.roots[(end - a.images.count) % 512]));
        album_term(&a);
    }
}

static void test_room_for_the_largest_image_can_be_asked_for(void **state) {
    (void)state;
    album a;
    album_init(&a, 0, 1);
    for (int i = 0; i < 100; ++i) {
        album_step(&a);
        assert_true(a.images.count >= 1);
    }
    album_term(&a);
}

static void test_later_images_can_be_dropped(void **state) {
    (void)state;
    album a;
    album_init(&a, 4000000, 0);
    for (int i = 0; i < 100; ++i) {
        album_step(&a);
    }
    assert_int_equal(a.images.count, ISO__CLIENT_IMAGES_MAX);
    const uint64_t end = talk_tick(&a.t);
    assert_true(iso__client_images_restore(&a.images, a.t.world, end - 10, a.roots[(end - 10) % 512]));
    iso__client_images_drop_after(&a.images, end - 10);
    assert_int_equal(a.images.count, ISO__CLIENT_IMAGES_MAX - 10);
    assert_false(iso__client_images_restore(&a.images, a.t.world, end - 9, a.roots[(end - 9) % 512]));
    for (int i = 0; i < 70; ++i) {
        album_step(&a);
    }
    assert_int_equal(a.images.count, ISO__CLIENT_IMAGES_MAX);
    iso__client_images_drop_after(&a.images, 0);
    assert_int_equal(a.images.count, 0);
    album_term(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kept_image_comes_back_exactly),
        cmocka_unit_test(test_room_for_the_largest_image_can_be_asked_for),
        cmocka_unit_test(test_later_images_can_be_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
