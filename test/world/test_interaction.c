/* Interactions: the conformance of each kind in the table (energy, force, blocks and rate agree), those of a caller,
 * and edits between steps. */
#include "scene.h"

/* ---- Conformance ---- */

/* A bar that moves and is deformed, with all kinds of interactions. */
static void busy_world(scene *s, sn_link *link, sn_selector *rigid) {
    static const double key[8] = {0, 0, 0, 0, 10, 1, 2, 0};
    static sn_tether tether;
    scene_start(s, NULL, 0.3, 0.1, 0.1, 6, 2, 2);
    set_constant(&s->material, "young", 1e5);
    clamp_left(s);
    s->load[0].select = normal_selector(1, 0, 0);
    s->load[0].value[1] = -200;
    s->load[0].ramp = (sn_ramp){.begin = 0, .end = 1, .given = true};
    s->body.load_count = 1;
    s->collider[0] = sn_collider_plane((double[3]){0, -0.001, 0}, (double[3]){0, 1, 0});
    s->options.collider_count = 1;
    *link = sn_link_default();
    const double at[3] = {0.2, 0.05, 0.05};
    memcpy(link->point, at, sizeof at), memcpy(link->to, at, sizeof at);
    s->body.link = link, s->body.link_count = 1;
    tether = sn_tether_default();
    memcpy(tether.point, (double[3]){0.12, 0.03, 0.04}, sizeof tether.point);
    memcpy(tether.to, (double[3]){0.2, 0.1, 0}, sizeof tether.to);
    tether.key = key, tether.key_count = 2;
    tether.stiffness = 300, tether.damping = 5;
    s->body.tether = &tether, s->body.tether_count = 1;
    *rigid = box_selector(0.24, -1, -1, 0.26, 1, 1);
    s->body.rigid = rigid, s->body.rigid_count = 1;
    s->body.initial.velocity[0] = 0.1;
    static const double gust[] = {0, 0, 0, 0, 1, 3, 1, 0.5};
    s->body.wind = (sn_wind){.density = 1000, .drag = 0.7, .lift = 0.4, .key = gust, .key_count = 2};
    scene_create(s);
    const double weight[4] = {0.5, 0.5, 0, 0}, target[3] = {0.4, 0.3, 0};
    const int32_t node[4] = {s->mesh->tet[60], s->mesh->tet[61], 0, 0}; /* of one element: all blocks have a place */
    assert_int_equal(sn_world_grab(s->world, 7, 0, node, weight, target, 100, 3, &s->error), SN_OK);
    double force[3 * 200] = {0};
    force[3 * 30 + 2] = 0.5;
    assert_int_equal(sn_world_set_forces(s->world, 0, force, &s->error), SN_OK);
    step(s, 4);
}

/* What each kind must meet; a kind that is not listed fails the test. 0: nothing to compare. */
typedef struct limit {
    const char *name;
    double energy, stiffness, damping, rate;
} limit;

static const limit limits[] = {
    {"fixes", 0, 0, 0, 0},
    {"cores", 0, 0, 0, 0},
    {"balance", 0, 0, 0, 0},
    {"gravity", 1e-6, 0, 0, 0},
    {"loads", 1e-6, 1e-6, 0, 1e-5},
    {"wind", 0, 1e-6, 1e-6, 1e-5},
    {"gas", 0, 0, 0, 0}, /* of closed cloth: test/cloth/test_gas.c */
    {"penalty", 1e-6, 1e-6, 1e-6, 0},
    {"projection", 0, 0, 0, 0},
    {"contact", 0, 0, 0, 0},
    {"contact-penalty", 0, 0, 0, 0},
    {"contact-area", 0, 0, 0, 0},
    {"contact-exact", 0, 0, 0, 0},
    {"grabs", 1e-6, 1e-6, 1e-6, 0},
    {"links", 0, 0, 0, 0},
    {"forces", 1e-6, 0, 0, 0},
    {"tethers", 1e-6, 1e-6, 1e-6, 1e-5},
    {"tools", 0, 0, 0, 0}, /* nobody moves one here: test_tool.c */
};

