/* The start of a body: first a deformation, then velocity and spin. The rest shape does not change. The deformation is
 * about the centre of mass of the rest shape; the spin is about the centre of mass of the deformed body. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

/* splitmix64 (Steele, Lea, Flood 2014): a number in [0, 1) from a counter. */
static double random_at(uint64_t seed, uint64_t counter) {
    uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void mass_centre(const sn_world *world, const sn_body *body, const double *x, double c[3]) {
    double total = 0;
    c[0] = c[1] = c[2] = 0;
    for (int i = body->node_first; i < body->node_first + body->mesh->node_count; ++i) {
        const double m = world->solid->weight[i];
        total += m;
        for (int a = 0; a < 3; ++a) c[a] += m * x[3 * (size_t)i + (size_t)a];
    }
    for (int a = 0; a < 3; ++a) c[a] /= total;
}

typedef struct start {
    const sn_initial *initial;
    double centre[3], low[3], high[3];
    int longest;
} start;

static void deform(const start *s, int user, double x[3]) {
    const sn_initial *initial = s->initial;
    for (int a = 0; a < 3; ++a) {
        double d = initial->scale == 1 ? x[a] - s->centre[a] : initial->scale * (x[a] - s->centre[a]);
        if (initial->flatten == a + 1 || initial->collapse) d = 0;
        if (initial->mirror == a + 1) d = -d;
        x[a] = s->centre[a] + d;
        if (initial->scrambled)
            x[a] =
                s->low[a] + (s->high[a] - s->low[a]) * random_at(initial->scramble, 3 * (uint64_t)user + (uint64_t)a);
    }
    if (initial->twist == 0) return;
    double axis[3] = {0}, R[9], d[3], turned[3];
    axis[s->longest] = 1;
    sn_subtract3(x, s->centre, d);
    sn_axis_rotation3(axis, initial->twist * d[s->longest], R);
    sn_multiply_vector3(R, d, turned);
    for (int a = 0; a < 3; ++a) x[a] = s->centre[a] + turned[a];
}

static bool deforms(const sn_initial *i) {
    return i->scale != 1 || i->flatten || i->mirror || i->collapse || i->scrambled || i->twist != 0;
}

void sn_initial_apply(sn_world *world, int index, const sn_initial *initial) {
    const sn_body *body = &world->model->body[index];
    double *x = world->state.x, *v = world->state.v;
    start s = {.initial = initial};
    mass_centre(world, body, world->model->rest, s.centre);
    for (int i = 0; i < 3 * body->mesh->node_count; ++i) {
        const double p = body->mesh->position[i];
        s.low[i % 3] = i < 3 ? p : fmin(s.low[i % 3], p);
        s.high[i % 3] = i < 3 ? p : fmax(s.high[i % 3], p);
    }
    for (int a = 1; a < 3; ++a)
        if (s.high[a] - s.low[a] > s.high[s.longest] - s.low[s.longest]) s.longest = a;
    for (int i = 0; i < body->mesh->node_count; ++i) {
        const int32_t node = world->model->compiled[body->node_first + i];
        if (deforms(initial) && !world->model->isolated[node]) deform(&s, i, x + 3 * (size_t)node);
        for (int a = 0; a < 3; ++a)
            if (body->element->held >> a & 1)
                x[3 * (size_t)node + (size_t)a] = world->model->rest[3 * (size_t)node + (size_t)a];
    }
    double centre[3];
    mass_centre(world, body, x, centre);
    for (int i = body->node_first; i < body->node_first + body->mesh->node_count; ++i) {
        double arm[3], whirl[3];
        if (world->model->isolated[i]) continue;
        sn_subtract3(x + 3 * (size_t)i, centre, arm);
        sn_cross3(initial->spin, arm, whirl);
        for (int a = 0; a < 3; ++a) v[3 * (size_t)i + (size_t)a] = initial->velocity[a] + whirl[a];
    }
}
