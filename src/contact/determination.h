/* Contact determination: which parts of which surfaces intersect, in which direction they should part, and how deep
 * they are (Civit 5.5).
 *
 * A finder holds the surfaces, a tree for each of them, and scratch. One call of sn_touch_determine runs these stages:
 *   1. refit   the boxes of the trees to the present positions;
 *   2. search  pairs of surfaces whose boxes overlap, then pairs of triangles;
 *   3. cut     the pairs of triangles that intersect, each with its segment;
 *   4. curves  segments joined to curves: the rims of the regions of contact;
 *   5. flood   from the curves inwards over both surfaces. The part of a patch that lies inside the other body becomes
 *              one contact point: the centroid of its area. A patch is a small connected set of triangles;
 *   6. rays    from each point along the region's normal to the other surface. Each hit becomes a row.
 *
 * The normal of a region comes from the vector area of its curve, N = 1/2 sum v_k x v_{k+1}: the direction in which the
 * intersected volume shrinks fastest. All rows of a region have this normal, from B to A. The gap of a row is minus
 * the length of its ray.
 *
 * Both surfaces give points. A point of A has feature[0] = its patch of A; a point of B has feature[0] = -1 - its patch
 * of B. feature[1] numbers the points of one patch; it is 0 for most of them, and -1 for rows of the last fallback. So
 * a contact keeps its features while it stays on its patch. The area of a row is half the area of its part of the
 * patch: the areas of all rows of a region add up to the mean of its two sides.
 *
 * A region that has no simple normal is never dropped. The head of determination_rows.c describes its rows under
 * "Fallback".
 *
 * The velocity of a row is 0: the owner of a moving collider fills it in.
 *
 * The result has the same bits for any number of threads. Nothing is allocated, except when a list reaches a new
 * maximum. */
#ifndef SN_CONTACT_DETERMINATION_H
#define SN_CONTACT_DETERMINATION_H

#include "touch_rows.h"

/* Two surfaces that may touch: numbers in the finder's list, a <= b. Equal numbers: the surface may touch itself. */
typedef struct sn_touch_pair {
    int32_t a, b;
} sn_touch_pair;

typedef struct sn_touch_finder sn_touch_finder;

/* What the last call of sn_touch_determine met, and how long its stages took. */
typedef struct sn_touch_counts {
    int surface_pairs;  /* with overlapping boxes */
    int64_t candidates; /* pairs of triangles with overlapping boxes */
    int intersecting;   /* pairs of triangles that intersect */
    int curves;
    int open_curves;                              /* curves that end: a surface has a rim there */
    int regions;                                  /* rims of contact, and bodies inside bodies */
    int complex;                                  /* regions without a simple normal */
    int contained;                                /* parts of surfaces that lie inside another body as a whole */
    int points;                                   /* reduced contact points */
    int rows;                                     /* points with a counterpart on the other surface */
    int64_t interior;                             /* triangles inside another body */
    double refit, search, cut, join, flood, rays; /* s */
} sn_touch_counts;

/* Takes the list of surfaces; the surfaces belong to the caller, must outlive the finder, and keep their triangles. The
 * pairs are copied. */
sn_status sn_touch_finder_create(sn_context *context, sn_touch_surface *const *surface, int surface_count,
                                 const sn_touch_pair *pair, int pair_count, sn_touch_finder **finder, sn_error *error);
void sn_touch_finder_destroy(sn_touch_finder *finder); /* NULL allowed */

/* Finds the contacts of the surfaces at their present positions. Replaces the contents of `rows` by rows of the kind
 * SN_TOUCH_REGION; rows->context must be set. Fails with SN_NO_MEMORY. */
sn_status sn_touch_determine(sn_touch_finder *finder, sn_touch_rows *rows, sn_error *error);

/* Whether two surfaces are looked at, a <= b. */
typedef bool sn_touch_wanted(const void *user, int a, int b);

/* The same for those pairs of surfaces that are wanted. A patch with a row in `known` needs no other one: the rays of
 * its points are left out. `known` comes from a call with the same finder, in the order of that call. */
sn_status sn_touch_determine_beyond(sn_touch_finder *finder, sn_touch_wanted *wanted, const void *user,
                                    const sn_touch_rows *known, sn_touch_rows *rows, sn_error *error);

/* Fits the boxes to the present positions, for sn_touch_look_again. The calls above do this by themselves. */
void sn_touch_refit(sn_touch_finder *finder);

/* Appends a row that was found at other positions, for surfaces that are apart now. The boxes fit the present
 * positions. The point that looked for a counterpart looks again, away from its own body; nothing is appended when it
 * meets nothing within `reach`. */
sn_status sn_touch_look_again(const sn_touch_finder *finder, const sn_touch_row *row, double reach, sn_touch_rows *rows,
                              sn_error *error);

/* Counts of the last call. */
const sn_touch_counts *sn_touch_finder_counts(const sn_touch_finder *finder);

#endif
