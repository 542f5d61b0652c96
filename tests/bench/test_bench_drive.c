/// What moves scenes from outside: it knows where their bodies are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench_drive.h"
#include "bench_scene.h"

static double metres(iso_wide value) {
    return (double)value / 4294967296.0;
}

/// To a tenth of a millimetre: a position is rounded when it is set.
static bool is_near(iso_vec2_wide a, iso_vec2_wide b) {
    return fabs(metres(a.x - b.x)) < 1e-4 && fabs(metres(a.y - b.y)) < 1e-4;
}

static iso_vec2_wide place_of(const iso_world *world, uint32_t index) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_body_next(world, index), &view), ISO_OK);
    return view.position;
}

static iso_world *make(const char *name, void **memory) {
    iso_scene *scene = bench_scene_read(name, false);
    assert_non_null(scene);
    iso_world *world = bench_scene_world(scene, memory);
    assert_non_null(world);
    iso_scene_free(scene);
    return world;
}

/// Before any step each doll is where it is to be raised to. After some the columns' turn has come: 275 bodies go up,
/// and a whole round brings all.
static void test_rain_falls_again_from_where_it_began(void **state) {
    (void)state;
    void *memory = NULL;
    iso_world *world = make("rain", &memory);
    bench_drive *drive = bench_drive_find("rain");
    static iso_vec2_wide begin[11001];
    for (uint32_t i = 0; i < 11001; ++i) {
        begin[i] = place_of(world, i);
    }
    for (unsigned step = 0; step < 320; ++step) {
        assert_true(drive(world, step));
    }
    for (uint32_t i = 0; i < 11001; ++i) {
        const iso_vec2_wide now = place_of(world, i);
        assert_true(is_near(now, begin[i]));
    }
    for (int step = 0; step < 4; ++step) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    assert_true(drive(world, 8 * 7) && drive(world, 8 * 7 + 1));
    uint32_t up = 0;
    for (uint32_t i = 1; i < 11001; ++i) {
        up += is_near(place_of(world, i), begin[i]);
    }
    assert_int_equal(up, 275);
    free(memory);
}

static void test_pusher_swings_through_the_junkyard(void **state) {
    (void)state;
    void *memory = NULL;
    iso_world *world = make("junkyard", &memory);
    bench_drive *drive = bench_drive_find("junkyard");
    for (unsigned step = 0; step < 30; ++step) {
        assert_true(drive(world, step));
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    const iso_vec2_wide place = place_of(world, 8001);
    assert_true(fabs(metres(place.x) - 60 * sin(0.1)) < 1e-4 && place.y == 0); // half a second at 0.2 rad/s
    assert_null(bench_drive_find("washer"));
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rain_falls_again_from_where_it_began),
        cmocka_unit_test(test_pusher_swings_through_the_junkyard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
