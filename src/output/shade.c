/* Shading: a ray through a pixel meets a body, a collider or a floor; two lights, a sky, soft shadows from the height
 * map (wider the farther the blocker is) and the dark under a body. Everything in linear RGB. */
#include <string.h>

#include "base/math3.h"
#include "render.h"

typedef struct hit {
    double point[3], normal[3];
    float albedo[3];
    float gloss;
    double open; /* part of the sky that is seen */
    double x, y; /* on the screen, in samples */
} hit;

/* fmin and fmax are calls of the C library, because they treat NaN as missing. */
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }
static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double smooth(double a, double b, double x) {
    const double t = clamp01((x - a) / (b - a));
    return t * t * (3 - 2 * t);
}

/* A turn of the disc that belongs to the pixel: neighbours differ much, so that the eye sees a mean of many turns.
 * Source: Jimenez 2014, interleaved gradient noise. */
static const double *pixel_turn(const sn_stage *stage, const hit *h) {
    const double inner = 0.06711056 * (int)(h->x / stage->samples) + 0.00583715 * (int)(h->y / stage->samples),
                 outer = 52.9829189 * (inner - (int)inner);
    return stage->turn[(int)(SN_DISC_TURNS * (outer - (int)outer)) % SN_DISC_TURNS];
}

static float map_at(const sn_height_map *map, double u, double v) {
    if (!(u >= 0 && v >= 0 && u < SN_SHADOW_MAP && v < SN_SHADOW_MAP)) return -1e30f;
    return map->height[(size_t)v * SN_SHADOW_MAP + (size_t)u];
}

/* Least and largest height within SN_SHADOW_REACH of a point of the map. */
static void map_range(const sn_height_map *map, double u, double v, double *low, double *high) {
    *low = *high = -1e30;
    if (!(u >= -SN_SHADOW_REACH && v >= -SN_SHADOW_REACH && u < SN_SHADOW_MAP + SN_SHADOW_REACH &&
          v < SN_SHADOW_MAP + SN_SHADOW_REACH))
        return;
    *high = 1e30; /* beside the map: not known */
    if (!(u >= 0 && v >= 0 && u < SN_SHADOW_MAP && v < SN_SHADOW_MAP)) return;
    const int tile = (int)v / SN_SHADOW_TILE * SN_SHADOW_TILES + (int)u / SN_SHADOW_TILE;
    *low = (double)map->low[tile], *high = (double)map->high[tile];
}

/* Height at point i of the turned disc of radius `spread` about (u, v). */
static double disc_height(const sn_stage *stage, const sn_height_map *map, double u, double v, double spread,
                          const double turn[2], int i) {
    const double *p = stage->disc[i];
    return (double)map_at(map, u + spread * (turn[0] * p[0] - turn[1] * p[1]),
                          v + spread * (turn[1] * p[0] + turn[0] * p[1]));
}

/* How much of the key light reaches the point: 0 to 1. */
static double lit(const sn_stage *stage, const hit *h) {
    const sn_height_map *map = &stage->shadow;
    const double texel = 2 * map->size / SN_SHADOW_MAP, scale = 1 / texel, bias = 1.5 * texel;
    double p[3], d[3], low, high;
    for (int k = 0; k < 3; ++k) p[k] = h->point[k] + 2 * texel * h->normal[k];
    sn_subtract3(p, map->origin, d);
    const double u = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right),
                 v = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up), z = sn_dot3(d, map->along);
    const double search = least(0.06 * stage->radius * scale, SN_SHADOW_REACH);
    map_range(map, u, v, &low, &high);
    if (high <= z + bias) return 1;
    if (low > z + bias + texel * search * 0.5) return 0;
    const double *turn = pixel_turn(stage, h);
    double blocker = 0;
    int blockers = 0;
    for (int i = 0; i < SN_DISC; i += 2) {
        const double height = disc_height(stage, map, u, v, search, turn, i);
        if (height > z + bias) blocker += height - z, ++blockers;
    }
    if (!blockers) return 1;
    const double spread = most(1.2, least(search, 0.12 * blocker / blockers * scale)),
                 slope = bias + texel * spread * 0.5;
    int dark = 0;
    for (int i = 0; i < SN_DISC; ++i) dark += disc_height(stage, map, u, v, spread, turn, i) > z + slope;
    return 1 - (double)dark / SN_DISC;
}

