/* Pictures: sets the stage (camera, lights, ground, colours), draws it, and lays the colour bar and the caption over
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cookie.h"
#include "base/math3.h"
#include "base/words.h"
#include "render.h"

static sn_status check_options(const sn_picture_options *o, int *field, sn_error *error) {
    const sn_status status = sn_cookie_check(o->cookie, "sn_picture_options", error);
    if (status) return status;
    if (o->width < 16 || o->width > 8192 || o->height < 16 || o->height > 8192)
        return sn_fail(error, SN_BAD_INPUT, "a picture of %d x %d is not possible; allowed are 16 to 8192", o->width,
                       o->height);
    if (!isfinite(o->azimuth) || !(fabs(o->elevation) <= 89) || !isfinite(o->low) || !isfinite(o->high))
        return sn_fail(error, SN_BAD_INPUT,
                       "the picture's elevation %g must be from -89 to 89 degrees, its other numbers finite",
                       o->elevation);
    int count;
    const sn_listing *fields = sn_picture_fields(&count);
    for (*field = 0; *field < count; ++*field)
        if (strcmp(fields[*field].name, o->field) == 0) return SN_OK;
    char text[300];
    snprintf(text, sizeof text, "the picture's field '%s' is unknown", o->field);
    sn_suggest(text, (int)sizeof text, o->field, fields, count, (int)sizeof *fields);
    return sn_fail(error, SN_BAD_INPUT, "%s", text);
}

/* ---- Values to colour by ---- */
enum { VON_MISES, DISPLACEMENT, VELOCITY, ENERGY, PRESSURE, LEVEL, NONE }; /* the order of sn_picture_fields */

/* Turns the stresses of count elements into pressures, in place. */
static void pressures(double *stress, size_t count) {
    for (size_t e = 0; e < count; ++e) stress[e] = -(stress[6 * e] + stress[6 * e + 1] + stress[6 * e + 2]) / 3;
}

/* The level of the active tet in which each tet lies; 0 for bodies that are not adaptive. */
static sn_status levels(const sn_world *world, const sn_surface *s, int body, double *out, sn_error *error) {
    const int count = sn_world_body_mesh(world, body)->tet_count;
    int32_t *level = sn_allocate(s->context, (size_t)count, sizeof *level);
    if (!level) return sn_no_memory(error);
    const bool known = !sn_world_active(world, body, NULL, level);
    for (int e = 0; e < count; ++e) out[e] = known ? level[e] : 0;
    sn_release(s->context, level);
    return SN_OK;
}

/* Von Mises stress, energy, pressure or level, averaged from the elements to the nodes. */
static sn_status element_values(sn_world *world, const sn_surface *s, int field, double *node, sn_error *error) {
    const size_t numbers = field == PRESSURE ? 6 : 1; /* while a stress stands there */
    double *element = sn_allocate(s->context, (size_t)s->elements + numbers * (size_t)s->elements, sizeof *element),
           *stress = element + s->elements;
    if (!element) return sn_no_memory(error);
    sn_status status = SN_OK;
    for (int b = 0; b < s->bodies && !status; ++b) {
        double *part = element + s->first_element[b];
        const size_t count = (size_t)sn_world_body_mesh(world, b)->tet_count;
        if (field == LEVEL) {
            status = levels(world, s, b, part, error);
            continue;
        }
        status = sn_world_element_fields(world, b, field == PRESSURE ? stress : NULL, field == VON_MISES ? part : NULL,
                                         field == ENERGY ? part : NULL, NULL, error);
        if (field != PRESSURE || status) continue;
        pressures(stress, count);
        memcpy(part, stress, count * sizeof *part);
    }
    if (!status) status = sn_surface_average(s, world, element, node, error);
    sn_release(s->context, element);
    return status;
}

