/* The pairs of features that may touch: a vertex and a triangle, or two edges, of all surfaces of a world together.
 *
 * The surfaces are joined to one. Its triangles are in one tree of boxes, each with its body. Each vertex and each edge
 * belongs to one triangle (touch_surface.h), so a pair of triangles that are near gives the pairs of the features that
 * belong to them, and each pair of features is found once. Features that share a vertex are no pair.
 *
 * The list is complete for all places in a tube: a motion of all vertices from `from` to `to`, each on a straight way
 * and all at the same part of it, and a margin around each vertex. Only the motion of a pair relative to its mean
 * counts, so that a surface which flies fast has a short list. The list is made again only when a vertex leaves the
 * tube. The order of the pairs depends only on the tree. So the pairs that really touch come in the same order,
 * whichever tube the list was made for.
 *
 * Each pair keeps a distance: `gap`, and the mean thickness t of its two surfaces. Features of one cloth may be nearer
 * than that at rest, where its triangles are smaller than t, or where it is folded. With the distance r at rest they
 * keep gap + min(t, (r - gap) / 2): so a cloth at rest never pushes itself. */
#ifndef SN_CONTACT_NEAR_FEATURES_H
#define SN_CONTACT_NEAR_FEATURES_H

#include "box_tree.h"
#include "closest.h"
#include "touch_surface.h"

typedef struct sn_near_pair {
    int32_t a, b;  /* vertex and triangle, or two edges with a < b */
    int32_t edges; /* 1: two edges */
    double gap;    /* m: the distance that the pair keeps */
} sn_near_pair;

typedef struct sn_near_features {
    sn_context *context;
    sn_touch_surface *surface; /* all surfaces joined; owned */
    int32_t *body;             /* per triangle of `surface`: the number of its surface in the source */
    double *thickness;         /* per surface of the source, m */
    double gap;                /* m: the distance that surfaces without a thickness keep */
    double gap_most;           /* m: the largest distance that a pair keeps */
    int32_t *vertex_place;     /* per vertex: 3 times the triangle that owns it, plus its corner */
    int32_t *edge_place;       /* per edge: 3 times the triangle that owns it, plus its first corner */
    double *edge_area;         /* per edge, m^2: a third of the rest area of its triangles */
    double *edge_square;       /* per edge, m^2: its squared length at rest */
    double edge_length;        /* m: the mean length of an edge at rest */
    double edge_most;          /* m: the largest length of an edge at rest */
    bool (*may)(const void *user, int a, int b);
    const void *user;

    /* Of triangles that share a corner: the pairs of their features, and the edges that face a triangle (edge,
     * triangle) without touching it. Their corners lie in blocks of eight, as the kernels take them; the last one of a
     * block is repeated. First come the blocks of a vertex and a triangle, then those of two edges. */
    int beside_count, beside_capacity, facing_count, facing_capacity;
    sn_near_pair *beside;
    int32_t (*facing)[2];
    int beside_faces;       /* pairs of a vertex and a triangle: the first ones of `beside` */
    int32_t *beside_corner; /* blocks x 4 x 8 */
    int32_t *facing_corner; /* blocks x 5 x 8 */

    sn_box_tree *tree;
    sn_box_pairs boxes; /* triangles that share no corner and may touch */
    int count, capacity;
    sn_near_pair *pair;
    int *piece; /* scratch: what the pieces of a loop found */
    int piece_capacity;
    sn_near_pair *found; /* scratch: what the pieces of a round found (near_list.c) */
    int found_capacity;

    bool known;        /* the list belongs to the tube */
    double *from, *to; /* vertices x 3 */
    double margin;     /* m */
    double *at, *end;  /* vertices x 3: scratch */
    int64_t queries;   /* how often the list was made */
} sn_near_features;

/* The context for a loop over pieces of the pairs; NULL when they are so few that another thread would take longer to
 * wake than to do its share. */
static inline const sn_context *sn_near_crew(const sn_near_features *near, int pieces) {
    enum { FEW = 8 };
    return pieces < FEW ? NULL : near->context;
}

/* Joins `count` surfaces, which keep the distance `gap` beside their thickness. may(user, a, b): whether surfaces a and
 * b (a may equal b) touch. Surfaces without carriers take part; the caller moves them. */
sn_status sn_near_features_create(sn_context *context, sn_touch_surface *const *surface, int count,
                                  bool (*may)(const void *user, int a, int b), const void *user, double gap,
                                  sn_near_features *near, sn_error *error);
void sn_near_features_release(sn_near_features *near);

/* Makes the list complete for pairs that come nearer than `reach` (m, gap_most included) on the straight ways of the
 * vertices from `from` to `to` (may be NULL: they stay). `slack`: m, how far they may move afterwards until the list is
 * made again. */
sn_status sn_near_features_cover(sn_near_features *near, const double *from, const double *to, double reach,
                                 double slack, sn_error *error);

/* The four corners of a pair, as closest.h orders them: vertices of `surface`, and their places in an array of
 * vertices x 3. */
void sn_near_corners(const sn_near_features *near, const sn_near_pair *pair, int32_t corner[4]);
static inline void sn_near_places(const int32_t corner[4], const double *position, const double *x[4]) {
    for (int i = 0; i < 4; ++i) x[i] = position + 3 * (size_t)corner[i];
}
static inline void sn_near_closest(const sn_near_pair *pair, const double *const x[4], sn_closest *closest) {
    if (pair->edges)
        sn_closest_edge_edge(x, closest);
    else
        sn_closest_vertex_face(x, closest);
}

/* The squared distances of `count` pairs at `position`, up to rounding, eight at a time. */
void sn_near_squares(const sn_near_features *near, const sn_near_pair *pair, int count, const double *position,
                     double *square);

/* Adds the pairs of surfaces that intersect at `position` to `pair` (a <= b), each once, at most `room` in all. An edge
 * that goes through a triangle with which it shares no vertex is an intersection. */
sn_status sn_near_features_intersect(sn_near_features *near, const double *position, int32_t (*pair)[2], int room,
                                     int *count, sn_error *error);
/* The edges that go through triangles with which they share no vertex, at `position`. One may be there twice. */
typedef struct sn_near_crossings {
    int32_t (*crossing)[2]; /* edge, triangle */
    int count, capacity;
} sn_near_crossings;
sn_status sn_near_features_crossings(sn_near_features *near, const double *position, sn_near_crossings *list,
                                     sn_error *error);
/* Adds one pair when it is not there yet. Returns false when there is no room. */
bool sn_near_add_surfaces(int a, int b, int32_t (*pair)[2], int room, int *count);

#endif
