/// The impulses of every kind of joint on random states, against the source documents' formulas in double precision,
/// with their slips corrected: 000 IM2 to IM12, 001 3.1 to 3.7.
///
///   held      lambda = -(ms Jv + ms rate C) / K       000's b with the soft step's scale and rate for k_erp / dt
///   spring    lambda = -(k C + (c + h b k) Jv) h / (1 + h (c + h b k) K)      IM6 and IM8, taken implicitly, pulling
///             to rest; b is the implicit share of the stiffness (solver/softness.h)
///   motor     lambda = -(Jv - rate) / K               IM12, 3.6
///   limit     as held, one-sided: never negative from below, never positive from above    IM3, IM9, IM10, 3.3, 3.4
///   friction  lambda = -Jv / K
///   bodies    v += (1/m) J^T lambda, w likewise
#include "joint_rig.h"

#define STATES 200

typedef enum part { PART_HELD, PART_SPRING, PART_MOTOR, PART_LOWER, PART_UPPER, PART_FRICTION } part;

/// What acts on the joint's main axis.
static const struct {
    const char *name;
    uint8_t kind;
    part main;
    bool is_soft;
} cases[] = {
    {"revolute with a motor", ISO_JOINT_REVOLUTE, PART_MOTOR, false},
    {"revolute with a lower limit", ISO_JOINT_REVOLUTE, PART_LOWER, true},
    {"revolute with a spring", ISO_JOINT_REVOLUTE, PART_SPRING, false},
    {"target", ISO_JOINT_TARGET, PART_HELD, true},
    {"rod (pin)", ISO_JOINT_DISTANCE, PART_HELD, false},
    {"soft rod", ISO_JOINT_DISTANCE, PART_HELD, true},
    {"rope (slide)", ISO_JOINT_DISTANCE, PART_UPPER, false},
    {"strut (slide)", ISO_JOINT_DISTANCE, PART_LOWER, false},
    {"damped spring", ISO_JOINT_DISTANCE, PART_SPRING, false},
    {"weld", ISO_JOINT_WELD, PART_HELD, false},
    {"soft weld", ISO_JOINT_WELD, PART_HELD, true},
    {"weld with a spring", ISO_JOINT_WELD, PART_SPRING, false},
    {"prismatic with a lower limit", ISO_JOINT_PRISMATIC, PART_LOWER, false},
    {"prismatic with a motor", ISO_JOINT_PRISMATIC, PART_MOTOR, true},
    {"prismatic with a spring", ISO_JOINT_PRISMATIC, PART_SPRING, false},
    {"wheel with an upper limit", ISO_JOINT_WHEEL, PART_UPPER, false},
    {"wheel with a spring", ISO_JOINT_WHEEL, PART_SPRING, true},
    {"line with a lower limit (groove)", ISO_JOINT_LINE, PART_LOWER, false},
    {"line with an upper limit (groove)", ISO_JOINT_LINE, PART_UPPER, true},
    {"line with a motor", ISO_JOINT_LINE, PART_MOTOR, false},
    {"line with a spring", ISO_JOINT_LINE, PART_SPRING, false},
    {"angle with a lower limit", ISO_JOINT_ANGLE, PART_LOWER, false},
    {"angle with an upper limit", ISO_JOINT_ANGLE, PART_UPPER, false},
    {"angle with a motor", ISO_JOINT_ANGLE, PART_MOTOR, false},
    {"rotary spring", ISO_JOINT_ANGLE, PART_SPRING, false},
    {"gear", ISO_JOINT_GEAR, PART_HELD, false},
    {"soft gear", ISO_JOINT_GEAR, PART_HELD, true},
    {"ratchet", ISO_JOINT_RATCHET, PART_LOWER, false}, // PART_UPPER when its step is negative
    {"friction", ISO_JOINT_FRICTION, PART_FRICTION, false},
    {"motor joint", ISO_JOINT_MOTOR, PART_HELD, true},
    {"pulley", ISO_JOINT_PULLEY, PART_HELD, false},
    {"soft pulley", ISO_JOINT_PULLEY, PART_HELD, true},
    {"slack pulley", ISO_JOINT_PULLEY, PART_UPPER, false},
    {"pulley with a least length", ISO_JOINT_PULLEY, PART_LOWER, false},
    {"pulley with a spring", ISO_JOINT_PULLEY, PART_SPRING, false},
};
#define CASES (sizeof cases / sizeof cases[0])

