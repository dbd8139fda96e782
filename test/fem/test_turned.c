/* The compact form of the exact differential of corotational laws (kernel/element_turned.h) next to the general form,
 * and the stress that such laws give without rotation. */
#include "fixture.h"

enum { COLLAPSED = STATE_COUNT, STATES }; /* all nodes in one point: dR = 0 */

static const char *const rotations[] = {"polar", "isvd", "higham"};
static const char *const elements[] = {"tet4", "tet10"};

static fixture make_body(sn_context *context, const char *element, const char *law, const char *rotation, int terms) {
    fixture s = mesh_fixture(context, sn_element_find(element), 2, 1, 2, 0.004);
    for (int m = 0; m < 2; ++m) {
        assert_true(set_law(context, &s.material[m], law, SN_DIFFERENTIAL_EXACT, 1000 + 500 * m));
        snprintf(s.material[m].rotation, sizeof s.material[m].rotation, "%s", rotation);
        s.material[m].prony_count = terms;
        for (int t = 0; t < terms; ++t) s.material[m].prony[t][0] = 0.4, s.material[m].prony[t][1] = 0.1 + t;
    }
    return s;
}

static void place(fixture *s, int state) {
    if (state < STATE_COUNT) set_state(s, state);
    for (int i = 0; i < 3 * s->nodes && state == COLLAPSED; ++i) s->x[i] = 0.25;
}

typedef struct answer {
    double *matrix, *product, *kept, *diagonal;
    int size, nodes3;
} answer;

/* Element matrices of all blocks, then products without and with the linearised stress. */
static answer evaluate(fixture *s, const sn_element_view *view) {
    const sn_batch *batch = s->model.batch;
    const int nodes = batch->element->nodes, block = 9 * nodes * nodes * SN_LANES, k = 9 * nodes * SN_LANES;
    const double stiff = 1.5;
    answer a = {.size = batch->block_count * block, .nodes3 = 3 * s->nodes};
    double *u = doubles(a.nodes3), *linearised = doubles((int)s->model.linearised_size * 81);
    a.matrix = doubles(a.size), a.product = doubles(a.nodes3), a.kept = doubles(a.nodes3);
    a.diagonal = doubles(batch->block_count * k);
    for (int i = 0; i < a.nodes3; ++i) u[i] = noise(i + 31);
    for (int b = 0; b < batch->block_count; ++b)
        batch->kernels->stiffness(batch, b, view, stiff, 0, 0, NULL, a.matrix + (ptrdiff_t)b * block);
    sn_elements_product(s->context, &s->model, view, stiff, 0, NULL, u, a.product);
    sn_elements_linearise(s->context, &s->model, view, stiff, 0, linearised);
    sn_elements_product(s->context, &s->model, view, stiff, 0, linearised, u, a.kept);
    for (int b = 0; b < batch->block_count && batch->compact; ++b)
        batch->kernels->diagonal(batch, b, linearised, a.diagonal + (ptrdiff_t)b * k);
    free(u), free(linearised);
    return a;
}

static void release(answer *a) { free(a->matrix), free(a->product), free(a->kept), free(a->diagonal); }

/* The diagonal blocks of the element matrices. */
static double diagonal_error(const fixture *s, const answer *a) {
    const sn_batch *batch = s->model.batch;
    const int nodes = batch->element->nodes, rows = 9 * SN_LANES;
    double error = 0;
    for (int b = 0; b < batch->block_count; ++b)
        for (int i = 0; i < nodes; ++i)
            error = fmax(error, distance(a->diagonal + (ptrdiff_t)(b * nodes + i) * rows,
                                         a->matrix + (ptrdiff_t)(b * nodes * nodes + i * (nodes + 1)) * rows, rows));
    return error;
}

static void compare(fixture *s, const sn_element_view *view, const char *what) {
    sn_batch *batch = s->model.batch;
    const int items = batch->linearised_items;
    assert_int_equal(s->model.batch_count, 1);
    assert_int_equal(batch->compact, SN_COMPACT_TURNED);
    answer own = evaluate(s, view);
    batch->compact = SN_COMPACT_NONE, batch->linearised_items = 81;
    answer general = evaluate(s, view);
    batch->compact = SN_COMPACT_TURNED, batch->linearised_items = items;
    const double size = largest(general.matrix, own.size), force = largest(general.product, own.nodes3);
    const double matrix = distance(own.matrix, general.matrix, own.size) / size,
                 product = distance(own.product, general.product, own.nodes3) / force,
                 diagonal = diagonal_error(s, &own) / size;
    if (!(matrix < 1e-12) || !(product < 1e-12) || !(diagonal < 1e-12))
        fail_msg("%s: matrix %g, product %g, diagonal %g", what, matrix, product, diagonal);
    assert_memory_equal(own.product, own.kept, (size_t)own.nodes3 * sizeof(double));
    release(&own), release(&general);
}

