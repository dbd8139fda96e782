/* Seams. See seams.h.
 *
 * Each side of a seam is a selection of nodes on a line, at rest. The nodes are put in order along the line, from one
 * end, which is the node farthest from the first node of the selection. Nodes that do not form a line of edges are
 * refused. A node has the parameter s = length from this end / length of the line, 0 to 1. The two lines run in the
 * directions in which their ends are nearer to each other.
 *
 * The side with more nodes is the finer one. Each of its nodes is tied to the point with the same s on the other line,
 * which lies between two nodes there:
 *
 *   h = x_i - (1 - w) x_j - w x_k - (1 - t / time) h_0      for t < time, then without the last term
 *
 * h_0 is the gap at rest. So the sides come together in `time`, in straight lines, and stay so. */
#include "seams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"

/* One side of a seam. */
typedef struct side {
    int count;
    int32_t *node; /* compiled, in order along the line */
    double *s;     /* 0 to 1 */
    double length; /* m */
} side;

static long long label(const sn_mesh *mesh, int32_t i) { return mesh->node_label ? mesh->node_label[i] : i; }

static double distance(const double *x, int32_t a, int32_t b) {
    double d[3];
    sn_subtract3(x + 3 * (size_t)a, x + 3 * (size_t)b, d);
    return sn_norm3(d);
}

/* Exchanges node[place] with the node nearest to `from` among those from `place` on; with the farthest one if
 * `farthest`. */
static void fetch(const double *x, side *side, int place, int32_t from, bool farthest) {
    int best = place;
    double found = farthest ? -1 : INFINITY;
    for (int i = place; i < side->count; ++i) {
        const double d = distance(x, from, side->node[i]);
        if (farthest ? d > found : d < found) found = d, best = i;
    }
    const int32_t node = side->node[best];
    side->node[best] = side->node[place], side->node[place] = node;
}

static void order(const double *x, side *side) {
    fetch(x, side, 0, side->node[0], true);
    side->s[0] = 0;
    for (int i = 1; i < side->count; ++i) {
        fetch(x, side, i, side->node[i - 1], false);
        side->s[i] = side->s[i - 1] + distance(x, side->node[i - 1], side->node[i]);
    }
    side->length = side->s[side->count - 1];
    for (int i = 1; i < side->count; ++i) side->s[i] = side->length > 0 ? side->s[i] / side->length : 0;
}

static void reverse(side *side) {
    for (int i = 0, j = side->count - 1; i <= j; ++i, --j) {
        const int32_t node = side->node[i];
        const double s = 1 - side->s[i];
        side->node[i] = side->node[j], side->node[j] = node;
        side->s[i] = 1 - side->s[j], side->s[j] = s;
    }
}

static void release_side(const sn_world *world, side *side) {
    sn_release(world->context, side->node);
    sn_release(world->context, side->s);
}

/* Refuses an area of nodes and a line with holes. Nodes that follow each other share an element. Others share one only
 * where the line turns a corner or closes: then they are at most two places apart, four with nodes in mid-edges.
 * `place` is per node of the mesh: where it is on the line, or -1. */
static sn_status check_chain(const sn_mesh *mesh, const side *side, const int32_t *place, uint8_t *joined,
                             sn_error *error) {
    const int reach = mesh->tet_nodes > 4 ? 4 : 2;
    for (int e = 0; e < mesh->tet_count; ++e) {
        const int32_t *node = mesh->tet + (int64_t)e * mesh->tet_nodes;
        for (int k = 1; k < mesh->tet_nodes; ++k)
            for (int i = 0; i < k; ++i) {
                const int a = place[node[i]], b = place[node[k]], apart = abs(a - b);
                if (a < 0 || b < 0) continue;
                if (apart == 1) joined[a < b ? a : b] = 1;
                if (apart > reach && side->count - apart > reach)
                    return sn_fail_at(error, SN_BAD_INPUT, "select",
                                      "the nodes form no line: nodes %lld and %lld share an element but do not follow "
                                      "each other",
                                      label(mesh, node[i]), label(mesh, node[k]));
            }
    }
    int at = 0;
    while (at < side->count - 1 && joined[at]) ++at;
    if (at >= side->count - 1) return SN_OK;
    int32_t end[2] = {0, 0};
    for (int32_t i = 0; i < mesh->node_count; ++i)
        if (place[i] == at || place[i] == at + 1) end[place[i] - at] = i;
    return sn_fail_at(
        error, SN_BAD_INPUT, "select",
        "the nodes form no line, or it bends back: node %lld is the next one after node %lld, and they share "
        "no edge",
        label(mesh, end[1]), label(mesh, end[0]));
}

static sn_status check_line(const sn_world *world, int body, const side *side, sn_error *error) {
    const sn_mesh *mesh = world->model->body[body].mesh;
    int32_t *of_node = sn_allocate(world->context, (size_t)world->model->node_count, sizeof *of_node);
    int32_t *place = sn_allocate(world->context, (size_t)mesh->node_count, sizeof *place);
    uint8_t *joined = sn_allocate_zero(world->context, (size_t)side->count, 1);
    sn_status status = of_node && place && joined ? SN_OK : sn_no_memory(error);
    for (int i = 0; i < world->model->node_count && !status; ++i) of_node[i] = -1;
    for (int i = 0; i < side->count && !status; ++i) of_node[side->node[i]] = i;
    for (int i = 0; i < mesh->node_count && !status; ++i) place[i] = of_node[sn_model_node(world->model, body, i)];
    if (!status) status = check_chain(mesh, side, place, joined, error);
    sn_release(world->context, of_node), sn_release(world->context, place), sn_release(world->context, joined);
    return status;
}

