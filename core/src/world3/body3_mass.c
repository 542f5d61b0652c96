/// See body3_mass.h.
#include "world3/body3_mass.h"

#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/jacobi3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "world/body_mass.h"
#include "world/mass.h"
#include "world3/joint3.h"
#include "world3/mass3.h"

#define BODY_EXTENT_MAX   (ISO_SHAPE_EXTENT_MAX_M * ISO__LENGTH_ONE)
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define BODY_SPEED_MAX    (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define BODY_GYRATION_MAX (INT64_C(1) << 48) // 2^16, Q31.32
#define BODY_LEVER_MAX    500                // |G (r x n) / L| of any point and direction
#define MOMENT_FRACTION   46
#define MOMENTUM_FRACTION 40
#define BODY_QUARTER_PI   411775 // pi / 4 in Q12.19: an eighth of a turn in radians

void iso__body3_link_shape(iso__space *space, uint32_t body, uint32_t shape) {
    uint32_t *link = &space->body_derived[body].first_shape;
    while (*link < shape) {
        link = &space->shape_derived[*link].next_shape;
    }
    space->shape_derived[shape].next_shape = *link;
    *link = shape;
}

void iso__body3_unlink_shape(iso__space *space, uint32_t body, uint32_t shape) {
    uint32_t *link = &space->body_derived[body].first_shape;
    while (*link != shape) {
        link = &space->shape_derived[*link].next_shape;
    }
    *link = space->shape_derived[shape].next_shape;
}

static int32_t body_extent(const iso__space *space, uint32_t first_shape, const int32_t centre[3]) {
    int32_t extent = 0;
    for (uint32_t i = first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        extent = iso__max32(extent, iso__shape3_extent(&space->shapes[i], centre));
    }
    return extent;
}

/// Integrates a body's shapes about `centre` in units of 2^exponent. ISO_ERR_RANGE when the mass is out of range.
static iso_status body_sum_mass(const iso__space *space, uint32_t first_shape, const int32_t centre[3],
                                iso__mass3_sums *sums) {
    for (uint32_t i = first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        iso__mass3_add_shape(sums, &space->shapes[i], centre);
        if (sums->mass >= INT64_C(1) << 56) {
            return ISO_ERR_RANGE;
        }
    }
    return ISO_OK;
}

/// Moves a centre by what the integrals about it say, twice, as in the plane: about the origin a small shape far out has
/// few significant bits, about the first result all of them.
/// @param sums  receives the integrals about the centre, if *has_sums becomes true
static iso_status body_find_centre(const iso__space *space, uint32_t first_shape, int32_t centre[3],
                                   iso__mass3_sums *sums, bool *has_sums) {
    *has_sums = false;
    for (int pass = 0; pass < 2 && !*has_sums; ++pass) {
        *sums = (iso__mass3_sums){.exponent = iso__radius_exponent(body_extent(space, first_shape, centre))};
        const iso_status status = body_sum_mass(space, first_shape, centre, sums);
        if (status != ISO_OK || sums->mass == 0) {
            return status;
        }
        int32_t moved = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t shift = iso__div_shift(sums->first[axis], 32, sums->mass);
            const int32_t step = (int32_t)iso__round_shift(shift, (unsigned)(8 - sums->exponent));
            centre[axis] += step;
            moved |= step;
        }
        *has_sums = moved == 0;
    }
    return ISO_OK;
}

/// The mass in kg of sums in units of 2^k. @return false when it is out of range
static bool body_take_mass(const iso__mass3_sums *sums, iso__body3_derived *derived) {
    const int k = sums->exponent;
    if (k > 0 && sums->mass > ISO__BODY_MASS_MAX >> (3 * k)) {
        return false;
    }
    derived->mass =
        k >= 0 ? iso__shl64(sums->mass, (unsigned)(3 * k)) : iso__round_shift(sums->mass, (unsigned)(-3 * k));
    return derived->mass >= ISO__BODY_MASS_MIN && derived->mass <= ISO__BODY_MASS_MAX;
}

/// Principal moments and axes from the second moments about the centre, in units of the mass and L^2.
static void body_take_moments(const iso__mass3_sums *sums, iso__body3_derived *derived) {
    const int64_t *s = sums->second; // xx, yy, zz, xy, xz, yz
    const int64_t inertia[6] = {s[1] + s[2], -s[3], -s[4], s[0] + s[2], -s[5], s[0] + s[1]};
    int64_t scaled[6];
    for (int e = 0; e < 6; ++e) {
        scaled[e] = iso__div_shift(inertia[e], MOMENT_FRACTION, sums->mass);
    }
    iso__principal_axes(scaled, derived->moments, derived->frame);
    iso__quat_matrix(derived->frame, derived->principal);
}

