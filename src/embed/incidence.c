/* See incidence.h. */
#include "incidence.h"

sn_status sn_incidence_create(const sn_context *context, const int32_t *node, int items, int width, int stride,
                              int nodes, sn_incidence *incidence, sn_error *error) {
    incidence->first = sn_allocate_zero(context, (size_t)nodes + 2, sizeof *incidence->first);
    incidence->item = sn_allocate(context, (size_t)items * (size_t)width, sizeof *incidence->item);
    if (!incidence->first || !incidence->item) {
        sn_incidence_destroy(context, incidence);
        return sn_no_memory(error);
    }
    int32_t *next = incidence->first + 1; /* one behind: filling moves each begin to its place */
    for (int i = 0; i < items; ++i)
        for (int k = 0; k < width; ++k) ++next[node[(size_t)i * (size_t)stride + (size_t)k] + 1];
    for (int n = 0; n < nodes; ++n) next[n + 1] += next[n];
    for (int i = 0; i < items; ++i)
        for (int k = 0; k < width; ++k) incidence->item[next[node[(size_t)i * (size_t)stride + (size_t)k]]++] = i;
    return SN_OK;
}

void sn_incidence_destroy(const sn_context *context, sn_incidence *incidence) {
    sn_release(context, incidence->first), sn_release(context, incidence->item);
    *incidence = (sn_incidence){0};
}
