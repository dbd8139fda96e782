/* Links: equality constraints that tie a material point of a body to a place, or to a material point of another body
 * (Civit 3.4).
 *
 *   h = sum_i w_i x_i - target(t) = 0
 *
 * w are the shape functions of the element at the point; those of the other body have the other sign. h is the error of
 * a link: the gap between its two points. G = dh/dx is constant and has three rows per link. The state keeps the
 * multipliers l (N): the force of a link on its point. They act as f += G^T l. Each linear solve of Newton's method
 * becomes
 *
 *   A d = b + G^T dl,   G d = h_goal - h(y)
 *
 *   A d_0 = b,   Z = A^-1 G^T,   (G Z) dl = h_goal - h - G d_0,   d = d_0 + Z dl
 *
 * A force in the range of G^T changes dl, but not d. Therefore a spring can be added that shows Newton's method a link
 * that is not met: f += G^T (l - s (h - h_goal)), where the stiffness s is the modulus times the size of the body.
 *
 * Z needs three more solves per link; they start from the last Z. Any linear solver can do them. G Z is small and
 * symmetric. It is inverted by its eigenvalues, without the ones that vanish. Redundant links then share their force,
 * and contradicting links meet in the middle.
 *
 * Stabilisation corrects the error h_0 at the beginning of a step:
 *   baumgarte   h_goal = (1 - rate) h_0: the correction is part of the motion
 *   post        h_goal = h_0; after the step x_i -= rate h w_i / m_i / sum_j (w_j^2 / m_j). Velocities do not change.
 *               When several links correct one node, the mean of the corrections is taken (Civit 3.4.2.4). */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "points.h"

enum { SWEEPS = 30 };

typedef struct term {
    int id;
    sn_gap gap;
    bool post;
    double rate;
} term;

typedef struct links {
    int count, capacity, next_id;
    term *term;
    double *goal, *error; /* links x 3: the h that the step aims at; the h of the last call of `force` */
    double *solution;     /* 3 links x vector: Z = A^-1 G^T */
    double *small;        /* 2 x (3 links)^2: G Z and its eigenvectors */
    double *right;        /* 2 x 3 links: right-hand side and solution of the small system */
    double stiffness;     /* s, N/m; 0 outside of steps */
} links;

/* ---- Creation ---- */
static sn_status make_term(const sn_world *world, int body, const sn_link *link, term *made, sn_error *error) {
    sn_status status = sn_link_check(link, error);
    if (status) return status;
    *made = (term){.post = strcmp(link->stabilise, "post") == 0, .rate = link->rate};
    if (made->post && world->adaptive)
        return sn_fail_at(error, SN_UNSUPPORTED, "stabilise",
                          "stabilise 'post' does not go with 'adapt' of a body; take baumgarte");
    return sn_gap_create(world, body, link->point, link->body, link->to, link->key, link->key_count, &made->gap, error);
}

static void release_scratch(const sn_world *world, links *own) {
    double **const array[] = {&own->goal, &own->error, &own->solution, &own->small, &own->right};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        sn_release(world->context, *array[i]);
        *array[i] = NULL;
    }
}

/* Makes new scratch for `count` links, all zero. On failure the old scratch stays. */
static sn_status fit(sn_world *world, links *own, int count, sn_error *error) {
    const size_t rows = 3 * (size_t)count, n = 3 * (size_t)world->model->node_count;
    links made = *own;
    double **const array[] = {&made.goal, &made.error, &made.solution, &made.small, &made.right};
    const size_t size[] = {rows, rows, rows * n, 2 * rows * rows, 2 * rows};
    bool all = true;
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        *array[i] = sn_allocate_zero(world->context, size[i], sizeof(double));
        all = all && *array[i];
    }
    release_scratch(world, all ? own : &made);
    if (!all) return sn_no_memory(error);
    *own = made;
    return SN_OK;
}

static sn_status append(sn_world *world, links *own, int body, const sn_link *link, sn_error *error) {
    sn_status status =
        sn_grow(world->context, (void **)&own->term, &own->capacity, own->count + 1, sizeof *own->term, error);
    if (!status) status = make_term(world, body, link, &own->term[own->count], error);
    if (!status) own->term[own->count++].id = own->next_id++;
    return status;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    links *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].link_count; ++i) {
            const sn_status status = append(world, own, b, &options->body[b].link[i], error);
            if (status) return sn_within(error, status, "bodies.%d.links.%d", b, i);
        }
    return fit(world, own, own->count, error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    links *own = self->data;
    if (!own) return;
    for (int i = 0; i < own->count; ++i) sn_gap_release(world, &own->term[i].gap);
    release_scratch(world, own);
    sn_release(world->context, own->term);
    sn_release(world->context, own);
}

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)world;
    return 3 * (int64_t)((const links *)self->data)->count;
}

