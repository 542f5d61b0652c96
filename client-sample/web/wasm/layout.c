/// The table of the structs that cross the border. Names of fields are those of the .proto files where a struct is one
/// of their messages, else those of the struct.
#include "layout.h"

#include "isostep/proto/messages.h"
#include "isostep/proto/recording.h"

// A module without worlds in space has nothing that belongs to them.
#ifdef ISO_ONLY_PLANE
#define SPACE_PART_LIST(X)
#define COMMAND_LIST ISO_COMMAND_PLANE_KIND_LIST
#else
#define SPACE_PART_LIST(X)                           \
    X(body3_def, iso_body3_def, "Body3Def")          \
    X(shape3_def, iso_shape3_def, "Shape3Def")       \
    X(joint3_frame, iso_joint3_frame, "Joint3Frame") \
    X(joint3_axis, iso_joint3_axis, "Joint3Axis")    \
    X(joint3_def, iso_joint3_def, "Joint3Def")
#define COMMAND_LIST ISO_COMMAND_KIND_LIST
#endif

/// The structs besides messages and commands. X(snake, type, name)
#define PART_LIST(X)                                       \
    X(envelope, iso_message, "Envelope")                   \
    X(command, iso_command, "Command")                     \
    X(body_def, iso_body_def, "BodyDef")                   \
    X(shape_def, iso_shape_def, "ShapeDef")                \
    X(joint_def, iso_joint_def, "JointDef")                \
    SPACE_PART_LIST(X)                                     \
    X(filter, iso_filter, "Filter")                        \
    X(change, iso_change, "Change")                        \
    X(sealed_command, iso_sealed_command, "SealedCommand") \
    X(member_result, iso_member_result, "CommandResult")   \
    X(fingerprint, iso_fingerprint, "Fingerprint")         \
    X(resume, iso_resume, "Resume")                        \
    X(limits, iso_member_limits, "Limits")                 \
    X(session_info, iso_session_info, "SessionInfo")       \
    X(member, iso_member, "Member")                        \
    X(name, iso_name, "Name")                              \
    /* Not on the wire. */                                 \
    X(config, iso_client_config, "config")                 \
    X(event, iso_client_event, "event")                    \
    X(action, iso_client_action, "action")                 \
    X(outcome, iso_client_outcome, "outcome")              \
    X(stats, iso_client_stats, "stats")                    \
    X(result, iso_command_result, "result")

/// Those that only worlds of one's own and recordings need. They are a table of their own, which the linker leaves out
/// of a module without.
#define RECORDING_PART_LIST(X)                          \
    X(definition, iso_world_def, "definition")          \
    X(input, iso_tick_input, "input")                   \
    X(recording, iso_recording, "recording")            \
    X(recording_header, iso_recording_header, "header") \
    X(recording_error, iso_recording_error, "fault")    \
    X(recording_frame, iso_recording_frame, "frame")    \
    X(recording_tick, iso_recording_tick, "recorded")   \
    X(tick_buffer, iso_recording_tick_buffer, "buffer") \
    X(keyframe, iso_recording_keyframe, "keyframe")     \
    X(recording_event, iso_recording_event, "note")

enum {
#define PART_ENUM(snake, type, name) OF_##snake,
    PART_LIST(PART_ENUM)
#define MESSAGE_ENUM(NAME, number, snake) OF_message_##snake,
        ISO_MESSAGE_KIND_LIST(MESSAGE_ENUM)
#undef MESSAGE_ENUM
#define COMMAND_ENUM(NAME, number, snake, worlds) OF_command_##snake,
            COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
                STRUCT_COUNT,
    OF_last_struct = STRUCT_COUNT - 1, // the first of the other table follows
    RECORDING_PART_LIST(PART_ENUM)
#undef PART_ENUM
        ALL_COUNT
};

// clang-format off: lists that read like the structs

