// Ball, hinge, slider and universal joints written in symbols: their rows and motions are those of the built-in kinds.
#include "space/joint/custom.h"
#include "space/joint/joint_prepare.h"
#include "symbolic/evaluate.h"
#include "unit/space/joint/test_custom3_util.h"

#define STATES 200
#define STEP   1e-3

/// J of a row: linear and angular, of A and of B.
typedef struct row_j {
    double at[2][6];
} row_j;

/// A built-in kind, and which of its rows each row of the source is, with its sign.
typedef struct twin {
    uint8_t kind;
    const char *source;
    int row_count, linear_count;
    struct {
        int row, sign;
    } angular[3];
} twin;

static const twin twins[] = {
    {ISO_JOINT3_BALL, BALL3, 3, 3, {{0, 0}}},
    {ISO_JOINT3_HINGE, HINGE3, 5, 3, {{0, 1}, {1, 1}}},
    {ISO_JOINT3_SLIDER, SLIDER3, 5, 2, {{2, 1}, {1, -1}, {0, 1}}},
    {ISO_JOINT3_UNIVERSAL, UNIVERSAL3, 4, 3, {{0, 1}}},
};
enum { TWINS = sizeof twins / sizeof twins[0] };

// ---- definitions ---------------------------------------------------------------------------------

static vec3 frame_axis(const iso_joint3_frame *frame, vec3 axis) {
    return quat_rotate(quat_from(frame->rotation), axis);
}

/// From a body's origin, where its frame is, to its centre of mass: none of our boxes has any.
static iso_joint3_def symbolic_def(const iso_joint3_def *built_in, uint32_t program) {
    iso_joint3_def def = custom3_def(ISO_JOINT3_SYMBOLIC, program, built_in->body_a, built_in->body_b);
    const iso_joint3_frame *a = &built_in->frame_a, *b = &built_in->frame_b;
    custom3_vector(&def, 0, (vec3){from_fix(a->anchor.x), from_fix(a->anchor.y), from_fix(a->anchor.z)});
    custom3_vector(&def, 1, (vec3){from_fix(b->anchor.x), from_fix(b->anchor.y), from_fix(b->anchor.z)});
    custom3_vector(&def, 2, frame_axis(a, X_AXIS));
    custom3_vector(&def, 3, frame_axis(a, Y_AXIS));
    custom3_vector(&def, 4, frame_axis(a, Z_AXIS));
    custom3_vector(&def, 5, frame_axis(b, X_AXIS));
    custom3_vector(&def, 6, frame_axis(b, Y_AXIS));
    return def;
}

/// Two bodies anywhere, in a pose in which the kind's angles are held.
static iso_joint3_def random_def(iso_world *world, uint8_t kind, rng *random) {
    const quat fa = quat_random(random), fb = quat_random(random), qa = quat_random(random);
    quat qb = quat_random(random);
    if (kind == ISO_JOINT3_HINGE || kind == ISO_JOINT3_SLIDER) {
        const double twist = kind == ISO_JOINT3_HINGE ? rng_range(random, -3, 3) : 0;
        qb = quat_mul(quat_mul(quat_mul(qa, fa), quat_of((vec3){twist, 0, 0})), quat_conj(fb));
    } else if (kind == ISO_JOINT3_UNIVERSAL) { // a_B is across a_A
        const quat across = quat_of((vec3){0, 0, PI / 2}), twist = quat_of((vec3){rng_range(random, -3, 3), 0, 0});
        qb = quat_mul(quat_mul(quat_mul(quat_mul(qa, fa), twist), across), quat_conj(fb));
    }
    iso_joint3_def def = iso_joint3_def_default(kind);
    const vec3 half = {rng_range(random, 0.1, 1), rng_range(random, 0.1, 1), rng_range(random, 0.1, 1)};
    def.body_a = body3_box(world, ISO_BODY_DYNAMIC, vec3_random(random, 3), qa, half);
    def.body_b = body3_box(world, ISO_BODY_DYNAMIC, vec3_random(random, 3), qb, half);
    def.frame_a = (iso_joint3_frame){fix3(vec3_random(random, 2)), quat_to(fa)};
    def.frame_b = (iso_joint3_frame){fix3(vec3_random(random, 2)), quat_to(fb)};
    return def;
}

// ---- rows ----------------------------------------------------------------------------------------

static void work_make(iso_world *world, iso_joint_id joint, iso__space_joint_work *work,
                      iso__space_custom_work *custom) {
    const iso__space *space = iso__space_of(world);
    iso__space_drift a, b;
    iso__space_joint_rest_at(space, space->joints[joint.index].body_a, &a);
    iso__space_joint_rest_at(space, space->joints[joint.index].body_b, &b);
    iso__space_joint_begin(space, joint.index, work, custom);
    iso__space_joint_arrive(work, &a, &b);
}

