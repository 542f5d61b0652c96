/// The options of HTTP. A program that was built without HTTP has none of these functions.
#ifndef ISO_HOST_OPTION_WEB_H
#define ISO_HOST_OPTION_WEB_H

#include "host/start/option_list.h"

iso__option_set iso__option_set_http;
iso__option_set iso__option_set_admin;
iso__option_set iso__option_set_origin;
iso__option_set iso__option_set_token;
iso__option_set iso__option_set_tokens;
iso__option_set iso__option_set_new_token;
iso__option_set iso__option_set_prefix;

#endif
