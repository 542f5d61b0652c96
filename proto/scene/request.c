/// A request for a session: JSON with the scene reader's grammar, limits and errors.
#include "isostep/proto/session_request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

bool iso_session_name_is_valid(const char *name, size_t size) {
    return size > 0 && size <= ISO_SESSION_REQUEST_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") >= size;
}

/// Copies a string member that is there. @return false: it is no text of this size, after the error was noted
static bool read_text(iso__scene_reader *reader, const iso__scene_node *node, const char *expected, char *text,
                      size_t capacity) {
    const char *value = iso__scene_string(reader, node, capacity - 1, expected);
    if (reader->status != ISO_OK) {
        return false;
    }
    memcpy(text, value, strlen(value) + 1); // no zero stands in it, as in no string of a scene
    return true;
}

static void read_document(iso__scene_reader *reader, const iso__scene_node *node, iso_session_request *request) {
    const char *value = iso__scene_string(reader, node, ISO_SCENE_SENT_SIZE_MAX, "a scene's text, as a string");
    if (reader->status != ISO_OK) {
        return;
    }
    request->document_size = (size_t)json_object_get_string_len(node->json);
    request->document = malloc(request->document_size + 1);
    if (request->document == NULL) {
        iso__scene_out_of_memory(reader);
    } else {
        memcpy(request->document, value, request->document_size + 1);
    }
}

/// Overwrites the strings of json-c's tree, which is about to be freed, in their places: they would stay in the heap,
/// and under whichever key, one may be a password. The depth is bounded by the text's check.
static void wipe_strings(json_object *json) {
    if (json_object_is_type(json, json_type_string)) {
        iso__scene_wipe((char *)(uintptr_t)json_object_get_string(json), (size_t)json_object_get_string_len(json));
    } else if (json_object_is_type(json, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(json); ++i) {
            wipe_strings(json_object_array_get_idx(json, i));
        }
    } else if (json_object_is_type(json, json_type_object)) {
        json_object_object_foreach(json, key, value) {
            (void)key;
            wipe_strings(value);
        }
    }
}

static void read_password(iso__scene_reader *reader, const iso__scene_node *node, iso_session_request *request) {
    static const char expected[] = ISO_SESSION_REQUEST_PASSWORD_EXPECTED;
    if (node->is_present && read_text(reader, node, expected, request->password, sizeof request->password) &&
        request->password[0] == 0) {
        iso__scene_invalid(reader, node, expected);
    }
}

/// What the session has otherwise than the server's options say.
static void read_settings(iso__scene_reader *reader, const iso__scene_node *root, iso_session_request *request) {
    const iso__scene_node password = iso__scene_member(root, "password");
    const iso__scene_node spectators = iso__scene_member(root, "spectators");
    read_password(reader, &password, request);
    request->is_private = iso__scene_bool_or(reader, root, "private", false);
    request->is_unrecorded = !iso__scene_bool_or(reader, root, "record", true);
    request->slots = (uint32_t)iso__scene_uint_or(reader, root, "slots", 1, ISO_SLOT_COUNT_MAX, 0);
    request->has_spectators = spectators.is_present;
    request->spectators = (uint32_t)iso__scene_uint_or(reader, root, "spectators", 0, ISO_SESSION_SPECTATORS_MAX, 0);
}

static void read_request(iso__scene_reader *reader, const iso__scene_node *root, iso_session_request *request) {
    static const char name_expected[] = "a session's name: 1 to 63 of a to z, 0 to 9 and -";
    if (!iso__scene_object(reader, root, "name scene document password private slots spectators record")) {
        return;
    }
    const iso__scene_node name = iso__scene_member(root, "name");
    const iso__scene_node scene = iso__scene_member(root, "scene");
    const iso__scene_node document = iso__scene_member(root, "document");
    if (!read_text(reader, &name, name_expected, request->name, sizeof request->name)) {
        return;
    }
    if (!iso_session_name_is_valid(request->name, strlen(request->name))) {
        iso__scene_invalid(reader, &name, name_expected);
    } else if (scene.is_present && document.is_present) {
        iso__scene_invalid(reader, &document, "either scene or document, not both");
    } else if (scene.is_present) {
        read_text(reader, &scene, "the name of a built-in scene", request->scene, sizeof request->scene);
    } else if (document.is_present) {
        read_document(reader, &document, request);
    } else {
        iso__scene_invalid(reader, &scene, "the name of a built-in scene, or document with the text of one");
    }
}

