/// What runs have seen, and what they must have seen. Included by sim.h only.
#ifndef ISO_NETSIM_TOTALS_H
#define ISO_NETSIM_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

/// What happened. X(member, what, how many of it TOTALS_FLOOR_SEEDS seeds must have seen)
#define TOTALS_FLOOR_SEEDS 500u
#define SIM_TOTAL_LIST(X)                                                    \
    X(seeds, "seeds", 0)                                                     \
    X(events, "events", 0)                                                   \
    X(ticks, "ticks of servers", 100000)                                     \
    X(client_ticks, "ticks of clients", 200000)                              \
    X(names_known, "members known by name after a tick", 200000)             \
    X(commands, "commands sealed", 50000)                                    \
    X(rejects, "commands rejected", 800)                                     \
    X(joins, "joins", 800)                                                   \
    X(late_joins, "joins after the first second", 300)                       \
    X(refused, "refusals of a full session", 100)                            \
    X(links, "connections", 2500)                                            \
    X(late_links, "connections beyond the 24th of a run", 1)                 \
    X(cuts, "cuts", 200)                                                     \
    X(losses, "half-open connections", 200)                                  \
    X(resumes, "returns", 200)                                               \
    X(takeovers, "connections taken over", 20)                               \
    X(holds_expired, "holds that ran out", 20)                               \
    X(partitions, "silent partitions", 100)                                  \
    X(hushes, "connections that fell silent", 100)                           \
    X(switches, "connections left for another", 30)                          \
    X(margins, "margins of clocks that drift", 20)                           \
    X(narrow_links, "connections over narrow lines", 50)                     \
    X(clock_jumps, "jumps of clocks", 50)                                    \
    X(disk_hangs, "hanging disks", 20)                                       \
    X(sync_failures, "failed syncs", 10)                                     \
    X(timeouts, "peers ended for their silence", 5)                          \
    X(second_kills, "kills soon after a restart", 20)                        \
    X(stalls, "stalls of reading", 150)                                      \
    X(slips, "slips", 40)                                                    \
    X(pauses, "pauses", 10)                                                  \
    X(strict_waits, "ticks that waited for a member", 100)                   \
    X(turned_away, "connections turned away for their address", 100)         \
    X(joins_refused, "joins refused for their address", 3)                   \
    X(demotions, "members not waited for any more", 10)                      \
    X(kills, "kills", 80)                                                    \
    X(power_cuts, "power cuts", 40)                                          \
    X(restarts, "restarts", 120)                                             \
    X(anews, "restarts with nothing to go on from", 2)                       \
    X(rolls, "rolls of recordings", 100)                                     \
    X(disks_given_up, "disks that took too long", 3)                         \
    X(holds_told, "held slots of an address", 50)                            \
    X(second_servers, "second servers refused", 20)                          \
    X(rewinds, "rewinds", 20)                                                \
    X(degraded, "degraded recordings", 25)                                   \
    X(begun_again, "recordings that began again", 25)                        \
    X(degraded_restarts, "restarts from a degraded recording", 5)            \
    X(begun_again_restarts, "restarts from a recording that began again", 5) \
    X(starting_kills, "kills of a server that starts", 10)                   \
    X(desyncs, "desyncs found", 60)                                          \
    X(heals, "desyncs healed", 40)                                           \
    X(lost_commands, "commands of unknown fate", 5)                          \
    X(lies, "lies of the server", 200)                                       \
    X(lies_outlived, "lies that a client got over", 6)                       \
    X(old_secrets, "old secrets refused", 30)                                \
    X(other_games, "runs of other games than the sandbox", 40)               \
    X(tampered, "messages tampered with", 300)                               \
    X(emits, "events of the game confirmed", 1500)                           \
    X(emits_withdrawn, "predicted events of the game withdrawn", 300)        \
    X(bytes, "bytes", 0)                                                     \
    X(roots_verified, "recorded roots verified", 50000)

typedef struct sim_totals {
#define SIM_TOTAL_FIELD(name, text, floor) uint64_t name;
    SIM_TOTAL_LIST(SIM_TOTAL_FIELD)
#undef SIM_TOTAL_FIELD
} sim_totals;

void totals_add(sim_totals *sum, const sim_totals *one);
/// @return false when the file cannot be written, or read, or has other rows
bool totals_save(const sim_totals *totals, const char *path);
bool totals_load(sim_totals *totals, const char *path);
/// As a table, beside the floors.
void totals_print(const sim_totals *totals);
bool totals_reach_floors(const sim_totals *totals);

#endif
