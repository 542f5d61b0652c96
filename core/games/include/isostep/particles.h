/// Particles: cloth, ropes and soft bodies of points, for games.
///
/// A particle has a place and the place where it was a tick ago; the difference is its velocity (Verlet). Links hold
/// two particles at a distance by moving both, rings hold the area that their particles enclose; places that were
/// moved are velocities that were changed, so nothing else has to be kept. Shapes of the world push particles out and
/// hold them by friction; particles do not push back.
///
/// The system is one block of fixed-width fields that a game keeps in its state, with ISO_PARTICLES_FIELDS in its list
/// of fields: so it is in the world's snapshot, hash, difference and recording. The functions are pure: the same bits
/// everywhere. Whatever is in a block that came from a snapshot, stepping it is defined.
#ifndef ISOSTEP_PARTICLES_H
#define ISOSTEP_PARTICLES_H

#include <stddef.h>

#include "isostep/field.h"
#include "isostep/query.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_PARTICLES_MAX      256
#define ISO_PARTICLE_LINKS_MAX 640
#define ISO_PARTICLE_RINGS_MAX 8

#define ISO_PARTICLE_PLACE_MAX_M    32768 // |x|, |y|; beyond it a particle is set back
#define ISO_PARTICLE_STEP_MAX_M     4     // in each component in a tick; what is faster is clamped
#define ISO_PARTICLE_ITERATIONS_MAX 64

/// What the block holds. X(type, name, of how many, field type, count, unit)
#define ISO_PARTICLES_FIELD_LIST(X)                                                             \
    X(int64_t, x, [ISO_PARTICLES_MAX], I64, ISO_PARTICLES_MAX, "m Q31.32")                      \
    X(int64_t, y, [ISO_PARTICLES_MAX], I64, ISO_PARTICLES_MAX, "m Q31.32")                      \
    X(int64_t, x_before, [ISO_PARTICLES_MAX], I64, ISO_PARTICLES_MAX, "m Q31.32")               \
    X(int64_t, y_before, [ISO_PARTICLES_MAX], I64, ISO_PARTICLES_MAX, "m Q31.32")               \
    X(int64_t, link_rest, [ISO_PARTICLE_LINKS_MAX], I64, ISO_PARTICLE_LINKS_MAX, "m Q31.32")    \
    X(int64_t, ring_area, [ISO_PARTICLE_RINGS_MAX], I64, ISO_PARTICLE_RINGS_MAX, "m^2 Q31.32")  \
    X(int32_t, link_stiffness, [ISO_PARTICLE_LINKS_MAX], I32, ISO_PARTICLE_LINKS_MAX, "Q15.16") \
    X(int32_t, ring_stiffness, [ISO_PARTICLE_RINGS_MAX], I32, ISO_PARTICLE_RINGS_MAX, "Q15.16") \
    X(uint32_t, particle_count, , U32, 1, "")                                                   \
    X(uint32_t, link_count, , U32, 1, "")                                                       \
    X(uint32_t, ring_count, , U32, 1, "")                                                       \
    X(uint32_t, links_torn, , U32, 1, "")                                                       \
    X(uint16_t, link_a, [ISO_PARTICLE_LINKS_MAX], U16, ISO_PARTICLE_LINKS_MAX, "")              \
    X(uint16_t, link_b, [ISO_PARTICLE_LINKS_MAX], U16, ISO_PARTICLE_LINKS_MAX, "")              \
    X(uint16_t, ring_first, [ISO_PARTICLE_RINGS_MAX], U16, ISO_PARTICLE_RINGS_MAX, "")          \
    X(uint16_t, ring_size, [ISO_PARTICLE_RINGS_MAX], U16, ISO_PARTICLE_RINGS_MAX, "")           \
    X(uint8_t, pinned, [ISO_PARTICLES_MAX], U8, ISO_PARTICLES_MAX, "")

/// All zero is an empty system. A link that is torn or cut keeps its number and has a rest length of 0.
typedef struct iso_particles {
#define ISO_PARTICLES_DECLARE(type, name, suffix, field, count, unit) type name suffix;
    ISO_PARTICLES_FIELD_LIST(ISO_PARTICLES_DECLARE)
#undef ISO_PARTICLES_DECLARE
} iso_particles;

