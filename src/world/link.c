/* Links: equality constraints that tie a material point of a body to a place, or to a material point of another body (Civit 3.4).
 *
 *   h = sum_i w_i x_i - target(t) = 0,   w the shape functions of the element at the point (of the other body's with the other sign)
 *
 * G = dh/dx is constant, three rows per link. The multiplier l (N, the force of the link on the point) is part of the state and of the
 * force: f += G^T l. Each linear solve of Newton's method becomes
 *
 *   A d = b + G^T dl,  G d = h_goal - h(y):    Z = A^-1 G^T,  (G Z) dl = h_goal - h - G d_0,  d = d_0 + Z dl,  A d_0 = b
 *
 * so that a force in the range of G^T changes dl but not d. That is used to let Newton's method see a link that is not met:
 * f += G^T (l - s (h - h_goal)) with a stiffness s of the body's size. Three more solves per link, warm from the last ones; any solver
 * serves. G Z is small and symmetric; it is inverted by its eigenvalues without those that vanish, so that redundant links share their
 * force and contradicting ones meet in the middle.
 *
 * Stabilisation of what is wrong when a step begins, h_0:
 *   baumgarte   h_goal = (1 - rate) h_0: the correction is part of the motion
 *   post        h_goal = h_0; after the step x_i -= rate h w_i / m_i / sum_j (w_j^2 / m_j), which leaves velocities alone. The corrections
 *               of several links at one node are averaged (Civit 3.4.2.4). */
#include <math.h>
#include <string.h>

#include "base/keys.h"
#include "base/math3.h"
#include "world.h"

enum { SWEEPS = 30 };

sn_link sn_link_default(void) { return (sn_link){.stabilise = "baumgarte", .rate = 0.2}; }

/* ---- Creation ---- */
/* Adds the shape functions of the element of a body that holds X, times s. */
static sn_status add_point(const sn_world *world, int body, const double X[3], double s, sn_link_term *term, sn_error *error) {
    const sn_body *b = &world->model.body[body];
    const int nodes = b->element->nodes;
    double best = -INFINITY, at[4] = {0};
    int found = -1;
    for (int e = 0; e < b->mesh->tet_count; ++e) {
        const int32_t *node = b->node + (size_t)e * (size_t)nodes;
        double L[4];
        const double inside = sn_element_locate(b->element, node, world->model.rest, X, L);
        if (inside > best) best = inside, found = e, memcpy(at, L, sizeof at);
    }
    if (found < 0 || best < -1e-6)
        return sn_fail(error, SN_BAD_INPUT, "the point [%g, %g, %g] is not inside the body '%s' (of its rest shape)", X[0], X[1], X[2],
                       b->name);
    const int32_t *node = b->node + (size_t)found * (size_t)nodes;
    double value[SN_ELEMENT_NODES], derivative[4 * SN_ELEMENT_NODES];
    b->element->shape(at, value, derivative);
    for (int i = 0; i < nodes; ++i) {
        const double w = value[i];
        if (fabs(w) < 1e-12) continue;
        int k = 0;
        while (k < term->count && term->node[k] != node[i]) ++k;
        if (k == term->count) term->node[term->count] = node[i], term->weight[term->count++] = 0;
        term->weight[k] += s * w;
    }
    return SN_OK;
}

static sn_status check_link(const sn_link *link, sn_error *error) {
    for (int a = 0; a < 3; ++a)
        if (!isfinite(link->point[a]) || !isfinite(link->to[a])) return sn_fail(error, SN_BAD_INPUT, "its points are not finite");
    if (!(link->rate >= 0 && link->rate <= 1)) return sn_fail(error, SN_BAD_INPUT, "rate is %g; allowed is 0 to 1", link->rate);
    if (*link->stabilise && strcmp(link->stabilise, "baumgarte") != 0 && strcmp(link->stabilise, "post") != 0)
        return sn_fail(error, SN_BAD_INPUT, "stabilise is '%.31s'; allowed are baumgarte and post", link->stabilise);
    if (link->key_count < 0 || (link->key_count > 0 && !link->key))
        return sn_fail(error, SN_BAD_INPUT, "%d keys without numbers", link->key_count);
    for (int i = 0; i < 4 * link->key_count; ++i)
        if (!isfinite(link->key[i])) return sn_fail(error, SN_BAD_INPUT, "key %d is not finite", i / 4);
    for (int i = 1; i < link->key_count; ++i)
        if (!(link->key[4 * i] > link->key[4 * i - 4])) return sn_fail(error, SN_BAD_INPUT, "the times of its keys must ascend");
    return SN_OK;
}

