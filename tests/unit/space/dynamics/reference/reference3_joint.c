/// Ball joints and hinges: the linear block and the hinge's angular block.
#include "reference3_world.h"

#undef NDEBUG
#include <assert.h>

static vector vector_of_fix(iso_vec3 v) {
    return (vector){{from_fix(v.x), from_fix(v.y), from_fix(v.z)}};
}

static void quat_of(iso_quat q, double out[4]) {
    const iso_quat unit = iso_quat_normalize(q);
    const double is[4] = {unit.x * QUANTUM_UNIT, unit.y * QUANTUM_UNIT, unit.z * QUANTUM_UNIT, unit.w * QUANTUM_UNIT};
    memcpy(out, is, sizeof is);
}

void reference3_joint_create(reference3_world *world, uint32_t body_a, uint32_t body_b, const iso_joint3_def *def) {
    assert(world->joint_count < REFERENCE3_JOINTS_MAX);
    assert(def->kind == ISO_JOINT3_BALL || def->kind == ISO_JOINT3_HINGE);
    assert(def->hertz == 0 && def->force_max == 0 && def->torque_max == 0);
    reference3_joint *joint = &world->joints[world->joint_count++];
    *joint = (reference3_joint){.body_a = body_a,
                                .body_b = body_b,
                                .is_hinge = def->kind == ISO_JOINT3_HINGE,
                                .local_a = vector_of_fix(def->frame_a.anchor),
                                .local_b = vector_of_fix(def->frame_b.anchor)};
    quat_of(def->frame_a.rotation, joint->frame_a);
    quat_of(def->frame_b.rotation, joint->frame_b);
}

/// p q, the first conjugated on demand.
static void quat_times(const double p[4], double sign, const double q[4], double out[4]) {
    const double x = sign * p[0], y = sign * p[1], z = sign * p[2], w = p[3];
    const double is[4] = {w * q[0] + x * q[3] + y * q[2] - z * q[1], w * q[1] + y * q[3] + z * q[0] - x * q[2],
                          w * q[2] + z * q[3] + x * q[1] - y * q[0], w * q[3] - x * q[0] - y * q[1] - z * q[2]};
    memcpy(out, is, sizeof is);
}

/// C = 2 sin(swing / 2) along b_A and c_A: the way back without the twist.
static void hinge_arrive(const reference3_body *a, const reference3_body *b, reference3_joint *joint) {
    double qa[4], qb[4], r[4];
    quat_times(a->q, 1, joint->frame_a, qa);
    quat_times(b->q, 1, joint->frame_b, qb);
    quat_times(qa, -1, qb, r);
    const matrix R = matrix_of_doubles(qa);
    for (int n = 0; n < 2; ++n) {
        joint->across[n] = (vector){{R.m[0][n + 1], R.m[1][n + 1], R.m[2][n + 1]}};
    }
    const double side = r[3] < 0 ? -1 : 1, size = side * hypot(r[0], r[3]), x = r[0] / size, w = r[3] / size;
    joint->turn_arrived[0] = 2 * side * (r[1] * w - r[2] * x);
    joint->turn_arrived[1] = 2 * side * (r[1] * x + r[2] * w);
}

void reference3_joint_arrive(const reference3_world *world, reference3_joint *joint) {
    const reference3_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    joint->arm_a = turned(&a->rotation, joint->local_a);
    joint->arm_b = turned(&b->rotation, joint->local_b);
    const vector at_a = sum(sum(a->position, 1, a->moved), 1, joint->arm_a);
    const vector at_b = sum(sum(b->position, 1, b->moved), 1, joint->arm_b);
    joint->arrived = sum(at_b, -1, at_a);
    if (joint->is_hinge) {
        hinge_arrive(a, b, joint);
    }
}

static void joint_push(reference3_world *world, const reference3_joint *joint, vector P) {
    reference3_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    a->velocity = sum(a->velocity, -a->inverse_mass, P);
    b->velocity = sum(b->velocity, b->inverse_mass, P);
    a->spin = sum(a->spin, -1, turned(&a->give, cross(joint->arm_a, P)));
    b->spin = sum(b->spin, 1, turned(&b->give, cross(joint->arm_b, P)));
}

