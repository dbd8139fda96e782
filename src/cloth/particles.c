/* Edges, corners and second differences from the triangles of a grid; see particles.h. */
#include "particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "fem/names.h"
#include "kernel/sheet.h"
#include "triangle_edges.h"

extern const sn_element_kernels sn_tension_kernels_baseline, sn_tension_kernels_avx2, sn_tension_kernels_avx512;
extern const sn_element_kernels sn_corner_kernels_baseline, sn_corner_kernels_avx2, sn_corner_kernels_avx512;
extern const sn_element_kernels sn_second_difference_kernels_baseline, sn_second_difference_kernels_avx2,
    sn_second_difference_kernels_avx512;

const sn_element_kernels *sn_tension_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_tension_kernels);
}
const sn_element_kernels *sn_corner_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_corner_kernels);
}
static const sn_element_kernels *second_difference_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_second_difference_kernels);
}

static const double slack = 1e-6; /* a grid is even and right-angled up to this part of an edge */

int sn_right_corner(const double *X) {
    double longest = -1;
    int corner = 0;
    for (int i = 0; i < 3; ++i) {
        double d[3];
        sn_subtract3(X + 3 * ((i + 1) % 3), X + 3 * ((i + 2) % 3), d);
        if (sn_dot3(d, d) > longest) longest = sn_dot3(d, d), corner = i;
    }
    return corner;
}

/* An element on its way: its nodes, the first in the middle, its material and its part of the area. Edges have two
 * nodes and -1. */
typedef struct piece {
    int32_t node[3], material;
    double area;
} piece;

static int compare_places(const piece *a, const piece *b) {
    for (int i = 0; i < 3; ++i)
        if (a->node[i] != b->node[i]) return a->node[i] < b->node[i] ? -1 : 1;
    return (a->material > b->material) - (a->material < b->material);
}

static int compare_pieces(const void *left, const void *right) {
    const piece *a = left, *b = right;
    const int order = compare_places(a, b);
    return order ? order : (a->area > b->area) - (a->area < b->area); /* sums have one order */
}

