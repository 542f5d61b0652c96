/// The way out of a function at the first error. Needs no protobuf, so check.c may use it, too.
#ifndef ISO_PROTO_CODEC_TRY_H
#define ISO_PROTO_CODEC_TRY_H

#include "isostep/status.h"

/// Returns the expression's status from the function unless it is ISO_OK.
#define ISO__TRY(expression)            \
    do {                                \
        iso_status try_ = (expression); \
        if (try_ != ISO_OK) {           \
            return try_;                \
        }                               \
    } while (0)

#endif
