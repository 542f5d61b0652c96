/// Derivatives of the nodes of a graph.
#ifndef ISO_SYMBOLIC_DERIVE_H
#define ISO_SYMBOLIC_DERIVE_H

#include "symbolic/graph.h"

/// The derivatives of all marked nodes among the first `count` by one column of J.
/// @param column      of all bodies: x, y, rotation of the first and so on; in space x, y, z and turning about x, y, z
/// @param derivative  of each marked node; the graph grows
void iso__graph_derive(iso__graph *graph, const bool *marks, uint16_t count, const iso__layout *layout, uint32_t column,
                       iso__node_id *derivative);

#endif
