/* Every shape of the list: gap, normal and bend against differences, still, moved, turned and inside out; the way
 * through it; its drawing. A shape without a row in `trials` fails. */
#include "shape_trials.h"

static void test_all_are_tried(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_shapes(&count);
    for (int i = 0; i < count; ++i) {
        bool tried = false;
        for (int k = 0; k < TRIALS; ++k) tried = tried || strcmp(trials[k].shape, listing[i].name) == 0;
        if (!tried) print_message("the shape '%s' has no trial\n", listing[i].name), fail();
        assert_true(strlen(listing[i].text) > 4);
        int parameters;
        const sn_shape_parameter *p = sn_shape_parameters(listing[i].name, &parameters);
        assert_true(parameters > 0 && parameters <= SN_COLLIDER_VALUES);
        for (int k = 0; k < parameters; ++k)
            assert_true(p[k].count >= 1 && p[k].count <= 4 && strlen(p[k].name) < 16 && strlen(p[k].text) > 3);
    }
}

/* ---- Gap, n and bend ---- */

/* False where n jumps or the bend does, near x. */
static bool smooth_at(const sn_collider_model *c, const sn_pose *pose, const double x[3], double h) {
    double n[3], m[3], y[3];
    sn_bend a, b;
    sn_collider_gap(c, pose, x, INFINITY, n, &a);
    for (int i = 0; i < 6; ++i) {
        memcpy(y, x, sizeof y);
        y[i / 2] += i % 2 ? h : -h;
        sn_collider_gap(c, pose, y, INFINITY, m, &b);
        if (distance3(n, m) > 40 * h || fabs(a.curvature - b.curvature) > 0.05 * fabs(a.curvature) + 1e-9) return false;
    }
    return true;
}

static void check_point(const sn_collider_model *c, const sn_pose *pose, const double x[3]) {
    const double h = 1e-6;
    double n[3], m[2][3], y[3];
    sn_bend bend;
    const double gap = sn_collider_gap(c, pose, x, INFINITY, n, &bend);
    for (int j = 0; j < 3; ++j) {
        double side[2];
        for (int s = 0; s < 2; ++s) {
            memcpy(y, x, sizeof y);
            y[j] += s ? h : -h;
            side[s] = sn_collider_gap(c, pose, y, INFINITY, m[s], NULL);
        }
        close_to(n[j], (side[1] - side[0]) / (2 * h), 1e-7);
        for (int i = 0; i < 3; ++i) {
            const double H = bend.curvature != 0 ? bend.curvature * bend.across[3 * i + j] : 0;
            close_to(H, (m[1][i] - m[0][i]) / (2 * h), 1e-5);
        }
    }
    /* The foot is on the surface. (From within a solid with a thickness, a concave edge may be a little nearer.) */
    const sn_shape_parameter *thick = sn_shape_parameter_find(c->shape, "thickness");
    if (thick && *sn_collider_get(&c->options, "thickness") > 0 && (gap < 0) != c->options.inside) return;
    for (int a = 0; a < 3; ++a) y[a] = x[a] - gap * n[a];
    close_to(sn_collider_gap(c, pose, y, INFINITY, m[0], NULL), 0, 1e-9);
}

