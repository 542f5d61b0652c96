/// Two scenes of the table are not still: a block is pushed through the junkyard, and in the rain whoever has lain on
/// the ground for a while falls again from above, so that about half of the ragdolls are always in the air.
#include "bench_drive.h"

#include <math.h>
#include <string.h>

#define RAIN_COLUMNS 40u
#define RAIN_ROWS    5u
#define RAIN_GROUP   5u // generators of dolls, one beside the other
#define RAIN_PARTS   11u
#define RAIN_TICKS   8u // from column to column

/// The pusher, the only kinematic body, swings 60 m to either side, with 0.2 rad/s.
static bool drive_junkyard(iso_world *world, unsigned step) {
    iso_body_view view;
    for (iso_body_id b = iso_body_next(world, 8000); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        if (iso_body_get(world, b, &view) == ISO_OK && view.type == ISO_BODY_KINEMATIC) {
            const double x = 60 * sin(0.2 * (step + 1) / 60);
            return iso_body_move_kinematic(world, b, (iso_vec2_wide){(iso_wide)(x * 4294967296.0), 0}, 0) == ISO_OK;
        }
    }
    return false;
}

/// Where the parts of a doll of the first column and the lowest row are at tick 0 [m], from its first generator on.
static bool raise(iso_world *world, uint32_t part, uint32_t column, uint32_t row, uint32_t doll) {
    static const double heights[RAIN_PARTS] = {0.95,  1.2,   1.475, 0.775, 0.475, 0.775,
                                               0.475, 1.225, 0.975, 1.225, 0.975};
    const iso_body_id body =
        iso_body_next(world, 1 + ((doll * RAIN_ROWS + row) * RAIN_COLUMNS + column) * RAIN_PARTS + part);
    const double x = -121.875 + 6.25 * column + 0.5 * doll, y = 40 + 45.0 * row + heights[part];
    const iso_vec2_wide place = {(iso_wide)(x * 4294967296.0), (iso_wide)(y * 4294967296.0)};
    return iso_body_set_position(world, body, place, 0) == ISO_OK &&
           iso_body_set_velocity(world, body, (iso_vec2_wide){0, 0}, 0) == ISO_OK;
}

static bool drive_rain(iso_world *world, unsigned step) {
    const uint32_t column = step / RAIN_TICKS % RAIN_COLUMNS;
    bool ok = true;
    for (uint32_t i = 0; step % RAIN_TICKS == 0 && i < RAIN_ROWS * RAIN_GROUP * RAIN_PARTS; ++i) {
        ok = ok && raise(world, i % RAIN_PARTS, column, i / RAIN_PARTS % RAIN_ROWS, i / RAIN_PARTS / RAIN_ROWS);
    }
    return ok;
}

bench_drive *bench_drive_find(const char *scene) {
    return strcmp(scene, "junkyard") == 0 ? drive_junkyard : strcmp(scene, "rain") == 0 ? drive_rain : NULL;
}
