/// The arms and gains of rows in plain C.
#include "dynamics3/kernels3.h"

#define ISO__LANES_PARTS 1
#include "simd/portable.h"

#include "dynamics3/contact_stage_kernel3.h"

void iso__stage3_portable(iso__stage3 *stage, iso__contact3_group *group) {
    kernel_stage(stage, group);
}
