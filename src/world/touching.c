/* Bodies that touch: surfaces, pairs, the list of contacts and the events. See touching.h. The forces come from the
 * responses. */
#include "touching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "colliders.h"
#include "inside.h"
#include "surfaces.h"

sn_touching *sn_world_touching(const sn_world *world) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_contact);
    return self ? self->data : NULL;
}

/* ---- Pairs of bodies ---- */

static int by_bodies(const void *p, const void *q) {
    const int32_t *a = p, *b = q;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static bool has_pair(const int32_t *pair, int count, int a, int b) {
    const int32_t key[2] = {a < b ? a : b, a < b ? b : a};
    return count > 0 && bsearch(key, pair, (size_t)count, sizeof key, by_bodies) != NULL;
}

/* Sorts pairs and removes those that appear again. Returns how many are left. */
static int sort_pairs(int32_t *pair, int count) {
    int kept = 0;
    if (count > 0) qsort(pair, (size_t)count, 2 * sizeof *pair, by_bodies);
    for (int i = 0; i < count; ++i)
        if (i == 0 || by_bodies(pair + 2 * i, pair + 2 * (kept - 1)) != 0) {
            pair[2 * kept] = pair[2 * i], pair[2 * kept + 1] = pair[2 * i + 1];
            ++kept;
        }
    return kept;
}

bool sn_touching_may(const sn_touching *touching, int a, int b) {
    if (a == b && touching->options.self) return true;
    if (touching->options.pair_count == 0) return a != b;
    return has_pair(touching->allowed, touching->allowed_count, a, b);
}

static sn_status take_pairs(const sn_world *world, const sn_contact_options *options, sn_touching *own,
                            sn_error *error) {
    const int count = options->pair_count;
    sn_contact_pair *pair = sn_allocate(world->context, (size_t)count, sizeof *pair);
    own->allowed = sn_allocate(world->context, 2 * (size_t)count, sizeof *own->allowed);
    own->options.pair = pair;
    if (!pair || !own->allowed) return sn_no_memory(error);
    if (count > 0) memcpy(pair, options->pair, (size_t)count * sizeof *pair);
    for (int i = 0; i < count; ++i) {
        int body[2];
        for (int k = 0; k < 2; ++k) {
            pair[i].body[k][sizeof pair[i].body[k] - 1] = 0;
            body[k] = sn_model_find_body(world->model, pair[i].body[k]);
            if (body[k] >= 0) continue;
            const sn_status status =
                sn_fail_at(error, SN_BAD_INPUT, k ? "1" : "0", "there is no body '%s'", pair[i].body[k]);
            return sn_within(error, sn_within(error, status, "%d", i), "contact.between");
        }
        own->allowed[2 * i] = body[0] < body[1] ? body[0] : body[1];
        own->allowed[2 * i + 1] = body[0] < body[1] ? body[1] : body[0];
    }
    own->allowed_count = sort_pairs(own->allowed, count);
    return SN_OK;
}

/* ---- Surfaces ---- */

/* Cloth has no inside: only the response "exact" knows on which side of it another surface is. */
static sn_status check_kind(const sn_world *world, int body, const sn_touching *own, sn_error *error) {
    const sn_body *b = &world->model->body[body];
    if (b->element->face_nodes == 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "contact",
                          "body '%s' is plane; contact between bodies needs tets or cloth", b->name);
    if (!b->element->lay || sn_contact_responds(&own->options, "exact")) return SN_OK;
    for (int i = 0; i < world->model->body_count; ++i)
        if (sn_touching_may(own, body, i))
            return sn_fail_at(error, SN_UNSUPPORTED, "contact.response",
                              "response '%s' needs bodies with an inside, but body '%s' is cloth; take 'exact'",
                              *own->options.response ? own->options.response : "area", b->name);
    return SN_OK;
}

static sn_status make_surface(const sn_world *world, int body, const sn_touching *own, sn_touch_surface **surface,
                              sn_error *error) {
    const sn_status status = check_kind(world, body, own, error);
    return status ? status : sn_world_surface(world, body, surface, error);
}

static sn_status build(const sn_world *world, const sn_contact_options *options, sn_touching *own, sn_error *error) {
    *own = (sn_touching){.options = *options, .rows = {.context = world->context}, .step = -1};
    own->options.pair = NULL;
    if (!options->use) {
        own->options.pair_count = 0;
        return SN_OK;
    }
    if (world->model->body_count == 1 && !options->self && options->pair_count == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "contact",
                          "contact has no effect: the only body does not touch itself; give 'self': true");
    sn_status status = take_pairs(world, options, own, error);
    if (status) return status;
    own->surface = sn_allocate_zero(world->context, (size_t)world->model->body_count, sizeof(sn_touch_surface *));
    if (!own->surface) return sn_no_memory(error);
    for (int b = 0; b < world->model->body_count && !status; ++b) {
        status = make_surface(world, b, own, &own->surface[b], error);
        if (!status) ++own->surface_count;
    }
    return status;
}

static void release(const sn_world *world, sn_touching *own) {
    for (int i = 0; i < own->surface_count; ++i) sn_touch_surface_destroy(own->surface[i]);
    sn_touch_rows_release(&own->rows);
    void *const array[] = {
        (void *)(uintptr_t)own->options.pair, own->allowed, own->surface, own->force, own->pair, own->pair_before};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    sn_touching *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    return own ? build(world, &options->contact, own, error) : sn_no_memory(error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    if (self->data) release(world, self->data);
    sn_release(world->context, self->data);
}

/* ---- Editing ---- */

sn_contact_options sn_world_contact_options(const sn_world *world) { return sn_world_touching(world)->options; }

sn_status sn_world_set_contact(sn_world *world, const sn_contact_options *options, sn_error *error) {
    sn_status status = sn_contact_options_check(options, error);
    if (status) return status;
    sn_touching *own = sn_world_touching(world), made, old = *own;
    status = build(world, options, &made, error);
    if (!status) {
        *own = made;
        status = sn_interactions_allow(world, world->parameters.method, error);
        if (status) *own = old;
    }
    release(world, status ? &made : &old);
    if (status) return status;
    sn_interactions_adapt(world);
    sn_world_edited(world);
    return SN_OK;
}

/* ---- Steps ---- */

static void swap_pairs(sn_touching *own) {
    int32_t *const pair = own->pair_before;
    const int count = own->pair_before_count, capacity = own->pair_before_capacity;
    own->pair_before = own->pair, own->pair_before_count = own->pair_count;
    own->pair_before_capacity = own->pair_capacity;
    own->pair = pair, own->pair_count = count, own->pair_capacity = capacity;
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t, (void)v;
    sn_touching *own = self->data;
    if (own->surface_count == 0) return false;
    if (own->step != world->state.steps) { /* the first part of a step */
        swap_pairs(own);
        own->pair_count = 0;
        own->step = world->state.steps;
    }
    own->status = SN_OK;
    sn_touch_rows_clear(&own->rows);
    for (int i = 0; i < own->surface_count; ++i) sn_touch_surface_move(own->surface[i], x);
    return true;
}

/* A step cannot be taken when its contacts could not be found. Steps of implicit Euler, and only those have contacts,
 * get their angular momentum back. */
static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled;
    const sn_touching *own = self->data;
    if (own->status && error) *error = own->error;
    if (own->status || own->surface_count == 0) return own->status;
    return sn_angular_lost(world) ? sn_angular_restore(world, trial, error) : SN_OK;
}

double sn_touching_stiffness(const sn_world *world, const sn_touching *own) {
    double area = 0;
    int vertices = 0;
    for (int i = 0; i < own->surface_count; ++i) {
        const sn_touch_surface *surface = own->surface[i];
        for (int v = 0; v < surface->vertex_count; ++v) area += surface->area[v];
        vertices += surface->vertex_count;
    }
    return sn_contact_stiffness(world, vertices > 0 ? area / vertices : 0);
}

double sn_touching_mass(const sn_world *world, const sn_touch_row *row) {
    const sn_touch_rows *rows = &sn_world_touching(world)->rows;
    sn_carriers c;
    double inverse = 0;
    c.count = 0;
    for (int32_t k = row->first; k < row->first + row->count; ++k)
        sn_world_carriers(world, rows->node[k], rows->weight[k], &c);
    for (int k = 0; k < c.count; ++k) {
        const double mass = fabs(world->solid->carried[c.node[k]]);
        inverse += mass > 0 ? c.weight[k] * c.weight[k] / mass : 0;
    }
    return inverse > 0 ? 1 / inverse : 0;
}

sn_status sn_touching_forces(sn_touching *own, sn_error *error) {
    const int count = own->rows.count;
    const sn_status status =
        sn_grow(own->rows.context, (void **)&own->force, &own->force_capacity, count, 3 * sizeof *own->force, error);
    if (status) {
        sn_touch_rows_clear(&own->rows);
        return status;
    }
    if (count > 0) memset(own->force, 0, 3 * (size_t)count * sizeof *own->force);
    return sn_grow(own->rows.context, (void **)&own->pair, &own->pair_capacity, count, 2 * sizeof *own->pair, error);
}

static bool acts(const sn_touching *own, int row) {
    const double *f = own->force + 3 * (size_t)row;
    return f[0] != 0 || f[1] != 0 || f[2] != 0;
}

sn_status sn_touching_finish(sn_touching *own, sn_error *error) {
    const sn_status status = sn_grow(own->rows.context, (void **)&own->pair, &own->pair_capacity, own->rows.count,
                                     2 * sizeof *own->pair, error);
    if (status) return status;
    own->pair_count = 0;
    for (int i = 0; i < own->rows.count; ++i) {
        if (!acts(own, i)) continue;
        const int a = own->surface[own->rows.row[i].a]->body, b = own->surface[own->rows.row[i].b]->body;
        const int32_t pair[2] = {a < b ? a : b, a < b ? b : a};
        if (own->pair_count > 0 && by_bodies(own->pair + 2 * (own->pair_count - 1), pair) == 0) continue;
        own->pair[2 * own->pair_count] = pair[0];
        own->pair[2 * own->pair_count++ + 1] = pair[1];
    }
    own->pair_count = sort_pairs(own->pair, own->pair_count);
    return SN_OK;
}

/* The contacts of the last step are gone; the pairs that touched stay, for the events of the next step. */
static void refresh(sn_world *world, sn_interaction *self) {
    (void)world;
    sn_touch_rows_clear(&((sn_touching *)self->data)->rows);
}

/* The pairs that touched: the events of the next step depend on them. */
static void remember(const sn_world *world, const sn_interaction *self, sn_archive *archive) {
    sn_touching *own = self->data;
    int count = own->pair_count;
    SN_ARCHIVE(archive, count);
    if (count < 0 || count > INT32_MAX / 4) archive->bad = true;
    if (archive->bad) return;
    if (sn_archive_reads(archive) &&
        sn_grow(world->context, (void **)&own->pair, &own->pair_capacity, count, 2 * sizeof *own->pair, NULL)) {
        archive->bad = true;
        return;
    }
    sn_archive_nodes(archive, own->pair, 2 * count, world->model->body_count);
    own->pair_count = archive->bad ? 0 : count;
    if (sn_archive_reads(archive)) own->step = -1, own->pair_before_count = 0;
}

/* ---- Looking ---- */

int sn_world_contacts(const sn_world *world, sn_contact *contact, int room) {
    const sn_touching *own = sn_world_touching(world);
    int count = 0;
    for (int i = 0; i < own->rows.count; ++i) {
        if (!acts(own, i)) continue;
        const sn_touch_row *row = &own->rows.row[i];
        if (count < room) {
            sn_contact *out = &contact[count];
            *out = (sn_contact){
                .body = {own->surface[row->a]->body, own->surface[row->b]->body}, .gap = row->gap, .area = row->area};
            memcpy(out->point, row->point, sizeof out->point);
            memcpy(out->normal, row->n, sizeof out->normal);
            memcpy(out->force, own->force + 3 * (size_t)i, sizeof out->force);
        }
        ++count;
    }
    return count;
}

int sn_world_contact_events(const sn_world *world, sn_contact_event *event, int room) {
    const sn_touching *own = sn_world_touching(world);
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t *pair = side ? own->pair_before : own->pair, *other = side ? own->pair : own->pair_before;
        const int pairs = side ? own->pair_before_count : own->pair_count,
                  others = side ? own->pair_count : own->pair_before_count;
        for (int i = 0; i < pairs; ++i) {
            if (has_pair(other, others, pair[2 * i], pair[2 * i + 1])) continue;
            if (count < room) event[count] = (sn_contact_event){{pair[2 * i], pair[2 * i + 1]}, side == 0};
            ++count;
        }
    }
    return count;
}