/* ---- The dark under a body ---- */

/* How much of the sky above a point of a floor the bodies close to it leave open. */
static double open_sky(const sn_stage *stage, const double p[3]) {
    enum { TURNS = 4 };
    const sn_height_map *map = &stage->under;
    const double scale = 0.5 * SN_SHADOW_MAP / map->size, reach = 0.30 * stage->radius;
    double d[3], covered = 0;
    sn_subtract3(p, map->origin, d);
    const double u = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right),
                 v = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up), z = sn_dot3(d, map->along);
    for (int turn = 0; turn < SN_DISC_TURNS; turn += SN_DISC_TURNS / TURNS)
        for (int i = 0; i < SN_DISC; ++i) {
            const double height = disc_height(stage, map, u, v, reach * scale, stage->turn[turn], i);
            if (height > -1e29) covered += clamp01(1 - (z - height) / reach); /* `along` points to the ground */
        }
    return 1 - 0.75 * covered / (TURNS * SN_DISC);
}

static void open_row(void *data, int index) {
    const sn_stage *stage = data;
    const sn_floor *floor = &stage->floor[index / SN_FLOOR_GRID];
    const int row = index % SN_FLOOR_GRID;
    for (int i = 0; i < SN_FLOOR_GRID; ++i) {
        const double a = floor->middle[0] + floor->size * (2.0 * i / (SN_FLOOR_GRID - 1) - 1),
                     b = floor->middle[1] + floor->size * (2.0 * row / (SN_FLOOR_GRID - 1) - 1);
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = floor->point[k] + a * floor->right[k] + b * floor->up[k];
        floor->open[(size_t)row * SN_FLOOR_GRID + (size_t)i] = (float)open_sky(stage, p);
    }
}

static double open_at(const sn_floor *floor, const double p[3]) {
    double d[3];
    sn_subtract3(p, floor->point, d);
    const double half = 0.5 * (SN_FLOOR_GRID - 1),
                 a = half * (1 + (sn_dot3(d, floor->right) - floor->middle[0]) / floor->size),
                 b = half * (1 + (sn_dot3(d, floor->up) - floor->middle[1]) / floor->size);
    if (!(a >= 0 && b >= 0 && a < SN_FLOOR_GRID - 1 && b < SN_FLOOR_GRID - 1)) return 1;
    const int i = (int)a, j = (int)b;
    const float *g = floor->open + (size_t)j * SN_FLOOR_GRID + (size_t)i;
    const double s = a - i, t = b - j;
    return (1 - t) * ((1 - s) * (double)g[0] + s * (double)g[1]) +
           t * ((1 - s) * (double)g[SN_FLOOR_GRID] + s * (double)g[SN_FLOOR_GRID + 1]);
}

static void background(const double ray[3], float rgb[3]) {
    static const float low[3] = {0.80f, 0.82f, 0.85f}, high[3] = {0.50f, 0.58f, 0.68f};
    const float t = (float)smooth(-0.35, 0.75, ray[1]);
    for (int k = 0; k < 3; ++k) rgb[k] = low[k] + t * (high[k] - low[k]);
}

/* ---- What a ray meets ---- */

