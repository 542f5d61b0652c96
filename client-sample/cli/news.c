/// Handles the notifications of the members' libraries: bots play, lines are printed, and the program leaves or ends.
/// main.c does what concerns connections, once per iteration of the loop.
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "isostep/proto/diff_text.h"

// ---- leaving --------------------------------------------------------------------------------------

static bool peer_has_enough(const iso__cli_app *app, const iso__cli_peer *peer) {
    iso_client_stats stats;
    iso_client_get_stats(peer->client, &stats);
    // A member whose world is no longer compared has no confirmed roots; its ticks still count.
    const uint64_t last_tick = peer->is_unverified ? iso_client_tick(peer->client) : stats.last_tick;
    return app->options.ticks != 0 && peer->has_joined && last_tick + 1u >= stats.first_tick + app->options.ticks;
}

/// Leaves when every member that has not ended has had its ticks.
static void check_done(iso__cli_app *app) {
    for (uint32_t i = 0; i < app->peer_count; ++i) {
        if (!app->peers[i].is_done && !app->peers[i].has_ended) {
            return;
        }
    }
    app->is_leaving = true;
}

/// Many members often fail for the same reason: it is printed once.
static void say_failure(iso__cli_app *app, const char *failure) {
    if (strcmp(app->failure, failure) == 0) {
        app->failure_repeats += 1;
        return;
    }
    snprintf(app->failure, sizeof(app->failure), "%s", failure);
    iso__cli_say(app, "%s", failure);
}

// ---- actions of peers -----------------------------------------------------------------------------

void iso__cli_news_tick(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    // Only the verifying member sees results; it passes them on to the bots of all members.
    for (uint32_t i = 0; action->results != NULL && i < action->command_count; ++i) {
        for (uint32_t k = 0; k < app->peer_count; ++k) {
            const bool there = app->peers[k].has_joined && app->peers[k].session == peer->session;
            if (there && iso_client_slot(app->peers[k].client) == action->commands[i].slot) {
                iso__cli_bot_result(&app->peers[k].bot, &action->commands[i].command, &action->results[i]);
            }
        }
    }
    if (peer->has_joined && iso_client_slot(peer->client) != ISO_SLOT_NONE && !app->is_leaving) {
        iso__cli_bot_act(&peer->bot, peer->client, action->tick);
        iso__cli_swarm_watch(app, peer, action->tick);
    }
    // A drill without --ticks ends when the healed world has been confirmed for a second.
    const bool drilled = app->options.flip_tick != 0 && app->options.ticks == 0 && peer->healed_tick != 0 &&
                         action->tick >= peer->healed_tick + iso_client_welcome(peer->client)->tick_rate_hz;
    if (drilled) {
        app->is_leaving = true;
    }
    if (!peer->is_done && peer_has_enough(app, peer)) {
        peer->is_done = true;
        check_done(app);
    }
}

/// A bot that cannot play here leaves at once.
static void refuse_bot(iso__cli_app *app, const iso__cli_peer *peer, const char *expected) {
    const iso_fingerprint *fingerprint = &iso_client_welcome(peer->client)->fingerprint;
    char line[300], session[ISO_SESSION_NAME_MAX + 1];
    snprintf(line, sizeof line, "--bot %s cannot play the session %s, which has %s%s; expected %s",
             iso__cli_options_bot_name(app->options.bot), iso__cli_swarm_session_name(app, peer->session, session),
             fingerprint->game[0] != 0 ? "the game " : "no game", fingerprint->game, expected);
    say_failure(app, line);
    app->is_refused = true;
    app->is_leaving = true;
}

void iso__cli_news_joined(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    const char *lacks = iso__cli_bot_lacks(&peer->bot, peer->client);
    if (lacks != NULL) {
        refuse_bot(app, peer, lacks);
    }
    if (peer->index == 0 && app->options.flip_tick != 0 && action->tick > app->options.flip_tick) {
        iso__cli_say(
            app, "drill: tick %llu is over, so the bit is flipped in the first own tick, which is %llu or soon after",
            (unsigned long long)app->options.flip_tick, (unsigned long long)action->tick);
    }
}

void iso__cli_news_desync(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    peer->has_desynced = true;
    peer->desync_tick = action->tick;
    peer->desync_ours = action->ours;
    peer->desync_theirs = action->theirs;
    iso__cli_say(app, "desync: after tick %llu the own root is %016llx, the server's is %016llx",
                 (unsigned long long)action->tick, (unsigned long long)action->ours,
                 (unsigned long long)action->theirs);
    iso__cli_dump_state(app, peer);
}

void iso__cli_news_sync_test(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    peer->sync_test_tick = action->tick;
    iso__cli_say(app, "sync test: a world continued from the own snapshot of tick %llu differs after tick %llu: %s",
                 (unsigned long long)action->first_tick, (unsigned long long)action->tick,
                 action->status == ISO_ERR_DESYNC ? "something that its future depends on is not in the state"
                                                  : iso_status_text(action->status));
    iso_diff diff;
    if (iso_client_sync_test_diff(peer->client, &diff, 1) == 1) {
        char place[ISO_DIFF_TEXT_SIZE], values[2][ISO_DIFF_TEXT_SIZE];
        iso__cli_say(app, "sync test: first in %s: own world %s, restored %s", iso_diff_place_text(&diff, place),
                     iso_diff_value_text(diff.field, diff.value_a, values[0]),
                     iso_diff_value_text(diff.field, diff.value_b, values[1]));
    }
}

