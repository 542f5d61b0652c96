/// What the world's items look like: colours, widths, signs for joints and contacts.
///
/// Places and sizes come from the world; what is there to be recognised, as anchors and arrow heads, has the same size
/// in every picture, but that it shrinks beside small bodies.
#include <math.h>

#include "isostep/joint.h"
#include "render/picture.h"

#define COLOUR_LIMIT   0xB83280FFu
#define COLOUR_MOTOR   0x2F855AFFu
#define COLOUR_SPRING  0x6B46C1FFu
#define COLOUR_LINK    0xC05621FFu
#define COLOUR_ANCHOR  0x1A202CFFu
#define COLOUR_OFF     0xA0AEC0FFu
#define COLOUR_CONTACT 0xE53E3EFFu
#define WHITE          0xFFFFFFFFu

#define ARC_MIN       9.0  // [pixels]
#define ANCHOR_RADIUS 2.6  // [pixels]
#define HEAD          6.0  // [pixels] of arrows
#define SIGN_FULL     14.0 // [pixels] radius of bodies beside which signs have these sizes
#define SIGN_MIN      0.35 // of them
#define ARCS_MOST     0.06 // of the area of what moves that the arcs of limits may cover; else they are drawn smaller
#define ARC_LEAST     0.3  // of their size, that is
#define ARCS_MANY     6    // from so many on; fewer are what the picture is about

typedef struct vec {
    double x, y; // [pixels]
} vec;

typedef struct painter {
    render_canvas *canvas;
    const canvas_format *is;
    const render_panel *panel;
    double fade;
    double sign; // how large signs are, 1 at most
    double arc;  // how large arcs are, 1 at most
} painter;

static vec place(const painter *p, iso_vec2_wide at) {
    return (vec){render_panel_x(p->panel, render_metres(at.x)), render_panel_y(p->panel, render_metres(at.y))};
}

static double pixels(const painter *p, iso_wide length) {
    return render_metres(length) * p->panel->scale;
}

/// An angle of the world in the picture, whose y points down.
static double angle_of(iso_wide radians) {
    return -render_metres(radians);
}

static uint32_t faded(uint32_t colour, double fade) {
    return (colour & 0xFFFFFF00u) | (uint32_t)lround((colour & 0xFF) * fade);
}

static uint32_t with_alpha(uint32_t colour, uint32_t alpha) {
    return (colour & 0xFFFFFF00u) | alpha;
}

static void use(const painter *p, const char *name, uint32_t fill, uint32_t stroke, double width, double dash) {
    p->is->use(p->canvas, name, (canvas_pen){faded(fill, p->fade), faded(stroke, p->fade), width, dash});
}

static void draw_polyline(const painter *p, const vec *points, uint32_t count, bool closed) {
    p->is->begin(p->canvas);
    for (uint32_t i = 0; i < count; ++i) {
        p->is->line_to(p->canvas, points[i].x, points[i].y);
    }
    p->is->end(p->canvas, closed);
}

// ---- shapes --------------------------------------------------------------------------------------

typedef struct colours {
    uint32_t fill, stroke;
} colours;

/// Whose a dynamic body is. A member keeps its slot's colour.
static colours owner_colours(iso_owner owner) {
    static const colours nobody = {0xBBD7F4FFu, 0x2B6CB0FFu}, everyone = {0xC3E9E4FFu, 0x23807BFFu};
    static const colours members[] = {
        {0xFBD9B0FFu, 0xB7610DFFu}, {0xE0CDF7FFu, 0x7038B8FFu}, {0xF9C9D8FFu, 0xB5305FFFu}, {0xDCE8A9FFu, 0x66781AFFu},
        {0xF5E29AFFu, 0x946C00FFu}, {0xC7D2FEFFu, 0x4351B8FFu}, {0xF6C6BCFFu, 0xB03A26FFu}, {0xBFE8F5FFu, 0x1A7694FFu},
    };
    return owner.slot == ISO_OWNER_NOBODY     ? nobody
           : owner.slot == ISO_OWNER_EVERYONE ? everyone
                                              : members[owner.slot % (sizeof members / sizeof members[0])];
}

/// Half way to grey paper: what sleeps steps back, but its owner is still to be seen.
static uint32_t paled(uint32_t colour) {
    uint32_t pale = colour & 0xFF;
    for (unsigned shift = 8; shift < 32; shift += 8) {
        pale |= ((colour >> shift & 0xFF) + 0xE8) / 2 << shift;
    }
    return pale;
}

static colours shape_colours(const iso_draw_item *item) {
    static const colours fixed = {0xE2E6EBFFu, 0x8793A1FFu}, kinematic = {0xC6E7CDFFu, 0x2F7D4AFFu};
    colours is = item->body_type == ISO_BODY_STATIC      ? fixed
                 : item->body_type == ISO_BODY_KINEMATIC ? kinematic
                                                         : owner_colours(item->owner);
    if (item->is_asleep) {
        is = (colours){paled(is.fill), paled(is.stroke)};
    }
    return is;
}