/* A triangle of a body or a collider. */
static void surface_hit(const sn_stage *stage, const double ray[3], int triangle, hit *h) {
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
    h->open = 1;
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
    double nearest = 1e9, shortest = 1e9; /* in samples */
    for (int i = 0; i < 3; ++i) {
        const double *v = stage->screen + 3 * (size_t)n[i], *w = stage->screen + 3 * (size_t)n[(i + 1) % 3];
        const double dx = w[0] - v[0], dy = w[1] - v[1], edge = sqrt(dx * dx + dy * dy);
        shortest = least(shortest, edge);
        if (s->edge[triangle] >> i & 1)
            nearest = least(nearest, fabs(dx * (h->y - v[1]) - dy * (h->x - v[0])) / most(edge, 1e-9));
    }
    const double ink =
        0.5 * clamp01(1 - nearest / (0.9 * stage->samples)) * smooth(2.0, 12.0, shortest / stage->samples);
    for (int k = 0; k < 3; ++k) h->albedo[k] *= (float)(1 - ink);
}

/* How far a point of a floor is out of the picture: the floor fades into the background. */
static float fading(const sn_stage *stage, const hit *h) {
    double away[3];
    sn_subtract3(h->point, stage->centre, away);
    const double along = sn_dot3(away, h->normal), square = sn_dot3(away, away) - along * along;
    if (square <= 2.2 * 2.2 * stage->radius * stage->radius) return 0;
    return (float)(smooth(2.2, 7.0, sqrt(square) / stage->radius));
}

/* A light floor with thin lines at multiples of `pitch`. Returns how far it fades. */
static float floor_hit(const sn_stage *stage, const double ray[3], const sn_floor *floor, hit *h) {
    double d[3], ink = 0;
    sn_subtract3(floor->point, stage->eye, d);
    const double down = sn_dot3(floor->normal, ray), t = sn_dot3(d, floor->normal) / down;
    for (int k = 0; k < 3; ++k) h->point[k] = stage->eye[k] + t * ray[k], h->normal[k] = floor->normal[k];
    const float fade = fading(stage, h);
    if (!(fade < 1)) return 1;
    const double width = 1.2 * stage->samples * t / (stage->focal * most(0.15, fabs(down)) * stage->pitch);
    for (int k = 0; k < 3; ++k) {
        if (fabs(h->normal[k]) > 0.7) continue;
        const double cell = fabs(h->point[k] / stage->pitch), part = cell - (double)(int64_t)cell,
                     gap = part > 0.5 ? 1 - part : part;
        ink = most(ink, 0.22 * (1 - gap / width));
    }
    for (int k = 0; k < 3; ++k) h->albedo[k] = (float)(0.64 * (1 - ink));
    h->gloss = 0;
    h->open = open_at(floor, h->point);
    return fade;
}

/* ---- Light ---- */

static double power4(double x) { return x * x * x * x; }

/* The mirror image of the key light, to the power 48. */
static double shine_of(const sn_stage *stage, const double ray[3], const hit *h) {
    double half[3];
    for (int k = 0; k < 3; ++k) half[k] = stage->light[k] - ray[k];
    const double length = sn_norm3(half), along = length > 0 ? most(0, sn_dot3(half, h->normal) / length) : 0;
    const double mirrored = power4(power4(along));
    return mirrored * mirrored * mirrored;
}

static void light_hit(const sn_stage *stage, const double ray[3], const hit *h, float rgb[3]) {
    static const double key[3] = {1.00, 0.96, 0.90}, fill[3] = {0.20, 0.24, 0.30}, sky[3] = {0.42, 0.46, 0.52},
                        bounce[3] = {0.26, 0.25, 0.24};
    const double facing = most(0, sn_dot3(h->normal, stage->light)), shadow = facing > 0 ? lit(stage, h) : 0;
    const double filling = most(0, sn_dot3(h->normal, stage->fill)), upward = 0.5 + 0.5 * h->normal[1];
    const double shine = h->gloss > 0 ? shine_of(stage, ray, h) : 0,
                 rim = h->gloss > 0 ? power4(1 - least(1, fabs(sn_dot3(h->normal, ray)))) : 0;
    for (int k = 0; k < 3; ++k) {
        const double ambient = (sky[k] * upward + bounce[k] * (1 - upward)) * h->open;
        double c = (double)h->albedo[k] * (0.85 * key[k] * facing * shadow + fill[k] * filling * h->open + ambient);
        c += (double)h->gloss * (shine * shadow * 0.8 + 0.25 * rim * sky[k]);
        rgb[k] = (float)least(c, 1.2);
    }
}

