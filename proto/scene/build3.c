/// Building the bodies and joints of a world in space.
#include "scene/internal.h"

/// Gives a body that exists its shapes, its mass and its velocities.
/// @param expected  what the world would have taken instead of what it refused
static iso_status build_fill(const iso_scene *scene, const iso_scene_body3 *body, iso_world *world, iso_body_id id,
                             const char **expected) {
    const iso_wide *m = body->moments;
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        iso_shape_id shape;
        const iso_status status = iso_shape3_create(world, id, &scene->shapes3[body->shape_first + i], &shape);
        if (status != ISO_OK) {
            *expected = status == ISO_ERR_GEOMETRY ? "shapes that are within 60 m of its centre of mass"
                                                   : "shapes with a mass from 2^-16 to 2^17 kg that are not too thin";
            return status;
        }
    }
    if (body->mass != 0 || m[0] != 0 || m[1] != 0 || m[2] != 0) {
        const iso_status status = iso_body3_set_mass(world, id, body->mass, m);
        if (status != ISO_OK) {
            *expected =
                "moments that fit mass and shapes: at most 4 m L^2, and not so small that a push at the body's border "
                "turns it 500 times as much as it moves it";
            return status;
        }
    }
    if (body->def.type == ISO_BODY_STATIC) {
        return ISO_OK;
    }
    *expected = "an angular velocity of at most pi/4 per substep, and 400 m/s divided by the radius' power of two";
    return iso_body3_set_velocity(world, id, body->def.velocity, body->def.angular_velocity);
}

iso_status iso__scene_build_body3(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error) {
    const iso_scene_body3 *body = &scene->bodies3[index];
    const char *expected = "a body that the world takes";
    // It moves once it has its shapes: without them it cannot turn, and how fast it may turn follows from them.
    iso_body3_def def = body->def;
    def.velocity = def.angular_velocity = (iso_vec3_wide){0, 0, 0};
    iso_body_id id;
    iso_status status = iso_body3_create(world, &def, &id);
    if (status == ISO_OK) {
        status = build_fill(scene, body, world, id, &expected);
    }
    return status == ISO_OK ? ISO_OK
                            : iso__scene_build_refuse(status, "bodies", body->element,
                                                      iso_scene_body_name(scene, index), expected, error);
}

iso_status iso__scene_build_joint3(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error) {
    const iso_scene_joint3 *joint = &scene->joints3[index];
    iso_joint3_def def = joint->def;
    if (joint->body_a != UINT32_MAX) {
        def.body_a = iso_body_next(world, joint->body_a);
    }
    def.body_b = iso_body_next(world, joint->body_b);
    iso_joint_id id;
    const iso_status status = iso_joint3_create(world, &def, &id);
    return status == ISO_OK ? ISO_OK
                            : iso__scene_build_refuse(status, joint->is_generated ? "bodies" : "joints", joint->element,
                                                      iso_scene_body_name(scene, joint->body_b),
                                                      "a joint that the world takes", error);
}
