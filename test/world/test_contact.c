/* Bodies that touch each other: weight, friction, momentum, energy, and the same bits. Every response of the table
 * below passes every test that its row promises. */
#include "failing_allocator.h"
#include "scene.h"

enum { BODIES = 3 };

/* A world of boxes. */
typedef struct boxes {
    sn_context *context;
    sn_mesh *mesh[BODIES];
    sn_material material;
    sn_body_options body[BODIES];
    sn_fix fix;
    sn_world_options options;
    sn_world *world;
    sn_error error;
} boxes;

static void boxes_start_in(boxes *s, sn_context *context, const char *response) {
    memset(s, 0, sizeof *s);
    s->context = context;
    s->material = sn_material_default();
    set_constant(&s->material, "young", 1e5);
    s->fix = sn_fix_default();
    s->options = sn_world_options_default();
    s->options.body = s->body;
    s->options.contact.use = true;
    s->options.contact.friction = 0.5;
    snprintf(s->options.contact.response, sizeof s->options.contact.response, "%s", response);
}

static void boxes_start(boxes *s, const char *response, int threads) {
    sn_context_options o = sn_context_options_default();
    sn_context *context = NULL;
    o.threads = threads;
    assert_int_equal(sn_context_create(&o, &context, NULL), SN_OK);
    boxes_start_in(s, context, response);
}

/* Adds a box of the given size with its lowest corner at x, y, z. */
static sn_body_options *add_box(boxes *s, double x, double y, double z, double wide, double high, int cells) {
    const int at = s->options.body_count++;
    sn_mesh *mesh = s->mesh[at] = box_mesh(s->context, wide, high, wide, cells, cells, cells, 5);
    for (int i = 0; i < mesh->node_count; ++i)
        mesh->position[3 * i] += x, mesh->position[3 * i + 1] += y, mesh->position[3 * i + 2] += z;
    sn_body_options *body = &s->body[at];
    *body = sn_body_options_default();
    snprintf(body->name, sizeof body->name, "box%d", at);
    body->mesh = mesh;
    body->material = &s->material;
    body->material_count = 1;
    return body;
}

static void hold(boxes *s, sn_body_options *body) {
    body->fix = &s->fix;
    body->fix_count = 1;
}

static void boxes_create(boxes *s) {
    if (sn_world_create(s->context, &s->options, &s->world, &s->error)) print_message("%s\n", s->error.text);
    assert_non_null(s->world);
}

static void boxes_end(boxes *s) {
    sn_world_destroy(s->world);
    for (int i = 0; i < BODIES; ++i) sn_mesh_destroy(s->mesh[i]);
    sn_context_destroy(s->context);
}

static void boxes_step(boxes *s, int steps) {
    for (int i = 0; i < steps; ++i) {
        const sn_status status = sn_world_step(s->world, NULL, &s->error);
        if (status) print_message("step %d: %s\n", i, s->error.text);
        assert_int_equal(status, SN_OK);
    }
}

static void mean_place(const boxes *s, int body, double out[3]) {
    const int nodes = s->mesh[body]->node_count;
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    assert_int_equal(sn_world_get(s->world, body, x, NULL), SN_OK);
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < 3 * nodes; ++i) out[i % 3] += x[i] / nodes;
    free(x);
}

/* The whole contact force on a body. */
static void force_on(const boxes *s, int body, double sum[3]) {
    const int nodes = s->mesh[body]->node_count;
    double *f = malloc(3 * (size_t)nodes * sizeof *f);
    assert_int_equal(sn_world_contact_forces(s->world, body, f), SN_OK);
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < 3 * nodes; ++i) sum[i % 3] += f[i];
    free(f);
}

/* ---- Rest ---- */

/* A block on a held block: the lower one carries its weight. */
static void test_weight(void **state) {
    const char *response = *state;
    boxes s;
    boxes_start(&s, response, 1);
    s.material.rayleigh[0] = 5;
    hold(&s, add_box(&s, -0.1, -0.1, -0.1, 0.4, 0.1, 3));
    add_box(&s, 0, 0.0005, 0, 0.2, 0.2, 3);
    boxes_create(&s);
    boxes_step(&s, 200);
    double up[3], down[3];
    force_on(&s, 1, up);
    force_on(&s, 0, down);
    print_message("%s: the weight is %.4f N, the contact carries %.4f N\n", response, 8 * 9.81, up[1]);
    assert_near(up[1], 8 * 9.81, 0.005 * 8 * 9.81);
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
    boxes_end(&s);
}

