/// The values that several options have alike, and those of single ones that need more than a check of their range.
#ifndef ISO_HOST_OPTION_VALUES_H
#define ISO_HOST_OPTION_VALUES_H

#include "host/start/option_list.h"

/// Writes the message of a wrong option. @return false
__attribute__((format(printf, 2, 3))) bool iso__option_fail(const iso__option_report *report, const char *format, ...);

/// A whole number within the row's range. @return false after a message
bool iso__option_parse_number(const iso__option *option, const char *value, uint64_t *number,
                              const iso__option_report *report);

/// HOST:PORT, with an IPv6 address in brackets.
/// @param host  of ISO__HOST_NAME_MAX + 1 bytes
/// @return false after a message
bool iso__option_parse_address(const iso__option *option, const char *value, char *host, uint16_t *port,
                               const iso__option_report *report);

iso__option_set iso__option_set_flag;   // a bool becomes true
iso__option_set iso__option_set_number; // a uint32_t
iso__option_set iso__option_set_word;   // one of the row's words, a uint32_t
iso__option_set iso__option_set_text;   // a path that is not empty
iso__option_set iso__option_set_keep;   // what is kept of recordings
iso__option_set iso__option_set_tcp;
iso__option_set iso__option_set_proxy;
iso__option_set iso__option_set_min_free;
iso__option_set iso__option_set_seed;

#endif
