/* The coefficients of the methods: order conditions over all rooted trees, embedded errors, stability functions,
 * ROCK2's polynomials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "time/explicit.h"
#include "time/implicit.h"
#include "time/rock2.h"

/* ---- Rooted trees up to order 8, each a list of smaller trees in falling order ---- */

enum { TREES = 200, ORDER = 8, STAGES = 13 };

typedef struct tree {
    int order, children, child[ORDER];
    double density;
} tree;

typedef struct forest {
    tree tree[TREES];
    int count;
} forest;

static void add_children(forest *f, tree *t, int order, int last) {
    if (order == 0) {
        t->density = t->order;
        for (int i = 0; i < t->children; ++i) t->density *= f->tree[t->child[i]].density;
        assert_true(f->count < TREES);
        f->tree[f->count++] = *t;
        return;
    }
    for (int i = 0; i <= last; ++i)
        if (f->tree[i].order <= order) {
            t->child[t->children++] = i;
            add_children(f, t, order - f->tree[i].order, i);
            --t->children;
        }
}

static forest make_forest(void) {
    forest f = {.count = 0};
    for (int order = 1; order <= ORDER; ++order) {
        tree t = {.order = order};
        add_children(&f, &t, order - 1, f.count - 1);
    }
    return f;
}

/* Elementary weights: an edge from a vertex with one child carries `single`, otherwise `multiple` (Hairer and Wanner
 * II, IV.7). */
static void weights(const forest *f, int index, int s, const double *single, const double *multiple, double *out) {
    const tree *t = &f->tree[index];
    for (int i = 0; i < s; ++i) out[i] = 1;
    for (int k = 0; k < t->children; ++k) {
        double below[STAGES];
        const double *edge = t->children == 1 ? single : multiple;
        weights(f, t->child[k], s, single, multiple, below);
        for (int i = 0; i < s; ++i) {
            double sum = 0;
            for (int j = 0; j < s; ++j) sum += edge[i * s + j] * below[j];
            out[i] *= sum;
        }
    }
}

/* The largest violation of sum b Phi = goal / density over all trees up to `order`. */
static double violation(const forest *f, int order, int s, const double *single, const double *multiple,
                        const double *b, double goal) {
    double worst = 0;
    for (int i = 0; i < f->count && f->tree[i].order <= order; ++i) {
        double phi[STAGES], sum = 0;
        weights(f, i, s, single, multiple, phi);
        for (int k = 0; k < s; ++k) sum += b[k] * phi[k];
        worst = fmax(worst, fabs(sum - goal / f->tree[i].density));
    }
    return worst;
}

static void test_forest(void **state) {
    (void)state;
    static const int expected[ORDER] = {1, 1, 2, 4, 9, 20, 48, 115};
    const forest f = make_forest();
    int found[ORDER] = {0};
    for (int i = 0; i < f.count; ++i) ++found[f.tree[i].order - 1];
    for (int i = 0; i < ORDER; ++i) assert_int_equal(found[i], expected[i]);
    assert_true(f.tree[f.count - 1].density > 0);
}

static void test_runge_kutta(void **state) {
    (void)state;
    const forest f = make_forest();
    const sn_tableau *const tables[] = {
        &sn_tableau_explicit_euler, &sn_tableau_explicit_midpoint, &sn_tableau_rk4, &sn_tableau_rk38,
        &sn_tableau_dopri5,         &sn_tableau_dopri853};
    for (int m = 0; m < 6; ++m) {
        const sn_tableau *t = tables[m];
        double b[STAGES] = {0};
        for (int i = 0; i < t->stages; ++i) b[i] = t->b[i];
        for (int i = 0; i < t->all; ++i) {
            double sum = 0;
            for (int j = 0; j < t->all; ++j) {
                sum += t->a[i * t->all + j];
                if (j >= i) assert_true(t->a[i * t->all + j] == 0);
            }
            assert_true(fabs(sum - t->c[i]) < 1e-13);
        }
        const double worst = violation(&f, t->order, t->all, t->a, t->a, b, 1);
        print_message("  %s: order conditions to %d within %.1e\n", t->name, t->order, worst);
        assert_true(worst < 1e-14);
        if (t->order < ORDER) assert_true(violation(&f, t->order + 1, t->all, t->a, t->a, b, 1) > 1e-6);
        const int estimated = t->order == 8 ? 5 : 4;
        if (t->e) assert_true(violation(&f, estimated, t->all, t->a, t->a, t->e, 0) < 1e-13);
        if (t->e) assert_true(violation(&f, estimated + 1, t->all, t->a, t->a, t->e, 0) > 1e-6);
        if (t->e3) assert_true(violation(&f, 3, t->all, t->a, t->a, t->e3, 0) < 1e-13);
        if (t->e3) assert_true(violation(&f, 4, t->all, t->a, t->a, t->e3, 0) > 1e-6);
        if (t->all > t->stages)
            for (int j = 0; j < t->stages; ++j) assert_true(t->a[t->stages * t->all + j] == t->b[j]);
    }
}

