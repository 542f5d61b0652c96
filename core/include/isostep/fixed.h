/// The number formats of the public interface and the arithmetic a game needs to stay deterministic.
///
/// A game's rules run inside the simulation and may use no floating point. Everything here is exact integer arithmetic
/// with documented rounding: the same bits on every processor, compiler and optimisation level. No function keeps
/// state, allocates or fails; results that cannot be represented saturate, as documented for each function. All may be
/// called anywhere, from any thread.
///
///   fix16_t       Q15.16 in 32 bits  lengths and positions in a body's frame, ratios, limits; the type of libfixmath
///   iso_wide      Q31.32 in 64 bits  positions, angles and velocities in the world, masses, forces, impulses, energies
///   iso_rotation  Q2.30  in 32 bits  cosine and sine
///
/// Angles are radians in every definition, view, query and command. The state counts them in turns (2^32 quanta are one
/// turn, so wrapping is free), and so do the functions here that say so. Errors and how they were measured:
/// core/NUMERICS.md.
#ifndef ISOSTEP_FIXED_H
#define ISOSTEP_FIXED_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Q15.16: 65536 is one; ±32768 in steps of 1.5e-5. Identical to libfixmath's type of this name.
typedef int32_t fix16_t;

/// Q31.32: 2^32 is one; ±2147483648 in steps of 2.3e-10.
typedef int64_t iso_wide;

/// A rotation by its cosine and sine, Q2.30: 2^30 is one. Each component is within ±2^30.
typedef struct iso_rotation {
    int32_t c; // cosine
    int32_t s; // sine
} iso_rotation;

#define ISO_FIX16_ONE ((fix16_t)65536)
#define ISO_FIX16_PI  ((fix16_t)205887)
#define ISO_FIX16_MAX INT32_MAX
#define ISO_FIX16_MIN INT32_MIN
/// What iso_fix16_mul and iso_fix16_div return when the result does not fit.
#define ISO_FIX16_OVERFLOW INT32_MIN

#define ISO_WIDE_ONE    ((iso_wide)4294967296)
#define ISO_WIDE_HALF   ((iso_wide)2147483648)
#define ISO_WIDE_PI     ((iso_wide)13493037705) // pi, 0.48 quanta too large
#define ISO_WIDE_TWO_PI ((iso_wide)26986075409) // 2 pi, 0.04 quanta too small
#define ISO_WIDE_MAX    INT64_MAX
#define ISO_WIDE_MIN    INT64_MIN

#define ISO_ROTATION_ONE ((int32_t)1073741824)

// ---- Q31.32 --------------------------------------------------------------------------------------

/// The same number as Q31.32. Exact.
static inline iso_wide iso_wide_from_fix16(fix16_t value) {
    return (iso_wide)value * 65536;
}

/// A whole number as Q31.32. Exact.
static inline iso_wide iso_wide_from_int(int32_t value) {
    return (iso_wide)value * ISO_WIDE_ONE;
}

/// The nearest Q15.16; a half is rounded up (towards plus infinity). Saturates.
fix16_t iso_fix16_from_wide(iso_wide value);

/// a + b and a - b, saturating.
iso_wide iso_wide_add(iso_wide a, iso_wide b);
iso_wide iso_wide_sub(iso_wide a, iso_wide b);

/// a * b with one rounding to nearest; a half is rounded up. Saturates.
iso_wide iso_wide_mul(iso_wide a, iso_wide b);

/// a / b with one rounding to nearest; a half is rounded away from zero. Saturates.
/// Division by zero saturates by the sign of a; 0 / 0 is 0.
iso_wide iso_wide_div(iso_wide a, iso_wide b);

/// The largest number whose square is not above `value`: the root, rounded down. 0 for negative values.
iso_wide iso_wide_sqrt(iso_wide value);

/// sqrt(x^2 + y^2), rounded down. Saturates.
iso_wide iso_wide_hypot(iso_wide x, iso_wide y);

/// e to the power of `value`. Within 1 quantum for results up to 2^27, within 2^-59 of larger results.
/// Saturates above 31 ln 2 = 21.487; 0 below -22.873.
iso_wide iso_wide_exp(iso_wide value);