static void joint_turn(reference3_world *world, const reference3_joint *joint, const double change[2]) {
    reference3_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    const vector T = sum(scaled(change[0], joint->across[0]), change[1], joint->across[1]);
    a->spin = sum(a->spin, -1, turned(&a->give, T));
    b->spin = sum(b->spin, 1, turned(&b->give, T));
}

void reference3_joint_warm_start(reference3_world *world, reference3_joint *joint) {
    joint->error = joint->arrived;
    memcpy(joint->turn_error, joint->turn_arrived, sizeof joint->turn_error);
    if (joint->is_hinge) {
        joint_turn(world, joint, joint->turn_impulse);
    }
    joint_push(world, joint, joint->impulse);
}

// ---- solving -------------------------------------------------------------------------------------

/// K x = v by the determinant.
static vector solve3(const matrix *K, vector v) {
    vector rows[3], is;
    for (int i = 0; i < 3; ++i) {
        rows[i] = (vector){{K->m[i][0], K->m[i][1], K->m[i][2]}};
    }
    const vector of[3] = {cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])};
    const double determinant = dot(rows[0], of[0]);
    for (int i = 0; i < 3; ++i) {
        is.x[i] = (of[0].x[i] * v.x[0] + of[1].x[i] * v.x[1] + of[2].x[i] * v.x[2]) / determinant;
    }
    return is;
}

/// Adds [r]^T I^-1 [r].
static void add_arm(const reference3_body *body, vector r, matrix *K) {
    for (int j = 0; j < 3; ++j) {
        vector d = {{0, 0, 0}};
        d.x[j] = 1;
        const vector column = cross(turned(&body->give, cross(r, d)), r);
        for (int i = 0; i < 3; ++i) {
            K->m[i][j] += column.x[i] + (i == j ? body->inverse_mass : 0);
        }
    }
}

static void joint_solve_turn(reference3_world *world, reference3_joint *joint, bool is_relax) {
    const reference3_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    const vector spin = sum(b->spin, -1, a->spin);
    const reference3_softness *soft = &world->joint_soft;
    double K[2][2], wanted[2];
    for (int i = 0; i < 2; ++i) {
        const vector give = sum(turned(&a->give, joint->across[i]), 1, turned(&b->give, joint->across[i]));
        const double speed = dot(joint->across[i], spin);
        wanted[i] = is_relax ? speed : soft->mass_scale * speed + soft->rate * joint->turn_error[i];
        for (int j = 0; j < 2; ++j) {
            K[i][j] = dot(joint->across[j], give);
        }
    }
    const double determinant = K[0][0] * K[1][1] - K[0][1] * K[1][0], yield = is_relax ? 0 : soft->impulse_scale;
    const double x[2] = {(K[1][1] * wanted[0] - K[0][1] * wanted[1]) / determinant,
                         (K[0][0] * wanted[1] - K[1][0] * wanted[0]) / determinant};
    const double change[2] = {-x[0] - yield * joint->turn_impulse[0], -x[1] - yield * joint->turn_impulse[1]};
    joint->turn_impulse[0] += change[0];
    joint->turn_impulse[1] += change[1];
    joint_turn(world, joint, change);
}

void reference3_joint_solve(reference3_world *world, reference3_joint *joint, bool is_relax) {
    if (joint->is_hinge) {
        joint_solve_turn(world, joint, is_relax);
    }
    const reference3_body *a = &world->bodies[joint->body_a], *b = &world->bodies[joint->body_b];
    const vector of_a = sum(a->velocity, 1, cross(a->spin, joint->arm_a));
    const vector of_b = sum(b->velocity, 1, cross(b->spin, joint->arm_b));
    const vector speed = sum(of_b, -1, of_a);
    const reference3_softness *soft = &world->joint_soft;
    matrix K = {{{0}}};
    add_arm(a, joint->arm_a, &K);
    add_arm(b, joint->arm_b, &K);
    vector change;
    if (is_relax) {
        change = scaled(-1, solve3(&K, speed));
    } else {
        const vector wanted = sum(scaled(soft->mass_scale, speed), soft->rate, joint->error);
        change = sum(scaled(-1, solve3(&K, wanted)), -soft->impulse_scale, joint->impulse);
    }
    joint->impulse = sum(joint->impulse, 1, change);
    joint_push(world, joint, change);
}
