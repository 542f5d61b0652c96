/// See kind.h.
#include "space/joint/kind.h"

#include "base/assert.h"

const iso__space_joint_kind *iso__space_joint_kind_of(uint8_t kind) {
    static const iso__space_joint_kind *const kinds[] = {
#define KIND_FUNCTIONS(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    [number] = &iso__space_joint_kind_##snake,
        ISO_JOINT3_KIND_LIST(KIND_FUNCTIONS) ISO_JOINT3_CUSTOM_LIST(KIND_FUNCTIONS)
#undef KIND_FUNCTIONS
    };
    ISO_ASSERT(kind < sizeof kinds / sizeof kinds[0] && kinds[kind] != NULL);
    return kinds[kind];
}

uint8_t iso__space_joint_linear_rows(uint8_t kind) {
    static const uint8_t rows[] = {
#define KIND_LINEAR(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = (linear),
        ISO_JOINT3_KIND_LIST(KIND_LINEAR)
#undef KIND_LINEAR
    };
    return kind < sizeof rows ? rows[kind] : 0;
}

uint8_t iso__space_joint_angular_rows(uint8_t kind) {
    static const uint8_t rows[] = {
#define KIND_ANGULAR(name, number, snake, linear, angular, axis0, axis1, axis2, has) [number] = (angular),
        ISO_JOINT3_KIND_LIST(KIND_ANGULAR)
#undef KIND_ANGULAR
    };
    return kind < sizeof rows ? rows[kind] : 0;
}
