/// What a client asks for that has a session created: the body of the server's POST /api/sessions, as JSON.
///
/// `{"name":"arena","scene":"ragdolls"}` for a built-in scene, `{"name":"arena","document":"{…}"}` for the text of a
/// scene, and perhaps what the session has otherwise than others: `"password":"…"`, `"private":true`, `"slots":4`,
/// `"spectators":0`, `"record":false`. It is read as scenes are (SCENE.md): strictly, with comments, keys once, within
/// the same limits.
#ifndef ISOSTEP_PROTO_SESSION_REQUEST_H
#define ISOSTEP_PROTO_SESSION_REQUEST_H

#include "isostep/proto/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_SESSION_REQUEST_NAME_MAX          63 // characters, as ISO_SESSION_NAME_MAX of the messages
#define ISO_SESSION_REQUEST_PASSWORD_MAX      63 // bytes of a password, as ISO_PASSWORD_MAX of the messages
#define ISO_SESSION_REQUEST_PASSWORD_EXPECTED "a password: 1 to 63 bytes of UTF-8 without control characters"
#define ISO_SESSION_SPECTATORS_MAX            512

typedef struct iso_session_request {
    char name[ISO_SESSION_REQUEST_NAME_MAX + 1]; // of the session: 1 to 63 of a to z, 0 to 9 and -
    char scene[ISO_SCENE_NAME_MAX + 1];          // a scene's name; "": `document` is given
    char *document;       // the text of a scene, malloc'ed, not terminated; NULL: `scene` is given
    size_t document_size; // [bytes]
    char password[ISO_SESSION_REQUEST_PASSWORD_MAX + 1]; // "": none; it may have control characters
    bool is_private;                                     // only who knows its name finds it
    bool is_unrecorded;                                  // although the server records
    bool has_spectators;                                 // `spectators` counts instead of what the server allows
    uint32_t slots;                                      // members at a time; 0: as many as the scene has slots
    uint32_t spectators;
} iso_session_request;

/// Reads a request. Whether there is such a scene, and whether the document is one, is not checked.
///
/// @param text     `size` bytes, at most ISO_SCENE_SENT_SIZE_MAX
/// @param request  written only on success; iso_session_request_term frees what it holds
/// @param error    filled on ISO_ERR_SCENE_INVALID, with line and column; of a value that may be a password, with "…"
///                 for it
/// @return ISO_OK; ISO_ERR_SCENE_INVALID; ISO_ERR_MEMORY.
iso_status iso_session_request_parse(const char *text, size_t size, iso_session_request *request,
                                     iso_scene_error *error);
/// Frees the document, and overwrites the password. A request of zeros is allowed.
void iso_session_request_term(iso_session_request *request);

/// Whether a session may have this name: 1 to ISO_SESSION_REQUEST_NAME_MAX of a to z, 0 to 9 and -.
bool iso_session_name_is_valid(const char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