void iso__cli_news_desync_answer(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    const bool is_ignored = action->desync_action == ISO_DESYNC_IGNORE;
    const bool is_paused = action->desync_action == ISO_DESYNC_PAUSE;
    if (!is_ignored && !is_paused) {
        return; // it is healed or ended, which is printed
    }
    peer->is_unverified = true;
    iso__cli_say(
        app, is_ignored
                 ? "the server ignores it: the session continues, the own world stays wrong and is no longer compared"
                 : "the server has paused the session because of it");
    // A drill without --ticks ends when the world is healed, which does not happen here. In a pause no ticks arrive, so
    // that --ticks does not end it either.
    if (app->options.flip_tick != 0 && (is_paused || app->options.ticks == 0)) {
        app->is_leaving = true;
    }
}

void iso__cli_news_healed(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    peer->healed_tick = action->tick;
    iso__cli_say(app, "healed: the world was replaced by the server's of tick %llu", (unsigned long long)action->tick);
}

void iso__cli_news_session(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action) {
    static const char *const policies[] = {"", "move", "drop", "strict"};
    const unsigned long long tick = action->tick;
    if (!iso__cli_swarm_verifies(app, peer->index)) {
        return;
    }
    switch (action->kind) {
    case ISO_CLIENT_ACTION_TRY:
        iso__cli_say(app, "the server is silent since tick %llu; another connection is tried", tick);
        break;
    case ISO_CLIENT_ACTION_RESUMED:
        iso__cli_say(app, "resumed as the same member from tick %llu on", tick);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        iso__cli_say(app, "joined again as a new member from tick %llu on", tick);
        break;
    case ISO_CLIENT_ACTION_REWOUND:
        iso__cli_say(app, "%s %llu to %llu; the session continues from tick %llu",
                     action->status == ISO_OK ? "the server has lost ticks" : "this client's world was wrong in ticks",
                     (unsigned long long)action->first_tick, (unsigned long long)action->last_tick, tick);
        break;
    default:
        iso__cli_say(app, "the session is %s at tick %llu; late inputs: %s%s%s",
                     iso_session_state_name(iso_client_welcome(peer->client)->state), tick,
                     policies[iso_client_welcome(peer->client)->late_policy],
                     action->status != ISO_OK ? "; because " : "",
                     action->status != ISO_OK ? iso_status_text(action->status) : "");
        break;
    }
}

/// "ada is here in slot 3". @return the bytes that it took, less than the capacity
static size_t describe_member(const iso_member *member, char *text, size_t capacity) {
    static const char *const players[] = {"", "is here", "lost the connection and is held", "has left"};
    static const char *const spectators[] = {"", "is watching", "", "has stopped watching"};
    const char *name = member->name[0] != 0 ? member->name : "a member without a name";
    const int size = member->role == ISO_ROLE_PLAYER
                         ? snprintf(text, capacity, "%s (slot %u) %s", name, member->slot, players[member->presence])
                         : snprintf(text, capacity, "%s %s", name, spectators[member->presence]);
    return size > 0 ? (size_t)size : 0;
}

void iso__cli_news_members(iso__cli_app *app, const iso__cli_peer *peer, const iso_client_action *action) {
    const iso_message_welcome *welcome = iso_client_welcome(peer->client);
    char text[800] = "";
    size_t size = 0;
    uint32_t said = 0, others = 0;
    for (uint32_t i = 0; i < action->member_count; ++i) {
        const iso_member *member = &action->members[i];
        if (member->role == welcome->role && member->slot == welcome->slot) {
            continue; // this one; JOINED reports it
        }
        others += 1;
        char entry[ISO_MEMBER_NAME_MAX + 64];
        const size_t entry_size = describe_member(member, entry, sizeof(entry));
        if (size + entry_size + 2u < sizeof(text)) {
            size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s", said > 0 ? ", " : "", entry);
            said += 1;
        }
    }
    const bool many = app->peer_count > app->options.session_count;
    if (said == 0 || many || !iso__cli_swarm_verifies(app, peer->index)) {
        return;
    }
    if (said < others) {
        iso__cli_say(app, "members: %s and %u more", text, others - said);
    } else {
        iso__cli_say(app, "members: %s", text);
    }
}

void iso__cli_news_notice(iso__cli_app *app, const iso__cli_peer *peer, const iso_client_action *action) {
    if (!iso__cli_swarm_verifies(app, peer->index)) {
        return;
    }
    if (action->deadline_ms != 0) {
        iso__cli_say(app, "notice: %s (in %.1f s)", action->text, (double)action->deadline_ms / 1e3);
    } else {
        iso__cli_say(app, "notice: %s", action->text);
    }
}

void iso__cli_news_ended(iso__cli_app *app, iso__cli_peer *peer, const char *failure) {
    peer->has_ended = true;
    app->ended_count += 1;
    // After a desync the server ends the connection; that is not a second failure, but the reason for the end.
    if (failure != NULL && peer->has_desynced) {
        iso__cli_say(app, "ended: %s", failure);
    } else if (failure != NULL) {
        app->has_failed = true;
        say_failure(app, failure);
    }
    check_done(app);
}
