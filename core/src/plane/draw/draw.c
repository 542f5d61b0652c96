/// Drawing: the iterator over a world; its shapes, bodies and contacts.
#include "math/fixed_ops.h"
#include "plane/collide/hull.h"
#include "plane/collide/manifold.h"
#include "plane/draw/item.h"
#include "plane/draw/joint.h"
#include "plane/draw/place.h"
#include "plane/world/contact_point.h"
#include "plane/world/geometry.h"
#include "plane/world/wake.h"

#define DRAW_PARTS      5u
#define DRAW_JOINT_PART 2u // its number among them

// ---- items ---------------------------------------------------------------------------------------

/// The parts of an item that come from its body.
static iso_draw_item draw_base(const iso__plane *plane, uint8_t part, uint32_t body) {
    const iso__plane_body *record = &plane->bodies[body];
    return (iso_draw_item){
        .part = part,
        .body_type = record->type,
        .is_asleep = iso__plane_body_is_asleep(plane, body),
        .is_active = true,
        .owner = {record->owner_generation, record->owner_slot},
        .body = {body, plane->world.body_generations[body]},
    };
}

// ---- shapes and bodies ---------------------------------------------------------------------------

static void draw_outline(iso_draw *draw, const iso_draw_item *base, const iso__plane_draw_place *place,
                         uint32_t shape) {
    const iso__plane_shape *record = &iso__plane_of_const(draw->world)->shapes[shape];
    const iso_vec2_wide centre = place->centre;
    const iso_draw_kind kind = record->kind == ISO_SHAPE_CIRCLE    ? ISO_DRAW_CIRCLE
                               : record->kind == ISO_SHAPE_SEGMENT ? ISO_DRAW_LINE
                               : record->kind == ISO_SHAPE_CAPSULE ? ISO_DRAW_CAPSULE
                                                                   : ISO_DRAW_POLYGON;
    iso_draw_item *item = iso__plane_draw_add(draw, base, kind, ISO_DRAW_OUTLINE);
    iso__plane_hull hull;
    iso__plane_shape_hull_turned(iso__plane_of_const(draw->world), shape, place->rotation, &hull);
    item->radius = hull.radius;
    item->radius_b = kind == ISO_DRAW_CAPSULE ? hull.radius + hull.taper : 0;
    item->point_count = (uint8_t)hull.count;
    for (uint32_t i = 0; i < hull.count; ++i) {
        item->points[i] = (iso_vec2_wide){centre.x + hull.vertices[i][0], centre.y + hull.vertices[i][1]};
    }
}

static bool draw_shape(iso_draw *draw, uint32_t shape) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    if (shape >= plane->world.globals->shape_count) {
        return false;
    }
    const iso__plane_shape *record = &plane->shapes[shape];
    if (record->kind != 0) {
        iso_draw_item base = draw_base(plane, ISO_DRAW_SHAPES, record->body);
        base.shape = (iso_shape_id){shape, plane->world.shape_generations[shape]};
        const iso__plane_draw_place place = iso__plane_draw_place_of(draw, record->body);
        draw_outline(draw, &base, &place, shape);
        if (record->kind == ISO_SHAPE_CIRCLE) {
            const iso_vec2_wide centre = draw->items[0].points[0];
            iso__plane_draw_line(
                draw, &base, ISO_DRAW_LINE, ISO_DRAW_HEADING, centre,
                iso__plane_draw_along(centre, place.rotation.c, place.rotation.s, draw->items[0].radius));
        }
    }
    return true;
}

static bool draw_body(iso_draw *draw, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    if (body >= plane->world.globals->body_count) {
        return false;
    }
    if (plane->bodies[body].type != 0) {
        const iso_draw_item base = draw_base(plane, ISO_DRAW_BODIES, body);
        iso__plane_draw_point(draw, &base, ISO_DRAW_CENTRE, iso__plane_draw_place_of(draw, body).centre);
    }
    return true;
}

// ---- contacts ------------------------------------------------------------------------------------

/// Where two shapes of a contact touch at their present poses.
static bool draw_contact(iso_draw *draw, uint32_t contact) {
    const iso__plane *plane = iso__plane_of_const(draw->world);
    if (contact >= plane->world.globals->contact_count) {
        return false;
    }
    const iso__plane_contact *record = &plane->contacts[contact];
    iso__plane_manifold manifold;
    iso__plane_contact_collide(plane, record, &manifold);
    const uint32_t body_a = plane->shapes[record->shape_a].body, body_b = plane->shapes[record->shape_b].body;
    iso_draw_item base = draw_base(plane, ISO_DRAW_CONTACTS, body_b);
    base.shape = (iso_shape_id){record->shape_b, plane->world.shape_generations[record->shape_b]};
    base.contact = contact;
    base.is_active = (record->flags & ISO__PLANE_CONTACT_TOUCHES) != 0;
    base.is_asleep = iso__plane_body_is_asleep(plane, body_a) || iso__plane_body_is_asleep(plane, body_b);
    const uint32_t carrier = plane->bodies[body_a].type == ISO_BODY_STATIC ? body_b : body_a;
    const iso_wide size =
        iso__min64(iso__plane_draw_mark_size(plane, body_a), iso__plane_draw_mark_size(plane, body_b));
    for (uint32_t i = 0; i < manifold.count; ++i) {
        const iso_vec2_wide at = iso__plane_contact_place(plane, body_a, body_b, &manifold.points[i]);
        const iso_vec2_wide tip = iso__plane_draw_along(at, manifold.normal[0], manifold.normal[1], size);
        const iso_vec2_wide shown = iso__plane_draw_carry(draw, carrier, at);
        iso__plane_draw_point(draw, &base, ISO_DRAW_TOUCH, shown);
        iso__plane_draw_line(draw, &base, ISO_DRAW_ARROW, ISO_DRAW_NORMAL, shown,
                             iso__plane_draw_carry(draw, carrier, tip));
    }
    return true;
}

