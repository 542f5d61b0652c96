/// The written standard against the code: descriptors that must not change, WIRE.md's examples and tables.
#include <protobuf-c/protobuf-c.h>

#include "isostep/v1/envelope.pb-c.h"
#include "test_codec_util.h"

#define TEXT_MAX 131072

/// Reads a file of proto/ as text that ends with a zero.
static char *read_text(const char *name) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", ISO_TEST_PROTO_DIR, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s cannot be opened", path);
    }
    char *text = calloc(1, TEXT_MAX);
    size_t size = fread(text, 1, TEXT_MAX - 1, file);
    fclose(file);
    assert_true(size < TEXT_MAX - 1);
    return text;
}

/// @name Listing what protobuf-c generated
/// @{
typedef struct listing {
    const void *seen[128];
    size_t seen_count;
    char text[TEXT_MAX];
    size_t size;
} listing;

static void list_line(listing *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    list->size += (size_t)vsnprintf(list->text + list->size, sizeof(list->text) - list->size, format, arguments);
    va_end(arguments);
    assert_true(list->size < sizeof(list->text));
}

static bool list_is_new(listing *list, const void *descriptor) {
    for (size_t i = 0; i < list->seen_count; ++i) {
        if (list->seen[i] == descriptor) {
            return false;
        }
    }
    assert_true(list->seen_count < 128);
    list->seen[list->seen_count++] = descriptor;
    return true;
}

static void list_enum(listing *list, const ProtobufCEnumDescriptor *descriptor) {
    if (!list_is_new(list, descriptor)) {
        return;
    }
    list_line(list, "enum %s\n", descriptor->name);
    for (unsigned i = 0; i < descriptor->n_values; ++i) {
        list_line(list, "  %d %s\n", descriptor->values[i].value, descriptor->values[i].name);
    }
}

static const char *type_name(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_SINT32:
        return "sint32";
    case PROTOBUF_C_TYPE_SINT64:
        return "sint64";
    case PROTOBUF_C_TYPE_UINT32:
        return "uint32";
    case PROTOBUF_C_TYPE_UINT64:
        return "uint64";
    case PROTOBUF_C_TYPE_FIXED32:
        return "fixed32";
    case PROTOBUF_C_TYPE_FIXED64:
        return "fixed64";
    case PROTOBUF_C_TYPE_SFIXED64:
        return "sfixed64";
    case PROTOBUF_C_TYPE_BOOL:
        return "bool";
    case PROTOBUF_C_TYPE_STRING:
        return "string";
    case PROTOBUF_C_TYPE_BYTES:
        return "bytes";
    case PROTOBUF_C_TYPE_ENUM:
        return ((const ProtobufCEnumDescriptor *)field->descriptor)->name;
    case PROTOBUF_C_TYPE_MESSAGE:
        return ((const ProtobufCMessageDescriptor *)field->descriptor)->name;
    default:
        fail_msg("%s has a type that no message of ours may have", field->name);
        return "";
    }
}

static void list_message(listing *list, const ProtobufCMessageDescriptor *descriptor) {
    if (!list_is_new(list, descriptor)) {
        return;
    }
    list_line(list, "message %s\n", descriptor->name);
    assert_in_range(descriptor->n_fields, 0, 128); // prescan.c's FIELDS_MAX: it keeps a bit for each
    for (unsigned i = 0; i < descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        const char *label = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 ? "oneof "
                            : field->label == PROTOBUF_C_LABEL_REPEATED       ? "repeated "
                                                                              : "";
        list_line(list, "  %u %s %s%s\n", (unsigned)field->id, field->name, label, type_name(field));
    }
    for (unsigned i = 0; i < descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            list_message(list, field->descriptor);
        } else if (field->type == PROTOBUF_C_TYPE_ENUM) {
            list_enum(list, field->descriptor);
        }
    }
}
/// @}

