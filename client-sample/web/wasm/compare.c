/// Two recordings are compared. See compare.h.
#include "compare.h"

#include <string.h>

#include "games.h"
#include "isostep/assert.h"
#include "isostep/proto/diff_text.h"
#include "memory.h"

struct iso_player_comparison {
    compare_search search;
    size_t world_sizes[2];
    void *worlds[2];
};

static bool side_make(iso_player_comparison *c, uint32_t i, const iso_recording *recording) {
    compare_side *side = i == 0 ? &c->search.a : &c->search.b;
    const iso_world_def *def = &recording->header.def;
    const iso_game *game = def->game[0] != 0 ? iso_web_find_game(def->game) : NULL;
    side->recording = recording;
    c->world_sizes[i] = iso_world_size(def, game);
    c->worlds[i] = iso__web_take(c->world_sizes[i]);
    side->buffer = iso__web_take(sizeof *side->buffer);
    side->keyframes.list = iso__web_take(recording->keyframe_count * sizeof *side->keyframes.list);
    if (c->worlds[i] == NULL || side->buffer == NULL || side->keyframes.list == NULL ||
        iso_world_create(def, game, c->worlds[i], c->world_sizes[i], &side->world) != ISO_OK) {
        return false;
    }
    iso__replay_keyframes_read(&side->keyframes, recording);
    return true;
}

static void side_free(iso_player_comparison *c, uint32_t i) {
    compare_side *side = i == 0 ? &c->search.a : &c->search.b;
    iso__web_give(c->worlds[i], c->world_sizes[i]);
    iso__web_give(side->buffer, sizeof *side->buffer);
    if (side->recording != NULL) {
        iso__web_give(side->keyframes.list, side->recording->keyframe_count * sizeof *side->keyframes.list);
    }
}

iso_player_comparison *iso_player_compare_create(const iso_recording *a, const iso_recording *b) {
    ISO_ASSERT(a->keyframe_count > 0 && b->keyframe_count > 0);
    iso_player_comparison *c = iso__web_take(sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    memset(c, 0, sizeof *c);
    c->search.result.diffs = iso__web_take(COMPARE_DIFFS_MAX * sizeof(iso_diff));
    if (c->search.result.diffs == NULL || !side_make(c, 0, a) || !side_make(c, 1, b)) {
        iso_player_compare_destroy(c);
        return NULL;
    }
    iso__compare_begin(&c->search);
    return c;
}

void iso_player_compare_destroy(iso_player_comparison *c) {
    side_free(c, 0);
    side_free(c, 1);
    iso__web_give(c->search.result.diffs, COMPARE_DIFFS_MAX * sizeof(iso_diff));
    iso__web_give(c, sizeof *c);
}

uint32_t iso_player_compare_next(iso_player_comparison *c, uint32_t pieces) {
    compare_step step = COMPARE_GOES_ON;
    for (uint32_t i = 0; i < pieces && step == COMPARE_GOES_ON; ++i) {
        step = iso__compare_next(&c->search);
    }
    return step;
}

const iso_recording_keyframe *iso_player_compare_wanted(const iso_player_comparison *c) {
    return &c->search.wanted;
}

const iso_recording *iso_player_compare_wanted_of(const iso_player_comparison *c) {
    return c->search.wanted_of;
}

iso_status iso_player_compare_give(iso_player_comparison *c, const uint8_t *state) {
    return iso__compare_give(&c->search, state);
}

void iso_player_compare_numbers(const iso_player_comparison *c, uint64_t numbers[ISO_PLAYER_COMPARE_NUMBERS]) {
    const compare_search *s = &c->search;
    const compare_result *result = &s->result;
    const uint64_t all[ISO_PLAYER_COMPARE_NUMBERS] = {
        [ISO_PLAYER_COMPARE_DONE] = s->done,
        [ISO_PLAYER_COMPARE_STATUS] = (uint64_t)(int64_t)s->status,
        [ISO_PLAYER_COMPARE_FAILED_TICK] = s->failed != NULL ? s->failed->tick.input.tick : 0,
        [ISO_PLAYER_COMPARE_IS_COMMON] = result->is_common,
        [ISO_PLAYER_COMPARE_FIRST] = result->first_tick,
        [ISO_PLAYER_COMPARE_LAST] = result->last_tick,
        [ISO_PLAYER_COMPARE_IS_DIFFERENT] = result->is_different,
        [ISO_PLAYER_COMPARE_TICK] = result->tick,
        [ISO_PLAYER_COMPARE_EQUAL_TICKS] = result->equal_ticks,
        [ISO_PLAYER_COMPARE_HAS_ROOT_A] = s->a.has_root,
        [ISO_PLAYER_COMPARE_ROOT_A] = s->a.root,
        [ISO_PLAYER_COMPARE_HAS_ROOT_B] = s->b.has_root,
        [ISO_PLAYER_COMPARE_ROOT_B] = s->b.root,
        [ISO_PLAYER_COMPARE_STATE_TICK] = result->state_tick,
        [ISO_PLAYER_COMPARE_DIFFS] = result->diff_count,
        [ISO_PLAYER_COMPARE_INPUTS] = result->input_count,
        [ISO_PLAYER_COMPARE_HEADERS] = result->header_count,
    };
    memcpy(numbers, all, sizeof all);
}

const char *iso_player_compare_field(const iso_player_comparison *c, uint32_t index, char *texts) {
    ISO_ASSERT(index < c->search.result.diff_count);
    const iso_diff *diff = &c->search.result.diffs[index];
    (void)iso_diff_place_text(diff, texts);
    (void)iso_diff_value_text(diff->field, diff->value_a, texts + ISO_DIFF_TEXT_SIZE);
    (void)iso_diff_value_text(diff->field, diff->value_b, texts + 2 * ISO_DIFF_TEXT_SIZE);
    return iso_section_name(diff->section);
}

const char *iso_player_compare_header(const iso_player_comparison *c, uint32_t index) {
    ISO_ASSERT(index < c->search.result.header_count);
    return c->search.result.headers[index].name;
}

const char *iso_player_compare_input(const iso_player_comparison *c, uint32_t index, uint64_t numbers[5]) {
    ISO_ASSERT(index < c->search.result.input_count && index < COMPARE_INPUTS_MAX);
    const compare_input *input = &c->search.result.inputs[index];
    const iso_sealed_command *command = input->is_in_a ? &input->command_a : &input->command_b;
    const iso_change *change = input->is_in_a ? &input->change_a : &input->change_b;
    numbers[0] = input->is_command;
    numbers[1] = input->is_in_a;
    numbers[2] = input->is_in_b;
    numbers[3] = input->is_command ? command->slot : change->slot;
    numbers[4] = input->is_command ? command->sequence : change->slot_generation;
    return input->is_command ? iso_command_kind_name(command->command.kind) : iso__replay_change_name(change->kind);
}

uint32_t iso_player_differing(iso_world *a, iso_world *b, uint32_t *bodies, uint32_t *body_count) {
    iso_diff *diffs = iso__web_take(COMPARE_DIFFS_MAX * sizeof *diffs);
    uint32_t count = 0;
    *body_count = 0;
    if (diffs == NULL) {
        return 0;
    }
    count = iso_world_diff(a, b, diffs, COMPARE_DIFFS_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_new = *body_count == 0 || bodies[*body_count - 1] != diffs[i].record;
        if (diffs[i].section == ISO_SECTION_BODIES && diffs[i].field != NULL && is_new) {
            bodies[(*body_count)++] = diffs[i].record;
        }
    }
    iso__web_give(diffs, COMPARE_DIFFS_MAX * sizeof *diffs);
    return count;
}
