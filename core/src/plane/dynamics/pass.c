/// The constraints of a colour have no moving body in common, so their order does not matter and threads may share
/// them: joints that call a game's functions first, on the calling thread in the order of their keys, then pieces of
/// all others. The overflow's constraints share bodies and are solved one after the other.
#include "plane/dynamics/pass.h"

#include "base/assert.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_solver.h"
#include "plane/joint/hinge.h"
#include "plane/joint/joint_step.h"
#include "plane/joint/plain.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "solver/parallel.h"

// Constraints of about 1 to 3 us together: what it takes to hand a piece to another thread.
#define GRAIN 64u

static void pass_solve_work(iso__plane_step_scratch *scratch, iso__plane_joint_work *work, iso__plane_pass pass) {
    if (pass == ISO__PLANE_PASS_WARM_START) {
        iso__plane_joint_warm_start(scratch, work);
    } else {
        iso__plane_joint_solve(scratch, work, pass == ISO__PLANE_PASS_RELAX);
    }
}

/// The joints of a colour without a form of their own.
/// @param user  those that call a game's functions, or the others
static void pass_solve_works(iso__plane_step_scratch *scratch, const iso__plane_colour *colour, iso__plane_pass pass,
                             bool user) {
    for (uint32_t j = colour->joint_begin; j < colour->joint_end && pass != ISO__PLANE_PASS_RESTITUTE; ++j) {
        if ((scratch->joint_works[j].kind == ISO_JOINT_USER) == user) {
            pass_solve_work(scratch, &scratch->joint_works[j], pass);
        }
    }
}

static void pass_solve_joints(iso__plane_step_scratch *scratch, const iso__plane_colour *colour, iso__plane_pass pass) {
    switch (pass) {
    case ISO__PLANE_PASS_WARM_START:
        iso__plane_hinge_warm_start(scratch, colour);
        iso__plane_plain_warm_start(scratch, colour);
        break;
    case ISO__PLANE_PASS_SOLVE:
        iso__plane_hinge_solve(scratch, colour);
        iso__plane_plain_solve(scratch, colour);
        break;
    case ISO__PLANE_PASS_RELAX:
        iso__plane_hinge_relax(scratch, colour);
        iso__plane_plain_relax(scratch, colour);
        break;
    case ISO__PLANE_PASS_RESTITUTE:
        break;
    }
}

static void pass_solve_rows(iso__plane_step_scratch *scratch, const iso__plane_colour *colour, iso__plane_pass pass) {
    if (colour->hinge_begin != colour->hinge_end || colour->plain_begin != colour->plain_end) {
        pass_solve_joints(scratch, colour, pass);
    }
    switch (pass) {
    case ISO__PLANE_PASS_WARM_START:
        iso__plane_contacts_warm_start(scratch, colour);
        break;
    case ISO__PLANE_PASS_SOLVE:
        iso__plane_contacts_solve(scratch, colour);
        break;
    case ISO__PLANE_PASS_RELAX:
        iso__plane_contacts_relax(scratch, colour);
        break;
    case ISO__PLANE_PASS_RESTITUTE:
        iso__plane_contacts_restitute(scratch, colour);
        break;
    }
}

/// All that calls no game's functions.
static void pass_solve_free(iso__plane_step_scratch *scratch, const iso__plane_colour *colour, iso__plane_pass pass) {
    pass_solve_works(scratch, colour, pass, false);
    pass_solve_rows(scratch, colour, pass);
}

typedef struct pass_colour {
    const iso__plane_colour *colour;
    iso__plane_pass pass;
    uint32_t count; // of its items
} pass_colour;

/// The part of [*begin, *end) that lies within [from, to), where the range's first item is number *first.
static void pass_cut(uint32_t *begin, uint32_t *end, uint32_t *first, uint32_t from, uint32_t to) {
    const uint32_t count = *end - *begin, at = *first;
    *first += count;
    const uint32_t low = from > at ? from - at : 0, high = to > at ? to - at : 0;
    *end = *begin + (high < count ? high : count);
    *begin += low < count ? low : count;
}

/// Items are numbered through: joints without a form of their own, hinges, plain joints, contacts. A group of contacts
/// has as many items as lanes, and belongs to the piece where its first one lies.
static void pass_piece(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const pass_colour *job = data;
    if (begin == 0 && end == job->count) { // all at once, as on one thread
        pass_solve_free(plane->scratch, job->colour, job->pass);
        return;
    }
    iso__plane_colour part = *job->colour;
    uint32_t first = 0;
    pass_cut(&part.joint_begin, &part.joint_end, &first, begin, end);
    pass_cut(&part.hinge_begin, &part.hinge_end, &first, begin, end);
    pass_cut(&part.plain_begin, &part.plain_end, &first, begin, end);
    first = (first + ISO__LANES - 1) / ISO__LANES;
    pass_cut(&part.group_begin, &part.group_end, &first, (begin + ISO__LANES - 1) / ISO__LANES,
             (end + ISO__LANES - 1) / ISO__LANES);
    ISO_ASSERT(part.joint_begin <= part.joint_end && part.hinge_begin <= part.hinge_end &&
               part.plain_begin <= part.plain_end && part.group_begin <= part.group_end);
    pass_solve_free(plane->scratch, &part, job->pass);
}

void iso__plane_run_pass(iso__plane *plane, iso__plane_pass pass) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->used_colour_count <= ISO__COLOURS + 1);
    for (uint32_t n = 0; n < scratch->used_colour_count; ++n) {
        const iso__plane_colour *colour = &scratch->colours[scratch->used_colours[n]];
        if (scratch->used_colours[n] == ISO__COLOUR_OVERFLOW) {
            for (uint32_t j = colour->joint_begin; j < colour->joint_end && pass != ISO__PLANE_PASS_RESTITUTE; ++j) {
                pass_solve_work(scratch, &scratch->joint_works[j], pass);
            }
            pass_solve_rows(scratch, colour, pass);
            continue;
        }
        pass_solve_works(scratch, colour, pass, true);
        if (!iso__has_threads(&plane->world)) {
            pass_solve_free(scratch, colour, pass);
            continue;
        }
        const uint32_t joints = colour->joint_end - colour->joint_begin + colour->hinge_end - colour->hinge_begin +
                                colour->plain_end - colour->plain_begin;
        const uint32_t lanes = (colour->group_end - colour->group_begin) * ISO__LANES;
        const uint32_t count = (joints + ISO__LANES - 1) / ISO__LANES * ISO__LANES + lanes;
        iso__parallel_run(&plane->world, 0, count, GRAIN, pass_piece, &(pass_colour){colour, pass, count});
    }
}
