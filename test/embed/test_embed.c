/* Embedded surfaces: weights, rigid and affine motion, creases, sides, quadratic faces, moving least squares, bad
 * input, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static sn_context *context;

static sn_mesh *generate(const char *name, const sn_generator_value *value, int count) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_generate(context, name, value, count, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

static sn_mesh *unit_box(double cells) {
    const sn_generator_value value[] = {{"cells", 3, {cells, cells, cells}}, {"split", 1, {5}}};
    return generate("box", value, 2);
}

/* x -> A x + b on all nodes. */
static double *moved(const sn_mesh *mesh) {
    static const double A[9] = {0.3, -1.2, 0.5, 0.9, 0.4, 0.1, -0.2, 0.7, 1.4}, b[3] = {0.3, -2, 5};
    double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x);
    for (int i = 0; i < mesh->node_count; ++i)
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = b[k];
            for (int j = 0; j < 3; ++j) x[3 * i + k] += A[3 * k + j] * mesh->position[3 * i + j];
        }
    return x;
}

/* Affine motion of the carrier carries the surface exactly, inside and outside of the tets. */
static void test_affine(void **state) {
    (void)state;
    sn_mesh *box = unit_box(3),
            *surface = generate("octopus", (const sn_generator_value[]){{"triangles", 1, {2000}}}, 1);
    sn_embedding *e;
    sn_error error = {0};
    assert_int_equal(sn_embedding_create(box, surface, 180, &e, &error), SN_OK);
    assert_true(e->farthest > 0.1); /* arms reach out of the box */
    sn_mesh *both = NULL;
    assert_int_equal(sn_mesh_copy(surface, &both, &error), SN_OK);
    double *x = moved(box), *exact = moved(both);
    float *got = malloc(3 * (size_t)e->vertex_count * sizeof *got),
          *normal = malloc(3 * (size_t)e->vertex_count * sizeof *normal);
    sn_embedding_positions(e, x, got);
    sn_embedding_normals(e, got, normal);
    for (int v = 0; v < e->vertex_count; ++v) {
        double sum = 0, length = 0;
        for (int k = 0; k < 4; ++k) sum += e->weight[4 * v + k];
        assert_true(fabs(sum - 1) < 1e-12);
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(got[3 * v + k] - exact[3 * e->source[v] + k]) < 1e-4);
            length += (double)normal[3 * v + k] * (double)normal[3 * v + k];
        }
        assert_true(fabs(length - 1) < 1e-5);
    }
    free(x), free(exact), free(got), free(normal);
    sn_embedding_destroy(e);
    sn_mesh_destroy(both), sn_mesh_destroy(surface), sn_mesh_destroy(box);
}

/* A box has six smooth faces and sharp edges: corners are three vertices, edges two; a sphere stays whole. */
static void test_creases(void **state) {
    (void)state;
    sn_mesh *box = unit_box(2), *sphere = generate("sphere", NULL, 0);
    sn_embedding *e;
    assert_int_equal(sn_embedding_boundary(box, 35, &e, NULL), SN_OK);
    assert_int_equal(e->triangle_count, 6 * 4 * 2);
    assert_int_equal(e->vertex_count, 6 * 9);
    float position[3 * 54], normal[3 * 54];
    sn_embedding_positions(e, box->position, position);
    sn_embedding_normals(e, position, normal);
    for (int v = 0; v < 54; ++v) {
        const float most = fmaxf(fabsf(normal[3 * v]), fmaxf(fabsf(normal[3 * v + 1]), fabsf(normal[3 * v + 2])));
        assert_true(most > 0.9999f); /* along an axis: edges are sharp */
        for (int k = 0; k < 3; ++k)  /* and outwards */
            if (normal[3 * v + k] > 0.9f) assert_true(position[3 * v + k] > 0.99f);
    }
    sn_embedding_destroy(e);
    assert_int_equal(sn_embedding_boundary(box, 180, &e, NULL), SN_OK);
    assert_int_equal(e->vertex_count, 26);
    sn_embedding_destroy(e);
    int faces;
    int32_t *face;
    assert_int_equal(sn_mesh_boundary(sphere, &faces, &face, NULL, NULL, NULL), SN_OK);
    sn_mesh_release(sphere, face);
    assert_int_equal(sn_embedding_boundary(sphere, 35, &e, NULL), SN_OK);
    assert_int_equal(e->triangle_count, faces);
    assert_int_equal(e->vertex_count, faces / 2 + 2); /* Euler: one closed surface without splits */
    sn_embedding_destroy(e);
    sn_mesh_destroy(box), sn_mesh_destroy(sphere);
}

