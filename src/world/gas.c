/* Gas in closed cloth: a balloon.
 *
 *   V = sum over faces a . (b x c) / 6,   S = dV/dx: of a face, S_a = (b x c) / 6
 *   f = p S,   p the pressure inside above the ambient pressure P, which acts outside
 *   constant     p = p0,                       E = -p0 V
 *   isothermal   (P + p) V = (P + p0) V0,      E = -(P + p0) V0 ln(V / V0) + P (V - V0)      (Boyle's law)
 *
 * V0 is the volume of the rest shape, where the gas has the pressure p0. Below V0 / 1000 the pressure stays as it is
 * there, so that all numbers are finite. A constant force on all nodes of a closed surface does no work, so V may be
 * measured from any point; the code takes one of the nodes. In mode "static" everything is multiplied with the load
 * fraction.
 *
 *   K = -df/dx = -p d2V - dp/dV S S^T
 *
 * d2V has a block for each pair of nodes of a face, d2V / da db = -[c]x / 6. It is symmetric when the surface is
 * closed. It can be indefinite, as the stiffness of every pressure: a sphere that is blown up suddenly has no tension
 * yet to hold it. So dynamics leaves it out, unless the method needs the exact Jacobian.
 *
 * The other part couples all nodes with all others. It is positive and has the rank one, so it is no block: `product`
 * adds it, and `solve` corrects the solution of a system without it (Sherman, Morrison and Woodbury). With N the
 * gradients S of all gases and C = diag(-k dp/dV), the system (A + N C N^T) x = b is solved by
 *
 *   A y = b,  A Z = N,  (I + N^T Z C) s = N^T y,  x = y - Z C s
 *
 * where s = N^T x are the changes of the volumes. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "cloth/triangle_edges.h"
#include "inside.h"

static const double least_volume = 1e-3; /* over V0 */

typedef struct balloon {
    bool isothermal;
    double pressure, ambient;
    double sign; /* -1 when the triangles are clockwise seen from outside */
    double rest; /* V0 */
    int faces;
    int32_t *face;    /* faces x 3, compiled */
    double stiffness; /* -dp/dV of the last linearisation */
    double *gradient; /* S of the last linearisation; all nodes x 3 */
    double *solution; /* A^-1 S */
} balloon;

typedef struct gases {
    int count;
    balloon *item;
    double *small; /* count x (count + 1) */
} gases;

/* ---- Creation ---- */
/* Every edge has two triangles, which run along it in opposite directions. */
static sn_status check_closed(const sn_world *world, int body, const balloon *own, sn_error *error) {
    const char *name = world->model->body[body].name;
    sn_cloth_edge *edge = sn_cloth_edges(world->context, own->faces, own->face);
    if (!edge) return sn_no_memory(error);
    sn_status status = SN_OK;
    const int count = 3 * own->faces;
    for (int i = 0, run; i < count && !status; i += run) {
        run = sn_cloth_edge_run(edge, count, i);
        const double *x = world->model->rest + 3 * (size_t)edge[i].low;
        int along = 0;
        for (int k = 0; k < run; ++k)
            along += own->face[3 * edge[i + k].triangle + (edge[i + k].corner + 1) % 3] == edge[i].low ? 1 : -1;
        if (run != 2)
            status = sn_fail_at(error, SN_BAD_INPUT, "gas",
                                "body '%s' is not closed: an edge at [%g, %g, %g] belongs to %d triangle%s; gas needs "
                                "cloth whose edges have two",
                                name, x[0], x[1], x[2], run, run == 1 ? "" : "s");
        else if (along != 0)
            status = sn_fail_at(error, SN_BAD_INPUT, "gas",
                                "body '%s': the two triangles of an edge at [%g, %g, %g] have different sides outside; "
                                "turn one of them",
                                name, x[0], x[1], x[2]);
    }
    sn_release(world->context, edge);
    return status;
}

static double volume_at(const balloon *own, const double *x) {
    const double *o = x + 3 * (size_t)own->face[0];
    double sum = 0;
    for (int f = 0; f < own->faces; ++f) {
        const int32_t *node = own->face + 3 * (size_t)f;
        sum += sn_volume6(o, x + 3 * (size_t)node[0], x + 3 * (size_t)node[1], x + 3 * (size_t)node[2]);
    }
    return own->sign * sum / 6;
}

