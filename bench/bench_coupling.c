/* Linear solves with contact rows between two boxes (test/linear/stack.h): iterations and times of the solvers against
 * the stiffness of the contacts, relative to that of the material. The line "apart" has no contacts.
 *
 *     build/bench_coupling [cells along an edge]... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "linear/stack.h"

static double user_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static const char *const way[][2] = {{"cg", "block-jacobi"}, {"cg", "multigrid"}, {"cg", "ic0"},
                                     {"eisenstat", ""},      {"ldlt", ""},        {"cholesky", ""}};
enum { WAYS = sizeof way / sizeof *way };

/* Solves twice; the second solve has other pairs of nodes if `moved`. Prints iterations and the time of the second. */
static void measure(stack *s, stack *moved, int w, double ratio, const double *f, double *x) {
    sn_solver_options options = sn_solver_options_default();
    snprintf(options.method, sizeof options.method, "%s", way[w][0]);
    if (*way[w][1]) snprintf(options.preconditioner, sizeof options.preconditioner, "%s", way[w][1]);
    options.iterations = 20000;
    const sn_linear_model model = beam_model(&s->b);
    sn_linear *linear;
    if (!sn_direct_find(way[w][0]) && !sn_krylov_find(way[w][0])) return;
    if (sn_linear_create(s->b.context, &model, &options, false, &linear, NULL)) return;
    const double young = 1e5, stiffness = ratio * young / s->side;
    const sn_element_view view = {.settings = &s->b.settings, .x = s->b.x};
    double seconds[3];
    sn_linear_report report = {0};
    for (int i = 0; i < 3; ++i) { /* the first solve, new values, other pairs */
        stack *now = i == 2 ? moved : s;
        const int rows = ratio > 0 ? stack_rows(now, 1 << 20, stiffness, false) : 0;
        memset(x, 0, 3 * (size_t)s->b.nodes * sizeof *x);
        sn_error error = {0};
        const double start = user_seconds();
        sn_linear_linearise(linear, &view, rows ? &now->list : NULL, NULL, NULL);
        if (sn_linear_solve(linear, 1e4, 0, 1, &s->b.filter, f, x, 1e-6, &report, &error)) printf("! %s\n", error.text);
        seconds[i] = user_seconds() - start;
        if (i == 0) printf("%6s", report.fallback ? "exact" : "");
        printf(" %6d %9.2f", report.iterations, 1e3 * seconds[i]);
    }
    printf("   %s %s\n", way[w][0], way[w][1]);
    sn_linear_destroy(linear);
}

static sn_status box(sn_context *context, int cells, sn_error *error) {
    stack s, moved;
    sn_status status = stack_create(&s, context, cells, 0.3 / cells, error);
    if (!status) status = stack_create(&moved, context, cells, 1.3 / cells, error);
    if (status) return status;
    const int n = 3 * s.b.nodes;
    double *f = calloc((size_t)n, sizeof *f), *x = calloc((size_t)n, sizeof *x);
    for (int i = 0; i < s.b.nodes; ++i) f[3 * i + 2] = -9.81 * s.b.mass[i], f[3 * i] = 3 * s.b.mass[i];
    printf("%d nodes, %d contact rows; iterations and user ms of the first solve, of the same pairs, of other pairs\n",
           s.b.nodes, stack_rows(&s, 1 << 20, 1, false));
    const double ratio[] = {0, 1, 1e2, 1e4};
    for (int r = 0; r < 4; ++r) {
        printf("contacts %g times as stiff as the material\n", ratio[r]);
        for (int w = 0; w < WAYS; ++w)
            if (!(strcmp(way[w][0], "ldlt") == 0 && s.b.nodes > 5000)) measure(&s, &moved, w, ratio[r], f, x);
    }
    free(f), free(x);
    stack_destroy(&s), stack_destroy(&moved);
    return SN_OK;
}

int main(int count, char **word) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_context *context;
    sn_error error = {0};
    sn_status status = sn_context_create(&options, &context, &error);
    for (int i = 1; i < count && !status; ++i) status = box(context, atoi(word[i]), &error);
    if (count < 2 && !status) status = box(context, 7, &error);
    if (count < 2 && !status) status = box(context, 22, &error);
    if (status) printf("%s\n", error.text);
    sn_context_destroy(context);
    return status ? 1 : 0;
}
