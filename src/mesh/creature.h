/* Creatures: closed surfaces f = 0 of a smooth union of simple solids, cut into triangles.
 *
 *     f(x) = -k log sum_p exp(-d_p(x) / k) - detail(x),   f < 0 inside,
 *
 * with d_p the distance to part p, the least of the distances to its solids. Parts melt into each other over a width of
 * about k; the solids of one part (a chain of round cones, say) meet without swelling. */
#ifndef SN_MESH_CREATURE_H
#define SN_MESH_CREATURE_H

#include "generate.h"

typedef enum sn_solid_kind { SN_SOLID_CONE, SN_SOLID_ELLIPSOID, SN_SOLID_PLATE } sn_solid_kind;

typedef struct sn_solid {
    sn_solid_kind kind;
    int part;
    double a[3], b[3],
        c[3]; /* cone: ends a, b; ellipsoid: centre a, half axes b along the coordinate axes; plate: triangle abc */
    double ra, rb;           /* cone: radii at a and b; plate: half thickness ra */
    double centre[3], round; /* a ball around it: filled by the functions below */
} sn_solid;

/* Parts farther than this many k beyond the nearest add too little to show: exp(-7) k. */
#define SN_CREATURE_REACH 7

enum { SN_CREATURE_SOLIDS = 1024, SN_CREATURE_PARTS = 96 };

typedef struct sn_creature {
    const char *name;
    double blend;                     /* k */
    double detail_size, detail_depth; /* wavelength and depth of the skin's bumps; 0 for smooth */
    int solid_count, part_count;
    sn_solid solid[SN_CREATURE_SOLIDS];
    const char *group[SN_CREATURE_PARTS]; /* node group that part p counts for */
} sn_creature;

/* ---- Building; coordinates in unit size ---- */
int sn_creature_part(sn_creature *creature, const char *group);
void sn_creature_cone(sn_creature *creature, int part, const double a[3], double ra, const double b[3], double rb);
void sn_creature_ellipsoid(sn_creature *creature, int part, const double centre[3], const double half[3]);
void sn_creature_plate(sn_creature *creature, int part, const double a[3], const double b[3], const double c[3],
                       double half_thickness);
/* A limb through `count` points with radii: cones along the Catmull-Rom curve, `pieces` per span. */
void sn_creature_limb(sn_creature *creature, int part, const double point[][3], const double *radius, int count,
                      int pieces);
void sn_catmull_rom(const double point[][3], const double *radius, int count, double t, double out[3],
                    double *out_radius);

/* ---- Evaluation ---- */
double sn_solid_distance(const sn_solid *solid, const double x[3]);
/* The field from the `count` solids listed, which must hold all near x; detail is scaled by `detail` (0 to 1). *part:
 * the nearest (may be NULL). */
double sn_creature_field(const sn_creature *creature, const int16_t *list, int count, double detail, const double x[3],
                         int *part);
void sn_creature_bounds(const sn_creature *creature, double low[3], double high[3]);

/* ---- Triangles ---- */
/* A growing triangle surface: flat arrays from the context's allocator. */
typedef struct sn_soup {
    sn_context *context;
    int node_count, node_capacity, triangle_count, triangle_capacity;
    double *position;  /* node_count x 3 */
    int32_t *triangle; /* triangle_count x 3 */
} sn_soup;

void sn_soup_destroy(sn_soup *soup);

/* The sampled field: which solids matter in each block of the lattice. */
typedef struct sn_sampling {
    const sn_creature *creature;
    double low[3], spacing, detail;
    int block[3];   /* blocks along each axis */
    int64_t *begin; /* blocks + 1: where the list of each starts */
    int16_t *list;
} sn_sampling;

/* Triangles of f = 0 by marching tetrahedra on a body-centred cubic lattice: closed and two-manifold whatever the
 * field. */
sn_status sn_creature_polygonise(sn_context *context, const sn_creature *creature, double spacing,
                                 sn_sampling *sampling, sn_soup *soup, sn_error *error);
void sn_sampling_destroy(sn_context *context, sn_sampling *sampling);
double sn_sampling_field(const sn_sampling *sampling, const double x[3], int *part);

/* Keeps the largest piece, collapses the shortest edges until `target` triangles are left, evens the triangles out on
 * the surface. */
sn_status sn_soup_improve(sn_soup *soup, const sn_sampling *sampling, int target, sn_error *error);

/* All together: about `triangles` triangles, scaled by `size`, resting on y = 0, with the groups of the parts. */
sn_status sn_creature_mesh(sn_context *context, const sn_creature *creature, int triangles, double size, sn_mesh **mesh,
                           sn_error *error);

#endif
