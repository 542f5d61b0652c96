/// The definitions of single kinds: each is an iso_joint_def with fewer fields, and becomes one before anything is
/// checked.
#include "isostep/joint_def.h"

#include "base/assert.h"
#include "math/fixed_ops.h"

// Field by field, of the lists in the header.
#define DEF_TAKE(type, name) .name = all.name,
#define DEF_GIVE(type, name) all.name = def->name;
#define DEF_KIND(NAME, number, snake, has)                                                             \
    iso_##snake##_joint_def iso_##snake##_joint_def_default(void) {                                    \
        const iso_joint_def all = iso_joint_def_default();                                             \
        return (iso_##snake##_joint_def){ISO_JOINT_DEF_##snake##_FIELDS(DEF_TAKE)};                    \
    }                                                                                                  \
    iso_joint_def iso_joint_def_from_##snake(const iso_##snake##_joint_def *def) {                     \
        ISO_ASSERT(def != NULL);                                                                       \
        iso_joint_def all = iso_joint_def_default();                                                   \
        all.kind = ISO_JOINT_##NAME;                                                                   \
        ISO_JOINT_DEF_##snake##_FIELDS(DEF_GIVE) return all;                                           \
    }                                                                                                  \
    iso_status iso_##snake##_joint_create(struct iso_world *world, const iso_##snake##_joint_def *def, \
                                          iso_joint_id *joint) {                                       \
        const iso_joint_def all = iso_joint_def_from_##snake(def);                                     \
        return iso_joint_create(world, &all, joint);                                                   \
    }
ISO_JOINT_KIND_LIST(DEF_KIND)
#undef DEF_KIND

// ---- between points of the world -----------------------------------------------------------------

/// A point of the world as an anchor. @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (more than 60 m away)
static iso_status def_anchor(const struct iso_world *world, iso_body_id body, iso_vec2_wide point, iso_vec2 *anchor) {
    iso_vec2_wide at;
    if (iso_body_get_local_point(world, body, point, &at) != ISO_OK) {
        return ISO_ERR_STALE;
    }
    const iso_vec2 local = iso_vec2_from_wide(at);
    const uint32_t most = ISO_SHAPE_EXTENT_MAX_M * (uint32_t)ISO_FIX16_ONE;
    if (iso__abs_u32(local.x) > most || iso__abs_u32(local.y) > most) {
        return ISO_ERR_RANGE;
    }
    *anchor = local;
    return ISO_OK;
}

/// The distance of two anchors of live bodies.
static iso_wide def_distance(const struct iso_world *world, const iso_joint_def *def) {
    iso_vec2_wide a = {0, 0}, b = {0, 0};
    (void)iso_body_get_world_point(world, def->body_a, iso_vec2_to_wide(def->anchor_a), &a);
    (void)iso_body_get_world_point(world, def->body_b, iso_vec2_to_wide(def->anchor_b), &b);
    return iso_vec2_wide_distance(a, b);
}

/// The bodies are those of *all, and so is the kind, by which lengths and angles are measured.
static iso_status def_between(const struct iso_world *world, iso_vec2_wide point_a, iso_vec2_wide point_b,
                              iso_joint_def *all) {
    iso_body_view a, b;
    if (iso_body_get(world, all->body_a, &a) != ISO_OK || iso_body_get(world, all->body_b, &b) != ISO_OK) {
        return ISO_ERR_STALE;
    }
    if (def_anchor(world, all->body_a, point_a, &all->anchor_a) != ISO_OK ||
        def_anchor(world, all->body_b, point_b, &all->anchor_b) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    const uint32_t has = iso_joint_kind_has(all->kind);
    if ((has & ISO_JOINT_HAS_LENGTH) != 0) {
        const iso_wide length = def_distance(world, all);
        if (length > 32767 * ISO_WIDE_ONE) {
            return ISO_ERR_RANGE;
        }
        all->rest = iso_fix16_from_wide(length);
    }
    const bool holds_angle = (has & ISO_JOINT_IS_HELD) != 0 && (has & ISO_JOINT_IS_BRAKE) == 0;
    if (holds_angle || (has & ISO_JOINT_HAS_REFERENCE) != 0) {
        const iso_wide angle = iso_radians_from_turns(iso_wide_sub(b.angle_turns, a.angle_turns));
        if (iso__abs_u64(angle) > 32767 * (uint64_t)ISO_WIDE_ONE) {
            return ISO_ERR_RANGE;
        }
        *(holds_angle ? &all->rest : &all->reference) = iso_fix16_from_wide(angle);
    }
    return ISO_OK;
}

#define DEF_SET(type, name) def->name = all.name;
#define DEF_BETWEEN(snake)                                                                                            \
    iso_status iso_##snake##_joint_def_between(const struct iso_world *world, iso_body_id body_a, iso_body_id body_b, \
                                               iso_vec2_wide point, iso_##snake##_joint_def *def) {                   \
        const iso_##snake##_joint_def first = iso_##snake##_joint_def_default();                                      \
        iso_joint_def all = iso_joint_def_from_##snake(&first);                                                       \
        all.body_a = body_a;                                                                                          \
        all.body_b = body_b;                                                                                          \
        const iso_status status = def_between(world, point, point, &all);                                             \
        if (status == ISO_OK) {                                                                                       \
            ISO_JOINT_DEF_##snake##_FIELDS(DEF_SET)                                                                   \
        }                                                                                                             \
        return status;                                                                                                \
    }
ISO_JOINT_AT_POINT_LIST(DEF_BETWEEN)
#undef DEF_BETWEEN

iso_status iso_distance_joint_def_between(const struct iso_world *world, iso_body_id body_a, iso_body_id body_b,
                                          iso_vec2_wide point_a, iso_vec2_wide point_b, iso_distance_joint_def *def) {
    iso_joint_def all = iso_joint_def_default();
    all.kind = ISO_JOINT_DISTANCE;
    all.body_a = body_a;
    all.body_b = body_b;
    const iso_status status = def_between(world, point_a, point_b, &all);
    if (status == ISO_OK) {
        ISO_JOINT_DEF_distance_FIELDS(DEF_SET)
    }
    return status;
}

iso_status iso_target_joint_def_at(const struct iso_world *world, iso_body_id body, iso_vec2_wide point,
                                   iso_target_joint_def *def) {
    iso_target_joint_def made = iso_target_joint_def_default();
    const uint64_t most = ISO_POSITION_MAX_M * (uint64_t)ISO_WIDE_ONE;
    if (!iso_body_is_valid(world, body)) {
        return ISO_ERR_STALE;
    }
    if (iso__abs_u64(point.x) > most || iso__abs_u64(point.y) > most ||
        def_anchor(world, body, point, &made.anchor_b) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    made.body_b = body;
    made.target = point;
    *def = made;
    return ISO_OK;
}
