/// What the rows of a group of contacts are made of, and what is made of the rows: between contact_rows.c and the
/// kernels.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_STAGE_H
#define ISO_SPACE_DYNAMICS_CONTACT_STAGE_H

#include "space/dynamics/contact_group.h"

#define ISO__SPACE_STAGE_MIDDLE ISO__SPACE_MANIFOLD_POINTS // after the points: the middle of the patch

/// One side's body, in eight contacts. Of what does not turn all is zero.
typedef struct iso__space_stage_body {
    int32_t anchor[ISO__SPACE_MANIFOLD_POINTS + 1][3][ISO__LANES]; // r [m] Q7.24
    int32_t scale
        [ISO__LANES]; // 1/L, times 2^7: what makes a lever of Q1.30 of an anchor, and one bit more; 0: it does not turn
    int32_t twist[3][ISO__LANES];  // n rho/L, Q2.30
    int32_t tensor[6][ISO__LANES]; // aG, Q9.22 times 2^-extra: xx, xy, xz, yy, yz, zz
    uint32_t extra[ISO__LANES];    // of thin bodies, whose aG exceeds 2^9; 0 of others
    bool has_extra;
} iso__space_stage_body;

typedef struct iso__space_stage {
    iso__space_stage_body a, b;
    int64_t point_turning[ISO__SPACE_MANIFOLD_POINTS][ISO__LANES]; // out: gA armA + gB armB, Q.52
    int64_t friction_turning[3][ISO__LANES];                       // out: of both tangents' rows: 11, 12, 22
    int64_t twist_turning[ISO__LANES];                             // out
} iso__space_stage;

#endif
