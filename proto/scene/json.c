/// From a scene's text to json-c's tree.
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

void iso__scene_wipe(char *bytes, size_t size) {
    volatile char *at = bytes;
    for (size_t i = 0; i < size; ++i) {
        at[i] = 0;
    }
}

/// The tree of a text that iso__scene_check_text took, without its comments; NULL when memory runs out.
static json_object *parse_json(const char *text, size_t size) {
    json_tokener *tokener = json_tokener_new_ex(ISO_SCENE_DEPTH_MAX + 2);
    if (tokener == NULL) {
        return NULL;
    }
    static_assert(ISO_SCENE_SIZE_MAX <= INT_MAX, "json-c counts in int");
    json_object *json = json_tokener_parse_ex(tokener, text, (int)size);
    // The last strings, which may be a password.
    iso__scene_wipe(tokener->pb->buf, (size_t)tokener->pb->size);
    json_tokener_free(tokener);
    return json;
}

iso_status iso__scene_parse_text(const char *text, size_t size, bool was_sent, json_object **json,
                                 iso_scene_error *error) {
    const size_t room =
        size <= (was_sent ? ISO_SCENE_SENT_SIZE_MAX : ISO_SCENE_SIZE_MAX) ? size : 0; // of a longer one nothing is read
    char *plain = malloc(room + 1);
    if (plain == NULL) {
        return ISO_ERR_MEMORY;
    }
    memcpy(plain, text, room);
    iso_status status = ISO_ERR_SCENE_INVALID;
    if (iso__scene_check_text(text, size, was_sent, plain, error)) {
        *json = parse_json(plain, size);
        status = *json != NULL ? ISO_OK : ISO_ERR_MEMORY;
    }
    if (was_sent) {
        iso__scene_wipe(plain, room);
    }
    free(plain);
    return status;
}
