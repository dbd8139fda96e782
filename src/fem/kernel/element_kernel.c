/* The element kernels: energy, force, assembly-free product, element matrices, stresses.
 *
 *   f_i = -sum_q w_q P g_i        K_ij = sum_q w_q g_i . dP . g_j        node 0: minus the sum over the others
 * Bodies are written for N nodes and Q points and inlined with N (and the Q of linear elements) constant. */
#include "element_look.h"
#include "element_matrix.h"

/* ---- One copy per number of nodes ---- */
#define SPECIALISED(body, ...)                                                                                         \
    switch (batch->element->nodes) {                                                                                   \
    case 4:                                                                                                            \
        return body(4, 1, __VA_ARGS__);                                                                                \
    case 10:                                                                                                           \
        return body(10, batch->element->points, __VA_ARGS__);                                                          \
    case 3:                                                                                                            \
        return body(3, 1, __VA_ARGS__);                                                                                \
    default: /* `serves` keeps others out */                                                                           \
        return 0;                                                                                                      \
    }

static int serves(const sn_element *element) {
    if (element->derive) return 0;
    if (element->nodes == 3 || element->nodes == 4) return element->points == 1;
    return element->nodes == 10 && element->points <= SN_ELEMENT_POINTS;
}

static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *sum) {
    SPECIALISED(energy_body, batch, begin, end, view, sum)
}
static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    if (is_common(batch, view)) return force_common(batch, begin, end, view, f);
    if (view->next || (batch->terms && view->recalled)) SPECIALISED(force_body, 1, batch, begin, end, view, f)
    SPECIALISED(force_body, 0, batch, begin, end, view, f)
}
static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    SPECIALISED(linearise_body, batch, begin, end, view, k, d, linearised)
}
static int weigh(const sn_batch *batch, int begin, int end, const sn_element_settings *settings, double k, double d,
                 double *linearised) {
    return weigh_body(4, 1, batch, begin, end, &settings->batch[batch->index], k, d, linearised);
}
static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                   const double *linearised, const double *u, double *out) {
    const int form = !linearised || batch->vertex_matrix   ? PRODUCT_ANY
                     : batch->compact == SN_COMPACT_TURNED ? PRODUCT_TURNED
                     : batch->compact                      ? PRODUCT_COMPACT
                                                           : PRODUCT_GENERAL;
    if (form == PRODUCT_COMPACT)
        SPECIALISED(product_body, PRODUCT_COMPACT, batch, begin, end, view, k, d, linearised, u, out)
    if (form == PRODUCT_TURNED)
        SPECIALISED(product_body, PRODUCT_TURNED, batch, begin, end, view, k, d, linearised, u, out)
    if (form == PRODUCT_GENERAL)
        SPECIALISED(product_body, PRODUCT_GENERAL, batch, begin, end, view, k, d, linearised, u, out)
    SPECIALISED(product_body, PRODUCT_ANY, batch, begin, end, view, k, d, linearised, u, out)
}
static int damp(const sn_batch *batch, int begin, int end, const sn_element_view *view, double d, const double *u,
                double *out) {
    if (!damps_directly(batch, settings_of(batch, view))) return product(batch, begin, end, view, 0, d, NULL, u, out);
    SPECIALISED(damp_body, batch, begin, end, view, d, u, out)
}
static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out) {
    SPECIALISED(stiffness_body, batch, block, view, k, d, upper, linearised, out)
}
static int diagonal(const sn_batch *batch, int block, const double *linearised, double *out) {
    SPECIALISED(diagonal_body, batch, block, linearised, out)
}
static int stress(const sn_batch *batch, int block, const sn_element_view *view, double *F, double *P, double *cauchy,
                  double *psi) {
    SPECIALISED(stress_body, batch, block, view, F, P, cauchy, psi)
}
static int rotation(const sn_batch *batch, int block, const sn_element_view *view, double *R) {
    SPECIALISED(rotation_body, batch, block, view, R)
}
static int accept(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *state) {
    if (!batch->rotation || !batch->rotation->uses_history || !batch->rotation->accept) return 0;
    SPECIALISED(accept_body, batch, begin, end, view, state)
}
static int remember(const sn_batch *batch, int begin, int end, const sn_element_view *view,
                    const sn_memory_arrays *memory) {
    SPECIALISED(remember_body, batch, begin, end, view, memory)
}
static int recall(const sn_batch *batch, int begin, int end, const sn_element_settings *settings, const double *before,
                  const double *memory, double *recalled) {
    return recall_body(batch, begin, end, settings, before, memory, recalled);
}

extern const sn_element_kernels SN_ISA(sn_element_kernels);
const sn_element_kernels SN_ISA(sn_element_kernels) = {.serves = serves,
                                                       .energy = energy,
                                                       .force = force,
                                                       .linearise = linearise,
                                                       .weigh = weigh,
                                                       .product = product,
                                                       .damp = damp,
                                                       .stiffness = stiffness,
                                                       .diagonal = diagonal,
                                                       .stress = stress,
                                                       .rotation = rotation,
                                                       .accept = accept,
                                                       .remember = remember,
                                                       .recall = recall};
