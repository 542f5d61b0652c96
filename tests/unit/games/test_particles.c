/// Particles: falling, hanging, tearing, pressure, shapes, friction, bad input.
#include <math.h>

#include "isostep/particles.h"
#include "unit/state/test_state_util.h"

#define ONE    ISO_WIDE_ONE
#define RADIUS iso_wide_from_fix16(iso_particle_params_default().radius)

static double to_double(iso_wide value) {
    return (double)value / 4294967296.0;
}

static iso_vec2_wide place(double x, double y) {
    return (iso_vec2_wide){(iso_wide)(x * 4294967296.0), (iso_wide)(y * 4294967296.0)};
}

static uint32_t add(iso_particles *particles, double x, double y, bool pinned) {
    uint32_t index;
    assert_int_equal(iso_particles_add(particles, place(x, y), pinned, &index), ISO_OK);
    return index;
}

static void link_up(iso_particles *particles, uint32_t a, uint32_t b, fix16_t stiffness) {
    assert_int_equal(iso_particles_link(particles, a, b, stiffness), ISO_OK);
}

static void steps(iso_particles *particles, const iso_particle_params *params, iso_world *world, int count) {
    for (int i = 0; i < count; ++i) {
        if (world) {
            util_steps(world, 1);
        }
        assert_int_equal(iso_particles_step(particles, params, world), ISO_OK);
    }
}

static double apart(const iso_particles *particles, uint32_t a, uint32_t b) {
    return hypot(to_double(particles->x[b] - particles->x[a]), to_double(particles->y[b] - particles->y[a]));
}

static double worst_stretch(const iso_particles *particles) {
    double worst = 0;
    for (uint32_t i = 0; i < particles->link_count; ++i) {
        if (particles->link_rest[i] > 0) {
            worst = fmax(worst, apart(particles, particles->link_a[i], particles->link_b[i]) /
                                    to_double(particles->link_rest[i]));
        }
    }
    return worst;
}

/// A cloth whose rows hang from a top row that is pinned at both ends.
static void hang_cloth(iso_particles *particles, uint32_t columns, uint32_t rows, double spacing, double left,
                       double top) {
    for (uint32_t i = 0; i < columns * rows; ++i) {
        add(particles, left + spacing * (i % columns), top - spacing * (i / columns), i == 0 || i + 1 == columns);
        if (i % columns > 0) {
            link_up(particles, i - 1, i, ISO_FIX16_ONE);
        }
        if (i >= columns) {
            link_up(particles, i - columns, i, ISO_FIX16_ONE);
        }
    }
}

static void test_free_fall_is_that_of_verlet(void **state) {
    (void)state;
    iso_particles particles = {0};
    iso_particle_params params = iso_particle_params_default();
    params.damping = 0;
    add(&particles, 3, 100, false);
    add(&particles, 3, 100, true);
    steps(&particles, &params, NULL, 120);
    assert_true(fabs(to_double(particles.y[0]) - (100 - 10.0 / 3600 * 120 * 121 / 2)) < 1e-5);
    assert_int_equal(particles.x[0], 3 * ONE);
    assert_int_equal(particles.y[1], 100 * ONE);
    // Damped: v' = v / (1 + h c), its limit g / c less half a tick's fall.
    params.damping = 5 * METRE;
    steps(&particles, &params, NULL, 300);
    assert_true(fabs(to_double(particles.y_before[0] - particles.y[0]) * 60 - (10.0 / 5 + 10.0 / 60)) < 1e-3);
}

