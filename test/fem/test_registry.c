/* The registry of element types: every type in it keeps the promises of its table, and one without kernels is refused.
 */
#include "fixture.h"

static const sn_element *each(int i) {
    int count;
    const sn_listing *listing = sn_elements(&count);
    if (i >= count) return NULL;
    const sn_element *element = sn_element_find(listing[i].name);
    assert_non_null(element);
    assert_string_equal(element->name, listing[i].name);
    assert_string_equal(element->text, listing[i].text);
    return element;
}

static void unknown_is_no_element(void **state) {
    (void)state;
    assert_null(sn_element_find("tet5"));
    assert_null(sn_element_find(""));
}

/* Shape functions sum to 1, reproduce the corners' coordinates, and their derivatives are those of differences. */
static void shape_functions(void **state) {
    (void)state;
    for (int e = 0; each(e); ++e) {
        const sn_element *element = sn_element_carrier(each(e));
        const int corners = element->corners;
        assert_true(element->shape && element->fits && element->take && corners == element->dimension + 1);
        for (int n = 0; n < 50; ++n) {
            double L[4] = {0}, value[SN_ELEMENT_NODES], derivative[4 * SN_ELEMENT_NODES], total = 0, sum = 0;
            for (int i = 0; i < corners; ++i) L[i] = 1.1 + noise(7 * n + i), total += L[i];
            for (int i = 0; i < corners; ++i) L[i] /= total;
            element->shape(L, value, derivative);
            for (int i = 0; i < element->nodes; ++i) sum += value[i];
            assert_true(fabs(sum - 1) < 1e-14);
            for (int k = 0; k < corners; ++k) {
                double less[SN_ELEMENT_NODES], more[SN_ELEMENT_NODES], unused[4 * SN_ELEMENT_NODES];
                const double h = 1e-5, x = L[k];
                L[k] = x - h, element->shape(L, less, unused);
                L[k] = x + h, element->shape(L, more, unused);
                L[k] = x;
                for (int i = 0; i < element->nodes; ++i)
                    assert_true(fabs((more[i] - less[i]) / (2 * h) - derivative[4 * i + k]) < 1e-9);
            }
        }
    }
}

/* Weights sum to 1; the shares of a face too; a held axis is not one of the element's own; middles stand between
 * corners. */
static void tables_are_consistent(void **state) {
    (void)state;
    for (int e = 0; each(e); ++e) {
        const sn_element *element = each(e), *carrier = sn_element_carrier(element);
        double weight = 0, mass = 0, share = 0;
        assert_null(carrier->carrier);
        assert_true((element->derive != NULL) == (element != carrier) &&
                    (element->release != NULL) == (element != carrier));
        assert_true(element->nodes <= SN_ELEMENT_NODES && element->points <= SN_ELEMENT_POINTS);
        for (int q = 0; q < element->points; ++q) weight += element->weight[q];
        for (int q = 0; q < carrier->mass_points; ++q) mass += carrier->mass_weight[q];
        for (int i = 0; i < carrier->face_nodes; ++i) share += carrier->face_share[i];
        assert_true(fabs(weight - 1) < 1e-14 && fabs(mass - 1) < 1e-14 &&
                    (carrier->face_nodes == 0 || fabs(share - 1) < 1e-14));
        for (int a = 0; a < carrier->dimension; ++a) assert_false(carrier->held >> a & 1);
        for (int i = 0; carrier->middle && i < carrier->corners; ++i)
            for (int j = 0; j < carrier->corners; ++j) {
                double L[4] = {0}, value[SN_ELEMENT_NODES], derivative[4 * SN_ELEMENT_NODES];
                if (i == j) continue;
                L[i] = L[j] = 0.5;
                carrier->shape(L, value, derivative);
                assert_true(fabs(value[carrier->middle[i][j]] - 1) < 1e-15);
            }
    }
}

