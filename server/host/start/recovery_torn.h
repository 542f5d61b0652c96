/// What is kept of the torn end of a file.
#ifndef ISO_HOST_RECOVERY_TORN_H
#define ISO_HOST_RECOVERY_TORN_H

#include "host/start/recovery.h"

/// The first of STEM.END, STEM.END-2 and so on that does not exist. @param stem_size  of STEM, which need not end there
/// @return false: all ISO__RECOVERY_COPIES_MAX exist
bool iso__recovery_find_free_name(int folder, const char *stem, size_t stem_size, const char *end, char *name,
                                  size_t size);

/// Copies what is to be cut off to NAME.isr.torn, or NAME.isr.torn-2 and so on when that exists, and syncs it and the
/// folder. Nothing is copied when no frame is bad, or when there are only zeros.
/// @return ISO_OK; ISO_ERR_IO after a message, and no copy stays
iso_status iso__recovery_keep_torn(const iso__recovery *recovery, int folder, const char *name);

#endif
