/// What the replay tool reads and writes as text: numbers, JSON, help.
#include <errno.h>
#include <stdlib.h>

#include "replay.h"

void iso__replay_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7F) {
            fprintf(out, "\\u%04x", *at);
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

int iso__replay_help(const char *help, bool asked) {
    fputs(help, asked ? stdout : stderr);
    return asked ? REPLAY_EXIT_OK : REPLAY_EXIT_USAGE;
}

int iso__replay_usage(const char *subcommand, const char *fault) {
    fprintf(stderr, "isostep-replay %s: %s\n'isostep-replay %s --help' tells more.\n", subcommand, fault, subcommand);
    return REPLAY_EXIT_USAGE;
}

bool iso__replay_parse_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || number < min || number > max) {
        fprintf(stderr, "isostep-replay: %s %s: expected a whole number from %llu to %llu\n", option, text,
                (unsigned long long)min, (unsigned long long)max);
        return false;
    }
    *value = number;
    return true;
}
