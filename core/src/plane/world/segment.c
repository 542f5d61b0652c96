/// See segment.h.
#include "plane/world/segment.h"

#include "math/fixed_ops.h"

#define SEGMENT_LENGTH_MIN (ISO_WIDE_ONE / 1000 - 2) // 1 mm, less what rounding of points and length can take
#define SEGMENT_POINT_MAX  (ISO_SEGMENT_POINT_MAX_M * ISO_WIDE_ONE)
#define SEGMENT_EXTENT_MAX (ISO_SHAPE_EXTENT_MAX_M * ISO__LENGTH_ONE)

static int64_t segment_length(iso_vec2_wide a, iso_vec2_wide b) {
    return iso_wide_hypot(b.x - a.x, b.y - a.y);
}

iso_status iso__plane_segment_check(const iso_shape_def *def) {
    const iso_vec2_wide *p = def->segment;
    for (uint32_t i = 0; i < ISO__PLANE_SEGMENT_POINTS; ++i) {
        if (iso__abs_u64(p[i].x) > SEGMENT_POINT_MAX || iso__abs_u64(p[i].y) > SEGMENT_POINT_MAX) {
            return ISO_ERR_GEOMETRY;
        }
    }
    const int64_t before = segment_length(p[0], p[1]), behind = segment_length(p[2], p[3]);
    const int64_t length = segment_length(p[1], p[2]);
    const bool is_right = def->radius == 0 && length >= SEGMENT_LENGTH_MIN && length >> 9 < SEGMENT_EXTENT_MAX &&
                          (before == 0 || before >= SEGMENT_LENGTH_MIN) &&
                          (behind == 0 || behind >= SEGMENT_LENGTH_MIN);
    return is_right ? ISO_OK : ISO_ERR_GEOMETRY;
}

void iso__plane_segment_write(iso__plane_shape *record, const iso_vec2_wide points[ISO__PLANE_SEGMENT_POINTS]) {
    for (uint32_t i = 0; i < ISO__PLANE_SEGMENT_POINTS; ++i) {
        const uint64_t x = (uint64_t)points[i].x, y = (uint64_t)points[i].y;
        record->vertices[4 * i] = (int32_t)(uint32_t)x;
        record->vertices[4 * i + 1] = (int32_t)(uint32_t)(x >> 32);
        record->vertices[4 * i + 2] = (int32_t)(uint32_t)y;
        record->vertices[4 * i + 3] = (int32_t)(uint32_t)(y >> 32);
    }
}

iso_vec2_wide iso__plane_segment_point(const iso__plane_shape *record, uint32_t i) {
    const int32_t *words = &record->vertices[4 * (size_t)i];
    return (iso_vec2_wide){(int64_t)((uint64_t)(uint32_t)words[1] << 32 | (uint32_t)words[0]),
                           (int64_t)((uint64_t)(uint32_t)words[3] << 32 | (uint32_t)words[2])};
}

int32_t iso__plane_segment_extent(const iso__plane_shape *record) {
    // Half of Q31.32 to Q7.24; the ends and the middle are rounded.
    return iso__saturate32(
        (segment_length(iso__plane_segment_point(record, 1), iso__plane_segment_point(record, 2)) >> 9) + 3);
}

int32_t iso__plane_segment_extent_from(const iso__plane_shape *record, int32_t x, int32_t y) {
    const iso_vec2_wide from = {iso__shl64(x, 8), iso__shl64(y, 8)};
    const int64_t a = segment_length(iso__plane_segment_point(record, 1), from);
    const int64_t b = segment_length(iso__plane_segment_point(record, 2), from);
    return iso__saturate32((iso__max64(a, b) >> 8) + 3);
}

static void segment_normal(iso_vec2_wide from, iso_vec2_wide to, int32_t normal[2]) {
    normal[0] = normal[1] = 0;
    iso__normalize(to.y - from.y, from.x - to.x, &normal[0], &normal[1]);
}

void iso__plane_segment_derive(const iso__plane_shape *record, const int32_t centre[2],
                               iso__plane_shape_derived *derived) {
    iso_vec2_wide p[ISO__PLANE_SEGMENT_POINTS];
    for (uint32_t i = 0; i < ISO__PLANE_SEGMENT_POINTS; ++i) {
        p[i] = iso__plane_segment_point(record, i);
    }
    const iso_vec2_wide middle = {iso__round_shift(p[1].x + p[2].x, 1), iso__round_shift(p[1].y + p[2].y, 1)};
    derived->origin[0] = middle.x - iso__shl64(centre[0], 8);
    derived->origin[1] = middle.y - iso__shl64(centre[1], 8);
    for (uint32_t v = 0; v < 2; ++v) {
        derived->vertices[v][0] = iso__narrow32(iso__round_shift(p[v + 1].x - middle.x, 8));
        derived->vertices[v][1] = iso__narrow32(iso__round_shift(p[v + 1].y - middle.y, 8));
    }
    segment_normal(p[1], p[2], derived->normals[0]);
    segment_normal(p[2], p[1], derived->normals[1]);
    segment_normal(p[0], p[1], derived->normals[ISO__PLANE_SEGMENT_BEFORE]);
    segment_normal(p[2], p[3], derived->normals[ISO__PLANE_SEGMENT_BEHIND]);
    derived->extent = iso__plane_segment_extent(record);
}
