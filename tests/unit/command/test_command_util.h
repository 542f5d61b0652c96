/// Commands in tests: given in a tick of their own, and what a refused one may not do.
#ifndef TEST_COMMAND_UTIL_H
#define TEST_COMMAND_UTIL_H

#include "unit/state/test_state_util.h"

#include "plane/world/plane.h"

static inline iso_status give(iso_world *world, uint8_t slot, const iso_command *command, uint64_t *id) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    const iso_sealed_command sealed = {.slot = slot, .sequence = view.last_sequence + 1, .command = *command};
    util_step(world, NULL, 0, &sealed, 1);
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(world, &count);
    assert_int_equal(count, 1);
    if (id != NULL) {
        *id = results[0].id;
    }
    return results[0].status;
}

/// The command is refused, and the world goes on exactly as it would have without it, counters and the
/// member's sequence apart.
static inline void assert_refused(iso_world *world, uint8_t slot, const iso_command *command, iso_status expected) {
    const size_t size = iso_world_image_size(world);
    uint8_t *image = malloc(size);
    assert_int_equal(iso_world_save(world, image, size), size);
    util_steps(world, 1);
    world->globals->commands_refused += 1;
    world->slots[slot].last_sequence += 1;
    const uint64_t without = util_fresh_root(world);
    assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
    uint64_t id = 77;
    const iso_status status = give(world, slot, command, &id);
    if (status != expected) {
        fail_msg("%s: %s, expected %s", iso_command_kind_name(command->kind), iso_status_name(status),
                 iso_status_name(expected));
    }
    assert_int_equal(id, 0);
    assert_int_equal(iso_world_root(world), without);
    free(image);
}

static inline iso_command spawn(fix16_t x, fix16_t y) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SPAWN_BODY;
    c.as.spawn_body.body = iso_body_def_default();
    c.as.spawn_body.body.position = iso_vec2_to_wide((iso_vec2){x, y});
    c.as.spawn_body.body.owner = (iso_owner){7, 3}; // ignored
    c.as.spawn_body.shape = iso_shape_def_box(METRE / 2, METRE / 2);
    return c;
}

static inline iso_command join_bodies(iso_body_id a, iso_body_id b) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_CREATE_JOINT;
    c.as.create_joint.joint = iso_joint_def_default();
    c.as.create_joint.joint.body_a = a;
    c.as.create_joint.joint.body_b = b;
    return c;
}

static inline iso_world_counts counts_of(const iso_world *world) {
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    return counts;
}

static inline void change(iso_world *world, iso_change_kind kind, uint8_t slot) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    const iso_change one = {(uint8_t)kind, slot, view.generation + (kind == ISO_CHANGE_JOIN)};
    util_step(world, &one, 1, NULL, 0);
}

static inline uint64_t must_give(iso_world *world, uint8_t slot, const iso_command *command) {
    uint64_t id = 0;
    assert_int_equal(give(world, slot, command, &id), ISO_OK);
    return id;
}

static inline iso_command add_shape(iso_body_id body) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_CREATE_SHAPE;
    c.as.create_shape.body = body;
    c.as.create_shape.shape = iso_shape_def_circle(METRE / 8);
    return c;
}

static inline iso_owner owner_of(const iso_world *world, iso_body_id body) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
    return view.owner;
}

#endif
