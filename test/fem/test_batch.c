/* Compilation: chunks and colours, the same bits for any width and number of threads, messages, failing allocations. */
#include "fixture.h"

#include "base/hash.h"

/* ---- Structure ---- */
static void check_structure(const fixture *s) {
    const sn_elements_model *m = &s->model;
    const int N = s->source.element->nodes;
    int *seen = calloc((size_t)s->elements, sizeof *seen), *color_of = calloc((size_t)s->nodes, sizeof *color_of);
    int *chunk_of = calloc((size_t)s->nodes, sizeof *chunk_of);
    assert_int_equal(m->color_begin[0], 0);
    assert_int_equal(m->color_begin[m->color_count], m->chunk_count);
    for (int c = 0; c < m->color_count; ++c)
        for (int i = m->color_begin[c]; i < m->color_begin[c + 1]; ++i) {
            const sn_chunk *chunk = &m->chunk[i];
            const sn_batch *batch = &m->batch[chunk->batch];
            for (int n = chunk->block_begin * SN_LANES; n < chunk->block_end * SN_LANES; ++n) {
                if (batch->element_of[n] >= 0)
                    ++seen[batch->element_of[n]];
                else
                    assert_true(batch->weight[(n / SN_LANES) * s->source.element->points * SN_LANES + n % SN_LANES] ==
                                0);
                for (int k = 0; k < N; ++k) {
                    const int node = batch->node[(n / SN_LANES * N + k) * SN_LANES + n % SN_LANES];
                    assert_true(color_of[node] != c + 1 ||
                                chunk_of[node] == i); /* no other chunk of this colour has it */
                    color_of[node] = c + 1, chunk_of[node] = i;
                }
            }
        }
    for (int e = 0; e < s->elements; ++e) assert_int_equal(seen[e], 1);
    free(seen), free(color_of), free(chunk_of);
}

static void every_element_is_in_one_chunk_and_colours_share_no_node(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    static const char *const names[] = {"tet4", "tet10", "tri3"};
    for (int e = 0; e < 3; ++e)
        for (int cells = 1; cells < 12; cells += 5) {
            fixture s = mesh_fixture(context, sn_element_find(names[e]), cells, cells, cells, 0.003);
            compile_fixture(&s);
            check_structure(&s);
            assert_true(s.model.chunk_count < 30 || s.model.color_count <= s.model.chunk_count / 2);
            free_fixture(&s);
        }
    sn_context_destroy(context);
}

/* A fan: more chunks around one node than a word has bits. */
static void a_node_in_very_many_chunks_is_no_trouble(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    enum { FAN = 256 * 70 };
    fixture s = {.context = context, .nodes = FAN + 2, .elements = FAN};
    s.rest = doubles(3 * s.nodes), s.x = doubles(3 * s.nodes), s.v = doubles(3 * s.nodes);
    s.node = calloc((size_t)FAN * 3, sizeof *s.node), s.material_of = calloc(FAN, sizeof *s.material_of);
    for (int i = 0; i <= FAN; ++i) {
        const double angle = 6.0 * i / FAN;
        s.rest[3 * (i + 1)] = cos(angle), s.rest[3 * (i + 1) + 1] = sin(angle);
        if (i == FAN) break;
        s.node[3 * i] = 0, s.node[3 * i + 1] = i + 1, s.node[3 * i + 2] = i + 2;
    }
    s.material[0] = s.material[1] = sn_material_default();
    s.source = (sn_batch_source){.element = &sn_element_tri3,
                                 .element_count = FAN,
                                 .node = s.node,
                                 .rest = s.rest,
                                 .material = s.material_of,
                                 .material_count = 2,
                                 .name = "fan"};
    compile_fixture(&s);
    check_structure(&s);
    assert_int_equal(s.model.color_count, s.model.chunk_count);
    free_fixture(&s);
    sn_context_destroy(context);
}

