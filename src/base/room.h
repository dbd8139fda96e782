/* Memory for work that is done again and again with changing sizes: a list of buffers that are taken in the same order
 * each time. A buffer grows to the largest size so far and stays. */
#ifndef SN_BASE_ROOM_H
#define SN_BASE_ROOM_H

#include "context.h"

enum { SN_ROOM_BUFFERS = 48 };

typedef struct sn_room {
    int next; /* the buffer that is taken next */
    void *buffer[SN_ROOM_BUFFERS];
    size_t bytes[SN_ROOM_BUFFERS];
} sn_room;

/* Begins again with the first buffer. The contents of all buffers may be used for something else. */
static inline void sn_room_rewind(sn_room *room) { room->next = 0; }
/* The next buffer, with room for `count` items; its content is undefined. NULL when there is no memory. */
void *sn_room_take(const sn_context *context, sn_room *room, size_t count, size_t size);
/* Makes the buffer that was taken last larger and keeps its content. */
void *sn_room_extend(const sn_context *context, sn_room *room, size_t count, size_t size);
void sn_room_release(const sn_context *context, sn_room *room);

#endif