/* Without creases a node is one vertex, also where the triangles at it share no edge. */
static void test_pinched_node(void **state) {
    (void)state;
    sn_mesh *box = unit_box(1), *surface = NULL;
    double position[] = {0.5, 0.5, 0.5, 0.7, 0.5, 0.5, 0.5, 0.7, 0.5, 0.3, 0.5, 0.5, 0.5, 0.3, 0.5};
    int32_t triangle[] = {0, 1, 2, 0, 3, 4};
    const sn_mesh pinched = {.context = context,
                             .node_count = 5,
                             .position = position,
                             .tet_nodes = 4,
                             .triangle_count = 2,
                             .triangle = triangle};
    sn_embedding *e;
    assert_int_equal(sn_mesh_copy(&pinched, &surface, NULL), SN_OK);
    assert_int_equal(sn_embedding_create(box, surface, 180, &e, NULL), SN_OK);
    assert_int_equal(e->vertex_count, 5);
    sn_embedding_destroy(e);
    sn_mesh_destroy(surface), sn_mesh_destroy(box);
}

static double volume_of(const sn_embedding *e) {
    double volume = 0;
    for (int t = 0; t < e->triangle_count; ++t) {
        const double *x[3];
        for (int k = 0; k < 3; ++k) x[k] = e->rest + 3 * e->triangle[3 * t + k];
        volume +=
            (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
             x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
            6;
    }
    return volume;
}

/* Triangles face outwards, whichever way those of the file face: each second one the other way, all of them, and
 * triangles that share no nodes. A surface that is right keeps its triangles. */
static void test_sides(void **state) {
    (void)state;
    sn_mesh *box = unit_box(2), *right = generate("octopus", (const sn_generator_value[]){{"triangles", 1, {2000}}}, 1);
    sn_embedding *e;
    assert_int_equal(sn_embedding_create(box, right, 180, &e, NULL), SN_OK);
    for (int i = 0; i < 3 * right->triangle_count; ++i) assert_int_equal(e->source[e->triangle[i]], right->triangle[i]);
    const double volume = volume_of(e);
    assert_true(volume > 0);
    sn_embedding_destroy(e);
    double *position = malloc(9 * (size_t)right->triangle_count * sizeof *position);
    int32_t *triangle = malloc(3 * (size_t)right->triangle_count * sizeof *triangle);
    for (int alone = 0; alone < 2; ++alone)
        for (int every = 1; every <= 2; ++every) {
            sn_mesh *wrong = NULL;
            for (int i = 0; i < 3 * right->triangle_count; ++i) {
                const int turned = i / 3 % every == 0 && i % 3 > 0, corner = turned ? i / 3 * 3 + 3 - i % 3 : i;
                triangle[i] = alone ? i : right->triangle[corner];
                memcpy(position + 3 * i, right->position + 3 * right->triangle[corner], 3 * sizeof *position);
            }
            const sn_mesh turned = {.context = context,
                                    .node_count = alone ? 3 * right->triangle_count : right->node_count,
                                    .position = alone ? position : right->position,
                                    .tet_nodes = 4,
                                    .triangle_count = right->triangle_count,
                                    .triangle = triangle};
            assert_int_equal(sn_mesh_copy(&turned, &wrong, NULL), SN_OK);
            assert_int_equal(sn_embedding_create(box, wrong, 180, &e, NULL), SN_OK);
            assert_true(fabs(volume_of(e) - volume) < 1e-12 * volume);
            assert_int_equal(e->vertex_count, right->node_count);
            sn_embedding_destroy(e);
            sn_mesh_destroy(wrong);
        }
    free(position), free(triangle);
    sn_mesh_destroy(right), sn_mesh_destroy(box);
}

/* Faces of quadratic tets become four, with their mid-edge nodes; the area stays. */
static void test_quadratic(void **state) {
    (void)state;
    sn_mesh *box = unit_box(2), *quadratic;
    sn_embedding *e;
    assert_int_equal(sn_mesh_to_tet10(box, &quadratic, NULL), SN_OK);
    assert_int_equal(sn_embedding_boundary(quadratic, 35, &e, NULL), SN_OK);
    assert_int_equal(e->triangle_count, 4 * 48);
    double area = 0;
    for (int t = 0; t < e->triangle_count; ++t) {
        const double *a = e->rest + 3 * e->triangle[3 * t], *b = e->rest + 3 * e->triangle[3 * t + 1],
                     *c = e->rest + 3 * e->triangle[3 * t + 2];
        double n[3];
        for (int k = 0; k < 3; ++k) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            n[k] = (b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]);
        }
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    assert_true(fabs(area - 6) < 1e-12);
    sn_embedding_destroy(e);
    sn_mesh_destroy(box), sn_mesh_destroy(quadratic);
}

