#include "griefer.h"

#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "isostep/proto/text.h"

#define SETTLE_NS UINT64_C(2000000000)

/// Connections whose answers take some seconds: they are opened first.
static void slow_open(iso__cli_griefer *g) {
    static const uint8_t half[] = {100, 1, 2, 3};
    iso_message message = iso__cli_link_hello(g->session, ISO_ROLE_SPECTATOR);
    for (uint32_t i = 0; i < 3; ++i) {
        g->slow[i] = iso__cli_link_open(&g->links);
    }
    if (g->slow[ISO__CLI_SLOW_HALF_FRAME] != NULL) {
        (void)iso__cli_link_write(g->slow[ISO__CLI_SLOW_HALF_FRAME], half, sizeof(half));
    }
    if (g->slow[ISO__CLI_SLOW_JOINER] != NULL) {
        (void)iso__cli_link_send(g->slow[ISO__CLI_SLOW_JOINER], &message);
    }
}

static void print_row(const iso__cli_attack *attack, iso_status answer, const char *verdict) {
    char expected[64];
    snprintf(expected, sizeof(expected), "%s%s%s", iso_status_name(attack->expected),
             attack->also != attack->expected ? " or " : "",
             attack->also != attack->expected ? iso_status_name(attack->also) : "");
    printf("%-46s %-26s %-22s %s\n", attack->name, expected, iso_status_name(answer), verdict);
    fflush(stdout);
}

/// @return how many answers were wrong.
static uint32_t run_table(iso__cli_griefer *g, const iso__cli_attack *attacks, uint32_t *count) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; attacks[i].name != NULL; ++i) {
        g->game_refusal = ISO_OK;
        const iso_status answer = attacks[i].run(g);
        const bool right = answer == attacks[i].expected || answer == attacks[i].also;
        const bool by_game = !right && answer != ISO_OK && answer == g->game_refusal;
        print_row(&attacks[i], answer, right ? "" : by_game ? "the game's own refusal" : "WRONG");
        wrong += !right && !by_game;
        *count += 1;
    }
    return wrong;
}

/// The witness plays on, has seen every tick and every root of it right.
static iso_status witness_check(iso__cli_griefer *g) {
    const uint64_t end_ns = iso__cli_now_ns() + SETTLE_NS;
    iso_client_stats before, now;
    iso_client_get_stats(g->witness.client, &before);
    while (iso__cli_now_ns() < end_ns && !g->witness.has_ended) {
        iso__cli_member_pump(g, &g->witness);
    }
    iso_client_get_stats(g->witness.client, &now);
    if (g->witness.has_ended) {
        return g->witness.answer;
    }
    // Ticks are still coming, and none was left out: a gap would have ended it.
    return now.desyncs > 0 ? ISO_ERR_DESYNC : now.last_tick > before.last_tick ? ISO_OK : ISO_ERR_TIMEOUT;
}

/// Most attacks are a member's, and the witness has a slot of its own.
static bool check_slots(const iso__cli_griefer *g) {
    uint32_t slots = 0, open = 0;
    iso_slot_view view;
    for (; iso_world_get_slot(iso_client_world(g->witness.client), slots, &view); ++slots) {
        open += !view.is_occupied;
    }
    if (open == 0) {
        iso_print(stderr,
                  "isostep-client: the griefer cannot attack %s at %s: it needs a slot beside its witness's, and of %u "
                  "none is "
                  "left; expected a scene with 2 slots or more, and a free one\n",
                  g->session, g->options->address, (unsigned)slots);
    }
    return open > 0;
}

/// @return the exit code
static int griefer_attack(iso__cli_griefer *g) {
    static const iso__cli_attack witness = {"a witness who kept to the rules", ISO_OK, ISO_OK, witness_check};
    uint32_t count = 0, wrong = 0;
    if (!iso__cli_member_join(g, &g->witness, "witness")) {
        iso_print(stderr, "isostep-client: the witness could not join %s at %s: %s\n", g->session, g->options->address,
                  iso_status_text(g->witness.is_answered ? g->witness.answer : ISO_ERR_CONNECTION));
        return ISO__CLI_EXIT_CONNECTION;
    }
    if (!check_slots(g)) {
        return ISO__CLI_EXIT_CONNECTION;
    }
    printf("%-46s %-26s %s\n", "attack", "expected", "answer");
    slow_open(g);
    wrong += run_table(g, iso__cli_attacks_stream, &count);
    wrong += run_table(g, iso__cli_attacks_world, &count);
    wrong += run_table(g, iso__cli_attacks_flood, &count);
    wrong += run_table(g, (const iso__cli_attack[]){witness, {NULL, ISO_OK, ISO_OK, NULL}}, &count);
    for (uint32_t i = 0; i < 3; ++i) {
        iso__cli_link_close(g->slow[i]);
    }
    if (g->options->json) {
        printf("{\"attacks\":%u,\"wrong\":%u}\n", (unsigned)count, (unsigned)wrong);
    } else {
        printf("%u attack%s, %u wrong answer%s\n", (unsigned)count, iso_text_plural(count), (unsigned)wrong,
               iso_text_plural(wrong));
    }
    return wrong > 0 ? ISO__CLI_EXIT_DESYNC : ISO__CLI_EXIT_OK;
}

int iso__cli_griefer_run(const iso__cli_options *options, const iso_game *const *games, uint32_t game_count) {
    iso__cli_griefer g = {
        .options = options, .games = games, .game_count = game_count, .session = options->sessions[0]};
    iso__cli_links_init(&g.links, options);
    const int code = griefer_attack(&g);
    iso__cli_member_leave(&g, &g.witness);
    iso__cli_links_term(&g.links);
    return code;
}
