/* Contacts between bodies that stop each other's motion: the area response (contact/touch_area.h) on regions of
 * intersecting surfaces (contact/determination.h).
 *
 *   begin    finds the rows at the start of a step, and those where surfaces come together in it, or takes those that
 *            were found before. A row that was there in the last step starts with its force
 *   force    adds the forces that keep the rows from moving together and from slipping
 *   settle   refuses steps in which bodies may have passed through each other
 *   end      keeps the forces for the next step
 *
 * Rest: the rows keep their normals, areas and triangles while surfaces that may touch have moved relative to each
 * other by less than a hundredth of the smaller one since the rows were found, and will not move farther in the step.
 * Only triangles that may meet the box around the other surface count: a box that sways on another one keeps its rows.
 * So little is looked for where little moves. A step that is taken again in parts finds its rows only once.
 *
 * Fast bodies: a step that takes two bodies past each other by more than a quarter of the smaller one is refused, and
 * taken in parts. So the regions are still small when they are found. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "colliders.h"
#include "contact/broad_phase.h"
#include "contact/determination.h"
#include "contact/penalty.h"
#include "contact/touch_area.h"
#include "inside.h"
#include "row_memory.h"
#include "sweep.h"
#include "touching.h"

static const double SLOP = 1e-3;   /* depth that stays, in sizes of the model: contacts at rest do not break */
static const double STAY = 0.01;   /* way of two bodies for which rows are kept, in sizes of the smaller one */
static const double STEEP = 0.25;  /* squared cosine between a kept row and the normal of the triangle that it meets */
static const double BESIDE = 0.25; /* of its triangle: a kept row may meet the plane this far beside it */
static const double PASS = 0.25;   /* way of two bodies in a step, in sizes of the smaller one */
static const double FAST = 1; /* speed at which a depth goes away at most, in sizes of the smaller body per second */

typedef struct parting {
    sn_touching *touching;
    sn_touch_finder *finder; /* NULL: not made yet */
    sn_touch_area area;      /* `grip` has room for `capacity` rows, `motion.moved` for `moved_capacity` */
    int capacity, moved_capacity;
    double stiffness;     /* Pa/m */
    sn_row_memory memory; /* the forces of the last step */
    double slop;          /* m */
    sn_touch_rows later;  /* scratch: the rows at the end of the step */
    double *origin;       /* 2 x nodes x 3: positions and velocities for which the rows were found */
    bool known, found;    /* whether there is an origin; whether the rows of the origin are in `first` */
    sn_touch_rows first;  /* the rows as they were found */
    double *base;         /* vertices of all surfaces x 3: where they were then */
    double *end;          /* vertices of the largest surface x 3: where they are after the step */
    double *near;         /* 3 x vertices of the largest surface x 3: scratch (take_near) */
    uint8_t *beyond;      /* vertices of the largest surface: scratch (take_near) */
    double *ahead;        /* vertices of all surfaces x 3: where they would be after it without contact */
    sn_sweep *sweep;      /* surfaces */
    sn_sweep *since;      /* 2 x surfaces: the ways since `base` (take_ways) */
    sn_broad_phase broad; /* of the sweeps */
    int rounds;           /* how often this step has renewed the normal forces */
    int acting;           /* how many rows acted at the last call of `force` */
} parting;

/* ---- Life ---- */

static bool used(const sn_touching *touching) { return sn_contact_responds(&touching->options, "area"); }

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    parting *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->touching = sn_world_touching(world);
    own->area.rows = &own->touching->rows;
    own->broad.context = own->later.context = own->first.context = world->context;
    return SN_OK;
}

static void release_room(const sn_world *world, parting *own) {
    sn_touch_finder_destroy(own->finder);
    sn_broad_phase_release(&own->broad);
    sn_release(world->context, own->end);
    sn_release(world->context, own->near);
    sn_release(world->context, own->beyond);
    sn_release(world->context, own->ahead);
    sn_release(world->context, own->area.load);
    sn_release(world->context, own->base);
    sn_release(world->context, own->sweep);
    sn_release(world->context, own->since);
    own->finder = NULL, own->end = own->ahead = own->base = own->area.load = NULL, own->sweep = own->since = NULL;
    own->near = NULL, own->beyond = NULL;
    own->found = false;
}

