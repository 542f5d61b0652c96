/// A server, a client and a replay tool with a game that is wrong on purpose: it keeps a counter outside of its state.
/// And it shows a point, which the library's games do not show alone. Members begin to count together when one joins,
/// so that a session of one does not part by itself.
#include <stdio.h>
#include <string.h>

#include "isostep/client_main.h"
#include "isostep/draw.h"
#include "isostep/isostep.h"
#include "isostep/replay_main.h"
#include "isostep/server/server.h"

typedef struct leaky_state {
    uint32_t kicks;
} leaky_state;

static uint32_t steps; // the fault

static void leaky_join(iso_world *world, void *state, uint32_t slot) {
    (void)world;
    (void)state;
    (void)slot;
    steps = 0;
}

static void leaky_before_step(iso_world *world, void *state) {
    (void)world;
    leaky_state *leaky = state;
    steps += 1;
    leaky->kicks += steps % 50 == 0;
}

/// A mark without extent.
static bool leaky_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    (void)world;
    (void)state;
    const iso_draw_item mark = {.kind = ISO_DRAW_POINT, .point_count = 1, .points = {{2 * ISO_WIDE_ONE, ISO_WIDE_ONE}}};
    if (index == 0) {
        iso_draw_add(draw, &mark);
    }
    return index == 0;
}

static const iso_field fields[] = {{"kicks", "", offsetof(leaky_state, kicks), 1, ISO_FIELD_U32}};

static const iso_game leaky = {
    .name = "leaky",
    .version = 1,
    .state_size = sizeof(leaky_state),
    .fields = fields,
    .field_count = 1,
    .join = leaky_join,
    .before_step = leaky_before_step,
    .draw = leaky_draw,
};

// What no program may have beside it.
static const iso_game unnamed = {.version = 1}, taken = {.name = "sandbox", .version = 1};

static const char pit[] = "{\"format\": 1, \"name\": \"pit\", \"game\": {\"name\": \"leaky\"}, \"bodies\": []}";

int main(int argc, char **argv) {
    static const iso_game *const games[] = {&leaky};
    static const iso_game *const with_unnamed[] = {&leaky, &unnamed}, *const with_taken[] = {&leaky, &taken},
                                 *const with_null[] = {&leaky, NULL};
    static const iso_server_scene scenes[] = {{"pit", pit, sizeof pit - 1}};
    const iso_game *const *list = games;
    const char *with = argc > 2 ? argv[1] : "";
    list = strcmp(with, "unnamed") == 0 ? with_unnamed : list;
    list = strcmp(with, "taken") == 0 ? with_taken : list;
    list = strcmp(with, "null") == 0 ? with_null : list;
    const size_t count = list == games ? 1 : 2;
    const int skipped = list == games ? 1 : 2;
    const char *program = argc > skipped ? argv[skipped] : "";
    if (strcmp(program, "server") == 0) {
        return iso_server_main_with_scenes(argc - skipped, argv + skipped, list, count, scenes, 1);
    }
    if (strcmp(program, "client") == 0) {
        return iso_client_main(argc - skipped, argv + skipped, list, count);
    }
    if (strcmp(program, "replay") == 0) {
        return iso_replay_main_with_scenes(argc - skipped, argv + skipped, list, count, scenes, 1);
    }
    fprintf(stderr, "usage: leaky [unnamed|taken|null] server|client|replay ...\n");
    return 2;
}
