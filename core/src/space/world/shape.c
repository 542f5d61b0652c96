/// Shapes in space: creation, records, changes. shape_def.c has what depends on no world.
#include "space/world/shape.h"

#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "space/world/body_mass.h"
#include "space/world/body_wake.h"
#include "space/world/contact.h"
#include "space/world/hulls.h"

int64_t iso__space_shape_plane_offset(const iso__space_shape *shape) {
    return (int64_t)((uint64_t)(uint32_t)shape->vertices[3] | (uint64_t)(uint32_t)shape->vertices[4] << 32);
}

static void shape_write_place(int32_t *words, iso_vec3 place) {
    words[0] = (int32_t)((uint32_t)place.x << 8);
    words[1] = (int32_t)((uint32_t)place.y << 8);
    words[2] = (int32_t)((uint32_t)place.z << 8);
}

static iso_vec3 shape_read_place(const int32_t *words) {
    return (iso_vec3){words[0] >> 8, words[1] >> 8, words[2] >> 8};
}

/// Whether components are those of a unit vector, Q2.30, as iso__normalize3 makes them.
static bool shape_is_unit(const int32_t n[3]) {
    const int64_t one = INT64_C(1) << (2 * ISO__UNIT_FRACTION), slack = INT64_C(1) << 33;
    const bool is_near = iso__abs_u32(n[0]) <= ISO__UNIT_ONE && iso__abs_u32(n[1]) <= ISO__UNIT_ONE &&
                         iso__abs_u32(n[2]) <= ISO__UNIT_ONE;
    return is_near && iso__abs_u64(iso__dot3(n, n) - one) <= (uint64_t)slack;
}

static void shape_write_plane(iso__space_shape *record, const iso_shape3_def *def) {
    const iso_vec3 normal = def->points[0];
    const int32_t components[3] = {normal.x, normal.y, normal.z};
    if (shape_is_unit(components)) {
        // One that was read back keeps its bits.
        for (int axis = 0; axis < 3; ++axis) {
            record->vertices[axis] = components[axis];
        }
    } else {
        iso__normalize3((const int64_t[3]){normal.x, normal.y, normal.z}, record->vertices);
    }
    const uint64_t offset = (uint64_t)iso_wide_from_fix16(def->offset);
    record->vertices[3] = (int32_t)(uint32_t)offset;
    record->vertices[4] = (int32_t)(uint32_t)(offset >> 32);
}

void iso__space_shape_write_record(iso__space_shape *record, uint32_t body, const iso_shape3_def *def) {
    record->body = body;
    record->density = def->density;
    record->friction = (int32_t)((uint32_t)def->friction << 12);
    record->restitution = (int32_t)((uint32_t)def->restitution << 12);
    record->category = def->filter.category;
    record->mask = def->filter.mask;
    record->group = def->filter.group;
    record->radius = (int32_t)((uint32_t)def->radius << 8);
    record->flags = def->is_sensor ? ISO__SPACE_SHAPE_SENSOR : 0;
    record->tag = def->tag;
    record->owner_slot = ISO_OWNER_NOBODY;
    record->kind = def->kind;
    record->vertex_count = def->point_count;
    if (def->kind == ISO_SHAPE3_PLANE) {
        shape_write_plane(record, def);
        return;
    }
    for (uint32_t i = 0; i < def->point_count; ++i) {
        shape_write_place(&record->vertices[3 * i], def->points[i]);
    }
    if (def->kind == ISO_SHAPE3_HEIGHTS) {
        record->vertices[3] = def->heights;
    }
    if (def->kind == ISO_SHAPE3_BOX) {
        const iso_quat q = iso_quat_normalize(def->rotation);
        record->vertices[6] = q.x;
        record->vertices[7] = q.y;
        record->vertices[8] = q.z;
        record->vertices[9] = q.w;
    }
}

