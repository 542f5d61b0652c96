/// Contacts in space: what touches, where, and how hard; and how a game decides about them within a step.
///
/// The functions are those of worlds with three dimensions; in the plane they find nothing. iso_body_next_contact of
/// contact.h gives the indices of a body's contacts in both kinds of worlds. For threads, and for what is legal within
/// a step, see world.h.
#ifndef ISOSTEP_CONTACT3_H
#define ISOSTEP_CONTACT3_H

#include "isostep/contact.h"
#include "isostep/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_CONTACT3_POINTS_MAX 4

/// A pair of shapes that touch, or are near enough (speculative_distance) to touch within the tick. `index` from 0 to
/// contacts - 1, in key order: bodies, then shapes, then `child`. A pair with a field of heights may have up to four
/// contacts, each with a normal of its own; every other pair has one.
typedef struct iso_contact3_view {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
    uint8_t child;       // of several contacts of a pair, from 0 on; else 0
    uint8_t point_count; // 1 to 4
    bool is_touching;    // the pair, as in contact events; shapes that are only near do not
    iso_wide normal_impulse[ISO_CONTACT3_POINTS_MAX]; // [N s] of the last substep
    iso_vec3_wide friction_impulse;                   // [N s] likewise, on B, across the normal
    iso_wide twist_impulse; // [N m s] likewise, on B, about the normal: what friction does against spinning on the spot
} iso_contact3_view;

/// @return false when there is no such contact.
bool iso_world_get_contact3(const struct iso_world *world, uint32_t index, iso_contact3_view *view);

/// A point where two shapes touch.
typedef struct iso_contact3_point {
    iso_vec3_wide point;     // [m] halfway between the two surfaces
    iso_wide separation;     // [m] between the surfaces, negative where they overlap; up to the speculative distance
    iso_wide approach_speed; // [m/s] at this point along the normal, of the present velocities; negative: they separate
    iso_wide
        normal_impulse; // [N s] on B along the normal in the last substep; 0 for a point that the step did not have
} iso_contact3_point;

typedef struct iso_contact3_manifold {
    iso_unit3 normal;    // from shape A to shape B; (0, 0, 0) without points
    bool is_touching;    // as in the view
    uint8_t point_count; // 0 to 4; 0: the step has separated them
    iso_contact3_point points[ISO_CONTACT3_POINTS_MAX];
    iso_vec3_wide friction_impulse; // as in the view
    iso_wide twist_impulse;
} iso_contact3_manifold;

/// Where and how the shapes of a contact touch at their present poses and velocities: what the next step would begin
/// with. The state contains impulses and where on the smaller body they acted, but no normals, separations or speeds of
/// the last step. These are computed from the present state. With heights it is the child of the same number among
/// those at the present poses. The speed of an impact before the step resolved it is in the event of the contact that
/// begins (event.h). Reads only; the same on every processor, and after a restore or decode. Cost: one collision of the
/// two shapes, 0.2 to 5 µs.
/// @param index  as in iso_world_get_contact3
/// @return false when there is no such contact.
bool iso_world_get_contact3_manifold(const struct iso_world *world, uint32_t index, iso_contact3_manifold *manifold);

/// A contact within a step, as the functions before_contact3 and after_contact3 of a game see it. They are called once
/// a tick for each contact with at least one body that moves, in key order. Contacts of sensors are among them.
///
/// Points, normal and approach speeds are those of the poses and velocities before the step, after its commands. The
/// impulses are, before, those of the last step; after, those of this one's last substep.
typedef struct iso_step_contact3 {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
    uint8_t child;
    iso_contact3_manifold manifold;
    /// [N s] after_contact3: the largest normal impulse of a substep at each point, and of a bounce; a hit may be over
    /// before the last one. 0 in before_contact3.
    iso_wide normal_impulse_max[ISO_CONTACT3_POINTS_MAX];
} iso_step_contact3;

/// What before_contact3 may change. It holds for this tick alone and is no state.
typedef struct iso_contact3_rules {
    /// False: the shapes pass through each other in this tick, as iso_contact_rules of contact.h says of the plane.
    /// False from the start for sensors; then it cannot be set. The children of a pair with heights are asked about one
    /// by one.
    bool is_enabled;
    fix16_t friction;    // at first sqrt(a b) of the shapes'; is clamped to 0 to 7.9
    fix16_t restitution; // at first the larger one of the shapes'; is clamped to 0 to 1
    /// [m/s] in the world's frame, at first 0; the components are clamped to ±80: with friction A's surface carries B
    /// at this velocity, beside A's own. Its part along the normal has no effect.
    iso_vec3 surface_velocity;
} iso_contact3_rules;

#ifdef __cplusplus
}
#endif

#endif
