/* A generator is one file and one const table; generate.c lists them, reads their parameters and checks ranges. */
#ifndef SN_MESH_GENERATE_H
#define SN_MESH_GENERATE_H

#include "mesh_internal.h"

enum { SN_GENERATOR_PARAMETERS = 6 };

typedef struct sn_generator_parameter {
    const char *name;
    int count;        /* numbers, 1 to 3; one number given for several stands for all of them */
    bool whole;       /* integers only */
    double low, high; /* allowed range of each number; lengths have a tiny low so that 0 is out */
    double value[3];  /* default */
} sn_generator_parameter;

typedef struct sn_generator {
    sn_generator_parameter parameter[SN_GENERATOR_PARAMETERS]; /* ends early at a NULL name */
    /* value[i] belongs to parameter[i]. */
    sn_status (*generate)(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error);
} sn_generator;

/* Range of lengths, metres. */
#define SN_LENGTH_LOW 1e-9
#define SN_LENGTH_HIGH 1e9

/* Creates a mesh of checked size: counts above INT32_MAX are an error that names `generator`. */
sn_status sn_generate_create(sn_context *context, const char *generator, int64_t nodes, int64_t tets, int64_t triangles,
                             sn_mesh **mesh, sn_error *error);

/* A rectangle of triangles in z = 0 with its corner at the origin: size in m, cells along x and y; node groups of its
 * sides x- x+ y- y+ with these names. */
sn_status sn_rectangle(sn_context *context, const char *generator, const double size[2], const double counts[2],
                       const char *const side[4], sn_mesh **mesh, sn_error *error);

/* Three tets of the prism with bottom abc and top def (a under d, ...), positive when abc is counter-clockwise seen
 * from the top. Each quadrilateral is cut from its smallest node, so neighbouring prisms agree in any order. */
void sn_prism_to_tets(const int32_t node[6], int32_t *tet);

/* ---- A disc of `rings` rings: 1 + 3 r (r + 1) points, 6 r^2 triangles, counter-clockwise in (u, v) ---- */
static inline int64_t sn_disc_points(int64_t rings) { return 1 + 3 * rings * (rings + 1); }
static inline int64_t sn_disc_triangles(int64_t rings) { return 6 * rings * rings; }
void sn_disc_position(int rings, int64_t point, double *u,
                      double *v); /* of the unit disc; points beyond sn_disc_points(rings - 1) on the rim */
void sn_disc_triangle(int64_t triangle, int32_t point[3]);
/* A mesh of along + 1 discs in a stack, whose nodes lie disc by disc: 18 rings^2 along tets, and groups of the nodes of
 * the first disc, of the last disc and of all rims, named by group[0], group[1] and group[2]. All positions are 0: the
 * caller sets them. A mesh that is too large is an error that names `generator`. */
sn_status sn_disc_stack(sn_context *context, const char *generator, int rings, int along, const char *const group[3],
                        sn_mesh **mesh, sn_error *error);

#endif
