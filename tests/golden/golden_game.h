/// The game of the case `mechanics`: everything that a game may do and the library's own games do not. It draws random
/// numbers of the world, counts drops and resumes, allows every command, keeps what members spawned, and has a
/// constraint with memory that breaks. Right for any bits in its state, as a game must be.
#ifndef ISO_GOLDEN_GAME_H
#define ISO_GOLDEN_GAME_H

#include "golden_game3.h"
#include "isostep/games.h"
#include "isostep/isostep.h"

typedef struct golden_state {
    uint64_t drawn; // of the random numbers
    uint32_t joins, leaves, drops, resumes;
    uint32_t customs; // bytes of all CUSTOM commands
    uint32_t kicks;
} golden_state;

static const iso_field GOLDEN_FIELDS[] = {
    {"drawn", "", offsetof(golden_state, drawn), 1, ISO_FIELD_U64},
    {"joins", "", offsetof(golden_state, joins), 1, ISO_FIELD_U32},
    {"leaves", "", offsetof(golden_state, leaves), 1, ISO_FIELD_U32},
    {"drops", "", offsetof(golden_state, drops), 1, ISO_FIELD_U32},
    {"resumes", "", offsetof(golden_state, resumes), 1, ISO_FIELD_U32},
    {"customs", "", offsetof(golden_state, customs), 1, ISO_FIELD_U32},
    {"kicks", "", offsetof(golden_state, kicks), 1, ISO_FIELD_U32},
};

// ---- a rope that shrinks by a thousandth each tick, and is as long as it is told again when it broke ---------------

static const char *const GOLDEN_SCALAR_NAMES[] = {"length"};

static iso_status golden_rope_check(const iso_program_params *params) {
    return params->scalars[0] >= ISO_WIDE_ONE / 16 && params->scalars[0] <= 1000 * ISO_WIDE_ONE ? ISO_OK
                                                                                                : ISO_ERR_RANGE;
}

static void golden_rope_prepare(const iso_constraint_body *bodies, const iso_program_params *params, iso_wide *state) {
    (void)bodies;
    const iso_wide before = state[0] > 0 && state[0] < params->scalars[0] ? state[0] : params->scalars[0];
    state[0] = before - before / 1000;
}

static void golden_rope_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)params;
    low[0] = 0;
    high[0] = state[0] < 0 ? 0 : state[0];
}

static void golden_rope_rows(const iso_constraint_body *bodies, const iso_program_params *params, const iso_wide *state,
                             iso_constraint_rows *rows) {
    (void)params;
    (void)state;
    const iso_wide x = iso_wide_sub(bodies[1].position[0], bodies[0].position[0]);
    const iso_wide y = iso_wide_sub(bodies[1].position[1], bodies[0].position[1]);
    const iso_wide length = iso_wide_hypot(x, y);
    const iso_wide nx = length != 0 ? iso_wide_div(x, length) : ISO_WIDE_ONE,
                   ny = length != 0 ? iso_wide_div(y, length) : 0;
    const iso_wide rows_of[2][2] = {{-nx, -ny}, {nx, ny}};
    rows->error[0] = length;
    for (int body = 0; body < 2; ++body) {
        rows->jacobian[0][body][0] = rows_of[body][0];
        rows->jacobian[0][body][1] = rows_of[body][1];
        rows->jacobian[0][body][2] = 0;
    }
}

static void golden_rope_broken(const iso_program_params *params, iso_wide *state) {
    (void)params;
    state[0] = 0;
}

static const iso_constraint GOLDEN_CONSTRAINTS[] = {{
    .name = "rope",
    .body_count = 2,
    .scalar_count = 1,
    .row_count = 1,
    .scalar_names = GOLDEN_SCALAR_NAMES,
    .check = golden_rope_check,
    .prepare = golden_rope_prepare,
    .bounds = golden_rope_bounds,
    .rows = golden_rope_rows,
    .broken = golden_rope_broken,
}};

// ---- rules ---------------------------------------------------------------------------------------

static uint32_t golden_draw(iso_world *world, golden_state *golden) {
    const uint32_t number = iso_world_random(world);
    golden->drawn += number;
    return number;
}

static void golden_join(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    ((golden_state *)state)->joins += slot + 1;
}

static void golden_leave(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    ((golden_state *)state)->leaves += slot + 1;
}

static void golden_drop(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    ((golden_state *)state)->drops += slot + 1;
}

static void golden_resume(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    ((golden_state *)state)->resumes += slot + 1;
}

/// A push in a random direction for one of the bodies, as strong as there are bytes.
static iso_status golden_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    (void)slot;
    golden_state *golden = state;
    for (size_t i = 0; i < size; ++i) {
        golden->customs += bytes[i];
    }
    if (size == 0) {
        return ISO_ERR_REFUSED;
    }
    const iso_body_id body = iso_body_next(world, golden_draw(world, golden) % 32);
    const iso_wide strength = (iso_wide)size * ISO_WIDE_ONE / 8;
    const iso_vec2_wide impulse = {(golden_draw(world, golden) & 1) != 0 ? strength : -strength, strength};
    iso_body_view view;
    if (iso_body_get(world, body, &view) != ISO_OK) {
        return ISO_ERR_STALE;
    }
    return iso_body_apply_impulse(world, body, impulse, iso_vec2_to_wide(iso_vec2_from_wide(view.centre)));
}

/// Now and then the world turns something, as chance has it.
static void golden_before_step(iso_world *world, void *state) {
    golden_state *golden = state;
    if (golden_draw(world, golden) % 8 == 0) {
        const iso_body_id body = iso_body_next(world, golden_draw(world, golden) % 32);
        golden->kicks += iso_body_apply_angular_impulse(world, body, ISO_WIDE_ONE / 4) == ISO_OK;
    }
}

static iso_status golden_authorize(const iso_world *world, const void *state, uint32_t slot,
                                   const iso_command *command) {
    (void)world;
    (void)state;
    (void)slot;
    (void)command;
    return ISO_OK;
}

static const iso_game golden_game = {
    .name = "golden",
    .version = 1,
    .control_layout = "none",
    .constraints = GOLDEN_CONSTRAINTS,
    .constraint_count = 1,
    .state_size = sizeof(golden_state),
    .fields = GOLDEN_FIELDS,
    .field_count = sizeof GOLDEN_FIELDS / sizeof GOLDEN_FIELDS[0],
    .keeps_spawned = true,
    .join = golden_join,
    .leave = golden_leave,
    .drop = golden_drop,
    .resume = golden_resume,
    .command = golden_command,
    .before_step = golden_before_step,
    .authorize = golden_authorize,
};

/// The game that a case names, among the library's and those of cases.
static inline const iso_game *golden_find_game(const char *name) {
    static const iso_game *const own[] = {&golden_game, &golden_game3};
    for (int n = 0; n < 2; ++n) {
        uint32_t i = 0;
        while (own[n]->name[i] != 0 && own[n]->name[i] == name[i]) {
            ++i;
        }
        if (own[n]->name[i] == name[i]) {
            return own[n];
        }
    }
    return iso_game_find(name);
}

#endif
