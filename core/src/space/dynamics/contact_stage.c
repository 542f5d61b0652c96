/// The arms and gains of rows in plain C.
#include "space/dynamics/kernels.h"

#define ISO__LANES_PARTS 1
#include "simd/portable.h"

#include "space/dynamics/contact_stage_kernel.h"

void iso__space_stage_portable(iso__space_stage *stage, iso__space_contact_group *group) {
    kernel_stage(stage, group);
}
