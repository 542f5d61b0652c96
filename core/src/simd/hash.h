/// The hash of base/hash.h with the registers of an instruction set: the same numbers, sooner for long blocks.
#ifndef ISO_SIMD_HASH_H
#define ISO_SIMD_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/simd.h"

typedef uint64_t iso__hash_fn(const void *bytes, size_t size);

/// @param set  supported by this processor
/// @return iso__hash where the set has none of its own
iso__hash_fn *iso__hash_of(iso_simd set);

/// @name What iso__hash_of chooses from
/// @{
iso__hash_fn iso__hash_avx2, iso__hash_avx512;
/// @}

#endif
