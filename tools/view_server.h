/* The server of `sinew view`: pages over HTTP, messages over WebSockets, only on the loopback address.
 *
 * Each tab has a queue and a thread that sends it, so that a tab that does not read does not delay the others. The
 * messages of all tabs go to one list, which the thread of the engine reads. Only pages of this server may connect: the
 * server checks Host and Origin. */
#ifndef SINEW_VIEW_SERVER_H
#define SINEW_VIEW_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct view_server view_server;

/* A message of a client (a browser tab). size 0: the client has left. */
typedef struct view_message {
    struct view_message *next;
    int client;
    size_t size;
    char data[];
} view_message;

/* Serves the folder `site`. port 0: any free port. Returns NULL and sets errno on failure. */
view_server *view_server_start(const char *site, int port);
void view_server_stop(view_server *server);
int view_server_port(const view_server *server);
/* Queues a packet for the client `only`, or for all clients when `only` is negative. A frame goes only to clients that
 * have drawn the last frame. */
void view_server_send(view_server *server, int only, bool frame, const char *packet, size_t size);
/* The client has drawn its frame and wants the next one. */
void view_server_drawn(view_server *server, int client);
/* Waits at most so many seconds for messages. Returns a list of all of them, in order; the caller frees each with
 * free(). *clients: how many clients there are. *wants: whether one of them wants a frame. */
view_message *view_server_receive(view_server *server, double seconds, int *clients, bool *wants);

#endif
