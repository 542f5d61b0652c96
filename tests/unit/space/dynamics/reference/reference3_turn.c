/// Turning: the momentum is kept, and the energy is split about the middle moment into three flows that are exact.
#include "reference3_world.h"

/// q = p q or, from the right, q p.
static void quat_product(const double p[4], const double q[4], double out[4]) {
    const double is[4] = {
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
    memcpy(out, is, sizeof is);
}

static void quat_normalize(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        q[i] /= length;
    }
}

/// About one of the body's axes, by (1/I - 1/I_mid) P h. P turns the other way.
static void flow(reference3_body *body, int axis, double h, vector *P) {
    const double angle = (1 / body->moments[axis] - 1 / body->moments[body->order[1]]) * P->x[axis] * h;
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double Pj = P->x[j], Pk = P->x[k];
    double turn[4] = {0, 0, 0, cos(angle / 2)};
    turn[axis] = sin(angle / 2);
    quat_product(body->q, turn, body->q);
    P->x[j] = cos(angle) * Pj + sin(angle) * Pk;
    P->x[k] = cos(angle) * Pk - sin(angle) * Pj;
}

static bool is_alike(double a, double b) {
    return fabs(a - b) < 1e-7 * a;
}

void reference3_body_turn(reference3_body *body, double h) {
    const int least = body->order[0], middle = body->order[1], largest = body->order[2];
    const double *I = body->moments;
    const vector turn = scaled(h / I[middle], body->momentum);
    const double angle = length(turn), s = angle == 0 ? 0.5 : sin(angle / 2) / angle;
    quat_product((double[4]){s * turn.x[0], s * turn.x[1], s * turn.x[2], cos(angle / 2)}, body->q, body->q);
    quat_normalize(body->q);
    if (is_alike(I[least], I[largest])) {
        return;
    }
    const bool is_symmetric = is_alike(I[least], I[middle]) || is_alike(I[middle], I[largest]);
    const matrix R = matrix_of_doubles(body->q);
    vector P = turned_back(&R, body->momentum);
    flow(body, largest, is_symmetric ? h : h / 2, &P);
    flow(body, least, h, &P);
    if (!is_symmetric) {
        flow(body, largest, h / 2, &P);
    }
    quat_normalize(body->q);
}