/// A function that returns the fields of a struct, which is S in there.
#define FIELDS(snake, type, ...)                                            \
    static const iso__web_field *snake##_fields(void) {                     \
        typedef type S;                                                     \
        _Static_assert(sizeof(S) > 0, "a struct");                          \
        static const iso__web_field fields[] = {__VA_ARGS__{.name = NULL}}; \
        return fields;                                                      \
    }

#define SIZE_OF(field)   ((uint32_t)sizeof(((const S *)0)->field))
#define OFFSET_OF(field) ((uint32_t)offsetof(S, field))

/// The type of a number. An enumeration has the width and sign that the compiler gives it.
#define LONG_TYPE (sizeof(unsigned long) == 8 ? ISO__WEB_U64 : ISO__WEB_U32)
#define TYPE_OF(field)                          \
    _Generic(((const S *)0)->field, bool        \
             : ISO__WEB_BOOL, unsigned char     \
             : ISO__WEB_U8, unsigned short      \
             : ISO__WEB_U16, int                \
             : ISO__WEB_I32, unsigned int       \
             : ISO__WEB_U32, unsigned long      \
             : LONG_TYPE, long                  \
             : ISO__WEB_I64, long long          \
             : ISO__WEB_I64, unsigned long long \
             : ISO__WEB_U64)

