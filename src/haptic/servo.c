/* Servos: a device and a tool, tick by tick. This file makes servos, does one tick, and ticks in simulated time.
 *
 * A tick reads the device, asks the tool for the force and plays it. The thread that ticks writes its report on a
 * board, where any other thread may look. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cookie.h"
#include "servo_inside.h"
#include "servo_options.h"
#include "world/inside.h"
#include "world/tool_shared.h"

#define AT(member) offsetof(sn_servo_options, member)
static const sn_field fields[] = {
    {"device", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, sn_devices, "",
     "what moves the tool: a name, or an object with the name and its options"},
    {"rate", SN_FIELD_DOUBLE, AT(rate), 1, 10, 1e4, 0, 1000, NULL, NULL, "Hz", "ticks of the servo per second"},
    {"protocol", SN_FIELD_TEXT, AT(protocol), sizeof((sn_servo_options *)0)->protocol, 0, 0, 0, 0, NULL, NULL, "",
     "a CSV file in the folder of `--out` that gets place and force of each tick"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const sn_field *sn_servo_fields(int *count) {
    *count = FIELDS;
    return fields;
}

sn_servo_options sn_servo_options_default(void) {
    sn_servo_options options = {.cookie = SN_COOKIE};
    sn_fields_default(fields, FIELDS, &options);
    return options;
}

sn_status sn_servo_options_check(const sn_servo_options *options, sn_error *error) {
    const sn_status status = sn_cookie_check(options->cookie, "sn_servo_options", error);
    return status ? status : sn_fields_check(fields, FIELDS, options, error);
}

/* ---- Creation ---- */