/* Sorts and joins the pieces of the same nodes and material. Returns how many remain. */
static int join(piece *list, int count) {
    int kept = 0;
    qsort(list, (size_t)count, sizeof *list, compare_pieces);
    for (int i = 0; i < count; ++i) {
        if (kept > 0 && compare_places(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].area += list[i].area;
        else
            list[kept++] = list[i];
    }
    return kept;
}

/* ---- The grid ---- */
typedef struct grid {
    const sn_batch_source *cloth;
    int32_t *across; /* per triangle: the right corner of the triangle beyond its diagonal */
    int32_t *corner; /* per triangle: which of its corners has the right angle */
} grid;

static const double *rest_of(const sn_batch_source *cloth, int32_t node) { return cloth->rest + 3 * (int64_t)node; }

static sn_status refuse(const sn_batch_source *cloth, int triangle, const char *why, sn_error *error) {
    return sn_fail_at(
        error, SN_BAD_INPUT, "mesh",
        "body '%s': triangle %lld %s; law 'cloth-particles' needs a flat grid of equal rectangles, as the "
        "generator 'grid' makes it",
        cloth->name, (long long)(cloth->label ? cloth->label[triangle] : triangle), why);
}

/* Whether the triangle has a right angle, and whether the other one completes the rectangle. */
static sn_status check_cell(const grid *g, int t, sn_error *error) {
    const sn_batch_source *cloth = g->cloth;
    const int32_t *node = cloth->node + 3 * (int64_t)t;
    const int k = g->corner[t];
    double a[3], b[3], gap[3];
    sn_subtract3(rest_of(cloth, node[(k + 1) % 3]), rest_of(cloth, node[k]), a);
    sn_subtract3(rest_of(cloth, node[(k + 2) % 3]), rest_of(cloth, node[k]), b);
    if (!(fabs(sn_dot3(a, b)) <= slack * sn_norm3(a) * sn_norm3(b)))
        return refuse(cloth, t, "has no right angle", error);
    if (g->across[t] < 0) return refuse(cloth, t, "is no half of a rectangle", error);
    sn_subtract3(rest_of(cloth, g->across[t]), rest_of(cloth, node[k]), gap);
    for (int i = 0; i < 3; ++i) gap[i] -= a[i] + b[i];
    if (!(sn_norm3(gap) <= slack * (sn_norm3(a) + sn_norm3(b))))
        return refuse(cloth, t, "is no half of a rectangle", error);
    return SN_OK;
}

static void grid_end(sn_context *context, grid *g) {
    sn_release(context, g->across);
    sn_release(context, g->corner);
}

static sn_status grid_start(sn_context *context, const sn_batch_source *cloth, grid *g, sn_error *error) {
    const int count = cloth->element_count;
    *g = (grid){.cloth = cloth};
    g->across = sn_allocate(context, (size_t)count, sizeof *g->across);
    g->corner = sn_allocate(context, (size_t)count, sizeof *g->corner);
    sn_cloth_edge *edge = sn_cloth_edges(context, count, cloth->node);
    sn_status status = g->across && g->corner && edge ? SN_OK : sn_no_memory(error);
    for (int t = 0; t < count && !status; ++t) {
        double X[9];
        for (int i = 0; i < 9; ++i) X[i] = rest_of(cloth, cloth->node[3 * (int64_t)t + i / 3])[i % 3];
        g->corner[t] = sn_right_corner(X), g->across[t] = -1;
    }
    for (int i = 0, run; i < 3 * count && !status; i += run) {
        run = sn_cloth_edge_run(edge, 3 * count, i);
        if (run != 2 || edge[i].corner != g->corner[edge[i].triangle] ||
            edge[i + 1].corner != g->corner[edge[i + 1].triangle])
            continue;
        for (int s = 0; s < 2; ++s) {
            const sn_cloth_edge *other = &edge[i + 1 - s];
            g->across[edge[i + s].triangle] = cloth->node[3 * (int64_t)other->triangle + other->corner];
        }
    }
    sn_release(context, edge);
    for (int t = 0; t < count && !status; ++t) status = check_cell(g, t, error);
    if (status) grid_end(context, g);
    return status;
}

/* The edges: a triangle gives its area to each of its two short sides, as its cell gives half of its own to each of its
 * four. `list` has room for two per triangle. */
static int list_edges(const grid *g, piece *list) {
    int count = 0;
    for (int t = 0; t < g->cloth->element_count; ++t) {
        const int32_t *node = g->cloth->node + 3 * (int64_t)t;
        const int k = g->corner[t];
        double n[3];
        sn_area_vector3(rest_of(g->cloth, node[0]), rest_of(g->cloth, node[1]), rest_of(g->cloth, node[2]), n);
        for (int s = 1; s < 3; ++s) {
            const int32_t a = node[k], b = node[(k + s) % 3];
            list[count++] = (piece){{a < b ? a : b, a < b ? b : a, -1}, g->cloth->material[t], 0.5 * sn_norm3(n)};
        }
    }
    return join(list, count);
}

/* The corners: a quarter of the cell for each; at the ends of the diagonal half of that from either triangle. */
static int list_corners(const grid *g, piece *list) {
    int count = 0;
    for (int t = 0; t < g->cloth->element_count; ++t) {
        const int32_t *node = g->cloth->node + 3 * (int64_t)t, material = g->cloth->material[t];
        const int k = g->corner[t];
        const int32_t c = node[k], p = node[(k + 1) % 3], q = node[(k + 2) % 3], r = g->across[t];
        double n[3];
        sn_area_vector3(rest_of(g->cloth, c), rest_of(g->cloth, p), rest_of(g->cloth, q), n);
        const double area = 0.5 * sn_norm3(n);
        list[count++] = (piece){{c, p < q ? p : q, p < q ? q : p}, material, 0.5 * area};
        list[count++] = (piece){{p, c < r ? c : r, c < r ? r : c}, material, 0.25 * area};
        list[count++] = (piece){{q, c < r ? c : r, c < r ? r : c}, material, 0.25 * area};
    }
    return join(list, count);
}

/* Whether b lies in the middle between a and c. */
static bool in_line(const sn_batch_source *cloth, int32_t a, int32_t b, int32_t c) {
    double d[3], e[3];
    sn_subtract3(rest_of(cloth, a), rest_of(cloth, b), d);
    sn_subtract3(rest_of(cloth, c), rest_of(cloth, b), e);
    const double length = sn_norm3(d);
    for (int i = 0; i < 3; ++i) d[i] += e[i];
    return sn_norm3(d) <= slack * length;
}

/* The second differences at one node: `way` are its edges, directed away from it and sorted. Each edge gives half of
 * its area to the line through the node. */
static sn_status list_lines(const grid *g, const piece *way, int ways, piece *list, int *count, sn_error *error) {
    int ends = 0, lines = 0;
    for (int i = 0; i < ways; ++i) {
        const bool first = i == 0 || way[i - 1].node[1] != way[i].node[1];
        ends += first;
        for (int j = 0; j < ways; ++j) {
            const int32_t a = way[i].node[1], b = way[i].node[0], c = way[j].node[1];
            if (a == c || !in_line(g->cloth, a, b, c)) continue;
            lines += first && a < c && (j == 0 || way[j - 1].node[1] != c);
            if (j > 0 && way[j - 1].node[1] == c) continue;
            list[(*count)++] = (piece){{b, a < c ? a : c, a < c ? c : a}, way[i].material, 0.5 * way[i].area};
        }
    }
    if (ends <= 4 && lines == ends - 2) return SN_OK;
    return sn_fail_at(
        error, SN_BAD_INPUT, "mesh",
        "body '%s': the lines of the grid do not go straight and evenly through the node at [%g, %g, %g]; "
        "law 'cloth-particles' needs a flat grid of equal rectangles, as the generator 'grid' makes it",
        g->cloth->name, rest_of(g->cloth, way->node[0])[0], rest_of(g->cloth, way->node[0])[1],
        rest_of(g->cloth, way->node[0])[2]);
}

/* edges: those of list_edges; `way` has room for twice as many, `list` too. */
static sn_status list_second_differences(const grid *g, const piece *edges, int edge_count, piece *way, piece *list,
                                         int *count, sn_error *error) {
    for (int i = 0; i < edge_count; ++i)
        for (int s = 0; s < 2; ++s) {
            way[2 * i + s] = edges[i];
            way[2 * i + s].node[0] = edges[i].node[s], way[2 * i + s].node[1] = edges[i].node[1 - s];
        }
    qsort(way, 2 * (size_t)edge_count, sizeof *way, compare_pieces);
    *count = 0;
    sn_status status = SN_OK;
    for (int i = 0, end; i < 2 * edge_count && !status; i = end) {
        for (end = i; end < 2 * edge_count && way[end].node[0] == way[i].node[0];) ++end;
        status = list_lines(g, way + i, end - i, list, count, error);
    }
    *count = join(list, *count);
    return status;
}

/* ---- Sources ---- */
static void release(sn_context *context, sn_batch_source *out) {
    if (!out->number) return; /* of nobody, or not derived */
    sn_release(context, (void *)(uintptr_t)out->node);
    sn_release(context, (void *)(uintptr_t)out->material);
    sn_release(context, (void *)(uintptr_t)out->factor);
    sn_release(context, (void *)(uintptr_t)out->number);
    *out = (sn_batch_source){0};
}

/* Whether an edge runs along the weft, that is across the direction. */
static bool is_weft(const sn_batch_source *cloth, const piece *edge, const double *d) {
    const sn_constant *along = sn_material_constant(&cloth->materials[edge->material], "direction");
    const double usual[3] = {1, 0, 0}, *warp = along ? along->value : usual;
    return fabs(sn_dot3(warp, d)) < sqrt(0.5) * sn_norm3(warp) * sn_norm3(d) * (1 - slack);
}

/* Factor and numbers of an element; d: the edges from its first node to the others. */
static void measure(const sn_batch_source *cloth, const sn_element *element, const piece *p, double *factor,
                    double *number) {
    double d[3], e[3];
    sn_subtract3(rest_of(cloth, p->node[1]), rest_of(cloth, p->node[0]), d);
    const double dd = sn_dot3(d, d);
    if (element == &sn_element_particles) {
        *factor = p->area * cloth->thickness / dd;
        number[0] = sqrt(dd), number[1] = is_weft(cloth, p, d);
        return;
    }
    sn_subtract3(rest_of(cloth, p->node[2]), rest_of(cloth, p->node[0]), e);
    if (element == &sn_element_corners) {
        *factor = p->area * cloth->thickness;
        number[0] = 1 / sqrt(dd * sn_dot3(e, e));
        return;
    }
    *factor = p->area / (dd * dd);
    number[0] = number[1] = 1;
}

static bool wants(const sn_element *element, const sn_material *material) {
    return element != &sn_element_second_differences || sn_material_bends(material);
}

static sn_status fill(sn_context *context, const sn_batch_source *cloth, const sn_element *element, const piece *list,
                      int count, sn_batch_source *out, sn_error *error) {
    const size_t room = count ? (size_t)count : 1;
    int32_t *node = sn_allocate(context, room * (size_t)element->nodes, sizeof *node),
            *material = sn_allocate(context, room, sizeof *material);
    double *factor = sn_allocate(context, room, sizeof *factor),
           *number = sn_allocate(context, room * (size_t)element->numbers, sizeof *number);
    out->node = node, out->material = material, out->factor = factor, out->number = number;
    if (!node || !material || !factor || !number) {
        const void *const array[] = {node, material, factor, number};
        for (int i = 0; i < 4; ++i) sn_release(context, (void *)(uintptr_t)array[i]);
        *out = (sn_batch_source){0};
        return sn_no_memory(error);
    }
    for (int i = 0; i < count; ++i) {
        if (!wants(element, &cloth->materials[list[i].material])) continue;
        const int n = out->element_count++;
        for (int k = 0; k < element->nodes; ++k) node[n * element->nodes + k] = list[i].node[k];
        material[n] = list[i].material;
        measure(cloth, element, &list[i], &factor[n], number + (ptrdiff_t)n * element->numbers);
    }
    return SN_OK;
}

static sn_status derive(sn_context *context, const sn_batch_source *cloth, const sn_element *element,
                        sn_batch_source *out, sn_error *error) {
    grid g;
    sn_status status = grid_start(context, cloth, &g, error);
    *out = *cloth;
    out->element = element, out->element_count = 0;
    out->node = out->material = NULL, out->label = NULL, out->fibre = NULL;
    if (status) return status;
    const size_t triangles = (size_t)cloth->element_count;
    piece *list = sn_allocate(context, 4 * triangles, sizeof *list),
          *way = sn_allocate(context, 4 * triangles, sizeof *way),
          *edges = sn_allocate(context, 2 * triangles, sizeof *edges);
    int count = 0;
    if (!list || !way || !edges)
        status = sn_no_memory(error);
    else if (element == &sn_element_particles)
        count = list_edges(&g, list);
    else if (element == &sn_element_corners)
        count = list_corners(&g, list);
    else
        status = list_second_differences(&g, edges, list_edges(&g, edges), way, list, &count, error);
    if (!status) status = fill(context, cloth, element, list, count, out, error);
    sn_release(context, list);
    sn_release(context, way);
    sn_release(context, edges);
    grid_end(context, &g);
    return status;
}

#define DERIVE(name, element)                                                                                          \
    static sn_status name(sn_context *context, const sn_batch_source *cloth, const double *node_mass,                  \
                          sn_batch_source *out, sn_error *error) {                                                     \
        (void)node_mass;                                                                                               \
        return derive(context, cloth, element, out, error);                                                            \
    }
DERIVE(derive_edges, &sn_element_particles)
DERIVE(derive_corners, &sn_element_corners)
DERIVE(derive_second_differences, &sn_element_second_differences)

/* ---- Constants ---- */
static void settle(const sn_batch *batch, int64_t n, const sn_material *material, double *constant, double damping[3]) {
    const double b = material->rayleigh[1];
    damping[0] = damping[1] = damping[2] = 0;
    if (batch->element == &sn_element_particles) {
        const bool weft = batch->number[(n / SN_LANES * 2 + 1) * SN_LANES + n % SN_LANES] != 0;
        constant[0] = constant[weft ? SHEET_C22 : SHEET_C11];
        damping[0] = constant[SHEET_DAMPING] + b * constant[0];
    } else if (batch->element == &sn_element_corners) {
        constant[0] = constant[SHEET_SHEAR];
        damping[0] = b * constant[0];
    } else {
        constant[0] = material->bending_stiffness;
        damping[0] = material->bending_damping + b * constant[0];
    }
}

/* Particles have the damping of their edges, of bending and Rayleigh's. */
static sn_status check(const sn_material *material, sn_error *error) {
    const char *option = material->viscous[0] != 0 || material->viscous[1] != 0          ? "viscous"
                         : material->prony_count > 0                                     ? "prony"
                         : *material->bending_model                                      ? "bending.model"
                         : material->spring_damper != 0 || material->spring_quality != 0 ? "springs"
                                                                                         : NULL;
    if (!option) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, option,
                      "'%s' has no effect on element particles, which has 'damping', 'bending.stiffness', "
                      "'bending.damping' and 'rayleigh'",
                      option);
}