static rig case_make(rng *random, size_t c) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = cases[c].kind;
    def.motor_enabled = cases[c].main == PART_MOTOR || def.kind == ISO_JOINT_WHEEL;
    def.spring_enabled = cases[c].main == PART_SPRING;
    def.limit_enabled = (cases[c].main == PART_LOWER || cases[c].main == PART_UPPER) && def.kind != ISO_JOINT_RATCHET;
    def.hertz = cases[c].is_soft ? fix(rng_range(random, 0.5, 5)) : 0;
    def.damping_ratio = fix(rng_range(random, 0, 2));
    return rig_make(random, &def);
}

/// What acts on a row, and where it wants x.
static part row_part(const rig *is, const rig_row *row, size_t c, double *rest) {
    const bool is_line = (iso_joint_kind_has(is->def.kind) & ISO_JOINT_HAS_AXIS) != 0;
    const bool is_free = cases[c].kind == ISO_JOINT_FRICTION;
    *rest = row->axis < 0 || (is_line && row->axis == 1)                 ? 0
            : is_line && row->axis == 2                                  ? from_fix(is->def.reference)
            : is->def.kind == ISO_JOINT_RATCHET                          ? from_wide(is->work->latch)
            : cases[c].main == PART_LOWER || cases[c].main == PART_UPPER ? from_fix(is->def.lower)
                                                                         : from_fix(is->def.rest);
    if (row->axis < 0 || (is_line && row->axis > 0)) {
        return is_line && row->axis == 2 && is->def.kind == ISO_JOINT_WHEEL ? PART_MOTOR
               : is_free                                                    ? PART_FRICTION
                                                                            : PART_HELD;
    }
    return is->def.kind == ISO_JOINT_RATCHET && is->def.ratchet < 0 ? PART_UPPER : cases[c].main;
}

/// Puts a limit to one side of x alone, somewhere around it. @return where it is
static double limit_place(const rig *is, const rig_row *row, part main, rng *random) {
    iso__plane_axis *axis = &is->work->axes[row->axis];
    const double away = rng_range(random, -0.05, 0.05);
    axis->base.lower = main == PART_LOWER ? axis->base.position + wide(away) : -INT64_MAX / 4;
    axis->base.upper = main == PART_UPPER ? axis->base.position + wide(away) : INT64_MAX / 4;
    return from_wide(axis->base.position) + away;
}

/// The implicit share of a spring's stiffness: min(1, max(2 zeta^2, 32 (h w)^2 - 1)).
static double spring_share(double hertz, double ratio, double h) {
    const double h_omega = 2 * PI * hertz * h;
    return fmin(1, fmax(2 * ratio * ratio, 32 * h_omega * h_omega - 1));
}

/// The same of a row with a frequency of its own.
static double spring_change(double hertz, double ratio, double h, double speed, double error) {
    const double omega = 2 * PI * hertz, share = spring_share(hertz, ratio, h);
    const double loss = 2 * ratio * h * omega + share * h * omega * h * omega;
    return -(loss * speed + h * omega * omega * error) / (1 + loss);
}

/// The soft step's -(ms Jv + ms rate C) with the frequency [Hz] and damping ratio of what holds.
static double soft_change(double hertz, double ratio, double h, double speed, double error) {
    const double omega = 2 * PI * hertz, a1 = 2 * ratio + h * omega, a2 = h * omega * a1, scale = a2 / (1 + a2);
    return -scale * (speed + omega / a1 * error);
}

