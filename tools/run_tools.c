/* Tools of a run: the servos that move them, and the pace of the clock.
 *
 * Without --realtime the servos tick in simulated time, before the first step and after each step, so a recorded path
 * gives the same bits each time. With --realtime each servo has a thread that ticks by the clock, and a step begins
 * when its time has come: at the begin of the run plus the simulated time since then plus the delay. When the step
 * before has not ended by then, the run is late: the delay grows by that much, for the steps and for the servos. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

static const char *device_of(const run_job *j, int tool) {
    const sn_device_options *device = sn_scene_device(j->scene, tool);
    return device ? device->kind : "";
}

static const char *name_of(const run_job *j, int tool) { return sn_scene_world_options(j->scene)->tool[tool].name; }

bool run_open_tools(run_job *j) {
    const int count = sn_scene_world_options(j->scene)->tool_count;
    const bool by_clock = j->options->realtime;
    if (by_clock && j->is_static) {
        j->status = sn_fail(&j->error, SN_BAD_INPUT, "--realtime has no effect in mode 'static', which has no time");
        return false;
    }
    j->servo = count ? calloc((size_t)count, sizeof *j->servo) : NULL;
    if (count && !j->servo) {
        j->status = sn_fail(&j->error, SN_NO_MEMORY, "out of memory");
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const char *device = device_of(j, i);
        if (!*device) continue;
        if (strcmp(device, "udp") == 0 && !by_clock) {
            j->status = sn_fail_at(&j->error, SN_BAD_INPUT, "tools",
                                   "the tool '%.60s' has the device 'udp', which needs --realtime: its driver moves by "
                                   "the clock",
                                   name_of(j, i));
            return false;
        }
        j->status = sn_scene_create_servo(j->scene, j->world, i, j->options->out, &j->servo[i], &j->error);
        if (j->status) return false;
        j->servos = i + 1;
    }
    return true;
}

void run_warn_tools(run_job *j) {
    for (int i = 0; i < j->servos; ++i) {
        if (!j->servo[i]) continue;
        if (strcmp(device_of(j, i), "mouse") == 0)
            run_warn(j, "the device 'mouse' of the tool '%s' does not move here; it is for sinew view", name_of(j, i));
        if (!j->options->out && *sn_scene_servo(j->scene, i)->protocol)
            run_warn(j, "the protocol of the tool '%s' has no effect without --out DIR: it is not written",
                     name_of(j, i));
    }
}

static void sleep_for(double seconds) {
    const struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&rest, NULL);
}

/* Waits until the step may begin. */
static bool keep_pace(run_job *j) {
    run_pace *p = &j->pace;
    const double due = p->begin + (sn_world_time(j->world) - j->start_time) + p->delay;
    double now = tool_seconds();
    ++p->steps;
    if (now > due) {
        ++p->late;
        p->most = fmax(p->most, now - due);
        p->delay += now - due;
        for (int i = 0; i < j->servos; ++i)
            if (j->servo[i]) sn_servo_delay(j->servo[i], p->delay);
    }
    for (; now < due && !tool_stop_asked(); now = tool_seconds()) sleep_for(fmin(due - now, 0.1));
    return true;
}

bool run_begin_tools(run_job *j) {
    const double time = sn_world_time(j->world);
    j->pace.begin = tool_seconds();
    for (int i = 0; i < j->servos && !j->status; ++i)
        if (j->servo[i])
            j->status = j->options->realtime ? sn_servo_start(j->servo[i], time, &j->error)
                                             : sn_servo_advance(j->servo[i], time, &j->error);
    return j->status == SN_OK;
}

bool run_before_step(run_job *j) { return !j->options->realtime || keep_pace(j); }

bool run_after_step(run_job *j) {
    const double time = sn_world_time(j->world);
    for (int i = 0; i < j->servos && !j->status && !j->options->realtime; ++i)
        if (j->servo[i]) j->status = sn_servo_advance(j->servo[i], time, &j->error);
    return j->status == SN_OK;
}