#define DIFFERENCES                                                                                                    \
    .points = 1, .dimension = 1, .point = sn_rule_one_point, .weight = sn_rule_one_weight,                             \
    .carrier = &sn_element_cloth_grid, .release = release, .constants = 1, .settle = settle, .splits = true

const sn_element sn_element_particles = {SN_ELEMENT_particles,
                                         DIFFERENCES,
                                         .nodes = 2,
                                         .corners = 2,
                                         .kernels = sn_tension_kernels_for,
                                         .numbers = 2,
                                         .linearised = 9,
                                         .derive = derive_edges,
                                         .check = check};
const sn_element sn_element_corners = {"corners",
                                       "shear of a grid of particles",
                                       DIFFERENCES,
                                       .nodes = 3,
                                       .corners = 3,
                                       .kernels = sn_corner_kernels_for,
                                       .numbers = 1,
                                       .linearised = 36,
                                       .derive = derive_corners};
const sn_element sn_element_second_differences = {"second-differences",
                                                  "bending of a grid of particles",
                                                  DIFFERENCES,
                                                  .nodes = 3,
                                                  .corners = 3,
                                                  .kernels = second_difference_kernels_for,
                                                  .numbers = 2,
                                                  .linearised = 1,
                                                  .derive = derive_second_differences};
