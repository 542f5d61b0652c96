// The rows of every kind against a twin in double: C, its derivative by central differences, and K from masses.
#include "space/joint/joint_prepare.h"
#include "space/joint/kind.h"
#include "space/joint/work.h"
#include "space/world/space.h"
#include "unit/space/joint/joint3_util.h"

#define STATES 200
#define STEP   1e-5

typedef struct rig_pose {
    vec3 x;
    quat q;
} rig_pose;

/// A joint and its two bodies.
typedef struct rig {
    uint8_t kind;
    vec3 anchor[2];
    quat frame[2];
    double ratio;
    rig_pose at[2], began[2];   // from where turns are counted
    double mass[2], largest[2]; // [kg], [kg m^2] the largest moment
    double inverse[2][3][3];    // of the inertia tensor, in the world
} rig;

/// A row: of the linear block, of the angular block, or an axis.
typedef enum row_part { LINEAR, ANGULAR, AXIS } row_part;

/// J of a row: linear and angular, of A and of B.
typedef struct row_j {
    vec3 v[2], w[2];
} row_j;

// ---- the twin ------------------------------------------------------------------------------------

static vec3 rig_axis(const rig *r, int body, int axis) {
    const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS};
    return quat_rotate(quat_mul(r->at[body].q, r->frame[body]), unit[axis]);
}

static vec3 rig_apart(const rig *r) {
    const vec3 a = vec3_add(r->at[0].x, quat_rotate(r->at[0].q, r->anchor[0]));
    return vec3_sub(vec3_add(r->at[1].x, quat_rotate(r->at[1].q, r->anchor[1])), a);
}

static quat rig_relative(const rig *r) {
    quat p = quat_mul(quat_conj(quat_mul(r->at[0].q, r->frame[0])), quat_mul(r->at[1].q, r->frame[1]));
    return p.w < 0 ? (quat){-p.x, -p.y, -p.z, -p.w} : p;
}

static double rig_angular(const rig *r, int i) {
    const quat p = rig_relative(r);
    const double vec[] = {p.x, p.y, p.z}, length = hypot(p.x, p.w);
    const double swing[] = {(p.y * p.w - p.z * p.x) / length, (p.y * p.x + p.z * p.w) / length};
    switch (iso__space_joint_angular_rows(r->kind)) {
    case 3:
        return 2 * vec[i];
    case 2:
        return 2 * swing[i];
    default:
        return from_fix(102944) - acos(vec3_dot(rig_axis(r, 0, 0), rig_axis(r, 1, 0)));
    }
}

static double rig_about(const rig *r, int own) {
    const vec3 other = rig_axis(r, 1 - own, 0);
    const double angle = atan2(vec3_dot(other, rig_axis(r, own, 2)), vec3_dot(other, rig_axis(r, own, 1)));
    return own == 0 ? angle : -angle;
}

/// How far a frame has turned about its own x axis.
static double turn_of(quat began, quat now) {
    const quat p = quat_mul(quat_conj(began), now);
    return 2 * atan2(p.w < 0 ? -p.x : p.x, fabs(p.w));
}

static quat rig_frame(const rig *r, const rig_pose *poses, int body) {
    return quat_mul(poses[body].q, r->frame[body]);
}

static double rig_rolling(const rig *r) {
    const quat a[] = {rig_frame(r, r->began, 0), rig_frame(r, r->at, 0)};
    const quat b[] = {rig_frame(r, r->began, 1), rig_frame(r, r->at, 1)};
    if (r->kind == ISO_JOINT3_GEAR) {
        return r->ratio * turn_of(b[0], b[1]) - turn_of(a[0], a[1]);
    }
    const double turned = turn_of(quat_mul(quat_conj(a[0]), b[0]), quat_mul(quat_conj(a[1]), b[1]));
    return vec3_dot(rig_apart(r), rig_axis(r, 0, 0)) - r->ratio * turned;
}

static double rig_axis_value(const rig *r, int n) {
    const quat p = rig_relative(r);
    if (r->kind == ISO_JOINT3_GEAR || r->kind == ISO_JOINT3_RACK) {
        return rig_rolling(r);
    }
    const bool is_wheel = r->kind == ISO_JOINT3_UNIVERSAL || r->kind == ISO_JOINT3_HINGE2;
    if (iso_joint3_axis_of(r->kind, (uint32_t)n) == ISO_JOINT3_AXIS_LENGTH) {
        return r->kind == ISO_JOINT3_DISTANCE ? vec3_length(rig_apart(r)) : vec3_dot(rig_apart(r), rig_axis(r, 0, 0));
    }
    if (is_wheel) {
        return rig_about(r, r->kind == ISO_JOINT3_UNIVERSAL ? n : n - 1);
    }
    return r->kind == ISO_JOINT3_BALL && n == 0 ? 2 * atan2(hypot(p.y, p.z), hypot(p.x, p.w)) : 2 * atan2(p.x, p.w);
}

