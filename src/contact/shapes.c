/* The list of shapes, and functions that the files of the shapes share. */
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "shape.h"

#define LISTING(name, text) {#name, text},
#define TABLE(name, text) &sn_shape_##name,
static const sn_listing listing[] = {SN_SHAPES(LISTING)};
static const sn_shape *const table[] = {SN_SHAPES(TABLE)};
enum { SHAPES = sizeof listing / sizeof *listing };

const sn_listing *sn_shapes(int *count) {
    if (count) *count = SHAPES;
    return listing;
}

const sn_shape *sn_shape_find(const char *name) {
    for (int i = 0; i < SHAPES; ++i)
        if (strcmp(listing[i].name, name) == 0) return table[i];
    return NULL;
}

const sn_shape_parameter *sn_shape_parameters(const char *shape, int *count) {
    const sn_shape *found = sn_shape_find(shape);
    if (count) *count = found ? found->parameter_count : 0;
    return found ? found->parameter : NULL;
}

const sn_shape_parameter *sn_shape_parameter_find(const sn_shape *shape, const char *name) {
    for (int i = 0; i < shape->parameter_count; ++i)
        if (strcmp(shape->parameter[i].name, name) == 0) return &shape->parameter[i];
    return NULL;
}

void sn_bend_round(double curvature, const double n[3], sn_bend *bend) {
    bend->curvature = curvature;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) bend->across[3 * i + j] = (i == j) - n[i] * n[j];
}

void sn_bend_edge(double curvature, const double n[3], const double e[3], sn_bend *bend) {
    double t[3];
    sn_cross3(e, n, t);
    bend->curvature = curvature;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) bend->across[3 * i + j] = t[i] * t[j];
}
