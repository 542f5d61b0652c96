/// Colours: no body that moves has two constraints of a colour. So the order within a colour does not matter, and lanes
/// or threads may share it.
///
/// A constraint takes the lowest colour that is free at its bodies. Contacts of two dynamic bodies take one below
/// ISO__COLOUR_DYNAMIC, other contacts one of the rest, which are solved last, so that they are violated least. What
/// finds no colour goes to the overflow, which is solved first, one constraint after the other. Which constraints have
/// colours, and in which order they take them, the wings say; it is part of the result.
#ifndef ISO_STEP_COLOUR_H
#define ISO_STEP_COLOUR_H

#include <stddef.h>
#include <stdint.h>

#define ISO__COLOURS         32u // besides the overflow
#define ISO__COLOUR_DYNAMIC  24u // colours 0 to 23: of two dynamic bodies; the rest: with what is not dynamic
#define ISO__COLOUR_OVERFLOW ISO__COLOURS

/// @param masks  of the bodies: a bit per colour that is taken; NULL for one that is not dynamic
/// @return a colour from `first` on, below `end`, which is taken from now on; or ISO__COLOUR_OVERFLOW
static inline uint32_t iso__colour_take(uint32_t *const *masks, uint32_t count, uint32_t first, uint32_t end) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        used |= masks[i] != NULL ? *masks[i] : 0;
    }
    for (uint32_t colour = first; colour < end; ++colour) {
        const uint32_t bit = UINT32_C(1) << colour;
        if ((used & bit) == 0) {
            for (uint32_t i = 0; i < count; ++i) {
                if (masks[i] != NULL) {
                    *masks[i] |= bit;
                }
            }
            return colour;
        }
    }
    return ISO__COLOUR_OVERFLOW;
}

/// A contact's.
static inline uint32_t iso__colour_take_pair(uint32_t *mask_a, uint32_t *mask_b) {
    uint32_t *const masks[] = {mask_a, mask_b};
    return mask_a != NULL && mask_b != NULL ? iso__colour_take(masks, 2, 0, ISO__COLOUR_DYNAMIC)
                                            : iso__colour_take(masks, 2, ISO__COLOUR_DYNAMIC, ISO__COLOURS);
}

/// Groups from begin on, up to end.
typedef struct iso__group_range {
    uint32_t begin, end;
} iso__group_range;

/// Divides the contacts of each colour into groups, those of the overflow first: in the order in which they are solved.
/// @param counts  of each colour's contacts
/// @param size    contacts of a full group
/// @param groups  out: of each colour
/// @return the number of groups
uint32_t iso__colour_groups(const uint32_t counts[ISO__COLOURS + 1], uint32_t size,
                            iso__group_range groups[ISO__COLOURS + 1]);

#endif
