/// isostep-replay: a subcommand's options as a table, and its arguments.
#ifndef ISO_REPLAY_OPTIONS_H
#define ISO_REPLAY_OPTIONS_H

#include "replay.h"

/// One option. With `flag` it takes no value, else one that goes to `text`, `number` or `parse`.
typedef struct replay_option {
    const char *name; // "--from"
    char letter;      // its short form, or 0
    bool *flag;
    const char **text;
    uint64_t *number;
    uint64_t min, max; // of the number
    bool (*parse)(const char *text,
                  void *into); // beside `text` or alone; false, after a line on standard error: it is wrong
    void *into;
    bool *given; // set when the option stands there, or NULL
} replay_option;

/// Reads the options, --help and -h among them. Errors are printed on standard error.
/// @param argv   argv[0] is "isostep-replay" with the subcommand
/// @param table  ends with an entry without a name
/// @param first  where the arguments that are no options begin, which getopt has put behind the others
/// @return -1: continue; otherwise the exit code
int iso__replay_options(int argc, char **argv, const char *help, const replay_option *table, int *first);

/// Prints what is wrong with the arguments of a subcommand as a whole. @return the exit code
int iso__replay_usage(char **argv, const char *fault);

/// Wants one argument beside the options. @param name  "FILE" @param what  "a recording" @return as iso__replay_options
int iso__replay_one(int argc, char **argv, int first, const char *name, const char *what);

#endif
