/// See plane/compound/blueprint.h.
///
/// A part has the record of what is made of it, so every number that bodies, shapes and joints get is a number of
/// blueprints, too.
#include "plane/compound/blueprint.h"

#include <string.h>

#include "math/fixed_ops.h"
#include "plane/joint/joint.h"
#include "plane/world/body.h"
#include "plane/world/joint.h"
#include "plane/world/shape.h"
#include "plane/world/spin.h"
#include "world/slots.h"

static_assert(sizeof(iso__plane_joint) == offsetof(iso__plane_blueprint_joint, vectors),
              "a joint's record comes first");

// ---- bodies, shapes ------------------------------------------------------------------------------

iso_status iso__plane_blueprint_write_body(const iso_blueprint_body *body, iso__plane_body *record) {
    iso_body_def def = body->def;
    def.owner = (iso_owner){0, ISO_OWNER_NOBODY};
    const iso_status status = iso__plane_body_make_record(NULL, &def, record);
    if (status != ISO_OK) {
        return status;
    }
    if (!iso__plane_body_mass_is_valid(body->mass, body->inertia)) {
        return ISO_ERR_RANGE;
    }
    record->mass = body->mass;
    record->inertia = body->inertia;
    return ISO_OK;
}

void iso__plane_blueprint_read_body(const iso__plane_body *record, iso_blueprint_body *body) {
    *body = (iso_blueprint_body){
        .def =
            {
                .type = record->type,
                .position = {record->position[0], record->position[1]},
                .angle = iso_radians_from_turns(record->angle),
                .velocity = {iso__shl64(record->velocity[0], 13), iso__shl64(record->velocity[1], 13)},
                .angular_velocity = iso__plane_angular_velocity_from_spin(record->spin, 0),
                .tag = record->tag,
                .owner = {0, ISO_OWNER_NOBODY},
            },
        .mass = record->mass,
        .inertia = record->inertia,
    };
    iso__plane_body_read_params(record, &body->def.params);
}

bool iso__plane_blueprint_body_is_valid(const iso__plane_body *record) {
    iso_blueprint_body body;
    iso__plane_body again = {0};
    iso__plane_blueprint_read_body(record, &body);
    return iso__plane_blueprint_write_body(&body, &again) == ISO_OK && memcmp(&again, record, sizeof again) == 0;
}

iso_status iso__plane_blueprint_write_shape(const iso_shape_def *def, uint32_t body, iso__plane_shape *record) {
    const iso_status status = iso_shape_def_check(def);
    if (status == ISO_OK) {
        iso__plane_shape_write_record(record, body, def);
    }
    return status;
}

bool iso__plane_blueprint_shape_is_valid(const iso__plane_blueprint *blueprint, const iso__plane_shape *record) {
    iso_shape_def def;
    iso__plane_shape again;
    if (record->body < blueprint->body_first || record->body - blueprint->body_first >= blueprint->body_count ||
        record->vertex_count > ISO_POLYGON_VERTICES_MAX) {
        return false;
    }
    iso__plane_shape_read_record(record, &def);
    return iso__plane_blueprint_write_shape(&def, record->body, &again) == ISO_OK &&
           memcmp(&again, record, sizeof again) == 0;
}

// ---- joints --------------------------------------------------------------------------------------

/// Whether a handle of a definition is null, as it must be without `has`, or a body of the blueprint.
static bool blueprint_is_body(iso_body_id body, bool has, uint32_t count) {
    return has ? body.generation == 1 && body.index < count : body.generation == 0;
}

/// The bodies that a kind needs are of the blueprint, and as different as iso_joint_create wants them. Of custom joints
/// any may be null but B; how many their constraint has is checked where it is known.
static iso_status blueprint_check_bodies(const iso_joint_def *def, uint32_t count) {
    const uint32_t has = iso_joint_kind_has(def->kind);
    const bool is_custom = (has & ISO_JOINT_IS_CUSTOM) != 0;
    const bool has_a = is_custom ? def->body_a.generation != 0 : (has & ISO_JOINT_HAS_BODY_A) != 0;
    const bool has_c = is_custom ? def->body_c.generation != 0 : (has & ISO_JOINT_HAS_BODIES_CD) != 0;
    const bool has_d = is_custom ? def->body_d.generation != 0 : has_c;
    if (!blueprint_is_body(def->body_a, has_a, count) || !blueprint_is_body(def->body_b, true, count) ||
        !blueprint_is_body(def->body_c, has_c, count) || !blueprint_is_body(def->body_d, has_d, count)) {
        return ISO_ERR_RANGE;
    }
    const bool is_same = (has_a && def->body_a.index == def->body_b.index) ||
                         (!is_custom && has_c && def->body_c.index == def->body_d.index);
    return is_same ? ISO_ERR_WRONG_TYPE : ISO_OK;
}

static iso_body_id blueprint_body_at(iso_body_id body, uint32_t base) {
    return body.generation == 0 ? body : (iso_body_id){body.index + base, 1};
}

