/* Devices: what moves a tool. A kind of device is one file with one table `sn_device_NAME`; a line in SN_DEVICES makes
 * it known. */
#ifndef SN_HAPTIC_DEVICE_H
#define SN_HAPTIC_DEVICE_H

#include "base/context.h"
#include "base/fields.h"
#include "sinew/haptic.h"

typedef struct sn_device_kind {
    const char *name;
    /* Opens the device that the checked options describe: *data is what the other functions get. */
    sn_status (*create)(const sn_context *context, const sn_device_options *options, void **data, sn_error *error);
    bool (*read)(void *data, double time, sn_device_sample *sample);
    bool (*write)(void *data, double time, const double force[3]); /* NULL: a device that only points */
    void (*destroy)(const sn_context *context, void *data);
    int64_t (*ignored)(const void *data);                                           /* packets; may be NULL */
    void (*point)(void *data, const double position[3], bool button, bool present); /* from any thread; may be NULL */
} sn_device_kind;

#define SN_DEVICES(X)                                                                                                  \
    X(recorded, "plays a path from a file or from rows")                                                               \
    X(udp, "a program on the same machine sends the place and gets the force")                                         \
    X(mouse, "a program moves the tool with sn_servo_point, as the page does")
#define SN_DEVICE_DECLARE(name, text) extern const sn_device_kind sn_device_##name;
SN_DEVICES(SN_DEVICE_DECLARE)
#undef SN_DEVICE_DECLARE

const sn_device_kind *sn_device_find(const char *name); /* NULL: there is none */

/* The keys of the kinds in a scene: "udp.port", ... */
const sn_field *sn_device_fields(int *count);
sn_status sn_device_options_check(const sn_device_options *options, sn_error *error);

enum { SN_PATH_WIDTH = 5 }; /* t, x, y, z, button */
/* Checks the rows of a path. */
sn_status sn_path_check(const double *row, int count, sn_error *error);
/* Reads a path from a CSV file; messages name file and line. The caller releases *row with sn_release. */
sn_status sn_path_read(const sn_context *context, const char *file, double **row, int *count, sn_error *error);

#endif
