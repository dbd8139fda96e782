/* Stress and rotation of elements, and the update of rotations with a past. */
#ifndef SN_FEM_KERNEL_ELEMENT_LOOK_H
#define SN_FEM_KERNEL_ELEMENT_LOOK_H

#include "element_force.h"

/* ---- Stress and rotation ---- */
static void cauchy_stress(const sn_law *law, const vd *F, const vd *P, vd *sigma) {
    if (law->strain == SN_STRAIN_CAUCHY) {
        for (int i = 0; i < 9; ++i) sigma[i] = P[i];
        return;
    }
    const vd J = vm_determinant(F), least = vd_set(1e-12);
    const vd scale = 1 / vd_select(vd_abs(J) < least, vd_copysign(least, J), J);
    vm_multiply_transpose(P, F, sigma);
    for (int i = 0; i < 9; ++i) sigma[i] *= scale;
}

INLINE void store_matrices(const vd *m, int q, int lane, double *out) {
    for (int i = 0; i < 9 && out; ++i) vd_store(out + (9 * q + i) * SN_LANES + lane, m[i]);
}

INLINE int stress_body(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                       double *out_F, double *out_P, double *out_cauchy, double *out_psi) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES], c[SN_LAW_CONSTANTS];
        load_constants(&s, c);
        gather_edges(N, &s, view->x, edge);
        for (int q = 0; q < Q; ++q) {
            vd F[9], R[9], P[9], sigma[9];
            deformation(N, &s, q, edge, F);
            vd full[9];
            memcpy(full, F, sizeof full);
            if (batch->law->flags & SN_LAW_CLOTH) add_normal(full);
            store_matrices(full, q, lane, out_F);
            if (!out_P && !out_cauchy && !out_psi) continue;
            rotation_at(N, Q, &s, q, F, R, NULL);
            vd H[9];
            for (int i = 0; i < 9; ++i) H[i] = F[i];
            if (batch->warping) turn_back(R, H);
            if (out_psi) {
                vd psi;
                batch->law->energy(batch->law, c, H, batch->rotation ? R : NULL, &psi);
                if (batch->muscle) psi += muscle_energy(&s, F);
                vd_store(out_psi + q * SN_LANES + lane, psi);
            }
            batch->law->stress(batch->law, c, H, batch->rotation ? R : NULL, P);
            complete_stress(N, Q, &s, q, F, R, P);
            if (has_memory(&s)) add_recalled(Q, &s, q, view->recalled, F, R, P);
            if (batch->muscle) add_muscle_stress(&s, F, NULL, P);
            if (batch->warping) {
                for (int i = 0; i < 9; ++i) H[i] = P[i];
                vm_multiply(R, H, P);
                vm_multiply_transpose(P, R, sigma);
            } else {
                cauchy_stress(batch->law, full, P, sigma);
            }
            store_matrices(P, q, lane, out_P);
            store_matrices(sigma, q, lane, out_cauchy);
        }
    }
    return 0;
}

INLINE int rotation_body(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                         double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES];
        gather_edges(N, &s, view->x, edge);
        for (int q = 0; q < Q; ++q) {
            vd F[9], R[9];
            deformation(N, &s, q, edge, F);
            rotation_at(N, Q, &s, q, F, R, NULL);
            store_matrices(R, q, lane, out);
        }
    }
    return 0;
}

INLINE int accept_body(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *state) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES];
            gather_edges(N, &s, view->x, edge);
            for (int q = 0; q < Q; ++q) {
                vd F[9];
                history buffer;
                deformation(N, &s, q, edge, F);
                const sn_rotation_view r = rotation_view(N, Q, &s, q, F, &buffer);
                batch->rotation->accept(&r);
                double *place = state + state_at(&s, Q, q);
                for (int i = 0; i < SN_ROTATION_STATE; ++i) vd_store(place + i * SN_LANES, buffer.state[i]);
            }
        }
    return 0;
}

#endif
