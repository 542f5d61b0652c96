#include "base/priority.h"

#include <errno.h>
#include <sys/resource.h>

#define TRAFFIC_NICENESS 7

void iso__priority_stand_back(void) {
    errno = 0;
    const int present = getpriority(PRIO_PROCESS, 0);
    if (errno == 0) {
        setpriority(PRIO_PROCESS, 0, present + TRAFFIC_NICENESS);
    }
}
