// The article's own scheme, in double, as a peer of ball joints and hinges: the classic Runge-Kutta method over
// positions, rotations, velocities and spins, in each of whose four stages forces act for the whole step, and
// sequential impulses then bring J u + b to zero, row by row, until they are stable.
//
// Its b takes away a fifth of the error in a step. It is of first order in the step, as ours is, for a stage knows
// nothing of how J turns. Ours falls by whole substeps, so what swings is half a substep of its way ahead: 1 cm at 4.5
// m/s.
#include "unit/space/joint/joint3_util.h"

#define BODIES     2
#define WORDS      13 // x, q, v, w
#define ITERATIONS 30
#define CORRECTION 0.2

// ---- the peer ------------------------------------------------------------------------------------

typedef struct article_body {
    double inverse_mass; // 0: fixed
    vec3 moments;        // about the body's axes
    vec3 anchor, axis;   // in the body's frame
} article_body;

typedef struct article {
    article_body bodies[BODIES];
    double y[BODIES][WORDS];
    vec3 gravity;
    bool is_hinge;
} article;

static vec3 vec3_of(const double *y) {
    return (vec3){y[0], y[1], y[2]};
}

static quat quat_at(const double *y) {
    const double n = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    return (quat){y[0] / n, y[1] / n, y[2] / n, y[3] / n};
}

static void put(double *y, vec3 v) {
    y[0] = v.x;
    y[1] = v.y;
    y[2] = v.z;
}

/// I v or, with a sign of -1, I^-1 v, in the world.
static vec3 times_inertia(const article_body *body, quat q, double sign, vec3 v) {
    if (body->inverse_mass == 0) {
        return (vec3){0, 0, 0};
    }
    const vec3 own = quat_rotate((quat){-q.x, -q.y, -q.z, q.w}, v);
    return quat_rotate(q, (vec3){own.x * pow(body->moments.x, sign), own.y * pow(body->moments.y, sign),
                                 own.z * pow(body->moments.z, sign)});
}

/// One row: J = (-linear, -of_a, linear, of_b). Changes the velocities so that J u + b = 0.
static void article_row(const article *is, const quat q[BODIES], vec3 linear, const vec3 angular[BODIES], double b,
                        vec3 v[BODIES], vec3 w[BODIES]) {
    double mass = 0, speed = b;
    vec3 turn[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        const double sign = i == 0 ? -1 : 1;
        turn[i] = times_inertia(&is->bodies[i], q[i], -1, angular[i]);
        mass += is->bodies[i].inverse_mass * vec3_dot(linear, linear) + vec3_dot(angular[i], turn[i]);
        speed += sign * (vec3_dot(linear, v[i]) + vec3_dot(angular[i], w[i]));
    }
    for (int i = 0; i < BODIES; ++i) {
        const double lambda = (i == 0 ? 1 : -1) * speed / mass;
        v[i] = vec3_add(v[i], vec3_scale(linear, lambda * is->bodies[i].inverse_mass));
        w[i] = vec3_add(w[i], vec3_scale(turn[i], lambda));
    }
}

/// The joint's rows at the stage's poses, again and again.
static void article_solve(const article *is, const double y[BODIES][WORDS], double h, vec3 v[BODIES], vec3 w[BODIES]) {
    static const vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    quat q[BODIES];
    vec3 r[BODIES], axis[BODIES], at[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        q[i] = quat_at(y[i] + 3);
        r[i] = quat_rotate(q[i], is->bodies[i].anchor);
        axis[i] = quat_rotate(q[i], is->bodies[i].axis);
        at[i] = vec3_add(vec3_of(y[i]), r[i]);
    }
    const vec3 apart = vec3_sub(at[1], at[0]), s = vec3_unit(vec3_add(axis[0], axis[1]));
    const vec3 t1 = vec3_unit(vec3_cross(s, fabs(s.x) < 0.6 ? world[0] : world[1])),
               across[2] = {t1, vec3_cross(s, t1)};
    const vec3 error = vec3_cross(axis[0], axis[1]);
    for (int n = 0; n < ITERATIONS; ++n) {
        for (int k = 0; k < 2 && is->is_hinge; ++k) {
            const vec3 angular[BODIES] = {across[k], across[k]};
            article_row(is, q, (vec3){0, 0, 0}, angular, CORRECTION / h * vec3_dot(error, across[k]), v, w);
        }
        for (int k = 0; k < 3; ++k) {
            const vec3 angular[BODIES] = {vec3_cross(r[0], world[k]), vec3_cross(r[1], world[k])};
            article_row(is, q, world[k], angular, CORRECTION / h * vec3_dot(apart, world[k]), v, w);
        }
    }
}

