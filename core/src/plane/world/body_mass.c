/// A body's shapes, and what derives from them: centre of mass, mass, inertia, radius.
#include "plane/world/body_mass.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/collide/taper.h"
#include "plane/world/contact.h"
#include "plane/world/joint_mass.h"
#include "plane/world/mass.h"
#include "plane/world/segment.h"
#include "plane/world/shape.h"
#include "plane/world/spin.h"
#include "world/index_list.h"

#define BODY_SPEED_MAX    (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define BODY_POSITION_MAX (ISO_POSITION_MAX_M * ISO_WIDE_ONE)
#define BODY_GYRATION_MAX (INT64_C(500) << ISO__GYRO_FRACTION)
#define BODY_EXTENT_MAX   (ISO_SHAPE_EXTENT_MAX_M * ISO__LENGTH_ONE)

static iso__index_links shape_links(iso__plane *plane) {
    return (iso__index_links){&plane->shape_derived[0].next_shape, sizeof plane->shape_derived[0]};
}

void iso__plane_body_link_shape(iso__plane *plane, uint32_t body, uint32_t shape) {
    iso__index_insert(shape_links(plane), &plane->body_derived[body].first_shape, shape);
}

void iso__plane_body_unlink_shape(iso__plane *plane, uint32_t body, uint32_t shape) {
    iso__index_remove(shape_links(plane), &plane->body_derived[body].first_shape, shape);
}

/// What is static neither moves nor turns: its segments may be far from it.
static int32_t body_extent(const iso__plane *plane, uint32_t body, uint8_t type, const int32_t centre[2]) {
    int32_t extent = 0;
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        const iso__plane_shape *shape = &plane->shapes[i];
        const bool is_free = type == ISO_BODY_STATIC && shape->kind == ISO_SHAPE_SEGMENT;
        extent = iso__max32(extent, is_free ? iso__plane_segment_extent(shape)
                                            : iso__plane_shape_extent(shape, centre[0], centre[1]));
    }
    return extent;
}

/// Integrates a body's shapes about `centre` in units of 2^exponent. ISO_ERR_RANGE when the mass is out of range.
static iso_status body_sum_mass(const iso__plane *plane, uint32_t body, const int32_t centre[2],
                                iso__plane_mass_sums *sums) {
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        iso__plane_shape shape = plane->shapes[i];
        for (uint32_t v = 0; shape.kind != ISO_SHAPE_SEGMENT && v < shape.vertex_count; ++v) {
            shape.vertices[2 * v] = iso__sub32(shape.vertices[2 * v], centre[0]);
            shape.vertices[2 * v + 1] = iso__sub32(shape.vertices[2 * v + 1], centre[1]);
        }
        iso__plane_mass_add_shape(sums, &shape);
        if (sums->mass >= INT64_C(1) << 61) {
            return ISO_ERR_RANGE;
        }
    }
    return ISO_OK;
}

/// Moves a centre by what the integrals about it say. Twice: about the origin a small shape far out has few
/// significant bits, about the first result all of them.
/// @param sums  receives the integrals about the centre, in units of its radius, when `*has_sums` becomes true: a body
///              that is
/// made about its centre, as most are, is integrated once
static iso_status body_find_centre(const iso__plane *plane, uint32_t body, int32_t centre[2],
                                   iso__plane_mass_sums *sums, bool *has_sums) {
    *has_sums = false;
    for (int pass = 0; pass < 2 && !*has_sums; ++pass) {
        *sums = (iso__plane_mass_sums){
            .exponent = iso__radius_exponent(body_extent(plane, body, ISO_BODY_DYNAMIC, centre)),
        };
        const iso_status status = body_sum_mass(plane, body, centre, sums);
        if (status != ISO_OK || sums->mass == 0) {
            return status;
        }
        const int32_t before[2] = {centre[0], centre[1]};
        for (int axis = 0; axis < 2; ++axis) {
            const int64_t shift = iso__div_shift(sums->first[axis], 32, sums->mass);
            centre[axis] += (int32_t)iso__round_shift(shift, (unsigned)(8 - sums->exponent));
        }
        *has_sums = centre[0] == before[0] && centre[1] == before[1];
    }
    return ISO_OK;
}

