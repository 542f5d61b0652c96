/// Definitions of bodies in space: defaults and static checks. Commands, scenes and iso_body3_create call them.
#include "space/world/body_def.h"

#include "math/fixed_ops.h"
#include "math/quat_check.h"
#include "math/wide128.h"
#include "world/slots.h"

#define BODY3_POSITION_MAX ((uint64_t)ISO_POSITION_MAX_M << ISO__WIDE_FRACTION)
#define BODY3_SPEED_MAX    ((uint64_t)ISO_SPEED3_MAX_M_S << ISO__WIDE_FRACTION)

iso_body3_params iso_body3_params_default(void) {
    iso_body3_params params = {.sleep_enabled = true};
#define BODY3_DEFAULT(name, low, high, otherwise) params.name = (otherwise)*ISO_FIX16_ONE;
    ISO_BODY3_NUMBER_LIST(BODY3_DEFAULT)
#undef BODY3_DEFAULT
    return params;
}

iso_body3_def iso_body3_def_default(void) {
    iso_body3_def def = {0};
    def.type = ISO_BODY_DYNAMIC;
    def.rotation = iso_quat_identity();
    def.owner.slot = ISO_OWNER_NOBODY;
    def.params = iso_body3_params_default();
    return def;
}

iso_status iso_body3_params_check(const iso_body3_params *params) {
    bool is_within = true;
#define BODY3_CHECK(name, low, high, otherwise) \
    is_within = is_within && params->name >= (low)*ISO_FIX16_ONE && params->name <= (high)*ISO_FIX16_ONE;
    ISO_BODY3_NUMBER_LIST(BODY3_CHECK)
#undef BODY3_CHECK
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

static bool body3_is_within(iso_vec3_wide v, uint64_t most) {
    return iso__abs_u64(v.x) <= most && iso__abs_u64(v.y) <= most && iso__abs_u64(v.z) <= most;
}

/// The length, not each component, is bounded: a spin is about one axis. Components within 400 have squares below 2^82.
static bool body3_spin_is_valid(iso_vec3_wide w) {
    if (!body3_is_within(w, BODY3_SPEED_MAX)) {
        return false;
    }
    const iso__int128 squares = iso__int128_add(iso__int128_mul(w.x, w.x),
                                                iso__int128_add(iso__int128_mul(w.y, w.y), iso__int128_mul(w.z, w.z)));
    return iso__int128_compare(squares, iso__int128_mul((int64_t)BODY3_SPEED_MAX, (int64_t)BODY3_SPEED_MAX)) <= 0;
}

iso_status iso__space_body_motion_check(const iso_body3_def *def) {
    if (def->type < ISO_BODY_STATIC || def->type > ISO_BODY_DYNAMIC) {
        return ISO_ERR_BAD_ENUM;
    }
    const iso_quat q = def->rotation;
    const bool is_turned = (q.x | q.y | q.z | q.w) != 0;
    const bool is_within = body3_is_within(def->position, BODY3_POSITION_MAX) &&
                           body3_is_within(def->velocity, BODY3_SPEED_MAX) &&
                           body3_spin_is_valid(def->angular_velocity) && (!is_turned || iso__rotation_is_unit(q));
    return is_within ? ISO_OK : ISO_ERR_RANGE;
}

iso_status iso_body3_def_check(const iso_body3_def *def) {
    const iso_status status = iso__space_body_motion_check(def);
    if (status != ISO_OK) {
        return status;
    }
    return iso__owner_is_valid(def->owner) ? iso_body3_params_check(&def->params) : ISO_ERR_RANGE;
}

bool iso__space_body_moments_are_valid(iso_vec3_wide moments) {
    return (moments.x | moments.y | moments.z) == 0 ||
           (moments.x > 0 && moments.x <= moments.y && moments.y <= moments.z && moments.z - moments.y <= moments.x);
}