/// Whether no contact's lever can leave its format: for extents e along the principal axes, the sum of the squares of
/// G_i sqrt(e_j^2 + e_k^2) / L is at most 500^2.
static bool body_levers_fit(const iso__space *space, const iso__body3_derived *derived) {
    int64_t extents[3] = {0, 0, 0}; // Q7.24
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t direction[3] = {derived->principal[axis], derived->principal[3 + axis],
                                      derived->principal[6 + axis]};
        for (uint32_t i = derived->first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
            extents[axis] = iso__max64(extents[axis],
                                       iso__shape3_extent_along(&space->shapes[i], derived->local_centre, direction));
        }
    }
    uint64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t other[3] = {extents[(axis + 1) % 3], extents[(axis + 2) % 3], 0};
        const int64_t arm = iso__length3(other) + 1; // Q.24
        const int64_t lever =
            iso__mul_shift(derived->gyrations[axis], arm, (unsigned)(46 + derived->radius_exponent)); // Q.10
        if (lever > BODY_LEVER_MAX << 10) {
            return false;
        }
        sum += (uint64_t)(lever * lever);
    }
    return sum <= (uint64_t)(BODY_LEVER_MAX << 10) * (uint64_t)(BODY_LEVER_MAX << 10);
}

/// The reciprocals of the moments. @return false when a moment is too small
static bool body_take_gyrations(const iso__space *space, iso__body3_derived *derived) {
    for (int axis = 0; axis < 3; ++axis) {
        if (derived->moments[axis] <= 0) {
            return false;
        }
        derived->gyrations[axis] = iso__div_shift(INT64_C(1) << MOMENT_FRACTION, 32, derived->moments[axis]);
        if (derived->gyrations[axis] > BODY_GYRATION_MAX) {
            return false;
        }
    }
    return body_levers_fit(space, derived);
}

/// A body's own mass and moments in the place of its shapes'.
static iso_status body_override_mass(const iso__body3 *record, iso__body3_derived *derived) {
    derived->mass = record->mass != 0 ? record->mass : derived->mass;
    if ((record->moments[0] | record->moments[1] | record->moments[2]) == 0) {
        return ISO_OK;
    }
    for (int axis = 0; axis < 3; ++axis) {
        // I / (m L^2): Q.32 over Q.32, then by 4^k.
        const int64_t ratio = iso__div_shift(record->moments[axis], MOMENT_FRACTION, derived->mass);
        const int k = derived->radius_exponent;
        if (ratio <= 0 || ratio >= INT64_C(1) << (k < 0 ? 62 + 2 * k : 62)) {
            return ISO_ERR_RANGE;
        }
        derived->moments[axis] = k < 0 ? iso__shl64(ratio, (unsigned)(-2 * k)) : ratio >> (2 * k);
        // More than a ring at twice the radius is more than can be: a row's numbers would leave their range.
        if (derived->moments[axis] > INT64_C(4) << MOMENT_FRACTION) {
            return ISO_ERR_RANGE;
        }
    }
    const int64_t *moments = derived->moments;
    const bool is_possible =
        moments[0] <= moments[1] && moments[1] <= moments[2] && moments[2] - moments[1] <= moments[0];
    return is_possible ? ISO_OK : ISO_ERR_RANGE;
}

