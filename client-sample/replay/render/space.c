/// Frames of worlds in space: the ground's grid, solids, and over them the signs of joints, contacts and centres.
///
/// Where a canvas takes images, solids are pixels that know how far away they are; else they are drawn from the
/// farthest to the nearest. Signs are drawn over everything, since most of them are inside of what they hold.
#include <math.h>
#include <stdlib.h>

#include "isostep/body.h"
#include "isostep/joint3.h"
#include "render/sign.h"
#include "render/space.h"

#define GRID       0xDCE3EBFFu
#define GRID_ZERO  0xB3C0CFFFu
#define GRID_LINES 10 // about so many along each side of a grid
#define GRID_MOST  512
#define SENSOR     0x48u // alpha

#define ARC_POINTS 49

/// A frame that is being drawn.
typedef struct space_painter {
    render_painter base;
    render_eye eye;
    double stroke; // [pixels]
} space_painter;

static render_point place_seen(const space_painter *p, render_vec at) {
    return (render_point){render_panel_x(p->base.panel, at.x), render_panel_y(p->base.panel, at.y)};
}

static render_point place(const space_painter *p, iso_vec3_wide at) {
    return place_seen(p, render_seen(&p->eye, at));
}

static double pixels(const space_painter *p, iso_wide length) {
    return render_metres(length) * p->base.panel->scale;
}

static render_colours colours_of(const iso_draw3_item *item) {
    return iso__replay_sign_shape(item->body_type, item->owner, item->is_asleep);
}

// ---- the ground ----------------------------------------------------------------------------------

/// What the grid of a plane covers: what is seen around the middle of the picture, as deep as it is wide.
static iso_draw3_region region_of(const space_painter *p) {
    const render_view *view = &p->base.panel->view;
    const render_camera *camera = p->eye.camera;
    const double x = view->x + view->width / 2, y = view->y + view->height / 2;
    const double radius = fmax(view->width, view->height) / 2;
    double middle[3];
    for (int i = 0; i < 3; ++i) {
        middle[i] = fmin(fmax(camera->right[i] * x + camera->up[i] * y, -1e6), 1e6) * (double)ISO_WIDE_ONE;
    }
    const double spacing = iso__replay_render_view_round(2 * radius / GRID_LINES);
    return (iso_draw3_region){
        .centre = iso_vec3_wide_add(p->eye.centre,
                                    (iso_vec3_wide){(iso_wide)middle[0], (iso_wide)middle[1], (iso_wide)middle[2]}),
        .radius = (iso_wide)(fmin(radius, 65536) * (double)ISO_WIDE_ONE),
        .spacing = (iso_wide)fmax(fmin(spacing, 65536) * (double)ISO_WIDE_ONE, 1),
    };
}

/// A line through the origin of the plane stands out.
static bool is_through_origin(const iso_draw3_item *plane, const iso_vec3_wide line[2]) {
    const double one = ISO_ROTATION_ONE;
    const double n[3] = {plane->normal.x / one, plane->normal.y / one, plane->normal.z / one};
    const double a[3] = {render_metres(line[0].x), render_metres(line[0].y), render_metres(line[0].z)};
    const double d[3] = {render_metres(line[1].x - line[0].x), render_metres(line[1].y - line[0].y),
                         render_metres(line[1].z - line[0].z)};
    // Across the line and the normal: how far it is from the world's origin.
    const double c[3] = {n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]};
    const double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    return fabs(a[0] * c[0] + a[1] * c[1] + a[2] * c[2]) <= 1e-3 * length;
}

/// The grids of all planes. @return their number; the lines are malloc'ed, NULL: there is no memory
static uint32_t find_grids(const space_painter *p, const render_frame *frame, render_segment **lines) {
    const iso_draw3_region region = region_of(p);
    const iso_draw3_item *item = render_item_first(frame);
    uint32_t planes = 0, count = 0;
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        planes += item->kind == ISO_DRAW3_PLANE;
    }
    *lines = malloc(((size_t)planes * GRID_MOST + 1) * sizeof **lines);
    item = render_item_first(frame);
    for (uint32_t i = 0; *lines != NULL && i < frame->solid_count; ++i, item = render_item_after(item)) {
        iso_vec3_wide line[2];
        for (uint32_t n = 0; n < GRID_MOST && iso_draw3_grid_line(item, &region, n, line); ++n) {
            const uint32_t colour = is_through_origin(item, line) ? GRID_ZERO : GRID;
            (*lines)[count++] =
                (render_segment){render_seen(&p->eye, line[0]), render_seen(&p->eye, line[1]), colour, 1};
        }
    }
    return count;
}

