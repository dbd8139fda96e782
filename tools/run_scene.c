/* One run of a scene: load, step, write, report. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- Warnings ---- */

void run_warn(run_job *j, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tool_fail(0, "warning: %s", text);
    json_array_append_new(j->warnings, json_string(text));
}

static void warn_at_start(run_job *j) {
    enum { MOST = 8 }; /* more warnings of a kind say nothing new */
    char overlap[MOST][TOOL_WARNING];
    const int overlaps = tool_find_overlaps(j->world, overlap, MOST);
    for (int i = 0; i < overlaps; ++i) run_warn(j, "%s", overlap[i]);
    if (!j->options->out && sn_scene_gives(j->scene, "output.formats"))
        run_warn(j, "output.formats has no effect without --out DIR: no result files are written");
    run_warn_tools(j);
}

/* ---- Steps ---- */

/* Called by the library within long steps: shows where they are. Returns false when the user wants to stop. */
static bool watch(void *user, double fraction) {
    run_job *j = user;
    if (!j->is_static) {
        const double end = sn_scene_world_options(j->scene)->time.end, t = fraction * end;
        snprintf(j->progress.note, sizeof j->progress.note, "at %.6g s, ", t);
        fraction = (t - j->start_time) / fmax(j->end_time - j->start_time, 1e-300);
    }
    tool_progress_show(&j->progress, fraction);
    return !tool_stop_asked();
}

/* An end that is no multiple of the step: the last step is shorter and ends there. */
static bool shorten_last_step(run_job *j) {
    sn_time_options time = sn_world_time_options(j->world);
    const double rest = j->end_time - sn_world_time(j->world);
    if (j->is_static || rest > (1 - 1e-9) * time.step) return true;
    time.step = rest;
    j->status = sn_world_set_time(j->world, &time, &j->error);
    return j->status == SN_OK;
}

static bool step_once(run_job *j) {
    sn_step_report report = {0};
    if (!shorten_last_step(j) || !run_before_step(j)) return false;
    const double begin = tool_seconds();
    j->status = sn_world_step(j->world, &report, &j->error);
    j->stepping += tool_seconds() - begin;
    j->counts.newton += report.newton_iterations;
    j->counts.linear += report.linear_iterations;
    j->counts.divided += report.retries > 0;
    j->counts.loose += report.loose;
    j->counts.misses += report.linear_misses;
    j->last = report;
    return j->status == SN_OK && run_after_step(j);
}

static bool save(run_job *j) {
    j->saved = false;
    if (sn_world_save(j->world, j->options->save, &j->error)) return false;
    j->saved = true;
    return true;
}

/* The files of a step; `step` counts from 0, the start of the run. */
static void write_files(run_job *j, int64_t step, bool last) {
    const int every = j->output.every;
    const double begin = tool_seconds();
    bool good = run_write_step(j, step ? &j->last : NULL);
    if (good && (last || (every && step % every == 0))) good = run_write_frame(j);
    if (good && step && !last && j->options->checkpoint && step % j->options->checkpoint == 0) good = save(j);
    if (!good) j->status = j->error.status;
    j->writing += tool_seconds() - begin;
}

static bool at_end(const run_job *j, int64_t step) {
    if (j->is_static) return step > 0;
    return sn_world_time(j->world) >= j->end_time - 1e-9 * sn_scene_world_options(j->scene)->time.step;
}

/* Takes all steps to the end. A status other than SN_OK is kept in the job. */
static void step_all(run_job *j) {
    int64_t step = 0;
    sn_world_watch(j->world, watch, j);
    write_files(j, 0, at_end(j, 0));
    if (!j->status) run_begin_tools(j);
    while (!j->status && !at_end(j, step)) {
        if (tool_stop_asked()) {
            j->status = sn_fail(&j->error, SN_STOPPED, "stopped by a signal after %lld steps", (long long)step);
            break;
        }
        if (!step_once(j)) break;
        ++step;
        write_files(j, step, at_end(j, step));
        if (!j->is_static) watch(j, sn_world_time(j->world) / sn_scene_world_options(j->scene)->time.end);
    }
    run_end_tools(j);
    /* A run that was stopped leaves its last state like one that has ended. */
    const bool written = j->output.every && step % j->output.every == 0;
    if (j->status == SN_STOPPED && !written && !run_write_frame(j)) j->status = j->error.status;
}