/* The length of displacement or velocity. */
static sn_status node_values(const sn_world *world, const sn_surface *s, int field, double *node, sn_error *error) {
    for (int b = 0; b < s->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        double *vector = sn_allocate(s->context, 3 * (size_t)mesh->node_count, sizeof *vector),
               *out = node + s->first_node[b];
        if (!vector) return sn_no_memory(error);
        sn_world_get(world, b, field == DISPLACEMENT ? vector : NULL, field == DISPLACEMENT ? NULL : vector);
        for (size_t i = 0; i < (size_t)mesh->node_count; ++i) {
            if (field == DISPLACEMENT) sn_subtract3(vector + 3 * i, mesh->position + 3 * i, vector + 3 * i);
            out[i] = sn_norm3(vector + 3 * i);
        }
        sn_release(s->context, vector);
    }
    return SN_OK;
}

static sn_status point_values(sn_world *world, sn_stage *stage, int field, sn_error *error) {
    const sn_surface *s = stage->surface;
    double *node = sn_allocate(stage->context, (size_t)s->nodes, sizeof *node);
    if (!node) return sn_no_memory(error);
    const sn_status status = field == VON_MISES || field == ENERGY || field == PRESSURE || field == LEVEL
                                 ? element_values(world, s, field, node, error)
                                 : node_values(world, s, field, node, error);
    if (!status) sn_surface_carry(s, world, node, stage->value);
    sn_release(stage->context, node);
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sn_status fill_values(sn_world *world, sn_stage *stage, int field, sn_error *error) {
    const sn_surface *s = stage->surface;
    stage->value = sn_allocate_zero(stage->context, (size_t)s->points, sizeof *stage->value);
    if (!stage->value) return sn_no_memory(error);
    stage->coloured = field != NONE;
    const sn_status status = stage->coloured ? point_values(world, stage, field, error) : SN_OK;
    if (status) return status;
    stage->low = stage->options->low, stage->high = stage->options->high;
    if (stage->low != stage->high) return SN_OK;
    /* Magnitudes: from 0 to what 99.7 percent of the surface stay below, so that one spike does not darken the rest. */
    double *seen = sn_allocate(stage->context, 3 * (size_t)s->triangles, sizeof *seen);
    if (!seen) return sn_no_memory(error);
    for (int i = 0; i < 3 * s->triangles; ++i) seen[i] = stage->value[s->triangle[i]];
    qsort(seen, 3 * (size_t)s->triangles, sizeof *seen, by_size);
    stage->low = 0, stage->high = s->triangles ? seen[(size_t)(0.997 * (3 * s->triangles - 1))] : 0;
    if (field == PRESSURE && s->triangles) stage->low = fmin(0, seen[(size_t)(0.003 * (3 * s->triangles - 1))]);
    sn_release(stage->context, seen);
    return SN_OK;
}

/* ---- Normals: smooth, but sharp across edges ---- */

static sn_status fill_normals(sn_stage *stage, sn_error *error) {
    const sn_surface *s = stage->surface;
    const size_t triangles = (size_t)s->triangles;
    const double crease = 0.76; /* cosine of 40 degrees */
    double *face = sn_allocate(stage->context, 3 * triangles, sizeof *face);
    int *first = sn_allocate_zero(stage->context, (size_t)s->points + 2, sizeof *first);
    int *list = sn_allocate(stage->context, 3 * triangles, sizeof *list);
    const bool enough = face && first && list;
    for (size_t i = 0; enough && i < 3 * triangles; ++i) ++first[s->triangle[i] + 2];
    for (int i = 2; enough && i < s->points + 2; ++i) first[i] += first[i - 1];
    for (size_t t = 0; enough && t < triangles; ++t) {
        const int32_t *n = s->triangle + 3 * t;
        sn_area_vector3(s->position + 3 * (size_t)n[0], s->position + 3 * (size_t)n[1], s->position + 3 * (size_t)n[2],
                        face + 3 * t);
        for (int k = 0; k < 3; ++k) list[first[n[k] + 1]++] = (int)t;
    }
    for (size_t c = 0; enough && c < 3 * triangles; ++c) {
        const double *own = face + 3 * (c / 3);
        double sum[3] = {0, 0, 0};
        for (int i = first[s->triangle[c]]; i < first[s->triangle[c] + 1]; ++i) {
            const double *other = face + 3 * (size_t)list[i];
            if (sn_dot3(own, other) < crease * sn_norm3(own) * sn_norm3(other)) continue;
            for (int k = 0; k < 3; ++k) sum[k] += other[k];
        }
        const double length = sn_norm3(sum);
        for (int k = 0; k < 3; ++k) stage->normal[3 * c + (size_t)k] = (float)(length > 0 ? sum[k] / length : 0);
    }
    sn_release(stage->context, face);
    sn_release(stage->context, first);
    sn_release(stage->context, list);
    return enough ? SN_OK : sn_no_memory(error);
}

/* ---- Camera, lights, ground ---- */

static void seen_box(const sn_stage *stage, double low[3], double high[3]) {
    const sn_picture_options *o = stage->options;
    const sn_surface *s = stage->surface;
    if (memcmp(o->view[0], o->view[1], sizeof o->view[0]) != 0) {
        memcpy(low, o->view[0], 3 * sizeof *low);
        memcpy(high, o->view[1], 3 * sizeof *high);
        return;
    }
    for (int k = 0; k < 3; ++k) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    for (int i = 0; i < 3 * s->triangles; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = s->position[3 * (size_t)s->triangle[i] + (size_t)k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
}

/* Any two unit vectors across `along`. */
static void across(const double along[3], double right[3], double up[3]) {
    const double helper[3] = {fabs(along[1]) < 0.9 ? 0 : 1, fabs(along[1]) < 0.9 ? 1 : 0, 0};
    sn_cross3(helper, along, right);
    const double length = sn_norm3(right);
    for (int k = 0; k < 3; ++k) right[k] /= length;
    sn_cross3(along, right, up);
}

static void set_map(sn_stage *stage, sn_height_map *map, const double along[3]) {
    memcpy(map->origin, stage->centre, sizeof map->origin);
    memcpy(map->along, along, sizeof map->along);
    across(along, map->right, map->up);
    map->size = 1.3 * stage->radius;
}

static void set_camera(sn_stage *stage, const double low[3], const double high[3]) {
    const double radians = 0.017453292519943295, a = stage->options->azimuth * radians,
                 e = stage->options->elevation * radians;
    const double back[3] = {sin(a) * cos(e), sin(e), cos(a) * cos(e)}, tangent = tan(14 * radians);
    for (int k = 0; k < 3; ++k) stage->forward[k] = -back[k];
    const double helper[3] = {0, 1, 0};
    sn_cross3(stage->forward, helper, stage->right);
    const double length = sn_norm3(stage->right);
    for (int k = 0; k < 3; ++k) stage->right[k] /= length;
    sn_cross3(stage->right, stage->forward, stage->up);
    const int smaller = stage->width < stage->height ? stage->width : stage->height;
    stage->focal = 0.5 * smaller / tangent;
    /* Far enough for each corner of the box to stay within the margins. */
    stage->middle = (stage->coloured ? 0.43 : 0.5) * stage->width;
    const double margin_x = 0.92 * (stage->coloured ? 0.40 : 0.45) * stage->width / stage->focal,
                 margin_y = 0.76 * 0.5 * stage->height / stage->focal;
    double distance = 1.2 * stage->radius;
    for (int corner = 0; corner < 8; ++corner) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = (corner >> k & 1 ? high[k] : low[k]) - stage->centre[k];
        const double depth = sn_dot3(d, stage->forward);
        distance = fmax(distance, fabs(sn_dot3(d, stage->right)) / margin_x - depth);
        distance = fmax(distance, fabs(sn_dot3(d, stage->up)) / margin_y - depth);
    }
    for (int k = 0; k < 3; ++k) stage->eye[k] = stage->centre[k] + distance * back[k];
}

static void set_lights(sn_stage *stage) {
    for (int k = 0; k < 3; ++k) {
        stage->light[k] = -0.55 * stage->right[k] - 0.45 * stage->forward[k];
        stage->fill[k] = 0.9 * stage->right[k] - 0.5 * stage->forward[k];
    }
    stage->light[1] += 1.0;
    stage->fill[1] += 0.25;
    const double a = sn_norm3(stage->light), b = sn_norm3(stage->fill);
    for (int k = 0; k < 3; ++k) stage->light[k] /= a, stage->fill[k] /= b;
}

/* The drawings of all colliders; NULL for those that are not drawn, because the bodies are inside of them. */
static sn_status collider_drawings(sn_stage *stage, const sn_world *world, sn_error *error) {
    stage->collider_count = sn_world_collider_count(world);
    stage->collider = sn_allocate_zero(stage->context, (size_t)stage->collider_count, sizeof *stage->collider);
    if (!stage->collider) return sn_no_memory(error);
    for (int i = 0; i < stage->collider_count; ++i) {
        const sn_status status = sn_world_collider_drawing(world, i, &stage->collider[i], error);
        if (status) return status;
        if (!stage->collider[i]->inside) continue;
        sn_drawing_destroy(stage->collider[i]);
        stage->collider[i] = NULL;
    }
    return SN_OK;
}

static void move_point(const double pose[12], const double x[3], double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = pose[4 * i] * x[0] + pose[4 * i + 1] * x[1] + pose[4 * i + 2] * x[2] + pose[4 * i + 3];
}

static void turn_normal(const double pose[12], const double n[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = pose[4 * i] * n[0] + pose[4 * i + 1] * n[1] + pose[4 * i + 2] * n[2];
}

/* The surface of the bodies, and behind it those of the colliders where they are now. The normals of the bodies are
 * filled later. */
static sn_status gather_surfaces(sn_stage *stage, const sn_world *world, sn_error *error) {
    const sn_surface *s = stage->surface;
    stage->nodes = s->points, stage->triangles = s->triangles;
    for (int i = 0; i < stage->collider_count; ++i) {
        if (!stage->collider[i]) continue;
        stage->nodes += stage->collider[i]->vertex_count, stage->triangles += stage->collider[i]->triangle_count;
    }
    stage->position = sn_allocate(stage->context, 3 * (size_t)stage->nodes, sizeof *stage->position);
    stage->triangle = sn_allocate(stage->context, 3 * (size_t)stage->triangles, sizeof *stage->triangle);
    stage->normal = sn_allocate(stage->context, 9 * (size_t)stage->triangles, sizeof *stage->normal);
    if (!stage->position || !stage->triangle || !stage->normal) return sn_no_memory(error);
    memcpy(stage->position, s->position, 3 * (size_t)s->points * sizeof *s->position);
    memcpy(stage->triangle, s->triangle, 3 * (size_t)s->triangles * sizeof *s->triangle);
    size_t node = (size_t)s->points, corner = 3 * (size_t)s->triangles;
    for (int i = 0; i < stage->collider_count; ++i) {
        const sn_drawing *d = stage->collider[i];
        if (!d) continue;
        double pose[12], n[3];
        sn_world_collider_pose(world, i, pose);
        for (int k = 0; k < 3 * d->triangle_count; ++k, ++corner) {
            stage->triangle[corner] = (int32_t)node + d->triangle[k];
            turn_normal(pose, d->normal + 3 * (size_t)d->triangle[k], n);
            for (int a = 0; a < 3; ++a) stage->normal[3 * corner + (size_t)a] = (float)n[a];
        }
        for (int k = 0; k < d->vertex_count; ++k, ++node)
            move_point(pose, d->position + 3 * (size_t)k, stage->position + 3 * node);
    }
    return SN_OK;
}

static void add_floor(sn_stage *stage, const double point[3], const double normal[3]) {
    if (stage->floors == SN_STAGE_SHAPES) return;
    sn_floor *floor = &stage->floor[stage->floors++];
    double d[3];
    memcpy(floor->point, point, sizeof floor->point);
    memcpy(floor->normal, normal, sizeof floor->normal);
    across(normal, floor->right, floor->up);
    sn_subtract3(stage->centre, point, d);
    floor->middle[0] = sn_dot3(d, floor->right), floor->middle[1] = sn_dot3(d, floor->up);
    floor->size = 1.6 * stage->radius; /* as far as a body within the height map darkens it */
}

/* Endless planes become floors; without any there is a studio floor a little below everything that is drawn. */
static void set_floors(sn_stage *stage, const sn_world *world, const double low[3]) {
    double lowest = low[1];
    for (int i = 0; i < stage->collider_count; ++i) {
        const sn_drawing *d = stage->collider[i];
        if (!d) continue;
        double pose[12], x[3], normal[3];
        sn_world_collider_pose(world, i, pose);
        if (d->endless) {
            move_point(pose, d->position, x);
            turn_normal(pose, d->normal, normal);
            add_floor(stage, x, normal);
        }
        for (int k = 0; k < d->vertex_count && !d->endless; ++k) {
            move_point(pose, d->position + 3 * (size_t)k, x);
            lowest = fmin(lowest, x[1]);
        }
    }
    const double below[3] = {0, lowest - 0.12 * stage->radius, 0}, up[3] = {0, 1, 0};
    if (!stage->floors) add_floor(stage, below, up);
    /* The lines of a floor: every 1, 2 or 5 times a power of ten. */
    const double wanted = stage->radius / 2, power = pow(10, floor(log10(wanted))), ratio = wanted / power;
    stage->pitch = power * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5);
}

static void set_stage(sn_stage *stage, const sn_world *world) {
    double low[3], high[3], diagonal[3];
    seen_box(stage, low, high);
    sn_subtract3(high, low, diagonal);
    stage->radius = fmax(0.5 * sn_norm3(diagonal), 1e-9);
    for (int k = 0; k < 3; ++k) stage->centre[k] = 0.5 * (low[k] + high[k]);
    set_camera(stage, low, high);
    set_lights(stage);
    set_floors(stage, world, low);
    const double down[3] = {0, -1, 0};
    set_map(stage, &stage->shadow, stage->light);
    set_map(stage, &stage->under, down);
}

/* ---- Over the picture ---- */

/* The power of 1000 that makes `value` readable, and its letter. */
static double prefix(double value, const char **letter) {
    static const char *const letters[] = {"n", "u", "m", "", "k", "M", "G", "T"};
    int i = 3;
    double scale = 1;
    while (value * scale >= 1000 && i < 7) scale /= 1000, ++i;
    while (value > 0 && value * scale < 1 && i > 0) scale *= 1000, --i;
    *letter = letters[i];
    return scale;
}

static void draw_bar(sn_stage *stage, int field) {
    sn_canvas *canvas = &stage->canvas;
    const float ink[3] = {0.02f, 0.025f, 0.03f};
    const double size = fmax(8, canvas->height / 60.0);
    const int height = canvas->height / 2, width = (int)(1.4 * size), x = canvas->width - (int)(6 * size) - width,
              y = (canvas->height - height) / 2;
    char text[64];
    int count;
    const char *label = sn_picture_fields(&count)[field].text;
    const char *letter = "", *unit = strchr(label, '['); /* NULL: a number without unit, so without prefix */
    const double scale = unit ? prefix(fmax(fabs(stage->low), fabs(stage->high)), &letter) : 1;
    for (int j = 0; j < height; ++j) {
        float rgb[3];
        sn_colour_map(1 - (j + 0.5) / height, rgb);
        sn_fill(canvas, x, y + j, width, 1, rgb, 1);
    }
    for (int i = 0; i <= 4; ++i) {
        double value = stage->low + (stage->high - stage->low) * i / 4;
        if (fabs(value) < 1e-9 * fmax(fabs(stage->high), fabs(stage->low))) value = 0;
        snprintf(text, sizeof text, "%.3g", value * scale);
        const int at = y + height - (int)((double)height * i / 4);
        sn_fill(canvas, x + width, at - (i == 0), (int)(0.5 * size), 1, ink, 0.8f);
        sn_text(canvas, x + width + 0.9 * size, at + 0.45 * size, size * 0.9, text, ink);
    }
    if (unit)
        snprintf(text, sizeof text, "%.*s[%s%s", (int)(unit - label), label, letter, unit + 1);
    else
        snprintf(text, sizeof text, "%s", label);
    sn_text(canvas, canvas->width - 1.5 * size - sn_text_width(size, text), y - 1.6 * size, size, text, ink);
}

static void draw_caption(sn_stage *stage, const sn_world *world) {
    const float ink[3] = {0.02f, 0.025f, 0.03f};
    const char *title = *stage->options->title ? stage->options->title : sn_world_body_name(world, 0);
    const int nodes = sn_world_node_count(world), elements = sn_world_element_count(world);
    char text[200];
    const double size = fmax(8, stage->canvas.height / 60.0);
    snprintf(text, sizeof text, "%.60s   t = %.4g s   %d node%s, %d element%s", title, sn_world_time(world), nodes,
             nodes == 1 ? "" : "s", elements, elements == 1 ? "" : "s");
    sn_text(&stage->canvas, 1.6 * size, stage->canvas.height - 1.8 * size, size, text, ink);
}

/* ---- Entry points ---- */

static void release_stage(sn_stage *stage) {
    for (int i = 0; i < stage->collider_count && stage->collider; ++i) sn_drawing_destroy(stage->collider[i]);
    for (int i = 0; i < stage->floors; ++i) sn_release(stage->context, stage->floor[i].open);
    void *const array[] = {stage->collider,     stage->position,      stage->triangle,    stage->value,
                           stage->normal,       stage->screen,        stage->band_first,  stage->band_triangle,
                           stage->shadow.low,   stage->shadow.high,   stage->under.low,   stage->under.high,
                           stage->canvas.pixel, stage->shadow.height, stage->under.height};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(stage->context, array[i]);
}

/* Linear values to bytes by a table: its steps are a fifth of a byte's where they are largest, in the dark. */
static void encode(const float *linear, size_t count, unsigned char *byte) {
    enum { STEPS = 16384 };
    unsigned char table[STEPS + 1];
    for (int i = 0; i <= STEPS; ++i) table[i] = sn_encode_srgb((float)i / STEPS);
    for (size_t i = 0; i < count; ++i) {
        const float x = linear[i] > 0 ? linear[i] < 1 ? linear[i] : 1 : 0;
        byte[i] = table[(int)(x * STEPS + 0.5f)];
    }
}

static sn_status draw(sn_world *world, sn_stage *stage, int field, unsigned char *rgb, sn_error *error) {
    const sn_picture_options *o = stage->options;
    const size_t pixels = (size_t)o->width * (size_t)o->height;
    stage->samples = pixels <= 1500000 ? 3 : 2;
    stage->width = o->width * stage->samples, stage->height = o->height * stage->samples;
    stage->canvas = (sn_canvas){o->width, o->height, sn_allocate(stage->context, 3 * pixels, sizeof(float))};
    if (!stage->canvas.pixel) return sn_no_memory(error);
    sn_status status = fill_values(world, stage, field, error);
    if (!status) status = collider_drawings(stage, world, error);
    if (!status) status = gather_surfaces(stage, world, error);
    if (!status) status = fill_normals(stage, error);
    if (status) return status;
    set_stage(stage, world);
    for (int i = 0; i < SN_STAGE_COLOURS; ++i) sn_colour_map((double)i / (SN_STAGE_COLOURS - 1), stage->colour[i]);
    status = sn_stage_project(stage, error);
    if (!status) status = sn_stage_shade(stage, error);
    if (status) return status;
    if (stage->coloured) draw_bar(stage, field);
    draw_caption(stage, world);
    encode(stage->canvas.pixel, 3 * pixels, rgb);
    return SN_OK;
}

sn_status sn_world_render(sn_world *world, const sn_picture_options *options, unsigned char *rgb, sn_error *error) {
    const sn_picture_options o = options ? *options : sn_picture_options_default();
    int field;
    sn_surface *surface;
    sn_status status = check_options(&o, &field, error);
    if (!status) status = sn_surface_create(world, &surface, error);
    if (status) return status;
    sn_stage stage = {.context = surface->context, .surface = surface, .options = &o};
    status = draw(world, &stage, field, rgb, error);
    release_stage(&stage);
    sn_surface_destroy(surface);
    return status;
}

sn_status sn_picture_check(const char *path, const sn_picture_options *options, sn_error *error) {
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const char *ending = dot && (!slash || dot > slash) ? dot + 1 : "";
    int field;
    if (strcasecmp(ending, "png") != 0)
        return sn_fail(error, SN_BAD_INPUT, "%.300s: a picture cannot have the ending '%.20s'; allowed is .png", path,
                       ending);
    return options ? check_options(options, &field, error) : SN_OK;
}
