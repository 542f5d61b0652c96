/// What tests of isostep-replay share: a folder, the tool's output, and words to expect in it.
#ifndef ISO_TESTS_E2E_TOOL_H
#define ISO_TESTS_E2E_TOOL_H

#include <stdint.h>

extern char tool_folder[64];       // from tool_set_up to tool_tear_down
extern char tool_output[1u << 16]; // of the last run, standard output and error

/// Make and remove the folder, around all tests of a program; they have 110 s.
int tool_set_up(void **state);
int tool_tear_down(void **state);

/// The path of a file in the folder. Valid for the next fifteen calls.
const char *path_of(const char *name);

/// The number that stands behind the first `key` in the output. Fails the test when there is none.
uint64_t number_after(const char *key);
/// Fails the test when the output does not hold the text.
void assert_says(const char *text);

/// Runs isostep-replay with the given words. @return its exit code
#define replay(...) e2e_run(E2E_REPLAY, (const char *const[]){__VA_ARGS__, NULL}, tool_output, sizeof tool_output)

#endif
