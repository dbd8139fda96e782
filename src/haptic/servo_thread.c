/* Servos in real time: a thread that ticks by the clock.
 *
 * Tick k is due at start + k / rate on the clock, whenever the ticks before it came: being late does not add up. When a
 * tick has taken until after the next one was due, the thread goes on with the first tick whose time has not come;
 * those in between are skipped and counted. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "servo_inside.h"

void sn_servo_delay(sn_servo *servo, double seconds) {
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    if (isfinite(seconds)) atomic_store(&servo->delay, bits);
}

#if defined(__EMSCRIPTEN__)

sn_status sn_servo_start(sn_servo *servo, double time, sn_error *error) {
    (void)servo, (void)time;
    return sn_fail(error, SN_UNSUPPORTED, "this build has no thread that ticks by the clock; use sn_servo_advance");
}

#else

#include <sched.h>
#include <time.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static void sleep_until(int64_t due) {
#if defined(__linux__)
    const struct timespec until = {due / 1000000000, due % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
#else
    const int64_t rest = due - sn_servo_clock();
    const struct timespec wait = {rest / 1000000000, rest % 1000000000};
    if (rest > 0) nanosleep(&wait, NULL);
#endif
}

/* Before the threads of the simulation, which use every core. Also without the right to that, the thread wakes within
 * a microsecond of its time when a core is free, not within 50. */
static void take_priority(sn_servo *s) {
    const struct sched_param first = {.sched_priority = 60};
    const int code = pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
    if (code) sn_servo_say(s, "the servo's thread has no priority over the simulation: %s", strerror(code));
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

static double delay_of(const sn_servo *s) {
    const uint64_t bits = atomic_load_explicit(&s->delay, memory_order_relaxed);
    double seconds;
    memcpy(&seconds, &bits, sizeof seconds);
    return seconds;
}

static void *run(void *data) {
    sn_servo *s = data;
    take_priority(s);
    const double period = 1e9 / s->rate; /* ns */
    const int64_t begin = s->begin;
    double time = s->start;
    for (int64_t k = 0; !atomic_load_explicit(&s->stop, memory_order_relaxed);) {
        const int64_t due = begin + (int64_t)((double)k * period);
        sleep_until(due);
        const int64_t now = sn_servo_clock(), late = now > due ? now - due : 0;
        sn_histogram_add(&s->lateness, late);
        s->news.late += (double)late > 0.5 * period;
        time = fmax(time, s->start + 1e-9 * (double)(now - begin) - delay_of(s));
        sn_servo_tick(s, time, true);
        const int64_t next = (int64_t)ceil((double)(sn_servo_clock() - begin) / period);
        s->news.skipped += next > k + 1 ? next - (k + 1) : 0;
        k = next > k + 1 ? next : k + 1;
    }
    return NULL;
}

sn_status sn_servo_start(sn_servo *servo, double time, sn_error *error) {
    if (servo->running) return sn_fail(error, SN_BAD_INPUT, "the servo runs already");
    if (!isfinite(time)) return sn_fail(error, SN_BAD_INPUT, "time is %g; it must be finite", time);
    const sn_status status = servo->protocol ? sn_protocol_start(servo->protocol, error) : SN_OK;
    if (status) return status;
    servo->start = time, servo->begin = sn_servo_clock();
    servo->begun = false;
    atomic_store(&servo->stop, false);
    sn_servo_delay(servo, 0);
    const int code = pthread_create(&servo->thread, NULL, run, servo);
    servo->running = code == 0;
    if (!code) return SN_OK;
    if (servo->protocol) sn_protocol_stop(servo->protocol);
    return sn_fail(error, SN_UNSUPPORTED, "no thread for the servo: %s", strerror(code));
}

#endif

sn_status sn_servo_stop(sn_servo *servo, sn_error *error) {
    if (servo->running) {
        atomic_store(&servo->stop, true);
        pthread_join(servo->thread, NULL);
        servo->running = false;
        if (servo->protocol) sn_protocol_stop(servo->protocol);
    }
    if (servo->news.ticks > 0) { /* the thread has ended: this one writes the board now */
        sn_servo_let_go(servo);
        sn_servo_publish(servo);
    }
    return servo->protocol ? sn_protocol_write(servo->protocol, error) : SN_OK;
}
