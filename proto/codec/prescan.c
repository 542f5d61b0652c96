/// The check of a message's bytes before protobuf-c reads them.
///
/// protobuf-c nests without a limit, keeps the last of several members of a oneof, cuts numbers that
/// are too wide and text at a zero, and spends much memory on many small fields. All of that is found
/// here, in one pass without memory, guided by the generated descriptors. The rules are in
/// proto/WIRE.md, section Encoding.
#include "codec/internal.h"
#include "codec/reader.h"
#include "wire/utf8.h"

// Of a message: a bit for each says whether it has come. test_codec_document has the same number.
#define FIELDS_MAX 128u

typedef struct prescan {
    const iso_decode_limits *limits;
    uint32_t field_count;
    uint32_t unknown_count;
} prescan;

static iso_status scan_number(const ProtobufCFieldDescriptor *field, iso__reader *r) {
    uint64_t number;
    if (!iso__read_varint(r, 10, &number)) {
        return ISO_ERR_MALFORMED;
    }
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_SINT64:
        return ISO_OK;
    case PROTOBUF_C_TYPE_BOOL:
        return number <= 1 ? ISO_OK : ISO_ERR_RANGE;
    case PROTOBUF_C_TYPE_ENUM:
        return number <= INT32_MAX ? ISO_OK : ISO_ERR_BAD_ENUM;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_SINT32:
        return number <= UINT32_MAX ? ISO_OK : ISO_ERR_RANGE;
    default:
        return ISO_ERR_MALFORMED;
    }
}

/// Whether a field's values are varints, and its wire type otherwise.
static uint32_t natural_wire_type(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return ISO__WIRE_FIXED64;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return ISO__WIRE_FIXED32;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return ISO__WIRE_BYTES;
    default:
        return ISO__WIRE_VARINT;
    }
}

static iso_status scan_message(prescan *scan, const ProtobufCMessageDescriptor *descriptor, iso__reader r,
                               uint32_t depth, bool strict);

static iso_status scan_packed(const ProtobufCFieldDescriptor *field, uint32_t natural, iso__reader part) {
    while (part.at < part.end) {
        const bool is_number = natural == ISO__WIRE_VARINT;
        ISO__TRY(is_number ? scan_number(field, &part) : iso__skip_value(&part, natural) ? ISO_OK : ISO_ERR_MALFORMED);
    }
    return ISO_OK;
}

static iso_status scan_value(prescan *scan, const ProtobufCFieldDescriptor *field, uint32_t wire_type, iso__reader *r,
                             uint32_t depth, bool strict) {
    uint32_t natural = natural_wire_type(field);
    bool packed =
        field->label == PROTOBUF_C_LABEL_REPEATED && natural != ISO__WIRE_BYTES && wire_type == ISO__WIRE_BYTES;
    if (wire_type != natural && !packed) {
        return ISO_ERR_MALFORMED;
    }
    if (wire_type == ISO__WIRE_VARINT) {
        return scan_number(field, r);
    }
    if (wire_type != ISO__WIRE_BYTES) {
        return iso__skip_value(r, wire_type) ? ISO_OK : ISO_ERR_MALFORMED;
    }
    uint64_t size;
    iso__reader part;
    if (!iso__read_varint(r, 5, &size) || !iso__read_bytes(r, size, &part)) {
        return ISO_ERR_MALFORMED;
    }
    if (packed) {
        return scan_packed(field, natural, part);
    }
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return scan_message(scan, field->descriptor, part, depth + 1, strict);
    case PROTOBUF_C_TYPE_STRING:
        return iso__utf8_is_text(part.at, (size_t)(part.end - part.at)) ? ISO_OK : ISO_ERR_MALFORMED;
    default:
        return ISO_OK;
    }
}

static iso_status scan_unknown(prescan *scan, uint32_t wire_type, iso__reader *r, bool strict) {
    if (!iso__skip_value(r, wire_type)) {
        return ISO_ERR_MALFORMED;
    }
    if (strict) {
        return ISO_ERR_MALFORMED;
    }
    ++scan->unknown_count;
    return scan->unknown_count <= scan->limits->unknown_max ? ISO_OK : ISO_ERR_DECODE_BUDGET;
}

/// The only messages that end without one member of their oneof are an envelope of a newer kind and
/// those that have no oneof.
static iso_status scan_finish(const ProtobufCMessageDescriptor *descriptor, uint32_t member_count, bool any_unknown) {
    bool has_oneof = descriptor->n_fields > 0 && (descriptor->fields[0].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
    if (!has_oneof || member_count == 1) {
        return ISO_OK;
    }
    if (member_count == 0 && any_unknown) {
        return ISO_ERR_UNSUPPORTED;
    }
    return ISO_ERR_MALFORMED;
}

static iso_status scan_message(prescan *scan, const ProtobufCMessageDescriptor *descriptor, iso__reader r,
                               uint32_t depth, bool strict) {
    if (depth > scan->limits->depth_max) {
        return ISO_ERR_DECODE_BUDGET;
    }
    strict = strict || descriptor == &isostep__v1__command__descriptor || descriptor == &isostep__v1__tick__descriptor;
    // A test holds all messages to this: a larger one would be found by who is sent it.
    ISO_ASSERT(descriptor->n_fields <= FIELDS_MAX);
    uint64_t seen[FIELDS_MAX / 64u] = {0};
    uint32_t member_count = 0;
    bool any_unknown = false;
    while (r.at < r.end) {
        uint64_t tag;
        if (!iso__read_varint(&r, 5, &tag) || tag > UINT32_MAX || tag >> 3 == 0) {
            return ISO_ERR_MALFORMED;
        }
        if (++scan->field_count > scan->limits->field_max) {
            return ISO_ERR_DECODE_BUDGET;
        }
        uint32_t wire_type = (uint32_t)tag & 7;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(descriptor, (unsigned)(tag >> 3));
        if (field == NULL) {
            any_unknown = true;
            ISO__TRY(scan_unknown(scan, wire_type, &r, strict));
            continue;
        }
        const uint32_t index = (uint32_t)(field - descriptor->fields);
        const uint64_t bit = UINT64_C(1) << (index % 64u);
        if (field->label != PROTOBUF_C_LABEL_REPEATED && (seen[index / 64u] & bit) != 0) {
            return ISO_ERR_MALFORMED;
        }
        seen[index / 64u] |= bit;
        member_count += (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
        ISO__TRY(scan_value(scan, field, wire_type, &r, depth, strict));
    }
    return scan_finish(descriptor, member_count, any_unknown);
}

iso_status iso__codec_prescan(const uint8_t *bytes, size_t size, const iso_decode_limits *limits) {
    ISO_ASSERT(bytes != NULL || size == 0);
    if (size > limits->size_max) {
        return ISO_ERR_FRAME_TOO_LARGE;
    }
    if (size == 0) {
        return ISO_ERR_MALFORMED;
    }
    prescan scan = {.limits = limits};
    iso__reader r = {.at = bytes, .end = bytes + size};
    return scan_message(&scan, &isostep__v1__envelope__descriptor, r, 1, false);
}
