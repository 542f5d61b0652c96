/// The recording format (.isr): writing its frames and reading its files.
///
/// A recording is a file head, then frames, each with its own checksum; frames are only appended. It contains
/// everything that determines a session's states, that is, the first state and every tick's input, and the root hash
/// after each tick, so that a replay can be checked. proto/RECORDING.md specifies the format. Files are written in
/// format 2; format 1 is read as well.
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

/// Bounds of the format. A reader refuses larger values before it processes them.
#define ISO_RECORDING_PAYLOAD_SIZE_MAX  (1u << 20)                             // of one frame, except the HEADER
#define ISO_RECORDING_SCENE_SIZE_MAX    (64u << 20)                            // of the scene's text
#define ISO_RECORDING_HEADER_SIZE_MAX   (ISO_RECORDING_SCENE_SIZE_MAX + 4096u) // payload of the HEADER
#define ISO_RECORDING_SNAPSHOT_SIZE_MAX (256u << 20) // of a keyframe's state before compression
#define ISO_RECORDING_INDEX_MAX         16384u       // entries of the FOOTER's index
#define ISO_RECORDING_KEYFRAME_INTERVAL 600u         // [ticks]
#define ISO_RECORDING_KEYFRAME_LAG_MAX  255u         // [ticks] between a keyframe's tick and its position in the file
#define ISO_RECORDING_RUN_MAX           0x7FFFFFFFu  // a header's `run`

#define ISO_RECORDING_FILE_HEAD_SIZE   16u
#define ISO_RECORDING_FRAME_HEAD_SIZE  6u  // type, flags, payload size
#define ISO_RECORDING_FRAME_EXTRA_SIZE 10u // head and checksum
#define ISO_RECORDING_TRAILER_SIZE     16u

#define ISO_RECORDING_UID_SIZE 16u
#define ISO_RECORDING_TEXT_MAX 63u // characters of the session's, the scene's, the build's and a member's name

/// The types of frames. X(name, number)
///   HEADER    description of the session; the first frame
///   KEYFRAME  a complete, compressed state; the second frame is one
///   CHUNK     more of the KEYFRAME before it
///   TICK      the input of one tick and a root hash; the commit mark
///   EVENT     something that happened outside of the simulation; never changes it
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

/// The content of the HEADER: what is recorded, and by which build.
typedef struct iso_recording_header {
    char build[ISO_RECORDING_TEXT_MAX + 1];   // informative
    char session[ISO_RECORDING_TEXT_MAX + 1]; // [a-z0-9-]
    char scene_name[ISO_RECORDING_TEXT_MAX + 1];
    uint8_t uid[ISO_RECORDING_UID_SIZE]; // of the session
    uint32_t epoch;                      // of all ticks in this file
    uint64_t first_tick;                 // the tick of the first keyframe; the first TICK is the one after it
    uint64_t salt;                       // random, of this file only, kept secret; 0: the file has no marks
    uint32_t run; // random, of the server's run; its secrets are numbered from there on; 0: from the epoch
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

/// A state in the file.
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
///   LEFT    a member's slot was freed: slot, slot_generation, status (why)
///   DESYNC  a member sent another root: slot, slot_generation, about_tick, root, other_root
///   DROPPED a member's slot is held: as MEMBER; also of each held slot when an epoch begins
///   RESUMED a member resumed and has used its secret: as MEMBER
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
    uint8_t slot;             // 0xFF: concerns no member
    uint32_t slot_generation; // 0 when not given
    int32_t status;           // iso_status: why
    uint64_t about_tick;      // DESYNC: the tick whose roots differ; otherwise when it happened
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
    bool goes_on;     // the session continues in another file, or after a restart
    bool has_root;
    uint64_t root_tick; // at most last_tick
    uint64_t root;
    const iso_recording_index_entry *entries; // rising; every keyframe, or every second, fourth, … of them
    uint32_t entry_count;                     // at most ISO_RECORDING_INDEX_MAX
} iso_recording_footer;

/// States that a sync has made the file durable up to a commit.
typedef struct iso_recording_mark {
    uint64_t salt;           // the header's
    uint64_t offset;         // of the MARK frame itself
    uint64_t durable_offset; // behind the TICK of durable_tick, or behind the first keyframe; at most `offset`
    uint64_t durable_tick;   // first_tick: the first keyframe
} iso_recording_mark;

/// The state from which the checksum of the next frame continues. iso_recording_encode_head initialises it; an open
/// recording has it for appending.
typedef struct iso_recording_chain {
    uint32_t version;  // of the file's format; the checksums of format 1 are independent
    uint32_t checksum; // of the previous frame
} iso_recording_chain;

/// @name Writing
/// Each function writes one or more whole frames and advances `chain`. @return the bytes written; 0, with the chain
/// unchanged, when `capacity` is too small or a value is out of the format's bounds.
/// @{

/// Bytes that suffice for any TICK frame, for any EVENT frame, and for any MARK frame.
#define ISO_RECORDING_TICK_FRAME_MAX \
    (ISO_TICK_COMMANDS_MAX * (ISO_COMMAND_SIZE_MAX + 16u) + ISO_TICK_CHANGES_MAX * 8u + 64u)
#define ISO_RECORDING_EVENT_FRAME_MAX 192u
#define ISO_RECORDING_MARK_FRAME_MAX  46u

/// Bytes that suffice for a header with such a scene, with the file head.
size_t iso_recording_head_bound(size_t scene_size);
/// Writes the beginning of a file: the file head and the HEADER frame. @param chain  initialised
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
/// The same of a tick whose changes and commands are encoded already: a byte of the TICK's flags that says which of
/// them follow (4 changes, 8 commands), then these as proto/RECORDING.md has them in the payload of TICK.
/// @param tick  all but the changes and commands of its input is read
size_t iso_recording_encode_sealed_tick(const iso_recording_tick *tick, const uint8_t *sealed, size_t sealed_size,
                                        iso_recording_chain *chain, uint8_t *bytes, size_t capacity);
