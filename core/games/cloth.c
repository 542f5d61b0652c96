/// The game of cloth: a pinned curtain and a soft ring that members drag and cut.
///
/// Written against the public interface only, as any game is. Particles, cursors and what each member holds are the
/// game's state; the shapes that the cloth drapes over are the scene's.
#include "control.h"
#include "isostep/games.h"

#include "isostep/draw.h"
#include "isostep/particles.h"
#include "isostep/world.h"

#define CLOTH_AXIS_MAX    32767
#define CLOTH_BUTTON_GRAB 1u
#define CLOTH_BUTTON_CUT  2u

enum { CLOTH_COMMAND_RESET = 1, CLOTH_COMMAND_CUT = 2, CLOTH_COMMAND_POINT = 3 }; // first byte of a CUSTOM command

#define CLOTH_RING_SIZE   16
#define CLOTH_RING_RADIUS (ISO_WIDE_ONE / 2)
#define CLOTH_RING_TURN   (UINT32_C(1) << 28) // a sixteenth of 2^32

enum {
    CLOTH_COLUMNS,
    CLOTH_ROWS,
    CLOTH_SPACING,
    CLOTH_TOP,
    CLOTH_TEAR_STRETCH,
    CLOTH_REACH,
    CLOTH_CURSOR_SPEED,
    CLOTH_CONTROL_TIMEOUT,
    CLOTH_PARAM_COUNT
};

