/* The server of `sinew view`: pages over HTTP, messages over WebSockets, on loopback alone.
 *
 * Each tab has a queue and a thread that writes it out, so that a tab which does not read holds up nobody else. What tabs send is kept in
 * one list for the thread that owns the engine. Only pages that this server served may connect: Host and Origin are checked. */
#ifndef SINEW_VIEW_SERVER_H
#define SINEW_VIEW_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct view_server view_server;

/* What a client sent; size 0: it has left. */
typedef struct view_message {
    struct view_message *next;
    int client;
    size_t size;
    char data[];
} view_message;

/* Serves the folder `site`; port 0: any that is free. NULL with errno when it cannot. */
view_server *view_server_start(const char *site, int port);
void view_server_stop(view_server *server);
int view_server_port(const view_server *server);
/* Queues the packet for one client (only >= 0) or all; a frame only goes to clients that have drawn the last one. */
void view_server_send(view_server *server, int only, bool frame, const char *packet, size_t size);
/* The client wants the next frame. */
void view_server_drawn(view_server *server, int client);
/* Waits for messages at most so many seconds and hands over all of them, in order; free() each. *clients: how many there are; *wants: one
 * of them wants a frame. */
view_message *view_server_receive(view_server *server, double seconds, int *clients, bool *wants);

#endif
