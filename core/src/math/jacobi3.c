/// Principal axes by cyclic Jacobi rotations of integers.
///
/// The matrix is scaled to 60 bits, so that no sum of the rotated one, bounded by its Frobenius norm of at most three
/// times that, leaves 62. A rotation's angle is found to 30 bits, its sine and cosine are a unit vector to 60 bits: the
/// rotations lose nothing, and what an angle is off by the next sweep finds. Axes stay in Q.60 until the end.
#include "math/jacobi3.h"

#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/wide128.h"

enum {
    MATRIX_BITS = 60,
    AXIS_FRACTION = 60,
    SWEEPS_MAX = 12 // three do for most, four for all that tests have met
};

/// The matrix on its way to a diagonal one, and the axes found so far as columns, Q.60.
typedef struct jacobi {
    int64_t matrix[3][3];
    int64_t axes[3][3];
} jacobi;

/// Sine and cosine in Q.60 of the smaller angle that makes the entry (p, q) zero. False if there is nothing to turn.
static bool jacobi_angle(const jacobi *it, unsigned p, unsigned q, int64_t *sine, int64_t *cosine) {
    if (it->matrix[p][q] == 0) {
        return false;
    }
    // tan 2a = 2 A_pq / (A_pp - A_qq), with 2a between -1/4 and 1/4 turn.
    const int64_t x = it->matrix[p][p] - it->matrix[q][q];
    const int64_t y = 2 * it->matrix[p][q];
    int32_t c2, s2, c, s;
    iso__normalize(x < 0 ? -x : x, x < 0 ? -y : y, &c2, &s2);
    if (iso__abs_u32(s2) <= 1) {
        return false; // half a quantum of the angle is as near as its rounding gets
    }
    iso__normalize((int64_t)ISO__UNIT_ONE + c2, s2, &c, &s);
    // A Newton step to length one: |e| < 2^32, as each component is within a quantum.
    const int64_t e = (INT64_C(1) << 60) - iso__dot32(c, s, c, s);
    *cosine = (int64_t)c * ISO__UNIT_ONE + iso__round_shift(c * e, 31);
    *sine = (int64_t)s * ISO__UNIT_ONE + iso__round_shift(s * e, 31);
    return true;
}

/// (a, b) turned: (c a + s b, c b - s a).
static void jacobi_turn(int64_t s, int64_t c, int64_t *a, int64_t *b) {
    const int64_t before = *a;
    *a = iso__dot_shift(c, before, s, *b, AXIS_FRACTION);
    *b = iso__dot_shift(c, *b, -s, before, AXIS_FRACTION);
}

/// Turns the axes p and q into each other so that the entry (p, q) becomes zero. False if it is.
static bool jacobi_rotate(jacobi *it, unsigned p, unsigned q) {
    int64_t s, c;
    if (!jacobi_angle(it, p, q, &s, &c)) {
        return false;
    }
    for (unsigned k = 0; k < 3; ++k) {
        jacobi_turn(s, c, &it->matrix[p][k], &it->matrix[q][k]);
    }
    for (unsigned k = 0; k < 3; ++k) {
        jacobi_turn(s, c, &it->matrix[k][p], &it->matrix[k][q]);
        jacobi_turn(s, c, &it->axes[k][p], &it->axes[k][q]);
    }
    // Each entry beside the diagonal came by two ways of rounding: one of them holds.
    for (unsigned i = 0; i < 3; ++i) {
        for (unsigned j = 0; j < i; ++j) {
            it->matrix[i][j] = it->matrix[j][i];
        }
    }
    return true;
}

/// a * 2^shift, or rounded a / 2^-shift.
static int64_t jacobi_scaled(int64_t a, int shift) {
    if (shift >= 0) {
        return iso__mul_shift(a, INT64_C(1) << shift, 0);
    }
    return iso__mul_shift(a, 1, (unsigned)-shift);
}

