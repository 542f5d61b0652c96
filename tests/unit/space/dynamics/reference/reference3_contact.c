/// Contacts: which bodies touch, their impulses of the last tick, the order of solving, and the rows.
#include "reference3_world.h"

#undef NDEBUG
#include <assert.h>

#define COLOURS        32u
#define DYNAMIC_COLOUR 24u
#define REACH          16.0 // places are matched within a sixteenth of L, of contacts that have kept theirs an eighth

// ---- pairs ---------------------------------------------------------------------------------------

typedef struct box {
    vector low, high;
} box;

static box box_of(const reference3_body *body, double growth) {
    box is;
    for (int i = 0; i < 3; ++i) {
        const double *row = body->rotation.m[i];
        const double reach =
            fabs(row[0]) * body->half[0] + fabs(row[1]) * body->half[1] + fabs(row[2]) * body->half[2] + growth;
        is.low.x[i] = body->position.x[i] - reach;
        is.high.x[i] = body->position.x[i] + reach;
    }
    return is;
}

static bool boxes_overlap(const box *a, const box *b) {
    bool is = true;
    for (int i = 0; i < 3; ++i) {
        is = is && a->low.x[i] <= b->high.x[i] && b->low.x[i] <= a->high.x[i];
    }
    return is;
}

static void contact_match(reference3_contact *contact, const reference3_contact *old, double size) {
    bool is_taken[REFERENCE3_POINTS] = {false};
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        double nearest = old->has_pose ? 2 * size / REACH : size / REACH;
        uint32_t found = UINT32_MAX;
        for (uint32_t o = 0; o < old->manifold.count; ++o) {
            const double apart = length(sum(contact->manifold.points[p].place, -1, old->manifold.points[o].place));
            if (!is_taken[o] && apart < nearest) {
                nearest = apart;
                found = o;
            }
        }
        if (found != UINT32_MAX) {
            is_taken[found] = true;
            contact->manifold.points[p].impulse = old->manifold.points[found].impulse;
        }
    }
    contact->rub_impulse = old->rub_impulse;
    contact->twist = old->twist;
}

/// t1 across the normal and the axis on which it is least, t2 = n x t1.
static void tangents_make(vector n, vector tangents[2]) {
    int least = 0;
    for (int i = 1; i < 3; ++i) {
        least = fabs(n.x[i]) < fabs(n.x[least]) ? i : least;
    }
    vector axis = {{0, 0, 0}};
    axis.x[least] = 1;
    const vector t = cross(n, axis);
    tangents[0] = scaled(1 / length(t), t);
    tangents[1] = cross(n, tangents[0]);
}

static void contact_prepare(const reference3_world *world, reference3_contact *contact) {
    reference3_manifold *manifold = &contact->manifold;
    contact->touches = false;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact->touches = contact->touches || manifold->points[p].separation <= 0 || manifold->points[p].impulse > 0;
    }
    contact->friction = sqrt(world->bodies[contact->body_a].friction * world->bodies[contact->body_b].friction);
    contact->middle_a = contact->middle_b = (vector){{0, 0, 0}};
    for (uint32_t p = 0; p < manifold->count; ++p) {
        contact->middle_a = sum(contact->middle_a, 1.0 / manifold->count, manifold->points[p].anchor_a);
        contact->middle_b = sum(contact->middle_b, 1.0 / manifold->count, manifold->points[p].anchor_b);
    }
    for (uint32_t p = 0; p < manifold->count; ++p) {
        manifold->points[p].lever = length(sum(manifold->points[p].anchor_a, -1, contact->middle_a));
    }
    tangents_make(manifold->normal, contact->tangents);
    for (int n = 0; n < 2; ++n) {
        contact->rub[n] = dot(contact->rub_impulse, contact->tangents[n]);
    }
    contact->twist = manifold->count < 2 ? 0 : contact->twist;
}

/// The lowest colour that neither has; of what is not dynamic those from DYNAMIC_COLOUR on.
static uint8_t colour_take(reference3_body *a, reference3_body *b) {
    const bool are_dynamic = a->is_dynamic && b->is_dynamic;
    const uint32_t used = (a->is_dynamic ? a->colours : 0) | (b->is_dynamic ? b->colours : 0);
    for (uint32_t c = are_dynamic ? 0 : DYNAMIC_COLOUR; c < (are_dynamic ? DYNAMIC_COLOUR : COLOURS); ++c) {
        if ((used >> c & 1u) == 0) {
            a->colours |= 1u << c;
            b->colours |= 1u << c;
            return (uint8_t)(c + 1);
        }
    }
    return 0; // none: first
}

