/* Shading: each sample sends a ray to the nearest of the bodies and colliders (through the z-buffer) and the ground;
 * two lights, a sky, soft shadows from the height map (wider the farther the blocker is) and the dark under a body.
 * Everything in linear RGB. */
#include <string.h>

#include "base/math3.h"
#include "render.h"

typedef struct hit {
    double point[3], normal[3];
    float albedo[3];
    float gloss;
    bool ground;
} hit;

static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double smooth(double a, double b, double x) {
    const double t = clamp01((x - a) / (b - a));
    return t * t * (3 - 2 * t);
}

/* A number in [0, 1) that looks random but belongs to the sample. */
static double sample_noise(int x, int y) {
    unsigned h = (unsigned)x * 374761393u + (unsigned)y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (double)((h ^ h >> 16) & 0xffffff) / 16777216.0;
}

static float map_at(const sn_height_map *map, double u, double v) {
    if (!(u >= 0 && v >= 0 && u < SN_SHADOW_MAP && v < SN_SHADOW_MAP)) return -1e30f;
    return map->height[(size_t)v * SN_SHADOW_MAP + (size_t)u];
}

/* Points of a disc of radius 1, `turn` turned: Vogel's spiral, point i at radius sqrt((i + 1/2) / count) and
 * angle 2.39996 i. */
static void turned_disc(const sn_stage *stage, double turn, double point[SN_DISC][2]) {
    const double angle = 6.283185307179586 * turn, c = cos(angle), s = sin(angle);
    for (int i = 0; i < SN_DISC; ++i) {
        const double *p = stage->disc[i];
        point[i][0] = c * p[0] - s * p[1], point[i][1] = s * p[0] + c * p[1];
    }
}

/* How much of the key light reaches the point: 0 to 1. */
static double lit(const sn_stage *stage, const hit *h, double turn) {
    const sn_height_map *map = &stage->shadow;
    double disc[SN_DISC][2];
    const double texel = 2 * map->size / SN_SHADOW_MAP;
    double p[3], d[3];
    for (int k = 0; k < 3; ++k) p[k] = h->point[k] + 2 * texel * h->normal[k];
    sn_subtract3(p, map->origin, d);
    const double scale = 1 / texel, u = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right),
                 v = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up);
    const double z = sn_dot3(d, map->along), bias = 1.5 * texel;
    double blocker = 0;
    int blockers = 0;
    const double search = 0.06 * stage->radius * scale;
    turned_disc(stage, turn, disc);
    for (int i = 0; i < SN_DISC; ++i) {
        const double height = (double)map_at(map, u + search * disc[i][0], v + search * disc[i][1]);
        if (height > z + bias) blocker += height - z, ++blockers;
    }
    if (!blockers) return 1;
    const double spread = fmax(1.2, fmin(search, 0.12 * blocker / blockers * scale));
    int dark = 0;
    turned_disc(stage, turn + 0.37, disc);
    for (int i = 0; i < SN_DISC; ++i) {
        const double slope = bias + texel * spread * 0.5;
        if ((double)map_at(map, u + spread * disc[i][0], v + spread * disc[i][1]) > z + slope) ++dark;
    }
    return 1 - (double)dark / SN_DISC;
}

/* The dark under a body: how much of the sky above a ground point the bodies close to it cover. */
static double open_sky(const sn_stage *stage, const double p[3], double turn) {
    const sn_height_map *map = &stage->under;
    double disc[SN_DISC][2];
    const double scale = 0.5 * SN_SHADOW_MAP / map->size, reach = 0.30 * stage->radius;
    double d[3], covered = 0;
    sn_subtract3(p, map->origin, d);
    const double u = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right),
                 v = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up), z = sn_dot3(d, map->along);
    turned_disc(stage, turn, disc);
    for (int i = 0; i < SN_DISC; ++i) {
        const double height = (double)map_at(map, u + reach * scale * disc[i][0], v + reach * scale * disc[i][1]);
        if (height < -1e29) continue;
        covered += clamp01(1 - (z - height) / reach); /* `along` points to the ground */
    }
    return 1 - 0.75 * covered / SN_DISC;
}

static void background(const sn_stage *stage, const double ray[3], float rgb[3]) {
    static const float low[3] = {0.80f, 0.82f, 0.85f}, high[3] = {0.50f, 0.58f, 0.68f};
    const float t = (float)smooth(-0.35, 0.75, ray[1]);
    (void)stage;
    for (int k = 0; k < 3; ++k) rgb[k] = low[k] + t * (high[k] - low[k]);
}

