/// Expressions, read.
#ifndef ISO_SYMBOLIC_EXPRESSION_H
#define ISO_SYMBOLIC_EXPRESSION_H

#include "symbolic/cursor.h"

/// An expression at the present token.
iso__value iso__parser_expression(iso__parser *parser);

#endif
