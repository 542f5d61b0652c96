/// Of check.c. Needs no protobuf.
#ifndef ISO_PROTO_CODEC_CHECK_H
#define ISO_PROTO_CODEC_CHECK_H

#include "isostep/proto/messages.h"

/// As iso_message_check, but for the commands of an INPUT, whose pointer is not looked at.
iso_status iso__message_check_but_commands(const iso_message *message);

#endif
