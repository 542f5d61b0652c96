/// A joint of any kind in a random state, set up as within a step, and the same rows once more in double precision,
/// from the formulas of the source documents with their slips corrected.
#ifndef TEST_JOINT_RIG_H
#define TEST_JOINT_RIG_H

#include "joint_util.h"

#include "world/world.h"
#include "plane/joint/axis.h"
#include "plane/joint/joint_step.h"
#include "plane/joint/kind.h"
#include "plane/joint/plain.h"
#include "plane/joint/point.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"
#include "plane/world/joint_mass.h"

#define RIG_BODIES 4
#define RIG_ROWS   4

/// A body as a joint has it: A, B, C, D.
typedef struct rig_role {
    uint32_t index;       // def.body_capacity for the world, or for none
    double mass, inertia; // 0: infinite
    double radius;        // L [m]
    double x, y;          // centre of mass, from B's [m]
    double rx, ry;        // lever of the anchor [m]
} rig_role;

typedef struct rig {
    iso_world *world;
    iso__plane_step_scratch *scratch;
    iso__plane_joint_work *work;
    iso_joint_def def;
    rig_role roles[RIG_BODIES];
} rig;

/// One row in double.
typedef struct rig_row {
    int axis; // of the joint's axes; -1, -2: x and y of its point
    bool is_angle;
    double x;                // [m] or [rad]
    double j[RIG_BODIES][3]; // J of vx, vy, w of each role
} rig_row;

// ---- random states -------------------------------------------------------------------------------

/// A body's centre of mass is anywhere in it.
static inline iso_shape_def rig_shape(rng *random) {
    const double size = 0.05 * pow(200, rng_range(random, 0, 1));
    iso_shape_def def =
        rng_below(random, 3) == 0 ? shape_circle(size) : shape_box(size, size * rng_range(random, 0.3, 1));
    // Masses from grams to tonnes.
    const double density = pow(10, rng_range(random, -2, 4)) / (size * size);
    def.density = fix(fmin(fmax(density, 0.01), fmin(32000, 1e5 / (4 * size * size))));
    def.filter.mask = 0;
    const iso_vec2 centre = {fix(rng_range(random, -size, size)), fix(rng_range(random, -size, size))};
    for (uint32_t i = 0; i < def.point_count; ++i) {
        def.points[i].x += centre.x;
        def.points[i].y += centre.y;
    }
    return def;
}

static inline iso_vec2 rig_anchor(rng *random) {
    const double reach = rng_below(random, 5) ? 2 : 50;
    return (iso_vec2){fix(rng_range(random, -reach, reach)), fix(rng_range(random, -reach, reach))};
}

static inline double rig_ratio(rng *random) {
    return (rng_below(random, 2) ? 1 : -1) * pow(2, rng_range(random, -5, 5));
}

/// Bodies at random, at most 5 m apart; A may be static, and one may not turn. A pulley has two, three or four.
static inline void rig_add_bodies(rig *is, rng *random) {
    const double x = rng_range(random, -29000, 29000), y = rng_range(random, -29000, 29000);
    iso_body_id bodies[RIG_BODIES];
    const bool is_static = rng_below(random, 4) == 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        const iso_shape_def shape = rig_shape(random);
        const iso_body_type type = i == 0 && is_static ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC;
        bodies[i] = body_add_shape(is->world, type, x + rng_range(random, -5, 5), y + rng_range(random, -5, 5),
                                   rng_range(random, -3, 3), &shape);
    }
    if (!is_static && rng_below(random, 8) == 0) {
        iso_body_params params = iso_body_params_default();
        params.fixed_rotation = true;
        EXPECT_STATUS(iso_body_set_params(is->world, bodies[1], &params), ISO_OK);
    }
    const uint32_t shared = rng_below(random, 4);
    is->def.body_a = bodies[0];
    is->def.body_b = bodies[1];
    is->def.body_c = shared & 1 ? bodies[1] : bodies[2];
    is->def.body_d = shared & 2 ? bodies[0] : bodies[3];
    is->def.target = iso_vec2_to_wide((iso_vec2){fix(x), fix(y)});
}

static inline void rig_set_numbers(rig *is, rng *random) {
    iso_joint_def *def = &is->def;
    const bool is_length = (iso_joint_kind_has(def->kind) & ISO_JOINT_HAS_LENGTH) != 0;
    const double turn = rng_range(random, -PI, PI), low = is_length ? 0 : -3;
    def->anchor_a = rig_anchor(random);
    def->anchor_b = rig_anchor(random);
    def->anchor_c = rig_anchor(random);
    def->anchor_d = rig_anchor(random);
    def->axis = (iso_vec2){fix(7 * cos(turn)), fix(7 * sin(turn))};
    def->ratio = fix(rig_ratio(random));
    def->ratchet = fix(rng_range(random, 0.1, 1) * (rng_below(random, 2) ? 1 : -1));
    def->rest = fix(rng_range(random, low, 3));
    def->reference = fix(rng_range(random, -3, 3));
    def->lower = def->upper = fix(rng_range(random, low, 3));
    def->motor_speed = fix(rng_range(random, -3, 3));
    def->motor_max = INT64_MAX;
    def->spring_hertz = fix(rng_range(random, 0.5, 20));
    def->spring_damping_ratio = fix(rng_range(random, 0, 2));
}