static sn_status take_body(const sn_world *world, int body, const sn_gas *gas, balloon *own, sn_error *error) {
    const sn_body *b = &world->model->body[body];
    const size_t n = 3 * (size_t)world->model->node_count;
    *own = (balloon){
        .isothermal = strcmp(gas->law, "constant") != 0, .pressure = gas->pressure, .ambient = gas->ambient, .sign = 1};
    if (!b->element || !b->element->lay)
        return sn_fail_at(error, SN_BAD_INPUT, "gas", "body '%s' is no cloth; gas is for closed cloth", b->name);
    sn_status status = sn_body_faces(world->model, body, &own->faces, &own->face, error);
    if (!status) status = check_closed(world, body, own, error);
    if (status) return status;
    own->rest = volume_at(own, world->model->rest);
    if (own->rest < 0) own->sign = -1, own->rest = -own->rest;
    if (!(own->rest > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "gas", "body '%s' has no volume at rest; gas needs one", b->name);
    own->gradient = sn_allocate_zero(world->context, n, sizeof(double));
    own->solution = sn_allocate_zero(world->context, n, sizeof(double));
    return own->gradient && own->solution ? SN_OK : sn_no_memory(error);
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    gases *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->item = sn_allocate_zero(world->context, (size_t)options->body_count, sizeof *own->item);
    if (!own->item) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b) {
        const sn_gas *gas = &options->body[b].gas;
        if (!*gas->law && gas->pressure == 0) continue;
        const sn_status status = take_body(world, b, gas, &own->item[own->count++], error);
        if (status) return sn_within(error, status, "bodies.%d", b);
    }
    own->small = sn_allocate(world->context, (size_t)own->count * (size_t)(own->count + 1) + 1, sizeof *own->small);
    return own->small ? SN_OK : sn_no_memory(error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    gases *own = self->data;
    if (!own) return;
    for (int i = 0; own->item && i < own->count; ++i) {
        sn_release(world->context, own->item[i].face);
        sn_release(world->context, own->item[i].gradient);
        sn_release(world->context, own->item[i].solution);
    }
    sn_release(world->context, own->item);
    sn_release(world->context, own->small);
    sn_release(world->context, own);
}

/* ---- Pressure ---- */
static double share_of(const sn_world *world, const sn_place *place) {
    return world->parameters.is_static ? place->t : 1;
}

static double pressure_at(const balloon *own, double V) {
    if (!own->isothermal) return own->pressure;
    return (own->ambient + own->pressure) * own->rest / fmax(V, least_volume * own->rest) - own->ambient;
}

/* -dp/dV */
static double stiffness_at(const balloon *own, double V) {
    if (!own->isothermal || V < least_volume * own->rest) return 0;
    return (own->ambient + own->pressure) * own->rest / (V * V);
}

static double energy_at(const balloon *own, double V) {
    if (!own->isothermal) return -own->pressure * V;
    const double least = least_volume * own->rest, v = fmax(V, least);
    double energy = -(own->ambient + own->pressure) * own->rest * log(v / own->rest) + own->ambient * (v - own->rest);
    if (V < least) energy -= pressure_at(own, least) * (V - least);
    return energy;
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    const gases *own = self->data;
    for (int i = 0; i < own->count; ++i)
        *energy += share_of(world, place) * energy_at(&own->item[i], volume_at(&own->item[i], place->x));
}

/* out += factor S */
static void add_gradient(const balloon *own, double factor, const double *x, double *out) {
    const double *o = x + 3 * (size_t)own->face[0], scale = own->sign * factor / 6;
    for (int f = 0; f < own->faces; ++f) {
        const int32_t *node = own->face + 3 * (size_t)f;
        double at[3][3];
        for (int i = 0; i < 3; ++i) sn_subtract3(x + 3 * (size_t)node[i], o, at[i]);
        for (int i = 0; i < 3; ++i) {
            double S[3];
            sn_cross3(at[(i + 1) % 3], at[(i + 2) % 3], S);
            for (int a = 0; a < 3; ++a) out[3 * (size_t)node[i] + (size_t)a] += scale * S[a];
        }
    }
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    const gases *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const balloon *item = &own->item[i];
        add_gradient(item, share_of(world, place) * pressure_at(item, volume_at(item, place->x)), place->x, f);
    }
}

/* ---- Linearisation ---- */
static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world;
    const gases *own = self->data;
    int64_t count = 0;
    for (int i = 0; i < own->count && !damping; ++i) count += 6 * (int64_t)own->item[i].faces;
    return count;
}

