/* Contacts between bodies by pseudo-impulses: the area response (contact/touch_area.h) on regions of intersecting
 * surfaces (contact/determination.h).
 *
 *   begin    finds the rows at the start of a step. A row that was there in the last step starts with its force
 *   force    adds these forces, which are constant in the step
 *   settle   corrects displacements and velocities of the step, then moves positions apart by a part of the depth
 *   end      keeps the forces for the next step
 *
 * Momentum: a pseudo-impulse P acts on both bodies at one point of the start of the step, with opposite signs. With
 * implicit Euler the angular momentum changes by sum x0 x P / h = 0 then. The shift of positions alone would change it
 * by sum m shift x v: each free body gets a small spin that makes up for this.
 *
 * Fast bodies: a step that takes two bodies past each other by more than a quarter of the smaller one is refused, and
 * taken in parts. So the regions are still small when they are found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "contact/determination.h"
#include "contact/touch_area.h"
#include "inside.h"
#include "touching.h"

static const double WARM = 0.25;  /* part of the correction of a step that the next step starts with */
static const double SLOP = 1e-3;  /* depth that is left alone, in sizes of the model: contacts at rest do not break */
static const double PASS = 0.25;  /* way of two bodies in a step, in sizes of the smaller one */

/* The force of a row in the last step. */
typedef struct kept {
    int32_t key[4]; /* surfaces a, b and features of the row */
    double force[3];
} kept;

/* The motion of a surface in a step. */
typedef struct sweep {
    double low[3], high[3]; /* m: the box around its start and its end */
    double mean[3], most;   /* m: mean way of its vertices, and the largest difference from it */
    double size;            /* m: smallest extent at rest */
} sweep;

typedef struct parting {
    sn_touching *touching;
    sn_touch_finder *finder; /* NULL: not made yet */
    sn_touch_area area;      /* rows: room for `capacity`; nodes: for all */
    double *force;           /* rows x 3, N: at the start of the step */
    int capacity;
    kept *kept; /* sorted by key */
    int kept_count, kept_capacity;
    double *shift, *inverse_mass; /* nodes x 3; nodes */
    double *end;                  /* vertices of the largest surface x 3: where they are after the step */
    sweep *sweep;                 /* surfaces */
    bool settled;                 /* `impulse` belongs to the present step */
    double h;                     /* s: of the step that was settled */
} parting;

/* ---- Life ---- */

static bool used(const sn_touching *touching) { return sn_contact_responds(&touching->options, "area"); }

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    parting *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->touching = sn_world_touching(world);
    own->area.rows = &own->touching->rows;
    return SN_OK;
}

static void release_room(const sn_world *world, parting *own) {
    sn_touch_finder_destroy(own->finder);
    void *const array[] = {own->shift, own->inverse_mass, own->area.node_rows, own->area.change, own->end, own->sweep};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
    own->finder = NULL, own->shift = own->inverse_mass = own->area.change = own->end = NULL;
    own->area.node_rows = NULL, own->sweep = NULL;
}

static void destroy(sn_world *world, sn_interaction *self) {
    parting *own = self->data;
    if (!own) return;
    release_room(world, own);
    void *const array[] = {own->force, own->area.impulse, own->area.crowd, own->kept, own};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}

/* The surfaces may be others after an edit: everything that depends on them is made in the next step. */
static void adapt(sn_world *world, sn_interaction *self) {
    parting *own = self->data;
    release_room(world, own);
    own->area.friction = own->touching->options.friction;
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
    ((parting *)self->data)->kept_count = 0;
}

/* The forces that the next step starts with. */
static void remember(const sn_world *world, const sn_interaction *self, sn_archive *archive) {
    parting *own = self->data;
    int count = own->kept_count;
    SN_ARCHIVE(archive, count);
    if (count < 0 || (sn_archive_reads(archive) && (size_t)count > archive->size / sizeof *own->kept))
        archive->bad = true;
    if (archive->bad) return;
    if (sn_archive_reads(archive) && sn_grow(world->context, (void **)&own->kept, &own->kept_capacity, count,
                                             sizeof *own->kept, NULL)) {
        archive->bad = true;
        return;
    }
    sn_archive_visit(archive, own->kept, (size_t)count * sizeof *own->kept);
    own->kept_count = archive->bad ? 0 : count;
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

static void rest_size(const sn_touch_surface *surface, double *size) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * surface->vertex_count; ++i)
        low[i % 3] = fmin(low[i % 3], surface->rest[i]), high[i % 3] = fmax(high[i % 3], surface->rest[i]);
    *size = fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
}

