/// The recording format (.isr): writing its frames and reading its files.
///
/// A recording is a file head, then frames, each with its own checksum, only ever appended. It holds
/// all that a session's states follow from: the first state and every tick's input; and the root hash
/// after each tick, so that a replay can be checked. proto/RECORDING.md is the standard. What is
/// written has format 2; format 1 is read as well.
///
/// Everything here is pure: bytes in, bytes out, no allocation. The one exception is
/// iso_recording_load_keyframe, which decompresses.
#ifndef ISOSTEP_PROTO_RECORDING_H
#define ISOSTEP_PROTO_RECORDING_H

#include "isostep/proto/version.h"
#include "isostep/snapshot.h"
#include "isostep/status.h"
#include "isostep/tick.h"
#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds of the format. A reader refuses what is beyond them before it looks at it.
#define ISO_RECORDING_PAYLOAD_SIZE_MAX  (1u << 20)                             // of one frame, but for the HEADER
#define ISO_RECORDING_SCENE_SIZE_MAX    (1u << 20)                             // of the scene's text
#define ISO_RECORDING_HEADER_SIZE_MAX   (ISO_RECORDING_SCENE_SIZE_MAX + 4096u) // payload of the HEADER
#define ISO_RECORDING_SNAPSHOT_SIZE_MAX (256u << 20) // of a keyframe's state before compression
#define ISO_RECORDING_INDEX_MAX         16384u       // entries of the FOOTER's index
#define ISO_RECORDING_KEYFRAME_INTERVAL 600u         // [ticks]
#define ISO_RECORDING_KEYFRAME_LAG_MAX  255u         // [ticks] between a keyframe's tick and its place in the file
#define ISO_RECORDING_RUN_MAX           0x7FFFFFFFu  // a header's `run`

#define ISO_RECORDING_FILE_HEAD_SIZE   16u
#define ISO_RECORDING_FRAME_HEAD_SIZE  6u  // type, flags, payload size
#define ISO_RECORDING_FRAME_EXTRA_SIZE 10u // head and checksum
#define ISO_RECORDING_TRAILER_SIZE     16u

#define ISO_RECORDING_UID_SIZE 16u
#define ISO_RECORDING_TEXT_MAX 63u // characters of the session's, the scene's, the build's and a member's name

/// The types of frames. X(name, number)
///   HEADER    what is recorded; the first frame
///   KEYFRAME  a whole state, compressed; the second frame is one
///   CHUNK     more of the KEYFRAME before it
///   TICK      the input of one tick and a root hash; the commit mark
///   EVENT     what happened around the simulation; never changes it
///   FOOTER    index of the keyframes; the last frame, then the trailer
///   MARK      how much of the file a sync has made durable; not in format 1
#define ISO_RECORDING_FRAME_LIST(X) \
    X(HEADER, 1)                    \
    X(KEYFRAME, 2)                  \
    X(CHUNK, 3)                     \
    X(TICK, 4)                      \
    X(EVENT, 5)                     \
    X(FOOTER, 6)                    \
    X(MARK, 7)

typedef enum iso_recording_frame_type {
#define ISO_RECORDING_FRAME_ENUM(name, number) ISO_RECORDING_##name = (number),
    ISO_RECORDING_FRAME_LIST(ISO_RECORDING_FRAME_ENUM)
#undef ISO_RECORDING_FRAME_ENUM
} iso_recording_frame_type;

/// What is recorded, and by whom.
typedef struct iso_recording_header {
    char build[ISO_RECORDING_TEXT_MAX + 1];   // informative
    char session[ISO_RECORDING_TEXT_MAX + 1]; // [a-z0-9-]
    char scene_name[ISO_RECORDING_TEXT_MAX + 1];
    uint8_t uid[ISO_RECORDING_UID_SIZE]; // of the session
    uint32_t epoch;                      // of all ticks in this file
    uint64_t first_tick;                 // the tick of the first keyframe; the first TICK is the one after it
    uint64_t salt;                       // random, of this file alone, told to nobody; 0: the file has no marks
    uint32_t run; // random, of the server's run, whose secrets are numbered from there on; 0: of the epoch
    iso_fingerprint fingerprint;
    iso_world_def def;   // tick rate, seed, game and capacities among others
    const char *scene;   // JSON text, not terminated; the reader's points into the file
    uint32_t scene_size; // bytes
    uint64_t scene_hash; // XXH3-64 of the text; set by the reader, the writer computes it
} iso_recording_header;

