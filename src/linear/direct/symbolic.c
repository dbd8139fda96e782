/* The elimination tree (Liu 1986). The parent of column k is the first row below the diagonal with a non-zero entry in
 * this column. Row i of the factor consists of the paths in the tree from the entries of row i of the matrix up to
 * i. */
#include "symbolic.h"

void sn_symbolic_count(const sn_pattern *pattern, const int32_t *order, const int32_t *place, int32_t *parent,
                       int32_t *count, int32_t *work) {
    int32_t *ancestor = work, *mark = work + pattern->nodes;
    for (int32_t i = 0; i < pattern->nodes; ++i) {
        parent[i] = ancestor[i] = mark[i] = -1;
        count[i] = 0;
        for (int32_t e = pattern->row_begin[order[i]]; e < pattern->row_begin[order[i] + 1]; ++e)
            for (int32_t k = place[pattern->column[e]], up; k >= 0 && k < i;
                 k = up) { /* climb to the root; i becomes the new root */
                up = ancestor[k];
                ancestor[k] = i;
                if (up < 0) parent[k] = i;
            }
    }
    for (int32_t i = 0; i < pattern->nodes; ++i) {
        mark[i] = i;
        for (int32_t e = pattern->row_begin[order[i]]; e < pattern->row_begin[order[i] + 1]; ++e) {
            int32_t k = place[pattern->column[e]];
            if (k > i) continue;
            for (; mark[k] != i; k = parent[k]) {
                mark[k] = i;
                ++count[k];
            }
        }
    }
}

int sn_symbolic_row(int nodes, int32_t i, const int32_t *entry, int entries, const int32_t *parent, int32_t *mark,
                    int32_t *stack) {
    int top = nodes;
    mark[i] = i;
    for (int e = 0; e < entries; ++e) {
        int length = 0;
        for (int32_t k = entry[e]; mark[k] != i; k = parent[k]) {
            mark[k] = i;
            stack[length++] = k;
        }
        while (length > 0) stack[--top] = stack[--length];
    }
    return top;
}
