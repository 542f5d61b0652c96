/// Instruction sets of the solver.
///
/// A world steps with one of several sets of vector instructions. Which one changes its speed and nothing else: every
/// set gives the same state, bit for bit, so the choice is no part of definition, images, snapshots or hashes.
#ifndef ISOSTEP_SIMD_H
#define ISOSTEP_SIMD_H

#include <stdbool.h>

#include "isostep/status.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum iso_simd {
    ISO_SIMD_PORTABLE, ///< plain C, on every processor
    ISO_SIMD_SSE41,
    ISO_SIMD_AVX2,
    ISO_SIMD_AVX512, ///< F, DQ, BW and VL
    ISO_SIMD_NEON,   ///< 64-bit ARM
    ISO_SIMD_COUNT
} iso_simd;

/// @return "portable", "sse4.1", "avx2", "avx512" or "neon"; "?" for anything else
const char *iso_simd_name(iso_simd set);

/// Finds a set by its name.
///
/// @param name  as of iso_simd_name
/// @param set   is set when there is such a set, whether this processor has it or not
/// @return whether there is one
bool iso_simd_find(const char *name, iso_simd *set);

/// @return whether this build has the set, and processor and operating system support it. Asks the processor each time.
bool iso_simd_is_supported(iso_simd set);

/// @return the fastest supported set, which new worlds use
iso_simd iso_simd_best(void);

/// Chooses the set that the world steps with from now on. Called by the thread that steps the world, between steps.
/// Restoring and decoding leave it as it is. ISO_SIMD in the environment is read by the programs, not by the library.
///
/// @return ISO_OK; ISO_ERR_BAD_ENUM (not a set); ISO_ERR_UNSUPPORTED (iso_simd_is_supported says no).
///         On error the world keeps its set.
iso_status iso_world_set_simd(iso_world *world, iso_simd set);

iso_simd iso_world_get_simd(const iso_world *world);

#ifdef __cplusplus
}
#endif

#endif