/* A box of tets carries a smaller, finer box as its detailed surface: this one touches. */
static void test_surface(void **state) {
    const char *response = *state;
    for (int smooth = 0; smooth < 2; ++smooth) {
        boxes s;
        boxes_start(&s, response, 1);
        s.material.rayleigh[0] = 5;
        hold(&s, add_box(&s, -0.1, -0.1, -0.1, 0.4, 0.1, 3));
        sn_body_options *body = add_box(&s, -0.02, -0.019, -0.02, 0.24, 0.24, 2);
        sn_mesh *detail = box_mesh(s.context, 0.2, 0.2, 0.2, 5, 5, 5, 5);
        for (int i = 0; i < detail->node_count; ++i) detail->position[3 * i + 1] += 0.001;
        body->surface = detail;
        strcpy(body->embedding, smooth ? "mls" : "barycentric");
        boxes_create(&s);
        sn_mesh_destroy(detail);
        boxes_step(&s, 150);
        double up[3], place[3];
        force_on(&s, 1, up);
        mean_place(&s, 1, place);
        const double weight = 9.81 * 1000 * 0.24 * 0.24 * 0.24;
        print_message("%s, %s surface: %.4f of %.4f N, the middle is at %.4f m\n", response,
                      smooth ? "smooth" : "barycentric", up[1], weight, place[1]);
        assert_near(up[1], weight, 0.005 * weight);
        assert_true(place[1] > 0.09 && place[1] < 0.101); /* the tets themselves are 2 cm in the lower box */
        boxes_end(&s);
    }
}

/* ---- Friction ---- */

/* How far a block goes in a second and a half on a slope of tan 0.5. `soft`: the slope is a soft block as well. */
static double slide(const char *response, double friction, bool soft) {
    boxes s;
    boxes_start(&s, response, 1);
    s.material.rayleigh[0] = 2;
    set_constant(&s.material, "young", soft ? 1e5 : 1e6);
    s.options.contact.friction = friction;
    s.options.gravity[0] = 9.81 * sqrt(0.2), s.options.gravity[1] = -9.81 * sqrt(0.8);
    hold(&s, add_box(&s, 0, -0.1, 0, 0.6, 0.1, 4));
    if (soft) s.fix.select = box_selector(-1, -0.11, -1, 1, -0.09, 1);
    add_box(&s, 0.1, 0, 0.2, 0.15, 0.1, 2);
    boxes_create(&s);
    double before[3], after[3];
    boxes_step(&s, 50);
    mean_place(&s, 1, before);
    boxes_step(&s, 150);
    mean_place(&s, 1, after);
    boxes_end(&s);
    return after[0] - before[0];
}

static void test_slope(void **state) {
    const char *response = *state;
    for (int soft = 0; soft < 2; ++soft) {
        const double slips = slide(response, 0.49, soft), stays = slide(response, 0.51, soft);
        print_message("%s, %s: %.4f m at friction 0.49, %.6f m at 0.51\n", response, soft ? "soft" : "stiff", slips,
                      stays);
        assert_true(slips > 0.03);
        assert_true(fabs(stays) < 0.002);
    }
}

/* ---- Momentum and energy ---- */

/* Two free boxes that meet off-centre, with spin and friction. */
static void collide(boxes *s, const char *response, double friction) {
    boxes_start(s, response, 1);
    s->options.gravity[1] = 0;
    s->options.contact.friction = friction;
    s->options.time.newton.tolerance = 1e-13;
    s->options.solver.tolerance = 1e-12;
    s->options.time.step = 0.005;
    sn_body_options *left = add_box(s, 0, 0, 0, 0.2, 0.2, 2);
    left->initial.velocity[0] = 1;
    left->initial.spin[2] = 1;
    sn_body_options *right = add_box(s, 0.22, 0.07, 0.05, 0.2, 0.2, 2);
    right->initial.velocity[0] = -1;
    boxes_create(s);
}

static void test_momentum(void **state) {
    const char *response = *state;
    boxes s;
    collide(&s, response, 0.5);
    double p0[3], l0[3], p[3], l[3], most = 0, turned = 0, size = 0;
    int touched = 0;
    sn_world_momentum(s.world, p0, l0);
    for (int i = 0; i < 40; ++i) {
        boxes_step(&s, 1);
        touched += sn_world_contacts(s.world, NULL, 0) > 0;
        sn_world_momentum(s.world, p, l);
        for (int k = 0; k < 3; ++k) most = fmax(most, fabs(p[k] - p0[k])), turned = fmax(turned, fabs(l[k] - l0[k]));
    }
    for (int k = 0; k < 3; ++k) size = fmax(size, fabs(l0[k]));
    print_message("%s: momentum changes by %.1e of 8 kg m/s, angular by %.1e of %.3f; %d steps with contact\n",
                  response, most, turned, fabs(l0[2]), touched);
    assert_true(touched > 3);
    assert_true(most < 1e-10 * 8);
    assert_true(turned < 1e-8 * size);
    boxes_end(&s);
}

