/* Cloth that touches: bodies, other cloth and itself, with the response "exact", and colliders. A brute-force test of
 * all pairs of triangles (intersections.h) looks at each frame. */
#include "failing_allocator.h"
#include "skin_stage.h"

static void start_in(stage *s, sn_context *context) {
    memset(&s->skin, 0, sizeof s->skin);
    stage_start(&s->stage, context, "exact");
    s->stage.options.contact.self = true;
    snprintf(s->stage.options.time.newton.kind, sizeof s->stage.options.time.newton.kind, "one-step");
}

static void start(stage *s, int threads) { start_in(s, context_of(threads)); }

/* Adds a level sheet about (x, y, z). */
static sn_body_options *sheet(stage *s, double size, int cells, double x, double y, double z) {
    const sn_generator_value value[2] = {{"size", 2, {size, size}}, {"cells", 2, {cells, cells}}};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(s->stage.context, "grid", value, 2, &mesh, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i)
        mesh->position[3 * i] += x, mesh->position[3 * i + 1] += y, mesh->position[3 * i + 2] += z;
    return add_cloth(s, mesh);
}

/* Adds a ball or a ring of tets. */
static void shape(stage *s, const char *kind, double radius, double minor, int cells, double y) {
    const bool ring = strcmp(kind, "torus") == 0;
    const sn_generator_value value[3] = {
        {"radius", 1, {radius}}, {"cells", ring ? 2 : 1, {cells, 1}}, {"minor", 1, {minor}}};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(s->stage.context, kind, value, ring ? 3 : 2, &mesh, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) mesh->position[3 * i + 1] += y;
    stage_add(&s->stage, mesh);
}

/* The smallest distance of a vertex from a triangle of another body, in parts of what they keep: half the thickness of
 * each cloth. */
static double nearest(const skin *s) {
    double least = INFINITY;
    for (int i = 0; i < 3 * s->count; ++i)
        for (int j = 0; j < s->count; ++j) {
            const int a = s->owner[i / 3], b = s->owner[j];
            const double kept = 0.5 * THICK * (!s->solid[a] + !s->solid[b]), *t[3];
            if (a == b || kept == 0) continue;
            for (int c = 0; c < 3; ++c) t[c] = s->position + 3 * s->corner[3 * j + c];
            least = fmin(least, sqrt(square_from_triangle(s->position + 3 * s->corner[i], t)) / kept);
        }
    return least;
}

/* Takes steps. No frame may have an intersection, or cloth nearer to another body than its thickness. Unless
 * something drives the bodies, they never have more energy than at the start. Returns the largest number of contacts.
 */
static int go(stage *s, int steps, bool driven) {
    int most = 0;
    const double energy = stage_energy(&s->stage);
    for (int i = 0; i < steps; ++i) {
        step_stage(&s->stage, 1);
        assert_int_equal(count_intersections(&s->skin, s->stage.world, true), 0);
        assert_true(nearest(&s->skin) > 1);
        const double now = stage_energy(&s->stage);
        if (!driven) assert_true(now <= energy + 1e-9 * fabs(energy));
        const int count = sn_world_contacts(s->stage.world, NULL, 0);
        if (count > most) most = count;
    }
    return most;
}

/* The mean place of the nodes of a body. The world gives a rigid body nodes of its own. */
static double mean(stage *s, int body, int axis) {
    const int first = s->skin.first[body], count = s->skin.first[body + 1] - first;
    double sum = 0;
    skin_move(&s->skin, s->stage.world);
    for (int i = first; i < first + count; ++i) sum += s->skin.position[3 * i + axis];
    return sum / count;
}

/* ---- Starts ---- */

