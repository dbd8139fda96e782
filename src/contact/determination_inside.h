/* The inside of the finder of determination.h. */
#ifndef SN_CONTACT_DETERMINATION_INSIDE_H
#define SN_CONTACT_DETERMINATION_INSIDE_H

#include "box_tree_query.h"
#include "broad_phase.h"
#include "determination.h"
#include "touch_flood.h"

/* A surface of the finder. */
typedef struct sn_finder_surface {
    sn_touch_surface *surface;
    sn_box_tree *tree;
    bool fitted; /* the boxes fit; resting surfaces are fitted once */
    float low[3], high[3];
    sn_touch_patches patches;
    sn_touch_flood flood;
    bool *part_met; /* per connected part: it has cuts with the present partner */
    sn_status status;
    sn_error error;
} sn_finder_surface;

/* Two surfaces whose boxes overlap. Spots of A have the role 0, spots of B the role 1; a surface that touches itself
 * has all of them in the role 0. */
typedef struct sn_finder_pair {
    int32_t surface[2], place;
    int32_t cut_begin, cut_end, curve_begin, curve_end;
    int32_t spot_begin[2], spot_end[2]; /* in the flood of the surface */
} sn_finder_pair;

/* A region: a set of curves that bound one part of the inside, or a part of a surface inside another body. */
typedef struct sn_finder_region {
    int32_t pair;
    bool simple; /* all its rows have the normal n */
    double n[3]; /* from B to A */
    double vector_area[3];
    double length_sum;   /* m^2: the sum of the lengths of the vector areas of its curves */
    double rim;          /* m: the length of its curves */
    double area[2];      /* m^2: inside, on A and on B */
    double spot_area[3]; /* m^2: sum of the vector areas of its spots, as a vector out of A */
    bool closed;         /* all its curves are */
    int32_t curves, spots, rows;
    int32_t contained; /* the role of the part that is inside as a whole; -1: there are curves */
} sn_finder_region;

/* A spot that waits for its counterpart, and the result of its ray. */
typedef struct sn_finder_point {
    int32_t region, role, spot;
    int32_t ordinal; /* of this spot among the spots of its patch */
    bool known;      /* its patch has a row already: it counts for its region, but becomes no row */
    bool found;
    sn_touch_point at[2]; /* on A and on B */
    sn_touch_row row;
} sn_finder_point;

struct sn_touch_finder {
    sn_context *context;
    int surface_count;
    sn_finder_surface *surface;
    int allowed_count;
    struct sn_finder_allowed {
        sn_touch_pair pair;
        int32_t place; /* in the list of the caller */
    } * allowed;       /* sorted by a and b */
    sn_broad_phase broad;

    sn_touch_wanted *wanted; /* of the present call; NULL: all pairs */
    const void *user;
    int pair_count;
    sn_finder_pair *pair; /* room for all allowed pairs; in the order of the caller's list */

    sn_box_pairs candidates;
    int cut_count, cut_capacity, slot_capacity, piece_capacity;
    sn_touch_cut *cut, *slot; /* slot: fixed room for each piece of candidates */
    int32_t *piece;           /* cuts of each piece */
    sn_touch_curves curves;
    int parent_capacity, region_of_capacity;
    int32_t *parent;    /* two per curve: labels of the floods */
    int32_t *region_of; /* per curve */

    int region_count, region_capacity;
    sn_finder_region *region;
    int point_count, point_capacity;
    sn_finder_point *point;

    sn_touch_counts counts;
};

static inline sn_box_surface sn_finder_box_surface(const sn_finder_surface *s) {
    return (sn_box_surface){s->tree, s->surface->position, s->surface->triangle};
}

/* Stage 3: the cuts of the candidates of one pair of surfaces, appended to `cut` (determination_cuts.c). */
sn_status sn_finder_cut(sn_touch_finder *finder, const sn_finder_pair *pair, sn_error *error);
/* Stage 6: regions and normals (determination_regions.c), then rays and rows (determination_rows.c). */
sn_status sn_finder_regions(sn_touch_finder *finder, sn_error *error);
sn_status sn_finder_rows(sn_touch_finder *finder, const sn_touch_rows *known, sn_touch_rows *rows, sn_error *error);

#endif
