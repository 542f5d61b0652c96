/// A world's definition: defaults and bounds.
#include <stdbool.h>
#include <stddef.h>

#include "isostep/world.h"

iso_world_def iso_world_def_default(void) {
    iso_world_def def = {0};
#define DEF_COUNT(type, name, low, high, otherwise, object, key, unit) def.name = (otherwise);
#define DEF_NUMBER(name, low, high, otherwise, unit)                   def.name = (otherwise);
#define DEF_OTHER(name)
    ISO_WORLD_DEF_LIST(DEF_COUNT, DEF_NUMBER, DEF_OTHER)
#undef DEF_COUNT
#undef DEF_NUMBER
    def.gravity = (iso_vec2){0, -10 * ISO_FIX16_ONE};
    return def;
}

static iso_status def_refuse(const char *name, const char **field) {
    if (field) {
        *field = name;
    }
    return ISO_ERR_RANGE;
}

static bool def_is_within(uint64_t value, uint64_t low, uint64_t high) {
    return value >= low && value <= high;
}

static iso_status def_check_numbers(const iso_world_def *def, const char **field) {
#define DEF_CHECK_COUNT(type, name, low, high, otherwise, object, key, unit) \
    if (!def_is_within(def->name, low, high)) {                              \
        return def_refuse(#name, field);                                     \
    }
#define DEF_CHECK_NUMBER(name, low, high, otherwise, unit) \
    if (def->name < (low) || def->name > (high)) {         \
        return def_refuse(#name, field);                   \
    }
    ISO_WORLD_DEF_LIST(DEF_CHECK_COUNT, DEF_CHECK_NUMBER, DEF_OTHER)
#undef DEF_CHECK_COUNT
#undef DEF_CHECK_NUMBER
    return ISO_OK;
}

iso_status iso_world_def_check(const iso_world_def *def, const char **field) {
    const iso_status status = def_check_numbers(def, field);
    if (status != ISO_OK) {
        return status;
    }
    const int64_t substep_rate = (int64_t)def->tick_rate_hz * def->substep_count;
    if (substep_rate < 60 || substep_rate > 2047) {
        return def_refuse("substep_count", field);
    }
    const int32_t gravity_max = 1000 * ISO_FIX16_ONE;
    if (def->gravity.x < -gravity_max || def->gravity.x > gravity_max || def->gravity.y < -gravity_max ||
        def->gravity.y > gravity_max) {
        return def_refuse("gravity", field);
    }
    if (def->gravity_z < -gravity_max || def->gravity_z > gravity_max ||
        (def->dimensions == 2 && def->gravity_z != 0)) {
        return def_refuse("gravity_z", field);
    }
    if (def->integrator > ISO_INTEGRATOR_RK4 || (def->dimensions == 2 && def->integrator != ISO_INTEGRATOR_SPLIT)) {
        return def_refuse("integrator", field);
    }
    bool has_ended = false;
    for (uint32_t i = 0; i <= ISO_GAME_NAME_MAX; ++i) {
        const char c = def->game[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        if (has_ended ? c != 0 : (c != 0 && !is_letter)) {
            return def_refuse("game", field);
        }
        has_ended = has_ended || c == 0;
    }
    return has_ended ? ISO_OK : def_refuse("game", field);
}