/// Brings the scratch of a step to where its bodies are, unmoved since the tick began, with no impulses.
static inline void rig_reset(rig *is) {
    is->scratch = iso__plane_of(is->world)->scratch;
    is->work = &is->scratch->joint_works[0];
    iso__plane_joint_prepare(iso__plane_of(is->world), 0, is->work, is->scratch->axes);
    for (uint32_t i = 0; i < is->world->globals->body_count; ++i) {
        is->scratch->motions[i] =
            (iso__plane_motion){.kind = iso__plane_of(is->world)->bodies[i].type == ISO_BODY_DYNAMIC};
        is->scratch->drifts[i] = (iso__plane_drift){0};
        is->scratch->rotations[i] = iso__plane_of(is->world)->body_derived[i].rotation;
    }
    is->work->point.row.impulse[0] = is->work->point.row.impulse[1] = 0;
    for (uint32_t i = 0; i < is->work->axis_count; ++i) {
        memset(is->work->axes[i].base.impulse, 0, sizeof is->work->axes[i].base.impulse);
    }
    iso__plane_joint_kind_of(is->work->kind)->update(is->scratch, is->work);
}

static inline void rig_read_role(rig *is, int i, uint32_t index, iso_vec2 anchor) {
    rig_role *at = &is->roles[i];
    *at = (rig_role){.index = index, .radius = 1};
    if (index >= is->world->def.body_capacity) {
        at->x = -from_wide(is->work->start[0]);
        at->y = -from_wide(is->work->start[1]);
        return;
    }
    const iso__plane_body_derived *derived = &iso__plane_of(is->world)->body_derived[index];
    const iso__plane_body *body = &iso__plane_of(is->world)->bodies[index],
                          *b = &iso__plane_of(is->world)->bodies[is->work->body_b];
    const iso_body_view view = body_view(is->world, iso_body_next(is->world, index));
    const double c = derived->rotation.c / 1073741824.0, s = derived->rotation.s / 1073741824.0;
    const double x = from_fix(anchor.x), y = from_fix(anchor.y);
    at->radius = ldexp(1, derived->radius_exponent);
    at->mass = from_wide(derived->mass);
    at->inertia = derived->gyration > 0 ? at->mass * at->radius * at->radius / (derived->gyration / 4194304.0) : 0;
    at->x = from_wide(body->position[0] - b->position[0]);
    at->y = from_wide(body->position[1] - b->position[1]);
    at->rx = from_wide(view.position.x - view.centre.x) + c * x - s * y;
    at->ry = from_wide(view.position.y - view.centre.y) + s * x + c * y;
}

/// A world for one joint: thousands of them are made, and the sanitizers pay for each page.
static inline iso_world *rig_world(void) {
    iso_world_def def = world_def_small(0);
    def.body_capacity = def.shape_capacity = def.contact_capacity = def.event_capacity = 16;
    def.joint_capacity = def.custom_joint_capacity = 4;
    def.program_capacity = 1;
    def.kept_body_capacity = 0;
    return world_make(&def);
}

/// A joint of this kind, with the parts that `settings` has switched on.
static inline rig rig_make(rng *random, const iso_joint_def *settings) {
    rig is = {.world = rig_world(), .def = *settings};
    rig_set_numbers(&is, random);
    rig_add_bodies(&is, random);
    if (is.def.kind == ISO_JOINT_WELD) {
        is.def.torque_max = INT64_MAX; // may yield, so that it is held at its anchors
    }
    joint_add(is.world, &is.def);
    world_steps(is.world, 1); // sets the parameters of the step
    rig_reset(&is);
    rig_read_role(&is, 0, is.work->body_a, is.def.anchor_a);
    rig_read_role(&is, 1, is.work->body_b, is.def.anchor_b);
    rig_read_role(&is, 2, is.work->body_c, is.def.anchor_c);
    rig_read_role(&is, 3, is.work->body_d, is.def.anchor_d);
    return is;
}

// ---- the documents' rows -------------------------------------------------------------------------

static inline double cross(double ax, double ay, double bx, double by) {
    return ax * by - ay * bx;
}

static inline double rig_angle(const rig *is, int i) {
    return is->roles[i].index < is->world->def.body_capacity
               ? 2 * PI * from_wide(iso__plane_of(is->world)->bodies[is->roles[i].index].angle)
               : 0;
}