static void test_responses_that_need_an_inside(void **state) {
    (void)state;
    static const char *const response[] = {"area", "penalty", ""};
    for (int i = 0; i < 3; ++i) {
        stage s;
        start(&s, 1);
        sheet(&s, 0.2, 2, 0, 0.1, 0);
        stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){0.05, 0.05, 0.05}, (int[3]){1, 1, 1});
        stage_box(&s.stage, (double[3]){0.2, 0, 0}, (double[3]){0.05, 0.05, 0.05}, (int[3]){1, 1, 1});
        sn_contact_options *contact = &s.stage.options.contact;
        snprintf(contact->response, sizeof contact->response, "%s", response[i]);
        sn_error *error = &s.stage.error;
        assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, error), SN_UNSUPPORTED);
        assert_non_null(strstr(error->text, "'body0' is cloth; take 'exact'"));
        assert_string_equal(error->path, "contact.response");
        contact->self = false; /* cloth that touches no body is no trouble */
        contact->pair = &(sn_contact_pair){{"body1", "body2"}}, contact->pair_count = 1;
        create(&s);
        step_stage(&s.stage, 1);
        finish(&s);
    }
}

static void refuse(stage *s, const char *names) {
    sn_error *error = &s->stage.error;
    assert_int_equal(sn_world_create(s->stage.context, &s->stage.options, &s->stage.world, error), SN_BAD_INPUT);
    assert_non_null(strstr(error->text, names));
    assert_string_equal(error->path, "contact.response");
    finish(s);
}

static void test_tangled_starts_are_refused(void **state) {
    (void)state;
    stage s;
    start(&s, 1);
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){0.05, 0.05, 0.05}, (int[3]){1, 1, 1});
    sheet(&s, 0.2, 3, 0.01, 0.02, 0);
    refuse(&s, "'body0' and 'body1'");

    start(&s, 1);
    sheet(&s, 0.2, 3, 0, 0, 0);
    sheet(&s, 0.2, 3, 0.01, 0.9 * THICK, 0);
    refuse(&s, "'body0' and 'body1'");

    start(&s, 1); /* a sheet that goes through itself */
    sn_initial *initial = &sheet(&s, 0.2, 6, 0, 0, 0)->initial;
    initial->scrambled = true, initial->scramble = 3;
    refuse(&s, "'body0' and 'body0'");
}

/* ---- No intersections ---- */

/* A sheet falls on a soft ball that lies on a floor. */
static void ball(stage *s) {
    stage_box(&s->stage, (double[3]){-0.3, -0.05, -0.3}, (double[3]){0.6, 0.05, 0.6}, (int[3]){3, 1, 3});
    stage_hold(&s->stage, stage_all());
    shape(s, "sphere", 0.08, 0, 3, 0.083);
    sheet(s, 0.36, 14, 0.01, 0.17, 0.005);
    s->stage.options.contact.friction = 0.3;
}

static void test_sheet_on_a_ball(void **state) {
    (void)state;
    stage s;
    start(&s, 1);
    ball(&s);
    create(&s);
    const double before = mean(&s, 2, 1);
    assert_true(go(&s, 40, false) > 20);
    assert_true(mean(&s, 2, 1) < before - 0.03);
    assert_true(mean(&s, 1, 1) > 0.06);
    finish(&s);
}

/* The middle of a sheet is pulled down through a ring. */
static void test_sheet_through_a_ring(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.5, 0, -0.2, 0};
    stage s;
    start(&s, 1);
    shape(&s, "torus", 0.07, 0.02, 12, 0);
    stage_hold(&s.stage, stage_all());
    sheet(&s, 0.3, 12, 0, 0.025, 0);
    stage_hold(&s.stage, stage_within(-0.02, 0, -0.02, 0.02, 0.1, 0.02));
    s.stage.fix[1].key = key, s.stage.fix[1].key_count = 2;
    s.stage.options.contact.friction = 0.1;
    create(&s);
    assert_true(go(&s, 50, true) > 20);
    assert_true(mean(&s, 1, 1) < -0.02); /* half of it is through */
    finish(&s);
}

