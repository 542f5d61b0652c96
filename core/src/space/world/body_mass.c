/// See body_mass.h.
#include "space/world/body_mass.h"

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/jacobi3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/mass.h"
#include "space/world/contact.h"
#include "space/world/heights.h"
#include "space/world/hulls.h"
#include "space/world/joint_mass.h"
#include "space/world/mass.h"
#include "space/world/own_mass.h"
#include "space/world/shape.h"
#include "world/index_list.h"

#define BODY_EXTENT_MAX   (ISO_SHAPE_EXTENT_MAX_M * ISO__LENGTH_ONE + 8) // extents are rounded up, corners turned
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define BODY_SPEED_MAX    (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define BODY_GYRATION_MAX (INT64_C(1) << 48) // 2^16, Q31.32
#define BODY_LEVER_MAX    500                // |G (r x n) / L| of any point and direction
#define MOMENT_FRACTION   46
#define MOMENTUM_FRACTION 40
#define BODY_QUARTER_PI   411775 // pi / 4 in Q12.19: an eighth of a turn in radians

static iso__index_links shape_links(iso__space *space) {
    return (iso__index_links){&space->shape_derived[0].next_shape, sizeof space->shape_derived[0]};
}

void iso__space_body_link_shape(iso__space *space, uint32_t body, uint32_t shape) {
    iso__index_insert(shape_links(space), &space->body_derived[body].first_shape, shape);
}

void iso__space_body_unlink_shape(iso__space *space, uint32_t body, uint32_t shape) {
    iso__index_remove(shape_links(space), &space->body_derived[body].first_shape, shape);
}

static int32_t body_extent(const iso__space *space, uint32_t first_shape, const int32_t centre[3]) {
    int32_t extent = 0;
    for (uint32_t i = first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        extent = iso__max32(extent, iso__space_shape_extent(&space->shapes[i], centre));
    }
    return extent;
}

/// Integrates a body's shapes about `centre` in units of 2^exponent. ISO_ERR_RANGE when the mass is out of range.
/// @param about  what point the hulls are about
static iso_status body_sum_mass(const iso__space *space, uint32_t first_shape, const int32_t about[3],
                                const int32_t centre[3], iso__space_mass_sums *sums) {
    for (uint32_t i = first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        const bool is_hull = space->shapes[i].kind == ISO_SHAPE3_HULL;
        const iso__space_solid *hull = is_hull ? iso__space_hulls_solid(space, i, about, sums->exponent) : NULL;
        iso__space_mass_add_shape(sums, &space->shapes[i], hull, centre);
        if (sums->mass.hi >= INT64_C(1) << (ISO__SPACE_MASS_FRACTION + 24 - 64)) {
            return ISO_ERR_RANGE;
        }
    }
    return ISO_OK;
}

/// Moves a centre by what the integrals about it say, twice, as in the plane: about the origin a small shape far out
/// has few significant bits, about the first result all of them.
/// @param extent  about the centre, before and after
/// @param sums    receives the integrals about the centre, if *has_sums becomes true
static iso_status body_find_centre(const iso__space *space, uint32_t first_shape, const int32_t about[3],
                                   int32_t centre[3], int32_t *extent, iso__space_mass_sums *sums, bool *has_sums) {
    *has_sums = false;
    for (int pass = 0; pass < 2 && !*has_sums; ++pass) {
        *sums = (iso__space_mass_sums){.exponent = iso__radius_exponent(*extent)};
        const iso_status status = body_sum_mass(space, first_shape, about, centre, sums);
        if (status != ISO_OK || iso__int128_sign(sums->mass) == 0) {
            return status;
        }
        int32_t moved = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t shift = iso__int128_div(sums->first[axis], 32, sums->mass);
            const int32_t step = (int32_t)iso__round_shift(shift, (unsigned)(8 - sums->exponent));
            centre[axis] += step;
            moved |= step;
        }
        *has_sums = moved == 0;
        *extent = moved == 0 ? *extent : body_extent(space, first_shape, centre);
    }
    return ISO_OK;
}

