/// What a client calls itself, as others may see it: names that look equal are equal, and none is invisible.
#ifndef ISO_HOST_MEMBER_NAME_H
#define ISO_HOST_MEMBER_NAME_H

#include "isostep/proto/messages.h"

/// Brings a name into the form NFKC, removes what cannot be seen (controls, formats such as marks of direction, what a
/// font ignores, unassigned and private characters), and makes each run of white space one space, with none at the
/// ends. What has no room any more is cut off, whole characters. A name of which nothing stays, or nothing but
/// combining marks, is empty: the session names its owner.
///
/// @param name  UTF-8 with a zero at its end
void iso__member_name_clean(char name[ISO_MEMBER_NAME_MAX + 1]);

#endif