/* Adds the forces of the contacts on all nodes. */
static void support(const sn_world *world, const sn_interaction *self, const double *balance, double *force) {
    (void)world, (void)balance;
    const sn_touching *own = self->data;
    for (int i = 0; i < own->rows.count; ++i)
        sn_touch_row_push(&own->rows, &own->rows.row[i], own->force + 3 * (size_t)i, force);
}

sn_status sn_world_contact_forces(const sn_world *world, int body, double *force) {
    if (sn_model_check_body(world->model, body, NULL)) return SN_BAD_INPUT;
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_contact);
    const sn_body *b = &world->model->body[body];
    double *all = world->workspace.force;
    memset(all, 0, 3 * (size_t)world->model->node_count * sizeof *all);
    support(world, self, NULL, all);
    for (int i = 0; i < b->mesh->node_count; ++i)
        memcpy(force + 3 * (size_t)i, all + 3 * (size_t)world->model->compiled[b->node_first + i], 3 * sizeof *force);
    return SN_OK;
}

static void report(const sn_world *world, const sn_interaction *self, sn_step_report *report) {
    (void)self;
    report->body_contacts = sn_world_contacts(world, NULL, 0);
}

/* An arrow at each contact, with the force on the first body. */
static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    (void)world;
    const sn_touching *own = self->data;
    int count = 0;
    for (int i = 0; i < own->rows.count; ++i) {
        if (!acts(own, i)) continue;
        if (count < room) {
            memcpy(glyph[count].from, own->rows.row[i].point, sizeof glyph->from);
            memcpy(glyph[count].to, own->rows.row[i].point, sizeof glyph->to);
            memcpy(glyph[count].force, own->force + 3 * (size_t)i, sizeof glyph->force);
        }
        ++count;
    }
    return count;
}

const sn_interaction_kind sn_kind_contact = {.create = create,
                                             .destroy = destroy,
                                             .refresh = refresh,
                                             .remember = remember,
                                             .begin = begin,
                                             .settle = settle,
                                             .report = report,
                                             .support = support,
                                             .draw = draw};
