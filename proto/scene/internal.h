/// What the files of the scene parser share.
///
///   text.c         strict JSON with comments: grammar, UTF-8, limits, duplicate keys
///   json.c         from a text to json-c's tree
///   include.c      a scene with the files that it includes, as one text
///   reader.c       typed reading of JSON values, with the path of what is wrong
///   parse.c        the whole scene: header, world, game, materials
///   element.c      the elements of /bodies, and bodies by name
///   group.c        counts, indices and names of what an element makes; what bodies of both kinds of worlds share
///   shape.c        materials, what shapes share, and those of the plane
///   body.c         bodies and generators of the plane
///   vector3.c      triples and rotations
///   shape3.c       shapes in space
///   heights3.c     fields of heights
///   body3.c        bodies in space
///   generate3.c    generators in space
///   joint.c        joints: kinds, bodies, anchors
///   joint_parts.c  what joints have besides
///   joint_made.c   the joints of generators
///   joint_name.c   the names of joints
///   joint3.c       joints in space: kinds, bodies, places
///   joint3_parts.c what joints in space have besides
///   joint3_made.c  the joints of chains and grids in space
///   work.c         what building takes, counted before it is done
///   nearest.c      names that are like one that is not there (isostep/proto/nearest.h)
///   custom.c       constraints, and the joints that use them
///   blueprint.c    blueprints and compounds
///   build.c        building a world
///   build3.c       building the bodies and joints of a world in space
///   scene.c        small accessors
///
/// A reader keeps an error; after it every read returns something harmless, so the code above reads straight through
/// and looks at the status where it loops or stops. Between elements that do not depend on each other it calls
/// iso__scene_recover, which continues when the caller wants more than one error.
#ifndef ISO_PROTO_SCENE_INTERNAL_H
#define ISO_PROTO_SCENE_INTERNAL_H

#include <json-c/json.h>

#include "isostep/proto/nearest.h"
#include "isostep/proto/scene.h"

/// A place in the JSON tree: a member of an object or an item of an array. Lives on the stack of its reader.
typedef struct iso__scene_node {
    const struct iso__scene_node *parent; // NULL for the scene itself
    const char *key;                      // NULL: an item
    size_t index;                         // of an item
    struct json_object *json;             // NULL also for a JSON null
    bool is_present;
} iso__scene_node;

typedef struct iso__scene_material {
    const char *name;
    fix16_t density, friction, restitution;
} iso__scene_material;

typedef enum iso__scene_layout {
    ISO__SCENE_SINGLE,  // "name"
    ISO__SCENE_ROW,     // "name[column]"
    ISO__SCENE_CHAIN,   // "name[column]", with joints
    ISO__SCENE_GRID,    // "name[column,row]", column by column
    ISO__SCENE_PYRAMID, // "name[column,row]", row by row, each a body shorter
    ISO__SCENE_COPIES,  // "name[column,row].member", copy by copy, row by row, with joints
    // Of space alone:
    ISO__SCENE_GRID3, // "name[column,row,layer]", column by column, in each row by row
    ISO__SCENE_BOND, // "name[column,row]", row by row, every other one with two halves at its ends, hence a body longer
    ISO__SCENE_PYRAMID3, // "name[column,row,layer]", row by row, column by column; each row is a square
} iso__scene_layout;

/// The bodies of one element of /bodies.
typedef struct iso__scene_group {
    const char *name;
    uint32_t element;
    uint32_t first_body;
    uint32_t columns, rows, layers; // of row 0 where rows differ
    uint32_t members;               // bodies of one copy
    iso__scene_layout layout;
} iso__scene_group;

