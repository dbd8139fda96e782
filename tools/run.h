/* One run of a scene, as `sinew run` does it. */
#ifndef SINEW_TOOL_RUN_H
#define SINEW_TOOL_RUN_H

#include "tool.h"

/* ---- video.c: a process of ffmpeg that receives raw frames ---- */
typedef struct tool_video tool_video;
/* Checks the ending of the path before a run. Prints a message and returns false when no video can have it. */
bool tool_video_check(const char *path);
/* Starts ffmpeg. Prints a message and returns NULL when ffmpeg is missing. `rate`: frames per second. */
tool_video *tool_video_open(const char *path, int width, int height, double rate);
bool tool_video_frame(tool_video *video, const unsigned char *rgb);
bool tool_video_close(tool_video *video); /* prints a message and returns false when ffmpeg failed */

/* One curve of the plot of a sweep: a probe (or an energy) over time. */
typedef struct run_history {
    char label[96];
    double *time, *value;
    int count, capacity;
} run_history;

typedef struct run_options {
    const char *scene, *out, *format, *picture, *video, *save, *restore; /* NULL: not wanted */
    const char *simd;                                                    /* NULL: the widest set */
    int every;                                                           /* -1: as in the scene */
    int threads, checkpoint;                                             /* checkpoint 0: none */
    bool json, quiet, realtime;
    sn_override override[2 * TOOL_MANY];
    int overrides;
    run_history *history; /* NULL: not wanted */
} run_options;

/* Sums over the steps of a run. */
typedef struct run_counts {
    int64_t newton, linear; /* iterations */
    int64_t divided;        /* steps that were taken in parts */
    int64_t loose;          /* parts that did not converge */
    int64_t misses;         /* linear solves that did not reach their tolerance */
} run_counts;

/* How a run with --realtime keeps pace with the clock. */
typedef struct run_pace {
    double begin;        /* of the run, on the clock */
    int64_t steps, late; /* late: the step before had not ended when the step should have begun */
    double most, delay;  /* s: of one step, of all */
} run_pace;

/* A run in progress. */
typedef struct run_job {
    const run_options *options;
    sn_context *context;
    sn_scene *scene;
    sn_world *world;
    sn_output_options output;
    sn_writer *writer;
    tool_table *probes, *steps; /* probes.csv, steps.csv */
    tool_video *video;
    unsigned char *frame; /* pixels of the present frame of the video */
    tool_progress progress;
    json_t *warnings;
    double setup, stepping, writing; /* s: spent on the set-up, on steps, on files and pictures */
    double start_time, end_time;     /* s: the world's time at the start (above 0 after --restore), and at the end */
    int64_t start_steps;
    run_counts counts;
    bool listed, saved, pictured, filmed; /* the results, the state, the picture, the video were written whole */
    bool is_static;
    sn_servo **servo; /* one per tool; NULL: the tool has no device */
    int servos;
    run_pace pace;
    sn_step_report last;
    sn_status status; /* of the run */
    sn_error error;
} run_job;

/* Runs the scene and prints the summary. *result gets a JSON object, also when the run failed. Returns the exit
 * code. */
int run_scene(const run_options *options, json_t **result);

/* ---- run_files.c: what a run writes at each step. The functions that return false have set the job's error ---- */
/* The name of component k of a probe of so many numbers: "x", "xx", ... */
const char *run_component(int count, int k);
bool run_open_files(run_job *job);
bool run_write_step(run_job *job, const sn_step_report *report); /* rows of the tables; NULL before the first step */
bool run_write_frame(run_job *job);
bool run_close_files(run_job *job);

/* ---- run_tools.c: tools with a device, and the pace of the clock. The functions that return false have set the job's
 * error and status ---- */
bool run_open_tools(run_job *job);
void run_warn_tools(run_job *job);
bool run_begin_tools(run_job *job); /* before the first step */
bool run_before_step(run_job *job);
bool run_after_step(run_job *job);
void run_end_tools(run_job *job); /* stops the servos */
void run_close_tools(run_job *job);
json_t *run_tools_json(const run_job *job);
json_t *run_pace_json(const run_job *job);
void run_print_tools(const run_job *job);

/* ---- run_scene.c: a warning on the terminal and in the JSON object ---- */
void run_warn(run_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- run_report.c: what a run says at its end ---- */
json_t *run_result(const run_job *job);
void run_print_summary(const run_job *job);

/* ---- run_sweep.c: the files of a sweep ---- */
/* Writes sweep.csv and sweep.svg into a folder. `runs` are results with the swept values under "set". Returns the exit
 * code. */
int run_write_sweep(const char *folder, const json_t *runs, const run_history *history, const char *const *name,
                    bool quiet);

#endif
