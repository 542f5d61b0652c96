/// The canonical bytes of a program: fields in order, little endian, only what is used.
///
///   version u32; instructions u16, of bounds u16; counts u8 of constants, bodies, vectors, scalars, limits, rows
///   names of bodies, vectors, scalars: length u8, characters
///   constants i64; limits: 4 registers and flags; rows: 4, then J of the declared bodies
///   instructions: operation, target, as many operands as the operation has

#include <string.h>

#include "base/bytes.h"
#include "symbolic/evaluate.h"

enum { HEADER_SIZE = 14 };

static_assert(HEADER_SIZE + ISO_PROGRAM_NAMES_MAX * (1 + ISO_PROGRAM_NAME_MAX) + 8 * ISO_PROGRAM_CONSTANTS_MAX +
                      ISO_PROGRAM_LIMITS_MAX * ISO_PROGRAM_LIMIT_SIZE + ISO_PROGRAM_ROWS_MAX * ISO_PROGRAM_ROW_SIZE +
                      ISO_PROGRAM_INSTRUCTIONS_MAX * ISO_PROGRAM_INSTRUCTION_SIZE <=
                  ISO_PROGRAM_BYTES_MAX,
              "ISO_PROGRAM_BYTES_MAX holds any program");

// ---- names ---------------------------------------------------------------------------------------

/// Where the names of each sort begin, and how many there are.
typedef struct name_range {
    uint32_t first;
    uint32_t count;
} name_range;

static name_range names_of_bodies(const iso_program *program) {
    return (name_range){ISO__NAME_BODY, program->body_count};
}

static name_range names_of_vectors(const iso_program *program) {
    return (name_range){ISO__NAME_VECTOR, program->vector_count};
}

static name_range names_of_scalars(const iso_program *program) {
    return (name_range){ISO__NAME_SCALAR, program->scalar_count};
}

static const char *name_at(const iso_program *program, name_range range, uint32_t index) {
    return index < range.count ? (const char *)&program->names[ISO_PROGRAM_NAME_SIZE * (range.first + index)] : "";
}

static uint32_t name_length(const char *name) {
    uint32_t length = 0;
    while (length < ISO_PROGRAM_NAME_MAX && name[length] != 0) {
        ++length;
    }
    return length;
}