/* ---- Bits ---- */
static uint64_t hash_all(const char *simd, int threads, const char *element, const char *law) {
    sn_context *context = make_context(simd, threads);
    fixture s = mesh_fixture(context, sn_element_find(element), 5, 4, 4, 0.004);
    for (int m = 0; m < 2; ++m) {
        set_law(context, &s.material[m], law, sn_law_find(context, law)->default_differential, 1000 * (1 + m));
        s.material[m].viscous[0] = 10, s.material[m].viscous[1] = 5, s.material[m].rayleigh[1] = 0.01;
    }
    compile_fixture(&s);
    set_state(&s, STATE_SHEARED);
    const size_t bytes = (size_t)s.nodes * 3 * sizeof(double);
    double energy, *y = doubles(3 * s.nodes);
    uint64_t hash = SN_HASH_START;
    assert_int_equal(energy_of(&s, s.x, &energy), SN_OK);
    hash = sn_hash(hash, &energy, sizeof energy);
    assert_int_equal(force_of(&s, s.x, s.v, y), SN_OK);
    hash = sn_hash(hash, y, bytes);
    product_of(&s, 1, 0.01, s.v, y);
    hash = sn_hash(hash, y, bytes);
    const int N = s.source.element->nodes;
    const sn_element_view view = view_of(&s, s.x, s.v);
    double *K = doubles(N * N * 9 * SN_LANES);
    s.model.batch[0].kernels->stiffness(&s.model.batch[0], 1, &view, 1, 0.01, 0, NULL, K);
    hash = sn_hash(hash, K, (size_t)(N * N * 9 * SN_LANES) * sizeof *K);
    free(y), free(K);
    free_fixture(&s);
    sn_context_destroy(context);
    return hash;
}

static void every_width_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const elements[] = {"tet4", "tet10", "tri3", "tet4-smooth", "tet10-reduced", "cloth"};
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int e = 0; e < 6; ++e)
        for (int l = 0; l < laws; ++l) {
            if (!goes_with(sn_element_find(elements[e]), law[l].name)) continue;
            const uint64_t reference = hash_all("baseline", 1, elements[e], law[l].name);
            if (hash_all("avx2", 1, elements[e], law[l].name) != reference)
                fail_msg("%s %s: avx2 differs from the baseline", elements[e], law[l].name);
            if (hash_all("avx512", 1, elements[e], law[l].name) != reference)
                fail_msg("%s %s: avx512 differs from the baseline", elements[e], law[l].name);
        }
}

static void every_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const elements[] = {"tet4", "tet4-smooth", "tet10-reduced"};
    for (int e = 0; e < 3; ++e) {
        const uint64_t reference = hash_all("auto", 1, elements[e], "corotated");
        for (int threads = 2; threads <= 4; ++threads)
            for (int repeat = 0; repeat < 3; ++repeat)
                assert_true(hash_all("auto", threads, elements[e], "corotated") == reference);
    }
}

/* ---- Parameters ---- */
static void parameters_can_be_edited(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 2, 2, 2, 0.004);
    compile_fixture(&s);
    set_state(&s, STATE_STRETCHED);
    double before, after;
    assert_int_equal(energy_of(&s, s.x, &before), SN_OK);
    const double young = 1e6;
    for (int m = 0; m < 2; ++m) {
        sn_material_set(&s.material[m], "young", &young, 1, NULL); /* twice the default */
        s.material[m].viscous[1] = 1;
    }
    assert_int_equal(sn_elements_parameters(&s.model, s.material, 0, &s.settings, NULL), SN_OK);
    assert_int_equal(energy_of(&s, s.x, &after), SN_OK);
    assert_true(fabs(after - 2 * before) < 1e-12 * after);
    assert_int_equal(s.settings.batch[0].damped, SN_DAMPED_VISCOUS);
    sn_error error;
    strcpy(s.material[1].law, "linear");
    assert_int_equal(sn_elements_parameters(&s.model, s.material, 0, &s.settings, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "linear"));
    free_fixture(&s);
    sn_context_destroy(context);
}

