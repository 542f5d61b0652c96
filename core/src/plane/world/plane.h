/// The memory of a world in the plane: what every world has (world/world.h), and its own state, derived data and
/// caches.
#ifndef ISO_PLANE_WORLD_PLANE_H
#define ISO_PLANE_WORLD_PLANE_H

#include "plane/world/records.h"
#include "world/world.h"

/// Derived from a body's type, angle and shapes by iso__plane_body_update_mass and iso__plane_body_update_rotation.
typedef struct iso__plane_body_derived {
    iso_wide mass;           // [kg]; 0 unless dynamic
    iso_wide inertia;        // [kg m^2] about the centre of mass; 0: does not turn
    int32_t local_centre[2]; // [m] Q7.24, body frame
    iso_rotation rotation;   // of the low 32 bits of the angle
    int32_t gyration;        // m L^2 / I, Q9.22; 0: does not turn
    int8_t radius_exponent;  // k of L = 2^k [m], at least the bounding radius; -8 to 6
    uint32_t first_shape;    // list of the body's shapes by ascending index, UINT32_MAX ends
    int32_t core;            // [m] Q7.24: the smallest of its shapes' cores; 0 without shapes
    int32_t swing;           // [m] Q7.24: the largest distance of a shape's vertex from the centre of mass
} iso__plane_body_derived;

/// Derived from a shape's record and its body's local centre.
typedef struct iso__plane_shape_derived {
    int32_t vertices[ISO_POLYGON_VERTICES_MAX][2]; // [m] Q7.24, body frame, relative to the centre of mass
    int32_t normals[ISO_POLYGON_VERTICES_MAX][2];  // Q2.30, of the edge from vertex i to i + 1
    uint32_t next_shape;                           // of the same body, UINT32_MAX ends
    int32_t extent;    // [m] Q7.24, rounded up: largest distance of a point from the centre of mass
    int32_t middle[2]; // [m] Q7.24, body frame, relative to the centre of mass: the mean of the vertices
    int32_t core;      // [m] Q7.24: a disc of this radius about the middle lies in the shape; 0: none is swept
    int64_t
        origin[2]; // [m] Q31.32, body frame: a segment's middle from the centre of mass, where its vertices, extent and
                   // middle count from; else 0
} iso__plane_shape_derived;

/// Forces of the coming tick. Zero between ticks, hence not state.
typedef struct iso__plane_body_force {
    iso_wide force[2]; // [N]
    iso_wide torque;   // [N m]
} iso__plane_body_force;

/// Where a kinematic body is to be at the end of the coming tick.
typedef struct iso__plane_body_move {
    int64_t position[2]; // [m] Q31.32
    int64_t angle;       // [turns] Q31.32
} iso__plane_body_move;

typedef struct iso__plane_step_scratch iso__plane_step_scratch; // plane/world/scratch.h
typedef struct iso__plane_broad_phase iso__plane_broad_phase;   // plane/dynamics/broad_phase.h

typedef struct iso__plane {
    iso_world world; // the first member: a pointer to one is a pointer to the other

    // State.
    iso__plane_body *bodies;
    iso__plane_shape *shapes;
    iso__plane_joint *joints;
    iso__plane_custom_joint *custom_joints; // world.custom_of says which is whose; programs are world.programs
    iso__plane_compound *compounds;
    iso__plane_blueprint *blueprints;
    iso__plane_body *blueprint_bodies;
    iso__plane_shape *blueprint_shapes; // `body` is the index of a blueprint's body
    iso__plane_blueprint_joint *blueprint_joints;
    iso__plane_contact *contacts; // sorted by key: (body a, body b, shape a, shape b, child)

    // Derived.
    iso__plane_body_derived *body_derived;
    iso__plane_shape_derived *shape_derived;

    // Cache, and what one tick needs.
    uint32_t
        *contact_manifolds; // per contact: 1 and the number of its manifold among the last step's, 0: none is known
    iso__plane_body_force *forces;
    iso__plane_body_move *moves;
    uint64_t *move_bits;       // a bit per body that has a move; all clear between ticks
    uint64_t *reshaped;        // a bit per shape that is another, or may touch others, than when its pairs were found
    bool has_changed_rows;     // a joint, or the mass or type of a body, since the step's joints were listed
    bool has_changed_surfaces; // a shape's surface, or an impulse, since the step mixed those of contacts; or all
    iso__plane_broad_phase *broad_phase;
    iso__plane_step_scratch *scratch;
} iso__plane;

static inline iso__plane *iso__plane_of(iso_world *world) {
    ISO_VALIDATE_ASSERT(world->def.dimensions == 2);
    return (iso__plane *)world;
}

static inline const iso__plane *iso__plane_of_const(const iso_world *world) {
    ISO_VALIDATE_ASSERT(world->def.dimensions == 2);
    return (const iso__plane *)world;
}

/// In a function of worlds in the plane: what it returns in others.
#ifdef ISO_ONLY_PLANE // there are no others
#define ISO__PLANE_ONLY(world, ...) \
    do {                            \
    } while (0)
#else
#define ISO__PLANE_ONLY(world, ...)         \
    do {                                    \
        if ((world)->def.dimensions != 2) { \
            return __VA_ARGS__;             \
        }                                   \
    } while (0)
#endif

#endif