/// The angle of the vector (x, y) in turns, in (-0.5, 0.5]. Within 1 quantum. 0 for the zero vector.
/// x and y may have any format that they share.
iso_wide iso_wide_atan2(iso_wide y, iso_wide x);

/// Radians to turns and back, rounded to nearest, a half up. Radians have the finer resolution: converting turns to
/// radians and back gives the same turns, within ±341,782,637 turns; beyond, the radians saturate.
iso_wide iso_turns_from_radians(iso_wide radians);
iso_wide iso_radians_from_turns(iso_wide turns);

// ---- rotations -----------------------------------------------------------------------------------

/// Cosine and sine of an angle in turns: 2^32 is one turn, so the argument is the low half of a Q31.32 angle.
/// Each component is within 0.9 quanta (8.4e-10); exact at quarter turns; the eight octants mirror each other
/// bit for bit. No state; about 10 ns.
iso_rotation iso_rotation_make(uint32_t turns);

/// The rotation a followed by b (they commute). Rounded to nearest, each component clamped to ±1.
iso_rotation iso_rotation_mul(iso_rotation a, iso_rotation b);

/// The rotation b seen from a: the inverse of a, followed by b.
iso_rotation iso_rotation_inv_mul(iso_rotation a, iso_rotation b);

// ---- Q15.16 --------------------------------------------------------------------------------------

/// a * b, rounded to nearest, a half away from zero. ISO_FIX16_OVERFLOW when it does not fit.
fix16_t iso_fix16_mul(fix16_t a, fix16_t b);

/// a / b, rounded to nearest, a half away from zero. ISO_FIX16_MIN for b = 0; ISO_FIX16_OVERFLOW when it does not fit.
fix16_t iso_fix16_div(fix16_t a, fix16_t b);

/// The square root, rounded to nearest; of a negative value the negated root of its magnitude.
fix16_t iso_fix16_sqrt(fix16_t value);

/// a + b, a - b, a * b, a / b; saturating.
/// iso_fix16_sdiv saturates by the sign of a when b = 0; 0 / 0 gives ISO_FIX16_MAX.
fix16_t iso_fix16_sadd(fix16_t a, fix16_t b);
fix16_t iso_fix16_ssub(fix16_t a, fix16_t b);
fix16_t iso_fix16_smul(fix16_t a, fix16_t b);
fix16_t iso_fix16_sdiv(fix16_t a, fix16_t b);

// ---- text ----------------------------------------------------------------------------------------

/// Enough for the text of any number, with its terminating zero.
#define ISO_FIX16_TEXT_SIZE 16
#define ISO_WIDE_TEXT_SIZE  24

/// Reads a decimal number: optional sign, digits, optional fraction of at most five digits, nothing else. At
/// least one digit before or after the point. Rounded to nearest.
///
/// @param text   `size` characters, need not end with a zero
/// @param value  written only on success
/// @return ISO_OK; ISO_ERR_MALFORMED; ISO_ERR_RANGE (also for a longer fraction)
iso_status iso_fix16_from_text(const char *text, size_t size, fix16_t *value);

/// Writes the value with five decimals, which iso_fix16_from_text reads back to the same bits.
///
/// @param text  room for ISO_FIX16_TEXT_SIZE characters; ends with a zero
/// @return the number of characters before the zero
size_t iso_fix16_to_text(fix16_t value, char *text);

/// Reads a decimal number: optional sign, digits, optional fraction, optional exponent (e or E, optional sign,
/// digits), nothing else. At least one digit before or after the point. The value is converted exactly with a
/// single rounding to nearest, a half away from zero, however many digits there are.
///
/// @param text   `size` characters, need not end with a zero
/// @param value  written only on success
/// @return ISO_OK; ISO_ERR_MALFORMED; ISO_ERR_RANGE (rounds to something outside Q31.32)
iso_status iso_wide_from_text(const char *text, size_t size, iso_wide *value);

/// Writes the value with at most ten decimals (rounded to nearest), without trailing zeros, without exponent.
/// Ten decimals are enough for iso_wide_from_text to read the same bits back.
///
/// @param text  room for ISO_WIDE_TEXT_SIZE characters; ends with a zero
/// @return the number of characters before the zero
size_t iso_wide_to_text(iso_wide value, char *text);

#ifdef __cplusplus
}
#endif

#endif
