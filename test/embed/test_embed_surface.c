/* Bodies around surfaces: strictly bounding at every step of the fit, parts that stay apart, broken surfaces, options,
 * scenes, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/separate.h"
#include "embed/winding.h"
#include "failing_allocator.h"
#include "sinew/sinew.h"

static sn_context *context;
static const sn_generator_value triangles = {"triangles", 1, {1000}};

/* ---- Surfaces ---- */

static sn_mesh *generate(const char *name, const sn_generator_value *value, int count) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_generate(context, name, value, count, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

/* A copy of the octopus: making one takes half a second. */
static sn_mesh *original;
static sn_mesh *octopus(void) {
    sn_mesh *mesh;
    assert_int_equal(sn_mesh_copy(original, &mesh, NULL), SN_OK);
    return mesh;
}

/* The boundary of a generated mesh of tets, scaled and moved, `copies` times along x. */
static sn_mesh *shell(const char *name, double scale, double step, int copies) {
    sn_mesh *solid = generate(name, NULL, 0), *mesh;
    int faces;
    int32_t *face;
    assert_int_equal(sn_mesh_boundary(solid, &faces, &face, NULL, NULL, NULL), SN_OK);
    assert_int_equal(sn_mesh_create(context, copies * solid->node_count, 0, 4, copies * faces, &mesh, NULL), SN_OK);
    for (int c = 0; c < copies; ++c) {
        for (int i = 0; i < 3 * solid->node_count; ++i)
            mesh->position[3 * c * solid->node_count + i] = scale * solid->position[i] + (i % 3 == 0) * step * c;
        for (int i = 0; i < 3 * faces; ++i) mesh->triangle[3 * c * faces + i] = face[i] + c * solid->node_count;
    }
    sn_mesh_release(solid, face);
    sn_mesh_destroy(solid);
    return mesh;
}

static sn_mesh *embed(const sn_mesh *surface, double cell, int elements, int fit, sn_embed_report *report) {
    sn_embed_options options = sn_embed_options_default();
    sn_mesh *body = NULL;
    sn_error error = {0};
    options.cell = cell, options.elements = elements, options.fit = fit;
    if (sn_embed_surface(surface, &options, &body, report, &error)) fail_msg("%s", error.text);
    return body;
}

/* ---- Checks that share no code with the search: all faces against all triangles ---- */

/* No face of the boundary meets a triangle of the surface. */
static int touching_faces(const sn_mesh *body, const sn_mesh *surface) {
    int faces, touching = 0;
    int32_t *face;
    assert_int_equal(sn_mesh_boundary(body, &faces, &face, NULL, NULL, NULL), SN_OK);
    for (int f = 0; f < faces; ++f)
        for (int t = 0; t < surface->triangle_count; ++t) {
            const double *a[4], *b[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = body->position + 3 * face[3 * f + k];
                b[k] = surface->position + 3 * surface->triangle[3 * t + k];
            }
            a[3] = a[2];
            touching += !sn_tet_apart(a, b, 0);
        }
    sn_mesh_release(body, face);
    return touching;
}

/* Every vertex of the surface has coordinates from 0 to 1 in its tet, and the tets are sound. */
static void check_body(const sn_mesh *body, const sn_mesh *surface) {
    sn_embedding *e;
    sn_mesh_report report;
    assert_int_equal(sn_embedding_create(body, surface, 180, &e, NULL), SN_OK);
    assert_true(e->farthest == 0);
    for (int i = 0; i < 4 * e->vertex_count; ++i) assert_true(e->weight[i] >= 0 && e->weight[i] <= 1);
    assert_int_equal(sn_mesh_inspect(body, &report, NULL), SN_OK);
    assert_int_equal(report.inverted + report.flat + report.duplicate_tets + report.isolated_nodes + report.hinges +
                         report.nonmanifold_faces,
                     0);
    assert_true(report.quality_min > 0.3);
    sn_embedding_destroy(e);
}

/* ---- Bounding ---- */

/* How far the boundary of one body reaches out of another. */
static double reach(const sn_mesh *outer, const sn_mesh *inner) {
    sn_embedding *e;
    assert_int_equal(sn_embedding_create(outer, inner, 180, &e, NULL), SN_OK);
    const double farthest = e->farthest;
    sn_embedding_destroy(e);
    return farthest;
}

/* Each step makes the body smaller, and never moves it outwards: so parts that came apart cannot overlap. */
static void test_bounding(void **state) {
    (void)state;
    sn_mesh *surface = octopus(), *last = NULL;
    double volume = 1e300;
    for (int fit = 0; fit <= 10; ++fit) {
        sn_embed_report report;
        sn_mesh *body = embed(surface, 0.12, 0, fit, &report);
        check_body(body, surface);
        assert_int_equal(touching_faces(body, surface), 0);
        assert_true(report.volume < volume && report.volume > report.surface_volume); /* it comes nearer */
        assert_true(fabs(report.quality_min_before - 0.7320508) < 1e-6);
        if (last) assert_true(reach(last, body) < 1e-9);
        volume = report.volume;
        sn_mesh_destroy(last);
        last = body;
    }
    sn_mesh_destroy(last), sn_mesh_destroy(surface);
}

/* The hollow inside belongs to the body, and a cavity does not. */
static void test_inside(void **state) {
    (void)state;
    sn_mesh *ball = shell("sphere", 1, 0, 2);
    const int half = ball->node_count / 2;
    double radius = 0;
    for (int i = 0; i < ball->node_count; ++i) {
        const double *x = ball->position + 3 * i;
        radius = fmax(radius, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    for (int i = 3 * half; i < 6 * half; ++i) ball->position[i] *= 0.6; /* the second shell is the wall of a cavity */
    for (int t = ball->triangle_count / 2; t < ball->triangle_count; ++t) {
        const int32_t swap = ball->triangle[3 * t];
        ball->triangle[3 * t] = ball->triangle[3 * t + 1], ball->triangle[3 * t + 1] = swap;
    }
    sn_embed_report report;
    sn_mesh *body = embed(ball, 0.08 * radius, 0, 10, &report);
    const double full = 4.18879 * radius * radius * radius;
    assert_true(report.volume < full && report.volume > 0.7 * full); /* a full body would be larger than the ball */
    assert_int_equal(report.patches, 2);
    sn_mesh_destroy(body);
    ball->triangle_count /= 2;
    body = embed(ball, 0.08 * radius, 0, 0, &report);
    assert_true(report.volume > 0.97 * full && report.volume < 1.5 * full);
    sn_mesh_destroy(body), sn_mesh_destroy(ball);
}

/* Two boxes with a gap of a quarter of a cell, with faces of the lattice in the gap: these faces come apart. */
static void test_parts(void **state) {
    (void)state;
    sn_mesh *two = shell("box", 1, 1.05, 2);
    sn_embed_report report;
    sn_mesh *body = embed(two, 0.22, 0, 10, &report);
    check_body(body, two);
    assert_int_equal(touching_faces(body, two), 0);
    assert_int_equal(report.patches, 2);
    assert_int_equal(report.pieces, 2);
    assert_true(report.split_nodes > 0);
    sn_mesh_destroy(body), sn_mesh_destroy(two);
}

/* The fast winding number beside the sum of all solid angles: 1 inside, 0 outside. */
static void test_winding(void **state) {
    (void)state;
    sn_mesh *surface = octopus();
    sn_triangle_tree tree;
    sn_winding winding;
    assert_int_equal(
        sn_triangle_tree_create(context, surface->position, surface->triangle, surface->triangle_count, &tree, NULL),
        SN_OK);
    assert_int_equal(sn_winding_create(context, &tree, &winding, NULL), SN_OK);
    assert_true(fabs(sn_winding_number(&winding, (const double[]){0, 0.6, -0.05}) - 1) < 0.05);
    int inside = 0;
    for (int i = 0; i < 4000; ++i) {
        const double x[3] = {-0.9 + 0.09 * (i % 20), 0.05 + 0.1 * (i / 20 % 10), -0.9 + 0.09 * (i / 200)};
        const double w = sn_winding_number(&winding, x);
        assert_true(fabs(w) < 0.05 || fabs(w - 1) < 0.05);
        inside += w > 0.5;
    }
    assert_in_range(inside, 50, 400);
    sn_winding_destroy(context, &winding);
    sn_triangle_tree_destroy(context, &tree);
    sn_mesh_destroy(surface);
}

/* ---- Broken surfaces ---- */

typedef struct damage {
    const char *name;
    void (*act)(sn_mesh *mesh);
    size_t count; /* offset of the number that the report must have */
    int least, most;
} damage;

static void cut_hole(sn_mesh *m) { /* everything above y = 0.85, the top of the head */
    int kept = 0;
    for (int t = 0; t < m->triangle_count; ++t)
        if (m->position[3 * m->triangle[3 * t] + 1] < 0.85)
            memmove(m->triangle + 3 * kept++, m->triangle + 3 * t, 3 * sizeof *m->triangle);
    m->triangle_count = kept;
}
static void turn_some(sn_mesh *m) {
    for (int t = 0; t < m->triangle_count; t += 3) {
        const int32_t swap = m->triangle[3 * t];
        m->triangle[3 * t] = m->triangle[3 * t + 1], m->triangle[3 * t + 1] = swap;
    }
}
static void turn_all(sn_mesh *m) {
    for (int t = 0; t < m->triangle_count; ++t) {
        const int32_t swap = m->triangle[3 * t];
        m->triangle[3 * t] = m->triangle[3 * t + 1], m->triangle[3 * t + 1] = swap;
    }
}
static void duplicate(sn_mesh *m) { /* the first half takes the place of the second, the other way round */
    cut_hole(m);
    m->triangle_count -= 100;
    for (int t = 0; t < 100; ++t)
        for (int k = 0; k < 3; ++k) m->triangle[3 * (m->triangle_count + t) + k] = m->triangle[3 * t + 2 - k];
    m->triangle_count += 100;
}
static void flatten(sn_mesh *m) { m->triangle[0] = m->triangle[1], m->triangle[30] = m->triangle[31]; }
static void push_through(sn_mesh *m) { /* the arms on one side reach through the body */
    for (int i = 0; i < m->node_count; ++i)
        if (m->position[3 * i] > 0.4) m->position[3 * i] -= 0.6;
}
static void crowd(sn_mesh *m) { /* a triangle that stands on an edge of two others */
    int32_t *last = m->triangle + 3 * (m->triangle_count - 1);
    last[0] = m->triangle[0], last[1] = m->triangle[1], last[2] = last[2] == last[0] ? last[1] + 1 : last[2];
}

static const damage damages[] = {
    {"hole", cut_hole, offsetof(sn_embed_report, open_edges), 5, 200},
    {"turned triangles", turn_some, offsetof(sn_embed_report, turned_triangles), 300, 350},
    {"inside out", turn_all, offsetof(sn_embed_report, turned_triangles), 0, 0},
    {"duplicates", duplicate, offsetof(sn_embed_report, duplicate_triangles), 100, 100},
    {"flat triangles", flatten, offsetof(sn_embed_report, flat_triangles), 2, 2},
    {"crossings", push_through, offsetof(sn_embed_report, crossings), 20, 5000},
    {"crowded edge", crowd, offsetof(sn_embed_report, crowded_edges), 1, 3},
    {"unused vertices", cut_hole, offsetof(sn_embed_report, unused_vertices), 3, 500},
};

static void test_broken(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        sn_mesh *surface = octopus();
        sn_embed_report report;
        damages[i].act(surface);
        sn_mesh *body = embed(surface, 0.08, 0, 4, &report);
        const int count = *(const int *)(const void *)((const char *)&report + damages[i].count);
        if (count < damages[i].least || count > damages[i].most) fail_msg("%s: %d", damages[i].name, count);
        check_body(body, surface);
        assert_int_equal(touching_faces(body, surface), 0);
        /* The inside is full: much more than the tets along the surface. */
        assert_true(report.tets - report.pierced > 200);
        sn_mesh_destroy(body), sn_mesh_destroy(surface);
    }
}

/* A sheet without an inside gives a layer of tets; one triangle gives a few. */
static void test_sheets(void **state) {
    (void)state;
    sn_mesh *sheet = generate("rectangle", NULL, 0), *body;
    sn_embed_report report;
    body = embed(sheet, 0.1, 0, 10, &report);
    check_body(body, sheet);
    assert_int_equal(report.pierced, report.tets);
    sn_mesh_destroy(body), sn_mesh_destroy(sheet);
}

/* The same bits with one thread and with four. */
static void test_threads(void **state) {
    (void)state;
    sn_mesh *surface = octopus(), *body[2], *copy;
    sn_context_options options = sn_context_options_default();
    options.threads = 4;
    sn_context *other;
    assert_int_equal(sn_context_create(&options, &other, NULL), SN_OK);
    assert_int_equal(sn_mesh_generate(other, "octopus", &triangles, 1, &copy, NULL), SN_OK);
    body[0] = embed(surface, 0, 2000, 10, NULL), body[1] = embed(copy, 0, 2000, 10, NULL);
    assert_int_equal(body[0]->node_count, body[1]->node_count);
    assert_memory_equal(body[0]->position, body[1]->position, 3 * (size_t)body[0]->node_count * sizeof(double));
    assert_memory_equal(body[0]->tet, body[1]->tet, 4 * (size_t)body[0]->tet_count * sizeof(int32_t));
    for (int i = 0; i < 2; ++i) sn_mesh_destroy(body[i]);
    sn_mesh_destroy(surface), sn_mesh_destroy(copy);
    sn_context_destroy(other);
}

/* ---- Options ---- */

static void expect_failure(const sn_mesh *surface, const sn_embed_options *options, const char *path,
                           const char *words) {
    sn_mesh *body = NULL;
    sn_error error = {0};
    assert_int_equal(sn_embed_surface(surface, options, &body, NULL, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
    if (!strstr(error.text, words)) fail_msg("'%s' lacks '%s'", error.text, words);
    assert_null(body);
}

static void test_options(void **state) {
    (void)state;
    sn_mesh *surface = octopus(), *empty;
    const sn_embed_options usual = sn_embed_options_default();
    sn_embed_options o = usual;
    assert_true(o.fit == 10 && o.relax == 0.1 && o.cell == 0 && o.elements == 0);
    expect_failure(surface, &o, "cell", "neither cell nor elements");
    o.cell = 0.1, o.elements = 100;
    expect_failure(surface, &o, "elements", "both");
    o = usual, o.cell = 1e-6;
    expect_failure(surface, &o, "cell", "larger cell");
    o = usual, o.cell = 0.2, o.relax = 0;
    expect_failure(surface, &o, "relax", "relax is 0");
    o = usual, o.cell = -1;
    expect_failure(surface, &o, "cell", "cell is -1");
    o = usual, o.cell = 0.2, o.cookie = 0;
    expect_failure(surface, &o, "", "sn_embed_options");
    o = usual, o.cell = 0.2;
    assert_int_equal(sn_mesh_create(context, 3, 0, 4, 0, &empty, NULL), SN_OK);
    expect_failure(empty, &o, "", "no triangles");
    sn_mesh_destroy(empty);
    assert_int_equal(sn_mesh_create(context, 3, 0, 4, 1, &empty, NULL), SN_OK); /* all in one point */
    expect_failure(empty, &o, "", "no extent");
    empty->position[3] = NAN;
    expect_failure(empty, &o, "", "finite");
    sn_mesh_destroy(empty), sn_mesh_destroy(surface);
}

/* About so many tets; and for a wish that no cell gives, what could be had. */
static void test_elements(void **state) {
    (void)state;
    sn_mesh *surface[2] = {octopus(), shell("box", 1, 0, 1)};
    for (int s = 0; s < 2; ++s) {
        for (int wish = 500; wish <= 8000; wish *= 4) {
            sn_embed_report report;
            sn_mesh *body = embed(surface[s], 0, wish, 0, &report);
            assert_in_range(report.tets, 0.75 * wish, 1.25 * wish);
            sn_mesh_destroy(body);
        }
    }
    int refused = 0;
    for (int wish = 1; wish < 20; ++wish) {
        sn_embed_options options = sn_embed_options_default();
        sn_embed_report report;
        sn_mesh *body = NULL;
        sn_error error = {0};
        options.elements = wish;
        if (sn_embed_surface(surface[1], &options, &body, &report, &error)) {
            assert_string_equal(error.path, "elements");
            assert_non_null(strstr(error.text, "the nearest body"));
            ++refused;
        } else {
            assert_in_range(report.tets, 0.5 * wish, 1.5 * wish);
        }
        sn_mesh_destroy(body);
    }
    assert_in_range(refused, 1, 18);
    for (int s = 0; s < 2; ++s) sn_mesh_destroy(surface[s]);
}

/* ---- Scenes ---- */

static sn_status parse(const char *text, sn_scene **scene, sn_error *error) {
    return sn_scene_parse(context, text, strlen(text), "s.json", "", NULL, 0, scene, error);
}

static void test_scene(void **state) {
    (void)state;
    sn_scene *scene;
    sn_world *world;
    sn_error error = {0};
    const char *text = "{\"bodies\": [{\"mesh\": {\"embed\": {\"surface\": {\"torus\": {}}, \"cell\": "
                       "0.2, \"fit\": 2}, \"scale\": 2, \"move\": [1, 0, 0]}, \"embedding\": \"mls\"}]}";
    if (parse(text, &scene, &error)) fail_msg("%s", error.text);
    assert_non_null(sn_scene_surface(scene, 0));
    assert_null(sn_scene_surface(scene, 1));
    assert_int_equal(sn_scene_create_world(scene, &world, &error), SN_OK);
    const sn_embedding *e = sn_world_body_surface(world, 0);
    assert_true(e->farthest == 0); /* the surface was scaled and moved with the tets */
    assert_true(e->carrier_first[e->vertex_count] > 4 * e->vertex_count);
    assert_int_equal(sn_world_step(world, NULL, &error), SN_OK);
    sn_world_destroy(world), sn_scene_destroy(scene);
    static const char *const bad[][2] = {
        {"{\"bodies\": [{\"mesh\": {\"embed\": {\"cell\": 0.1}}}]}", "surface"},
        {"{\"bodies\": [{\"mesh\": {\"octopus\": {\"triangles\": 500}}}]}", "embed"},
        {"{\"bodies\": [{\"mesh\": {\"embed\": {\"surface\": {\"torus\": {}}, \"cel\": 3}}}]}", "cell"},
        {"{\"bodies\": [{\"mesh\": {\"embed\": {\"surface\": \"none.obj\", \"cell\": 3}}}]}", "none.obj"},
        {"{\"bodies\": [{\"mesh\": {\"embed\": {\"surface\": {\"torus\": {}}}}}]}", "neither"},
        {"{\"bodies\": [{\"surface\": {\"octopus\": {\"triangles\": 500}}, \"mesh\": {\"embed\": {\"surface\": "
         "{\"torus\": {}}, \"cell\": 1}}}]}",
         "its own surface"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_not_equal(parse(bad[i][0], &scene, &error), SN_OK);
        if (!strstr(error.text, bad[i][1])) fail_msg("'%s' lacks '%s'", error.text, bad[i][1]);
    }
    if (parse("{\"bodies\": [{\"mesh\": {\"box\": {}}, \"embedding\": \"mls\"}]}", &scene, &error))
        fail_msg("%s", error.text);
    assert_int_equal(sn_scene_create_world(scene, &world, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "embedding"));
    sn_scene_destroy(scene);
}

/* ---- Memory: every allocation fails once ---- */
static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    sn_mesh *mesh = NULL;
    sn_embed_options options = sn_embed_options_default();
    options.elements = 200, options.fit = 1;
    assert_int_equal(
        sn_mesh_generate(own, "octopus", (const sn_generator_value[]){{"triangles", 1, {500}}}, 1, &mesh, NULL), SN_OK);
    const int64_t before = failing.live;
    bool done = false;
    for (int n = 1; !done && n < 400; ++n) {
        sn_mesh *body = NULL;
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_embed_surface(mesh, &options, &body, NULL, NULL);
        failing_allocator_disarm(&failing);
        done = status == SN_OK;
        if (!done) assert_int_equal(status, SN_NO_MEMORY);
        sn_mesh_destroy(body);
        assert_int_equal(failing.live, before);
    }
    assert_true(done);
    sn_mesh_destroy(mesh);
    sn_context_destroy(own);
    assert_int_equal(failing.live, 0);
}

static int set_up(void **state) {
    (void)state;
    if (sn_context_create(NULL, &context, NULL)) return 1;
    original = generate("octopus", &triangles, 1);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    sn_mesh_destroy(original);
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounding), cmocka_unit_test(test_inside),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_winding),  cmocka_unit_test(test_broken),  cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_options), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_scene),    cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