/* Ten sheets fall on each other and on a floor. They rest at their thickness from each other. */
static void test_stack(void **state) {
    (void)state;
    enum { SHEETS = 10 };
    stage s;
    start(&s, 1);
    s.stage.options.contact.self = false;
    stage_box(&s.stage, (double[3]){-0.1, -0.02, -0.1}, (double[3]){0.2, 0.02, 0.2}, (int[3]){2, 1, 2});
    stage_hold(&s.stage, stage_all());
    for (int i = 0; i < SHEETS; ++i) sheet(&s, 0.1, 4, 0.003 * i, 0.004 + 0.005 * i, -0.002 * i);
    create(&s);
    assert_true(go(&s, 40, false) > 100);
    for (int i = 1; i < SHEETS; ++i) {
        const double apart = mean(&s, 1 + i, 1) - mean(&s, i, 1);
        assert_true(apart > 0.999 * THICK && apart < 1.9 * THICK);
    }
    finish(&s);
}

/* A ball falls into a hammock: a soft one, and a rigid one. */
static void test_hammock(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; ++rigid) {
        stage s;
        start(&s, 1);
        shape(&s, "sphere", 0.05, 0, 2, 0.06);
        s.stage.body[0].rigid_body = rigid;
        s.stage.material[0].density = 300;
        sheet(&s, 0.3, 12, 0, 0, 0);
        sn_fix fix[2] = {sn_fix_default(), sn_fix_default()};
        for (int i = 0; i < 2; ++i) {
            fix[i].select = (sn_selector){.kind = SN_SELECT_GROUP};
            strcpy(fix[i].select.group, i ? "x+" : "x-");
        }
        s.stage.body[1].fix = fix, s.stage.body[1].fix_count = 2;
        create(&s);
        assert_true(go(&s, 40, false) > 10);
        assert_true(mean(&s, 0, 1) > mean(&s, 1, 1) && mean(&s, 0, 1) < 0.06);
        finish(&s);
    }
}

/* ---- Colliders ---- */

/* A sheet rests on a plane, half its thickness above it. */
static void test_colliders_keep_the_thickness(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        stage s;
        start(&s, 1);
        s.stage.options.contact.use = false;
        sheet(&s, 0.1, 4, 0, 0.5 * THICK + 0.001, 0);
        sn_collider plane = sn_collider_default();
        snprintf(plane.response, sizeof plane.response, "%s", k ? "projection" : "penalty");
        plane.friction = 0.5;
        s.stage.options.collider = &plane, s.stage.options.collider_count = 1;
        create(&s);
        step_stage(&s.stage, 60);
        double *x = stage_places(&s.stage, 0);
        for (int i = 0; i < s.stage.mesh[0]->node_count; ++i)
            assert_true(fabs(x[3 * i + 1] - 0.5 * THICK) < (k ? 1e-9 : 1e-3 * 0.15));
        free(x);
        finish(&s);
    }
}

/* A sheet on a slope of tan 0.5: with friction 0.6 it stays, with 0.4 it slides with g (sin a - mu cos a). On colliders
 * and on a held box. */
static void test_friction(void **state) {
    (void)state;
    enum { STEPS = 40 };
    static const char *const response[] = {"penalty", "projection"};
    const double sine = sqrt(0.2), cosine = 2 * sine, t = 0.01 * STEPS;
    for (int k = 0; k < 6; ++k) {
        const double mu = k % 2 ? 0.4 : 0.6, g = 9.81;
        stage s;
        start(&s, 1);
        sn_collider plane = sn_collider_default();
        sheet(&s, 0.1, 4, -0.1, 0.5 * THICK + 2e-5, 0);
        if (k < 4) {
            s.stage.options.contact.use = false;
            snprintf(plane.response, sizeof plane.response, "%s", response[k / 2]);
            plane.friction = mu;
            s.stage.options.collider = &plane, s.stage.options.collider_count = 1;
        } else {
            s.stage.options.contact.friction = mu;
            stage_box(&s.stage, (double[3]){-0.3, -0.1, -0.1}, (double[3]){0.6, 0.1, 0.2}, (int[3]){3, 1, 1});
            stage_hold(&s.stage, stage_all());
        }
        s.stage.options.gravity[0] = g * sine, s.stage.options.gravity[1] = -g * cosine;
        s.stage.material[0].rayleigh[0] = 0;     /* no drag by the air */
        s.stage.options.time.newton.kind[0] = 0; /* the default: "one-step" starts to slide late */
        create(&s);
        const double before = mean(&s, 0, 0);
        step_stage(&s.stage, STEPS);
        const double way = mean(&s, 0, 0) - before;
        const double slides = 0.5 * g * (sine - mu * cosine) * t * (t + 0.01); /* by steps of implicit Euler */
        if (k % 2)
            assert_true(fabs(way - slides) < 0.03 * slides);
        else
            assert_true(fabs(way) < 2e-4);
        finish(&s);
    }
}

