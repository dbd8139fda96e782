/* Nested levels: what a refined mesh remembers, and the transformations of the hierarchical basis. */
#include "mesh/levels.h"
#include "mesh_test.h"

static sn_mesh *refined(sn_mesh *mesh, int times) {
    for (int i = 0; i < times; ++i) {
        sn_mesh *fine;
        assert_int_equal(sn_mesh_refine(mesh, &fine, NULL), SN_OK);
        sn_mesh_destroy(mesh);
        mesh = fine;
    }
    return mesh;
}

/* Every new node lies in the middle of its parents, which are older; the counts are those of the meshes on the way. */
static void check_parents(const sn_mesh *mesh, int levels, bool straight) {
    assert_int_equal(mesh->level_count, levels);
    for (int i = 0; i < mesh->node_count; ++i) {
        const int32_t *parent = mesh->node_parent + 2 * i;
        if (mesh->node_level[i] == 0) {
            assert_int_equal(parent[0], -1);
            continue;
        }
        assert_true(parent[0] != parent[1]);
        for (int k = 0; k < 2; ++k) assert_true(mesh->node_level[parent[k]] < mesh->node_level[i]);
        for (int a = 0; a < 3 && straight; ++a)
            assert_float_equal(mesh->position[3 * i + a],
                               (mesh->position[3 * parent[0] + a] + mesh->position[3 * parent[1] + a]) / 2, 1e-14);
    }
}

static void test_memory_of_refinement(void **state) {
    (void)state;
    const sn_generator_value radius = {.name = "radius", .count = 1, .value = {0.5}};
    const char *const generator[] = {"box", "sphere", "tube"};
    for (int g = 0; g < 3; ++g) {
        sn_mesh *mesh = make(generator[g], &radius, g == 1), *copy, *ten, *shell;
        assert_int_equal(mesh->level_count, 0);
        assert_null(mesh->node_level);
        const int coarse = mesh->node_count;
        mesh = refined(mesh, 2);
        check_parents(mesh, 3, true);
        for (int i = 0; i < mesh->node_count; ++i) assert_int_equal(mesh->node_level[i] == 0, i < coarse);
        assert_int_equal(sn_mesh_copy(mesh, &copy, NULL), SN_OK);
        check_parents(copy, 3, true);
        assert_memory_equal(copy->node_parent, mesh->node_parent, (size_t)mesh->node_count * 8);
        sn_mesh_scale(copy, -2); /* mirrors */
        check_parents(copy, 3, true);
        assert_int_equal(sn_mesh_to_tet10(mesh, &ten, NULL), SN_OK); /* the mid-edge nodes are one level more */
        check_parents(ten, 4, true);
        for (int i = mesh->node_count; i < ten->node_count; ++i) assert_int_equal(ten->node_level[i], 3);
        ten = refined(ten, 1);
        check_parents(ten, 5, true);
        assert_int_equal(sn_mesh_shell(mesh, &shell, NULL), SN_OK);
        assert_int_equal(shell->level_count, 0);
        sn_mesh_destroy(shell), sn_mesh_destroy(ten), sn_mesh_destroy(copy), sn_mesh_destroy(mesh);
    }
}

static void test_refuses(void **state) {
    (void)state;
    sn_mesh *mesh = refined(make_box(1, 1, 1, 6), 1), *out;
    sn_error error = {0};
    const int last = mesh->node_count - 1;
    const int32_t keep = mesh->node_parent[2 * last];
    const int32_t bad[] = {-1, last, mesh->node_count};
    for (int i = 0; i < 3; ++i) {
        mesh->node_parent[2 * last] = bad[i];
        assert_int_equal(sn_mesh_refine(mesh, &out, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "parents"));
    }
    mesh->node_parent[2 * last] = keep;
    mesh->node_level[last] = 2;
    assert_int_equal(sn_mesh_refine(mesh, &out, &error), SN_BAD_INPUT);
    mesh->node_level[last] = 1;
    assert_int_equal(sn_mesh_refine(mesh, &out, &error), SN_OK);
    sn_mesh_destroy(out);
    sn_mesh_destroy(mesh);
}