static void test_rope_hangs_as_a_catenary(void **state) {
    (void)state;
    // 32 links of 1/8 m between pins 3 m apart: 2 a sinh(3 / 2a) = 4.
    iso_particles particles = {0};
    for (uint32_t i = 0; i <= 32; ++i) {
        add(&particles, 4.0 * i / 32 - 2, 0, i == 0 || i == 32);
        if (i > 0) {
            link_up(&particles, i - 1, i, ISO_FIX16_ONE);
        }
    }
    assert_int_equal(iso_particles_move(&particles, 0, place(-1.5, 0)), ISO_OK);
    assert_int_equal(iso_particles_move(&particles, 32, place(1.5, 0)), ISO_OK);
    iso_particle_params params = iso_particle_params_default();
    params.iteration_count = 64;
    params.damping = METRE;
    steps(&particles, &params, NULL, 1800);
    double a = 1;
    for (int i = 0; i < 60; ++i) {
        a -= (2 * a * sinh(1.5 / a) - 4) / (2 * sinh(1.5 / a) - 3 / a * cosh(1.5 / a));
    }
    for (uint32_t i = 0; i <= 32; ++i) {
        const double x = to_double(particles.x[i]);
        assert_true(fabs(to_double(particles.y[i]) - a * (cosh(x / a) - cosh(1.5 / a))) < 0.02);
    }
    assert_true(worst_stretch(&particles) < 1.01);
}

static void test_cloth_comes_to_rest_with_little_stretch(void **state) {
    (void)state;
    iso_particles particles = {0};
    hang_cloth(&particles, 16, 12, 0.2, -1.5, 0);
    const iso_particle_params params = iso_particle_params_default();
    double worst = 0;
    for (int second = 0; second < 20; ++second) {
        steps(&particles, &params, NULL, 60);
        worst = fmax(worst, worst_stretch(&particles));
    }
    assert_true(worst < 1.2);
    for (uint32_t i = 0; i < particles.particle_count; ++i) {
        assert_true(fabs(to_double(particles.x[i] - particles.x_before[i])) * 60 < 0.05);
        assert_true(fabs(to_double(particles.x[i] + particles.x[i / 16 * 16 + 15 - i % 16])) <
                    0.05); // its two halves alike
    }
}

/// Kinetic and potential energy of particles of 1 kg [J].
static double energy(const iso_particles *particles) {
    double sum = 0;
    for (uint32_t i = 0; i < particles->particle_count; ++i) {
        const double vx = to_double(particles->x[i] - particles->x_before[i]) * 60;
        const double vy = to_double(particles->y[i] - particles->y_before[i]) * 60;
        sum += (vx * vx + vy * vy) / 2 + 10 * to_double(particles->y[i]);
    }
    return sum;
}

static void test_energy_does_not_grow(void **state) {
    (void)state;
    iso_particles particles = {0};
    hang_cloth(&particles, 12, 10, 0.25, -1.4, 0);
    iso_particle_params params = iso_particle_params_default();
    params.damping = 0;
    assert_int_equal(iso_particles_pin(&particles, 11, false), ISO_OK); // so that it swings
    const double before = energy(&particles);
    // Links that are stretched hold energy for a while, so it is the peaks that must sink.
    double peak = before;
    for (int window = 0; window < 8; ++window) {
        double highest = -INFINITY;
        for (int tick = 0; tick < 150; ++tick) {
            steps(&particles, &params, NULL, 1);
            highest = fmax(highest, energy(&particles));
        }
        assert_true(highest <= peak);
        peak = highest;
    }
    assert_true(peak < before - 500);
}

static void test_link_tears_beyond_its_stretch(void **state) {
    (void)state;
    for (int stretch = 0; stretch < 2; ++stretch) {
        iso_particles particles = {0};
        add(&particles, 0, 0, true);
        add(&particles, 1, 0, true);
        link_up(&particles, 0, 1, ISO_FIX16_ONE);
        iso_particle_params params = iso_particle_params_default();
        params.tear_stretch = 2 * METRE;
        assert_int_equal(iso_particles_move(&particles, 1, place(2.0 + stretch / 100.0, 0)), ISO_OK);
        steps(&particles, &params, NULL, 1);
        assert_int_equal(particles.links_torn, stretch);
        assert_int_equal(particles.link_rest[0] == 0, stretch);
    }
}

