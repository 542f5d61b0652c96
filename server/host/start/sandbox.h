/// Confinement: what the process can still do while it serves, in case a peer makes it run foreign code.
///
/// Three steps, each further than the one before:
/// - iso__sandbox_begin, first of all: no core dump and no debugger of the same user sees keys.
/// - iso__sandbox_confine_files, on the main thread before the first other thread is made, since landlock holds for the
///   calling thread and those that it makes: only the files that the options name can be opened (sandbox_files.c has
///   the table of these).
/// - iso__sandbox_confine_calls, when everything is open and bound, for all threads: only the system calls that a
///   serving server makes (sandbox_calls.c has the table).
///
/// What the kernel does not know is left out and said; any other failure ends the start.
#ifndef ISO_HOST_SANDBOX_H
#define ISO_HOST_SANDBOX_H

#include <stdbool.h>

/// What the kernel lacks, for one line of the log.
typedef struct iso__sandbox {
    bool lacks_files; // no landlock, or an older one than is needed
    bool lacks_calls; // no seccomp filters
    int files_version;
} iso__sandbox;

void iso__sandbox_begin(void);

/// Logs what the kernel lacks, if anything.
void iso__sandbox_report(const iso__sandbox *sandbox);

#endif
