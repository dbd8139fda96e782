/* Bodies that touch each other: the list of contacts, the same bits, memory, errors. Every response of the table below
 * passes every test that its row promises. The experiment contact-physics has the physics. */
#include "failing_allocator.h"
#include "stage.h"

/* Adds a box of the given size with its lowest corner at x, y, z. */
static sn_body_options *add_box(contact_stage *s, double x, double y, double z, double wide, double high, int cells) {
    return stage_box(s, (double[3]){x, y, z}, (double[3]){wide, high, wide}, (int[3]){cells, cells, cells});
}

/* A held block on which things lie: its top is at y = 0. */
static void add_ground(contact_stage *s, int cells) {
    add_box(s, -0.1, -0.1, -0.1, 0.4, 0.1, cells);
    stage_hold(s, stage_all());
}

/* ---- Rest ---- */

/* A block on a held block: the list of contacts has the force that its nodes get. */
static void test_list(void **state) {
    const char *response = *state;
    contact_stage s;
    open_stage(&s, response, 1);
    s.material[1].rayleigh[0] = 5;
    add_ground(&s, 3);
    add_box(&s, 0, 0.0005, 0, 0.2, 0.2, 3);
    create_stage(&s);
    step_stage(&s, 200);
    double up[3], down[3];
    stage_force(&s, 1, up);
    stage_force(&s, 0, down);
    assert_near(down[1], -up[1], 1e-9);
    /* The list has the same force, and its normals point from the lower to the upper block. */
    const int count = sn_world_contacts(s.world, NULL, 0);
    assert_true(count > 0);
    sn_contact *contact = malloc((size_t)count * sizeof *contact);
    assert_int_equal(sn_world_contacts(s.world, contact, count), count);
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        const double sign = contact[i].body[0] == 1 ? 1 : -1;
        sum += sign * contact[i].force[1];
        assert_true(sign * contact[i].normal[1] > 0.99);
    }
    assert_near(sum, up[1], 1e-9);
    free(contact);
    close_stage(&s);
}

/* A box of tets carries a smaller, finer box as its detailed surface: this one touches. */
static void test_surface(void **state) {
    const char *response = *state;
    for (int smooth = 0; smooth < 2; ++smooth) {
        contact_stage s;
        open_stage(&s, response, 1);
        s.material[1].rayleigh[0] = 5;
        add_ground(&s, 3);
        sn_body_options *body = add_box(&s, -0.02, -0.019, -0.02, 0.24, 0.24, 2);
        sn_mesh *detail = box_mesh(s.context, 0.2, 0.2, 0.2, 5, 5, 5, 5);
        for (int i = 0; i < detail->node_count; ++i) detail->position[3 * i + 1] += 0.001;
        body->surface = detail;
        strcpy(body->embedding, smooth ? "mls" : "barycentric");
        create_stage(&s);
        sn_mesh_destroy(detail);
        step_stage(&s, 150);
        double up[3], place[3];
        stage_force(&s, 1, up);
        stage_middle(&s, 1, place);
        const double weight = 9.81 * 1000 * 0.24 * 0.24 * 0.24;
        print_message("%s, %s surface: %.4f of %.4f N, the middle is at %.4f m\n", response,
                      smooth ? "smooth" : "barycentric", up[1], weight, place[1]);
        assert_near(up[1], weight, 0.005 * weight);
        assert_true(place[1] > 0.09 && place[1] < 0.101); /* the tets themselves are 2 cm in the lower box */
        close_stage(&s);
    }
}

/* Two boxes are 5 mm apart before a step that brings them 10 mm nearer: they are met before they intersect. */
static void test_ahead(void **state) {
    (void)state;
    contact_stage s;
    open_stage(&s, "area", 1);
    s.options.gravity[1] = 0;
    s.options.time.step = 0.005;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 2)->initial.velocity[0] = 1;
    add_box(&s, 0.215, 0.07, 0.05, 0.2, 0.2, 2)->initial.velocity[0] = -1;
    create_stage(&s);
    double deepest = 0;
    for (int i = 0; i < 4 && deepest == 0; ++i) {
        sn_contact contact[200];
        step_stage(&s, 1);
        const int count = sn_world_contacts(s.world, contact, 200);
        for (int k = 0; k < count && k < 200; ++k) deepest = fmax(deepest, -contact[k].gap);
    }
    print_message("area: boxes that meet by 10 mm in a step are %.2f mm deep at first\n", 1e3 * deepest);
    assert_true(deepest > 0 && deepest < 2.5e-3);
    close_stage(&s);
}

/* The contacts of the last step; returns how many there are. */
static int list_of(const contact_stage *s, sn_contact contact[400]) {
    const int count = sn_world_contacts(s->world, contact, 400);
    assert_true(count > 0 && count <= 400);
    return count;
}

