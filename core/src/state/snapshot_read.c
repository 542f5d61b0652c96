/// See snapshot_read.h.
#include "state/snapshot_read.h"

#include <string.h>

#include "base/bytes.h"
#include "state/section.h"

size_t iso__snapshot_read_records(const iso__kernel *kernel, iso_section section, const uint8_t *bytes, void *records,
                                  uint32_t count) {
    const iso__section_table *table = &kernel->sections[section];
    const size_t size = table->record_size;
#if ISO__LITTLE_ENDIAN
    if (count > 0) {
        memcpy(records, bytes, count * size);
    }
#else
    for (uint32_t i = 0; i < count; ++i) {
        iso__record_decode(table->fields, table->field_count, bytes + i * size, (uint8_t *)records + i * size);
    }
#endif
    return count * size;
}