/// By how many bits the entries are scaled up; 0 when nothing beside the diagonal needs it.
static int jacobi_scale(const int64_t A[6]) {
    uint64_t bits = 0;
    for (int i = 0; i < 6; ++i) {
        bits |= iso__abs_u64(A[i]);
    }
    const bool is_diagonal = (A[1] | A[2] | A[4]) == 0;
    return is_diagonal ? 0 : (int)iso__clz64(bits) - (64 - MATRIX_BITS);
}

/// The quaternion of a rotation matrix in Q.60: of the four ways (Shepperd 1978) the one with the largest component.
static void jacobi_quaternion(int64_t m[3][3], int32_t q[4]) {
    const int64_t one = INT64_C(1) << AXIS_FRACTION;
    // Four times the squares of x, y, z, w, each at most 2^62.
    const int64_t squares[4] = {one + m[0][0] - m[1][1] - m[2][2], one - m[0][0] + m[1][1] - m[2][2],
                                one - m[0][0] - m[1][1] + m[2][2], one + m[0][0] + m[1][1] + m[2][2]};
    unsigned largest = 3;
    for (unsigned i = 0; i < 3; ++i) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    int64_t v[4];
    if (largest == 3) {
        v[0] = m[2][1] - m[1][2];
        v[1] = m[0][2] - m[2][0];
        v[2] = m[1][0] - m[0][1];
    } else {
        for (unsigned i = 0; i < 3; ++i) {
            v[i] = m[i][largest] + m[largest][i];
        }
        const unsigned j = largest == 2 ? 0 : largest + 1, k = 3 - largest - j;
        v[3] = m[k][j] - m[j][k];
    }
    v[largest] = squares[largest];
    iso__normalize4(v, q);
    iso__quat_canonical(q);
}

/// The axes in ascending order of their moments, equal ones as they are, right-handed.
static void jacobi_order(const jacobi *it, unsigned order[3], int64_t axes[3][3]) {
    for (unsigned i = 0; i < 3; ++i) {
        unsigned rank = 0;
        for (unsigned j = 0; j < 3; ++j) {
            const int64_t own = it->matrix[i][i], other = it->matrix[j][j];
            rank += other < own || (other == own && j < i);
        }
        order[rank] = i;
    }
    // The rotations keep the hand of the frame, an odd permutation changes it.
    const bool is_odd = order[1] != (order[0] == 2 ? 0 : order[0] + 1);
    for (unsigned k = 0; k < 3; ++k) {
        axes[k][0] = it->axes[k][order[0]];
        axes[k][1] = it->axes[k][order[1]];
        axes[k][2] = is_odd ? -it->axes[k][order[2]] : it->axes[k][order[2]];
    }
}

void iso__principal_axes(const int64_t A[6], int64_t moments[3], int32_t frame[4]) {
    const int shift = jacobi_scale(A);
    static const uint8_t places[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    jacobi it;
    for (unsigned i = 0; i < 3; ++i) {
        for (unsigned j = 0; j < 3; ++j) {
            it.matrix[i][j] = jacobi_scaled(A[places[i][j]], shift);
            it.axes[i][j] = i == j ? INT64_C(1) << AXIS_FRACTION : 0;
        }
    }
    bool has_turned = true;
    for (unsigned sweep = 0; has_turned && sweep < SWEEPS_MAX; ++sweep) {
        has_turned = false;
        for (unsigned pair = 0; pair < 3; ++pair) {
            const unsigned p = pair == 2, q = pair == 0 ? 1 : 2;
            has_turned = jacobi_rotate(&it, p, q) || has_turned;
        }
    }
    unsigned order[3];
    int64_t axes[3][3];
    jacobi_order(&it, order, axes);
    for (unsigned i = 0; i < 3; ++i) {
        moments[i] = jacobi_scaled(it.matrix[order[i]][order[i]], -shift);
    }
    jacobi_quaternion(axes, frame);
}