typedef struct iso__scene_reader {
    iso_scene *scene;
    iso_status status;
    iso_scene_error *error;  // the next one; never NULL
    uint32_t error_count;    // that were passed over, and are kept
    uint32_t fault_count;    // that were passed over
    uint32_t error_capacity; // that the caller wants
    const iso_game *const *games;
    uint32_t game_count;
    bool is_game_wrong;      // the scene names a game that it cannot have, so nobody knows which constraints that has
    uint64_t world_size_max; // [bytes] of the world
    uint64_t work, work_max; // in thousandths of a unit, see work.c; UINT64_MAX: the author is trusted

    iso__scene_material materials[ISO_SCENE_MEMBERS_MAX];
    uint32_t material_count;
    iso__scene_group *groups;         // by element
    const iso__scene_group **by_name; // the same, sorted by name
    uint32_t group_count;

    uint32_t copy_first, copy_count; // the bodies of the copy whose joints are read, else 0
    iso_vec2_wide copy_offset;       // its place
    iso_vec3_wide copy_offset3;      // its place in space
    uint32_t world_body;             // what stands for the world where it is joined to; 0: none, else its index and 1
    char copy_prefix[ISO_SCENE_BODY_NAME_MAX - ISO_SCENE_NAME_MAX + 1]; // "doll[3,5]." before the names of its joints

    uint32_t body_capacity, shape_capacity, joint_capacity; // of the scene's arrays, in items
    uint32_t names_size, names_capacity;                    // bytes
    const char *program_names[ISO_PROGRAM_CAPACITY_MAX];    // of the scene's programs
    uint32_t custom_joint_count;
} iso__scene_reader;

/// A range of numbers, ends included but for `above`.
typedef struct iso__scene_range {
    iso_wide min, max;
    bool is_open_below;    // min itself is not allowed
    const char *expected;  // NULL: made from the numbers
    bool has_special_zero; // 0 stands for something else, so what is not 0 must not be rounded to it
} iso__scene_range;

#define ISO__SCENE_RANGE(low, high) ((iso__scene_range){(low)*ISO_WIDE_ONE, (high)*ISO_WIDE_ONE, false, NULL, false})
#define ISO__SCENE_ABOVE(low, high) ((iso__scene_range){(low)*ISO_WIDE_ONE, (high)*ISO_WIDE_ONE, true, NULL, false})
#define ISO__SCENE_OR_ZERO(high)    ((iso__scene_range){0, (high)*ISO_WIDE_ONE, false, NULL, true})

/// Ranges that several kinds of things share, in the plane and in space.
#define ISO__SCENE_POSITION_RANGE ISO__SCENE_RANGE(-ISO_POSITION_MAX_M, ISO_POSITION_MAX_M)
#define ISO__SCENE_ANCHOR_RANGE   ISO__SCENE_RANGE(-ISO_SHAPE_EXTENT_MAX_M, ISO_SHAPE_EXTENT_MAX_M) // in a body's frame
#define ISO__SCENE_SIZE_RANGE     ISO__SCENE_ABOVE(0, ISO_SHAPE_EXTENT_MAX_M)                       // of a shape
// What is below the least size, another one in the plane and in space, is refused as a shape of that size.
#define ISO__SCENE_RADIUS_OF(text) \
    ((iso__scene_range){0, ISO_SHAPE_EXTENT_MAX_M * ISO_WIDE_ONE, true, "a number from " text " to 60", false})
#define ISO__SCENE_RADIUS_RANGE  ISO__SCENE_RADIUS_OF("0.001")
#define ISO__SCENE_RADIUS3_RANGE ISO__SCENE_RADIUS_OF("0.00025")
#define ISO__SCENE_VALUE_RANGE   ISO__SCENE_RANGE(-32767, 32767) // angles, speeds, directions
#define ISO__SCENE_LENGTH_RANGE  ISO__SCENE_RANGE(0, 32767)
#define ISO__SCENE_MOST_RANGE    ISO__SCENE_OR_ZERO(2147483647) // a largest force or torque; 0: there is none

/// Whether a coordinate that was computed, [m], is one that the world has.
static inline bool iso__scene_is_coordinate(iso_wide x) {
    return x >= -ISO_POSITION_MAX_M * ISO_WIDE_ONE && x <= ISO_POSITION_MAX_M * ISO_WIDE_ONE;
}

/// @name work.c
/// @{

#define ISO__SCENE_WORK_BYTE 100u // of the text, whose values are read

/// What the bodies of an element take, before they are there.
typedef struct iso__scene_load {
    uint64_t shapes;
    uint64_t work; // [thousandths of a unit] of bodies and shapes
} iso__scene_load;

