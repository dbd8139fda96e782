/* Drag of a fluid that rests, normal to the surface of a body.
 *
 * A boundary face with the area vector S (outward, in the present shape), the area A = |S| and the mean velocity v
 * feels
 *
 *   f = -rho / 2 A |v_n| v_n n = -rho / 2 |w| w S / A^2,    w = v . S
 *
 * rho is the option `drag` of the body, the density of the fluid. The front of a body is pushed, and its back is
 * pulled. So a plate that moves along its normal has the drag coefficient 2. Nothing acts along the surface. There is
 * no added mass, no wake and no lift beyond this. The force never does work on a body.
 *
 * Nodes of a face share its force, and give its velocity, with the weights of contact (face_share). S is that of the
 * three corners.
 *
 *   D_ij = share_i share_j rho |w| S S^T / A^2
 *   K    by dS / dx_c = -[x_a - x_b]_x / 2 for corner c and the next corners a, b; not symmetric */
#include <math.h>

#include "base/math3.h"
#include "inside.h"

typedef struct wet_body {
    double density; /* of the fluid, kg/m^3 */
    int faces, nodes;
    int32_t *face; /* faces x nodes, compiled */
    const double *share;
} wet_body;

typedef struct drag {
    int count;
    wet_body *body;
} drag;

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    drag *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->body = sn_allocate_zero(world->context, (size_t)options->body_count, sizeof *own->body);
    if (!own->body) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b) {
        const sn_element *element = world->model->body[b].element;
        wet_body *wet = &own->body[own->count];
        if (!(options->body[b].drag > 0)) continue;
        if (element->face_nodes == 0)
            return sn_within(error,
                             sn_fail_at(error, SN_BAD_INPUT, "drag",
                                        "drag has no effect on element %s, which has no faces", element->name),
                             "bodies.%d", b);
        *wet = (wet_body){.density = options->body[b].drag, .nodes = element->face_nodes, .share = element->face_share};
        const sn_status status = sn_body_faces(world->model, b, &wet->faces, &wet->face, error);
        if (status) return status;
        ++own->count;
    }
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    drag *own = self->data;
    if (!own) return;
    for (int b = 0; own->body && b < own->count; ++b) sn_release(world->context, own->body[b].face);
    sn_release(world->context, own->body);
    sn_release(world->context, own);
}

/* A face in motion. */
typedef struct stream {
    double S[3], v[3], square, w; /* square: A^2 */
} stream;

/* False for a face without area. */
static bool stream_at(const wet_body *wet, const int32_t *node, const sn_place *place, stream *s) {
    sn_area_vector3(place->x + 3 * (size_t)node[0], place->x + 3 * (size_t)node[1], place->x + 3 * (size_t)node[2],
                    s->S);
    for (int a = 0; a < 3; ++a) {
        s->S[a] *= 0.5;
        s->v[a] = 0;
        for (int i = 0; i < wet->nodes; ++i) s->v[a] += wet->share[i] * place->v[3 * (size_t)node[i] + (size_t)a];
    }
    s->square = sn_dot3(s->S, s->S);
    s->w = sn_dot3(s->v, s->S);
    return s->square > 0;
}

/* What a walk over the faces adds to. */
typedef struct sums {
    const sn_place *place;
    bool exact;
    double *force;
    sn_block_list *K, *D;
} sums;

/* Calls `add` for each face with an area. */
static void walk(const sn_interaction *self, const sums *to,
                 void (*add)(const wet_body *wet, const int32_t *node, const stream *s, const sums *to)) {
    const drag *own = self->data;
    for (int b = 0; b < own->count && to->place->v; ++b) {
        const wet_body *wet = &own->body[b];
        for (int k = 0; k < wet->faces; ++k) {
            const int32_t *node = wet->face + (size_t)k * (size_t)wet->nodes;
            stream s;
            if (stream_at(wet, node, to->place, &s)) add(wet, node, &s, to);
        }
    }
}

static void add_force(const wet_body *wet, const int32_t *node, const stream *s, const sums *to) {
    const double c = -0.5 * wet->density * fabs(s->w) * s->w / s->square;
    for (int i = 0; i < wet->nodes; ++i)
        for (int a = 0; a < 3; ++a) to->force[3 * (size_t)node[i] + (size_t)a] += wet->share[i] * c * s->S[a];
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    walk(self, &(sums){.place = place, .force = f}, add_force);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const drag *own = self->data;
    int64_t count = 0;
    for (int b = 0; b < own->count; ++b) count += (int64_t)own->body[b].faces * own->body[b].nodes * own->body[b].nodes;
    return count;
}

/* The change of -f with S: B = -df/dS, column by column. */
static void by_area(double density, const stream *s, double B[9]) {
    const double c = 0.5 * density / s->square, two = 2 * fabs(s->w), square = fabs(s->w) * s->w;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            B[3 * j + i] = c * (s->S[i] * (two * s->v[j] - 2 * square * s->S[j] / s->square) + (i == j ? square : 0));
}

/* K = share B dS/dx_c, with dS/dx_c = -[e]_x / 2, so that column j is B (e_j x e) / 2. */
static void add_stiffness(const wet_body *wet, const int32_t *node, const double *x, const double B[9],
                          sn_block_list *K) {
    for (int c = 0; c < 3; ++c) {
        const double *a = x + 3 * (size_t)node[(c + 1) % 3], *b = x + 3 * (size_t)node[(c + 2) % 3];
        double e[3], column[9];
        sn_subtract3(a, b, e);
        const double turned[3][3] = {{0, -e[2], e[1]}, {e[2], 0, -e[0]}, {-e[1], e[0], 0}};
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                column[3 * j + i] = 0.5 * (B[i] * turned[j][0] + B[3 + i] * turned[j][1] + B[6 + i] * turned[j][2]);
        for (int i = 0; i < wet->nodes; ++i) {
            double *block = sn_block_append(K, node[i], node[c]);
            for (int k = 0; k < 9; ++k) block[k] = wet->share[i] * column[k];
        }
    }
}

static void add_blocks(const wet_body *wet, const int32_t *node, const stream *s, const sums *to) {
    const double c = wet->density * fabs(s->w) / s->square;
    double B[9];
    for (int i = 0; i < wet->nodes; ++i)
        for (int j = 0; j < wet->nodes; ++j) {
            double *block = sn_block_append(to->D, node[i], node[j]);
            for (int e = 0; e < 9; ++e) block[e] = c * wet->share[i] * wet->share[j] * s->S[e % 3] * s->S[e / 3];
        }
    if (!to->exact) return;
    by_area(wet->density, s, B);
    add_stiffness(wet, node, to->place->x, B, to->K);
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world;
    walk(self, &(sums){.place = place, .exact = exact, .K = K, .D = D}, add_blocks);
}

const sn_interaction_kind sn_kind_drag = {
    .create = create, .destroy = destroy, .force = force, .block_count = block_count, .blocks = blocks};