/// Entries of a game's list of fields for an iso_particles that is the first member of its state:
/// `static const iso_field FIELDS[] = {ISO_PARTICLES_FIELDS {"mine", …}};`
#define ISO_PARTICLES_FIELD(type, name, suffix, field, count, unit) \
    {#name, unit, (uint32_t)offsetof(iso_particles, name), count, ISO_FIELD_##field},
#define ISO_PARTICLES_FIELDS ISO_PARTICLES_FIELD_LIST(ISO_PARTICLES_FIELD)

/// How a system moves. Not state: a game gives the same at every tick, or what follows from its parameters.
typedef struct iso_particle_params {
    uint32_t rate_hz;         // 10 to 128 ticks in a second
    uint32_t iteration_count; // 1 to ISO_PARTICLE_ITERATIONS_MAX passes over links and rings
    iso_vec2 gravity;         // [m/s^2] components within ±1000
    fix16_t damping;          // [1/s] 0 to 1000: v' = v / (1 + h c)
    fix16_t tear_stretch;     // a link longer than this many of its rest lengths tears; at least 1; 0: none does
    fix16_t radius;           // [m] 0.001 to 1: shapes keep a particle's centre this far away
    fix16_t friction;         // 0 to 8, against every shape
    iso_query_filter filter;  // of the shapes that particles meet
} iso_particle_params;

/// 60 Hz, 8 passes, gravity (0, -10), damping 0.2, no tearing, radius 4 cm, friction 0.5, all shapes.
iso_particle_params iso_particle_params_default(void);

/// @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_particle_params_check(const iso_particle_params *params);

/// Adds a particle at rest. @param place  [m] each component within ±ISO_PARTICLE_PLACE_MAX_M
/// @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_CAPACITY. On error nothing changes.
iso_status iso_particles_add(iso_particles *particles, iso_vec2_wide place, bool pinned, uint32_t *index);

/// Holds two particles at the distance that they have now.
/// @param stiffness  0 to 1: the share of the error that one pass takes away
/// @return ISO_OK; ISO_ERR_RANGE (no such particle, both are one, both at one place, stiffness); ISO_ERR_CAPACITY.
iso_status iso_particles_link(iso_particles *particles, uint32_t a, uint32_t b, fix16_t stiffness);

/// Holds the area that `size` particles from `first` on enclose, counter-clockwise, as it is now.
/// @param size       3 or more
/// @param stiffness  as of a link
/// @return ISO_OK; ISO_ERR_RANGE (no such particles, stiffness, an area of 0 or less); ISO_ERR_CAPACITY.
iso_status iso_particles_ring(iso_particles *particles, uint32_t first, uint32_t size, fix16_t stiffness);

/// A pinned particle is moved by iso_particles_move alone. @return ISO_OK; ISO_ERR_RANGE (no such particle).
iso_status iso_particles_pin(iso_particles *particles, uint32_t index, bool pinned);

/// Puts a particle somewhere, at rest. @return ISO_OK; ISO_ERR_RANGE (no such particle, place).
iso_status iso_particles_move(iso_particles *particles, uint32_t index, iso_vec2_wide place);

/// The particle nearest to a place, of several the lowest; false when none is within `reach` [m].
bool iso_particles_find(const iso_particles *particles, iso_vec2_wide place, iso_wide reach, uint32_t *index);

/// Cuts the links that the line between two places crosses or touches.
/// @return the number of links that were cut
uint32_t iso_particles_cut(iso_particles *particles, iso_vec2_wide from, iso_vec2_wide to);

/// One tick: places follow their velocities and gravity; links, then rings, in order, as often as the parameters say;
/// links that are too long tear; shapes push out what is in them. For a game's after_step, where bodies stand where
/// the tick has brought them.
///
/// A particle that is not pinned ends the tick at least `radius` away from every shape, unless it is between two that
/// are nearer to each other than that. What moves farther than its radius in a tick is stopped where it enters a
/// shape, as if shapes stood still. Links are no obstacles: a corner may look out between two particles.
///
/// @param world  whose shapes particles meet, or NULL
/// @return ISO_OK; ISO_ERR_RANGE (parameters): then nothing changes. Linear in links times passes, and in particles
///         times shapes.
/// Source: Verlet; T. Jakobsen, "Advanced character physics", 2001; the area row is C = A - A0, moved along its
/// gradient.
iso_status iso_particles_step(iso_particles *particles, const iso_particle_params *params,
                              const struct iso_world *world);

#ifdef __cplusplus
}
#endif

#endif
