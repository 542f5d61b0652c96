/// Scenes: the initial state of a world, written as JSON.
///
/// proto/SCENE.md documents the format. A scene is read once, at start, by server, replay tool and tests;
/// clients get their world from a snapshot. Decimals become fixed point without passing through floating
/// point, generators are expanded in a specified order, so a scene's text determines its world bit for bit.
///
/// Unlike the core, these functions allocate (malloc) and may be slow. They keep no state.
#ifndef ISOSTEP_PROTO_SCENE_H
#define ISOSTEP_PROTO_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/allocator.h"
#include "isostep/body3.h"
#include "isostep/game.h"
#include "isostep/heights.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"
#include "isostep/status.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_SCENE_FORMAT          1        // the value of "format"
#define ISO_SCENE_SIZE_MAX        67108864 // bytes of the text, with all that it includes
#define ISO_SCENE_DEPTH_MAX       12       // nested arrays and objects
#define ISO_SCENE_VALUES_MAX      4194304  // numbers, strings, arrays, objects, … in the text
#define ISO_SCENE_SENT_SIZE_MAX   1048576  // bytes of a text that was sent: its author is not trusted
#define ISO_SCENE_SENT_VALUES_MAX 65536    // and its values: its tree is several times its size
#define ISO_SCENE_SENT_WORK_MAX   500000   // and what building it takes, in units of about a microsecond
#define ISO_SCENE_MEMBERS_MAX     256      // of one object
#define ISO_SCENE_NUMBER_MAX      64       // characters of one number
#define ISO_SCENE_NAME_MAX        31       // characters of a scene's, body's, joint's, generator's or material's name
#define ISO_SCENE_BODY_NAME_MAX   87       // characters of a generated name: "doll[1048575,1048575].arm"
#define ISO_SCENE_DESCRIPTION_MAX 1023     // bytes
#define ISO_SCENE_BODY_SHAPES_MAX 64       // shapes of one body
#define ISO_SCENE_COPY_BODIES_MAX 256      // bodies of a copied group

#define ISO_SCENE_FILES_MAX   64  // of a scene, itself among them
#define ISO_SCENE_INCLUDE_MAX 8   // depth of files that include each other
#define ISO_SCENE_PATH_MAX    255 // bytes of a file's path in the scene's folder

/// Where a scene is wrong.
typedef struct iso_scene_error {
    char file[ISO_SCENE_PATH_MAX + 1]; // that the scene includes, from the scene's folder; "" is the scene's own
    char path[256];                    // JSON pointer (RFC 6901): "/bodies/3/shapes/0/radius"; "" is the whole scene
    char value[128];                   // the value there, as JSON, cut when it is longer; "nothing" when it is missing
    char expected[384];                // "a number above 0, at most 60"
    char nearest[128]; // names that are like the one that is not there: "'ground', 'round'"; "" if there are none
    uint32_t more;     // of iso_scene_check: how many more errors are of the same kind, at other bodies or joints
    uint32_t line;     // of the text, from 1: where the value begins, or, when it is missing, what should hold it; 0:
                       // unknown, after iso_scene_build
    uint32_t column;   // bytes from 1, else 0
} iso_scene_error;

/// A body of the scene. In an empty world it gets the index that it has in the scene.
typedef struct iso_scene_body {
    iso_body_def def;
    uint32_t shape_first; // its shapes are shapes[shape_first] and the following; generated bodies share them
    uint32_t shape_count;
    iso_wide mass, inertia; // as for iso_body_set_mass; 0: of the shapes
    uint32_t name_offset;   // into names
    uint32_t element;       // created by /bodies/<element>
} iso_scene_body;

/// A body of a scene in space, likewise.
typedef struct iso_scene_body3 {
    iso_body3_def def;
    uint32_t shape_first; // its shapes are shapes3[shape_first] and the following
    uint32_t shape_count;
    iso_wide mass, moments[3]; // as for iso_body3_set_mass; 0: of the shapes
    uint32_t name_offset;      // into names
    uint32_t element;          // created by /bodies/<element>
} iso_scene_body3;

/// A joint of the scene. The handles in `def` are null; iso_scene_build sets them.
typedef struct iso_scene_joint {
    iso_joint_def def;
    uint32_t body_a;         // index into bodies; UINT32_MAX for a TARGET joint, or a constraint of one body
    uint32_t body_b;         // index into bodies
    uint32_t body_c, body_d; // likewise; UINT32_MAX unless the joint has as many bodies
    uint32_t element;        // created by /joints/<element>, or by /bodies/<element> when generated
    bool is_generated;
    uint32_t name_offset; // into names; UINT32_MAX: it has none
} iso_scene_joint;