static double rig_value(const rig *r, row_part part, int i) {
    if (part == LINEAR) {
        const vec3 e = rig_apart(r), world[] = {X_AXIS, Y_AXIS, Z_AXIS};
        return vec3_dot(e, iso__space_joint_linear_rows(r->kind) == 3 ? world[i] : rig_axis(r, 0, i + 1));
    }
    return part == ANGULAR ? rig_angular(r, i) : rig_axis_value(r, i);
}

/// The derivative of a row by each body's way and turn.
static row_j rig_differences(const rig *r, row_part part, int i) {
    row_j j;
    double out[2][6];
    for (int body = 0; body < 2; ++body) {
        for (int k = 0; k < 6; ++k) {
            double value[2];
            for (int side = 0; side < 2; ++side) {
                rig moved = *r;
                const double step = side ? STEP : -STEP;
                const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS}, way = vec3_scale(unit[k % 3], step);
                if (k < 3) {
                    moved.at[body].x = vec3_add(moved.at[body].x, way);
                } else {
                    moved.at[body].q = quat_mul(quat_of(way), moved.at[body].q);
                }
                value[side] = rig_value(&moved, part, i);
            }
            double change = value[1] - value[0];
            if (part == AXIS) { // an angle may pass from one turn to the next
                change = fabs(change) > 3.0 ? remainder(change, 2 * PI) : change;
            }
            out[body][k] = change / (2 * STEP);
        }
        j.v[body] = (vec3){out[body][0], out[body][1], out[body][2]};
        j.w[body] = (vec3){out[body][3], out[body][4], out[body][5]};
    }
    return j;
}

// ---- ours ----------------------------------------------------------------------------------------

static vec3 unit_of(const int32_t d[3]) {
    return vec3_scale((vec3){d[0], d[1], d[2]}, 1.0 / 1073741824.0);
}

static vec3 wide_of(const int64_t v[3]) {
    return vec3_scale((vec3){(double)v[0], (double)v[1], (double)v[2]}, QUANTUM_WIDE);
}

static row_j work_row(const iso__space_joint_work *work, row_part part, int i) {
    row_j j = {0};
    const double radius[] = {ldexp(1.0, work->a.exponent), ldexp(1.0, work->b.exponent)};
    if (part == LINEAR) {
        const vec3 world[] = {X_AXIS, Y_AXIS, Z_AXIS};
        const vec3 d = work->linear.is_world ? world[i] : unit_of(work->linear.direction[i]);
        j.v[0] = vec3_scale(d, -1);
        j.v[1] = d;
        j.w[0] = vec3_scale(vec3_cross(wide_of(work->a.arm), d), -radius[0]);
        j.w[1] = vec3_scale(vec3_cross(wide_of(work->b.arm), d), radius[1]);
    } else if (part == ANGULAR) {
        j.w[1] = unit_of(work->angular.direction[i]);
        j.w[0] = vec3_scale(j.w[1], -1);
    } else {
        j.v[1] = unit_of(work->axis[i].direction);
        j.v[0] = vec3_scale(j.v[1], -1);
        j.w[0] = vec3_scale(wide_of(work->axis[i].a.arm), radius[0]);
        j.w[1] = vec3_scale(wide_of(work->axis[i].b.arm), radius[1]);
    }
    return j;
}

// ---- rigs ----------------------------------------------------------------------------------------

/// Whether what the kind holds has a derivative of first order only where it is held.
static bool kind_is_aligned(uint8_t kind) {
    return iso__space_joint_angular_rows(kind) >= 2;
}

static void rig_read_body(rig *r, int body, const iso_body3_view *view, const iso_joint3_frame *frame) {
    r->at[body] = (rig_pose){from_wide3(view->centre), quat_from(view->rotation)};
    r->anchor[body] = (vec3){from_fix(frame->anchor.x), from_fix(frame->anchor.y), from_fix(frame->anchor.z)};
    r->frame[body] = quat_from(frame->rotation);
    r->mass[body] = from_wide(view->mass);
    r->largest[body] = from_wide(view->moments[2]);
    const quat principal = quat_mul(r->at[body].q, quat_from(view->principal));
    const vec3 unit[] = {X_AXIS, Y_AXIS, Z_AXIS};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            r->inverse[body][i][k] = 0;
            for (int p = 0; p < 3; ++p) {
                const vec3 a = quat_rotate(principal, unit[p]);
                const double c[] = {a.x, a.y, a.z};
                r->inverse[body][i][k] += c[i] * c[k] / from_wide(view->moments[p]);
            }
        }
    }
}

