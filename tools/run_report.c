/* What a run says at its end: one JSON object, or a summary. */
#include <math.h>
#include <string.h>

#include "run.h"

static json_t *probes_json(const run_job *j) {
    json_t *object = json_object();
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[SN_PROBE_VALUES];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, NULL)) count = 0;
        json_object_set_new(object, sn_world_probe_name(j->world, i), tool_array(value, count));
    }
    return object;
}

/* Iterations and misses are totals of the run; the other values belong to the last solve. */
static json_t *linear_json(const run_job *j) {
    return json_pack("{s:I, s:o, s:I, s:s, s:s, s:o}", "iterations", (json_int_t)j->counts.linear, "residual",
                     tool_number(j->last.linear_residual), "misses", (json_int_t)j->counts.misses, "method",
                     j->last.solver ? j->last.solver : "", "preconditioner",
                     j->last.preconditioner ? j->last.preconditioner : "", "history",
                     tool_array(j->last.linear_history, j->last.linear_history_count));
}

/* `per_step` and `realtime_factor` count steps alone; `output` is the time for files and pictures. */
static json_t *timing_json(const run_job *j) {
    const int64_t steps = sn_world_steps(j->world) - j->start_steps;
    const double simulated = sn_world_time(j->world) - j->start_time;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "setup", tool_number(j->setup), "steps",
                     tool_number(j->stepping), "output", tool_number(j->writing), "total",
                     tool_number(j->setup + j->stepping + j->writing), "per_step",
                     tool_number(steps ? j->stepping / (double)steps : 0), "realtime_factor",
                     tool_number(j->stepping > 0 ? simulated / j->stepping : 0));
}

static sn_energies energies_of(const run_job *j) {
    sn_energies e;
    if (sn_world_energies(j->world, &e, NULL)) e = (sn_energies){NAN, NAN, NAN, NAN};
    return e;
}

static json_t *adapt_pack(const sn_adapt_report *r) {
    return json_pack("{s:i, s:i, s:i, s:i, s:I, s:I, s:I}", "active", r->active, "finest", r->finest, "unknowns",
                     r->unknowns, "hanging", r->hanging, "changes", (json_int_t)r->changes, "refined",
                     (json_int_t)r->all_refined, "coarsened", (json_int_t)r->all_coarsened);
}

static void adapt_add(sn_adapt_report *all, const sn_adapt_report *r) {
    all->active += r->active, all->finest += r->finest, all->unknowns += r->unknowns, all->hanging += r->hanging;
    all->changes += r->changes, all->all_refined += r->all_refined, all->all_coarsened += r->all_coarsened;
}

/* The sums over the adaptive bodies; of several, also those of each. NULL: no body is adaptive. */
static json_t *adapt_json(const run_job *j) {
    sn_adapt_report all = {0}, own;
    json_t *bodies = json_array();
    for (int b = 0; b < sn_world_body_count(j->world); ++b) {
        if (sn_world_adapt_report(j->world, b, &own)) continue;
        adapt_add(&all, &own);
        json_t *body = adapt_pack(&own);
        json_object_set_new(body, "body", json_string(sn_world_body_name(j->world, b)));
        json_array_append_new(bodies, body);
    }
    json_t *o = json_array_size(bodies) > 0 ? adapt_pack(&all) : NULL;
    if (json_array_size(bodies) > 1) json_object_set(o, "bodies", bodies);
    json_decref(bodies);
    return o;
}

