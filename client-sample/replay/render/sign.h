/// Signs for joints and contacts, and the colours of bodies: what pictures of the plane and of space share.
///
/// What is there to be recognised, as anchors and arrow heads, has the same size in every picture, but that it shrinks
/// beside small bodies. Places are pixels of the picture.
#ifndef ISO_REPLAY_RENDER_SIGN_H
#define ISO_REPLAY_RENDER_SIGN_H

#include "render/picture.h"

#define COLOUR_LIMIT  0xB83280FFu
#define COLOUR_MOTOR  0x2F855AFFu
#define COLOUR_SPRING 0x6B46C1FFu

#define ARC_MIN   9.0  // [pixels]
#define SIGN_HEAD 6.0  // [pixels] of arrows
#define SIGN_FULL 14.0 // [pixels] radius of bodies beside which signs have these sizes

typedef struct render_point {
    double x, y; // [pixels]
} render_point;

typedef struct render_painter {
    render_canvas *canvas;
    const canvas_format *is;
    const render_panel *panel;
    double fade;
    double sign; // how large signs are, 1 at most
    double arc;  // how large arcs are, 1 at most
} render_painter;

typedef struct render_colours {
    uint32_t fill, stroke;
} render_colours;

static inline uint32_t render_with_alpha(uint32_t colour, uint32_t alpha) {
    return (colour & 0xFFFFFF00u) | alpha;
}

/// How large signs are beside bodies of this size. @param pixels  the mean of their radii
double iso__replay_sign_size(double pixels);

/// How large the arcs of limits are: where many joints are on small bodies, as in ragdolls, they step back.
/// @param count         of the arcs
/// @param arcs, shapes  what they cover, and what moves [pixels^2]
double iso__replay_sign_arcs(uint32_t count, double arcs, double shapes);

// ---- colours -------------------------------------------------------------------------------------

/// Whose a dynamic body is. A member keeps its slot's colour.
render_colours iso__replay_sign_owner(iso_owner owner);
/// Of a shape, by its body.
render_colours iso__replay_sign_shape(uint8_t body_type, iso_owner owner, bool is_asleep);
/// What a shape's group is called.
const char *iso__replay_sign_name(uint8_t body_type, bool is_asleep);

// ---- lines ---------------------------------------------------------------------------------------

/// Sets the pen, with what fades.
void iso__replay_sign_use(const render_painter *p, const char *name, uint32_t fill, uint32_t stroke, double width,
                          double dash);
/// The same of what belongs to a joint: grey and dashed when that is off.
void iso__replay_sign_use_joint(const render_painter *p, bool is_active, const char *name, uint32_t fill,
                                uint32_t stroke, double width);

void iso__replay_sign_polyline(const render_painter *p, const render_point *points, uint32_t count, bool closed);
void iso__replay_sign_line(const render_painter *p, render_point from, render_point to);
/// A head at `tip` that points along `angle`.
void iso__replay_sign_head(const render_painter *p, render_point tip, double angle, double size);
void iso__replay_sign_arrow(const render_painter *p, render_point from, render_point to, double head);
/// A line with a bar across each end.
void iso__replay_sign_range(const render_painter *p, render_point from, render_point to);
/// A spring between two points: windings that are drawn out or pressed together.
void iso__replay_sign_coil(const render_painter *p, render_point from, render_point to);

// ---- joints, contacts, bodies --------------------------------------------------------------------

/// @param is_world  a place of the world, not of a body
/// @param is_fixed  what it holds does not turn
void iso__replay_sign_anchor(const render_painter *p, bool is_active, render_point at, bool is_world, bool is_fixed);
void iso__replay_sign_lever(const render_painter *p, bool is_active, render_point from, render_point to);
/// @param has_points  it holds these two points; otherwise it says which bodies the joint is about
void iso__replay_sign_link(const render_painter *p, bool is_active, bool has_points, render_point from,
                           render_point to);
void iso__replay_sign_axis(const render_painter *p, bool is_active, render_point from, render_point to);
void iso__replay_sign_touch(const render_painter *p, bool is_active, render_point at);
void iso__replay_sign_normal(const render_painter *p, render_point from, render_point to);
/// A centre of mass.
void iso__replay_sign_centre(const render_painter *p, uint32_t stroke, render_point at);

#endif
