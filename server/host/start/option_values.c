#include "host/start/option_values.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"

bool iso__option_fail(const iso__option_report *report, const char *format, ...) {
    ISO_ASSERT(report->capacity > 0);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, report->capacity, format, arguments);
    va_end(arguments);
    return false;
}

/// Decimal digits only: no sign, no space, no prefix, no overflow.
static bool parse_u64(const char *text, uint64_t max, uint64_t *value) {
    uint64_t result = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(*text - '0');
        if (result > (UINT64_MAX - digit) / 10) {
            return false;
        }
        result = result * 10 + digit;
    }
    *value = result;
    return result <= max;
}

bool iso__option_parse_number(const iso__option *option, const char *value, uint64_t *number,
                              const iso__option_report *report) {
    ISO_ASSERT(option->min <= option->max);
    if (parse_u64(value, option->max, number) && *number >= option->min) {
        return true;
    }
    return iso__option_fail(report, "%s: '%s' is not a whole number from %llu to %llu", option->name, value,
                            (unsigned long long)option->min, (unsigned long long)option->max);
}

bool iso__option_parse_address(const iso__option *option, const char *value, char *host, uint16_t *port,
                               const iso__option_report *report) {
    const char *colon = strrchr(value, ':');
    uint64_t number = 0;
    if (colon == NULL || !parse_u64(colon + 1, UINT16_MAX, &number)) {
        return iso__option_fail(report, "%s: '%s' is not HOST:PORT with a port from 0 to 65535", option->name, value);
    }

    const char *from = value;
    size_t size = (size_t)(colon - value);
    if (size >= 2 && from[0] == '[' && from[size - 1] == ']') {
        ++from;
        size -= 2;
    } else if (memchr(from, ':', size) != NULL) {
        return iso__option_fail(report, "%s: '%s': write an IPv6 address in brackets, as in [::1]:7790", option->name,
                                value);
    }
    if (size == 0 || size > ISO__HOST_NAME_MAX) {
        return iso__option_fail(report, "%s: '%s' has no host before the port", option->name, value);
    }

    memcpy(host, from, size);
    host[size] = '\0';
    *port = (uint16_t)number;
    return true;
}

bool iso__option_set_flag(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    (void)report;
    ISO_ASSERT(option->argument == NULL && value == NULL);
    *(bool *)iso__option_field(options, option) = true;
    return true;
}

bool iso__option_set_number(iso__options *options, const iso__option *option, const char *value,
                            const iso__option_report *report) {
    ISO_ASSERT(option->max <= UINT32_MAX);
    uint64_t number = 0;
    if (!iso__option_parse_number(option, value, &number, report)) {
        return false;
    }
    *(uint32_t *)iso__option_field(options, option) = (uint32_t)number;
    return true;
}

bool iso__option_set_word(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    const char *word = option->argument;
    for (size_t i = 0;; ++i) {
        ISO_ASSERT(i < ISO__OPTION_WORDS_MAX);
        size_t size = strcspn(word, "|");
        if (strlen(value) == size && memcmp(word, value, size) == 0) {
            *(uint32_t *)iso__option_field(options, option) = option->words[i];
            return true;
        }
        if (word[size] == '\0') {
            return iso__option_fail(report, "%s: '%s' is not one of %s", option->name, value, option->argument);
        }
        word += size + 1;
    }
}

bool iso__option_set_text(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_text);
    *(const char **)iso__option_field(options, option) = value;
    return *value != '\0' || iso__option_fail(report, "%s: %s is missing", option->name, option->what);
}

bool iso__option_set_keep(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    ISO_ASSERT(option->field + sizeof(iso__keep_limits) <= sizeof *options);
    return iso__keep_parse(iso__option_field(options, option), value) ||
           iso__option_fail(report, "%s: '%s' is not a number with a unit: 30d, 1000n or 20GiB", option->name, value);
}

bool iso__option_set_tcp(iso__options *options, const iso__option *option, const char *value,
                         const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_tcp);
    return iso__option_parse_address(option, value, options->tcp_host, &options->tcp_port, report);
}

bool iso__option_set_proxy(iso__options *options, const iso__option *option, const char *value,
                           const iso__option_report *report) {
    ISO_ASSERT(options->trusted_proxy_count <= ISO__PROXIES_MAX);
    if (options->trusted_proxy_count == ISO__PROXIES_MAX) {
        return iso__option_fail(report, "%s: there are more than %u", option->name, ISO__PROXIES_MAX);
    }
    return iso__address_range_parse(value, &options->trusted_proxies[options->trusted_proxy_count++]) ||
           iso__option_fail(report, "%s: '%s' is not an address or CIDR, as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32",
                            option->name, value);
}

bool iso__option_set_min_free(iso__options *options, const iso__option *option, const char *value,
                              const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_min_free);
    iso__keep_limits size = {0};
    if (!iso__keep_parse(&size, value) || size.bytes == 0) {
        return iso__option_fail(report, "%s: '%s' is not a size, as 500MiB or 2GiB", option->name, value);
    }
    options->free_min = size.bytes;
    return true;
}

bool iso__option_set_seed(iso__options *options, const iso__option *option, const char *value,
                          const iso__option_report *report) {
    ISO_ASSERT(option->set == iso__option_set_seed);
    options->has_seed = true;
    return parse_u64(value, UINT64_MAX, &options->seed) ||
           iso__option_fail(report, "%s: '%s' is not a whole number from 0 to 2^64 - 1", option->name, value);
}
