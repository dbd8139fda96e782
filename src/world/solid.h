/* The solid: batches of elements, masses and weights. It depends on the materials. The world compiles it again when a
 * law changes. */
#ifndef SN_WORLD_SOLID_H
#define SN_WORLD_SOLID_H

#include "fem/batch.h"
#include "fem/springs.h"
#include "fem/warping.h"
#include "linear/solver.h"
#include "sinew/world.h"
#include "time/system.h"

typedef struct sn_solid {
    sn_batch_source *source; /* one per body: its elements */
    int compiled_count;
    sn_batch_source *compiled; /* the batches are made of them: one per body, its elements or springs; then those that
                                  count beside them, as the hinges of cloth */
    uint8_t *consistent;       /* one per body: the mass is consistent */
    sn_elements_model elements;
    int64_t
        *place;   /* per element, its place in the batches: batch << 40 | block << 3 | lane; -1 in bodies of springs */
    double *mass; /* kg per node, lumped; 0 in bodies with a consistent mass, 1 at isolated nodes; of adaptive bodies
                     that of the unknowns, 0 at slaves */
    double *weight;  /* kg per node for gravity in dynamics: they agree with the mass, so that free fall is exact */
    double *carried; /* kg per node: `weight`, given to the parents by slaves; without adaptive bodies it is `weight` */
    double *weight_exact;   /* kg per node for gravity in statics: int rho N dV */
    double *rayleigh;       /* 1/s per node: Rayleigh mass damping; NULL: none */
    sn_element_order order; /* with adaptive bodies: of the finest elements */
    struct sn_active
        *active; /* with adaptive bodies: elements and solver have compact numbers (adaptive.h); else NULL */
    sn_warping warping;
    sn_linear_model linear;
} sn_solid;

/* before: the solid of another active set, for the same materials; NULL: none. The result is the same with and without
 * it. Call sn_solid_settle when everything of this solid is compiled: only then may `before` be destroyed. */
sn_status sn_solid_create(const sn_world *world, const sn_solid *before, const sn_solid **solid, sn_error *error);
void sn_solid_settle(const sn_world *world, const sn_solid *solid);
void sn_solid_destroy(sn_context *context, const sn_solid *solid);
/* Fails when a body asks for `corotate`, and its materials, its mesh or the method do not allow it. */
sn_status sn_solid_allows(const sn_world *world, const sn_method *method, sn_error *error);
/* Fills the element settings of the parameters with the materials at time t. */
sn_status sn_solid_settings(sn_world *world, double t, sn_error *error);

/* Brings the activations of muscles to time t. In mode "static" the time is the load fraction: activations without keys
 * grow with it. */
void sn_solid_activate(sn_world *world, double t);

#endif
