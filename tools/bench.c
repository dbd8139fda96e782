/* sinew bench: measures the speed of this machine in about a minute.
 *
 * The scenes are clamped box beams of 0.3 x 0.3 x 1 m with five tets per cell. Gravity acts across the beam. The law is
 * corotated. The method is implicit Euler with steps of 0.01 s and one Newton iteration per step. The solver is CG with
 * block-Jacobi, with relative residuals of 1e-6 and 1e-3. */
#include <string.h>
#include <unistd.h>

#include "tool.h"

static int bench(int count, char **word);

static bool json, quick;
static const char *simd;
static const tool_option options[] = {
    {.name = "--json", .about = "print the report as JSON", .flag = &json},
    {.name = "--quick", .about = "leave out the largest beam", .flag = &quick},
    TOOL_SIMD(&simd),
};

const tool_command tool_bench = {
    "bench", "", NULL, "measure the speed of this machine, with the real-time factor", "", TOOL_OPTIONS(options),
    bench};

typedef struct row {
    int cells[3], threads;
    double tolerance;
    int nodes, tets, steps, iterations;
    double per_step, assembly, solve, drop, realtime;
    sn_status status;
} row;

enum { STEPS = 40 }; /* up to 0.4 s */

static sn_status make_world(sn_context *context, row *r, sn_world **world, sn_error *error) {
    const sn_generator_value value[] = {
        {"size", 3, {0.3, 0.3, 1}}, {"cells", 3, {r->cells[0], r->cells[1], r->cells[2]}}, {"split", 1, {5}}};
    sn_mesh *mesh;
    sn_status status = sn_mesh_generate(context, "box", value, 3, &mesh, error);
    if (status) return status;
    const sn_material material = sn_material_default();
    sn_fix fix = sn_fix_default();
    fix.select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{-1, -1, -1}, {1, 1, 1e-6}}};
    sn_body_options body = sn_body_options_default();
    strcpy(body.name, "beam"), body.mesh = mesh, body.material = &material, body.material_count = 1, body.fix = &fix,
                               body.fix_count = 1;
    sn_probe probe = sn_probe_default();
    snprintf(probe.name, sizeof probe.name, "tip");
    probe.nearest[0] = probe.nearest[1] = 0.15, probe.nearest[2] = 1;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1, options.probe = &probe, options.probe_count = 1;
    strcpy(options.time.newton.kind, "one-step");
    strcpy(options.solver.method, "cg");
    strcpy(options.solver.preconditioner, "block-jacobi");
    options.solver.tolerance = r->tolerance;
    status = sn_world_create(context, &options, world, error);
    r->nodes = mesh->node_count, r->tets = mesh->tet_count;
    sn_mesh_destroy(mesh);
    return status;
}

static void measure(row *r, double most_seconds) {
    sn_context *context;
    sn_error error = {0};
    sn_world *world = NULL;
    r->status =
        tool_context(r->threads, simd, &context, &error) ? error.status : make_world(context, r, &world, &error);
    const double begin = tool_seconds();
    for (; r->steps < STEPS && !r->status && tool_seconds() - begin < most_seconds; ++r->steps) {
        sn_step_report step;
        r->status = sn_world_step(world, &step, &error);
        r->iterations += step.linear_iterations, r->assembly += step.assembly_seconds, r->solve += step.solve_seconds;
    }
    const double spent = tool_seconds() - begin;
    double value[6] = {0};
    int values;
    if (!r->status) r->status = sn_world_probe(world, 0, value, &values, &error);
    if (r->status && context) tool_fail(0, "%s", error.text);
    const int n = r->steps ? r->steps : 1;
    r->per_step = spent / n, r->assembly /= n, r->solve /= n, r->drop = -value[1];
    r->realtime = 0.01 / r->per_step;
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static json_t *as_json(const row *r) {
    json_t *o = json_pack("{s:s, s:i, s:i, s:i, s:o, s:i, s:o}", "status", sn_status_name(r->status), "tets", r->tets,
                          "nodes", r->nodes, "threads", r->threads, "tolerance", tool_number(r->tolerance), "steps",
                          r->steps, "per_step", tool_number(r->per_step));
    json_object_set_new(o, "assembly", tool_number(r->assembly));
    json_object_set_new(o, "solve", tool_number(r->solve));
    json_object_set_new(o, "assembly_ns_per_tet", tool_number(1e9 * r->assembly / r->tets));
    json_object_set_new(o, "linear_iterations_per_step",
                        tool_number((double)r->iterations / (r->steps ? r->steps : 1)));
    json_object_set_new(o, "drop", r->steps == STEPS ? tool_number(r->drop) : json_null());
    json_object_set_new(o, "realtime_factor", tool_number(r->realtime));
    return o;
}

static int bench(int count, char **word) {
    static const int cells[3][3] = {{3, 3, 10}, {7, 7, 21}, {15, 15, 45}};
    static const double tolerance[2] = {1e-6, 1e-3};
    int words, code = TOOL_OK;
    code = tool_parse(&tool_bench, count, word, NULL, 0, &words);
    if (code) return code;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int many = cores > 64 ? 64 : cores > 1 ? (int)cores : 1;
    sn_context *context;
    code = tool_context(1, simd, &context, NULL);
    if (code) return code;
    json_t *rows = json_array();
    if (!json)
        printf("kernels %s, %d cores; time per step in ms\n%8s %8s %8s %9s %9s %9s %9s %8s %9s\n",
               sn_context_simd(context), many, "tets", "threads", "residual", "ms/step", "assembly", "ns/tet", "solve",
               "its/step", "realtime");
    for (int c = 0; c < (quick ? 2 : 3); ++c)
        for (int t = 0; t < 2; ++t)
            for (int threads = 1; threads <= many; threads += many > 1 ? many - 1 : 1) {
                row r = {
                    .cells = {cells[c][0], cells[c][1], cells[c][2]}, .threads = threads, .tolerance = tolerance[t]};
                measure(&r, 15);
                if (r.status) code = TOOL_FAILED;
                if (json)
                    json_array_append_new(rows, as_json(&r));
                else
                    printf("%8d %8d %8.0e %9.3f %9.3f %9.1f %9.3f %8.1f %8.2fx  drop %.4f m\n", r.tets, r.threads,
                           r.tolerance, 1e3 * r.per_step, 1e3 * r.assembly, 1e9 * r.assembly / r.tets, 1e3 * r.solve,
                           (double)r.iterations / (r.steps ? r.steps : 1), r.realtime, r.drop);
            }
    if (json)
        tool_print_json(json_pack("{s:s, s:i, s:o}", "simd", sn_context_simd(context), "cores", many, "runs", rows));
    else
        json_decref(rows);
    sn_context_destroy(context);
    return code;
}
