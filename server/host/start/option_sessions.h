/// The options that say which sessions are hosted.
#ifndef ISO_HOST_OPTION_SESSIONS_H
#define ISO_HOST_OPTION_SESSIONS_H

#include "host/start/option_list.h"

iso__option_set iso__option_set_session;
iso__option_set iso__option_set_sessions;
iso__option_set iso__option_set_scene;
iso__option_set iso__option_set_resume; // --resume and --rewind
iso__option_set iso__option_set_private;

/// What sessions have that the command line leaves open: their scene, and the one named main if it names none.
void iso__option_complete_sessions(iso__options *options);

#endif
