/// One function, so that a test can replace the clock.
#include "base/clock.h"

#include <time.h>

uint64_t iso__clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ISO__NS_PER_S + (uint64_t)now.tv_nsec;
}
