/* The force of a moving fluid on the surface of a body: wind on a cloth, water around a fish.
 *
 * A face has the area vector S (in the present shape), the area A = |S|, the unit normal n = S / A and the velocity
 * u = v - W relative to the fluid, which moves with the velocity W. The fluid presses on the face along its normal with
 * rho / 2 A |u_n| u_n, u_n = u . n. The part of this pressure along u is the drag, and the part across u is the lift.
 * Each part has a coefficient:
 *
 *   f = -rho / 2 A |u_n| (lift u_n n + (drag - lift) u_n^2 u / |u|^2)
 *     = -rho / 2 |w| (lift w S + (drag - lift) w^2 u / |u|^2) / A^2,    w = u . S
 *
 * With equal coefficients the force is normal to the face. The power f . u = -rho / 2 A drag |u_n|^3 never drives a
 * body in a fluid that rests. A closed body is pushed at its front and pulled at its back, so a plate of tets has twice
 * the force of a cloth. Nothing acts along a face; there is no added mass and no wake.
 *
 * Nodes of a face share its force, and give its velocity, with the weights of contact (face_share). S is that of the
 * three corners. In mode "static" the force is multiplied with the load fraction.
 *
 *   D_ij = share_i share_j D,  D = -df/du; the symmetric form leaves out the change of the direction of the drag
 *   K    by B = -df/dS and dS / dx_c = -[x_a - x_b]_x / 2 for corner c and the next corners a, b; not symmetric */
#include <math.h>
#include <string.h>

#include "base/keys.h"
#include "base/math3.h"
#include "inside.h"

typedef struct blown_body {
    sn_wind wind; /* `key` is a copy */
    int faces, nodes;
    int32_t *face; /* faces x nodes, compiled */
    const double *share;
} blown_body;

typedef struct winds {
    int count;
    blown_body *body;
} winds;

static sn_status take_body(const sn_world *world, int body, const sn_wind *wind, blown_body *own, sn_error *error) {
    const sn_element *element = world->model->body[body].element;
    *own = (blown_body){.wind = *wind, .nodes = element->face_nodes, .share = element->face_share};
    own->wind.key = NULL;
    if (element->face_nodes == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "wind", "wind has no effect on element %s, which has no faces",
                          element->name);
    if (wind->key_count > 0) {
        const size_t numbers = 4 * (size_t)wind->key_count;
        double *key = sn_allocate(world->context, numbers, sizeof *key);
        if (!key) return sn_no_memory(error);
        memcpy(key, wind->key, numbers * sizeof *key);
        own->wind.key = key;
    }
    return sn_body_faces(world->model, body, &own->faces, &own->face, error);
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    winds *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->body = sn_allocate_zero(world->context, (size_t)options->body_count, sizeof *own->body);
    if (!own->body) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b) {
        const sn_wind *wind = &options->body[b].wind;
        if (wind->drag == 0 && wind->lift == 0) continue;
        const sn_status status = take_body(world, b, wind, &own->body[own->count++], error);
        if (status) return sn_within(error, status, "bodies.%d", b);
    }
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    winds *own = self->data;
    if (!own) return;
    for (int b = 0; own->body && b < own->count; ++b) {
        sn_release(world->context, own->body[b].face);
        sn_release(world->context, (void *)(uintptr_t)own->body[b].wind.key);
    }
    sn_release(world->context, own->body);
    sn_release(world->context, own);
}

/* A face in the stream. */
typedef struct stream {
    double S[3], u[3];
    double square, speed;          /* A^2, |u|^2 */
    double w;                      /* u . S */
    double pressure, lift, across; /* rho / 2 / A^2; lift; (drag - lift) / |u|^2 */
    double change[3];              /* du/dt of the fluid, m/s^2 */
} stream;

/* False for a face without area. */
static bool stream_at(const blown_body *body, const int32_t *node, const sn_place *place, const double fluid[3],
                      stream *s) {
    sn_area_vector3(place->x + 3 * (size_t)node[0], place->x + 3 * (size_t)node[1], place->x + 3 * (size_t)node[2],
                    s->S);
    for (int a = 0; a < 3; ++a) {
        s->S[a] *= 0.5;
        s->u[a] = -fluid[a];
        for (int i = 0; place->v && i < body->nodes; ++i)
            s->u[a] += body->share[i] * place->v[3 * (size_t)node[i] + (size_t)a];
    }
    s->square = sn_dot3(s->S, s->S), s->speed = sn_dot3(s->u, s->u);
    s->w = sn_dot3(s->u, s->S);
    s->lift = body->wind.lift;
    s->across = s->speed > 0 ? (body->wind.drag - body->wind.lift) / s->speed : 0;
    return s->square > 0;
}

/* The sums that a walk over the faces adds to. */
typedef struct sums {
    const sn_place *place;
    bool exact;
    double *force; /* or the rate of the force */
    sn_block_list *K, *D;
} sums;

