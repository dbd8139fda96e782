/* The protocol of a servo: a CSV file with a row per tick.
 *
 * The rows go through a ring of fixed size. The servo's thread puts rows in and never waits; when the ring is full the
 * row is lost, and counted. Rows are taken out by a thread of the protocol while the servo's thread runs, and otherwise
 * by the caller. */
#ifndef SN_HAPTIC_PROTOCOL_H
#define SN_HAPTIC_PROTOCOL_H

#include <stdbool.h>

#include "base/context.h"

typedef struct sn_protocol_row {
    double time, position[3], force[3], depth;
    bool button, touches;
} sn_protocol_row;

typedef struct sn_protocol sn_protocol;

/* Makes the file and writes its head. */
sn_status sn_protocol_create(const sn_context *context, const char *path, sn_protocol **protocol, sn_error *error);
/* False: the ring is full. */
bool sn_protocol_put(sn_protocol *protocol, const sn_protocol_row *row);
/* Writes the rows that are in the ring. SN_IO when a row of this or of an earlier call could not be written. Not while
 * the thread of the protocol runs. */
sn_status sn_protocol_write(sn_protocol *protocol, sn_error *error);
/* A thread that writes rows as they come. */
sn_status sn_protocol_start(sn_protocol *protocol, sn_error *error);
void sn_protocol_stop(sn_protocol *protocol); /* nothing runs: does nothing */
void sn_protocol_destroy(sn_protocol *protocol);

#endif