static void test_gap(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k)
        for (int kind = 0; kind < 8; ++kind) {
            if ((kind & 2 && !trials[k].hollow) || (kind & 4 && !(kind & 1))) continue;
            sn_collider_model c;
            sn_pose pose;
            build(&trials[k], kind, &c);
            sn_collider_at(&c, 1.3, &pose);
            unsigned seed = 7;
            int inside = 0, outside = 0, rough = 0, bent = 0;
            for (int i = 0; i < 600; ++i) {
                double x[3], n[3];
                sn_bend bend;
                for (int a = 0; a < 3; ++a) x[a] = 1.6 * unit_noise(&seed);
                const double gap = sn_collider_gap(&c, &pose, x, INFINITY, n, &bend);
                assert_true(isfinite(gap) && isfinite(bend.curvature));
                close_to(sn_norm3(n), 1, 1e-12);
                inside += gap<0, outside += gap> 0, bent += bend.curvature != 0;
                if (fabs(bend.curvature) > 30 || !smooth_at(&c, &pose, x, 1e-4)) {
                    ++rough;
                    continue;
                }
                check_point(&c, &pose, x);
            }
            if (!(inside > 3 && outside > 3 && rough < 60)) {
                print_message("%s, trial %d, kind %d: %d inside, %d outside, %d rough\n", trials[k].shape, k, kind,
                              inside, outside, rough);
                fail();
            }
            assert_true(strcmp(trials[k].shape, "plane") == 0 || bent > 10);
            sn_collider_model_destroy(context, &c);
        }
}

/* Where n jumps, something finite comes back: the centre, and the places of all parameters. */
static void test_middle(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        sn_collider_model c;
        sn_pose pose;
        build(&trials[k], 0, &c);
        sn_collider_at(&c, 0, &pose);
        double x[3], n[3];
        for (int i = 0; i <= c.shape->parameter_count; ++i) {
            memcpy(x, c.centre, sizeof x);
            if (i < c.shape->parameter_count && c.shape->parameter[i].role == SN_ROLE_PLACE)
                memcpy(x, sn_collider_get(&c.options, c.shape->parameter[i].name), sizeof x);
            sn_bend bend;
            assert_true(isfinite(sn_collider_gap(&c, &pose, x, INFINITY, n, &bend)) && isfinite(bend.curvature));
            close_to(sn_norm3(n), 1, 1e-12);
        }
        sn_collider_model_destroy(context, &c);
    }
}

/* Known gaps. */
static void test_values(void **state) {
    (void)state;
    static const struct {
        int trial;
        double x[3], gap;
    } known[] = {
        {1, {0.1, 0.2, 0.8}, 0.3},        {1, {0.1, 0.2, -0.3}, -0.8},
        {3, {-0.5, 0.2, 0.7}, 0.3},       {4, {0.1, 0.2, -0.3}, -0.35},
        {4, {0.1 + 0.9, 0.2, -0.3}, 0.3}, {4, {0.1 + 0.9, 0.95, -0.3}, 0.5},
        {4, {0.1, 0.5, -0.3}, -0.05},     {8, {0, 1, 0}, 0.9},
        {8, {0, 0.05, 0}, -0.05},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        sn_collider_model c;
        sn_pose pose;
        double n[3];
        build(&trials[known[i].trial], 0, &c);
        sn_collider_at(&c, 0, &pose);
        close_to(sn_collider_gap(&c, &pose, known[i].x, INFINITY, n, NULL), known[i].gap, 1e-12);
        sn_collider_model_destroy(context, &c);
    }
}

/* Beyond `reach` the gap may be a lower bound above it, never less than that. */
static void test_reach(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        sn_collider_model c;
        sn_pose pose;
        build(&trials[k], 1, &c);
        sn_collider_at(&c, 0.7, &pose);
        unsigned seed = 3;
        for (int i = 0; i < 400; ++i) {
            double x[3], n[3];
            for (int a = 0; a < 3; ++a) x[a] = 4 * unit_noise(&seed);
            const double reach = 0.5 + 0.5 * unit_noise(&seed);
            const double gap = sn_collider_gap(&c, &pose, x, INFINITY, n, NULL),
                         near = sn_collider_gap(&c, &pose, x, reach, n, NULL);
            if (near > reach)
                assert_true(gap >= near - 1e-12);
            else
                assert_true(gap == near);
        }
        sn_collider_model_destroy(context, &c);
    }
}