static void test_codec_descriptors_are_the_committed_ones(void **state) {
    (void)state;
    listing *list = calloc(1, sizeof(*list));
    list_message(list, &isostep__v1__envelope__descriptor);
    char *committed = read_text("isostep/v1/descriptors.txt");
    if (strcmp(list->text, committed) != 0) {
        fail_msg("descriptors.txt is not what the .proto files say; if that is meant: cmake --build build/release "
                 "--target documents");
    }
    free(committed);
    free(list);
}

/// No message contains itself, not even through others: a decoder's depth is bounded by the types.
static unsigned nesting(const ProtobufCMessageDescriptor *descriptor, unsigned depth) {
    assert_true(depth <= 8);
    unsigned deepest = depth;
    for (unsigned i = 0; i < descriptor->n_fields; ++i) {
        if (descriptor->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
            unsigned inner = nesting(descriptor->fields[i].descriptor, depth + 1);
            deepest = inner > deepest ? inner : deepest;
        }
    }
    return deepest;
}

static void test_codec_types_nest_within_the_depth_limit(void **state) {
    (void)state;
    const unsigned deepest = nesting(&isostep__v1__envelope__descriptor, 1);
    assert_in_range(deepest, 6, iso_decode_limits_from_client().depth_max);
}

static bool document_has(const char *document, const char *format, ...) {
    char wanted[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wanted, sizeof(wanted), format, arguments);
    va_end(arguments);
    return strstr(document, wanted) != NULL;
}

/// Whether a row of this message, or one of those below it that leave its cell empty, has the field in backquotes.
static bool row_has(const char *document, const char *message, const char *field) {
    char name[80], quoted[80];
    snprintf(name, sizeof(name), "| %s |", message);
    snprintf(quoted, sizeof(quoted), "`%s`", field);
    for (const char *at = strstr(document, name); at != NULL; at = strstr(at + 1, name)) {
        const char *end = strchr(at, '\n');
        while (strncmp(end, "\n| |", 4) == 0) {
            end = strchr(end + 1, '\n');
        }
        const char *found = strstr(at, quoted);
        if (found != NULL && found < end) {
            return true;
        }
    }
    return false;
}

/// The parameters of a body stand in SCENE.md alone: test_scene_document.c.
static bool is_body_param(const char *name) {
    bool is_param = false;
#define PARAM_NUMBER(param, low, high, otherwise) is_param = is_param || strcmp(name, #param) == 0;
#define PARAM_SWITCH(param, bit, key)             is_param = is_param || strcmp(name, #param) == 0;
    ISO_BODY_NUMBER_LIST(PARAM_NUMBER)
    ISO_BODY_SWITCH_LIST(PARAM_SWITCH)
#undef PARAM_NUMBER
#undef PARAM_SWITCH
    return is_param;
}

/// Each message is a row of its own or a name in one, each field stands there in backquotes.
static void check_documented(const char *document, const ProtobufCMessageDescriptor *descriptor) {
    if (descriptor != &isostep__v1__envelope__descriptor && descriptor != &isostep__v1__command__descriptor) {
        if (!document_has(document, "| %s |", descriptor->short_name)) {
            fail_msg("%s is not in WIRE.md", descriptor->name);
        }
        for (unsigned i = 0; i < descriptor->n_fields; ++i) {
            const char *field = descriptor->fields[i].name;
            const bool is_elsewhere = descriptor == &isostep__v1__set_body_params__descriptor && is_body_param(field);
            if (!is_elsewhere && !row_has(document, descriptor->short_name, field)) {
                fail_msg("%s.%s is not in its row of WIRE.md", descriptor->name, field);
            }
        }
    }
    for (unsigned i = 0; i < descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
            continue;
        }
        const ProtobufCMessageDescriptor *inner = field->descriptor;
        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
            !document_has(document, "| %u | %s |", (unsigned)field->id, inner->short_name)) {
            fail_msg("%s is not in WIRE.md with its number %u", inner->name, (unsigned)field->id);
        }
        check_documented(document, inner);
    }
}

