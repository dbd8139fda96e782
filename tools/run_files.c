/* The files that a run writes at each step: tables of probes and steps, frames, the video. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- Tables ---- */

const char *run_component(int count, int k) {
    static const char *const axes[] = {"x", "y", "z"}, *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "zx"},
                             *const matrix[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    return count == 9 ? matrix[k] : count == 6 ? tensor[k] : axes[k % 3];
}

static bool write_probes_head(run_job *j) {
    tool_table_text(j->probes, "time");
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[SN_PROBE_VALUES];
        int count = 0;
        char name[96];
        if (sn_world_probe(j->world, i, value, &count, &j->error)) return false;
        for (int k = 0; k < count; ++k) {
            snprintf(name, sizeof name, "%s%s%s", sn_world_probe_name(j->world, i), count > 1 ? "." : "",
                     count > 1 ? run_component(count, k) : "");
            tool_table_text(j->probes, name);
        }
    }
    return tool_table_row(j->probes, &j->error);
}

static bool write_probes(run_job *j) {
    if (!j->probes) return true;
    tool_table_number(j->probes, sn_world_time(j->world));
    for (int i = 0; i < sn_world_probe_count(j->world); ++i) {
        double value[SN_PROBE_VALUES];
        int count = 0;
        if (sn_world_probe(j->world, i, value, &count, &j->error)) return false;
        for (int k = 0; k < count; ++k) tool_table_number(j->probes, value[k]);
    }
    return tool_table_row(j->probes, &j->error);
}

static bool write_steps_head(run_job *j) {
    static const char *const name[] = {"step",
                                       "time",
                                       "kinetic",
                                       "elastic",
                                       "gravity",
                                       "total",
                                       "px",
                                       "py",
                                       "pz",
                                       "lx",
                                       "ly",
                                       "lz",
                                       "contacts",
                                       "newton",
                                       "linear",
                                       "divided",
                                       "loose",
                                       "linear_misses",
                                       "newton_residual",
                                       "linear_residual",
                                       "body_contacts"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) tool_table_text(j->steps, name[i]);
    return tool_table_row(j->steps, &j->error);
}

/* Energies in J, momentum p in kg m/s and l in kg m^2/s, and the counts of the step. */
static bool write_steps(run_job *j, const sn_step_report *r) {
    if (!j->steps) return true;
    sn_energies e;
    double momentum[6];
    if (sn_world_energies(j->world, &e, NULL)) e = (sn_energies){NAN, NAN, NAN, NAN};
    sn_world_momentum(j->world, momentum, momentum + 3);
    const double row[] = {
        (double)sn_world_steps(j->world), sn_world_time(j->world), e.kinetic, e.elastic, e.gravity, e.total};
    const double counts[] = {r->contacts,      r->newton_iterations, r->linear_iterations, r->retries,      r->loose,
                             r->linear_misses, r->newton_residual,   r->linear_residual,   r->body_contacts};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) tool_table_number(j->steps, row[i]);
    for (int i = 0; i < 6; ++i) tool_table_number(j->steps, momentum[i]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) tool_table_number(j->steps, counts[i]);
    return tool_table_row(j->steps, &j->error);
}

/* The curve of a sweep: the length of the first probe's vector; without a probe the kinetic energy. */
static bool keep_history(run_job *j) {
    run_history *h = j->options->history;
    if (!h) return true;
    if (h->count == h->capacity) {
        const int capacity = 2 * h->capacity + 64;
        double *time = realloc(h->time, (size_t)capacity * sizeof *time);
        if (time) h->time = time;
        double *value = realloc(h->value, (size_t)capacity * sizeof *value);
        if (value) h->value = value;
        if (!time || !value) return sn_fail(&j->error, SN_NO_MEMORY, "out of memory"), false;
        h->capacity = capacity;
    }
    double value[SN_PROBE_VALUES], sum = 0;
    int count = 1;
    if (sn_world_probe_count(j->world) > 0) {
        if (sn_world_probe(j->world, 0, value, &count, &j->error)) return false;
        for (int k = 0; k < count; ++k) sum += value[k] * value[k];
        snprintf(h->label, sizeof h->label, "%s%.60s%s", count > 1 ? "|" : "", sn_world_probe_name(j->world, 0),
                 count > 1 ? "|" : "");
    } else {
        sn_energies e = {0};
        if (sn_world_energies(j->world, &e, NULL)) e.kinetic = NAN;
        value[0] = e.kinetic;
        snprintf(h->label, sizeof h->label, "kinetic energy [J]");
    }
    h->time[h->count] = sn_world_time(j->world);
    h->value[h->count++] = count > 1 ? sqrt(sum) : value[0];
    return true;
}