#define TYPED(field, text, kind)  {.name = (text), .type = (kind), .offset = OFFSET_OF(field)},
#define SIZED(field, kind, most)  {.name = #field, .type = ISO__WEB_##kind, .offset = OFFSET_OF(field), .size = (most)},
#define NUMBER_AS(field, text)    TYPED(field, text, TYPE_OF(field))
#define NUMBER(field)             NUMBER_AS(field, #field)
#define ID(field)                 TYPED(field, #field, ISO__WEB_U64)
#define CODE(field)               TYPED(field, #field, ISO__WEB_CODE)
#define ADDRESS(field)            TYPED(field, #field, ISO__WEB_ADDRESS)
#define VECTOR(field, prefix)     NUMBER_AS(field.x, prefix "x") NUMBER_AS(field.y, prefix "y")
#define VECTOR3(field, prefix)    VECTOR(field, prefix) NUMBER_AS(field.z, prefix "z")
#define QUATERNION(field, prefix) VECTOR3(field, prefix) NUMBER_AS(field.w, prefix "w")
#define TEXT(field)               SIZED(field, TEXT, SIZE_OF(field))
#define BYTES(field)              SIZED(field, BYTES, SIZE_OF(field))
#define TEXT_AT(field, most)      SIZED(field, TEXT_AT, most)
#define PART_AS(field, text, snake) \
    {.name = (text), .type = ISO__WEB_STRUCT, .offset = OFFSET_OF(field), .of = OF_##snake},
#define COUNTED(field, text, kind, count, most, number) \
    {.name = (text),                                    \
     .type = ISO__WEB_##kind,                           \
     .offset = OFFSET_OF(field),                        \
     .size = (most),                                    \
     .count_offset = OFFSET_OF(count),                  \
     .count_size = SIZE_OF(count),                      \
     .of = (number)},
#define OPTIONAL(field, has, snake)         COUNTED(field, #field, STRUCT, has, 0, OF_##snake)
#define BLOCK(field, text, count)           COUNTED(field, text, BLOCK, count, SIZE_OF(field), 0)
#define BYTES_AT(field, text, count, most)  COUNTED(field, text, BYTES_AT, count, most, 0)
#define ARRAY_AT(field, count, most, snake) COUNTED(field, #field, ARRAY_AT, count, most, OF_##snake)

// ---- commands -------------------------------------------------------------------------------------

#define IS_SEGMENT (1u << ISO_SHAPE_SEGMENT)
#define IS_CUSTOM  ((1u << ISO_JOINT_USER) | (1u << ISO_JOINT_SYMBOLIC))

FIELDS(body_def, iso_body_def,
       NUMBER(type) VECTOR(position, "") NUMBER(angle) VECTOR(velocity, "velocity_") NUMBER(angular_velocity)
           NUMBER(tag))

FIELDS(filter, iso_filter, NUMBER(category) NUMBER(mask) NUMBER(group))

FIELDS(shape_def, iso_shape_def,
       NUMBER(kind) NUMBER(density) NUMBER(friction) NUMBER(restitution) NUMBER(radius)
           PART_AS(filter, "filter", filter) NUMBER(surface_speed) VECTOR(one_way, "one_way_")
               NUMBER_AS(is_sensor, "sensor") NUMBER(tag) NUMBER(radius_b){.name = "points",
                                                                           .type = ISO__WEB_POINTS,
                                                                           .offset = OFFSET_OF(points),
                                                                           .size = ISO_POLYGON_VERTICES_MAX,
                                                                           .count_offset = OFFSET_OF(point_count),
                                                                           .count_size = 1,
                                                                           .when = ~IS_SEGMENT},
       {.name = "segment",
        .type = ISO__WEB_NUMBERS64,
        .offset = OFFSET_OF(segment),
        .size = SIZE_OF(segment) / 8,
        .when = IS_SEGMENT}, )

#ifndef ISO_ONLY_PLANE
FIELDS(body3_def, iso_body3_def,
       NUMBER(type) VECTOR3(position, "") QUATERNION(rotation, "rotation_") VECTOR3(velocity, "velocity_")
           VECTOR3(angular_velocity, "angular_velocity_") NUMBER(tag))

FIELDS(shape3_def, iso_shape3_def,
       NUMBER(kind) NUMBER(density) NUMBER(friction) NUMBER(restitution) NUMBER(radius) NUMBER(offset)
           NUMBER_AS(is_sensor, "sensor") PART_AS(filter, "filter", filter) NUMBER(tag)
               QUATERNION(rotation, "rotation_"){.name = "points",
                                                 .type = ISO__WEB_POINTS3,
                                                 .offset = OFFSET_OF(points),
                                                 .size = ISO_HULL_VERTICES_MAX,
                                                 .count_offset = OFFSET_OF(point_count),
                                                 .count_size = 1}, )
#endif

#define JOINT_SWITCH(name, bit)             NUMBER(name)
#define JOINT_NUMBER(type, name, low, high) NUMBER(name)
FIELDS(joint_def, iso_joint_def,
       NUMBER(kind) ISO_JOINT_SWITCH_LIST(JOINT_SWITCH) ID(body_a) ID(body_b) ID(body_c) ID(body_d)
           VECTOR(anchor_a, "anchor_a_") VECTOR(anchor_b, "anchor_b_") VECTOR(anchor_c, "anchor_c_")
               VECTOR(anchor_d, "anchor_d_") VECTOR(axis, "axis_") VECTOR(target, "target_")
                   ISO_JOINT_NUMBER_LIST(JOINT_NUMBER) NUMBER(tag){.name = "constraint",
                                                                   .type = TYPE_OF(constraint),
                                                                   .offset = OFFSET_OF(constraint),
                                                                   .when = IS_CUSTOM},
       {.name = "params",
        .type = ISO__WEB_NUMBERS64,
        .offset = OFFSET_OF(params),
        .size = (SIZE_OF(params.vectors) + SIZE_OF(params.scalars)) / 8,
        .when = IS_CUSTOM}, )

#ifndef ISO_ONLY_PLANE
FIELDS(joint3_frame, iso_joint3_frame, VECTOR3(anchor, "anchor_") QUATERNION(rotation, "rotation_"))

FIELDS(joint3_axis, iso_joint3_axis,
       ISO_JOINT3_AXIS_SWITCH_LIST(JOINT_SWITCH) ISO_JOINT3_AXIS_NUMBER_LIST(JOINT_NUMBER))

FIELDS(joint3_def, iso_joint3_def,
       NUMBER(kind) ISO_JOINT3_SWITCH_LIST(JOINT_SWITCH) ID(body_a) ID(body_b) PART_AS(frame_a, "frame_a", joint3_frame)
           PART_AS(frame_b, "frame_b", joint3_frame) VECTOR3(target, "target_") ISO_JOINT3_NUMBER_LIST(JOINT_NUMBER)
               PART_AS(axes[0], "axis_0", joint3_axis) PART_AS(axes[1], "axis_1", joint3_axis)
                   PART_AS(axes[2], "axis_2", joint3_axis) NUMBER(tag){.name = "constraint",
                                                                       .type = TYPE_OF(constraint),
                                                                       .offset = OFFSET_OF(constraint),
                                                                       .when = IS_CUSTOM},
       {.name = "params",
        .type = ISO__WEB_PARTED64,
        .offset = OFFSET_OF(params.vectors3),
        .count_offset = OFFSET_OF(params.scalars),
        .of = SIZE_OF(params.vectors3) / 8,
        .size = (SIZE_OF(params.vectors3) + SIZE_OF(params.scalars)) / 8,
        .when = IS_CUSTOM}, )
#endif

/// One argument of a command, by its type.
#define ARG_BODY(field, wire)                    TYPED(field, #wire, ISO__WEB_U64)
#define ARG_SHAPE(field, wire)                   TYPED(field, #wire, ISO__WEB_U64)
#define ARG_JOINT(field, wire)                   TYPED(field, #wire, ISO__WEB_U64)
#define ARG_COMPOUND(field, wire)                TYPED(field, #wire, ISO__WEB_U64)
#define ARG_BLUEPRINT(field, wire)               NUMBER_AS(field, #wire)
#define ARG_BOOL(field, wire)                    NUMBER_AS(field, #wire)
#define ARG_U32(field, wire)                     NUMBER_AS(field, #wire)
#define ARG_FIX16(field, wire)                   NUMBER_AS(field, #wire)
#define ARG_WIDE(field, wire)                    NUMBER_AS(field, #wire)
#define ARG_VEC2(field, wire)                    VECTOR(field, #wire)
#define ARG_VEC2_WIDE(field, wire)               VECTOR(field, #wire)
#define ARG_BODY_TYPE(field, wire)               NUMBER_AS(field, #wire)
#define ARG_FILTER(field, wire)                  PART_AS(field, #wire, filter)
#define ARG_BODY_DEF(field, wire)                PART_AS(field, #wire, body_def)
#define ARG_SHAPE_DEF(field, wire)               PART_AS(field, #wire, shape_def)
#define ARG_JOINT_DEF(field, wire)               PART_AS(field, #wire, joint_def)
#define ARG_VEC3(field, wire)                    VECTOR3(field, #wire)
#define ARG_VEC3_WIDE(field, wire)               VECTOR3(field, #wire)
#define ARG_QUAT(field, wire)                    QUATERNION(field, #wire)
#define ARG_BODY3_DEF(field, wire)               PART_AS(field, #wire, body3_def)
#define ARG_SHAPE3_DEF(field, wire)              PART_AS(field, #wire, shape3_def)
#define ARG_JOINT3_DEF(field, wire)              PART_AS(field, #wire, joint3_def)
#define ARG_JOINT3_AXIS(field, wire)             PART_AS(field, #wire, joint3_axis)
#define ARG_BODY3_PARAMS(field, wire)            ISO_BODY3_NUMBER_LIST(PARAM_NUMBER) ISO_BODY3_SWITCH_LIST(PARAM_SWITCH)
#define ARG_CONTROL(field, wire)                 BLOCK(field, #wire, size)
#define ARG_PAYLOAD(field, wire)                 BLOCK(field, #wire, size)
#define PARAM_NUMBER(name, low, high, otherwise) NUMBER_AS(params.name, #name)
#define PARAM_SWITCH(name, bit, key)             NUMBER_AS(params.name, #name)
#define ARG_BODY_PARAMS(field, wire)             ISO_BODY_NUMBER_LIST(PARAM_NUMBER) ISO_BODY_SWITCH_LIST(PARAM_SWITCH)
#define ARG(type, field, wire, bound, unit)      ARG_##type(field, wire)

#define COMMAND_FIELDS(NAME, number, snake, worlds) \
    FIELDS(command_##snake, iso_command_##snake, ISO_COMMAND_##snake##_ARGS(ARG))
COMMAND_LIST(COMMAND_FIELDS)
#undef COMMAND_FIELDS

/// The arguments of a MEMBER carry its number where other fields carry conditions.
#define COMMAND_MEMBER(NAME, number, snake, worlds) \
    {.name = #snake, .type = ISO__WEB_MEMBER, .offset = OFFSET_OF(as), .of = OF_command_##snake, .when = (number)},
FIELDS(command, iso_command, COMMAND_LIST(COMMAND_MEMBER))

// ---- messages -------------------------------------------------------------------------------------

FIELDS(change, iso_change, NUMBER(kind) NUMBER(slot) NUMBER(slot_generation))

FIELDS(sealed_command, iso_sealed_command,
       NUMBER(slot) NUMBER(sequence) NUMBER(moved) PART_AS(command, "command", command))

FIELDS(member_result, iso_member_result, NUMBER(sequence) CODE(code) NUMBER(id))

FIELDS(fingerprint, iso_fingerprint,
       NUMBER(simulation_version) NUMBER(schema) NUMBER(arithmetic) TEXT(game) NUMBER(game_version) NUMBER(game_params))

FIELDS(resume, iso_resume,
       BYTES(uid) NUMBER(slot) NUMBER(slot_generation) BYTES(secret) NUMBER(epoch) NUMBER(tick) NUMBER(root))

FIELDS(limits, iso_member_limits,
       NUMBER(commands_per_tick) NUMBER(command_burst) NUMBER(ahead_ticks_max) NUMBER(late_ticks_max)
           NUMBER(input_bytes_per_second))

FIELDS(session_info, iso_session_info,
       TEXT(name) NUMBER(state) NUMBER(members) NUMBER(slots) NUMBER(spectators) NUMBER(tick) NUMBER(tick_rate_hz)
           TEXT(game))

FIELDS(member, iso_member, NUMBER(role) NUMBER(slot) NUMBER(slot_generation) NUMBER(presence) TEXT(name))

FIELDS(name, iso_name, NUMBER(of) NUMBER(index) TEXT_AT(name, ISO_NAME_MAX))

FIELDS(message_input, iso_message_input,
       NUMBER(target_tick) NUMBER(first_sequence) NUMBER(ack_tick)
           ARRAY_AT(commands, command_count, ISO_INPUT_COMMANDS_MAX, command))

FIELDS(message_tick, iso_message_tick,
       NUMBER(epoch) NUMBER(tick) ARRAY_AT(changes, change_count, ISO_TICK_CHANGES_MAX, change)
           ARRAY_AT(commands, command_count, ISO_TICK_COMMANDS_MAX, sealed_command) NUMBER(hashed_tick) NUMBER(root))

FIELDS(message_status, iso_message_status,
       NUMBER(server_tick) NUMBER(acked_sequence) NUMBER(margin_ticks_q8) NUMBER(late_count) NUMBER(durable_tick)
           ARRAY_AT(results, result_count, ISO_STATUS_RESULTS_MAX, member_result) NUMBER_AS(is_degraded, "degraded"))

FIELDS(message_ping, iso_message_ping, NUMBER(id) NUMBER(client_time_ns))
FIELDS(message_pong, iso_message_pong, NUMBER(id) NUMBER(client_time_ns) NUMBER(server_tick) NUMBER(fraction_q8))
FIELDS(message_confirm, iso_message_confirm, NUMBER(tick) NUMBER(root))
FIELDS(message_reject, iso_message_reject, NUMBER(sequence) CODE(code) TEXT(detail))

FIELDS(message_hello, iso_message_hello,
       NUMBER(protocol_min) NUMBER(protocol_max) NUMBER(role) NUMBER(compressions)
           PART_AS(fingerprint, "fingerprint", fingerprint) TEXT(session) TEXT(member) TEXT(build)
               OPTIONAL(resume, has_resume, resume) NUMBER(features) TEXT(password))

FIELDS(message_welcome, iso_message_welcome,
       NUMBER(protocol) TEXT(session) BYTES(uid) NUMBER(epoch) NUMBER(role) NUMBER(slot) NUMBER(tick)
           NUMBER(tick_rate_hz) PART_AS(limits, "limits", limits) NUMBER(scene_hash)
               PART_AS(fingerprint, "fingerprint", fingerprint) TEXT(control_layout) BYTES(secret) NUMBER(hold_ms)
                   NUMBER(late_policy) NUMBER(state) NUMBER(resumed) NUMBER(last_sequence) NUMBER(slot_generation)
                       NUMBER(silence_ms) NUMBER(features))

FIELDS(message_refusal, iso_message_refusal, CODE(code) TEXT(text) TEXT(expected))

FIELDS(message_snapshot_begin, iso_message_snapshot_begin,
       NUMBER(tick) NUMBER(epoch) NUMBER(raw_size) NUMBER(size) NUMBER(compression) NUMBER(chunk_count)
           NUMBER(chunk_size) NUMBER(root))

FIELDS(message_snapshot_chunk, iso_message_snapshot_chunk,
       NUMBER(index) BYTES_AT(bytes, "payload", size, ISO_SNAPSHOT_CHUNK_SIZE))
FIELDS(message_snapshot_ack, iso_message_snapshot_ack, NUMBER(index))
FIELDS(message_caught_up, iso_message_caught_up, NUMBER(tick) NUMBER(root))
FIELDS(message_activate, iso_message_activate, NUMBER(slot) NUMBER(slot_generation) NUMBER(join_tick))
FIELDS(message_leave, iso_message_leave, )
FIELDS(message_bye, iso_message_bye, CODE(code) TEXT(text))
FIELDS(message_rewind, iso_message_rewind, NUMBER(tick) NUMBER(root) NUMBER(epoch))
FIELDS(message_rewind_answer, iso_message_rewind_answer, NUMBER_AS(is_restored, "restored"))
FIELDS(message_state_notice, iso_message_state_notice, NUMBER(state) NUMBER(tick) NUMBER(late_policy) CODE(code))
FIELDS(message_notice, iso_message_notice, TEXT(text) NUMBER(deadline_ms))
FIELDS(message_list, iso_message_list, )
FIELDS(message_session_list, iso_message_session_list, ARRAY_AT(sessions, count, ISO_SESSION_LIST_MAX, session_info))
FIELDS(message_members, iso_message_members,
       NUMBER_AS(is_complete, "complete") NUMBER(spectators) ARRAY_AT(members, count, ISO_MEMBERS_MAX, member))
FIELDS(message_names, iso_message_names, ARRAY_AT(names, count, ISO_NAMES_MAX, name) NUMBER(left_out))
FIELDS(message_desync_report, iso_message_desync_report, NUMBER(tick) NUMBER(root))
FIELDS(message_desync_notice, iso_message_desync_notice,
       NUMBER(slot) NUMBER(tick) NUMBER(expected_root) NUMBER(actual_root) NUMBER(action))

#define MESSAGE_MEMBER(NAME, number, snake) \
    {.name = #snake, .type = ISO__WEB_MEMBER, .offset = OFFSET_OF(as), .of = OF_message_##snake, .when = (number)},
FIELDS(envelope, iso_message, ISO_MESSAGE_KIND_LIST(MESSAGE_MEMBER))

// ---- the client's interface -----------------------------------------------------------------------

FIELDS(config, iso_client_config,
       TEXT_AT(session, ISO_SESSION_NAME_MAX) TEXT_AT(name, ISO_MEMBER_NAME_MAX) NUMBER(role)
           TEXT_AT(password, ISO_PASSWORD_MAX) NUMBER(verify) NUMBER(lead_ticks) NUMBER(flip_at_tick)
               NUMBER(snapshot_size_max) NUMBER(world_size_max) NUMBER(image_memory) NUMBER(predict_frames)
                   NUMBER(interpolate) NUMBER(reconnect_ms) NUMBER(seed) NUMBER(sync_test_interval)
                       OPTIONAL(resume, has_resume, resume))

FIELDS(event, iso_client_event,
       NUMBER(kind) NUMBER(is_spare) NUMBER(status) ADDRESS(message) ADDRESS(bytes) NUMBER(size))

FIELDS(outcome, iso_client_outcome,
       NUMBER(tick) NUMBER(first) NUMBER(second) NUMBER(status) NUMBER(kind) NUMBER(mark) BYTES(bytes))

FIELDS(result, iso_command_result, NUMBER(status) NUMBER(id))

FIELDS(action, iso_client_action,
       NUMBER(kind) NUMBER(slot) NUMBER(is_spare) NUMBER(status) ADDRESS(message) ADDRESS(bytes) NUMBER(size)
           NUMBER(raw_size) NUMBER(tick) NUMBER(first_tick) NUMBER(last_tick) NUMBER(unpredicted) NUMBER(delay_ns)
               ARRAY_AT(commands, command_count, ISO_TICK_COMMANDS_MAX,
                        sealed_command){.name = "results",
                                        .type = ISO__WEB_ARRAY_AT,
                                        .offset = OFFSET_OF(results),
                                        .size = ISO_TICK_COMMANDS_MAX,
                                        .count_offset = OFFSET_OF(command_count),
                                        .count_size = SIZE_OF(command_count),
                                        .of = OF_result},
       ARRAY_AT(own_results, own_result_count, ISO_STATUS_RESULTS_MAX,
                member_result) ARRAY_AT(outcomes, outcome_count, UINT32_MAX, outcome) NUMBER(desync_action)
           ARRAY_AT(members, member_count, ISO_MEMBERS_MAX, member) NUMBER(is_complete) NUMBER(sequence) NUMBER(ours)
               NUMBER(theirs) NUMBER(deadline_ms) TEXT_AT(text, UINT32_MAX) TEXT_AT(expected, UINT32_MAX))

FIELDS(stats, iso_client_stats,
       NUMBER(first_tick) NUMBER(last_tick) NUMBER(last_root) NUMBER(roots_checked) NUMBER(desyncs) NUMBER(rtt_ns)
           NUMBER(rtt_min_ns) NUMBER(margin_q8) NUMBER(is_margin_known) NUMBER(server_tick_q8) NUMBER(last_target)
               NUMBER(inputs_sent) NUMBER(commands_sent) NUMBER(commands_refused) NUMBER(commands_lost)
                   NUMBER(clock_jumps) NUMBER(holds) NUMBER(predicted_tick) NUMBER(rollbacks) NUMBER(resteps)
                       NUMBER(max_rollback) NUMBER(rests) NUMBER(unpredicted) NUMBER(max_unpredicted)
                           NUMBER(outcomes_left_out) NUMBER(resumes) NUMBER(switches) NUMBER(rewinds) NUMBER(heals)
                               NUMBER(late_count) NUMBER(durable_tick) NUMBER(is_degraded) NUMBER(sync_test_copies))

FIELDS(definition, iso_world_def,
       NUMBER(dimensions) NUMBER(body_capacity) NUMBER(slot_capacity) NUMBER(tick_rate_hz) NUMBER(seed) TEXT(game))

FIELDS(input, iso_tick_input,
       NUMBER(tick) ARRAY_AT(changes, change_count, ISO_TICK_CHANGES_MAX, change)
           ARRAY_AT(commands, command_count, ISO_TICK_COMMANDS_MAX, sealed_command))

// ---- recordings -----------------------------------------------------------------------------------

FIELDS(recording_header, iso_recording_header,
       TEXT(build) TEXT(session) TEXT(scene_name) BYTES(uid) NUMBER(epoch) NUMBER(first_tick)
           PART_AS(fingerprint, "fingerprint", fingerprint) PART_AS(def, "def", definition)
               BYTES_AT(scene, "scene", scene_size, ISO_RECORDING_SCENE_SIZE_MAX) NUMBER(scene_hash))

FIELDS(recording, iso_recording,
       NUMBER(version) NUMBER(size) PART_AS(header, "header", recording_header) NUMBER(frames_offset) NUMBER(frames_end)
           NUMBER(is_sealed) NUMBER(is_degraded) NUMBER(goes_on) NUMBER(last_tick) NUMBER(tick_count)
               NUMBER(command_count) NUMBER(event_count) NUMBER(keyframe_count) NUMBER(has_root) NUMBER(root_tick)
                   NUMBER(root) NUMBER(torn_offset) NUMBER(durable_tick))

FIELDS(recording_error, iso_recording_error, NUMBER(status) NUMBER(offset) NUMBER(tick) TEXT_AT(what, UINT32_MAX))
FIELDS(recording_frame, iso_recording_frame, NUMBER(type) NUMBER(flags) NUMBER(size) ADDRESS(payload) NUMBER(offset))
FIELDS(recording_tick, iso_recording_tick,
       PART_AS(input, "input", input) NUMBER(has_root) NUMBER(hashed_tick) NUMBER(root))
FIELDS(tick_buffer, iso_recording_tick_buffer, )
FIELDS(keyframe, iso_recording_keyframe,
       NUMBER(tick) NUMBER(root) NUMBER(raw_size) NUMBER(stored_size) NUMBER(ticks_offset) NUMBER(offset))
FIELDS(recording_event, iso_recording_event,
       NUMBER(kind) NUMBER(slot) NUMBER(slot_generation) NUMBER(status) NUMBER(about_tick) NUMBER(root)
           NUMBER(other_root) TEXT(name))

// clang-format on

// ---- the table ------------------------------------------------------------------------------------

/// A kind stands first in its struct. The functions above give their tables when they are called: a list of arguments
/// names no struct, so its offsets need a scope with one.
_Static_assert(offsetof(iso_message, kind) == 0 && offsetof(iso_command, kind) == 0, "a kind is not the first byte");
_Static_assert(sizeof(iso__web_field) == 20, "src/layout.ts reads 20 bytes");

typedef struct described {
    const char *name;
    uint32_t size;
    const iso__web_field *(*fields)(void);
} described;

#define DESCRIBE_PART(snake, type, text) {(text), sizeof(type), snake##_fields},
#define DESCRIBE_MESSAGE(NAME, number, snake) \
    {"message_" #snake, sizeof(iso_message_##snake), message_##snake##_fields},
#define DESCRIBE_COMMAND(NAME, number, snake, worlds) \
    {"command_" #snake, sizeof(iso_command_##snake), command_##snake##_fields},
static const described all[STRUCT_COUNT] = {PART_LIST(DESCRIBE_PART) ISO_MESSAGE_KIND_LIST(DESCRIBE_MESSAGE)
                                                COMMAND_LIST(DESCRIBE_COMMAND)};

/// Writes the table of some structs, which ends with an empty one.
static void structs_write(const described *list, uint32_t count, iso__web_struct *to) {
    for (uint32_t i = 0; i < count; ++i) {
        to[i] = (iso__web_struct){.name = list[i].name, .size = list[i].size, .fields = list[i].fields()};
    }
}

__attribute__((export_name("iso_web_layout"))) const iso__web_struct *iso_web_layout(void) {
    static iso__web_struct structs[STRUCT_COUNT + 1];
    structs_write(all, STRUCT_COUNT, structs);
    structs[OF_envelope].members = "message";
    structs[OF_command].members = "kind";
    return structs;
}

static const described of_recordings[ALL_COUNT - STRUCT_COUNT] = {RECORDING_PART_LIST(DESCRIBE_PART)};

const iso__web_struct *iso_recording_layout(void) {
    static iso__web_struct structs[ALL_COUNT - STRUCT_COUNT + 1];
    structs_write(of_recordings, ALL_COUNT - STRUCT_COUNT, structs);
    return structs;
}