/// A joint of a scene in space, likewise. A body of the scene's stands for the world where it joins one to that.
typedef struct iso_scene_joint3 {
    iso_joint3_def def;
    uint32_t body_a;  // index into bodies3; UINT32_MAX for a TARGET joint, or a constraint of one body
    uint32_t body_b;  // index into bodies3
    uint32_t element; // created by /joints/<element>, or by /bodies/<element> when generated
    bool is_generated;
    uint32_t name_offset; // into names; UINT32_MAX: it has none
} iso_scene_joint3;

/// A blueprint of the scene.
typedef struct iso_scene_blueprint {
    char name[ISO_SCENE_NAME_MAX + 1];
    struct iso_scene *parts; // its bodies, shapes and joints as those of a scene
} iso_scene_blueprint;

/// A scene, read and expanded. Created by iso_scene_parse; read-only.
typedef struct iso_scene {
    char name[ISO_SCENE_NAME_MAX + 1];
    char description[ISO_SCENE_DESCRIPTION_MAX + 1];
    iso_world_def def;        // complete, checked, with the game's parameters
    const iso_game *game;     // the game that def.game names, or NULL when that is empty
    iso_scene_body *bodies;   // of the plane, NULL in space
    iso_scene_body3 *bodies3; // of space, NULL in the plane
    uint32_t body_count;      // of those that the world's dimensions choose; at most def.body_capacity
    iso_shape_def *shapes;    // likewise
    iso_shape3_def *shapes3;
    iso_heights_def heights[ISO_HEIGHTS_MAX]; // of shapes in space, by number; the samples are the scene's
    uint32_t heights_count;
    uint32_t shape_count;      // length of the array; generated bodies share shapes, so a world may get more
    uint32_t shape_total;      // shapes of all bodies of the world; at most def.shape_capacity
    iso_scene_joint *joints;   // of the plane, NULL in space
    iso_scene_joint3 *joints3; // of space, NULL in the plane
    uint32_t joint_count;      // at most def.joint_capacity
    iso_program *programs;     // compiled constraints, in the order of the scene
    uint32_t program_count;    // at most def.program_capacity
    iso_scene_blueprint *blueprints;
    uint32_t blueprint_count;
    iso_compound_def *compounds; // their blueprints are those of the scene
    uint32_t compound_count;
    uint32_t compound_bodies, compound_shapes, compound_joints; // of all compounds together
    char *names;                                                // zero-terminated, one after the other
    uint64_t hash;                                              // XXH3-64 of the text's bytes
    uint64_t work; // what building takes, in thousandths of a unit of ISO_SCENE_SENT_WORK_MAX
} iso_scene;

/// Reads a scene. A scene that it returns can be built, except that a body's mass or inertia may be out of range
/// (iso_scene_build then reports which).
///
/// @param text        `size` bytes of UTF-8, need not end with a zero
/// @param games       the games that the scene may name; they must outlive it
/// @param game_count  0 when games is NULL
/// @param scene       written only on success; to be freed with iso_scene_free
/// @param error       may be NULL; filled on ISO_ERR_SCENE_INVALID
/// @return ISO_OK; ISO_ERR_SCENE_INVALID; ISO_ERR_MEMORY.
iso_status iso_scene_parse(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                           iso_scene **scene, iso_scene_error *error);

/// Reads a scene that was sent, within ISO_SCENE_SENT_SIZE_MAX, ISO_SCENE_SENT_VALUES_MAX and ISO_SCENE_SENT_WORK_MAX,
/// which is counted before generators make anything, unless its world would be larger than `world_size_max` [bytes], as
/// iso_world_size gives it. That is known before the bodies are read, and what the scene itself takes is not much more:
/// for texts whose authors are not trusted.
///
/// @return as there; ISO_ERR_CAPACITY: the world would be larger, and error->value is its size in bytes
iso_status iso_scene_parse_within(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                                  uint64_t world_size_max, iso_scene **scene, iso_scene_error *error);

/// Reads a scene as iso_scene_parse does, but continues after an error where the rest does not depend on it, so that an
/// author gets several errors at once.
///
/// @param scene     as there
/// @param errors    filled on ISO_ERR_SCENE_INVALID, in the order in which they were found
/// @param capacity  of `errors`, at least 1; reading ends when it is full
/// @param count     of errors
/// @return as there
iso_status iso_scene_check(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                           iso_scene **scene, iso_scene_error *errors, uint32_t capacity, uint32_t *count);

/// Finds the line and column of an error's path in the text, if it has none yet: for errors of iso_scene_build.
///
/// @param text  that the scene was read from
void iso_scene_error_locate(iso_scene_error *error, const char *text, size_t size);