/* The colour at (x, y), in samples, of what `id` names. */
static void shade(const sn_stage *stage, double x, double y, int id, float rgb[3]) {
    const double sx = (x - stage->middle) / stage->focal, sy = (0.5 * stage->height - y) / stage->focal;
    double ray[3];
    for (int k = 0; k < 3; ++k) ray[k] = stage->forward[k] + sx * stage->right[k] + sy * stage->up[k];
    const double shrink = 1 / sn_norm3(ray);
    for (int k = 0; k < 3; ++k) ray[k] *= shrink;
    hit h = {.x = x, .y = y};
    float fade = 1;
    if (id >= 0)
        fade = 0, surface_hit(stage, ray, id, &h);
    else if (id != SN_NOTHING)
        fade = floor_hit(stage, ray, &stage->floor[SN_NOTHING - 1 - id], &h);
    if (fade < 1) light_hit(stage, ray, &h, rgb);
    if (!(fade > 0)) return;
    float behind[3];
    background(ray, behind);
    for (int k = 0; k < 3; ++k) rgb[k] = fade < 1 ? rgb[k] + fade * (behind[k] - rgb[k]) : behind[k];
}

/* ---- Pixels ---- */

/* The samples of a pixel: what they show, and how many show the same. */
typedef struct pixel {
    int count; /* of pieces */
    int32_t id[16];
    int samples[16];
    double x[16], y[16];     /* sums over the samples */
    float nearest, farthest; /* 1 / depth */
} pixel;

static void gather(const sn_stage *stage, const sn_band *band, int x, int row, pixel *p) {
    const int n = stage->samples;
    p->count = 0, p->id[0] = SN_NOTHING, p->nearest = 0, p->farthest = 1e30f;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const size_t at = (size_t)(row * n + j - band->row0) * (size_t)stage->width + (size_t)(x * n + i);
            const int32_t id = band->id[at];
            int k = 0;
            while (k < p->count && p->id[k] != id) ++k;
            if (k == p->count) p->id[k] = id, p->samples[k] = 0, p->x[k] = p->y[k] = 0, ++p->count;
            ++p->samples[k];
            p->x[k] += x * n + i + 0.5, p->y[k] += row * n + j + 0.5;
            p->nearest = fmaxf(p->nearest, band->depth[at]), p->farthest = fminf(p->farthest, band->depth[at]);
        }
}

/* Whether the pieces are neighbours on one smooth surface: normals and depths are close. */
static bool smooth_piece(const sn_stage *stage, const pixel *p) {
    const int bodies = stage->surface->triangles;
    if (p->id[0] < 0 || (double)(p->nearest - p->farthest) > 8 * stage->samples / stage->focal * (double)p->nearest)
        return false;
    const float *a = stage->normal + 9 * (size_t)p->id[0];
    for (int k = 1; k < p->count; ++k) {
        if (p->id[k] < 0 || (p->id[k] < bodies) != (p->id[0] < bodies)) return false;
        const float *b = stage->normal + 9 * (size_t)p->id[k];
        if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0.9f) return false;
        if (p->id[k] < bodies && stage->surface->body[p->id[k]] != stage->surface->body[p->id[0]]) return false;
    }
    return true;
}

