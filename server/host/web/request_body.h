/// The bodies of requests that change something: JSON objects of a few members. What is wrong with one is answered, and
/// written down, here.
#ifndef ISO_HOST_WEB_REQUEST_BODY_H
#define ISO_HOST_WEB_REQUEST_BODY_H

#include <json-c/json.h>

#include "host/web/web.h"

/// Reads the body, an object of members that the route knows.
/// @param names  of these members; NULL ends them
/// @return to be put; NULL: the request is answered
json_object *iso__web_read_body(const iso__web_call *call, const char *const *names);

/// Reads a whole number.
/// @param number  unchanged when it is not there
/// @return false: it is there and wrong, and the request is answered
bool iso__web_read_number(const iso__web_call *call, json_object *object, const char *name, int64_t min, int64_t max,
                          int64_t *number, bool *is_there);

/// Reads a text without control characters.
/// @param text  "" when it is not there
/// @param size  [bytes] of `text`, with the zero at its end
/// @return as above
bool iso__web_read_text(const iso__web_call *call, json_object *object, const char *name, char *text, size_t size);

#endif
