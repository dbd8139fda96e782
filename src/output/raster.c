/* The z-buffer: for each sample of a band of rows the nearest triangle or floor and 1 / depth (which is linear on the
 * screen), and the height maps. Bands are independent, so any number of threads gives the same picture. */
#include <string.h>

#include "base/math3.h"
#include "render.h"

static void project_nodes(sn_stage *stage) {
    for (int i = 0; i < stage->nodes; ++i) {
        double d[3];
        sn_subtract3(stage->position + 3 * (size_t)i, stage->eye, d);
        const double depth = sn_dot3(d, stage->forward), inverse = depth > 1e-6 * stage->radius ? 1 / depth : 0;
        double *out = stage->screen + 3 * (size_t)i;
        out[0] = stage->middle + stage->focal * sn_dot3(d, stage->right) * inverse;
        out[1] = 0.5 * stage->height - stage->focal * sn_dot3(d, stage->up) * inverse;
        out[2] = inverse;
    }
}

/* ---- Triangles ---- */

/* Takes the samples x0 to x1 - 1 of row y; the third coordinate is z at x0 and grows by dz per sample. */
typedef void put_run(void *target, int y, int x0, int x1, double z, double dz, int id);

/* Calls for each run of samples whose centres are inside of the triangle, within rows [row0, row1). The weights u, v, w
 * of the corners are linear in x and y; a sample is inside when none is negative. */
static inline __attribute__((always_inline)) void fill_triangle(const double a[3], const double b[3], const double c[3],
                                                                int width, int row0, int row1, put_run *put,
                                                                void *target, int id) {
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0 || !isfinite(area)) return;
    const double top = fmin(a[1], fmin(b[1], c[1])), bottom = fmax(a[1], fmax(b[1], c[1]));
    const double left = fmin(a[0], fmin(b[0], c[0])), right = fmax(a[0], fmax(b[0], c[0]));
    if (bottom < row0 || top > row1 || right < 0 || left > width) return;
    const double across[3] = {(b[1] - c[1]) / area, (c[1] - a[1]) / area, (a[1] - b[1]) / area};
    const double along[3] = {(c[0] - b[0]) / area, (a[0] - c[0]) / area, (b[0] - a[0]) / area};
    const double dz = across[0] * a[2] + across[1] * b[2] + across[2] * c[2];
    const double *const corner[3] = {b, c, a}; /* where the weight of a, b, c is zero */
    const int y0 = (int)fmax(row0, floor(top)), y1 = (int)fmin(row1, ceil(bottom) + 1);
    for (int y = y0; y < y1; ++y) {
        double low = fmax(0, floor(left)), high = fmin(width, ceil(right) + 1) - 1, at[3];
        bool empty = false;
        for (int i = 0; i < 3; ++i) {
            at[i] = across[i] * (0.5 - corner[i][0]) + along[i] * (y + 0.5 - corner[i][1]); /* the weight at x = 0 */
            if (across[i] > 0)
                low = fmax(low, ceil(-at[i] / across[i] - 1e-7));
            else if (across[i] < 0)
                high = fmin(high, floor(-at[i] / across[i] + 1e-7));
            else
                empty = empty || at[i] < 0;
        }
        if (empty || !(low <= high)) continue;
        const double z = at[0] * a[2] + at[1] * b[2] + at[2] * c[2] + low * dz;
        put(target, y, (int)low, (int)high + 1, z, dz, id);
    }
}

typedef struct band_target {
    const sn_stage *stage;
    sn_band *band;
} band_target;

static inline void put_depth(void *target, int y, int x0, int x1, double z, double dz, int id) {
    const band_target *t = target;
    const size_t row = (size_t)(y - t->band->row0) * (size_t)t->stage->width;
    float *depth = t->band->depth + row;
    int32_t *ids = t->band->id + row;
    const float start = (float)z, slope = (float)dz;
    for (int x = x0; x < x1; ++x) {
        const float here = start + (float)(x - x0) * slope;
        const bool nearer = here > depth[x];
        depth[x] = nearer ? here : depth[x];
        ids[x] = nearer ? id : ids[x];
    }
}

