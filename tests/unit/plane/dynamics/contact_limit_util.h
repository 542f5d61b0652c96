/// Who must lose bodies to the limit of contact points: for the tests of worlds in the plane and in space.
#ifndef TEST_CONTACT_LIMIT_UTIL_H
#define TEST_CONTACT_LIMIT_UTIL_H

#include "unit/command/test_command_util.h"

#include "isostep/body3.h"
#include "isostep/contact3.h"

/// Who must lose what, found out by the public interface, the slow way.
typedef struct expectation {
    iso_body_id removed[ISO_REMOVALS_PER_TICK];
    uint32_t count;
    uint32_t left; // contact points afterwards
} expectation;

static inline bool is_among(const expectation *e, iso_body_id body) {
    for (uint32_t i = 0; i < e->count; ++i) {
        if (iso_body_id_equal(e->removed[i], body)) {
            return true;
        }
    }
    return false;
}

/// What a contact of a world of either kind has.
typedef struct contact_ends {
    iso_body_id body_a, body_b;
    uint32_t point_count;
} contact_ends;

static inline bool contact_of(const iso_world *world, uint32_t index, contact_ends *ends) {
    iso_contact_view contact;
    iso_contact3_view contact3;
    if (iso_world_get_contact(world, index, &contact)) {
        *ends = (contact_ends){contact.body_a, contact.body_b, contact.point_count};
        return true;
    }
    if (iso_world_get_contact3(world, index, &contact3)) {
        *ends = (contact_ends){contact3.body_a, contact3.body_b, contact3.point_count};
        return true;
    }
    return false;
}

/// The owner and the number of a body.
static inline uint64_t spawn_number_of(const iso_world *world, iso_body_id body, iso_owner *owner) {
    iso_body_view view;
    iso_body3_view view3;
    if (iso_body_get(world, body, &view) == ISO_OK) {
        *owner = view.owner;
        return view.spawn_number;
    }
    assert_int_equal(iso_body3_get(world, body, &view3), ISO_OK);
    *owner = view3.owner;
    return view3.spawn_number;
}

static inline uint32_t member_of(const iso_world *world, iso_owner owner) {
    iso_slot_view slot;
    return iso_world_get_slot(world, owner.slot, &slot) && slot.is_occupied && slot.generation == owner.generation
               ? owner.slot
               : 99;
}

/// The points of all contacts that are left.
static inline uint32_t points_of(const iso_world *world, const expectation *e) {
    contact_ends contact;
    uint32_t points = 0;
    for (uint32_t i = 0; contact_of(world, i, &contact); ++i) {
        points += is_among(e, contact.body_a) || is_among(e, contact.body_b) ? 0 : contact.point_count;
    }
    return points;
}

/// The member that can lose a body; 99: none.
static inline uint32_t loser_of(const iso_world *world, iso_body_id body) {
    iso_owner owner;
    return spawn_number_of(world, body, &owner) != 0 ? member_of(world, owner) : 99;
}

static inline bool is_newer(const iso_world *world, iso_body_id body, iso_body_id than) {
    iso_owner owner, other;
    return spawn_number_of(world, body, &owner) > spawn_number_of(world, than, &other);
}

/// Points of a body's contacts with bodies that other members can lose.
static inline uint32_t foreign_points_of(const iso_world *world, const expectation *e, iso_body_id body) {
    contact_ends contact;
    uint32_t points = 0;
    for (uint32_t i = 0; contact_of(world, i, &contact); ++i) {
        const bool is_a = iso_body_id_equal(contact.body_a, body), is_b = iso_body_id_equal(contact.body_b, body);
        if ((!is_a && !is_b) || is_among(e, contact.body_a) || is_among(e, contact.body_b)) {
            continue;
        }
        const uint32_t other = loser_of(world, is_a ? contact.body_b : contact.body_a);
        points += other != 99 && other != loser_of(world, body) ? contact.point_count : 0;
    }
    return points;
}

