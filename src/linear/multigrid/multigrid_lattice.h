/* The state of building a level, shared by multigrid_lattice.c (coarse nodes and weights) and multigrid_graph.c (the
 * graph of the coarse matrix). */
#ifndef SN_LINEAR_MULTIGRID_LATTICE_H
#define SN_LINEAR_MULTIGRID_LATTICE_H

#include "multigrid.h"

typedef struct sn_mg_builder {
    sn_context *context;
    sn_mg_site *site;
    sn_mg_level *fine, *coarse;
    sn_mg_transfer *down;
    int32_t (*cell)[3]; /* of a fine node; the array of the site */
    uint8_t *carried;
    int32_t *root;        /* union-find over fine nodes, then over corners */
    int32_t *corner_root; /* 8 per group */
    int32_t *coarse_of;   /* corner -> coarse node, or -1 */
    int32_t *stamp;       /* scratch for sets */
    int32_t *renumber;    /* preliminary coarse number -> final row */
    int coarse_count;
} sn_mg_builder;

/* Finds the coarse nodes that the rows of each group reach, makes the coarse graph from them, and orders its rows for
 * the sweeps (multigrid_graph.c). */
sn_status sn_mg_build_graph(sn_mg_builder *builder, sn_error *error);

#endif
