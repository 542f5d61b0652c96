/// The trace of a simulation, as CSV (RFC 4180).
#include <errno.h>
#include <string.h>

#include "simulate.h"

bool iso__replay_trace_open(replay_trace *trace, const char *path, uint64_t every) {
    *trace = (replay_trace){.path = path, .every = every};
    trace->out = fopen(path, "w");
    if (trace->out == NULL) {
        return iso__replay_fault(path, "made", errno);
    }
    return true;
}

/// A name in quotes when it has a comma, as generated names do.
static void write_name(FILE *out, const char *name) {
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name != 0; ++name) {
        fputs(*name == '"' ? "\"" : "", out);
        fputc(*name, out);
    }
    fputc('"', out);
}

static void write_number(FILE *out, iso_wide value) {
    char text[ISO_WIDE_TEXT_SIZE];
    iso_wide_to_text(value, text);
    fprintf(out, ",%s", text);
}

static void write_vector(FILE *out, iso_vec3_wide v) {
    write_number(out, v.x);
    write_number(out, v.y);
    write_number(out, v.z);
}

static void write_body(FILE *out, const iso_body_view *view) {
    write_number(out, view->position.x);
    write_number(out, view->position.y);
    write_number(out, view->angle);
    write_number(out, view->velocity.x);
    write_number(out, view->velocity.y);
    write_number(out, view->angular_velocity);
}

static void write_body3(FILE *out, const iso_body3_view *view) {
    const iso_quat q = view->rotation;
    const int32_t components[] = {q.x, q.y, q.z, q.w};
    write_vector(out, view->position);
    for (size_t i = 0; i < sizeof components / sizeof components[0]; ++i) {
        write_number(out, (iso_wide)components[i] * (ISO_WIDE_ONE / ISO_ROTATION_ONE));
    }
    write_vector(out, view->velocity);
    write_vector(out, view->angular_velocity);
}

bool iso__replay_trace_write(replay_trace *trace, const iso_world *world, const iso_scene *scene) {
    const uint64_t tick = iso_world_get_tick(world);
    const bool in_space = iso_world_get_def(world)->dimensions == 3;
    if (!trace->has_header) {
        trace->has_header = true;
        fputs(in_space ? "tick,body,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n" : "tick,body,name,x,y,angle,vx,vy,w\n",
              trace->out);
    }
    if (tick % trace->every != 0) {
        return true;
    }
    for (iso_body_id body = iso_body_next(world, 0); body.generation != 0;
         body = iso_body_next(world, body.index + 1)) {
        iso_body_view view;
        iso_body3_view view3;
        if ((in_space ? iso_body3_get(world, body, &view3) : iso_body_get(world, body, &view)) != ISO_OK) {
            continue;
        }
        fprintf(trace->out, "%llu,%u,", (unsigned long long)tick, body.index);
        write_name(trace->out, body.generation == 1 && scene != NULL ? iso_scene_body_name(scene, body.index) : "");
        if (in_space) {
            write_body3(trace->out, &view3);
        } else {
            write_body(trace->out, &view);
        }
        fputc('\n', trace->out);
        // Only now is it known why.
        if (ferror(trace->out) && trace->error == 0) {
            trace->error = errno;
        }
    }
    return trace->error == 0;
}

bool iso__replay_trace_close(replay_trace *trace) {
    const bool closed = fclose(trace->out) == 0;
    const int error = trace->error != 0 ? trace->error : closed ? 0 : errno;
    return error == 0 || iso__replay_fault(trace->path, "written", error);
}