static void destroy(sn_world *world, sn_interaction *self) {
    parting *own = self->data;
    if (!own) return;
    release_room(world, own);
    sn_row_memory_release(world->context, &own->memory);
    sn_touch_rows_release(&own->later);
    sn_touch_rows_release(&own->first);
    sn_release(world->context, own->origin);
    sn_release(world->context, own->area.grip);
    sn_release(world->context, own->area.motion.place);
    sn_release(world->context, own->area.motion.moved);
    sn_release(world->context, own);
}

/* The surfaces may be others after an edit: everything that depends on them is made in the next step. */
static void adapt(sn_world *world, sn_interaction *self) {
    parting *own = self->data;
    release_room(world, own);
    own->area.friction = own->touching->options.friction;
    own->stiffness = sn_touching_stiffness(world, own->touching);
}

static sn_status allows(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error) {
    const parting *own = self->data;
    if (!used(own->touching) || (method->implicit && !world->parameters.no_inertia)) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "contact.response",
                      "contact.response 'area' corrects motions, so it needs inertia and an implicit method; "
                      "take 'penalty'");
}

static void refresh(sn_world *world, sn_interaction *self) {
    (void)world;
    parting *own = self->data;
    own->memory.count = 0;
    own->known = own->found = false;
}

static bool make_origin(const sn_world *world, parting *own) {
    if (!own->origin)
        own->origin = sn_allocate(world->context, 6 * (size_t)world->model->node_count, sizeof *own->origin);
    return own->origin != NULL;
}

/* The forces that the next step starts with, and the origin of its rows. */
static void remember(const sn_world *world, const sn_interaction *self, sn_archive *archive) {
    parting *own = self->data;
    sn_row_memory_visit(world->context, &own->memory, archive);
    SN_ARCHIVE(archive, own->known);
    if (sn_archive_reads(archive)) own->found = false;
    if (archive->bad || !own->known) return;
    if (make_origin(world, own))
        sn_archive_visit(archive, own->origin, 6 * (size_t)world->model->node_count * sizeof *own->origin);
    else
        archive->bad = true;
    if (archive->bad) own->known = false;
}

/* ---- Finding ---- */

static sn_status make_finder(sn_world *world, parting *own, sn_error *error) {
    const sn_touching *touching = own->touching;
    const int64_t surfaces = touching->surface_count, most = surfaces * (surfaces + 1) / 2;
    sn_touch_pair *pair = sn_allocate(world->context, (size_t)most, sizeof *pair);
    if (!pair) return sn_no_memory(error);
    int count = 0;
    for (int a = 0; a < surfaces; ++a)
        for (int b = a; b < surfaces; ++b)
            if (sn_touching_may(touching, a, b)) pair[count++] = (sn_touch_pair){a, b};
    const sn_status status =
        sn_touch_finder_create(world->context, touching->surface, (int)surfaces, pair, count, &own->finder, error);
    sn_release(world->context, pair);
    return status;
}

static sn_status make_room(sn_world *world, parting *own, sn_error *error) {
    const sn_touching *touching = own->touching;
    int vertices = 0, all = 0;
    for (int i = 0; i < touching->surface_count; ++i) {
        if (touching->surface[i]->vertex_count > vertices) vertices = touching->surface[i]->vertex_count;
        all += touching->surface[i]->vertex_count;
    }
    own->end = sn_allocate(world->context, 3 * (size_t)vertices, sizeof(double));
    own->near = sn_allocate(world->context, 9 * (size_t)vertices, sizeof(double));
    own->beyond = sn_allocate(world->context, (size_t)vertices, sizeof *own->beyond);
    own->ahead = sn_allocate(world->context, 3 * (size_t)all, sizeof(double));
    own->base = sn_allocate(world->context, 3 * (size_t)all, sizeof(double));
    own->sweep = sn_allocate_zero(world->context, (size_t)touching->surface_count, sizeof *own->sweep);
    own->since = sn_allocate_zero(world->context, 2 * (size_t)touching->surface_count, sizeof *own->since);
    own->area.surfaces = touching->surface_count;
    own->area.load = sn_allocate(world->context, (size_t)touching->surface_count, sizeof(double));
    own->area.motion.numbers = 3 * world->model->node_count;
    if (!own->area.motion.place)
        own->area.motion.place = sn_allocate(world->context, (size_t)own->area.motion.numbers, sizeof(double));
    if (!own->end || !own->near || !own->beyond || !own->ahead || !own->base || !own->sweep || !own->since ||
        !own->area.load || !own->area.motion.place || !make_origin(world, own))
        return sn_no_memory(error);
    for (int i = 0; i < touching->surface_count; ++i) own->sweep[i].size = sn_sweep_size(touching->surface[i]);
    return make_finder(world, own, error);
}

