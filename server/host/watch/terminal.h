/// Whether somebody's terminal controls this process: its hang-up then means that they have gone.
#ifndef ISO_HOST_TERMINAL_H
#define ISO_HOST_TERMINAL_H

#include <stdbool.h>

bool iso__terminal_is_there(void);

#endif