static sn_status take_link(sn_world *world, int body, const sn_link *link, sn_error *error) {
    sn_model *model = &world->model;
    sn_status status = check_link(link, error);
    if (status) return status;
    sn_link_term *term = &model->link[model->link_count];
    *term = (sn_link_term){.post = strcmp(link->stabilise, "post") == 0, .rate = link->rate};
    status = add_point(world, body, link->point, 1, term, error);
    if (status) return status;
    if (*link->body) {
        const int other = sn_world_find_body(world, link->body);
        if (other < 0) return sn_fail(error, SN_BAD_INPUT, "there is no body '%.63s' to link to", link->body);
        status = add_point(world, other, link->to, -1, term, error);
        if (status) return status;
    } else {
        memcpy(term->target, link->to, sizeof term->target);
    }
    if (link->key_count > 0) {
        double *key = sn_allocate(world->context, (size_t)link->key_count * 4, sizeof *key);
        if (!key) return sn_no_memory(error);
        memcpy(key, link->key, (size_t)link->key_count * 4 * sizeof *key);
        term->key = key, term->key_count = link->key_count;
    }
    ++model->link_count;
    return SN_OK;
}

sn_status sn_model_links(sn_world *world, const sn_world_options *options, sn_error *error) {
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].link_count;
    if (count > SN_LINKS) return sn_fail(error, SN_UNSUPPORTED, "the bodies have %d links in all; at most %d are allowed", count, SN_LINKS);
    world->model.link = sn_allocate_zero(world->context, (size_t)count, sizeof *world->model.link);
    if (!world->model.link) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].link_count; ++i) {
            const sn_status status = take_link(world, b, &options->body[b].link[i], error);
            if (status) return sn_prefix(error, status, world->model.body[b].name, "links", i);
        }
    return sn_links_method(world, world->parameters.method, error);
}

void sn_model_links_release(sn_world *world) {
    for (int i = 0; i < world->model.link_count; ++i) sn_release(world->context, world->model.link[i].key);
    sn_release(world->context, world->model.link);
}

sn_status sn_links_method(const sn_world *world, const sn_method *method, sn_error *error) {
    if (!world->model.link_count || method == sn_method_equilibrium() || strcmp(method->name, "implicit-euler") == 0 ||
        strncmp(method->name, "bdf", 3) == 0)
        return SN_OK;
    return sn_fail(error, SN_UNSUPPORTED, "time.method '%s' cannot hold links; allowed are implicit-euler and the bdf methods",
                   method->name);
}

/* ---- The constraint ---- */
static void error_of(const sn_link_term *term, double t, const double *x, double h[3]) {
    double offset[3], rate[3];
    sn_keys_at(term->key, term->key_count, t, offset, rate);
    for (int a = 0; a < 3; ++a) h[a] = -term->target[a] - offset[a];
    for (int i = 0; i < term->count; ++i)
        for (int a = 0; a < 3; ++a) h[a] += term->weight[i] * x[3 * (size_t)term->node[i] + (size_t)a];
}

void sn_links_begin(sn_world *world, double t, const double *x) {
    sn_workspace *work = &world->workspace;
    work->link_stiffness = 0;
    for (int i = 0; i < world->parameters.material_count && world->model.link_count; ++i)
        work->link_stiffness =
            fmax(work->link_stiffness, world->model.size * sn_parameters_modulus(world->context, &world->parameters.material[i]));
    for (int i = 0; i < world->model.link_count; ++i) {
        const sn_link_term *term = &world->model.link[i];
        double *goal = work->link_goal + 3 * (size_t)i;
        error_of(term, t, x, goal);
        for (int a = 0; a < 3 && !term->post; ++a) goal[a] *= 1 - term->rate;
        memcpy(work->link_before + 3 * (size_t)i, world->state.link + 3 * (size_t)i, 3 * sizeof(double));
    }
}

void sn_links_end(sn_world *world) { world->workspace.link_stiffness = 0; }

void sn_links_reject(sn_world *world) {
    sn_links_end(world);
    const size_t count = 3 * (size_t)world->model.link_count;
    if (count) memcpy(world->state.link, world->workspace.link_before, count * sizeof(double));
}

void sn_links_force(sn_world *world, double t, const double *x, double *f) {
    for (int l = 0; l < world->model.link_count; ++l) {
        const sn_link_term *term = &world->model.link[l];
        const double *multiplier = world->state.link + 3 * (size_t)l;
        const double *goal = world->workspace.link_goal + 3 * (size_t)l;
        double *h = world->workspace.link_error + 3 * (size_t)l, force[3];
        error_of(term, t, x, h);
        for (int a = 0; a < 3; ++a) force[a] = multiplier[a] - world->workspace.link_stiffness * (h[a] - goal[a]);
        for (int i = 0; i < term->count; ++i)
            for (int a = 0; a < 3; ++a) f[3 * (size_t)term->node[i] + (size_t)a] += term->weight[i] * force[a];
    }
}