/* The force of a row in the last step, turned into its cone of friction; 0 when it is new. */
static void recall(const parting *own, const sn_touch_row *row, double force[3]) {
    const int32_t key[4] = {row->a, row->b, row->feature[0], row->feature[1]};
    const double *old = sn_row_memory_find(&own->memory, key);
    const double normal = old ? fmax(sn_dot3(row->n, old), 0) : 0;
    double across[3];
    for (int k = 0; k < 3; ++k) across[k] = old ? old[k] - sn_dot3(row->n, old) * row->n[k] : 0;
    const double length = sn_norm3(across), most = own->area.friction * normal;
    for (int k = 0; k < 3; ++k) force[k] = normal * row->n[k] + across[k] * (length > most ? most / length : 1);
}

/* The constants of the rows for a step from x. */
static void start_rows(const sn_world *world, parting *own, const double *x) {
    const sn_touch_rows *rows = &own->touching->rows;
    const double h = world->parameters.time.step, slop = own->slop;
    for (int i = 0; i < rows->count; ++i) {
        const sn_touch_row *row = &rows->row[i];
        sn_touch_grip *grip = &own->area.grip[i];
        const double size = fmin(own->sweep[row->a].size, own->sweep[row->b].size),
                     wanted = own->touching->options.relaxation * (-row->gap - slop);
        *grip = (sn_touch_grip){.k = own->stiffness * row->area + sn_touching_mass(world, row) / (h * h),
                                .speed = fmin(fmax(wanted, 0) / h, FAST * size),
                                .apart = row->gap > 0 ? row->gap + 0.5 * slop : 0};
        if (row->gap > 0) continue;
        recall(own, row, grip->force);
        grip->normal = sn_dot3(row->n, grip->force);
    }
    sn_touch_area_start(&own->area, x);
}

/* Whether two surfaces may come nearer to each other in the step by more than the slop. */
static bool approach(const void *user, int a, int b) {
    const parting *own = user;
    return sn_sweep_way(&own->sweep[a], &own->sweep[b]) > own->slop;
}

/* Where the vertices are at the end of the step when nothing stops them. */
static void look_ahead(const sn_world *world, const parting *own, const double *v) {
    const double h = world->parameters.time.step;
    double *ahead = own->ahead;
    for (int i = 0; i < own->touching->surface_count; ++i) {
        const sn_touch_surface *surface = own->touching->surface[i];
        const int n = 3 * surface->vertex_count;
        sn_touch_surface_carry(surface, v, ahead);
        for (int k = 0; k < n; ++k) ahead[k] = surface->position[k] + (surface->carrier_node ? h * ahead[k] : 0);
        sn_sweep_take(surface->vertex_count, surface->position, ahead, &own->sweep[i]);
        ahead += n;
    }
}

/* Whether two surfaces approach in the step. */
static bool any_approach(const parting *own) {
    double most = 0, second = 0;
    for (int i = 0; i < own->touching->surface_count; ++i) {
        const double way = sn_sweep_way(&own->sweep[i], &own->sweep[0]);
        second = fmax(second, fmin(way, most)), most = fmax(way, most);
    }
    return most + second > own->slop;
}

/* Exchanges the present places of all vertices and those at the end of the step. */
static void exchange(const parting *own) {
    double *ahead = own->ahead;
    for (int i = 0; i < own->touching->surface_count; ++i) {
        sn_touch_surface *surface = own->touching->surface[i];
        for (int k = 0; k < 3 * surface->vertex_count; ++k) {
            const double now = surface->position[k];
            surface->position[k] = ahead[k], ahead[k] = now;
        }
        ahead += 3 * (size_t)surface->vertex_count;
    }
}

