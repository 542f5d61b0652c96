#include "isostep/proto/nearest.h"

#include <ctype.h>
#include <string.h>

#include "isostep/assert.h"
#include "scene/internal.h"

// What a scene's author can read at once, and what a hostile one can let be compared.
#define NEAREST_LOOKED_MAX 4096u
#define NEAREST_SIZE_MAX   40u

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// @param a, b  up to NEAREST_SIZE_MAX letters of each
static uint32_t nearest_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    uint32_t rows[3][NEAREST_SIZE_MAX + 1];
    for (uint32_t j = 0; j <= b_size; ++j) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= a_size; ++i) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_size; ++j) {
            const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2])) {
                row[j] = least(row[j], twice[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void iso_nearest_look(iso_nearest *nearest, const char *name, const char *candidate, size_t size) {
    ISO_ASSERT(nearest->count <= ISO_NEAREST_MAX && name != NULL && candidate != NULL);
    const size_t name_size = strlen(name);
    const uint32_t bound = (uint32_t)(name_size + 1) / 3;
    const size_t difference = name_size > size ? name_size - size : size - name_size;
    if (++nearest->looked > NEAREST_LOOKED_MAX || name_size > NEAREST_SIZE_MAX || size > NEAREST_SIZE_MAX ||
        difference > bound) {
        return;
    }
    const uint32_t distance = nearest_distance(name, name_size, candidate, size);
    uint32_t place = nearest->count;
    while (place > 0 && nearest->distances[place - 1] > distance) {
        place -= 1;
    }
    if (distance > bound || place == ISO_NEAREST_MAX) {
        return;
    }
    nearest->count = least(nearest->count + 1, ISO_NEAREST_MAX);
    for (uint32_t i = nearest->count - 1; i > place; --i) {
        nearest->distances[i] = nearest->distances[i - 1];
        nearest->names[i] = nearest->names[i - 1];
        nearest->sizes[i] = nearest->sizes[i - 1];
    }
    nearest->distances[place] = distance;
    nearest->names[place] = candidate;
    nearest->sizes[place] = size;
}

void iso_nearest_write(const iso_nearest *nearest, char *text, size_t capacity) {
    ISO_ASSERT(nearest->count <= ISO_NEAREST_MAX && strlen(text) < capacity);
    for (uint32_t i = 0; i < nearest->count; ++i) {
        if (strlen(text) + nearest->sizes[i] + 4 >= capacity) {
            return;
        }
        iso__scene_append(text, capacity, ", ", i > 0 ? 2 : 0);
        iso__scene_append(text, capacity, "'", 1);
        iso__scene_append(text, capacity, nearest->names[i], nearest->sizes[i]);
        iso__scene_append(text, capacity, "'", 1);
    }
}

void iso_nearest_ask(const iso_nearest *nearest, char text[ISO_NEAREST_TEXT_SIZE]) {
    ISO_ASSERT(nearest->count <= ISO_NEAREST_MAX);
    text[0] = 0;
    if (nearest->count > 0) {
        iso__scene_append(text, ISO_NEAREST_TEXT_SIZE, " (did you mean ", 15);
        iso_nearest_write(nearest, text, ISO_NEAREST_TEXT_SIZE - 2);
        iso__scene_append(text, ISO_NEAREST_TEXT_SIZE, "?)", 2);
    }
}
