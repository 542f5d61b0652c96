/// The names of a scene's bodies and joints, as clients are told them.
#ifndef ISO_HOST_NAMES_H
#define ISO_HOST_NAMES_H

#include "isostep/proto/messages.h"
#include "isostep/proto/scene.h"

/// One block of memory. {0} is without names.
typedef struct iso__names {
    iso_message_names message; // leads into the block
    void *block;               // from the heap
} iso__names;

/// Copies the names of a scene, which may be freed afterwards. Where there are more than NAMES may contain, generated
/// ones are left out first. @return ISO_OK; ISO_ERR_MEMORY
iso_status iso__names_init(iso__names *names, const iso_scene *scene);
void iso__names_term(iso__names *names);

/// @return the name of the scene's body or joint with this id, whether it is still there or not; NULL: it has none, or
///         it was left out
const char *iso__names_find(const iso__names *names, bool is_joint, uint32_t index, uint32_t generation);

/// What a session tells. @return NULL: there are no names
const iso_message_names *iso__names_get(const iso__names *names);

#endif