static sn_status allows(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error) {
    if (!((const links *)self->data)->count) return SN_OK;
    if (method->multipliers) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "time.method",
                      "time.method '%s' cannot hold links; allowed are implicit-euler and the bdf methods",
                      method->name);
}

static void refresh(sn_world *world, sn_interaction *self) {
    const links *own = self->data;
    const size_t n = 9 * (size_t)own->count * (size_t)world->model->node_count;
    if (n) memset(own->solution, 0, n * sizeof *own->solution);
}

static void remember(const sn_world *world, const sn_interaction *self, sn_archive *archive) {
    const links *own = self->data;
    sn_archive_visit(archive, own->solution,
                     9 * (size_t)own->count * (size_t)world->model->node_count * sizeof *own->solution);
}

/* ---- The constraint ---- */
static void error_of(const term *term, double t, const double *x, double h[3]) {
    sn_gap_at(&term->gap, t, x, NULL, h, NULL);
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)v;
    links *own = self->data;
    const sn_parameters *p = &world->parameters;
    own->stiffness = 0;
    for (int i = 0; i < p->material_count && own->count; ++i)
        own->stiffness =
            fmax(own->stiffness, world->model->size * sn_parameters_modulus(world->context, &p->material[i]));
    for (int i = 0; i < own->count; ++i) {
        double *goal = own->goal + 3 * (size_t)i;
        error_of(&own->term[i], t, x, goal);
        for (int a = 0; a < 3 && !own->term[i].post; ++a) goal[a] *= 1 - own->term[i].rate;
    }
    return own->count > 0;
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    (void)world, (void)place;
    ((links *)self->data)->stiffness = 0;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    const links *own = self->data;
    for (int l = 0; l < own->count; ++l) {
        const term *term = &own->term[l];
        const double *multiplier = self->number + 3 * (size_t)l, *goal = own->goal + 3 * (size_t)l;
        double *h = own->error + 3 * (size_t)l, pull[3];
        error_of(term, place->t, place->x, h);
        for (int a = 0; a < 3; ++a) pull[a] = multiplier[a] - own->stiffness * (h[a] - goal[a]);
        sn_gap_pull(&term->gap, pull, f);
    }
}

/* ---- The small system ---- */
/* Jacobi's rotations: the eigenvalues (on the diagonal of S) and eigenvectors (columns of Q) of a symmetric m x m
 * matrix S. */
static void eigen(int m, double *S, double *Q) {
    for (int i = 0; i < m * m; ++i) Q[i] = i % (m + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = 0, all = 0;
        for (int i = 0; i < m * m; ++i) {
            all += S[i] * S[i];
            if (i % (m + 1) != 0) off += S[i] * S[i];
        }
        if (!(off > 1e-30 * all)) return;
        for (int p = 0; p < m; ++p)
            for (int q = p + 1; q < m; ++q) {
                const double b = S[p * m + q];
                if (b == 0) continue;
                const double theta = (S[q * m + q] - S[p * m + p]) / (2 * b);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)),
                             c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < m; ++k) {
                    const double u = S[k * m + p], w = S[k * m + q];
                    S[k * m + p] = c * u - s * w, S[k * m + q] = s * u + c * w;
                }
                for (int k = 0; k < m; ++k) {
                    const double u = S[p * m + k], w = S[q * m + k];
                    S[p * m + k] = c * u - s * w, S[q * m + k] = s * u + c * w;
                }
                for (int k = 0; k < m; ++k) {
                    const double u = Q[k * m + p], w = Q[k * m + q];
                    Q[k * m + p] = c * u - s * w, Q[k * m + q] = s * u + c * w;
                }
            }
    }
}

/* y = S^+ g, the pseudo-inverse. Also takes the part of l out that lies along vanishing eigenvalues. Destroys S. */
static void solve_small(int m, double *S, double *Q, const double *g, double *y, double *l) {
    double largest = 0;
    eigen(m, S, Q);
    for (int k = 0; k < m; ++k) largest = fmax(largest, fabs(S[k * (m + 1)]));
    for (int i = 0; i < m; ++i) y[i] = 0;
    for (int k = 0; k < m; ++k) {
        const bool blind = !(S[k * (m + 1)] > 1e-9 * largest);
        double *q = Q + k, along = 0;
        for (int i = 0; i < m; ++i) along += q[i * m] * (blind ? l[i] : g[i]);
        for (int i = 0; i < m && blind; ++i) l[i] -= q[i * m] * along;
        for (int i = 0; i < m && !blind; ++i) y[i] += q[i * m] * along / S[k * (m + 1)];
    }
}

