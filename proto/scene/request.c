/// A request for a session: JSON with the scene reader's grammar, limits and errors.
#include "isostep/proto/session_request.h"

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

static void read_request(iso__scene_reader *reader, const iso__scene_node *root, iso_session_request *request) {
    static const char name_expected[] = "a session's name: 1 to 63 of a to z, 0 to 9 and -";
    if (!iso__scene_object(reader, root, "name scene document")) {
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

iso_status iso_session_request_parse(const char *text, size_t size, iso_session_request *request,
                                     iso_scene_error *error) {
    json_object *json = NULL;
    memset(error, 0, sizeof *error);
    iso_status status = iso__scene_parse_text(text, size, true, &json, error);
    if (status != ISO_OK) {
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
        status = reader->status;
    }
    free(reader);
    json_object_put(json);
    if (status == ISO_OK) {
        *request = made;
        return ISO_OK;
    }
    iso_session_request_term(&made);
    if (status == ISO_ERR_SCENE_INVALID) {
        iso_scene_error_locate(error, text, size);
    }
    return status;
}

void iso_session_request_term(iso_session_request *request) {
    free(request->document);
    *request = (iso_session_request){0};
}
