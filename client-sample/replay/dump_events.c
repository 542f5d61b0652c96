/// isostep-replay dump --events: what the ticks of a recording did. A recording contains only inputs, so they are
/// simulated.
#include "dump_events.h"

#include "isostep/assert.h"
#include "isostep/proto/event_text.h"
#include "names.h"
#include "walk.h"

static const char *name_of(void *user, bool is_joint, uint32_t index, uint32_t generation) {
    return iso__replay_names_of_id(user, is_joint, index, generation);
}

static void print_events(const iso_world *world, const char *session, const iso_event_view *view, bool json) {
    char text[ISO_EVENT_TEXT_SIZE];
    const uint32_t count = iso_event_view_count(world, view);
    for (uint32_t i = 0; i < count; ++i) {
        (void)(json ? iso_event_view_to_json(world, view, i, session, text)
                    : iso_event_view_to_text(world, view, i, text));
        iso_print(stdout, "%s\n", text);
    }
}

/// Whether the simulation came to the root that the recording has of its last tick.
static bool root_is_right(replay_walk *walk) {
    const iso_recording_tick *tick = &walk->tick;
    if (!tick->has_root || tick->hashed_tick != replay_walk_tick(walk)) {
        return true;
    }
    const uint64_t root = iso_world_root(walk->world.world);
    if (root != tick->root) {
        iso_print(stderr,
                  "isostep-replay: the simulation differs from the recording: root %016llx after tick %llu, expected "
                  "%016llx; verify finds the tick\n",
                  (unsigned long long)root, (unsigned long long)tick->hashed_tick, (unsigned long long)tick->root);
    }
    return root == tick->root;
}

int iso__replay_dump_events(const iso_recording *recording, uint64_t from, uint64_t to, bool has_contacts,
                            bool has_sleep, bool json) {
    ISO_ASSERT(from <= to && from <= recording->last_tick);
    const uint64_t first = recording->header.first_tick;
    const uint64_t last = to < recording->last_tick ? to : recording->last_tick;
    replay_names names;
    iso__replay_names_make(&names, recording);
    const iso_event_view view = {has_contacts, has_sleep, name_of, &names};
    replay_walk walk;
    iso_status status = iso__replay_walk_make(&walk, recording);
    if (status == ISO_OK) {
        status = iso__replay_walk_seek(&walk, from > first ? from - 1 : first);
    }
    bool is_right = true;
    while (status == ISO_OK && replay_walk_tick(&walk) < last) {
        status = iso__replay_walk_step(&walk);
        if (status == ISO_OK) {
            print_events(walk.world.world, recording->header.session, &view, json);
            is_right = replay_walk_tick(&walk) < last || root_is_right(&walk);
        }
    }
    iso__replay_walk_free(&walk);
    iso__replay_names_free(&names);
    return status != ISO_OK ? REPLAY_EXIT_UNREADABLE : is_right ? REPLAY_EXIT_OK : REPLAY_EXIT_MISMATCH;
}
