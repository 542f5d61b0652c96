/// isostep-replay: what its subcommands share.
#ifndef ISO_REPLAY_REPLAY_H
#define ISO_REPLAY_REPLAY_H

#include <stdio.h>

#include "isostep/proto/recording.h"
#include "isostep/proto/text.h"
#include "isostep/world.h"

#define REPLAY_EXIT_OK         0
#define REPLAY_EXIT_MISMATCH   1
#define REPLAY_EXIT_USAGE      2
#define REPLAY_EXIT_UNREADABLE 3

/// The largest world that is made for a file or scene, which need not be trusted [bytes].
#define REPLAY_WORLD_SIZE_MAX ((size_t)1 << 30)

/// Ticks and offsets of the format are at most this.
#define REPLAY_TICK_MAX ((UINT64_C(1) << 53) - 1)

/// Subcommands. argv[0] is the subcommand's name. @return the exit code
int iso__replay_verify(int argc, char **argv);
int iso__replay_info(int argc, char **argv);
int iso__replay_dump(int argc, char **argv);
int iso__replay_compare(int argc, char **argv);
int iso__replay_bisect(int argc, char **argv);
int iso__replay_trim(int argc, char **argv);
int iso__replay_perturb(int argc, char **argv);
int iso__replay_simulate(int argc, char **argv);
int iso__replay_render(int argc, char **argv);
int iso__replay_check(int argc, char **argv);
int iso__replay_state(int argc, char **argv);

/// @name Files (file.c)
/// @{

/// A recording in memory.
typedef struct replay_file {
    const char *path;
    uint8_t *bytes;
    uint64_t size;
    iso_recording recording;
    iso_recording_error error; // status ISO_OK: a whole, sealed recording
} replay_file;

/// Reads and opens a recording: a name that ends in ".part" may have a torn end, all others are opened strictly.
/// On error says so on standard error, with offset and tick, and as JSON on standard output when `json`.
/// @return ISO_OK, or what is wrong
iso_status iso__replay_file_open(replay_file *file, const char *path, bool json);
/// With `salvage` everything before the first damage is read, whatever the name; the damage is reported.
iso_status iso__replay_file_open_mode(replay_file *file, const char *path, bool salvage, bool json);
void iso__replay_file_close(replay_file *file);

/// Whether a file begins as a recording does.
bool iso__replay_file_has_magic(const char *path);
/// Whether a file is a recording, by its first bytes or, of one that does not say, by its name.
bool iso__replay_file_is_recording(const char *path);

/// What a recording's header says of its place in its session.
typedef struct replay_identity {
    uint8_t uid[ISO_RECORDING_UID_SIZE];
    uint32_t epoch;
    uint64_t first_tick;
} replay_identity;

/// Reads only the beginning of a file, without a word. @return false when that is not a recording's
bool iso__replay_file_identify(const char *path, replay_identity *identity);

/// Prints on standard error what could not be done with a file, and why: "PATH: it could not be written: No space left
/// on device".
/// @param done   "made", "written", "renamed"
/// @param error  of errno
/// @return false
bool iso__replay_fault(const char *path, const char *done, int error);

/// Writes a file of these bytes. @return false, with a line on standard error, when that cannot be
bool iso__replay_write_whole(const char *path, const void *bytes, size_t size);

/// Reads a whole text file. @return malloc'ed bytes, or NULL with errno set (EFBIG: above size_max)
char *iso__replay_read_text(const char *path, size_t size_max, size_t *size);
/// @}

/// @name Games (game.c)
/// @{

/// The games that this program knows; before any subcommand.
void iso__replay_games_set(const iso_game *const *games, size_t count);
/// All of them, as iso_scene_parse wants them.
const iso_game *const *iso__replay_games(uint32_t *count);
/// The game of this name, or NULL, without a word.
const iso_game *iso__replay_game_known(const char *name);
/// Finds a game by name. @return NULL, with lines on standard error, when this program does not have it
const iso_game *iso__replay_game_find(const char *name);
/// @}

/// @name Worlds (world.c)
/// @{

/// A world for a recording.
typedef struct replay_world {
    iso_world *world;
    void *memory;
    uint8_t *snapshot; // room for a keyframe's state
    size_t snapshot_capacity;
} replay_world;

/// Makes a world by the recording's definition, after a check that this build computes the same.
/// Says on standard error what is wrong. @return ISO_OK; ISO_ERR_VERSION; ISO_ERR_CORRUPT; ISO_ERR_MEMORY
iso_status iso__replay_world_make(replay_world *world, const iso_recording *recording);
void iso__replay_world_free(replay_world *world);

/// Reads a keyframe's state into world->snapshot. @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_MEMORY
iso_status iso__replay_world_read(replay_world *world, const iso_recording *recording,
                                  const iso_recording_keyframe *keyframe);

/// Puts the world into a keyframe's state. @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_MEMORY and what iso_snapshot_decode
/// returns
iso_status iso__replay_world_load(replay_world *world, const iso_recording *recording,
                                  const iso_recording_keyframe *keyframe);

/// Whether the world's state is the keyframe's, byte for byte. @return ISO_OK; ISO_ERR_DESYNC; ISO_ERR_CORRUPT;
/// ISO_ERR_MEMORY
iso_status iso__replay_world_compare(replay_world *world, const iso_recording *recording,
                                     const iso_recording_keyframe *keyframe);

/// Says on standard error, in a line each, how two worlds differ first. @param names  of both: "recorded", "computed"
void iso__replay_world_print_diff(iso_world *a, iso_world *b, const char *const names[2]);

/// Says on standard error where the world differs from the keyframe's state.
void iso__replay_world_explain(replay_world *world, const iso_recording *recording,
                               const iso_recording_keyframe *keyframe);
/// @}

/// @name Restored worlds (restore.c)
/// @{

struct iso_sync_test;

/// Begins to check that a world restored from a snapshot continues like the original. @param interval  [ticks]
void iso__replay_restore_init(struct iso_sync_test *test, uint32_t interval);

/// After each step of the world, and once before the first one with NULL.
/// @return ISO_OK; ISO_ERR_DESYNC or another status, after lines on standard error, when a restored world differs;
/// ISO_ERR_MEMORY
iso_status iso__replay_restore_step(struct iso_sync_test *test, iso_world *world, const iso_tick_input *input);
/// @}

/// @name Progress (progress.c)
/// @{

/// Seconds of the monotonic clock.
double iso__replay_clock(void);

/// How many times faster than real time so many ticks passed.
double iso__replay_speed(uint64_t ticks, uint32_t tick_rate_hz, double seconds);

/// A bar on standard error when that is a terminal, with speed and time left; drawn at most ten times a second.
typedef struct replay_progress {
    const char *label;
    uint64_t total; // [ticks]
    uint32_t tick_rate_hz;
    double started;
    double drawn;
    bool is_shown;
} replay_progress;

void iso__replay_progress_begin(replay_progress *progress, const char *label, uint64_t total, uint32_t tick_rate_hz,
                                bool quiet);
void iso__replay_progress_update(replay_progress *progress, uint64_t done);
void iso__replay_progress_end(replay_progress *progress);
/// @}

/// @name Text (command.c)
/// @{

/// One line for a command, without a line end: kind and arguments.
void iso__replay_print_command(FILE *out, const iso_command *command);
/// @}

#endif
