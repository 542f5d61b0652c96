/// Images and snapshots of worlds in space: saving, restoring, decoding and going on, at random ticks of random calls.
#include "unit/space/snapshot/random_calls.h"

#include "space/collide/hull.h"
#include "space/world/hulls.h"
#include "space/world/space.h"
#include "state/section.h"

#define RUNS 12

static rig rig_make(uint32_t run, int ticks) {
    const iso_world_def def = random_calls_def(run);
    rig r = {.world = world_make(&def), .other = world_make(&def), .random = {run}};
    iso_world_start(r.world);
    fill_any(&r);
    for (int n = 0; n < ticks * 4; ++n) {
        call_any(&r, n % 4 == 0);
    }
    world_steps(r.world, 1); // forces of a coming tick are no state
    return r;
}

static void rig_free(rig *r) {
    world_free(r->world);
    world_free(r->other);
}

static void *image_of(const iso_world *world, size_t *size) {
    *size = iso_world_image_size(world);
    assert_true(*size <= iso_world_image_size_max(world));
    void *image = malloc(*size);
    assert_int_equal(iso_world_save(world, image, *size - 1), 0);
    assert_int_equal(iso_world_save(world, image, *size), *size);
    return image;
}

static void expect_same_future(iso_world *a, iso_world *b, int ticks, const char *what) {
    EXPECT(iso_world_root(a) == iso_world_root(b), "%s: another state", what);
    for (int t = 0; t < ticks; ++t) {
        world_steps(a, 1);
        world_steps(b, 1);
        EXPECT(iso_world_root(a) == iso_world_root(b), "%s: another future, %d ticks later", what, t + 1);
    }
}

/// The hulls that a step works with are those of its shapes, whatever was there before a restore.
static void expect_hulls(const iso_world *world) {
    const iso__space *space = iso__space_of_const(world);
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        const iso__space_shape *shape = &space->shapes[i];
        iso__space_hull hull;
        if (shape->kind != ISO_SHAPE3_HULL) {
            continue;
        }
        iso__space_shape_make_hull(shape, space->body_derived[shape->body].local_centre, &hull);
        assert_int_equal(space->hulls[i].vertex_count, hull.vertex_count);
        assert_memory_equal(space->hulls[i].vertices, hull.vertices, hull.vertex_count * sizeof hull.vertices[0]);
    }
}

static void test_a_restored_world_is_the_same_and_goes_on_the_same(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS; ++run) {
        rig r = rig_make(run, 5 + (int)run * 3);
        size_t size;
        void *image = image_of(r.world, &size);
        uint64_t roots[60];
        const uint64_t root = iso_world_root(r.world);
        for (int t = 0; t < 60; ++t) {
            world_steps(r.world, 1);
            roots[t] = iso_world_root(r.world);
        }
        // Whatever happens meanwhile, forces of the coming tick among it.
        for (int n = 0; n < 200; ++n) {
            call_any(&r, n % 9 == 0);
        }
        call_of_body_apply_force_to_centre(&r);
        call_of_body_apply_torque(&r);
        assert_int_equal(iso_world_restore(r.world, image, size), ISO_OK);
        assert_true(iso_world_root(r.world) == root);
        for (int t = 0; t < 60; ++t) {
            world_steps(r.world, 1);
            expect_hulls(r.world);
            EXPECT(iso_world_root(r.world) == roots[t], "run %u: another future, %d ticks later", run, t + 1);
        }
        // And into another world; a short image is none.
        assert_int_equal(iso_world_restore(r.world, image, size), ISO_OK);
        assert_int_equal(iso_world_restore(r.other, image, size - 1), ISO_ERR_TRUNCATED);
        assert_int_equal(iso_world_restore(r.other, image, size), ISO_OK);
        expect_same_future(r.world, r.other, 30, "image");
        free(image);
        rig_free(&r);
    }
}

