/* Colliders from meshes: the nearest triangle, the sign beside sharp edges, meshes that need repair. */
#include "shape_trials.h"

/* The tree finds the nearest of all triangles, and the sign agrees with that of the closed form where there is one. */
static void test_mesh_sphere(void **state) {
    (void)state;
    sn_mesh *mesh = NULL;
    const sn_generator_value value[2] = {{"radius", 1, {0.7}}, {"cells", 1, {12}}};
    assert_int_equal(sn_mesh_generate(context, "sphere", value, 2, &mesh, NULL), SN_OK);
    sn_collider options = shape("mesh");
    options.mesh = mesh;
    sn_collider_model c;
    assert_int_equal(sn_collider_model_create(context, &options, &c, NULL), SN_OK);
    sn_mesh_destroy(mesh); /* it has its own copy */
    sn_pose pose;
    sn_collider_at(&c, 0, &pose);
    unsigned seed = 5;
    for (int i = 0; i < 3000; ++i) {
        double x[3], n[3];
        for (int a = 0; a < 3; ++a) x[a] = 1.2 * unit_noise(&seed);
        const double r = sn_norm3(x), gap = sn_collider_gap(&c, &pose, x, INFINITY, n, NULL);
        close_to(gap, r - 0.7, 0.02);
        if (r > 0.75) assert_true(sn_dot3(n, x) > 0.95 * r);
    }
    sn_collider_model_destroy(context, &c);
}

/* A thin tet: normals of neighbours point almost to opposite sides, and the sign must still be right beside its edges
 * and corners. */
static void test_sharp_mesh(void **state) {
    (void)state;
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0.4, 0.1, 0.1, 0.5, 0, 0.6};
    static const int32_t face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(context, 4, 1, 4, 0, &mesh, NULL), SN_OK);
    memcpy(mesh->position, corner, sizeof corner);
    for (int i = 0; i < 4; ++i) mesh->tet[i] = i;
    sn_collider options = shape("mesh");
    options.mesh = mesh;
    sn_collider_model c;
    assert_int_equal(sn_collider_model_create(context, &options, &c, NULL), SN_OK);
    sn_mesh_destroy(mesh);
    sn_pose pose;
    sn_collider_at(&c, 0, &pose);
    unsigned seed = 9;
    int inside = 0;
    for (int i = 0; i < 20000; ++i) {
        double x[3], n[3];
        for (int a = 0; a < 3; ++a) x[a] = a == 1 ? 0.05 + 0.15 * unit_noise(&seed) : 0.4 + 0.7 * unit_noise(&seed);
        bool in = true;
        for (int f = 0; f < 4; ++f) {
            const double *p[4] = {corner + 3 * face[f][0], corner + 3 * face[f][1], corner + 3 * face[f][2],
                                  corner + 3 * f};
            in = in && (sn_volume6(p[0], p[1], p[2], x) > 0) == (sn_volume6(p[0], p[1], p[2], p[3]) > 0);
        }
        inside += in;
        assert_true((sn_collider_gap(&c, &pose, x, INFINITY, n, NULL) < 0) == in);
    }
    assert_true(inside > 100);
    sn_collider_model_destroy(context, &c);
}

/* A mesh that faces inwards, and one that was cut along all of its edges, are the same solid. */
static void test_repairs(void **state) {
    (void)state;
    int faces = 0;
    int32_t *face = NULL;
    sn_mesh *cut = NULL;
    assert_int_equal(sn_mesh_boundary(torus, &faces, &face, NULL, NULL, NULL), SN_OK);
    assert_int_equal(sn_mesh_create(context, 3 * faces, 0, 4, faces, &cut, NULL), SN_OK);
    for (int i = 0; i < 3 * faces; ++i) {
        const int32_t from = face[3 * (i / 3) + 2 - i % 3];
        memcpy(cut->position + 3 * (size_t)i, torus->position + 3 * (size_t)from, 3 * sizeof(double));
        cut->triangle[i] = i;
    }
    sn_collider whole = solid_mesh(), other = whole;
    other.mesh = cut;
    sn_collider_model a, b;
    sn_pose pose;
    assert_int_equal(sn_collider_model_create(context, &whole, &a, NULL), SN_OK);
    assert_int_equal(sn_collider_model_create(context, &other, &b, NULL), SN_OK);
    sn_collider_at(&a, 0, &pose);
    unsigned seed = 2;
    for (int i = 0; i < 300; ++i) {
        double x[3], n[3], m[3];
        for (int k = 0; k < 3; ++k) x[k] = 1.5 * unit_noise(&seed);
        close_to(sn_collider_gap(&a, &pose, x, INFINITY, n, NULL), sn_collider_gap(&b, &pose, x, INFINITY, m, NULL),
                 1e-12);
    }
    sn_collider_model_destroy(context, &a);
    sn_collider_model_destroy(context, &b);
    sn_mesh_destroy(cut);
    sn_mesh_release(torus, face);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mesh_sphere), cmocka_unit_test(test_sharp_mesh),
                                       cmocka_unit_test(test_repairs)};
    return cmocka_run_group_tests(tests, start, end);
}