/// Mass, centre and inertia of a dynamic body with mass. First the centre; then, about the centre and in units
/// of the final radius, the inertia, so that no large numbers cancel.
static iso_status body_derive_dynamic(const iso__plane *plane, uint32_t body, iso__plane_body_derived *derived) {
    iso__plane_mass_sums sums;
    bool has_sums;
    iso_status status = body_find_centre(plane, body, derived->local_centre, &sums, &has_sums);
    if (status != ISO_OK) {
        return status;
    }
    if (sums.mass == 0) {
        derived->mass = ISO_WIDE_ONE;
        return ISO_OK;
    }
    const int32_t extent = body_extent(plane, body, ISO_BODY_DYNAMIC, derived->local_centre);
    if (extent > BODY_EXTENT_MAX) {
        return ISO_ERR_GEOMETRY;
    }
    const int8_t k = iso__radius_exponent(extent);
    if (!has_sums) {
        sums = (iso__plane_mass_sums){.exponent = k};
        status = body_sum_mass(plane, body, derived->local_centre, &sums);
        if (status != ISO_OK) {
            return status;
        }
    }
    // The scaled mass is kg / 4^k, the scaled inertia kg m^2 / 16^k.
    if (k > 0 && sums.mass > ISO__BODY_MASS_MAX >> (2 * k)) {
        return ISO_ERR_RANGE;
    }
    derived->mass = k > 0 ? sums.mass << (2 * k) : k < 0 ? iso__round_shift(sums.mass, (unsigned)(-2 * k)) : sums.mass;
    const int64_t gyration = iso__div_shift(sums.mass, ISO__GYRO_FRACTION, sums.second);
    if (derived->mass < ISO__BODY_MASS_MIN || derived->mass > ISO__BODY_MASS_MAX || sums.second <= 0 ||
        gyration > BODY_GYRATION_MAX) {
        return ISO_ERR_RANGE;
    }
    derived->inertia = k > 0   ? iso__mul_shift(sums.second, INT64_C(1) << (4 * k), 0)
                       : k < 0 ? iso__round_shift(sums.second, (unsigned)(-4 * k))
                               : sums.second;
    derived->gyration = (int32_t)gyration;
    derived->radius_exponent = k;
    return derived->inertia == INT64_MAX ? ISO_ERR_RANGE : ISO_OK;
}

/// The middle of a shape, and the disc about it that is as large as the nearest face allows.
static void body_derive_core(const iso__plane_shape *shape, iso__plane_shape_derived *derived) {
    const int64_t count = shape->vertex_count;
    int64_t sum[2] = {0, 0}, nearest = shape->kind == ISO_SHAPE_POLYGON ? INT32_MAX : 0;
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        sum[0] += derived->vertices[v][0];
        sum[1] += derived->vertices[v][1];
    }
    derived->middle[0] = (int32_t)iso__div_round64(sum[0], count);
    derived->middle[1] = (int32_t)iso__div_round64(sum[1], count);
    for (uint32_t v = 0; shape->kind == ISO_SHAPE_POLYGON && v < shape->vertex_count; ++v) {
        const int64_t along =
            (int64_t)derived->normals[v][0] * ((int64_t)derived->vertices[v][0] - derived->middle[0]) +
            (int64_t)derived->normals[v][1] * ((int64_t)derived->vertices[v][1] - derived->middle[1]);
        nearest = iso__min64(nearest, along >> ISO__UNIT_FRACTION);
    }
    // Half-way between the ends of a tapered capsule a disc of their mean radius touches both sides.
    derived->core = iso__saturate32(iso__max64(nearest, 0) + shape->radius + (iso__plane_shape_taper(shape) >> 1));
}

