/// Fills the contact groups: the geometry and masses of each contact as the rows need them.
#include "dynamics/contact_prepare.h"

#include "base/assert.h"
#include "collide/manifold.h"
#include "dynamics/contact_group.h"
#include "dynamics/contact_rules.h"
#include "math/fixed_ops.h"
#include "solver/scratch.h"
#include "world/contact.h"

#define APPROACH_MAX (ISO_SPEED_MAX_M_S * ISO__VEL_ONE)
#define TIE_STEP     (1 << 16) // coefficients that are multiples of it make ties of small speeds

/// aA = mB / (mA + mB) in Q2.30; a body that is not dynamic has infinite mass. aB = 1 - aA exactly.
static iso__pair_lane contact_mass_shares(const iso__body_derived *a, const iso__body_derived *b) {
    if (a->mass == 0) {
        return (iso__pair_lane){0, ISO__UNIT_ONE};
    }
    if (b->mass == 0) {
        return (iso__pair_lane){ISO__UNIT_ONE, 0};
    }
    // Masses are below 2^50; 33 bits of their sum are kept so that the shifted numerator fits.
    const uint64_t sum = (uint64_t)a->mass + (uint64_t)b->mass;
    const unsigned bits = iso__bit_width64(sum);
    const unsigned shift = bits > 33 ? bits - 33 : 0;
    const uint64_t total = sum >> shift;
    const uint64_t share = ((((uint64_t)b->mass >> shift) << ISO__UNIT_FRACTION) + total / 2) / total;
    const int32_t alpha = share > ISO__UNIT_ONE ? ISO__UNIT_ONE : (int32_t)share;
    return (iso__pair_lane){alpha, ISO__UNIT_ONE - alpha};
}

/// Moves a coefficient that is a multiple of a power of two by a quantum, away from zero or towards it.
///
/// Arms and gains of upright boxes are multiples of 1/4 or so. An odd speed times one half is a tie, and ties round
/// upwards: rows that stay the same tick after tick then read half a quantum too much of one sign, and a stack creeps by
/// a quantum of speed for good. With a coefficient beside it, a value and its opposite round alike. Away in the normal's
/// rows, towards zero in those of friction: of the ways to do it, this one is nearest to double precision in the scenes
/// of test_accuracy.
static int32_t contact_break_tie(int32_t coefficient, int32_t by) {
    if (coefficient == 0 || coefficient % TIE_STEP != 0) {
        return coefficient;
    }
    return coefficient > 0 ? coefficient + by : coefficient - by;
}

/// r x direction / L as Q2.30, clamped to below ±1: the point of a speculative contact may lie outside of L.
static int32_t contact_arm(const int32_t anchor[2], int32_t x, int32_t y, int8_t radius_exponent) {
    const int64_t moment = iso__cross32(anchor[0], anchor[1], x, y); // Q.54
    return (int32_t)iso__clamp64(iso__round_shift(moment, (unsigned)(24 + radius_exponent)), 1 - ISO__UNIT_ONE,
                                 ISO__UNIT_ONE - 1);
}

/// The coefficients of one row for one body: its arm and g = gain * arm.
/// @param by  0, or see contact_break_tie
static iso__pair_lane contact_row_side(int32_t arm, int64_t gain, int32_t by) {
    arm = contact_break_tie(arm, by);
    return (iso__pair_lane){arm, contact_break_tie((int32_t)iso__round_shift(gain * arm, 30), by)};
}

/// 1/K as Q2.30 of K = 1 + gA rA + gB rB. K is at least one, since g and r have the same sign.
static int32_t contact_row_mass(iso__pair_lane a, iso__pair_lane b) {
    const int64_t turning = (int64_t)a.lo * a.hi + (int64_t)b.lo * b.hi; // Q.52
    return iso__recip_unit((uint64_t)ISO_WIDE_ONE + (uint64_t)((turning + (INT64_C(1) << 19)) >> 20));
}

/// @param step  1 breaks ties, 0 does not
static void contact_fill_point(iso__point_lanes *point, uint32_t lane, const iso__manifold *manifold, uint32_t p,
                               const iso__contact *contact, const iso__motion *a, const iso__motion *b,
                               const int64_t gains[2], const int8_t exponents[2], int32_t step) {
    if (p >= manifold->count || manifold->is_hidden) {
        // A row without mass never changes its impulse of zero.
        point->normal_a[lane] = point->normal_b[lane] = (iso__pair_lane){0, 0};
        point->tangent_a[lane] = point->tangent_b[lane] = (iso__pair_lane){0, 0};
        point->mass[lane] = point->impulse[lane] = (iso__pair_lane){0, 0};
        point->separation[lane] = ISO__LENGTH_ONE;
        point->approach[lane] = 0;
        point->impulse_max[lane] = 0;
        return;
    }
    const iso__manifold_point *from = &manifold->points[p];
    const int32_t nx = manifold->normal[0], ny = manifold->normal[1];
    const iso__pair_lane na = contact_row_side(contact_arm(from->anchor_a, nx, ny, exponents[0]), gains[0], step);
    const iso__pair_lane nb = contact_row_side(contact_arm(from->anchor_b, nx, ny, exponents[1]), gains[1], step);
    const iso__pair_lane ta = contact_row_side(contact_arm(from->anchor_a, -ny, nx, exponents[0]), gains[0], -step);
    const iso__pair_lane tb = contact_row_side(contact_arm(from->anchor_b, -ny, nx, exponents[1]), gains[1], -step);
    point->normal_a[lane] = na;
    point->normal_b[lane] = nb;
    point->tangent_a[lane] = ta;
    point->tangent_b[lane] = tb;
    point->mass[lane] = (iso__pair_lane){contact_row_mass(na, nb), contact_row_mass(ta, tb)};
    point->impulse[lane] = (iso__pair_lane){contact->normal_impulse[p], contact->tangent_impulse[p]};
    point->separation[lane] = from->separation;
    point->impulse_max[lane] = 0;
    const int64_t dx = (int64_t)b->velocity[0] - a->velocity[0], dy = (int64_t)b->velocity[1] - a->velocity[1];
    const int64_t turning = (int64_t)b->spin * nb.lo - (int64_t)a->spin * na.lo;
    // No body leaves a contact faster than the largest speed, so restitution needs no larger values.
    const int64_t approach = iso__round_shift(nx * dx + ny * dy + turning, 30);
    point->approach[lane] = (int32_t)iso__clamp64(approach, -APPROACH_MAX, APPROACH_MAX);
}

