/* Stops of single nodes: the motion of a correction is shortened, node by node, until nothing meets. See barrier.h.
 *
 * The two features of a pair are convex. So the plane through their closest points, normal to n, lies between them.
 * When the corners move by e from the present places, the distance of the features stays above d - a all the way, where
 *
 *   a = max_B n . e - min_A n . e
 *
 * is the approach of the pair. (The bound is linear in time, so it holds at each time of the motion.) A pair with
 * a <= room is safe; room is the distance beyond the gap, less the part that must remain. This test is enough for most
 * pairs. The others are followed along their ways (ccd.h): a vertex that slides along a surface comes nearer to the
 * triangles ahead of it, but it does not meet them.
 *
 * When a pair meets after the part s of its way, the corners that approach there lose the rest of their motion along
 * the normal of this place: they slide on. When several pairs stop a node, the first of them in time counts; the others
 * follow in the next rounds. In the last rounds nodes stop altogether. Nodes with constraints always do, and the nodes
 * of a rigid body do so together.
 *
 * A prescribed motion cannot stop. A held node that moves *drives*: free nodes that it meets go on with its speed along
 * the normal, as after an inelastic impact, and then drive the nodes that they meet. When a node is driven against a
 * held node, this finds no end. After some rounds the node stops, the prescribed motion is not done, and the caller
 * takes a shorter step.
 *
 * Other nodes may run into nodes that stop. So all pairs are looked at again, until none meets: a stack needs about as
 * many rounds as it has layers. The list of pairs is complete for one motion only. After nodes have stopped, the list
 * is made for the new motion, and all begins again.
 *
 * (A. H. Chen and others, Offset geometric contact, 2025, stop each node by a part of its distance to anything instead.
 * That needs no continuous detection, but nodes that slide go only a part of a triangle in each solve.) */
#include <math.h>
#include <string.h>

#include "barrier.h"
#include "base/math3.h"
#include "ccd.h"

enum {
    ROUNDS = 64,
    SLIDES = 8,  /* rounds in which nodes slide on */
    DRIVES = 48, /* rounds in which prescribed motions take others along */
    PARTS = 16,  /* rounds in which nodes go as far as they can; after that they stay where they are */
    GRAIN = 512,
    FOLLOW_GRAIN = 128
};
static const double KEPT = 0.2; /* of the distance beyond the gap: what is left at least, or half the reach */

/* A pair that can run out of its room. */
struct sn_barrier_way {
    int32_t corner[4];
    int32_t edges;
    int32_t stops; /* bits: the corners that the present round stops */
    double n[3], room, gap;
    double part, meet[3]; /* where it meets in the present round, and the normal there */
    double drive;         /* m: how far a prescribed motion takes the place along the normal */
};

typedef struct task {
    sn_barrier *barrier;
    const double *from, *way;
    int32_t *count; /* per piece */
    bool drives;    /* prescribed motions take others along */
} task;

/* Whether the pair can run out of its room on its way. */
static bool can_meet(const sn_barrier *barrier, const sn_near_pair *pair, double square, const double *from,
                     const double *way, struct sn_barrier_way *out) {
    const double *x[4];
    double most[2] = {0, 0};
    sn_closest c;
    sn_near_corners(&barrier->near, pair, out->corner);
    out->edges = pair->edges, out->gap = pair->gap;
    double mean[3];
    for (int a = 0; a < 3; ++a) {
        mean[a] = 0;
        for (int i = 0; i < 4; ++i) mean[a] += 0.25 * way[3 * (size_t)out->corner[i] + (size_t)a];
    }
    for (int i = 0; i < 4; ++i) {
        double own[3];
        sn_subtract3(way + 3 * (size_t)out->corner[i], mean, own);
        const int side = i >= (pair->edges ? 2 : 1);
        const double length = sn_norm3(own);
        if (length > most[side]) most[side] = length;
    }
    const double likely = fmax((1 - 1e-9) * sqrt(square) - pair->gap, 0);
    if (most[0] + most[1] <= likely - fmin(0.5 * barrier->reach, KEPT * likely)) return false;
    sn_near_places(out->corner, from, x);
    sn_near_closest(pair, x, &c);
    const double d = sqrt(c.square), beyond = fmax(d - pair->gap, 0);
    out->room = beyond - fmin(0.5 * barrier->reach, KEPT * beyond);
    if (most[0] + most[1] <= out->room) return false;
    for (int a = 0; a < 3; ++a) out->n[a] = d > 0 ? c.r[a] / d : 0;
    return true;
}