/* ---- What a ray meets ---- */

/* A triangle of a body or a collider. */
static void surface_hit(const sn_stage *stage, const double ray[3], int triangle, double x, double y, hit *h) {
    const sn_surface *s = stage->surface;
    const int32_t *n = stage->triangle + 3 * (size_t)triangle;
    const double *a = stage->position + 3 * (size_t)n[0], *b = stage->position + 3 * (size_t)n[1],
                 *c = stage->position + 3 * (size_t)n[2];
    double e1[3], e2[3], p[3], q[3], t[3], weight[3];
    sn_subtract3(b, a, e1);
    sn_subtract3(c, a, e2);
    sn_cross3(ray, e2, p);
    const double determinant = sn_dot3(e1, p), inverse = determinant != 0 ? 1 / determinant : 0;
    sn_subtract3(stage->eye, a, t);
    weight[1] = clamp01(sn_dot3(t, p) * inverse);
    sn_cross3(t, e1, q);
    weight[2] = clamp01(sn_dot3(ray, q) * inverse);
    weight[0] = clamp01(1 - weight[1] - weight[2]);
    double value = 0, normal[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) h->point[k] = weight[0] * a[k] + weight[1] * b[k] + weight[2] * c[k];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            normal[k] += weight[i] * (double)stage->normal[9 * (size_t)triangle + 3 * (size_t)i + (size_t)k];
    const double length = sn_norm3(normal), side = sn_dot3(normal, ray) > 0 && determinant < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) h->normal[k] = length > 0 ? side * normal[k] / length : -ray[k];
    h->ground = false;
    if (triangle >= s->triangles) { /* a collider: plain, a little glossy */
        for (int k = 0; k < 3; ++k) h->albedo[k] = 0.42f;
        h->gloss = 0.35f;
        return;
    }
    if (stage->coloured) {
        for (int i = 0; i < 3; ++i) value += weight[i] * stage->value[n[i]];
        const double place = stage->high > stage->low ? clamp01((value - stage->low) / (stage->high - stage->low)) : 0;
        memcpy(h->albedo, stage->colour[(int)(place * (SN_STAGE_COLOURS - 1) + 0.5)], sizeof h->albedo);
    } else {
        sn_body_colour(s->body[triangle], h->albedo);
    }
    h->gloss = 0.25f;
    if (!stage->options->edges) return;
    double nearest = 1e9, shortest = 1e9;
    for (int i = 0; i < 3; ++i) {
        const double *v = stage->screen + 3 * (size_t)n[i], *w = stage->screen + 3 * (size_t)n[(i + 1) % 3];
        const double dx = w[0] - v[0], dy = w[1] - v[1], edge = hypot(dx, dy);
        shortest = fmin(shortest, edge);
        if (s->edge[triangle] >> i & 1)
            nearest = fmin(nearest, fabs(dx * (y - v[1]) - dy * (x - v[0])) / fmax(edge, 1e-9));
    }
    const double line = 0.45 * stage->samples,
                 ink = 0.5 * clamp01(line + 0.5 - nearest) * smooth(2.0, 12.0, shortest / stage->samples);
    for (int k = 0; k < 3; ++k) h->albedo[k] *= (float)(1 - ink);
}

/* A light floor with thin lines every 1, 2 or 5 times a power of ten. */
static bool plane_hit(const sn_stage *stage, const double ray[3], int i, double *distance, hit *h) {
    const double *n = stage->plane_normal[i], down = sn_dot3(n, ray);
    double d[3];
    sn_subtract3(stage->plane_point[i], stage->eye, d);
    if (down >= -1e-9) return false;
    const double t = sn_dot3(d, n) / down;
    if (t <= 0 || t >= *distance) return false;
    *distance = t;
    const double wanted = stage->radius / 2, power = pow(10, floor(log10(wanted))), ratio = wanted / power;
    const double pitch = power * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5), width = 0.6 * stage->samples * t / stage->focal;
    double ink = 0;
    for (int k = 0; k < 3; ++k) {
        h->point[k] = stage->eye[k] + t * ray[k];
        h->normal[k] = n[k];
        if (fabs(n[k]) > 0.7) continue;
        const double cell = h->point[k] / pitch, gap = fabs(cell - floor(cell + 0.5)) * pitch,
                     slant = fmax(0.15, fabs(down));
        ink = fmax(ink, 0.22 * clamp01(1.5 - gap / (width / slant)));
    }
    for (int k = 0; k < 3; ++k) h->albedo[k] = (float)(0.64 * (1 - ink));
    h->gloss = 0;
    h->ground = true;
    return true;
}

