/// The names of a recording's files.
#ifndef ISO_RECORDER_RECORDER_NAME_H
#define ISO_RECORDER_RECORDER_NAME_H

#include "isostep/proto/recording.h"

/// Room for the longest file name, with its terminating zero.
#define ISO_RECORDER_NAME_SIZE 112u

/// "NAME-UIDPREFIX-EPOCH.isr" or "….isr.part": the session's name, eight hexadecimal digits of its
/// uid, the epoch in decimal. A second file of the epoch is called "NAME-UIDPREFIX-EPOCH.2.isr", and so on.
/// @param number  0 and 1: the first file
/// @param name    room for ISO_RECORDER_NAME_SIZE characters
void iso_recorder_make_name(const iso_recording_header *header, uint32_t number, bool part, char *name);

#endif