static void find_piece(void *data, int piece) {
    const task *t = data;
    const sn_barrier *barrier = t->barrier;
    const sn_near_features *near = &barrier->near;
    const int begin = (int)sn_piece_begin(near->count, GRAIN, piece),
              end = (int)sn_piece_begin(near->count, GRAIN, piece + 1);
    int count = begin;
    for (int i = begin; i < end; ++i)
        count += can_meet(barrier, &near->pair[i], barrier->square[i], t->from, t->way, &barrier->way[count]);
    t->count[piece] = count - begin;
}

static sn_status find(sn_barrier *barrier, const double *from, const double *way, sn_error *error) {
    sn_near_features *near = &barrier->near;
    const int pieces = sn_pieces(near->count, GRAIN);
    sn_status status = sn_barrier_squares(barrier, from, error);
    if (!status)
        status = sn_grow(near->context, (void **)&barrier->way, &barrier->way_capacity, near->count,
                         sizeof *barrier->way, error);
    if (!status)
        status =
            sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, pieces, sizeof *near->piece, error);
    barrier->way_count = 0;
    if (status) return status;
    task t = {barrier, from, way, near->piece, false};
    sn_parallel_pieces(sn_near_crew(near, pieces), pieces, find_piece, &t);
    for (int i = 0; i < pieces; ++i) {
        memmove(barrier->way + barrier->way_count, barrier->way + sn_piece_begin(near->count, GRAIN, i),
                (size_t)near->piece[i] * sizeof *barrier->way);
        barrier->way_count += near->piece[i];
    }
    return SN_OK;
}

/* Where a node stops: after the part `part` of its way. `n` points to what it meets. */
struct sn_barrier_stop {
    double part, n[3];
    double go;  /* m: the motion along n that is left, in the whole step: a prescribed motion takes the place along */
    bool whole; /* it may not slide: a constraint holds some of its directions */
    double drive[3]; /* m: the prescribed motion that it carries on, in this and all later rounds; 0: none */
};

/* Corner k of a pair meets something: the nodes that carry it remember it when it is the first thing that they meet. */
static void stop_corner(const sn_touch_surface *s, const struct sn_barrier_way *w, int k,
                        struct sn_barrier_stop *stop) {
    const double sign = k >= (w->edges ? 2 : 1) ? 1 : -1;
    const int32_t vertex = w->corner[k];
    for (int32_t i = s->carrier_first[vertex]; i < s->carrier_first[vertex + 1]; ++i) {
        struct sn_barrier_stop *own = &stop[s->carrier_node[i]];
        if (!(w->part < own->part)) continue;
        own->part = w->part, own->go = sign * w->drive;
        for (int a = 0; a < 3; ++a) own->n[a] = sign * w->meet[a];
    }
}

/* Takes the rest of the motion away from a node: along the normal of what it meets, or all of it. */
static void cut_node(struct sn_barrier_stop *stop, int round, double d[3]) {
    const double along = sn_dot3(stop->n, d) - stop->go, rest = round < PARTS ? 1 - stop->part : 1;
    const bool slides = (round < SLIDES || stop->go != 0) && !stop->whole;
    for (int a = 0; a < 3; ++a) d[a] -= rest * (slides ? along * stop->n[a] : d[a]);
    for (int a = 0; a < 3 && slides && stop->go != 0; ++a) stop->drive[a] = stop->go * stop->n[a];
}

/* How far the vertex is driven along the direction n. */
static double driven(const sn_touch_surface *s, int32_t vertex, const double n[3], const struct sn_barrier_stop *stop) {
    double most = 0;
    for (int32_t i = s->carrier_first[vertex]; i < s->carrier_first[vertex + 1]; ++i)
        most = fmax(most, sn_dot3(stop[s->carrier_node[i]].drive, n));
    return most;
}

static bool is_held(const sn_touch_surface *s, int32_t vertex, const struct sn_barrier_stop *stop) {
    bool any = false;
    for (int32_t i = s->carrier_first[vertex]; i < s->carrier_first[vertex + 1]; ++i)
        any = any || stop[s->carrier_node[i]].whole;
    return any;
}