static void article_change(const article *is, const double y[BODIES][WORDS], double h, double change[BODIES][WORDS]) {
    vec3 v[BODIES], w[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        const article_body *body = &is->bodies[i];
        const quat q = quat_at(y[i] + 3);
        const vec3 spin = vec3_of(y[i] + 10), l = times_inertia(body, q, 1, spin);
        const double falls = body->inverse_mass == 0 ? 0 : h;
        v[i] = vec3_add(vec3_of(y[i] + 7), vec3_scale(is->gravity, falls));
        w[i] = vec3_sub(spin, vec3_scale(times_inertia(body, q, -1, vec3_cross(spin, l)), h));
    }
    article_solve(is, y, h, v, w);
    for (int i = 0; i < BODIES; ++i) {
        const vec3 old_v = vec3_of(y[i] + 7), old_w = vec3_of(y[i] + 10);
        const double *q = y[i] + 3;
        put(change[i], old_v);
        change[i][3] = (old_w.x * q[3] + old_w.y * q[2] - old_w.z * q[1]) / 2;
        change[i][4] = (old_w.y * q[3] + old_w.z * q[0] - old_w.x * q[2]) / 2;
        change[i][5] = (old_w.z * q[3] + old_w.x * q[1] - old_w.y * q[0]) / 2;
        change[i][6] = -(old_w.x * q[0] + old_w.y * q[1] + old_w.z * q[2]) / 2;
        put(change[i] + 7, vec3_scale(vec3_sub(v[i], old_v), 1 / h));
        put(change[i] + 10, vec3_scale(vec3_sub(w[i], old_w), 1 / h));
    }
}

static void article_step(article *is, double h) {
    static const double weights[4] = {1, 2, 2, 1}, ways[4] = {0.5, 0.5, 1, 0};
    double at[BODIES][WORDS], change[BODIES][WORDS], total[BODIES][WORDS] = {{0}};
    memcpy(at, is->y, sizeof at);
    for (int stage = 0; stage < 4; ++stage) {
        article_change(is, (const double(*)[WORDS])at, h, change);
        for (int n = 0; n < BODIES * WORDS; ++n) {
            total[n / WORDS][n % WORDS] += weights[stage] * change[n / WORDS][n % WORDS];
            at[n / WORDS][n % WORDS] = is->y[n / WORDS][n % WORDS] + ways[stage] * h * change[n / WORDS][n % WORDS];
        }
    }
    for (int n = 0; n < BODIES * WORDS; ++n) {
        is->y[n / WORDS][n % WORDS] += h / 6 * total[n / WORDS][n % WORDS];
    }
}

// ---- both ----------------------------------------------------------------------------------------

typedef struct rig {
    iso_world *world;
    iso_body_id ids[BODIES];
    article peer;
} rig;

static void rig_add(rig *is, int i, uint8_t type, vec3 at, quat q, vec3 half, vec3 v, vec3 w) {
    is->ids[i] = body3_box(is->world, type, at, q, half);
    article_body *body = &is->peer.bodies[i];
    double *y = is->peer.y[i];
    put(y, at);
    y[3] = q.x;
    y[4] = q.y;
    y[5] = q.z;
    y[6] = q.w;
    if (type == ISO_BODY_DYNAMIC) {
        const double mass = from_wide(body3_view(is->world, is->ids[i]).mass), third = mass / 3;
        body->inverse_mass = 1 / mass;
        body->moments = (vec3){third * (half.y * half.y + half.z * half.z), third * (half.x * half.x + half.z * half.z),
                               third * (half.x * half.x + half.y * half.y)};
        body3_set(is->world, is->ids[i], v, w);
        put(y + 7, v);
        put(y + 10, w);
    }
}

