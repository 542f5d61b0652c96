/// The border between code for any kind of world and code for the plane.
///
/// Code for any kind of world (sessions, recordings, snapshots, hashes, differences) handles its ticks, members,
/// sections and bytes, but no positions, shapes and joints. It calls what is specific to the plane through this table,
/// once per operation and never inside a stage of a step. plane/plane.c and space/space.c are the tables;
/// core/ARCHITECTURE.md says what a table needs.
#ifndef ISO_WORLD_KERNEL_H
#define ISO_WORLD_KERNEL_H

#include "isostep/command.h"
#include "isostep/snapshot.h"
#include "world/joint_setters.h"
#include "world/records.h"

/// Bytes of the largest record of a section whose records use a part of their last field.
#define ISO__VARIABLE_SIZE_MAX 432u

/// Parts of a memory image that are a kernel's own, at most.
#define ISO__IMAGE_OWN_PARTS 16u

/// What the records of a section consist of; none for GAME, whose fields are the game's.
typedef struct iso__section_table {
    const iso_field *fields;
    uint32_t field_count;
    uint32_t record_size; // bytes
    bool is_variable;     // records use a part of their last field, as used_count says; of at most one section
} iso__section_table;

/// A part of the world's memory that an image copies.
typedef struct iso__image_part {
    void *memory;
    size_t size;
} iso__image_part;

/// What the limit of contact points asks of a contact.
typedef struct iso__contact_ends {
    uint32_t bodies[2];
    uint32_t point_count;
} iso__contact_ends;

typedef struct iso__snapshot iso__snapshot; // state/snapshot_read.h

typedef struct iso__kernel {
    uint8_t dimensions;
    uint32_t simulation_version;        // raised only when a golden root of such worlds changes
    const iso__section_table *sections; // ISO_SECTION_COUNT of them

    /// @name Memory
    /// @{
    /// Sets all pointers of *world into the block at `memory`. @param memory  NULL: only the size is meant
    /// @return the block's bytes, which may be more than a size_t holds
    uint64_t (*lay_out)(iso_world *world, const iso_world_def *def, const iso_game *game, void *memory);
    /// Completes a new world, whose memory is zero but for its pointers and its definition.
    void (*begin)(iso_world *world);
    void (*drop_caches)(iso_world *world);
    /// @}

    /// @name Sections
    /// @{
    /// Where the records of a section begin that is not every world's.
    const void *(*records)(const iso_world *world, iso_section section);
    /// How many elements of a field a record uses.
    uint32_t (*used_count)(iso_section section, const void *record, const iso_field *field);
    /// Writes the canonical bytes of records of the variable section, on little-endian machines. @return how many bytes
    size_t (*gather)(const iso_world *world, uint32_t first, uint32_t count, uint8_t *bytes);
    /// Canonical bytes of all records of the variable section.
    size_t (*variable_size)(const iso_world *world);
    /// See iso_world_flip_bit.
    iso_status (*flip_bit)(iso_world *world);
    /// @}

    /// @name What every kind has functions for; of what is alive
    /// @{
    iso_status (*destroy_body)(iso_world *world, uint32_t body);
    void (*wake_body)(iso_world *world, uint32_t body);
    bool (*body_is_asleep)(const iso_world *world, uint32_t body);
    bool (*body_is_dynamic)(const iso_world *world, uint32_t body);
    void (*tag_body)(iso_world *world, uint32_t body, uint32_t tag);
    iso_status (*destroy_shape)(iso_world *world, uint32_t shape);
    void (*filter_shape)(iso_world *world, uint32_t shape, iso_filter filter);
    void (*tag_shape)(iso_world *world, uint32_t shape, uint32_t tag);
    /// The body's owner, and sets it, without the slots' counts.
    iso_owner (*body_owner)(const iso_world *world, uint32_t body);
    void (*own_body)(iso_world *world, uint32_t body, iso_owner owner);
    iso_status (*destroy_joint)(iso_world *world, uint32_t joint);
    void (*tag_joint)(iso_world *world, uint32_t joint, uint32_t tag);
    const iso__joint_setters *joint_setters;
    /// The bodies of a joint; UINT32_MAX: none.
    void (*joint_bodies)(const iso_world *world, uint32_t joint, uint32_t bodies[4]);
    iso_owner (*joint_owner)(const iso_world *world, uint32_t joint);
    /// Nobody in space, where there are none.
    iso_owner (*compound_owner)(const iso_world *world, uint32_t compound);
    uint32_t (*shape_body)(const iso_world *world, uint32_t shape);
    /// Whether it is a hull in space, which costs more than other shapes to move.
    bool (*shape_is_hull)(const iso_world *world, uint32_t shape);
    /// The order of a body's creation, 0: at tick 0.
    uint64_t (*spawn_number)(const iso_world *world, uint32_t body);
    /// See iso_body_next_shape; UINT32_MAX: none.
    uint32_t (*next_shape)(const iso_world *world, uint32_t body, uint32_t index);
    /// Reads `count` contacts from `first` on.
    void (*read_contacts)(const iso_world *world, uint32_t first, uint32_t count, iso__contact_ends *ends);
    /// Who added a shape, and sets it; a shape that no command added has nobody.
    iso_owner (*shape_owner)(const iso_world *world, uint32_t shape);
    void (*own_shape)(iso_world *world, uint32_t shape, iso_owner owner);
    /// @}

    /// @name Tick
    /// @{
    /// Counts what a member owns when it joins a slot, whose record is new; and destroys or keeps it when it leaves.
    void (*join)(iso_world *world, uint32_t slot);
    void (*leave)(iso_world *world, uint32_t slot);
    /// Before the input: clears the events of the last step.
    void (*begin_step)(iso_world *world);
    /// After the session's changes, before commands: removes bodies by the limit of contact points.
    void (*limit)(iso_world *world);
    /// A command of a kind that is about bodies, shapes, joints or gravity. It has passed iso_command_check and the
    /// game.
    /// @param created  where the id of what was made goes
    iso_status (*apply)(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created);
    /// The tick's movement. @param since  when the last stage ended, for the profile
    void (*simulate)(iso_world *world, uint64_t *since);
    /// @}

    /// @name States
    /// @{
    /// Lists the kernel's own parts of an image with these counts. @return how many, at most ISO__IMAGE_OWN_PARTS
    uint32_t (*image_parts)(const iso_world *world, const iso__globals *counts, iso__image_part *parts);
    /// Before an image's parts are copied in: discards the parts of caches that will no longer be valid.
    /// @param parts             the kernel's own parts; the size of what need not be copied becomes 0
    /// @param own               where they stand in the image
    /// @param shape_generations where these stand in the image
    void (*keep_caches)(iso_world *world, const iso__globals *next, iso__image_part *parts, const uint8_t *const *own,
                        const uint8_t *shape_generations);
    /// Before another state's records come: clears what is beyond its counts, and what the coming tick would have had.
    void (*clear)(iso_world *world, const iso__globals *next);
    /// After they were copied in: rebuilds the maps of ids and the bits of awake bodies.
    void (*arrive)(iso_world *world);
    /// Whether a snapshot's records can be a world's, as far as that follows from records one by one.
    iso_status (*check)(const iso_world *world, const iso__snapshot *snapshot);
    /// Replaces the world's state by a snapshot that passed `check`.
    /// @return ISO_OK; ISO_ERR_CORRUPT: the state is impossible after all, and the world as it was
    iso_status (*adopt)(iso_world *world, const iso__snapshot *snapshot);
    /// @}
} iso__kernel;

#endif