static sn_status make_room(sn_world *world, parting *own, sn_error *error) {
    const sn_touching *touching = own->touching;
    const size_t nodes = (size_t)world->model->node_count;
    int vertices = 0;
    for (int i = 0; i < touching->surface_count; ++i)
        if (touching->surface[i]->vertex_count > vertices) vertices = touching->surface[i]->vertex_count;
    own->shift = sn_allocate(world->context, 3 * nodes, sizeof(double));
    own->inverse_mass = sn_allocate_zero(world->context, nodes, sizeof(double));
    own->area.change = sn_allocate(world->context, 3 * nodes, sizeof(double));
    own->area.node_rows = sn_allocate(world->context, nodes, sizeof(int32_t));
    own->end = sn_allocate(world->context, 3 * (size_t)vertices, sizeof(double));
    own->sweep = sn_allocate_zero(world->context, (size_t)touching->surface_count, sizeof *own->sweep);
    if (!own->shift || !own->inverse_mass || !own->area.change || !own->area.node_rows || !own->end || !own->sweep)
        return sn_no_memory(error);
    own->area.inverse_mass = own->inverse_mass;
    for (int i = 0; i < touching->surface_count; ++i) rest_size(touching->surface[i], &own->sweep[i].size);
    return make_finder(world, own, error);
}

static sn_status reserve(const sn_world *world, parting *own, int count, sn_error *error) {
    if (count <= own->capacity) return SN_OK;
    int capacity[3] = {own->capacity, own->capacity, own->capacity};
    const size_t size = 3 * sizeof(double);
    sn_status status = sn_grow(world->context, (void **)&own->force, &capacity[0], count, size, error);
    if (!status) status = sn_grow(world->context, (void **)&own->area.impulse, &capacity[1], count, size, error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->area.crowd, &capacity[2], count, sizeof(int32_t), error);
    if (!status) own->capacity = capacity[0];
    return status;
}