static void contact_fill_lane(iso_world *world, iso__contact_group *group, uint32_t lane, uint32_t number) {
    const iso__step_scratch *scratch = world->scratch;
    const iso__contact *contact = &world->contacts[scratch->solved[number]];
    const iso__manifold *manifold = &scratch->manifolds[number];
    const uint32_t body_a = iso__contact_key_a(scratch->contact_keys[number]);
    const uint32_t body_b = iso__contact_key_b(scratch->contact_keys[number]);
    const iso__body_derived *a = &world->body_derived[body_a], *b = &world->body_derived[body_b];
    group->body_a[lane] = body_a;
    group->body_b[lane] = body_b;
    group->contact[lane] = number;
    group->moves_a |= (uint8_t)((scratch->motions[body_a].kind != 0) << lane);
    group->moves_b |= (uint8_t)((scratch->motions[body_b].kind != 0) << lane);
    group->normal[lane] = (iso__pair_lane){manifold->normal[0], manifold->normal[1]};
    group->share[lane] = contact_mass_shares(a, b);
    const iso__contact_surface *surface = &scratch->surfaces[number];
    group->surface[lane] = (iso__pair_lane){surface->friction, surface->restitution};
    group->drive[lane] = surface->speed;
    group->bounces = group->bounces || surface->restitution > 0;
    group->notes_impulses = group->notes_impulses || group->bounces || (contact->flags & ISO__CONTACT_TOUCHES) == 0 ||
                            iso__contacts_are_told(world);
    // L^2/(I sigma) = (m L^2/I) (1/m)/sigma = gyration * share.
    const int64_t gains[2] = {iso__round_shift((int64_t)a->gyration * group->share[lane].lo, 30),
                              iso__round_shift((int64_t)b->gyration * group->share[lane].hi, 30)};
    const int8_t exponents[2] = {a->radius_exponent, b->radius_exponent};
    const int32_t step = iso__contact_has_pose(world, contact) ? 1 : 0; // other rows differ from tick to tick
    for (uint32_t p = 0; p < 2; ++p) {
        contact_fill_point(&group->points[p], lane, manifold, p, contact, &scratch->motions[body_a],
                           &scratch->motions[body_b], gains, exponents, step);
    }
}

/// A kernel also reads the bodies of lanes that have no contact: they are the first lane's, which no other thread writes.
static void contact_fill_rest(iso__contact_group *group) {
    for (uint32_t lane = group->count; lane < ISO__LANES; ++lane) {
        group->body_a[lane] = group->body_a[0];
        group->body_b[lane] = group->body_b[0];
    }
}

void iso__step_prepare_contacts(iso_world *world) {
    ISO_ASSERT(world->scratch->solved_count <= world->globals->contact_count);
    iso__step_scratch *scratch = world->scratch;
    // Where each colour's next contact goes: the colours' ranges were laid out by the graph stage.
    uint32_t next[ISO__COLOUR_COUNT + 1];
    for (uint32_t c = 0; c <= ISO__COLOUR_COUNT; ++c) {
        const iso__colour *colour = &scratch->colours[c];
        next[c] = colour->group_begin * ISO__LANES;
        for (uint32_t g = colour->group_begin; g < colour->group_end; ++g) {
            iso__contact_group *group = &scratch->groups[g];
            group->count = 0;
            group->moves_a = group->moves_b = 0;
            group->bounces = group->notes_impulses = false;
        }
    }
    scratch->bouncing_count = 0;
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        if (scratch->contact_colours[i] == ISO__COLOUR_NONE) {
            continue;
        }
        const uint32_t place = next[scratch->contact_colours[i]]++;
        ISO_VALIDATE_ASSERT(place < scratch->colours[scratch->contact_colours[i]].group_end * ISO__LANES);
        iso__contact_group *group = &scratch->groups[place / ISO__LANES];
        contact_fill_lane(world, group, place % ISO__LANES, i);
        group->count = place % ISO__LANES + 1;
        if (group->surface[place % ISO__LANES].hi > 0) {
            scratch->bouncing[scratch->bouncing_count++] = place;
        }
    }
    for (uint32_t n = 0; n < scratch->used_colour_count; ++n) {
        const iso__colour *colour = &scratch->colours[scratch->used_colours[n]];
        if (colour->group_begin < colour->group_end) {
            contact_fill_rest(&scratch->groups[colour->group_end - 1]);
        }
    }
}