/// The mass in kg of sums in units of 2^k. @return false when it is out of range
static bool body_take_mass(const iso__space_mass_sums *sums, iso__space_body_derived *derived) {
    const unsigned shift = (unsigned)(ISO__SPACE_MASS_FRACTION - ISO__WIDE_FRACTION - 3 * sums->exponent);
    derived->mass = iso__int128_saturate(iso__int128_round_shift(sums->mass, shift));
    return derived->mass >= ISO__BODY_MASS_MIN && derived->mass <= ISO__BODY_MASS_MAX;
}

/// Principal moments and axes from the second moments about the centre, in units of the mass and L^2.
static void body_take_moments(const iso__space_mass_sums *sums, iso__space_body_derived *derived) {
    const iso__int128 *s = sums->second; // xx, yy, zz, xy, xz, yz
    const iso__int128 inertia[6] = {iso__int128_add(s[1], s[2]), iso__int128_neg(s[3]), iso__int128_neg(s[4]),
                                    iso__int128_add(s[0], s[2]), iso__int128_neg(s[5]), iso__int128_add(s[0], s[1])};
    int64_t scaled[6];
    for (int e = 0; e < 6; ++e) {
        scaled[e] = iso__int128_div(inertia[e], MOMENT_FRACTION, sums->mass);
    }
    iso__principal_axes(scaled, derived->moments, derived->frame);
    iso__quat_matrix(derived->frame, derived->principal);
}