/// The impulse [N s] or [N m s] of one solve from none.
static double row_impulse(const rig *is, part what, double k, double speed, double error, bool is_relax) {
    const iso_world_def *world = iso_world_get_def(is->world);
    const double h = world_substep(is->world), rigid = fmin(from_fix(world->joint_hertz), 0.25 / h);
    const double ratio = from_fix(world->joint_damping_ratio), side = what == PART_UPPER ? -1 : 1;
    const double omega = 2 * PI * from_fix(is->def.spring_hertz);
    const double stiffness = omega * omega / k, damping = 2 * from_fix(is->def.spring_damping_ratio) * omega / k;
    const double share = spring_share(from_fix(is->def.spring_hertz), from_fix(is->def.spring_damping_ratio), h);
    switch (what) {
    case PART_HELD:
        if (is->def.hertz > 0) {
            return spring_change(from_fix(is->def.hertz), from_fix(is->def.damping_ratio), h, speed, error) / k;
        }
        return is_relax ? -speed / k : soft_change(rigid, ratio, h, speed, error) / k;
    case PART_SPRING:
        return -(stiffness * error + (damping + h * share * stiffness) * speed) * h /
               (1 + h * (damping + h * share * stiffness) * k);
    case PART_MOTOR:
        return -(speed - from_fix(is->def.motor_speed)) / k;
    case PART_FRICTION:
        return -speed / k;
    default:
        if (side * error > 0) { // not there yet: it may arrive in this substep
            return side * fmax(0, -side * (speed + error / h) / k);
        }
        return side * fmax(0, side * (is_relax ? -speed : soft_change(rigid, ratio, h, speed, error)) / k);
    }
}

typedef struct motion_change {
    double v[RIG_BODIES][3];
} motion_change;

static double row_error(const rig *is, const rig_row *row) {
    return from_wide(row->axis >= 0 ? is->work->axes[row->axis].base.position
                                    : is->work->point.row.error[-1 - row->axis]);
}

/// Compares the bodies' velocities with v + (1/m) J^T lambda. @return false: they came near a limit
static bool check_bodies(const rig *is, const rig_row *rows, uint32_t count, const twist *before, const double *lambda,
                         const double *off, const char *name, int state, double *worst) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < RIG_BODIES; ++i) {
            const rig_role *at = &is->roles[i];
            const twist after = rig_get_motion(is, i);
            for (int dof = 0; dof < 3; ++dof) {
                const double inverse = inverse_of(dof < 2 ? at->mass : at->inertia), unit = dof < 2 ? 1 : at->radius;
                double change = 0, bound = 1.1 * QUANTUM_VELOCITY / unit;
                for (uint32_t r = 0; r < count; ++r) {
                    const double j = fabs(lambda[r]) * rig_sigma(is, &rows[r]);
                    change += inverse * rows[r].j[i][dof] * lambda[r];
                    bound += inverse * fabs(rows[r].j[i][dof]) * off[r];
                    // Shares are kept in Q2.30, t in Q9.22.
                    bound += inverse > 0 ? j * (4e-9 * (1 + fabs(rows[r].j[i][dof])) +
                                                (dof < 2 ? 0 : fabs(rows[r].j[i][2]) / (unit * unit) / 4194304))
                                         : 0;
                }
                if (pass == 0 && fabs(before[i].v[dof] + change) * unit > 400) {
                    return false;
                }
                if (pass == 1 && at->index < is->world->def.body_capacity) {
                    bool is_first = true; // J of a body that stands twice is merged in its first role
                    for (int n = 0; n < i; ++n) {
                        is_first = is_first && is->roles[n].index != at->index;
                    }
                    if (is_first) {
                        EXPECT_NEAR(after.v[dof] - before[i].v[dof], change, bound, "%s %d: velocity %d of body %d",
                                    name, state, dof, i);
                        *worst = fmax(*worst, fabs(after.v[dof] - before[i].v[dof] - change) / bound);
                    }
                }
            }
        }
    }
    return true;
}