static inline iso_body_id charged_of(const iso_world *world, const expectation *e, const contact_ends *contact) {
    const iso_body_id a = contact->body_a, b = contact->body_b;
    const uint32_t slot_a = loser_of(world, a), slot_b = loser_of(world, b);
    if (slot_a == 99 || slot_b == 99) {
        return slot_a != 99 ? a : slot_b != 99 ? b : (iso_body_id){0, 0};
    }
    const uint32_t foreign_a = slot_a == slot_b ? 0 : foreign_points_of(world, e, a),
                   foreign_b = slot_a == slot_b ? 0 : foreign_points_of(world, e, b);
    const bool is_a = foreign_a != foreign_b ? foreign_a > foreign_b : is_newer(world, a, b);
    return is_a ? a : b;
}

/// The points that a body is charged with, and those of all of a member's bodies.
typedef struct charges {
    uint32_t of_body[256], of_member[4];
} charges;

static inline charges charges_of(const iso_world *world, const expectation *e) {
    charges sum = {.of_body = {0}};
    contact_ends contact;
    for (uint32_t i = 0; contact_of(world, i, &contact); ++i) {
        if (is_among(e, contact.body_a) || is_among(e, contact.body_b)) {
            continue;
        }
        const iso_body_id body = charged_of(world, e, &contact);
        if (body.generation != 0) {
            assert_true(body.index < 256);
            sum.of_body[body.index] += contact.point_count;
            sum.of_member[loser_of(world, body)] += contact.point_count;
        }
    }
    return sum;
}

static inline iso_body_id loses_next(const iso_world *world, const expectation *e) {
    const charges sum = charges_of(world, e);
    uint32_t loser = 0;
    for (uint32_t slot = 1; slot < 4; ++slot) {
        loser = sum.of_member[slot] > sum.of_member[loser] ? slot : loser;
    }
    iso_body_id loses = {0, 0};
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        const uint32_t points = sum.of_body[b.index];
        if (points == 0 || is_among(e, b) || loser_of(world, b) != loser) {
            continue;
        }
        if (loses.generation == 0 || points > sum.of_body[loses.index] ||
            (points == sum.of_body[loses.index] && is_newer(world, b, loses))) {
            loses = b;
        }
    }
    return loses;
}

static inline expectation expect_removals(const iso_world *world) {
    const uint32_t limit = iso_world_get_def(world)->contact_point_limit;
    expectation e = {.left = 0};
    e.left = points_of(world, &e);
    while (limit != 0 && e.left > limit && e.count < ISO_REMOVALS_PER_TICK) {
        const iso_body_id loses = loses_next(world, &e);
        if (loses.generation == 0) {
            break;
        }
        e.removed[e.count++] = loses;
        e.left = points_of(world, &e);
    }
    return e;
}

static inline void assert_removals(const iso_world *world, const expectation *e) {
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, e->count);
    for (uint32_t i = 0; i < e->count; ++i) {
        assert_true(iso_body_id_equal(events.removals[i].body, e->removed[i]));
        assert_false(iso_body_is_valid(world, e->removed[i]));
    }
}

/// Gives the commands of a tick.
typedef void crowd_fn(iso_world *world, uint64_t *random, iso_sealed_command *commands, uint32_t *count);

/// Plays ticks of a crowd, and compares each removal with what is expected; `other` is decoded from the state before
/// each tick, and goes the same way. @return how many bodies went; *full_ticks: in how many ticks the most that can be
static inline uint64_t crowd_play(iso_world *world, iso_world *other, crowd_fn *spawn_some, int ticks,
                                  uint64_t *full_ticks) {
    uint64_t random = 7, removed = 0;
    for (int t = 0; t < ticks; ++t) {
        const expectation e = expect_removals(world);
        const uint64_t before = counts_of(world).removed_bodies;
        iso_sealed_command commands[16];
        uint32_t count;
        spawn_some(world, &random, commands, &count);
        const size_t size = iso_snapshot_size(world);
        uint8_t *bytes = malloc(size);
        assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
        assert_int_equal(iso_snapshot_decode(other, bytes, size), ISO_OK);
        free(bytes);
        util_step(world, NULL, 0, commands, count);
        util_step(other, NULL, 0, commands, count);
        assert_int_equal(iso_world_root(world), iso_world_root(other));
        assert_removals(world, &e);
        assert_int_equal(counts_of(world).removed_bodies - before, e.count);
        removed += e.count;
        *full_ticks += e.count == ISO_REMOVALS_PER_TICK;
    }
    return removed;
}

#endif
