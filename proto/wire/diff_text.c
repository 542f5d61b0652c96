/// Differences of two worlds for people. See isostep/proto/diff_text.h.
#include "isostep/proto/diff_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"

const char *iso_diff_place_text(const iso_diff *diff, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(diff->field == NULL || diff->element < diff->field->count);
    const char *const section = iso_section_name(diff->section);
    if (diff->field == NULL) {
        snprintf(text, ISO_DIFF_TEXT_SIZE, "number of %s", section);
    } else if (diff->field->count > 1) {
        snprintf(text, ISO_DIFF_TEXT_SIZE, "%s[%" PRIu32 "].%s[%" PRIu32 "]", section, diff->record, diff->field->name,
                 diff->element);
    } else {
        snprintf(text, ISO_DIFF_TEXT_SIZE, "%s[%" PRIu32 "].%s", section, diff->record, diff->field->name);
    }
    return text;
}

const char *iso_diff_stored_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(text != NULL);
    if (field != NULL && field->type == ISO_FIELD_U64) {
        snprintf(text, ISO_DIFF_TEXT_SIZE, "%" PRIu64, (uint64_t)value);
    } else {
        snprintf(text, ISO_DIFF_TEXT_SIZE, "%" PRId64, value);
    }
    return text;
}

const char *iso_diff_value_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(text != NULL && (field == NULL || field->unit != NULL));
    const char *format = field != NULL ? strchr(field->unit, 'Q') : NULL;
    unsigned whole, fraction;
    if (format == NULL || sscanf(format, "Q%u.%u", &whole, &fraction) != 2 || fraction > 62) {
        return iso_diff_stored_text(field, value, text);
    }
    int unit_size = (int)(format - field->unit);
    while (unit_size > 0 && field->unit[unit_size - 1] == ' ') {
        --unit_size;
    }
    const int digits = (int)(fraction * 3 / 10) + 1;
    snprintf(text, ISO_DIFF_TEXT_SIZE, "%.*f%s%.*s (%" PRId64 ")", digits,
             (double)value / (double)(UINT64_C(1) << fraction), unit_size > 0 ? " " : "", unit_size, field->unit,
             value);
    return text;
}