/// One tick's input with a root hash.
typedef struct iso_recording_tick {
    iso_tick_input input;
    bool has_root;
    uint64_t hashed_tick; // input.tick or an earlier tick, from first_tick on; rises from frame to frame
    uint64_t root;        // of the state after hashed_tick
} iso_recording_tick;

/// Room for the arrays of one tick.
typedef struct iso_recording_tick_buffer {
    iso_change changes[ISO_TICK_CHANGES_MAX];
    iso_sealed_command commands[ISO_TICK_COMMANDS_MAX];
} iso_recording_tick_buffer;

/// A state within the file.
typedef struct iso_recording_keyframe {
    uint64_t tick;
    uint64_t root;
    uint32_t raw_size;     // [bytes] of the snapshot
    uint32_t stored_size;  // [bytes] compressed, over all frames
    uint64_t ticks_offset; // where the frames of tick + 1 begin; at or before the keyframe's own offset
    uint64_t offset;       // of the KEYFRAME frame itself; set by the reader
} iso_recording_keyframe;

/// The kinds of events. X(name, number)
///   MEMBER  a member took a slot: slot, slot_generation, name, root: the number of its secret, which counts as used
///   LEFT    a member gave its slot back: slot, slot_generation, status (why)
///   DESYNC  a member showed another root: slot, slot_generation, about_tick, root, other_root
///   DROPPED a member's slot is held: as MEMBER; also of each held slot when an epoch begins
///   RESUMED a member came back and has used the secret that it was given: as MEMBER
///   HEALED  a member's world is replaced after a DESYNC: slot, slot_generation, name
///   NOTE    anything else, for people: slot, status, about_tick, name (the text), root and other_root (its numbers)
#define ISO_RECORDING_EVENT_LIST(X) \
    X(MEMBER, 1)                    \
    X(LEFT, 2)                      \
    X(DESYNC, 3)                    \
    X(NOTE, 4)                      \
    X(DROPPED, 5)                   \
    X(RESUMED, 6)                   \
    X(HEALED, 7)

typedef enum iso_recording_event_kind {
#define ISO_RECORDING_EVENT_ENUM(name, number) ISO_RECORDING_EVENT_##name = (number),
    ISO_RECORDING_EVENT_LIST(ISO_RECORDING_EVENT_ENUM)
#undef ISO_RECORDING_EVENT_ENUM
} iso_recording_event_kind;

typedef struct iso_recording_event {
    uint8_t kind;             // iso_recording_event_kind
    uint8_t slot;             // 0xFF: about no member
    uint32_t slot_generation; // 0 when not given
    int32_t status;           // iso_status: why
    uint64_t about_tick;      // DESYNC: the tick whose roots differ; else when it happened
    uint64_t root;            // DESYNC: the server's; MEMBER, DROPPED, RESUMED: the number of the secret used last
    uint64_t other_root;      // DESYNC: the member's
    char name[ISO_RECORDING_TEXT_MAX + 1]; // the member's, or the text; control characters are refused
} iso_recording_event;

typedef struct iso_recording_index_entry {
    uint64_t tick;
    uint64_t offset; // of the KEYFRAME frame
} iso_recording_index_entry;

typedef struct iso_recording_footer {
    uint64_t last_tick;
    bool is_degraded; // recording ended before its session did
    bool goes_on;     // the session is not over: it goes on in another file, or after a restart
    bool has_root;
    uint64_t root_tick; // at most last_tick
    uint64_t root;
    const iso_recording_index_entry *entries; // rising; every keyframe, or every second, fourth, … of them
    uint32_t entry_count;                     // at most ISO_RECORDING_INDEX_MAX
} iso_recording_footer;

/// Says that a sync has made the file durable up to a commit.
typedef struct iso_recording_mark {
    uint64_t salt;           // the header's
    uint64_t offset;         // of the MARK frame itself
    uint64_t durable_offset; // behind the TICK of durable_tick, or behind the first keyframe; at most `offset`
    uint64_t durable_tick;   // first_tick: the first keyframe
} iso_recording_mark;