// ---- games ---------------------------------------------------------------------------------------

static bool draw_game(iso_draw *draw, uint32_t index) {
    const iso_world *world = draw->world;
    return world->game != NULL && world->game->draw != NULL && world->game->draw(world, world->game_state, index, draw);
}

void iso_draw_add(iso_draw *draw, const iso_draw_item *item) {
    const bool is_polygon = item->kind == ISO_DRAW_POLYGON;
    const bool is_line = item->kind == ISO_DRAW_CAPSULE || item->kind == ISO_DRAW_LINE || item->kind == ISO_DRAW_ARROW;
    const uint8_t least = is_polygon ? 3 : is_line ? 2 : 1, most = is_polygon ? ISO_POLYGON_VERTICES_MAX : least;
    if (draw->count == ISO_DRAW_ITEMS_MAX || item->kind < ISO_DRAW_CIRCLE || item->kind > ISO_DRAW_ARC ||
        item->point_count < least || item->point_count > most) {
        return;
    }
    iso_draw_item *added = &draw->items[draw->count++];
    *added = *item;
    const bool is_capsule = item->kind == ISO_DRAW_CAPSULE;
    added->radius_b = is_capsule && item->radius_b == 0 ? item->radius : is_capsule ? item->radius_b : 0;
    if (draw->part == DRAW_JOINT_PART) { // draw_joint says what it belongs to
        added->role = item->role >= ISO_DRAW_OUTLINE && item->role <= ISO_DRAW_MARK ? item->role : ISO_DRAW_MARK;
        return;
    }
    added->part = ISO_DRAW_GAME;
    added->role = ISO_DRAW_MARK;
    added->is_active = true;
    if (iso_body_is_valid(draw->world, item->body)) {
        for (uint32_t i = 0; i < item->point_count; ++i) {
            added->points[i] = iso__plane_draw_carry(draw, item->body.index, item->points[i]);
        }
        added->angle_from = iso__plane_draw_carry_angle(draw, item->body.index, item->angle_from);
        added->angle_to = iso__plane_draw_carry_angle(draw, item->body.index, item->angle_to);
    }
    if (item->owner.generation == 0 && item->owner.slot != ISO_OWNER_EVERYONE) {
        added->owner.slot = ISO_OWNER_NOBODY;
    }
}

// ---- the iterator --------------------------------------------------------------------------------

static bool draw_joint(iso_draw *draw, uint32_t joint) {
    if (joint >= draw->world->globals->joint_count) {
        return false;
    }
    iso__plane_draw_joint(draw, joint);
    return true;
}

/// Adds the items of the object with this index; false after the last one.
typedef bool draw_part(iso_draw *draw, uint32_t index);

static draw_part *const draw_parts[DRAW_PARTS] = {draw_shape, draw_body, draw_joint, draw_contact, draw_game};

void iso_draw_begin(iso_draw *draw, const iso_world *world, uint32_t what) {
    draw->world = world;
    draw->what = world->def.dimensions == 2 ? what : what & ISO_DRAW_GAME; // items have two coordinates
    draw->part = draw->index = draw->next = draw->count = 0;
    iso_draw_set_poses(draw, NULL, NULL, 0);
}

void iso_draw_set_poses(iso_draw *draw, iso_draw_pose *pose, const void *user, uint64_t time) {
    draw->pose = pose;
    draw->pose_user = user;
    draw->pose_time = time;
}

const iso_draw_item *iso_draw_next(iso_draw *draw) {
    while (draw->next == draw->count) {
        if (draw->part == DRAW_PARTS) {
            return NULL;
        }
        draw->next = draw->count = 0;
        const bool is_wanted = (draw->what >> draw->part & 1u) != 0;
        if (!is_wanted || !draw_parts[draw->part](draw, draw->index++)) {
            ++draw->part;
            draw->index = 0;
        }
    }
    return &draw->items[draw->next++];
}

void iso_draw_fill(const iso_world *world, uint32_t what, iso_draw_item *items, uint32_t capacity, uint32_t *count) {
    iso_draw draw;
    iso_draw_begin(&draw, world, what);
    *count = 0;
    for (const iso_draw_item *item; (item = iso_draw_next(&draw)) != NULL; ++*count) {
        if (*count < capacity) {
            items[*count] = *item;
        }
    }
}