static void order_make(reference3_world *world) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        reference3_contact *contact = &world->contacts[i];
        contact->colour = colour_take(&world->bodies[contact->body_a], &world->bodies[contact->body_b]);
    }
    for (uint32_t colour = 0; colour <= COLOURS; ++colour) {
        for (uint32_t i = 0; i < world->contact_count; ++i) {
            if (world->contacts[i].colour == colour) {
                world->order[n++] = i;
            }
        }
    }
}

void reference3_collide(reference3_world *world) {
    static reference3_contact old[REFERENCE3_CONTACTS_MAX];
    static box boxes[REFERENCE3_BODIES_MAX];
    const uint32_t old_count = world->contact_count;
    uint32_t next = 0;
    memcpy(old, world->contacts, old_count * sizeof *old);
    world->contact_count = 0;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        boxes[i] = box_of(&world->bodies[i], world->speculative / 2);
    }
    for (uint32_t a = 0; a < world->body_count; ++a) {
        for (uint32_t b = a + 1; b < world->body_count; ++b) {
            const reference3_body *of_a = &world->bodies[a], *of_b = &world->bodies[b];
            if (!of_a->touches || !of_b->touches || (!of_a->is_dynamic && !of_b->is_dynamic) ||
                !boxes_overlap(&boxes[a], &boxes[b])) {
                continue;
            }
            while (next < old_count && (old[next].body_a < a || (old[next].body_a == a && old[next].body_b < b))) {
                ++next;
            }
            assert(world->contact_count < REFERENCE3_CONTACTS_MAX);
            reference3_contact *contact = &world->contacts[world->contact_count];
            *contact = (reference3_contact){.body_a = a, .body_b = b};
            const bool is_old = next < old_count && old[next].body_a == a && old[next].body_b == b;
            if (!is_old || !reference3_pose_keep(world, &old[next], of_a, of_b, contact)) {
                reference3_manifold_make(world, of_a, of_b, &contact->manifold);
                reference3_pose_take(world, of_a, of_b, contact);
                if (is_old && contact->manifold.count > 0) {
                    const bool is_b = of_a->is_dynamic != of_b->is_dynamic ? of_b->is_dynamic : of_b->size < of_a->size;
                    contact_match(contact, &old[next], is_b ? of_b->size : of_a->size);
                }
            }
            if (contact->manifold.count == 0) {
                continue;
            }
            contact_prepare(world, contact);
            ++world->contact_count;
        }
    }
    order_make(world);
}

// ---- rows ----------------------------------------------------------------------------------------

static void contact_turn(reference3_body *body, vector moment) {
    body->spin = sum(body->spin, 1, turned(&body->contact_give, moment));
}

static void contact_push(reference3_body *a, reference3_body *b, vector arm_a, vector arm_b, vector P) {
    a->velocity = sum(a->velocity, -a->inverse_mass, P);
    b->velocity = sum(b->velocity, b->inverse_mass, P);
    contact_turn(a, scaled(-1, cross(arm_a, P)));
    contact_turn(b, cross(arm_b, P));
}

static double row_speed(const reference3_body *a, const reference3_body *b, vector arm_a, vector arm_b, vector d) {
    const vector of_a = sum(a->velocity, 1, cross(a->spin, arm_a)), of_b = sum(b->velocity, 1, cross(b->spin, arm_b));
    return dot(d, sum(of_b, -1, of_a));
}

/// d (M^-1 and the arms) e.
static double row_mass(const reference3_body *a, const reference3_body *b, vector arm_a, vector arm_b, vector d,
                       vector e) {
    return (a->inverse_mass + b->inverse_mass) * dot(d, e) +
           dot(cross(arm_a, d), turned(&a->contact_give, cross(arm_a, e))) +
           dot(cross(arm_b, d), turned(&b->contact_give, cross(arm_b, e)));
}

void reference3_contact_warm_start(reference3_world *world, const reference3_contact *contact) {
    reference3_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    const vector n = contact->manifold.normal;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        const reference3_point *point = &contact->manifold.points[p];
        contact_push(a, b, point->anchor_a, point->anchor_b, scaled(point->impulse, n));
    }
    const vector rub = sum(scaled(contact->rub[0], contact->tangents[0]), contact->rub[1], contact->tangents[1]);
    contact_push(a, b, contact->middle_a, contact->middle_b, rub);
    contact_turn(a, scaled(-contact->twist, n));
    contact_turn(b, scaled(contact->twist, n));
}

