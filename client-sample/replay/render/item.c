/// What the items of a world in the plane look like. Places and sizes come from the world; sign.c has the signs.
#include <math.h>

#include "isostep/joint.h"
#include "render/sign.h"

static render_point place(const render_painter *p, iso_vec2_wide at) {
    return (render_point){render_panel_x(p->panel, render_metres(at.x)), render_panel_y(p->panel, render_metres(at.y))};
}

static double pixels(const render_painter *p, iso_wide length) {
    return render_metres(length) * p->panel->scale;
}

/// An angle of the world in the picture, whose y points down.
static double angle_of(iso_wide radians) {
    return -render_metres(radians);
}

// ---- shapes --------------------------------------------------------------------------------------

static render_colours shape_colours(const iso_draw_item *item) {
    return iso__replay_sign_shape(item->body_type, item->owner, item->is_asleep);
}

/// The border of the hull of two circles: around each the arc that the other does not hide. With u the direction from a
/// to b, d apart, the flat sides' normals have the cosine (ra - rb) / d with u.
static void draw_capsule(const render_painter *p, render_point a, render_point b, double radius_a, double radius_b) {
    const double distance = hypot(b.x - a.x, b.y - a.y), along = atan2(b.y - a.y, b.x - a.x);
    const double side = acos(fmin(fmax((radius_a - radius_b) / distance, -1), 1));
    p->is->begin(p->canvas);
    p->is->arc(p->canvas, a.x, a.y, radius_a, along - side, along + side - 2 * CANVAS_PI);
    p->is->arc(p->canvas, b.x, b.y, radius_b, along + side, along - side);
    p->is->end(p->canvas, true);
}

/// The border of all points within a radius of a polygon or line: an arc around each corner, from the direction of the
/// edge before it to that of the edge behind it.
static void draw_rounded(const render_painter *p, const render_point *corners, uint32_t count, double radius) {
    p->is->begin(p->canvas);
    for (uint32_t i = 0; i < count; ++i) {
        const render_point at = corners[i], before = corners[(i + count - 1) % count],
                           behind = corners[(i + 1) % count];
        // Outward is to the right of an edge, which is (-y, x) where y points down; angles fall on the way round.
        const double from = atan2(at.x - before.x, before.y - at.y);
        double to = atan2(behind.x - at.x, at.y - behind.y);
        while (to > from + 1e-9) {
            to -= 2 * CANVAS_PI;
        }
        p->is->arc(p->canvas, at.x, at.y, radius, from, to);
    }
    p->is->end(p->canvas, true);
}

/// A circle, capsule or polygon, rounded or not; of a line its two ends.
static void draw_form(const render_painter *p, const iso_draw_item *item) {
    render_point corners[ISO_POLYGON_VERTICES_MAX];
    for (uint32_t i = 0; i < item->point_count; ++i) {
        corners[i] = place(p, item->points[i]);
    }
    if (item->kind == ISO_DRAW_CIRCLE) {
        p->is->circle(p->canvas, corners[0].x, corners[0].y, pixels(p, item->radius));
    } else if (item->kind == ISO_DRAW_CAPSULE && item->radius_b != item->radius) {
        draw_capsule(p, corners[0], corners[1], pixels(p, item->radius), pixels(p, item->radius_b));
    } else if (item->radius > 0 && item->point_count > 1) {
        draw_rounded(p, corners, item->point_count, pixels(p, item->radius));
    } else {
        iso__replay_sign_polyline(p, corners, item->point_count, item->kind == ISO_DRAW_POLYGON);
    }
}

static void draw_outline(const render_painter *p, const iso_draw_item *item) {
    const render_colours is = shape_colours(item);
    iso__replay_sign_use(p, iso__replay_sign_name(item->body_type, item->is_asleep), render_with_alpha(is.fill, 0xE6),
                         is.stroke, 0.4 + 0.6 * p->sign, 0);
    draw_form(p, item);
}

static void draw_heading(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_use(p, "heading", 0, shape_colours(item).stroke, 0.4 + 0.6 * p->sign, 0);
    iso__replay_sign_polyline(p, (render_point[]){place(p, item->points[0]), place(p, item->points[1])}, 2, false);
}