void iso__plane_body_derive_shapes(iso__plane *plane, uint32_t body) {
    int64_t core = INT32_MAX, swing = 0;
    const int32_t *centre = plane->body_derived[body].local_centre;
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        const iso__plane_shape *shape = &plane->shapes[i];
        iso__plane_shape_derived *derived = &plane->shape_derived[i];
        derived->origin[0] = derived->origin[1] = 0;
        if (shape->kind == ISO_SHAPE_SEGMENT) {
            iso__plane_segment_derive(shape, centre, derived);
            derived->core = derived->middle[0] = derived->middle[1] = 0;
            continue;
        }
        for (uint32_t v = 0; v < shape->vertex_count; ++v) {
            const uint32_t next = v + 1u < shape->vertex_count ? v + 1u : 0;
            derived->vertices[v][0] = iso__sub32(shape->vertices[2 * v], centre[0]);
            derived->vertices[v][1] = iso__sub32(shape->vertices[2 * v + 1], centre[1]);
            iso__normalize((int64_t)shape->vertices[2 * next + 1] - shape->vertices[2 * v + 1],
                           (int64_t)shape->vertices[2 * v] - shape->vertices[2 * next], &derived->normals[v][0],
                           &derived->normals[v][1]);
        }
        const int32_t taper = iso__plane_shape_taper(shape);
        if (taper != 0) {
            const int64_t way[2] = {(int64_t)shape->vertices[2] - shape->vertices[0],
                                    (int64_t)shape->vertices[3] - shape->vertices[1]};
            iso__plane_taper_normals(way, taper, derived->normals);
        }
        derived->extent = iso__plane_shape_extent(shape, centre[0], centre[1]);
        body_derive_core(shape, derived);
        core = iso__min64(core, derived->core);
        swing =
            iso__max64(swing, (int64_t)derived->extent - shape->radius - iso__min32(iso__plane_shape_taper(shape), 0));
    }
    plane->body_derived[body].core = core == INT32_MAX ? 0 : (int32_t)core;
    plane->body_derived[body].swing = (int32_t)swing;
}

void iso__plane_body_lock(iso__plane_body *record) {
    if (record->type != ISO_BODY_DYNAMIC) {
        return;
    }
    record->velocity[0] = record->flags & ISO__PLANE_BODY_LOCK_X ? 0 : record->velocity[0];
    record->velocity[1] = record->flags & ISO__PLANE_BODY_LOCK_Y ? 0 : record->velocity[1];
    record->spin = record->flags & ISO__PLANE_BODY_FIXED_ROTATION ? 0 : record->spin;
}

