/// What an option of the command line is: a row of the one list that parsing, --help and the defaults follow.
#ifndef ISO_HOST_OPTION_LIST_H
#define ISO_HOST_OPTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/start/options.h"

#define ISO__OPTION_WORDS_MAX 4

/// Where the sentence goes that says what is wrong.
typedef struct iso__option_report {
    char *text;
    size_t capacity;
} iso__option_report;

typedef struct iso__option iso__option;

/// Checks a value and keeps it.
/// @param value  NULL for an option that takes none
/// @return false after a message in the report
typedef bool iso__option_set(iso__options *options, const iso__option *option, const char *value,
                             const iso__option_report *report);

struct iso__option {
    const char *name;
    const char *argument;                 // NULL: the option takes none
    const char *help;                     // without the default, which --help adds
    iso__option_set *set;                 // NULL: the option is of HTTP, which this program was built without
    size_t field;                         // offset in iso__options, for setters of several options
    uint64_t min, max;                    // of a number
    uint8_t words[ISO__OPTION_WORDS_MAX]; // what the words of `argument`, "one|two|three", stand for
    const char *what;                     // of a text that must not be empty: what is missing then
    const char *by_default;               // the value as one would write it; NULL: none, or `help` says it
};

/// In the order of --help.
extern const iso__option iso__option_list[];
extern const size_t iso__option_count;

/// The field of a row.
static inline void *iso__option_field(iso__options *options, const iso__option *option) {
    return (char *)options + option->field;
}

#endif