static void row_set(row_j *row, int body, vec3 v, vec3 w) {
    const double at[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(row->at[body], at, sizeof at);
}

static vec3 vector_of(const int64_t v[3], double scale) {
    return vec3_scale((vec3){(double)v[0], (double)v[1], (double)v[2]}, scale);
}

static vec3 direction_of(const iso__space_block *block, int row) {
    const vec3 world[] = {X_AXIS, Y_AXIS, Z_AXIS};
    const int32_t *d = block->direction[row];
    return block->is_world ? world[row] : vec3_scale((vec3){d[0], d[1], d[2]}, 1.0 / 1073741824.0);
}

/// A row of the built-in kind that row r of the source is.
static row_j built_in_row(const twin *of, const iso__space_joint_work *work, int r) {
    row_j row;
    if (r < of->linear_count) {
        const vec3 d = direction_of(&work->linear, r);
        const vec3 ra = vector_of(work->a.arm, ldexp(QUANTUM_WIDE, work->a.exponent));
        const vec3 rb = vector_of(work->b.arm, ldexp(QUANTUM_WIDE, work->b.exponent));
        row_set(&row, 0, vec3_scale(d, -1), vec3_scale(vec3_cross(ra, d), -1));
        row_set(&row, 1, d, vec3_cross(rb, d));
        return row;
    }
    const int n = r - of->linear_count;
    const vec3 d = vec3_scale(direction_of(&work->angular, of->angular[n].row), of->angular[n].sign);
    row_set(&row, 0, NONE, vec3_scale(d, -1));
    row_set(&row, 1, NONE, d);
    return row;
}

static row_j symbolic_row(const iso__space_joint_work *work, int r) {
    row_j row;
    const iso__space_joint_body *bodies[] = {&work->a, &work->b};
    for (int i = 0; i < 2; ++i) {
        const iso__space_custom_term *term = &work->custom->rows[r].terms[i];
        row_set(&row, i, vector_of(term->direction, QUANTUM_WIDE),
                vector_of(term->arm, ldexp(QUANTUM_WIDE, bodies[i]->exponent)));
    }
    return row;
}

static void body_set(iso_constraint3_body *body, vec3 x, quat q) {
    const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS};
    const double at[] = {x.x, x.y, x.z};
    for (int axis = 0; axis < 3; ++axis) {
        const vec3 d = quat_rotate(q, unit[axis]);
        const double of[] = {d.x, d.y, d.z};
        body->position[axis] = wide(at[axis]);
        for (int i = 0; i < 3; ++i) {
            body->axes[axis][i] = (int32_t)lround(of[i] * 1073741824.0);
        }
    }
}

/// Row r of the program with one body moved or turned a little one way and the other.
static double difference(const iso_world *world, const iso_joint3_def *def, int r, int body, int k) {
    const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS};
    double value[2];
    for (int side = 0; side < 2; ++side) {
        iso_constraint3_body bodies[2];
        for (int i = 0; i < 2; ++i) {
            const iso_body3_view view = body3_view(world, i == 0 ? def->body_a : def->body_b);
            const vec3 way = vec3_scale(unit[k % 3], i != body ? 0 : side ? STEP : -STEP);
            const quat q = quat_from(view.rotation), turned = k < 3 ? q : quat_mul(quat_of(way), q);
            body_set(&bodies[i], vec3_add(from_wide3(view.centre), k < 3 ? way : NONE), turned);
        }
        iso__program_rows rows;
        iso__program3_evaluate(iso_world_get_program(world, def->constraint), bodies, &def->params, &rows);
        value[side] = from_wide(rows.error[r]);
    }
    return (value[1] - value[0]) / (2 * STEP);
}

static void test_rows_are_those_of_the_built_in_kinds(void **state) {
    (void)state;
    rng random = {3};
    iso_world *world = user_world(0.0, &user_game);
    for (int t = 0; t < TWINS; ++t) {
        const twin *of = &twins[t];
        const uint32_t program = program3_add(world, of->source);
        for (int n = 0; n < STATES; ++n) {
            const iso_joint3_def built_in = random_def(world, of->kind, &random);
            const iso_joint3_def def = symbolic_def(&built_in, program);
            static iso__space_joint_work native, work;
            static iso__space_custom_work custom;
            work_make(world, joint3_add(world, &built_in), &native, NULL);
            work_make(world, joint3_add(world, &def), &work, &custom);
            assert_int_equal(custom.row_count, of->row_count);
            for (int r = 0; r < of->row_count; ++r) {
                const row_j theirs = built_in_row(of, &native, r), ours = symbolic_row(&work, r);
                for (int k = 0; k < 12; ++k) {
                    const double j = ours.at[k / 6][k % 6];
                    EXPECT_NEAR(j, theirs.at[k / 6][k % 6], 2e-5, "kind %u, row %d, column %d", of->kind, r, k);
                    EXPECT_NEAR(j, difference(world, &def, r, k / 6, k % 6), 2e-5,
                                "the difference, kind %u, row %d, %d", of->kind, r, k);
                }
                assert_int_equal(custom.rows[r].axis.is_angle, r >= of->linear_count);
            }
            EXPECT_STATUS(iso_body_destroy(world, def.body_a), ISO_OK);
            EXPECT_STATUS(iso_body_destroy(world, def.body_b), ISO_OK);
        }
    }
    world_free(world);
}

