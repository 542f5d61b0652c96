/// What a kind of worlds has of its own, for everything else in netsim, which works with any: scene_plane.c,
/// scene_space.c.
#ifndef ISO_NETSIM_SCENE_H
#define ISO_NETSIM_SCENE_H

#include "faults.h"
#include "isostep/isostep.h"

typedef struct sim_scene {
    const char *name;
    uint32_t game_count;
    const iso_game *const *(*games)(void); // all of the runs
    uint8_t spawn_kind;                    // of the commands that `spawn` makes
    uint8_t connect_kind;                  // of those of `connect` that make a joint
    /// Chooses the game, and sets what of the definition the scene and the game need.
    void (*draw)(sim *s);
    /// Puts into an empty world what there is before the first tick.
    iso_status (*build)(sim *s, iso_world *world);
    /// @return nobody when there is no such body
    iso_owner (*owner)(const iso_world *world, iso_body_id body);
    /// The commands of a bot that builds: a new body, something for two of its own, an impulse, a velocity upwards.
    void (*spawn)(sim *s, iso_command *command);
    void (*connect)(iso_body_id a, iso_body_id b, iso_command *command);
    void (*push)(iso_body_id body, iso_command *command);
    void (*throw_up)(iso_body_id body, iso_command *command);
} sim_scene;

/// Their games emit events, too.
extern const sim_scene sim_scene_plane, sim_scene_space, sim_scene_rally;

#endif