/// Nor does a force of the tick that was to come join one that is applied later.
static void test_restore_forgets_forces(void **state) {
    (void)state;
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE);
    const iso_body_id body = body3_of(world, &ball);
    world_steps(world, 2);
    size_t size;
    void *image = image_of(world, &size);
    EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(1, 0, 0)), ISO_OK);
    world_steps(world, 1);
    const uint64_t root = iso_world_root(world);
    for (int run = 0; run < 2; ++run) {
        assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
        EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(1000, 2000, 3000)), ISO_OK);
        EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3(1000, 2000, 3000)), ISO_OK);
        assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
        EXPECT_STATUS(iso_body3_apply_force_to_centre(world, body, wide3(1, 0, 0)), ISO_OK);
        world_steps(world, 1);
        assert_true(iso_world_root(world) == root);
    }
    free(image);
    world_free(world);
}

/// What is beyond the counts of what was restored is as if it had never been.
static void test_restore_leaves_nothing_of_what_came_later(void **state) {
    (void)state;
    rig r = rig_make(3, 4);
    size_t size;
    void *image = image_of(r.world, &size);
    for (int n = 0; n < 400; ++n) {
        call_of_body_create(&r);
        call_of_shape_create(&r);
        call_of_body_set_mass(&r);
    }
    assert_int_equal(iso_world_restore(r.world, image, size), ISO_OK);
    const iso__space *space = (const iso__space *)r.world;
    static const iso__space_body no_body;
    static const iso__space_shape no_shape;
    static const iso__space_own_mass no_mass;
    for (uint32_t i = r.world->globals->own_mass_count; i < r.world->def.body_capacity; ++i) {
        assert_memory_equal(&space->own_masses[i], &no_mass, sizeof no_mass);
    }
    for (uint32_t i = r.world->globals->body_count; i < r.world->def.body_capacity; ++i) {
        assert_memory_equal(&space->bodies[i], &no_body, sizeof no_body);
        assert_int_equal(r.world->body_generations[i], 0);
    }
    for (uint32_t i = r.world->globals->shape_count; i < r.world->def.shape_capacity; ++i) {
        assert_memory_equal(&space->shapes[i], &no_shape, sizeof no_shape);
        assert_int_equal(r.world->shape_generations[i], 0);
    }
    free(image);
    rig_free(&r);
}

/// What derives from the records of what is alive.
static void expect_same_derived(const iso_world *a, const iso_world *b) {
    const iso__space *is = (const iso__space *)a, *other = (const iso__space *)b;
    for (uint32_t i = 0; i < a->globals->body_count; ++i) {
        const iso__space_body_derived *x = &is->body_derived[i], *y = &other->body_derived[i];
        if (is->bodies[i].type != 0) {
            assert_true(x->mass == y->mass && x->extent == y->extent && x->first_shape == y->first_shape &&
                        x->radius_exponent == y->radius_exponent);
            assert_memory_equal(x->moments, y->moments, sizeof x->moments);
            assert_memory_equal(x->gyrations, y->gyrations, sizeof x->gyrations);
            assert_memory_equal(x->frame, y->frame, sizeof x->frame);
            assert_memory_equal(x->principal, y->principal, sizeof x->principal);
            assert_memory_equal(x->local_centre, y->local_centre, sizeof x->local_centre);
            assert_memory_equal(x->rotation, y->rotation, sizeof x->rotation);
        }
    }
    for (uint32_t i = 0; i < a->globals->shape_count; ++i) {
        if (is->shapes[i].kind != 0) {
            assert_int_equal(is->shape_derived[i].next_shape, other->shape_derived[i].next_shape);
            assert_int_equal(is->shape_derived[i].extent, other->shape_derived[i].extent);
        }
    }
}

