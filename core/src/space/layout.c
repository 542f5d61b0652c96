/// See layout.h.
#include "space/layout.h"

#include "base/assert.h"
#include "space/collide/hull.h"
#include "space/dynamics/contact_group.h"
#include "space/joint/custom.h"
#include "space/joint/work.h"
#include "space/world/hulls.h"
#include "space/world/scratch.h"
#include "world/block.h"

static void space_lay_out_records(iso__space *space, iso__block *to, const iso_world_def *def) {
    ISO__TAKE(to, space->bodies, def->body_capacity);
    ISO__TAKE(to, space->shapes, def->shape_capacity);
    ISO__TAKE(to, space->joints, def->joint_capacity);
    ISO__TAKE(to, space->world.programs, def->program_capacity);
    ISO__TAKE(to, space->custom_joints, def->custom_joint_capacity);
    ISO__TAKE(to, space->world.custom_of, def->joint_capacity);
    ISO__TAKE(to, space->contacts, def->contact_capacity);
    ISO__TAKE(to, space->own_masses, iso__own_mass_capacity(def));
    ISO__TAKE(to, space->heights, iso__heights_capacity(def));
    ISO__TAKE(to, space->height_blocks, iso__height_block_capacity(def));
    ISO__TAKE(to, space->body_derived, def->body_capacity);
    ISO__TAKE(to, space->shape_derived, def->shape_capacity);
    ISO__TAKE(to, space->forces, def->body_capacity);
    ISO__TAKE(to, space->staged_shapes, def->shape_capacity);
    ISO__TAKE(to, space->hulls, def->shape_capacity);
    ISO__TAKE(to, space->hull_solids, def->shape_capacity);
    ISO__TAKE(to, space->stale_hulls, (def->shape_capacity + 63) / 64);
}

static void space_lay_out_scratch(iso__space_scratch *scratch, iso__block *to, const iso_world_def *def,
                                  const iso_game *game) {
    const uint32_t bodies = def->body_capacity + 1; // and the world itself
    ISO__TAKE(to, scratch->motions, bodies);
    ISO__TAKE(to, scratch->drifts, bodies);
    ISO__TAKE(to, scratch->moving, bodies);
    ISO__TAKE(to, scratch->moving_bits, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->colliders, def->shape_capacity);
    ISO__TAKE(to, scratch->boxes, def->shape_capacity);
    ISO__TAKE(to, scratch->order, def->shape_capacity);
    ISO__TAKE(to, scratch->order_room, def->shape_capacity);
    ISO__TAKE(to, scratch->ordered, def->shape_capacity);
    scratch->pair_capacity = 2 * def->contact_capacity + 64;
    ISO__TAKE(to, scratch->pairs, scratch->pair_capacity);
    scratch->near.capacity = 2 * scratch->pair_capacity;
    ISO__TAKE(to, scratch->near.pairs, scratch->near.capacity);
    ISO__TAKE(to, scratch->near.fat, def->shape_capacity);
    ISO__TAKE(to, scratch->excluded, def->joint_capacity);
    ISO__TAKE(to, scratch->excluded_room, def->joint_capacity);
    ISO__TAKE(to, scratch->contacts_next, def->contact_capacity);
    ISO__TAKE(to, scratch->manifolds, scratch->pair_capacity + def->contact_capacity);
    ISO__TAKE(to, scratch->pair_children, scratch->pair_capacity);
    ISO__TAKE(to, scratch->pair_contacts, scratch->pair_capacity);
    ISO__TAKE(to, scratch->known, def->contact_capacity);
    ISO__TAKE(to, scratch->tick_ways, bodies);
    ISO__TAKE(to, scratch->contact_manifolds, def->contact_capacity);
    ISO__TAKE(to, scratch->groups,
              def->contact_capacity / ISO__LANES + ISO__COLOURS + 1); // each colour's last is not full
    ISO__TAKE(to, scratch->contact_colours, def->contact_capacity);
    scratch->rules = NULL;
    scratch->impulse_maxima = NULL;
    if (game != NULL && game->before_contact3 != NULL) {
        ISO__TAKE(to, scratch->rules, def->contact_capacity);
    }
    if (game != NULL && game->after_contact3 != NULL) {
        ISO__TAKE(to, scratch->impulse_maxima, def->contact_capacity);
    }
    ISO__TAKE(to, scratch->gains, bodies);
    ISO__TAKE(to, scratch->body_heads, bodies);
    ISO__TAKE(to, scratch->body_links, 2 * def->contact_capacity);
    ISO__TAKE(to, scratch->colour_masks, bodies);
    ISO__TAKE(to, scratch->woken_sets, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->carried_sets, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->pulled_bits, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->quiet_gains, bodies);
    ISO__TAKE(to, scratch->joints, def->joint_capacity);
    ISO__TAKE(to, scratch->obstacles, def->shape_capacity);
    ISO__TAKE(to, scratch->obstacle_boxes, def->shape_capacity);
    ISO__TAKE(to, scratch->customs, def->custom_joint_capacity);
}

uint64_t iso__space_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory) {
    ISO_ASSERT(((uintptr_t)memory & 63) == 0);
    iso__block to = {memory, 0};
    iso__space measured_space;
    iso__space_scratch measured_scratch;
    iso__space *space = to.base ? (iso__space *)world : &measured_space;
    iso__block_take(&to, 1, sizeof *space);
    ISO__TAKE(&to, space->scratch, 1);
    iso__block_take_common(&space->world, &to, def, game);
    space_lay_out_records(space, &to, def);
    space_lay_out_scratch(to.base ? space->scratch : &measured_scratch, &to, def, game);
    return to.used;
}