static double row_dot(const term *term, int axis, const double *x) {
    double sum = 0;
    for (int i = 0; i < term->gap.count; ++i)
        sum += term->gap.weight[i] * x[3 * (size_t)term->gap.node[i] + (size_t)axis];
    return sum;
}

/* Solves for Z = A^-1 G^T, starting from the last Z. */
static sn_status solve_rows(sn_world *world, const links *own, const sn_bordered *system, sn_linear_report *report,
                            sn_error *error) {
    const size_t n = 3 * (size_t)world->model->node_count;
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    double *row = world->workspace.scaled;
    for (int r = 0; r < 3 * own->count; ++r) {
        const term *term = &own->term[r / 3];
        double *z = own->solution + (size_t)r * n;
        memset(row, 0, n * sizeof *row);
        for (int i = 0; i < term->gap.count; ++i)
            row[3 * (size_t)term->gap.node[i] + (size_t)(r % 3)] = term->gap.weight[i];
        sn_filter_apply(filter, z);
        sn_linear_report one = {0};
        const sn_status status = sn_world_solve_for(world, system, row, z, &one, error);
        if (status && status != SN_NOT_CONVERGED) return status;
        report->iterations += one.iterations;
        report->setup_seconds += one.setup_seconds, report->solve_seconds += one.solve_seconds;
    }
    return SN_OK;
}

static sn_status solve(sn_world *world, sn_interaction *self, const sn_bordered *system, sn_linear_report *report,
                       sn_error *error) {
    const links *own = self->data;
    const int rows = 3 * own->count;
    if (rows == 0) return SN_OK;
    const size_t n = 3 * (size_t)world->model->node_count;
    double *g = own->right, *y = g + rows, *S = own->small, *Q = S + rows * rows, *l = self->number;
    const sn_status status = solve_rows(world, own, system, report, error);
    if (status) return status;
    for (int r = 0; r < rows; ++r) {
        const term *term = &own->term[r / 3];
        g[r] = own->goal[r] - own->error[r] - row_dot(term, r % 3, system->x);
        for (int s = 0; s < rows; ++s) S[r * rows + s] = row_dot(term, r % 3, own->solution + (size_t)s * n);
    }
    for (int r = 0; r < rows; ++r)
        for (int s = 0; s < r; ++s) S[r * rows + s] = S[s * rows + r] = 0.5 * (S[r * rows + s] + S[s * rows + r]);
    for (int r = 0; r < rows; ++r) l[r] -= own->stiffness * (own->error[r] - own->goal[r]);
    solve_small(rows, S, Q, g, y, l);
    for (int r = 0; r < rows; ++r) {
        const double *z = own->solution + (size_t)r * n;
        for (size_t i = 0; i < n; ++i) system->x[i] += y[r] * z[i];
        l[r] += y[r];
    }
    return SN_OK;
}

/* ---- Post-stabilisation ---- */
static double inverse_mass(const sn_world *world, const sn_filter *filter, int32_t node) {
    if (sn_filter_find(filter, node)) return 0;
    const double mass = fabs(world->solid->weight[node]);
    return mass > 0 ? 1 / mass : 0;
}

static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled, (void)error;
    const links *own = self->data;
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    const int nodes = world->model->node_count;
    double *sum = world->workspace.scaled, *count = world->workspace.product, *x = trial->x;
    bool any = false;
    for (int l = 0; l < own->count; ++l) any = any || own->term[l].post;
    if (!any) return SN_OK;
    memset(sum, 0, 3 * (size_t)nodes * sizeof *sum);
    memset(count, 0, (size_t)nodes * sizeof *count);
    for (int l = 0; l < own->count; ++l) {
        const term *term = &own->term[l];
        double h[3], effective = 0;
        if (!term->post) continue;
        error_of(term, trial->t + trial->h, x, h);
        for (int i = 0; i < term->gap.count; ++i)
            effective += term->gap.weight[i] * term->gap.weight[i] * inverse_mass(world, filter, term->gap.node[i]);
        for (int i = 0; i < term->gap.count && effective > 0; ++i) {
            const double share =
                -term->rate * term->gap.weight[i] * inverse_mass(world, filter, term->gap.node[i]) / effective;
            for (int a = 0; a < 3; ++a) sum[3 * (size_t)term->gap.node[i] + (size_t)a] += share * h[a];
            count[term->gap.node[i]] += 1;
        }
    }
    for (int i = 0; i < nodes; ++i)
        for (int a = 0; a < 3 && count[i] > 0; ++a)
            x[3 * (size_t)i + (size_t)a] += sum[3 * (size_t)i + (size_t)a] / count[i];
    return SN_OK;
}

