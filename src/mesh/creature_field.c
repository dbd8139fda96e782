/* Distances to round cones, ellipsoids and plates, and their smooth union. See creature.h for the formula.
 *
 * The distance to a round cone and to a triangle follow the closed forms that Inigo Quilez collects in his article on
 * distance functions; the one to an ellipsoid is first-order exact at the surface, k0 (k0 - 1) / k1. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "creature.h"

/* ---- Building ---- */
int sn_creature_part(sn_creature *creature, const char *group) {
    assert(creature->part_count < SN_CREATURE_PARTS);
    creature->group[creature->part_count] = group;
    return creature->part_count++;
}

static sn_solid *append(sn_creature *creature, sn_solid_kind kind, int part) {
    assert(creature->solid_count < SN_CREATURE_SOLIDS);
    sn_solid *s = &creature->solid[creature->solid_count++];
    *s = (sn_solid){.kind = kind, .part = part};
    return s;
}

/* The ball about the middle of the solid's corners. */
static void enclose(sn_solid *s) {
    const double *const end[3] = {s->a, s->kind == SN_SOLID_ELLIPSOID ? s->a : s->b,
                                  s->kind == SN_SOLID_PLATE ? s->c : s->a};
    const double radius[3] = {s->ra, s->kind == SN_SOLID_CONE ? s->rb : s->ra, s->ra};
    const int count = s->kind == SN_SOLID_PLATE ? 3 : s->kind == SN_SOLID_CONE ? 2 : 1;
    for (int a = 0; a < 3; ++a) {
        s->centre[a] = 0;
        for (int i = 0; i < count; ++i) s->centre[a] += end[i][a] / count;
    }
    for (int i = 0; i < count; ++i) {
        double d[3];
        sn_subtract3(end[i], s->centre, d);
        s->round = fmax(s->round, sn_norm3(d) + radius[i]);
    }
    if (s->kind == SN_SOLID_ELLIPSOID) s->round = fmax(s->b[0], fmax(s->b[1], s->b[2]));
}

void sn_creature_cone(sn_creature *creature, int part, const double a[3], double ra, const double b[3], double rb) {
    sn_solid *s = append(creature, SN_SOLID_CONE, part);
    memcpy(s->a, a, sizeof s->a);
    memcpy(s->b, b, sizeof s->b);
    s->ra = ra;
    s->rb = rb;
    enclose(s);
}

void sn_creature_ellipsoid(sn_creature *creature, int part, const double centre[3], const double half[3]) {
    sn_solid *s = append(creature, SN_SOLID_ELLIPSOID, part);
    memcpy(s->a, centre, sizeof s->a);
    memcpy(s->b, half, sizeof s->b);
    enclose(s);
}

void sn_creature_plate(sn_creature *creature, int part, const double a[3], const double b[3], const double c[3],
                       double half_thickness) {
    sn_solid *s = append(creature, SN_SOLID_PLATE, part);
    memcpy(s->a, a, sizeof s->a);
    memcpy(s->b, b, sizeof s->b);
    memcpy(s->c, c, sizeof s->c);
    s->ra = half_thickness;
    enclose(s);
}

void sn_catmull_rom(const double point[][3], const double *radius, int count, double t, double out[3],
                    double *out_radius) {
    int i = (int)t;
    if (i > count - 2) i = count - 2;
    const double u = t - i;
    const int at[4] = {i > 0 ? i - 1 : 0, i, i + 1, i + 2 < count ? i + 2 : count - 1};
    const double w[4] = {0.5 * (-u + 2 * u * u - u * u * u), 0.5 * (2 - 5 * u * u + 3 * u * u * u),
                         0.5 * (u + 4 * u * u - 3 * u * u * u), 0.5 * (-u * u + u * u * u)};
    for (int a = 0; a < 3; ++a) {
        out[a] = 0;
        for (int k = 0; k < 4; ++k) out[a] += w[k] * point[at[k]][a];
    }
    *out_radius = radius[i] + u * (radius[i + 1] - radius[i]);
}

void sn_creature_limb(sn_creature *creature, int part, const double point[][3], const double *radius, int count,
                      int pieces) {
    const int total = (count - 1) * pieces;
    double last[3], last_radius, next[3], next_radius;
    sn_catmull_rom(point, radius, count, 0, last, &last_radius);
    for (int i = 1; i <= total; ++i) {
        sn_catmull_rom(point, radius, count, (double)i / pieces, next, &next_radius);
        sn_creature_cone(creature, part, last, last_radius, next, next_radius);
        memcpy(last, next, sizeof last);
        last_radius = next_radius;
    }
}

/* ---- Distances ---- */
static double cone_distance(const sn_solid *s, const double x[3]) {
    double ba[3], pa[3], side[3];
    sn_subtract3(s->b, s->a, ba);
    sn_subtract3(x, s->a, pa);
    const double l2 = sn_dot3(ba, ba), rr = s->ra - s->rb, a2 = l2 - rr * rr;
    if (!(a2 > 0)) { /* one ball swallows the other */
        double pb[3];
        sn_subtract3(x, s->b, pb);
        return fmin(sn_norm3(pa) - s->ra, sn_norm3(pb) - s->rb);
    }
    const double il2 = 1 / l2, y = sn_dot3(pa, ba), z = y - l2;
    for (int i = 0; i < 3; ++i) side[i] = pa[i] * l2 - ba[i] * y;
    const double x2 = sn_dot3(side, side), y2 = y * y * l2, z2 = z * z * l2, k = copysign(rr * rr * x2, rr);
    if (copysign(a2 * z2, z) > k) return sqrt(x2 + z2) * il2 - s->rb;
    if (copysign(a2 * y2, y) < k) return sqrt(x2 + y2) * il2 - s->ra;
    return (sqrt(x2 * a2 * il2) + y * rr) * il2 - s->ra;
}

