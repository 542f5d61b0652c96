/// Drawing in space: the iterator over a world; its bodies and contacts; the grids of planes.
#include "isostep/draw3.h"

#include "math/fixed_ops.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "space/draw/item.h"
#include "space/draw/joint.h"
#include "space/draw/place.h"
#include "space/draw/shape.h"
#include "space/world/contact_point.h"

#define DRAW3_PARTS 4u

// ---- bodies and contacts -------------------------------------------------------------------------

static bool draw_shape(iso_draw3 *draw, uint32_t shape) {
    const bool is_there = shape < draw->world->globals->shape_count;
    if (is_there) {
        iso__space_draw_shape(draw, shape);
    }
    return is_there;
}

static bool draw_joint(iso_draw3 *draw, uint32_t joint) {
    const bool is_there = joint < draw->world->globals->joint_count;
    if (is_there) {
        iso__space_draw_joint(draw, joint);
    }
    return is_there;
}

static bool draw_body(iso_draw3 *draw, uint32_t body) {
    if (body >= draw->world->globals->body_count) {
        return false;
    }
    if (iso__space_of_const(draw->world)->bodies[body].type != 0) {
        const iso_draw3_item base = iso__space_draw_base(draw, ISO_DRAW_BODIES, body);
        iso__space_draw_place place;
        iso__space_draw_place_of(draw, body, &place);
        iso__space_draw_point(draw, &base, ISO_DRAW_CENTRE, place.centre);
    }
    return true;
}

static bool draw_contact(iso_draw3 *draw, uint32_t contact) {
    const iso__space *space = iso__space_of_const(draw->world);
    if (contact >= draw->world->globals->contact_count) {
        return false;
    }
    const iso__space_contact *record = &space->contacts[contact];
    const iso__space_shape *shape_a = &space->shapes[record->shape_a], *shape_b = &space->shapes[record->shape_b];
    const uint32_t body_a = shape_a->body, body_b = shape_b->body;
    iso__space_contact kept;
    iso__space_manifold manifold;
    iso__space_contact_collide(space, contact, &kept, &manifold);
    iso_draw3_item base = iso__space_draw_base(draw, ISO_DRAW_CONTACTS, body_b);
    base.shape = (iso_shape_id){record->shape_b, draw->world->shape_generations[record->shape_b]};
    base.contact = contact;
    base.is_active = iso__space_contact_is_touching(space, contact);
    base.is_sensor = ((shape_a->flags | shape_b->flags) & ISO__SPACE_SHAPE_SENSOR) != 0;
    base.is_asleep |= iso__space_draw_base(draw, ISO_DRAW_CONTACTS, body_a).is_asleep;
    const uint32_t carrier = space->bodies[body_a].type == ISO_BODY_STATIC ? body_b : body_a;
    const iso_wide size = iso__min64(iso__space_draw_mark_size(draw, body_a), iso__space_draw_mark_size(draw, body_b));
    for (uint32_t i = 0; i < manifold.count; ++i) {
        const iso_vec3_wide at = iso__space_contact_place(space, body_a, body_b, &manifold.points[i]);
        const iso_vec3_wide tip = iso__space_draw_along(at, manifold.normal, size);
        const iso_vec3_wide shown = iso__space_draw_carry(draw, carrier, at);
        iso__space_draw_point(draw, &base, ISO_DRAW_TOUCH, shown);
        iso__space_draw_line(draw, &base, ISO_DRAW3_ARROW, ISO_DRAW_NORMAL, shown,
                             iso__space_draw_carry(draw, carrier, tip));
    }
    return true;
}

// ---- grids ---------------------------------------------------------------------------------------

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

static int64_t vec_along(const int32_t n[3], iso_vec3_wide v) {
    return iso__dot3_shift(n[0], v.x, n[1], v.y, n[2], v.z, ISO__UNIT_FRACTION);
}

bool iso_draw3_grid_line(const iso_draw3_item *plane, const iso_draw3_region *region, uint32_t index,
                         iso_vec3_wide line[2]) {
    const iso_wide radius = region->radius, spacing = region->spacing;
    if (plane->kind != ISO_DRAW3_PLANE || spacing <= 0 || radius < 0) {
        return false;
    }
    const int32_t normal[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    int32_t sides[2][3] = {{plane->side.x, plane->side.y, plane->side.z}};
    iso__cross3_shift(normal, sides[0], ISO__UNIT_FRACTION, sides[1]);
    const int64_t height = vec_along(normal, plane->points[0]);
    const int64_t above = vec_along(normal, region->centre) - height;
    int64_t low[2], high[2]; // multiples of the spacing along both sides
    for (int i = 0; i < 2; ++i) {
        const int64_t middle = vec_along(sides[i], region->centre);
        low[i] = -floor_div(radius - middle, spacing);
        high[i] = floor_div(middle + radius, spacing);
    }
    if (above > radius || above < -radius || low[0] > high[0] || low[1] > high[1]) {
        return false;
    }
    const uint64_t first = (uint64_t)(high[0] - low[0] + 1), second = (uint64_t)(high[1] - low[1] + 1);
    if (index >= first + second) {
        return false;
    }
    const int across = index < first ? 0 : 1, along = 1 - across;
    const int64_t place = low[across] + (int64_t)(index - (across == 0 ? 0 : first));
    const iso_vec3_wide foot = iso__space_draw_along((iso_vec3_wide){0, 0, 0}, normal, height);
    const iso_vec3_wide at = iso__space_draw_along(foot, sides[across], place * spacing);
    line[0] = iso__space_draw_along(at, sides[along], low[along] * spacing);
    line[1] = iso__space_draw_along(at, sides[along], high[along] * spacing);
    return true;
}

// ---- the iterator --------------------------------------------------------------------------------

/// Adds the items of draw->step of the object with this index; false after the last one.
typedef bool draw3_part(iso_draw3 *draw, uint32_t index);

static draw3_part *const draw3_parts[DRAW3_PARTS] = {draw_shape, draw_body, draw_joint, draw_contact};

void iso_draw3_begin(iso_draw3 *draw, const iso_world *world, uint32_t what) {
    draw->world = world;
    draw->what = world->def.dimensions == 3 ? what : 0;
    draw->part = draw->index = draw->step = draw->next = draw->count = 0;
    draw->has_more = false;
    iso_draw3_set_poses(draw, NULL, NULL, 0);
}

void iso_draw3_set_poses(iso_draw3 *draw, iso_draw3_pose *pose, const void *user, uint64_t time) {
    draw->pose = pose;
    draw->pose_user = user;
    draw->pose_time = time;
}

/// Takes the items of the next step of the current object, or of the next one.
static void draw3_advance(iso_draw3 *draw) {
    const bool is_wanted = (draw->what >> draw->part & 1u) != 0;
    draw->next = draw->count = 0;
    draw->has_more = false;
    if (!is_wanted || !draw3_parts[draw->part](draw, draw->index)) {
        ++draw->part;
        draw->index = draw->step = 0;
    } else if (draw->has_more) {
        ++draw->step;
    } else {
        ++draw->index;
        draw->step = 0;
    }
}

const iso_draw3_item *iso_draw3_next(iso_draw3 *draw) {
    while (draw->next == draw->count) {
        if (draw->part == DRAW3_PARTS) {
            return NULL;
        }
        draw3_advance(draw);
    }
    return &draw->items[draw->next++];
}