/// How the files of a scene's folder are read. A program without files cannot use includes.
typedef struct iso_scene_files {
    const char *name; // of the scene's own file in its folder
    void *user;
    /// @param path  within the folder: parts separated by '/', none of them "." or ".."
    /// @param text  malloc'ed; written only on success
    /// @param why   on failure, in a few words
    bool (*read)(void *user, const char *path, char **text, size_t *size, const char **why);
} iso_scene_files;

/// A scene and the files that it includes, as one text.
typedef struct iso_scene_source iso_scene_source;

/// Puts the content of included files before the scene's own lists. In the resulting text the array of "include" is
/// empty, and everything else is as in its file. The text of a scene without includes is unchanged, byte for byte. Only
/// includes are checked here; iso_scene_parse of the text checks the rest.
///
/// @param source  written only on success; to be freed with iso_scene_source_free
/// @param error   filled on ISO_ERR_SCENE_INVALID, with file, line and column
/// @return ISO_OK; ISO_ERR_SCENE_INVALID (also when a file cannot be read); ISO_ERR_MEMORY
iso_status iso_scene_source_make(const char *text, size_t size, const iso_scene_files *files, iso_scene_source **source,
                                 iso_scene_error *error);
const char *iso_scene_source_text(const iso_scene_source *source, size_t *size);
/// Converts the line and column of an error in the whole text into the file that it comes from, and the line and column
/// there.
void iso_scene_source_locate(const iso_scene_source *source, iso_scene_error *error);
/// NULL is allowed.
void iso_scene_source_free(iso_scene_source *source);

/// Frees a scene; NULL is allowed. The games are not freed.
void iso_scene_free(iso_scene *scene);

/// The definition of the scene's world: parameters, capacities, game with its parameters.
const iso_world_def *iso_scene_def(const iso_scene *scene);

/// The name of the body with this index ("ground", "box[3,5]"); "" for an index that the scene does not have. In a
/// world created from the scene it is also the name of the body in that slot at tick 0 (generation 1).
const char *iso_scene_body_name(const iso_scene *scene, uint32_t index);

/// The index of the body with this name, or UINT32_MAX. Cost: linear in the number of names.
uint32_t iso_scene_body_find(const iso_scene *scene, const char *name);

/// The name of the joint with this index ("hinge", "doll[3,5].knee"); "" for one without a name and for an index that
/// is not the scene's. In a world made from the scene it is also the name of the joint in that slot at tick 0
/// (generation 1).
const char *iso_scene_joint_name(const iso_scene *scene, uint32_t index);

/// The index of the joint of this name, or UINT32_MAX, also for "". Looks at every name.
uint32_t iso_scene_joint_find(const iso_scene *scene, const char *name);

/// XXH3-64 of the text's bytes.
uint64_t iso_scene_hash(const iso_scene *scene);

/// Adds the scene's programs and blueprints, creates its bodies with their shapes, its joints, its compounds, each in
/// order, then calls iso_world_start.
///
/// @param world  empty, at tick 0, created with iso_scene_def, or with a copy in which only the seed, the tick
///               rate or larger capacities differ
/// @param error  may be NULL; filled on ISO_ERR_SCENE_INVALID
/// @return ISO_OK; ISO_ERR_STATE (not empty, not at tick 0); ISO_ERR_CAPACITY; ISO_ERR_SCENE_INVALID
///         (a body's mass or inertia is out of range, a part of a compound is outside of the world or too fast, a motor
///         is faster than its bodies can turn); ISO_ERR_DIMENSION (the world has another number of dimensions). On
///         error the world must not be used.
iso_status iso_scene_build(const iso_scene *scene, iso_world *world, iso_scene_error *error);

/// Creates a world and builds the scene in it.
///
/// @param def        NULL for the scene's own, or a changed copy, as for iso_scene_build
/// @param allocator  one call of allocate: iso_world_size(def, scene->game) bytes, aligned to 64
/// @param memory     the block, to be released by the caller with that size; written only on success
/// @param world      the world inside; written only on success
/// @return ISO_OK; ISO_ERR_RANGE (def); ISO_ERR_MEMORY; what iso_scene_build returns.
iso_status iso_scene_create_world(const iso_scene *scene, const iso_world_def *def, const iso_allocator *allocator,
                                  void **memory, iso_world **world, iso_scene_error *error);

/// Writes one line: `line 4, column 7: /bodies/3/shapes/0/radius: -1, expected a number above 0, at most 60`, without
/// line and column when they are unknown, with `in walls.json, ` before them in an included file. Always ends with a
/// zero when size > 0.
///
/// @return the length of the whole line; it was cut when that is not below `size`
size_t iso_scene_error_format(const iso_scene_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