/// Adds `times` bodies that share these shapes of the scene.
void iso__scene_load_add(iso__scene_load *load, const iso__scene_reader *reader, uint32_t shape_first,
                         uint32_t shape_count, uint64_t times);
/// Counts the work of bodies before they are made.
/// @return false, of this and the next four: it is more than a sent scene may take, and the error says so of the node
bool iso__scene_work_group(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_load *load);
/// Counts the work of bodies in a grid that become static.
bool iso__scene_work_fix(iso__scene_reader *reader, const iso__scene_node *node, uint64_t bodies);
bool iso__scene_work_joint(iso__scene_reader *reader, const iso__scene_node *node);
/// Counts reading the joints of copies before they are read, each once for every copy.
bool iso__scene_work_copies(iso__scene_reader *reader, const iso__scene_node *joints, const iso__scene_group *group);
/// Counts a compound before it is counted in the scene.
bool iso__scene_work_compound(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene *parts);
/// @}

/// @name text.c
/// @{

/// Checks that the text is one JSON object, strictly as RFC 8259 specifies except for comments, and within the limits
/// of scene.h. json-c alone would take NaN and single quotes, merge duplicate keys, and clamp large integers.
/// @param was_sent  the limits are those of a text that was sent
/// @param plain     a copy of the text, in which comments are replaced by spaces
bool iso__scene_check_text(const char *text, size_t size, bool was_sent, char *plain, iso_scene_error *error);

/// Finds the value of a path in a text that iso__scene_check_text takes. @return false: there is none
bool iso__scene_find(const char *text, size_t size, const char *path, size_t *start, size_t *end);
/// Sets line and column of an error.
void iso__scene_place(const char *text, size_t size, size_t at, iso_scene_error *error);

/// Appends to a zero-terminated string; what does not fit is cut, never within a UTF-8 sequence.
void iso__scene_append(char *to, size_t capacity, const char *from, size_t size);
/// Appends one step of a JSON pointer: "/key" with ~ and / escaped.
void iso__scene_append_key(char *to, size_t capacity, const char *key, size_t size);
void iso__scene_append_index(char *to, size_t capacity, size_t index);
/// @}

/// @name json.c
/// @{

/// The text as JSON, to be given back by json_object_put. @param was_sent  as above
/// @return ISO_OK; ISO_ERR_SCENE_INVALID; ISO_ERR_MEMORY
iso_status iso__scene_parse_text(const char *text, size_t size, bool was_sent, struct json_object **json,
                                 iso_scene_error *error);

/// Overwrites what has had a password and is not read any more: a compiler may leave out a store that is not volatile.
void iso__scene_wipe(char *bytes, size_t size);
/// @}

/// @name reader.c
/// @{

/// Notes that the value at `node` is not what was expected. Only the first call has an effect.
void iso__scene_invalid(iso__scene_reader *reader, const iso__scene_node *node, const char *expected);
/// The same of a name that is not there, with those that are like it.
void iso__scene_invalid_name(iso__scene_reader *reader, const iso__scene_node *node, const char *expected,
                             const iso_nearest *nearest);
void iso__scene_out_of_memory(iso__scene_reader *reader);
/// Continues after an error, if the caller wants more. One that has the same path but for the numbers in it, and
/// expects the same, as one before is counted there. @return false when it stops at that error
bool iso__scene_recover(iso__scene_reader *reader);

/// A member of an object. Its absence is noted in the node; the readers of values decide.
iso__scene_node iso__scene_member(const iso__scene_node *object, const char *key);
iso__scene_node iso__scene_item(const iso__scene_node *array, size_t index);

/// Checks that the node is an object with no keys but those listed, separated by single spaces.
bool iso__scene_object(iso__scene_reader *reader, const iso__scene_node *node, const char *keys);
/// Whether the node is a number that is written as 0, however it is rounded.
bool iso__scene_is_zero(const iso__scene_node *node);
/// The length of the array at the node, which must be within the bounds; 0 after an error.
size_t iso__scene_array(iso__scene_reader *reader, const iso__scene_node *node, size_t min, size_t max);