/* Moving least squares: at least four nodes, exact for affine motion, and smooth where a vertex passes from tet to tet:
 * along a line through bent tets, the second differences are those of a smooth curve. */
static void test_mls(void **state) {
    (void)state;
    sn_mesh *box = unit_box(4),
            *surface = generate("octopus", (const sn_generator_value[]){{"triangles", 1, {1000}}}, 1);
    sn_embedding *e;
    assert_int_equal(sn_embedding_create(box, surface, 180, &e, NULL), SN_OK);
    assert_ptr_equal(e->carrier_node, e->node);
    assert_int_equal(e->carrier_first[e->vertex_count], 4 * e->vertex_count);
    assert_int_equal(sn_embedding_smooth(box, e, NULL), SN_OK);
    double *x = moved(box), *exact = moved(surface);
    float *got = malloc(3 * (size_t)e->vertex_count * sizeof *got);
    sn_embedding_positions(e, x, got);
    double most = 0;
    for (int v = 0; v < e->vertex_count; ++v) {
        double sum = 0;
        assert_true(e->carrier_first[v + 1] - e->carrier_first[v] >= 4);
        for (int i = e->carrier_first[v]; i < e->carrier_first[v + 1]; ++i) sum += e->carrier_weight[i];
        assert_true(fabs(sum - 1) < 1e-9);
        for (int k = 0; k < 3; ++k) most = fmax(most, fabs((double)got[3 * v + k] - exact[3 * e->source[v] + k]));
    }
    assert_true(most < 1e-5);
    assert_int_equal(sn_embedding_smooth(box, e, NULL), SN_OK); /* again: the old carriers are released */
    free(x), free(exact), free(got);
    sn_embedding_destroy(e);
    sn_mesh_destroy(box), sn_mesh_destroy(surface);
}

/* The largest second difference of the heights of a line of points on a bent box. */
static double kink(bool smooth) {
    enum { POINTS = 401 };
    sn_mesh *box = unit_box(4), *line;
    sn_embedding *e;
    assert_int_equal(sn_mesh_create(context, POINTS, 0, 4, POINTS - 2, &line, NULL), SN_OK);
    for (int i = 0; i < POINTS; ++i) {
        line->position[3 * i] = 0.2 + 0.6 * i / (POINTS - 1);
        line->position[3 * i + 1] = 0.53, line->position[3 * i + 2] = 0.47;
    }
    for (int t = 0; t < POINTS - 2; ++t)
        for (int k = 0; k < 3; ++k) line->triangle[3 * t + k] = t + k;
    assert_int_equal(sn_embedding_create(box, line, 180, &e, NULL), SN_OK);
    if (smooth) assert_int_equal(sn_embedding_smooth(box, e, NULL), SN_OK);
    for (int i = 0; i < box->node_count; ++i) box->position[3 * i + 1] += pow(box->position[3 * i] - 0.5, 2);
    double height[POINTS], most = 0;
    for (int v = 0; v < e->vertex_count; ++v) {
        double sum = 0;
        for (int i = e->carrier_first[v]; i < e->carrier_first[v + 1]; ++i)
            sum += e->carrier_weight[i] * box->position[3 * e->carrier_node[i] + 1];
        height[e->source[v]] = sum;
    }
    for (int i = 1; i < POINTS - 1; ++i) most = fmax(most, fabs(height[i - 1] - 2 * height[i] + height[i + 1]));
    sn_embedding_destroy(e);
    sn_mesh_destroy(box), sn_mesh_destroy(line);
    return most * (POINTS - 1) * (POINTS - 1) / 0.36;
}

static void test_mls_smooth(void **state) {
    (void)state;
    const double bent = kink(false), smooth = kink(true);
    assert_true(bent > 100);  /* a kink: grows with the number of points */
    assert_true(smooth < 12); /* a curvature: the box has 2 */
}

/* A point in a triangle is carried by the tet of its heaviest vertex. */
static void test_points(void **state) {
    (void)state;
    sn_mesh *box = unit_box(3),
            *surface = generate("octopus", (const sn_generator_value[]){{"triangles", 1, {500}}}, 1);
    sn_embedding *e;
    int32_t node[4];
    double weight[4];
    const double share[3] = {0.2, 0.7, 0.1};
    assert_int_equal(sn_embedding_create(box, surface, 180, &e, NULL), SN_OK);
    for (int mls = 0; mls < 2; ++mls) {
        assert_int_equal(sn_embedding_point(e, 5, share, node, weight, NULL), SN_OK);
        assert_memory_equal(node, e->node + 4 * e->triangle[3 * 5 + 1], sizeof node);
        assert_int_equal(sn_embedding_smooth(box, e, NULL), SN_OK);
    }
    sn_embedding_destroy(e);
    sn_mesh_destroy(surface), sn_mesh_destroy(box);
}