static void draw_grids(const space_painter *p, const render_segment *lines, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        iso__replay_sign_use(&p->base, "grid", 0, lines[i].colour, lines[i].width, 0);
        iso__replay_sign_line(&p->base, place_seen(p, lines[i].from), place_seen(p, lines[i].to));
    }
}

// ---- solids as lines -----------------------------------------------------------------------------

static void use_solid(const space_painter *p, const iso_draw3_item *item, render_vec normal) {
    const render_colours is = colours_of(item);
    const uint32_t fill = iso__replay_solid_shade(is.fill, normal);
    iso__replay_sign_use(&p->base, iso__replay_sign_name(item->body_type, item->is_asleep),
                         item->is_sensor ? render_with_alpha(fill, SENSOR) : fill, is.stroke, p->stroke,
                         item->is_sensor ? 4 : 0);
}

static void draw_sphere(const space_painter *p, const iso_draw3_item *item) {
    const render_point at = place(p, item->points[0]);
    const double radius = pixels(p, item->radius);
    const render_vec shaded = {0.1, -0.2, 0.97}, lit = {-0.3, 0.64, 0.71};
    use_solid(p, item, shaded);
    p->base.is->circle(p->base.canvas, at.x, at.y, radius);
    if (!item->is_sensor) {
        iso__replay_sign_use(&p->base, "light", iso__replay_solid_shade(colours_of(item).fill, lit), 0, 0, 0);
        p->base.is->circle(p->base.canvas, at.x - 0.13 * radius, at.y - 0.29 * radius, 0.6 * radius);
    }
}

/// The border is that of all points within the radius of a line.
static void draw_capsule(const space_painter *p, const iso_draw3_item *item) {
    const render_vec a = render_seen(&p->eye, item->points[0]), b = render_seen(&p->eye, item->points[1]);
    const render_point from = place_seen(p, a), to = place_seen(p, b);
    const double radius = pixels(p, item->radius), along = atan2(to.y - from.y, to.x - from.x);
    const double square = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y), z = b.z - a.z;
    // The direction across the axis that is nearest to the eye's; of a capsule that is seen from its end the eye's own.
    const double length = sqrt(square * (square + z * z));
    const render_vec normal = length < 1e-9
                                  ? (render_vec){0, 0, 1}
                                  : (render_vec){-(b.x - a.x) * z / length, -(b.y - a.y) * z / length, square / length};
    use_solid(p, item, normal);
    p->base.is->begin(p->base.canvas);
    p->base.is->arc(p->base.canvas, from.x, from.y, radius, along + CANVAS_PI / 2, along + CANVAS_PI * 3 / 2);
    p->base.is->arc(p->base.canvas, to.x, to.y, radius, along - CANVAS_PI / 2, along + CANVAS_PI / 2);
    p->base.is->end(p->base.canvas, true);
}

static void draw_faces(const space_painter *p, const render_solid *solid) {
    const iso_draw3_item *item = solid->item;
    for (uint32_t i = 0; i < solid->face_count; ++i, item = render_item_after(item)) {
        const render_vec normal = render_seen_unit(&p->eye, item->normal);
        if (normal.z <= 1e-6) {
            continue;
        }
        render_point corners[ISO_HULL_VERTICES_MAX];
        for (uint32_t k = 0; k < item->point_count; ++k) {
            corners[k] = place(p, item->points[k]);
        }
        use_solid(p, item, normal);
        iso__replay_sign_polyline(&p->base, corners, item->point_count, true);
    }
}

static void draw_headings(const space_painter *p, const render_solid *solid) {
    const iso_draw3_item *heading = solid->heading;
    for (uint32_t i = 0; i < solid->heading_count; ++i, heading = render_item_after(heading)) {
        render_vec seen[RENDER_HEADING_POINTS];
        render_point points[RENDER_HEADING_POINTS];
        const uint32_t count = iso__replay_solid_heading(&p->eye, solid, heading, seen);
        for (uint32_t k = 0; k < count; ++k) {
            points[k] = place_seen(p, seen[k]);
        }
        if (count > 0) {
            iso__replay_sign_use(&p->base, "heading", 0, colours_of(heading).stroke, p->stroke, 0);
            iso__replay_sign_polyline(&p->base, points, count, false);
        }
    }
}