/* The cheap bound of shapes with many parts is below the gap everywhere, and close to it far away. */
static void test_least(void **state) {
    (void)state;
    sn_collider (*const make[])(void) = {fine_mesh, ground, small_ground};
    for (int k = 0; k < 3; ++k) {
        sn_collider_model c;
        const sn_collider options = make[k]();
        assert_int_equal(sn_collider_model_create(context, &options, &c, NULL), SN_OK);
        unsigned seed = 5;
        int close = 0;
        for (int i = 0; i < 2000; ++i) {
            double x[3], n[3];
            for (int a = 0; a < 3; ++a) x[a] = 3 * unit_noise(&seed);
            const double gap = c.shape->gap(c.data, x, n, NULL), bound = c.shape->least(c.data, x);
            if (!(bound <= gap + 1e-12)) fail_msg("%s: the gap is %g, its bound %g", c.options.shape, gap, bound);
            close += gap > 1 && bound > 0.5 * gap;
        }
        assert_true(close > 100);
        sn_collider_model_destroy(context, &c);
    }
}

/* ---- Motion ---- */

static void test_motion(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k)
        for (int kind = 1; kind < 6; kind += 4) {
            sn_collider_model c;
            build(&trials[k], kind, &c);
            const double rest[3] = {0.3, -0.6, 0.2}, h = 1e-6, t = 0.9;
            double x[3], side[2][3], w[3], back[3];
            sn_pose pose;
            for (int s = 0; s < 2; ++s)
                sn_collider_at(&c, t + (s ? h : -h), &pose), sn_collider_move(&c, &pose, rest, side[s]);
            sn_collider_at(&c, t, &pose);
            sn_collider_move(&c, &pose, rest, x);
            sn_collider_velocity(&c, &pose, x, w);
            sn_collider_unmove(&c, &pose, x, back);
            for (int a = 0; a < 3; ++a) {
                close_to(w[a], (side[1][a] - side[0][a]) / (2 * h), 1e-8);
                close_to(back[a], rest[a], 1e-14);
            }
            assert_true(distance3(x, rest) > 0.1);
            /* The gap moves along. */
            sn_collider_model still;
            double n[3], m[3];
            build(&trials[k], 0, &still);
            sn_pose begin;
            sn_collider_at(&still, 0, &begin);
            close_to(sn_collider_gap(&c, &pose, x, INFINITY, n, NULL),
                     sn_collider_gap(&still, &begin, rest, INFINITY, m, NULL), 1e-12);
            sn_collider_model_destroy(context, &still);
            /* A collider made from what is shown is there too. */
            const sn_collider shown = sn_collider_shown(&c, t);
            assert_int_equal(shown.key_count + shown.turn.key_count, 0);
            assert_int_equal(sn_collider_model_create(context, &shown, &still, NULL), SN_OK);
            close_to(sn_collider_gap(&c, &pose, x, INFINITY, n, NULL),
                     sn_collider_gap(&still, &begin, x, INFINITY, m, NULL), 1e-12);
            assert_true(distance3(n, m) < 1e-9);
            sn_collider_model_destroy(context, &still);
            sn_collider_model_destroy(context, &c);
        }
}

/* ---- Ways through ---- */