/* ---- The small system ---- */
/* Eigenvalues (on the diagonal of S) and eigenvectors (columns of Q) of a symmetric matrix by Jacobi's rotations. */
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
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
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

/* y = S^+ g, and keeps of l what S can see; S is destroyed. */
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

static double row_dot(const sn_link_term *term, int axis, const double *x) {
    double sum = 0;
    for (int i = 0; i < term->count; ++i) sum += term->weight[i] * x[3 * (size_t)term->node[i] + (size_t)axis];
    return sum;
}

sn_status sn_links_solve(sn_world *world, double m, double d, double k, double *x, double tolerance, sn_linear_report *report,
                         sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int rows = 3 * world->model.link_count;
    const size_t n = 3 * (size_t)world->model.node_count;
    double g[3 * SN_LINKS], y[3 * SN_LINKS], *S = work->link_small, *Q = S + rows * rows, *row = work->scaled;
    for (int r = 0; r < rows; ++r) {
        const sn_link_term *term = &world->model.link[r / 3];
        double *z = work->link_solution + (size_t)r * n;
        memset(row, 0, n * sizeof *row);
        for (int i = 0; i < term->count; ++i) row[3 * (size_t)term->node[i] + (size_t)(r % 3)] = term->weight[i];
        sn_filter_apply(sn_world_filter(world), z);
        sn_linear_report one = {0};
        const sn_status status = sn_linear_solve(work->linear, m, d, k, sn_world_filter(world), row, z, tolerance, &one, error);
        if (status && status != SN_NOT_CONVERGED) return status;
        report->iterations += one.iterations;
        report->setup_seconds += one.setup_seconds, report->solve_seconds += one.solve_seconds;
    }
    for (int r = 0; r < rows; ++r) {
        const sn_link_term *term = &world->model.link[r / 3];
        g[r] = work->link_goal[r] - work->link_error[r] - row_dot(term, r % 3, x);
        for (int s = 0; s < rows; ++s) S[r * rows + s] = row_dot(term, r % 3, work->link_solution + (size_t)s * n);
    }
    for (int r = 0; r < rows; ++r)
        for (int s = 0; s < r; ++s) S[r * rows + s] = S[s * rows + r] = 0.5 * (S[r * rows + s] + S[s * rows + r]);
    for (int r = 0; r < rows; ++r) world->state.link[r] -= work->link_stiffness * (work->link_error[r] - work->link_goal[r]);
    solve_small(rows, S, Q, g, y, world->state.link);
    for (int r = 0; r < rows; ++r) {
        const double *z = work->link_solution + (size_t)r * n;
        for (size_t i = 0; i < n; ++i) x[i] += y[r] * z[i];
        world->state.link[r] += y[r];
    }
    return SN_OK;
}

/* ---- Post-stabilisation ---- */
static double inverse_mass(const sn_world *world, int32_t node) {
    if (sn_filter_find(sn_world_filter(world), node)) return 0;
    const double mass = fabs(world->model.solid->weight[node]);
    return mass > 0 ? 1 / mass : 0;
}

void sn_links_settle(sn_world *world, double t, double *x) {
    sn_workspace *work = &world->workspace;
    double *sum = work->scaled, *count = work->product;
    bool any = false;
    for (int l = 0; l < world->model.link_count; ++l) any = any || world->model.link[l].post;
    if (!any) return;
    memset(sum, 0, 3 * (size_t)world->model.node_count * sizeof *sum);
    memset(count, 0, (size_t)world->model.node_count * sizeof *count);
    for (int l = 0; l < world->model.link_count; ++l) {
        const sn_link_term *term = &world->model.link[l];
        double h[3], effective = 0;
        if (!term->post) continue;
        error_of(term, t, x, h);
        for (int i = 0; i < term->count; ++i) effective += term->weight[i] * term->weight[i] * inverse_mass(world, term->node[i]);
        for (int i = 0; i < term->count && effective > 0; ++i) {
            const double share = -term->rate * term->weight[i] * inverse_mass(world, term->node[i]) / effective;
            for (int a = 0; a < 3; ++a) sum[3 * (size_t)term->node[i] + (size_t)a] += share * h[a];
            count[term->node[i]] += 1;
        }
    }
    for (int i = 0; i < world->model.node_count; ++i)
        for (int a = 0; a < 3 && count[i] > 0; ++a) x[3 * (size_t)i + (size_t)a] += sum[3 * (size_t)i + (size_t)a] / count[i];
}

/* ---- Looking ---- */
int sn_world_link_count(const sn_world *world) { return world->model.link_count; }

void sn_world_link(const sn_world *world, int link, double error[3], double force[3]) {
    if (link < 0 || link >= world->model.link_count) return;
    if (error) error_of(&world->model.link[link], world->state.time, world->state.x, error);
    if (force) memcpy(force, world->state.link + 3 * (size_t)link, 3 * sizeof *force);
}