static void point_solve(const reference3_world *world, reference3_body *a, reference3_body *b, reference3_point *point,
                        vector n, const reference3_softness *soft) {
    const double s = point->separation + dot(n, sum(b->moved, -1, a->moved)) +
                     dot(b->turned, cross(point->anchor_b, n)) - dot(a->turned, cross(point->anchor_a, n));
    double wanted = row_speed(a, b, point->anchor_a, point->anchor_b, n), yield = 0;
    if (s > 0) {
        wanted += s / world->h;
    } else if (soft != NULL) {
        wanted = soft->mass_scale * wanted + fmax(soft->rate * s, -world->push);
        yield = soft->impulse_scale;
    }
    const double K = row_mass(a, b, point->anchor_a, point->anchor_b, n, n);
    const double impulse = fmax(point->impulse - wanted / K - yield * point->impulse, 0);
    contact_push(a, b, point->anchor_a, point->anchor_b, scaled(impulse - point->impulse, n));
    point->impulse = impulse;
}

static void twist_solve(reference3_body *a, reference3_body *b, reference3_contact *contact) {
    const vector n = contact->manifold.normal;
    double limit = 0;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        limit += contact->friction * contact->manifold.points[p].impulse * contact->manifold.points[p].lever;
    }
    if (contact->manifold.count < 2) {
        return;
    }
    const double K = dot(n, sum(turned(&a->contact_give, n), 1, turned(&b->contact_give, n)));
    const double wanted = contact->twist - dot(n, sum(b->spin, -1, a->spin)) / K;
    const double twist = fmax(-limit, fmin(wanted, limit)), change = twist - contact->twist;
    contact->twist = twist;
    contact_turn(a, scaled(-change, n));
    contact_turn(b, scaled(change, n));
}

static void rub_solve(reference3_body *a, reference3_body *b, reference3_contact *contact) {
    const vector *t = contact->tangents, arm_a = contact->middle_a, arm_b = contact->middle_b;
    double limit = 0, K[2][2], speed[2];
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        limit += contact->friction * contact->manifold.points[p].impulse;
    }
    for (int i = 0; i < 2; ++i) {
        speed[i] = row_speed(a, b, arm_a, arm_b, t[i]);
        for (int j = 0; j < 2; ++j) {
            K[i][j] = row_mass(a, b, arm_a, arm_b, t[i], t[j]);
        }
    }
    const double determinant = K[0][0] * K[1][1] - K[0][1] * K[1][0];
    double wanted[2] = {contact->rub[0] - (K[1][1] * speed[0] - K[0][1] * speed[1]) / determinant,
                        contact->rub[1] - (K[0][0] * speed[1] - K[1][0] * speed[0]) / determinant};
    // What slides is rubbed against its velocity; what hardly moves, as what would stop it.
    const double step = 1 / (fmax(K[0][0], K[1][1]) + fabs(K[0][1]));
    const double way = step * hypot(speed[0], speed[1]);
    const double part = limit > 0 ? fmax(0, fmin((way * way / (limit * limit) - 1) / 5, 1)) : 1;
    const bool slides = hypot(wanted[0], wanted[1]) > limit;
    for (int i = 0; i < 2 && slides; ++i) {
        wanted[i] += part * (contact->rub[i] - step * speed[i] - wanted[i]);
    }
    const double size = hypot(wanted[0], wanted[1]), cut = size > limit ? limit / size : 1;
    vector change = {{0, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        wanted[i] *= cut;
        change = sum(change, wanted[i] - contact->rub[i], t[i]);
        contact->rub[i] = wanted[i];
    }
    contact_push(a, b, arm_a, arm_b, change);
}

void reference3_contact_solve(reference3_world *world, reference3_contact *contact, bool is_relax) {
    reference3_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    const reference3_softness *soft = a->is_dynamic && b->is_dynamic ? &world->contact_soft : &world->static_soft;
    for (uint32_t p = 0; p < contact->manifold.count; ++p) {
        point_solve(world, a, b, &contact->manifold.points[p], contact->manifold.normal, is_relax ? NULL : soft);
    }
    if (is_relax) {
        twist_solve(a, b, contact);
        rub_solve(a, b, contact);
    }
}

void reference3_contact_store(reference3_contact *contact) {
    contact->rub_impulse = sum(scaled(contact->rub[0], contact->tangents[0]), contact->rub[1], contact->tangents[1]);
}