/// What the checksum of the next frame goes on from. iso_recording_encode_head makes it, or an open
/// recording has it for what is appended to it.
typedef struct iso_recording_chain {
    uint32_t version;  // of the file's format; the frames of format 1 know nothing of each other
    uint32_t checksum; // of the frame before
} iso_recording_chain;

/// @name Writing
/// Each function writes one or more whole frames and moves `chain` behind them. @return the bytes
/// written; 0 when `capacity` is too small or a value is out of the format's bounds, and the chain
/// stays.
/// @{

/// Bytes that suffice for any TICK frame, for any EVENT frame, and for any MARK frame.
#define ISO_RECORDING_TICK_FRAME_MAX \
    (ISO_TICK_COMMANDS_MAX * (ISO_COMMAND_SIZE_MAX + 16u) + ISO_TICK_CHANGES_MAX * 8u + 64u)
#define ISO_RECORDING_EVENT_FRAME_MAX 192u
#define ISO_RECORDING_MARK_FRAME_MAX  46u

/// Bytes that suffice for a header with such a scene, with the file head.
size_t iso_recording_head_bound(size_t scene_size);
/// Writes the file head and the HEADER frame: what a file begins with. @param chain  made, whatever it was
size_t iso_recording_encode_head(const iso_recording_header *header, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity);

/// Bytes that suffice for a keyframe of so many compressed bytes.
size_t iso_recording_keyframe_bound(size_t stored_size);
/// Writes a KEYFRAME frame and as many CHUNK frames as its compressed bytes need.
/// @param stored  keyframe->stored_size bytes, as iso_compress makes them
size_t iso_recording_encode_keyframe(const iso_recording_keyframe *keyframe, const uint8_t *stored,
                                     iso_recording_chain *chain, uint8_t *bytes, size_t capacity);

size_t iso_recording_encode_tick(const iso_recording_tick *tick, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity);
size_t iso_recording_encode_event(const iso_recording_event *event, iso_recording_chain *chain, uint8_t *bytes,
                                  size_t capacity);
/// Only after a sync that began when all up to mark->durable_offset was written has succeeded.
size_t iso_recording_encode_mark(const iso_recording_mark *mark, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity);

/// Bytes that suffice for the end of a file with so many index entries.
size_t iso_recording_end_bound(uint32_t entry_count);
/// Writes the FOOTER frame and the trailer: what a sealed file ends with.
/// @param offset  of the FOOTER frame in the file
size_t iso_recording_encode_end(const iso_recording_footer *footer, uint64_t offset, iso_recording_chain *chain,
                                uint8_t *bytes, size_t capacity);
/// @}

/// @name Reading
/// @{

typedef enum iso_recording_mode {
    ISO_RECORDING_STRICT,  // a sealed file, whole
    ISO_RECORDING_TORN,    // a .part, still written or left by a crash: a torn end is cut off
    ISO_RECORDING_SALVAGE, // everything before the first bad frame, whatever stands behind it
} iso_recording_mode;

/// What is wrong with a file, and where.
typedef struct iso_recording_error {
    iso_status status;
    uint64_t offset;         // of the first bad frame
    uint64_t tick;           // the last whole tick before it
    const char *what;        // a few words in English
    uint64_t durable_offset; // of the mark that proves a loss: up to here the file was durable; 0: there is none
    uint64_t durable_tick;   // as it says
} iso_recording_error;

/// An open file. Read only.
typedef struct iso_recording {
    const uint8_t *bytes;
    uint32_t version; // of its format
    uint64_t size;    // what is good: up to the end of the last whole tick or keyframe, or the whole sealed file
    iso_recording_chain chain; // for what is written at `size`, unless it is sealed
    uint64_t file_size;        // what was given
    iso_recording_header header;
    uint64_t frames_offset; // of the first frame after the HEADER
    uint64_t frames_end;    // of the last frame before the FOOTER; equal to `size` when there is none
    bool is_sealed;         // FOOTER and trailer are there
    bool is_degraded;       // as the FOOTER says
    bool goes_on;           // the same
    uint64_t last_tick;     // first_tick when there are no ticks
    uint64_t tick_count;
    uint64_t command_count;
    uint64_t event_count;
    uint32_t keyframe_count;
    bool has_root;      // some root is known besides the keyframes'
    uint64_t root_tick; // the last tick whose root the file holds
    uint64_t root;
    uint64_t footer_offset; // 0 unless sealed
    uint64_t torn_offset;   // of the bad frame that begins a torn end; 0: there is none, whole frames may be left out
    uint64_t mark_count;
    uint64_t durable_offset; // as the last mark says; 0 when there is none
    uint64_t durable_tick;
} iso_recording;

