/* Two boxes on top of each other, with contact rows between them, as a linear system: shared by the tests of coupled
 * bodies and their benchmark. The lower box stands on fixed nodes. */
#ifndef SN_TEST_LINEAR_STACK_H
#define SN_TEST_LINEAR_STACK_H

#include "beam.h"

typedef struct stack {
    beam b;   /* both boxes */
    int side; /* cells along an edge */
    sn_block_list list;
} stack;

static inline void stack_destroy(stack *s) {
    sn_block_list_release(s->b.context, &s->list);
    beam_destroy(&s->b);
}

/* Copies the box of `b` (1 m wide, a^3 cells) and puts the copy on top, `shift` aside. */
static inline sn_status stack_create(stack *s, sn_context *context, int a, double shift, sn_error *error) {
    memset(s, 0, sizeof *s);
    s->side = a;
    beam *b = &s->b;
    b->context = context;
    const sn_generator_value values[] = {{"size", 3, {1, 1, 1}}, {"cells", 3, {a, a, a}}, {"split", 1, {5}}};
    sn_mesh *mesh;
    sn_status status = sn_mesh_generate(context, "box", values, 3, &mesh, error);
    if (status) return status;
    const int nodes = mesh->node_count, tets = mesh->tet_count;
    int32_t *place = malloc((size_t)nodes * sizeof *place);
    status = sn_mesh_order(mesh, place, error);
    b->nodes = 2 * nodes, b->tets = 2 * tets;
    b->rest = calloc((size_t)b->nodes * 3, sizeof(double)), b->x = calloc((size_t)b->nodes * 3, sizeof(double));
    b->mass = calloc((size_t)b->nodes, sizeof(double));
    b->tet = calloc((size_t)b->tets * 4, sizeof(int32_t)), b->material = calloc((size_t)b->tets, sizeof(int32_t));
    b->filter.node = calloc((size_t)b->nodes, sizeof(int32_t)),
    b->filter.projection = calloc((size_t)b->nodes * 9, sizeof(double));
    double low[3] = {0};
    for (int i = 0; i < nodes; ++i)
        for (int k = 0; k < 3; ++k)
            if (i == 0 || mesh->position[3 * i + k] < low[k]) low[k] = mesh->position[3 * i + k];
    for (int i = 0; i < b->nodes; ++i)
        for (int k = 0; k < 3; ++k)
            b->rest[3 * ((i < nodes ? 0 : nodes) + place[i % nodes]) + k] = mesh->position[3 * (i % nodes) + k] -
                                                                            low[k] +
                                                                            (i < nodes ? 0
                                                                             : k == 2  ? 1.0
                                                                                       : shift);
    for (int i = 0; i < 4 * b->tets; ++i) b->tet[i] = place[mesh->tet[i % (4 * tets)]] + (i < 4 * tets ? 0 : nodes);
    free(place);
    sn_mesh_destroy(mesh);
    for (int i = 0; i < nodes; ++i)
        if (b->rest[3 * i + 2] < 1e-9) b->filter.node[b->filter.count++] = i;
    memcpy(b->x, b->rest, (size_t)b->nodes * 3 * sizeof(double));
    b->parameters = sn_material_default();
    b->source = (sn_batch_source){.element = &sn_element_tet4,
                                  .element_count = b->tets,
                                  .node = b->tet,
                                  .rest = b->rest,
                                  .material = b->material,
                                  .materials = &b->parameters,
                                  .material_count = 1,
                                  .name = "stack"};
    if (!status) status = sn_elements_compile(context, &b->source, 1, b->nodes, &b->elements, error);
    if (!status) status = sn_element_settings_create(context, &b->elements, &b->parameters, 0, &b->settings, error);
    if (!status) status = sn_mass_lumped(&b->source, b->mass, error);
    return status;
}

/* The node of the lower box at the cell corner (i, j) of its top. */
static inline int32_t stack_top(const stack *s, int i, int j) {
    for (int32_t n = 0; n < s->b.nodes / 2; ++n) {
        const double *p = s->b.rest + 3 * n;
        if (p[2] > 1 - 1e-9 && (int)(p[0] * s->side + 0.5) == i && (int)(p[1] * s->side + 0.5) == j) return n;
    }
    return -1;
}

/* Rows of each bottom node of the upper box that lies over the lower one, against the four corners of the cell below
 * it: weights 1 and minus the bilinear ones, normal z (`stick`: all directions). At most `most` rows; returns how
 * many. */
static inline int stack_rows(stack *s, int most, double stiffness, bool stick) {
    int rows = 0;
    const int a = s->side;
    int32_t *top = malloc((size_t)(a + 1) * (size_t)(a + 1) * sizeof *top);
    for (int i = 0; i <= a; ++i)
        for (int j = 0; j <= a; ++j) top[i * (a + 1) + j] = stack_top(s, i, j);
    s->list.count = 0;
    for (int32_t n = s->b.nodes / 2; n < s->b.nodes && rows < most; ++n) {
        const double *p = s->b.rest + 3 * n, x = p[0] * a, y = p[1] * a;
        if (p[2] > 1 + 1e-9 || x > a || y > a) continue;
        const int i = x < a ? (int)x : a - 1, j = y < a ? (int)y : a - 1;
        const double u = x - i, v = y - j;
        const int32_t node[5] = {n, top[i * (a + 1) + j], top[(i + 1) * (a + 1) + j], top[i * (a + 1) + j + 1],
                                 top[(i + 1) * (a + 1) + j + 1]};
        const double weight[5] = {1, -(1 - u) * (1 - v), -u * (1 - v), -(1 - u) * v, -u * v};
        if (sn_block_list_reserve(s->b.context, &s->list, s->list.count + 25, NULL)) break;
        for (int k = 0; k < 25; ++k) {
            const int at = s->list.count++;
            double *block = s->list.value + 9 * (size_t)at;
            s->list.row[at] = node[k / 5], s->list.column[at] = node[k % 5];
            memset(block, 0, 9 * sizeof *block);
            block[8] = stiffness * weight[k / 5] * weight[k % 5];
            if (stick) block[0] = block[4] = block[8];
        }
        ++rows;
    }
    free(top);
    return rows;
}

#endif