/// From role i's anchor to role k's.
static inline void rig_apart(const rig *is, int i, int k, double apart[2]) {
    const rig_role *a = &is->roles[i], *b = &is->roles[k];
    apart[0] = b->x + b->rx - a->x - a->rx;
    apart[1] = b->y + b->ry - a->y - a->ry;
}

static inline void row_set(rig_row *row, int role, double vx, double vy, double w) {
    row->j[role][0] = vx;
    row->j[role][1] = vy;
    row->j[role][2] = w;
}

/// 001, 3.1: J = [-E, -[r1]x, E, [r2]x].
static inline uint32_t rig_point_rows(const rig *is, rig_row *rows) {
    double apart[2];
    rig_apart(is, 0, 1, apart);
    const rig_role *a = &is->roles[0], *b = &is->roles[1];
    rows[0] = (rig_row){.axis = -1, .x = apart[0]};
    rows[1] = (rig_row){.axis = -2, .x = apart[1]};
    row_set(&rows[0], 0, -1, 0, a->ry);
    row_set(&rows[0], 1, 1, 0, -b->ry);
    row_set(&rows[1], 0, 0, -1, -a->rx);
    row_set(&rows[1], 1, 0, 1, b->rx);
    return 2;
}

/// 001, 3.3: c = rho theta2 - theta1, J = [0, -1, 0, rho].
static inline uint32_t rig_angle_row(const rig *is, int axis, rig_row *row) {
    const bool has_ratio = (iso_joint_kind_has(is->def.kind) & ISO_JOINT_HAS_RATIO) != 0;
    const double ratio = has_ratio ? from_fix(is->def.ratio) : 1;
    *row = (rig_row){.axis = axis, .is_angle = true, .x = ratio * rig_angle(is, 1) - rig_angle(is, 0)};
    row_set(row, 0, 0, 0, -1);
    row_set(row, 1, 0, 0, ratio);
    return 1;
}

/// A rope of `scale` from role i to role k, added to a row: 001, 3.4 and 3.7.
static inline void rig_add_rope(const rig *is, int i, int k, double scale, rig_row *row) {
    double apart[2];
    rig_apart(is, i, k, apart);
    const double length = hypot(apart[0], apart[1]), nx = scale * apart[0] / length, ny = scale * apart[1] / length;
    row_set(row, i, -nx, -ny, -cross(is->roles[i].rx, is->roles[i].ry, nx, ny));
    row_set(row, k, nx, ny, cross(is->roles[k].rx, is->roles[k].ry, nx, ny));
    row->x += scale * length;
}

/// 001, 3.5 with d1 = n.(d + r1), c1 = n x (d + r1): along is n.d, across n x d.
static inline uint32_t rig_line_rows(const rig *is, rig_row *rows) {
    double d[2];
    rig_apart(is, 0, 1, d);
    const rig_role *a = &is->roles[0], *b = &is->roles[1];
    const iso_rotation q = iso__plane_of(is->world)->body_derived[a->index].rotation;
    const double ax = is->def.axis.x, ay = is->def.axis.y, size = hypot(ax, ay) * 1073741824.0;
    const double nx = (q.c * ax - q.s * ay) / size, ny = (q.s * ax + q.c * ay) / size;
    const double rx = d[0] + a->rx, ry = d[1] + a->ry;
    rows[0] = (rig_row){.axis = 0, .x = nx * d[0] + ny * d[1]};
    row_set(&rows[0], 0, -nx, -ny, cross(nx, ny, rx, ry));
    row_set(&rows[0], 1, nx, ny, -cross(nx, ny, b->rx, b->ry));
    rows[1] = (rig_row){.axis = 1, .x = cross(nx, ny, d[0], d[1])};
    row_set(&rows[1], 0, ny, -nx, -(nx * rx + ny * ry));
    row_set(&rows[1], 1, -ny, nx, nx * b->rx + ny * b->ry);
    return 2;
}

/// All rows that the joint has now, by the parts of its kind; none of joints with a constraint (test_custom_joint.c).
/// @return how many
static inline uint32_t rig_rows(const rig *is, rig_row rows[RIG_ROWS]) {
    const uint32_t has = iso_joint_kind_has(is->def.kind);
    const int axes = is->work->axis_count;
    uint32_t count = 0;
    if ((has & ISO_JOINT_IS_CUSTOM) != 0) {
        return 0;
    }
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        rows[0] = (rig_row){0};
        rig_add_rope(is, 0, 1, 1, rows);
        if ((has & ISO_JOINT_HAS_BODIES_CD) != 0) {
            rig_add_rope(is, 2, 3, from_fix(is->def.ratio), rows);
        }
        return 1;
    }
    if ((has & ISO_JOINT_HAS_AXIS) != 0) {
        count = rig_line_rows(is, rows);
        return count + (axes > 2 ? rig_angle_row(is, 2, &rows[count]) : 0);
    }
    count = (has & ISO_JOINT_HAS_POINT) != 0 ? rig_point_rows(is, rows) : 0;
    return count + (axes > 0 ? rig_angle_row(is, 0, &rows[count]) : 0);
}