static const iso_game_param CLOTH_PARAMS[CLOTH_PARAM_COUNT] = {
    [CLOTH_COLUMNS] = {"columns", 20 * ISO_WIDE_ONE, 2 * ISO_WIDE_ONE, 20 * ISO_WIDE_ONE},
    [CLOTH_ROWS] = {"rows", 12 * ISO_WIDE_ONE, 2 * ISO_WIDE_ONE, 12 * ISO_WIDE_ONE},
    [CLOTH_SPACING] = {"spacing", ISO_WIDE_ONE / 5, ISO_WIDE_ONE / 20, ISO_WIDE_ONE},
    [CLOTH_TOP] = {"top", 5 * ISO_WIDE_ONE, -1000 * ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [CLOTH_TEAR_STRETCH] = {"tear_stretch", 5 * ISO_WIDE_ONE / 2, ISO_WIDE_ONE, 100 * ISO_WIDE_ONE},
    [CLOTH_REACH] = {"reach", ISO_WIDE_ONE / 2, 0, 10 * ISO_WIDE_ONE},
    [CLOTH_CURSOR_SPEED] = {"cursor_speed", 6 * ISO_WIDE_ONE, 0, 60 * ISO_WIDE_ONE},
    [CLOTH_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
};
_Static_assert(20 * 12 + CLOTH_RING_SIZE <= ISO_PARTICLES_MAX, "the largest curtain and the ring fit");
_Static_assert(19 * 12 + 20 * 11 + 3 * CLOTH_RING_SIZE <= ISO_PARTICLE_LINKS_MAX, "and so do their links");

typedef struct cloth_state {
    iso_particles particles;
    int64_t cursor_x[ISO_SLOT_COUNT_MAX];
    int64_t cursor_y[ISO_SLOT_COUNT_MAX];
    uint32_t buttons[ISO_SLOT_COUNT_MAX];    // as they were in the last tick
    uint16_t held[ISO_SLOT_COUNT_MAX];       // particle number from 1; 0: nothing
    uint8_t held_pinned[ISO_SLOT_COUNT_MAX]; // whether it was pinned before
} cloth_state;

#define CLOTH_FIELD(name, unit, type) \
    { #name, unit, (uint32_t)offsetof(cloth_state, name), ISO_SLOT_COUNT_MAX, type }
static const iso_field CLOTH_FIELDS[] = {
    ISO_PARTICLES_FIELDS CLOTH_FIELD(cursor_x, "m Q31.32", ISO_FIELD_I64),
    CLOTH_FIELD(cursor_y, "m Q31.32", ISO_FIELD_I64),
    CLOTH_FIELD(buttons, "", ISO_FIELD_U32),
    CLOTH_FIELD(held, "", ISO_FIELD_U16),
    CLOTH_FIELD(held_pinned, "", ISO_FIELD_U8),
};
_Static_assert(sizeof(cloth_state) == sizeof(iso_particles) + ISO_SLOT_COUNT_MAX * (8 + 8 + 4 + 2 + 1),
               "a field of the cloth is not listed");

static const iso_wide *cloth_params(const iso_world *world) {
    return iso_world_get_def(world)->game_params;
}

static uint32_t cloth_whole(const iso_world *world, int param) {
    return (uint32_t)(cloth_params(world)[param] / ISO_WIDE_ONE);
}

// ---- building ------------------------------------------------------------------------------------

/// A curtain around x = 0, its top row pinned at every third particle and at the ends. Links run along rows and
/// columns.
static void cloth_hang(const iso_world *world, iso_particles *particles) {
    const uint32_t columns = cloth_whole(world, CLOTH_COLUMNS), rows = cloth_whole(world, CLOTH_ROWS);
    const iso_wide spacing = cloth_params(world)[CLOTH_SPACING], top = cloth_params(world)[CLOTH_TOP];
    const iso_wide left = -spacing * (iso_wide)(columns - 1) / 2;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const bool pinned = row == 0 && (column % 3 == 0 || column + 1 == columns);
            uint32_t index;
            iso_particles_add(particles,
                              (iso_vec2_wide){left + spacing * (iso_wide)column, top - spacing * (iso_wide)row}, pinned,
                              &index);
            if (column > 0) {
                iso_particles_link(particles, index - 1, index, ISO_FIX16_ONE);
            }
            if (row > 0) {
                iso_particles_link(particles, index - columns, index, ISO_FIX16_ONE);
            }
        }
    }
}

/// A ring with pressure a metre to the right of the curtain. Weak links to the second and the opposite neighbour keep
/// it round.
static void cloth_blow(const iso_world *world, iso_particles *particles) {
    const iso_wide width = cloth_params(world)[CLOTH_SPACING] * (iso_wide)(cloth_whole(world, CLOTH_COLUMNS) - 1);
    const iso_vec2_wide centre = {width / 2 + 2 * CLOTH_RING_RADIUS,
                                  cloth_params(world)[CLOTH_TOP] - CLOTH_RING_RADIUS};
    const uint32_t first = particles->particle_count;
    for (uint32_t i = 0; i < CLOTH_RING_SIZE; ++i) {
        const iso_rotation turned = iso_rotation_make(i * CLOTH_RING_TURN);
        uint32_t index;
        iso_particles_add(particles,
                          (iso_vec2_wide){centre.x + 2 * (iso_wide)turned.c, centre.y + 2 * (iso_wide)turned.s}, false,
                          &index);
    }
    _Static_assert(2 * (iso_wide)ISO_ROTATION_ONE == CLOTH_RING_RADIUS, "twice a Q2.30 unit is the radius in Q31.32");
    for (uint32_t i = 0; i < CLOTH_RING_SIZE; ++i) {
        iso_particles_link(particles, first + i, first + (i + 1) % CLOTH_RING_SIZE, ISO_FIX16_ONE);
        iso_particles_link(particles, first + i, first + (i + 2) % CLOTH_RING_SIZE, ISO_FIX16_ONE / 4);
        if (i < CLOTH_RING_SIZE / 2) {
            iso_particles_link(particles, first + i, first + i + CLOTH_RING_SIZE / 2, ISO_FIX16_ONE / 50);
        }
    }
    iso_particles_ring(particles, first, CLOTH_RING_SIZE, ISO_FIX16_ONE / 2);
}

static void cloth_start(iso_world *world, void *state) {
    cloth_state *cloth = state;
    cloth->particles = (iso_particles){.particle_count = 0};
    cloth_hang(world, &cloth->particles);
    cloth_blow(world, &cloth->particles);
}

// ---- members -------------------------------------------------------------------------------------

static void cloth_release(cloth_state *cloth, uint32_t slot) {
    if (cloth->held[slot] > 0) {
        iso_particles_pin(&cloth->particles, cloth->held[slot] - 1u, cloth->held_pinned[slot]);
        cloth->held[slot] = 0;
        cloth->held_pinned[slot] = 0;
    }
}

static void cloth_grab(const iso_world *world, cloth_state *cloth, uint32_t slot) {
    uint32_t index;
    if (!iso_particles_find(&cloth->particles, (iso_vec2_wide){cloth->cursor_x[slot], cloth->cursor_y[slot]},
                            cloth_params(world)[CLOTH_REACH], &index)) {
        return;
    }
    for (uint32_t other = 0; other < ISO_SLOT_COUNT_MAX; ++other) {
        if (cloth->held[other] == index + 1) {
            return; // what one holds another cannot take
        }
    }
    cloth->held[slot] = (uint16_t)(index + 1);
    cloth->held_pinned[slot] = cloth->particles.pinned[index];
    iso_particles_pin(&cloth->particles, index, true);
}

static void cloth_join(iso_world *world, void *state, uint32_t slot) {
    cloth_state *cloth = state;
    cloth->cursor_x[slot] = 0;
    cloth->cursor_y[slot] = cloth_params(world)[CLOTH_TOP] + ISO_WIDE_ONE;
}

static void cloth_leave(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    cloth_state *cloth = state;
    cloth_release(cloth, slot);
    cloth->cursor_x[slot] = 0;
    cloth->cursor_y[slot] = 0;
    cloth->buttons[slot] = 0;
}

static iso_wide cloth_read_place(const uint8_t *bytes) {
    const uint32_t value =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return iso_wide_from_fix16((fix16_t)value);
}

static iso_status cloth_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    cloth_state *cloth = state;
    if (size == 1 && bytes[0] == CLOTH_COMMAND_RESET) {
        for (uint32_t other = 0; other < ISO_SLOT_COUNT_MAX; ++other) {
            cloth_release(cloth, other);
        }
        cloth_start(world, state);
        return ISO_OK;
    }
    if (size == 17 && bytes[0] == CLOTH_COMMAND_CUT) {
        iso_particles_cut(&cloth->particles, (iso_vec2_wide){cloth_read_place(bytes + 1), cloth_read_place(bytes + 5)},
                          (iso_vec2_wide){cloth_read_place(bytes + 9), cloth_read_place(bytes + 13)});
        return ISO_OK;
    }
    if (size == 9 && bytes[0] == CLOTH_COMMAND_POINT) {
        cloth->cursor_x[slot] = cloth_read_place(bytes + 1);
        cloth->cursor_y[slot] = cloth_read_place(bytes + 5);
        return ISO_OK;
    }
    return ISO_ERR_REFUSED;
}

