/// See layout.h.
#include "plane/layout.h"

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/pair_block.h"
#include "plane/joint/custom.h"
#include "plane/joint/work.h"
#include "plane/world/compound.h"
#include "plane/world/scratch.h"
#include "world/block.h"

static void plane_lay_out_state(iso__plane *plane, iso__block *to, const iso_world_def *def) {
    ISO__TAKE(to, plane->bodies, def->body_capacity);
    ISO__TAKE(to, plane->shapes, def->shape_capacity);
    ISO__TAKE(to, plane->joints, def->joint_capacity);
    ISO__TAKE(to, plane->world.programs, def->program_capacity);
    ISO__TAKE(to, plane->custom_joints, def->custom_joint_capacity);
    ISO__TAKE(to, plane->compounds, iso__compound_capacity(def));
    ISO__TAKE(to, plane->blueprints, iso__blueprint_capacity(def));
    ISO__TAKE(to, plane->blueprint_bodies, iso__blueprint_capacity(def));
    ISO__TAKE(to, plane->blueprint_shapes, iso__blueprint_capacity(def));
    ISO__TAKE(to, plane->blueprint_joints, iso__blueprint_capacity(def));
    ISO__TAKE(to, plane->contacts, def->contact_capacity);
    ISO__TAKE(to, plane->body_derived, def->body_capacity);
    ISO__TAKE(to, plane->shape_derived, def->shape_capacity);
}

static void plane_lay_out_caches(iso__plane *plane, iso__block *to, const iso_world_def *def) {
    ISO__TAKE(to, plane->contact_manifolds, def->contact_capacity);
    ISO__TAKE(to, plane->world.custom_of, def->joint_capacity);
    ISO__TAKE(to, plane->forces, def->body_capacity);
    ISO__TAKE(to, plane->moves, def->body_capacity);
    ISO__TAKE(to, plane->move_bits, (def->body_capacity + 63) / 64);
    ISO__TAKE(to, plane->reshaped, (def->shape_capacity + 63) / 64);
}

static void plane_lay_out_broad_phase(iso__plane_broad_phase *phase, iso__block *to, const iso_world_def *def) {
    phase->tree.capacity = 2 * def->shape_capacity;
    phase->pair_capacity = iso__plane_broad_phase_pair_capacity(def);
    ISO__TAKE(to, phase->tree.nodes, phase->tree.capacity);
    phase->stills.capacity = phase->tree.capacity;
    ISO__TAKE(to, phase->stills.nodes, phase->stills.capacity);
    ISO__TAKE(to, phase->proxies, def->shape_capacity);
    ISO__TAKE(to, phase->boxes, def->shape_capacity);
    ISO__TAKE(to, phase->dirty, def->shape_capacity);
    ISO__TAKE(to, phase->dirty_bits, (def->shape_capacity + 63) / 64);
    ISO__TAKE(to, phase->leaves, def->shape_capacity);
    ISO__TAKE(to, phase->order, def->shape_capacity);
    ISO__TAKE(to, phase->order_room, def->shape_capacity);
    ISO__TAKE(to, phase->pair_starts, def->body_capacity + 1);
    ISO__TAKE(to, phase->finds, def->shape_capacity + ISO__PLANE_TREE_PARTS_MAX);
    ISO__TAKE(to, phase->pairs, phase->pair_capacity);
    ISO__TAKE(to, phase->found, phase->pair_capacity);
}

