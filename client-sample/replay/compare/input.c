/// Comparing headers and inputs.
#include <string.h>

#include "compare/search.h"

const char *iso__replay_change_name(uint8_t kind) {
    switch (kind) {
    case ISO_CHANGE_JOIN:
        return "JOIN";
    case ISO_CHANGE_LEAVE:
        return "LEAVE";
    case ISO_CHANGE_DROP:
        return "DROP";
    case ISO_CHANGE_RESUME:
        return "RESUME";
    default:
        return "UNKNOWN";
    }
}

/// Like strcmp, which a build without a C library does not have.
static bool texts_are_equal(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

/// What follows the name of the program in a header's build; all of it when there is no name.
static const char *version_of(const char *build) {
    const char *version = build;
    for (const char *at = build; *at != 0; ++at) {
        version = *at == ' ' ? at + 1 : version;
    }
    return version;
}

static void add_header(compare_result *result, const char *name, bool matters, bool equal) {
    if (!equal && result->header_count < sizeof result->headers / sizeof result->headers[0]) {
        result->headers[result->header_count++] = (compare_header){.name = name, .matters = matters};
    }
}

void iso__replay_compare_headers(const iso_recording_header *a, const iso_recording_header *b, compare_result *result) {
    const iso_world_def *x = &a->def, *y = &b->def;
    // What a client writes of its own state does not know the scene's text.
    const bool scenes = a->scene_size > 0 && b->scene_size > 0;
    // Server, client and tool write recordings of one session: which of them did so explains no difference.
    add_header(result, "build", false, texts_are_equal(version_of(a->build), version_of(b->build)));
    add_header(result, "session", false, texts_are_equal(a->session, b->session));
    add_header(result, "uid", false, memcmp(a->uid, b->uid, sizeof a->uid) == 0);
    add_header(result, "epoch", false, a->epoch == b->epoch);
    add_header(result, "scene name", false, !scenes || texts_are_equal(a->scene_name, b->scene_name));
    add_header(result, "scene", false, !scenes || a->scene_hash == b->scene_hash);
    add_header(result, "core", true, iso_fingerprint_equal(&a->fingerprint, &b->fingerprint));
    add_header(result, "seed", true, x->seed == y->seed);
    add_header(result, "tick rate", true, x->tick_rate_hz == y->tick_rate_hz);
    add_header(result, "substeps", true, x->substep_count == y->substep_count);
    add_header(result, "game", true,
               memcmp(x->game, y->game, sizeof x->game) == 0 &&
                   memcmp(x->game_params, y->game_params, sizeof x->game_params) == 0);
    add_header(result, "capacities", true,
               x->body_capacity == y->body_capacity && x->shape_capacity == y->shape_capacity &&
                   x->joint_capacity == y->joint_capacity && x->contact_capacity == y->contact_capacity &&
                   x->slot_capacity == y->slot_capacity);
}

static compare_input *add_input(compare_result *result) {
    const uint32_t place = result->input_count < COMPARE_INPUTS_MAX ? result->input_count : COMPARE_INPUTS_MAX;
    compare_input *input = &result->inputs[place];
    ++result->input_count;
    memset(input, 0, sizeof *input);
    return input;
}

static bool change_is_equal(const iso_change *a, const iso_change *b) {
    return a->kind == b->kind && a->slot == b->slot && a->slot_generation == b->slot_generation;
}

/// Changes have an order of their own, so they are compared place by place.
static void compare_changes(const iso_tick_input *a, const iso_tick_input *b, compare_result *result) {
    const uint32_t count = a->change_count > b->change_count ? a->change_count : b->change_count;
    for (uint32_t i = 0; i < count; ++i) {
        const bool in_a = i < a->change_count, in_b = i < b->change_count;
        if (in_a && in_b && change_is_equal(&a->changes[i], &b->changes[i])) {
            continue;
        }
        compare_input *input = add_input(result);
        input->is_in_a = in_a;
        input->is_in_b = in_b;
        input->change_a = in_a ? a->changes[i] : input->change_a;
        input->change_b = in_b ? b->changes[i] : input->change_b;
    }
}

/// Canonical bytes are what equality means. By how much a command was moved is only informative.
static bool command_is_equal(const iso_command *a, const iso_command *b) {
    uint8_t bytes_a[ISO_COMMAND_SIZE_MAX], bytes_b[ISO_COMMAND_SIZE_MAX];
    const size_t size_a = iso_command_encode(a, bytes_a, sizeof bytes_a);
    const size_t size_b = iso_command_encode(b, bytes_b, sizeof bytes_b);
    return size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
}

/// Below 0, 0 or above 0, by (slot, sequence).
static int compare_place(const iso_sealed_command *a, const iso_sealed_command *b) {
    if (a->slot != b->slot) {
        return a->slot < b->slot ? -1 : 1;
    }
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void compare_commands(const iso_tick_input *a, const iso_tick_input *b, compare_result *result) {
    uint32_t i = 0, k = 0;
    while (i < a->command_count || k < b->command_count) {
        const iso_sealed_command *x = i < a->command_count ? &a->commands[i] : NULL;
        const iso_sealed_command *y = k < b->command_count ? &b->commands[k] : NULL;
        const int order = x == NULL ? 1 : y == NULL ? -1 : compare_place(x, y);
        if (order != 0 || !command_is_equal(&x->command, &y->command)) {
            compare_input *input = add_input(result);
            input->is_command = true;
            input->is_in_a = order <= 0;
            input->is_in_b = order >= 0;
            input->command_a = input->is_in_a ? *x : input->command_a;
            input->command_b = input->is_in_b ? *y : input->command_b;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

bool iso__replay_compare_inputs(const iso_tick_input *a, const iso_tick_input *b, compare_result *result) {
    result->input_count = 0;
    compare_changes(a, b, result);
    compare_commands(a, b, result);
    return result->input_count == 0;
}
