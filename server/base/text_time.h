/// Times of the epoch as text: 2026-11-22T15:54:12Z.
#ifndef ISO_BASE_TEXT_TIME_H
#define ISO_BASE_TEXT_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define ISO__TEXT_TIME_SIZE 21u

void iso__text_time_write(int64_t seconds, char text[ISO__TEXT_TIME_SIZE]);
/// @return false: it is none
bool iso__text_time_read(const char *text, int64_t *seconds);

/// [s] since the epoch, by the system's clock.
int64_t iso__epoch_now_s(void);

#endif
