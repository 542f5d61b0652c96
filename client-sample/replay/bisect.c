/// isostep-replay bisect: the first difference of two recordings of one session, in one line for scripts. It finds the
/// same as compare; compare prints more.
#include <inttypes.h>

#include "compare.h"
#include "isostep/proto/diff_text.h"
#include "options.h"

static const char help[] =
    "Usage: isostep-replay bisect A B [--json]\n"
    "\n"
    "Finds the first tick from which on two recordings of one session differ, by their roots, inputs and keyframes, "
    "and\n"
    "names in one line the tick, section, record and field, with both values; or only the command or change that\n"
    "differs. One of them may be a single state, as isostep-client --dump-state writes it. compare prints more.\n"
    "\n"
    "  --json   one object on standard output, the same as of compare\n"
    "Exit codes: 0 equal; 1 they differ; 2 usage; 3 a file is unreadable, corrupt or of another version.\n";

static void report(const compare_side *a, const compare_side *b, const compare_result *result) {
    char place[ISO_DIFF_TEXT_SIZE], values[2][ISO_DIFF_TEXT_SIZE];
    if (!result->is_common) {
        printf("they have no tick in common\n");
        return;
    }
    if (!result->is_different) {
        printf("equal from tick %" PRIu64 " to tick %" PRIu64 "\n", result->first_tick, result->last_tick);
        return;
    }
    printf("tick %" PRIu64, result->tick);
    if (result->diff_count > 0) {
        const iso_diff *diff = &result->diffs[0];
        iso_print(stdout, "%s %s: A %s, B %s\n", result->state_tick > result->tick ? ", in the next keyframe" : "",
                  iso_diff_place_text(diff, place), iso_diff_value_text(diff->field, diff->value_a, values[0]),
                  iso_diff_value_text(diff->field, diff->value_b, values[1]));
    } else if (result->roots_differ) {
        printf(" root: A %016" PRIx64 ", B %016" PRIx64 "\n", a->root, b->root);
    } else {
        printf(" inputs alone\n");
    }
}

int iso__replay_bisect(int argc, char **argv) {
    bool json = false;
    int first;
    const int code =
        iso__replay_options(argc, argv, help, (const replay_option[]){{"--json", .flag = &json}, {0}}, &first);
    if (code >= 0) {
        return code;
    }
    if (argc - first != 2) {
        return iso__replay_usage(argv, "expected two recordings, A and B");
    }
    return iso__replay_compare_files(argv[first], argv[first + 1], report, json);
}
