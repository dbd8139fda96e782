/* Running: the clock, single steps, and the tick that steps and sends frames. */
#include <math.h>

#include "engine_internal.h"

static const double frame_seconds = 1.0 / 61, budget_seconds = 1.0 / 60, factor_seconds = 0.5, patience_seconds = 4;

void engine_start_clock(engine *e) {
    e->clock = e->factor_clock = engine_seconds();
    e->lag = 0, e->shown = false, e->failed = false, e->changed = true;
    e->factor_time = e->last_time = sn_world_time(e->world);
    e->factor = 0, e->milliseconds = 0;
    e->steps_since = e->newton = e->linear = 0, e->seconds_since = 0;
}

sn_status engine_play(engine *e, const engine_request *request, sn_error *error) {
    (void)error;
    e->playing = json_is_true(json_object_get(request->message, "on"));
    e->clock = e->factor_clock = engine_seconds(), e->factor_time = sn_world_time(e->world), e->lag = 0,
    e->shown = false;
    return SN_OK;
}

/* A speed out of range is ignored. */
sn_status engine_speed(engine *e, const engine_request *request, sn_error *error) {
    (void)error;
    const double speed = json_number_value(json_object_get(request->message, "value"));
    if (speed > 0 && speed <= 100) e->speed = speed;
    return SN_OK;
}

/* ---- Steps ---- */

/* A step that is divided again and again is given up, because somebody waits for it. */
static bool go_on(void *user, double fraction) {
    (void)fraction;
    return engine_seconds() - ((engine *)user)->step_clock < patience_seconds;
}

static bool step(engine *e) {
    sn_step_report report = {0};
    sn_error error = {0};
    engine_renew_grabs(e);
    e->step_clock = engine_seconds();
    if (!e->is_static) sn_world_watch(e->world, go_on, e);
    const sn_status status = sn_world_step(e->world, &report, &error);
    e->shown = false, e->changed = false;
    ++e->steps_since, e->seconds_since += report.seconds, e->newton += report.newton_iterations,
        e->linear += report.linear_iterations;
    e->contacts = report.contacts;
    if (!status) return true;
    e->playing = false, e->failed = true;
    engine_error(e, status, error.text);
    return false;
}

void engine_limit(engine *e, double seconds) { e->limit = seconds; }

/* The steps are taken before the next message, so that a hash or a state that is asked for belongs to their end. An
 * engine that others wait for too gives up at its limit. */
sn_status engine_advance(engine *e, const engine_request *request, sn_error *error) {
    json_int_t steps = json_integer_value(json_object_get(request->message, "steps"));
    if (steps < 1) steps = 1;
    const double begin = engine_seconds();
    json_int_t done = 0;
    while (done < steps && step(e)) {
        ++done;
        if (e->limit > 0 && done < steps && engine_seconds() - begin > e->limit)
            return sn_fail(error, SN_STOPPED, "advance: %lld of %lld steps were taken in %g s; the rest is given up",
                           (long long)done, (long long)steps, e->limit);
    }
    return SN_OK;
}

/* ---- The tick ---- */

static void measure_factor(engine *e, double now) {
    if (now - e->factor_clock < factor_seconds) return;
    e->factor = (sn_world_time(e->world) - e->factor_time) / (now - e->factor_clock);
    e->factor_clock = now, e->factor_time = sn_world_time(e->world);
}

/* Takes the steps that are due, within the budget of a frame. Steps that do not fit are dropped: the scene runs in slow
 * motion. */
static double run_due(engine *e, double now) {
    const double h = sn_world_time_options(e->world).step, most = fmax(h, 2 * budget_seconds * e->speed);
    e->lag = fmin(e->lag + (now - e->clock) * e->speed, most);
    e->clock = now;
    while (e->lag >= h && step(e)) {
        e->lag -= h;
        if (engine_seconds() - now > budget_seconds) break;
    }
    return e->lag >= h ? 0 : (h - e->lag) / e->speed;
}

double engine_tick(engine *e, bool wants_frame) {
    if (!e->world) return 0.1;
    const double now = engine_seconds();
    double wait = 0.1;
    if (e->playing && !e->is_static)
        wait = run_due(e, now);
    else if (e->playing && e->is_static && e->changed)
        step(e);
    measure_factor(e, engine_seconds());
    if (e->shown) return wait;
    if (!wants_frame) return wait > 0.004 ? 0.004 : wait;
    const double later = frame_seconds - (engine_seconds() - e->frame_clock);
    if (later > 0.0005) return wait < later ? wait : later;
    e->frame_clock = engine_seconds();
    e->shown = true;
    engine_send_frame(e);
    return wait < frame_seconds ? wait : frame_seconds;
}
