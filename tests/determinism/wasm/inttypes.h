/// For the digests as WebAssembly: what they use of <inttypes.h>.
#ifndef DIGEST_WASM_INTTYPES_H
#define DIGEST_WASM_INTTYPES_H

#include <stdint.h>

#define PRIu32 "u"
#define PRIx64 "llx"

#endif