static bool is_in_view(const render_panel *panel, const render_solid *solid) {
    const render_view *view = &panel->view;
    return solid->left <= view->x + view->width && solid->right >= view->x && solid->bottom <= view->y + view->height &&
           solid->top >= view->y;
}

static bool draw_solids(const space_painter *p, render_solids *solids) {
    if (!iso__replay_solids_sort(&p->eye, solids)) {
        return false;
    }
    for (uint32_t i = 0; i < solids->count; ++i) {
        const render_solid *solid = &solids->items[i];
        if (!is_in_view(p->base.panel, solid)) {
            continue;
        }
        if (solid->face_count > 0) {
            draw_faces(p, solid);
        } else if (solid->item->kind == ISO_DRAW3_SPHERE) {
            draw_sphere(p, solid->item);
        } else {
            draw_capsule(p, solid->item);
        }
        draw_headings(p, solid);
    }
    return true;
}

// ---- arcs ----------------------------------------------------------------------------------------

static double arc_sweep(const iso_draw3_item *item) {
    const double sweep = render_metres(item->angle_to) - render_metres(item->angle_from);
    return fmin(fmax(sweep, -2 * CANVAS_PI), 2 * CANVAS_PI);
}

/// The circle of a cone has the size that its lines end at; other arcs stay large enough to be seen.
static double arc_factor(const space_painter *p, const iso_draw3_item *item) {
    const double radius = pixels(p, item->radius);
    const bool is_cone = item->role == ISO_DRAW_LIMIT && fabs(arc_sweep(item)) > 2 * CANVAS_PI - 1e-6;
    return is_cone || radius <= 0 ? 1 : fmax(radius, ARC_MIN * p->base.sign) / radius * p->base.arc;
}

/// An arc as a line through points. @param grows  how much of its radius it has at its beginning
static void arc_points(const space_painter *p, const iso_draw3_item *item, double sweep, double grows,
                       render_point points[ARC_POINTS]) {
    const render_vec centre = render_seen(&p->eye, item->points[0]), n = render_seen_unit(&p->eye, item->normal);
    const render_vec side = render_seen_unit(&p->eye, item->side);
    const render_vec other = {n.y * side.z - n.z * side.y, n.z * side.x - n.x * side.z, n.x * side.y - n.y * side.x};
    const double from = fmod(render_metres(item->angle_from), 2 * CANVAS_PI);
    for (int i = 0; i < ARC_POINTS; ++i) {
        const double part = (double)i / (ARC_POINTS - 1), angle = from + sweep * part;
        const double radius = render_metres(item->radius) * arc_factor(p, item) * (grows + (1 - grows) * part);
        const double c = radius * cos(angle), s = radius * sin(angle);
        points[i] = place_seen(p, (render_vec){centre.x + c * side.x + s * other.x, centre.y + c * side.y + s * other.y,
                                               centre.z + c * side.z + s * other.z});
    }
}

// ---- joints, contacts, bodies --------------------------------------------------------------------

static void draw_anchor(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_anchor(&p->base, item->is_active, place(p, item->points[0]), item->body.generation == 0,
                            item->joint_kind == ISO_JOINT3_FIXED);
}