/* One constant model, two settings and two requests: each view has its own answer. */
static void one_model_serves_several_settings(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 2, 2, 2, 0.004);
    s.source.exact = true;
    for (int m = 0; m < 2; ++m) strcpy(s.material[m].law, "stvk");
    compile_fixture(&s);
    set_state(&s, STATE_SQUASHED);
    const sn_elements_model *model = &s.model;
    const int n = 3 * s.nodes;
    sn_material stiff[2] = {s.material[0], s.material[1]};
    const double young = 1e6;
    for (int m = 0; m < 2; ++m)
        assert_int_equal(sn_material_set(&stiff[m], "young", &young, 1, NULL), SN_OK); /* twice the default */
    sn_element_settings other;
    assert_int_equal(sn_element_settings_create(context, model, stiff, 0, &other, NULL), SN_OK);
    double *f = doubles(n), *twice = doubles(n), *u = doubles(n), *exact = doubles(n), *projected = doubles(n);
    sn_element_view view = view_of(&s, s.x, NULL);
    assert_int_equal(sn_elements_force(context, model, &view, f, NULL), SN_OK);
    view.settings = &other;
    assert_int_equal(sn_elements_force(context, model, &view, twice, NULL), SN_OK);
    for (int i = 0; i < n; ++i) assert_true(twice[i] == 2 * f[i]);
    for (int i = 0; i < n; ++i) u[i] = noise(i);
    sn_elements_product(context, model, &view, 1, 0, NULL, u, exact);
    view.projected = true;
    sn_elements_product(context, model, &view, 1, 0, NULL, u, projected);
    double below = 0, above = 0;
    for (int i = 0; i < n; ++i) below += u[i] * exact[i], above += u[i] * projected[i];
    assert_true(above > 1.01 * below); /* a squashed body has negative eigenvalues to leave out */
    sn_element_settings_release(context, &other);
    free(f), free(twice), free(u), free(exact), free(projected);
    free_fixture(&s);
    sn_context_destroy(context);
}

static void materials_of_two_laws_make_two_batches(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 2, 2, 2, 0.004);
    strcpy(s.material[1].law, "linear");
    compile_fixture(&s);
    assert_int_equal(s.model.batch_count, 2);
    assert_string_equal(s.model.batch[0].law->name, "corotated");
    assert_string_equal(s.model.batch[1].law->name, "linear");
    check_structure(&s);
    free_fixture(&s);
    sn_context_destroy(context);
}

/* ---- Messages ---- */
static void flat_and_inverted_rest_elements_are_named(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    int64_t label[5] = {101, 102, 103, 104, 105};
    s.source.label = label, s.source.materials = s.material, s.source.name = "cube";
    sn_error error;
    s.node[4 * 2] = s.node[4 * 2 + 1];
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "cube"));
    assert_non_null(strstr(error.text, "103 is flat"));
    free_fixture(&s);
    s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    s.source.label = label, s.source.materials = s.material, s.source.name = "cube";
    const int32_t first = s.node[4 * 3];
    s.node[4 * 3] = s.node[4 * 3 + 1], s.node[4 * 3 + 1] = first;
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "104 is inverted"));
    free_fixture(&s);
    sn_context_destroy(context);
}

