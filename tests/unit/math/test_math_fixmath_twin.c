// The fallbacks of fixmath.c under names of their own, so that one program holds both variants.
#define ISO_NO_LIBFIXMATH
#define iso_fix16_mul       twin_fix16_mul
#define iso_fix16_div       twin_fix16_div
#define iso_fix16_sqrt      twin_fix16_sqrt
#define iso_fix16_sadd      twin_fix16_sadd
#define iso_fix16_ssub      twin_fix16_ssub
#define iso_fix16_smul      twin_fix16_smul
#define iso_fix16_sdiv      twin_fix16_sdiv
#define iso_fix16_from_text twin_fix16_from_text
#define iso_fix16_to_text   twin_fix16_to_text
#include "math/fixmath.c"