static void test_passed(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        const trial *t = &trials[k];
        sn_collider_model c;
        build(t, 0, &c);
        const double *a = t->through[0], *b = t->through[1], far[3] = {a[0] + 9, a[1] + 9, a[2] + 9},
                     away[3] = {b[0] + 9, b[1] + 9, b[2] + 9};
        if (!c.shape->passed) { /* a plane, ground: there is no other side */
            const double above[3] = {0, 4, 0}, below[3] = {0, -4, 0};
            assert_false(sn_collider_passed(&c, 0, above, 1, below));
            assert_false(sn_collider_can_pass(&c));
            sn_collider_model_destroy(context, &c);
            continue;
        }
        assert_true(sn_collider_can_pass(&c));
        assert_true(sn_collider_passed(&c, 0, a, 1, b));
        assert_true(sn_collider_passed(&c, 0, b, 1, a));
        assert_false(sn_collider_passed(&c, 0, far, 1, away));
        assert_false(sn_collider_passed(&c, 0, a, 1, a));
        /* Walking along the way: first outside, then in but not through, then through to the end. */
        sn_pose pose;
        sn_collider_at(&c, 0, &pose);
        bool entered = false;
        for (int i = 0; i <= 200; ++i) {
            double x[3], n[3];
            for (int d = 0; d < 3; ++d) x[d] = a[d] + i / 200.0 * (b[d] - a[d]);
            const bool in = sn_collider_gap(&c, &pose, x, INFINITY, n, NULL) < 0,
                       passed = sn_collider_passed(&c, 0, a, 1, x);
            if (!entered) assert_false(passed);
            entered = entered || in;
            if (in && i < 200)
                assert_false(sn_collider_passed(&c, 0, x, 1, b) &&
                             c.shape != sn_shape_find("mesh")); /* it began inside */
        }
        assert_true(entered);
        sn_collider_model_destroy(context, &c);
        if (!t->hollow) continue;
        build(t, 2, &c);
        assert_false(sn_collider_passed(&c, 0, a, 1, b));
        sn_collider_model_destroy(context, &c);
    }
    /* A turning blade sweeps over a node that stands still. */
    sn_collider blade = shape("box");
    set(&blade, "size", 3, 2, 0.1, 2, 0);
    blade.turn.axis[1] = 0, blade.turn.axis[2] = 1;
    blade.turn.key = turn_key, blade.turn.key_count = 2;
    sn_collider_model c;
    assert_int_equal(sn_collider_model_create(context, &blade, &c, NULL), SN_OK);
    const double x[3] = {0.5, 0.3, 0};
    assert_true(sn_collider_passed(&c, 0, x, 2, x));
    assert_false(sn_collider_passed(&c, 0, x, 0.1, x));
    sn_collider_model_destroy(context, &c);
}

/* Nodes that slide around the edge of a rounded board, whose radius is near half its thickness, have not passed; those
 * that go from its upper to its lower side have. */
static void test_slide_around_an_edge(void **state) {
    (void)state;
    static const double radius[] = {0.03, 0.029, 0.02, 0.005};
    for (int k = 0; k < 4; ++k) {
        sn_collider board = shape("box");
        sn_collider_model c;
        set(&board, "size", 3, 1, 0.06, 1, 0);
        set(&board, "radius", 1, radius[k], 0, 0, 0);
        assert_int_equal(sn_collider_model_create(context, &board, &c, NULL), SN_OK);
        for (int from = 0; from < 8; ++from)
            for (int deep = 0; deep < 2; ++deep) { /* the node ends outside, or a little inside */
                double x[2][3];
                for (int end = 0; end < 2; ++end) { /* 22.5 degrees in a step, over a shoulder of the board */
                    const double angle = 0.39269908169872414 * (from + end),
                                 r = radius[k] + (end && deep ? -0.001 : 0.0005);
                    x[end][0] = 0.5 - radius[k] + r * sin(angle), x[end][2] = 0.1;
                    x[end][1] = copysign(0.03 - radius[k], cos(angle)) + r * cos(angle);
                }
                if (x[0][1] * x[1][1] > 0 || radius[k] == 0.03) assert_false(sn_collider_passed(&c, 0, x[0], 1, x[1]));
            }
        const double above[3] = {0.3, 0.0305, 0}, below[3] = {0.3, -0.0305, 0}, in[3] = {0.3, -0.029, 0},
                     out[3] = {0.5005, 0, 0};
        assert_true(sn_collider_passed(&c, 0, above, 1, below));
        assert_true(sn_collider_passed(&c, 0, above, 1, in));
        assert_true(sn_collider_passed(&c, 0, above, 1, out));
        sn_collider_model_destroy(context, &c);
    }
}

/* ---- The penalty's blocks on all shapes ---- */

static int32_t one_node[1] = {0};
static double one_area[1] = {0.04}, one_mass[1] = {0.7};
static const sn_contact_nodes one = {.count = 1, .node = one_node, .area = one_area, .mass = one_mass};