static void test_cloth_tears_when_it_is_pulled(void **state) {
    (void)state;
    iso_particles particles = {0};
    hang_cloth(&particles, 16, 12, 0.2, -1.5, 0);
    iso_particle_params params = iso_particle_params_default();
    params.tear_stretch = 2 * METRE;
    steps(&particles, &params, NULL, 300);
    assert_int_equal(particles.links_torn, 0);
    const uint32_t corner = 11 * 16;
    assert_int_equal(iso_particles_pin(&particles, corner, true), ISO_OK);
    for (int tick = 0; tick < 120; ++tick) {
        assert_int_equal(iso_particles_move(&particles, corner,
                                            (iso_vec2_wide){particles.x[corner] - ONE / 20, particles.y[corner]}),
                         ISO_OK);
        steps(&particles, &params, NULL, 1);
    }
    assert_true(particles.links_torn > 0 && particles.links_torn < 200);
    steps(&particles, &params, NULL, 300);
    assert_true(worst_stretch(&particles) < 2);
}

static void test_cut_parts_what_the_line_crosses(void **state) {
    (void)state;
    iso_particles particles = {0};
    hang_cloth(&particles, 4, 4, 1, 0, 0);
    // Between the second and third row; past the last link; through a particle, where four links meet.
    assert_int_equal(iso_particles_cut(&particles, place(-0.5, -1.5), place(3.5, -1.5)), 4);
    assert_int_equal(iso_particles_cut(&particles, place(-0.5, -1.5), place(3.5, -1.5)), 0);
    assert_int_equal(iso_particles_cut(&particles, place(3.1, -5), place(3.1, 5)), 0);
    assert_int_equal(iso_particles_cut(&particles, place(1, -1), place(1, -1)), 3);
    assert_int_equal(particles.links_torn, 7);
    iso_particle_params params = iso_particle_params_default();
    steps(&particles, &params, NULL, 120);
    assert_true(particles.y[15] < -10 * ONE && particles.y[0] == 0);
}

static void test_ring_keeps_its_area(void **state) {
    (void)state;
    iso_particles particles = {0};
    for (uint32_t i = 0; i < 12; ++i) {
        add(&particles, cos(i * acos(-1) / 6), 3 + sin(i * acos(-1) / 6), false);
    }
    for (uint32_t i = 0; i < 12; ++i) {
        link_up(&particles, i, (i + 1) % 12, ISO_FIX16_ONE);
    }
    assert_int_equal(iso_particles_ring(&particles, 0, 12, ISO_FIX16_ONE / 2), ISO_OK);
    assert_true(fabs(to_double(particles.ring_area[0]) - 3) < 1e-6); // of a dodecagon in a unit circle
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    const iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE, &floor);
    const iso_particle_params params = iso_particle_params_default();
    for (int tick = 0; tick < 600; ++tick) {
        steps(&particles, &params, world, 1);
        double area = 0;
        for (uint32_t i = 0; i < 12; ++i) {
            const uint32_t j = (i + 1) % 12;
            area += to_double(particles.x[i]) * to_double(particles.y[j]) -
                    to_double(particles.x[j]) * to_double(particles.y[i]);
        }
        assert_true(fabs(area / 2 - 3) < 0.25);
        for (uint32_t i = 0; i < 12; ++i) {
            assert_true(particles.y[i] >= RADIUS - 100);
        }
    }
    util_world_free(world);
}

static void test_cloth_does_not_pass_through_shapes(void **state) {
    (void)state;
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    iso_body_def box_def = iso_body_def_default();
    box_def.type = ISO_BODY_STATIC;
    box_def.position = iso_vec2_to_wide((iso_vec2){METRE / 8, -2 * METRE});
    box_def.angle = iso_wide_from_fix16(METRE / 3);
    iso_body_id box;
    assert_int_equal(iso_body_create(world, &box_def, &box), ISO_OK);
    const iso_shape_def wide = iso_shape_def_box(METRE, METRE / 2);
    iso_shape_id shape;
    assert_int_equal(iso_shape_create(world, box, &wide, &shape), ISO_OK);
    iso_particles particles = {0};
    hang_cloth(&particles, 20, 6, 0.2, -2, 0);
    iso_particles_pin(&particles, 0, false);
    iso_particles_pin(&particles, 19, false); // so that all of it falls onto the box
    const iso_particle_params params = iso_particle_params_default();
    uint32_t touching = 0;
    for (int tick = 0; tick < 300; ++tick) {
        steps(&particles, &params, world, 1);
        for (uint32_t i = 0; i < particles.particle_count; ++i) {
            iso_point_hit hit;
            assert_int_equal(
                iso_shape_get_closest_point(world, shape, (iso_vec2_wide){particles.x[i], particles.y[i]}, &hit),
                ISO_OK);
            assert_true(hit.distance >= RADIUS - 100); // 100 quanta: 23 nm
            touching += hit.distance <= RADIUS + 100;
        }
    }
    assert_true(touching > 1000);
    util_world_free(world);
}