static void draw_centre(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_centre(p, shape_colours(item).stroke, place(p, item->points[0]));
}

// ---- arcs ----------------------------------------------------------------------------------------

/// An arc's angles in the picture, at most one turn apart.
static void read_arc(const iso_draw_item *item, double *from, double *to) {
    *from = fmod(angle_of(item->angle_from), 2 * CANVAS_PI);
    const double sweep = angle_of(item->angle_to) - angle_of(item->angle_from);
    *to = *from + fmin(fmax(sweep, -2 * CANVAS_PI), 2 * CANVAS_PI);
}

static void draw_arc(const render_painter *p, render_point at, double radius, double from, double to) {
    p->is->begin(p->canvas);
    p->is->arc(p->canvas, at.x, at.y, radius, from, to);
    p->is->end(p->canvas, false);
}

static render_point on_circle(render_point at, double radius, double angle) {
    return (render_point){at.x + radius * cos(angle), at.y + radius * sin(angle)};
}

/// An arc stays large enough to be seen, and smaller than what it is on.
static double arc_radius(const render_painter *p, const iso_draw_item *item) {
    return fmax(pixels(p, item->radius), ARC_MIN * p->sign) * p->arc;
}

// ---- joints --------------------------------------------------------------------------------------

static void draw_anchor(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_anchor(p, item->is_active, place(p, item->points[0]), item->body.generation == 0,
                            item->joint_kind == ISO_JOINT_WELD);
}

