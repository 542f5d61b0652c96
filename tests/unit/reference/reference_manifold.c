/// Where and along which normal two shapes touch: the core's cases and features, in doubles and in the world's
/// orientation around A's centre of mass.
///
/// Polygons: separating axes over the faces; the incident face clipped against the sides of the reference face; one
/// point between two vertices when they are nearest and the shapes are apart. Circles: the region of the nearest
/// face decides between face and vertex.
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
    if (distance > 0 && (is_before || is_beyond)) {
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
} edge;

static edge edge_make(const hull *of, uint32_t face) {
    const uint32_t next = (face + 1) % of->count;
    return (edge){{of->vertices[face], of->vertices[next]}, {face, next}, of->radius};
}

static bool projects_inside(const edge *onto, reference_vec v) {
    const reference_vec along = reference_sub(onto->p[1], onto->p[0]);
    return reference_dot(along, reference_sub(v, onto->p[0])) > 0 &&
           reference_dot(along, reference_sub(onto->p[1], v)) > 0;
}

/// A feature names A's number first, whoever is the reference.
static uint32_t feature_make(uint32_t of_reference, uint32_t of_incident, bool is_flipped) {
    return is_flipped ? of_incident << 8 | of_reference : of_reference << 8 | of_incident;
}

/// @return whether two vertices are nearest, so that the faces are not to be clipped
static bool add_vertices(const reference_settings *settings, const edge *reference, const edge *incident,
                         bool is_flipped, reference_manifold *manifold) {
    uint32_t best_r = 0, best_i = 0;
    double smallest = INFINITY;
    for (uint32_t i = 0; i < 4; ++i) {
        const reference_vec r = reference->p[i / 2], v = incident->p[i % 2];
        if (projects_inside(reference, v) || projects_inside(incident, r)) {
            return false;
        }
        const double distance = hypot(v.x - r.x, v.y - r.y);
        if (distance < smallest) {
            smallest = distance;
            best_r = i / 2;
            best_i = i % 2;
        }
    }
    if (smallest == 0) {
        return false;
    }
    const uint32_t feature = feature_make(reference->index[best_r] + 16, incident->index[best_i] + 16, is_flipped);
    add_tips(settings, reference->p[best_r], reference->radius, incident->p[best_i], incident->radius, feature,
             manifold);
    return true;
}

static reference_vec between(reference_vec p, reference_vec q, double share) {
    return reference_add(p, reference_scale(share, reference_sub(q, p)));
}

static void add_clipped(const reference_settings *settings, const edge *reference, const edge *incident,
                        reference_vec normal, bool is_flipped, reference_manifold *manifold) {
    const reference_vec tangent = {-normal.y, normal.x}, origin = reference->p[0];
    const double width = reference_dot(tangent, reference_sub(reference->p[1], origin));
    // The incident edge runs the other way: its second end is at the lower side.
    const double at_low = reference_dot(tangent, reference_sub(incident->p[1], origin));
    const double at_high = reference_dot(tangent, reference_sub(incident->p[0], origin));
    reference_vec ends[2] = {incident->p[1], incident->p[0]};
    if (at_high < 0 || at_low > width) {
        return;
    }
    if (at_low < 0 && at_high > at_low) {
        ends[0] = between(incident->p[1], incident->p[0], -at_low / (at_high - at_low));
    }
    if (at_high > width && at_high > at_low) {
        ends[1] = between(incident->p[1], incident->p[0], (width - at_low) / (at_high - at_low));
    }
    manifold->normal = normal;
    for (uint32_t i = 0; i < 2; ++i) {
        const double core = reference_dot(normal, reference_sub(ends[i], origin));
        const double separation = core - reference->radius - incident->radius;
        if (separation <= settings->speculative) {
            const uint32_t feature = feature_make(reference->index[i], incident->index[1 - i], is_flipped);
            // From the incident end back towards the reference face.
            add_halfway(manifold, ends[i], incident->radius, separation, reference_scale(-1, normal), feature);
        }
    }
}

static void polygon_polygon(const reference_settings *settings, const hull *a, const hull *b,
                            reference_manifold *manifold) {
    const axis axis_a = find_axis(a, b), axis_b = find_axis(b, a);
    const double reach = settings->speculative + a->radius + b->radius, tolerance = settings->slop / 10;
    if (axis_a.separation > reach || axis_b.separation > reach) {
        return;
    }
    const bool is_flipped = axis_b.separation > axis_a.separation + tolerance;
    const hull *ours = is_flipped ? b : a, *theirs = is_flipped ? a : b;
    const axis best = is_flipped ? axis_b : axis_a;
    const reference_vec normal = ours->normals[best.face];
    const edge reference = edge_make(ours, best.face), incident = edge_make(theirs, find_incident(theirs, normal));
    if (best.separation <= tolerance || !add_vertices(settings, &reference, &incident, is_flipped, manifold)) {
        add_clipped(settings, &reference, &incident, normal, is_flipped, manifold);
    }
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
