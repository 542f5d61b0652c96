#include "names.h"

#include "end.h"
#include "text.h"

static size_t text_size(const char *text) {
    size_t size = 0;
    while (text[size] != 0) {
        size += 1;
    }
    return size;
}

void iso__client_names_release(iso_client *client) {
    ISO_ASSERT((client->names.entries == 0) == (client->names.size == 0));
    if (client->names.entries != 0) {
        client->allocator.release(client->allocator.user, client->names.entries, client->names.size);
    }
    client->names = (iso__client_names){0};
}

void iso__client_names_take(iso_client *client, const iso_message_names *message) {
    ISO_ASSERT(client->is_welcomed && message->count <= ISO_NAMES_MAX);
    if (!client->verify) {
        return; // without a world there is nothing to be found
    }
    // Later it would end the names that the program was given.
    const bool expects = client->welcome.resumed == ISO_RESUMED_NEW || (client->has_claim && client->world == 0);
    if (client->phase != ISO_CLIENT_PHASE_SNAPSHOT || !expects) {
        iso__client_fail(client, ISO_ERR_STATE,
                         "the server names the scene's bodies at another time than after its welcome");
        return;
    }
    iso__client_names_release(client);
    size_t size = message->count * sizeof(iso_name);
    for (uint32_t i = 0; i < message->count; ++i) {
        size += text_size(message->names[i].name) + 1;
    }
    iso__client_names *names = &client->names;
    names->left_out = message->left_out;
    if (message->count == 0) {
        return;
    }
    names->entries = client->allocator.allocate(client->allocator.user, size, 16);
    if (names->entries == 0) {
        iso__client_fail(client, ISO_ERR_MEMORY, "there is no memory for the names of the scene");
        return;
    }
    names->size = size;
    names->count = message->count;
    char *text = (char *)(names->entries + message->count);
    for (uint32_t i = 0; i < message->count; ++i) {
        const size_t text_bytes = text_size(message->names[i].name) + 1;
        __builtin_memcpy(text, message->names[i].name, text_bytes);
        names->entries[i] = message->names[i];
        names->entries[i].name = text;
        text += text_bytes;
    }
}

/// The index of what has this name. @return false: nothing has it
static bool names_find(const iso_client *client, iso_named of, const char *name, uint32_t *index) {
    for (uint32_t i = 0; i < client->names.count; ++i) {
        const iso_name *entry = &client->names.entries[i];
        if (entry->of == of && iso__client_text_equal(entry->name, name)) {
            *index = entry->index;
            return true;
        }
    }
    return false;
}

/// The name of the one that the scene has made. They are sorted.
static const char *names_of(const iso_client *client, iso_named of, uint32_t index, uint32_t generation) {
    uint32_t first = 0, end = generation == 1 ? client->names.count : 0;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const iso_name *entry = &client->names.entries[middle];
        if (entry->of == of && entry->index == index) {
            return entry->name;
        }
        if (entry->of < of || (entry->of == of && entry->index < index)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return "";
}

iso_status iso_client_find_body(const iso_client *client, const char *name, iso_body_id *body) {
    ISO_ASSERT(name != 0 && body != 0);
    if (client->world == 0) {
        return ISO_ERR_STATE;
    }
    iso_body_id found = {.generation = 1};
    if (!names_find(client, ISO_NAMED_BODY, name, &found.index)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (!iso_body_is_valid(client->world, found)) {
        return ISO_ERR_STALE;
    }
    *body = found;
    return ISO_OK;
}

iso_status iso_client_find_joint(const iso_client *client, const char *name, iso_joint_id *joint) {
    ISO_ASSERT(name != 0 && joint != 0);
    if (client->world == 0) {
        return ISO_ERR_STATE;
    }
    iso_joint_id found = {.generation = 1};
    if (!names_find(client, ISO_NAMED_JOINT, name, &found.index)) {
        return ISO_ERR_UNKNOWN_NAME;
    }
    if (!iso_joint_is_valid(client->world, found)) {
        return ISO_ERR_STALE;
    }
    *joint = found;
    return ISO_OK;
}

const char *iso_client_body_name(const iso_client *client, iso_body_id body) {
    ISO_ASSERT(client->names.count <= ISO_NAMES_MAX);
    return names_of(client, ISO_NAMED_BODY, body.index, body.generation);
}

const char *iso_client_joint_name(const iso_client *client, iso_joint_id joint) {
    ISO_ASSERT(client->names.count <= ISO_NAMES_MAX);
    return names_of(client, ISO_NAMED_JOINT, joint.index, joint.generation);
}

uint32_t iso_client_names_left_out(const iso_client *client) {
    ISO_ASSERT(client->names.count <= ISO_NAMES_MAX);
    return client->names.left_out;
}