/* Indices out of range and coordinates that are not finite are refused. */
static void test_bad_meshes(void **state) {
    (void)state;
    sn_mesh *box = unit_box(1),
            *surface = generate("octopus", (const sn_generator_value[]){{"triangles", 1, {500}}}, 1);
    sn_embedding *e = NULL;
    sn_error error = {0};
    int32_t *const index[2] = {&box->tet[5], &surface->triangle[7]};
    for (int i = 0; i < 2; ++i) {
        const int32_t keep = *index[i];
        *index[i] = 1 << 30;
        assert_int_equal(sn_embedding_create(box, surface, 30, &e, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "uses node index 1073741824"));
        if (i == 0) assert_int_equal(sn_embedding_boundary(box, 30, &e, &error), SN_BAD_INPUT);
        *index[i] = keep;
    }
    double *const x[2] = {&box->position[4], &surface->position[11]};
    for (int i = 0; i < 2; ++i) {
        const double keep = *x[i];
        *x[i] = NAN;
        assert_int_equal(sn_embedding_create(box, surface, 30, &e, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "finite"));
        if (i == 0) assert_int_equal(sn_embedding_boundary(box, 30, &e, &error), SN_BAD_INPUT);
        *x[i] = keep;
    }
    assert_null(e);
    assert_int_equal(sn_embedding_boundary(box, 30, &e, &error), SN_OK);
    const double share[3] = {1, 0, 0};
    int32_t node[4];
    double weight[4];
    assert_int_equal(sn_embedding_point(e, -1, share, node, weight, &error), SN_BAD_INPUT);
    assert_int_equal(sn_embedding_point(e, e->triangle_count, share, node, weight, &error), SN_BAD_INPUT);
    sn_embedding_destroy(e);
    sn_mesh_destroy(box), sn_mesh_destroy(surface);
}

/* A collapsed quadratic tet has one node at two corners. Its faces use nodes of the tet and nothing else. */
static void test_collapsed_tet(void **state) {
    (void)state;
    sn_mesh *mesh;
    sn_embedding *e;
    assert_int_equal(sn_mesh_create(context, 10, 1, 10, 0, &mesh, NULL), SN_OK);
    for (int i = 0; i < 10; ++i) mesh->tet[i] = i, mesh->position[3 * i] = i, mesh->position[3 * i + 1] = i * i;
    mesh->tet[1] = 0;
    assert_int_equal(sn_embedding_boundary(mesh, 30, &e, NULL), SN_OK);
    for (int v = 0; v < e->vertex_count; ++v) assert_in_range(e->node[4 * v], 0, 9);
    sn_embedding_destroy(e);
    sn_mesh_destroy(mesh);
}

/* ---- Memory: every allocation fails once ---- */
static int allowed, live;
static void *counted(void *user, size_t bytes) {
    (void)user;
    if (allowed-- <= 0) return NULL;
    ++live;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}
static void released(void *user, void *memory) {
    (void)user;
    live -= memory != NULL;
    free(memory);
}

static void test_memory(void **state) {
    (void)state;
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    options.allocator = (sn_allocator){counted, released, NULL};
    sn_context *own = NULL;
    sn_mesh *mesh = NULL, *box = NULL;
    allowed = 1000000;
    assert_int_equal(sn_context_create(&options, &own, NULL), SN_OK);
    assert_int_equal(
        sn_mesh_generate(own, "octopus", (const sn_generator_value[]){{"triangles", 1, {500}}}, 1, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_generate(own, "box", NULL, 0, &box, NULL), SN_OK);
    const int before = live;
    bool done = false;
    for (int most = 1; !done && most < 400; ++most) {
        sn_embedding *e = NULL, *boundary = NULL;
        allowed = most;
        sn_status status = sn_embedding_create(box, mesh, 60, &e, NULL);
        if (!status) status = sn_embedding_smooth(box, e, NULL);
        if (!status) status = sn_embedding_boundary(box, 60, &boundary, NULL);
        done = status == SN_OK;
        if (!done) assert_int_equal(status, SN_NO_MEMORY);
        sn_embedding_destroy(e), sn_embedding_destroy(boundary);
        assert_int_equal(live, before);
    }
    sn_mesh_destroy(mesh), sn_mesh_destroy(box);
    sn_context_destroy(own);
    assert_int_equal(live, 0);
    assert_true(done);
}

static int set_up(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL);
}
static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affine),        cmocka_unit_test(test_pinched_node), cmocka_unit_test(test_sides),
        cmocka_unit_test(test_creases),       cmocka_unit_test(test_quadratic),    cmocka_unit_test(test_mls),
        cmocka_unit_test(test_mls_smooth),    cmocka_unit_test(test_points),       cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_collapsed_tet), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
