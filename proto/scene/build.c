/// Building a world from a parsed scene: the bodies of the plane, joints, blueprints, and all in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

#define BUILD_SPIN "an angular velocity of at most pi/4 per substep, and 512 m/s divided by the radius' power of two"

#define BUILD_MOTOR "a motor that is no faster than its bodies can turn"
#define BUILD_EXTENT \
    "shapes that are within 60 m of its centre of mass; segments of static bodies may be farther from its origin"

/// Whether a body turns as fast as the scene says, as far as it can turn: shapes may have clamped it.
static bool build_turns(const iso_world *world, iso_body_id id, iso_wide angular_velocity) {
    iso_body_view view = {.angular_velocity = 0};
    const iso_wide quantum = ISO_WIDE_ONE / 64; // more than that of the state
    iso_body_get(world, id, &view);
    const iso_wide off = view.angular_velocity - angular_velocity;
    return view.angular_velocity == 0 || (off <= quantum && off >= -quantum);
}

/// @param body  one of the scene's, or a copy of one
static iso_status build_body(const iso_scene *scene, const iso_scene_body *body, const char *name, iso_world *world,
                             iso_scene_error *error) {
    iso_body_id id;
    iso_status status = iso_body_create(world, &body->def, &id);
    if (status != ISO_OK) {
        const bool turns = status == ISO_ERR_RANGE && body->def.angular_velocity != 0;
        return iso__scene_build_refuse(status, "bodies", body->element, name,
                                       turns ? BUILD_SPIN : "a body that the world takes", error);
    }
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        iso_shape_id shape;
        status = iso_shape_create(world, id, &scene->shapes[body->shape_first + i], &shape);
        if (status != ISO_OK) {
            return iso__scene_build_refuse(
                status, "bodies", body->element, name,
                status == ISO_ERR_GEOMETRY ? BUILD_EXTENT : "shapes whose mass and inertia are in range", error);
        }
    }
    status = body->mass != 0 || body->inertia != 0 ? iso_body_set_mass(world, id, body->mass, body->inertia) : ISO_OK;
    if (status != ISO_OK) {
        return iso__scene_build_refuse(status, "bodies", body->element, name,
                                       "an inertia that fits the mass and the shapes", error);
    }
    if (!build_turns(world, id, body->def.angular_velocity)) {
        return iso__scene_build_refuse(ISO_ERR_RANGE, "bodies", body->element, name, BUILD_SPIN, error);
    }
    return ISO_OK;
}

/// Says which value it is that is too large, and how large it may be. @param most  [rad/s]
static void build_name_motor(const iso_scene_joint *joint, iso_wide most, iso_scene_error *error) {
    char text[ISO_WIDE_TEXT_SIZE], speed[ISO_WIDE_TEXT_SIZE];
    const size_t size = strlen(error->path);
    iso_wide_to_text(most, text);
    iso_wide_to_text(iso_wide_from_fix16(joint->def.motor_speed), speed);
    snprintf(error->expected, sizeof error->expected, BUILD_MOTOR ": a speed of at most %s rad/s", text);
    if (!joint->is_generated) {
        snprintf(error->path + size, sizeof error->path - size, "/motor/speed");
        snprintf(error->value, sizeof error->value, "%s", speed);
    }
}

static iso_status build_joint(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error) {
    const iso_scene_joint *joint = &scene->joints[index];
    iso_joint_def def = joint->def;
    if (joint->body_a != UINT32_MAX) {
        def.body_a = iso_body_next(world, joint->body_a);
    }
    def.body_b = iso_body_next(world, joint->body_b);
    if (joint->body_c != UINT32_MAX) {
        def.body_c = iso_body_next(world, joint->body_c);
    }
    if (joint->body_d != UINT32_MAX) {
        def.body_d = iso_body_next(world, joint->body_d);
    }
    iso_joint_id id;
    iso_status status = iso_joint_create(world, &def, &id);
    static const char motor[] = BUILD_MOTOR;
    const char *expected = "a joint that the world takes";
    iso_wide most = 0;
    if (status == ISO_OK && def.motor_enabled && iso_joint_get_speed_max(world, id, &most) == ISO_OK &&
        iso_wide_from_fix16(def.motor_speed < 0 ? -def.motor_speed : def.motor_speed) > most) {
        status = ISO_ERR_RANGE;
        expected = motor;
    }
    if (status == ISO_OK) {
        return ISO_OK;
    }
    status = iso__scene_build_refuse(status, joint->is_generated ? "bodies" : "joints", joint->element,
                                     iso_scene_body_name(scene, joint->body_b), expected, error);
    if (expected == motor && status == ISO_ERR_SCENE_INVALID && error != NULL) {
        build_name_motor(joint, most, error);
    }
    return status;
}