/* ---- The end ---- */

/* Writes state and picture. What cannot be written is a failure, and is not listed. */
static int write_last_files(run_job *j) {
    const run_options *o = j->options;
    const sn_error before = j->error;
    const bool whole = j->status == SN_OK || j->status == SN_STOPPED || j->status == SN_IO;
    const double begin = tool_seconds();
    int code = TOOL_OK;
    if (o->save && whole && !save(j)) tool_error(&j->error), code = TOOL_FAILED;
    if (o->picture && sn_world_picture(j->world, o->picture, &j->output.picture, &j->error))
        tool_error(&j->error), code = TOOL_FAILED;
    else
        j->pictured = o->picture != NULL;
    j->listed = run_close_files(j) && o->out && j->status != SN_IO;
    if (o->out && !j->listed) {
        if (j->status != SN_IO) tool_error(&j->error);
        code = TOOL_FAILED;
    }
    j->filmed = j->video && tool_video_close(j->video);
    if (j->video && !j->filmed) code = TOOL_FAILED;
    j->writing += tool_seconds() - begin;
    j->error = before;
    return code;
}

static int finish(run_job *j, json_t **result) {
    const run_options *o = j->options;
    tool_progress_end(&j->progress);
    const int code = write_last_files(j);
    *result = run_result(j);
    if (!o->json && !o->quiet) run_print_summary(j);
    if (!j->status) return code;
    tool_fail(0, "%s: %s at %.6g s: %s", o->scene, sn_status_name(j->status), sn_world_time(j->world), j->error.text);
    return j->status == SN_STOPPED ? 128 + tool_stop_asked() : TOOL_FAILED;
}

static int start(run_job *j) {
    const run_options *o = j->options;
    const double begin = tool_seconds();
    if (sn_scene_load(j->context, o->scene, o->override, o->overrides, &j->scene, &j->error) ||
        sn_scene_create_world(j->scene, &j->world, &j->error) ||
        (o->restore && sn_world_restore(j->world, o->restore, &j->error)))
        return tool_error(&j->error);
    const sn_world_options *world = sn_scene_world_options(j->scene);
    j->is_static = strcmp(world->time.mode, "static") == 0;
    j->start_time = sn_world_time(j->world), j->start_steps = sn_world_steps(j->world);
    j->end_time = world->time.end;
    j->setup = tool_seconds() - begin;
    if (!run_open_files(j) || !run_open_tools(j)) return tool_error(&j->error);
    warn_at_start(j);
    return TOOL_OK;
}

int run_scene(const run_options *options, json_t **result) {
    const char *const file[] = {options->picture, options->video, options->save};
    for (int i = 0; i < 3; ++i)
        if (file[i] && !tool_writable(file[i], file[i] == options->save)) return TOOL_BAD_INPUT;
    run_job j = {.options = options, .warnings = json_array()};
    int code = tool_context(options->threads, options->simd, &j.context, &j.error);
    if (!code) code = start(&j);
    if (!code) {
        tool_progress_begin(&j.progress, sn_scene_name(j.scene), options->quiet);
        step_all(&j);
        code = finish(&j, result);
    } else {
        run_close_files(&j);
        if (j.video) tool_video_close(j.video);
    }
    if (code == TOOL_BAD_INPUT && options->json && !*result)
        *result = json_pack("{s:s, s:s, s:s}", "scene", options->scene, "status", sn_status_name(j.error.status),
                            "message", j.error.text);
    json_decref(j.warnings);
    run_close_tools(&j);
    sn_world_destroy(j.world);
    sn_scene_destroy(j.scene);
    if (j.context) sn_context_destroy(j.context);
    return code;
}