/* Two boxes are 5 mm apart before a step that brings them 10 mm nearer: they are met before they intersect. */
static void test_ahead(void **state) {
    (void)state;
    boxes s;
    boxes_start(&s, "area", 1);
    s.options.gravity[1] = 0;
    s.options.time.step = 0.005;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 2)->initial.velocity[0] = 1;
    add_box(&s, 0.215, 0.07, 0.05, 0.2, 0.2, 2)->initial.velocity[0] = -1;
    boxes_create(&s);
    double deepest = 0;
    for (int i = 0; i < 4 && deepest == 0; ++i) {
        sn_contact contact[200];
        boxes_step(&s, 1);
        const int count = sn_world_contacts(s.world, contact, 200);
        for (int k = 0; k < count && k < 200; ++k) deepest = fmax(deepest, -contact[k].gap);
    }
    print_message("area: boxes that meet by 10 mm in a step are %.2f mm deep at first\n", 1e3 * deepest);
    assert_true(deepest > 0 && deepest < 2.5e-3);
    boxes_end(&s);
}

/* Puts a body to its rest shape, moved and with a velocity and a spin about z. */
static void throw_body(boxes *s, int body, const double move[3], const double velocity[3], double spin) {
    const sn_mesh *mesh = s->mesh[body];
    double *x = malloc(6 * (size_t)mesh->node_count * sizeof *x), *v = x + 3 * mesh->node_count, centre[3] = {0};
    for (int i = 0; i < 3 * mesh->node_count; ++i) centre[i % 3] += mesh->position[i] / mesh->node_count;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *at = mesh->position + 3 * i;
        for (int k = 0; k < 3; ++k) x[3 * i + k] = at[k] + move[k], v[3 * i + k] = velocity[k];
        v[3 * i] -= spin * (at[1] - centre[1]), v[3 * i + 1] += spin * (at[0] - centre[0]);
    }
    assert_int_equal(sn_world_put(s->world, body, x, v, &s->error), SN_OK);
    free(x);
}

/* A hundred impacts of two free boxes from all sides: the energy never exceeds that of the step before the contact. */
static void test_energy(void **state) {
    const char *response = *state;
    boxes s;
    boxes_start(&s, response, 1);
    s.options.gravity[1] = 0;
    add_box(&s, 0, 0, 0, 0.1, 0.1, 1);
    add_box(&s, 0, 0, 0, 0.1, 0.1, 2);
    boxes_create(&s);
    double worst = -1, kept = 0;
    int impacts = 0;
    uint32_t seed = 1;
    for (int trial = 0; trial < 100; ++trial) {
        double way[3], random[5];
        for (int k = 0; k < 5; ++k) seed = seed * 1664525u + 1013904223u, random[k] = seed / 2147483648.0 - 1;
        const double size = sqrt(random[0] * random[0] + random[1] * random[1] + random[2] * random[2]);
        double velocity[3], still[3] = {0};
        for (int k = 0; k < 3; ++k) way[k] = 0.19 * random[k] / size, velocity[k] = -1.5 * random[k] / size;
        throw_body(&s, 0, still, still, 5 * random[3]);
        throw_body(&s, 1, way, velocity, 5 * random[4]);
        sn_energies start, now;
        assert_int_equal(sn_world_energies(s.world, &start, NULL), SN_OK);
        bool touched = false;
        for (int i = 0; i < 15; ++i) {
            boxes_step(&s, 1);
            touched = touched || sn_world_contacts(s.world, NULL, 0) > 0;
            assert_int_equal(sn_world_energies(s.world, &now, NULL), SN_OK);
            if (!touched) start = now;
            worst = fmax(worst, now.total / start.total - 1);
        }
        impacts += touched;
        kept += now.total / start.total / 100;
    }
    print_message("%s: %d impacts, the largest change of energy in a run is %+.2e, %.0f %% are left\n", response,
                  impacts, worst, 100 * kept);
    assert_true(impacts >= 90);
    assert_true(worst <= 1e-9);
    boxes_end(&s);
}

