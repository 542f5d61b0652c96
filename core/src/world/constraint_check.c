/// See constraint_check.h. The solver indexes by the counts, scenes read parameters by their names, and neither checks
/// again.
#include "world/constraint_check.h"

#include "isostep/constraint.h"

/// Adds "its constraint pin: ".
static void text_add_constraint(iso__game_text *text, const iso_constraint *constraint) {
    iso__game_text_add(text, "its constraint ");
    iso__game_text_add(text, constraint->name);
    iso__game_text_add(text, ": ");
}

/// A name that is missing or not valid cannot name the constraint: its index does.
static iso_status constraint_check_name(const iso_game *game, uint32_t index, iso__game_text *text) {
    const char *name = game->constraints[index].name;
    if (!iso__game_name_is_valid(name, ISO__GAME_CAPITALS "_-")) {
        iso__game_text_add(text, "its constraint ");
        iso__game_text_add_number(text, index);
        return iso__game_refuse_name(text, name, "a-z, A-Z, 0-9, _ and -");
    }
    for (uint32_t other = 0; other < index; ++other) {
        if (iso__game_names_equal(name, game->constraints[other].name)) {
            iso__game_text_add(text, "its constraints ");
            iso__game_text_add_number(text, other);
            iso__game_text_add(text, " and ");
            iso__game_text_add_number(text, index);
            iso__game_text_add(text, " have the name ");
            iso__game_text_add(text, name);
            return iso__game_refuse(text, "; expected one of its own for each");
        }
    }
    return ISO_OK;
}

/// Bits of rows that the constraint does not have.
static iso_status constraint_check_bits(const iso_constraint *constraint, iso__game_text *text, const char *what,
                                        uint32_t bits) {
    if (bits >> constraint->row_count == 0) {
        return ISO_OK;
    }
    text_add_constraint(text, constraint);
    return iso__game_refuse_number(text, what, bits, 0, (1u << constraint->row_count) - 1);
}

static iso_status constraint_check_counts(const iso_constraint *constraint, iso__game_text *text) {
    const struct {
        const char *name;
        uint32_t count, min, max;
    } counts[] = {
        {"body_count", constraint->body_count, 1,
         constraint->rows3 != NULL ? ISO_CONSTRAINT3_BODIES : ISO_PROGRAM_BODIES_MAX},
        {"row_count", constraint->row_count, 1, ISO_CONSTRAINT_ROWS_MAX},
        {"vector_count", constraint->vector_count, 0, ISO_PROGRAM_VECTORS_MAX},
        {"scalar_count", constraint->scalar_count, 0, ISO_PROGRAM_SCALARS_MAX},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (counts[i].count < counts[i].min || counts[i].count > counts[i].max) {
            text_add_constraint(text, constraint);
            (void)iso__game_refuse_number(text, counts[i].name, counts[i].count, counts[i].min, counts[i].max);
            return iso__game_refuse(text, i == 0 && constraint->rows3 != NULL ? ", as it has rows3 for space" : "");
        }
    }
    const iso_status status = constraint_check_bits(constraint, text, "angular_rows", constraint->angular_rows);
    return status != ISO_OK ? status
                            : constraint_check_bits(constraint, text, "velocity_rows", constraint->velocity_rows);
}

/// A game for both kinds of worlds may have constraints for one of them; one that no world of the game can use is a
/// mistake.
static iso_status constraint_check_functions(const iso_game *game, const iso_constraint *constraint,
                                             iso__game_text *text) {
    const bool is_of_plane = iso_game_has_dimensions(game, 2), is_of_space = iso_game_has_dimensions(game, 3);
    if ((is_of_plane && constraint->rows != NULL) || (is_of_space && constraint->rows3 != NULL)) {
        return ISO_OK;
    }
    text_add_constraint(text, constraint);
    return iso__game_refuse(text, is_of_plane && is_of_space ? "it has neither rows nor rows3; expected one of them"
                                  : is_of_space ? "it has no rows3; expected it, as the game is for space alone"
                                                : "it has no rows; expected it, as the game is for the plane alone");
}

/// @param of  what they are the names of: "vector_names"
static iso_status constraint_check_names(const iso_constraint *constraint, iso__game_text *text, const char *of,
                                         const char *const *names, uint32_t count) {
    if (count > 0 && names == NULL) {
        text_add_constraint(text, constraint);
        iso__game_text_add(text, of);
        iso__game_text_add(text, " is NULL; expected names: ");
        iso__game_text_add_number(text, count);
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_valid = iso__game_name_is_valid(names[i], ISO__GAME_CAPITALS "_");
        bool is_alike = false;
        for (uint32_t other = 0; other < i && is_valid; ++other) {
            is_alike = is_alike || iso__game_names_equal(names[i], names[other]);
        }
        if (is_valid && !is_alike) {
            continue;
        }
        text_add_constraint(text, constraint);
        iso__game_text_add(text, of);
        iso__game_text_add(text, " ");
        iso__game_text_add_number(text, i);
        if (!is_valid) {
            return iso__game_refuse_name(text, names[i], "a-z, A-Z, 0-9 and _");
        }
        iso__game_text_add(text, " has the name ");
        iso__game_text_add(text, names[i]);
        return iso__game_refuse(text, " of another; expected one of its own for each");
    }
    return ISO_OK;
}

static iso_status constraint_check(const iso_game *game, uint32_t index, iso__game_text *text) {
    const iso_constraint *constraint = &game->constraints[index];
    iso_status status = constraint_check_name(game, index, text);
    status = status != ISO_OK ? status : constraint_check_counts(constraint, text);
    status = status != ISO_OK ? status : constraint_check_functions(game, constraint, text);
    status = status != ISO_OK ? status
                              : constraint_check_names(constraint, text, "vector_names", constraint->vector_names,
                                                       constraint->vector_count);
    return status != ISO_OK ? status
                            : constraint_check_names(constraint, text, "scalar_names", constraint->scalar_names,
                                                     constraint->scalar_count);
}

iso_status iso__game_check_constraints(const iso_game *game, iso__game_text *text) {
    if (game->constraint_count > UINT16_MAX) {
        return iso__game_refuse_number(text, "constraint_count", game->constraint_count, 0, UINT16_MAX);
    }
    if (game->constraint_count > 0 && game->constraints == NULL) {
        return iso__game_refuse(text, "it has a number of constraints, but no constraints");
    }
    for (uint32_t i = 0; i < game->constraint_count; ++i) {
        const iso_status status = constraint_check(game, i, text);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}
