/* The solid: batches of elements, masses and weights. It depends on the materials and is compiled again when a law changes. */
#ifndef SN_WORLD_SOLID_H
#define SN_WORLD_SOLID_H

#include "fem/batch.h"
#include "fem/springs.h"
#include "fem/warping.h"
#include "linear/solver.h"
#include "sinew/world.h"

typedef struct sn_solid {
    int body_count;
    sn_batch_source *source;   /* one per body: its tets */
    sn_batch_source *compiled; /* one per body: its tets or springs, from which the batches are made */
    uint8_t *consistent;       /* one per body */
    sn_elements_model elements;
    int64_t *place;       /* per element: batch << 40 | block << 3 | lane; -1 in bodies of springs */
    double *mass;         /* lumped, per node; 0 where consistent, 1 at isolated nodes */
    double *weight;       /* kg of gravity at each node that agrees with the mass: free fall is exact */
    double *weight_exact; /* kg of gravity by int rho N dV: statics */
    double *rayleigh;     /* 1/s of Rayleigh mass damping per node; NULL for none */
    sn_warping warping;
    sn_linear_model linear;
} sn_solid;

sn_status sn_solid_create(const sn_world *world, const sn_solid **solid, sn_error *error);
void sn_solid_destroy(sn_context *context, const sn_solid *solid);
/* Fills the element settings of the parameters at time t, in place. */
sn_status sn_solid_settings(sn_world *world, double t, sn_error *error);

#endif
