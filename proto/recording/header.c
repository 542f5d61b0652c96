/// The HEADER frame: what is recorded, in canonical bytes. RECORDING.md lists the fields in this order.
///
/// The size of the world definition and the run stands before them, so that a header can be read whatever build wrote
/// it: what an older build did not know is zero, what a newer one adds behind is left out. So a new member of the
/// definition goes behind all others and the run here, wherever it stands in the struct.
#include "recording/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "isostep/fixed.h"

uint64_t iso_recording_scene_hash(const char *text, size_t size) {
    ISO_ASSERT(text != NULL || size == 0);
    return XXH3_64bits(text, size);
}

static void write_fingerprint(iso__recording_writer *writer, const iso_fingerprint *fingerprint) {
    iso__write_uint(writer, fingerprint->simulation_version, 4);
    iso__write_uint(writer, fingerprint->schema, 8);
    iso__write_uint(writer, fingerprint->arithmetic, 8);
    iso__write_text(writer, fingerprint->game, ISO_GAME_NAME_MAX);
    iso__write_uint(writer, fingerprint->game_version, 4);
    iso__write_uint(writer, fingerprint->game_params, 8);
}

static void read_fingerprint(iso__recording_reader *reader, iso_fingerprint *fingerprint) {
    fingerprint->simulation_version = (uint32_t)iso__read_uint(reader, 4);
    fingerprint->schema = iso__read_uint(reader, 8);
    fingerprint->arithmetic = iso__read_uint(reader, 8);
    iso__read_text(reader, fingerprint->game, ISO_GAME_NAME_MAX);
    fingerprint->game_version = (uint32_t)iso__read_uint(reader, 4);
    fingerprint->game_params = iso__read_uint(reader, 8);
}

// In format 1 the definition had at least this size, which was not in the file.
#define DEF_SIZE_FORMAT_1 184u
// [bytes] of a definition, with the run, that is read; what is beyond is of no build that we know.
#define DEF_SIZE_MAX 1024u
// [bytes] of the definition that stand before the run, which the first builds of format 2 did not write. Members that
// came later stand behind the run.
#define RUN_OFFSET 192u
#define RUN_SIZE   4u

#define BYTES_U8  1
#define BYTES_U16 2
#define BYTES_U32 4
#define BYTES_U64 8
#define TYPE_U8   uint8_t
#define TYPE_U16  uint16_t
#define TYPE_U32  uint32_t
#define TYPE_U64  uint64_t

#define SIZE_COUNT(type, name, low, high, otherwise, object, key, unit) +BYTES_##type
#define SIZE_NUMBER(name, low, high, otherwise, unit)                   +4
#define SIZE_OTHER(name)                                                +sizeof((iso_world_def *)0)->name
/// Bytes of all members; a definition of the plane has those at the end not.
enum { DEF_SIZE = 0 ISO_WORLD_DEF_LIST(SIZE_COUNT, SIZE_NUMBER, SIZE_OTHER) };
_Static_assert(DEF_SIZE >= RUN_OFFSET && DEF_SIZE + RUN_SIZE <= DEF_SIZE_MAX, "a definition has its place in a header");
#undef SIZE_COUNT
#undef SIZE_NUMBER
#undef SIZE_OTHER

static void write_gravity(iso__recording_writer *writer, const iso_world_def *def) {
    iso__write_uint(writer, (uint32_t)def->gravity.x, 4);
    iso__write_uint(writer, (uint32_t)def->gravity.y, 4);
}

static void write_integrator(iso__recording_writer *writer, const iso_world_def *def) {
    iso__write_uint(writer, def->integrator, 2);
}

static void write_gravity_z(iso__recording_writer *writer, const iso_world_def *def) {
    iso__write_uint(writer, (uint32_t)def->gravity_z, 4);
}

static void write_game(iso__recording_writer *writer, const iso_world_def *def) {
    iso__write_bytes(writer, def->game, sizeof def->game);
}

static void write_game_params(iso__recording_writer *writer, const iso_world_def *def) {
    for (uint32_t i = 0; i < ISO_GAME_PARAMS_MAX; ++i) {
        iso__write_uint(writer, (uint64_t)def->game_params[i], 8);
    }
}

