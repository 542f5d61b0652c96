/// The sessions that clients can find: by name, for joins, lists and metrics. Used by the I/O thread only, so that a
/// session can come and go while others look.
#ifndef ISO_HOST_DIRECTORY_H
#define ISO_HOST_DIRECTORY_H

#include "host/sessions/hosted.h"

typedef struct iso__directory {
    iso__hosted **sessions; // in the order in which they came
    iso__hosted **by_name;  // the same, sorted
    uint32_t count, capacity;
    iso__affinity io; // the thread that has made it
} iso__directory;

/// @return false when there is no memory
bool iso__directory_init(iso__directory *directory, uint32_t capacity);
void iso__directory_term(iso__directory *directory);

/// There must be room, and no session of this name.
void iso__directory_add(iso__directory *directory, iso__hosted *hosted);
/// A session that is not in it is allowed.
void iso__directory_remove(iso__directory *directory, const iso__hosted *hosted);

/// @return NULL: there is none of this name
iso__hosted *iso__directory_find(const iso__directory *directory, const char *name);

#endif
