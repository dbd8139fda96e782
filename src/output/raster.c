/* The z-buffer: triangles -> for each sample the nearest triangle and 1 / depth (which is linear on the screen), and
 * the height maps. Bands of rows are independent, so any number of threads gives the same picture. */
#include <string.h>

#include "base/math3.h"
#include "render.h"

enum { BAND = 48 };

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

/* Calls for every sample centre inside the triangle within rows [row0, row1), with the third coordinate interpolated.
 */
typedef void put_sample(void *target, int x, int y, double z, int id);

static void fill_triangle(const double a[3], const double b[3], const double c[3], int width, int row0, int row1,
                          put_sample *put, void *target, int id) {
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0 || !isfinite(area)) return;
    const double top = fmin(a[1], fmin(b[1], c[1])), bottom = fmax(a[1], fmax(b[1], c[1]));
    const double left = fmin(a[0], fmin(b[0], c[0])), right = fmax(a[0], fmax(b[0], c[0]));
    if (bottom < row0 || top > row1 || right < 0 || left > width) return;
    const int y0 = (int)fmax(row0, floor(top)), y1 = (int)fmin(row1, ceil(bottom) + 1);
    const int x0 = (int)fmax(0, floor(left)), x1 = (int)fmin(width, ceil(right) + 1);
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            const double px = x + 0.5, py = y + 0.5;
            const double u = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area;
            const double v = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area;
            const double w = 1 - u - v;
            if (u < 0 || v < 0 || w < 0) continue;
            put(target, x, y, u * a[2] + v * b[2] + w * c[2], id);
        }
}

static void put_depth(void *target, int x, int y, double z, int id) {
    sn_stage *stage = target;
    const size_t i = (size_t)y * (size_t)stage->width + (size_t)x;
    if ((float)z <= stage->depth[i]) return;
    stage->depth[i] = (float)z;
    stage->id[i] = id;
}

static void raster_band(void *data, int band) {
    sn_stage *stage = data;
    const int row0 = band * BAND, row1 = row0 + BAND < stage->height ? row0 + BAND : stage->height;
    for (size_t i = (size_t)row0 * (size_t)stage->width; i < (size_t)row1 * (size_t)stage->width; ++i)
        stage->depth[i] = 0, stage->id[i] = -1;
    for (int t = 0; t < stage->triangles; ++t) {
        const int32_t *n = stage->triangle + 3 * (size_t)t;
        const double *a = stage->screen + 3 * (size_t)n[0], *b = stage->screen + 3 * (size_t)n[1],
                     *c = stage->screen + 3 * (size_t)n[2];
        if (a[2] <= 0 || b[2] <= 0 || c[2] <= 0) continue;
        fill_triangle(a, b, c, stage->width, row0, row1, put_depth, stage, t);
    }
}

static void put_height(void *target, int x, int y, double z, int id) {
    float *height = target;
    (void)id;
    float *h = height + (size_t)y * SN_SHADOW_MAP + (size_t)x;
    if ((float)z > *h) *h = (float)z;
}

static void map_point(const sn_height_map *map, const double p[3], double out[3]) {
    double d[3];
    sn_subtract3(p, map->origin, d);
    const double scale = 0.5 * SN_SHADOW_MAP / map->size;
    out[0] = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->right);
    out[1] = 0.5 * SN_SHADOW_MAP + scale * sn_dot3(d, map->up);
    out[2] = sn_dot3(d, map->along);
}

static void fill_map(const sn_stage *stage, sn_height_map *map) {
    for (size_t i = 0; i < (size_t)SN_SHADOW_MAP * SN_SHADOW_MAP; ++i) map->height[i] = -1e30f;
    for (int t = 0; t < stage->triangles; ++t) {
        double corner[3][3];
        for (int k = 0; k < 3; ++k)
            map_point(map, stage->position + 3 * (size_t)stage->triangle[3 * (size_t)t + (size_t)k], corner[k]);
        fill_triangle(corner[0], corner[1], corner[2], SN_SHADOW_MAP, 0, SN_SHADOW_MAP, put_height, map->height, t);
    }
}

static void fill_one_map(void *data, int index) {
    sn_stage *stage = data;
    fill_map(stage, index ? &stage->under : &stage->shadow);
}

sn_status sn_stage_raster(sn_stage *stage, sn_error *error) {
    const size_t samples = (size_t)stage->width * (size_t)stage->height, map = (size_t)SN_SHADOW_MAP * SN_SHADOW_MAP;
    stage->screen = sn_allocate(stage->context, 3 * (size_t)stage->nodes, sizeof *stage->screen);
    stage->depth = sn_allocate(stage->context, samples, sizeof *stage->depth);
    stage->id = sn_allocate(stage->context, samples, sizeof *stage->id);
    stage->shadow.height = sn_allocate(stage->context, map, sizeof(float));
    stage->under.height = sn_allocate(stage->context, map, sizeof(float));
    if (!stage->screen || !stage->depth || !stage->id || !stage->shadow.height || !stage->under.height)
        return sn_no_memory(error);
    project_nodes(stage);
    sn_parallel(stage->context, (stage->height + BAND - 1) / BAND, raster_band, stage);
    sn_parallel(stage->context, 2, fill_one_map, stage);
    return SN_OK;
}
