/* The device "recorded": plays a path, linear between its rows. Before the first row and after the last one nobody
 * holds it. */
#include <string.h>

#include "device.h"

typedef struct recorded {
    double *row;
    int count, at; /* the row at or before the last time that was asked for */
} recorded;

static void destroy(const sn_context *context, void *data) {
    recorded *r = data;
    sn_release(context, r->row);
    sn_release(context, r);
}

static sn_status create(const sn_context *context, const sn_device_options *options, void **data, sn_error *error) {
    recorded *r = sn_allocate_zero(context, 1, sizeof *r);
    if (!r) return sn_no_memory(error);
    sn_status status = SN_OK;
    if (options->file[0])
        status = sn_path_read(context, options->file, &r->row, &r->count, error);
    else {
        r->count = options->row_count;
        r->row = sn_allocate(context, (size_t)r->count * SN_PATH_WIDTH, sizeof *r->row);
        if (r->row)
            memcpy(r->row, options->row, (size_t)r->count * SN_PATH_WIDTH * sizeof *r->row);
        else
            status = sn_no_memory(error);
    }
    if (status)
        destroy(context, r);
    else
        *data = r;
    return status;
}

static bool play(void *data, double time, sn_device_sample *sample) {
    recorded *r = data;
    const double *row = r->row;
    sample->present = time >= row[0] && time <= row[(size_t)(r->count - 1) * SN_PATH_WIDTH];
    if (!sample->present) return true;
    int low = r->at, high = r->count; /* the row is in [low, high) */
    if (row[(size_t)low * SN_PATH_WIDTH] > time) low = 0, high = r->at;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(row[(size_t)middle * SN_PATH_WIDTH] > time ? &high : &low) = middle;
    }
    r->at = low;
    const double *from = row + (size_t)low * SN_PATH_WIDTH, *to = low + 1 < r->count ? from + SN_PATH_WIDTH : from;
    const double share = to[0] > from[0] ? (time - from[0]) / (to[0] - from[0]) : 0;
    for (int a = 1; a <= 3; ++a) sample->position[a - 1] = from[a] + share * (to[a] - from[a]);
    sample->button = from[4] != 0;
    return true;
}

const sn_device_kind sn_device_recorded = {.name = "recorded", .create = create, .read = play, .destroy = destroy};
