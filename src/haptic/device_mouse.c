/* The device "mouse": a program moves the tool (sn_servo_point), from any thread. The servo never waits for it: while a
 * new place is being written, the last one holds. */
#include <pthread.h>

#include "board.h"
#include "device.h"

typedef struct place {
    double position[3];
    uint64_t button, present;
} place;

typedef struct mouse {
    pthread_mutex_t mutex; /* between those that write */
    sn_board board;
    place last; /* of the servo's thread */
} mouse;

static sn_status create(const sn_context *context, const sn_device_options *options, void **data, sn_error *error) {
    (void)options;
    mouse *m = sn_allocate_zero(context, 1, sizeof *m);
    if (!m) return sn_no_memory(error);
    if (pthread_mutex_init(&m->mutex, NULL)) {
        sn_release(context, m);
        return sn_no_memory(error);
    }
    *data = m;
    return SN_OK;
}

static void point(void *data, const double position[3], bool button, bool present) {
    mouse *m = data;
    const place next = {{position[0], position[1], position[2]}, button, present};
    pthread_mutex_lock(&m->mutex);
    sn_board_write(&m->board, &next, sizeof next);
    pthread_mutex_unlock(&m->mutex);
}

static bool read_place(void *data, double time, sn_device_sample *sample) {
    (void)time;
    mouse *m = data;
    place now;
    if (sn_board_read(&m->board, &now, sizeof now)) m->last = now;
    for (int a = 0; a < 3; ++a) sample->position[a] = m->last.position[a];
    sample->button = m->last.button != 0, sample->present = m->last.present != 0;
    return true;
}

static void destroy(const sn_context *context, void *data) {
    mouse *m = data;
    pthread_mutex_destroy(&m->mutex);
    sn_release(context, m);
}

const sn_device_kind sn_device_mouse = {
    .name = "mouse", .create = create, .read = read_place, .destroy = destroy, .point = point};