/* ---- Transformations: a cube of five levels, a box without levels, and a ball of two levels ---- */
typedef struct system_of_three {
    sn_mesh *mesh[3];
    int32_t *number[3];
    int nodes;
    sn_levels levels;
} system_of_three;

static void open_three(system_of_three *s, sn_context *used, int times) {
    const sn_generator_value radius = {.name = "radius", .count = 1, .value = {0.5}};
    s->mesh[0] = refined(make_box(1, 1, 1, 6), times);
    s->mesh[1] = make_box(3, 2, 2, 5);
    s->mesh[2] = refined(make("sphere", &radius, 1), 1);
    s->nodes = 0;
    sn_levels_body body[3];
    for (int b = 0; b < 3; ++b) {
        s->number[b] = malloc((size_t)s->mesh[b]->node_count * sizeof(int32_t));
        assert_int_equal(sn_mesh_order(s->mesh[b], s->number[b], NULL), SN_OK);
        for (int i = 0; i < s->mesh[b]->node_count; ++i) s->number[b][i] += s->nodes;
        s->nodes += s->mesh[b]->node_count;
        body[b] = (sn_levels_body){.mesh = s->mesh[b], .number = s->number[b]};
    }
    assert_int_equal(sn_levels_create(used, body, 3, s->nodes, &s->levels, NULL), SN_OK);
}