static uint32_t name_find(const iso_program *program, name_range range, const char *name, size_t size) {
    for (uint32_t i = 0; i < range.count; ++i) {
        const char *candidate = name_at(program, range, i);
        if (name_length(candidate) == size && memcmp(candidate, name, size) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

const char *iso_program_body_name(const iso_program *program, uint32_t index) {
    return name_at(program, names_of_bodies(program), index);
}

const char *iso_program_vector_name(const iso_program *program, uint32_t index) {
    return name_at(program, names_of_vectors(program), index);
}

const char *iso_program_scalar_name(const iso_program *program, uint32_t index) {
    return name_at(program, names_of_scalars(program), index);
}

uint32_t iso_program_body_find(const iso_program *program, const char *name, size_t size) {
    return name_find(program, names_of_bodies(program), name, size);
}

uint32_t iso_program_vector_find(const iso_program *program, const char *name, size_t size) {
    return name_find(program, names_of_vectors(program), name, size);
}

uint32_t iso_program_scalar_find(const iso_program *program, const char *name, size_t size) {
    return name_find(program, names_of_scalars(program), name, size);
}

// ---- writing -------------------------------------------------------------------------------------

typedef struct byte_writer {
    uint8_t *bytes;
    size_t size;
} byte_writer;

static void write_number(byte_writer *writer, uint64_t value, uint32_t width) {
    iso__write_le(writer->bytes + writer->size, value, width);
    writer->size += width;
}

static void write_bytes(byte_writer *writer, const uint8_t *bytes, size_t count) {
    memcpy(writer->bytes + writer->size, bytes, count);
    writer->size += count;
}

static void write_names(byte_writer *writer, const iso_program *program, name_range range) {
    for (uint32_t i = 0; i < range.count; ++i) {
        const char *name = name_at(program, range, i);
        uint32_t length = name_length(name);
        write_number(writer, length, 1);
        write_bytes(writer, (const uint8_t *)name, length);
    }
}

size_t iso_program_encode(const iso_program *program, uint8_t *bytes) {
    byte_writer writer = {bytes, 0};
    write_number(&writer, program->version, 4);
    write_number(&writer, program->instruction_count, 2);
    write_number(&writer, program->bound_instruction_count, 2);
    write_number(&writer, program->constant_count, 1);
    write_number(&writer, program->body_count, 1);
    write_number(&writer, program->vector_count, 1);
    write_number(&writer, program->scalar_count, 1);
    write_number(&writer, program->limit_count, 1);
    write_number(&writer, program->row_count, 1);
    write_names(&writer, program, names_of_bodies(program));
    write_names(&writer, program, names_of_vectors(program));
    write_names(&writer, program, names_of_scalars(program));
    for (uint32_t i = 0; i < program->constant_count; ++i) {
        write_number(&writer, (uint64_t)program->constants[i], 8);
    }
    write_bytes(&writer, program->limits, (size_t)ISO_PROGRAM_LIMIT_SIZE * program->limit_count);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        write_bytes(&writer, &program->rows[ISO_PROGRAM_ROW_SIZE * r],
                    ISO__ROW_JACOBIAN + iso__program_layout(program)->columns * (size_t)program->body_count);
    }
    for (uint32_t i = 0; i < program->instruction_count; ++i) {
        const uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        write_bytes(&writer, at, 2 + iso__operation_operands(at[0]));
    }
    return writer.size;
}

// ---- reading -------------------------------------------------------------------------------------

/// Bytes that may end too early: reading beyond them gives zero and is noted.
typedef struct byte_reader {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool is_truncated;
} byte_reader;

static const uint8_t *read_bytes(byte_reader *reader, size_t count) {
    static const uint8_t nothing[ISO_PROGRAM_NAME_SIZE] = {0};
    if (reader->size - reader->at < count) {
        reader->is_truncated = true;
        return nothing;
    }
    const uint8_t *bytes = reader->bytes + reader->at;
    reader->at += count;
    return bytes;
}

static uint64_t read_number(byte_reader *reader, uint32_t width) {
    return iso__read_le(read_bytes(reader, width), width);
}

/// The counts, which say how much follows. False when a count is too large.
static bool read_header(byte_reader *reader, iso_program *program) {
    program->version = (uint32_t)read_number(reader, 4);
    program->instruction_count = (uint16_t)read_number(reader, 2);
    program->bound_instruction_count = (uint16_t)read_number(reader, 2);
    program->constant_count = (uint8_t)read_number(reader, 1);
    program->body_count = (uint8_t)read_number(reader, 1);
    program->vector_count = (uint8_t)read_number(reader, 1);
    program->scalar_count = (uint8_t)read_number(reader, 1);
    program->limit_count = (uint8_t)read_number(reader, 1);
    program->row_count = (uint8_t)read_number(reader, 1);
    return program->instruction_count <= ISO_PROGRAM_INSTRUCTIONS_MAX &&
           program->constant_count <= ISO_PROGRAM_CONSTANTS_MAX &&
           program->body_count <= iso__program_layout(program)->bodies_max &&
           program->vector_count <= ISO_PROGRAM_VECTORS_MAX && program->scalar_count <= ISO_PROGRAM_SCALARS_MAX &&
           program->limit_count <= ISO_PROGRAM_LIMITS_MAX && program->row_count <= ISO_PROGRAM_ROWS_MAX;
}

static bool read_names(byte_reader *reader, iso_program *program, name_range range) {
    for (uint32_t i = 0; i < range.count; ++i) {
        uint32_t length = (uint32_t)read_number(reader, 1);
        if (length > ISO_PROGRAM_NAME_MAX) {
            return false;
        }
        memcpy(&program->names[ISO_PROGRAM_NAME_SIZE * (range.first + i)], read_bytes(reader, length), length);
        // A zero inside would read back as a shorter name.
        if (name_length(name_at(program, range, i)) != length) {
            return false;
        }
    }
    return true;
}

/// Instructions, and the sum of their costs.
static void read_code(byte_reader *reader, iso_program *program) {
    uint32_t cost = 0;
    for (uint32_t i = 0; i < program->instruction_count; ++i) {
        uint8_t *at = &program->code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        memcpy(at, read_bytes(reader, 2), 2);
        uint32_t operands = iso__operation_operands(at[0]);
        memcpy(at + 2, read_bytes(reader, operands), operands);
        cost += iso__operation_cost(at[0]);
    }
    program->cost = (uint16_t)cost; // at most 16 for each of 512
}

static iso_status decode(byte_reader *reader, iso_program *program) {
    if (!read_header(reader, program) || !read_names(reader, program, names_of_bodies(program)) ||
        !read_names(reader, program, names_of_vectors(program)) ||
        !read_names(reader, program, names_of_scalars(program))) {
        return reader->is_truncated ? ISO_ERR_TRUNCATED : ISO_ERR_MALFORMED;
    }
    for (uint32_t i = 0; i < program->constant_count; ++i) {
        program->constants[i] = (int64_t)read_number(reader, 8);
    }
    for (uint32_t i = 0; i < program->limit_count; ++i) {
        memcpy(&program->limits[ISO_PROGRAM_LIMIT_SIZE * i], read_bytes(reader, ISO_PROGRAM_LIMIT_SIZE),
               ISO_PROGRAM_LIMIT_SIZE);
    }
    size_t row_size = ISO__ROW_JACOBIAN + (size_t)iso__program_layout(program)->columns * program->body_count;
    for (uint32_t r = 0; r < program->row_count; ++r) {
        memcpy(&program->rows[ISO_PROGRAM_ROW_SIZE * r], read_bytes(reader, row_size), row_size);
    }
    read_code(reader, program);
    if (reader->is_truncated) {
        return ISO_ERR_TRUNCATED;
    }
    return reader->at == reader->size ? iso_program_check(program) : ISO_ERR_MALFORMED;
}

iso_status iso_program_decode(const uint8_t *bytes, size_t size, iso_program *program) {
    memset(program, 0, sizeof *program);
    byte_reader reader = {bytes, size, 0, false};
    iso_status status = decode(&reader, program);
    if (size >= 4 && iso__read_u32(bytes) != ISO_PROGRAM_VERSION && iso__read_u32(bytes) != ISO_PROGRAM3_VERSION) {
        status = ISO_ERR_VERSION; // the rest may have any form
    }
    if (status != ISO_OK) {
        memset(program, 0, sizeof *program);
    }
    return status;
}
