/// The principal axes of a symmetric 3x3 matrix, such as a body's moments and products of inertia.
#ifndef ISO_MATH_JACOBI3_H
#define ISO_MATH_JACOBI3_H

#include <stdint.h>

/// The moments of a symmetric matrix and the frame in which it is diagonal.
///
/// @param A        [A0 A1 A2; A1 A3 A4; A2 A4 A5] in any common format, the whole range of int64
/// @param moments  the eigenvalues in A's format, ascending; each within one quantum and 2^-56 of the largest entry,
///                 saturating
/// @param frame    the rotation (x, y, z, w; Q2.30, sign of the state) from the principal frame to that of A: the
///                 columns of its matrix R are the axes, in the order of the moments. R diag(moments) R^T is A within
///                 1e-8 of the largest entry.
///
/// A diagonal matrix keeps its moments exactly, and its frame is a permutation of the axes, exactly; equal moments stay
/// in the order of the axes, so that three equal ones give no rotation. Where moments tie, any axes across serve: the
/// rotations are a fixed sequence of integer operations, so that it is always the same frame.
///
/// Source: cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5), here with integers.
void iso__principal_axes(const int64_t A[6], int64_t moments[3], int32_t frame[4]);

#endif