static double ellipsoid_distance(const sn_solid *s, const double x[3]) {
    double p[3], q[3], least = fmin(s->b[0], fmin(s->b[1], s->b[2]));
    for (int i = 0; i < 3; ++i) {
        p[i] = (x[i] - s->a[i]) / s->b[i];
        q[i] = p[i] / s->b[i];
    }
    const double k0 = sn_norm3(p), k1 = sn_norm3(q);
    return k0 * least < 0.3 * least || k1 == 0 ? (k0 - 1) * least : k0 * (k0 - 1) / k1;
}

/* Square of the distance from p (seen from one end) to the segment along e. */
static double segment_square(const double p[3], const double e[3]) {
    const double t = fmin(fmax(sn_dot3(p, e) / sn_dot3(e, e), 0), 1),
                 d[3] = {p[0] - t * e[0], p[1] - t * e[1], p[2] - t * e[2]};
    return sn_dot3(d, d);
}

static double plate_distance(const sn_solid *s, const double x[3]) {
    const double *v[3] = {s->a, s->b, s->c};
    double n[3], least = INFINITY;
    bool inside = true;
    sn_area_vector3(s->a, s->b, s->c, n);
    for (int i = 0; i < 3; ++i) {
        double e[3], p[3], c[3];
        sn_subtract3(v[(i + 1) % 3], v[i], e);
        sn_subtract3(x, v[i], p);
        sn_cross3(e, n, c);
        inside = inside && sn_dot3(c, p) <= 0;
        least = fmin(least, segment_square(p, e));
    }
    double p[3];
    sn_subtract3(x, s->a, p);
    return (inside ? fabs(sn_dot3(p, n)) / sn_norm3(n) : sqrt(least)) - s->ra;
}

double sn_solid_distance(const sn_solid *solid, const double x[3]) {
    switch (solid->kind) {
    case SN_SOLID_CONE:
        return cone_distance(solid, x);
    case SN_SOLID_ELLIPSOID:
        return ellipsoid_distance(solid, x);
    default:
        return plate_distance(solid, x);
    }
}

/* ---- Field ---- */
/* A smooth bump of period 1, from 0 to 1; polynomial, so that every machine gives the same skin. */
static double bump(double t) {
    const double u = 2 * (t - floor(t)) - 1, v = 1 - u * u;
    return v * v;
}

/* Bumps on a body-centred lattice. */
static double skin(const double x[3], double size) {
    const double t[3] = {x[0] / size, x[1] / size, x[2] / size};
    return bump(t[0]) * bump(t[1]) * bump(t[2]) + bump(t[0] + 0.5) * bump(t[1] + 0.5) * bump(t[2] + 0.5);
}

double sn_creature_field(const sn_creature *creature, const int16_t *list, int count, double detail, const double x[3],
                         int *part) {
    /* Solids are listed part by part: close a part when the next begins. Sum relative to the least distance so far. */
    const double k = creature->blend;
    double least = INFINITY, sum = 0, distance = INFINITY;
    int current = -1, nearest = 0;
    for (int i = 0; i <= count; ++i) {
        const sn_solid *s = i < count ? &creature->solid[list[i]] : NULL;
        if (!s || s->part != current) {
            if (current >= 0 && distance < INFINITY) {
                if (distance < least) {
                    sum = sum * exp((distance - least) / k) + 1;
                    least = distance;
                    nearest = current;
                } else {
                    sum += exp((least - distance) / k);
                }
            }
            if (!s) break;
            current = s->part;
            distance = INFINITY;
        }
        /* Skips the exact distance of a solid that cannot matter: its part has a nearer solid, or it is too far away to
         * show. */
        const double bound = fmin(distance, least + SN_CREATURE_REACH * k) + s->round;
        double d[3];
        sn_subtract3(x, s->centre, d);
        if (bound > 0 && sn_dot3(d, d) < bound * bound) distance = fmin(distance, sn_solid_distance(s, x));
    }
    if (part) *part = nearest;
    if (!(sum > 0)) return 1; /* nothing near: outside */
    double f = least - k * log(sum);
    if (detail > 0 && creature->detail_depth > 0) f -= detail * creature->detail_depth * skin(x, creature->detail_size);
    return f;
}

void sn_creature_bounds(const sn_creature *creature, double low[3], double high[3]) {
    for (int a = 0; a < 3; ++a) low[a] = INFINITY, high[a] = -INFINITY;
    for (int i = 0; i < creature->solid_count; ++i) {
        const sn_solid *s = &creature->solid[i];
        for (int a = 0; a < 3; ++a) {
            double l = s->a[a] - s->ra, h = s->a[a] + s->ra;
            if (s->kind == SN_SOLID_ELLIPSOID) l = s->a[a] - s->b[a], h = s->a[a] + s->b[a];
            if (s->kind == SN_SOLID_CONE) l = fmin(l, s->b[a] - s->rb), h = fmax(h, s->b[a] + s->rb);
            if (s->kind == SN_SOLID_PLATE)
                l = fmin(l, fmin(s->b[a], s->c[a]) - s->ra), h = fmax(h, fmax(s->b[a], s->c[a]) + s->ra);
            low[a] = fmin(low[a], l);
            high[a] = fmax(high[a], h);
        }
    }
    const double margin = 3 * creature->blend + 2 * creature->detail_depth;
    for (int a = 0; a < 3; ++a) low[a] -= margin, high[a] += margin;
}