/// Two boxes in a row at a wall, by a built-in kind or by its source.
static iso_world *chain_make(const twin *of, bool is_symbolic, iso_body_id *last, iso_joint_id *joint) {
    iso_world *world = user_world(-GRAVITY, &user_game);
    const uint32_t program = program3_add(world, of->source);
    iso_body_id a = body3_fixed(world, NONE);
    for (int i = 0; i < 2; ++i) {
        const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1 + 2 * i, 0, 0}, NO_TURN, BOX_HALF);
        const iso_joint3_def built_in =
            joint3_def(world, of->kind, a, b, (vec3){2 * i, 0, 0}, (vec3){0, 0.3, 1}, (vec3){1, 0, 0});
        const iso_joint3_def def = symbolic_def(&built_in, program);
        *joint = joint3_add(world, is_symbolic ? &def : &built_in);
        *last = a = b;
    }
    body3_set(world, *last, (vec3){0, 1, 1}, NONE);
    return world;
}

static void test_motions_are_those_of_the_built_in_kinds(void **state) {
    (void)state;
    for (int t = 0; t < TWINS; ++t) {
        iso_body_id last, other;
        iso_joint_id joint, native;
        iso_world *world = chain_make(&twins[t], true, &last, &joint);
        iso_world *twin_world = chain_make(&twins[t], false, &other, &native);
        double apart = 0, way = 0;
        for (int tick = 0; tick < 90; ++tick) {
            world_steps(world, 1);
            world_steps(twin_world, 1);
            const vec3 at = body3_centre(world, last);
            way = fmax(way, vec3_length(vec3_sub(at, (vec3){3, 0, 0})));
            apart = fmax(apart, vec3_length(vec3_sub(at, body3_centre(twin_world, other))));
        }
        EXPECT(way > 0.5 && apart < 0.02 * way, "kind %u: a way of %g m, %g m apart", twins[t].kind, way, apart);
        EXPECT(joint3_separation(world, joint) < 0.02 && joint3_angle_error(world, joint) < 0.02,
               "kind %u is off by %g m, %g rad", twins[t].kind, joint3_separation(world, joint),
               joint3_angle_error(world, joint));
        world_free(world);
        world_free(twin_world);
    }
}

/// The rows' K is J M^-1 J^T / sigma.
static void test_effective_masses_follow_from_the_bodies(void **state) {
    (void)state;
    rng random = {5};
    iso_world *world = user_world(0.0, &user_game);
    const uint32_t program = program3_add(world, SLIDER3);
    for (int n = 0; n < STATES; ++n) {
        const iso_joint3_def built_in = random_def(world, ISO_JOINT3_BALL, &random);
        const iso_joint3_def def = symbolic_def(&built_in, program);
        static iso__space_joint_work work;
        static iso__space_custom_work custom;
        work_make(world, joint3_add(world, &def), &work, &custom);
        for (int r = 0; r < 5; ++r) {
            const row_j row = symbolic_row(&work, r);
            const bool is_angle = custom.rows[r].axis.is_angle;
            double k = 0, sigma = 0;
            for (int i = 0; i < 2; ++i) {
                const iso_body3_view view = body3_view(world, i == 0 ? def.body_a : def.body_b);
                const quat principal = quat_mul(quat_from(view.rotation), quat_from(view.principal));
                const double *j = row.at[i];
                const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS}, v = {j[0], j[1], j[2]}, w = {j[3], j[4], j[5]};
                k += vec3_dot(v, v) / from_wide(view.mass);
                for (int p = 0; p < 3; ++p) {
                    const double along = vec3_dot(w, quat_rotate(principal, unit[p]));
                    k += along * along / from_wide(view.moments[p]);
                }
                sigma += 1 / from_wide(is_angle ? view.moments[2] : view.mass);
            }
            const iso__joint_axis *axis = &custom.rows[r].axis;
            const double inverse = ldexp((double)axis->inverse, -axis->fraction);
            EXPECT_NEAR(inverse * k / sigma, 1.0, 1e-6, "state %d, row %d, K %g", n, r, k / sigma);
        }
        EXPECT_STATUS(iso_body_destroy(world, def.body_a), ISO_OK);
        EXPECT_STATUS(iso_body_destroy(world, def.body_b), ISO_OK);
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_of_the_built_in_kinds),
        cmocka_unit_test(test_motions_are_those_of_the_built_in_kinds),
        cmocka_unit_test(test_effective_masses_follow_from_the_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