static void check_blocks(const sn_collider_model *c, const double x0[3], const double v0[3]) {
    const sn_penalty p = {.stiffness = 2000, .depth = 0.3, .damping = 0.3, .friction = 0.6, .slip = 0.05};
    double x[3], v[3], K[9], D[9];
    int32_t node[1];
    memcpy(x, x0, sizeof x);
    memcpy(v, v0, sizeof v);
    assert_int_equal(sn_penalty_blocks(c, &p, &one, 1.3, x, v, false, NULL, node, node, K, D), 1);
    for (int j = 0; j < 3; ++j) {
        const double h = 1e-7;
        double plus[3] = {0}, minus[3] = {0};
        x[j] = x0[j] + h, sn_penalty_force(c, &p, &one, 1.3, x, v, NULL, plus);
        x[j] = x0[j] - h, sn_penalty_force(c, &p, &one, 1.3, x, v, NULL, minus);
        x[j] = x0[j];
        for (int r = 0; r < 3; ++r) close_to(K[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 2e-3);
        memset(plus, 0, sizeof plus), memset(minus, 0, sizeof minus);
        v[j] = v0[j] + h, sn_penalty_force(c, &p, &one, 1.3, x, v, NULL, plus);
        v[j] = v0[j] - h, sn_penalty_force(c, &p, &one, 1.3, x, v, NULL, minus);
        v[j] = v0[j];
        for (int r = 0; r < 3; ++r) close_to(D[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 1e-4);
    }
    /* The definite ones: symmetric, not negative. */
    sn_penalty_blocks(c, &p, &one, 1.3, x, v, true, NULL, node, node, K, D);
    for (int t = 0; t < 30; ++t) {
        const double u[3] = {sin(1.0 * t), cos(2.3 * t), sin(0.7 * t + 1)};
        double k = 0, d = 0;
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                k += u[r] * K[3 * s + r] * u[s], d += u[r] * D[3 * s + r] * u[s];
                close_to(K[3 * s + r], K[3 * r + s], 1e-10), close_to(D[3 * s + r], D[3 * r + s], 1e-10);
            }
        assert_true(k >= -1e-8 && d >= -1e-8);
    }
}

static void test_blocks(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k)
        for (int kind = 0; kind < 4; ++kind) {
            if (kind & 2 && !trials[k].hollow) continue;
            sn_collider_model c;
            sn_pose pose;
            build(&trials[k], kind, &c);
            sn_collider_at(&c, 1.3, &pose);
            unsigned seed = 11;
            int tried = 0;
            for (int i = 0; i < 2000 && tried < 25; ++i) {
                double x[3], v[3], n[3], w[3], u[3];
                sn_bend bend;
                for (int a = 0; a < 3; ++a) x[a] = 1.4 * unit_noise(&seed);
                const double gap = sn_collider_gap(&c, &pose, x, INFINITY, n, &bend);
                sn_collider_velocity(&c, &pose, x, w);
                for (int a = 0; a < 3; ++a) u[a] = 0.4 * unit_noise(&seed), v[a] = w[a] + u[a];
                const double un = sn_dot3(u, n);
                for (int a = 0; a < 3; ++a) u[a] -= un * n[a];
                if (gap > -0.01 || fabs(bend.curvature) > 8 || fabs(sn_norm3(u) - 0.05) < 0.01 || un > 0.2 ||
                    !smooth_at(&c, &pose, x, 1e-4))
                    continue;
                check_blocks(&c, x, v);
                ++tried;
            }
            assert_true(tried >= (strcmp(trials[k].shape, "mesh") == 0 ? 3 : 10));
            sn_collider_model_destroy(context, &c);
        }
}

/* ---- Drawing ---- */

