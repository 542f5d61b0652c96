/// Hulls of bodies in space: made once, then moved with the centre of mass, to the bits that hulls made anew have.
#include "unit/space/world/space_util.h"

#include "isostep/snapshot.h"
#include "space/collide/hull.h"
#include "space/world/hulls.h"
#include "unit/random.h"

#define HULLS  8
#define POINTS (ISO_HULL_VERTICES_MAX - 1)
#define MARK   0x5Au

/// Points on a ball of this radius, one less than a hull may have: it uses no list to its end.
static iso_shape3_def ball_of(double x, double radius) {
    iso_vec3 points[POINTS];
    for (uint32_t i = 0; i < POINTS; ++i) {
        const double z = 1 - (2 * i + 1) / (double)POINTS, r = sqrt(1 - z * z), angle = 2.399963 * i;
        points[i] = fix3(x + radius * r * cos(angle), radius * r * sin(angle), radius * z);
    }
    return iso_shape3_def_hull(points, POINTS);
}

typedef struct rig {
    iso_world *world;
    iso_body_id body;
    iso_shape_id shapes[HULLS];
} rig;

static rig rig_make(void) {
    iso_world_def def = iso_world_def_default();
    def.dimensions = 3;
    rig r = {.world = world_make(&def)};
    const iso_body3_def body = iso_body3_def_default();
    EXPECT_STATUS(iso_body3_create(r.world, &body, &r.body), ISO_OK);
    for (uint32_t i = 0; i < HULLS; ++i) {
        const iso_shape3_def shape = ball_of(0.7 * i, 0.5 + 0.1 * i);
        EXPECT_STATUS(iso_shape3_create(r.world, r.body, &shape, &r.shapes[i]), ISO_OK);
    }
    return r;
}

/// The last byte of the list of corners, which these hulls do not use; in one that is made anew it is 0.
static uint8_t *mark_of(const rig *r, uint32_t i) {
    iso__space_hull *hull = &iso__space_of(r->world)->hulls[r->shapes[i].index];
    assert_true(hull->first[hull->face_count] < sizeof hull->ring);
    return &hull->ring[sizeof hull->ring - 1];
}

static void expect_hulls(const rig *r, const char *what) {
    const iso__space *space = iso__space_of(r->world);
    for (uint32_t i = 0; i < HULLS; ++i) {
        iso__space_hull made, there = space->hulls[r->shapes[i].index];
        iso__space_shape_make_hull(&space->shapes[r->shapes[i].index], space->body_derived[r->body.index].local_centre,
                                   &made);
        there.ring[sizeof there.ring - 1] = made.ring[sizeof made.ring - 1];
        EXPECT(memcmp(&made, &there, sizeof made) == 0, "%s: hull %u is another one", what, i);
    }
}

static void expect_marks(const rig *r, const char *what) {
    for (uint32_t i = 0; i < HULLS; ++i) {
        EXPECT(*mark_of(r, i) == MARK, "%s: hull %u was made anew", what, i);
    }
}

static void set_marks(const rig *r) {
    for (uint32_t i = 0; i < HULLS; ++i) {
        *mark_of(r, i) = MARK;
    }
}

static void test_commands_about_mass_move_hulls(void **state) {
    (void)state;
    rig r = rig_make();
    uint64_t random = 3;
    set_marks(&r);
    expect_hulls(&r, "at first");
    for (uint32_t n = 0; n < 400; ++n) {
        const iso_shape_id shape = r.shapes[random_u64(&random) % HULLS];
        const fix16_t number = (fix16_t)(random_u64(&random) % 2000) * ISO_FIX16_ONE + 1;
        const iso_wide moments[3] = {number * INT64_C(65536), number * INT64_C(65536), number * INT64_C(65536)};
        iso_body3_params params = iso_body3_params_default();
        params.lock_turn_x = n % 2 == 0;
        switch (n % 6) {
        case 0:
        case 1:
            EXPECT_STATUS(iso_shape3_set_density(r.world, shape, number), ISO_OK);
            break;
        case 2:
            iso_body3_set_mass(r.world, r.body, number * INT64_C(65536), moments);
            break;
        case 3:
            iso_body3_set_mass(r.world, r.body, 0, (const iso_wide[3]){0, 0, 0});
            break;
        case 4:
            EXPECT_STATUS(iso_body3_set_params(r.world, r.body, &params), ISO_OK);
            break;
        default:
            // A static body's centre is its origin: the hulls go far, and come back.
            EXPECT_STATUS(iso_body3_set_type(r.world, r.body, n % 4 == 1 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC), ISO_OK);
            break;
        }
        expect_hulls(&r, "moved");
        expect_marks(&r, "moved");
    }
    world_free(r.world);
}