static void close_three(system_of_three *s, sn_context *used) {
    sn_levels_release(used, &s->levels);
    for (int b = 0; b < 3; ++b) sn_mesh_destroy(s->mesh[b]), free(s->number[b]);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void test_transformations(void **state) {
    (void)state;
    system_of_three s;
    open_three(&s, context, 4);
    const sn_levels *l = &s.levels;
    assert_int_equal(l->count, 5);
    assert_int_equal(l->loose_count, s.mesh[1]->node_count);
    assert_int_equal(l->begin[5] + l->loose_count, s.nodes);
    const int n = 3 * s.nodes;
    double *x = malloc(4 * (size_t)n * sizeof *x), *y = x + n, *u = y + n, *v = u + n;
    for (int i = 0; i < n; ++i) x[i] = sin(0.7 * i + 1e-3 * i * i), y[i] = cos(0.3 * i - 2e-3 * i * i);
    const sn_level_map there[] = {SN_LEVEL_S, SN_LEVEL_TRANSPOSE, SN_LEVEL_INVERSE, SN_LEVEL_INVERSE_TRANSPOSE},
                       back[] = {SN_LEVEL_INVERSE, SN_LEVEL_INVERSE_TRANSPOSE, SN_LEVEL_S, SN_LEVEL_TRANSPOSE};
    for (int k = 0; k < 4; ++k) {
        double most = 0, moved = 0, size = 0;
        memcpy(u, x, (size_t)n * sizeof *u);
        sn_levels_map(context, l, there[k], u);
        for (int i = 0; i < n; ++i) moved = fmax(moved, fabs(u[i] - x[i])), size = fmax(size, fabs(u[i]));
        sn_levels_map(context, l, back[k], u);
        for (int i = 0; i < n; ++i) most = fmax(most, fabs(u[i] - x[i]));
        assert_true(moved > 0.5);
        /* A number takes part in a handful of sums per level, and each rounds by half a last digit. */
        if (!(most < 20 * 2.3e-16 * size)) fail_msg("map %d there and back: %g of %g", k, most, size);
    }
    /* y . S x = S^T y . x, and the same of the inverses. */
    for (int k = 0; k < 2; ++k) {
        memcpy(u, x, (size_t)n * sizeof *u), memcpy(v, y, (size_t)n * sizeof *v);
        sn_levels_map(context, l, k ? SN_LEVEL_INVERSE : SN_LEVEL_S, u);
        sn_levels_map(context, l, k ? SN_LEVEL_INVERSE_TRANSPOSE : SN_LEVEL_TRANSPOSE, v);
        const double size = sqrt(dot(n, y, y) * dot(n, u, u));
        assert_true(fabs(dot(n, y, u) - dot(n, v, x)) < 1e-14 * size);
        assert_true(fabs(dot(n, y, u) - dot(n, y, x)) > 1e-6 * size);
    }
    free(x);
    close_three(&s, context);
}

/* A linear field has no details; a quadratic one has those of its second derivative: -h^2 u'' / 8 on an edge of length
 * h along the direction. */
static void test_details(void **state) {
    (void)state;
    system_of_three s;
    open_three(&s, context, 3);
    double *x = malloc(3 * (size_t)s.nodes * sizeof *x);
    for (int b = 0; b < 3; ++b)
        for (int i = 0; i < s.mesh[b]->node_count; ++i) {
            const double *p = s.mesh[b]->position + 3 * i, place[3] = {1 + p[0] - 2 * p[1], p[2], p[0] * p[0]};
            memcpy(x + 3 * s.number[b][i], place, sizeof place);
        }
    sn_levels_map(context, &s.levels, SN_LEVEL_INVERSE, x);
    int seen = 0;
    for (int i = 0; i < s.mesh[0]->node_count; ++i) {
        const double *p = s.mesh[0]->position, *detail = x + 3 * s.number[0][i];
        if (s.mesh[0]->node_level[i] == 0) continue;
        const double h = p[3 * s.mesh[0]->node_parent[2 * i]] - p[3 * s.mesh[0]->node_parent[2 * i + 1]];
        assert_float_equal(detail[0], 0, 1e-15);
        assert_float_equal(detail[1], 0, 1e-15);
        assert_float_equal(detail[2], -h * h / 4, 1e-15);
        seen += h != 0;
    }
    assert_true(seen > 100);
    free(x);
    close_three(&s, context);
}

static void test_same_bits(void **state) {
    (void)state;
    double *first = NULL;
    for (int threads = 1; threads < 5; ++threads) {
        sn_context_options options = sn_context_options_default();
        options.threads = threads;
        sn_context *own;
        assert_int_equal(sn_context_create(&options, &own, NULL), SN_OK);
        system_of_three s;
        open_three(&s, own, 4);
        const size_t n = 3 * (size_t)s.nodes;
        double *x = malloc(n * sizeof *x);
        for (size_t i = 0; i < n; ++i) x[i] = sin(0.37 * (double)i);
        const sn_level_map map[] = {SN_LEVEL_S, SN_LEVEL_TRANSPOSE, SN_LEVEL_TRANSPOSE, SN_LEVEL_INVERSE,
                                    SN_LEVEL_INVERSE_TRANSPOSE};
        for (int k = 0; k < 5; ++k) sn_levels_map(own, &s.levels, map[k], x);
        if (first) assert_memory_equal(first, x, n * sizeof *x);
        close_three(&s, own);
        sn_context_destroy(own);
        if (first)
            free(x);
        else
            first = x;
    }
    free(first);
}

static sn_status work_create(void *data) {
    const system_of_three *s = data;
    const sn_levels_body body[] = {{s->mesh[0], s->number[0], false}, {s->mesh[1], s->number[1], false}};
    sn_levels levels;
    const sn_status status =
        sn_levels_create(context, body, 2, s->mesh[0]->node_count + s->mesh[1]->node_count, &levels, NULL);
    sn_levels_release(context, &levels);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    system_of_three s;
    open_three(&s, context, 1);
    assert_true(fail_each(work_create, &s, 1) > 5);
    close_three(&s, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_of_refinement),
                                       cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_transformations),
                                       cmocka_unit_test(test_details),
                                       cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
