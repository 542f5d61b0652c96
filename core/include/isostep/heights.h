/// Fields of heights: samples in a grid, of which shapes of the kind HEIGHTS make ground.
///
/// A field is only added, as a program is, and belongs to the world's state: snapshots carry its samples. Shapes name
/// it by its number, so that several may share it. It is a surface of triangles over the plane of x and z of the
/// shape's body: sample `row * columns + column` is the height of the corner at
///
///   x = (column - (columns - 1) / 2) cell,  z = (row - (rows - 1) / 2) cell
///
/// Each cell has two triangles, whose common edge goes from its corner with the lowest x and z to the one with the
/// highest. What is below the surface is solid, down to ISO_HEIGHTS_DEPTH_M below its lowest sample, its floor.
#ifndef ISOSTEP_HEIGHTS_H
#define ISOSTEP_HEIGHTS_H

#include <stdint.h>

#include "isostep/fixed.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_HEIGHTS_MAX         8u     // fields of a world
#define ISO_HEIGHTS_SIDE_MAX    129u   // columns or rows of a field
#define ISO_HEIGHTS_SAMPLES_MAX 32768u // of all fields of a world, each rounded up to whole records of 64
#define ISO_HEIGHTS_CELL_MIN    (ISO_FIX16_ONE / 16)
#define ISO_HEIGHTS_CELL_MAX    (16 * ISO_FIX16_ONE)
#define ISO_HEIGHTS_SCALE_MAX   (ISO_FIX16_ONE / 16)
#define ISO_HEIGHTS_STEP_MAX_M  60 // between neighbours along a row or a column
#define ISO_HEIGHTS_DEPTH_M     64

typedef struct iso_heights_def {
    const int16_t *samples; // columns * rows of them, row by row, in units of `scale`
    uint16_t columns, rows; // 2 to ISO_HEIGHTS_SIDE_MAX: along x and along z
    fix16_t cell;           // [m] 1/16 to 16, from column to column and from row to row
    fix16_t scale;          // [m] 2^-16 to 1/16: of a height of 1
} iso_heights_def;

/// Checks a field without a world.
/// @return ISO_OK; ISO_ERR_RANGE (columns, rows, cell, scale); ISO_ERR_GEOMETRY (neighbours that differ by more than
///         ISO_HEIGHTS_STEP_MAX_M).
iso_status iso_heights_def_check(const iso_heights_def *def);

struct iso_world;

/// Adds a field, which stays as it is; not within a step. The samples are copied.
/// @param index  out: its number, for iso_shape3_def_heights
/// @return ISO_OK; ISO_ERR_DIMENSION; ISO_ERR_CAPACITY; what iso_heights_def_check returns. On error the world is
///         unchanged.
iso_status iso_world_add_heights(struct iso_world *world, const iso_heights_def *def, uint32_t *index);

/// Reads a field back; the samples are the world's own. @return ISO_OK; ISO_ERR_STALE (no such field);
/// ISO_ERR_DIMENSION.
iso_status iso_world_get_heights(const struct iso_world *world, uint32_t index, iso_heights_def *def);

#ifdef __cplusplus
}
#endif

#endif