/* The stable step: against the known limits of a pure oscillation and of pure damping. */
static void test_limits(void **state) {
    (void)state;
    assert_true(fabs(sn_tableau_limit(&sn_tableau_rk4, 10, 0) - 0.2828) < 2e-3);
    assert_true(fabs(sn_tableau_limit(&sn_tableau_rk4, 0, 10) - 0.2785) < 2e-3);
    assert_true(fabs(sn_tableau_limit(&sn_tableau_explicit_euler, 0, 10) - 0.2) < 2e-3);
    assert_true(isinf(sn_tableau_limit(&sn_tableau_rk4, 0, 0)));
}

/* ---- Rosenbrock: back from (a, c, b) to (alpha, Gamma, b) ---- */

typedef struct rosenbrock {
    int s;
    double alpha[16], gamma[16], beta[16], b[4];
} rosenbrock;

static rosenbrock unfold(const sn_rosenbrock *m) {
    rosenbrock r = {.s = m->stages};
    const int s = m->stages;
    /* Gamma = (1/gamma - c)^-1, lower triangular. */
    for (int j = 0; j < s; ++j)
        for (int i = j; i < s; ++i) {
            double sum = i == j;
            for (int k = j; k < i; ++k) sum += m->c[i][k] * r.gamma[k * s + j];
            r.gamma[i * s + j] = sum * m->gamma;
        }
    for (int j = 0; j < s; ++j)
        for (int k = 0; k < s; ++k) {
            r.b[j] += m->b[k] * r.gamma[k * s + j];
            for (int i = 0; i < s; ++i) r.alpha[i * s + j] += m->a[i][k] * r.gamma[k * s + j];
        }
    for (int i = 0; i < s * s; ++i) r.beta[i] = r.alpha[i] + r.gamma[i];
    return r;
}

static const sn_rosenbrock *const rosenbrocks[] = {&sn_table_rosenbrock2_w,        &sn_table_ros34pw2,
                                                   &sn_table_rosenbrock4_shampine, &sn_table_rosenbrock4_grk4a,
                                                   &sn_table_rosenbrock4_grk4t,    &sn_table_rosenbrock4_veldd,
                                                   &sn_table_rosenbrock4_velds,    &sn_table_rosenbrock4_lstab};

static void test_rosenbrock(void **state) {
    (void)state;
    const forest f = make_forest();
    for (int m = 0; m < 8; ++m) {
        const sn_rosenbrock *t = rosenbrocks[m];
        const rosenbrock r = unfold(t);
        const double worst = violation(&f, t->order, r.s, r.beta, r.alpha, r.b, 1);
        print_message("  %s: order conditions to %d within %.1e\n", t->name, t->order, worst);
        assert_true(worst < 1e-13);
        assert_true(violation(&f, t->order + 1, r.s, r.beta, r.alpha, r.b, 1) > 1e-4);
        for (int i = 0; i < r.s; ++i) {
            double a = 0, d = 0;
            for (int j = 0; j < r.s; ++j) a += r.alpha[i * r.s + j], d += r.gamma[i * r.s + j];
            assert_true(fabs(a - t->alpha[i]) < 1e-13 && fabs(d - t->d[i]) < 1e-13);
        }
        if (t->reuse_last)
            for (int j = 0; j < 3; ++j) assert_true(t->a[3][j] == t->a[2][j] && t->alpha[3] == t->alpha[2]);
    }
}

