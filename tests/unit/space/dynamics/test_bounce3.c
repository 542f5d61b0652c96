/// The energy of elastic bodies in space that bounce about in a closed box, without gravity.
///
/// Rows keep the arms of a tick's begin, and a restitution acts on the approach that the point had then: of what turns
/// as it bounces, the energy wanders by some per cent with each bounce. What is bounded here is how much; friction
/// takes far more than that. `--seeds N` runs more.
#include "unit/space/world/space_util.h"

#define BODIES 20
#define ROOM   3.0 // [m] from the middle to a wall

typedef struct kind_row {
    const char *name;
    uint32_t kinds; // bits: sphere, box, capsule
    double friction, most, last;
} kind_row;

static const kind_row KINDS[] = {
    {"balls", 1, 0, 1.01, 1.01},       {"capsules", 4, 0, 1.02, 1.01},      {"boxes", 2, 0, 1.08, 1.03},
    {"all of them", 7, 0, 1.08, 1.05}, {"boxes, rough", 2, 0.5, 1.02, 0.2}, {"all of them, rough", 7, 0.5, 1.02, 0.2},
};

static uint64_t seed_count = 4;

static void add_wall(iso_world *world, int axis, int side, double friction) {
    double n[3] = {0, 0, 0};
    n[axis] = side;
    iso_shape3_def plane = iso_shape3_def_plane(fix3(n[0], n[1], n[2]), fix(-ROOM));
    plane.restitution = ONE;
    plane.friction = fix(friction);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &plane);
}

static iso_shape3_def shape_of(uint32_t kind) {
    return kind == 0   ? iso_shape3_def_sphere(fix(0.4))
           : kind == 1 ? box3(0.4, 0.3, 0.2)
                       : iso_shape3_def_capsule(fix3(-0.3, 0, 0), fix3(0.3, 0, 0), fix(0.2));
}

static iso_world *room_make(const kind_row *of, uint64_t seed, iso_body_id bodies[BODIES]) {
    iso_world_def def = space_def();
    def.restitution_threshold = fix(0.01);
    iso_world *world = world_make(&def);
    rng random = {seed};
    for (int i = 0; i < 6; ++i) {
        add_wall(world, i / 2, i % 2 == 0 ? 1 : -1, of->friction);
    }
    uint32_t kind = 0;
    for (int i = 0; i < BODIES; ++i) {
        do {
            kind = (kind + 1) % 3;
        } while ((of->kinds >> kind & 1u) == 0);
        iso_shape3_def shape = shape_of(kind);
        shape.restitution = ONE;
        shape.friction = fix(of->friction);
        const iso_vec3_wide at = wide3(1.3 * (i % 4) - 2, 1.3 * (i / 4 % 4) - 2, 1.3 * (i / 16) - 1);
        bodies[i] = body3_add(world, ISO_BODY_DYNAMIC, at, rng_quat(&random));
        shape3_add(world, bodies[i], &shape);
        const vector v = rng_vector(&random, 6), w = rng_vector(&random, 6);
        body3_set_velocity(world, bodies[i], v, w);
    }
    return world;
}

static void test_elastic_bodies_keep_about_their_energy(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; ++k) {
        const kind_row *of = &KINDS[k];
        double highest = 0, lowest = 2, last_highest = 0;
        for (uint64_t seed = 1; seed <= seed_count; ++seed) {
            iso_body_id bodies[BODIES];
            iso_world *world = room_make(of, seed, bodies);
            double first = 0, last = 0;
            for (int tick = 0; tick <= 600; ++tick) {
                last = 0;
                for (int i = 0; i < BODIES; ++i) {
                    last += body3_energy(world, bodies[i]);
                }
                first = tick == 0 ? last : first;
                highest = fmax(highest, last / first);
                world_steps(world, 1);
            }
            for (int i = 0; i < BODIES; ++i) {
                const vector at = vector_of(view3(world, bodies[i]).centre);
                EXPECT(fmax(fabs(at.x[0]), fmax(fabs(at.x[1]), fabs(at.x[2]))) < ROOM, "seed %d: body %d left",
                       (int)seed, i);
            }
            lowest = fmin(lowest, last / first);
            last_highest = fmax(last_highest, last / first);
            world_free(world);
        }
        print_message("%s: after 10 s %.3f to %.3f of their energy, at most %.4f\n", of->name, lowest, last_highest,
                      highest);
        EXPECT(highest < of->most, "%s: they came to %g of their energy", of->name, highest);
        EXPECT(last_highest < of->last, "%s: they ended with %g of their energy", of->name, last_highest);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_bodies_keep_about_their_energy),
    };
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
        seed_count = (uint64_t)atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
