/// See sign.h.
#include "render/sign.h"

#include <math.h>

#include "isostep/body.h"

#define COLOUR_LINK    0xC05621FFu
#define COLOUR_ANCHOR  0x1A202CFFu
#define COLOUR_OFF     0xA0AEC0FFu
#define COLOUR_CONTACT 0xE53E3EFFu
#define WHITE          0xFFFFFFFFu

#define ANCHOR_RADIUS 2.6  // [pixels]
#define SIGN_MIN      0.35 // of the full size
#define ARCS_MOST     0.06 // of the area of what moves that the arcs of limits may cover; else they are drawn smaller
#define ARC_LEAST     0.3  // of their size, that is
#define ARCS_MANY     6    // from so many on; fewer are what the picture is about

double iso__replay_sign_size(double pixels) {
    return fmin(fmax(pixels / SIGN_FULL, SIGN_MIN), 1);
}

double iso__replay_sign_arcs(uint32_t count, double arcs, double shapes) {
    return count >= ARCS_MANY && arcs > ARCS_MOST * shapes ? fmax(sqrt(ARCS_MOST * shapes / arcs), ARC_LEAST) : 1;
}

// ---- colours -------------------------------------------------------------------------------------

render_colours iso__replay_sign_owner(iso_owner owner) {
    static const render_colours nobody = {0xBBD7F4FFu, 0x2B6CB0FFu}, everyone = {0xC3E9E4FFu, 0x23807BFFu};
    static const render_colours members[] = {
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

render_colours iso__replay_sign_shape(uint8_t body_type, iso_owner owner, bool is_asleep) {
    static const render_colours fixed = {0xE2E6EBFFu, 0x8793A1FFu}, kinematic = {0xC6E7CDFFu, 0x2F7D4AFFu};
    render_colours is = body_type == ISO_BODY_STATIC      ? fixed
                        : body_type == ISO_BODY_KINEMATIC ? kinematic
                                                          : iso__replay_sign_owner(owner);
    if (is_asleep) {
        is = (render_colours){paled(is.fill), paled(is.stroke)};
    }
    return is;
}

const char *iso__replay_sign_name(uint8_t body_type, bool is_asleep) {
    return body_type == ISO_BODY_STATIC      ? "static"
           : body_type == ISO_BODY_KINEMATIC ? "kinematic"
           : is_asleep                       ? "asleep"
                                             : "dynamic";
}

// ---- lines ---------------------------------------------------------------------------------------

static uint32_t faded(uint32_t colour, double fade) {
    return (colour & 0xFFFFFF00u) | (uint32_t)lround((colour & 0xFF) * fade);
}

void iso__replay_sign_use(const render_painter *p, const char *name, uint32_t fill, uint32_t stroke, double width,
                          double dash) {
    p->is->use(p->canvas, name, (canvas_pen){faded(fill, p->fade), faded(stroke, p->fade), width, dash});
}

void iso__replay_sign_use_joint(const render_painter *p, bool is_active, const char *name, uint32_t fill,
                                uint32_t stroke, double width) {
    const uint32_t line = is_active ? stroke : COLOUR_OFF;
    iso__replay_sign_use(p, name, is_active ? fill : 0, line, width * (0.4 + 0.6 * p->sign), is_active ? 0 : 3);
}

void iso__replay_sign_polyline(const render_painter *p, const render_point *points, uint32_t count, bool closed) {
    p->is->begin(p->canvas);
    for (uint32_t i = 0; i < count; ++i) {
        p->is->line_to(p->canvas, points[i].x, points[i].y);
    }
    p->is->end(p->canvas, closed);
}

void iso__replay_sign_line(const render_painter *p, render_point from, render_point to) {
    iso__replay_sign_polyline(p, (render_point[]){from, to}, 2, false);
}

void iso__replay_sign_head(const render_painter *p, render_point tip, double angle, double size) {
    iso__replay_sign_polyline(p,
                              (render_point[]){{tip.x - size * cos(angle - 0.45), tip.y - size * sin(angle - 0.45)},
                                               tip,
                                               {tip.x - size * cos(angle + 0.45), tip.y - size * sin(angle + 0.45)}},
                              3, false);
}

void iso__replay_sign_arrow(const render_painter *p, render_point from, render_point to, double head) {
    iso__replay_sign_line(p, from, to);
    if (hypot(to.x - from.x, to.y - from.y) > head / 2) {
        iso__replay_sign_head(p, to, atan2(to.y - from.y, to.x - from.x), head);
    }
}

void iso__replay_sign_range(const render_painter *p, render_point from, render_point to) {
    const double length = hypot(to.x - from.x, to.y - from.y);
    const double wide = 5 * p->sign;
    const render_point bar = length > 0
                                 ? (render_point){-(to.y - from.y) / length * wide, (to.x - from.x) / length * wide}
                                 : (render_point){0, wide};
    iso__replay_sign_line(p, from, to);
    iso__replay_sign_line(p, (render_point){from.x - bar.x, from.y - bar.y},
                          (render_point){from.x + bar.x, from.y + bar.y});
    iso__replay_sign_line(p, (render_point){to.x - bar.x, to.y - bar.y}, (render_point){to.x + bar.x, to.y + bar.y});
}

void iso__replay_sign_coil(const render_painter *p, render_point from, render_point to) {
    enum { TURNS = 10 };
    const double length = hypot(to.x - from.x, to.y - from.y);
    render_point points[TURNS + 2] = {from};
    points[TURNS + 1] = to;
    if (length < 1) {
        return;
    }
    const render_point along = {(to.x - from.x) / length, (to.y - from.y) / length};
    const double wide = fmin(5 * p->sign, length / 3);
    for (int i = 0; i < TURNS; ++i) {
        const double at = length * (0.12 + 0.76 * (i + 0.5) / TURNS), side = i % 2 == 0 ? wide : -wide;
        points[i + 1] = (render_point){from.x + along.x * at - along.y * side, from.y + along.y * at + along.x * side};
    }
    iso__replay_sign_polyline(p, points, TURNS + 2, false);
}

// ---- joints, contacts, bodies --------------------------------------------------------------------

void iso__replay_sign_anchor(const render_painter *p, bool is_active, render_point at, bool is_world, bool is_fixed) {
    iso__replay_sign_use_joint(p, is_active, "anchor", WHITE, COLOUR_ANCHOR, 1.2);
    if (is_world) {
        const double arm = 1.6 * ANCHOR_RADIUS * p->sign;
        iso__replay_sign_line(p, (render_point){at.x - arm, at.y - arm}, (render_point){at.x + arm, at.y + arm});
        iso__replay_sign_line(p, (render_point){at.x - arm, at.y + arm}, (render_point){at.x + arm, at.y - arm});
        return;
    }
    const double size = ANCHOR_RADIUS * p->sign * sqrt(p->arc);
    if (is_fixed) {
        iso__replay_sign_polyline(p,
                                  (render_point[]){{at.x - size, at.y - size},
                                                   {at.x + size, at.y - size},
                                                   {at.x + size, at.y + size},
                                                   {at.x - size, at.y + size}},
                                  4, true);
    } else {
        p->is->circle(p->canvas, at.x, at.y, size);
    }
}

void iso__replay_sign_lever(const render_painter *p, bool is_active, render_point from, render_point to) {
    iso__replay_sign_use_joint(p, is_active, "lever", 0, render_with_alpha(COLOUR_LINK, 0x70), 1);
    iso__replay_sign_line(p, from, to);
}

void iso__replay_sign_link(const render_painter *p, bool is_active, bool has_points, render_point from,
                           render_point to) {
    if (hypot(to.x - from.x, to.y - from.y) <= 0.5) { // of two points that are one nothing is seen
        return;
    }
    if (has_points || !is_active) {
        iso__replay_sign_use_joint(p, is_active, "link", 0, COLOUR_LINK, 1.6);
    } else {
        iso__replay_sign_use(p, "link", 0, render_with_alpha(COLOUR_LINK, 0xB0), 0.4 + 0.6 * p->sign, 4);
    }
    iso__replay_sign_line(p, from, to);
}

void iso__replay_sign_axis(const render_painter *p, bool is_active, render_point from, render_point to) {
    iso__replay_sign_use_joint(p, is_active, "axis", 0, render_with_alpha(COLOUR_LINK, 0xB0), 1.2);
    iso__replay_sign_line(p, from, to);
}

void iso__replay_sign_touch(const render_painter *p, bool is_active, render_point at) {
    iso__replay_sign_use(p, is_active ? "touch" : "near", is_active ? COLOUR_CONTACT : WHITE, COLOUR_CONTACT, 0.8, 0);
    p->is->circle(p->canvas, at.x, at.y, 1.8 * p->sign);
}

void iso__replay_sign_normal(const render_painter *p, render_point from, render_point to) {
    const double length = hypot(to.x - from.x, to.y - from.y);
    const double factor = length > 0 ? fmin(fmax(length, 8), 22) * p->sign / length : 0;
    iso__replay_sign_use(p, "normal", 0, render_with_alpha(COLOUR_CONTACT, 0xB0), 1, 0);
    iso__replay_sign_arrow(
        p, from, (render_point){from.x + (to.x - from.x) * factor, from.y + (to.y - from.y) * factor}, 4 * p->sign);
}

void iso__replay_sign_centre(const render_painter *p, uint32_t stroke, render_point at) {
    iso__replay_sign_use(p, "centre", 0, stroke, 1, 0);
    iso__replay_sign_line(p, (render_point){at.x - 3, at.y}, (render_point){at.x + 3, at.y});
    iso__replay_sign_line(p, (render_point){at.x, at.y - 3}, (render_point){at.x, at.y + 3});
}
