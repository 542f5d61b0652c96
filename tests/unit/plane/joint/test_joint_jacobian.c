/// The rows of every kind of joint, on 200 random states each, against the source documents' formulas in double
/// precision: J against central differences of the position that the kind itself computes, K against J M^-1 J^T, one
/// solve against the speed that it leaves.
#include "joint_rig.h"

#define STATES 200

/// Each kind with all the axes that it can have.
static const struct {
    const char *name;
    uint8_t kind;
    bool has_motor, has_limit;
} cases[] = {
    {"revolute", ISO_JOINT_REVOLUTE, true, false},  {"target", ISO_JOINT_TARGET, false, false},
    {"distance", ISO_JOINT_DISTANCE, false, false}, {"weld", ISO_JOINT_WELD, false, false},
    {"prismatic", ISO_JOINT_PRISMATIC, true, true}, {"wheel", ISO_JOINT_WHEEL, true, true},
    {"line", ISO_JOINT_LINE, true, true},           {"angle", ISO_JOINT_ANGLE, true, false},
    {"gear", ISO_JOINT_GEAR, false, false},         {"ratchet", ISO_JOINT_RATCHET, false, false},
    {"friction", ISO_JOINT_FRICTION, false, false}, {"motor", ISO_JOINT_MOTOR, false, false},
    {"pulley", ISO_JOINT_PULLEY, false, false},
};
#define CASES (sizeof cases / sizeof cases[0])

static iso_joint_def case_def(size_t c) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = cases[c].kind;
    def.motor_enabled = cases[c].has_motor;
    def.limit_enabled = cases[c].has_limit;
    return def;
}

// ---- J -------------------------------------------------------------------------------------------

/// The position of a row as the kind's own update has it.
static double rig_position(const rig *is, const rig_row *row) {
    return from_wide(row->axis >= 0 ? is->work->axes[row->axis].base.position
                                    : is->work->point.row.error[-1 - row->axis]);
}

/// Moves one degree of freedom of a body by this much since the tick began. @return the row's position there
static double rig_position_at(rig *is, const rig_row *row, const rig_role *at, int dof, double amount) {
    iso__plane_drift *drift = &is->scratch->drifts[at->index];
    *drift = (iso__plane_drift){.moved = {dof == 0 ? wide(amount) : 0, dof == 1 ? wide(amount) : 0}};
    is->scratch->rotations[at->index] = iso__plane_of(is->world)->body_derived[at->index].rotation;
    if (dof == 2) {
        const int64_t angle = iso__plane_of(is->world)->bodies[at->index].angle + wide(amount / (2 * PI));
        drift->turned = wide(amount * at->radius);
        is->scratch->rotations[at->index] = iso_rotation_make((uint32_t)(uint64_t)angle);
    }
    iso__plane_joint_kind_of(is->work->kind)->update(is->scratch, is->work);
    return rig_position(is, row);
}

/// What the solver takes for the derivative.
static double rig_solver_jacobian(const rig *is, const rig_row *row, int role, int dof) {
    const rig_role *at = &is->roles[role];
    if (row->axis < 0) {
        const int component = -1 - row->axis;
        const int64_t *arm = role == 0 ? is->work->point.row.arm_a : is->work->point.row.arm_b;
        const double sign = role == 0 ? -1 : 1;
        return dof < 2 ? sign * (dof == component) : sign * at->radius * from_wide(component == 0 ? -arm[1] : arm[0]);
    }
    const iso__plane_axis *axis = &is->work->axes[row->axis];
    double sum = 0;
    for (uint32_t i = 0; i < axis->term_count; ++i) {
        const iso__plane_axis_term *term = &axis->terms[i];
        if (term->body == at->index) {
            sum += dof < 2 ? from_wide(term->direction[dof]) : from_wide(term->arm) * at->radius;
        }
    }
    return sum;
}

/// The shorter of the ropes of a row, whose direction turns the faster; without any, 1 m.
static double row_rope(const rig *is) {
    double ab[2], cd[2];
    rig_apart(is, 0, 1, ab);
    rig_apart(is, 2, 3, cd);
    const bool has_cd = is->def.kind == ISO_JOINT_PULLEY;
    return (iso_joint_kind_has(is->def.kind) & ISO_JOINT_HAS_LENGTH) == 0
               ? 1
               : fmin(1, fmin(hypot(ab[0], ab[1]), has_cd ? hypot(cd[0], cd[1]) : 1));
}