/// Mass, centre and moments of a dynamic body. First the centre; then, about it and in units of the final radius, the
/// moments, so that no large numbers cancel.
static iso_status body_derive_dynamic(const iso__space *space, const iso__body3 *record, iso__body3_derived *derived) {
    iso__mass3_sums sums;
    bool has_sums;
    iso_status status = body_find_centre(space, derived->first_shape, derived->local_centre, &sums, &has_sums);
    if (status != ISO_OK) {
        return status;
    }
    if (sums.mass == 0) {
        derived->mass = record->mass != 0 ? record->mass : ISO_WIDE_ONE;
        return ISO_OK;
    }
    derived->extent = body_extent(space, derived->first_shape, derived->local_centre);
    if (derived->extent > BODY_EXTENT_MAX) {
        return ISO_ERR_GEOMETRY;
    }
    const int8_t k = iso__radius_exponent(derived->extent);
    if (!has_sums || sums.exponent != k) {
        sums = (iso__mass3_sums){.exponent = k};
        status = body_sum_mass(space, derived->first_shape, derived->local_centre, &sums);
        if (status != ISO_OK) {
            return status;
        }
    }
    derived->radius_exponent = k;
    if (!body_take_mass(&sums, derived)) {
        return ISO_ERR_RANGE;
    }
    body_take_moments(&sums, derived);
    status = body_override_mass(record, derived);
    if (status != ISO_OK || !body_take_gyrations(space, derived)) {
        return ISO_ERR_RANGE;
    }
    if ((record->flags & ISO__BODY3_LOCK_TURNS) == ISO__BODY3_LOCK_TURNS) {
        for (int axis = 0; axis < 3; ++axis) {
            derived->moments[axis] = derived->gyrations[axis] = 0;
        }
    }
    return ISO_OK;
}

iso_status iso__body3_derive(const iso__space *space, const iso__body3 *record, iso__body3_derived *derived) {
    derived->frame[3] = derived->principal[0] = derived->principal[4] = derived->principal[8] = ISO__UNIT_ONE;
    derived->extent = body_extent(space, derived->first_shape, derived->local_centre);
    if (derived->extent > BODY_EXTENT_MAX) {
        return ISO_ERR_GEOMETRY;
    }
    derived->radius_exponent = derived->first_shape == UINT32_MAX ? 0 : iso__radius_exponent(derived->extent);
    return record->type == ISO_BODY_DYNAMIC ? body_derive_dynamic(space, record, derived) : ISO_OK;
}

// ---- spin and momentum ---------------------------------------------------------------------------

static bool body_is_isotropic(const iso__body3_derived *derived) {
    return derived->gyrations[0] == derived->gyrations[2];
}

