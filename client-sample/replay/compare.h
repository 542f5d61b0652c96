/// isostep-replay compare: what is found and how it is reported.
#ifndef ISO_REPLAY_COMPARE_H
#define ISO_REPLAY_COMPARE_H

#include "compare/search.h"
#include "walk.h"

/// Prints what was found on standard output.
typedef void compare_report(const compare_side *a, const compare_side *b, const compare_result *result);

/// Compares two recordings, or one with its simulation. compare.c
/// @param path_b  NULL: its simulation
/// @param report  unless `json`, which has one form
/// @return the exit code
int iso__replay_compare_files(const char *path_a, const char *path_b, compare_report *report, bool json);

/// compare_report.c
void iso__replay_compare_report_text(const compare_side *a, const compare_side *b, const compare_result *result);
void iso__replay_compare_report_json(const compare_side *a, const compare_side *b, const compare_result *result);

#endif
