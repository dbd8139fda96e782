/* One run of a scene: load, step, write, report. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* A run in progress. */
typedef struct job {
    const run_options *options;
    sn_context *context;
    sn_scene *scene;
    sn_world *world;
    sn_writer *writer;
    FILE *probes; /* probes.csv */
    tool_video *video;
    unsigned char *frame; /* pixels of the present frame of the video */
    sn_picture_options picture;
    tool_progress progress;
    int every;
    double setup, begin; /* s */
    double start_time;   /* s: the world's time at the start; above 0 after --restore */
    int64_t start_steps;
    int64_t newton, linear, divided,
        loose;      /* iterations; steps that were taken in parts; parts that did not converge */
    int64_t misses; /* linear solves that did not reach their tolerance */
    sn_step_report last;
    sn_status status; /* of the run */
    sn_error error;
} job;

/* ---- Files ---- */

static bool write_probes_head(job *j) {
    static const char *const axes[] = {"x", "y", "z"}, *const stress[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
    fprintf(j->probes, "time");
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[6];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, &j->error)) return false;
        for (int k = 0; k < count; ++k) {
            fprintf(j->probes, ",%s", sn_world_probe_name(j->world, i));
            if (count > 1) fprintf(j->probes, ".%s", count == 6 ? stress[k] : axes[k % 3]);
        }
    }
    fprintf(j->probes, "\n");
    return true;
}

static bool write_probes(job *j) {
    if (!j->probes) return true;
    fprintf(j->probes, "%.17g", sn_world_time(j->world));
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[6];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, &j->error)) return false;
        for (int k = 0; k < count; ++k) fprintf(j->probes, ",%.17g", value[k]);
    }
    fprintf(j->probes, "\n");
    return true;
}

/* The view of a video only grows, so that the camera stays calm. It contains the ground under a falling body from the
 * start. */
static void grow_view(job *j) {
    double(*view)[3] = j->picture.view;
    const bool first = memcmp(view[0], view[1], sizeof view[0]) == 0;
    for (int b = 0; b < sn_world_body_count(j->world); ++b) {
        const int nodes = sn_world_body_mesh(j->world, b)->node_count;
        double *x = malloc(3 * (size_t)nodes * sizeof *x);
        if (!x) return;
        sn_world_get(j->world, b, x, NULL);
        for (int i = 0; i < 3 * nodes; ++i) {
            const int k = i % 3;
            if (first && b == 0 && i < 3) view[0][k] = view[1][k] = x[i];
            view[0][k] = fmin(view[0][k], x[i]), view[1][k] = fmax(view[1][k], x[i]);
        }
        free(x);
    }
    for (int i = 0; first && i < sn_world_collider_count(j->world); ++i) {
        sn_drawing *drawing;
        if (sn_world_collider_drawing(j->world, i, &drawing, NULL)) return;
        if (drawing->endless && drawing->normal[1] > 0.7 * fabs(drawing->normal[0]))
            view[0][1] = fmin(view[0][1], fmax(drawing->position[1], view[0][1] - 3 * (view[1][1] - view[0][1])));
        sn_drawing_destroy(drawing);
    }
}

static bool write_frame(job *j) {
    if (j->writer && sn_writer_frame(j->writer, j->world, &j->error)) return false;
    if (!j->video) return true;
    grow_view(j);
    if (sn_world_render(j->world, &j->picture, j->frame, &j->error)) return false;
    if (tool_video_frame(j->video, j->frame)) return true;
    sn_fail(&j->error, SN_IO, "%s: ffmpeg stopped taking frames", j->options->video);
    return false;
}

/* Opens the files for results. Returns false with a message in the job when one cannot be opened. */
static bool open_files(job *j) {
    const run_options *o = j->options;
    const sn_output_options *output = sn_scene_output(j->scene);
    j->every = o->every >= 0 ? o->every : output->every;
    j->picture = output->picture;
    if (o->out) {
        char path[1100], stem[128];
        const char *slash = strrchr(o->scene, '/');
        snprintf(stem, sizeof stem, "%.100s", slash ? slash + 1 : o->scene);
        char *dot = strrchr(stem, '.');
        if (dot && dot != stem) *dot = 0;
        if (output->format_count && sn_writer_create(j->context, o->out, stem, output, &j->writer, &j->error))
            return false;
        snprintf(path, sizeof path, "%.1000s/probes.csv", o->out);
        if (sn_world_probe_count(j->world) > 0) {
            j->probes = fopen(path, "wb");
            if (!j->probes) return sn_fail(&j->error, SN_IO, "%.300s: cannot write: %s", path, strerror(errno)), false;
            if (!write_probes_head(j)) return false;
        }
    }
    if (!o->video) return true;
    j->picture.width -= j->picture.width % 2,
        j->picture.height -= j->picture.height % 2; /* the encoder needs even sizes */
    j->frame = malloc(3 * (size_t)j->picture.width * (size_t)j->picture.height);
    const double step = sn_scene_world_options(j->scene)->time.step;
    const double rate =
        fmin(60, fmax(1, 1 / (step * (j->every ? j->every : 1)))); /* real time, within 1 to 60 frames per second */
    if (j->frame) j->video = tool_video_open(o->video, j->picture.width, j->picture.height, rate);
    if (!j->video) sn_fail(&j->error, SN_IO, "%s: the video cannot be written", o->video);
    return j->video != NULL;
}

