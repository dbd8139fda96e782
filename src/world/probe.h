/* Probes: the nodes and elements that each probe reads. */
#ifndef SN_WORLD_PROBE_H
#define SN_WORLD_PROBE_H

#include "sinew/world.h"

typedef struct sn_probe_target {
    sn_probe probe;
    int body;
    int node_count;
    int32_t *node; /* compiled numbers */
    int element_count;
    int32_t *element; /* for quantities of elements: numbers in the whole world */
    double *share;    /* for means: the weight of each element */
} sn_probe_target;

sn_status sn_probes_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_probes_destroy(sn_world *world);

#endif
