/// A scene for Isostep and for its peers.
#include "bench_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/nearest.h"
#include "isostep/scenes.h"

static char *read_file(const char *path, size_t *size) {
    struct stat info;
    FILE *in = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL; // a FIFO might never end
    char *text = malloc(ISO_SCENE_SIZE_MAX + 1);
    if (in != NULL && text != NULL) {
        *size = fread(text, 1, ISO_SCENE_SIZE_MAX + 1, in);
    }
    const bool ok = in != NULL && text != NULL && *size > 0 && *size <= ISO_SCENE_SIZE_MAX;
    if (in != NULL) {
        fclose(in);
    }
    if (!ok) {
        free(text);
    }
    return ok ? text : NULL;
}

static void list_scenes(const char *name) {
    size_t count;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    char near[ISO_NEAREST_TEXT_SIZE];
    iso_nearest nearest = {0};
    for (size_t i = 0; i < count; ++i) {
        iso_nearest_look(&nearest, name, list[i].name, strlen(list[i].name));
    }
    iso_nearest_ask(&nearest, near);
    fprintf(stderr, "isostep-bench: %s: neither a file nor a built-in scene%s; these are", name, near);
    for (size_t i = 0; i < count; ++i) {
        fprintf(stderr, " %s", list[i].name);
    }
    fprintf(stderr, "\n");
}

iso_scene *bench_scene_read(const char *name, bool may_sleep) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    size_t size = builtin != NULL ? builtin->size : 0;
    char *text = builtin != NULL ? NULL : read_file(name, &size);
    if (builtin == NULL && text == NULL) {
        list_scenes(name);
        return NULL;
    }
    iso_scene *scene = NULL;
    iso_scene_error error = {0};
    if (iso_scene_parse(builtin != NULL ? builtin->text : text, size, iso_games, ISO_GAME_COUNT, &scene, &error) !=
        ISO_OK) {
        char line[768];
        iso_scene_error_format(&error, line, sizeof line);
        fprintf(stderr, "isostep-bench: %s: %s\n", name, line);
        scene = NULL;
    }
    // A step is to be timed, not the rest that follows it; the peers do not sleep either.
    for (uint32_t i = 0; scene != NULL && !may_sleep && i < scene->body_count; ++i) {
        bool *sleeps = scene->bodies3 != NULL ? &scene->bodies3[i].def.params.sleep_enabled
                                              : &scene->bodies[i].def.params.sleep_enabled;
        *sleeps = false;
    }
    free(text);
    return scene;
}

iso_world *bench_scene_world(const iso_scene *scene, void **memory) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_world *world = NULL;
    const iso_status status = iso_scene_create_world(scene, NULL, &allocator, memory, &world, NULL);
    if (status != ISO_OK) {
        fprintf(stderr, "isostep-bench: %s: %s\n", scene->name, iso_status_text(status));
        return NULL;
    }
    (void)iso_world_set_simd(world, iso_environment_simd());
    return world;
}

static double number(fix16_t value) {
    return value / 65536.0;
}

static void convert_shape(const iso_shape_def *def, bench_scene *out, uint32_t index) {
    bench_shape *shape = &out->shapes[index];
    *shape = (bench_shape){.density = number(def->density),
                           .friction = number(def->friction),
                           .restitution = number(def->restitution),
                           .radius = number(def->radius),
                           .category = def->filter.category,
                           .mask = def->filter.mask,
                           .group = def->filter.group,
                           .point_count = def->point_count};
    for (uint32_t i = 0; i < def->point_count; ++i) {
        shape->x[i] = number(def->points[i].x);
        shape->y[i] = number(def->points[i].y);
    }
    switch (def->kind) {
    case ISO_SHAPE_CIRCLE:
        shape->kind = BENCH_CIRCLE;
        break;
    case ISO_SHAPE_POLYGON:
        shape->kind = BENCH_POLYGON;
        break;
    case ISO_SHAPE_CAPSULE:
        shape->kind = BENCH_CAPSULE;
        if (def->radius_b != 0 && def->radius_b != def->radius) {
            out->foreign = "a capsule with two radii";
        }
        break;
    default:
        out->foreign = "a kind of shape";
    }
}

static bool params_are_default(const iso_body_params *params) {
    return params->linear_damping == 0 && params->angular_damping == 0 && params->gravity_scale == ISO_FIX16_ONE &&
           !params->fixed_rotation && !params->lock_x && !params->lock_y;
}

static double wide(iso_wide value) {
    return (double)value / 4294967296.0;
}

static void convert_body(const iso_scene_body *body, bench_scene *scene, bench_body *out) {
    const iso_body_def *def = &body->def;
    if (!params_are_default(&def->params)) {
        scene->foreign = "damping, a gravity of its own, or locks";
    }
    *out = (bench_body){.type = def->type == ISO_BODY_STATIC      ? BENCH_STATIC
                                : def->type == ISO_BODY_KINEMATIC ? BENCH_KINEMATIC
                                                                  : BENCH_DYNAMIC,
                        .x = wide(def->position.x),
                        .y = wide(def->position.y),
                        .angle = wide(def->angle),
                        .vx = wide(def->velocity.x),
                        .vy = wide(def->velocity.y),
                        .w = wide(def->angular_velocity),
                        .shape_first = body->shape_first,
                        .shape_count = body->shape_count};
}