void iso__space_shape_read_record(const iso__space_shape *record, iso_shape3_def *def) {
    *def = (iso_shape3_def){
        .kind = record->kind,
        .point_count = record->vertex_count,
        .density = record->density,
        .friction = record->friction >> 12,
        .restitution = record->restitution >> 12,
        .radius = record->radius >> 8,
        .is_sensor = (record->flags & ISO__SPACE_SHAPE_SENSOR) != 0,
        .filter = {record->category, record->mask, record->group},
        .tag = record->tag,
    };
    if (record->kind == ISO_SHAPE3_PLANE) {
        // Any length of the normal stands for the same plane: the components as they are, a quarter as long.
        def->points[0] = (iso_vec3){record->vertices[0], record->vertices[1], record->vertices[2]};
        def->offset = iso_fix16_from_wide(iso__space_shape_plane_offset(record));
        return;
    }
    for (uint32_t i = 0; i < record->vertex_count && i < ISO_HULL_VERTICES_MAX; ++i) {
        def->points[i] = shape_read_place(&record->vertices[3 * i]);
    }
    if (record->kind == ISO_SHAPE3_HEIGHTS) {
        def->heights = (uint8_t)record->vertices[3];
    }
    if (record->kind == ISO_SHAPE3_BOX) {
        def->rotation = (iso_quat){record->vertices[6], record->vertices[7], record->vertices[8], record->vertices[9]};
    }
}

iso_status iso_shape3_create(iso_world *world, iso_body_id body, const iso_shape3_def *def, iso_shape_id *shape) {
    iso_status status = iso__space_body_find(world, body);
    if (status == ISO_OK) {
        status = iso_shape3_def_check(def);
    }
    return status == ISO_OK ? iso__space_shape_create(world, body, def, shape) : status;
}

iso_status iso__space_shape_create(iso_world *world, iso_body_id body, const iso_shape3_def *def, iso_shape_id *shape) {
    iso_status status = iso__space_body_find(world, body);
    if (status != ISO_OK) {
        return status;
    }
    iso__space *space = iso__space_of(world);
    if (iso__space_shape_is_ground(def->kind) && space->bodies[body.index].type != ISO_BODY_STATIC) {
        return ISO_ERR_WRONG_TYPE;
    }
    if (def->kind == ISO_SHAPE3_HEIGHTS && def->heights >= world->globals->height_count) {
        return ISO_ERR_RANGE;
    }
    const uint32_t used = world->globals->shape_count;
    const uint32_t index = iso__slot_take(&world->shape_map, world->shape_generations, world->def.shape_capacity,
                                          &world->globals->shape_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__space_shape_write_record(&space->shapes[index], body.index, def);
    iso__space_body_link_shape(space, body.index, index);
    if (def->kind == ISO_SHAPE3_HULL) {
        iso__space_hulls_make(space, index, space->body_derived[body.index].local_centre);
    }
    status = iso__space_body_update_mass(space, body.index);
    if (status != ISO_OK) {
        // As if the slot had never been taken: its generation and the used count go back, too.
        iso__space_body_unlink_shape(space, body.index, index);
        space->shapes[index] = (iso__space_shape){0};
        iso__slot_release(&world->shape_map, world->shape_generations, index);
        world->shape_generations[index] -= 2;
        world->globals->shape_count = used;
        return status;
    }
    iso__space_body_wake(world, body.index);
    iso__space_body_wake_near(space, body.index);
    space->has_stale_pairs = true;
    iso__mark_dirty(world, ISO_SECTION_SHAPES, index);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
    *shape = (iso_shape_id){index, world->shape_generations[index]};
    return ISO_OK;
}

void iso__space_shape_release(iso__space *space, uint32_t shape) {
    iso_world *world = &space->world;
    iso__space_contacts_remove_shape(space, shape);
    space->has_stale_pairs = true;
    space->shapes[shape] = (iso__space_shape){0};
    iso__slot_release(&world->shape_map, world->shape_generations, shape);
    iso__mark_dirty(world, ISO_SECTION_SHAPES, shape);
    iso__mark_section_dirty(world, ISO_SECTION_GENERATIONS);
}

iso_status iso__space_shape_destroy(iso_world *world, uint32_t shape) {
    iso__space *space = iso__space_of(world);
    const uint32_t body = space->shapes[shape].body;
    iso__space_body_unlink_shape(space, body, shape);
    const iso_status status = iso__space_body_update_mass(space, body);
    if (status != ISO_OK) {
        iso__space_body_link_shape(space, body, shape);
        return status;
    }
    iso__space_body_wake(world, body);
    iso__space_shape_release(space, shape);
    return ISO_OK;
}

iso_status iso_shape3_get(const iso_world *world, iso_shape_id shape, iso_shape3_def *def, iso_body_id *body) {
    const iso_status status = iso__space_shape_find(world, shape);
    if (status == ISO_OK) {
        const iso__space_shape *record = &iso__space_of_const(world)->shapes[shape.index];
        iso__space_shape_read_record(record, def);
        *body = (iso_body_id){record->body, world->body_generations[record->body]};
    }
    return status;
}

/// A shape's surface or filter has changed.
static void shape_changed(iso__space *space, uint32_t shape) {
    const uint32_t body = space->shapes[shape].body;
    iso__space_body_wake(&space->world, body);
    iso__space_contacts_wake_neighbours(space, body);
    iso__space_body_wake_near(space, body);
    iso__mark_dirty(&space->world, ISO_SECTION_SHAPES, shape);
}

void iso__space_shape_set_filter(iso_world *world, uint32_t shape, iso_filter filter) {
    iso__space *space = iso__space_of(world);
    iso__space_shape *record = &space->shapes[shape];
    record->category = filter.category;
    record->mask = filter.mask;
    record->group = filter.group;
    shape_changed(space, shape);
}

void iso__space_shape_set_tag(iso_world *world, uint32_t shape, uint32_t tag) {
    iso__space_of(world)->shapes[shape].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_SHAPES, shape);
}