static int by_surfaces(const sn_touch_row *p, const sn_touch_row *q) {
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* How many rows at the front of the list are sorted by their surfaces: all but those of the last fallback. */
static int sorted_rows(const sn_touch_rows *rows) {
    int count = rows->count > 0;
    while (count < rows->count && by_surfaces(&rows->row[count - 1], &rows->row[count]) <= 0) ++count;
    return count;
}

/* Whether one of the rows from `begin` to before `end` belongs to the same patch. */
static bool among(const sn_touch_rows *rows, int begin, int end, const sn_touch_row *row) {
    for (int i = begin; i < end; ++i)
        if (by_surfaces(&rows->row[i], row) == 0 && rows->row[i].feature[0] == row->feature[0]) return true;
    return false;
}

/* Adds the rows of the end of the step whose patches have no row now. */
static sn_status add_later(parting *own, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    const int count = rows->count, sorted = sorted_rows(rows);
    sn_status status = SN_OK;
    for (int i = 0, begin = 0, end = 0; i < own->later.count && !status; ++i) {
        const sn_touch_row *row = &own->later.row[i];
        if (i == 0 || by_surfaces(&own->later.row[i - 1], row) > 0) begin = 0;
        while (begin < sorted && by_surfaces(&rows->row[begin], row) < 0) ++begin;
        for (end = begin; end < sorted && by_surfaces(&rows->row[end], row) == 0;) ++end;
        if (among(rows, begin, end, row) || among(rows, sorted, count, row)) continue;
        const double way = sn_sweep_way(&own->sweep[row->a], &own->sweep[row->b]);
        status = sn_touch_look_again(own->finder, row, 2 * way, rows, error);
    }
    return status;
}

/* Finds the rows at x, and those of surfaces that are apart and come together in the step: they intersect at its end
 * when nothing stops them. */
static sn_status determine(parting *own, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    sn_status status = sn_touch_determine(own->finder, rows, error);
    if (status || !any_approach(own)) return status;
    exchange(own);
    status = sn_touch_determine_beyond(own->finder, approach, own, rows, &own->later, error);
    exchange(own);
    if (status || own->later.count == 0) return status;
    sn_touch_refit(own->finder);
    return add_later(own, error);
}

/* Finds the rows of the origin. The surfaces are there, and the ways of the step are known. */
static sn_status find_first(parting *own, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    double *base = own->base;
    for (int i = 0; i < own->touching->surface_count; ++i) {
        const sn_touch_surface *surface = own->touching->surface[i];
        memcpy(base, surface->position, 3 * (size_t)surface->vertex_count * sizeof *base);
        base += 3 * (size_t)surface->vertex_count;
    }
    own->found = false;
    sn_status status = determine(own, error);
    if (!status) status = sn_touch_rows_copy(rows, &own->first, error);
    own->found = !status;
    return status;
}

/* A world that was restored has an origin without rows: finds them again. */
static sn_status find_again(const sn_world *world, parting *own, const double *x, sn_error *error) {
    const sn_touching *touching = own->touching;
    for (int i = 0; i < touching->surface_count; ++i) sn_touch_surface_move(touching->surface[i], own->origin);
    look_ahead(world, own, own->origin + 3 * (size_t)world->model->node_count);
    const sn_status status = find_first(own, error);
    for (int i = 0; i < touching->surface_count; ++i) sn_touch_surface_move(touching->surface[i], x);
    return status;
}

/* The ways of all surfaces since the origin: until the end of the step, and behind these until now. */
static void take_ways(parting *own) {
    const int surfaces = own->touching->surface_count;
    const double *base = own->base, *ahead = own->ahead;
    for (int i = 0; i < surfaces; ++i) {
        const sn_touch_surface *surface = own->touching->surface[i];
        sn_sweep *end = &own->since[i], *now = &own->since[surfaces + i];
        sn_sweep_take(surface->vertex_count, base, ahead, end);
        sn_sweep_take(surface->vertex_count, base, surface->position, now);
        for (int k = 0; k < 3; ++k) {
            own->broad.box[i].low[k] = fmin(end->box.low[k], now->box.low[k]);
            own->broad.box[i].high[k] = fmax(end->box.high[k], now->box.high[k]);
        }
        base += 3 * (size_t)surface->vertex_count, ahead += 3 * (size_t)surface->vertex_count;
    }
}

/* The sides of the box, as bits, behind which a vertex is at three times. */
static uint8_t beyond(const sn_broad_box *box, const double *x, const double *y, const double *z) {
    unsigned sides = 0;
    for (int k = 0; k < 3; ++k) {
        const double low = box->low[k], high = box->high[k];
        sides |= (unsigned)((x[k] < low) & (y[k] < low) & (z[k] < low)) << k;
        sides |= (unsigned)((x[k] > high) & (y[k] > high) & (z[k] > high)) << (3 + k);
    }
    return (uint8_t)sides;
}

/* The ways of surface i as in take_ways, but only of triangles that may meet the box. Returns whether there are any. */
static bool take_near(const parting *own, int i, const sn_broad_box *box, sn_sweep *end, sn_sweep *now) {
    enum { INSIDE = 0, COUNTS = 64 };
    const sn_touch_surface *surface = own->touching->surface[i];
    const size_t vertices = (size_t)surface->vertex_count;
    const double *base = own->base, *ahead = own->ahead, *x = surface->position;
    for (int s = 0; s < i; ++s) {
        const size_t before = 3 * (size_t)own->touching->surface[s]->vertex_count;
        base += before, ahead += before;
    }
    for (size_t k = 0; k < vertices; ++k) own->beyond[k] = beyond(box, base + 3 * k, ahead + 3 * k, x + 3 * k);
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int32_t *corner = surface->triangle + 3 * (size_t)t;
        uint8_t *const side[3] = {&own->beyond[corner[0]], &own->beyond[corner[1]], &own->beyond[corner[2]]};
        if ((*side[0] & *side[1] & *side[2] & (COUNTS - 1)) != INSIDE) continue;
        for (int k = 0; k < 3; ++k) *side[k] |= COUNTS;
    }
    double *from = own->near, *to = from + 3 * vertices, *at = to + 3 * vertices;
    int count = 0;
    for (size_t k = 0; k < vertices; ++k) {
        if (!(own->beyond[k] & COUNTS)) continue;
        memcpy(from + 3 * count, base + 3 * k, 3 * sizeof *from);
        memcpy(to + 3 * count, ahead + 3 * k, 3 * sizeof *to);
        memcpy(at + 3 * count++, x + 3 * k, 3 * sizeof *at);
    }
    sn_sweep_take(count, from, to, end);
    sn_sweep_take(count, from, at, now);
    return count > 0;
}