static void test_codec_document_has_every_message_field_and_code(void **state) {
    (void)state;
    char *document = read_text("WIRE.md");
    check_documented(document, &isostep__v1__envelope__descriptor);
#define CODE(name, number, meaning)                                                                     \
    if (-(number) < 64 &&                                                                               \
        !document_has(document, "| %d | %s | %s |", -(number), iso_status_name(ISO_##name), meaning)) { \
        fail_msg("code %d is not in WIRE.md as it is in status.h", -(number));                          \
    }
    ISO_STATUS_LIST(CODE)
#undef CODE
    free(document);
}

/// @name The table of commands: recordings go by its order
/// @{

/// Takes the next field in backquotes from the cell of a row, which must be this one.
static void take_field(const char **at, const char *command, const char *prefix, const char *name) {
    char expected[80];
    snprintf(expected, sizeof(expected), "`%s%s`", prefix, name);
    const char *quote = strpbrk(*at, "`|\n");
    if (quote == NULL || strncmp(quote, expected, strlen(expected)) != 0) {
        fail_msg("%s: WIRE.md has not %s where command.h has it", command, expected);
        return;
    }
    *at = quote + strlen(expected);
}

#define TAKE_ONE(command, wire)                  take_field(&at, command, "", #wire)
#define TAKE_BODY(command, wire)                 TAKE_ONE(command, wire)
#define TAKE_SHAPE(command, wire)                TAKE_ONE(command, wire)
#define TAKE_JOINT(command, wire)                TAKE_ONE(command, wire)
#define TAKE_COMPOUND(command, wire)             TAKE_ONE(command, wire)
#define TAKE_BLUEPRINT(command, wire)            TAKE_ONE(command, wire)
#define TAKE_BOOL(command, wire)                 TAKE_ONE(command, wire)
#define TAKE_U32(command, wire)                  TAKE_ONE(command, wire)
#define TAKE_FIX16(command, wire)                TAKE_ONE(command, wire)
#define TAKE_WIDE(command, wire)                 TAKE_ONE(command, wire)
#define TAKE_VEC2(command, wire)                 (take_field(&at, command, #wire, "x"), take_field(&at, command, #wire, "y"))
#define TAKE_VEC2_WIDE(command, wire)            TAKE_VEC2(command, wire)
#define TAKE_FILTER(command, wire)               TAKE_ONE(command, wire)
#define TAKE_BODY_TYPE(command, wire)            TAKE_ONE(command, wire)
#define TAKE_BODY_PARAMS(command, wire)          (at = strchr(at, '|')) // in SCENE.md
#define TAKE_BODY_DEF(command, wire)             TAKE_ONE(command, wire)
#define TAKE_SHAPE_DEF(command, wire)            TAKE_ONE(command, wire)
#define TAKE_JOINT_DEF(command, wire)            TAKE_ONE(command, wire)
#define TAKE_VEC3(command, wire)                 (TAKE_VEC2(command, wire), take_field(&at, command, #wire, "z"))
#define TAKE_VEC3_WIDE(command, wire)            TAKE_VEC3(command, wire)
#define TAKE_QUAT(command, wire)                 (TAKE_VEC3(command, wire), take_field(&at, command, #wire, "w"))
#define TAKE_NUMBER(param, low, high, otherwise) take_field(&at, command, "", #param);
#define TAKE_SWITCH(param, bit, key)             take_field(&at, command, "", #param);
#define TAKE_BODY3_PARAMS(command, wire)         ISO_BODY3_NUMBER_LIST(TAKE_NUMBER) ISO_BODY3_SWITCH_LIST(TAKE_SWITCH)
#define TAKE_BODY3_DEF(command, wire)            TAKE_ONE(command, wire)
#define TAKE_SHAPE3_DEF(command, wire)           TAKE_ONE(command, wire)
#define TAKE_JOINT3_DEF(command, wire)           TAKE_ONE(command, wire)
#define TAKE_JOINT3_AXIS(command, wire)          TAKE_ONE(command, wire)
#define TAKE_CONTROL(command, wire)              TAKE_ONE(command, wire)
#define TAKE_PAYLOAD(command, wire)              TAKE_ONE(command, wire)

static void test_codec_document_has_the_fields_of_commands_in_their_order(void **state) {
    (void)state;
    char *document = read_text("WIRE.md");
    const char *table = strstr(document, "\n## Commands\n");
    assert_non_null(table);
#define TAKE_ARG(type, name, wire, bound, unit) TAKE_##type(command, wire);
#define TAKE_ROW(NAME, number, snake, worlds)                                            \
    {                                                                                    \
        const char *const command = isostep__v1__##snake##__descriptor.short_name;       \
        char start[80];                                                                  \
        snprintf(start, sizeof(start), "\n| %d | %s | ", number, command);               \
        const char *at = strstr(table, start);                                           \
        if (at == NULL) {                                                                \
            fail_msg("the table of commands in WIRE.md has no row of %s", command);      \
        } else {                                                                         \
            at += strlen(start);                                                         \
            ISO_COMMAND_##snake##_ARGS(TAKE_ARG) assert_true(*strpbrk(at, "`|") == '|'); \
        }                                                                                \
    }
    ISO_COMMAND_KIND_LIST(TAKE_ROW)
#undef TAKE_ROW
#undef TAKE_ARG
    free(document);
}
/// @}

/// @name The examples
/// @{

static iso_message example(size_t index, test_storage *storage, const char **name) {
    static const iso_command_set_control held = {.size = 8, .bytes = {0xFF, 0x7F, 0, 0, 1, 0, 0, 0}};
    iso_message m;
    memset(&m, 0, sizeof(m));
    switch (index) {
    case 0:
        *name = "Ping";
        m.kind = ISO_MESSAGE_PING;
        m.as.ping = (iso_message_ping){.id = 7, .client_time_ns = 1000};
        break;
    case 1:
        *name = "Leave";
        m.kind = ISO_MESSAGE_LEAVE;
        break;
    case 2:
        *name = "Hello";
        m.kind = ISO_MESSAGE_HELLO;
        m.as.hello = (iso_message_hello){.protocol_min = ISO_PROTOCOL_VERSION,
                                         .protocol_max = ISO_PROTOCOL_VERSION,
                                         .role = ISO_ROLE_PLAYER,
                                         .compressions = 3,
                                         .fingerprint = {.simulation_version = 1, .schema = 2, .arithmetic = 3},
                                         .session = "main",
                                         .member = "Zo\xC3\xAB"};
        break;
    case 3:
        *name = "Input";
        storage->commands[0] = (iso_command){.kind = ISO_COMMAND_SET_CONTROL, .as.set_control = held};
        m.kind = ISO_MESSAGE_INPUT;
        m.as.input = (iso_message_input){.target_tick = 100003,
                                         .first_sequence = 3000,
                                         .ack_tick = 100000,
                                         .commands = storage->commands,
                                         .command_count = 1};
        break;
    case 4:
        *name = "Input";
        m.kind = ISO_MESSAGE_INPUT;
        m.as.input = (iso_message_input){.target_tick = 100004, .ack_tick = 100001};
        break;
    case 5:
        *name = "Tick";
        m.kind = ISO_MESSAGE_TICK;
        m.as.tick =
            (iso_message_tick){.epoch = 1, .tick = 100003, .hashed_tick = 100003, .root = UINT64_C(0x0123456789ABCDEF)};
        break;
    case 6:
        *name = "Tick";
        storage->changes[0] = (iso_change){.kind = ISO_CHANGE_JOIN, .slot = 2, .slot_generation = 5};
        storage->sealed[0] = (iso_sealed_command){
            .slot = 0, .sequence = 3000, .command = {.kind = ISO_COMMAND_SET_CONTROL, .as.set_control = held}};
        storage->sealed[1] =
            (iso_sealed_command){.slot = 1,
                                 .sequence = 9,
                                 .moved = 2,
                                 .command = {.kind = ISO_COMMAND_APPLY_IMPULSE,
                                             .as.apply_impulse = {.body = {3, 1},
                                                                  .impulse = {-ISO_WIDE_ONE, ISO_WIDE_HALF},
                                                                  .point = {-ISO_WIDE_ONE, 3 * ISO_WIDE_HALF}}}};
        m.kind = ISO_MESSAGE_TICK;
        m.as.tick = (iso_message_tick){.epoch = 1,
                                       .tick = 100004,
                                       .hashed_tick = 100003,
                                       .root = 1,
                                       .changes = storage->changes,
                                       .change_count = 1,
                                       .commands = storage->sealed,
                                       .command_count = 2};
        break;
    case 7:
        *name = "Status";
        storage->results[0] = (iso_member_result){2999, ISO_OK, iso_id_pack(7, 1)};
        storage->results[1] = (iso_member_result){3000, ISO_ERR_NOT_OWNER, 0};
        m.kind = ISO_MESSAGE_STATUS;
        m.as.status = (iso_message_status){100004, 3000, 512, 0, 100001, storage->results, 2, false};
        break;
    case 8:
        *name = "Reject";
        m.kind = ISO_MESSAGE_REJECT;
        m.as.reject = (iso_message_reject){.sequence = 3001, .code = ISO_ERR_TICK_FUTURE, .detail = "too far ahead"};
        break;
    case 9:
        *name = "Hello";
        m.kind = ISO_MESSAGE_HELLO;
        m.as.hello = (iso_message_hello){
            .protocol_min = ISO_PROTOCOL_VERSION,
            .protocol_max = ISO_PROTOCOL_VERSION,
            .role = ISO_ROLE_PLAYER,
            .compressions = 3,
            .fingerprint = {.simulation_version = 1, .schema = 2, .arithmetic = 3},
            .session = "main",
            .member = "Zo\xC3\xAB",
            .has_resume = true,
            .resume = {
                .slot = 2, .slot_generation = 5, .epoch = 1, .tick = 100004, .root = UINT64_C(0x0123456789ABCDEF)}};
        for (uint8_t i = 0; i < 16; ++i) {
            m.as.hello.resume.uid[i] = i;
            m.as.hello.resume.secret[i] = (uint8_t)(0xF0 + i);
        }
        break;
    case 10:
        *name = "Rewind";
        m.kind = ISO_MESSAGE_REWIND;
        m.as.rewind = (iso_message_rewind){.tick = 100001, .root = UINT64_C(0x0123456789ABCDEF), .epoch = 2};
        break;
    case 11:
        *name = "RewindAnswer";
        m.kind = ISO_MESSAGE_REWIND_ANSWER;
        m.as.rewind_answer.is_restored = true;
        break;
    case 12:
        *name = "StateNotice";
        m.kind = ISO_MESSAGE_STATE_NOTICE;
        m.as.state_notice = (iso_message_state_notice){ISO_SESSION_PAUSED, 100004, ISO_LATE_MOVE, ISO_ERR_DESYNC};
        break;
    case 13:
        *name = "List";
        m.kind = ISO_MESSAGE_LIST;
        break;
    case 14:
        *name = "SessionList";
        storage->sessions[0] = (iso_session_info){.name = "main",
                                                  .state = ISO_SESSION_RUNNING,
                                                  .members = 2,
                                                  .slots = 32,
                                                  .spectators = 1,
                                                  .tick = 100004,
                                                  .tick_rate_hz = 60,
                                                  .game = "sandbox"};
        m.kind = ISO_MESSAGE_SESSION_LIST;
        m.as.session_list = (iso_message_session_list){storage->sessions, 1};
        break;
    case 15:
        *name = "DesyncNotice";
        m.kind = ISO_MESSAGE_DESYNC_NOTICE;
        m.as.desync_notice = (iso_message_desync_notice){2, 100004, 1, 2, ISO_DESYNC_HEAL};
        break;
    case 16:
        *name = "Members";
        storage->members[0] = (iso_member){ISO_ROLE_PLAYER, 3, ISO_PRESENCE_HERE, 7, "Zo\xC3\xAB"};
        m.kind = ISO_MESSAGE_MEMBERS;
        m.as.members = (iso_message_members){true, 0, storage->members, 1};
        break;
    case 17:
        *name = "Names";
        storage->names[0] = (iso_name){ISO_NAMED_BODY, 0, "ball"};
        storage->names[1] = (iso_name){ISO_NAMED_JOINT, 3, "hinge"};
        m.kind = ISO_MESSAGE_NAMES;
        m.as.names = (iso_message_names){storage->names, 2, 1};
        break;
    case 18:
        *name = "Notice";
        m.kind = ISO_MESSAGE_NOTICE;
        m.as.notice = (iso_message_notice){.text = "back in 5 minutes", .deadline_ms = 60000};
        break;
    default:
        *name = NULL;
        break;
    }
    return m;
}
#define EXAMPLE_COUNT 19

/// Reads hexadecimal pairs up to the line's end.
static size_t read_hex(const char **at, uint8_t *bytes) {
    size_t size = 0;
    while (**at != '\n' && **at != 0) {
        unsigned value;
        int taken;
        assert_int_equal(sscanf(*at, " %2x%n", &value, &taken), 1);
        bytes[size++] = (uint8_t)value;
        *at += taken;
    }
    return size;
}

static void test_codec_gives_the_bytes_of_the_documents_examples(void **state) {
    (void)state;
    static test_storage storage;
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    char *document = read_text("WIRE.md");
    const char *at = strstr(document, "\n## Examples\n");
    assert_non_null(at);
    for (size_t i = 0; i < EXAMPLE_COUNT; ++i) {
        const char *name;
        iso_message message = example(i, &storage, &name);
        uint8_t frame[512];
        size_t size = 0;
        assert_int_equal(iso_message_encode(&message, memory, sizeof(memory), frame + ISO_FRAME_HEADER_SIZE_MAX,
                                            sizeof(frame) - ISO_FRAME_HEADER_SIZE_MAX, &size),
                         ISO_OK);
        size_t header = iso_frame_header_write(frame, (uint32_t)size);
        memmove(frame + header, frame + ISO_FRAME_HEADER_SIZE_MAX, size);
        size += header;

        at = strstr(at, "\n    hex ");
        uint8_t written[512] = {0};
        size_t written_size = 0;
        bool found = at != NULL;
        if (found) {
            at += strlen("\n    hex ");
            written_size = read_hex(&at, written);
        }
        if (!found || written_size != size || memcmp(written, frame, size) != 0) {
            print_message("example %zu, %s:\n    hex", i, name);
            for (size_t k = 0; k < size; ++k) {
                print_message(" %02x", frame[k]);
            }
            fail_msg("\nexample %zu, a %s, is not what WIRE.md says", i, name);
        }
    }
    assert_null(strstr(at, "\n    hex "));
    free(document);
}
/// @}

/// With --write: keeps the descriptors as they are now. The target "documents".
static int write_descriptors(void) {
    static listing list;
    list_message(&list, &isostep__v1__envelope__descriptor);
    FILE *file = fopen(ISO_TEST_PROTO_DIR "/isostep/v1/descriptors.txt", "wb");
    if (file == NULL) {
        return 1;
    }
    const bool is_written = fwrite(list.text, 1, list.size, file) == list.size;
    return fclose(file) == 0 && is_written ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return write_descriptors();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec_descriptors_are_the_committed_ones),
        cmocka_unit_test(test_codec_types_nest_within_the_depth_limit),
        cmocka_unit_test(test_codec_document_has_every_message_field_and_code),
        cmocka_unit_test(test_codec_document_has_the_fields_of_commands_in_their_order),
        cmocka_unit_test(test_codec_gives_the_bytes_of_the_documents_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