static const char *shape_name(const iso_draw_item *item) {
    return item->body_type == ISO_BODY_STATIC      ? "static"
           : item->body_type == ISO_BODY_KINEMATIC ? "kinematic"
           : item->is_asleep                       ? "asleep"
                                                   : "dynamic";
}

/// The border of the hull of two circles: around each the arc that the other does not hide. With u the direction from a
/// to b, d apart, the flat sides' normals have the cosine (ra - rb) / d with u.
static void draw_capsule(const painter *p, vec a, vec b, double radius_a, double radius_b) {
    const double distance = hypot(b.x - a.x, b.y - a.y), along = atan2(b.y - a.y, b.x - a.x);
    const double side = acos(fmin(fmax((radius_a - radius_b) / distance, -1), 1));
    p->is->begin(p->canvas);
    p->is->arc(p->canvas, a.x, a.y, radius_a, along - side, along + side - 2 * CANVAS_PI);
    p->is->arc(p->canvas, b.x, b.y, radius_b, along + side, along - side);
    p->is->end(p->canvas, true);
}

/// The border of all points within a radius of a polygon or line: an arc around each corner, from the direction of the
/// edge before it to that of the edge behind it.
static void draw_rounded(const painter *p, const vec *corners, uint32_t count, double radius) {
    p->is->begin(p->canvas);
    for (uint32_t i = 0; i < count; ++i) {
        const vec at = corners[i], before = corners[(i + count - 1) % count], behind = corners[(i + 1) % count];
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
static void draw_form(const painter *p, const iso_draw_item *item) {
    vec corners[ISO_POLYGON_VERTICES_MAX];
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
        draw_polyline(p, corners, item->point_count, item->kind == ISO_DRAW_POLYGON);
    }
}

static void draw_outline(const painter *p, const iso_draw_item *item) {
    const colours is = shape_colours(item);
    use(p, shape_name(item), with_alpha(is.fill, 0xE6), is.stroke, 0.4 + 0.6 * p->sign, 0);
    draw_form(p, item);
}

static void draw_heading(const painter *p, const iso_draw_item *item) {
    use(p, "heading", 0, shape_colours(item).stroke, 0.4 + 0.6 * p->sign, 0);
    draw_polyline(p, (vec[]){place(p, item->points[0]), place(p, item->points[1])}, 2, false);
}

static void draw_centre(const painter *p, const iso_draw_item *item) {
    const vec at = place(p, item->points[0]);
    use(p, "centre", 0, shape_colours(item).stroke, 1, 0);
    draw_polyline(p, (vec[]){{at.x - 3, at.y}, {at.x + 3, at.y}}, 2, false);
    draw_polyline(p, (vec[]){{at.x, at.y - 3}, {at.x, at.y + 3}}, 2, false);
}

// ---- signs ---------------------------------------------------------------------------------------

/// A head at `tip` that points along `angle`.
static void draw_head(const painter *p, vec tip, double angle, double size) {
    draw_polyline(p,
                  (vec[]){{tip.x - size * cos(angle - 0.45), tip.y - size * sin(angle - 0.45)},
                          tip,
                          {tip.x - size * cos(angle + 0.45), tip.y - size * sin(angle + 0.45)}},
                  3, false);
}

static void draw_arrow(const painter *p, vec from, vec to, double head) {
    draw_polyline(p, (vec[]){from, to}, 2, false);
    if (hypot(to.x - from.x, to.y - from.y) > head / 2) {
        draw_head(p, to, atan2(to.y - from.y, to.x - from.x), head);
    }
}

/// A line with a bar across each end.
static void draw_range(const painter *p, vec from, vec to) {
    const double length = hypot(to.x - from.x, to.y - from.y);
    const double wide = 5 * p->sign;
    const vec bar =
        length > 0 ? (vec){-(to.y - from.y) / length * wide, (to.x - from.x) / length * wide} : (vec){0, wide};
    draw_polyline(p, (vec[]){from, to}, 2, false);
    draw_polyline(p, (vec[]){{from.x - bar.x, from.y - bar.y}, {from.x + bar.x, from.y + bar.y}}, 2, false);
    draw_polyline(p, (vec[]){{to.x - bar.x, to.y - bar.y}, {to.x + bar.x, to.y + bar.y}}, 2, false);
}

/// A spring between two points: windings that are drawn out or pressed together.
static void draw_coil(const painter *p, vec from, vec to) {
    enum { TURNS = 10 };
    const double length = hypot(to.x - from.x, to.y - from.y);
    vec points[TURNS + 2] = {from};
    points[TURNS + 1] = to;
    if (length < 1) {
        return;
    }
    const vec along = {(to.x - from.x) / length, (to.y - from.y) / length};
    const double wide = fmin(5 * p->sign, length / 3);
    for (int i = 0; i < TURNS; ++i) {
        const double at = length * (0.12 + 0.76 * (i + 0.5) / TURNS), side = i % 2 == 0 ? wide : -wide;
        points[i + 1] = (vec){from.x + along.x * at - along.y * side, from.y + along.y * at + along.x * side};
    }
    draw_polyline(p, points, TURNS + 2, false);
}

/// An arc's angles in the picture, at most one turn apart.
static void read_arc(const iso_draw_item *item, double *from, double *to) {
    *from = fmod(angle_of(item->angle_from), 2 * CANVAS_PI);
    const double sweep = angle_of(item->angle_to) - angle_of(item->angle_from);
    *to = *from + fmin(fmax(sweep, -2 * CANVAS_PI), 2 * CANVAS_PI);
}

static void draw_arc(const painter *p, vec at, double radius, double from, double to) {
    p->is->begin(p->canvas);
    p->is->arc(p->canvas, at.x, at.y, radius, from, to);
    p->is->end(p->canvas, false);
}

static vec on_circle(vec at, double radius, double angle) {
    return (vec){at.x + radius * cos(angle), at.y + radius * sin(angle)};
}

/// An arc stays large enough to be seen, and smaller than what it is on.
static double arc_radius(const painter *p, const iso_draw_item *item) {
    return fmax(pixels(p, item->radius), ARC_MIN * p->sign) * p->arc;
}

// ---- joints --------------------------------------------------------------------------------------

static void use_joint(const painter *p, const iso_draw_item *item, const char *name, uint32_t fill, uint32_t stroke,
                      double width) {
    const uint32_t line = item->is_active ? stroke : COLOUR_OFF;
    use(p, name, item->is_active ? fill : 0, line, width * (0.4 + 0.6 * p->sign), item->is_active ? 0 : 3);
}

static void draw_anchor(const painter *p, const iso_draw_item *item) {
    const vec at = place(p, item->points[0]);
    use_joint(p, item, "anchor", WHITE, COLOUR_ANCHOR, 1.2);
    if (item->body.generation == 0) { // a place of the world
        const double arm = 1.6 * ANCHOR_RADIUS * p->sign;
        draw_polyline(p, (vec[]){{at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}}, 2, false);
        draw_polyline(p, (vec[]){{at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}}, 2, false);
    } else {
        const double size = ANCHOR_RADIUS * p->sign * sqrt(p->arc);
        if (item->joint_kind == ISO_JOINT_WELD) { // does not turn
            draw_polyline(p,
                          (vec[]){{at.x - size, at.y - size},
                                  {at.x + size, at.y - size},
                                  {at.x + size, at.y + size},
                                  {at.x - size, at.y + size}},
                          4, true);
        } else {
            p->is->circle(p->canvas, at.x, at.y, size);
        }
    }
}

static void draw_lever(const painter *p, const iso_draw_item *item) {
    use_joint(p, item, "lever", 0, with_alpha(COLOUR_LINK, 0x70), 1);
    draw_polyline(p, (vec[]){place(p, item->points[0]), place(p, item->points[1])}, 2, false);
}

static void draw_link(const painter *p, const iso_draw_item *item) {
    const vec from = place(p, item->points[0]), to = place(p, item->points[1]);
    const uint32_t has = iso_joint_kind_has(item->joint_kind);
    const bool has_points =
        (has & (ISO_JOINT_HAS_ANCHORS | ISO_JOINT_HAS_TARGET)) != 0 && item->joint_kind != ISO_JOINT_FRICTION;
    if (hypot(to.x - from.x, to.y - from.y) <= 0.5) { // of two points that are one nothing is seen
        return;
    }
    if (has_points || !item->is_active) {
        use_joint(p, item, "link", 0, COLOUR_LINK, 1.6);
    } else { // says which bodies it is about
        use(p, "link", 0, with_alpha(COLOUR_LINK, 0xB0), 0.4 + 0.6 * p->sign, 4);
    }
    draw_polyline(p, (vec[]){from, to}, 2, false);
}

static void draw_axis(const painter *p, const iso_draw_item *item) {
    use_joint(p, item, "axis", 0, with_alpha(COLOUR_LINK, 0xB0), 1.2);
    draw_polyline(p, (vec[]){place(p, item->points[0]), place(p, item->points[1])}, 2, false);
}

static void draw_spring(const painter *p, const iso_draw_item *item) {
    const double size = item->kind == ISO_DRAW_ARC ? p->arc : 1;
    use_joint(p, item, "spring", 0, COLOUR_SPRING, 1.3 * size);
    const vec at = place(p, item->points[0]);
    if (item->kind != ISO_DRAW_ARC) {
        draw_coil(p, at, place(p, item->points[1]));
        return;
    }
    enum { PIECES_MAX = 32 };
    const double radius = arc_radius(p, item);
    double from, to;
    read_arc(item, &from, &to);
    const int pieces = (int)fmin(ceil(fabs(to - from) * radius / 3) + 1, PIECES_MAX);
    vec points[PIECES_MAX + 1]; // from where it rests, a little outward to where it is
    for (int i = 0; i <= pieces; ++i) {
        points[i] = on_circle(at, radius * (0.8 + 0.2 * i / pieces), from + (to - from) * i / pieces);
    }
    draw_polyline(p, points, (uint32_t)pieces + 1, false);
    p->is->circle(p->canvas, points[0].x, points[0].y, 1.2 * p->sign * size);
}

static void draw_limit(const painter *p, const iso_draw_item *item) {
    const vec at = place(p, item->points[0]);
    const uint32_t fill = p->arc < 1 ? 0 : with_alpha(COLOUR_LIMIT, 0x22);
    use_joint(p, item, "limit", fill, with_alpha(COLOUR_LIMIT, 0xB0), 1.2 * p->arc);
    if (item->kind != ISO_DRAW_ARC) {
        draw_range(p, at, place(p, item->points[1]));
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
static void draw_angle(const painter *p, const iso_draw_item *item) {
    const vec from = place(p, item->points[0]), to = place(p, item->points[1]);
    const double length = hypot(to.x - from.x, to.y - from.y),
                 factor = length > 0 ? fmax(length, ARC_MIN * p->sign) / length * p->arc : 0;
    use_joint(p, item, "angle", 0, COLOUR_LIMIT, 1.6 * p->arc);
    draw_polyline(p, (vec[]){from, {from.x + (to.x - from.x) * factor, from.y + (to.y - from.y) * factor}}, 2, false);
}

static void draw_motor(const painter *p, const iso_draw_item *item) {
    const vec at = place(p, item->points[0]);
    use_joint(p, item, "motor", 0, COLOUR_MOTOR, 1.6);
    if (item->kind != ISO_DRAW_ARC) {
        draw_arrow(p, at, place(p, item->points[1]), HEAD * p->sign);
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
    if (fabs(to - from) * radius > HEAD * p->sign / 2) {
        draw_head(p, on_circle(at, radius, to), to + (to > from ? CANVAS_PI / 2 : -CANVAS_PI / 2), HEAD * p->sign);
    }
}

// ---- contacts ------------------------------------------------------------------------------------

static void draw_touch(const painter *p, const iso_draw_item *item) {
    const vec at = place(p, item->points[0]);
    use(p, item->is_active ? "touch" : "near", item->is_active ? COLOUR_CONTACT : WHITE, COLOUR_CONTACT, 0.8, 0);
    p->is->circle(p->canvas, at.x, at.y, 1.8 * p->sign);
}

static void draw_normal(const painter *p, const iso_draw_item *item) {
    const vec from = place(p, item->points[0]), to = place(p, item->points[1]);
    const double length = hypot(to.x - from.x, to.y - from.y);
    const double factor = length > 0 ? fmin(fmax(length, 8), 22) * p->sign / length : 0;
    use(p, "normal", 0, with_alpha(COLOUR_CONTACT, 0xB0), 1, 0);
    draw_arrow(p, from, (vec){from.x + (to.x - from.x) * factor, from.y + (to.y - from.y) * factor}, 4 * p->sign);
}

// ---- games ---------------------------------------------------------------------------------------

static void draw_mark(const painter *p, const iso_draw_item *item) {
    const colours is = owner_colours(item->owner);
    const vec at = place(p, item->points[0]);
    const uint32_t fill = item->kind == ISO_DRAW_POINT ? is.stroke : with_alpha(is.fill, 0x80);
    use(p, "mark", fill, is.stroke, 0.4 + 0.4 * p->sign, 0);
    if (item->kind == ISO_DRAW_POINT) {
        p->is->circle(p->canvas, at.x, at.y, 1.8 * p->sign);
    } else if (item->kind == ISO_DRAW_ARROW) {
        draw_arrow(p, at, place(p, item->points[1]), HEAD * p->sign);
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
    void (*draw)(const painter *p, const iso_draw_item *item);
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
    return fmin(fmax(size / SIGN_FULL, SIGN_MIN), 1);
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
static double arc_size(const painter *p, const render_frame *frame) {
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
    return count >= ARCS_MANY && arcs > ARCS_MOST * shapes ? fmax(sqrt(ARCS_MOST * shapes / arcs), ARC_LEAST) : 1;
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
    painter p = {canvas, canvas->format, panel, fade, sign_size(panel, frame), 1};
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
