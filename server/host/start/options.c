/// The command line: its parser and --help follow the list of options, so that they and the messages cannot disagree.
#include "host/start/options.h"

#include <stdio.h>
#include <string.h>

#include "host/start/option_list.h"
#include "host/start/option_sessions.h"
#include "host/start/option_values.h"
#include "host/start/scenes.h"
#include "isostep/assert.h"
#include "session/session.h"

static const char help_head[] =
    "usage: isostep-server [options]\n"
    "\n"
    "Hosts physics sessions. When it serves it prints one line, `ready tcp=HOST:PORT session=NAME,NAME`\n"
    "(with http=HOST:PORT if it has one) with the names of all sessions, on standard output; everything else goes to "
    "standard error.\n"
    "\n";

static const char help_tail[] =
    "\n"
    "SIGTERM or SIGINT ends the sessions, seals the recordings and exits with 0, after --grace; a second one\n"
    "ends at once (not the same one within 100 ms). With --record the sessions continue at the next start, unless\n"
    "--on-restart new was given or --for has ended them.\n"
    "SIGHUP reads files again and opens --log-file, --audit and --events anew, or, with a terminal, ends as SIGTERM "
    "does.\n"
    "SIGUSR2 lets nobody new in, tells who is there, and ends after --drain.\n"
    "SIGUSR1 prints how often each limit was reached, as the end does.\n"
    "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the fastest.\n"
    "Exit codes: 0 done; 1 something failed, or a recording is incomplete; 2 usage; 3 a scene is unreadable or\n"
    "invalid, or a recording cannot be continued and is unchanged.\n";

const char *iso__options_help(void) {
    static char text[16384];
    int fill = snprintf(text, sizeof text, "%s", help_head);
    for (size_t i = 0; i < iso__option_count; ++i) {
        const iso__option *option = &iso__option_list[i];
        const bool has_default = option->by_default != NULL;
        char words[64];
        snprintf(words, sizeof words, "%s %s", option->name, option->argument != NULL ? option->argument : "");
        ISO_ASSERT((size_t)fill < sizeof text);
        fill +=
            snprintf(text + fill, sizeof text - (size_t)fill, "  %-31s %s%s%s%s\n", words, option->help,
                     has_default ? " (default " : "", has_default ? option->by_default : "", has_default ? ")" : "");
    }
    ISO_ASSERT((size_t)fill + sizeof help_tail <= sizeof text);
    snprintf(text + fill, sizeof text - (size_t)fill, "%s", help_tail);
    return text;
}

/// Finds `--name` or `--name=value`. *value is what follows the equals sign, or NULL.
static const iso__option *find(const char *word, const char **value) {
    size_t size = strcspn(word, "=");
    *value = word[size] == '=' ? word + size + 1 : NULL;
    for (size_t i = 0; i < iso__option_count; ++i) {
        if (strlen(iso__option_list[i].name) == size && memcmp(iso__option_list[i].name, word, size) == 0) {
            return &iso__option_list[i];
        }
    }
    return NULL;
}

/// An option without which another one would do nothing: who gives that one expects something.
static bool check_needs(const iso__options *options, const iso__option_report *report) {
    const bool is_recorded = options->record_dir != NULL;
    const struct {
        const char *name;
        bool is_given;
        const char *needs;
        bool is_there;
    } rows[] = {
        {"--admin", options->has_admin, "--http", options->has_http},
        {"--audit", options->audit_path != NULL, "--http", options->has_http},
        {"--min-free", options->free_min > 0, "--http", options->has_http},
        {"--min-free", options->free_min > 0, "--record", is_recorded},
        {"--keep", iso__keep_has_limits(&options->keep), "--record", is_recorded},
        {"--keep-all", iso__keep_has_limits(&options->keep_all), "--record", is_recorded},
        {"--contacts", options->tells_contacts, "--events", options->events_path != NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].is_given && !rows[i].is_there) {
            return iso__option_fail(report, "%s: needs %s as well", rows[i].name, rows[i].needs);
        }
    }
    return true;
}

/// The values that options have which are not given.
static void set_defaults(iso__options *options, const iso__option_report *report) {
    memset(options, 0, sizeof *options);
    options->scene = iso__scenes_default();
    options->http_prefix = "";
#ifdef ISO__INSTRUMENTED
    options->is_unconfined = true; // sanitizers and coverage read and write files of their own
#endif
    for (size_t i = 0; i < iso__option_count; ++i) {
        const iso__option *option = &iso__option_list[i];
        if (option->by_default != NULL && option->set != NULL) {
            const bool is_set = option->set(options, option, option->by_default, report);
            ISO_ASSERT(is_set);
        }
    }
}

/// Reads argv[*at], with the word behind it if that is its value.
static bool parse_one(iso__options *options, int argc, char **argv, int *at, const iso__option_report *report) {
    const char *value = NULL;
    const iso__option *option = find(argv[*at], &value);
    if (option == NULL) {
        return iso__option_fail(report, "%s: there is no such option; see --help", argv[*at]);
    }
    if (option->set == NULL) {
        return iso__option_fail(report, "%s: this program was built without HTTP", option->name);
    }
    if (option->argument == NULL && value != NULL) {
        return iso__option_fail(report, "%s: takes no value", option->name);
    }
    if (option->argument != NULL && value == NULL) {
        if (*at + 1 == argc) {
            return iso__option_fail(report, "%s: %s is missing", option->name, option->argument);
        }
        value = argv[++*at];
    }
    return option->set(options, option, value, report);
}

bool iso__options_parse(iso__options *options, int argc, char **argv, char *message, size_t message_capacity) {
    ISO_ASSERT(argc >= 0 && message_capacity > 0);
    const iso__option_report report = {message, message_capacity};
    set_defaults(options, &report);
    for (int i = 1; i < argc; ++i) {
        if (!parse_one(options, argc, argv, &i, &report)) {
            return false;
        }
    }
    if (!check_needs(options, &report)) {
        return false;
    }
    options->ends_when_empty = options->ends_when_empty || options->empty_policy == ISO_EMPTY_CLOSE;
    iso__option_complete_sessions(options);
    return true;
}