void iso__body3_spin(const iso__body3 *record, const iso__body3_derived *derived, int32_t spin[3]) {
    int64_t wide[3] = {record->momentum[0], record->momentum[1], record->momentum[2]};
    if (derived->gyrations[0] != 0) {
        int64_t local[3];
        const bool is_round = body_is_isotropic(derived);
        if (!is_round) {
            iso__rotate3_wide_inverse(derived->rotation, wide, local);
            iso__rotate3_wide_inverse(derived->principal, local, wide);
        }
        for (int axis = 0; axis < 3; ++axis) {
            wide[axis] = iso__mul_shift(wide[axis], derived->gyrations[axis], 32);
        }
        if (!is_round) {
            iso__rotate3_wide(derived->principal, wide, local);
            iso__rotate3_wide(derived->rotation, local, wide);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        spin[axis] = iso__saturate32(iso__round_shift(wide[axis], MOMENTUM_FRACTION - ISO__VEL_FRACTION));
    }
}

void iso__body3_momentum(const iso__body3_derived *derived, const int32_t spin[3], int64_t momentum[3]) {
    int64_t wide[3], local[3];
    for (int axis = 0; axis < 3; ++axis) {
        wide[axis] = iso__shl64(spin[axis], MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    }
    if (derived->gyrations[0] != 0) {
        const bool is_round = body_is_isotropic(derived);
        if (!is_round) {
            iso__rotate3_wide_inverse(derived->rotation, wide, local);
            iso__rotate3_wide_inverse(derived->principal, local, wide);
        }
        for (int axis = 0; axis < 3; ++axis) {
            wide[axis] = iso__mul_shift(wide[axis], derived->moments[axis], MOMENT_FRACTION);
        }
        if (!is_round) {
            iso__rotate3_wide(derived->principal, wide, local);
            iso__rotate3_wide(derived->rotation, local, wide);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        momentum[axis] = wide[axis];
    }
}

int32_t iso__body3_spin_max(const iso_world_def *def, int8_t radius_exponent) {
    const int64_t eighth = (int64_t)BODY_QUARTER_PI * def->tick_rate_hz * def->substep_count;
    const int64_t most = radius_exponent >= 0 ? eighth << radius_exponent : eighth >> -radius_exponent;
    return (int32_t)iso__min64(most, BODY_SPEED_MAX);
}

bool iso__body3_limit_spin(const iso_world_def *def, iso__body3 *record, const iso__body3_derived *derived,
                           int32_t spin[3]) {
    iso__body3_spin(record, derived, spin);
    const int64_t most = iso__body3_spin_max(def, derived->radius_exponent);
    const int64_t length = iso__length3((const int64_t[3]){spin[0], spin[1], spin[2]});
    if (length <= most + 2) {
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        record->momentum[axis] = iso__mul_div(record->momentum[axis], most, length);
    }
    iso__body3_spin(record, derived, spin);
    return true;
}

void iso__body3_lock(iso__body3 *record, const iso__body3_derived *derived) {
    if (record->type != ISO_BODY_DYNAMIC || (record->flags & (ISO__BODY3_LOCKS | ISO__BODY3_LOCK_TURNS)) == 0) {
        return;
    }
    int32_t spin[3];
    bool has_locked = false;
    iso__body3_spin(record, derived, spin);
    for (unsigned axis = 0; axis < 3; ++axis) {
        record->velocity[axis] = record->flags & ISO__BODY3_LOCK_X << axis ? 0 : record->velocity[axis];
        if ((record->flags & ISO__BODY3_LOCK_TURN_X << axis) != 0 && spin[axis] != 0) {
            spin[axis] = 0;
            has_locked = true;
        }
    }
    if (has_locked) {
        iso__body3_momentum(derived, spin, record->momentum);
    }
}

// ---- changes -------------------------------------------------------------------------------------

/// Moves the record from the old derived data to the new: the origin stays where it is, every material point keeps its
/// velocity.
static void body_keep_origin(iso__body3 *record, const iso__body3_derived *from, const iso__body3_derived *to) {
    int32_t spin[3], shift[3], local[3];
    for (int axis = 0; axis < 3; ++axis) {
        local[axis] = iso__sub32(to->local_centre[axis], from->local_centre[axis]);
    }
    iso__rotate3(to->rotation, local, shift); // Q7.24
    iso__body3_spin(record, from, spin);
    // omega = w / L: Q.19 and k, times Q.24 to Q.19.
    int64_t turned[3];
    iso__cross3(spin, shift, turned);
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t place = record->position[axis] + iso__shl64(shift[axis], 8);
        record->position[axis] = iso__clamp64(place, -BODY_POSITION_MAX, BODY_POSITION_MAX);
        const int64_t speed =
            record->velocity[axis] + iso__round_shift(turned[axis], (unsigned)(24 + from->radius_exponent));
        record->velocity[axis] = (int32_t)iso__clamp64(speed, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        const int change = to->radius_exponent - from->radius_exponent;
        const int64_t next =
            change >= 0 ? iso__shl64(spin[axis], (unsigned)change) : iso__round_shift(spin[axis], (unsigned)-change);
        spin[axis] = (int32_t)iso__clamp64(next, -BODY_SPEED_MAX, BODY_SPEED_MAX);
    }
    if ((record->momentum[0] | record->momentum[1] | record->momentum[2]) != 0) {
        iso__body3_momentum(to, spin, record->momentum);
    }
    iso__body3_lock(record, to);
}

iso_status iso__body3_update_mass(iso__space *space, uint32_t body) {
    iso__body3 *record = &space->bodies[body];
    const iso__body3_derived *before = &space->body_derived[body];
    iso__body3_derived derived = {.first_shape = before->first_shape};
    for (int i = 0; i < 9; ++i) {
        derived.rotation[i] = before->rotation[i];
    }
    const iso_status status = iso__body3_derive(space, record, &derived);
    if (status != ISO_OK) {
        return status;
    }
    bool has_same_mass = before->mass == derived.mass && before->radius_exponent == derived.radius_exponent;
    for (int axis = 0; axis < 3; ++axis) {
        has_same_mass = has_same_mass && before->gyrations[axis] == derived.gyrations[axis];
    }
    if (!has_same_mass) {
        iso__joints3_drop_impulses(space, body);
    }
    body_keep_origin(record, before, &derived);
    space->body_derived[body] = derived;
    iso__body3_derive_shapes(space, body);
    iso__mark_dirty(&space->world, ISO_SECTION_BODIES, body);
    iso__bit_set(space->world.displaced, body);
    return ISO_OK;
}

void iso__body3_derive_shapes(iso__space *space, uint32_t body) {
    const iso__body3_derived *derived = &space->body_derived[body];
    for (uint32_t i = derived->first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        space->shape_derived[i].extent = iso__shape3_extent(&space->shapes[i], derived->local_centre);
    }
}

void iso__body3_turn(iso__space *space, uint32_t body) {
    iso__quat_matrix(space->bodies[body].rotation, space->body_derived[body].rotation);
}