size_t iso_recording_encode_event(const iso_recording_event *event, iso_recording_chain *chain, uint8_t *bytes,
                                  size_t capacity);
/// Writes a MARK frame. Only after a sync has succeeded that began when all bytes up to mark->durable_offset were
/// written.
size_t iso_recording_encode_mark(const iso_recording_mark *mark, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity);

/// Bytes that suffice for the end of a file with so many index entries.
size_t iso_recording_end_bound(uint32_t entry_count);
/// Writes the end of a sealed file: the FOOTER frame and the trailer.
/// @param offset  of the FOOTER frame in the file
size_t iso_recording_encode_end(const iso_recording_footer *footer, uint64_t offset, iso_recording_chain *chain,
                                uint8_t *bytes, size_t capacity);
/// @}

/// @name Reading
/// @{

typedef enum iso_recording_mode {
    ISO_RECORDING_STRICT,  // a sealed file, whole
    ISO_RECORDING_TORN,    // a .part, still being written or left by a crash: a torn end is cut off
    ISO_RECORDING_SALVAGE, // everything before the first bad frame, whatever follows it
} iso_recording_mode;

/// The fault of a file, and its position.
typedef struct iso_recording_error {
    iso_status status;
    uint64_t offset;         // of the first bad frame
    uint64_t tick;           // the last whole tick before it
    const char *what;        // a few words in English
    uint64_t durable_offset; // of the mark that proves a loss: the file was durable up to here; 0: there is none
    uint64_t durable_tick;   // of the same mark
} iso_recording_error;

/// An open file. Read only.
typedef struct iso_recording {
    const uint8_t *bytes;
    uint32_t version; // of its format
    uint64_t size;    // of the valid part: up to the end of the last whole tick or keyframe, or the whole sealed file
    iso_recording_chain chain; // for appending at `size`, unless it is sealed
    uint64_t file_size;        // of the given bytes
    iso_recording_header header;
    uint64_t frames_offset; // of the first frame after the HEADER
    uint64_t frames_end;    // of the last frame before the FOOTER; equal to `size` when there is none
    bool is_sealed;         // FOOTER and trailer are present
    bool is_degraded;       // from the FOOTER
    bool goes_on;           // likewise
    uint64_t last_tick;     // first_tick when there are no ticks
    uint64_t tick_count;
    uint64_t command_count;
    uint64_t event_count;
    uint32_t keyframe_count;
    bool has_root;      // the file has a root besides those of keyframes
    uint64_t root_tick; // the last tick whose root is in the file
    uint64_t root;
    uint64_t footer_offset; // 0 unless sealed
    uint64_t torn_offset; // of the bad frame that begins a torn end; 0: there is none, but whole frames may be missing
    uint64_t mark_count;
    uint64_t durable_offset; // from the last mark; 0 when there is none
    uint64_t durable_tick;
} iso_recording;

/// Whether a file begins as a recording does, of whatever version, and damaged or not. What it is the beginning of, is
/// not looked at.
bool iso_recording_has_magic(const void *bytes, uint64_t size);

/// Reads a file's bytes from end to end and checks every frame: checksum, form, order. About 1 GB/s.
///
/// STRICT refuses anything that is not a whole, sealed recording. TORN accepts a torn end, whatever follows the first
/// bad frame, unless a mark anywhere after it states that the frame was durable (format 1: unless a good frame begins
/// anywhere after it). SALVAGE accepts any content after a good HEADER and first keyframe; *error then has the first
/// fault.
///
/// @param bytes  the whole file; must remain valid while the recording is used
/// @param error  ISO_OK and the file's end when nothing is wrong
/// @return ISO_OK; ISO_ERR_CORRUPT; ISO_ERR_TRUNCATED (the end is missing); ISO_ERR_VERSION (not a recording, or of
///         another version). *error has the same status.
iso_status iso_recording_open(iso_recording *recording, const uint8_t *bytes, uint64_t size, iso_recording_mode mode,
                              iso_recording_error *error);

/// For a file that iso_recording_open found to be TRUNCATED before the end of its first keyframe: whether it certainly
/// contains no tick. That is so if only the beginning of a frame that precedes all ticks follows `offset`. Zeros after
/// it are pages that were not written; a good frame after it means that its size may be wrong.
/// @param offset  of the error [bytes]
bool iso_recording_holds_no_tick(const iso_recording *recording, uint64_t offset);

typedef struct iso_recording_frame {
    uint8_t type; // iso_recording_frame_type
    uint8_t flags;
    uint32_t size;
    const uint8_t *payload;
    uint64_t offset; // of the frame
} iso_recording_frame;

/// Whether the session of a sealed file continues, or continued when the file ended early: from the flags of its
/// FOOTER, without reading the whole file.
/// @param trailer    the file's last ISO_RECORDING_TRAILER_SIZE bytes
/// @param file_size  [bytes] of the file
/// @param offset     receives where the FOOTER frame begins
/// @return false: these bytes are not a trailer
bool iso_recording_find_footer(const uint8_t *trailer, uint64_t file_size, uint64_t *offset);
/// @param head  the first ISO_RECORDING_FRAME_HEAD_SIZE bytes of the FOOTER frame
bool iso_recording_footer_goes_on(const uint8_t *head);

/// Returns the frame at *offset and advances *offset to its end. Begin at recording->frames_offset or at a
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

/// Copies a keyframe's compressed bytes, which may be in several frames.
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

/// XXH3-64 of a scene's text, as in the HEADER.
uint64_t iso_recording_scene_hash(const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