uint32_t iso__space_shape_body(const iso_world *world, uint32_t shape) {
    return iso__space_of_const(world)->shapes[shape].body;
}

bool iso__space_shape_is_hull(const iso_world *world, uint32_t shape) {
    return iso__space_of_const(world)->shapes[shape].kind == ISO_SHAPE3_HULL;
}

iso_owner iso__space_shape_owner(const iso_world *world, uint32_t shape) {
    const iso__space_shape *record = &iso__space_of_const(world)->shapes[shape];
    return (iso_owner){record->owner_generation, record->owner_slot};
}

void iso__space_shape_set_owner(iso_world *world, uint32_t shape, iso_owner owner) {
    iso__space_shape *record = &iso__space_of(world)->shapes[shape];
    record->owner_generation = owner.generation;
    record->owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_SHAPES, shape);
}

/// Changes a number of a shape by its definition, so that its range is checked in one place.
static iso_status shape_change(iso_world *world, iso_shape_id shape, fix16_t (*choose)(iso_shape3_def *, fix16_t),
                               fix16_t value) {
    iso_status status = iso__space_shape_find(world, shape);
    if (status != ISO_OK) {
        return status;
    }
    iso__space *space = iso__space_of(world);
    iso__space_shape *record = &space->shapes[shape.index];
    const iso__space_shape before = *record;
    iso_shape3_def def;
    iso__space_shape_read_record(record, &def);
    choose(&def, value);
    // Its geometry is what it was; the check of a hull's is dear.
    status = iso__space_shape_check_values(&def);
    if (status != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    record->density = def.density;
    record->friction = (int32_t)((uint32_t)def.friction << 12);
    record->restitution = (int32_t)((uint32_t)def.restitution << 12);
    if (record->density != before.density) {
        status = iso__space_body_update_mass(space, record->body);
        if (status != ISO_OK) {
            *record = before;
            return ISO_ERR_RANGE;
        }
    }
    shape_changed(space, shape.index);
    return ISO_OK;
}

static fix16_t choose_friction(iso_shape3_def *def, fix16_t value) {
    return def->friction = value;
}

static fix16_t choose_restitution(iso_shape3_def *def, fix16_t value) {
    return def->restitution = value;
}

static fix16_t choose_density(iso_shape3_def *def, fix16_t value) {
    return def->density = value;
}

iso_status iso_shape3_set_friction(iso_world *world, iso_shape_id shape, fix16_t friction) {
    return shape_change(world, shape, choose_friction, friction);
}

iso_status iso_shape3_set_restitution(iso_world *world, iso_shape_id shape, fix16_t restitution) {
    return shape_change(world, shape, choose_restitution, restitution);
}

iso_status iso_shape3_set_density(iso_world *world, iso_shape_id shape, fix16_t density) {
    return shape_change(world, shape, choose_density, density);
}

uint32_t iso__space_shape_next(const iso_world *world, uint32_t body, uint32_t index) {
    const iso__space *space = iso__space_of_const(world);
    // In a loop the list continues after the shape that was returned last.
    const bool goes_on = index > 0 && index <= world->globals->shape_count && space->shapes[index - 1].kind != 0 &&
                         space->shapes[index - 1].body == body;
    uint32_t shape = goes_on ? space->shape_derived[index - 1].next_shape : space->body_derived[body].first_shape;
    while (shape < index) {
        shape = space->shape_derived[shape].next_shape;
    }
    return shape;
}