/// Some bodies are round, where K is the unit matrix but for rounding.
static iso_body_id rig_body(iso_world *world, rng *random, vec3 at, quat q, bool is_round) {
    if (is_round) {
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, at, q);
        body3_shape(world, body, iso_shape3_def_sphere(fix(0.5)), 100.0);
        return body;
    }
    const vec3 half = {rng_range(random, 0.1, 1.0), rng_range(random, 0.1, 1.0), rng_range(random, 0.1, 1.0)};
    return body3_box(world, ISO_BODY_DYNAMIC, at, q, half);
}

static void rig_make(iso_world *world, uint8_t kind, rng *random, bool is_round, rig *r, iso__space_joint_work *work) {
    const quat qa = quat_random(random), fa = quat_random(random), fb = quat_random(random);
    quat qb = quat_random(random);
    if (kind_is_aligned(kind)) {
        const bool turns = iso__space_joint_angular_rows(kind) == 2;
        const quat twist = quat_of((vec3){turns ? rng_range(random, -3.0, 3.0) : 0.0, 0, 0});
        qb = quat_mul(quat_mul(quat_mul(qa, fa), twist), quat_conj(fb));
    }
    iso_joint3_def def = iso_joint3_def_default(kind);
    def.ratio = fix(rng_range(random, 0.1, 8.0) * (rng_range(random, -1.0, 1.0) < 0 ? -1 : 1));
    def.body_b = rig_body(world, random, vec3_random(random, 3.0), qb, is_round);
    const iso_body_id other = rig_body(world, random, vec3_random(random, 3.0), qa, is_round);
    const bool has_a = kind != ISO_JOINT3_TARGET;
    def.body_a = has_a ? other : (iso_body_id){0, 0};
    def.target = wide3(vec3_random(random, 3.0));
    def.frame_a = (iso_joint3_frame){fix3(vec3_random(random, is_round ? 0.0 : 2.0)), quat_to(fa)};
    def.frame_b = (iso_joint3_frame){fix3(vec3_random(random, is_round ? 0.0 : 2.0)), quat_to(fb)};
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        def.axes[n].motor_enabled = iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE;
    }
    const iso_joint_id joint = joint3_add(world, &def);
    iso__space *space = iso__space_of(world);
    iso__space_drift a, b;
    iso__space_joint_rest_at(space, has_a ? other.index : space->world.def.body_capacity, &a);
    iso__space_joint_rest_at(space, def.body_b.index, &b);
    iso__space_joint_begin(space, joint.index, work, NULL);
    iso__space_joint_arrive(work, &a, &b);
    r->kind = kind;
    r->ratio = kind == ISO_JOINT3_GEAR || kind == ISO_JOINT3_RACK ? from_fix(def.ratio) : 1.0;
    const iso_body3_view view_a = body3_view(world, other), view_b = body3_view(world, def.body_b);
    rig_read_body(r, 0, &view_a, &def.frame_a);
    rig_read_body(r, 1, &view_b, &def.frame_b);
    if (!has_a) { // the world: nothing moves it, and it is at the target
        r->at[0] = (rig_pose){from_wide3(def.target), {0, 0, 0, 1}};
        r->anchor[0] = (vec3){0, 0, 0};
        r->mass[0] = r->largest[0] = INFINITY;
        memset(r->inverse[0], 0, sizeof r->inverse[0]);
    }
    r->began[0] = r->at[0];
    r->began[1] = r->at[1];
    if (kind == ISO_JOINT3_FRICTION) { // brakes what of A is at B's anchor
        const vec3 at = vec3_add(r->at[1].x, quat_rotate(r->at[1].q, r->anchor[1]));
        r->anchor[0] = quat_rotate(quat_conj(r->at[0].q), vec3_sub(at, r->at[0].x));
    }
    EXPECT_STATUS(iso_body_destroy(world, other), ISO_OK);
    EXPECT_STATUS(iso_body_destroy(world, def.body_b), ISO_OK);
}

/// Near where an axis has no direction the derivatives are large and differences poor.
static bool rig_is_regular(const rig *r) {
    const double cosine = vec3_dot(rig_axis(r, 0, 0), rig_axis(r, 1, 0));
    const bool has_axes = r->kind == ISO_JOINT3_BALL || r->kind == ISO_JOINT3_UNIVERSAL || r->kind == ISO_JOINT3_HINGE2;
    return (!has_axes || fabs(cosine) < 0.97) && (vec3_length(rig_apart(r)) > 0.1 || r->kind == ISO_JOINT3_FRICTION);
}

// ---- tests ---------------------------------------------------------------------------------------