static int by_key(const void *p, const void *q) {
    const int32_t *a = p, *b = q;
    for (int k = 0; k < 4; ++k)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* The force of a row in the last step, turned into its cone of friction; 0 when it is new. */
static void recall(const parting *own, const sn_touch_row *row, double force[3]) {
    const int32_t key[4] = {row->a, row->b, row->feature[0], row->feature[1]};
    const kept *old = own->kept_count > 0
                          ? bsearch(key, own->kept, (size_t)own->kept_count, sizeof *own->kept, by_key)
                          : NULL;
    const double normal = old ? fmax(sn_dot3(row->n, old->force), 0) : 0;
    double across[3];
    for (int k = 0; k < 3; ++k) across[k] = old ? old->force[k] - sn_dot3(row->n, old->force) * row->n[k] : 0;
    const double length = sn_norm3(across), most = own->area.friction * normal;
    for (int k = 0; k < 3; ++k) force[k] = normal * row->n[k] + across[k] * (length > most ? most / length : 1);
}

static sn_status find_rows(sn_world *world, parting *own, sn_error *error) {
    sn_touch_rows *rows = &own->touching->rows;
    sn_status status = own->finder ? SN_OK : make_room(world, own, error);
    if (!status) status = sn_touch_determine(own->finder, rows, error);
    if (!status) status = reserve(world, own, rows->count, error);
    for (int i = 0; i < rows->count && !status; ++i) recall(own, &rows->row[i], own->force + 3 * (size_t)i);
    return status;
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t, (void)x, (void)v;
    parting *own = self->data;
    own->settled = false;
    if (!used(own->touching)) return false;
    own->touching->status = find_rows(world, own, &own->touching->error);
    if (own->touching->status) sn_touch_rows_clear(&own->touching->rows);
    return true;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world, (void)place;
    const parting *own = self->data;
    const sn_touch_rows *rows = &own->touching->rows;
    if (!used(own->touching)) return;
    for (int i = 0; i < rows->count; ++i) sn_touch_row_push(rows, &rows->row[i], own->force + 3 * (size_t)i, f);
}

/* ---- Settling ---- */

static void take_sweep(const sn_touch_surface *surface, const double *end, sweep *s) {
    const int count = surface->vertex_count;
    for (int k = 0; k < 3; ++k) s->low[k] = INFINITY, s->high[k] = -INFINITY, s->mean[k] = 0;
    for (int i = 0; i < 3 * count; ++i) {
        s->low[i % 3] = fmin(s->low[i % 3], fmin(surface->position[i], end[i]));
        s->high[i % 3] = fmax(s->high[i % 3], fmax(surface->position[i], end[i]));
        s->mean[i % 3] += (end[i] - surface->position[i]) / count;
    }
    s->most = 0;
    for (int i = 0; i < count; ++i) {
        double way[3];
        for (int k = 0; k < 3; ++k) way[k] = end[3 * i + k] - surface->position[3 * i + k] - s->mean[k];
        s->most = fmax(s->most, sn_norm3(way));
    }
}

/* Refuses a step in which two bodies may have passed through each other. */
static sn_status check_way(const sn_world *world, const parting *own, const sn_trial *trial, sn_error *error) {
    const sn_touching *touching = own->touching;
    for (int i = 0; i < touching->surface_count; ++i) {
        sn_touch_surface_carry(touching->surface[i], trial->x, own->end);
        take_sweep(touching->surface[i], own->end, &own->sweep[i]);
    }
    for (int a = 0; a < touching->surface_count; ++a)
        for (int b = a + 1; b < touching->surface_count; ++b) {
            const sweep *A = &own->sweep[a], *B = &own->sweep[b];
            double apart[3];
            sn_subtract3(A->mean, B->mean, apart);
            bool meet = sn_norm3(apart) + A->most + B->most > PASS * fmin(A->size, B->size);
            for (int k = 0; k < 3; ++k) meet = meet && A->low[k] <= B->high[k] && B->low[k] <= A->high[k];
            if (meet && sn_touching_may(touching, a, b))
                return sn_fail(error, SN_NOT_CONVERGED,
                               "bodies '%s' and '%s' meet too fast for the step from t = %g s to %g s",
                               world->model->body[touching->surface[a]->body].name,
                               world->model->body[touching->surface[b]->body].name, trial->t, trial->t + trial->h);
        }
    return SN_OK;
}

static void take_masses(const sn_world *world, const parting *own) {
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    const sn_touch_rows *rows = &own->touching->rows;
    for (int32_t k = 0; k < rows->carrier_count; ++k) {
        const int32_t node = rows->node[k];
        const double mass = fabs(world->solid->weight[node]);
        own->inverse_mass[node] = mass > 0 && !sn_filter_find(filter, node) ? 1 / mass : 0;
    }
}

/* Gives a free body the spin that makes up for the change of its angular momentum by the shift. */
static void spin_body(const sn_world *world, int body, const double *shift, const double *x, double *v) {
    const sn_body *b = &world->model->body[body];
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    double mass = 0, centre[3] = {0}, lost[3] = {0}, inertia[9] = {0}, inverse[9], spin[3];
    for (int i = b->node_first; i < b->node_first + b->mesh->node_count; ++i) {
        const double m = fabs(world->solid->weight[i]), *at = x + 3 * (size_t)i;
        double cross[3];
        if (sn_filter_find(filter, i)) return;
        sn_cross3(shift + 3 * (size_t)i, v + 3 * (size_t)i, cross);
        for (int k = 0; k < 3; ++k) centre[k] += m * at[k], lost[k] -= m * cross[k];
        mass += m;
    }
    if ((lost[0] == 0 && lost[1] == 0 && lost[2] == 0) || !(mass > 0)) return;
    for (int k = 0; k < 3; ++k) centre[k] /= mass;
    for (int i = b->node_first; i < b->node_first + b->mesh->node_count; ++i) {
        const double m = fabs(world->solid->weight[i]);
        double r[3];
        sn_subtract3(x + 3 * (size_t)i, centre, r);
        for (int k = 0; k < 9; ++k) inertia[k] += m * ((k % 4 == 0 ? sn_dot3(r, r) : 0) - r[k / 3] * r[k % 3]);
    }
    if (!(sn_inverse3(inertia, inverse) > 0)) return;
    sn_multiply_vector3(inverse, lost, spin);
    for (int i = b->node_first; i < b->node_first + b->mesh->node_count; ++i) {
        double r[3], add[3];
        sn_subtract3(x + 3 * (size_t)i, centre, r);
        sn_cross3(spin, r, add);
        for (size_t k = 0; k < 3; ++k) v[3 * (size_t)i + k] += add[k];
    }
}

/* Moves positions apart by a part of the depth. */
static void stabilise(sn_world *world, const parting *own, const sn_trial *trial) {
    const int nodes = world->model->node_count;
    memset(own->shift, 0, 3 * (size_t)nodes * sizeof *own->shift);
    sn_touch_area_stabilise(&own->area, nodes, own->touching->options.relaxation, SLOP * world->model->size,
                            own->shift);
    for (int i = 0; i < 3 * nodes; ++i) trial->x[i] += own->shift[i];
    for (int b = 0; b < world->model->body_count; ++b) spin_body(world, b, own->shift, trial->x, trial->v);
}

static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled;
    parting *own = self->data;
    const sn_touch_rows *rows = &own->touching->rows;
    const int nodes = world->model->node_count;
    const double h = trial->h;
    if (!used(own->touching)) return SN_OK;
    const sn_status status = check_way(world, own, trial, error);
    if (status || rows->count == 0) return status;
    double *D = world->workspace.scaled;
    for (int i = 0; i < 3 * nodes; ++i) D[i] = trial->x[i] - trial->x0[i];
    for (int i = 0; i < 3 * rows->count; ++i) own->area.impulse[i] = h * h * own->force[i];
    take_masses(world, own);
    sn_touch_area_count(&own->area, nodes);
    sn_touch_area_stop(&own->area, nodes, D);
    for (int i = 0; i < 3 * nodes; ++i) {
        const double change = D[i] - (trial->x[i] - trial->x0[i]);
        trial->x[i] += change, trial->v[i] += change / h;
    }
    stabilise(world, own, trial);
    own->h = h, own->settled = true;
    return SN_OK;
}

