/// The command line: one table, so that the help, the parser and the messages cannot disagree.
#include "host/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TICK_RATE_MIN 10
#define TICK_RATE_MAX 128
#define FOR_SECONDS_MAX (366u * 24 * 3600)

typedef enum option_id {
    OPTION_SCENE,
    OPTION_TCP,
    OPTION_RECORD,
    OPTION_TICK_RATE,
    OPTION_SEED,
    OPTION_FOR,
    OPTION_ALLOW_PLAINTEXT,
    OPTION_HELP,
    OPTION_VERSION,
} option_id;

typedef struct option {
    const char *name;
    option_id id;
    const char *argument;  // NULL: the option takes none
} option;

static const option option_list[] = {
    {"--scene", OPTION_SCENE, "NAME|FILE"},
    {"--tcp", OPTION_TCP, "HOST:PORT"},
    {"--record", OPTION_RECORD, "DIR"},
    {"--tick-rate", OPTION_TICK_RATE, "HZ"},
    {"--seed", OPTION_SEED, "N"},
    {"--for", OPTION_FOR, "SECONDS"},
    {"--allow-plaintext", OPTION_ALLOW_PLAINTEXT, NULL},
    {"--help", OPTION_HELP, NULL},
    {"--version", OPTION_VERSION, NULL},
};

static const char help_text[] =
    "usage: isostep-server [options]\n"
    "\n"
    "Hosts one physics session, named main. When it serves it prints one line,\n"
    "`ready tcp=HOST:PORT session=main`, on standard output; all else goes to standard error.\n"
    "\n"
    "  --scene NAME|FILE   a built-in scene, or a scene file (default sandbox)\n"
    "  --tcp HOST:PORT     where to listen; port 0 takes a free one (default 127.0.0.1:7790)\n"
    "  --record DIR        record the session into this folder\n"
    "  --tick-rate HZ      ticks per second, 10 to 128 (default: the scene's)\n"
    "  --seed N            seed of the world's random numbers (default: the scene's)\n"
    "  --for SECONDS       end by itself after this time\n"
    "  --allow-plaintext   allow an address that other machines can reach; traffic is not encrypted\n"
    "  --help              print this text\n"
    "  --version           print the version\n"
    "\n"
    "SIGTERM or SIGINT ends the session, seals the recording and exits with 0; a second one forces.\n"
    "Exit codes: 0 done, 1 failure, 2 usage.\n";

const char *iso__options_help(void)
{
    return help_text;
}

typedef struct parse_report {
    char *text;
    size_t capacity;
} parse_report;

__attribute__((format(printf, 2, 3))) static bool fail(const parse_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, report->capacity, format, arguments);
    va_end(arguments);
    return false;
}

/// Decimal digits only: no sign, no space, no prefix, no overflow.
static bool parse_u64(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t result = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (result > (UINT64_MAX - digit) / 10)
            return false;
        result = result * 10 + digit;
    }
    *value = result;
    return result <= max;
}

/// HOST:PORT, where an IPv6 address stands in brackets.
static bool parse_address(iso__options *options, const char *text, const parse_report *report)
{
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    if (colon == NULL || !parse_u64(colon + 1, UINT16_MAX, &port))
        return fail(report, "--tcp: '%s' is not HOST:PORT with a port from 0 to 65535", text);

    const char *host = text;
    size_t size = (size_t)(colon - text);
    if (size >= 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    } else if (memchr(host, ':', size) != NULL) {
        return fail(report, "--tcp: '%s': write an IPv6 address in brackets, as in [::1]:7790", text);
    }
    if (size == 0 || size > ISO__HOST_NAME_MAX)
        return fail(report, "--tcp: '%s' has no host before the port", text);

    memcpy(options->tcp_host, host, size);
    options->tcp_host[size] = '\0';
    options->tcp_port = (uint16_t)port;
    return true;
}

static bool apply(iso__options *options, const option *found, const char *value, const parse_report *report)
{
    uint64_t number = 0;
    switch (found->id) {
    case OPTION_SCENE:
        options->scene = value;
        return *value != '\0' || fail(report, "--scene: a scene's name or a file is missing");
    case OPTION_TCP:
        return parse_address(options, value, report);
    case OPTION_RECORD:
        options->record_dir = value;
        return *value != '\0' || fail(report, "--record: a folder is missing");
    case OPTION_TICK_RATE:
        if (!parse_u64(value, TICK_RATE_MAX, &number) || number < TICK_RATE_MIN)
            return fail(report, "--tick-rate: '%s' is not a whole number from %d to %d", value, TICK_RATE_MIN, TICK_RATE_MAX);
        options->tick_rate_hz = (uint16_t)number;
        return true;
    case OPTION_SEED:
        if (!parse_u64(value, UINT64_MAX, &options->seed))
            return fail(report, "--seed: '%s' is not a whole number from 0 to 2^64 - 1", value);
        options->has_seed = true;
        return true;
    case OPTION_FOR:
        if (!parse_u64(value, FOR_SECONDS_MAX, &number) || number == 0)
            return fail(report, "--for: '%s' is not a whole number of seconds from 1 to %u", value, FOR_SECONDS_MAX);
        options->for_seconds = (uint32_t)number;
        return true;
    case OPTION_ALLOW_PLAINTEXT:
        options->allow_plaintext = true;
        return true;
    case OPTION_HELP:
        options->help = true;
        return true;
    case OPTION_VERSION:
        options->version = true;
        return true;
    }
    return false;
}

/// Finds `--name` or `--name=value`. *value is what follows the equals sign, or NULL.
static const option *find(const char *word, const char **value)
{
    size_t size = strcspn(word, "=");
    *value = word[size] == '=' ? word + size + 1 : NULL;
    for (size_t i = 0; i < sizeof option_list / sizeof option_list[0]; i++) {
        if (strlen(option_list[i].name) == size && memcmp(option_list[i].name, word, size) == 0)
            return &option_list[i];
    }
    return NULL;
}

bool iso__options_parse(iso__options *options, int argc, char **argv, char *message, size_t message_capacity)
{
    parse_report report = {message, message_capacity};
    *options = (iso__options){.scene = "sandbox", .tcp_host = "127.0.0.1", .tcp_port = 7790};

    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        const option *found = find(argv[i], &value);
        if (found == NULL)
            return fail(&report, "%s: there is no such option; see --help", argv[i]);
        if (found->argument == NULL && value != NULL)
            return fail(&report, "%s: takes no value", found->name);
        if (found->argument != NULL && value == NULL) {
            if (i + 1 == argc)
                return fail(&report, "%s: %s is missing", found->name, found->argument);
            value = argv[++i];
        }
        if (!apply(options, found, value, &report))
            return false;
    }
    return true;
}
