/// The memory of a world in space: what every world has (world/world.h), whose pointers to records of the plane are
/// NULL, and its own state, derived data and caches.
#ifndef ISO_SPACE_WORLD_SPACE_H
#define ISO_SPACE_WORLD_SPACE_H

#include "space/world/records.h"
#include "world/kernel.h"
#include "world/world.h"

/// Derived from a body's type, rotation and shapes by iso__space_body_derive and iso__space_body_turn.
typedef struct iso__space_body_derived {
    iso_wide mass;           // [kg]; 0 unless dynamic
    int64_t moments[3];      // principal moments of inertia / (m L^2), Q.46, ascending; 0: does not turn
    int64_t gyrations[3];    // their reciprocals m L^2 / I, Q31.32, descending; 0: does not turn
    int32_t frame[4];        // from the principal axes to the body's frame, unit quaternion Q2.30
    int32_t principal[9];    // its matrix, rows
    int32_t local_centre[3]; // [m] Q7.24, body frame
    int32_t rotation[9];     // of the quaternion, body to world, Q2.30, rows
    int32_t extent;          // [m] Q7.24: the largest distance of a shape's point from the centre of mass
    int32_t core;            // [m] Q7.24: the smallest of its shapes' cores; 0 without shapes
    int32_t swing;           // [m] Q7.24: the largest distance of a shape's vertex from the centre of mass
    uint32_t first_shape;    // list of the body's shapes by ascending index, UINT32_MAX ends
    int8_t radius_exponent;  // k of L = 2^k [m], at least the extent; -8 to 6
} iso__space_body_derived;

/// Derived from a shape's record and its body's local centre.
typedef struct iso__space_shape_derived {
    uint32_t next_shape; // of the same body, UINT32_MAX ends
    int32_t extent;      // [m] Q7.24, rounded up: largest distance of a point from the centre of mass; of a plane 0
    int32_t middle[3];   // [m] Q7.24, body frame, relative to the centre of mass: the mean of the vertices
    int32_t core;        // [m] Q7.24: a ball of this radius about the middle lies in the shape; of a plane 0
    int16_t low, high;   // of heights: the lowest and the highest sample, which every query needs; else 0
} iso__space_shape_derived;

/// Forces of the coming tick. Zero between ticks, hence not state.
typedef struct iso__space_body_force {
    iso_wide force[3];  // [N]
    iso_wide torque[3]; // [N m]
} iso__space_body_force;

typedef struct iso__space_scratch iso__space_scratch; // space/world/scratch.h

typedef struct iso__space {
    iso_world world; // the first member: a pointer to one is a pointer to the other

    // State.
    iso__space_body *bodies;
    iso__space_shape *shapes;
    iso__space_joint *joints;
    iso__space_custom_joint *custom_joints; // world.custom_of says which is whose; programs are world.programs
    iso__space_contact *contacts;           // sorted by key: (body a, body b, shape a, shape b, child)
    iso__space_own_mass *own_masses;        // sorted by body: space/world/own_mass.h
    iso__space_height_field *heights;
    iso__space_height_block *height_blocks;

    // Derived.
    iso__space_body_derived *body_derived;
    iso__space_shape_derived *shape_derived;

    // Cache, and what one tick needs.
    iso__space_body_force *forces;
    struct iso__space_hull *hulls;              // per shape of the kind HULL, about the body's centre of mass
    struct iso__space_hull_solids *hull_solids; // of these: integrals that were asked for
    uint64_t *stale_hulls;                      // of these the ones that another image left: a bit per shape
    bool has_stale_hulls;                       // whether there are any
    bool has_stale_pairs;                       // shapes or types of bodies are others than when the pairs were listed
    iso__space_shape *staged_shapes;            // what a snapshot that is being decoded has, or had
    iso__space_scratch *scratch;
} iso__space;

static inline iso__space *iso__space_of(iso_world *world) {
    ISO_VALIDATE_ASSERT(world->kernel->dimensions == 3);
    return (iso__space *)world;
}

static inline const iso__space *iso__space_of_const(const iso_world *world) {
    ISO_VALIDATE_ASSERT(world->kernel->dimensions == 3);
    return (const iso__space *)world;
}

/// Whether the world is one in space and the body alive. @return ISO_OK; ISO_ERR_DIMENSION; ISO_ERR_STALE.
static inline iso_status iso__space_body_find(const iso_world *world, iso_body_id body) {
    return world->kernel->dimensions != 3    ? ISO_ERR_DIMENSION
           : iso__body_is_alive(world, body) ? ISO_OK
                                             : ISO_ERR_STALE;
}

static inline iso_status iso__space_shape_find(const iso_world *world, iso_shape_id shape) {
    return world->kernel->dimensions != 3      ? ISO_ERR_DIMENSION
           : iso__shape_is_alive(world, shape) ? ISO_OK
                                               : ISO_ERR_STALE;
}

static inline iso_status iso__space_joint_find(const iso_world *world, iso_joint_id joint) {
    return world->kernel->dimensions != 3      ? ISO_ERR_DIMENSION
           : iso__joint_is_alive(world, joint) ? ISO_OK
                                               : ISO_ERR_STALE;
}

#endif