static bool stays(const parting *own, int a, int b) {
    const int surfaces = own->touching->surface_count;
    const sn_sweep *end = own->since, *now = own->since + surfaces;
    const double most = STAY * fmin(own->sweep[a].size, own->sweep[b].size);
    if (fmax(sn_sweep_way(&end[a], &end[b]), sn_sweep_way(&now[a], &now[b])) <= most) return true;
    if (!sn_touching_may(own->touching, a, b)) return true;
    if (a == b) return false;
    sn_sweep near_end[2], near_now[2];
    if (!take_near(own, a, &own->broad.box[b], &near_end[0], &near_now[0])) return true;
    if (!take_near(own, b, &own->broad.box[a], &near_end[1], &near_now[1])) return true;
    return fmax(sn_sweep_way(&near_end[0], &near_end[1]), sn_sweep_way(&near_now[0], &near_now[1])) <= most;
}

/* Whether surfaces that may touch have stayed near to where they were at the origin, and will. */
static sn_status serve(parting *own, bool *serves, sn_error *error) {
    *serves = false;
    if (!own->found) return SN_OK;
    sn_status status = sn_broad_phase_resize(&own->broad, own->touching->surface_count, error);
    if (status) return status;
    take_ways(own);
    status = sn_broad_phase_find(&own->broad, error);
    *serves = !status;
    for (int i = 0; i < own->touching->surface_count && *serves; ++i) *serves = stays(own, i, i);
    for (int i = 0; i < own->broad.count && *serves; ++i)
        *serves = stays(own, own->broad.pair[i][0], own->broad.pair[i][1]);
    return status;
}

/* Looks along the normal from the point that found the row to the triangle that it met. Returns false when it does not
 * meet this triangle well. The two points of the row lie on its normal again: its forces have no torque together. */
