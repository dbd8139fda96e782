/* Operators: see solver.h. */
#include "solver.h"

void sn_operator_apply(const sn_operator *op, const double *x, double *y) {
    if (op->matrix)
        sn_matrix_product(op->context, op->matrix, x, y);
    else
        op->apply(op->self, x, y);
}

double sn_operator_apply_dot(const sn_operator *op, const double *x, double *y, double *partial) {
    if (op->matrix) return sn_matrix_product_dot(op->context, op->matrix, x, y, partial);
    op->apply(op->self, x, y);
    return sn_dot(op->context, op->n, x, y, partial);
}

sn_operator sn_operator_of_matrix(const sn_context *context, const sn_matrix *matrix, const double *diagonal, bool symmetric) {
    return (sn_operator){
        .context = context, .n = 3 * matrix->pattern->nodes, .matrix = matrix, .diagonal = diagonal, .symmetric = symmetric};
}
