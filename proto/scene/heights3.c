/// Fields of heights of a scene in space.
#include <stdlib.h>

#include "scene/internal.h"

#define HEIGHTS_CELL_RANGE  ((iso__scene_range){ISO_WIDE_ONE / 16, 16 * ISO_WIDE_ONE, false, NULL, false})
#define HEIGHTS_SCALE_RANGE ((iso__scene_range){0, ISO_WIDE_ONE / 16, true, NULL, false})

/// A row of samples, as long as the first one.
static void heights_read_row(iso__scene_reader *reader, const iso__scene_node *row, size_t columns, int16_t *samples) {
    if (iso__scene_array(reader, row, 2, ISO_HEIGHTS_SIDE_MAX) != columns) {
        iso__scene_invalid(reader, row, "as many samples as in the first row");
        return;
    }
    for (size_t i = 0; i < columns; ++i) {
        const iso__scene_node item = iso__scene_item(row, i);
        samples[i] = (int16_t)iso__scene_int_in(reader, &item, INT16_MIN, INT16_MAX);
    }
}

static int16_t *heights_read_samples(iso__scene_reader *reader, const iso__scene_node *node, iso_heights_def *def) {
    const size_t rows = iso__scene_array(reader, node, 2, ISO_HEIGHTS_SIDE_MAX);
    if (rows == 0) {
        return NULL;
    }
    const iso__scene_node first = iso__scene_item(node, 0);
    const size_t columns = iso__scene_array(reader, &first, 2, ISO_HEIGHTS_SIDE_MAX);
    if (columns == 0) {
        return NULL;
    }
    int16_t *samples = calloc(rows * columns, sizeof *samples);
    if (samples == NULL) {
        iso__scene_out_of_memory(reader);
        return NULL;
    }
    for (size_t i = 0; i < rows; ++i) {
        const iso__scene_node row = iso__scene_item(node, i);
        heights_read_row(reader, &row, columns, samples + i * columns);
    }
    def->columns = (uint16_t)columns;
    def->rows = (uint16_t)rows;
    return samples;
}

/// Whether all fields of the scene together are as many samples as a world has room for.
static bool heights_fit(const iso_scene *scene) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < scene->heights_count; ++i) {
        const uint32_t count = (uint32_t)scene->heights[i].columns * scene->heights[i].rows;
        used += (count + 63) / 64 * 64;
    }
    return used <= ISO_HEIGHTS_SAMPLES_MAX;
}

uint32_t iso__scene_read_heights(iso__scene_reader *reader, const iso__scene_node *shape) {
    iso_scene *scene = reader->scene;
    if (scene->heights_count == ISO_HEIGHTS_MAX) {
        iso__scene_invalid(reader, shape, "no more than 8 shapes of heights in a scene");
        return 0;
    }
    const iso__scene_node samples = iso__scene_member(shape, "samples");
    const iso__scene_node cell = iso__scene_member(shape, "cell"), scale = iso__scene_member(shape, "scale");
    iso_heights_def def = {.cell = iso__scene_fix16(reader, &cell, HEIGHTS_CELL_RANGE),
                           .scale = iso__scene_fix16(reader, &scale, HEIGHTS_SCALE_RANGE)};
    int16_t *made = heights_read_samples(reader, &samples, &def);
    def.samples = made;
    if (reader->status == ISO_OK && iso_heights_def_check(&def) == ISO_ERR_GEOMETRY) {
        iso__scene_invalid(reader, &samples, "neighbours that differ by at most 60 m");
    }
    // A field belongs to the scene even when it is wrong, and goes with it.
    scene->heights[scene->heights_count] = def;
    scene->heights_count += 1;
    if (reader->status == ISO_OK && !heights_fit(scene)) {
        iso__scene_invalid(reader, &samples,
                           "at most 32768 samples in all shapes of heights, each rounded up to a multiple of 64");
    }
    return scene->heights_count - 1;
}