/* The floors: 1 / depth = n . ray / n . (point - eye), where the ray through a sample has length 1 along `forward`. */
static void raster_floors(const sn_stage *stage, sn_band *band) {
    const size_t samples = (size_t)(band->row1 - band->row0) * (size_t)stage->width;
    for (size_t i = 0; i < samples; ++i) band->depth[i] = 0, band->id[i] = SN_NOTHING;
    for (int f = 0; f < stage->floors; ++f) {
        const sn_floor *floor = &stage->floor[f];
        double d[3];
        sn_subtract3(floor->point, stage->eye, d);
        const double away = sn_dot3(floor->normal, d);
        if (away >= 0) continue; /* seen from below */
        const double forward = sn_dot3(floor->normal, stage->forward) / away,
                     right = sn_dot3(floor->normal, stage->right) / away / stage->focal,
                     up = sn_dot3(floor->normal, stage->up) / away / stage->focal;
        const band_target target = {stage, band};
        for (int y = band->row0; y < band->row1; ++y)
            put_depth((void *)(uintptr_t)&target, y, 0, stage->width,
                      forward + right * (0.5 - stage->middle) + up * (0.5 * stage->height - y - 0.5), right,
                      SN_NOTHING - 1 - f);
    }
}

void sn_raster_band(const sn_stage *stage, int index, sn_band *band) {
    const int rows = SN_BAND * stage->samples;
    band->row0 = index * rows;
    band->row1 = band->row0 + rows < stage->height ? band->row0 + rows : stage->height;
    raster_floors(stage, band);
    band_target target = {stage, band};
    for (int i = stage->band_first[index]; i < stage->band_first[index + 1]; ++i) {
        const int t = stage->band_triangle[i];
        const int32_t *n = stage->triangle + 3 * (size_t)t;
        fill_triangle(stage->screen + 3 * (size_t)n[0], stage->screen + 3 * (size_t)n[1],
                      stage->screen + 3 * (size_t)n[2], stage->width, band->row0, band->row1, put_depth, &target, t);
    }
}

/* ---- Bands ---- */

/* The bands that a triangle touches, from *first to *last. False when it is not seen. */
static bool bands_of(const sn_stage *stage, int triangle, int *first, int *last) {
    const int32_t *n = stage->triangle + 3 * (size_t)triangle;
    const double *a = stage->screen + 3 * (size_t)n[0], *b = stage->screen + 3 * (size_t)n[1],
                 *c = stage->screen + 3 * (size_t)n[2];
    if (a[2] <= 0 || b[2] <= 0 || c[2] <= 0) return false;
    const double rows = SN_BAND * stage->samples, top = fmin(a[1], fmin(b[1], c[1])) / rows,
                 bottom = fmax(a[1], fmax(b[1], c[1])) / rows;
    if (!(bottom >= 0 && top < stage->bands)) return false;
    *first = top > 0 ? (int)top : 0;
    *last = bottom < stage->bands ? (int)bottom : stage->bands - 1;
    return true;
}

static sn_status sort_into_bands(sn_stage *stage, sn_error *error) {
    int first, last;
    int64_t entries = 0;
    stage->bands = (stage->canvas.height + SN_BAND - 1) / SN_BAND;
    stage->band_first = sn_allocate_zero(stage->context, (size_t)stage->bands + 2, sizeof *stage->band_first);
    if (!stage->band_first) return sn_no_memory(error);
    for (int t = 0; t < stage->triangles; ++t)
        if (bands_of(stage, t, &first, &last)) {
            for (int b = first; b <= last; ++b) ++stage->band_first[b + 2];
            entries += last - first + 1;
        }
    if (entries > INT32_MAX) return sn_fail(error, SN_UNSUPPORTED, "the picture has too many large triangles");
    stage->band_triangle = sn_allocate(stage->context, (size_t)entries, sizeof *stage->band_triangle);
    if (!stage->band_triangle) return sn_no_memory(error);
    for (int b = 2; b < stage->bands + 2; ++b) stage->band_first[b] += stage->band_first[b - 1];
    for (int t = 0; t < stage->triangles; ++t)
        if (bands_of(stage, t, &first, &last))
            for (int b = first; b <= last; ++b) stage->band_triangle[stage->band_first[b + 1]++] = t;
    return SN_OK;
}