static void test_kinds_agree(void **state) {
    (void)state;
    sn_link link;
    sn_selector rigid;
    scene s;
    busy_world(&s, &link, &rigid);
    int kinds;
    const sn_listing *kind = sn_interactions(&kinds);
    for (int k = 0; k < kinds; ++k) {
        const limit *own = NULL;
        for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
            if (strcmp(limits[i].name, kind[k].name) == 0) own = &limits[i];
        if (!own) print_message("the kind '%s' is not tried\n", kind[k].name);
        assert_non_null(own);
        sn_interaction_errors errors;
        assert_int_equal(sn_world_check_interaction(s.world, kind[k].name, &errors, &s.error), SN_OK);
        print_message("%-10s energy %.1e stiffness %.1e damping %.1e rate %.1e\n", kind[k].name, errors.energy,
                      errors.stiffness, errors.damping, errors.rate);
        assert_true(errors.energy <= own->energy);
        assert_true(errors.stiffness <= own->stiffness);
        assert_true(errors.damping <= own->damping);
        assert_true(errors.rate <= own->rate);
    }
    scene_end(&s);
}

/* ---- Supplied by the caller ---- */

/* A spring with a damper from one node to a place: what a grab does. */
typedef struct tether {
    int node, calls;
    double target[3], stiffness, damping;
    double wrong; /* factor of the blocks: 1 is right */
} tether;

static void pull(void *user, const sn_interaction_place *place, double *force) {
    tether *t = user;
    ++t->calls;
    for (int a = 0; a < 3; ++a) {
        const int at = 3 * t->node + a;
        force[at] += t->stiffness * (t->target[a] - place->x[at]) - (place->v ? t->damping * place->v[at] : 0);
    }
}

static double stretch(void *user, const sn_interaction_place *place) {
    const tether *t = user;
    double energy = 0;
    for (int a = 0; a < 3; ++a) {
        const double d = place->x[3 * t->node + a] - t->target[a];
        energy += 0.5 * t->stiffness * d * d;
    }
    return energy;
}

static void stiffen(void *user, const sn_interaction_place *place, sn_block *stiffness, int *stiffness_count,
                    sn_block *damping, int *damping_count) {
    const tether *t = user;
    (void)place;
    *stiffness_count = *damping_count = 1;
    stiffness[0] = (sn_block){.row = t->node, .column = t->node};
    damping[0] = stiffness[0];
    for (int a = 0; a < 3; ++a)
        stiffness[0].value[4 * a] = t->wrong * t->stiffness, damping[0].value[4 * a] = t->wrong * t->damping;
}

static void count_step(void *user, const sn_interaction_place *place, bool accepted, double *number) {
    (void)user, (void)place;
    if (accepted) number[0] += 1;
}

static void make_bar(scene *s) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    set_constant(&s->material, "young", 1e5);
    clamp_left(s);
    scene_create(s);
}

static sn_interaction_table tether_table(void) {
    sn_interaction_table table = sn_interaction_table_default();
    snprintf(table.name, sizeof table.name, "tether");
    table.number_count = 1, table.block_count = 1;
    table.force = pull, table.energy = stretch, table.blocks = stiffen, table.end = count_step;
    return table;
}

static void test_callers_interaction_is_a_grab(void **state) {
    (void)state;
    scene s, g;
    make_bar(&s), make_bar(&g);
    const int32_t node[4] = {15, 0, 0, 0};
    const double weight[4] = {1, 0, 0, 0}, target[3] = {0.3, 0.3, 0.1};
    tether t = {
        .node = sn_world_node(s.world, 0, 15), .target = {0.3, 0.3, 0.1}, .stiffness = 300, .damping = 5, .wrong = 1};
    const sn_interaction_table table = tether_table();
    int id = -1;
    assert_int_equal(sn_world_add_interaction(s.world, &table, &t, &id, &s.error), SN_OK);
    assert_int_equal(sn_world_grab(g.world, 0, 0, node, weight, target, 300, 5, &g.error), SN_OK);
    step(&s, 20), step(&g, 20);
    double x[48], y[48];
    sn_world_get(s.world, 0, x, NULL), sn_world_get(g.world, 0, y, NULL);
    for (int i = 0; i < 48; ++i) assert_near(x[i], y[i], 1e-9);
    assert_true(t.calls >= 40);

    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s.world, "tether", &errors, &s.error), SN_OK);
    assert_true(errors.energy < 1e-6 && errors.stiffness < 1e-6 && errors.damping < 1e-6);
    t.wrong = 1.1;
    assert_int_equal(sn_world_check_interaction(s.world, "tether", &errors, &s.error), SN_OK);
    assert_near(errors.stiffness, 0.1 / 1.1, 1e-4);
    t.wrong = 1;

    /* Its number counts the steps, and is saved. */
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
    char before[17], after[17], again[17];
    step(&s, 5);
    sn_world_hash(s.world, after);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_OK);
    sn_world_hash(s.world, before);
    step(&s, 5);
    sn_world_hash(s.world, again);
    assert_string_equal(after, again);
    assert_string_not_equal(before, again);

    /* Without it the state is another one: the saved bytes do not fit. */
    assert_int_equal(sn_world_remove_interaction(s.world, id, &s.error), SN_OK);
    assert_int_equal(sn_world_remove_interaction(s.world, id, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_BAD_INPUT);
    const int calls = t.calls;
    step(&s, 2);
    assert_int_equal(t.calls, calls);
    free(bytes);
    scene_end(&s), scene_end(&g);
}

