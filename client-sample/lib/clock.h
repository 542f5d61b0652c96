/// The client's two clocks: what the server's tick is now, and for which tick an input sent now is meant.
///
/// The first is an estimate from pings: a ping with round trip time RTT and the server's time s in its answer is
/// assumed to have been answered in the middle, so the server's time was s at (sent + received) / 2. Of the last pings
/// the quickest is used, because queueing only adds delay. When an answer contradicts it, the server's clock has
/// slipped, and all earlier answers are discarded.
///
/// The second runs by itself at the session's rate. It starts at estimate + RTT/2 + lead, so that an input arrives
/// `lead` ticks before its tick is sealed, and is then steered by what the server measured, the margin: up to 5 %
/// faster or slower, in a jump when it is more than 10 ticks off. What it has to be steered by for ever, because this
/// machine's clock is slow or fast against the server's, it learns as a part of the pace that stays: the integral of
/// the error, so that the margin comes back to the lead and does not settle beside it. A target never decreases: after
/// a jump back the last target is repeated until the clock has reached it again. A margin of a repeated target reflects
/// the clock before the jump, so it is ignored.
///
/// When the inputs were held for a while (input.c), the second clock is set from the first one again, and keeps the
/// offset from the estimate that it has learnt from the margins.
///
/// Source: the lead and its correction as in the network model of Overwatch (GDC 2017), bounds per design.
#ifndef ISO_CLIENT_CLOCK_H
#define ISO_CLIENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define ISO__CLIENT_CLOCK_SAMPLES       16
#define ISO__CLIENT_CLOCK_PACE_MAX_PPM  50000     // 5 %
#define ISO__CLIENT_CLOCK_DRIFT_MAX_PPM 30000     // 3 %, the part of it that stays
#define ISO__CLIENT_CLOCK_JUMP_TICKS    10        // an error above this is jumped
#define ISO__CLIENT_CLOCK_DEADBAND_Q8   64        // an error up to this is left alone
#define ISO__CLIENT_CLOCK_SETTLE_NS     500000000 // after a jump, margins of inputs from before it still come in
#define ISO__CLIENT_CLOCK_SLIP_Q8       256       // a contradiction above this is a slip of the server's clock
#define ISO__CLIENT_CLOCK_INPUTS_MAX    60        // per second

typedef struct iso__client_clock_sample {
    uint64_t middle_ns; // our time at which the server's time was server_q8
    uint64_t server_q8; // [ticks, 256 is one]
    uint64_t rtt_ns;
} iso__client_clock_sample;

typedef struct iso__client_clock {
    uint16_t rate_hz;
    uint8_t lead_ticks;
    // The estimate.
    iso__client_clock_sample samples[ISO__CLIENT_CLOCK_SAMPLES]; // a ring
    uint64_t sample_first, sample_count;                         // in total; those from the first one on are used
    uint64_t rtt_ns;                                             // smoothed
    // The input clock.
    bool is_running;
    uint32_t stride;      // ticks per input: 1 up to 60 Hz
    uint64_t due_ns;      // when the next input is due
    uint64_t next_target; // its tick
    uint64_t last_target; // of the last one
    int32_t pace_ppm;     // above the session's rate
    int32_t drift_ppm;    // the part of it that stays: how slow this machine's clock is against the server's
    uint64_t steered_ns;  // when it was learnt from last; 0: not since the start
    uint64_t settle_ns;   // margins before this are ignored
    int32_t offset_q8;    // its offset from the estimate at the last input [ticks, 256 is one]
    uint64_t jumps;
} iso__client_clock;

/// @param rate_hz     1 or more
/// @param lead_ticks  see iso_client_config
void iso__client_clock_init(iso__client_clock *clock, uint16_t rate_hz, uint8_t lead_ticks);

/// Processes the answer to a ping.
/// @param server_tick  below 2^53
void iso__client_clock_sample_add(iso__client_clock *clock, uint64_t sent_ns, uint64_t now_ns, uint64_t server_tick,
                                  uint8_t fraction_q8);

/// RTT of the quickest of the last pings [ns]; 0 without any.
uint64_t iso__client_clock_rtt_min(const iso__client_clock *clock);

/// The server's time [ticks, 256 is one]; 0 before the first sample.
uint64_t iso__client_clock_server_q8(const iso__client_clock *clock, uint64_t now_ns);

/// The last tick that the server can have sent so that it is here by now, if it keeps its rate; 0 before the first
/// sample.
uint64_t iso__client_clock_arrived(const iso__client_clock *clock, uint64_t now_ns);

/// Starts the input clock.
/// @param first_target  no target is below it
void iso__client_clock_start(iso__client_clock *clock, uint64_t now_ns, uint64_t first_target);

/// Continues after inputs were held: at the estimate, with the same offset as before. Margins are ignored until those
/// of earlier inputs have arrived.
void iso__client_clock_resume(iso__client_clock *clock, uint64_t now_ns);

/// Whether an input is due; *target is then the tick that it is meant for. A caller that comes late gets one input,
/// for the tick that is due now, and not one for each that was missed.
bool iso__client_clock_take(iso__client_clock *clock, uint64_t now_ns, uint64_t *target);

/// Steers the input clock.
/// @param margin_q8  how early inputs arrived [ticks, 256 is one]; negative: late
void iso__client_clock_steer(iso__client_clock *clock, uint64_t now_ns, int32_t margin_q8);

#endif
