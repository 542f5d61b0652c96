/// The angles of joints in space: what their kinds hold, and what their axes measure. Each is the file's that derives it.
#ifndef ISO_JOINT3_ANGLE3_H
#define ISO_JOINT3_ANGLE3_H

#include "joint3/work3.h"

/// Holds a_B along a_A, by two rows.
void iso__angle3_align(iso__joint3_work *work);
/// Holds B's axes along A's, by three rows.
void iso__angle3_lock(iso__joint3_work *work);
/// Holds the angle between a_A and a_B at axes_angle, by one row.
void iso__angle3_cross(iso__joint3_work *work);

/// How far [turns] Q31.32 a body's frame has turned about its x axis since `began`, to a rotation that is within half a turn of
/// the one of the last call. Notes it.
int64_t iso__angle3_count(iso__joint3_body *of, const int32_t now[4]);
/// Such a count begins.
void iso__angle3_begin(iso__joint3_body *of, const int32_t rotation[4]);

/// Axis n is the angle about a_A, while a_B is along it.
void iso__angle3_turn(iso__joint3_work *work, uint32_t n);
/// Axis n is the angle between a_A and a_B; the twist about both.
void iso__angle3_swing(iso__joint3_work *work, uint32_t n);
void iso__angle3_twist(iso__joint3_work *work, uint32_t n);
/// Axis n is the angle about a_A of a_B, and about a_B of a_A; these are at an angle.
void iso__angle3_about_a(iso__joint3_work *work, uint32_t n);
void iso__angle3_about_b(iso__joint3_work *work, uint32_t n);

#endif
