#include "peer_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

fix16_t peer_fix(double value) {
    return (fix16_t)lround(value * 65536.0);
}

iso_wide peer_wide(double value) {
    return (iso_wide)llround(value * 4294967296.0);
}

iso_vec2 peer_vec(double x, double y) {
    return (iso_vec2){peer_fix(x), peer_fix(y)};
}

static double from_wide(iso_wide value) {
    return (double)value / 4294967296.0;
}

peer_body peer_disc(double x, double y, double mass, double inertia) {
    return (peer_body){.is_dynamic = true, .x = x, .y = y, .mass = mass, .inertia = inertia};
}

peer_body peer_fixed(double x, double y) {
    return (peer_body){.x = x, .y = y};
}

// ---- our side ------------------------------------------------------------------------------------

static void must(iso_status status) {
    assert_string_equal(iso_status_name(status), iso_status_name(ISO_OK));
}

static iso_body_id add_body(iso_world *world, const peer_body *body) {
    iso_body_def def = iso_body_def_default();
    def.type = body->is_dynamic ? ISO_BODY_DYNAMIC : ISO_BODY_STATIC;
    def.position = iso_vec2_to_wide(peer_vec(body->x, body->y));
    def.angle = iso_wide_from_fix16(peer_fix(body->angle));
    if (body->is_dynamic) {
        def.velocity = iso_vec2_to_wide(peer_vec(body->vx, body->vy));
        def.angular_velocity = iso_wide_from_fix16(peer_fix(body->w));
    }
    iso_body_id id;
    must(iso_body_create(world, &def, &id));
    iso_shape_def circle = iso_shape_def_circle(ISO_FIX16_ONE / 2);
    circle.filter.mask = 0;
    iso_shape_id shape;
    must(iso_shape_create(world, id, &circle, &shape));
    if (body->is_dynamic) {
        must(iso_body_set_mass(world, id, peer_wide(body->mass), peer_wide(body->inertia)));
    }
    return id;
}

peer_rig peer_rig_make(double gravity, uint32_t count, const peer_body *bodies) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = def.shape_capacity = def.joint_capacity = PEER_BODIES;
    def.contact_capacity = 0;
    def.slot_capacity = 0;
    def.gravity = peer_vec(0, gravity);
    def.sleep_speed = 0;
    def.substep_count = PEER_STEPS;
    def.joint_hertz = peer_fix(240);
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    peer_rig rig = {.gravity = gravity, .count = count};
    must(iso_world_create(&def, NULL, memory, size, &rig.world));
    for (uint32_t i = 0; i < count; ++i) {
        rig.bodies[i] = bodies[i];
        rig.ids[i] = add_body(rig.world, &bodies[i]);
    }
    return rig;
}

void peer_rig_join(peer_rig *rig, iso_joint_def def, uint32_t a, uint32_t b) {
    iso_joint_id joint;
    def.body_a = rig->ids[a];
    def.body_b = rig->ids[b];
    must(iso_joint_create(rig->world, &def, &joint));
}

void peer_rig_join_four(peer_rig *rig, iso_joint_def def, const uint32_t bodies[4]) {
    def.body_c = rig->ids[bodies[2]];
    def.body_d = rig->ids[bodies[3]];
    peer_rig_join(rig, def, bodies[0], bodies[1]);
}

void peer_rig_free(peer_rig *rig) {
    free(rig->world); // the world stands at the begin of its memory
}

iso_joint_def peer_joint(iso_joint_kind kind) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = (uint8_t)kind;
    return def;
}

static peer_pose rig_pose(const peer_rig *rig, uint32_t body) {
    iso_body_view view;
    must(iso_body_get(rig->world, rig->ids[body], &view));
    return (peer_pose){
        from_wide(view.position.x), from_wide(view.position.y), from_wide(view.angle_turns) * 2 * PEER_PI,
        from_wide(view.velocity.x), from_wide(view.velocity.y), from_wide(view.angular_velocity)};
}

// ---- springs -------------------------------------------------------------------------------------

static double reduced(double a, double b) {
    return a > 0 && b > 0 ? a * b / (a + b) : a + b;
}

double peer_reduced_mass(const peer_body *a, const peer_body *b) {
    return reduced(a->mass, b->mass);
}

double peer_reduced_inertia(const peer_body *a, const peer_body *b) {
    return reduced(a->inertia, b->inertia);
}

peer_spring peer_spring_of(double stiffness, double damping, double reduced_mass) {
    const double w = sqrt(stiffness / reduced_mass);
    return (peer_spring){w / (2 * PEER_PI), damping / (2 * reduced_mass * w)};
}

// ---- a run ---------------------------------------------------------------------------------------

static void add_sample(peer_trace *trace, const peer_task *task, const peer_pose *poses) {
    trace->x[trace->count++] = task->signal(poses);
}

static void sample(const peer_rig *rig, const peer_engine *engine, const peer_task *task, peer_run *run) {
    peer_pose ours[PEER_BODIES], theirs[PEER_BODIES];
    for (uint32_t i = 0; i < rig->count; ++i) {
        ours[i] = rig_pose(rig, i);
        theirs[i] = engine->pose(engine->world, i);
    }
    add_sample(&run->ours, task, ours);
    add_sample(&run->theirs, task, theirs);
}

