/// Joints beside those of other engines: a small machine of a few bodies and a joint in both, what is read off its run,
/// and a line of a table for each quantity that must agree.
///
/// Nothing collides. Both engines take 960 steps a second, so that what is compared is the joint and not the step; the
/// other engine with many iterations. A machine is followed by one number a tick, its signal.
#ifndef TEST_PEER_RIG_H
#define TEST_PEER_RIG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include "isostep/isostep.h"

#ifdef __cplusplus
extern "C" {
#endif

#include <cmocka.h> // does not say so itself

#define PEER_BODIES      4
#define PEER_TICK_RATE   60
#define PEER_STEPS       16 // for a tick
#define PEER_SECONDS_MAX 12
#define PEER_PI          3.14159265358979323846

fix16_t peer_fix(double value);
iso_wide peer_wide(double value);
iso_vec2 peer_vec(double x, double y);

typedef struct peer_body {
    bool is_dynamic;
    double x, y, angle; // [m], [rad]
    double vx, vy, w;   // [m/s], [rad/s]
    double mass, inertia;
} peer_body;

typedef struct peer_pose {
    double x, y, angle, vx, vy, w;
} peer_pose;

/// A disc of this mass and inertia at rest, or one that stands still.
peer_body peer_disc(double x, double y, double mass, double inertia);
peer_body peer_fixed(double x, double y);

// ---- springs -------------------------------------------------------------------------------------

/// What ours takes for a spring.
typedef struct peer_spring {
    double hertz, damping_ratio;
} peer_spring;

/// 1 / (1/a + 1/b) of two masses or inertias; of one alone beside a body that is not dynamic.
double peer_reduced_mass(const peer_body *a, const peer_body *b);
double peer_reduced_inertia(const peer_body *a, const peer_body *b);

/// Of a spring of stiffness k [N/m] or [N m/rad] and damping c [N s/m] or [N m s/rad] between bodies of this reduced
/// mass or inertia m: w = sqrt(k/m), hertz = w / 2 pi, ratio = c / (2 m w). A spring of ours keeps its frequency and
/// not its stiffness when masses change; where anchors lie off the centres m is 1 / (J M^-1 J^T) of the spring's row.
peer_spring peer_spring_of(double stiffness, double damping, double reduced_mass);

// ---- our side ------------------------------------------------------------------------------------

typedef struct peer_rig {
    double gravity;
    uint32_t count;
    peer_body bodies[PEER_BODIES];
    iso_body_id ids[PEER_BODIES];
    iso_world *world;
} peer_rig;

/// A world with this gravity along y [m/s^2], and these bodies.
peer_rig peer_rig_make(double gravity, uint32_t count, const peer_body *bodies);

/// Adds a joint; the bodies' numbers are those of their place in the rig.
void peer_rig_join(peer_rig *rig, iso_joint_def def, uint32_t a, uint32_t b);
/// As above between four bodies.
void peer_rig_join_four(peer_rig *rig, iso_joint_def def, const uint32_t bodies[4]);

void peer_rig_free(peer_rig *rig);

/// A definition of this kind as by default, between the bodies' centres.
iso_joint_def peer_joint(iso_joint_kind kind);

// ---- a run ---------------------------------------------------------------------------------------

/// The other engine's side of a machine.
typedef struct peer_engine {
    const char *name;
    void *world;
    /// One of PEER_STEPS steps of a tick; torques [N m] per body act in it.
    void (*step)(void *world, const double *torques);
    peer_pose (*pose)(void *world, uint32_t body);
    void (*destroy)(void *world);
} peer_engine;

/// What is run, and what of it is looked at.
typedef struct peer_task {
    double seconds;
    double (*signal)(const peer_pose *poses);
    double (*torque)(double time); // [N m] on one body at this time [s], or NULL
    uint32_t torque_body;
} peer_task;

typedef struct peer_trace {
    uint32_t count;
    double x[PEER_SECONDS_MAX * PEER_TICK_RATE + 1]; // the first before the first tick
} peer_trace;

typedef struct peer_run {
    peer_trace ours, theirs;
} peer_run;

/// Runs both sides, and frees them.
void peer_run_task(peer_rig *rig, const peer_engine *engine, const peer_task *task, peer_run *run);

// ---- what is read off a run ----------------------------------------------------------------------
// NaN where a run does not show it, which fails every comparison.

/// The mean of the last quarter of a second, where it rests.
double peer_rest(const peer_trace *trace);
/// The value in the end, of what goes on moving.
double peer_end(const peer_trace *trace);
double peer_lowest(const peer_trace *trace);
double peer_highest(const peer_trace *trace);
/// How fast it changes [1/s] in the last quarter of a second.
double peer_speed(const peer_trace *trace);
/// The even acceleration [1/s^2] that leads from rest to the end.
double peer_acceleration(const peer_trace *trace);
/// The mean time [s] from one upward crossing of the mean to the next.
double peer_period(const peer_trace *trace);
/// The damping ratio of an oscillation about where it ends, by how its first three extremes shrink.
double peer_damping(const peer_trace *trace);

typedef double peer_reader(const peer_trace *trace);

/// Prints one line of the table and fails when the two differ by more than the tolerance, or when one of the signals
/// has not moved by at least `moved`: a machine that stands still agrees with anything.
void peer_compare(const char *kind, const char *quantity, const peer_run *run, peer_reader *read, double tolerance,
                  double moved);
/// The head of the table.
void peer_print_head(const char *engine);

#ifdef __cplusplus
}
#endif

#endif