/// Whether no contact's lever can leave its format: for extents e along the principal axes, the sum of the squares of
/// G_i sqrt(e_j^2 + e_k^2) / L is at most 500^2.
static bool body_levers_fit(const iso__space *space, const iso__space_body_derived *derived) {
    int64_t extents[3] = {0, 0, 0}; // Q7.24
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t direction[3] = {derived->principal[axis], derived->principal[3 + axis],
                                      derived->principal[6 + axis]};
        for (uint32_t i = derived->first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
            extents[axis] = iso__max64(
                extents[axis], iso__space_shape_extent_along(&space->shapes[i], derived->local_centre, direction));
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
static bool body_take_gyrations(const iso__space *space, iso__space_body_derived *derived) {
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
static iso_status body_override_mass(const iso__space_own_mass *own, iso__space_body_derived *derived) {
    derived->mass = own->mass != 0 ? own->mass : derived->mass;
    if ((own->moments[0] | own->moments[1] | own->moments[2]) == 0) {
        return ISO_OK;
    }
    for (int axis = 0; axis < 3; ++axis) {
        // I / (m L^2): Q.32 over Q.32, then by 4^k.
        const int64_t ratio = iso__div_shift(own->moments[axis], MOMENT_FRACTION, derived->mass);
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
    return ISO_OK; // they are possible ones, and rounding keeps their order
}

/// Mass, centre and moments of a dynamic body. First the centre; then, about it and in units of the final radius, the
/// moments, so that no large numbers cancel.
static iso_status body_derive_dynamic(const iso__space *space, const iso__space_body *record,
                                      const iso__space_own_mass *own, const int32_t about[3],
                                      iso__space_body_derived *derived) {
    iso__space_mass_sums sums;
    bool has_sums;
    iso_status status =
        body_find_centre(space, derived->first_shape, about, derived->local_centre, &derived->extent, &sums, &has_sums);
    if (status != ISO_OK) {
        return status;
    }
    if (iso__int128_sign(sums.mass) == 0) {
        derived->mass = own->mass != 0 ? own->mass : ISO_WIDE_ONE;
        return ISO_OK;
    }
    if (derived->extent > BODY_EXTENT_MAX) {
        return ISO_ERR_GEOMETRY;
    }
    const int8_t k = iso__radius_exponent(derived->extent);
    if (!has_sums || sums.exponent != k) {
        sums = (iso__space_mass_sums){.exponent = k};
        status = body_sum_mass(space, derived->first_shape, about, derived->local_centre, &sums);
        if (status != ISO_OK) {
            return status;
        }
    }
    derived->radius_exponent = k;
    if (!body_take_mass(&sums, derived)) {
        return ISO_ERR_RANGE;
    }
    body_take_moments(&sums, derived);
    status = body_override_mass(own, derived);
    if (status != ISO_OK || !body_take_gyrations(space, derived)) {
        return ISO_ERR_RANGE;
    }
    if ((record->flags & ISO__SPACE_BODY_LOCK_TURNS) == ISO__SPACE_BODY_LOCK_TURNS) {
        for (int axis = 0; axis < 3; ++axis) {
            derived->moments[axis] = derived->gyrations[axis] = 0;
        }
    }
    return ISO_OK;
}

iso_status iso__space_body_derive(const iso__space *space, const iso__space_body *record,
                                  const iso__space_own_mass *own, const int32_t about[3],
                                  iso__space_body_derived *derived) {
    derived->frame[3] = derived->principal[0] = derived->principal[4] = derived->principal[8] = ISO__UNIT_ONE;
    derived->extent = body_extent(space, derived->first_shape, derived->local_centre);
    if (derived->extent > BODY_EXTENT_MAX) {
        return ISO_ERR_GEOMETRY;
    }
    derived->radius_exponent = derived->first_shape == UINT32_MAX ? 0 : iso__radius_exponent(derived->extent);
    return record->type == ISO_BODY_DYNAMIC ? body_derive_dynamic(space, record, own, about, derived) : ISO_OK;
}

// ---- spin and momentum ---------------------------------------------------------------------------

/// From the principal axes to the world, rows.
static void body_axes(const iso__space_body *record, const iso__space_body_derived *derived, int32_t axes[9]) {
    int32_t q[4];
    iso__quat_mul(record->rotation, derived->frame, q);
    iso__quat_renormalise(q);
    iso__quat_matrix(q, axes);
}

/// An entry of the tensor of inertia / (m L^2) in the world's frame, Q.46.
static int64_t body_inertia(const int32_t axes[9], const int64_t moments[3], unsigned row, unsigned column) {
    int64_t entry = 0;
    for (unsigned k = 0; k < 3; ++k) {
        entry += iso__mul_shift(iso__mul32(axes[3 * row + k], axes[3 * column + k]), moments[k], 60);
    }
    return entry;
}

/// Along the free axes I w is the momentum: one equation, or two.
static void body_locked_spin(const int32_t axes[9], const int64_t moments[3], unsigned locks, int64_t momentum[3],
                             int64_t spin[3]) {
    unsigned free[3] = {0, 0, 0}, count = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
        spin[axis] = 0;
        if ((locks >> axis & 1u) == 0) {
            free[count++] = axis;
        }
    }
    const unsigned a = free[0], b = free[1];
    if (count == 1) {
        spin[a] = iso__div_shift(momentum[a], MOMENT_FRACTION, body_inertia(axes, moments, a, a));
    } else {
        int64_t x, y; // Q31.32
        iso__solve2(body_inertia(axes, moments, a, a), body_inertia(axes, moments, a, b),
                    body_inertia(axes, moments, b, b), iso__mul_shift(momentum[a], 64, 0),
                    iso__mul_shift(momentum[b], 64, 0), &x, &y);
        spin[a] = iso__mul_shift(x, 256, 0);
        spin[b] = iso__mul_shift(y, 256, 0);
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
        if ((locks >> axis & 1u) != 0) {
            momentum[axis] = iso__mul_shift(body_inertia(axes, moments, axis, a), spin[a], MOMENT_FRACTION);
            momentum[axis] +=
                count == 1 ? 0 : iso__mul_shift(body_inertia(axes, moments, axis, b), spin[b], MOMENT_FRACTION);
        }
    }
}

void iso__space_body_wide_spin(const int32_t axes[9], const iso__space_body_derived *derived, unsigned locks,
                               int64_t momentum[3], int64_t spin[3]) {
    if (locks != 0) {
        body_locked_spin(axes, derived->moments, locks, momentum, spin);
        return;
    }
    // What has three equal moments is spared the rounding of its axes.
    const bool is_round = iso__space_body_is_isotropic(derived);
    if (is_round) {
        for (int axis = 0; axis < 3; ++axis) {
            spin[axis] = momentum[axis];
        }
    } else {
        iso__rotate3_wide_inverse(axes, momentum, spin);
    }
    for (int axis = 0; axis < 3; ++axis) {
        spin[axis] = iso__mul_shift(spin[axis], derived->gyrations[axis], 32);
    }
    if (!is_round) {
        iso__rotate3_wide(axes, spin, spin);
    }
}

void iso__space_body_spin(const iso__space_body *record, const iso__space_body_derived *derived, int32_t spin[3]) {
    int64_t wide[3], momentum[3] = {record->momentum[0], record->momentum[1], record->momentum[2]};
    if (derived->gyrations[0] != 0) {
        int32_t axes[9];
        body_axes(record, derived, axes);
        iso__space_body_wide_spin(axes, derived, iso__space_body_turn_locks(record), momentum, wide);
    } else {
        for (int axis = 0; axis < 3; ++axis) {
            wide[axis] = momentum[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        // Half a unit more would not fit what has saturated.
        const int64_t most = INT64_MAX - (INT64_C(1) << (MOMENTUM_FRACTION - ISO__VEL_FRACTION));
        spin[axis] = iso__saturate32(
            iso__round_shift(iso__clamp64(wide[axis], -most, most), MOMENTUM_FRACTION - ISO__VEL_FRACTION));
    }
}

void iso__space_body_momentum(const iso__space_body_derived *derived, const int32_t spin[3], int64_t momentum[3]) {
    int64_t wide[3], local[3];
    for (int axis = 0; axis < 3; ++axis) {
        wide[axis] = iso__shl64(spin[axis], MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    }
    if (derived->gyrations[0] != 0) {
        const bool is_round = iso__space_body_is_isotropic(derived);
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

int32_t iso__space_body_spin_max(const iso_world_def *def, int8_t radius_exponent) {
    const int64_t eighth = (int64_t)BODY_QUARTER_PI * def->tick_rate_hz * def->substep_count;
    const int64_t most = radius_exponent >= 0 ? eighth << radius_exponent : eighth >> -radius_exponent;
    return (int32_t)iso__min64(most, BODY_SPEED_MAX);
}

bool iso__space_body_limit_momentum(const int32_t axes[9], const iso__space_body_derived *derived, unsigned locks,
                                    int32_t spin_max, int64_t momentum[3]) {
    const int64_t most = iso__shl64(spin_max, MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    const int64_t slack = INT64_C(2) << (MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    // Of a momentum within 2^54 a spin that saturates is off by at most 2^17: the second time it does not.
    for (int pass = 0;; ++pass) {
        int64_t spin[3];
        iso__space_body_wide_spin(axes, derived, locks, momentum, spin);
        const int64_t length = iso__length3(spin);
        if (length <= most + slack || pass == 4) {
            return pass > 0;
        }
        for (int axis = 0; axis < 3; ++axis) {
            momentum[axis] = iso__mul_div(momentum[axis], most, length);
        }
    }
}

/// The same of a spin in the place of a momentum.
static bool body_limit_own_spin(int32_t spin_max, int64_t momentum[3]) {
    const int64_t length = iso__length3(momentum) >> (MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    if (length <= (int64_t)spin_max + 2) {
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t spin = momentum[axis] >> (MOMENTUM_FRACTION - ISO__VEL_FRACTION); // exact
        momentum[axis] = iso__shl64(iso__mul_div(spin, spin_max, length), MOMENTUM_FRACTION - ISO__VEL_FRACTION);
    }
    return true;
}

bool iso__space_body_limit_spin(int32_t spin_max, iso__space_body *record, const iso__space_body_derived *derived) {
    if (derived->gyrations[0] == 0) {
        return body_limit_own_spin(spin_max, record->momentum);
    }
    int32_t axes[9];
    body_axes(record, derived, axes);
    return iso__space_body_limit_momentum(axes, derived, iso__space_body_turn_locks(record), spin_max,
                                          record->momentum);
}

void iso__space_body_lock_spin(const iso__space_body *record, int32_t spin[3]) {
    for (unsigned axis = 0; axis < 3 && record->type == ISO_BODY_DYNAMIC; ++axis) {
        spin[axis] = (record->flags & ISO__SPACE_BODY_LOCK_TURN_X << axis) != 0 ? 0 : spin[axis];
    }
}

static void body_lock_velocity(iso__space_body *record) {
    for (unsigned axis = 0; axis < 3 && record->type == ISO_BODY_DYNAMIC; ++axis) {
        record->velocity[axis] = (record->flags & ISO__SPACE_BODY_LOCK_X << axis) != 0 ? 0 : record->velocity[axis];
    }
}

void iso__space_body_lock(iso__space_body *record, const iso__space_body_derived *derived) {
    const unsigned locks = iso__space_body_turn_locks(record);
    body_lock_velocity(record);
    if (record->type != ISO_BODY_DYNAMIC || locks == 0) {
        return;
    }
    if (derived->gyrations[0] != 0) {
        int32_t axes[9];
        int64_t spin[3];
        body_axes(record, derived, axes);
        iso__space_body_wide_spin(axes, derived, locks, record->momentum, spin);
        return;
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
        record->momentum[axis] = (locks >> axis & 1u) != 0 ? 0 : record->momentum[axis];
    }
}

// ---- changes -------------------------------------------------------------------------------------

/// Whether the same momentum is the same spin. Of what has no inertia a spin in its place may become a locked one's.
static bool body_turns_alike(const iso__space_body_derived *a, const iso__space_body_derived *b) {
    bool is_alike = b->gyrations[0] != 0 && a->radius_exponent == b->radius_exponent && a->frame[3] == b->frame[3];
    for (int axis = 0; axis < 3; ++axis) {
        is_alike = is_alike && a->moments[axis] == b->moments[axis] && a->gyrations[axis] == b->gyrations[axis] &&
                   a->frame[axis] == b->frame[axis];
    }
    return is_alike;
}

/// Moves the record from the old derived data to the new: the origin stays where it is, every material point keeps its
/// velocity, but for what locks and the fastest spin forbid.
static void body_keep_origin(const iso_world_def *def, iso__space_body *record, const iso__space_body_derived *from,
                             const iso__space_body_derived *to) {
    int32_t spin[3], shift[3], before[3];
    // Each turned for itself, as a view turns them: the origin stays to the bit.
    iso__rotate3(to->rotation, to->local_centre, shift); // Q7.24
    iso__rotate3(from->rotation, from->local_centre, before);
    for (int axis = 0; axis < 3; ++axis) {
        shift[axis] = iso__sub32(shift[axis], before[axis]);
    }
    iso__space_body_spin(record, from, spin);
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
    body_lock_velocity(record);
    // What turns as before keeps its momentum to the bit.
    if ((record->momentum[0] | record->momentum[1] | record->momentum[2]) != 0 && !body_turns_alike(from, to)) {
        iso__space_body_lock_spin(record, spin);
        iso__space_body_momentum(to, spin, record->momentum);
        iso__space_body_limit_spin(iso__space_body_spin_max(def, to->radius_exponent), record, to);
        iso__space_body_lock(record, to);
    }
}

iso_status iso__space_body_update_mass(iso__space *space, uint32_t body) {
    iso__space_body *record = &space->bodies[body];
    const iso__space_body_derived *before = &space->body_derived[body];
    iso__space_body_derived derived = {.first_shape = before->first_shape};
    for (int i = 0; i < 9; ++i) {
        derived.rotation[i] = before->rotation[i];
    }
    const iso__space_own_mass own = iso__space_own_mass_of(space, body);

    iso__space_hulls_refresh_body(space, body);
    const iso_status status = iso__space_body_derive(space, record, &own, before->local_centre, &derived);
    if (status != ISO_OK) {
        return status;
    }
    const iso__space_body_derived old = *before;
    bool has_same_mass = before->mass == derived.mass && before->radius_exponent == derived.radius_exponent;
    for (int axis = 0; axis < 3; ++axis) {
        has_same_mass = has_same_mass && before->gyrations[axis] == derived.gyrations[axis];
    }
    body_keep_origin(&space->world.def, record, before, &derived);
    space->body_derived[body] = derived;
    iso__space_hulls_move(space, derived.first_shape, old.local_centre, derived.local_centre);
    if (!has_same_mass) {
        iso__space_joints_rescale(space, body, &old);
    }
    iso__space_body_derive_shapes(space, body);
    iso__space_manifolds_forget(space);
    iso__mark_dirty(&space->world, ISO_SECTION_BODIES, body);
    iso__bit_set(space->world.displaced, body);
    return ISO_OK;
}

/// The middle of a shape, and the ball about it that is as large as the nearest face allows.
static void body_derive_core(iso__space *space, uint32_t shape, const int32_t centre[3]) {
    const iso__space_shape *record = &space->shapes[shape];
    iso__space_shape_derived *derived = &space->shape_derived[shape];
    const iso__space_hull *hull = record->kind == ISO_SHAPE3_HULL ? &space->hulls[shape] : NULL;
    const bool is_box = record->kind == ISO_SHAPE3_BOX, is_ground = iso__space_shape_is_ground(record->kind);
    const int64_t count = hull != NULL ? hull->vertex_count : is_box ? 1 : record->vertex_count;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t sum = 0;
        for (int64_t v = 0; v < count; ++v) {
            sum += hull != NULL ? hull->vertices[v][axis] : (int64_t)record->vertices[3 * v + axis] - centre[axis];
        }
        derived->middle[axis] = is_ground ? 0 : iso__saturate32(iso__div_round64(sum, count));
    }
    int64_t nearest = is_ground ? 0 : is_box || hull != NULL ? INT32_MAX : record->radius;
    for (int axis = 0; axis < 3 && is_box; ++axis) {
        nearest = iso__min64(nearest, record->vertices[3 + axis]);
    }
    for (uint32_t f = 0; hull != NULL && f < hull->face_count; ++f) {
        const int64_t inside = hull->offsets[f] - iso__dot3(hull->normals[f], derived->middle); // Q.54
        nearest = iso__min64(nearest, inside >> ISO__UNIT_FRACTION);
    }
    derived->core = (int32_t)iso__max64(nearest, 0);
}

static void body_derive_heights(iso__space *space, uint32_t shape) {
    iso__space_shape_derived *derived = &space->shape_derived[shape];
    derived->low = derived->high = 0;
    if (space->shapes[shape].kind != ISO_SHAPE3_HEIGHTS) {
        return;
    }
    const iso__space_height_field *heights = &space->heights[space->shapes[shape].vertices[3]];
    const int16_t *samples = iso__space_heights_samples(space, heights);
    derived->low = derived->high = samples[0];
    for (uint32_t i = 1; i < (uint32_t)heights->columns * heights->rows; ++i) {
        derived->low = samples[i] < derived->low ? samples[i] : derived->low;
        derived->high = samples[i] > derived->high ? samples[i] : derived->high;
    }
}

void iso__space_body_derive_shapes(iso__space *space, uint32_t body) {
    iso__space_body_derived *derived = &space->body_derived[body];
    int32_t core = INT32_MAX, swing = 0;
    for (uint32_t i = derived->first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        iso__space_shape_derived *of_shape = &space->shape_derived[i];
        of_shape->extent = iso__space_shape_extent(&space->shapes[i], derived->local_centre);
        body_derive_core(space, i, derived->local_centre);
        body_derive_heights(space, i);
        core = iso__min32(core, of_shape->core);
        swing = iso__max32(swing, of_shape->extent - space->shapes[i].radius);
    }
    derived->core = core == INT32_MAX ? 0 : core;
    derived->swing = swing;
}

void iso__space_body_turn(iso__space *space, uint32_t body) {
    iso__quat_matrix(space->bodies[body].rotation, space->body_derived[body].rotation);
}
