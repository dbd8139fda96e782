/* The part of a surface that is inside another body (Civit 5.5.3).
 *
 * The flood begins at the curves of intersection. A triangle with cuts is crossed; the others lie wholly inside or
 * wholly outside. The steps are:
 *   1. Corners of crossed triangles. Along an edge that is pierced, the number of times it enters the other body minus
 *      the number of times it leaves tells which end is inside. The two ends of an edge that is not pierced are both
 *      inside or both outside.
 *   2. Triangles behind edges that are inside and not pierced are inside. They pass this on to their neighbours. A
 *      patch without crossed triangles is taken as a whole.
 *   3. Crossed triangles that steps 1 and 2 did not reach have a closed curve inside, like a dent of a spike. The sign
 *      of the area in the curve tells whether their corners are inside.
 *   4. Each patch gives one contact point for each connected part of the inside: area, vector area and centroid. For
 *      crossed triangles the sums run over the rim of the part that is inside (Green's theorem):
 *      area 1/2 sum (v - o) x (w - o) . n, with the origin o in the triangle. The document prints the formula for the
 *      centroid (5.7) without the sign of the areas; the sign is needed.
 *
 * Each part that is inside gets a label: 2 curve + role, with the role 0 on A and 1 on B. Labels that meet are merged.
 * So a set of labels is one connected part of the inside, with all curves that bound it. */
#ifndef SN_CONTACT_TOUCH_FLOOD_H
#define SN_CONTACT_TOUCH_FLOOD_H

#include "touch_join.h"
#include "touch_patches.h"

/* A reduced contact point. */
typedef struct sn_touch_spot {
    int32_t patch;
    int32_t label;         /* root of its set of labels */
    int32_t triangles;     /* that take part */
    int32_t triangle;      /* the first of them */
    double area;           /* m^2 */
    double vector_area[3]; /* m^2, out of the surface */
    double centroid[3];    /* m */
} sn_touch_spot;

/* A triangle with cuts. */
typedef struct sn_touch_crossed {
    int32_t triangle;
    int32_t link;    /* the first of its cuts: 2 cut + role; -1: none */
    int8_t net[3];   /* times that each edge enters minus times that it leaves */
    bool pierced[3]; /* each edge */
} sn_touch_crossed;

/* The flood of one surface: its scratch and its result. All entries per triangle, vertex and patch are 0 between calls.
 */
typedef struct sn_touch_flood {
    sn_context *context;
    const sn_touch_surface *surface;
    const sn_touch_patches *patches;
    bool by_patch; /* step 2 takes whole patches; off only to measure what that saves */

    int32_t *crossing; /* per triangle: 1 + place in `crossed` */
    int32_t *inside;   /* per triangle without cuts: 1 + label */
    int32_t *vertex;   /* per vertex: 0 unknown, 1 outside, 2 + label inside */
    int32_t *patch;    /* per patch: 0 untouched, 1 crossed, 2 + label inside */
    int32_t *spot_of;  /* per patch: 1 + its last spot */

    int crossed_count, crossed_capacity;
    sn_touch_crossed *crossed;
    int link_capacity;
    int32_t *link; /* per cut and role, from the first cut on: the next cut of the triangle as 2 cut + role, or -1 */

    /* Queues with room for everything. Places up to *_done have passed their state on to their neighbours. */
    int triangle_count, triangle_done, whole_count, whole_done, vertex_count, marked_count;
    int32_t *triangles; /* inside, in crossed patches */
    int32_t *whole;     /* patches inside */
    int32_t *vertices;  /* with a state */
    int32_t *marked;    /* crossed patches */

    /* The result: spots of all calls since the last reset. */
    int spot_count, spot_capacity;
    sn_touch_spot *spot;
    int chain_capacity;
    int32_t *chain;   /* per spot: the previous spot of the same patch in this call, or -1 */
    int conflicts;    /* places where inside and outside met: the other surface is not what it should be */
    int64_t interior; /* triangles inside */
} sn_touch_flood;

sn_status sn_touch_flood_create(const sn_touch_surface *surface, const sn_touch_patches *patches, sn_touch_flood *flood,
                                sn_error *error);
void sn_touch_flood_release(sn_touch_flood *flood);

/* Floods from the cuts begin to end. `roles`: 1 when the surface is A, 2 when it is B, 3 when it is both. `parent` has
 * two entries per curve, and each is its own parent before the call; the flood merges labels of its roles. Appends
 * spots. */
sn_status sn_touch_flood_run(sn_touch_flood *flood, const sn_touch_cut *cut, int begin, int end, unsigned roles,
                             int32_t *parent, sn_error *error);

/* Appends the spots of a whole connected part of the surface, with this label. */
sn_status sn_touch_flood_part(sn_touch_flood *flood, int32_t part, int32_t label, sn_error *error);

/* Forgets the spots. */
static inline void sn_touch_flood_reset(sn_touch_flood *flood) {
    flood->spot_count = 0, flood->conflicts = 0, flood->interior = 0;
}

/* Whether end e of a cut enters the other body along an edge of the triangle with this role. The segment begins where A
 * leaves B, or where B enters A. */
static inline bool sn_touch_enters(int e, int role) { return (e == 1) != (role == 1); }

/* ---- Only for touch_flood.c; in touch_spots.c ---- */

/* Makes the spots of the parts that are inside. `cut` and `link` begin with the same cut. */
sn_status sn_touch_flood_spots(sn_touch_flood *flood, const sn_touch_cut *cut, int32_t *parent, sn_error *error);
/* The area of the part of a crossed triangle that is inside when its corners are outside. Negative: they are inside. */
double sn_touch_flood_area(const sn_touch_flood *flood, const sn_touch_cut *cut, const sn_touch_crossed *crossed);

#endif