/* ---- Rough treatment ---- */

/* Two boxes that start half inside each other part within a second, and end slowly. */
static void test_deep(void **state) {
    boxes s;
    boxes_start(&s, *state, 1);
    s.options.gravity[1] = 0;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 3);
    add_box(&s, 0.1, 0.03, 0.02, 0.2, 0.2, 3);
    boxes_create(&s);
    boxes_step(&s, 1);
    double gap = 0;
    sn_contact contact[2000];
    int count = sn_world_contacts(s.world, contact, 2000);
    assert_true(count > 0 && count <= 2000);
    for (int i = 0; i < count; ++i) gap = fmin(gap, contact[i].gap);
    assert_true(gap < -0.05);
    boxes_step(&s, 99);
    double left[3], right[3];
    mean_place(&s, 0, left);
    mean_place(&s, 1, right);
    sn_energies e;
    assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
    print_message("%s: %.4f m deep at the start, the centres are %.4f m apart after a second, %.3f J left\n",
                  (const char *)*state, -gap, right[0] - left[0], e.total);
    assert_true(right[0] - left[0] > 0.2);
    assert_true(e.total < 0.5);
    boxes_end(&s);
}

/* A box at 20 m/s does not pass through another one. */
static void test_fast(void **state) {
    boxes s;
    boxes_start(&s, *state, 1);
    s.options.gravity[1] = 0;
    add_box(&s, 0, 0, 0, 0.2, 0.2, 3);
    sn_body_options *fast = add_box(&s, 0.5, 0.01, 0.02, 0.2, 0.2, 3);
    fast->initial.velocity[0] = -20;
    boxes_create(&s);
    boxes_step(&s, 20);
    double hit[3], flew[3], p[3], l[3];
    mean_place(&s, 0, hit);
    mean_place(&s, 1, flew);
    sn_world_momentum(s.world, p, l);
    print_message("%s: the boxes are at %.3f and %.3f m after 0.2 s\n", (const char *)*state, hit[0], flew[0]);
    assert_true(flew[0] > hit[0] + 0.05);
    assert_near(p[0], -160, 1e-3);
    boxes_end(&s);
}

/* ---- The same bits ---- */

static void pile(boxes *s, const char *response, int threads) {
    boxes_start(s, response, threads);
    hold(s, add_box(s, -0.1, -0.1, -0.1, 0.4, 0.1, 2));
    add_box(s, 0, 0.005, 0, 0.2, 0.2, 3);
    add_box(s, 0.05, 0.21, 0.03, 0.15, 0.15, 2);
    boxes_create(s);
}

static void test_threads(void **state) {
    char first[17], hash[17];
    for (int threads = 1; threads <= 4; threads *= 2) {
        boxes s;
        pile(&s, *state, threads);
        boxes_step(&s, 20);
        assert_true(sn_world_contacts(s.world, NULL, 0) > 0);
        sn_world_hash(s.world, threads == 1 ? first : hash);
        if (threads > 1) assert_string_equal(hash, first);
        boxes_end(&s);
    }
}

static void test_saved(void **state) {
    boxes s, t;
    char hash[17], other[17];
    pile(&s, *state, 1);
    boxes_step(&s, 15);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
    boxes_step(&s, 10);
    pile(&t, *state, 2);
    if (sn_world_restore_state(t.world, bytes, size, &t.error)) print_message("%s\n", t.error.text);
    boxes_step(&t, 10);
    sn_world_hash(s.world, hash);
    sn_world_hash(t.world, other);
    assert_string_equal(hash, other);
    const int events = sn_world_contact_events(s.world, NULL, 0);
    assert_int_equal(sn_world_contact_events(t.world, NULL, 0), events);
    free(bytes);
    boxes_end(&s);
    boxes_end(&t);
}

/* ---- Memory ---- */

/* A box that has come to rest on another one: its steps allocate nothing. */
static void test_quiet(void **state) {
    failing_allocator f = failing_allocator_make();
    boxes s;
    boxes_start_in(&s, failing_allocator_context(&f), *state);
    s.material.rayleigh[0] = 20;
    hold(&s, add_box(&s, -0.1, -0.1, -0.1, 0.4, 0.1, 2));
    add_box(&s, 0, 0.0005, 0, 0.2, 0.2, 2);
    boxes_create(&s);
    boxes_step(&s, 120);
    assert_true(sn_world_contacts(s.world, NULL, 0) > 0);
    const int64_t before = f.requests;
    boxes_step(&s, 30);
    assert_int_equal(f.requests, before);
    boxes_end(&s);
    assert_int_equal(f.live, 0);
}