/* -p d2V: p [c]x / 6 for the nodes a and b of a face, and its transpose for b and a. */
static void add_blocks(const balloon *own, double p, const double *x, sn_block_list *K) {
    const double *o = x + 3 * (size_t)own->face[0], scale = own->sign * p / 6;
    for (int f = 0; f < own->faces; ++f)
        for (int i = 0; i < 3; ++i) {
            const int32_t *node = own->face + 3 * (size_t)f;
            double c[3];
            sn_subtract3(x + 3 * (size_t)node[(i + 2) % 3], o, c);
            const double turn[9] = {0, c[2], -c[1], -c[2], 0, c[0], c[1], -c[0], 0}; /* column by column */
            double *block = sn_block_append(K, node[i], node[(i + 1) % 3]);
            for (int e = 0; e < 9; ++e) block[e] = scale * turn[e];
            block = sn_block_append(K, node[(i + 1) % 3], node[i]);
            for (int e = 0; e < 9; ++e) block[e] = -scale * turn[e];
        }
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)D;
    const gases *own = self->data;
    const double share = share_of(world, place);
    for (int i = 0; i < own->count; ++i) {
        balloon *item = &own->item[i];
        const double V = volume_at(item, place->x);
        if (exact || world->parameters.no_inertia) add_blocks(item, share * pressure_at(item, V), place->x, K);
        item->stiffness = share * stiffness_at(item, V);
        memset(item->gradient, 0, 3 * (size_t)world->model->node_count * sizeof(double));
        add_gradient(item, 1, place->x, item->gradient);
    }
}

static double dot(const sn_world *world, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 3 * world->model->node_count; ++i) sum += a[i] * b[i];
    return sum;
}

static void product(const sn_world *world, const sn_interaction *self, double k, const double *u, double *out) {
    const gases *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const balloon *item = &own->item[i];
        const double factor = k * item->stiffness * dot(world, item->gradient, u);
        for (int j = 0; j < 3 * world->model->node_count && factor != 0; ++j) out[j] += factor * item->gradient[j];
    }
}

/* Gaussian elimination with pivots; m x (m + 1), the last column becomes the solution. */
static void solve_small(int m, double *A) {
    const int w = m + 1;
    for (int k = 0; k < m; ++k) {
        int best = k;
        for (int i = k + 1; i < m; ++i)
            if (fabs(A[i * w + k]) > fabs(A[best * w + k])) best = i;
        for (int j = 0; j < w && best != k; ++j) {
            const double keep = A[k * w + j];
            A[k * w + j] = A[best * w + j], A[best * w + j] = keep;
        }
        for (int i = 0; i < m; ++i) {
            const double factor = i == k ? 0 : A[i * w + k] / A[k * w + k];
            for (int j = k; j < w && factor != 0; ++j) A[i * w + j] -= factor * A[k * w + j];
        }
    }
    for (int k = 0; k < m; ++k) A[k * w + m] /= A[k * w + k];
}

static sn_status solve(sn_world *world, sn_interaction *self, const sn_bordered *system, sn_linear_report *report,
                       sn_error *error) {
    const gases *own = self->data;
    const size_t n = 3 * (size_t)world->model->node_count;
    const int m = own->count;
    bool any = false;
    for (int i = 0; i < m; ++i) any = any || own->item[i].stiffness != 0;
    if (!any || system->k == 0) return SN_OK;
    for (int i = 0; i < m; ++i) {
        balloon *item = &own->item[i];
        sn_linear_report one = {0};
        memset(item->solution, 0, n * sizeof *item->solution);
        const sn_status status = sn_world_solve_for(world, system, item->gradient, item->solution, &one, error);
        if (status && status != SN_NOT_CONVERGED) return status;
        report->iterations += one.iterations;
        report->setup_seconds += one.setup_seconds, report->solve_seconds += one.solve_seconds;
    }
    for (int i = 0; i < m; ++i) {
        double *row = own->small + (ptrdiff_t)i * (m + 1);
        for (int j = 0; j < m; ++j)
            row[j] = (i == j) +
                     system->k * own->item[j].stiffness * dot(world, own->item[i].gradient, own->item[j].solution);
        row[m] = dot(world, own->item[i].gradient, system->x);
    }
    solve_small(m, own->small);
    for (int i = 0; i < m; ++i) {
        const double factor = system->k * own->item[i].stiffness * own->small[(ptrdiff_t)i * (m + 1) + m];
        for (size_t j = 0; j < n; ++j) system->x[j] -= factor * own->item[i].solution[j];
    }
    return SN_OK;
}

const sn_interaction_kind sn_kind_gas = {.create = create,
                                         .destroy = destroy,
                                         .force = force,
                                         .energy = energy,
                                         .block_count = block_count,
                                         .blocks = blocks,
                                         .product = product,
                                         .solve = solve};