/// Reads a file's bytes from end to end and checks every frame: checksum, form, order. About 1 GB/s.
///
/// STRICT refuses anything that is not a whole, sealed recording. TORN accepts an end that was torn
/// off, whatever stands behind the first bad frame, unless a mark anywhere behind says that the frame
/// was durable (format 1: unless a good frame begins anywhere behind). SALVAGE accepts everything
/// after a good HEADER and first keyframe; the first fault then stands in *error.
///
/// @param bytes  the whole file; must stay while the recording is used
/// @param error  ISO_OK and the file's end when nothing is wrong
/// @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_TRUNCATED (the end is missing); ISO_ERR_VERSION (no
///         recording, or another version's). The same status stands in *error.
iso_status iso_recording_open(iso_recording *recording, const uint8_t *bytes, uint64_t size, iso_recording_mode mode,
                              iso_recording_error *error);

/// Of a file that iso_recording_open found to be TRUNCATED before its first keyframe was whole: whether it is certain that
/// no tick is in it. So it is when nothing is there from that place on but the beginning of a frame that comes before all
/// ticks; zeros behind it are pages that were not written, and a good frame behind it says that its size may be wrong.
/// @param offset  of the error [bytes]
bool iso_recording_holds_no_tick(const iso_recording *recording, uint64_t offset);

typedef struct iso_recording_frame {
    uint8_t type; // iso_recording_frame_type
    uint8_t flags;
    uint32_t size;
    const uint8_t *payload;
    uint64_t offset; // of the frame
} iso_recording_frame;

/// Whether the session of a sealed file goes on, or went on when the file ended early: as the flags of its FOOTER say, without
/// reading the whole file.
/// @param trailer    the file's last ISO_RECORDING_TRAILER_SIZE bytes
/// @param file_size  [bytes] of the file
/// @param offset     where the FOOTER frame begins
/// @return false: that is no trailer
bool iso_recording_find_footer(const uint8_t *trailer, uint64_t file_size, uint64_t *offset);
/// @param head  the first ISO_RECORDING_FRAME_HEAD_SIZE bytes of the FOOTER frame
bool iso_recording_footer_goes_on(const uint8_t *head);

/// The frame at *offset, which then moves behind it. Begin at recording->frames_offset or at a
/// keyframe's ticks_offset. @return false at the end.
bool iso_recording_next(const iso_recording *recording, uint64_t *offset, iso_recording_frame *frame);

/// @return ISO_OK for every frame of that type of an open recording.
iso_status iso_recording_read_tick(const iso_recording_frame *frame, iso_recording_tick_buffer *buffer,
                                   iso_recording_tick *tick);
/// Reads only the tick's number and root; the input's arrays stay empty.
iso_status iso_recording_read_root(const iso_recording_frame *frame, iso_recording_tick *tick);
iso_status iso_recording_read_keyframe(const iso_recording_frame *frame, iso_recording_keyframe *keyframe);
iso_status iso_recording_read_event(const iso_recording_frame *frame, iso_recording_event *event);
iso_status iso_recording_read_mark(const iso_recording_frame *frame, iso_recording_mark *mark);

/// The last keyframe at or before `tick`; the first one when there is none.
void iso_recording_find_keyframe(const iso_recording *recording, uint64_t tick, iso_recording_keyframe *keyframe);

/// Copies a keyframe's compressed bytes, which may stand in several frames.
/// @param stored  keyframe->stored_size bytes
/// @return ISO_OK for every keyframe of an open recording; else ISO_ERR_CORRUPT.
iso_status iso_recording_read_stored(const iso_recording *recording, const iso_recording_keyframe *keyframe,
                                     uint8_t *stored);

/// Decompresses a keyframe's state, for iso_snapshot_decode. Allocates working memory while it runs.
/// @param out  keyframe->raw_size bytes
/// @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_MEMORY.
iso_status iso_recording_load_keyframe(const iso_recording *recording, const iso_recording_keyframe *keyframe,
                                       uint8_t *out);
/// @}

/// XXH3-64 of a scene's text: what the HEADER says of it.
uint64_t iso_recording_scene_hash(const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