void peer_run_task(peer_rig *rig, const peer_engine *engine, const peer_task *task, peer_run *run) {
    const uint32_t ticks = (uint32_t)lround(task->seconds * PEER_TICK_RATE);
    assert_true(ticks <= PEER_SECONDS_MAX * PEER_TICK_RATE);
    run->ours.count = run->theirs.count = 0;
    sample(rig, engine, task, run);
    for (uint32_t t = 0; t < ticks; ++t) {
        double torques[PEER_BODIES] = {0};
        if (task->torque) {
            torques[task->torque_body] = task->torque((double)t / PEER_TICK_RATE);
            must(iso_body_apply_torque(rig->world, rig->ids[task->torque_body], peer_wide(torques[task->torque_body])));
        }
        must(iso_world_step_empty(rig->world));
        for (int i = 0; i < PEER_STEPS; ++i) {
            engine->step(engine->world, torques);
        }
        sample(rig, engine, task, run);
    }
    engine->destroy(engine->world);
    peer_rig_free(rig);
}

// ---- what is read off a run ----------------------------------------------------------------------

#define QUARTER (PEER_TICK_RATE / 4)

double peer_end(const peer_trace *trace) {
    return trace->x[trace->count - 1];
}

double peer_rest(const peer_trace *trace) {
    double sum = 0;
    for (uint32_t i = trace->count - QUARTER; i < trace->count; ++i) {
        sum += trace->x[i];
    }
    return sum / QUARTER;
}

double peer_lowest(const peer_trace *trace) {
    double lowest = trace->x[0];
    for (uint32_t i = 1; i < trace->count; ++i) {
        lowest = fmin(lowest, trace->x[i]);
    }
    return lowest;
}

double peer_highest(const peer_trace *trace) {
    double highest = trace->x[0];
    for (uint32_t i = 1; i < trace->count; ++i) {
        highest = fmax(highest, trace->x[i]);
    }
    return highest;
}

double peer_speed(const peer_trace *trace) {
    return (peer_end(trace) - trace->x[trace->count - 1 - QUARTER]) * PEER_TICK_RATE / QUARTER;
}

double peer_acceleration(const peer_trace *trace) {
    const double seconds = (double)(trace->count - 1) / PEER_TICK_RATE;
    return 2 * (peer_end(trace) - trace->x[0]) / (seconds * seconds);
}

/// Where the trace crosses a level between two samples, counted in ticks.
static double crossing(const peer_trace *trace, uint32_t i, double level) {
    const double before = trace->x[i] - level, after = trace->x[i + 1] - level;
    return i + before / (before - after);
}

double peer_period(const peer_trace *trace) {
    double level = 0, first = 0, last = 0;
    for (uint32_t i = 0; i < trace->count; ++i) {
        level += trace->x[i] / trace->count;
    }
    int count = 0;
    for (uint32_t i = 0; i + 1 < trace->count; ++i) {
        if (trace->x[i] < level && trace->x[i + 1] >= level) {
            last = crossing(trace, i, level);
            first = count++ == 0 ? last : first;
        }
    }
    return count < 3 ? NAN : (last - first) / (count - 1) / PEER_TICK_RATE;
}

double peer_damping(const peer_trace *trace) {
    // Each half wave is exp(-pi z / sqrt(1 - z^2)) of the one before; differences of extremes need no centre.
    double extremes[3];
    int count = 0;
    for (uint32_t i = 1; i + 1 < trace->count && count < 3; ++i) {
        if ((trace->x[i] - trace->x[i - 1]) * (trace->x[i + 1] - trace->x[i]) < 0) {
            extremes[count++] = trace->x[i];
        }
    }
    if (count < 3) {
        return NAN;
    }
    const double shrink = log(fabs(extremes[1] - extremes[0]) / fabs(extremes[2] - extremes[1])) / PEER_PI;
    return shrink / sqrt(1 + shrink * shrink);
}

// ---- the table -----------------------------------------------------------------------------------

void peer_print_head(const char *engine) {
    print_message("%-22s %-26s %10s %10s %10s %10s\n", "kind", "quantity", "ours", engine, "difference", "tolerance");
}

void peer_compare(const char *kind, const char *quantity, const peer_run *run, peer_reader *read, double tolerance,
                  double moved) {
    const double ours = read(&run->ours), theirs = read(&run->theirs);
    print_message("%-22s %-26s %10.5f %10.5f %10.5f %10.5f\n", kind, quantity, ours, theirs, ours - theirs, tolerance);
    const double our_way = peer_highest(&run->ours) - peer_lowest(&run->ours);
    const double their_way = peer_highest(&run->theirs) - peer_lowest(&run->theirs);
    if (!(our_way >= moved && their_way >= moved)) {
        fail_msg("%s, %s: ours moved by %g, theirs by %g, expected at least %g", kind, quantity, our_way, their_way,
                 moved);
    }
    if (!(fabs(ours - theirs) <= tolerance)) {
        fail_msg("%s, %s: ours %.6g, theirs %.6g, more than %g apart", kind, quantity, ours, theirs, tolerance);
    }
}