static void test_a_decoded_snapshot_has_the_same_future(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS; ++run) {
        rig r = rig_make(100 + run, 5 + (int)run * 3);
        const size_t size = iso_snapshot_size(r.world);
        uint8_t *bytes = malloc(size);
        assert_int_equal(iso_snapshot_encode(r.world, bytes, size - 1), 0);
        assert_int_equal(iso_snapshot_encode(r.world, bytes, size), size);
        iso_world_def def;
        uint64_t tick;
        assert_int_equal(iso_snapshot_read_def(bytes, size, &def, &tick), ISO_OK);
        assert_memory_equal(&def, iso_world_get_def(r.world), sizeof def);
        assert_true(tick == iso_world_get_tick(r.world));
        // Into a fresh world, and into one that has been somewhere else.
        rig busy = rig_make(100 + run, 9);
        assert_int_equal(iso_snapshot_decode(r.other, bytes, size), ISO_OK);
        assert_int_equal(iso_snapshot_decode(busy.world, bytes, size), ISO_OK);
        assert_true(iso_world_root(busy.world) == iso_world_root(r.other));
        uint8_t *again = malloc(size);
        assert_int_equal(iso_snapshot_encode(r.other, again, size), size);
        assert_memory_equal(bytes, again, size);
        expect_same_derived(r.world, r.other);
        expect_same_future(r.world, r.other, 200, "snapshot");
        // The same calls find the same world: free slots, masses, forces.
        busy.random = r.random = (rng){run};
        iso_world *const worlds[2] = {r.other, busy.world};
        world_steps(busy.world, 200);
        for (int w = 0; w < 2; ++w) {
            rig calls_to = {.world = worlds[w], .random = {run}};
            for (int n = 0; n < 100; ++n) {
                call_any(&calls_to, n % 5 == 0);
            }
        }
        assert_true(iso_world_root(busy.world) == iso_world_root(r.other));
        free(bytes);
        free(again);
        rig_free(&busy);
        rig_free(&r);
    }
}

static void test_dropping_caches_changes_nothing(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS; ++run) {
        const iso_world_def def = random_calls_def(run);
        rig a = {.world = world_make(&def), .random = {run}}, b = {.world = world_make(&def), .random = {run}};
        rng drops = {run + 7};
        fill_any(&a);
        fill_any(&b);
        for (int n = 0; n < 240; ++n) {
            call_any(&a, n % 4 == 0);
            if (rng_below(&drops, 3) == 0) {
                iso_world_drop_caches(b.world);
            }
            call_any(&b, n % 4 == 0);
            EXPECT(iso_world_root(a.world) == iso_world_root(b.world), "run %u: differs after %s", run, a.last);
        }
        world_free(a.world);
        world_free(b.world);
    }
}

// ---- differences ---------------------------------------------------------------------------------

/// Each bit of each field of a body, a shape and an own mass by name.
static void test_a_difference_names_the_field(void **state) {
    (void)state;
    rig r = rig_make(4, 6);
    for (int n = 0; n < 20; ++n) {
        call_of_body_set_mass(&r);
    }
    const size_t size = iso_snapshot_size(r.world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(r.world, bytes, size), size);
    assert_int_equal(iso_snapshot_decode(r.other, bytes, size), ISO_OK);
    free(bytes);
    iso_diff diffs[4];
    assert_int_equal(iso_world_diff(r.world, r.other, diffs, 4), 0);
    static const iso_section sections[3] = {ISO_SECTION_BODIES, ISO_SECTION_SHAPES, ISO_SECTION_OWN_MASSES};
    for (int s = 0; s < 3; ++s) {
        uint32_t count;
        const iso_field *fields = iso_section_fields(r.world, sections[s], &count);
        assert_true(count > 3 && iso_section_record_count(r.world, sections[s]) > 0);
        uint32_t record = 0; // one that lives and uses all that is looked at
        while (s == 0   ? ((iso__space *)r.world)->bodies[record].type == 0
               : s == 1 ? ((iso__space *)r.world)->shapes[record].kind == 0
                        : false) {
            ++record;
        }
        for (uint32_t f = 0; f < count; ++f) {
            uint8_t *at = (uint8_t *)(uintptr_t)iso_section_record(r.world, sections[s], record);
            const uint32_t used = iso_field_used_count(r.world, sections[s], at, &fields[f]);
            if (strcmp(fields[f].name, "vertex_count") == 0 || strcmp(fields[f].name, "kind") == 0) {
                continue; // other kinds use other words
            }
            const uint32_t element = used - 1, width = iso_field_width(fields[f].type);
            at += fields[f].offset + element * width;
            *at ^= 1;
            iso__mark_dirty(r.world, sections[s], record);
            assert_int_equal(iso_world_diff(r.world, r.other, diffs, 4), 1);
            assert_int_equal(diffs[0].section, sections[s]);
            assert_int_equal(diffs[0].record, record);
            assert_string_equal(diffs[0].field->name, fields[f].name);
            assert_int_equal(diffs[0].element, element);
            assert_true((diffs[0].value_a ^ diffs[0].value_b) == 1);
            *at ^= 1;
            iso__mark_dirty(r.world, sections[s], record);
        }
    }
    assert_int_equal(iso_world_diff(r.world, r.other, diffs, 4), 0);
    assert_int_equal(iso_world_flip_bit(r.world), ISO_OK);
    assert_int_equal(iso_world_diff(r.world, r.other, diffs, 4), 1);
    assert_string_equal(diffs[0].field->name, "position");
    rig_free(&r);
}

