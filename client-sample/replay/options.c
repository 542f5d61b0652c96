/// The options of the replay tool's subcommands, each of which has a table of its own.
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX   15u // of a table
#define OPTIONS_FIRST 256 // what getopt_long calls the first one, above all letters

/// A table in the form of getopt_long.
typedef struct option_lists {
    struct option longs[OPTIONS_MAX + 2]; // with --help and the end
    char shorts[2 * OPTIONS_MAX + 3];
} option_lists;

static void lists_make(option_lists *lists, const replay_option *table) {
    memset(lists, 0, sizeof *lists);
    char *letter = lists->shorts;
    *letter++ = ':'; // a missing value is reported separately
    *letter++ = 'h';
    size_t i = 0;
    for (; table[i].name != NULL && i < OPTIONS_MAX; ++i) {
        const int argument = table[i].flag != NULL ? no_argument : required_argument;
        lists->longs[i] = (struct option){table[i].name + strlen("--"), argument, NULL, OPTIONS_FIRST + (int)i};
        if (table[i].letter != 0) {
            *letter++ = table[i].letter;
            *letter++ = ':';
        }
    }
    lists->longs[i] = (struct option){"help", no_argument, NULL, 'h'};
}

/// Prints what is wrong with an option, without a terminal's control characters.
static void report_option(char **argv, int found) {
    const char *const text = argv[optind - 1];
    const char letter[] = {'-', (char)optopt, 0};
    const bool is_long = strncmp(text, "--", 2) == 0;
    const char *const why = found == ':'  ? "expected a value"
                            : !is_long    ? "there is no such option"
                            : optopt != 0 ? "it takes no value"
                                          : "there is no such option, or more than one that begins so";
    iso_print(stderr, "%s: %s: %s\n", argv[0], is_long ? text : letter, why);
}

/// Reads a whole number. @return false, with a line on standard error, when it is none or outside [min, max]
static bool parse_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || number < min || number > max) {
        iso_print(stderr, "isostep-replay: %s %s: expected a whole number from %llu to %llu\n", option, text,
                  (unsigned long long)min, (unsigned long long)max);
        return false;
    }
    *value = number;
    return true;
}

static bool option_take(const replay_option *option, const char *value) {
    if (option->given != NULL) {
        *option->given = true;
    }
    if (option->flag != NULL) {
        *option->flag = true;
    }
    if (option->text != NULL) {
        *option->text = value;
    }
    if (option->number != NULL) {
        return parse_number(option->name, value, option->min, option->max, option->number);
    }
    return option->parse == NULL || option->parse(value, option->into);
}

static const replay_option *option_find(const replay_option *table, int found) {
    if (found >= OPTIONS_FIRST) {
        return &table[found - OPTIONS_FIRST];
    }
    while (table->letter != found) {
        ++table;
    }
    return table;
}

int iso__replay_options(int argc, char **argv, const char *help, const replay_option *table, int *first) {
    option_lists lists;
    lists_make(&lists, table);
    opterr = 0; // getopt's own messages would hold the argument as it is
    int found;
    bool ok = true;
    *first = argc;
    while (ok && (found = getopt_long(argc, argv, lists.shorts, lists.longs, NULL)) != -1) {
        if (found == 'h') {
            fputs(help, stdout);
            return REPLAY_EXIT_OK;
        }
        if (found == '?' || found == ':') {
            report_option(argv, found);
            ok = false;
        } else {
            ok = option_take(option_find(table, found), optarg);
        }
    }
    *first = optind;
    if (!ok) {
        iso_print(stderr, "see '%s --help'\n", argv[0]);
    }
    return ok ? -1 : REPLAY_EXIT_USAGE;
}

int iso__replay_usage(char **argv, const char *fault) {
    iso_print(stderr, "%s: %s\nsee '%s --help'\n", argv[0], fault, argv[0]);
    return REPLAY_EXIT_USAGE;
}

int iso__replay_one(int argc, char **argv, int first, const char *name, const char *what) {
    char fault[128];
    if (first == argc) {
        snprintf(fault, sizeof fault, "%s is missing: expected %s", name, what);
    } else {
        snprintf(fault, sizeof fault, "expected one %s", name);
    }
    return first + 1 == argc ? -1 : iso__replay_usage(argv, fault);
}
