/* Elements that do not lock: Cook's membrane and the cantilever of Hauth's fourth example with tet4, tet4-smooth,
 * tet10 and tet10-reduced (docs/incompressible.md).
 *
 * Cook's membrane: a panel with the corners (0, 0), (48, 44), (48, 60), (0, 44) mm, clamped on the left, sheared on the
 * right, held in the direction of its thickness (plane strain), Hooke's law with Poisson's ratio 0.4999. The measure is
 * the rise of the upper right corner. Both references are tet10 on the finest mesh of the same experiment.
 *
 * The clamped beam of the benchmarks counts iterations: tet10-reduced, one implicit Euler step of 0.01 s from rest
 * under gravity, Poisson's ratio from 0.33 to 0.4999, by CG and by the mixed form, each with multigrid, to 1e-6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

typedef struct trial {
    const char *element;
    int cells;
    int tets;
    double value, seconds;
    double jump; /* Pa: the median jump of the pressure between neighbouring tets near the clamp */
} trial;

/* ---- The pressure near the clamp ---- */
static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int shared_corners(const sn_mesh *mesh, int e, int f) {
    const int32_t *a = mesh->tet + (size_t)e * (size_t)mesh->tet_nodes,
                  *b = mesh->tet + (size_t)f * (size_t)mesh->tet_nodes;
    int shared = 0;
    for (int i = 0; i < 16; ++i) shared += a[i / 4] == b[i % 4];
    return shared;
}

/* The median of the jumps between neighbouring tets whose centres have x < near. */
static sn_status jump_of_pressure(sn_world *world, double near, double *jump, sn_error *error) {
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const size_t count = (size_t)mesh->tet_count;
    double *stress = malloc(6 * count * sizeof *stress), *all = malloc(4 * count * sizeof *all);
    int *tet = malloc(count * sizeof *tet), tets = 0, jumps = 0;
    sn_status status = stress && all && tet ? SN_OK : sn_fail(error, SN_NO_MEMORY, "out of memory");
    if (!status) status = sn_world_element_fields(world, 0, stress, NULL, NULL, NULL, error);
    for (int e = 0; e < (int)count && !status; ++e) {
        double x = 0;
        for (int i = 0; i < 4; ++i) x += mesh->position[3 * (size_t)mesh->tet[e * mesh->tet_nodes + i]] / 4;
        if (x < near) tet[tets++] = e;
    }
    for (int i = 0; i < tets; ++i)
        for (int k = 0; k < i; ++k) {
            if (shared_corners(mesh, tet[i], tet[k]) != 3) continue;
            const double *a = stress + 6 * (size_t)tet[i], *b = stress + 6 * (size_t)tet[k];
            all[jumps++] = fabs((a[0] + a[1] + a[2]) - (b[0] + b[1] + b[2])) / 3;
        }
    if (!status) qsort(all, (size_t)jumps, sizeof *all, by_size);
    *jump = !status && jumps ? all[jumps / 2] : NAN;
    free(stress), free(all), free(tet);
    return status;
}

/* ---- One world ---- */
static sn_status run_world(experiment_run *run, const sn_world_options *options, double near, trial *t,
                           sn_error *error) {
    sn_world *world = NULL;
    sn_step_report report;
    double value[6] = {0};
    int count;
    sn_status status = sn_world_create(run->context, options, &world, error);
    if (!status) status = sn_world_step(world, &report, error);
    if (!status) status = sn_world_probe(world, 0, value, &count, error);
    if (!status) t->value = 1000 * value[1], t->seconds = report.seconds;
    if (!status) status = jump_of_pressure(world, near, &t->jump, error);
    sn_world_destroy(world);
    return status;
}

static sn_status box(experiment_run *run, const double size[3], const int cells[3], sn_mesh **mesh, sn_error *error) {
    const sn_generator_value value[] = {
        {"size", 3, {size[0], size[1], size[2]}}, {"cells", 3, {cells[0], cells[1], cells[2]}}, {"split", 1, {6}}};
    return sn_mesh_generate(run->context, "box", value, 3, mesh, error);
}

