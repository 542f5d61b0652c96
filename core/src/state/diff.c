/// The differences of two worlds, down to the field.
#include "state/section.h"

typedef struct diff_list {
    iso_diff *diffs;
    uint32_t count;
    uint32_t capacity;
} diff_list;

static void diff_add(diff_list *list, iso_diff diff) {
    if (list->count < list->capacity) {
        list->diffs[list->count] = diff;
        list->count += 1;
    }
}

static void diff_record(diff_list *list, iso_section section, uint32_t index, const iso_field *fields,
                        uint32_t field_count, const void *a, const void *b) {
    for (uint32_t i = 0; i < field_count && list->count < list->capacity; ++i) {
        for (uint32_t element = 0; element < fields[i].count; ++element) {
            const int64_t value_a = iso_field_read(&fields[i], element, a);
            const int64_t value_b = iso_field_read(&fields[i], element, b);
            if (value_a != value_b) {
                diff_add(list, (iso_diff){section, index, &fields[i], element, value_a, value_b});
            }
        }
    }
}

/// Whether record i of both worlds is the same thing. Generations follow one another in three lists, so an
/// index means the same in both only when the lists are equally long.
static bool diff_is_aligned(const iso_world *a, const iso_world *b, iso_section section) {
    return section != ISO_SECTION_GENERATIONS ||
           (a->globals->body_count == b->globals->body_count && a->globals->shape_count == b->globals->shape_count);
}

static void diff_section(diff_list *list, iso_world *a, iso_world *b, iso_section section) {
    const uint32_t count_a = iso_section_record_count(a, section);
    const uint32_t count_b = iso_section_record_count(b, section);
    if (count_a != count_b) {
        diff_add(list, (iso_diff){section, count_a < count_b ? count_a : count_b, NULL, 0, count_a, count_b});
    }
    if (!diff_is_aligned(a, b, section)) {
        return;
    }
    uint32_t field_count;
    uint32_t field_count_b;
    const iso_field *fields = iso_section_fields(a, section, &field_count);
    if (section == ISO_SECTION_GAME && iso_section_fields(b, section, &field_count_b) != fields) {
        return; // another game: the definition's difference says so
    }
    const uint32_t count = count_a < count_b ? count_a : count_b;
    for (uint32_t i = 0; i < count && list->count < list->capacity; ++i) {
        diff_record(list, section, i, fields, field_count, iso_section_record(a, section, i),
                    iso_section_record(b, section, i));
    }
}

uint32_t iso_world_diff(iso_world *a, iso_world *b, iso_diff *diffs, uint32_t capacity) {
    diff_list list = {diffs, 0, capacity};
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        if (iso_world_section_hash(a, (iso_section)section) != iso_world_section_hash(b, (iso_section)section)) {
            diff_section(&list, a, b, (iso_section)section);
        }
    }
    return list.count;
}

iso_status iso_world_flip_bit(iso_world *world) {
    return world->kernel->flip_bit(world);
}