/// How a blueprint's joints name its bodies.
static iso_body_id build_part(uint32_t body) {
    return body != UINT32_MAX ? (iso_body_id){body, 1} : (iso_body_id){0, 0};
}

/// Whether a blueprint that was refused is accepted without its motors. The world that cannot be built keeps it.
static bool build_goes_without_motors(iso_world *world, const iso_blueprint_def *def, iso_joint_def *joints) {
    bool has_motor = false;
    for (uint32_t i = 0; i < def->joint_count; ++i) {
        has_motor = has_motor || joints[i].motor_enabled;
        joints[i].motor_enabled = false;
    }
    uint32_t added;
    return has_motor && iso_world_add_blueprint(world, def, &added) == ISO_OK;
}

/// Finds a body of a blueprint that alone the world does not take, either, and says what is wrong with it. The world is
/// of no use any more.
/// @param at  where it was to be; NULL: at the origin
static void build_name_part(const iso_scene *parts, const iso_compound_def *at, iso_world *world,
                            iso_scene_error *error) {
    for (uint32_t i = 0; i < parts->body_count && error != NULL; ++i) {
        iso_scene_body part = parts->bodies[i];
        if (at != NULL) {
            const iso_wide turns = iso_turns_from_radians(at->angle), w = at->angular_velocity;
            const iso_vec2_wide arm = iso_vec2_wide_rotate_turns(part.def.position, turns);
            const iso_vec2_wide given = {iso_wide_sub(at->velocity.x, iso_wide_mul(w, arm.y)),
                                         iso_wide_add(at->velocity.y, iso_wide_mul(w, arm.x))};
            part.def.position = iso_vec2_wide_add(at->position, arm);
            part.def.angle = iso_wide_add(part.def.angle, at->angle);
            if (part.def.type != ISO_BODY_STATIC) {
                part.def.velocity = iso_vec2_wide_add(iso_vec2_wide_rotate_turns(part.def.velocity, turns), given);
                part.def.angular_velocity = iso_wide_add(part.def.angular_velocity, w);
            }
        }
        iso_scene_error wrong = {.expected = ""};
        const char *name = iso_scene_body_name(parts, i);
        const iso_status status = build_body(parts, &part, name, world, &wrong);
        if (status != ISO_OK) {
            if (status == ISO_ERR_SCENE_INVALID) {
                snprintf(error->expected, sizeof error->expected, "for the part %.99s %.260s", name, wrong.expected);
            }
            return;
        }
    }
}