/* Calls `add` for each face with an area. */
static void walk(const sn_world *world, const sn_interaction *self, const sums *to,
                 void (*add)(const blown_body *body, const int32_t *node, const stream *s, const sums *to)) {
    const winds *own = self->data;
    const double share = world->parameters.is_static ? to->place->t : 1;
    for (int b = 0; b < own->count; ++b) {
        const blown_body *body = &own->body[b];
        double fluid[3] = {body->wind.velocity[0], body->wind.velocity[1], body->wind.velocity[2]};
        stream s = {.change = {0, 0, 0}};
        if (body->wind.key_count > 0) sn_keys_at(body->wind.key, body->wind.key_count, to->place->t, fluid, s.change);
        for (int k = 0; k < body->faces; ++k) {
            const int32_t *node = body->face + (size_t)k * (size_t)body->nodes;
            if (!stream_at(body, node, to->place, fluid, &s)) continue;
            s.pressure = 0.5 * share * body->wind.density / s.square;
            add(body, node, &s, to);
        }
    }
}

static void add_shares(const blown_body *body, const int32_t *node, const double f[3], double *force) {
    for (int i = 0; i < body->nodes; ++i)
        for (int a = 0; a < 3; ++a) force[3 * (size_t)node[i] + (size_t)a] += body->share[i] * f[a];
}

static void add_force(const blown_body *body, const int32_t *node, const stream *s, const sums *to) {
    double f[3];
    for (int a = 0; a < 3; ++a)
        f[a] = -s->pressure * fabs(s->w) * s->w * (s->lift * s->S[a] + s->across * s->w * s->u[a]);
    add_shares(body, node, f, to->force);
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    walk(world, self, &(sums){.place = place, .force = f}, add_force);
}

/* D = -df/du, column by column. The symmetric form is never negative. */
static void by_velocity(const stream *s, bool exact, double D[9]) {
    const double p = s->pressure, w = fabs(s->w), cube = s->across * w * s->w * s->w;
    const double along = exact || cube > 0 ? p * cube : 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            D[3 * j + i] = 2 * p * s->lift * w * s->S[i] * s->S[j] + (i == j ? along : 0);
            if (exact && s->speed > 0)
                D[3 * j + i] +=
                    p * (3 * s->across * w * s->w * s->u[i] * s->S[j] - 2 * cube * s->u[i] * s->u[j] / s->speed);
        }
}

/* The fluid's change acts like the opposite change of the velocity: df/dt = D dW/dt. */
static void add_rate(const blown_body *body, const int32_t *node, const stream *s, const sums *to) {
    double D[9], f[3];
    by_velocity(s, true, D);
    for (int a = 0; a < 3; ++a) f[a] = D[a] * s->change[0] + D[3 + a] * s->change[1] + D[6 + a] * s->change[2];
    add_shares(body, node, f, to->force);
}

static void rate(sn_world *world, sn_interaction *self, const sn_place *place, double *rate) {
    walk(world, self, &(sums){.place = place, .force = rate}, add_rate);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const winds *own = self->data;
    int64_t count = 0;
    for (int b = 0; b < own->count; ++b) count += (int64_t)own->body[b].faces * own->body[b].nodes * own->body[b].nodes;
    return count;
}

/* B = -df/dS, column by column. */
static void by_area(const stream *s, double B[9]) {
    const double w = fabs(s->w), square = w * s->w, cube = square * s->w;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            const double lift = 2 * w * s->S[i] * s->u[j] + (i == j ? square : 0) -
                                2 * square * s->S[i] * s->S[j] / s->square,
                         across = 3 * square * s->u[i] * s->u[j] - 2 * cube * s->u[i] * s->S[j] / s->square;
            B[3 * j + i] = s->pressure * (s->lift * lift + s->across * across);
        }
}

/* K = share B dS/dx_c, with dS/dx_c = -[e]_x / 2, so that column j is B (e_j x e) / 2. */
static void add_stiffness(const blown_body *body, const int32_t *node, const double *x, const double B[9],
                          sn_block_list *K) {
    for (int c = 0; c < 3; ++c) {
        const double *a = x + 3 * (size_t)node[(c + 1) % 3], *b = x + 3 * (size_t)node[(c + 2) % 3];
        double e[3], column[9];
        sn_subtract3(a, b, e);
        const double turned[3][3] = {{0, -e[2], e[1]}, {e[2], 0, -e[0]}, {-e[1], e[0], 0}};
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                column[3 * j + i] = 0.5 * (B[i] * turned[j][0] + B[3 + i] * turned[j][1] + B[6 + i] * turned[j][2]);
        for (int i = 0; i < body->nodes; ++i) {
            double *block = sn_block_append(K, node[i], node[c]);
            for (int k = 0; k < 9; ++k) block[k] = body->share[i] * column[k];
        }
    }
}

static void add_blocks(const blown_body *body, const int32_t *node, const stream *s, const sums *to) {
    double D[9], B[9];
    by_velocity(s, to->exact, D);
    for (int i = 0; i < body->nodes && to->place->v; ++i)
        for (int j = 0; j < body->nodes; ++j) {
            double *block = sn_block_append(to->D, node[i], node[j]);
            for (int e = 0; e < 9; ++e) block[e] = body->share[i] * body->share[j] * D[e];
        }
    if (!to->exact) return;
    by_area(s, B);
    add_stiffness(body, node, to->place->x, B, to->K);
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    walk(world, self, &(sums){.place = place, .exact = exact, .K = K, .D = D}, add_blocks);
}

const sn_interaction_kind sn_kind_wind = {
    .create = create, .destroy = destroy, .force = force, .rate = rate, .block_count = block_count, .blocks = blocks};
