/// The reported outcomes of ticks: see iso_client_outcome. Predicted ones are stored per tick, so that they can be
/// confirmed or withdrawn.
#ifndef ISO_CLIENT_OUTCOMES_H
#define ISO_CLIENT_OUTCOMES_H

#include "isostep/client.h"

#define ISO__CLIENT_OUTCOME_TICKS (ISO_CLIENT_PREDICT_MAX + 1)

/// Of one tick: rising by kind, first, second, then status or bytes.
typedef struct iso__client_outcome_list {
    uint64_t tick;
    uint32_t count;
    uint32_t left_out; // because there were more than fit
    iso_client_outcome items[ISO_CLIENT_OUTCOMES_MAX];
} iso__client_outcome_list;

typedef struct iso__client_outcomes {
    iso__client_outcome_list predicted[ISO__CLIENT_OUTCOME_TICKS]; // at tick % count
    iso__client_outcome_list scratch;
    /// Outcomes for the next action. The maximum that one event can cause: a tick is confirmed, all others are
    /// predicted again.
    iso_client_outcome marked[2 * (ISO__CLIENT_OUTCOME_TICKS + 1) * ISO_CLIENT_OUTCOMES_MAX];
    uint32_t marked_count;
} iso__client_outcomes;

/// Marks what a confirmed tick did, and withdraws what was predicted of it and did not happen.
/// @param slot   the member's own
/// @param input  of the last step of `world`
/// @return how many outcomes of the tick were left out, because there were more than ISO_CLIENT_OUTCOMES_MAX
uint32_t iso__client_outcomes_confirm(iso__client_outcomes *outcomes, const iso_world *world, uint8_t slot,
                                      const iso_tick_input *input);

/// The same for a predicted tick; outcomes that an earlier prediction had, too, are not reported again.
void iso__client_outcomes_predict(iso__client_outcomes *outcomes, const iso_world *world, uint8_t slot,
                                  const iso_tick_input *input);

/// Withdraws what is still predicted after a tick.
void iso__client_outcomes_withdraw_after(iso__client_outcomes *outcomes, uint64_t tick);

#endif