/// Whether the scene's world has three dimensions.
static inline bool iso__scene_is_space(const iso__scene_reader *reader) {
    return reader->scene->def.dimensions == 3;
}

/// Readers of values. Where a `fallback` is given, the member may be missing.
iso_wide iso__scene_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
fix16_t iso__scene_fix16(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
uint64_t iso__scene_uint(iso__scene_reader *reader, const iso__scene_node *node, uint64_t min, uint64_t max);
int32_t iso__scene_int_in(iso__scene_reader *reader, const iso__scene_node *node, int32_t min, int32_t max);
int32_t iso__scene_int32(iso__scene_reader *reader, const iso__scene_node *node);
bool iso__scene_bool(iso__scene_reader *reader, const iso__scene_node *node);
/// An array of `count` numbers; zeros after an error.
void iso__scene_numbers(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range, size_t count,
                        iso_wide *numbers);
iso_vec2 iso__scene_vec2(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
iso_vec2_wide iso__scene_vec2_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
/// "" after an error.
const char *iso__scene_string(iso__scene_reader *reader, const iso__scene_node *node, size_t size_max,
                              const char *expected);
/// A name of letters, digits, "_" and "-".
const char *iso__scene_name(iso__scene_reader *reader, const iso__scene_node *node);
bool iso__scene_is_name(const char *text);
/// The number of the word among those listed, separated by single spaces; 0 after an error.
uint32_t iso__scene_word(iso__scene_reader *reader, const iso__scene_node *node, const char *words);
/// The same; a word among `others`, which worlds with another number of dimensions know, is told apart from nonsense.
uint32_t iso__scene_word_of(iso__scene_reader *reader, const iso__scene_node *node, const char *words,
                            const char *others);
/// The member "owner", or no owner.
iso_owner iso__scene_owner(iso__scene_reader *reader, const iso__scene_node *object);

/// Refuses a word that other engines or the other kind of worlds use for one of ours, and says what it is here.
/// @param names  `count` pairs of theirs, and what is expected instead
void iso__scene_refuse_name(iso__scene_reader *reader, const iso__scene_node *node, const char *const (*names)[2],
                            size_t count);

/// Members with a fallback: reader(member) when it is present.
bool iso__scene_bool_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key, bool fallback);
fix16_t iso__scene_fix16_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, fix16_t fallback);
iso_wide iso__scene_wide_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, iso_wide fallback);
uint64_t iso__scene_uint_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key, uint64_t min,
                            uint64_t max, uint64_t fallback);
iso_vec2 iso__scene_vec2_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, iso_vec2 fallback);

/// Room for `count` more items in a growing array.
bool iso__scene_reserve(iso__scene_reader *reader, void **items, uint32_t *capacity, uint32_t used, uint32_t count,
                        size_t item_size);
/// @}

/// @name shape.c
/// @{

/// The kinds of shapes in the plane, and in space.
#define ISO__SCENE_SHAPES  "circle box polygon capsule segment chain"
#define ISO__SCENE_SHAPES3 "sphere capsule box hull plane heights"

/// What every shape has.
typedef struct iso__scene_surface {
    iso__scene_material material;
    iso_filter filter;
    bool is_sensor;
    uint32_t tag;
} iso__scene_surface;

void iso__scene_read_materials(iso__scene_reader *reader, const iso__scene_node *node);
iso__scene_surface iso__scene_read_surface(iso__scene_reader *reader, const iso__scene_node *shape);
/// Reads an array of shapes to the end of the scene's list; returns how many.
uint32_t iso__scene_read_shapes(iso__scene_reader *reader, const iso__scene_node *node);
/// @}

/// @name element.c
/// @{
void iso__scene_read_bodies(iso__scene_reader *reader, const iso__scene_node *node);
/// The index of the body that the string at `node` names.
uint32_t iso__scene_read_body_reference(iso__scene_reader *reader, const iso__scene_node *node);
/// @}

/// @name group.c
/// @{

/// What bodies of the plane and of space share.
typedef struct iso__scene_body_base {
    uint8_t type;
    uint32_t tag;
    iso_owner owner;
    iso_wide mass; // 0: of the shapes
} iso__scene_body_base;