/* Two blocks fly together: their contacts keep the normals and areas that were found, move along, and measure their
 * gaps. When one of them is pushed away, the contacts end. */
static void test_kept(void **state) {
    (void)state;
    static sn_contact before[400], now[400];
    contact_stage s;
    open_stage(&s, "area", 1);
    s.options.gravity[1] = 0;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 2)->initial.velocity[0] = 1;
    add_box(&s, 0.01, 0.1995, 0.01, 0.18, 0.2, 2)->initial.velocity[0] = 1;
    create_stage(&s);
    step_stage(&s, 1);
    const int count = list_of(&s, before);
    step_stage(&s, 1);
    assert_int_equal(list_of(&s, now), count);
    bool moved = false;
    for (int i = 0; i < count; ++i) {
        assert_memory_equal(now[i].normal, before[i].normal, sizeof now[i].normal);
        assert_true(now[i].area == before[i].area);
        assert_near(now[i].point[0] - before[i].point[0], s.options.time.step, 1e-4);
        moved = moved || now[i].gap != before[i].gap;
    }
    assert_true(moved);
    double velocity[3 * 27];
    for (int i = 0; i < 27; ++i) velocity[3 * i] = 1, velocity[3 * i + 1] = 2, velocity[3 * i + 2] = 0;
    assert_int_equal(sn_world_put(s.world, 1, NULL, velocity, &s.error), SN_OK);
    step_stage(&s, 2);
    assert_int_equal(sn_world_contacts(s.world, NULL, 0), 0);
    close_stage(&s);
}

/* The far end of a block moves, but not what may touch: the contacts stay as they were found. */
static void test_kept_far(void **state) {
    (void)state;
    static sn_contact before[400], now[400];
    double place[3 * 27], velocity[3 * 27];
    contact_stage s;
    open_stage(&s, "area", 1);
    s.options.time.step = 0.001;
    s.options.gravity[1] = 0;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 2);
    add_box(&s, 0.01, 0.1995, 0.01, 0.18, 0.2, 2);
    create_stage(&s);
    step_stage(&s, 1);
    sn_world_get(s.world, 1, place, velocity);
    for (int i = 0; i < 27; ++i)
        if (place[3 * i + 1] > 0.35) velocity[3 * i] += 4;
    assert_int_equal(sn_world_put(s.world, 1, NULL, velocity, &s.error), SN_OK);
    step_stage(&s, 1);
    const int count = list_of(&s, before); /* putting a state finds them anew */
    sn_world_get(s.world, 1, place, velocity);
    double fastest = 0;
    for (int i = 0; i < 27; ++i) fastest = fmax(fastest, fabs(velocity[3 * i]));
    assert_true(fastest * s.options.time.step > 0.01 * 0.18);
    step_stage(&s, 1);
    const int left = list_of(&s, now); /* without those that no longer push */
    for (int i = 0; i < left; ++i) {
        bool known = false;
        for (int j = 0; j < count; ++j)
            known = known || (now[i].area == before[j].area &&
                              memcmp(now[i].normal, before[j].normal, sizeof now[i].normal) == 0);
        assert_true(known);
    }
    close_stage(&s);
}

/* Two free blocks slide over each other slowly: kept contacts keep the momenta. */
static void test_kept_momentum(void **state) {
    (void)state;
    contact_stage s;
    double p0[3], l0[3], p[3], l[3];
    open_stage(&s, "area", 1);
    s.options.gravity[1] = 0;
    s.options.contact.friction = 0.1;
    s.options.time.newton.tolerance = 1e-13;
    s.options.solver.tolerance = 1e-12;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 2)->initial.velocity[1] = 0.02;
    add_box(&s, 0.03, 0.1995, 0.02, 0.2, 0.2, 2)->initial.velocity[0] = 0.02;
    create_stage(&s);
    sn_world_momentum(s.world, p0, l0);
    for (int i = 0; i < 4; ++i) {
        step_stage(&s, 1);
        assert_true(sn_world_contacts(s.world, NULL, 0) > 0);
        sn_world_momentum(s.world, p, l);
        for (int k = 0; k < 3; ++k) {
            assert_near(p[k], p0[k], 1e-10 * 0.16);
            assert_near(l[k], l0[k], 1e-8 * 0.016);
        }
    }
    close_stage(&s);
}

/* ---- The same bits ---- */

static void pile(contact_stage *s, const char *response, int threads) {
    open_stage(s, response, threads);
    add_ground(s, 2);
    add_box(s, 0, 0.005, 0, 0.2, 0.2, 3);
    add_box(s, 0.05, 0.21, 0.03, 0.15, 0.15, 2);
    create_stage(s);
}