/// An image has no hulls. What a command finds of another shape that had the place, or of another centre, is made anew.
static void test_commands_after_a_restore_do_not_move_the_hulls_of_before(void **state) {
    (void)state;
    rig r = rig_make();
    const size_t size = iso_world_image_size_max(r.world);
    void *image = malloc(size);
    const size_t used = iso_world_save(r.world, image, size);
    const uint64_t root = iso_world_root(r.world);
    EXPECT_STATUS(iso_shape3_set_density(r.world, r.shapes[2], 77 * ISO_FIX16_ONE), ISO_OK);
    const uint64_t next = iso_world_root(r.world);
    for (uint32_t n = 0; n < 3; ++n) {
        // Other hulls in the places of these, or the same ones about another centre.
        for (uint32_t i = 0; i < HULLS && n == 1; ++i) {
            iso_shape_id shape;
            const iso_shape3_def other = ball_of(1.3 * i, 0.3);
            EXPECT_STATUS(iso_shape_destroy(r.world, r.shapes[i]), ISO_OK);
            EXPECT_STATUS(iso_shape3_create(r.world, r.body, &other, &shape), ISO_OK);
        }
        EXPECT_STATUS(iso_world_restore(r.world, image, used), ISO_OK);
        EXPECT(iso_world_root(r.world) == root, "restored: another state");
        EXPECT_STATUS(iso_shape3_set_density(r.world, r.shapes[2], 77 * ISO_FIX16_ONE), ISO_OK);
        EXPECT(iso_world_root(r.world) == next, "restored and changed: another state");
        expect_hulls(&r, "restored");
    }
    free(image);
    world_free(r.world);
}

/// The integrals of a hull are kept by unit; other units, and other hulls in the same place, have others.
static void test_mass_is_the_same_whatever_was_asked_before(void **state) {
    (void)state;
    rig r = rig_make(), fresh = rig_make();
    uint64_t random = 9;
    uint32_t added = 0;
    for (uint32_t n = 0; n < 60; ++n) {
        // Far away the unit is larger; what is added and destroyed again leaves nothing.
        iso_shape_id far;
        const double x = (double)(random_u64(&random) % 55);
        const iso_shape3_def shape = ball_of(x, 0.2 + 0.1 * (double)(n % 9));
        if (iso_shape3_create(r.world, r.body, &shape, &far) == ISO_OK) { // else its levers are too long
            (void)iso_shape3_set_density(r.world, far, (fix16_t)(1 + random_u64(&random) % 900) * ISO_FIX16_ONE);
            EXPECT_STATUS(iso_shape_destroy(r.world, far), ISO_OK);
            added += 1;
        }
        const iso__space_body_derived *is = &iso__space_of(r.world)->body_derived[r.body.index];
        const iso__space_body_derived *was = &iso__space_of(fresh.world)->body_derived[fresh.body.index];
        assert_int_equal(is->mass, was->mass);
        assert_memory_equal(is->moments, was->moments, sizeof was->moments);
        assert_memory_equal(is->local_centre, was->local_centre, sizeof was->local_centre);
        expect_hulls(&r, "added and destroyed");
    }
    EXPECT(added > 30, "%u added", added);
    world_free(r.world);
    world_free(fresh.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_about_mass_move_hulls),
        cmocka_unit_test(test_commands_after_a_restore_do_not_move_the_hulls_of_before),
        cmocka_unit_test(test_mass_is_the_same_whatever_was_asked_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
