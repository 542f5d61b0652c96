/// For builds without a C library (WebAssembly): what the core uses of <assert.h>.
#ifndef ISO_FREESTANDING_ASSERT_H
#define ISO_FREESTANDING_ASSERT_H

#ifndef __cplusplus
#define static_assert _Static_assert
#endif
#define assert(condition) ((void)0)

#endif
