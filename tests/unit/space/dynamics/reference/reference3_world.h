/// The double-precision twin of the step in space, for tests only.
///
/// The same algorithm as the core's, written once more from its formulae: the same order of contacts and joints, soft
/// substeps, warm starting by place, kept manifolds, relax pass, first-order separations, the same splitting of a
/// body's turning. Two things differ on purpose. Every number is a double, so that the distance between the two is the
/// core's rounding. And the rows are written in ordinary units (N s, rad/s, inverse masses and inertias) instead of the
/// core's velocity units, mass shares and scaled spins, so that an error in the core's change of units shows, too.
///
/// Limits: one box per body, about its centre of mass; other shapes as masses that touch nothing; rigid ball joints and
/// hinges without rows on their axes; static and dynamic bodies; no restitution, damping, locks and clamps.
#ifndef ISO_TEST_REFERENCE3_WORLD_H
#define ISO_TEST_REFERENCE3_WORLD_H

#include "unit/space/world/space_util.h"

#define REFERENCE3_BODIES_MAX   256u
#define REFERENCE3_CONTACTS_MAX 2048u
#define REFERENCE3_JOINTS_MAX   64u
#define REFERENCE3_POINTS       4u

typedef struct reference3_body {
    bool is_dynamic, touches; // touches: it has a box
    double half[3];           // [m]
    double friction;
    double inverse_mass; // [1/kg]
    double moments[3];   // [kg m^2] about the body's axes
    int order[3];        // the body's axes, the least moment first
    double size;         // L [m]
    vector position;     // [m]
    double q[4];         // body to world
    vector velocity;     // [m/s]
    vector momentum;     // [kg m^2/s]
    // Within a step:
    matrix rotation;
    matrix give;         // I^-1 in the world at this pose [1/(kg m^2)]
    matrix contact_give; // the same at the pose of the tick's begin
    vector spin, before; // [rad/s] now, and as the momentum had it
    vector moved;        // [m] within the tick
    vector turned;       // [rad]
    uint32_t colours;
} reference3_body;

typedef struct reference3_point {
    vector anchor_a, anchor_b; // [m] from the centres of mass, world orientation
    vector place;              // in the frame of the smaller body
    double separation;         // [m]
    double separation_made;    // [m] at the pose of which the manifold was made
    double impulse;            // [N s]
    double lever;              // [m] from the middle
} reference3_point;

typedef struct reference3_manifold {
    vector normal; // from A to B
    reference3_point points[REFERENCE3_POINTS];
    uint32_t count;
    bool leaves_corners; // not all corners of the patch are among the points
} reference3_manifold;

typedef struct reference3_contact {
    uint32_t body_a, body_b;
    reference3_manifold manifold;
    double friction;
    vector tangents[2];
    vector middle_a, middle_b;
    double rub[2];      // [N s] along the tangents
    vector rub_impulse; // the same in the world, from tick to tick
    double twist;       // [N m s] about the normal
    uint8_t colour;
    bool touches;
    bool has_pose;         // at which its manifold was made:
    vector pose_offset;    // of B from A
    matrix pose_a, pose_b; // their rotations
} reference3_contact;

typedef struct reference3_softness {
    double rate; // mass scale times rate [1/s]
    double mass_scale, impulse_scale;
} reference3_softness;

typedef struct reference3_joint {
    uint32_t body_a, body_b;
    bool is_hinge;
    vector local_a, local_b;       // [m] body frames
    double frame_a[4], frame_b[4]; // from the joint's axes to the bodies' frames
    vector impulse;                // [N s]
    double turn_impulse[2];        // [N m s] along b_A and c_A
    // In this substep:
    vector arm_a, arm_b;
    vector arrived, error;                 // [m]
    vector across[2];                      // b_A, c_A
    double turn_arrived[2], turn_error[2]; // [rad]
} reference3_joint;

typedef struct reference3_world {
    uint32_t substep_count;
    double h; // [s]
    vector gravity;
    reference3_softness contact_soft, static_soft, joint_soft;
    double push;              // [m/s]
    double slop, speculative; // [m]
    double keep_distance;     // [m]
    double keep_angle;        // [rad]
    reference3_body bodies[REFERENCE3_BODIES_MAX];
    uint32_t body_count;
    reference3_joint joints[REFERENCE3_JOINTS_MAX];
    uint32_t joint_count;
    reference3_contact contacts[REFERENCE3_CONTACTS_MAX];
    uint32_t contact_count;
    uint32_t order[REFERENCE3_CONTACTS_MAX]; // of solving
} reference3_world;

void reference3_world_init(reference3_world *world, const iso_world_def *def);
/// @param half  of a box; NULL: it touches nothing, and its mass comes from reference3_body_set_mass
uint32_t reference3_body_create(reference3_world *world, bool is_dynamic, vector position, const double q[4],
                                const double half[3], double density);
void reference3_body_set_mass(reference3_world *world, uint32_t body, double mass, const double moments[3]);
void reference3_body_set_velocity(reference3_world *world, uint32_t body, vector velocity, vector spin);
/// Between the bodies of these indices; anchors and frames are those of the definition.
void reference3_joint_create(reference3_world *world, uint32_t body_a, uint32_t body_b, const iso_joint3_def *def);
void reference3_world_step(reference3_world *world);

/// @name Stages and rows
/// @{
void reference3_body_turn(reference3_body *body, double h);
void reference3_manifold_make(const reference3_world *world, const reference3_body *a, const reference3_body *b,
                              reference3_manifold *manifold);
void reference3_pose_take(const reference3_world *world, const reference3_body *a, const reference3_body *b,
                          reference3_contact *contact);
/// @param contact  out: the old one with its manifold at the present poses, when the bodies are near its pose
bool reference3_pose_keep(const reference3_world *world, const reference3_contact *old, const reference3_body *a,
                          const reference3_body *b, reference3_contact *contact);
void reference3_collide(reference3_world *world);
void reference3_contact_warm_start(reference3_world *world, const reference3_contact *contact);
void reference3_contact_solve(reference3_world *world, reference3_contact *contact, bool is_relax);
void reference3_contact_store(reference3_contact *contact);
void reference3_joint_arrive(const reference3_world *world, reference3_joint *joint);
void reference3_joint_warm_start(reference3_world *world, reference3_joint *joint);
void reference3_joint_solve(reference3_world *world, reference3_joint *joint, bool is_relax);
/// @}

static inline vector scaled(double s, vector a) {
    return (vector){{s * a.x[0], s * a.x[1], s * a.x[2]}};
}

/// R diag(d) R^T.
static inline matrix reference3_tensor(const matrix *R, const double d[3]) {
    matrix is;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            is.m[i][j] =
                R->m[i][0] * d[0] * R->m[j][0] + R->m[i][1] * d[1] * R->m[j][1] + R->m[i][2] * d[2] * R->m[j][2];
        }
    }
    return is;
}

#endif