static sn_status take_side(const sn_world *world, int body, const sn_selector *select, side *side, sn_error *error) {
    const sn_mesh *mesh = world->model->body[body].mesh;
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)mesh->node_count, 1);
    sn_status status = mask ? sn_mesh_select(mesh, select, mask, NULL, error) : sn_no_memory(error);
    status = sn_within(error, status, "select");
    for (int i = 0; i < mesh->node_count && !status; ++i) side->count += mask[i] != 0;
    if (!status) {
        side->node = sn_allocate(world->context, (size_t)side->count, sizeof *side->node);
        side->s = sn_allocate(world->context, (size_t)side->count, sizeof *side->s);
        if (!side->node || !side->s) status = sn_no_memory(error);
    }
    for (int i = 0, n = 0; i < mesh->node_count && !status; ++i)
        if (mask[i]) side->node[n++] = sn_model_node(world->model, body, i);
    sn_release(world->context, mask);
    if (!status) order(world->model->rest, side);
    return status ? status : check_line(world, body, side, error);
}

/* The gap between node i of the finer side and the coarser side. Its keys close it in `time`. */
static sn_status make_gap(const sn_world *world, const side *fine, int i, const side *coarse, double time, sn_gap *gap,
                          sn_error *error) {
    int j = 0;
    while (j < coarse->count - 2 && coarse->s[j + 1] < fine->s[i]) ++j;
    const int next = j + 1 < coarse->count ? j + 1 : j;
    const double span = coarse->s[next] - coarse->s[j],
                 w = span > 0 ? fmin(fmax((fine->s[i] - coarse->s[j]) / span, 0), 1) : 0;
    *gap = (sn_gap){.count = 1, .first = 1, .node = {fine->node[i]}, .weight = {1}};
    const int32_t node[2] = {coarse->node[j], coarse->node[next]};
    const double weight[2] = {1 - w, w};
    for (int k = 0; k < 2; ++k)
        if (weight[k] > 0) gap->node[gap->count] = node[k], gap->weight[gap->count++] = -weight[k];
    if (time == 0) return SN_OK;
    gap->key = sn_allocate_zero(world->context, 8, sizeof *gap->key);
    if (!gap->key) return sn_no_memory(error);
    sn_gap_at(gap, 0, world->model->rest, NULL, gap->key + 1, NULL);
    gap->key[4] = time;
    gap->key_count = 2;
    return SN_OK;
}

/* The stiffness of the material beside a gap: modulus times thickness of a plane body or a cloth, modulus times the
 * distance of the nodes of a solid. */
static double own_stiffness(const sn_world *world, int body, const side *fine) {
    const sn_body *b = &world->model->body[body];
    double modulus = 0;
    for (int m = 0; m < b->material_count; ++m)
        modulus =
            fmax(modulus, sn_parameters_modulus(world->context, &world->parameters.material[b->material_first + m]));
    const double spacing = fine->count > 1 && fine->length > 0 ? fine->length / (fine->count - 1) : world->model->size;
    return modulus * (b->element->dimension == 2 ? b->thickness : spacing);
}

static sn_status make_gaps(const sn_world *world, const sn_seam *seam, side *fine, side *coarse, sn_seam_gaps *gaps,
                           sn_error *error) {
    const double *x = world->model->rest;
    const int32_t *f = fine->node, *c = coarse->node;
    const int last = fine->count - 1, end = coarse->count - 1;
    if (distance(x, f[0], c[end]) + distance(x, f[last], c[0]) < distance(x, f[0], c[0]) + distance(x, f[last], c[end]))
        reverse(coarse);
    gaps->gap = sn_allocate_zero(world->context, (size_t)fine->count, sizeof *gaps->gap);
    if (!gaps->gap) return sn_no_memory(error);
    sn_status status = SN_OK;
    for (int i = 0; i < fine->count && !status; ++i) {
        sn_gap *gap = &gaps->gap[gaps->count];
        status = make_gap(world, fine, i, coarse, seam->time, gap, error);
        /* A node that belongs to both sides, such as the tip of a dart, has no gap. */
        if (!status && gap->count == 2 && gap->node[0] == gap->node[1])
            sn_gap_release(world, gap);
        else
            ++gaps->count;
    }
    return status;
}

sn_status sn_seam_expand(const sn_world *world, int body, const sn_seam *seam, sn_seam_gaps *gaps, sn_error *error) {
    *gaps = (sn_seam_gaps){0};
    sn_status status = sn_seam_check(seam, error);
    if (status) return status;
    const int other = *seam->body ? sn_model_find_body(world->model, seam->body) : body;
    if (other < 0) return sn_fail_at(error, SN_BAD_INPUT, "to.body", "there is no body '%s'", seam->body);
    side a = {0}, b = {0};
    status = take_side(world, body, &seam->select, &a, error);
    if (!status) status = sn_within(error, take_side(world, other, &seam->to, &b, error), "to");
    const bool swap = b.count > a.count;
    if (!status) status = make_gaps(world, seam, swap ? &b : &a, swap ? &a : &b, gaps, error);
    if (!status && gaps->count == 0)
        status = sn_fail_at(error, SN_BAD_INPUT, "to", "both sides of the seam are the same nodes");
    if (!status) gaps->stiffness = seam->stiffness > 0 ? seam->stiffness : own_stiffness(world, body, swap ? &b : &a);
    release_side(world, &a), release_side(world, &b);
    if (status) sn_seam_release(world, gaps);
    return status;
}

void sn_seam_release(const sn_world *world, sn_seam_gaps *gaps) {
    for (int i = 0; i < gaps->count; ++i) sn_gap_release(world, &gaps->gap[i]);
    sn_release(world->context, gaps->gap);
    *gaps = (sn_seam_gaps){0};
}