/// The differences reach `step` to each side. Their own error is of the third derivative, and of the rounding of
/// places, rotations, and ropes, whose length is within 2^-30 of itself.
static double rig_check_jacobian(rig *is, const rig_row *row, size_t c, int state) {
    const double step = 3e-4;
    double worst = 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        const rig_role *at = &is->roles[i];
        if (at->index >= is->world->def.body_capacity) {
            continue;
        }
        for (int dof = 0; dof < 3; ++dof) {
            const double after = rig_position_at(is, row, at, dof, step);
            const double before = rig_position_at(is, row, at, dof, -step);
            rig_reset(is);
            const double difference = (after - before) / (2 * step), solver = rig_solver_jacobian(is, row, i, dof);
            bool is_first = true;
            for (int k = 0; k < i; ++k) {
                is_first = is_first && is->roles[k].index != at->index;
            }
            if (!is_first) {
                continue; // counted where the body stands first
            }
            const double reach =
                1 + hypot(is->roles[0].rx, is->roles[0].ry) + hypot(at->rx, at->ry) + fabs(row->j[i][2]);
            const double ratio = fmax(1, fabs(from_fix(is->def.ratio)));
            const double bound =
                ratio * reach * (3e-5 + pow(step * reach / row_rope(is), 2)) + fabs(row->x) * 1e-9 / step;
            EXPECT_NEAR(row->j[i][dof], difference, bound, "%s %d, row %d: the document's J of body %d, %d",
                        cases[c].name, state, row->axis, i, dof);
            double apart[2];
            rig_apart(is, 0, 1, apart); // the lever of A goes as far as B's anchor
            const double exact = 8e-9 * (reach + hypot(apart[0], apart[1])) * ratio;
            EXPECT_NEAR(solver, row->j[i][dof], exact, "%s %d, row %d: the solver's J of body %d, %d", cases[c].name,
                        state, row->axis, i, dof);
            worst = fmax(worst, fabs(solver - row->j[i][dof]) / reach);
        }
    }
    return worst;
}

static void test_jacobians_are_derivatives_of_positions(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; ++c) {
        rng random = {c};
        double worst = 0;
        for (int i = 0; i < STATES; ++i) {
            const iso_joint_def def = case_def(c);
            rig is = rig_make(&random, &def);
            rig_row rows[RIG_ROWS];
            const uint32_t count = rig_rows(&is, rows);
            for (uint32_t r = 0; r < count; ++r) {
                const double reach = 60 * fmax(1, fabs(from_fix(is.def.ratio)));
                if (is.def.kind == ISO_JOINT_WHEEL && rows[r].axis == 2) {
                    continue; // a motor has no position; its J is that of the prismatic joint's angle
                }
                EXPECT_NEAR(rig_position(&is, &rows[r]), rows[r].x, 1e-8 * reach, "%s %d: position of row %u",
                            cases[c].name, i, r);
                rig_merge(&is, &rows[r]);
                worst = fmax(worst, rig_check_jacobian(&is, &rows[r], c, i));
            }
            world_free(is.world);
        }
        print_message("%s: J is off by at most %.1e per metre of lever\n", cases[c].name, worst);
    }
}

// ---- K and one solve -----------------------------------------------------------------------------

/// What J M^-1 J^T / sigma may be off by: t is kept in Q9.22.
static double row_mass_error(const rig *is, const rig_row *row) {
    return row->is_angle ? 0 : 4 * rig_whip(is, row) / 4194304.0;
}

/// 1/K of a row as the solver has it, and as the derivation has it; of a point the row's own entry of its inverse.
static double row_inverse(const rig *is, const rig_row *rows, uint32_t r, double *expected, double *bound) {
    const double sigma = rig_sigma(is, &rows[r]), k = rig_mass(is, &rows[r], &rows[r]) / sigma;
    if (rows[r].axis >= 0) {
        const iso__plane_axis *axis = &is->work->axes[rows[r].axis];
        *expected = 1 / k;
        const double reduced = axis->term_count > 2 ? QUANTUM_WIDE * sigma : 0; // a pulley's shares come from 1/sigma
        *bound = *expected * (1e-7 + reduced + *expected * (1e-8 + row_mass_error(is, &rows[r]))) + 1e-9;
        return ldexp((double)axis->base.inverse, -axis->base.fraction);
    }
    const double xy = rig_mass(is, &rows[0], &rows[1]) / sigma,
                 other = rig_mass(is, &rows[1 - r], &rows[1 - r]) / sigma;
    *expected = other / (k * other - xy * xy);
    *bound = 1e-7 + row_mass_error(is, &rows[0]) + row_mass_error(is, &rows[1]);
    return ldexp((double)(r == 0 ? is->work->point.row.inverse.i11 : is->work->point.row.inverse.i22), -62);
}