/* ---- Looking ---- */
static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const links *own = self->data;
    for (int l = 0; l < own->count && l < room; ++l) {
        sn_gap_draw(&own->term[l].gap, world->state.time, world->state.x, &glyph[l]);
        memcpy(glyph[l].force, self->number + 3 * (size_t)l, sizeof glyph[l].force);
    }
    return own->count;
}

const sn_interaction_kind sn_kind_links = {.create = create,
                                           .destroy = destroy,
                                           .numbers = numbers,
                                           .allows = allows,
                                           .refresh = refresh,
                                           .remember = remember,
                                           .force = force,
                                           .solve = solve,
                                           .begin = begin,
                                           .settle = settle,
                                           .end = end,
                                           .draw = draw};

int sn_world_link_count(const sn_world *world) {
    return ((const links *)sn_interaction_of(world, &sn_kind_links)->data)->count;
}

sn_status sn_world_link(const sn_world *world, int link, double error[3], double force[3]) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_links);
    const links *own = self->data;
    if (link < 0 || link >= own->count) return SN_BAD_INPUT;
    if (error) error_of(&own->term[link], world->state.time, world->state.x, error);
    if (force) memcpy(force, self->number + 3 * (size_t)link, 3 * sizeof *force);
    return SN_OK;
}

/* ---- Editing ---- */
static int find(const links *own, int id, sn_error *error) {
    for (int i = 0; i < own->count; ++i)
        if (own->term[i].id == id) return i;
    sn_fail(error, SN_BAD_INPUT, "there is no link %d", id);
    return -1;
}

/* Makes scratch and state for the present list. `kept`: the multipliers, 3 per link; NULL: zero. */
/* Makes a state for the present list. `kept` holds the multipliers of the list, 3 per link. */
static sn_status refit(sn_world *world, const links *own, const double *kept, sn_error *error) {
    const sn_status status = sn_world_relayout(world, error);
    if (status) return status;
    double *number = sn_interaction_of(world, &sn_kind_links)->number;
    for (int i = 0; i < 3 * own->count; ++i) number[i] = kept[i];
    sn_world_edited(world);
    return SN_OK;
}

sn_status sn_world_add_link(sn_world *world, int body, const sn_link *link, int *id, sn_error *error) {
    sn_interaction *self = sn_interaction_of(world, &sn_kind_links);
    links *own = self->data;
    sn_status status = sn_model_check_body(world->model, body, error);
    double *kept = status ? NULL : sn_allocate_zero(world->context, 3 * (size_t)own->count + 3, sizeof *kept);
    if (!status && !kept) status = sn_no_memory(error);
    if (!status && own->count) memcpy(kept, self->number, 3 * (size_t)own->count * sizeof *kept);
    if (!status) status = append(world, own, body, link, error);
    if (status) {
        sn_release(world->context, kept);
        return status;
    }
    status = sn_interactions_allow(world, world->parameters.method, error);
    if (!status) status = fit(world, own, own->count, error);
    if (!status) status = refit(world, own, kept, error);
    if (status) sn_gap_release(world, &own->term[--own->count].gap);
    if (!status && id) *id = own->next_id - 1;
    sn_release(world->context, kept);
    return status;
}

sn_status sn_world_change_link(sn_world *world, int id, int body, const sn_link *link, sn_error *error) {
    sn_interaction *self = sn_interaction_of(world, &sn_kind_links);
    links *own = self->data;
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    term made;
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = make_term(world, body, link, &made, error);
    if (status) return status;
    sn_gap_release(world, &own->term[at].gap);
    made.id = id;
    own->term[at] = made;
    for (int a = 0; a < 3; ++a) self->number[3 * at + a] = 0;
    sn_world_edited(world);
    return SN_OK;
}

sn_status sn_world_remove_link(sn_world *world, int id, sn_error *error) {
    sn_interaction *self = sn_interaction_of(world, &sn_kind_links);
    links *own = self->data;
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    double *kept = sn_allocate_zero(world->context, 3 * (size_t)own->count, sizeof *kept);
    if (!kept) return sn_no_memory(error);
    for (int i = 0, k = 0; i < 3 * own->count; ++i)
        if (i / 3 != at) kept[k++] = self->number[i];
    term removed = own->term[at];
    const size_t behind = (size_t)(own->count - at - 1) * sizeof *own->term;
    memmove(own->term + at, own->term + at + 1, behind);
    --own->count;
    const sn_status status = refit(world, own, kept, error); /* the scratch of one link more serves */
    if (status) {
        memmove(own->term + at + 1, own->term + at, behind);
        own->term[at] = removed;
        ++own->count;
    } else {
        sn_gap_release(world, &removed.gap);
    }
    sn_release(world->context, kept);
    return status;
}