static bool is_at(const char *path, const char *member) {
    return path[0] == '/' && strcmp(path + 1, member) == 0;
}

static bool is_text(const char *path) {
    return is_at(path, "name") || is_at(path, "scene") || is_at(path, "document");
}

static bool is_number_or_bool(const char *path) {
    return is_at(path, "private") || is_at(path, "slots") || is_at(path, "spectators") || is_at(path, "record");
}

/// Whether the value at this path, as JSON, can be no password, nor have one in it: an error is shown, and logged.
/// Strings are shown of members that are text alone, and not if they look as if they went on into other members: a
/// quote too many.
static bool may_be_shown(const char *path, const char *value) {
    const bool is_list = value[0] == '{' || value[0] == '[';
    if (is_list && strcmp(value, "{}") != 0 && strcmp(value, "[]") != 0) {
        return false;
    }
    return value[0] == '"' ? is_text(path) && strchr(value, '\\') == NULL : is_text(path) || is_number_or_bool(path);
}

static void hide(char *value) {
    static const char hidden[] = "…";
    memcpy(value, hidden, sizeof hidden);
}

/// The value of a member that could be read, if a password may be in it.
static void hide_value(iso_scene_error *error) {
    if (strcmp(error->value, "nothing") != 0 && !may_be_shown(error->path, error->value)) {
        const size_t size = strlen(error->value);
        iso__scene_wipe(error->value, sizeof error->value);
        if (size > 0) {
            hide(error->value);
        }
    }
}

/// What is no JSON is shown as the text that stands there, or as a path whose keys may be anything: where a comma or a
/// quote is missing, a password. Its line and column say enough.
static void hide_text(iso_scene_error *error) {
    const bool has_end = strcmp(error->value, "the end of the text") == 0;
    if (!has_end) {
        iso__scene_wipe(error->value, sizeof error->value);
        hide(error->value);
    }
    if (!is_text(error->path) && !is_number_or_bool(error->path) && !is_at(error->path, "password")) {
        iso__scene_wipe(error->path, sizeof error->path);
    }
}

iso_status iso_session_request_parse(const char *text, size_t size, iso_session_request *request,
                                     iso_scene_error *error) {
    json_object *json = NULL;
    memset(error, 0, sizeof *error);
    iso_status status = iso__scene_parse_text(text, size, true, &json, error);
    if (status != ISO_OK) {
        hide_text(error);
        return status;
    }
    iso_session_request made = {0};
    iso__scene_reader *reader = calloc(1, sizeof *reader);
    status = ISO_ERR_MEMORY;
    if (reader != NULL) {
        const iso__scene_node root = {NULL, NULL, 0, json, true};
        reader->error = error;
        reader->error_capacity = 1;
        read_request(reader, &root, &made);
        read_settings(reader, &root, &made);
        status = reader->status;
    }
    free(reader);
    wipe_strings(json);
    json_object_put(json);
    if (status == ISO_OK) {
        *request = made;
        iso__scene_wipe(made.password, sizeof made.password);
        return ISO_OK;
    }
    iso_session_request_term(&made);
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(error, text, size);
        hide_value(error);
    }
    return status;
}

void iso_session_request_term(iso_session_request *request) {
    free(request->document);
    iso__scene_wipe(request->password, sizeof request->password);
    *request = (iso_session_request){0};
}
