/// See line.h.
#include "space/joint/line.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "space/joint/axis.h"

void iso__space_line_position(iso__space_joint_work *work, uint32_t n) {
    ISO_VALIDATE_ASSERT(work->is_on_line && n < ISO_JOINT3_AXES);
    const int32_t *d = work->a.axes[0];
    const int64_t *e = work->apart;
    iso__space_axis_set_length(work, n, d, iso__dot3_shift(d[0], e[0], d[1], e[1], d[2], e[2], ISO__UNIT_FRACTION));
}
