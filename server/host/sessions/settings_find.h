/// Which settings a session has when it begins or goes on.
#ifndef ISO_HOST_SETTINGS_FIND_H
#define ISO_HOST_SETTINGS_FIND_H

#include "host/sessions/hosted.h"

/// What the session was created with: of one that is continued its own; of one that begins those of the recordings of
/// its name that it leaves behind, else the newest ones of its name. @return false after a message
bool iso__hosted_find_settings(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config);

/// Writes the settings of a session that begins with those of one before it, or goes on in another folder: before its
/// recording begins. @return false after a message
bool iso__hosted_save_settings(const iso__hosted *hosted, const iso__disk *disk);

/// Removes what a server that was killed has left: settings that were not whole yet, and those beside which there is no
/// other file of their session, unless it is hosted, or they keep anybody out. Those stay: the recordings may come
/// back.
void iso__hosted_remove_left_settings(const iso__disk *disk,
                                      bool (*is_hosted)(const void *user, const char *session, const char *uid),
                                      const void *user);

#endif
