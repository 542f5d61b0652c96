/// The parts of blueprints: from definitions to records and back, and whether a record can be one.
#ifndef ISO_PLANE_COMPOUND_BLUEPRINT_H
#define ISO_PLANE_COMPOUND_BLUEPRINT_H

#include "plane/world/custom.h"
#include "plane/world/plane.h"

/// A blueprint's definition as records. The records' indices of bodies begin at `base`.
/// @return as iso_world_add_blueprint
iso_status iso__plane_blueprint_write_body(const iso_blueprint_body *body, iso__plane_body *record);
iso_status iso__plane_blueprint_write_shape(const iso_shape_def *def, uint32_t body, iso__plane_shape *record);
iso_status iso__plane_blueprint_write_joint(const iso_joint_def *def, const iso__plane_blueprint *blueprint,
                                            uint32_t index, iso__plane_blueprint_joint *record);

/// Records as definitions; a joint's handles have the indices of parts of the blueprint, counted from 0.
void iso__plane_blueprint_read_body(const iso__plane_body *record, iso_blueprint_body *body);
void iso__plane_blueprint_read_joint(const iso__plane_blueprint *blueprint, const iso__plane_blueprint_joint *record,
                                     iso_joint_def *def);

/// Whether a name is 1 to ISO_BLUEPRINT_NAME_MAX letters, digits, "_" or "-", and zeros after them.
bool iso__plane_blueprint_name_is_valid(const uint8_t name[ISO_BLUEPRINT_NAME_MAX + 1]);

/// Writes a name in this form. @return false when it is not valid
bool iso__plane_blueprint_write_name(const char *name, uint8_t to[ISO_BLUEPRINT_NAME_MAX + 1]);

/// Whether records are what their definitions would be written as. Bodies of joints are those of the blueprint.
bool iso__plane_blueprint_body_is_valid(const iso__plane_body *record);
bool iso__plane_blueprint_shape_is_valid(const iso__plane_blueprint *blueprint, const iso__plane_shape *record);
bool iso__plane_blueprint_joint_is_valid(const iso__plane_blueprint *blueprint, uint32_t index,
                                         const iso__plane_blueprint_joint *record);

#endif