static void inverted_elements_are_named_by_laws_that_need_positive_J(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 2);
    int laws, met = 0;
    const sn_listing *law = sn_laws(&laws);
    for (int l = 0; l < laws; ++l) {
        if (!(sn_law_find(context, law[l].name)->flags & SN_LAW_POSITIVE_J)) continue;
        fixture s = mesh_fixture(context, &sn_element_tet4, 2, 2, 2, 0);
        for (int m = 0; m < 2; ++m)
            set_law(context, &s.material[m], law[l].name, sn_law_find(context, law[l].name)->default_differential,
                    1000);
        int64_t label[40];
        for (int i = 0; i < 40; ++i) label[i] = 1000 + i;
        s.source.label = label;
        compile_fixture(&s);
        /* Mirror the corners of element 7 only through its first node. */
        int expected = -1;
        for (int a = 0; a < 3; ++a)
            s.x[3 * s.node[4 * 7] + a] += 1.5 * (s.rest[3 * s.node[4 * 7 + 1] + a] - s.rest[3 * s.node[4 * 7] + a]);
        for (int e = s.elements - 1; e >= 0; --e) {
            const int32_t *n = &s.node[4 * e];
            if (sn_volume6(&s.x[3 * n[0]], &s.x[3 * n[1]], &s.x[3 * n[2]], &s.x[3 * n[3]]) <= 0) expected = e;
        }
        assert_true(expected >= 0);
        char text[32];
        snprintf(text, sizeof text, "element %d has", 1000 + expected);
        double energy, *f = doubles(3 * s.nodes);
        sn_error error;
        const sn_element_view view = view_of(&s, s.x, NULL);
        assert_int_equal(sn_elements_energy(context, &s.model, &view, s.partial, &energy, &error), SN_INVERTED);
        if (!strstr(error.text, text)) fail_msg("'%s' lacks '%s'", error.text, text);
        error.text[0] = 0;
        assert_int_equal(sn_elements_force(context, &s.model, &view, f, &error), SN_INVERTED);
        assert_non_null(strstr(error.text, text));
        ++met;
        free(f);
        free_fixture(&s);
    }
    assert_true(met > 0);
    sn_context_destroy(context);
}

static void wrong_choices_are_refused(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sn_error error;
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    s.source.materials = s.material;
    strcpy(s.material[1].law, "jelly");
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "jelly"));
    strcpy(s.material[1].law, "corotated"), strcpy(s.material[1].differential, "guessed");
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "guessed"));
    s.material[1].differential[0] = 0, strcpy(s.material[1].rotation, "spin");
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "spin"));
    s.material[1].rotation[0] = 0, s.material_of[0] = 2;
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    s.material_of[0] = 0, s.node[3] = s.nodes;
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_BAD_INPUT);
    free_fixture(&s);
    sn_context_destroy(context);
}

/* ---- Memory ---- */
typedef struct meter {
    int left, open;
} meter;
static void *meter_allocate(void *user, size_t bytes) {
    meter *m = user;
    if (m->left-- <= 0) return NULL;
    ++m->open;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void meter_release(void *user, void *memory) {
    if (memory) --((meter *)user)->open;
    free(memory);
}

static void each_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    sn_context *plain = make_context("auto", 1), *context = NULL;
    fixture s = mesh_fixture(plain, &sn_element_tet4, 2, 2, 2, 0);
    int64_t label[40] = {0};
    s.source.label = label, s.source.materials = s.material;
    strcpy(s.material[1].law, "linear");
    meter m = {.left = 1000};
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    options.allocator = (sn_allocator){meter_allocate, meter_release, &m};
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    const int base = m.open;
    sn_status status = SN_NO_MEMORY;
    int n = 0;
    for (; status && n < 1000; ++n) {
        sn_error error = {0};
        m.left = n;
        status = sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error);
        if (!status) {
            status = sn_element_settings_create(context, &s.model, s.material, 0, &s.settings, &error);
            if (status) sn_elements_release(context, &s.model);
        }
        if (!status) break;
        assert_int_equal(status, SN_NO_MEMORY);
        assert_string_equal(error.text, "out of memory");
        assert_int_equal(m.open, base);
    }
    assert_int_equal(status, SN_OK);
    assert_true(n > 20);
    sn_element_settings_release(context, &s.settings);
    sn_elements_release(context, &s.model);
    assert_int_equal(m.open, base);
    sn_context_destroy(context);
    free_fixture(&s);
    sn_context_destroy(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_in_one_chunk_and_colours_share_no_node),
        cmocka_unit_test(a_node_in_very_many_chunks_is_no_trouble),
        cmocka_unit_test(every_width_gives_the_same_bits),
        cmocka_unit_test(every_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(parameters_can_be_edited),
        cmocka_unit_test(one_model_serves_several_settings),
        cmocka_unit_test(materials_of_two_laws_make_two_batches),
        cmocka_unit_test(flat_and_inverted_rest_elements_are_named),
        cmocka_unit_test(inverted_elements_are_named_by_laws_that_need_positive_J),
        cmocka_unit_test(wrong_choices_are_refused),
        cmocka_unit_test(each_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