// ---- a tick --------------------------------------------------------------------------------------

/// Where an axis brings a cursor in a tick, within the places that particles may have.
static int64_t cloth_steer(const iso_world *world, int64_t from, const uint8_t *axis) {
    const int32_t value = (int16_t)(uint16_t)(axis[0] | axis[1] << 8);
    const iso_wide speed = cloth_params(world)[CLOTH_CURSOR_SPEED] / iso_world_get_def(world)->tick_rate_hz;
    const iso_wide limit = ISO_PARTICLE_PLACE_MAX_M * ISO_WIDE_ONE;
    const iso_wide to = iso_wide_add(
        from, iso_wide_mul(speed, iso_wide_div(iso_wide_from_int(value), iso_wide_from_int(CLOTH_AXIS_MAX))));
    return to < -limit ? -limit : to > limit ? limit : to;
}

static void cloth_drive(iso_world *world, cloth_state *cloth, uint32_t slot) {
    uint8_t control[ISO__CONTROL_SIZE];
    iso_world_read_control(world, slot, control, sizeof control);
    const uint32_t buttons = iso__control_buttons(control);
    const uint32_t pressed = buttons & ~cloth->buttons[slot];
    const iso_vec2_wide before = {cloth->cursor_x[slot], cloth->cursor_y[slot]};
    const iso_vec2_wide now = {cloth_steer(world, before.x, control), cloth_steer(world, before.y, control + 2)};
    cloth->cursor_x[slot] = now.x;
    cloth->cursor_y[slot] = now.y;
    cloth->buttons[slot] = buttons;
    if ((buttons & CLOTH_BUTTON_CUT) != 0) {
        iso_particles_cut(&cloth->particles, before, now);
    }
    if ((buttons & CLOTH_BUTTON_GRAB) == 0) {
        cloth_release(cloth, slot);
    } else if ((pressed & CLOTH_BUTTON_GRAB) != 0) {
        cloth_grab(world, cloth, slot);
    }
    if (cloth->held[slot] > 0) {
        iso_particles_move(&cloth->particles, cloth->held[slot] - 1u, now);
    }
}