static bool carry_row(const parting *own, sn_touch_row *row) {
    const sn_touch_surface *const side[2] = {own->touching->surface[row->a], own->touching->surface[row->b]};
    const int from = row->feature[0] < 0 ? 1 : 0, to = 1 - from;
    const double *corner[3];
    double x[3], y[3], way[3], N[3], part[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = side[to]->position + 3 * (size_t)side[to]->triangle[3 * (size_t)row->at[to].triangle + (size_t)k];
    sn_touch_point_place(side[from], &row->at[from], x);
    sn_area_vector3(corner[0], corner[1], corner[2], N);
    const double along = sn_dot3(N, row->n), square = sn_dot3(N, N);
    if (row->feature[1] < 0 || !(along * along > STEEP * square)) return false;
    sn_subtract3(corner[0], x, way);
    const double length = sn_dot3(N, way) / along;
    for (int k = 0; k < 3; ++k) y[k] = x[k] + length * row->n[k];
    for (int k = 0; k < 3; ++k) {
        sn_area_vector3(y, corner[(k + 1) % 3], corner[(k + 2) % 3], part);
        row->at[to].share[k] = sn_dot3(N, part) / square;
        if (!(row->at[to].share[k] > -BESIDE)) return false;
    }
    row->gap = from ? length : -length;
    sn_touch_point_place(side[0], &row->at[0], row->point);
    return true;
}

/* Takes the rows of the origin to the present places. Returns whether all of them could be carried. */
static sn_status carry_rows(const parting *own, bool *carried, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    sn_status status = SN_OK;
    sn_touch_rows_clear(rows);
    for (int i = 0; i < own->first.count && *carried && !status; ++i) {
        sn_touch_row row = own->first.row[i];
        *carried = carry_row(own, &row);
        if (*carried)
            status = sn_touch_rows_append(rows, own->touching->surface[row.a], &row.at[0],
                                          own->touching->surface[row.b], &row.at[1], &row, error);
    }
    return status;
}

/* The rows for a step from (x, v), where the surfaces are. */
static sn_status take_rows(const sn_world *world, parting *own, const double *x, const double *v, sn_error *error) {
    const size_t numbers = 3 * (size_t)world->model->node_count, size = numbers * sizeof *x;
    bool serves = false;
    sn_status status = own->known && !own->found ? find_again(world, own, x, error) : SN_OK;
    look_ahead(world, own, v);
    if (!status && own->found && memcmp(x, own->origin, size) == 0 && memcmp(v, own->origin + numbers, size) == 0)
        return sn_touch_rows_copy(&own->first, &own->touching->rows, error);
    if (!status) status = serve(own, &serves, error);
    if (!status && serves) status = carry_rows(own, &serves, error);
    if (status || serves) return status;
    memcpy(own->origin, x, size);
    memcpy(own->origin + numbers, v, size);
    status = find_first(own, error);
    own->known = !status;
    return status;
}

static sn_status find_rows(sn_world *world, parting *own, const double *x, const double *v, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    own->slop = SLOP * world->model->size;
    sn_status status = own->finder ? SN_OK : make_room(world, own, error);
    if (!status) status = take_rows(world, own, x, v, error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->area.grip, &own->capacity, rows->count, sizeof *own->area.grip,
                         error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->area.motion.moved, &own->moved_capacity, rows->count,
                         3 * sizeof *own->area.motion.moved, error);
    if (!status) status = sn_row_memory_reserve(world->context, &own->memory, rows->count, error);
    if (!status) status = sn_touching_forces(own->touching, error);
    if (!status) start_rows(world, own, x);
    return status;
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t;
    parting *own = self->data;
    own->rounds = own->acting = 0;
    if (!used(own->touching)) return false;
    own->touching->status = find_rows(world, own, x, v, &own->touching->error);
    if (own->touching->status) sn_touch_rows_clear(&own->touching->rows);
    return true;
}

/* ---- Forces ---- */

/* The response at the time t, for a solve that looks ahead or not. */
static sn_touch_area looking(const sn_world *world, const parting *own, double t, double ahead) {
    sn_touch_area area = own->area;
    area.lapse = t - world->workspace.began;
    area.ahead = ahead;
    return area;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    parting *own = self->data;
    if (!used(own->touching)) return;
    const sn_touch_area area = looking(world, own, place->t, place->ahead);
    own->acting = sn_touch_area_force(&area, place->x, place->v, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    const parting *own = self->data;
    const sn_touch_area area = looking(world, own, place->t, 0);
    if (used(own->touching)) *energy += sn_touch_area_energy(&area, place->x);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world;
    const parting *own = self->data;
    return used(own->touching) && !damping ? sn_touch_rows_block_count(&own->touching->rows) : 0;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)exact, (void)D;
    const parting *own = self->data;
    if (!used(own->touching)) return;
    const sn_touch_area area = looking(world, own, place->t, place->ahead);
    sn_touch_area_blocks(&area, place->x, place->v, K);
}

static bool renew(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    enum { ROUNDS = 6 };
    (void)v;
    parting *own = self->data;
    const sn_touch_area area = looking(world, own, t, 0);
    return used(own->touching) && area.friction > 0 && own->rounds++ < ROUNDS && sn_touch_area_lag(&area, x);
}

static bool release(sn_world *world, sn_interaction *self, double t, const double *x) {
    const parting *own = self->data;
    const sn_touch_area area = looking(world, own, t, 0);
    return used(own->touching) && sn_touch_area_release(&area, x);
}

/* ---- Settling ---- */

/* Refuses a step in which two bodies may have passed through each other. */
static sn_status check_way(const sn_world *world, parting *own, const sn_trial *trial, sn_error *error) {
    const sn_touching *touching = own->touching;
    sn_status status = sn_broad_phase_resize(&own->broad, touching->surface_count, error);
    for (int i = 0; i < touching->surface_count && !status; ++i) {
        sn_touch_surface_carry(touching->surface[i], trial->x, own->end);
        sn_sweep_take(touching->surface[i]->vertex_count, touching->surface[i]->position, own->end, &own->sweep[i]);
        own->broad.box[i] = own->sweep[i].box;
    }
    if (!status) status = sn_broad_phase_find(&own->broad, error);
    for (int i = 0; i < own->broad.count && !status; ++i) {
        const int a = own->broad.pair[i][0], b = own->broad.pair[i][1];
        const sn_sweep *A = &own->sweep[a], *B = &own->sweep[b];
        const bool fast = sn_sweep_way(A, B) > PASS * fmin(A->size, B->size);
        if (fast && sn_touching_may(touching, a, b))
            return sn_fail(error, SN_NOT_CONVERGED,
                           "bodies '%s' and '%s' meet too fast for the step from t = %g s to %g s",
                           world->model->body[touching->surface[a]->body].name,
                           world->model->body[touching->surface[b]->body].name, trial->t, trial->t + trial->h);
    }
    return status;
}

static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled;
    parting *own = self->data;
    return used(own->touching) && own->finder ? check_way(world, own, trial, error) : SN_OK;
}