static void test_fast_particle_stops_at_a_thin_wall(void **state) {
    (void)state;
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    const iso_shape_def wall = iso_shape_def_box(METRE / 100, 50 * METRE);
    util_add_body(world, ISO_BODY_STATIC, 5 * METRE, 0, &wall);
    iso_particles particles = {0};
    iso_particle_params params = iso_particle_params_default();
    params.gravity = (iso_vec2){0, 0};
    add(&particles, 0, 0, false);
    particles.x_before[0] = -3 * ONE; // 180 m/s
    steps(&particles, &params, world, 30);
    assert_true(fabs(to_double(particles.x[0]) - (5 - 0.01 - 0.04)) < 1e-4);
    util_world_free(world);
}

/// How far a particle slides in 2 s on a slope of that tangent with friction 1/2 [m].
static double slide_down(double tangent) {
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    iso_body_def body_def = iso_body_def_default();
    body_def.type = ISO_BODY_STATIC;
    body_def.angle = iso_wide_from_fix16((fix16_t)(atan(tangent) * 65536));
    iso_body_id slope;
    assert_int_equal(iso_body_create(world, &body_def, &slope), ISO_OK);
    const iso_shape_def plank = iso_shape_def_box(50 * METRE, METRE);
    iso_shape_id shape;
    assert_int_equal(iso_shape_create(world, slope, &plank, &shape), ISO_OK);
    iso_particles particles = {0};
    iso_particle_params params = iso_particle_params_default();
    params.damping = 0;
    add(&particles, -1.04 * sin(atan(tangent)), 1.04 * cos(atan(tangent)), false);
    steps(&particles, &params, world, 120);
    const double way = hypot(to_double(particles.x[0]) + 1.04 * sin(atan(tangent)),
                             to_double(particles.y[0]) - 1.04 * cos(atan(tangent)));
    util_world_free(world);
    return way;
}

static void test_friction_holds_and_brakes_on_slopes(void **state) {
    (void)state;
    assert_true(slide_down(0.45) < 0.01);
    const double steep = atan(1.0), expected = 10 * (sin(steep) - 0.5 * cos(steep)) * 2 * 2 / 2;
    assert_true(fabs(slide_down(1.0) - expected) < 0.03 * expected);
}

static void test_moving_shapes_carry_particles(void **state) {
    (void)state;
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    const iso_shape_def plank = iso_shape_def_box(5 * METRE, METRE);
    const iso_body_id lift = util_add_body(world, ISO_BODY_KINEMATIC, 0, -METRE, &plank);
    assert_int_equal(iso_body_set_velocity(world, lift, iso_vec2_to_wide((iso_vec2){METRE, METRE / 2}), 0), ISO_OK);
    iso_particles particles = {0};
    const iso_particle_params params = iso_particle_params_default();
    add(&particles, 0, 0.04, false);
    steps(&particles, &params, world, 120);
    assert_true(fabs(to_double(particles.x[0]) - 2) < 0.1);
    assert_true(fabs(to_double(particles.y[0]) - 1.04) < 0.01);
    util_world_free(world);
}