static void test_threads(void **state) {
    char first[17], hash[17];
    for (int threads = 1; threads <= 4; threads *= 2) {
        contact_stage s;
        pile(&s, *state, threads);
        step_stage(&s, 20);
        assert_true(sn_world_contacts(s.world, NULL, 0) > 0);
        sn_world_hash(s.world, threads == 1 ? first : hash);
        if (threads > 1) assert_string_equal(hash, first);
        close_stage(&s);
    }
}

static void save_after(const char *response, int steps) {
    contact_stage s, t;
    char hash[17], other[17];
    pile(&s, response, 1);
    step_stage(&s, steps);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
    step_stage(&s, 10);
    pile(&t, response, 2);
    if (sn_world_restore_state(t.world, bytes, size, &t.error)) print_message("%s\n", t.error.text);
    step_stage(&t, 10);
    sn_world_hash(s.world, hash);
    sn_world_hash(t.world, other);
    assert_string_equal(hash, other);
    const int events = sn_world_contact_events(s.world, NULL, 0);
    assert_int_equal(sn_world_contact_events(t.world, NULL, 0), events);
    free(bytes);
    close_stage(&s);
    close_stage(&t);
}

/* In motion, and at rest: there "area" keeps the rows of earlier steps. */
static void test_saved(void **state) {
    save_after(*state, 15);
    for (int steps = 60; steps < 63 && strcmp(*state, "area") == 0; ++steps) save_after(*state, steps);
}

/* ---- Memory ---- */

/* A box that has come to rest on another one: its steps allocate nothing. */
static void test_quiet(void **state) {
    failing_allocator f = failing_allocator_make();
    contact_stage s;
    stage_start(&s, failing_allocator_context(&f), *state);
    s.material[1].rayleigh[0] = 20;
    add_ground(&s, 2);
    add_box(&s, 0, 0.0005, 0, 0.2, 0.2, 2);
    create_stage(&s);
    step_stage(&s, 120);
    assert_true(sn_world_contacts(s.world, NULL, 0) > 0);
    const int64_t before = f.requests;
    step_stage(&s, 30);
    assert_int_equal(f.requests, before);
    close_stage(&s);
    assert_int_equal(f.live, 0);
}

/* A tube that may touch itself, and does not: the other side of its own wall is no contact. */
static void test_own_wall(void **state) {
    contact_stage s;
    open_stage(&s, *state, 1);
    const sn_generator_value value[] = {{"cells", 3, {12, 1, 6}}};
    sn_mesh *tube = NULL;
    assert_int_equal(sn_mesh_generate(s.context, "tube", value, 1, &tube, NULL), SN_OK);
    stage_add(&s, tube);
    s.options.contact.self = true;
    for (int k = 0; k < 3; ++k) s.options.gravity[k] = 0;
    create_stage(&s);
    step_stage(&s, 3);
    assert_int_equal(sn_world_contacts(s.world, NULL, 0), 0);
    close_stage(&s);
}

/* Every request for memory fails once, in the creation of a world and in its steps with contact. */
static void test_no_memory(void **state) {
    failing_allocator f = failing_allocator_make();
    contact_stage s;
    stage_start(&s, failing_allocator_context(&f), *state);
    add_box(&s, 0, 0, 0, 0.2, 0.2, 1);
    add_box(&s, 0.05, 0.19, 0.02, 0.2, 0.2, 1);
    const int64_t live = f.live;
    bool done = false;
    int tried = 0;
    for (; tried < 5000 && !done; ++tried) {
        sn_world *world = NULL;
        failing_allocator_arm(&f, tried + 1);
        sn_status status = sn_world_create(s.context, &s.options, &world, &s.error);
        for (int i = 0; i < 2 && !status; ++i) status = sn_world_step(world, NULL, &s.error);
        done = !f.failed;
        failing_allocator_disarm(&f);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        if (world) sn_world_contacts(world, NULL, 0);
        sn_world_destroy(world);
        assert_int_equal(f.live, live);
    }
    print_message("%s: %d requests failed\n", (const char *)*state, tried - 1);
    assert_true(done && tried > 100);
    close_stage(&s);
}

/* ---- Looking ---- */

static void test_events(void **state) {
    contact_stage s;
    open_stage(&s, *state, 1);
    add_ground(&s, 2);
    add_box(&s, 0, 0.02, 0, 0.2, 0.2, 2);
    create_stage(&s);
    sn_contact_event event;
    sn_step_report report;
    int began = 0;
    for (int i = 0; i < 30; ++i) {
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_int_equal(report.body_contacts, sn_world_contacts(s.world, NULL, 0));
        if (sn_world_contact_events(s.world, &event, 1) == 0) continue;
        if (!began) assert_true(event.began && event.body[0] == 0 && event.body[1] == 1);
        began += event.began;
    }
    assert_true(began > 0);
    /* Without contact the box falls through. */
    sn_contact_options none = sn_contact_options_default();
    assert_int_equal(sn_world_set_contact(s.world, &none, &s.error), SN_OK);
    step_stage(&s, 40);
    double place[3];
    stage_middle(&s, 1, place);
    assert_true(place[1] < -0.2);
    assert_int_equal(sn_world_contacts(s.world, NULL, 0), 0);
    close_stage(&s);
}

