/// Messages to the operator, on standard error.
#ifndef ISO_HOST_LOG_H
#define ISO_HOST_LOG_H

/// Writes one line, with a newline, in one write, so that lines of several threads never mix. Keeps
/// errno. A message is cut at 1,000 bytes, control characters become '?'.
__attribute__((format(printf, 1, 2))) void iso__log(const char *format, ...);

#endif
