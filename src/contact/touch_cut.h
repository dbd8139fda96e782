/* Two triangles that intersect: the segment in which they cut each other (Civit 5.5.1).
 *
 * The ends of the segment are places where an edge of one triangle pierces the other triangle. Whether an edge pierces
 * a triangle depends on exact signs (orientation.h), so the two triangles at an edge agree about it. Two triangles that
 * intersect have exactly two such places. The point of a place is computed only from the edge and the triangle. So
 * neighbouring segments have one end in common, to the last bit.
 *
 * The segment runs counter-clockwise around the part of A that is inside B, seen from outside of A. It is clockwise
 * around the part of B that is inside A. */
#ifndef SN_CONTACT_TOUCH_CUT_H
#define SN_CONTACT_TOUCH_CUT_H

#include "touch_surface.h"

typedef struct sn_touch_end {
    int8_t side;     /* 0: an edge of A pierces the triangle of B; 1: an edge of B pierces the triangle of A */
    int8_t corner;   /* the edge runs from this corner of its triangle to the next */
    double part;     /* 0 to 1: where on the edge, from that corner on */
    double point[3]; /* m */
} sn_touch_end;

typedef struct sn_touch_cut {
    int32_t triangle[2]; /* of A and of B */
    int32_t curve;       /* filled by sn_touch_join */
    sn_touch_end end[2]; /* the segment runs from end 0 to end 1 */
} sn_touch_cut;

/* The signs of the volumes of up to eight pairs of triangles, one bit per pair. A pair with neither bit is in doubt.
 * The volumes are: the corners 0 to 2 of A at the plane of B; the corners of B at the plane of A; edge i of A with edge
 * j of B at 6 + 3 i + j. */
typedef struct sn_cut_signs {
    uint8_t above[15], below[15];
} sn_cut_signs;

/* Returns whether triangle ta of A and triangle tb of B intersect; then *cut is their segment. */
bool sn_touch_cut_triangles(const sn_touch_surface *a, int32_t ta, const sn_touch_surface *b, int32_t tb,
                            sn_touch_cut *cut);
/* The same for the pair `lane` of a filter that has found signs. */
bool sn_touch_cut_signed(const sn_touch_surface *a, int32_t ta, const sn_touch_surface *b, int32_t tb,
                         const sn_cut_signs *signs, int lane, sn_touch_cut *cut);

/* A filter for eight pairs at once (kernel/touch_cut_kernel.c). Returns one bit for each pair that is certainly apart,
 * and the signs of the other pairs (`signs` may be NULL). a, b: positions; corner_a, corner_b: 3 x 8 vertices. */
typedef struct sn_cut_filter {
    unsigned (*apart)(const double *a, const int32_t *corner_a, const double *b, const int32_t *corner_b,
                      sn_cut_signs *signs);
} sn_cut_filter;
const sn_cut_filter *sn_cut_filter_for(const sn_context *context);

#endif