static void plane_lay_out_scratch(iso__plane_step_scratch *scratch, iso__block *to, const iso_world_def *def) {
    const uint32_t bodies = def->body_capacity + 1; // and the world itself
    ISO__TAKE(to, scratch->motions, bodies);
    ISO__TAKE(to, scratch->drifts, bodies);
    ISO__TAKE(to, scratch->pushes, bodies);
    ISO__TAKE(to, scratch->moving, bodies);
    ISO__TAKE(to, scratch->limits, bodies);
    ISO__TAKE(to, scratch->targets, def->shape_capacity);
    ISO__TAKE(to, scratch->near_targets, def->shape_capacity);
    ISO__TAKE(to, scratch->target_boxes, def->shape_capacity);
    ISO__TAKE(to, scratch->moving_bits, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->listed_bits, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->woken_sets, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->pulled_bits, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->carried_sets, (bodies + 63) / 64);
    ISO__TAKE(to, scratch->gains, bodies);
    ISO__TAKE(to, scratch->colour_masks, bodies);
    ISO__TAKE(to, scratch->joint_masks, bodies);
    ISO__TAKE(to, scratch->rotations, bodies);
    ISO__TAKE(to, scratch->has_joint, bodies);
    ISO__TAKE(to, scratch->spring_sums, bodies);
    ISO__TAKE(to, scratch->contacts_next, def->contact_capacity);
    ISO__TAKE(to, scratch->contact_manifolds_next, def->contact_capacity);
    ISO__TAKE(to, scratch->solved, def->contact_capacity);
    ISO__TAKE(to, scratch->manifolds, def->contact_capacity);
    ISO__TAKE(to, scratch->manifolds_last, def->contact_capacity);
    ISO__TAKE(to, scratch->pair_blocks, iso__plane_broad_phase_pair_capacity(def) / ISO__PLANE_BLOCK_PAIRS + 1);
    ISO__TAKE(to, scratch->pair_findings, iso__plane_broad_phase_pair_capacity(def));
    ISO__TAKE(to, scratch->surfaces, def->contact_capacity);
    ISO__TAKE(to, scratch->impulse_maxima, def->contact_capacity);
    ISO__TAKE(to, scratch->body_heads, def->body_capacity);
    ISO__TAKE(to, scratch->body_counts, def->body_capacity);
    ISO__TAKE(to, scratch->body_links, 2 * (size_t)def->contact_capacity);
    ISO__TAKE(to, scratch->seam_marks, 2 * (size_t)def->contact_capacity);
    ISO__TAKE(to, scratch->contact_colours, def->contact_capacity);
    ISO__TAKE(to, scratch->contact_places, def->contact_capacity);
    ISO__TAKE(to, scratch->contact_keys, def->contact_capacity);
    ISO__TAKE(to, scratch->bouncing, def->contact_capacity);
    ISO__TAKE(to, scratch->is_held, bodies);
    ISO__TAKE(to, scratch->groups, def->contact_capacity / ISO__LANES + ISO__COLOURS + 1);
    ISO__TAKE(to, scratch->group_order, def->contact_capacity / ISO__LANES + ISO__COLOURS + 1);
    ISO__TAKE(to, scratch->excluded_pairs, 2 * (size_t)def->joint_capacity);
    ISO__TAKE(to, scratch->joints, def->joint_capacity);
    ISO__TAKE(to, scratch->axes, ISO__PLANE_JOINT_AXES * (size_t)def->joint_capacity);
    ISO__TAKE(to, scratch->joint_works, def->joint_capacity);
    ISO__TAKE(to, scratch->hinge_pairs, def->joint_capacity);
    ISO__TAKE(to, scratch->hinge_rows, def->joint_capacity);
    ISO__TAKE(to, scratch->hinge_joints, def->joint_capacity);
    ISO__TAKE(to, scratch->plain_pairs, def->joint_capacity);
    ISO__TAKE(to, scratch->plain_rows, def->joint_capacity);
    ISO__TAKE(to, scratch->plain_joints, def->joint_capacity);
    ISO__TAKE(to, scratch->joint_order, def->joint_capacity);
    ISO__TAKE(to, scratch->customs, def->custom_joint_capacity);
}

uint64_t iso__plane_lay_out(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory) {
    ISO_ASSERT(((uintptr_t)memory & 63) == 0);
    iso__block to = {memory, 0};
    iso__plane measured_plane = {.bodies = NULL};
    iso__plane_broad_phase measured_phase = {0};
    iso__plane_step_scratch measured_scratch = {0};
    iso__plane *plane = to.base ? (iso__plane *)world : &measured_plane;
    iso__block_take(&to, 1, sizeof *plane);
    ISO__TAKE(&to, plane->broad_phase, 1);
    ISO__TAKE(&to, plane->scratch, 1);
    iso__block_take_common(&plane->world, &to, def, game);
    plane_lay_out_state(plane, &to, def);
    plane_lay_out_caches(plane, &to, def);
    plane_lay_out_broad_phase(to.base ? plane->broad_phase : &measured_phase, &to, def);
    plane_lay_out_scratch(to.base ? plane->scratch : &measured_scratch, &to, def);
    return to.used;
}