static void cloth_before_step(iso_world *world, void *state) {
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (view.is_occupied) {
            cloth_drive(world, state, slot);
        }
    }
}

static void cloth_after_step(iso_world *world, void *state) {
    cloth_state *cloth = state;
    iso_particle_params params = iso_particle_params_default();
    params.rate_hz = iso_world_get_def(world)->tick_rate_hz;
    params.gravity = iso_world_get_gravity(world);
    params.tear_stretch = iso_fix16_from_wide(cloth_params(world)[CLOTH_TEAR_STRETCH]);
    iso_particles_step(&cloth->particles, &params, world);
}

/// The links that hold, then what members hold.
static bool cloth_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    (void)world;
    const iso_particles *particles = &((const cloth_state *)state)->particles;
    iso_draw_item item = {.kind = ISO_DRAW_LINE, .point_count = 2};
    if (index < ISO_PARTICLE_LINKS_MAX) {
        const uint32_t a = particles->link_a[index], b = particles->link_b[index];
        if (index < particles->link_count && particles->link_rest[index] > 0 && a < ISO_PARTICLES_MAX &&
            b < ISO_PARTICLES_MAX) {
            item.points[0] = (iso_vec2_wide){particles->x[a], particles->y[a]};
            item.points[1] = (iso_vec2_wide){particles->x[b], particles->y[b]};
            iso_draw_add(draw, &item);
        }
        return true;
    }
    const uint32_t slot = index - ISO_PARTICLE_LINKS_MAX;
    const uint32_t held = slot < ISO_SLOT_COUNT_MAX ? ((const cloth_state *)state)->held[slot] : 0;
    if (held > 0 && held <= ISO_PARTICLES_MAX) {
        item.kind = ISO_DRAW_POINT;
        item.point_count = 1;
        item.points[0] = (iso_vec2_wide){particles->x[held - 1], particles->y[held - 1]};
        iso_draw_add(draw, &item);
    }
    return slot < ISO_SLOT_COUNT_MAX;
}

const iso_game iso_game_cloth = {
    .name = "cloth",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = ISO__CONTROL_SIZE,
    .params = CLOTH_PARAMS,
    .param_count = CLOTH_PARAM_COUNT,
    .state_size = sizeof(cloth_state),
    .fields = CLOTH_FIELDS,
    .field_count = sizeof CLOTH_FIELDS / sizeof CLOTH_FIELDS[0],
    .start = cloth_start,
    .join = cloth_join,
    .leave = cloth_leave,
    .command = cloth_command,
    .before_step = cloth_before_step,
    .after_step = cloth_after_step,
    .draw = cloth_draw,
};
