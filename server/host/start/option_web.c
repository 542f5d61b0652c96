#include "host/start/option_web.h"

#ifdef ISO__HTTP
#include <string.h>
#include <sys/un.h>

#include "host/start/option_values.h"
#include "http/policy.h"
#include "isostep/assert.h"

_Static_assert(ISO__SOCKET_PATH_MAX <= sizeof((struct sockaddr_un *)0)->sun_path, "the size of a socket's path");

bool iso__option_set_http(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_http);
    options->has_http = true;
    return iso__option_parse_address(option, value, options->http_host, &options->http_port, report);
}

bool iso__option_set_admin(iso__options *options, const iso__option *option, const char *value,
                           const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_admin);
    options->has_admin = true;
    options->admin_path = strncmp(value, "unix:", 5) == 0 ? value + 5 : NULL;
    if (options->admin_path == NULL) {
        return iso__option_parse_address(option, value, options->admin_host, &options->admin_port, report);
    }
    const size_t size = strlen(options->admin_path);
    return (size > 0 && size < ISO__SOCKET_PATH_MAX) ||
           iso__option_fail(report, "%s: the path behind unix: has to have 1 to %u bytes", option->name,
                            ISO__SOCKET_PATH_MAX - 1);
}

bool iso__option_set_origin(iso__options *options, const iso__option *option, const char *value,
                            const iso__option_report *report) {
    ISO_ASSERT(options->http_origin_count <= ISO__ORIGINS_MAX);
    if (!iso__http_is_origin(value)) {
        return iso__option_fail(report, "%s: '%s' is not an origin, as https://example.com or http://localhost:8080",
                                option->name, value);
    }
    if (options->http_origin_count == ISO__ORIGINS_MAX) {
        return iso__option_fail(report, "%s: there are more than %u", option->name, ISO__ORIGINS_MAX);
    }
    options->http_origins[options->http_origin_count++] = value;
    return true;
}

bool iso__option_set_token(iso__options *options, const iso__option *option, const char *value,
                           const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_token);
    options->http_token = value;
    // Of argv, which may be written to.
    options->http_token_argument = value[0] != '@' ? (char *)(uintptr_t)value : NULL;
    return (value[0] == '@' && value[1] != '\0') || iso__http_is_token(value) ||
           iso__option_fail(report, "%s: a token has 16 to 128 letters, digits and - . _ ~ + / =; or @FILE",
                            option->name);
}

bool iso__option_set_tokens(iso__options *options, const iso__option *option, const char *value,
                            const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_tokens);
    options->http_tokens = value + 1;
    return (value[0] == '@' && value[1] != '\0') ||
           iso__option_fail(report, "%s: '%s' is not @FILE; a token itself is given with --http-token", option->name,
                            value);
}

bool iso__option_set_new_token(iso__options *options, const iso__option *option, const char *value,
                               const iso__option_report *report) {
    (void)report;
    ISO_ASSERT(option->set == iso__option_set_new_token);
    options->new_token = value;
    return true;
}

bool iso__option_set_prefix(iso__options *options, const iso__option *option, const char *value,
                            const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_prefix);
    const size_t size = strlen(value);
    options->http_prefix = value;
    return (size >= 2 && size < 256 && value[0] == '/' && value[size - 1] != '/' && strpbrk(value, "%?#\\") == NULL) ||
           iso__option_fail(report, "%s: '%s' is not a path: it begins with a slash and does not end with one",
                            option->name, value);
}
#endif