/* ---- After the step ---- */

/* Keeps the forces for the next step: the start plus a part of the correction. */
static void keep_forces(const sn_world *world, parting *own) {
    const sn_touch_rows *rows = &own->touching->rows;
    own->kept_count = 0;
    if (sn_grow(world->context, (void **)&own->kept, &own->kept_capacity, rows->count, sizeof *own->kept, NULL)) return;
    for (int i = 0; i < rows->count; ++i) {
        const sn_touch_row *row = &rows->row[i];
        kept *out = &own->kept[own->kept_count++];
        *out = (kept){.key = {row->a, row->b, row->feature[0], row->feature[1]}};
        for (int k = 0; k < 3; ++k) {
            const double start = own->force[3 * i + k], total = own->area.impulse[3 * i + k] / (own->h * own->h);
            out->force[k] = start + WARM * (total - start);
        }
    }
    if (own->kept_count > 0) qsort(own->kept, (size_t)own->kept_count, sizeof *own->kept, by_key);
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    parting *own = self->data;
    sn_touching *touching = own->touching;
    if (!place || !used(touching) || sn_touching_forces(touching, NULL)) return;
    if (!own->settled) sn_touch_rows_clear(&touching->rows);
    keep_forces(world, own);
    for (int i = 0; i < 3 * touching->rows.count; ++i) touching->force[i] = own->area.impulse[i] / (own->h * own->h);
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
                                                  .begin = begin,
                                                  .settle = settle,
                                                  .touches = touches,
                                                  .end = end};