static void test_drawing(void **state) {
    (void)state;
    for (int k = 0; k < TRIALS; ++k) {
        sn_collider_model c;
        sn_drawing *d = NULL;
        sn_pose pose;
        build(&trials[k], 0, &c);
        sn_collider_at(&c, 0, &pose);
        assert_int_equal(sn_collider_draw(context, &c, &d, NULL), SN_OK);
        assert_true(d->vertex_count > 0 && d->endless == (d->triangle_count == 0));
        for (int i = 0; i < d->vertex_count; ++i) {
            double n[3];
            const double gap = sn_collider_gap(&c, &pose, d->position + 3 * (size_t)i, INFINITY, n, NULL);
            assert_true(fabs(gap) < (k >= 7 ? 0.02 : 1e-9)); /* with a thickness corners are cut a little */
            close_to(sn_norm3(d->normal + 3 * (size_t)i), 1, 1e-9);
        }
        double volume = 0;
        for (int t = 0; t < d->triangle_count; ++t) {
            const int32_t *v = d->triangle + 3 * (size_t)t;
            double area[3], n[3] = {0};
            sn_area_vector3(d->position + 3 * (size_t)v[0], d->position + 3 * (size_t)v[1],
                            d->position + 3 * (size_t)v[2], area);
            for (int i = 0; i < 9; ++i) n[i % 3] += d->normal[3 * (size_t)v[i / 3] + (size_t)(i % 3)];
            if (sn_norm3(area) > 1e-9 && k != 8) assert_true(sn_dot3(area, n) > 0);
            volume += sn_volume6(c.centre, d->position + 3 * (size_t)v[0], d->position + 3 * (size_t)v[1],
                                 d->position + 3 * (size_t)v[2]) /
                      6;
        }
        const double pi = 3.141592653589793;
        if (k == 1) close_to(volume, 4 / 3.0 * pi * 0.512, 0.02);
        if (k == 2) close_to(volume, 4 / 3.0 * pi * 0.064 + pi * 0.16 * sqrt(1.1 * 1.1 + 0.09 + 0.16), 0.01);
        if (k == 4) close_to(volume, 1.2 * 0.7 * 1.6, 1e-9);
        if (k == 8) assert_true(volume > 0.1);
        sn_drawing_destroy(d);
        sn_collider_model_destroy(context, &c);
    }
}

/* ---- Refused ---- */

static void refused(const sn_collider *c, const char *path, const char *word) {
    sn_error error = {0};
    sn_collider_model model;
    assert_int_equal(sn_collider_model_create(context, c, &model, &error), SN_BAD_INPUT);
    if (strcmp(error.path, path) != 0 || !strstr(error.text, word)) {
        print_message("'%s': '%s' should be about '%s' and name '%s'\n", error.path, error.text, path, word);
        fail();
    }
}

static void test_refused(void **state) {
    (void)state;
    sn_collider c = sheet();
    set(&c, "thickness", 1, 0, 0, 0, 0), refused(&c, "mesh.thickness", "4 edges belong to one triangle");
    c = sheet(), c.inside = true, refused(&c, "mesh.inside", "no inside");
    c = sheet(), c.mesh = NULL, refused(&c, "mesh", "needs a mesh");
    c = ball(), c.mesh = torus, refused(&c, "sphere", "no mesh");
    c = solid_mesh(), set(&c, "scale", 1, 0, 0, 0, 0), refused(&c, "mesh.scale", "above 0");
    c = round_box(), set(&c, "radius", 1, 0.4, 0, 0, 0), refused(&c, "box.radius", "0.35");
    c = round_box(), set(&c, "rotate", 4, 0, 0, 0, 10), refused(&c, "box.rotate", "no direction");
    c = shape("capsule"), refused(&c, "capsule", "'from'");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_are_tried),
                                       cmocka_unit_test(test_gap),
                                       cmocka_unit_test(test_middle),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_reach),
                                       cmocka_unit_test(test_motion),
                                       cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_passed),
                                       cmocka_unit_test(test_slide_around_an_edge),
                                       cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_drawing),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, start, end);
}