static void shade_mixed(const sn_stage *stage, const sn_band *band, int x, int row, float out[3]) {
    const int n = stage->samples;
    const double all = n * n;
    pixel p;
    gather(stage, band, x, row, &p);
    if (smooth_piece(stage, &p)) {
        const size_t middle = (size_t)(row * n + n / 2 - band->row0) * (size_t)stage->width + (size_t)(x * n + n / 2);
        const double off = n % 2 ? 0.5 * n : n / 2 + 0.5; /* the centre of that sample */
        shade(stage, x * n + off, row * n + off, band->id[middle], out);
        return;
    }
    for (int k = 0; k < 3; ++k) out[k] = 0;
    for (int i = 0; i < p.count; ++i) {
        float rgb[3];
        shade(stage, p.x[i] / p.samples[i], p.y[i] / p.samples[i], p.id[i], rgb);
        for (int k = 0; k < 3; ++k) out[k] += (float)(p.samples[i] / all) * rgb[k];
    }
}

static void shade_rows(sn_stage *stage, const sn_band *band) {
    const int n = stage->samples;
    for (int row = band->row0 / n; row < band->row1 / n; ++row) {
        const int32_t *id = band->id + (size_t)(row * n - band->row0) * (size_t)stage->width;
        float *out = stage->canvas.pixel + 3 * (size_t)row * (size_t)stage->canvas.width;
        for (int x = 0; x < stage->canvas.width; ++x, id += n, out += 3) {
            int32_t different = 0;
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) different |= id[(size_t)j * (size_t)stage->width + (size_t)i] ^ id[0];
            if (different)
                shade_mixed(stage, band, x, row, out);
            else
                shade(stage, (x + 0.5) * n, (row + 0.5) * n, id[0], out);
        }
    }
}

/* ---- All bands ---- */

enum { LANES = 16 };

typedef struct lanes {
    sn_stage *stage;
    sn_band band[LANES];
} lanes;

/* Lane i draws bands i, i + LANES, ... with its own memory. */
static void draw_lane(void *data, int lane) {
    lanes *l = data;
    for (int i = lane; i < l->stage->bands; i += LANES) {
        sn_raster_band(l->stage, i, &l->band[lane]);
        shade_rows(l->stage, &l->band[lane]);
    }
}

static sn_status draw_bands(sn_stage *stage, sn_error *error) {
    lanes l = {.stage = stage};
    const size_t samples = (size_t)SN_BAND * (size_t)stage->samples * (size_t)stage->width;
    bool enough = true;
    for (int i = 0; i < LANES; ++i) {
        l.band[i].depth = sn_allocate(stage->context, samples, sizeof *l.band[i].depth);
        l.band[i].id = sn_allocate(stage->context, samples, sizeof *l.band[i].id);
        enough = enough && l.band[i].depth && l.band[i].id;
    }
    if (enough) sn_parallel(stage->context, LANES, draw_lane, &l);
    for (int i = 0; i < LANES; ++i) {
        sn_release(stage->context, l.band[i].depth);
        sn_release(stage->context, l.band[i].id);
    }
    return enough ? SN_OK : sn_no_memory(error);
}

/* The disc is Vogel's spiral: point i at radius sqrt((i + 1/2) / count) and angle 2.39996 i. */
static void set_disc(sn_stage *stage) {
    for (int i = 0; i < SN_DISC; ++i) {
        const double r = sqrt((i + 0.5) / SN_DISC), angle = 2.399963229728653 * i;
        stage->disc[i][0] = r * cos(angle), stage->disc[i][1] = r * sin(angle);
    }
    for (int i = 0; i < SN_DISC_TURNS; ++i) {
        const double angle = 6.283185307179586 * i / SN_DISC_TURNS;
        stage->turn[i][0] = cos(angle), stage->turn[i][1] = sin(angle);
    }
}

sn_status sn_stage_shade(sn_stage *stage, sn_error *error) {
    set_disc(stage);
    for (int f = 0; f < stage->floors; ++f) {
        sn_floor *floor = &stage->floor[f];
        floor->open = sn_allocate(stage->context, (size_t)SN_FLOOR_GRID * SN_FLOOR_GRID, sizeof *floor->open);
        if (!floor->open) return sn_no_memory(error);
    }
    sn_parallel(stage->context, stage->floors * SN_FLOOR_GRID, open_row, stage);
    return draw_bands(stage, error);
}