static void row_compare(const row_j *ours, const row_j *twin, const char *name) {
    for (int body = 0; body < 2; ++body) {
        const double v = vec3_length(vec3_sub(ours->v[body], twin->v[body]));
        const double w = vec3_length(vec3_sub(ours->w[body], twin->w[body]));
        EXPECT(v < 2e-6, "%s: the linear part of body %d is off by %g", name, body, v);
        EXPECT(w < 2e-6 * (1 + vec3_length(twin->w[body])), "%s: the angular part of body %d is off by %g of %g", name,
               body, w, vec3_length(twin->w[body]));
    }
}

static double row_product(const rig *r, const row_j *a, const row_j *b, bool is_angle) {
    double sum = 0, sigma = 0;
    for (int body = 0; body < 2; ++body) {
        const double wa[] = {a->w[body].x, a->w[body].y, a->w[body].z};
        const double wb[] = {b->w[body].x, b->w[body].y, b->w[body].z};
        sum += vec3_dot(a->v[body], b->v[body]) / r->mass[body];
        for (int i = 0; i < 9; ++i) {
            sum += wa[i / 3] * r->inverse[body][i / 3][i % 3] * wb[i % 3];
        }
        const double factor = r->kind == ISO_JOINT3_GEAR && body == 1 ? r->ratio * r->ratio : 1.0;
        sigma += factor / (is_angle ? r->largest[body] : r->mass[body]);
    }
    return sum / sigma;
}

/// The block's inverse times K is the unit matrix.
static void block_compare(const rig *r, const iso__space_block *block, const row_j *rows, bool is_angle,
                          const char *name) {
    const iso__inverse3 *I = &block->inverse.inverse;
    const double scale = ldexp(1.0, -62);
    const double inverse[3][3] = {{(double)I->i11 * scale, (double)I->i12 * scale, (double)I->i13 * scale},
                                  {(double)I->i12 * scale, (double)I->i22 * scale, (double)I->i23 * scale},
                                  {(double)I->i13 * scale, (double)I->i23 * scale, (double)I->i33 * scale}};
    for (int i = 0; i < block->count; ++i) {
        for (int k = 0; k < block->count; ++k) {
            double sum = 0;
            for (int m = 0; m < block->count; ++m) {
                sum += inverse[i][m] * row_product(r, &rows[m], &rows[k], is_angle);
            }
            EXPECT_NEAR(sum, i == k ? 1.0 : 0.0, 1e-5, "%s: the inverse of K times K at %d, %d", name, i, k);
        }
    }
}

static void rig_compare_block(const rig *r, const iso__space_joint_work *work, row_part part, const char *name) {
    const iso__space_block *block = part == LINEAR ? &work->linear : &work->angular;
    row_j twins[3];
    for (int i = 0; i < block->count; ++i) {
        const row_j ours = work_row(work, part, i);
        twins[i] = rig_differences(r, part, i);
        row_compare(&ours, &twins[i], name);
        EXPECT_NEAR(from_wide(block->arrived[i]), rig_value(r, part, i), 2e-7, "%s: C of row %d", name, i);
    }
    block_compare(r, block, twins, part == ANGULAR, name);
}

static void rig_compare_axes(const rig *r, const iso__space_joint_work *work, const char *name) {
    for (int n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso_joint3_axis_kind kind = iso_joint3_axis_of(r->kind, (uint32_t)n);
        if (kind == ISO_JOINT3_AXIS_NONE) {
            continue;
        }
        const row_j ours = work_row(work, AXIS, n), twin = rig_differences(r, AXIS, n);
        row_compare(&ours, &twin, name);
        EXPECT_NEAR(remainder(from_wide(work->axis[n].arrived) - rig_axis_value(r, n), 2 * PI), 0.0, 2e-7,
                    "%s: axis %d", name, n);
        const double K = row_product(r, &twin, &twin, kind != ISO_JOINT3_AXIS_LENGTH);
        EXPECT(K > 0.9999, "%s: K of axis %d is %g", name, n, K);
        EXPECT_NEAR((double)work->axis[n].inverse * ldexp(1.0, -62) * K, 1.0, 1e-5, "%s: 1/K of axis %d", name, n);
    }
}

static void test_rows_are_those_of_central_differences(void **state) {
    (void)state;
    static const char *const names[] = {
#define NAME(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = #snake,
        ISO_JOINT3_KIND_LIST(NAME)
#undef NAME
    };
    iso_world *world = space_make(0.0);
    rng random = {3};
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        for (uint32_t made = 0; made < STATES;) {
            rig r;
            iso__space_joint_work work;
            rig_make(world, kind, &random, made % 4 == 3, &r, &work);
            if (!rig_is_regular(&r)) {
                continue;
            }
            ++made;
            rig_compare_block(&r, &work, LINEAR, names[kind]);
            rig_compare_block(&r, &work, ANGULAR, names[kind]);
            rig_compare_axes(&r, &work, names[kind]);
        }
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_of_central_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