static void draw_lever(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_lever(p, item->is_active, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_link(const render_painter *p, const iso_draw_item *item) {
    const uint32_t has = iso_joint_kind_has(item->joint_kind);
    const bool has_points =
        (has & (ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_TARGET)) != 0 && item->joint_kind != ISO_JOINT_FRICTION;
    iso__replay_sign_link(p, item->is_active, has_points, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_axis(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_axis(p, item->is_active, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_spring(const render_painter *p, const iso_draw_item *item) {
    const double size = item->kind == ISO_DRAW_ARC ? p->arc : 1;
    iso__replay_sign_use_joint(p, item->is_active, "spring", 0, COLOUR_SPRING, 1.3 * size);
    const render_point at = place(p, item->points[0]);
    if (item->kind != ISO_DRAW_ARC) {
        iso__replay_sign_coil(p, at, place(p, item->points[1]));
        return;
    }
    enum { PIECES_MAX = 32 };
    const double radius = arc_radius(p, item);
    double from, to;
    read_arc(item, &from, &to);
    const int pieces = (int)fmin(ceil(fabs(to - from) * radius / 3) + 1, PIECES_MAX);
    render_point points[PIECES_MAX + 1]; // from where it rests, a little outward to where it is
    for (int i = 0; i <= pieces; ++i) {
        points[i] = on_circle(at, radius * (0.8 + 0.2 * i / pieces), from + (to - from) * i / pieces);
    }
    iso__replay_sign_polyline(p, points, (uint32_t)pieces + 1, false);
    p->is->circle(p->canvas, points[0].x, points[0].y, 1.2 * p->sign * size);
}

static void draw_limit(const render_painter *p, const iso_draw_item *item) {
    const render_point at = place(p, item->points[0]);
    const uint32_t fill = p->arc < 1 ? 0 : render_with_alpha(COLOUR_LIMIT, 0x22);
    iso__replay_sign_use_joint(p, item->is_active, "limit", fill, render_with_alpha(COLOUR_LIMIT, 0xB0), 1.2 * p->arc);
    if (item->kind != ISO_DRAW_ARC) {
        iso__replay_sign_range(p, at, place(p, item->points[1]));
        return;
    }
    const double radius = arc_radius(p, item);
    double from, to;
    read_arc(item, &from, &to);
    p->is->begin(p->canvas);
    p->is->line_to(p->canvas, at.x, at.y);
    p->is->arc(p->canvas, at.x, at.y, radius, from, to);
    p->is->end(p->canvas, true);
}

/// Where the angle is: as long as the arc that it moves in.
static void draw_angle(const render_painter *p, const iso_draw_item *item) {
    const render_point from = place(p, item->points[0]), to = place(p, item->points[1]);
    const double length = hypot(to.x - from.x, to.y - from.y),
                 factor = length > 0 ? fmax(length, ARC_MIN * p->sign) / length * p->arc : 0;
    iso__replay_sign_use_joint(p, item->is_active, "angle", 0, COLOUR_LIMIT, 1.6 * p->arc);
    iso__replay_sign_polyline(
        p, (render_point[]){from, {from.x + (to.x - from.x) * factor, from.y + (to.y - from.y) * factor}}, 2, false);
}

static void draw_motor(const render_painter *p, const iso_draw_item *item) {
    const render_point at = place(p, item->points[0]);
    iso__replay_sign_use_joint(p, item->is_active, "motor", 0, COLOUR_MOTOR, 1.6);
    if (item->kind != ISO_DRAW_ARC) {
        iso__replay_sign_arrow(p, at, place(p, item->points[1]), SIGN_HEAD * p->sign);
        return;
    }
    const double radius = arc_radius(p, item);
    double from, to;
    read_arc(item, &from, &to);
    if (from == to) { // a brake
        p->is->circle(p->canvas, at.x, at.y, radius);
        return;
    }
    draw_arc(p, at, radius, from, to);
    if (fabs(to - from) * radius > SIGN_HEAD * p->sign / 2) {
        iso__replay_sign_head(p, on_circle(at, radius, to), to + (to > from ? CANVAS_PI / 2 : -CANVAS_PI / 2),
                              SIGN_HEAD * p->sign);
    }
}

// ---- contacts ------------------------------------------------------------------------------------

static void draw_touch(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_touch(p, item->is_active, place(p, item->points[0]));
}

static void draw_normal(const render_painter *p, const iso_draw_item *item) {
    iso__replay_sign_normal(p, place(p, item->points[0]), place(p, item->points[1]));
}

// ---- games ---------------------------------------------------------------------------------------

static void draw_mark(const render_painter *p, const iso_draw_item *item) {
    const render_colours is = iso__replay_sign_owner(item->owner);
    const render_point at = place(p, item->points[0]);
    const uint32_t fill = item->kind == ISO_DRAW_POINT ? is.stroke : render_with_alpha(is.fill, 0x80);
    iso__replay_sign_use(p, "mark", fill, is.stroke, 0.4 + 0.4 * p->sign, 0);
    if (item->kind == ISO_DRAW_POINT) {
        p->is->circle(p->canvas, at.x, at.y, 1.8 * p->sign);
    } else if (item->kind == ISO_DRAW_ARROW) {
        iso__replay_sign_arrow(p, at, place(p, item->points[1]), SIGN_HEAD * p->sign);
    } else if (item->kind == ISO_DRAW_ARC) {
        double from, to;
        read_arc(item, &from, &to);
        draw_arc(p, at, arc_radius(p, item), from, to);
    } else {
        draw_form(p, item);
    }
}

// ---- layers --------------------------------------------------------------------------------------

typedef struct layer {
    iso_draw_role role;
    void (*draw)(const render_painter *p, const iso_draw_item *item);
    bool is_ground; // what is static lies below what moves
} layer;

static const layer layers[] = {
    {ISO_DRAW_OUTLINE, draw_outline, true},  {ISO_DRAW_HEADING, draw_heading, true},
    {ISO_DRAW_OUTLINE, draw_outline, false}, {ISO_DRAW_HEADING, draw_heading, false},
    {ISO_DRAW_MARK, draw_mark, false},       {ISO_DRAW_CENTRE, draw_centre, false},
    {ISO_DRAW_LEVER, draw_lever, false},     {ISO_DRAW_AXIS, draw_axis, false},
    {ISO_DRAW_LIMIT, draw_limit, false},     {ISO_DRAW_ANGLE, draw_angle, false},
    {ISO_DRAW_SPRING, draw_spring, false},   {ISO_DRAW_LINK, draw_link, false},
    {ISO_DRAW_MOTOR, draw_motor, false},     {ISO_DRAW_ANCHOR, draw_anchor, false},
    {ISO_DRAW_NORMAL, draw_normal, false},   {ISO_DRAW_TOUCH, draw_touch, false},
};

/// Signs are as large as they can be where bodies are, in the middle, as large as a finger's tip.
static double sign_size(const render_panel *panel, const render_frame *frame) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const iso_draw_item *item = &frame->items[i];
        if (item->role != ISO_DRAW_OUTLINE || item->body_type == ISO_BODY_STATIC) {
            continue;
        }
        double reach = 0;
        for (uint32_t k = 1; k < item->point_count; ++k) {
            reach = fmax(reach, hypot(render_metres(item->points[k].x - item->points[0].x),
                                      render_metres(item->points[k].y - item->points[0].y)));
        }
        sum += log(reach / 2 + render_metres(item->radius)); // so that a large one does not outweigh many small ones
        ++count;
    }
    const double size = count > 0 ? exp(sum / count) * panel->scale : SIGN_FULL;
    return iso__replay_sign_size(size);
}

/// [m^2] of a shape; of a polygon without its rounding, of a capsule with the mean of its radii.
static double outline_area(const iso_draw_item *item) {
    const double other = item->kind == ISO_DRAW_CAPSULE ? render_metres(item->radius_b) : render_metres(item->radius);
    const double radius = (render_metres(item->radius) + other) / 2;
    double area = item->kind == ISO_DRAW_POLYGON ? 0 : CANVAS_PI * radius * radius;
    for (uint32_t i = 0; i < item->point_count; ++i) {
        const iso_vec2_wide *a = &item->points[i], *b = &item->points[(i + 1) % item->point_count];
        const double ax = render_metres(a->x), ay = render_metres(a->y);
        const double bx = render_metres(b->x), by = render_metres(b->y);
        // A capsule's line is gone along twice: there and back.
        area += item->kind == ISO_DRAW_POLYGON ? (ax * by - bx * ay) / 2 : hypot(bx - ax, by - ay) * radius;
    }
    return area;
}

/// Limits are signs on what they limit: where many joints are on small bodies, as in ragdolls, they step back.
static double arc_size(const render_painter *p, const render_frame *frame) {
    double shapes = 0, arcs = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->count; ++i) {
        const iso_draw_item *item = &frame->items[i];
        if (item->role == ISO_DRAW_OUTLINE && item->body_type != ISO_BODY_STATIC) {
            shapes += outline_area(item) * p->panel->scale * p->panel->scale;
        } else if (item->role == ISO_DRAW_LIMIT && item->kind == ISO_DRAW_ARC) {
            const double radius = arc_radius(p, item);
            double from, to;
            read_arc(item, &from, &to);
            ++count;
            arcs += fabs(to - from) * radius * radius / 2;
        }
    }
    return iso__replay_sign_arcs(count, arcs, shapes);
}

/// Whether something of an item may be seen in the panel.
static bool is_in_view(const render_panel *panel, const iso_draw_item *item) {
    const render_view *view = &panel->view;
    const double radius = fmax(render_metres(item->radius), render_metres(item->radius_b));
    const double beside = 30 / panel->scale + radius; // signs are larger than what they stand for
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (uint32_t i = 0; i < item->point_count; ++i) {
        const double x = render_metres(item->points[i].x), y = render_metres(item->points[i].y);
        left = fmin(left, x);
        right = fmax(right, x);
        bottom = fmin(bottom, y);
        top = fmax(top, y);
    }
    return left - beside <= view->x + view->width && right + beside >= view->x &&
           bottom - beside <= view->y + view->height && top + beside >= view->y;
}

void iso__replay_render_items(render_canvas *canvas, const render_panel *panel, const render_frame *frame,
                              double fade) {
    render_painter p = {canvas, canvas->format, panel, fade, sign_size(panel, frame), 1};
    p.arc = arc_size(&p, frame);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
        const bool is_shape = layers[i].role == ISO_DRAW_OUTLINE || layers[i].role == ISO_DRAW_HEADING;
        for (uint32_t at = 0; at < frame->count; ++at) {
            const iso_draw_item *item = &frame->items[at];
            const bool is_static = item->body_type == ISO_BODY_STATIC;
            // What is fixed looks the same in every tick; it is drawn once.
            const bool is_drawn = !is_shape || (is_static == layers[i].is_ground && (!is_static || fade == 1));
            if (item->role == layers[i].role && is_drawn && is_in_view(panel, item)) {
                layers[i].draw(&p, item);
            }
        }
    }
}