static sn_status solve(experiment_run *run, sn_mesh *mesh, sn_body_options *body, const double tip[3], double gravity,
                       double near, trial *t, sn_error *error) {
    sn_world_options options = sn_world_options_default();
    sn_probe probe = sn_probe_default();
    snprintf(body->element, sizeof body->element, "%s", t->element);
    body->mesh = mesh;
    memcpy(probe.nearest, tip, sizeof probe.nearest);
    snprintf(probe.name, sizeof probe.name, "tip");
    options.body = body, options.body_count = 1;
    options.probe = &probe, options.probe_count = 1;
    options.gravity[0] = options.gravity[2] = 0, options.gravity[1] = gravity;
    snprintf(options.time.mode, sizeof options.time.mode, "static");
    options.time.load_steps = 2;
    options.time.newton.iterations = 60;
    options.time.newton.tolerance = 1e-7;
    options.solver.tolerance = 1e-8;
    t->tets = mesh->tet_count;
    const sn_status status = run_world(run, &options, near, t, error);
    sn_mesh_destroy(mesh);
    return status;
}

/* ---- The two bodies ---- */
static sn_status cook(experiment_run *run, trial *t, sn_error *error) {
    const double size[3] = {1, 1, 0.004}, tip[3] = {0.048, 0.060, 0};
    const int cells[3] = {t->cells, t->cells, 1};
    sn_mesh *mesh = NULL;
    sn_status status = box(run, size, cells, &mesh, error);
    if (status) return status;
    for (int i = 0; i < mesh->node_count; ++i) {
        double *p = mesh->position + 3 * (size_t)i;
        p[1] = 0.044 * p[0] + p[1] * (0.044 - 0.028 * p[0]);
        p[0] *= 0.048;
    }
    sn_material material = sn_material_default();
    sn_body_options body = sn_body_options_default();
    sn_fix fix[2] = {sn_fix_default(), sn_fix_default()};
    sn_load load = sn_load_default();
    const double young = 1e5, poisson = 0.4999;
    snprintf(material.law, sizeof material.law, "linear");
    sn_material_set(&material, "young", &young, 1, NULL);
    sn_material_set(&material, "poisson", &poisson, 1, NULL);
    fix[0].select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{-1, -1, -1}, {1e-9, 1, 1}}, .angle = 1};
    fix[1].axis[0] = fix[1].axis[1] = false;
    load.select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{0.048 - 1e-9, -1, -1}, {1, 1, 1}}, .angle = 1};
    load.value[1] = 1000;
    body.material = &material, body.material_count = 1;
    body.fix = fix, body.fix_count = 2;
    body.load = &load, body.load_count = 1;
    return solve(run, mesh, &body, tip, 0, 2 * 0.048 / t->cells, t, error);
}

static sn_status cantilever(experiment_run *run, trial *t, sn_error *error) {
    const double size[3] = {0.3, 0.1, 0.1}, tip[3] = {0.3, 0.1, 0.1}, lame[2] = {3e5, 3e3};
    const int cells[3] = {3 * t->cells, t->cells, t->cells};
    sn_mesh *mesh = NULL;
    sn_status status = box(run, size, cells, &mesh, error);
    if (status) return status;
    sn_material material = sn_material_default();
    sn_body_options body = sn_body_options_default();
    sn_fix fix = sn_fix_default();
    snprintf(material.law, sizeof material.law, "stvk");
    material.density = 1000;
    sn_material_set(&material, "lame", lame, 2, NULL);
    fix.select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{-1, -1, -1}, {1e-9, 1, 1}}, .angle = 1};
    body.material = &material, body.material_count = 1;
    body.fix = &fix, body.fix_count = 1;
    status = solve(run, mesh, &body, tip, -1, 2 * 0.1 / t->cells, t, error);
    t->value = -t->value;
    return status;
}