static void test_fields_have_names_units_and_their_places(void **state) {
    (void)state;
    iso_world *world = space_make();
    static const struct {
        iso_section section;
        const char *names[4];
    } expected[] = {{ISO_SECTION_DEF, {"dimensions", "integrator", "gravity_z", "seed"}},
                    {ISO_SECTION_GLOBALS, {"gravity", "gravity_z", "tick", "random"}},
                    {ISO_SECTION_BODIES, {"position", "momentum", "rotation", "quiet_gain"}},
                    {ISO_SECTION_OWN_MASSES, {"mass", "moments", "body", "reserved"}},
                    {ISO_SECTION_SHAPES, {"vertices", "radius", "kind", "density"}},
                    {ISO_SECTION_CONTACTS, {"place", "twist_impulse", "friction_impulse", "normal_impulse"}}};
    for (size_t s = 0; s < sizeof expected / sizeof expected[0]; ++s) {
        uint32_t count;
        const iso_field *fields = iso_section_fields(world, expected[s].section, &count);
        for (int n = 0; n < 4; ++n) {
            bool has = false;
            for (uint32_t f = 0; f < count; ++f) {
                has = has || strcmp(fields[f].name, expected[s].names[n]) == 0;
            }
            EXPECT(has, "%s has no %s", iso_section_name(expected[s].section), expected[s].names[n]);
        }
    }
    // Every byte of a record is a field's.
    static const struct {
        iso_section section;
        size_t size;
    } records[] = {{ISO_SECTION_DEF, sizeof(iso_world_def)},
                   {ISO_SECTION_GLOBALS, sizeof(iso__globals)},
                   {ISO_SECTION_BODIES, sizeof(iso__space_body)},
                   {ISO_SECTION_SHAPES, sizeof(iso__space_shape)},
                   {ISO_SECTION_CONTACTS, sizeof(iso__space_contact)},
                   {ISO_SECTION_OWN_MASSES, sizeof(iso__space_own_mass)},
                   {ISO_SECTION_HEIGHTS, sizeof(iso__space_height_field)},
                   {ISO_SECTION_HEIGHT_SAMPLES, sizeof(iso__space_height_block)}};
    for (size_t s = 0; s < sizeof records / sizeof records[0]; ++s) {
        uint32_t count;
        const iso_field *fields = iso_section_fields(world, records[s].section, &count);
        assert_true(iso__fields_are_dense(fields, count, records[s].size));
        assert_true(world->kernel->sections[records[s].section].record_size == records[s].size);
    }
    uint32_t none;
    assert_null(iso_section_fields(world, ISO_SECTION_COMPOUNDS, &none));
    assert_int_equal(none, 0);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_restored_world_is_the_same_and_goes_on_the_same),
        cmocka_unit_test(test_restore_forgets_forces),
        cmocka_unit_test(test_restore_leaves_nothing_of_what_came_later),
        cmocka_unit_test(test_a_decoded_snapshot_has_the_same_future),
        cmocka_unit_test(test_dropping_caches_changes_nothing),
        cmocka_unit_test(test_a_difference_names_the_field),
        cmocka_unit_test(test_fields_have_names_units_and_their_places),
    };
    return cmocka_run_group_tests_name("state3_save", tests, NULL, NULL);
}