/* Lets a prescribed motion take the place along where a pair meets: the corners then lose their motion relative to it.
 * It comes from the side that is driven faster, and the other side must be able to give way. */
static void take_along(const sn_barrier *barrier, const double along[4], struct sn_barrier_way *w) {
    const int first = w->edges ? 2 : 1;
    double most[2] = {0, 0};
    bool held[2] = {false, false};
    for (int i = 0; i < 4; ++i) {
        const int side = i >= first;
        const double sign = side ? 1 : -1, n[3] = {sign * w->meet[0], sign * w->meet[1], sign * w->meet[2]};
        most[side] = fmax(most[side], driven(barrier->near.surface, w->corner[i], n, barrier->stop));
        held[side] = held[side] || is_held(barrier->near.surface, w->corner[i], barrier->stop);
    }
    const int side = held[0] != held[1] ? held[1] : most[1] > most[0];
    if (!(most[side] > 0) || held[!side]) return;
    w->drive = side ? most[1] : -most[0], w->stops = 0;
    for (int i = 0; i < 4; ++i) {
        const bool own = (i >= first) == side;
        if (!(own && held[side]) && along[i] > (own ? most[side] : -most[side])) w->stops |= 1 << i;
    }
}

/* How far the corners go towards the other feature along n, and the largest way of each side. */
static void approach(const struct sn_barrier_way *w, const double n[3], const double *way, double along[4],
                     double most[2]) {
    most[0] = most[1] = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        const int side = i >= (w->edges ? 2 : 1);
        along[i] = (side ? 1 : -1) * sn_dot3(n, way + 3 * (size_t)w->corner[i]);
        most[side] = fmax(most[side], along[i]);
    }
}

/* The normal of the closest points after the part `part` of the ways. */
static void normal_at(const struct sn_barrier_way *w, const double *const x[4], const double *const d[4], double part,
                      double n[3]) {
    double at[4][3];
    const double *const moved[4] = {at[0], at[1], at[2], at[3]};
    sn_closest c;
    for (int i = 0; i < 4; ++i)
        for (int a = 0; a < 3; ++a) at[i][a] = x[i][a] + part * d[i][a];
    sn_near_closest(&(sn_near_pair){.edges = w->edges}, moved, &c);
    const double length = sqrt(c.square);
    for (int a = 0; a < 3; ++a) n[a] = length > 0 ? c.r[a] / length : 0;
}

/* Where a pair meets, and which of its corners stop there: those that approach. */
static void follow(const task *t, struct sn_barrier_way *w) {
    const sn_barrier *barrier = t->barrier;
    const double *from = t->from, *way = t->way;
    double along[4], most[2];
    const double *x[4], *d[4];
    w->part = 1, w->stops = 0, w->drive = 0;
    approach(w, w->n, way, along, most);
    if (most[0] + most[1] <= w->room) return;
    sn_near_places(w->corner, from, x);
    sn_near_places(w->corner, way, d);
    w->part = (w->edges ? sn_ccd_edge_edge : sn_ccd_vertex_face)(x, d, w->gap, 0.5 * barrier->reach, 1);
    if (w->part >= 1) return;
    normal_at(w, x, d, w->part, w->meet);
    approach(w, w->meet, way, along, most);
    for (int i = 0; i < 4; ++i)
        if (along[i] > 0 || !(most[0] > 0 || most[1] > 0)) w->stops |= 1 << i;
    if (t->drives) take_along(barrier, along, w);
}

static void follow_piece(void *data, int piece) {
    const task *t = data;
    sn_barrier *barrier = t->barrier;
    const int end = (int)sn_piece_begin(barrier->way_count, FOLLOW_GRAIN, piece + 1);
    for (int i = (int)sn_piece_begin(barrier->way_count, FOLLOW_GRAIN, piece); i < end; ++i)
        follow(t, &barrier->way[i]);
}