iso_status iso__plane_blueprint_write_joint(const iso_joint_def *def, const iso__plane_blueprint *blueprint,
                                            uint32_t index, iso__plane_blueprint_joint *record) {
    iso_joint_def placed = *def;
    placed.owner = (iso_owner){0, ISO_OWNER_NOBODY};
    iso_status status = iso__plane_joint_def_check(&placed);
    status = status == ISO_OK ? blueprint_check_bodies(&placed, blueprint->body_count) : status;
    const bool is_custom = iso_joint_kind_is_custom(def->kind);
    if (status != ISO_OK || (is_custom && def->constraint > UINT16_MAX)) {
        return status != ISO_OK ? status : ISO_ERR_RANGE;
    }
    placed.body_a = blueprint_body_at(def->body_a, blueprint->body_first);
    placed.body_b = blueprint_body_at(def->body_b, blueprint->body_first);
    placed.body_c = blueprint_body_at(def->body_c, blueprint->body_first);
    placed.body_d = blueprint_body_at(def->body_d, blueprint->body_first);
    iso__plane_joint joint = {0};
    iso__plane_joint_write_record(&joint, &placed);
    *record = (iso__plane_blueprint_joint){0};
    memcpy(record, &joint, sizeof joint);
    record->blueprint = index;
    if (is_custom) {
        memcpy(record->vectors, def->params.vectors, sizeof record->vectors);
        memcpy(record->scalars, def->params.scalars, sizeof record->scalars);
        record->constraint = def->constraint;
    }
    return ISO_OK;
}

static iso_body_id blueprint_body_of(const iso__plane_blueprint *blueprint, uint32_t body) {
    return body == ISO__WORLD_BODY ? (iso_body_id){0, 0} : (iso_body_id){body - blueprint->body_first, 1};
}

void iso__plane_blueprint_read_joint(const iso__plane_blueprint *blueprint, const iso__plane_blueprint_joint *record,
                                     iso_joint_def *def) {
    iso__plane_joint joint;
    memcpy(&joint, record, sizeof joint);
    iso__plane_joint_read_record(&joint, def);
    def->body_a = blueprint_body_of(blueprint, record->body_a);
    def->body_b = blueprint_body_of(blueprint, record->body_b);
    def->body_c = blueprint_body_of(blueprint, record->body_c);
    def->body_d = blueprint_body_of(blueprint, record->body_d);
    if (iso_joint_kind_is_custom(record->kind)) {
        memcpy(def->params.vectors, record->vectors, sizeof record->vectors);
        memcpy(def->params.scalars, record->scalars, sizeof record->scalars);
        def->constraint = record->constraint;
    }
}

bool iso__plane_blueprint_joint_is_valid(const iso__plane_blueprint *blueprint, uint32_t index,
                                         const iso__plane_blueprint_joint *record) {
    iso_joint_def def;
    iso__plane_blueprint_joint again;
    if (iso_joint_kind_has(record->kind) == 0) {
        return false;
    }
    iso__plane_blueprint_read_joint(blueprint, record, &def);
    return iso__plane_blueprint_write_joint(&def, blueprint, index, &again) == ISO_OK &&
           memcmp(&again, record, sizeof again) == 0;
}

// ---- blueprints ----------------------------------------------------------------------------------

bool iso__plane_blueprint_name_is_valid(const uint8_t name[ISO_BLUEPRINT_NAME_MAX + 1]) {
    uint32_t size = 0;
    while (size <= ISO_BLUEPRINT_NAME_MAX && name[size] != 0) {
        const uint8_t c = name[size++];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) {
            return false;
        }
    }
    for (uint32_t i = size; i <= ISO_BLUEPRINT_NAME_MAX; ++i) {
        if (name[i] != 0) {
            return false;
        }
    }
    return size > 0 && size <= ISO_BLUEPRINT_NAME_MAX;
}

bool iso_world_get_blueprint(const iso_world *world, uint32_t index, iso_blueprint_view *view) {
    ISO__PLANE_ONLY(world, false);
    const iso__plane *plane = iso__plane_of_const(world);
    if (index >= world->globals->blueprint_count) {
        return false;
    }
    const iso__plane_blueprint *blueprint = &plane->blueprints[index];
    *view = (iso_blueprint_view){
        .body_count = blueprint->body_count,
        .shape_count = blueprint->shape_count,
        .joint_count = blueprint->joint_count,
    };
    memcpy(view->name, blueprint->name, sizeof view->name);
    return true;
}

bool iso__plane_blueprint_write_name(const char *name, uint8_t to[ISO_BLUEPRINT_NAME_MAX + 1]) {
    memset(to, 0, ISO_BLUEPRINT_NAME_MAX + 1);
    for (uint32_t i = 0; name[i] != 0; ++i) {
        if (i == ISO_BLUEPRINT_NAME_MAX) {
            return false;
        }
        to[i] = (uint8_t)name[i];
    }
    return iso__plane_blueprint_name_is_valid(to);
}

uint32_t iso_world_find_blueprint(const iso_world *world, const char *name) {
    ISO__PLANE_ONLY(world, UINT32_MAX);
    const iso__plane *plane = iso__plane_of_const(world);
    uint8_t padded[ISO_BLUEPRINT_NAME_MAX + 1];
    if (!iso__plane_blueprint_write_name(name, padded)) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < world->globals->blueprint_count; ++i) {
        if (memcmp(plane->blueprints[i].name, padded, sizeof padded) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}
