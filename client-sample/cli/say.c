/// Lines for people, on standard error.
#include <stdarg.h>
#include <stdio.h>

#include "app.h"
#include "isostep/proto/text.h"

void iso__cli_say(const iso__cli_app *app, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fputs(app->is_terminal ? "\r\033[K" : "", stderr);
    iso_print(stderr, "isostep-client: %s\n", text);
}
