/// The filter joint keeps two bodies from colliding. It has no rows and connects no island; contacts of its bodies are
/// left out as those of all joined bodies are (dynamics/contact.c).
#include "joint/rows.h"

#include "base/assert.h"

static void filter_prepare(const iso_world *world, const iso__joint *joint, iso__joint_work *work) {
    (void)world;
    (void)joint;
    (void)work;
    ISO_ASSERT(false); // it has no rows to prepare, see iso__joint_connects
}

static void filter_update(const iso__step_scratch *scratch, iso__joint_work *work) {
    (void)scratch;
    (void)work;
}

static void filter_measure(const iso_world *world, const iso__joint *joint, iso__joint_measure *measure) {
    (void)world;
    (void)joint;
    *measure = (iso__joint_measure){0};
}

const iso__joint_kind iso__kind_filter = {filter_prepare, filter_update, filter_measure};