static void rig_join(rig *is, uint8_t kind, vec3 point, vec3 axis) {
    joint3_make(is->world, kind, is->ids[0], is->ids[1], point, axis, (vec3){0, 0, 0});
    is->peer.is_hinge = kind == ISO_JOINT3_HINGE;
    for (int i = 0; i < BODIES; ++i) {
        const quat q = quat_at(is->peer.y[i] + 3), back = {-q.x, -q.y, -q.z, q.w};
        is->peer.bodies[i].anchor = quat_rotate(back, vec3_sub(point, vec3_of(is->peer.y[i])));
        is->peer.bodies[i].axis = quat_rotate(back, vec3_unit(axis));
    }
}

/// A brick on a wall, and two bricks that tumble without gravity.
static rig rig_make(uint8_t kind, bool is_on_wall) {
    const double gravity = is_on_wall ? -GRAVITY : 0;
    rig is = {.world = space_make(gravity), .peer.gravity = {0, gravity, 0}};
    const quat askew = quat_of((vec3){0.2, 0.1, -0.3}), none = {0, 0, 0, 1};
    if (is_on_wall) {
        rig_add(&is, 0, ISO_BODY_STATIC, (vec3){0, 2, 0}, none, (vec3){0.25, 0.25, 0.25}, ((vec3){0, 0, 0}),
                ((vec3){0, 0, 0}));
        rig_add(&is, 1, ISO_BODY_DYNAMIC, (vec3){1, 2, 0}, none, (vec3){1, 0.125, 0.25}, ((vec3){0, 0, 0}),
                ((vec3){0, 0, 0}));
        rig_join(&is, kind, (vec3){0, 2, 0}, (vec3){0, 0.3, 1});
        return is;
    }
    // About the joint's axis they turn against each other, so that no velocity is lost at the first step.
    const vec3 axis = vec3_unit((vec3){0.3, 1, 0.2}), point = {0.5, 0, 0}, at_b = {1.25, 0.2, -0.1};
    const vec3 w_a = {0.5, 0.8, -0.4}, w_b = vec3_add(w_a, vec3_scale(axis, 2)), v_a = {0.1, 0, 0};
    const vec3 v_b = vec3_sub(vec3_add(v_a, vec3_cross(w_a, point)), vec3_cross(w_b, vec3_sub(point, at_b)));
    rig_add(&is, 0, ISO_BODY_DYNAMIC, (vec3){0, 0, 0}, none, (vec3){0.5, 0.25, 0.375}, v_a, w_a);
    rig_add(&is, 1, ISO_BODY_DYNAMIC, at_b, askew, (vec3){0.5, 0.125, 0.25}, v_b, w_b);
    rig_join(&is, kind, point, axis);
    return is;
}

static double rig_distance(const rig *is) {
    double most = 0;
    for (int i = 0; i < BODIES; ++i) {
        const vec3 ours = body3_centre(is->world, is->ids[i]);
        most = fmax(most, vec3_length(vec3_sub(ours, vec3_of(is->peer.y[i]))));
    }
    return most;
}

/// @param refine  steps of the peer in one of our substeps @return how far both were apart within 2 s
static double run(uint8_t kind, bool is_on_wall, int refine) {
    rig is = rig_make(kind, is_on_wall);
    double most = 0;
    for (int tick = 0; tick < 120; ++tick) {
        world_steps(is.world, 1);
        for (int n = 0; n < 4 * refine; ++n) {
            article_step(&is.peer, world_substep(is.world) / refine);
        }
        most = fmax(most, rig_distance(&is));
    }
    world_free(is.world);
    return most;
}

static void test_our_joints_move_as_the_articles(void **state) {
    (void)state;
    static const char *const names[2] = {"ball", "hinge"};
    for (int kind = 0; kind < 2; ++kind) {
        for (int is_on_wall = 0; is_on_wall < 2; ++is_on_wall) {
            const uint8_t of = kind == 0 ? ISO_JOINT3_BALL : ISO_JOINT3_HINGE;
            const double same = run(of, is_on_wall != 0, 1), fine = run(of, is_on_wall != 0, 8);
            print_message("%s, %s: %.2g m from the article's with our substep, %.2g with an eighth\n", names[kind],
                          is_on_wall != 0 ? "on a wall" : "two bricks", same, fine);
            const double bound = is_on_wall != 0 ? 0.015 : 2e-3;
            EXPECT(fine < same && same < bound, "%s: %g m off, with an eighth of the step %g", names[kind], same, fine);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_joints_move_as_the_articles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
