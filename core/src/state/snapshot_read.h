/// The parts of a snapshot, between the files that write, read and check it; and how its records are read.
#ifndef ISO_STATE_SNAPSHOT_READ_H
#define ISO_STATE_SNAPSHOT_READ_H

#include "base/bytes.h"
#include "state/section.h"

#define ISO__SNAPSHOT_VERSION   1u
#define ISO__SNAPSHOT_HEAD_SIZE 40u
#define ISO__SNAPSHOT_TAIL_SIZE 8u
#define ISO__DEF_ENCODED_MAX    sizeof(iso_world_def) // sections.c asserts that it has no padding

/// Where the sections of a snapshot begin. The bytes belong to the caller and may have any alignment.
struct iso__snapshot {
    const iso__kernel *kernel;
    iso__globals globals;
    const uint8_t *parts[ISO_SECTION_COUNT]; // of GENERATIONS: of bodies, shapes, joints, compounds
    size_t variable_size;                    // bytes of the section whose records use a part of their fields
};

/// Reads `count` records of a section whose records have a fixed size. @return the bytes they took
size_t iso__snapshot_read_records(const iso__kernel *kernel, iso_section section, const uint8_t *bytes, void *records,
                                  uint32_t count);

/// Reads record `index` of a section whose records have a fixed size.
static inline void iso__snapshot_read(const iso__snapshot *snapshot, iso_section section, uint32_t index,
                                      void *record) {
    const size_t size = snapshot->kernel->sections[section].record_size;
    iso__snapshot_read_records(snapshot->kernel, section, snapshot->parts[section] + index * size, record, 1);
}

static inline uint32_t iso__snapshot_body_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->parts[ISO_SECTION_GENERATIONS] + 4u * (size_t)index);
}

static inline uint32_t iso__snapshot_shape_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->parts[ISO_SECTION_GENERATIONS] +
                         4u * ((size_t)snapshot->globals.body_count + index));
}

static inline uint32_t iso__snapshot_joint_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->parts[ISO_SECTION_GENERATIONS] +
                         4u * ((size_t)snapshot->globals.body_count + snapshot->globals.shape_count + index));
}

static inline uint32_t iso__snapshot_compound_generation(const iso__snapshot *snapshot, uint32_t index) {
    return iso__read_u32(snapshot->parts[ISO_SECTION_GENERATIONS] +
                         4u * ((size_t)snapshot->globals.body_count + snapshot->globals.shape_count +
                               snapshot->globals.joint_count + index));
}

#endif