/// How many bodies a group has, and how many columns and layers there are in one of its rows.
uint64_t iso__scene_group_count(const iso__scene_group *group);
uint32_t iso__scene_group_columns(const iso__scene_group *group, uint32_t row);
uint32_t iso__scene_group_layers(const iso__scene_group *group, uint32_t row);
/// The index of a body in a group, the first one of a copy; the place must be within it.
uint32_t iso__scene_group_body(const iso__scene_group *group, uint32_t column, uint32_t row, uint32_t layer);

/// Fits the bodies of a group into the world's capacities, with room for them and their names; they come next.
/// @param load  what all of them take
bool iso__scene_group_reserve(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                              const iso__scene_load *load);
/// Writes the name of a body, for which there is room. @return its offset
uint32_t iso__scene_group_name(iso__scene_reader *reader, const iso__scene_group *group, const char *member,
                               uint32_t column, uint32_t row, uint32_t layer);

/// A group of one body.
void iso__scene_read_single(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group);
iso__scene_body_base iso__scene_read_body_base(iso__scene_reader *reader, const iso__scene_node *node);
/// A count of a generator.
uint32_t iso__scene_group_number(iso__scene_reader *reader, const iso__scene_node *node, const char *key);
/// A generator of copies, except for its steps, bodies and joints.
void iso__scene_read_copies(iso__scene_reader *reader, const iso__scene_node *node, const char *keys,
                            iso__scene_group *group);
/// The name of what is copied, which no earlier member has.
const char *iso__scene_read_member_name(iso__scene_reader *reader, const iso__scene_node *bodies, uint32_t index);
/// The filter's group of a copy.
int32_t iso__scene_filter_group(iso__scene_reader *reader, const iso__scene_node *node, int32_t first, int64_t by);
/// @}

/// @name body.c
/// @{

/// The generators in the plane, and in space.
#define ISO__SCENE_GENERATORS  "row chain grid pyramid copies"
#define ISO__SCENE_GENERATORS3 "row chain grid wall pyramid3 ring copies"

void iso__scene_read_body(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group);
void iso__scene_read_generator(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group);
/// How far a copy is from the first.
iso_vec2_wide iso__scene_copy_offset(iso__scene_reader *reader, const iso__scene_node *node, uint32_t column,
                                     uint32_t row);
/// @}

/// @name vector3.c, shape3.c, body3.c, generate3.c, build3.c
/// @{

/// What the bodies of one element have in common; the position keeps its full width.
typedef struct iso__scene_template3 {
    iso_body3_def def;
    iso_vec3_wide position;
    iso_wide mass, moments[3]; // 0: of the shapes
    uint32_t shape_first, shape_count;
    const char *name; // of a copy's member
} iso__scene_template3;

iso_vec3_wide iso__scene_vec3_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
/// A member that may be missing, which is zero then.
iso_vec3_wide iso__scene_vec3_wide_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                                      iso__scene_range range);
iso_vec3 iso__scene_vec3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range);
iso_vec3 iso__scene_vec3_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range);
/// A direction with 30 bits, of any length; (2^30, 0, 0) after an error.
iso_vec3 iso__scene_direction(iso__scene_reader *reader, const iso__scene_node *node);
/// The member "rotation", or no rotation.
iso_quat iso__scene_rotation(iso__scene_reader *reader, const iso__scene_node *object);

/// The field of heights of a shape. @return its number in the scene; 0 after an error
uint32_t iso__scene_read_heights(iso__scene_reader *reader, const iso__scene_node *shape);

/// As iso__scene_read_shapes. @param is_static  whether the body is, which alone may have planes and heights
uint32_t iso__scene_read_shapes3(iso__scene_reader *reader, const iso__scene_node *node, bool is_static);

void iso__scene_read_body3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group);
/// What a generator makes its bodies from.
void iso__scene_read_template3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_template3 *out);
/// One of those that a generator copies, which has a name besides.
void iso__scene_read_member3(iso__scene_reader *reader, const iso__scene_node *bodies, uint32_t index,
                             iso__scene_template3 *out);