/* ---- Derivatives ---- */

static void test_penalty_derivatives(void **state) {
    (void)state;
    contact_stage s;
    open_stage(&s, "penalty", 1);
    s.options.contact.friction = 0.5;
    stage_cube(&s, 0, 0, 0, 0.2, 2)->initial.spin[2] = 1;
    stage_cube(&s, 0.22, 0.07, 0.05, 0.2, 2)->initial.velocity[0] = -2;
    create_stage(&s);
    do step_stage(&s, 1);
    while (sn_world_contacts(s.world, NULL, 0) == 0);
    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s.world, "contact-penalty", &errors, &s.error), SN_OK);
    print_message("penalty: energy %.1e stiffness %.1e damping %.1e\n", errors.energy, errors.stiffness,
                  errors.damping);
    assert_true(errors.energy > 0 && errors.energy < 1e-6);
    assert_true(errors.stiffness > 0 && errors.stiffness < 1e-6);
    assert_true(errors.damping > 0 && errors.damping < 1e-6);
    close_stage(&s);
}

/* ---- Errors ---- */

static void refused(contact_stage *s, const char *path, const char *part) {
    sn_world *world = NULL;
    assert_int_not_equal(sn_world_create(s->context, &s->options, &world, &s->error), SN_OK);
    assert_null(world);
    assert_string_equal(s->error.path, path);
    if (!strstr(s->error.text, part)) print_message("%s\n", s->error.text);
    assert_non_null(strstr(s->error.text, part));
}

static void test_errors(void **state) {
    (void)state;
    contact_stage s;
    open_stage(&s, "penalty", 1);
    add_box(&s, 0, 0, 0, 0.2, 0.2, 1);
    add_box(&s, 0.3, 0, 0, 0.2, 0.2, 1);
    s.options.contact.friction = -1;
    refused(&s, "contact.friction", "-1");
    s.options.contact.friction = 0.5;
    s.options.contact.relaxation = 0.5;
    refused(&s, "contact.relaxation", "has no effect with response 'penalty'");
    s.options.contact = sn_contact_options_default();
    s.options.contact.use = true;
    strcpy(s.options.contact.response, "area");
    s.options.contact.thickness = 0.01;
    refused(&s, "contact.thickness", "has no effect with response 'area'");
    s.options.contact.thickness = 0;
    strcpy(s.options.contact.response, "exakt");
    refused(&s, "contact.response", "exakt");
    strcpy(s.options.contact.response, "penalty");
    const sn_contact_pair pair[2] = {{{"body0", "body1"}}, {{"body0", "bax"}}};
    s.options.contact.pair = pair, s.options.contact.pair_count = 2;
    refused(&s, "contact.between.1.1", "no body 'bax'");
    s.options.contact.pair_count = 1;
    s.options.contact.cookie = 0;
    refused(&s, "contact", "sn_contact_options_default");
    s.options.contact = sn_contact_options_default();
    s.options.contact.use = true;
    strcpy(s.options.contact.response, "penalty");
    create_stage(&s);
    s.options.contact.friction = NAN;
    assert_int_equal(sn_world_set_contact(s.world, &s.options.contact, &s.error), SN_BAD_INPUT);
    assert_near(sn_world_contact_options(s.world).friction, 0.3, 0);
    close_stage(&s);
}

#define EACH(test, response)                                                                                           \
    { #test " " response, test, NULL, NULL, (void *)(uintptr_t)response }

int main(void) {
    const struct CMUnitTest tests[] = {
        EACH(test_surface, "penalty"), EACH(test_surface, "area"),      EACH(test_list, "penalty"),
        EACH(test_list, "area"),       EACH(test_threads, "penalty"),   EACH(test_threads, "area"),
        EACH(test_saved, "penalty"),   EACH(test_saved, "area"),        EACH(test_events, "penalty"),
        EACH(test_quiet, "penalty"),   EACH(test_quiet, "area"),        EACH(test_own_wall, "penalty"),
        EACH(test_own_wall, "area"),   EACH(test_own_wall, "exact"),    EACH(test_no_memory, "penalty"),
        EACH(test_no_memory, "area"),  EACH(test_events, "area"),       cmocka_unit_test(test_penalty_derivatives),
        EACH(test_list, "exact"),      EACH(test_threads, "exact"),     EACH(test_saved, "exact"),
        EACH(test_events, "exact"),    cmocka_unit_test(test_ahead),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_kept),   cmocka_unit_test(test_kept_far), cmocka_unit_test(test_kept_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
