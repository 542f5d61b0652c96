/// What the codec's files share. Nothing outside proto/codec includes this.
#ifndef ISO_PROTO_CODEC_INTERNAL_H
#define ISO_PROTO_CODEC_INTERNAL_H

#include <protobuf-c/protobuf-c.h>

#include "codec/try.h"
#include "isostep/assert.h"
#include "isostep/proto/codec.h"
#include "isostep/v1/envelope.pb-c.h"

/// The caller's memory, allocated from front to back and never freed: a message costs at most
/// its size, whatever the message is.
typedef struct iso__codec_arena {
    uint8_t *memory;
    size_t size;
    size_t used;
    bool is_exhausted; // something did not fit
} iso__codec_arena;

void iso__codec_arena_init(iso__codec_arena *arena, void *memory, size_t size);

/// Aligned to 16. @return NULL when it does not fit.
void *iso__codec_arena_take(iso__codec_arena *arena, size_t size);

/// The arena as protobuf-c's allocator.
ProtobufCAllocator iso__codec_arena_allocator(iso__codec_arena *arena);

/// A generated message in the arena with its defaults, or a return of ISO_ERR_BUFFER.
#define ISO__NEW(arena, Type, snake, variable)                                                   \
    Isostep__V1__##Type *variable = iso__codec_arena_take((arena), sizeof(Isostep__V1__##Type)); \
    if (variable == NULL) {                                                                      \
        return ISO_ERR_BUFFER;                                                                   \
    }                                                                                            \
    isostep__v1__##snake##__init(variable)

/// The envelope's member is that of the kind: another one's pointer would be read as it.
#define ISO__ASSERT_KIND(envelope, NAME) ISO_ASSERT((envelope)->message_case == ISOSTEP__V1__ENVELOPE__MESSAGE_##NAME)

/// Checks the bytes of an envelope before anything is unpacked. See prescan.c.
iso_status iso__codec_prescan(const uint8_t *bytes, size_t size, const iso_decode_limits *limits);

/// Reads an INPUT whose commands are counted only. See peek.c.
iso_status iso__codec_count(const uint8_t *bytes, size_t size, const iso_decode_limits *limits, iso_message *message);

/// @name Both directions, per command. On error the output is unspecified.
/// @{
iso_status iso__codec_command_pack(iso__codec_arena *arena, const iso_command *command, Isostep__V1__Command *packed);
iso_status iso__codec_command_unpack(const Isostep__V1__Command *packed, iso_command *command);
/// @}

/// @name Both directions, per kind of message
/// Packing sets the envelope's member; its strings and blocks point to the message's.
/// @{
#define ISO__DECLARE(name, number, snake)                                                                  \
    iso_status iso__codec_##snake##_pack(iso__codec_arena *arena, const iso_message_##snake *message,      \
                                         Isostep__V1__Envelope *envelope);                                 \
    iso_status iso__codec_##snake##_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope, \
                                           iso_message_##snake *message);
ISO_MESSAGE_KIND_LIST(ISO__DECLARE)
#undef ISO__DECLARE
/// @}

/// @name Parts of messages. What fits the structs' fields is checked by iso_message_check (check.c)
/// @{

/// Slots are kept in a byte. @return ISO_OK; ISO_ERR_RANGE.
static inline iso_status iso__codec_slot_fits(uint32_t slot) {
    return slot <= UINT8_MAX ? ISO_OK : ISO_ERR_RANGE;
}

/// Finds the text in a char array of `capacity` bytes.
/// @return ISO_OK; ISO_ERR_RANGE (no terminating zero); ISO_ERR_MALFORMED (not iso__utf8_is_text).
iso_status iso__codec_text_pack(const char *text, size_t capacity, char **packed);

/// Enumerators are kept in a byte; what does not fit must not become a valid one. @return ISO_OK; ISO_ERR_BAD_ENUM.
iso_status iso__codec_enum_unpack(int value, uint8_t *result);

/// filter.c: a shape's filter, of both kinds of worlds.
iso_status iso__codec_filter_pack(iso__codec_arena *arena, const iso_filter *filter, Isostep__V1__Filter **packed);
iso_status iso__codec_filter_unpack(const Isostep__V1__Filter *p, iso_filter *filter);

/// params.c: parameters of a constraint, in a world of so many dimensions. @return ISO_OK; ISO_ERR_MALFORMED (of
/// unpacking: another number of them); ISO_ERR_BUFFER.
iso_status iso__codec_params_pack(iso__codec_arena *arena, uint32_t dimensions, const iso_program_params *params,
                                  size_t *count, int64_t **packed);
iso_status iso__codec_params_unpack(uint32_t dimensions, const int64_t *packed, size_t count,
                                    iso_program_params *params);

/// space_def.c: bodies and shapes of worlds in space.
iso_status iso__codec_body3_pack(iso__codec_arena *arena, const iso_body3_def *def, Isostep__V1__Body3Def **packed);
iso_status iso__codec_body3_unpack(const Isostep__V1__Body3Def *p, iso_body3_def *def);
iso_status iso__codec_shape3_pack(iso__codec_arena *arena, const iso_shape3_def *def, Isostep__V1__Shape3Def **packed);
iso_status iso__codec_shape3_unpack(const Isostep__V1__Shape3Def *p, iso_shape3_def *def);

/// joint3_def.c
iso_status iso__codec_joint3_pack(iso__codec_arena *arena, const iso_joint3_def *def, Isostep__V1__Joint3Def **packed);
iso_status iso__codec_joint3_unpack(const Isostep__V1__Joint3Def *p, iso_joint3_def *def);
iso_status iso__codec_joint3_axis_pack(iso__codec_arena *arena, const iso_joint3_axis *axis,
                                       Isostep__V1__Joint3Axis **packed);
iso_status iso__codec_joint3_axis_unpack(const Isostep__V1__Joint3Axis *p, iso_joint3_axis *axis);

/// joint_def.c
iso_status iso__codec_joint_pack(iso__codec_arena *arena, const iso_joint_def *def, Isostep__V1__JointDef **packed);
iso_status iso__codec_joint_unpack(const Isostep__V1__JointDef *p, iso_joint_def *def);

/// @return ISO_OK; ISO_ERR_RANGE (does not fit with its terminating zero).
iso_status iso__codec_text_unpack(const char *packed, char *text, size_t capacity);

/// Codes travel as positive numbers.
iso_status iso__codec_code_pack(iso_status code, uint32_t *packed);
iso_status iso__codec_code_unpack(uint32_t packed, iso_status *code);
/// @}

#endif
