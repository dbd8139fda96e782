/* See room.h. */
#include "room.h"

#include <stdbool.h>
#include <string.h>

static void *grow(const sn_context *context, sn_room *room, int at, size_t count, size_t size, bool keep) {
    if (size && count > SIZE_MAX / 2 / size) return NULL;
    const size_t bytes = count * size;
    if (room->buffer[at] && bytes <= room->bytes[at]) return room->buffer[at];
    const size_t larger = bytes + bytes / 2 + 64;
    void *memory = sn_allocate(context, larger, 1);
    if (!memory) return NULL;
    if (keep && room->buffer[at]) memcpy(memory, room->buffer[at], room->bytes[at]);
    sn_release(context, room->buffer[at]);
    room->buffer[at] = memory;
    room->bytes[at] = larger;
    return memory;
}

void *sn_room_take(const sn_context *context, sn_room *room, size_t count, size_t size) {
    return room->next < SN_ROOM_BUFFERS ? grow(context, room, room->next++, count, size, false) : NULL;
}

void *sn_room_extend(const sn_context *context, sn_room *room, size_t count, size_t size) {
    return room->next > 0 ? grow(context, room, room->next - 1, count, size, true) : NULL;
}

void sn_room_release(const sn_context *context, sn_room *room) {
    for (int i = 0; i < SN_ROOM_BUFFERS; ++i) sn_release(context, room->buffer[i]);
    *room = (sn_room){0};
}
