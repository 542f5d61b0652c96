/// The output of compare.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "isostep/proto/diff_text.h"
#include "names.h"

static void print_change(const iso_change *change) {
    printf("slot %u generation %u %s", change->slot, change->slot_generation, iso__replay_change_name(change->kind));
}

static void print_command(const iso_sealed_command *command) {
    printf("slot %u sequence %" PRIu64 " ", command->slot, command->sequence);
    iso__replay_print_command(stdout, &command->command);
}

static void print_input(const compare_side *a, const compare_side *b, const compare_input *input) {
    const char *const labels[2] = {a->label, b->label};
    const bool present[2] = {input->is_in_a, input->is_in_b};
    for (int i = 0; i < 2; ++i) {
        printf("  %-9s %-9s  ", i == 0 ? "input" : "", labels[i]);
        if (!present[i]) {
            printf("%s", input->is_command ? "no such command" : "no such change");
        } else if (input->is_command) {
            print_command(i == 0 ? &input->command_a : &input->command_b);
        } else {
            print_change(i == 0 ? &input->change_a : &input->change_b);
        }
        printf("\n");
    }
}

static void print_root(const char *name, const compare_side *side) {
    if (side->has_root) {
        printf("  %-9s %-9s  %016" PRIx64 "\n", name, side->label, side->root);
    } else {
        printf("  %-9s %-9s  not recorded\n", name, side->label);
    }
}

/// "12 fields of bodies, 3 of contacts".
static void print_counts(const compare_result *result) {
    uint32_t counts[ISO_SECTION_COUNT] = {0};
    for (uint32_t i = 0; i < result->diff_count; ++i) {
        ++counts[result->diffs[i].section];
    }
    printf("  in all    %s%u field%s:", result->diff_count == COMPARE_DIFFS_MAX ? "at least " : "", result->diff_count,
           iso_text_plural(result->diff_count));
    const char *separator = " ";
    for (uint32_t i = 0; i < ISO_SECTION_COUNT; ++i) {
        if (counts[i] > 0) {
            printf("%s%u of %s", separator, counts[i], iso_section_name((iso_section)i));
            separator = ", ";
        }
    }
    printf("\n");
}

static void print_states(const compare_side *a, const compare_side *b, const compare_result *result) {
    if (result->diff_count == 0) {
        printf("  state     the inputs and keyframes of both give the same states, so %s\n",
               result->roots_differ ? "one of the roots is not of its recording" : "the difference has no effect");
        return;
    }
    if (result->state_tick > result->tick) {
        printf("  state     not recorded before tick %" PRIu64 "; there:\n", result->state_tick);
    }
    const uint32_t shown = result->diff_count < COMPARE_DIFFS_SHOWN ? result->diff_count : COMPARE_DIFFS_SHOWN;
    replay_names names;
    iso__replay_names_make(&names, a->recording);
    for (uint32_t i = 0; i < shown; ++i) {
        const iso_diff *diff = &result->diffs[i];
        char place[ISO_DIFF_TEXT_SIZE], values[2][ISO_DIFF_TEXT_SIZE];
        const char *name = iso__replay_names_of(&names, a->world, diff->section, diff->record);
        const bool has_name = name[0] != 0;
        iso_print(stdout, "  %-9s %s%s%s%s%s\n            %-9s  %s\n            %-9s  %s\n", i == 0 ? "field" : "",
                  iso_diff_place_text(diff, place), has_name ? ", the " : "",
                  has_name ? iso__replay_names_noun(diff->section) : "", has_name ? " " : "", name, a->label,
                  iso_diff_value_text(diff->field, diff->value_a, values[0]), b->label,
                  iso_diff_value_text(diff->field, diff->value_b, values[1]));
    }
    iso__replay_names_free(&names);
    print_counts(result);
}

static void print_side(const compare_side *side) {
    if (side->is_simulated) {
        printf("%s  what this build computes from its first keyframe and inputs\n", side->label);
        return;
    }
    const iso_recording *recording = side->recording;
    if (recording->tick_count == 0) {
        iso_print(stdout, "%s  %s: session %s, epoch %u, the state after tick %" PRIu64 "\n", side->label, side->path,
                  recording->header.session, recording->header.epoch, recording->header.first_tick);
        return;
    }
    iso_print(stdout, "%s  %s: session %s, epoch %u, ticks %" PRIu64 " to %" PRIu64 "%s\n", side->label, side->path,
              recording->header.session, recording->header.epoch, recording->header.first_tick, recording->last_tick,
              recording->size < recording->file_size ? ", a torn end" : "");
}

static void print_headers(const compare_result *result) {
    for (uint32_t i = 0; i < result->header_count; ++i) {
        printf("%s%s%s", i == 0 ? "headers differ in: " : ", ", result->headers[i].name,
               result->headers[i].matters ? " (matters)" : "");
    }
    printf("%s", result->header_count > 0 ? "\n" : "");
}