bool run_write_step(run_job *j, const sn_step_report *report) {
    static const sn_step_report none;
    return write_probes(j) && write_steps(j, report ? report : &none) && keep_history(j);
}

/* ---- Frames ---- */

/* The view of a video only grows, so that the camera stays calm. It contains the ground under a falling body from the
 * start. */
static void grow_view(run_job *j) {
    double(*view)[3] = j->output.picture.view;
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

bool run_write_frame(run_job *j) {
    if (j->writer && sn_writer_frame(j->writer, j->world, &j->error)) return false;
    if (!j->video) return true;
    grow_view(j);
    if (sn_world_render(j->world, &j->output.picture, j->frame, &j->error)) return false;
    if (tool_video_frame(j->video, j->frame)) return true;
    sn_fail(&j->error, SN_IO, "%s: ffmpeg stopped taking frames", j->options->video);
    return false;
}

/* ---- Opening and closing ---- */

/* Takes the formats of --format, "vtu,obj" or "none", in place of the scene's. */
static bool take_formats(run_job *j) {
    sn_output_options *o = &j->output;
    const char *text = j->options->format;
    if (!text) return true;
    o->format_count = 0;
    if (strcmp(text, "none") == 0) return true;
    for (const int most = (int)(sizeof o->formats / sizeof *o->formats); *text; text += *text == ',') {
        const int length = (int)strcspn(text, ",");
        if (o->format_count == most || length == 0 || length >= (int)sizeof *o->formats) {
            sn_fail(&j->error, SN_BAD_INPUT,
                    "--format is '%.100s'; it must be up to %d names with commas (see sinew list output-formats), or "
                    "none",
                    j->options->format, most);
            return false;
        }
        snprintf(o->formats[o->format_count++], sizeof *o->formats, "%.*s", length, text);
        text += length;
    }
    return true;
}

static tool_table *open_table(run_job *j, const char *name) {
    char path[1100];
    snprintf(path, sizeof path, "%.1000s/%s", j->options->out, name);
    return tool_table_open(path, &j->error);
}

static bool open_results(run_job *j) {
    const run_options *o = j->options;
    const char *slash = strrchr(o->scene, '/');
    char stem[128];
    snprintf(stem, sizeof stem, "%.100s", slash ? slash + 1 : o->scene);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
    if (j->output.format_count && sn_writer_create(j->context, o->out, stem, &j->output, &j->writer, &j->error))
        return false;
    if (sn_world_probe_count(j->world) > 0) {
        j->probes = open_table(j, "probes.csv");
        if (!j->probes || !write_probes_head(j)) return false;
    }
    j->steps = open_table(j, "steps.csv");
    return j->steps && write_steps_head(j);
}

static bool open_video(run_job *j) {
    sn_picture_options *picture = &j->output.picture;
    picture->width -= picture->width % 2, picture->height -= picture->height % 2; /* the encoder needs even sizes */
    j->frame = malloc(3 * (size_t)picture->width * (size_t)picture->height);
    const double step = sn_scene_world_options(j->scene)->time.step;
    const int every = j->output.every ? j->output.every : 1;
    const double rate = fmin(60, fmax(1, 1 / (step * every))); /* real time, within 1 to 60 frames per second */
    if (j->frame) j->video = tool_video_open(j->options->video, picture->width, picture->height, rate);
    if (!j->video) sn_fail(&j->error, SN_IO, "%s: the video cannot be written", j->options->video);
    return j->video != NULL;
}

bool run_open_files(run_job *j) {
    j->output = *sn_scene_output(j->scene);
    if (j->options->every >= 0) j->output.every = j->options->every;
    if (!take_formats(j)) return false;
    if (j->options->out && !open_results(j)) return false;
    return !j->options->video || open_video(j);
}

bool run_close_files(run_job *j) {
    const bool probes = tool_table_close(j->probes, &j->error), steps = tool_table_close(j->steps, &j->error);
    sn_writer_destroy(j->writer);
    free(j->frame);
    j->probes = j->steps = NULL, j->writer = NULL, j->frame = NULL;
    return probes && steps;
}