/// Appends one body; there is room for it. @param offset  from the template's position
void iso__scene_append3(iso__scene_reader *reader, const iso__scene_node *step, const iso__scene_group *group,
                        const iso__scene_template3 *template, const uint32_t place[3], iso_vec3_wide offset);

/// How far a copy is from the first.
iso_vec3_wide iso__scene_copy_offset3(iso__scene_reader *reader, const iso__scene_node *node, uint32_t column,
                                      uint32_t row);
void iso__scene_read_generator3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group);

/// Creates a body and a joint of a scene in space.
iso_status iso__scene_build_body3(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error);
iso_status iso__scene_build_joint3(const iso_scene *scene, uint32_t index, iso_world *world, iso_scene_error *error);
/// @}

/// @name scene.c
/// @{
/// Says which element of the scene the world refused.
iso_status iso__scene_build_refuse(iso_status status, const char *list, uint32_t element, const char *name,
                                   const char *text, iso_scene_error *error);
/// @}

/// @name custom.c
/// @{
/// Compiles the scene's constraints.
void iso__scene_read_constraints(iso__scene_reader *reader, const iso__scene_node *node);
/// Reads constraint, bodies and parameters of a USER or SYMBOLIC joint.
void iso__scene_read_custom(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint);
void iso__scene_read_custom3(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint3 *joint);
/// @}

/// @name blueprint.c
/// @{
/// Reads blueprints; constraints and materials have been read.
void iso__scene_read_blueprints(iso__scene_reader *reader, const iso__scene_node *node);
/// Reads compounds; all else has been read.
void iso__scene_read_compounds(iso__scene_reader *reader, const iso__scene_node *node);
/// @}

/// @name joint.c, joint_parts.c, joint_made.c, joint_name.c
/// @{

/// A joint without its bodies.
typedef struct iso__scene_joint_template {
    iso_joint_def def;
    bool measures_rest, measures_reference; // they are what the places of the bodies make them
} iso__scene_joint_template;

/// Where the numbers of "break" go in a definition of the plane or of space.
typedef struct iso__scene_break {
    iso_wide *force, *torque, *error, *angle;
    bool *removes;
} iso__scene_break;

#define ISO__SCENE_BREAK(def)                                                                                        \
    &(iso__scene_break) {                                                                                            \
        &(def)->break_force, &(def)->break_torque, &(def)->break_error, &(def)->break_angle, &(def)->remove_on_break \
    }

/// Likewise of "spring".
typedef struct iso__scene_spring {
    fix16_t *hertz, *damping_ratio, *rest;
    iso_wide *stiffness, *damping, *max;
    bool *enabled;
} iso__scene_spring;

#define ISO__SCENE_SPRING(of)                                                                                          \
    &(iso__scene_spring) {                                                                                             \
        &(of)->spring_hertz, &(of)->spring_damping_ratio, &(of)->rest, &(of)->spring_stiffness, &(of)->spring_damping, \
            &(of)->spring_max, &(of)->spring_enabled                                                                   \
    }

/// Of joints in the plane and in space. A threshold for what a kind does not have would never be passed, so it is no
/// key.
void iso__scene_read_break(iso__scene_reader *reader, const iso__scene_node *node, bool has_error, bool has_angle,
                           iso__scene_break *out);
/// A spring by its frequency, or by stiffness and damping. @param has_rest  else its rest is the joint's own
void iso__scene_read_spring(iso__scene_reader *reader, const iso__scene_node *node, bool has_rest,
                            iso__scene_spring *out);
void iso__scene_read_motor(iso__scene_reader *reader, const iso__scene_node *node, fix16_t *speed, iso_wide *max,
                           bool *enabled);

/// The kinds of joints in the plane, and in space, each followed by a space.
#define ISO__SCENE_JOINT_WORD(name, number, snake, has)                                        #snake " "
#define ISO__SCENE_JOINT3_WORD(name, number, snake, linear, angular, axis0, axis1, axis2, has) #snake " "
#define ISO__SCENE_JOINTS                                                                      ISO_JOINT_KIND_LIST(ISO__SCENE_JOINT_WORD)
#define ISO__SCENE_JOINTS3                                                                     ISO_JOINT3_KIND_LIST(ISO__SCENE_JOINT3_WORD) ISO_JOINT3_CUSTOM_LIST(ISO__SCENE_JOINT3_WORD)

