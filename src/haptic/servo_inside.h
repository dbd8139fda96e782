/* A servo, for the files that run it: servo.c (ticks, simulated time) and servo_thread.c (real time). */
#ifndef SN_HAPTIC_SERVO_INSIDE_H
#define SN_HAPTIC_SERVO_INSIDE_H

#include <pthread.h>

#include "board.h"
#include "device.h"
#include "histogram.h"
#include "protocol.h"

/* What ticks change and sn_servo_look reads. */
typedef struct sn_servo_news {
    int64_t ticks, late, skipped, faults, ignored, dropped;
    uint64_t answers, present;
    double time, position[3], force[3];
    char message[200];
} sn_servo_news;
_Static_assert(sizeof(sn_servo_news) % 8 == 0 && sizeof(sn_servo_news) <= 8 * SN_BOARD_WORDS, "fits on the board");

struct sn_servo {
    const sn_context *context;
    sn_tool *tool;
    const sn_device_kind *kind; /* NULL: a device of the caller */
    void *data;                 /* of the kind */
    sn_device_table own;        /* of the caller */
    void *user;
    bool opened;
    double rate;
    sn_protocol *protocol; /* NULL: none */

    /* Of the thread that ticks. */
    sn_servo_news news;
    bool button;
    int64_t next; /* simulated time: the number of the next tick; its time is number / rate */
    bool begun;   /* simulated time: there was a tick */

    /* For other threads. */
    sn_board board;
    sn_histogram call, lateness;
    _Atomic uint64_t delay; /* the bits of a double, s */

    /* Real time. */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    double start;  /* s: the world's time at the start */
    int64_t begin; /* ns of the clock then */
};

/* One tick. `timed`: real time, the call is timed. */
void sn_servo_tick(sn_servo *servo, double time, bool timed);
/* The hand lets go: force and load are zero. */
void sn_servo_let_go(sn_servo *servo);
void sn_servo_publish(sn_servo *servo);
void sn_servo_say(sn_servo *servo, const char *format, ...) SN_PRINTF(2, 3); /* the message of the report */
int64_t sn_servo_clock(void);                                                /* ns */

#endif