static void the_compact_form_is_the_general_form(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int e = 0; e < 2; ++e)
        for (int r = 0; r < 3; ++r)
            for (int terms = 0; terms < 3; ++terms) {
                fixture s = make_body(context, elements[e], "corotated", rotations[r], terms);
                compile_fixture(&s);
                double *recalled = doubles((int)s.model.recalled_size + 1);
                for (int64_t i = 0; i < s.model.recalled_size; ++i) recalled[i] = 300 * noise((int)i + 5);
                for (int at = 0; at < STATES; ++at)
                    for (int way = 0; way < 4; ++way) {
                        char what[200];
                        place(&s, at);
                        sn_element_view view = view_of(&s, s.x, NULL);
                        view.unsymmetric = way & 1;
                        if (terms) view.recalled = recalled;
                        view.projected = way & 2;
                        s.model.batch->projects = view.projected;
                        if (view.projected && at == COLLAPSED) continue; /* its modes have any directions */
                        snprintf(what, sizeof what, "%s, %s, %d terms, state %d, %s %s", elements[e], rotations[r],
                                 terms, at, way & 1 ? "unsymmetric" : "symmetric", way & 2 ? "projected" : "exact");
                        compare(&s, &view, what);
                    }
                free(recalled);
                free_fixture(&s);
            }
    sn_context_destroy(context);
}

static void other_batches_keep_the_general_form(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int which = 0; which < 3; ++which) {
        fixture s = make_body(context, "tet4", which == 2 ? "corrected-corotated" : "corotated", "polar", 0);
        for (int m = 0; m < 2; ++m) {
            if (which == 0) s.material[m].viscous[1] = 1;
            if (which == 1) s.material[m].frames_every = 0.1;
        }
        compile_fixture(&s);
        assert_int_equal(s.model.batch->compact, SN_COMPACT_NONE);
        assert_int_equal(s.model.batch->linearised_items, 81);
        free_fixture(&s);
    }
    sn_context_destroy(context);
}

/* R S = P. The memory keeps S, of a law without rotation or with one. */
static void unrotated_stress_turns_into_the_stress(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    int laws, tried = 0;
    const sn_listing *listing = sn_laws(&laws);
    for (int l = 0; l < laws; ++l) {
        const sn_law *law = sn_law_find(context, listing[l].name);
        if (!law->unrotated) continue;
        ++tried;
        for (int r = 0; r < 3; ++r) {
            fixture s = make_body(context, "tet4", law->name, rotations[r], 1),
                    plain = make_body(context, "tet4", law->name, rotations[r], 0);
            compile_fixture(&s), compile_fixture(&plain);
            double *before = doubles((int)s.model.recalled_size), *old = doubles((int)s.model.recalled_size);
            const sn_memory_arrays memory = {.old_before = old, .before = before};
            for (int at = 0; at < STATE_COUNT; ++at) {
                set_state(&s, at), set_state(&plain, at);
                const sn_element_view view = view_of(&s, s.x, NULL), look = view_of(&plain, plain.x, NULL);
                const sn_batch *batch = plain.model.batch;
                sn_elements_remember(context, &s.model, &view, &memory);
                for (int b = 0; b < batch->block_count; ++b) {
                    _Alignas(64) double P[9 * SN_LANES], R[9 * SN_LANES];
                    batch->kernels->stress(batch, b, &look, NULL, P, NULL, NULL);
                    batch->kernels->rotation(batch, b, &look, R);
                    const double *S = before + s.model.batch->recalled + (ptrdiff_t)b * SN_MEMORY_ITEMS * SN_LANES;
                    for (int lane = 0; lane < SN_LANES; ++lane)
                        for (int i = 0; i < 9; ++i) {
                            static const int six[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
                            double sum = 0;
                            for (int k = 0; k < 3; ++k)
                                sum += R[(i / 3 * 3 + k) * SN_LANES + lane] * S[six[3 * k + i % 3] * SN_LANES + lane];
                            assert_true(fabs(sum - P[i * SN_LANES + lane]) < 1e-9);
                        }
                }
            }
            free(before), free(old);
            free_fixture(&s), free_fixture(&plain);
        }
    }
    assert_true(tried > 0);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_compact_form_is_the_general_form),
        cmocka_unit_test(other_batches_keep_the_general_form),
        cmocka_unit_test(unrotated_stress_turns_into_the_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