/* Follows all pairs along their ways. Returns whether some meet; their nodes stop. */
static bool follow_all(sn_barrier *barrier, const double *from, const double *way, bool drives) {
    bool met = false;
    task t = {barrier, from, way, NULL, drives};
    const int pieces = sn_pieces(barrier->way_count, FOLLOW_GRAIN);
    sn_parallel_pieces(sn_near_crew(&barrier->near, pieces), pieces, follow_piece, &t);
    for (int i = 0; i < barrier->way_count; ++i) {
        const struct sn_barrier_way *w = &barrier->way[i];
        for (int k = 0; k < 4 && w->part < 1; ++k)
            if (w->stops >> k & 1) stop_corner(barrier->near.surface, w, k, barrier->stop);
        met = met || w->part < 1;
    }
    return met;
}

static void start_round(struct sn_barrier_stop *stop, int node_count, const sn_filter *filter) {
    for (int i = 0; i < node_count; ++i) stop[i].part = 1, stop[i].whole = false;
    for (int i = 0; i < filter->count; ++i) stop[filter->node[i]].whole = true;
    for (int g = 0; g < filter->group_count; ++g)
        for (int i = 0; i < filter->group[g].count; ++i) stop[filter->group[g].node[i]].whole = true;
}

/* Held nodes that move drive. Returns whether there is one. */
static bool find_drives(struct sn_barrier_stop *stop, int node_count, const sn_filter *filter, const double *d) {
    bool any = false;
    for (int i = 0; i < node_count; ++i) memset(stop[i].drive, 0, sizeof stop[i].drive);
    for (int i = 0; i < filter->count; ++i) {
        const int32_t node = filter->node[i];
        const double *own = d + 3 * (size_t)node;
        if (!sn_filter_holds(filter, node) || (own[0] == 0 && own[1] == 0 && own[2] == 0)) continue;
        memcpy(stop[node].drive, own, sizeof stop[node].drive);
        any = true;
    }
    return any;
}

/* The nodes of a rigid body stop together. */
static void stop_groups(struct sn_barrier_stop *stop, const sn_filter *filter) {
    for (int g = 0; g < filter->group_count; ++g) {
        const sn_filter_group *group = &filter->group[g];
        double least = 1;
        for (int i = 0; i < group->count; ++i) least = fmin(least, stop[group->node[i]].part);
        for (int i = 0; i < group->count; ++i) stop[group->node[i]].part = least;
    }
}

/* Rounds with the pairs that can meet on the present ways. Returns whether none meets any more. */
static bool part_all(sn_barrier *barrier, int node_count, const sn_filter *filter, const double *from, double *way,
                     bool drives, int *round, double *d, bool *cut) {
    for (; *round < ROUNDS; ++*round) {
        start_round(barrier->stop, node_count, filter);
        if (!follow_all(barrier, from, way, drives && *round < DRIVES)) return true;
        *cut = true;
        stop_groups(barrier->stop, filter);
        for (int i = 0; i < node_count; ++i)
            if (barrier->stop[i].part < 1) cut_node(&barrier->stop[i], *round, d + 3 * (size_t)i);
        sn_touch_surface_carry(barrier->near.surface, d, way);
    }
    return false;
}

sn_status sn_barrier_stop(sn_barrier *barrier, const double *x, int node_count, const sn_filter *filter, double *d,
                          bool *cut, bool *safe, sn_error *error) {
    sn_near_features *near = &barrier->near;
    const sn_touch_surface *s = near->surface;
    const int n = 3 * s->vertex_count;
    double *from = near->at, *way = near->end;
    sn_status status = sn_grow(near->context, (void **)&barrier->stop, &barrier->stop_capacity, node_count,
                               sizeof *barrier->stop, error);
    *cut = *safe = false;
    sn_touch_surface_carry(s, x, from);
    sn_touch_surface_carry(s, d, way);
    bool again = true;
    const bool drives = !status && find_drives(barrier->stop, node_count, filter, d);
    for (int round = 0; again && !status;) {
        for (int i = 0; i < n; ++i) way[i] += from[i];
        status = sn_barrier_cover(barrier, from, way, error);
        for (int i = 0; i < n; ++i) way[i] -= from[i];
        if (!status) status = find(barrier, from, way, error);
        if (status) return status;
        again = false; /* nodes that stop leave the motion for which the pairs were listed */
        *safe = part_all(barrier, node_count, filter, from, way, drives, &round, d, &again);
        *cut = *cut || again;
        if (!*safe) return SN_OK;
    }
    return status;
}
