/// Where and along which normal two shapes touch: the core's cases and features, in doubles and in the world's
/// orientation around A's centre of mass.
///
/// Polygons, and capsules as polygons of two vertices: separating axes over the faces and through the two nearest
/// vertices; one point between these when they win, else the incident face clipped against the sides of the
/// reference face. Circles: the region of the nearest face decides between face and vertex.
#include <math.h>

#include "reference_world.h"

typedef struct hull {
    uint32_t count;
    double radius;
    reference_vec vertices[ISO_POLYGON_VERTICES_MAX];
    reference_vec normals[ISO_POLYGON_VERTICES_MAX];
} hull;

static hull hull_make(const reference_body *body, reference_vec centre) {
    const double c = cos(body->angle), s = sin(body->angle);
    hull made = {.count = body->shape.count, .radius = body->shape.radius};
    for (uint32_t i = 0; i < made.count; ++i) {
        made.vertices[i] = reference_add(centre, reference_rotate(c, s, body->shape.vertices[i]));
        made.normals[i] = reference_rotate(c, s, body->shape.normals[i]);
    }
    return made;
}

/// Adds the point halfway between the surfaces around p and q, which are the distance d apart along the normal:
/// p + n (radius_p + s / 2) with s = d - radius_p - radius_q.
static void add_halfway(reference_manifold *manifold, reference_vec p, double radius_p, double separation,
                        reference_vec direction, uint32_t feature) {
    reference_point *point = &manifold->points[manifold->count++];
    *point = (reference_point){.separation = separation, .feature = feature};
    point->anchor_a = reference_add(p, reference_scale(radius_p + separation / 2, direction));
}

// ---- circles -------------------------------------------------------------------------------------

static void add_tips(const reference_settings *settings, reference_vec p, double radius_p, reference_vec q,
                     double radius_q, uint32_t feature, reference_manifold *manifold) {
    const reference_vec apart = reference_sub(q, p);
    const double distance = hypot(apart.x, apart.y);
    manifold->normal = distance > 0 ? reference_scale(1 / distance, apart) : (reference_vec){0, 1};
    const double separation = distance - radius_p - radius_q;
    if (separation <= settings->speculative) {
        add_halfway(manifold, p, radius_p, separation, manifold->normal, feature);
    }
}

static void polygon_circle(const reference_settings *settings, const hull *a, const hull *b,
                           reference_manifold *manifold) {
    const reference_vec c = b->vertices[0];
    uint32_t face = 0;
    double distance = -INFINITY;
    for (uint32_t i = 0; i < a->count; ++i) {
        const double along = reference_dot(a->normals[i], reference_sub(c, a->vertices[i]));
        if (along > distance) {
            distance = along;
            face = i;
        }
    }
    const double separation = distance - a->radius - b->radius;
    if (separation > settings->speculative) {
        return;
    }
    const uint32_t next = (face + 1) % a->count;
    const reference_vec v1 = a->vertices[face], v2 = a->vertices[next], edge = reference_sub(v2, v1);
    const bool is_before = reference_dot(edge, reference_sub(c, v1)) < 0;
    const bool is_beyond = reference_dot(edge, reference_sub(v2, c)) < 0;
    if ((distance > 0 || a->count == 2) && (is_before || is_beyond)) {
        const uint32_t vertex = is_before ? face : next;
        add_tips(settings, a->vertices[vertex], a->radius, c, b->radius, (vertex + 16) << 8, manifold);
        return;
    }
    manifold->normal = a->normals[face];
    const reference_vec foot = reference_sub(c, reference_scale(distance, manifold->normal));
    add_halfway(manifold, foot, a->radius, separation, manifold->normal, face << 8);
}

// ---- polygons ------------------------------------------------------------------------------------

typedef struct axis {
    double separation;
    uint32_t face;
} axis;

static axis find_axis(const hull *a, const hull *b) {
    axis best = {-INFINITY, 0};
    for (uint32_t i = 0; i < a->count; ++i) {
        double smallest = INFINITY;
        for (uint32_t j = 0; j < b->count; ++j) {
            smallest = fmin(smallest, reference_dot(a->normals[i], reference_sub(b->vertices[j], a->vertices[i])));
        }
        if (smallest > best.separation) {
            best = (axis){smallest, i};
        }
    }
    return best;
}

static uint32_t find_incident(const hull *b, reference_vec normal) {
    uint32_t incident = 0;
    for (uint32_t i = 1; i < b->count; ++i) {
        if (reference_dot(normal, b->normals[i]) < reference_dot(normal, b->normals[incident])) {
            incident = i;
        }
    }
    return incident;
}

/// One face of a hull, with its ends.
typedef struct edge {
    reference_vec p[2];
    uint32_t index[2];
    double radius;
    bool is_capsule;
} edge;

static edge edge_make(const hull *of, uint32_t face) {
    const uint32_t next = (face + 1) % of->count;
    return (edge){{of->vertices[face], of->vertices[next]}, {face, next}, of->radius, of->count == 2};
}

/// A feature names A's number first, whoever is the reference; the end of a capsule names the point alone.
static uint32_t feature_make(const edge *reference, const edge *incident, uint32_t side, bool is_flipped) {
    uint32_t of_reference = reference->index[side], of_incident = incident->index[1 - side];
    if (incident->is_capsule) {
        of_reference = reference->index[0];
        of_incident += 16;
    } else if (reference->is_capsule) {
        of_reference += 16;
        of_incident = incident->index[0];
    }
    return is_flipped ? of_incident << 8 | of_reference : of_reference << 8 | of_incident;
}

/// The nearest two vertices and how far they are apart along the line through them.
typedef struct tips {
    double separation;
    uint32_t a, b;
} tips;