/// Room for the keys of iso__scene_joint_keys.
#define ISO__SCENE_JOINT_KEYS 224

/// The joints of the generators, in the order of their elements.
void iso__scene_generate_joints(iso__scene_reader *reader, const iso__scene_node *bodies);
/// Reads one joint of the list of an element.
void iso__scene_read_joint(iso__scene_reader *reader, const iso__scene_node *node, uint32_t element, bool generated);
/// The number of the kind that the string at `node` names.
uint8_t iso__scene_joint_kind(iso__scene_reader *reader, const iso__scene_node *node);
/// The keys of iso__scene_read_joint_parts that a kind with these parts may have, each after a space.
void iso__scene_joint_keys(uint32_t has, char *keys, size_t size);
/// Reads what does not depend on the bodies. The kind stands in the template already.
void iso__scene_read_joint_parts(iso__scene_reader *reader, const iso__scene_node *node,
                                 iso__scene_joint_template *template);
/// Sets both anchors of a joint to one point of the world.
void iso__scene_joint_at(iso__scene_reader *reader, const iso__scene_node *node, iso_vec2 point,
                         iso_scene_joint *joint);
/// Reads the member "name" and keeps it behind the prefix of the copy. @return its offset; UINT32_MAX: there is none
uint32_t iso__scene_read_joint_name(iso__scene_reader *reader, const iso__scene_node *node);
/// Checks that no two joints of an array have the same name. What is no joint or no name is left to who reads it.
void iso__scene_check_joint_names(iso__scene_reader *reader, const iso__scene_node *joints);
/// Room for one more joint within the world's capacity.
bool iso__scene_joint_reserve(iso__scene_reader *reader, const iso__scene_node *node);
/// Measures what the places decide and appends the joint.
void iso__scene_joint_append(iso__scene_reader *reader, const iso__scene_node *node,
                             const iso__scene_joint_template *template, iso_scene_joint *joint);
/// @}

/// @name joint3.c, joint3_parts.c, joint3_made.c
/// @{

/// A joint in space without its bodies.
typedef struct iso__scene_joint3_template {
    iso_joint3_def def;
    iso_vec3 axis, axis_b; // of the world, as iso__scene_direction gives them; zero where the kind has none
    bool measures_length;  // it is what the places of the bodies make it
} iso__scene_joint3_template;

/// Room for the keys of iso__scene_joint3_keys.
#define ISO__SCENE_JOINT3_KEYS 224

uint8_t iso__scene_joint3_kind(iso__scene_reader *reader, const iso__scene_node *node);
/// The keys of iso__scene_read_joint3_parts that a kind may have, each after a space.
void iso__scene_joint3_keys(uint8_t kind, char *keys, size_t size);
/// The keys of anchors in the bodies' frames and of axes that a kind may have, each after a space.
void iso__scene_joint3_axis_keys(uint8_t kind, char *keys, size_t size);
void iso__scene_read_joint3_axes(iso__scene_reader *reader, const iso__scene_node *node,
                                 iso__scene_joint3_template *template);
/// Reads what does not depend on the bodies. The kind stands in the template already.
void iso__scene_read_joint3_parts(iso__scene_reader *reader, const iso__scene_node *node,
                                  iso__scene_joint3_template *template);
/// Puts a joint between its bodies with its axes, both anchors at a point of the world where the kind has one, and
/// appends it.
void iso__scene_joint3_append(iso__scene_reader *reader, const iso__scene_node *node, iso_vec3_wide point,
                              const iso__scene_joint3_template *template, iso_scene_joint3 *joint);
void iso__scene_chain_joints3(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group);
void iso__scene_grid_joints3(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group);
void iso__scene_read_joint3(iso__scene_reader *reader, const iso__scene_node *node, uint32_t element, bool generated);
/// @}

#endif
