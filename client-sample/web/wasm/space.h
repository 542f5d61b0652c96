/// Worlds in space as words of 32 bits, for JavaScript: where bodies are, and which shapes they have. exports3.txt
/// names these functions, so that a module without such worlds has none of them.
#ifndef ISO_WEB_SPACE_H
#define ISO_WEB_SPACE_H

#include "isostep/client.h"
#include "isostep/shape.h"
#include "isostep/world.h"

/// The words of one pose: index and generation of the body; x, y, z [m, Q15.16]; the rotation's x, y, z, w [Q2.30]; the
/// owner's slot; the body's type, plus 256 when it sleeps
enum { ISO__WEB_POSE3_WORDS = 11 };

/// The words of one shape: index of the body; index and generation of the shape; a hash of its geometry, by which
/// shapes that look the same can be told from others without asking for each; 1 when it is a sensor
enum { ISO__WEB_SHAPE3_WORDS = 5 };

uint32_t iso_web_pose3_words(void);
uint32_t iso_web_shape3_words(void);

/// The displayed poses of all bodies, by rising index.
/// @param now_ns    the time of iso_client_handle
/// @param capacity  [poses]
/// @return how many bodies there are; those beyond the capacity are left out. 0 in the plane
uint32_t iso_web_poses3(const iso_client *client, uint64_t now_ns, int32_t *words, uint32_t capacity);

/// The shapes of all bodies, by rising index. @return likewise
uint32_t iso_web_shapes3(const iso_world *world, int32_t *words, uint32_t capacity);

/// The words before a field's samples: its columns and rows; the cell and the unit of its samples [m, Q15.16]
enum { ISO__WEB_HEIGHTS3_WORDS = 4 };

/// The field of heights of a shape, row by row (isostep/heights.h).
/// @param capacity  [words]
/// @return how many words there are, of which nothing is written when they are more than the capacity; 0: the shape is
///         of another kind, or gone
uint32_t iso_web_heights3(const iso_world *world, iso_shape_id shape, int32_t *words, uint32_t capacity);

/// The words of one line: its role (iso_draw_role), plus 256 when it is active; x, y, z of both ends [m, Q15.16], which
/// are one point when it is a point
enum { ISO__WEB_LINE3_WORDS = 7 };
uint32_t iso_web_line3_words(void);

/// The lines and points of joints and contacts, in the order of isostep/draw3.h, between the displayed poses.
/// @param what  bits ISO_DRAW_… @return likewise
uint32_t iso_web_lines3(const iso_client *client, uint64_t now_ns, uint32_t what, int32_t *words, uint32_t capacity);

/// Where a body was.
typedef struct iso_player_pose3 {
    iso_vec3_wide position; // [m]
    iso_quat rotation;
    uint32_t generation; // of the body with this index; 0: there was none
} iso_player_pose3;

/// Bytes for the poses of all bodies of a world.
uint32_t iso_player_poses3_size(const iso_world *world);
/// Stores where all bodies are now.
void iso_player_keep_poses3(const iso_world *world, iso_player_pose3 *poses);

/// The poses of all bodies of a world, as iso_web_poses3 writes them.
/// @param before    where bodies were one tick earlier: they are on their way from there; NULL: where they are
/// @param part_q16  of the way [1/65,536]
uint32_t iso_player_poses3(const iso_world *world, const iso_player_pose3 *before, uint32_t part_q16, int32_t *words,
                           uint32_t capacity);

/// The lines between these poses, as iso_web_lines3 writes them.
uint32_t iso_player_lines3(const iso_world *world, const iso_player_pose3 *before, uint32_t part_q16, uint32_t what,
                           int32_t *words, uint32_t capacity);

#endif