static void test_effective_masses_are_j_m_j(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; ++c) {
        rng random = {100 + c};
        double worst = 0;
        for (int i = 0; i < STATES; ++i) {
            const iso_joint_def def = case_def(c);
            rig is = rig_make(&random, &def);
            rig_row rows[RIG_ROWS];
            const uint32_t count = rig_rows(&is, rows);
            for (uint32_t r = 0; r < count; ++r) {
                rig_merge(&is, &rows[r]);
            }
            for (uint32_t r = 0; r < count; ++r) {
                double expected, bound;
                const double found = row_inverse(&is, rows, r, &expected, &bound);
                EXPECT_NEAR(found, expected, bound, "%s %d: 1/K of row %u", cases[c].name, i, r);
                worst = fmax(worst, fabs(found - expected) / bound);
            }
            world_free(is.world);
        }
        print_message("%s: 1/K is off by at most %.2f of what rounding allows\n", cases[c].name, worst);
    }
}

/// Makes an axis keep its speed at 0 with whatever impulse it takes.
static void axis_make_brake(iso__plane_axis *axis) {
    axis->base.rows = 1u << ISO__AXIS_MOTOR;
    axis->base.speed = 0;
    axis->base.motor_max = ISO__AXIS_IMPULSE_MAX;
    memset(axis->base.impulse, 0, sizeof axis->base.impulse);
}

/// Bound: half a quantum of each velocity, K times half a quantum of the impulse, 1e-8 of the speed for unit vectors.
static void check_speed_left(const rig *is, const rig_row *row, double before, const char *name, int state,
                             double *worst) {
    const double k = rig_mass(is, row, row) / rig_sigma(is, row);
    double largest = 0; // of the velocities' parts
    for (int i = 0; i < RIG_BODIES; ++i) {
        largest = fmax(largest, fabs(row->j[i][0]) + fabs(row->j[i][1]) + fabs(row->j[i][2]));
    }
    const double bound = 1.1 * rig_rounding(is, row) + k * QUANTUM_WIDE + 1e-8 * (fabs(before) + 5 * largest);
    EXPECT_NEAR(rig_speed(is, row), 0, bound, "%s %d: speed of row %d after one solve, from %g", name, state, row->axis,
                before);
    *worst = fmax(*worst, fabs(rig_speed(is, row)) / bound);
}

static void test_one_solve_leaves_no_speed(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; ++c) {
        rng random = {200 + c};
        double worst = 0;
        for (int i = 0; i < STATES; ++i) {
            const iso_joint_def def = case_def(c);
            rig is = rig_make(&random, &def);
            rig_row rows[RIG_ROWS];
            const uint32_t count = rig_rows(&is, rows);
            for (uint32_t r = 0; r < count; ++r) {
                rig_merge(&is, &rows[r]);
            }
            for (uint32_t r = 0; r < count; ++r) {
                rig_reset(&is);
                rig_set_random_motion(&is, &random);
                const double before = rig_speed(&is, &rows[r]);
                if (rows[r].axis >= 0) {
                    axis_make_brake(&is.work->axes[rows[r].axis]);
                    iso__plane_axis_solve(is.scratch, &is.work->axes[rows[r].axis], true);
                } else {
                    is.work->point.is_soft = false; // the drive of a motor joint is
                    iso__plane_point_solve(is.scratch, is.work, true);
                }
                check_speed_left(&is, &rows[r], before, cases[c].name, i, &worst);
            }
            world_free(is.world);
        }
        print_message("%s: one solve leaves at most %.2f of what rounding allows\n", cases[c].name, worst);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobians_are_derivatives_of_positions),
        cmocka_unit_test(test_effective_masses_are_j_m_j),
        cmocka_unit_test(test_one_solve_leaves_no_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