/* ---- Light ---- */

static void light_hit(const sn_stage *stage, const double ray[3], const hit *h, double turn, float rgb[3]) {
    static const double key[3] = {1.00, 0.96, 0.90}, fill[3] = {0.20, 0.24, 0.30}, sky[3] = {0.42, 0.46, 0.52},
                        bounce[3] = {0.26, 0.25, 0.24};
    const double facing = fmax(0, sn_dot3(h->normal, stage->light)), shadow = facing > 0 ? lit(stage, h, turn) : 0;
    const double filling = fmax(0, sn_dot3(h->normal, stage->fill)),
                 open = h->ground ? open_sky(stage, h->point, turn) : 1;
    const double upward = 0.5 + 0.5 * h->normal[1];
    double half[3];
    for (int k = 0; k < 3; ++k) half[k] = stage->light[k] - ray[k];
    const double length = sn_norm3(half), shine = length > 0 ? pow(fmax(0, sn_dot3(half, h->normal) / length), 48) : 0;
    const double rim = pow(1 - fmin(1, fabs(sn_dot3(h->normal, ray))), 4);
    for (int k = 0; k < 3; ++k) {
        const double ambient = (sky[k] * upward + bounce[k] * (1 - upward)) * open;
        double c = (double)h->albedo[k] * (0.85 * key[k] * facing * shadow + fill[k] * filling * open + ambient);
        c += (double)h->gloss * (shine * shadow * 0.8 + 0.25 * rim * sky[k]);
        rgb[k] = (float)c;
    }
}

static void shade_sample(const sn_stage *stage, int x, int y, float rgb[3]) {
    const double sx = (x + 0.5 - stage->middle) / stage->focal, sy = (0.5 * stage->height - y - 0.5) / stage->focal;
    double ray[3];
    for (int k = 0; k < 3; ++k) ray[k] = stage->forward[k] + sx * stage->right[k] + sy * stage->up[k];
    const double stretch = sn_norm3(ray), turn = sample_noise(x, y);
    for (int k = 0; k < 3; ++k) ray[k] /= stretch;
    const size_t i = (size_t)y * (size_t)stage->width + (size_t)x;
    double distance = stage->id[i] >= 0 ? stretch / (double)stage->depth[i] : 1e30;
    hit h = {0};
    bool found = stage->id[i] >= 0;
    const double surface_distance = distance;
    for (int p = 0; p < stage->planes; ++p) found = plane_hit(stage, ray, p, &distance, &h) || found;
    background(stage, ray, rgb);
    if (!found) return;
    if (distance == surface_distance) surface_hit(stage, ray, stage->id[i], x + 0.5, y + 0.5, &h);
    float colour[3];
    light_hit(stage, ray, &h, turn, colour);
    if (!h.ground) {
        memcpy(rgb, colour, sizeof colour);
        return;
    }
    double away[3]; /* the floor fades into the background */
    sn_subtract3(h.point, stage->centre, away);
    const double along = sn_dot3(away, h.normal);
    for (int k = 0; k < 3; ++k) away[k] -= along * h.normal[k];
    const float fade = (float)(smooth(2.2, 7.0, sn_norm3(away) / stage->radius));
    for (int k = 0; k < 3; ++k) rgb[k] = colour[k] + fade * (rgb[k] - colour[k]);
}

static void shade_row(void *data, int row) {
    sn_stage *stage = data;
    const int n = stage->samples;
    for (int x = 0; x < stage->canvas.width; ++x) {
        float sum[3] = {0, 0, 0};
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                float rgb[3];
                shade_sample(stage, x * n + i, row * n + j, rgb);
                for (int k = 0; k < 3; ++k) sum[k] += fminf(rgb[k], 1.2f);
            }
        float *out = stage->canvas.pixel + 3 * ((size_t)row * (size_t)stage->canvas.width + (size_t)x);
        for (int k = 0; k < 3; ++k) out[k] = sum[k] / (float)(n * n);
    }
}

void sn_stage_shade(sn_stage *stage) {
    for (int i = 0; i < SN_DISC; ++i) {
        const double r = sqrt((i + 0.5) / SN_DISC), angle = 2.399963229728653 * i;
        stage->disc[i][0] = r * cos(angle), stage->disc[i][1] = r * sin(angle);
    }
    sn_parallel(stage->context, stage->canvas.height, shade_row, stage);
}
