/* The rotations `edge` and `mean-edge`: frames on edges of the element.
 *
 * `edge` is Nesme's frame (Nesme et al. 2005, 2.1, figure 2). The first axis of an element's frame lies
 * along its first edge ab, the second in the plane of ab and ac; R = N N0^T turns the frame N0 at rest into the frame N
 * now. Always proper and cheap. Unlike `qr` it does not depend on the axes of space but on the order of the nodes. S =
 * R^T F is not symmetric in general, so that corotated forces are not the gradient of an energy, and there is no exact
 * differential. In the plane the frame turns with ab alone.
 *
 * `mean-edge` is Mueller's frame of a vertex, taken per element as in Hauth 5.3.5: the first axis lies along the mean
 * of ab, ac and ad, the second in its plane with ab. */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "svd3.h"

/* The two vectors of a frame, from the edges in the columns of E. */
typedef void axes_function(int dimension, const vd E[9], vd a[3], vd b[3]);

static void one_edge(int dimension, const vd E[9], vd a[3], vd b[3]) {
    for (int i = 0; i < 3; ++i) a[i] = E[3 * i], b[i] = E[3 * i + 1];
}

static void mean_of_edges(int dimension, const vd E[9], vd a[3], vd b[3]) {
    for (int i = 0; i < 3; ++i) {
        a[i] = E[3 * i] + E[3 * i + 1];
        if (dimension == 3) a[i] += E[3 * i + 2];
        b[i] = E[3 * i];
    }
}

static inline __attribute__((always_inline)) void extract_on(const sn_rotation_view *view, axes_function *axes, vd *R) {
    vd F[9], Dm[9], E[9], N[9], N0[9], a[3], b[3], a0[3], b0[3], back[2];
    scale_matrix(view->F, F, back);
    scale_matrix(view->Dm, Dm, back);
    vm_multiply(F, Dm, E);
    axes(view->dimension, E, a, b);
    axes(view->dimension, Dm, a0, b0);
    if (view->dimension == 2) {
        plane_rotation(a0[0] * a[0] + a0[1] * a[1], a0[0] * a[1] - a0[1] * a[0], R);
        return;
    }
    orthonormal_basis(a, b, N);
    orthonormal_basis(a0, b0, N0);
    vm_multiply_transpose(N, N0, R);
}

static void extract(const sn_rotation_view *view, vd *R) { extract_on(view, one_edge, R); }
static void extract_mean(const sn_rotation_view *view, vd *R) { extract_on(view, mean_of_edges, R); }

const sn_rotation SN_ISA(sn_rotation_edge) = {
    SN_ROTATION_edge,
    .uses_edges = 1,
    .extract = extract,
};

const sn_rotation SN_ISA(sn_rotation_mean_edge) = {
    SN_ROTATION_mean_edge,
    .uses_edges = 1,
    .extract = extract_mean,
};