static tips find_tips(const hull *a, const hull *b) {
    tips best = {-INFINITY, 0, 0};
    double smallest = INFINITY;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const reference_vec apart = reference_sub(b->vertices[j], a->vertices[i]);
            const double distance = hypot(apart.x, apart.y);
            if (distance < smallest) {
                smallest = distance;
                best.a = i;
                best.b = j;
            }
        }
    }
    if (smallest == 0) {
        return best;
    }
    const reference_vec normal = reference_scale(1 / smallest, reference_sub(b->vertices[best.b], a->vertices[best.a]));
    best.separation = INFINITY;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const double along = reference_dot(normal, reference_sub(b->vertices[j], a->vertices[i]));
            best.separation = fmin(best.separation, along);
        }
    }
    return best;
}

static reference_vec between(reference_vec p, reference_vec q, double share) {
    return reference_add(p, reference_scale(share, reference_sub(q, p)));
}

/// The incident edge reaches into the width of the reference edge, or `margin` beyond its ends.
static void add_clipped(const reference_settings *settings, const edge *reference, const edge *incident,
                        reference_vec normal, double margin, bool is_flipped, reference_manifold *manifold) {
    const reference_vec tangent = {-normal.y, normal.x}, origin = reference->p[0];
    const double from = -margin, to = reference_dot(tangent, reference_sub(reference->p[1], origin)) + margin;
    // The incident edge runs the other way: its second end is at the lower side.
    const double at_low = reference_dot(tangent, reference_sub(incident->p[1], origin));
    const double at_high = reference_dot(tangent, reference_sub(incident->p[0], origin));
    reference_vec ends[2] = {incident->p[1], incident->p[0]};
    if (at_high < from || at_low > to) {
        return;
    }
    if (at_low < from && at_high > at_low) {
        ends[0] = between(incident->p[1], incident->p[0], (from - at_low) / (at_high - at_low));
    }
    if (at_high > to && at_high > at_low) {
        ends[1] = between(incident->p[1], incident->p[0], (to - at_low) / (at_high - at_low));
    }
    manifold->normal = normal;
    for (uint32_t i = 0; i < 2; ++i) {
        const double core = reference_dot(normal, reference_sub(ends[i], origin));
        const double separation = core - reference->radius - incident->radius;
        if (separation <= settings->speculative) {
            const uint32_t feature = feature_make(reference, incident, i, is_flipped);
            // From the incident end back towards the reference face.
            add_halfway(manifold, ends[i], incident->radius, separation, reference_scale(-1, normal), feature);
        }
    }
}

#define NOISE (8.0 / 16777216) // [m] what rounding may do to a separation in the core

static void polygon_polygon(const reference_settings *settings, const hull *a, const hull *b,
                            reference_manifold *manifold) {
    const axis axis_a = find_axis(a, b), axis_b = find_axis(b, a);
    const double reach = settings->speculative + a->radius + b->radius, preference = settings->slop / 10;
    if (axis_a.separation > reach || axis_b.separation > reach) {
        return;
    }
    const double cosine = -reference_dot(a->normals[axis_a.face], b->normals[axis_b.face]);
    const double face_separation = fmax(axis_a.separation, axis_b.separation);
    const tips nearest = find_tips(a, b);
    const double flat = fmin(nearest.separation / 4096, preference / 2);
    if (nearest.separation > preference &&
        nearest.separation - face_separation > (cosine > 1 - 1.0 / 32768 ? flat : NOISE)) {
        add_tips(settings, a->vertices[nearest.a], a->radius, b->vertices[nearest.b], b->radius,
                 (nearest.a + 16) << 8 | (nearest.b + 16), manifold);
        return;
    }
    const bool is_flipped = axis_b.separation > axis_a.separation + (cosine > 63.0 / 64 ? preference : 0);
    const hull *ours = is_flipped ? b : a, *theirs = is_flipped ? a : b;
    const axis best = is_flipped ? axis_b : axis_a;
    const reference_vec normal = ours->normals[best.face];
    const edge reference = edge_make(ours, best.face), incident = edge_make(theirs, find_incident(theirs, normal));
    const double margin = best.separation > 0 ? sqrt(NOISE * (2 * best.separation + NOISE)) : 0;
    add_clipped(settings, &reference, &incident, normal, margin, is_flipped, manifold);
    if (is_flipped) {
        manifold->normal = reference_scale(-1, manifold->normal);
    }
}

void reference_manifold_make(const reference_settings *settings, const reference_body *a, const reference_body *b,
                             reference_manifold *manifold) {
    const reference_vec apart = reference_sub(b->position, a->position);
    const hull hull_a = hull_make(a, (reference_vec){0, 0}), hull_b = hull_make(b, apart);
    *manifold = (reference_manifold){.count = 0};
    if (!a->shape.is_circle && !b->shape.is_circle) {
        polygon_polygon(settings, &hull_a, &hull_b, manifold);
    } else if (!a->shape.is_circle) {
        polygon_circle(settings, &hull_a, &hull_b, manifold);
    } else if (!b->shape.is_circle) {
        polygon_circle(settings, &hull_b, &hull_a, manifold);
        manifold->normal = reference_scale(-1, manifold->normal);
        for (uint32_t i = 0; i < manifold->count; ++i) {
            const uint32_t feature = manifold->points[i].feature;
            manifold->points[i].feature = (feature & 0xFF) << 8 | feature >> 8;
        }
    } else {
        add_tips(settings, hull_a.vertices[0], hull_a.radius, hull_b.vertices[0], hull_b.radius, 0, manifold);
    }
    for (uint32_t i = 0; i < manifold->count; ++i) {
        manifold->points[i].anchor_b = reference_sub(manifold->points[i].anchor_a, apart);
    }
}