/// Adds a blueprint, whose bodies are named by their indices.
static iso_status build_blueprint(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error) {
    const iso_scene *parts = scene->blueprints[index].parts;
    iso_blueprint_body *bodies = calloc(parts->body_count, sizeof *bodies);
    iso_joint_def *joints = calloc(parts->joint_count + 1, sizeof *joints);
    iso_status status = ISO_ERR_MEMORY;
    const char *expected = "bodies and joints that the world takes";
    if (bodies != NULL && joints != NULL) {
        for (uint32_t i = 0; i < parts->body_count; ++i) {
            const iso_scene_body *body = &parts->bodies[i];
            bodies[i] =
                (iso_blueprint_body){body->def, body->mass, body->inertia, body->shape_first, body->shape_count};
        }
        for (uint32_t i = 0; i < parts->joint_count; ++i) {
            const iso_scene_joint *joint = &parts->joints[i];
            joints[i] = joint->def;
            joints[i].body_a = build_part(joint->body_a);
            joints[i].body_b = build_part(joint->body_b);
            joints[i].body_c = build_part(joint->body_c);
            joints[i].body_d = build_part(joint->body_d);
        }
        const iso_blueprint_def def = {scene->blueprints[index].name,
                                       bodies,
                                       parts->body_count,
                                       parts->shapes,
                                       parts->shape_count,
                                       joints,
                                       parts->joint_count};
        uint32_t added;
        status = iso_world_add_blueprint(world, &def, &added);
        expected = status == ISO_ERR_RANGE && build_goes_without_motors(world, &def, joints) ? BUILD_MOTOR : expected;
    }
    free(bodies);
    free(joints);
    if (status == ISO_OK || status == ISO_ERR_MEMORY) {
        return status;
    }
    const iso_status refused =
        iso__scene_build_refuse(status, "blueprints", index, scene->blueprints[index].name, expected, error);
    if (refused == ISO_ERR_SCENE_INVALID) {
        build_name_part(parts, NULL, world, error);
    }
    return refused;
}

iso_status iso_scene_build(const iso_scene *scene, iso_world *world, iso_scene_error *error) {
    if (iso_world_get_def(world)->dimensions != scene->def.dimensions) {
        return ISO_ERR_DIMENSION;
    }
    // In an empty world a body gets the lowest free index, hence its own.
    if (iso_world_get_tick(world) != 0 || iso_body_next(world, 0).generation != 0) {
        return ISO_ERR_STATE;
    }
    for (uint32_t i = 0; i < scene->program_count; ++i) {
        uint32_t index;
        const iso_status status = iso_world_add_program(world, &scene->programs[i], &index);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < scene->heights_count; ++i) {
        uint32_t index;
        const iso_status status = iso_world_add_heights(world, &scene->heights[i], &index);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < scene->blueprint_count; ++i) {
        const iso_status status = build_blueprint(scene, i, world, error);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const iso_status status = scene->def.dimensions == 3 ? iso__scene_build_body3(scene, i, world, error)
                                                             : build_body(scene, &scene->bodies[i],
                                                                          iso_scene_body_name(scene, i), world, error);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < scene->joint_count; ++i) {
        const iso_status status =
            (scene->def.dimensions == 3 ? iso__scene_build_joint3 : build_joint)(scene, i, world, error);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < scene->compound_count; ++i) {
        iso_compound_id id;
        const iso_status status = iso_compound_create(world, &scene->compounds[i], &id);
        if (status != ISO_OK) {
            const iso_scene_blueprint *blueprint = &scene->blueprints[scene->compounds[i].blueprint];
            const iso_status refused =
                iso__scene_build_refuse(status, "compounds", i, blueprint->name,
                                        "a compound whose parts are within the world and not too fast", error);
            if (refused == ISO_ERR_SCENE_INVALID) {
                build_name_part(blueprint->parts, &scene->compounds[i], world, error);
            }
            return refused;
        }
    }
    iso_world_start(world);
    return ISO_OK;
}

iso_status iso_scene_create_world(const iso_scene *scene, const iso_world_def *def, const iso_allocator *allocator,
                                  void **memory, iso_world **world, iso_scene_error *error) {
    def = def != NULL ? def : &scene->def;
    const size_t size = iso_world_size(def, scene->game);
    if (size == 0) {
        return ISO_ERR_RANGE;
    }
    void *block = allocator->allocate(allocator->user, size, 64);
    if (block == NULL) {
        return ISO_ERR_MEMORY;
    }
    iso_world *made = NULL;
    iso_status status = iso_world_create(def, scene->game, block, size, &made);
    if (status == ISO_OK) {
        status = iso_scene_build(scene, made, error);
    }
    if (status != ISO_OK) {
        allocator->release(allocator->user, block, size);
        return status;
    }
    *memory = block;
    *world = made;
    return ISO_OK;
}