/* A sheet of triangles: each is an element, and a face where the type has faces. */
static void try_triangles(sn_context *context, const sn_element *element) {
    const sn_generator_value cells = {"cells", 2, {3, 2}};
    sn_mesh *mesh = NULL, *own = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_generate(context, element->lay ? "grid" : "rectangle", &cells, 1, &mesh, NULL), SN_OK);
    assert_int_equal(element->fits(mesh, &error), SN_OK);
    assert_int_equal(element->take(mesh, &own, &error), SN_OK);
    assert_true(own->tet_nodes == 3 && own->tet_count == 12);
    int count;
    int32_t *face;
    assert_int_equal(sn_element_faces(element, own, &count, &face, &error), SN_OK);
    assert_int_equal(count, element->face_nodes ? 12 : 0);
    if (count) assert_memory_equal(face, mesh->triangle, 36 * sizeof *face);
    sn_mesh_release(own, face);
    sn_mesh_destroy(own);
    sn_mesh_destroy(mesh);
}

/* A box of each solid type: the faces go all around with outward normals, so that their area vectors sum to 0, and
 * every point of the box is found in one of its elements. */
static void faces_and_points(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const sn_generator_value values[] = {{"size", 3, {1, 1, 1}}, {"cells", 3, {2, 2, 2}}, {"split", 1, {5}}};
    for (int e = 0; each(e); ++e) {
        const sn_element *element = sn_element_carrier(each(e));
        sn_mesh *mesh = NULL, *own = NULL;
        sn_error error = {0};
        assert_int_equal(sn_mesh_generate(context, "box", values, 3, &mesh, NULL), SN_OK);
        if (element->dimension == 2) { /* triangles: a mesh of tets does not fit */
            assert_int_equal(element->fits(mesh, &error), SN_BAD_INPUT);
            assert_non_null(strstr(error.text, element->name));
            sn_mesh_destroy(mesh);
            try_triangles(context, element);
            continue;
        }
        assert_int_equal(element->fits(mesh, &error), SN_OK);
        assert_int_equal(element->take(mesh, &own, &error), SN_OK);
        assert_int_equal(own->tet_nodes, element->nodes);
        int count;
        int32_t *face;
        assert_int_equal(sn_element_faces(element, own, &count, &face, &error), SN_OK);
        assert_int_equal(count, 48);
        double sum[3] = {0};
        for (int f = 0; f < count; ++f) {
            const int32_t *node = face + f * element->face_nodes;
            double n[3], middle[3];
            sn_area_vector3(own->position + 3 * node[0], own->position + 3 * node[1], own->position + 3 * node[2], n);
            for (int a = 0; a < 3; ++a) sum[a] += n[a];
            for (int i = 3; i < element->face_nodes; ++i) {
                for (int a = 0; a < 3; ++a)
                    middle[a] = 0.5 * (own->position[3 * node[i - 3] + a] + own->position[3 * node[(i - 2) % 3] + a]);
                assert_true(distance(middle, own->position + 3 * node[i], 3) < 1e-14);
            }
        }
        assert_true(largest(sum, 3) < 1e-13);
        const double X[3] = {0.37, 0.61, 0.22};
        double best = -1, L[4];
        for (int t = 0; t < own->tet_count; ++t)
            best = fmax(best, sn_element_locate(element, own->tet + t * own->tet_nodes, own->position, X, L));
        assert_true(best >= -1e-14);
        sn_mesh_release(own, face);
        sn_mesh_destroy(own);
        sn_mesh_destroy(mesh);
    }
    sn_context_destroy(context);
}

static void a_type_without_kernels_is_refused(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int e = 0; each(e); ++e) assert_true(each(e)->kernels(context)->serves(each(e)));
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    sn_element strange = sn_element_tet4;
    strange.name = "tet4-fine", strange.points = 4;
    s.source.element = &strange, s.source.materials = s.material;
    sn_error error = {0};
    assert_int_equal(sn_elements_compile(context, &s.source, 1, s.nodes, &s.model, &error), SN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tet4-fine"));
    free_fixture(&s);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_is_no_element),
        cmocka_unit_test(shape_functions),
        cmocka_unit_test(tables_are_consistent),
        cmocka_unit_test(faces_and_points),
        cmocka_unit_test(a_type_without_kernels_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
