#include "base/text_time.h"

#include <string.h>
#include <time.h>

#define FORM "%Y-%m-%dT%H:%M:%SZ"

void iso__text_time_write(int64_t seconds, char text[ISO__TEXT_TIME_SIZE]) {
    const time_t time = (time_t)seconds;
    struct tm utc;
    memset(text, 0, ISO__TEXT_TIME_SIZE);
    if (gmtime_r(&time, &utc) != NULL) {
        (void)strftime(text, ISO__TEXT_TIME_SIZE, FORM, &utc);
    }
}

bool iso__text_time_read(const char *text, int64_t *seconds) {
    struct tm utc = {0};
    const char *end = strptime(text, FORM, &utc);
    if (end == NULL || *end != '\0') {
        return false;
    }
    *seconds = (int64_t)timegm(&utc);
    return true;
}

int64_t iso__epoch_now_s(void) {
    return (int64_t)time(NULL);
}