void iso__replay_compare_report_text(const compare_side *a, const compare_side *b, const compare_result *result) {
    print_side(a);
    print_side(b);
    print_headers(result);
    if (!result->is_common) {
        printf("they have no tick in common\n");
        return;
    }
    if (!result->is_different && result->is_one_state) {
        printf("equal: the state after tick %" PRIu64 "\n", result->first_tick);
        return;
    }
    if (!result->is_different) {
        printf("equal: %" PRIu64 " tick%s, from the state after tick %" PRIu64 " to that after tick %" PRIu64 "\n",
               result->equal_ticks, iso_text_plural(result->equal_ticks), result->first_tick, result->last_tick);
        return;
    }
    if (result->is_one_state) {
        printf("the states after that tick differ\n");
    } else {
        printf("different from tick %" PRIu64 " on; %" PRIu64 " tick%s before it %s equal\n", result->tick,
               result->equal_ticks, iso_text_plural(result->equal_ticks), result->equal_ticks == 1 ? "is" : "are");
    }
    const uint32_t inputs = result->input_count < COMPARE_INPUTS_MAX ? result->input_count : COMPARE_INPUTS_MAX;
    for (uint32_t i = 0; i < inputs; ++i) {
        print_input(a, b, &result->inputs[i]);
    }
    if (inputs < result->input_count) {
        printf("            and %u more inputs\n", result->input_count - inputs);
    }
    print_root("root", a);
    print_root("", b);
    print_states(a, b, result);
    for (int i = 0; i < 2; ++i) {
        const compare_side *side = i == 0 ? a : b;
        if (side->has_strayed) {
            iso_print(stdout, "  but this build does not compute the root that %s has for it: verify %s\n", side->label,
                      side->path);
        }
    }
}

// ---- JSON -----------------------------------------------------------------------------------------

static void json_diffs(const compare_result *result) {
    printf(",\"differences\":[");
    for (uint32_t i = 0; i < result->diff_count && i < COMPARE_DIFFS_SHOWN; ++i) {
        const iso_diff *diff = &result->diffs[i];
        char a[ISO_DIFF_TEXT_SIZE], b[ISO_DIFF_TEXT_SIZE];
        printf("%s{\"section\":\"%s\",\"record\":%u,\"field\":\"%s\",\"element\":%u,\"value_a\":\"%s\","
               "\"value_b\":\"%s\"}",
               i > 0 ? "," : "", iso_section_name(diff->section), diff->record,
               diff->field != NULL ? diff->field->name : "count", diff->element,
               iso_diff_stored_text(diff->field, diff->value_a, a),
               iso_diff_stored_text(diff->field, diff->value_b, b));
    }
    printf("],\"difference_count\":%u", result->diff_count);
}

static void json_input(const compare_input *input) {
    const bool first_is_a = input->is_in_a;
    if (input->is_command) {
        const iso_sealed_command *command = first_is_a ? &input->command_a : &input->command_b;
        printf("{\"kind\":\"%s\",\"slot\":%u,\"sequence\":%" PRIu64, iso_command_kind_name(command->command.kind),
               command->slot, command->sequence);
    } else {
        const iso_change *change = first_is_a ? &input->change_a : &input->change_b;
        printf("{\"kind\":\"%s\",\"slot\":%u", iso__replay_change_name(change->kind), change->slot);
    }
    printf(",\"in\":\"%s\"}", input->is_in_a && input->is_in_b ? "both" : input->is_in_a ? "a" : "b");
}

static void json_difference(const compare_side *a, const compare_side *b, const compare_result *result) {
    printf(",\"first_bad_tick\":%" PRIu64 ",\"offset\":%" PRIu64, result->tick, a->offset);
    if (!b->is_simulated) {
        printf(",\"offset_b\":%" PRIu64, b->offset);
    }
    if (a->has_root) {
        printf(",\"root_a\":\"%016" PRIx64 "\"", a->root);
    }
    if (b->has_root) {
        printf(",\"root_b\":\"%016" PRIx64 "\"", b->root);
    }
    printf(",\"inputs\":[");
    for (uint32_t i = 0; i < result->input_count && i < COMPARE_INPUTS_MAX; ++i) {
        printf("%s", i > 0 ? "," : "");
        json_input(&result->inputs[i]);
    }
    printf("]");
    if (result->diff_count > 0) {
        const iso_diff *diff = &result->diffs[0];
        printf(",\"state_tick\":%" PRIu64 ",\"section\":\"%s\",\"record\":%u,\"field\":\"%s\",\"element\":%u",
               result->state_tick, iso_section_name(diff->section), diff->record,
               diff->field != NULL ? diff->field->name : "count", diff->element);
    }
    json_diffs(result);
}

void iso__replay_compare_report_json(const compare_side *a, const compare_side *b, const compare_result *result) {
    const bool equal = result->is_common && !result->is_different;
    const uint64_t ticks = result->equal_ticks;
    const uint32_t rate = a->recording->header.def.tick_rate_hz;
    printf("{\"result\":\"%s\",\"ticks\":%" PRIu64 ",\"seconds\":%.6f,\"speed\":%.1f,\"first_tick\":%" PRIu64
           ",\"last_tick\":%" PRIu64,
           equal ? "equal" : "different", ticks, result->seconds, iso__replay_speed(ticks, rate, result->seconds),
           result->first_tick, result->last_tick);
    if (result->has_last_root) {
        printf(",\"last_hash\":\"%016" PRIx64 "\"", result->last_root);
    }
    printf(",\"headers\":[");
    for (uint32_t i = 0; i < result->header_count; ++i) {
        printf("%s\"%s\"", i > 0 ? "," : "", result->headers[i].name);
    }
    printf("]");
    if (result->is_different) {
        json_difference(a, b, result);
    }
    printf("}\n");
}
