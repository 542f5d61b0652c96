/// Names and texts of the status codes.
#include "isostep/status.h"

const char *iso_status_name(iso_status status) {
    switch (status) {
#define STATUS_NAME(name, number, text) \
    case ISO_##name:                    \
        return &#name[(number) < 0 ? sizeof("ERR_") - 1 : 0];
        ISO_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    }
    return "UNKNOWN";
}

const char *iso_status_text(iso_status status) {
    switch (status) {
#define STATUS_TEXT(name, number, text) \
    case ISO_##name:                    \
        return text;
        ISO_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