/* ---- Iterations ---- */
static sn_status iterations_of(experiment_run *run, const char *method, double poisson, int *iterations,
                               sn_error *error) {
    const double size[3] = {0.3, 0.3, 1}, young = 5e5;
    const int across = run->quick ? 4 : 7, cells[3] = {across, across, 3 * across};
    const sn_generator_value value[] = {
        {"size", 3, {size[0], size[1], size[2]}}, {"cells", 3, {cells[0], cells[1], cells[2]}}, {"split", 1, {5}}};
    sn_material material = sn_material_default();
    sn_body_options body = sn_body_options_default();
    sn_world_options options = sn_world_options_default();
    sn_fix fix = sn_fix_default();
    sn_step_report report;
    sn_world *world = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = sn_mesh_generate(run->context, "box", value, 3, &mesh, error);
    if (status) return status;
    sn_material_set(&material, "young", &young, 1, NULL);
    sn_material_set(&material, "poisson", &poisson, 1, NULL);
    fix.select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{-1, -1, -1}, {1, 1, 1e-9}}, .angle = 1};
    snprintf(body.element, sizeof body.element, "tet10-reduced");
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.fix = &fix, body.fix_count = 1;
    options.body = &body, options.body_count = 1;
    options.time.step = 0.01;
    snprintf(options.time.newton.kind, sizeof options.time.newton.kind, "one-step");
    snprintf(options.solver.method, sizeof options.solver.method, "%s", method);
    snprintf(options.solver.preconditioner, sizeof options.solver.preconditioner, "multigrid");
    options.solver.tolerance = 1e-6, options.solver.iterations = 10000;
    status = sn_world_create(run->context, &options, &world, error);
    if (!status) status = sn_world_step(world, &report, error);
    if (!status) *iterations = report.linear_iterations;
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    return status;
}

static sn_status count_iterations(experiment_run *run, sn_error *error) {
    enum { RATIOS = 5 };
    const double poisson[RATIOS] = {0.33, 0.45, 0.49, 0.499, 0.4999};
    int cg[RATIOS], mixed[RATIOS];
    FILE *table = experiment_table(run, "iterations.csv", "poisson,cg,mixed", error);
    if (!table) return error->status;
    sn_status status = SN_OK;
    for (int i = 0; i < RATIOS && !status; ++i) {
        status = iterations_of(run, "cg", poisson[i], &cg[i], error);
        if (!status) status = iterations_of(run, "mixed", poisson[i], &mixed[i], error);
        if (!status) fprintf(table, "%g,%d,%d\n", poisson[i], cg[i], mixed[i]);
    }
    fclose(table);
    if (status) return status;
    const double ratio = (double)mixed[3] / mixed[1];
    experiment_claim(run, "iterations", ratio, "at most 3", ratio <= 3 && mixed[3] < cg[3],
                     "tet10-reduced beam, iterations at 0.45 and 0.499: mixed %d and %d, CG %d and %d", mixed[1],
                     mixed[3], cg[1], cg[3]);
    return SN_OK;
}

/* ---- The experiment ---- */
static sn_status run_all(experiment_run *run, FILE *table, const char *body,
                         sn_status (*one)(experiment_run *, trial *, sn_error *), trial *t, int count,
                         sn_error *error) {
    for (int i = 0; i < count; ++i) {
        const sn_status status = one(run, &t[i], error);
        if (status) return status;
        fprintf(table, "%s,%s,%d,%.5g,%.3g,%.4g\n", body, t[i].element, t[i].tets, t[i].value, t[i].seconds, t[i].jump);
        fflush(table);
    }
    return SN_OK;
}

static double off(const trial *t, const trial *reference) { return 100 * (t->value / reference->value - 1); }