/* ---- The same bits, no allocations ---- */

static void test_same_bits(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 4};
    char hash[4][17];
    for (int i = 0; i < 3; ++i) {
        stage s, other;
        start(&s, threads[i]);
        ball(&s);
        create(&s);
        step_stage(&s.stage, 12);
        if (i == 0) {
            const size_t size = sn_world_state_size(s.stage.world);
            char *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(s.stage.world, bytes, size, &s.stage.error), SN_OK);
            start(&other, 2);
            ball(&other);
            create(&other);
            assert_int_equal(sn_world_restore_state(other.stage.world, bytes, size, &other.stage.error), SN_OK);
            step_stage(&other.stage, 12);
            sn_world_hash(other.stage.world, hash[3]);
            finish(&other);
            free(bytes);
        }
        step_stage(&s.stage, 12);
        sn_world_hash(s.stage.world, hash[i]);
        finish(&s);
    }
    for (int i = 1; i < 4; ++i) assert_string_equal(hash[i], hash[0]);
}

/* A motion that has been made once needs no more memory when it is made again. */
static void test_no_allocation(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    stage s;
    start_in(&s, failing_allocator_context(&failing));
    ball(&s);
    create(&s);
    const size_t size = sn_world_state_size(s.stage.world);
    char *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.stage.world, bytes, size, &s.stage.error), SN_OK);
    step_stage(&s.stage, 20);
    assert_int_equal(sn_world_restore_state(s.stage.world, bytes, size, &s.stage.error), SN_OK);
    step_stage(&s.stage, 1);
    const int64_t requests = failing.requests;
    step_stage(&s.stage, 19);
    assert_int_equal(failing.requests, requests);
    free(bytes);
    finish(&s);
    assert_int_equal(failing.live, 0);
}

/* Memory runs out at each place of the creation, and of steps with contacts: an error, and no leak. */
static void test_out_of_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    stage s;
    start_in(&s, failing_allocator_context(&failing));
    stage_box(&s.stage, (double[3]){-0.1, -0.1, -0.1}, (double[3]){0.2, 0.1, 0.2}, (int[3]){1, 1, 1});
    stage_hold(&s.stage, stage_all());
    sheet(&s, 0.1, 2, 0, 0.5 * THICK + 0.001, 0);
    const int64_t live = failing.live;
    int n = 0;
    for (bool made = false; !made; ++n) {
        failing_allocator_arm(&failing, n + 1);
        const sn_status status = sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, NULL);
        made = status == SN_OK;
        for (int i = 0; i < 4 && made; ++i) made = sn_world_step(s.stage.world, NULL, NULL) == SN_OK;
        failing_allocator_disarm(&failing);
        if (made) continue;
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        if (status == SN_OK) sn_world_destroy(s.stage.world);
        s.stage.world = NULL;
        assert_int_equal(failing.live, live);
    }
    assert_true(n > 100);
    s.skin = skin_make(s.stage.world);
    finish(&s);
    assert_int_equal(failing.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_responses_that_need_an_inside),
        cmocka_unit_test(test_tangled_starts_are_refused),
        cmocka_unit_test(test_sheet_on_a_ball),
        cmocka_unit_test(test_sheet_through_a_ring),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_hammock),
        cmocka_unit_test(test_colliders_keep_the_thickness),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