static void test_bad_input_changes_nothing(void **state) {
    (void)state;
    iso_particles particles = {0};
    uint32_t index = 77;
    hang_cloth(&particles, 4, 4, 1, 0, 0);
    const iso_particles before = particles;
    assert_int_equal(iso_particles_add(&particles, place(32769, 0), false, &index), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_link(&particles, 0, 16, 0), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_link(&particles, 3, 3, 0), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_link(&particles, 0, 5, ISO_FIX16_ONE + 1), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_ring(&particles, 0, 2, 0), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_ring(&particles, 14, 3, 0), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_ring(&particles, 0, 5, 0), ISO_ERR_RANGE); // clockwise
    assert_int_equal(iso_particles_pin(&particles, 16, true), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_move(&particles, 16, place(0, 0)), ISO_ERR_RANGE);
    assert_int_equal(iso_particles_move(&particles, 0, place(0, -32769)), ISO_ERR_RANGE);
    assert_false(iso_particles_find(&particles, place(0, 0.6), ONE / 2, &index));
    assert_int_equal(index, 77);
    assert_true(iso_particles_find(&particles, place(2.1, -0.9), ONE, &index));
    assert_int_equal(index, 6);
    for (int bad = 0; bad < 8; ++bad) {
        iso_particle_params params = iso_particle_params_default();
        params.rate_hz = bad == 0 ? 9 : bad == 1 ? 129 : 60;
        params.iteration_count = bad == 2 ? 0 : bad == 3 ? 65 : 8;
        params.damping = bad == 4 ? -1 : 0;
        params.tear_stretch = bad == 5 ? ISO_FIX16_ONE - 1 : 0;
        params.radius = bad == 6 ? 0 : METRE;
        params.friction = bad == 7 ? 8 * METRE + 1 : 0;
        assert_int_equal(iso_particle_params_check(&params), ISO_ERR_RANGE);
        assert_int_equal(iso_particles_step(&particles, &params, NULL), ISO_ERR_RANGE);
    }
    assert_memory_equal(&particles, &before, sizeof before);
    for (uint32_t i = 16; i < ISO_PARTICLES_MAX; ++i) {
        add(&particles, i, 0, false);
    }
    assert_int_equal(iso_particles_add(&particles, place(0, 0), false, &index), ISO_ERR_CAPACITY);
}

static void test_any_block_can_be_stepped(void **state) {
    (void)state;
    const iso_world_def def = iso_world_def_default();
    iso_world *world = util_world_create(&def, NULL);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, 0, &ball);
    iso_particle_params params = iso_particle_params_default();
    params.tear_stretch = 2 * METRE;
    uint64_t seed = 5;
    for (int trial = 0; trial < 50; ++trial) {
        iso_particles particles;
        for (size_t i = 0; i < sizeof particles; ++i) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ((uint8_t *)&particles)[i] = (uint8_t)(seed >> 56);
        }
        particles.particle_count &= trial % 2 ? 255 : UINT32_MAX;
        for (uint32_t i = 0; trial % 3 && i < ISO_PARTICLE_LINKS_MAX; ++i) {
            particles.link_a[i] &= 127;
            particles.link_b[i] &= 127;
        }
        particles.ring_first[0] = 3;
        particles.ring_size[0] = 60;
        for (int tick = 0; tick < 3; ++tick) {
            assert_int_equal(iso_particles_step(&particles, &params, world), ISO_OK);
        }
        iso_particles_cut(&particles, place(-30000, 0), place(30000, 1));
        for (uint32_t i = 0; i < particles.particle_count && i < ISO_PARTICLES_MAX; ++i) {
            assert_true(fabs(to_double(particles.x[i])) <= 32768 && fabs(to_double(particles.y[i])) <= 32768);
        }
    }
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_that_of_verlet),
        cmocka_unit_test(test_rope_hangs_as_a_catenary),
        cmocka_unit_test(test_cloth_comes_to_rest_with_little_stretch),
        cmocka_unit_test(test_energy_does_not_grow),
        cmocka_unit_test(test_link_tears_beyond_its_stretch),
        cmocka_unit_test(test_cloth_tears_when_it_is_pulled),
        cmocka_unit_test(test_cut_parts_what_the_line_crosses),
        cmocka_unit_test(test_ring_keeps_its_area),
        cmocka_unit_test(test_cloth_does_not_pass_through_shapes),
        cmocka_unit_test(test_fast_particle_stops_at_a_thin_wall),
        cmocka_unit_test(test_friction_holds_and_brakes_on_slopes),
        cmocka_unit_test(test_moving_shapes_carry_particles),
        cmocka_unit_test(test_bad_input_changes_nothing),
        cmocka_unit_test(test_any_block_can_be_stepped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