json_t *run_result(const run_job *j) {
    const sn_energies e = energies_of(j);
    char hash[17];
    sn_world_hash(j->world, hash);
    json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:I, s:i, s:s, s:i, s:i}", "scene", sn_scene_name(j->scene), "status",
                          sn_status_name(j->status), "message", j->status ? j->error.text : "", "time",
                          tool_number(sn_world_time(j->world)), "steps", (json_int_t)sn_world_steps(j->world),
                          "threads", sn_context_threads(j->context), "simd", sn_context_simd(j->context), "nodes",
                          sn_world_node_count(j->world), "elements", sn_world_element_count(j->world));
    json_object_set(o, "warnings", j->warnings);
    json_object_set_new(o, "energy",
                        json_pack("{s:o, s:o, s:o, s:o}", "kinetic", tool_number(e.kinetic), "elastic",
                                  tool_number(e.elastic), "gravity", tool_number(e.gravity), "total",
                                  tool_number(e.total)));
    json_object_set_new(o, "probes", probes_json(j));
    json_object_set_new(o, "newton",
                        json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)j->counts.newton, "divided",
                                  (json_int_t)j->counts.divided, "loose", (json_int_t)j->counts.loose));
    json_object_set_new(o, "linear", linear_json(j));
    json_t *adapt = adapt_json(j);
    if (adapt) json_object_set_new(o, "adapt", adapt);
    if (j->servos) json_object_set_new(o, "tools", run_tools_json(j));
    if (j->options->realtime) json_object_set_new(o, "realtime", run_pace_json(j));
    json_object_set_new(o, "timing", timing_json(j));
    json_object_set_new(o, "hash", json_string(hash));
    return o;
}

static void print_care(const run_counts *c) {
    if (c->misses) printf("  care      %lld linear solves did not reach their tolerance\n", (long long)c->misses);
    if (c->divided)
        printf("  care      %lld step%s did not converge and %s divided\n", (long long)c->divided,
               tool_ending(c->divided), c->divided == 1 ? "was" : "were");
    if (c->loose)
        printf("  care      %lld small parts of steps did not converge either: their best iterate was taken\n",
               (long long)c->loose);
}

static void print_probes(const run_job *j) {
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[SN_PROBE_VALUES];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, NULL)) continue;
        printf("  probe     %s:", sn_world_probe_name(j->world, i));
        for (int k = 0; k < count; ++k) printf(" %.6g", value[k]);
        printf("\n");
    }
}

void run_print_summary(const run_job *j) {
    const run_options *o = j->options;
    const int64_t steps = sn_world_steps(j->world) - j->start_steps;
    const sn_energies e = energies_of(j);
    printf("%s: %s\n", sn_scene_name(j->scene), j->status ? sn_status_name(j->status) : "done");
    const int elements = sn_world_element_count(j->world), threads = sn_context_threads(j->context);
    printf("  %d nodes, %d element%s, %lld step%s to %.6g s\n", sn_world_node_count(j->world), elements,
           tool_ending(elements), (long long)steps, tool_ending(steps), sn_world_time(j->world));
    printf("  energy    kinetic %.6g J, elastic %.6g J, gravity %.6g J, total %.6g J\n", e.kinetic, e.elastic,
           e.gravity, e.total);
    printf("  work      %lld Newton and %lld linear iterations", (long long)j->counts.newton,
           (long long)j->counts.linear);
    if (j->last.solver && *j->last.solver)
        printf(", %s%s%s", j->last.solver, *j->last.preconditioner ? " with " : "", j->last.preconditioner);
    printf("\n");
    print_care(&j->counts);
    printf("  time      %.3g s for the set-up, %.3g s for the steps, %.3g s for files and pictures; %.3g ms per step, "
           "real-time factor %.3g, %d thread%s\n",
           j->setup, j->stepping, j->writing, steps ? 1e3 * j->stepping / (double)steps : 0,
           j->stepping > 0 ? (sn_world_time(j->world) - j->start_time) / j->stepping : 0, threads,
           tool_ending(threads));
    run_print_tools(j);
    print_probes(j);
    if (j->listed) printf("  results   %s\n", o->out);
    if (j->pictured) printf("  picture   %s\n", o->picture);
    if (j->filmed) printf("  video     %s\n", o->video);
    if (j->saved) printf("  state     %s\n", o->save);
}
