/// Colours the constraints, by the rules of step/colour.h: first joints by ascending index, then contacts in key order.
/// A joint takes a colour of those of two dynamic bodies, whatever its bodies are.
///
/// The colours follow from the set of constraints and from the types of their bodies. While these stay, so do they.
#include "plane/dynamics/graph.h"

#include "base/assert.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_prepare.h"
#include "plane/world/scratch.h"

static uint32_t *graph_mask(const iso__plane *plane, uint32_t body) {
    return body < plane->world.def.body_capacity && plane->bodies[body].type == ISO_BODY_DYNAMIC
               ? &plane->scratch->colour_masks[body]
               : NULL;
}

/// Sorts the joints by colour, in each by form: works, hinges, plain ones.
/// @param counts  of the joints of each form by colour
static void graph_order_joints(iso__plane_step_scratch *scratch, uint32_t counts[][ISO__COLOURS + 1]) {
    uint32_t next[ISO__PLANE_JOINT_FORMS][ISO__COLOURS + 1];
    uint32_t place = 0;
    scratch->joint_work_count = scratch->hinge_count = scratch->plain_count = 0;
    for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
        iso__plane_colour *colour = &scratch->colours[c];
        colour->joint_begin = scratch->joint_work_count;
        colour->hinge_begin = scratch->hinge_count;
        colour->plain_begin = scratch->plain_count;
        colour->joint_end = scratch->joint_work_count += counts[ISO__PLANE_JOINT_WORK][c];
        colour->hinge_end = scratch->hinge_count += counts[ISO__PLANE_JOINT_HINGE][c];
        colour->plain_end = scratch->plain_count += counts[ISO__PLANE_JOINT_PLAIN][c];
        for (uint32_t form = 0; form < ISO__PLANE_JOINT_FORMS; ++form) {
            next[form][c] = place;
            place += counts[form][c];
        }
    }
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__plane_joint_ref *joint = &scratch->joints[i];
        scratch->joint_order[next[joint->form][joint->colour]++] = i;
    }
}

/// Each pass of a step iterates over the colours; in a small world, empty ones would cost more than everything else.
static void graph_list_used(iso__plane_step_scratch *scratch) {
    scratch->used_colour_count = 0;
    for (uint32_t n = 0; n <= ISO__COLOURS; ++n) {
        const uint32_t c = n == 0 ? ISO__COLOUR_OVERFLOW : n - 1;
        const iso__plane_colour *colour = &scratch->colours[c];
        if (colour->group_begin != colour->group_end || colour->joint_begin != colour->joint_end ||
            colour->hinge_begin != colour->hinge_end || colour->plain_begin != colour->plain_end) {
            scratch->used_colours[scratch->used_colour_count++] = (uint8_t)c;
        }
    }
}

static uint8_t graph_take_joint(const iso__plane *plane, const iso__plane_joint_ref *joint) {
    uint32_t *const masks[] = {graph_mask(plane, joint->bodies[0]), graph_mask(plane, joint->bodies[1]),
                               graph_mask(plane, joint->bodies[2]), graph_mask(plane, joint->bodies[3])};
    const uint32_t count = joint->bodies[2] < plane->world.def.body_capacity ? 4 : 2;
    return (uint8_t)iso__colour_take(masks, count, 0, ISO__COLOUR_DYNAMIC);
}

static uint8_t graph_take_contact(const iso__plane *plane, uint64_t key) {
    return (uint8_t)iso__colour_take_pair(graph_mask(plane, iso__plane_contact_key_a(key)),
                                          graph_mask(plane, iso__plane_contact_key_b(key)));
}

static void graph_colour_joints(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    uint32_t counts[ISO__PLANE_JOINT_FORMS][ISO__COLOURS + 1] = {{0}};
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->colour_masks[scratch->moving[m]] = 0;
    }
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        iso__plane_joint_ref *joint = &scratch->joints[i];
        joint->colour = graph_take_joint(plane, joint);
        // In the overflow joints are solved in the order of their indices, so none of them is taken out of it.
        joint->form = joint->colour == ISO__COLOUR_OVERFLOW ? ISO__PLANE_JOINT_WORK : joint->form;
        ++counts[joint->form][joint->colour];
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->joint_masks[scratch->moving[m]] = scratch->colour_masks[scratch->moving[m]];
    }
    graph_order_joints(scratch, counts);
}

/// Colours of the two ranges are independent, so one pass in key order serves both.
static void graph_colour_contacts(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    uint32_t counts[ISO__COLOURS + 1] = {0};
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        if (scratch->contact_colours[i] != ISO__PLANE_COLOUR_NONE) {
            scratch->contact_colours[i] = graph_take_contact(plane, scratch->contact_keys[i]);
            ++counts[scratch->contact_colours[i]];
        }
    }
    iso__group_range groups[ISO__COLOURS + 1];
    scratch->group_count = iso__colour_groups(counts, ISO__LANES, groups);
    for (uint32_t c = 0; c <= ISO__COLOURS; ++c) {
        scratch->colours[c].group_begin = groups[c].begin;
        scratch->colours[c].group_end = groups[c].end;
    }
}

#ifdef ISO_VALIDATE
/// The colours of the last step are those that would be chosen now.
static void graph_validate(const iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->colour_masks[scratch->moving[m]] = 0;
    }
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        ISO_ASSERT(graph_take_joint(plane, &scratch->joints[i]) == scratch->joints[i].colour);
    }
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        ISO_ASSERT(scratch->contact_colours[i] == ISO__PLANE_COLOUR_NONE ||
                   graph_take_contact(plane, scratch->contact_keys[i]) == scratch->contact_colours[i]);
    }
}
#endif

void iso__plane_step_build_graph(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (scratch->has_same_joints && scratch->has_same_contacts) {
#ifdef ISO_VALIDATE
        graph_validate(plane);
#endif
        return;
    }
    if (scratch->has_same_joints) {
        for (uint32_t m = 0; m < scratch->moving_count; ++m) {
            scratch->colour_masks[scratch->moving[m]] = scratch->joint_masks[scratch->moving[m]];
        }
    } else {
        graph_colour_joints(plane);
    }
    graph_colour_contacts(plane);
    graph_list_used(scratch);
    iso__plane_contacts_place(plane);
    ISO_ASSERT(scratch->joint_work_count + scratch->hinge_count + scratch->plain_count == scratch->joint_count);
    ISO_ASSERT(scratch->group_count <= plane->world.def.contact_capacity / ISO__LANES + ISO__COLOURS + 1);
}
