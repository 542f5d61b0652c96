/// Messages to the operator. What a peer sent may stand in them, hence the replacing of control
/// characters: a log that a terminal obeys is an attack.
#include "host/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_SIZE_MAX 1000

void iso__log(const char *format, ...)
{
    int saved_errno = errno;
    char line[LINE_SIZE_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, LINE_SIZE_MAX, format, arguments);
    va_end(arguments);
    if (size < 0)
        size = 0;
    if (size >= LINE_SIZE_MAX)
        size = LINE_SIZE_MAX - 1;
    for (int i = 0; i < size; i++) {
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F)
            line[i] = '?';
    }
    line[size++] = '\n';
    // A log that cannot be written is nobody's reason to stop serving.
    ssize_t written = write(STDERR_FILENO, line, (size_t)size);
    (void)written;
    errno = saved_errno;
}