/* ---- The run ---- */

static bool show_static(void *user, double fraction) {
    tool_progress_show(user, fraction);
    return true;
}

static bool step_once(job *j) {
    sn_step_report report = {0};
    j->status = sn_world_step(j->world, &report, &j->error);
    j->newton += report.newton_iterations;
    j->linear += report.linear_iterations;
    j->divided += report.retries > 0;
    j->loose += report.loose;
    j->misses += report.linear_misses;
    j->last = report;
    return j->status == SN_OK;
}

/* Takes all steps to the end. A status other than SN_OK is kept in the job. */
static void step_all(job *j) {
    const sn_world_options *world = sn_scene_world_options(j->scene);
    const bool is_static = strcmp(world->time.mode, "static") == 0;
    const double end = world->time.end, start = sn_world_time(j->world);
    int64_t step = 0;
    bool written = true;
    if (!write_probes(j) || (j->every && !write_frame(j))) j->status = j->error.status;
    if (is_static) sn_world_watch(j->world, show_static, &j->progress);
    while (!j->status && (is_static ? step == 0 : sn_world_time(j->world) < end - 1e-9 * world->time.step)) {
        if (!step_once(j)) break;
        ++step;
        written = false;
        if (!write_probes(j)) j->status = j->error.status;
        if (!j->status && j->every && step % j->every == 0) {
            if (!write_frame(j)) j->status = j->error.status;
            written = true;
        }
        if (!is_static) tool_progress_show(&j->progress, (sn_world_time(j->world) - start) / fmax(end - start, 1e-300));
    }
    if (!j->status && (!written || !j->every) && !write_frame(j)) j->status = j->error.status;
}

/* ---- Results ---- */

static json_t *probes_json(job *j) {
    json_t *object = json_object();
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[6];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, NULL)) count = 0;
        json_object_set_new(object, sn_world_probe_name(j->world, i), tool_array(value, count));
    }
    return object;
}

/* Iterations and misses are totals of the run; the other values belong to the last solve. */
static json_t *linear_json(const job *j) {
    return json_pack("{s:I, s:o, s:I, s:s, s:s, s:o}", "iterations", (json_int_t)j->linear, "residual",
                     tool_number(j->last.linear_residual), "misses", (json_int_t)j->misses, "method",
                     j->last.solver ? j->last.solver : "", "preconditioner",
                     j->last.preconditioner ? j->last.preconditioner : "", "history",
                     tool_array(j->last.linear_history, j->last.linear_history_count));
}

static json_t *result_json(job *j, double seconds, const sn_energies *e) {
    const int64_t steps = sn_world_steps(j->world) - j->start_steps;
    const double simulated = sn_world_time(j->world) - j->start_time;
    char hash[17];
    sn_world_hash(j->world, hash);
    json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:I, s:i, s:i, s:i}", "scene", sn_scene_name(j->scene), "status",
                          sn_status_name(j->status), "message", j->status ? j->error.text : "", "time",
                          tool_number(sn_world_time(j->world)), "steps", (json_int_t)sn_world_steps(j->world),
                          "threads", sn_context_threads(j->context), "nodes", sn_world_node_count(j->world), "elements",
                          sn_world_element_count(j->world));
    json_object_set_new(o, "energy",
                        json_pack("{s:o, s:o, s:o, s:o}", "kinetic", tool_number(e->kinetic), "elastic",
                                  tool_number(e->elastic), "gravity", tool_number(e->gravity), "total",
                                  tool_number(e->total)));
    json_object_set_new(o, "probes", probes_json(j));
    json_object_set_new(o, "newton",
                        json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)j->newton, "divided",
                                  (json_int_t)j->divided, "loose", (json_int_t)j->loose));
    json_object_set_new(o, "linear", linear_json(j));
    json_object_set_new(o, "timing",
                        json_pack("{s:o, s:o, s:o, s:o}", "setup", tool_number(j->setup), "total",
                                  tool_number(j->setup + seconds), "per_step",
                                  tool_number(steps ? seconds / (double)steps : 0), "realtime_factor",
                                  tool_number(seconds > 0 ? simulated / seconds : 0)));
    json_object_set_new(o, "hash", json_string(hash));
    return o;
}

