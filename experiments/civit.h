/* Functions that Civit's experiments share: a solver, counts of degenerate elements, the methods that the document
 * compares. */
#ifndef SINEW_EXPERIMENTS_CIVIT_H
#define SINEW_EXPERIMENTS_CIVIT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

/* A solver for the exact differential, which may be indefinite: minres if this build has it, otherwise conjugate
 * gradients. */
static inline const char *civit_indefinite_solver(void) {
    int count;
    const sn_listing *solver = sn_solvers(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(solver[i].name, "minres") == 0) return "minres";
    return "cg";
}

/* How many elements of all bodies have det F <= 0; negative on failure. */
static inline int civit_degenerate(sn_world *world) {
    int count = 0;
    for (int b = 0; b < sn_world_body_count(world); ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        double *ratio = malloc((size_t)mesh->tet_count * sizeof *ratio);
        if (!ratio || sn_world_element_fields(world, b, NULL, NULL, NULL, ratio, NULL)) count = -1000000;
        for (int e = 0; e < mesh->tet_count && count >= 0; ++e) count += !(ratio[e] > 0);
        free(ratio);
    }
    return count;
}

/* The methods that the document compares, as the keys of a material. */
typedef struct civit_method {
    const char *name, *key;
} civit_method;

static const civit_method civit_methods[] = {
    {"QR", "\"rotation\": \"qr\""},
    {"ISVD", "\"rotation\": \"isvd\""},
    {"DAPD 1", "\"rotation\": \"dapd\", \"alpha\": 0.1, \"beta\": 1"},
    {"DAPD 5", "\"rotation\": \"dapd\", \"alpha\": 0.1, \"beta\": 5"},
};
enum { CIVIT_QR, CIVIT_ISVD, CIVIT_DAPD1, CIVIT_DAPD5, CIVIT_METHODS };

/* The part of civit-contact with bodies in motion (civit_contact_motion.c): the claims recovery, nest-points and
 * riding-points. */
sn_status civit_contact_motion(experiment_run *run, sn_error *error);

#endif
