/// The filter joint keeps two bodies from colliding. It has no rows and connects no island; contacts of its bodies are
/// left out as those of all joined bodies are (plane/dynamics/collide.c).
#include "base/assert.h"
#include "plane/joint/kind.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

static void filter_prepare(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_work *work) {
    (void)&plane->world;
    (void)joint;
    (void)work;
    ISO_ASSERT(false); // it has no rows to prepare, see iso__plane_joint_connects
}

static void filter_update(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    (void)scratch;
    (void)work;
}

static void filter_measure(const iso__plane *plane, const iso__plane_joint *joint, iso__plane_joint_measure *measure) {
    (void)&plane->world;
    (void)joint;
    *measure = (iso__plane_joint_measure){0};
}

/// Bodies that collide and do not would be a contradiction.
static bool filter_check(const iso_joint_def *def) {
    return !def->collide_connected;
}

const iso__plane_joint_kind iso__plane_kind_filter = {
    .prepare = filter_prepare, .update = filter_update, .measure = filter_measure, .check = filter_check};