/// Adds up J of roles that are one body, in the first of them.
static inline void rig_merge(const rig *is, rig_row *row) {
    for (int i = 1; i < RIG_BODIES; ++i) {
        for (int k = 0; k < i; ++k) {
            if (is->roles[k].index == is->roles[i].index && is->roles[i].index < is->world->def.body_capacity) {
                for (int dof = 0; dof < 3; ++dof) {
                    row->j[k][dof] += row->j[i][dof];
                    row->j[i][dof] = 0;
                }
                break;
            }
        }
    }
}

static inline double inverse_of(double value) {
    return value > 0 ? 1 / value : 0;
}

/// J M^-1 K^T of two merged rows: [1/kg], or [1/(kg m^2)] of angles.
static inline double rig_mass(const rig *is, const rig_row *row, const rig_row *other) {
    double k = 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        const double m = inverse_of(is->roles[i].mass), turn = inverse_of(is->roles[i].inertia);
        k += m * (row->j[i][0] * other->j[i][0] + row->j[i][1] * other->j[i][1]) + turn * row->j[i][2] * other->j[i][2];
    }
    return k;
}

/// sigma, the unit of j: of lengths without the arms' part, each role for itself.
static inline double rig_sigma(const rig *is, const rig_row *row) {
    const double ratio = from_fix(is->def.ratio);
    const double a = inverse_of(row->is_angle ? is->roles[0].inertia : is->roles[0].mass);
    const double b = inverse_of(row->is_angle ? is->roles[1].inertia : is->roles[1].mass);
    if (row->is_angle) {
        return a + row->j[1][2] * row->j[1][2] * b;
    }
    return a + b +
           (is->def.kind == ISO_JOINT_PULLEY
                ? ratio * ratio * (inverse_of(is->roles[2].mass) + inverse_of(is->roles[3].mass))
                : 0);
}

// ---- motion --------------------------------------------------------------------------------------

typedef struct twist {
    double v[3]; // vx, vy, w
} twist;

static inline twist rig_get_motion(const rig *is, int i) {
    const iso__plane_motion *motion = &is->scratch->motions[is->roles[i].index];
    if (is->roles[i].index >= is->world->def.body_capacity) {
        return (twist){{0, 0, 0}};
    }
    return (twist){{motion->velocity[0] * QUANTUM_VELOCITY, motion->velocity[1] * QUANTUM_VELOCITY,
                    motion->spin * QUANTUM_VELOCITY / is->roles[i].radius}};
}

/// Velocities that neither a speed limit nor an impulse limit touches.
static inline void rig_set_random_motion(const rig *is, rng *random) {
    for (int i = 0; i < RIG_BODIES; ++i) {
        const rig_role *at = &is->roles[i];
        const double reach = fmax(1, hypot(at->rx, at->ry));
        if (at->index >= is->world->def.body_capacity || at->mass == 0) {
            continue;
        }
        iso__plane_motion *motion = &is->scratch->motions[at->index];
        motion->velocity[0] = (int32_t)lround(rng_range(random, -5, 5) / QUANTUM_VELOCITY);
        motion->velocity[1] = (int32_t)lround(rng_range(random, -5, 5) / QUANTUM_VELOCITY);
        motion->spin =
            at->inertia == 0 ? 0 : (int32_t)lround(rng_range(random, -2, 2) / reach * at->radius / QUANTUM_VELOCITY);
    }
}

/// J v of a merged row.
static inline double rig_speed(const rig *is, const rig_row *row) {
    double speed = 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        const twist moving = rig_get_motion(is, i);
        for (int dof = 0; dof < 3; ++dof) {
            speed += row->j[i][dof] * moving.v[dof];
        }
    }
    return speed;
}

/// What half a quantum of each velocity is in J v.
static inline double rig_rounding(const rig *is, const rig_row *row) {
    double sum = 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        const bool moves = is->roles[i].mass > 0;
        sum += moves ? fabs(row->j[i][0]) + fabs(row->j[i][1]) + fabs(row->j[i][2]) / is->roles[i].radius : 0;
    }
    return sum * QUANTUM_VELOCITY / 2;
}

/// The largest arm per radius of a row's bodies, squared.
static inline double rig_whip(const rig *is, const rig_row *row) {
    double most = 0;
    for (int i = 0; i < RIG_BODIES; ++i) {
        most = fmax(most, is->roles[i].inertia > 0 ? pow(row->j[i][2] / is->roles[i].radius, 2) : 0);
    }
    return most;
}

#endif
