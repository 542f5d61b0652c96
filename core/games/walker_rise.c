/// How a walker that has fallen gets up, by its servos alone.
///
/// It lies limp, straightens itself until it lies flat, turns its knees away from its head, and then
///   folds   hip and shoulders bend until it stands on hands and feet, the hip above (walker_servo.c),
///   places  one foot after the other below its centre of mass, while the other foot and the hands carry,
///   lifts   its torso over the feet, as it keeps its balance when it stands, but bending its knees towards the middle.
/// Parts of a walker do not collide with each other. A try that does not end upright ends as it began: lying.
#include "walker.h"

#define STRETCH_MS 700  // at least
#define LYING_MS   2500 // in which it tries to get up even if it does not lie still
#define HOLD_MS    200  // on hands and feet
#define LATE_MS    500  // after lifting itself, until it must stand upright

#define CALM_SPEED   (ISO_WIDE_ONE / 4)  // [m/s]
#define CALM_TURNING (ISO_WIDE_ONE / 2)  // [rad/s]
#define LEAN_UP      (ISO_WIDE_ONE / 20) // [turns] so little is upright
#define HIP_UP       WALKER_WIDE_CM(65)  // above the ankles, and so much is standing

#define FOOT_APART  WALKER_WIDE_CM(10) // from below the centre
#define CENTRE_DAMP WALKER_MILLI(200)  // [s]
#define CENTRE_MAX  WALKER_WIDE_CM(15)

static void lie(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const bool is_calm = walker_size(sense->velocity.x) < CALM_SPEED && walker_size(sense->velocity.y) < CALM_SPEED &&
                         walker_size(sense->turning) < CALM_TURNING;
    if (state->clock[slot] >= walker_ticks(world, is_calm ? WALKER_LIMP_MS + STRETCH_MS : LYING_MS)) {
        state->faces_left[slot] = sense->lean <= 0; // it leans to its head
        walker_enter(state, slot, WALKER_FOLD);
    }
}

static void begin_placing(walker_state *state, uint32_t slot, const walker_sense *sense, uint8_t leg) {
    walker_enter(state, slot, WALKER_PLACE);
    state->swing[slot] = leg;
    state->foot_from[slot] = sense->ankle[leg].x;
}

static void place(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const uint8_t leg = state->swing[slot] & 1u;
    const iso_wide apart = leg == 1 ? FOOT_APART : -FOOT_APART;
    const iso_wide share = walker_progress(world, state, slot, WALKER_PLACE_MS);
    const iso_wide target = sense->centre.x + walker_head_side(state, slot) * apart;
    state->foot_x[2 * slot] = sense->ankle[0].x; // the first foot stays where it was set
    state->foot_x[2 * slot + leg] = walker_ease(state->foot_from[slot], target, share);
    if (share == ISO_WIDE_ONE && leg == 0) {
        begin_placing(state, slot, sense, 1);
    } else if (share == ISO_WIDE_ONE) {
        state->lean_from[slot] = sense->lean;
        walker_enter(state, slot, WALKER_LIFT);
    }
}

static void lift(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide middle = (sense->ankle[0].x + sense->ankle[1].x) / 2,
                   height = -(sense->ankle[0].y + sense->ankle[1].y) / 2;
    const iso_wide off = sense->centre.x - middle + iso_wide_mul(CENTRE_DAMP, sense->velocity.x);
    for (uint32_t leg = 0; leg < 2; ++leg) {
        state->foot_x[2 * slot + leg] = sense->ankle[leg].x + walker_clamp(off, -CENTRE_MAX, CENTRE_MAX);
    }
    if (state->clock[slot] >= walker_ticks(world, WALKER_LIFT_MS) && walker_size(sense->lean) < LEAN_UP &&
        height > HIP_UP) {
        walker_enter(state, slot, WALKER_STAND);
    } else if (state->clock[slot] >= walker_ticks(world, WALKER_LIFT_MS + LATE_MS)) {
        walker_enter(state, slot, WALKER_FALLEN);
    }
}

void iso__walker_rise(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    switch (state->mode[slot]) {
    case WALKER_FALLEN:
        lie(world, state, slot, sense);
        break;
    case WALKER_FOLD:
        if (state->clock[slot] >= walker_ticks(world, WALKER_FOLD_MS + HOLD_MS)) {
            begin_placing(state, slot, sense, 0);
        }
        break;
    case WALKER_PLACE:
        place(world, state, slot, sense);
        break;
    default:
        lift(world, state, slot, sense);
        break;
    }
}