/* ---- Two nodes that share no element ---- */
typedef struct rope {
    int node[2];
    double stiffness;
    bool couples; /* gives the blocks between the two nodes */
} rope;

static void pull_together(void *user, const sn_interaction_place *place, double *force) {
    const rope *r = user;
    for (int a = 0; a < 3; ++a) {
        const double f = r->stiffness * (place->x[3 * r->node[1] + a] - place->x[3 * r->node[0] + a]);
        force[3 * r->node[0] + a] += f, force[3 * r->node[1] + a] -= f;
    }
}

static void couple(void *user, const sn_interaction_place *place, sn_block *stiffness, int *stiffness_count,
                   sn_block *damping, int *damping_count) {
    const rope *r = user;
    (void)place, (void)damping, (void)damping_count;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            if (i != j && !r->couples) continue;
            sn_block *block = &stiffness[(*stiffness_count)++];
            *block = (sn_block){.row = r->node[i], .column = r->node[j]};
            for (int a = 0; a < 3; ++a) block->value[4 * a] = i == j ? r->stiffness : -r->stiffness;
        }
}

static int iterations_of_rope(bool couples) {
    scene s;
    make_bar(&s);
    rope r = {
        .node = {sn_world_node(s.world, 0, 1), sn_world_node(s.world, 0, 15)}, .stiffness = 2e4, .couples = couples};
    sn_interaction_table table = sn_interaction_table_default();
    snprintf(table.name, sizeof table.name, "rope");
    table.block_count = 4, table.force = pull_together, table.blocks = couple;
    assert_int_equal(sn_world_add_interaction(s.world, &table, &r, NULL, &s.error), SN_OK);
    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s.world, "rope", &errors, &s.error), SN_OK);
    assert_true(couples ? errors.stiffness < 1e-6 : errors.stiffness > 0.1);
    int iterations = 0;
    for (int i = 0; i < 10; ++i) {
        sn_step_report report;
        if (sn_world_step(s.world, &report, &s.error)) fail_msg("%s", s.error.text);
        iterations += report.newton_iterations;
    }
    scene_end(&s);
    return iterations;
}

static void test_blocks_of_distant_nodes(void **state) {
    (void)state;
    const int with = iterations_of_rope(true), without = iterations_of_rope(false);
    print_message("%d iterations with the blocks between the nodes, %d without\n", with, without);
    assert_true(2 * with < without);
}

static void test_bad_tables(void **state) {
    (void)state;
    scene s;
    make_bar(&s);
    tether t = {0};
    sn_interaction_table table = tether_table();
    table.cookie = 0;
    assert_int_equal(sn_world_add_interaction(s.world, &table, &t, NULL, &s.error), SN_BAD_INPUT);
    table = tether_table();
    snprintf(table.name, sizeof table.name, "loads");
    assert_int_equal(sn_world_add_interaction(s.world, &table, &t, NULL, &s.error), SN_BAD_INPUT);
    assert_string_equal(s.error.path, "name");
    table = tether_table(), table.force = NULL;
    assert_int_equal(sn_world_add_interaction(s.world, &table, &t, NULL, &s.error), SN_BAD_INPUT);
    table = tether_table(), table.block_count = -1;
    assert_int_equal(sn_world_add_interaction(s.world, &table, &t, NULL, &s.error), SN_BAD_INPUT);
    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s.world, "tether", &errors, &s.error), SN_NOT_FOUND);
    assert_int_equal(sn_world_node(s.world, 0, 16), -1);
    assert_int_equal(sn_world_node(s.world, 1, 0), -1);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_agree), cmocka_unit_test(test_callers_interaction_is_a_grab),
        cmocka_unit_test(test_blocks_of_distant_nodes), cmocka_unit_test(test_bad_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
