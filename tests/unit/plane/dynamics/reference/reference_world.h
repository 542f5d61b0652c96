/// The double-precision twin of the solver, for tests only.
///
/// The same algorithm as the core's, written once more from its formulae: the same order of constraints, soft
/// substeps, warm starting, relax pass, impacts, restitution, first-order separations, features. Two things differ on
/// purpose. Every number is a double, so that the distance between the two is the core's rounding. And the rows
/// are written in ordinary units (N s, rad/s, inverse masses) instead of the core's velocity units and scaled
/// spins, so that an error in the core's change of units shows, too.
///
/// Limits: one shape per body, centred on the body's centre of mass; circles, capsules and sharp polygons; rigid
/// revolute joints; static and dynamic bodies; no clamps of speed or place. A world holds no pointer: assignment copies
/// it.
#ifndef ISO_TEST_REFERENCE_WORLD_H
#define ISO_TEST_REFERENCE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "isostep/world.h"

#define REFERENCE_BODIES_MAX   512u
#define REFERENCE_CONTACTS_MAX 1024u
#define REFERENCE_JOINTS_MAX   64u

typedef struct reference_vec {
    double x, y;
} reference_vec;

static inline reference_vec reference_add(reference_vec a, reference_vec b) {
    return (reference_vec){a.x + b.x, a.y + b.y};
}

static inline reference_vec reference_sub(reference_vec a, reference_vec b) {
    return (reference_vec){a.x - b.x, a.y - b.y};
}

static inline reference_vec reference_scale(double s, reference_vec a) {
    return (reference_vec){s * a.x, s * a.y};
}

static inline double reference_dot(reference_vec a, reference_vec b) {
    return a.x * b.x + a.y * b.y;
}

static inline double reference_cross(reference_vec a, reference_vec b) {
    return a.x * b.y - a.y * b.x;
}

/// A circle has one vertex, its centre; a capsule two.
typedef struct reference_shape {
    uint32_t count;
    bool is_circle;
    reference_vec vertices[ISO_POLYGON_VERTICES_MAX]; // [m] body frame
    reference_vec normals[ISO_POLYGON_VERTICES_MAX];  // of the edge from vertex i to i + 1
    double radius;                                    // [m]
    double friction, restitution;
    iso_filter filter;
} reference_shape;

typedef struct reference_body {
    bool is_dynamic;
    reference_shape shape;
    double inverse_mass;                    // [1/kg]
    double inverse_inertia;                 // [1/(kg m^2)]
    reference_vec position;                 // [m]
    double angle;                           // [rad]
    reference_vec velocity;                 // [m/s]
    double omega;                           // [rad/s]
    double linear_damping, angular_damping; // [1/s]
    double gravity_scale;
    bool lock_x, lock_y; // fixed rotation is an inverse inertia of 0
    reference_vec moved; // [m] within the step
    double turned;       // [rad] within the step
    uint32_t colours;    // taken by its constraints
    bool is_held;        // by a joint or a contact without restitution that touches
} reference_body;

typedef struct reference_point {
    reference_vec anchor_a, anchor_b; // [m] from the centres of mass, world orientation
    double separation;                // [m]
    double separation_made;           // [m] at the pose of which the manifold was made
    uint32_t feature;
    double normal_impulse, tangent_impulse; // [N s]
    double normal_impulse_max;              // of the step
    double approach;                        // [m/s] normal velocity before the step
} reference_point;

typedef struct reference_manifold {
    reference_vec normal; // from A to B
    reference_point points[2];
    uint32_t count;
} reference_manifold;

typedef struct reference_contact {
    uint32_t body_a, body_b;
    reference_manifold manifold;
    double friction, restitution;
    bool is_touching;        // after the last step
    reference_vec apart;     // [m] of B's centre from A's when the manifold was made
    double angle_a, angle_b; // [rad] then
    uint8_t colour;
    bool touches;
    bool is_resolved; // impacts before the substeps, not after them
} reference_contact;

typedef struct reference_softness {
    double rate; // mass scale times rate [1/s]
    double mass_scale, impulse_scale;
} reference_softness;