static void draw_lever(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_lever(&p->base, item->is_active, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_link(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_link(&p->base, item->is_active, true, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_axis(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_axis(&p->base, item->is_active, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_spring(const space_painter *p, const iso_draw3_item *item) {
    const bool is_arc = item->kind == ISO_DRAW3_ARC;
    iso__replay_sign_use_joint(&p->base, item->is_active, "spring", 0, COLOUR_SPRING, is_arc ? 1.3 * p->base.arc : 1.3);
    if (!is_arc) {
        iso__replay_sign_coil(&p->base, place(p, item->points[0]), place(p, item->points[1]));
        return;
    }
    render_point points[ARC_POINTS]; // from where it rests, a little outward to where it is
    arc_points(p, item, arc_sweep(item), 0.8, points);
    iso__replay_sign_polyline(&p->base, points, ARC_POINTS, false);
    p->base.is->circle(p->base.canvas, points[0].x, points[0].y, 1.2 * p->base.sign * p->base.arc);
}

/// Whether an item is of a joint that swings within a cone.
static bool item_is_cone(const iso_draw3_item *item) {
    return iso_joint3_axis_of(item->joint_kind, 0) == ISO_JOINT3_AXIS_SWING;
}

static void draw_limit(const space_painter *p, const iso_draw3_item *item) {
    const uint32_t fill = p->base.arc < 1 ? 0 : render_with_alpha(COLOUR_LIMIT, 0x22);
    iso__replay_sign_use_joint(&p->base, item->is_active, "limit", item->kind == ISO_DRAW3_ARC ? fill : 0,
                               render_with_alpha(COLOUR_LIMIT, 0xB0), 1.2 * p->base.arc);
    if (item->kind != ISO_DRAW3_ARC) {
        const render_point from = place(p, item->points[0]), to = place(p, item->points[1]);
        if (item_is_cone(item)) { // along it
            iso__replay_sign_line(&p->base, from, to);
        } else {
            iso__replay_sign_range(&p->base, from, to);
        }
        return;
    }
    render_point points[ARC_POINTS + 1];
    const double sweep = arc_sweep(item);
    const bool is_circle = fabs(sweep) > 2 * CANVAS_PI - 1e-6;
    arc_points(p, item, sweep, 1, points + 1);
    points[0] = place(p, item->points[0]);
    iso__replay_sign_polyline(&p->base, is_circle ? points + 1 : points, ARC_POINTS + !is_circle, true);
}

/// Where the angle is: as long as the arc that it moves in.
static void draw_angle(const space_painter *p, const iso_draw3_item *item) {
    const render_vec from = render_seen(&p->eye, item->points[0]), to = render_seen(&p->eye, item->points[1]);
    const double length = sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y) +
                               (to.z - from.z) * (to.z - from.z)) *
                          p->base.panel->scale;
    const double factor =
        item_is_cone(item) || length <= 0 ? 1 : fmax(length, ARC_MIN * p->base.sign) / length * p->base.arc;
    const render_point at = place_seen(p, from), tip = place_seen(p, to);
    iso__replay_sign_use_joint(&p->base, item->is_active, "angle", 0, COLOUR_LIMIT, 1.6 * p->base.arc);
    iso__replay_sign_line(&p->base, at, (render_point){at.x + (tip.x - at.x) * factor, at.y + (tip.y - at.y) * factor});
}

static void draw_motor(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_use_joint(&p->base, item->is_active, "motor", 0, COLOUR_MOTOR, 1.6);
    if (item->kind != ISO_DRAW3_ARC) {
        iso__replay_sign_arrow(&p->base, place(p, item->points[0]), place(p, item->points[1]),
                               SIGN_HEAD * p->base.sign);
        return;
    }
    render_point points[ARC_POINTS];
    const double sweep = arc_sweep(item);
    arc_points(p, item, sweep == 0 ? 2 * CANVAS_PI : sweep, 1, points);
    iso__replay_sign_polyline(&p->base, points, ARC_POINTS, sweep == 0); // a brake is a circle
    if (sweep != 0) {
        const render_point tip = points[ARC_POINTS - 1], before = points[ARC_POINTS - 4];
        iso__replay_sign_head(&p->base, tip, atan2(tip.y - before.y, tip.x - before.x), SIGN_HEAD * p->base.sign);
    }
}

static void draw_touch(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_touch(&p->base, item->is_active, place(p, item->points[0]));
}

static void draw_normal(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_normal(&p->base, place(p, item->points[0]), place(p, item->points[1]));
}

static void draw_centre(const space_painter *p, const iso_draw3_item *item) {
    iso__replay_sign_centre(&p->base, colours_of(item).stroke, place(p, item->points[0]));
}

typedef struct layer {
    iso_draw_role role;
    void (*draw)(const space_painter *p, const iso_draw3_item *item);
} layer;

static void draw_signs(const space_painter *p, const render_frame *frame) {
    static const layer layers[] = {
        {ISO_DRAW_CENTRE, draw_centre}, {ISO_DRAW_LEVER, draw_lever}, {ISO_DRAW_AXIS, draw_axis},
        {ISO_DRAW_LIMIT, draw_limit},   {ISO_DRAW_ANGLE, draw_angle}, {ISO_DRAW_SPRING, draw_spring},
        {ISO_DRAW_LINK, draw_link},     {ISO_DRAW_MOTOR, draw_motor}, {ISO_DRAW_ANCHOR, draw_anchor},
        {ISO_DRAW_NORMAL, draw_normal}, {ISO_DRAW_TOUCH, draw_touch},
    };
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
        const iso_draw3_item *item = render_item_first(frame);
        for (uint32_t k = 0; k < frame->solid_count; ++k, item = render_item_after(item)) {
            if (item->role == layers[i].role) {
                layers[i].draw(p, item);
            }
        }
    }
}

// ---- sizes ---------------------------------------------------------------------------------------

/// How large signs and arcs are beside what moves.
static void measure(space_painter *p, const render_solids *solids, const render_frame *frame) {
    const double scale = p->base.panel->scale;
    double sum = 0, shapes = 0, arcs = 0;
    uint32_t count = 0, arc_count = 0;
    for (uint32_t i = 0; i < solids->count; ++i) {
        const render_solid *solid = &solids->items[i];
        if (solid->item->body_type == ISO_BODY_STATIC) {
            continue;
        }
        const double wide = solid->right - solid->left, high = solid->top - solid->bottom;
        sum += log(fmax(wide, high) / 2); // so that a large one does not outweigh many small ones
        shapes += wide * high * scale * scale * 0.7;
        ++count;
    }
    p->base.sign = iso__replay_sign_size(count > 0 ? exp(sum / count) * scale : SIGN_FULL);
    const iso_draw3_item *item = render_item_first(frame);
    for (uint32_t i = 0; i < frame->solid_count; ++i, item = render_item_after(item)) {
        if (item->role == ISO_DRAW_LIMIT && item->kind == ISO_DRAW3_ARC) {
            const double radius = fmax(pixels(p, item->radius), ARC_MIN * p->base.sign);
            arcs += fabs(arc_sweep(item)) * radius * radius / 2;
            ++arc_count;
        }
    }
    p->base.arc = iso__replay_sign_arcs(arc_count, arcs, shapes);
    p->stroke = 0.4 + 0.6 * p->base.sign;
}

bool iso__replay_space_draw(render_canvas *canvas, const render_panel *panel, const render_picture *picture,
                            const render_frame *frame, double fade) {
    space_painter p = {
        .base = {canvas, canvas->format, panel, fade, 1, 1},
        .eye = {&picture->camera, frame->centre},
    };
    render_solids solids;
    render_segment *lines = NULL;
    uint32_t line_count = 0;
    bool ok = iso__replay_solids_make(&p.eye, frame, fade == 1, &solids);
    if (ok) {
        measure(&p, &solids, frame);
    }
    if (ok && !picture->no_grid && fade == 1) {
        line_count = find_grids(&p, frame, &lines);
        ok = lines != NULL;
    }
    if (ok && canvas->format->image != NULL) {
        ok = iso__replay_raster_draw(canvas, panel, &p.eye, &solids, lines, line_count, p.stroke, fade);
    } else if (ok) {
        draw_grids(&p, lines, line_count);
        ok = draw_solids(&p, &solids);
    }
    if (ok) {
        draw_signs(&p, frame);
    }
    free(lines);
    free(solids.items);
    return ok;
}

void iso__replay_space_compass(render_canvas *canvas, const render_panel *panel, const render_camera *camera) {
    static const uint32_t colours[3] = {0xC53030FFu, 0x2F855AFFu, 0x2B6CB0FFu};
    static const char *const names[3] = {"x", "y", "z"};
    const double length = 22, x = panel->x + 34, y = panel->y + panel->height - 34;
    for (int axis = 0; axis < 3; ++axis) {
        const double dx = camera->right[axis] * length, dy = -camera->up[axis] * length;
        if (hypot(dx, dy) < 1) { // towards the eye, or away from it
            continue;
        }
        const double beyond = 1 + 7 / hypot(dx, dy);
        canvas->format->use(canvas, "compass", (canvas_pen){.stroke = colours[axis], .width = 1.2});
        canvas->format->begin(canvas);
        canvas->format->line_to(canvas, x, y);
        canvas->format->line_to(canvas, x + dx, y + dy);
        canvas->format->end(canvas, false);
        canvas->format->text(canvas, x + dx * beyond, y + dy * beyond + 3.5, 10, CANVAS_MIDDLE, colours[axis],
                             names[axis]);
    }
}