/// Moves the record from the old derived data to the new: the origin stays where it is, every material point
/// keeps its velocity, but for what the body's locks forbid.
static void body_keep_origin(iso__plane_body *record, const iso__plane_body_derived *from,
                             const iso__plane_body_derived *to) {
    const iso_vec2_wide shift =
        iso__rotate_to_wide(to->rotation, iso__sub32(to->local_centre[0], from->local_centre[0]),
                            iso__sub32(to->local_centre[1], from->local_centre[1]));
    const iso_wide omega = iso__plane_angular_velocity_from_spin(record->spin, from->radius_exponent);
    record->position[0] = iso__clamp64(record->position[0] + shift.x, -BODY_POSITION_MAX, BODY_POSITION_MAX);
    record->position[1] = iso__clamp64(record->position[1] + shift.y, -BODY_POSITION_MAX, BODY_POSITION_MAX);
    if (omega != 0) {
        const int64_t vx = record->velocity[0] - iso__mul_shift(omega, shift.y, 45);
        const int64_t vy = record->velocity[1] + iso__mul_shift(omega, shift.x, 45);
        record->velocity[0] = (int32_t)iso__clamp64(vx, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        record->velocity[1] = (int32_t)iso__clamp64(vy, -BODY_SPEED_MAX, BODY_SPEED_MAX);
        record->spin = (int32_t)iso__clamp64(iso__plane_spin_from_angular_velocity(omega, to->radius_exponent),
                                             -BODY_SPEED_MAX, BODY_SPEED_MAX);
        iso__plane_body_lock(record); // the centre may not go along a locked axis, whatever the points about it do
    }
}

/// Replaces the mass and inertia of a body's shapes by the body's own. Without an inertia of its own m L^2 / I stays.
static iso_status body_override_mass(const iso__plane_body *record, iso__plane_body_derived *derived) {
    const iso_wide before = derived->mass;
    if (record->mass != 0) {
        derived->mass = record->mass;
        derived->inertia = iso__mul_div(derived->inertia, derived->mass, before);
    }
    if (record->inertia != 0) {
        // m 4^k / I in Q9.22; k is -8 to 6.
        const int64_t gyration = iso__mul_div(
            derived->mass, INT64_C(1) << (ISO__GYRO_FRACTION + 2 * derived->radius_exponent), record->inertia);
        if (gyration < 1 || gyration > BODY_GYRATION_MAX) {
            return ISO_ERR_RANGE;
        }
        derived->inertia = record->inertia;
        derived->gyration = (int32_t)gyration;
    }
    return derived->inertia == INT64_MAX || (derived->gyration != 0 && derived->inertia == 0) ? ISO_ERR_RANGE : ISO_OK;
}

iso_status iso__plane_body_derive(const iso__plane *plane, uint32_t body, const iso__plane_body *record,
                                  iso__plane_body_derived *derived) {
    if (derived->first_shape != UINT32_MAX) {
        // A static or kinematic body, and a dynamic one without density, keeps its centre at the origin.
        const int32_t extent = body_extent(plane, body, record->type, derived->local_centre);
        if (extent > BODY_EXTENT_MAX) {
            return ISO_ERR_GEOMETRY;
        }
        derived->radius_exponent = iso__radius_exponent(extent);
    }
    if (record->type != ISO_BODY_DYNAMIC) {
        return ISO_OK;
    }
    iso_status status = body_derive_dynamic(plane, body, derived);
    if (status == ISO_OK) {
        status = body_override_mass(record, derived);
    }
    if (status == ISO_OK && (record->flags & ISO__PLANE_BODY_FIXED_ROTATION)) {
        derived->inertia = 0;
        derived->gyration = 0;
    }
    return status;
}

iso_status iso__plane_body_update_mass(iso__plane *plane, uint32_t body, bool keep_origin) {
    iso__plane_body *record = &plane->bodies[body];
    iso__plane_body_derived derived = {
        .rotation = plane->body_derived[body].rotation,
        .first_shape = plane->body_derived[body].first_shape,
    };
    const iso_status status = iso__plane_body_derive(plane, body, record, &derived);
    if (status != ISO_OK) {
        return status;
    }
    if (keep_origin) {
        body_keep_origin(record, &plane->body_derived[body], &derived);
        iso__mark_dirty(&plane->world, ISO_SECTION_BODIES, body);
    }
    iso__bit_set(plane->world.displaced, body);
    plane->has_changed_rows = true;
    const iso__plane_body_derived before = plane->body_derived[body];
    plane->body_derived[body] = derived;
    if (keep_origin) {
        iso__plane_contacts_forget(plane, body); // anchors are about the centre of mass
    }
    if (keep_origin && before.mass != derived.mass) {
        iso__plane_contacts_rescale(plane, body, before.mass, derived.mass);
    }
    if (keep_origin && (before.mass != derived.mass || before.gyration != derived.gyration ||
                        before.radius_exponent != derived.radius_exponent)) {
        iso__plane_joints_rescale(plane, body, &before);
    }
    iso__plane_body_derive_shapes(plane, body);
    return ISO_OK;
}

void iso__plane_body_update_rotation(iso__plane *plane, uint32_t body) {
    plane->body_derived[body].rotation = iso_rotation_make((uint32_t)(uint64_t)plane->bodies[body].angle);
}