static sn_status run_locking(experiment_run *run, sn_error *error) {
    enum { COUNT = 7 };
    trial panel[COUNT] = {{.element = "tet10", .cells = 32},        {.element = "tet4", .cells = 16},
                          {.element = "tet4", .cells = 48},         {.element = "tet4-smooth", .cells = 16},
                          {.element = "tet4-smooth", .cells = 32},  {.element = "tet4-smooth", .cells = 48},
                          {.element = "tet10-reduced", .cells = 16}};
    trial bar[COUNT] = {{.element = "tet10", .cells = 6},        {.element = "tet4", .cells = 4},
                        {.element = "tet4", .cells = 8},         {.element = "tet4-smooth", .cells = 4},
                        {.element = "tet4-smooth", .cells = 6},  {.element = "tet4-smooth", .cells = 10},
                        {.element = "tet10-reduced", .cells = 4}};
    if (run->quick) {
        panel[0].cells = 16, panel[2].cells = 24, panel[4].cells = 24, panel[5].cells = 32;
        bar[0].cells = 4, bar[2].cells = 6, bar[5].cells = 8;
    }
    FILE *table = experiment_table(run, "tips.csv", "body,element,tets,tip (mm),seconds,jump (Pa)", error);
    if (!table) return error->status;
    sn_status status = run_all(run, table, "cook", cook, panel, COUNT, error);
    experiment_progress(run, 0.3);
    if (!status) status = run_all(run, table, "cantilever", cantilever, bar, COUNT, error);
    fclose(table);
    if (!status) status = count_iterations(run, error);
    if (status) return status;
    const trial *smooth = &panel[COUNT - 2], *plain = &panel[2], *reduced = &panel[COUNT - 1];
    experiment_claim(run, "cook-tet4-locks", off(plain, panel), "below -20 %", off(plain, panel) < -20,
                     "Cook's membrane, tet4 with %d tets: %.3f mm, tet10 %.3f mm", plain->tets, plain->value,
                     panel[0].value);
    experiment_claim(run, "cook-smooth", off(smooth, panel), "within 3 %, at most 20000 tets",
                     fabs(off(smooth, panel)) < 3 && smooth->tets <= 20000,
                     "Cook's membrane, tet4-smooth with %d tets: %.3f mm", smooth->tets, smooth->value);
    experiment_claim(run, "cook-reduced", off(reduced, panel), "within 3 %", fabs(off(reduced, panel)) < 3,
                     "Cook's membrane, tet10-reduced with %d tets: %.3f mm", reduced->tets, reduced->value);
    const trial *alike = &panel[3]; /* the mesh of `reduced` */
    experiment_claim(run, "cook-pressure", alike->jump / reduced->jump, "at most 1", alike->jump <= reduced->jump,
                     "Cook's membrane, jump of the pressure between neighbouring tets near the clamp (median): "
                     "tet4-smooth %.0f Pa, over that of tet10-reduced, %.0f Pa; tet4 %.0f Pa",
                     alike->jump, reduced->jump, panel[1].jump);
    smooth = &bar[COUNT - 2], plain = &bar[2], reduced = &bar[COUNT - 1];
    alike = &bar[3];
    experiment_claim(run, "cantilever-pressure", alike->jump / reduced->jump, "at most 1", alike->jump <= reduced->jump,
                     "cantilever, the same: tet4-smooth %.0f Pa, tet10-reduced %.0f Pa, tet4 %.0f Pa", alike->jump,
                     reduced->jump, bar[1].jump);
    experiment_claim(run, "cantilever-tet4-locks", off(plain, bar), "below -20 %", off(plain, bar) < -20,
                     "cantilever, tet4 with %d tets: %.1f mm, tet10 %.1f mm", plain->tets, plain->value, bar[0].value);
    experiment_claim(run, "cantilever-smooth", off(smooth, bar), "within 3 %, at most 20000 tets",
                     fabs(off(smooth, bar)) < 3 && smooth->tets <= 20000,
                     "cantilever, tet4-smooth with %d tets: %.1f mm", smooth->tets, smooth->value);
    experiment_claim(run, "cantilever-reduced", off(reduced, bar), "within 3 %", fabs(off(reduced, bar)) < 3,
                     "cantilever, tet10-reduced with %d tets: %.1f mm", reduced->tets, reduced->value);
    experiment_plot(run, "tips.svg",
                    "set title 'A cantilever at Poisson ratio 0.495: drop of its tip'\nset logscale x\nset xlabel "
                    "'tets'\nset ylabel 'drop (mm)'\nset yrange [0:150]\nset key right bottom\nplot 133.7 with lines "
                    "dashtype 2 lc rgb '#555555' title '133.7 mm, another code', 'tips.csv' using (strcol(1) eq "
                    "'cantilever' && strcol(2) eq 'tet4-smooth' ? $3 : NaN):4 every ::1 with points pt 7 ps 1 lc rgb "
                    "'#1f4e9c' title 'tet4-smooth', '' using (strcol(1) eq 'cantilever' && strcol(2) eq 'tet4' ? $3 : "
                    "NaN):4 every ::1 with points pt 5 ps 1 lc rgb '#c0392b' title 'tet4', '' using (strcol(1) eq "
                    "'cantilever' && strcol(2) eq 'tet10-reduced' ? $3 : NaN):4 every ::1 with points pt 9 ps 1 lc rgb "
                    "'#27ae60' title 'tet10-reduced'");
    return SN_OK;
}

const experiment experiment_locking = {
    "locking", "nearly incompressible bodies with elements that lock and with elements that do not",
    "Cook 1974; Hauth 5.3.2", run_locking,
    "cook-tet4-locks cook-smooth cook-reduced cook-pressure cantilever-pressure cantilever-tet4-locks "
    "cantilever-smooth cantilever-reduced iterations"};