static void print_summary(const job *j, double seconds, const sn_energies *e) {
    const run_options *o = j->options;
    const int64_t steps = sn_world_steps(j->world) - j->start_steps;
    printf("%s: %s\n", sn_scene_name(j->scene), j->status ? sn_status_name(j->status) : "done");
    printf("  %d nodes, %d elements, %lld steps to %.6g s\n", sn_world_node_count(j->world),
           sn_world_element_count(j->world), (long long)steps, sn_world_time(j->world));
    printf("  energy    kinetic %.6g J, elastic %.6g J, gravity %.6g J, total %.6g J\n", e->kinetic, e->elastic,
           e->gravity, e->total);
    printf("  work      %lld Newton and %lld linear iterations", (long long)j->newton, (long long)j->linear);
    if (j->last.solver && *j->last.solver)
        printf(", %s%s%s", j->last.solver, *j->last.preconditioner ? " with " : "", j->last.preconditioner);
    printf("\n");
    if (j->misses) printf("  care      %lld linear solves did not reach their tolerance\n", (long long)j->misses);
    if (j->divided) printf("  care      %lld steps did not converge and were divided\n", (long long)j->divided);
    if (j->loose)
        printf("  care      %lld small parts of steps did not converge either: their best iterate was taken\n",
               (long long)j->loose);
    printf(
        "  time      %.3g s for the set-up, %.3g s for the run, %.3g ms per step, real-time factor %.3g, %d threads\n",
        j->setup, seconds, steps ? 1e3 * seconds / (double)steps : 0,
        seconds > 0 ? (sn_world_time(j->world) - j->start_time) / seconds : 0, sn_context_threads(j->context));
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[6];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, NULL)) continue;
        printf("  probe     %s:", sn_world_probe_name(j->world, i));
        for (int k = 0; k < count; ++k) printf(" %.6g", value[k]);
        printf("\n");
    }
    if (o->out) printf("  results   %s\n", o->out);
    if (o->picture) printf("  picture   %s\n", o->picture);
    if (o->video) printf("  video     %s\n", o->video);
    if (o->save) printf("  state     %s\n", o->save);
}

/* After the steps: writes state, picture and report. Returns the exit code. */
static int finish(job *j, json_t **result) {
    const run_options *o = j->options;
    sn_energies energies = {0};
    const double seconds = tool_seconds() - j->begin;
    tool_progress_end(&j->progress);
    sn_error error = {0};
    int code = TOOL_OK;
    if (!j->status && o->save && sn_world_save(j->world, o->save, &error)) tool_error(&error), code = TOOL_FAILED;
    if (o->picture && sn_world_picture(j->world, o->picture, &j->picture, &error))
        tool_error(&error), code = TOOL_FAILED;
    if (sn_world_energies(j->world, &energies, &error)) energies = (sn_energies){NAN, NAN, NAN, NAN};
    *result = result_json(j, seconds, &energies);
    if (!o->json && !o->quiet) print_summary(j, seconds, &energies);
    if (!j->status) return code;
    tool_fail(0, "%s: %s at %.6g s: %s", o->scene, sn_status_name(j->status), sn_world_time(j->world), j->error.text);
    return TOOL_FAILED;
}

static void close_job(job *j) {
    if (j->probes) fclose(j->probes);
    sn_writer_destroy(j->writer);
    free(j->frame);
    sn_world_destroy(j->world);
    sn_scene_destroy(j->scene);
    sn_context_destroy(j->context);
}

int run_scene(const run_options *options, json_t **result) {
    const char *const file[] = {options->picture, options->video, options->save};
    for (int i = 0; i < 3; ++i)
        if (file[i] && !tool_writable(file[i])) return TOOL_BAD_INPUT;
    job j = {.options = options, .context = tool_context(options->threads)};
    if (!j.context) return TOOL_FAILED;
    const double start = tool_seconds();
    int code = TOOL_OK;
    if (sn_scene_load(j.context, options->scene, options->override, options->overrides, &j.scene, &j.error) ||
        sn_scene_create_world(j.scene, &j.world, &j.error) ||
        (options->restore && sn_world_restore(j.world, options->restore, &j.error)))
        code = tool_error(&j.error);
    j.setup = tool_seconds() - start;
    if (!code) j.start_time = sn_world_time(j.world), j.start_steps = sn_world_steps(j.world);
    if (!code && !open_files(&j)) code = tool_error(&j.error);
    if (!code) {
        tool_progress_begin(&j.progress, sn_scene_name(j.scene), options->quiet);
        j.begin = tool_seconds();
        step_all(&j);
        code = finish(&j, result);
    }
    if (j.video && !tool_video_close(j.video)) code = code ? code : TOOL_FAILED;
    if (code == TOOL_BAD_INPUT && options->json && !*result)
        *result = json_pack("{s:s, s:s, s:s}", "scene", options->scene, "status", sn_status_name(j.error.status),
                            "message", j.error.text);
    close_job(&j);
    return code;
}
