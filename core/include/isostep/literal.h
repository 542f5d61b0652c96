/// Constants from literals: ISO_FIX16(0.4) and ISO_WIDE(0.4), for programs on top of the library.
///
/// The compiler computes the value of these macros: no floating-point instruction remains at any level of optimisation,
/// and they may be used in static initialisers, in C17 and in C++17. The core itself does not use such literals; only
/// this file may name floating-point types.
///
///   static const fix16_t friction = ISO_FIX16(0.4);    static const iso_wide mass = ISO_WIDE(-12.5);
///
/// The argument is a literal with or without a sign, or an expression of literals. A variable, or a value outside of
/// the format's range, is a compile-time error.
///
/// A literal is first the binary64 number nearest to its decimals, on every compiler we build with. What is computed
/// from it is exact, so the bits are the same everywhere. It is then rounded once, a half away from zero. These two
/// roundings give the same as a single rounding of the decimals
///   for Q15.16  in the whole range with up to 9 decimals (the format resolves 5);
///   for Q31.32  below 1 with up to 9 decimals, below 128 with 6, below 1,024 with 4, below 16,384 with 3, below 65,536
///               with 2; and everywhere for numbers that binary64 represents exactly, such as halves, quarters and
///               whole numbers.
/// With more decimals the result may be the neighbouring Q31.32 number up to 2^20; beyond, it is within 2^-23 of the
/// decimals. ISO_WIDE_RATIO is exact in the whole range.
///
/// A case label, an enumerator or the size of an array requires an integer constant expression. In strict C, arithmetic
/// with such a literal is not one: compilers accept it, with a warning in pedantic mode. ISO_FIX16_RATIO and
/// ISO_WIDE_RATIO use only integers and may be used there, too.
#ifndef ISOSTEP_LITERAL_H
#define ISOSTEP_LITERAL_H

#include "isostep/fixed.h"

/// A literal as Q15.16: the nearest, a half away from zero.
/// @param literal  above -32768 - 2^-17, below 32768 - 2^-17: what rounds to a number of the format
#define ISO_FIX16(literal)                                                               \
    ISO__LITERAL(fix16_t, ISO__LITERAL_HALVES(ISO__LITERAL_INTEGER((literal)*131072.0)), \
                 (literal) < 32767.99999237060546875 && (literal) > -32768.00000762939453125)

/// A literal as Q31.32: the nearest to its binary64 number, a half away from zero.
/// @param literal  from -2^31, below 2^31
#define ISO_WIDE(literal)                                                                                      \
    ISO__LITERAL(iso_wide,                                                                                     \
                 ISO__LITERAL_INTEGER(literal) * INT64_C(4294967296) +                                         \
                     ISO__LITERAL_HALVES(ISO__LITERAL_INTEGER(ISO__LITERAL_FRACTION(literal) * 8589934592.0)), \
                 (literal) < 2147483648.0 && (literal) >= -2147483648.0)

/// numerator / denominator as Q15.16, the nearest, a half away from zero: ISO_FIX16_RATIO(4, 10).
/// An integer constant expression.
/// @param numerator, denominator  integers, within ±2^45; the denominator is not 0; the result fits
#define ISO_FIX16_RATIO(numerator, denominator)                                                             \
    ISO__LITERAL(fix16_t, ISO__RATIO_FIX16(ISO__LITERAL_INT64(numerator), ISO__LITERAL_INT64(denominator)), \
                 ISO__RATIO_FIX16_FITS(ISO__LITERAL_INT64(numerator), ISO__LITERAL_INT64(denominator)))

/// numerator / denominator as Q31.32, the nearest, a half away from zero: ISO_WIDE_RATIO(2147483647999, 1000).
/// An integer constant expression.
/// @param numerator    any integer
/// @param denominator  an integer within ±2^30, not 0; the quotient is from -2^31, below 2^31
#define ISO_WIDE_RATIO(numerator, denominator)                                                              \
    ISO__LITERAL(iso_wide, ISO__RATIO_WIDE(ISO__LITERAL_INT64(numerator), ISO__LITERAL_INT64(denominator)), \
                 ISO__RATIO_WIDE_FITS(ISO__LITERAL_INT64(numerator), ISO__LITERAL_INT64(denominator)))

// ---- how -----------------------------------------------------------------------------------------

// A product with a power of two is exact, and so is a number less its integer part. Conversion to an integer cuts off
// towards zero; truncating twice the number is enough to round it.
#define ISO__LITERAL_HALVES(halves) (((halves) + ((halves) < 0 ? -1 : 1)) / 2)

#define ISO__RATIO_FIX16(n, d) ISO__LITERAL_HALVES((n)*131072 / (d))
#define ISO__RATIO_FIX16_FITS(n, d)                                                                                    \
    ((n) >= -(INT64_C(1) << 45) && (n) <= INT64_C(1) << 45 && (d) >= -(INT64_C(1) << 45) && (d) <= INT64_C(1) << 45 && \
     ISO__RATIO_FIX16(n, d) >= INT32_MIN && ISO__RATIO_FIX16(n, d) <= INT32_MAX)
// |n % d| < 2^30, so that its product fits. With such a divisor the fraction never rounds up to one.
#define ISO__RATIO_WIDE(n, d) ((n) / (d)*INT64_C(4294967296) + ISO__LITERAL_HALVES((n) % (d)*INT64_C(8589934592) / (d)))
#define ISO__RATIO_WIDE_FITS(n, d)                                                      \
    ((d) >= -(INT64_C(1) << 30) && (d) <= INT64_C(1) << 30 && (n) / (d) <= INT32_MAX && \
     ((n) / (d) > INT32_MIN || ((n) / (d) == INT32_MIN && (n) % (d) == 0)))

#ifdef __cplusplus
#define ISO__LITERAL_INT64(number)      (static_cast<int64_t>(number))
#define ISO__LITERAL_INTEGER(number)    (static_cast<int64_t>(static_cast<double>(number)))
#define ISO__LITERAL_FRACTION(number)   (static_cast<double>(number) - static_cast<double>(ISO__LITERAL_INTEGER(number)))
#define ISO__LITERAL(type, value, fits) (iso__literal<type, (value), (fits)>::number)

/// A template argument must be computed by the compiler.
template <typename type, int64_t value, bool is_in_range> struct iso__literal {
    static_assert(is_in_range, "the literal is out of range");
    static constexpr type number = static_cast<type>(value);
};
#else
#define ISO__LITERAL_INT64(number)    ((int64_t)(number))
#define ISO__LITERAL_INTEGER(number)  ((int64_t)(double)(number))
#define ISO__LITERAL_FRACTION(number) ((double)(number) - (double)ISO__LITERAL_INTEGER(number))
// The width of a bit-field must be known at compile time, and -1 is not allowed.
#define ISO__LITERAL(type, value, fits)                                                                           \
    ((type)((value) + __extension__(0 * (int64_t)sizeof(struct {                                                  \
                                        int literal_is_in_range : __builtin_constant_p(value) && (fits) ? 1 : -1; \
                                    }))))
#endif

#endif