/// What no peer has, or NULL.
static const char *foreign_joint(const iso_joint_def *def) {
    switch ((iso_joint_kind)def->kind) {
    case ISO_JOINT_TARGET:
    case ISO_JOINT_USER:
    case ISO_JOINT_SYMBOLIC:
    case ISO_JOINT_FILTER:
        return "a kind of joint";
    case ISO_JOINT_FRICTION:
    case ISO_JOINT_MOTOR:
        break;
    default:
        if (def->force_max > 0 || def->torque_max > 0 || def->spring_max > 0) {
            return "a joint of limited strength";
        }
    }
    if (def->spring_enabled && (def->spring_stiffness | def->spring_damping) != 0) {
        return "a spring by its stiffness";
    }
    if (def->limit_enabled && def->limit_hertz > 0) {
        return "a soft limit";
    }
    const bool breaks = def->break_force > 0 || def->break_torque > 0 || def->break_error > 0 || def->break_angle > 0;
    return !def->enabled || breaks ? "a joint that breaks or is disabled" : NULL;
}

static void convert_joint(const iso_scene_joint *joint, bench_scene *out) {
    const iso_joint_def *def = &joint->def;
    const char *foreign = foreign_joint(def);
    if (foreign != NULL) {
        out->foreign = foreign;
        return;
    }
    if (out->bodies[joint->body_a].type != BENCH_DYNAMIC && out->bodies[joint->body_b].type != BENCH_DYNAMIC) {
        return; // it does nothing, and not every peer takes it
    }
    const bool is_rod = def->kind == ISO_JOINT_DISTANCE && !def->limit_enabled && !def->spring_enabled;
    const double axis_x = number(def->axis.x), axis_y = number(def->axis.y), length = hypot(axis_x, axis_y);
    out->joints[out->joint_count++] = (bench_joint){.kind = def->kind,
                                                    .body_a = joint->body_a,
                                                    .body_b = joint->body_b,
                                                    .body_c = joint->body_c,
                                                    .body_d = joint->body_d,
                                                    .ax = number(def->anchor_a.x),
                                                    .ay = number(def->anchor_a.y),
                                                    .bx = number(def->anchor_b.x),
                                                    .by = number(def->anchor_b.y),
                                                    .cx = number(def->anchor_c.x),
                                                    .cy = number(def->anchor_c.y),
                                                    .dx = number(def->anchor_d.x),
                                                    .dy = number(def->anchor_d.y),
                                                    .axis_x = length > 0 ? axis_x / length : 1,
                                                    .axis_y = length > 0 ? axis_y / length : 0,
                                                    .collide_connected = def->collide_connected,
                                                    .has_limit = def->limit_enabled || is_rod,
                                                    .lower = number(is_rod ? def->rest : def->lower),
                                                    .upper = number(is_rod ? def->rest : def->upper),
                                                    .has_motor = def->motor_enabled,
                                                    .motor_speed = number(def->motor_speed),
                                                    .motor_max = wide(def->motor_max),
                                                    .has_spring = def->spring_enabled,
                                                    .rest = number(def->rest),
                                                    .spring_hertz = number(def->spring_hertz),
                                                    .spring_damping_ratio = number(def->spring_damping_ratio),
                                                    .ratio = number(def->ratio),
                                                    .reference = number(def->reference),
                                                    .ratchet = number(def->ratchet),
                                                    .force_max = wide(def->force_max),
                                                    .torque_max = wide(def->torque_max)};
}

bool bench_scene_convert(const iso_scene *scene, bench_scene *out) {
    memset(out, 0, sizeof *out);
    if (scene->def.dimensions == 3) {
        out->foreign = "a third dimension";
        return true;
    }
    out->gravity_x = number(scene->def.gravity.x);
    out->gravity_y = number(scene->def.gravity.y);
    out->body_count = scene->body_count;
    out->bodies = calloc(scene->body_count + 1, sizeof *out->bodies);
    out->shapes = calloc(scene->shape_count + 1, sizeof *out->shapes);
    out->joints = calloc(scene->joint_count + 1, sizeof *out->joints);
    if (out->bodies == NULL || out->shapes == NULL || out->joints == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < scene->shape_count; ++i) {
        convert_shape(&scene->shapes[i], out, i);
    }
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        convert_body(&scene->bodies[i], out, &out->bodies[i]);
    }
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        convert_joint(&scene->joints[i], out);
    }
    return true;
}

void bench_scene_free(bench_scene *scene) {
    free(scene->bodies);
    free(scene->shapes);
    free(scene->joints);
}