/* A servo without a device. */
static sn_status make(sn_world *world, int tool, const sn_servo_options *options, sn_servo **servo, sn_error *error) {
    const sn_servo_options o = options ? *options : sn_servo_options_default();
    sn_status status = sn_servo_options_check(&o, error);
    if (status) return status;
    sn_tool *held = sn_world_tool(world, tool);
    if (!held) return sn_fail(error, SN_BAD_INPUT, "tool is %d; the world has %d", tool, sn_world_tool_count(world));
    sn_servo *s = sn_allocate_zero(world->context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = world->context;
    s->rate = o.rate;
    s->tool = sn_tool_hold(held);
    if (o.protocol[0]) status = sn_protocol_create(s->context, o.protocol, &s->protocol, error);
    if (status)
        sn_servo_destroy(s);
    else
        *servo = s;
    return status;
}

sn_status sn_servo_create(sn_world *world, int tool, const sn_device_options *device, const sn_servo_options *options,
                          sn_servo **servo, sn_error *error) {
    sn_servo *s = NULL;
    sn_status status = sn_within(error, sn_device_options_check(device, error), "device");
    if (!status) status = make(world, tool, options, &s, error);
    if (status) return status;
    s->kind = sn_device_find(device->kind);
    status = sn_within(error, s->kind->create(s->context, device, &s->data, error), "device");
    s->opened = status == SN_OK;
    if (status)
        sn_servo_destroy(s);
    else
        *servo = s;
    return status;
}

sn_status sn_servo_create_own(sn_world *world, int tool, const sn_device_table *device, void *user,
                              const sn_servo_options *options, sn_servo **servo, sn_error *error) {
    sn_servo *s = NULL;
    sn_status status = sn_cookie_check(device->cookie, "sn_device_table", error);
    if (!status && !device->read) status = sn_fail_at(error, SN_BAD_INPUT, "read", "a device needs a function 'read'");
    if (!status) status = make(world, tool, options, &s, error);
    if (status) return status;
    s->own = *device;
    s->user = user;
    status = device->open ? device->open(user, error) : SN_OK;
    s->opened = status == SN_OK;
    if (status)
        sn_servo_destroy(s);
    else
        *servo = s;
    return status;
}

void sn_servo_destroy(sn_servo *servo) {
    if (!servo) return;
    sn_servo_stop(servo, NULL);
    if (servo->opened && servo->kind)
        servo->kind->destroy(servo->context, servo->data);
    else if (servo->opened && servo->own.close)
        servo->own.close(servo->user);
    sn_protocol_destroy(servo->protocol);
    sn_tool_release(servo->tool);
    sn_release(servo->context, servo);
}

/* ---- The report ---- */

void sn_servo_say(sn_servo *servo, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(servo->news.message, sizeof servo->news.message, format, arguments);
    va_end(arguments);
}

void sn_servo_publish(sn_servo *servo) {
    if (servo->kind && servo->kind->ignored) servo->news.ignored = servo->kind->ignored(servo->data);
    sn_board_write(&servo->board, &servo->news, sizeof servo->news);
}

void sn_servo_look(const sn_servo *servo, sn_servo_report *report) {
    sn_servo_news news;
    while (!sn_board_read(&servo->board, &news, sizeof news)) continue;
    *report = (sn_servo_report){.ticks = news.ticks,
                                .late = news.late,
                                .skipped = news.skipped,
                                .answers = news.answers != 0,
                                .present = news.present != 0,
                                .faults = news.faults,
                                .ignored = news.ignored,
                                .dropped = news.dropped,
                                .time = news.time};
    sn_histogram_marks(&servo->call, &report->call_mean, &report->call_high, &report->call_most);
    sn_histogram_marks(&servo->lateness, &report->lateness_mean, &report->lateness_high, &report->lateness_most);
    memcpy(report->message, news.message, sizeof report->message);
    memcpy(report->position, news.position, sizeof report->position);
    memcpy(report->force, news.force, sizeof report->force);
}

/* ---- A tick ---- */

int64_t sn_servo_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool read_device(sn_servo *s, double time, sn_device_sample *sample) {
    *sample = (sn_device_sample){.present = true};
    return s->kind ? s->kind->read(s->data, time, sample) : s->own.read(s->user, time, sample);
}

static bool write_device(sn_servo *s, double time, const double force[3]) {
    if (s->kind) return !s->kind->write || s->kind->write(s->data, time, force);
    return !s->own.write || s->own.write(s->user, time, force);
}

/* The force of the tool. A place that jumps is a fault. */
static void feel(sn_servo *s, double time, const sn_device_sample *sample, bool timed, double force[3]) {
    if (sample->button != s->button) sn_haptic_button(s->tool, s->button = sample->button);
    const bool known = s->tool->servo.known;
    const double epoch = s->tool->servo.sample.epoch;
    const int64_t begin = timed ? sn_servo_clock() : 0;
    sn_haptic_force(s->tool, sample->position, time, force);
    if (timed) sn_histogram_add(&s->call, sn_servo_clock() - begin);
    const double depth = sn_tool_depth(s->tool);
    if (known && s->tool->servo.sample.epoch != epoch) {
        ++s->news.faults;
        sn_servo_say(s, "at %.6g s: the place jumped to %.3g, %.3g, %.3g m", time, sample->position[0],
                     sample->position[1], sample->position[2]);
    }
    const sn_protocol_row row = {.time = time,
                                 .position = {sample->position[0], sample->position[1], sample->position[2]},
                                 .force = {force[0], force[1], force[2]},
                                 .depth = depth,
                                 .button = sample->button,
                                 .touches = depth > 0 || force[0] != 0 || force[1] != 0 || force[2] != 0};
    if (s->protocol && !sn_protocol_put(s->protocol, &row)) ++s->news.dropped;
}

void sn_servo_let_go(sn_servo *servo) {
    if (servo->button) sn_haptic_button(servo->tool, servo->button = false);
    sn_haptic_lost(servo->tool);
    servo->news.present = false;
    memset(servo->news.force, 0, sizeof servo->news.force);
}

void sn_servo_tick(sn_servo *servo, double time, bool timed) {
    sn_servo_news *news = &servo->news;
    const char *name = servo->kind ? servo->kind->name : servo->own.name;
    sn_device_sample sample;
    double force[3] = {0, 0, 0};
    news->answers = read_device(servo, time, &sample);
    const double *p = sample.position;
    const bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
    if (!news->answers)
        sn_servo_say(servo, "at %.6g s: the device '%.31s' does not answer", time, name);
    else if (sample.present && !finite)
        sn_servo_say(servo, "at %.6g s: the place is %g, %g, %g", time, p[0], p[1], p[2]);
    news->faults += !news->answers || (sample.present && !finite);
    if (news->answers && sample.present && finite) {
        feel(servo, time, &sample, timed, force);
        news->present = true;
        memcpy(news->position, p, sizeof news->position);
    } else if (news->present)
        sn_servo_let_go(servo);
    if (!write_device(servo, time, force) && news->answers) {
        news->answers = false;
        ++news->faults;
        sn_servo_let_go(servo);
        memset(force, 0, sizeof force);
        sn_servo_say(servo, "at %.6g s: the device '%.31s' does not take the force", time, name);
    }
    memcpy(news->force, force, sizeof news->force);
    news->time = time;
    ++news->ticks;
    sn_servo_publish(servo);
}

/* ---- Simulated time ---- */

sn_status sn_servo_advance(sn_servo *servo, double time, sn_error *error) {
    if (servo->running) return sn_fail(error, SN_BAD_INPUT, "the servo runs by the clock; stop it first");
    if (!isfinite(time) || fabs(time) > 1e9)
        return sn_fail(error, SN_BAD_INPUT, "time is %g; it must be a number of at most 1e9 s", time);
    const int64_t last = (int64_t)floor(time * servo->rate + 1e-6);
    if (!servo->begun || last + 1 < servo->next) servo->next = last;
    servo->begun = true;
    sn_status status = SN_OK;
    for (; servo->next <= last; ++servo->next) {
        sn_servo_tick(servo, (double)servo->next / servo->rate, false);
        if (servo->protocol && servo->next % 4096 == 0) {
            const sn_status written = sn_protocol_write(servo->protocol, status ? NULL : error);
            if (!status) status = written;
        }
    }
    return status;
}

void sn_servo_point(sn_servo *servo, const double position[3], bool button, bool present) {
    if (servo->kind && servo->kind->point) servo->kind->point(servo->data, position, button, present);
}