/* W-methods: the conditions hold with alpha and Gamma apart, whatever stands in for J. */
static void test_w_conditions(void **state) {
    (void)state;
    for (int m = 0; m < 2; ++m) {
        const rosenbrock r = unfold(rosenbrocks[m]);
        const int s = r.s;
        assert_true(rosenbrocks[m]->w_method);
        double one[4], A[4] = {0}, G[4] = {0}, sum[8] = {0};
        for (int i = 0; i < s; ++i) one[i] = 1;
        for (int i = 0; i < s; ++i)
            for (int j = 0; j < s; ++j) A[i] += r.alpha[i * s + j] * one[j], G[i] += r.gamma[i * s + j] * one[j];
        for (int i = 0; i < s; ++i) {
            sum[0] += r.b[i] * A[i], sum[1] += r.b[i] * G[i], sum[2] += r.b[i] * A[i] * A[i];
            for (int j = 0; j < s; ++j) {
                sum[3] += r.b[i] * r.alpha[i * s + j] * A[j], sum[4] += r.b[i] * r.alpha[i * s + j] * G[j];
                sum[5] += r.b[i] * r.gamma[i * s + j] * A[j], sum[6] += r.b[i] * r.gamma[i * s + j] * G[j];
            }
        }
        assert_true(fabs(sum[0] - 0.5) < 1e-14 && fabs(sum[1]) < 1e-14);
        if (rosenbrocks[m]->order < 3) continue;
        assert_true(fabs(sum[2] - 1.0 / 3) < 1e-14 && fabs(sum[3] - 1.0 / 6) < 1e-14);
        for (int k = 4; k < 7; ++k) assert_true(fabs(sum[k]) < 1e-14);
    }
}

/* |R(iy)|^2 with R(z) = 1 + z b^T (1 - z beta)^-1 1. */
static double growth(const rosenbrock *r, double y) {
    double g[4][2], R[2] = {1, 0};
    for (int i = 0; i < r->s; ++i) {
        double re = 1, im = 0;
        for (int j = 0; j < i; ++j)
            re -= y * r->beta[i * r->s + j] * g[j][1], im += y * r->beta[i * r->s + j] * g[j][0];
        const double d = y * r->beta[i * r->s + i], norm = 1 + d * d; /* divide by 1 - i d */
        g[i][0] = (re - d * im) / norm, g[i][1] = (im + d * re) / norm;
        R[0] -= y * r->b[i] * g[i][1], R[1] += y * r->b[i] * g[i][0];
    }
    return R[0] * R[0] + R[1] * R[1];
}

static void test_stability(void **state) {
    (void)state;
    for (int m = 0; m < 8; ++m) {
        const rosenbrock r = unfold(rosenbrocks[m]);
        const char *stability = sn_method_find(rosenbrocks[m]->name)->stability;
        double most = 0;
        for (double y = 1e-2; y < 1e6; y *= 1.05) most = fmax(most, growth(&r, y));
        print_message("  %s (%s): |R| on the imaginary axis up to %.6f, at infinity %.4f\n", rosenbrocks[m]->name,
                      stability, sqrt(most), sqrt(growth(&r, 1e9)));
        if (strcmp(stability, "L") == 0) assert_true(growth(&r, 1e9) < 1e-8);
        if (strcmp(stability, "L") == 0 || strcmp(stability, "A") == 0)
            assert_true(most < 1 + 1e-12);
        else
            assert_true(most > 1 && most < 1.1);
    }
}

/* ROCK2: second order, bounded on its whole interval, also inside the stages. */
static void test_rock2(void **state) {
    (void)state;
    for (int e = 0; e < sn_rock2_entries(); ++e) {
        const sn_rock2_polynomial p = sn_rock2_make(e);
        const int n = p.stages - 2;
        assert_true(p.length > 0.66 * p.stages * p.stages && sn_rock2_choose(p.length) == e);
        double interior = 0;
        for (int i = 0; i <= 40 * p.stages; ++i) {
            const double z = -p.length * 0.5 * (1 - cos(3.14159265358979323846 * i / (40 * p.stages)));
            double last = 1, now = 1;
            for (int j = 0; j < n; ++j) {
                const double next = (p.mu[j] * z + p.kappa[j]) * now + p.nu[j] * last;
                last = now, now = next;
                assert_true(fabs(now) < 1 + 1e-12);
            }
            const double R = now * (1 + 2 * p.sigma * z + p.tau * z * z);
            assert_true(fabs(R) <= 1 + 1e-12);
            if (z < -10) interior = fmax(interior, fabs(R));
            if (z > -1e-2) assert_true(fabs(R - (1 + z + z * z / 2)) < 1e-12 + 0.2 * fabs(z * z * z));
        }
        if (p.stages > 6) assert_true(fabs(interior - 0.95) < 2e-3);
        assert_true(p.time[0] == 0 && p.time[n] + 2 * p.sigma - 1 < 1e-12);
    }
    assert_int_equal(sn_rock2_choose(1e9), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forest),     cmocka_unit_test(test_runge_kutta),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_rosenbrock), cmocka_unit_test(test_w_conditions), cmocka_unit_test(test_stability),
        cmocka_unit_test(test_rock2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