/* Every request for memory fails once, in the creation of a world and in its steps with contact. */
static void test_no_memory(void **state) {
    failing_allocator f = failing_allocator_make();
    boxes s;
    boxes_start_in(&s, failing_allocator_context(&f), *state);
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
    boxes_end(&s);
}

/* ---- Looking ---- */

static void test_events(void **state) {
    boxes s;
    boxes_start(&s, *state, 1);
    hold(&s, add_box(&s, -0.1, -0.1, -0.1, 0.4, 0.1, 2));
    add_box(&s, 0, 0.02, 0, 0.2, 0.2, 2);
    boxes_create(&s);
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
    boxes_step(&s, 40);
    double place[3];
    mean_place(&s, 1, place);
    assert_true(place[1] < -0.2);
    assert_int_equal(sn_world_contacts(s.world, NULL, 0), 0);
    boxes_end(&s);
}

/* ---- Derivatives ---- */

static void test_penalty_derivatives(void **state) {
    (void)state;
    boxes s;
    collide(&s, "penalty", 0.5);
    do boxes_step(&s, 1);
    while (sn_world_contacts(s.world, NULL, 0) == 0);
    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s.world, "contact-penalty", &errors, &s.error), SN_OK);
    print_message("penalty: energy %.1e stiffness %.1e damping %.1e\n", errors.energy, errors.stiffness,
                  errors.damping);
    assert_true(errors.energy > 0 && errors.energy < 1e-6);
    assert_true(errors.stiffness > 0 && errors.stiffness < 1e-6);
    assert_true(errors.damping > 0 && errors.damping < 1e-6);
    boxes_end(&s);
}

/* ---- Errors ---- */

static void refused(boxes *s, const char *path, const char *part) {
    sn_world *world = NULL;
    assert_int_not_equal(sn_world_create(s->context, &s->options, &world, &s->error), SN_OK);
    assert_null(world);
    assert_string_equal(s->error.path, path);
    if (!strstr(s->error.text, part)) print_message("%s\n", s->error.text);
    assert_non_null(strstr(s->error.text, part));
}

static void test_errors(void **state) {
    (void)state;
    boxes s;
    boxes_start(&s, "penalty", 1);
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
    const sn_contact_pair pair[2] = {{{"box0", "box1"}}, {{"box0", "bax"}}};
    s.options.contact.pair = pair, s.options.contact.pair_count = 2;
    refused(&s, "contact.between.1.1", "no body 'bax'");
    s.options.contact.pair_count = 1;
    s.options.contact.cookie = 0;
    refused(&s, "contact", "sn_contact_options_default");
    s.options.contact = sn_contact_options_default();
    s.options.contact.use = true;
    strcpy(s.options.contact.response, "penalty");
    boxes_create(&s);
    s.options.contact.friction = NAN;
    assert_int_equal(sn_world_set_contact(s.world, &s.options.contact, &s.error), SN_BAD_INPUT);
    assert_near(sn_world_contact_options(s.world).friction, 0.3, 0);
    boxes_end(&s);
}

#define EACH(test, response)                                                                                           \
    { #test " " response, test, NULL, NULL, (void *)(uintptr_t)response }

int main(void) {
    const struct CMUnitTest tests[] = {
        EACH(test_surface, "penalty"),  EACH(test_surface, "area"),      EACH(test_weight, "penalty"),
        EACH(test_weight, "area"),      EACH(test_slope, "penalty"),     EACH(test_slope, "area"),
        EACH(test_momentum, "penalty"), EACH(test_momentum, "area"),     EACH(test_energy, "penalty"),
        EACH(test_energy, "area"),      EACH(test_deep, "area"),         EACH(test_fast, "area"),
        EACH(test_threads, "penalty"),  EACH(test_threads, "area"),      EACH(test_saved, "penalty"),
        EACH(test_saved, "area"),       EACH(test_events, "penalty"),    EACH(test_quiet, "penalty"),
        EACH(test_quiet, "area"),       EACH(test_no_memory, "penalty"), EACH(test_no_memory, "area"),
        EACH(test_events, "area"),      cmocka_unit_test(test_ahead),    cmocka_unit_test(test_penalty_derivatives),
        EACH(test_weight, "exact"),     EACH(test_fast, "exact"),        EACH(test_threads, "exact"),
        EACH(test_saved, "exact"),      EACH(test_events, "exact"),      cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
