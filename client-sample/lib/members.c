#include "members.h"

#include "actions.h"

/// The index of the entry, or where to insert it, in the order of (role, slot).
static uint32_t members_find(const iso_client *client, uint8_t role, uint8_t slot, bool *is_there) {
    uint32_t at = 0;
    while (at < client->member_count &&
           (client->members[at].role < role || (client->members[at].role == role && client->members[at].slot < slot))) {
        at += 1;
    }
    *is_there = at < client->member_count && client->members[at].role == role && client->members[at].slot == slot;
    return at;
}

static void members_remove(iso_client *client, uint32_t at) {
    client->member_count -= 1;
    for (uint32_t i = at; i < client->member_count; ++i) {
        client->members[i] = client->members[i + 1];
    }
}

static void members_insert(iso_client *client, uint32_t at) {
    ISO_ASSERT(client->member_count < ISO_MEMBERS_MAX); // there are no more places
    for (uint32_t i = client->member_count; i > at; --i) {
        client->members[i] = client->members[i - 1];
    }
    client->member_count += 1;
}

static void members_change(iso_client *client, const iso_member *entry) {
    bool is_there;
    const uint32_t at = members_find(client, entry->role, entry->slot, &is_there);
    if (entry->presence == ISO_PRESENCE_GONE) {
        if (is_there) {
            members_remove(client, at);
        }
        return;
    }
    if (!is_there) {
        members_insert(client, at);
    }
    client->members[at] = *entry;
}

void iso__client_members_take(iso_client *client, const iso_message_members *message) {
    ISO_ASSERT(client->is_welcomed && client->member_count <= ISO_MEMBERS_MAX && message->count <= ISO_MEMBERS_MAX);
    if (message->is_complete) {
        client->member_count = 0;
    }
    for (uint32_t i = 0; i < message->count; ++i) {
        members_change(client, &message->members[i]);
    }
    client->spectator_count = message->spectators;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_MEMBERS);
    action->members = message->members;
    action->member_count = message->count;
    action->is_complete = message->is_complete;
}

const iso_member *iso_client_members(const iso_client *client, uint32_t *count) {
    ISO_ASSERT(count != 0 && client->member_count <= ISO_MEMBERS_MAX);
    *count = client->member_count;
    return client->members;
}

const iso_member *iso_client_find_member(const iso_client *client, uint8_t slot, uint32_t slot_generation) {
    ISO_ASSERT(client->member_count <= ISO_MEMBERS_MAX);
    bool is_there;
    const uint32_t at = members_find(client, ISO_ROLE_PLAYER, slot, &is_there);
    return is_there && client->members[at].slot_generation == slot_generation ? &client->members[at] : 0;
}

uint32_t iso_client_spectator_count(const iso_client *client) {
    ISO_ASSERT(client->member_count <= ISO_MEMBERS_MAX);
    return client->spectator_count;
}