typedef struct reference_joint {
    uint32_t body_a, body_b;
    bool collide_connected;
    reference_vec local_a, local_b; // [m] body frames
    reference_vec impulse;          // [N s]
    reference_vec arm_a, arm_b;     // [m] in this substep
    reference_vec error;            // [m] in this substep
    iso_joint_def def;              // its numbers and switches
    bool is_length;                 // a distance: the axis alone, without the point
    reference_softness spring;
    reference_vec direction;                          // of a length
    double position, mass;                            // x [m] or [rad], 1 / (J M^-1 J^T), in this substep
    double hold, motor, lower_impulse, upper_impulse; // [N s] or [N m s]; the limits' are not negative
    uint8_t colour;
} reference_joint;

typedef struct reference_settings {
    uint32_t substep_count;
    double h; // [s]
    reference_vec gravity;
    reference_softness contact_soft, static_soft, joint_soft;
    double push;                  // [m/s]
    double restitution_threshold; // [m/s]
    double slop, speculative;     // [m]
    double keep_distance;         // [m]
    double keep_angle;            // [rad]
} reference_settings;

typedef struct reference_world {
    reference_settings settings;
    reference_body bodies[REFERENCE_BODIES_MAX];
    uint32_t body_count;
    reference_joint joints[REFERENCE_JOINTS_MAX];
    uint32_t joint_count;
    reference_contact contacts[REFERENCE_CONTACTS_MAX];
    reference_contact contacts_old[REFERENCE_CONTACTS_MAX];
    uint32_t contact_count;
    uint32_t order[REFERENCE_CONTACTS_MAX + REFERENCE_JOINTS_MAX]; // of solving: joints by index, contacts above them
    uint32_t order_count;
} reference_world;

/// The definitions are those of the core; what the twin does not know fails an assertion.
void reference_world_init(reference_world *world, const iso_world_def *def);
uint32_t reference_body_create(reference_world *world, const iso_body_def *body, const iso_shape_def *shape);
/// The bodies of the definition are ignored in favour of the indices.
void reference_joint_create(reference_world *world, uint32_t body_a, uint32_t body_b, const iso_joint_def *def);
void reference_world_step(reference_world *world);

/// @name Stages and rows
/// @{
void reference_manifold_make(const reference_settings *settings, const reference_body *a, const reference_body *b,
                             reference_manifold *manifold);
void reference_pose_take(const reference_world *world, reference_contact *contact);
bool reference_pose_keep(const reference_world *world, const reference_contact *old, reference_contact *contact);
void reference_pose_store(reference_world *world);
void reference_collide(reference_world *world);
void reference_build_order(reference_world *world);
void reference_contact_warm_start(reference_world *world, const reference_contact *contact);
void reference_contact_solve(reference_world *world, reference_contact *contact, bool is_relax);
void reference_impacts(reference_world *world);
/// Finds which contacts touch, from the impulses of the step.
void reference_contacts_end(reference_world *world);
void reference_contact_restitute(reference_world *world, reference_contact *contact);
void reference_joint_update(reference_world *world, reference_joint *joint);
void reference_joint_warm_start(reference_world *world, const reference_joint *joint);
void reference_joint_solve(reference_world *world, reference_joint *joint, bool is_relax);
void reference_axis_update(reference_world *world, reference_joint *joint);
void reference_axis_warm_start(reference_world *world, const reference_joint *joint);
void reference_axis_solve(reference_world *world, reference_joint *joint, bool is_relax);
/// @}

static inline reference_vec reference_rotate(double angle_cos, double angle_sin, reference_vec a) {
    return (reference_vec){angle_cos * a.x - angle_sin * a.y, angle_sin * a.x + angle_cos * a.y};
}

/// Adds an impulse [N s] at an arm [m] to a body; a static one has no inverse mass.
static inline void reference_body_push(reference_body *body, reference_vec arm, reference_vec impulse) {
    body->velocity = reference_add(body->velocity, reference_scale(body->inverse_mass, impulse));
    body->omega += body->inverse_inertia * reference_cross(arm, impulse);
}

/// The velocity of a body's point relative to another body's.
static inline reference_vec reference_relative_velocity(const reference_body *a, reference_vec arm_a,
                                                        const reference_body *b, reference_vec arm_b) {
    return (reference_vec){(b->velocity.x - b->omega * arm_b.y) - (a->velocity.x - a->omega * arm_a.y),
                           (b->velocity.y + b->omega * arm_b.x) - (a->velocity.y + a->omega * arm_a.x)};
}

#endif
