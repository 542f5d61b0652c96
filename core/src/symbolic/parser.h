/// Reads a source into the expression graph, with types and scopes. Used by the compiler alone.
#ifndef ISO_SYMBOLIC_PARSER_H
#define ISO_SYMBOLIC_PARSER_H

#include "symbolic/cursor.h"

/// Reads the whole source. @return false when the source is wrong; the error is filled
bool iso__parser_read(iso__parser *parser, const char *source, size_t size);

#endif
