/* An engine in a process of its own: node with one of the scripts peer_*.mjs. The scene goes there as JSON, the frames
 * come back as doubles in a file. */
#ifndef BENCH_PEERS_NODE_H
#define BENCH_PEERS_NODE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_PATH = 1024 };

/* `folder` is where scripts/peers.sh installed the engines: it has the scripts and node_modules, and takes the files
 * between the processes. True when node and the module (a folder of node_modules) are there. */
bool peer_node_ready(const char *folder, const char *module);

/* Where a scene of this name goes. */
void peer_node_scene(const char *folder, const char *name, char path[PEER_PATH]);

/* Runs a script on the scene of this name. argument: one more for the script; NULL: none. Fills `numbers` doubles of
 * the frames and the times, in s. False when the process failed; it has said why on standard error. */
bool peer_node_run(const char *folder, const char *script, const char *argument, const char *name, double step,
                   double *frame, size_t numbers, double *processor, double *real);

#ifdef __cplusplus
}
#endif
#endif