/// One solve of the rows from r on, one of an axis or two of a point. @return whether it was a fair one
static bool check_solve(rig *is, const rig_row *rows, uint32_t r, size_t c, rng *random, int state, double *worst) {
    const bool is_point = rows[r].axis < 0, is_relax = rng_below(random, 2);
    const uint32_t count = is_point ? 2 : 1;
    rig_reset(is);
    rig_set_random_motion(is, random);
    double rest, lambda[2], off[2];
    twist before[RIG_BODIES];
    const part what = row_part(is, &rows[r], c, &rest);
    if (what == PART_LOWER || what == PART_UPPER) {
        rest = limit_place(is, &rows[r], what, random);
    }
    for (int i = 0; i < RIG_BODIES; ++i) {
        before[i] = rig_get_motion(is, i);
    }
    double wanted[2]; // K lambda, as if each row were alone
    for (uint32_t n = 0; n < count; ++n) {
        const rig_row *row = &rows[r + n];
        const double error = row_error(is, row) - rest, k = rig_mass(is, row, row), speed = rig_speed(is, row);
        lambda[n] = row_impulse(is, what, k, speed, error, is_relax);
        wanted[n] = k * lambda[n];
        const double whip = row->is_angle ? 0 : (rig_whip(is, &rows[r]) + rig_whip(is, &rows[r + count - 1]));
        off[n] = (4e-6 * fabs(error) + 2e-6 * fabs(speed) + 1e-7) / k +
                 fabs(lambda[n]) * (4e-6 + whip * rig_sigma(is, row) / k / 1000000);
    }
    if (is_point) {
        const double xx = rig_mass(is, &rows[0], &rows[0]), xy = rig_mass(is, &rows[0], &rows[1]),
                     yy = rig_mass(is, &rows[1], &rows[1]);
        const double determinant = xx * yy - xy * xy, most = off[0] + off[1];
        lambda[0] = (yy * wanted[0] - xy * wanted[1]) / determinant;
        lambda[1] = (xx * wanted[1] - xy * wanted[0]) / determinant;
        const double whip = (rig_whip(is, &rows[0]) + rig_whip(is, &rows[1])) * rig_sigma(is, &rows[0]) / 1000000;
        off[0] = off[1] = most * (xx * yy + xy * xy) / determinant +
                          (1e-6 + whip * (xx + yy) / determinant) * (fabs(lambda[0]) + fabs(lambda[1]));
        iso__plane_point_solve(is->scratch, is->work, is_relax);
    } else {
        iso__plane_axis_solve(is->scratch, &is->work->axes[rows[r].axis], is_relax);
    }
    return check_bodies(is, &rows[r], count, before, lambda, off, cases[c].name, state, worst);
}

static void test_impulses_are_those_of_the_documents(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; ++c) {
        rng random = {c};
        double worst = 0;
        int solved[RIG_ROWS] = {0};
        uint32_t most = 0;
        for (int i = 0; i < STATES; ++i) {
            rig is = case_make(&random, c);
            rig_row rows[RIG_ROWS];
            const uint32_t count = rig_rows(&is, rows);
            most = count > most ? count : most;
            for (uint32_t r = 0; r < count; ++r) {
                rig_merge(&is, &rows[r]);
            }
            for (uint32_t r = 0; r < count; r += rows[r].axis < 0 ? 2 : 1) {
                solved[r] += check_solve(&is, rows, r, c, &random, i, &worst);
            }
            world_free(is.world);
        }
        print_message("%s: at most %.2f of the bound\n", cases[c].name, worst);
        EXPECT(solved[0] > STATES / 3, "%s: only %d states were fair", cases[c].name, solved[0]);
        for (uint32_t r = 2; r < most; ++r) {
            EXPECT(solved[r] > STATES / 3, "%s: only %d states of row %u were fair", cases[c].name, solved[r], r);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impulses_are_those_of_the_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