/* The last step has been computed, but its time on the clock goes on until its end. */
void run_end_tools(run_job *j) {
    if (j->options->realtime && !j->status) {
        const double due = j->pace.begin + (sn_world_time(j->world) - j->start_time) + j->pace.delay;
        for (double now; (now = tool_seconds()) < due && !tool_stop_asked();) sleep_for(fmin(due - now, 0.1));
    }
    for (int i = 0; i < j->servos; ++i) {
        sn_error error = {0};
        if (!j->servo[i]) continue;
        if (sn_servo_stop(j->servo[i], &error) && !j->status) j->status = error.status, j->error = error;
        sn_servo_report r;
        sn_servo_look(j->servo[i], &r);
        if (r.faults || r.dropped)
            run_warn(j, "the tool '%s' had %lld fault%s and lost %lld row%s of its protocol%s%s", name_of(j, i),
                     (long long)r.faults, tool_ending(r.faults), (long long)r.dropped, tool_ending(r.dropped),
                     *r.message ? "; the last one " : "", r.message);
    }
}

void run_close_tools(run_job *j) {
    for (int i = 0; i < j->servos; ++i) sn_servo_destroy(j->servo[i]);
    free(j->servo);
    j->servo = NULL, j->servos = 0;
}

/* ---- What they say ---- */

json_t *run_tools_json(const run_job *j) {
    json_t *all = json_array();
    for (int i = 0; i < j->servos; ++i) {
        if (!j->servo[i]) continue;
        sn_servo_report r;
        sn_servo_look(j->servo[i], &r);
        json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "name", name_of(j, i), "device", device_of(j, i),
                              "ticks", (json_int_t)r.ticks, "faults", (json_int_t)r.faults, "dropped",
                              (json_int_t)r.dropped, "message", r.message);
        if (j->options->realtime) {
            json_object_set_new(o, "late", json_integer(r.late));
            json_object_set_new(o, "skipped", json_integer(r.skipped));
            json_object_set_new(o, "ignored", json_integer(r.ignored));
            const double call[] = {r.call_mean, r.call_high, r.call_most},
                         lateness[] = {r.lateness_mean, r.lateness_high, r.lateness_most};
            static const char *const mark[] = {"mean", "high", "most"};
            json_t *calls = json_object(), *latenesses = json_object();
            for (int k = 0; k < 3; ++k) {
                json_object_set_new(calls, mark[k], tool_number(call[k]));
                json_object_set_new(latenesses, mark[k], tool_number(lateness[k]));
            }
            json_object_set_new(o, "call", calls);
            json_object_set_new(o, "lateness", latenesses);
        }
        json_array_append_new(all, o);
    }
    return all;
}

json_t *run_pace_json(const run_job *j) {
    const run_pace *p = &j->pace;
    return json_pack("{s:I, s:I, s:o, s:o}", "steps", (json_int_t)p->steps, "late", (json_int_t)p->late, "most",
                     tool_number(p->most), "delay", tool_number(p->delay));
}

void run_print_tools(const run_job *j) {
    const run_pace *p = &j->pace;
    if (j->options->realtime)
        printf("  clock     %lld of %lld steps began late, at most %.3g ms, %.3g s in all\n", (long long)p->late,
               (long long)p->steps, 1e3 * p->most, p->delay);
    for (int i = 0; i < j->servos; ++i) {
        if (!j->servo[i]) continue;
        sn_servo_report r;
        sn_servo_look(j->servo[i], &r);
        printf("  tool      %s: %s, %lld ticks", name_of(j, i), device_of(j, i), (long long)r.ticks);
        if (j->options->realtime)
            printf(
                ", %lld late, %lld skipped; 99.9 %% of the calls took less than %.3g us and 99.9 %% of the ticks came "
                "within %.3g us",
                (long long)r.late, (long long)r.skipped, 1e6 * r.call_high, 1e6 * r.lateness_high);
        printf("\n");
        if (j->options->realtime && *r.message && !r.faults) printf("            %s\n", r.message);
    }
}