/// Those of a snapshot's section DEF.
static void write_def(iso__recording_writer *writer, const iso_world_def *def) {
#define WRITE_COUNT(type, name, low, high, otherwise, object, key, unit) \
    iso__write_uint(writer, def->name, BYTES_##type);
#define WRITE_NUMBER(name, low, high, otherwise, unit) iso__write_uint(writer, (uint32_t)def->name, 4);
#define WRITE_OTHER(name)                              write_##name(writer, def);
    ISO_WORLD_DEF_PLANE_LIST(WRITE_COUNT, WRITE_NUMBER, WRITE_OTHER)
    if (def->dimensions == 3) {
        ISO_WORLD_DEF_SPACE_LIST(WRITE_COUNT, WRITE_NUMBER, WRITE_OTHER)
    }
#undef WRITE_COUNT
#undef WRITE_NUMBER
#undef WRITE_OTHER
}

static fix16_t read_fix16(iso__recording_reader *reader) {
    return (fix16_t)(uint32_t)iso__read_uint(reader, 4);
}

/// A name in a fixed number of bytes: padded with zeros, at least one.
static void read_padded(iso__recording_reader *reader, char *text, size_t size) {
    const uint8_t *bytes = iso__read_bytes(reader, size);
    bool ended = false;
    for (size_t i = 0; bytes != NULL && i < size; ++i) {
        const bool wrong = ended ? bytes[i] != 0 : bytes[i] != 0 && (bytes[i] < 0x20 || bytes[i] == 0x7F);
        reader->has_failed = reader->has_failed || wrong;
        ended = ended || bytes[i] == 0;
        text[i] = (char)bytes[i];
    }
    reader->has_failed = reader->has_failed || !ended;
    text[size - 1] = 0;
}

static void read_gravity(iso__recording_reader *reader, iso_world_def *def) {
    def->gravity.x = read_fix16(reader);
    def->gravity.y = read_fix16(reader);
}

static void read_integrator(iso__recording_reader *reader, iso_world_def *def) {
    def->integrator = (uint16_t)iso__read_uint(reader, 2);
}

static void read_gravity_z(iso__recording_reader *reader, iso_world_def *def) {
    def->gravity_z = read_fix16(reader);
}

static void read_game(iso__recording_reader *reader, iso_world_def *def) {
    read_padded(reader, def->game, sizeof def->game);
}

static void read_game_params(iso__recording_reader *reader, iso_world_def *def) {
    for (uint32_t i = 0; i < ISO_GAME_PARAMS_MAX; ++i) {
        def->game_params[i] = (iso_wide)iso__read_uint(reader, 8);
    }
}

static void read_def_members(iso__recording_reader *reader, bool is_space, iso_world_def *def) {
#define READ_COUNT(type, name, low, high, otherwise, object, key, unit) \
    def->name = (TYPE_##type)iso__read_uint(reader, BYTES_##type);
#define READ_NUMBER(name, low, high, otherwise, unit) def->name = read_fix16(reader);
#define READ_OTHER(name)                              read_##name(reader, def);
    ISO_WORLD_DEF_PLANE_LIST(READ_COUNT, READ_NUMBER, READ_OTHER)
    def->dimensions = 2;
    if (is_space) {
        ISO_WORLD_DEF_SPACE_LIST(READ_COUNT, READ_NUMBER, READ_OTHER)
    }
#undef READ_COUNT
#undef READ_NUMBER
#undef READ_OTHER
}

/// Builds without a run numbered their secrets by the epoch.
static uint32_t run_of_epoch(uint32_t epoch) {
    return (epoch & 0x7FFFu) << 16;
}

/// @param size      of definition and run in the file
/// @param is_space  it is a definition of a world in space
static void read_def(iso__recording_reader *reader, size_t size, bool is_space, iso_recording_header *header) {
    const uint8_t *bytes = size <= DEF_SIZE_MAX ? iso__read_bytes(reader, size) : NULL;
    if (bytes == NULL) {
        reader->has_failed = true;
        return;
    }
    uint8_t padded[DEF_SIZE_MAX + RUN_SIZE] = {0};
    memcpy(padded, bytes, size);
    iso__recording_reader run = {.bytes = padded + RUN_OFFSET, .size = RUN_SIZE};
    header->run = (uint32_t)iso__read_uint(&run, 4);
    header->run = header->run != 0 ? header->run : run_of_epoch(header->epoch);
    uint8_t whole[DEF_SIZE];
    memcpy(whole, padded, RUN_OFFSET);
    memcpy(whole + RUN_OFFSET, padded + RUN_OFFSET + RUN_SIZE, DEF_SIZE - RUN_OFFSET);
    iso__recording_reader members = {.bytes = whole, .size = DEF_SIZE};
    read_def_members(&members, is_space, &header->def);
    reader->has_failed = reader->has_failed || members.has_failed || header->run > ISO_RECORDING_RUN_MAX ||
                         (header->def.dimensions == 3) != is_space;
}

/// The definition, with the run in it, behind their size.
static void write_sized_def(iso__recording_writer *writer, const iso_recording_header *header) {
    const size_t start = writer->size;
    iso__write_uint(writer, 0, 2);
    uint8_t bytes[DEF_SIZE];
    iso__recording_writer def = {.bytes = bytes, .capacity = sizeof bytes};
    write_def(&def, &header->def);
    iso__write_bytes(writer, bytes, RUN_OFFSET);
    iso__write_uint(writer, header->run, RUN_SIZE);
    iso__write_bytes(writer, bytes + RUN_OFFSET, def.size - RUN_OFFSET);
    writer->has_failed = writer->has_failed || header->run > ISO_RECORDING_RUN_MAX;
    if (!writer->has_failed) {
        iso__recording_writer size = {.bytes = writer->bytes + start, .capacity = 2};
        iso__write_uint(&size, writer->size - start - 2, 2);
    }
}

void iso__recording_write_header(iso__recording_writer *writer, const iso_recording_header *header) {
    ISO_ASSERT(writer->size <= writer->capacity);
    iso__write_text(writer, header->build, ISO_RECORDING_TEXT_MAX);
    iso__write_text(writer, header->session, ISO_RECORDING_TEXT_MAX);
    iso__write_bytes(writer, header->uid, ISO_RECORDING_UID_SIZE);
    iso__write_uint(writer, header->epoch, 4);
    iso__write_uint(writer, header->first_tick, 8);
    iso__write_uint(writer, header->salt, 8);
    write_fingerprint(writer, &header->fingerprint);
    write_sized_def(writer, header);
    iso__write_text(writer, header->scene_name, ISO_RECORDING_TEXT_MAX);
    iso__write_uint(writer, iso_recording_scene_hash(header->scene, header->scene_size), 8);
    iso__write_uint(writer, header->scene_size, 4);
    iso__write_bytes(writer, header->scene, header->scene_size);
}

/// What stands from the definition on, to the last byte. @return false when it does not hold together
static bool read_behind_fingerprint(iso__recording_reader *reader, size_t def_size, bool is_space,
                                    iso_recording_header *header) {
    memset(&header->def, 0, sizeof header->def);
    read_def(reader, def_size, is_space, header);
    iso__read_text(reader, header->scene_name, ISO_RECORDING_TEXT_MAX);
    header->scene_hash = iso__read_uint(reader, 8);
    header->scene_size = (uint32_t)iso__read_uint(reader, 4);
    header->scene = (const char *)iso__read_bytes(reader, header->scene_size);
    return iso__reader_is_done(reader) && header->scene_size <= ISO_RECORDING_SCENE_SIZE_MAX &&
           header->scene_hash == iso_recording_scene_hash(header->scene, header->scene_size);
}

/// The size with which all that follows holds together, the scene's hash as well.
static bool find_def_size(const iso__recording_reader *reader, iso_recording_header *header) {
    for (size_t size = DEF_SIZE_FORMAT_1; size <= DEF_SIZE_MAX; size += 4) {
        iso__recording_reader from = *reader;
        if (read_behind_fingerprint(&from, size, false, header)) {
            return true;
        }
    }
    return false;
}

bool iso__recording_read_header(const iso_recording_frame *frame, uint32_t version, iso_recording_header *header) {
    ISO_ASSERT(frame->type == ISO_RECORDING_HEADER && iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    memset(header, 0, sizeof *header);
    iso__read_text(&reader, header->build, ISO_RECORDING_TEXT_MAX);
    iso__read_text(&reader, header->session, ISO_RECORDING_TEXT_MAX);
    const uint8_t *uid = iso__read_bytes(&reader, ISO_RECORDING_UID_SIZE);
    if (uid == NULL) {
        return false;
    }
    memcpy(header->uid, uid, ISO_RECORDING_UID_SIZE);
    header->epoch = (uint32_t)iso__read_uint(&reader, 4);
    header->first_tick = iso__read_uint(&reader, 8);
    header->salt = version > 1 ? iso__read_uint(&reader, 8) : 0;
    read_fingerprint(&reader, &header->fingerprint);
    if (reader.has_failed || header->first_tick > ISO__RECORDING_NUMBER_MAX) {
        return false;
    }
    if (version == 1) {
        return find_def_size(&reader, header);
    }
    const size_t def_size = (size_t)iso__read_uint(&reader, 2);
    return read_behind_fingerprint(&reader, def_size, version == ISO_RECORDING_VERSION_SPACE, header);
}