/* ---- Height maps ---- */

static inline void put_height(void *target, int y, int x0, int x1, double z, double dz, int id) {
    float *height = (float *)target + (size_t)y * SN_SHADOW_MAP;
    const float start = (float)z, slope = (float)dz;
    (void)id;
    for (int x = x0; x < x1; ++x) {
        const float here = start + (float)(x - x0) * slope;
        height[x] = here > height[x] ? here : height[x];
    }
}

static void map_point(const sn_height_map *map, const double p[3], double out[3]) {
    double d[3];
    sn_subtract3(p, map->origin, d);
    const double scale = 0.5 * SN_SHADOW_MAP / map->size;
    out[0] = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right);
    out[1] = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up);
    out[2] = sn_dot3(d, map->along);
}

/* Least and largest height of each tile, then of the tiles around it. */
static void fill_tiles(sn_height_map *map) {
    enum { N = SN_SHADOW_TILES, REACH = SN_SHADOW_REACH / SN_SHADOW_TILE };
    float low[N * N], high[N * N];
    for (int i = 0; i < N * N; ++i) low[i] = 1e30f, high[i] = -1e30f;
    for (int y = 0; y < SN_SHADOW_MAP; ++y)
        for (int x = 0; x < SN_SHADOW_MAP; ++x) {
            const float h = map->height[(size_t)y * SN_SHADOW_MAP + (size_t)x];
            const int tile = y / SN_SHADOW_TILE * N + x / SN_SHADOW_TILE;
            low[tile] = h < low[tile] ? h : low[tile];
            high[tile] = h > high[tile] ? h : high[tile];
        }
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x) {
            float least = 1e30f, most = -1e30f;
            for (int j = y - REACH; j <= y + REACH; ++j)
                for (int i = x - REACH; i <= x + REACH; ++i) {
                    const bool inside = i >= 0 && j >= 0 && i < N && j < N; /* nothing is beyond the map */
                    least = fminf(least, inside ? low[j * N + i] : -1e30f);
                    most = fmaxf(most, inside ? high[j * N + i] : -1e30f);
                }
            map->low[y * N + x] = least, map->high[y * N + x] = most;
        }
}

static void fill_map(void *data, int index) {
    const sn_stage *stage = data;
    sn_height_map *map = index ? &((sn_stage *)data)->under : &((sn_stage *)data)->shadow;
    for (size_t i = 0; i < (size_t)SN_SHADOW_MAP * SN_SHADOW_MAP; ++i) map->height[i] = -1e30f;
    for (int t = 0; t < stage->triangles; ++t) {
        double corner[3][3];
        for (int k = 0; k < 3; ++k)
            map_point(map, stage->position + 3 * (size_t)stage->triangle[3 * (size_t)t + (size_t)k], corner[k]);
        fill_triangle(corner[0], corner[1], corner[2], SN_SHADOW_MAP, 0, SN_SHADOW_MAP, put_height, map->height, t);
    }
    fill_tiles(map);
}

static bool allocate_map(const sn_context *context, sn_height_map *map) {
    const size_t tiles = (size_t)SN_SHADOW_TILES * SN_SHADOW_TILES;
    map->height = sn_allocate(context, (size_t)SN_SHADOW_MAP * SN_SHADOW_MAP, sizeof(float));
    map->low = sn_allocate(context, tiles, sizeof(float));
    map->high = sn_allocate(context, tiles, sizeof(float));
    return map->height && map->low && map->high;
}

sn_status sn_stage_project(sn_stage *stage, sn_error *error) {
    stage->screen = sn_allocate(stage->context, 3 * (size_t)stage->nodes, sizeof *stage->screen);
    if (!stage->screen || !allocate_map(stage->context, &stage->shadow) || !allocate_map(stage->context, &stage->under))
        return sn_no_memory(error);
    project_nodes(stage);
    const sn_status status = sort_into_bands(stage, error);
    if (!status) sn_parallel(stage->context, 2, fill_map, stage);
    return status;
}