/* ---- After the step ---- */

/* Keeps the forces of the step, for the list of contacts and for the next step. */
static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    parting *own = self->data;
    sn_touching *touching = own->touching;
    const sn_touch_rows *rows = &touching->rows;
    if (!place || !used(touching)) return;
    const sn_touch_area area = looking(world, own, place->t, 0);
    sn_touch_area_forces(&area, place->x, touching->force);
    own->memory.count = 0;
    for (int i = 0; i < rows->count; ++i) {
        const sn_touch_row *row = &rows->row[i];
        sn_kept_row *out = &own->memory.row[own->memory.count++];
        *out = (sn_kept_row){.key = {row->a, row->b, row->feature[0], row->feature[1]}};
        memcpy(out->value, touching->force + 3 * (size_t)i, sizeof out->value);
    }
    sn_row_memory_sort(&own->memory);
    sn_touching_finish(touching, NULL);
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world, (void)t, (void)x;
    const parting *own = self->data;
    return used(own->touching) && own->touching->rows.count > 0;
}

const sn_interaction_kind sn_kind_contact_area = {.create = create,
                                                  .destroy = destroy,
                                                  .adapt = adapt,
                                                  .allows = allows,
                                                  .refresh = refresh,
                                                  .remember = remember,
                                                  .force = force,
                                                  .energy = energy,
                                                  .block_count = block_count,
                                                  .blocks = blocks,
                                                  .begin = begin,
                                                  .renew = renew,
                                                  .release = release,
                                                  .settle = settle,
                                                  .touches = touches,
                                                  .end = end};
