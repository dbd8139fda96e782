/* The list of generators, and the reading of their parameters. To add one: a file with its table, a line in GENERATORS.
 */
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

/* clang-format off */
#define GENERATORS(X) \
    X(box, "block with its corner at the origin: size[3] m, cells[3], split 5 or 6 tets per cell; node groups x- x+ y- y+ z- z+") \
    X(sphere, "ball or ellipsoid about the origin: radius[3] m, cells from centre to surface; node group surface") \
    X(tube, "hollow cylinder along y from y = 0: radius and inner m, length m, cells[3] around, through, along; node groups y- y+ inner outer") \
    X(cylinder, "solid cylinder along y from y = 0: radius m, length m, cells[2] centre to rim, along; node groups y- y+ side") \
    X(torus, "solid ring about the y axis: radius to the core and minor radius m, cells[2] around, core to rim; node group surface") \
    X(knot, "rope in an open overhand knot: radius m (at most 0.005 of the length), length m, cells[2] centre to rim, along; node groups start end side") \
    X(rectangle, "plane triangles in z = 0 with the corner at the origin, for tri3: size[2] m, cells[2]; node groups x- x+ y- y+") \
    X(grid, "sheet of triangles in y = 0 about the origin, for cloth: size[2] m along x and z, cells[2]; node groups x- x+ z- z+") \
    X(octopus, "closed surface of an octopus about 1.8 size across: triangles 500 to 4e6, size m; node groups head, eyes, arm1 to arm8") \
    X(dragon, "closed surface of a young dragon about 1.8 size long: triangles 500 to 4e6, size m; node groups body, head, wings, tail, ...")

/* clang-format on */

#define EXTERN(name, text) extern const sn_generator sn_generator_##name;
#define LISTING(name, text) {#name, text},
#define TABLE(name, text) &sn_generator_##name,
GENERATORS(EXTERN)
static const sn_listing listing[] = {GENERATORS(LISTING)};
static const sn_generator *const table[] = {GENERATORS(TABLE)};
enum { GENERATOR_COUNT = sizeof listing / sizeof *listing };

const sn_listing *sn_generators(int *count) {
    *count = GENERATOR_COUNT;
    return listing;
}

static int parameter_count(const sn_generator *generator) {
    int count = 0;
    while (count < SN_GENERATOR_PARAMETERS && generator->parameter[count].name) ++count;
    return count;
}

static sn_status check_value(const char *generator, const sn_generator_parameter *p, double value, sn_error *error) {
    if (isfinite(value) && value >= p->low && value <= p->high && (!p->whole || value == floor(value))) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, p->name, "%s.%s is %.9g; it must be a %s from %g to %g", generator, p->name,
                      value, p->whole ? "whole number" : "number", p->low, p->high);
}

static sn_status set_value(const char *name, const sn_generator *generator, const sn_generator_value *given,
                           double value[][3], uint8_t *seen, sn_error *error) {
    const int count = parameter_count(generator);
    int i = 0;
    while (i < count && strcmp(generator->parameter[i].name, given->name) != 0) ++i;
    if (i == count) {
        char text[400];
        snprintf(text, sizeof text, "%s has no parameter '%.100s'", name, given->name);
        sn_suggest(text, (int)sizeof text, given->name, generator->parameter, count, (int)sizeof *generator->parameter);
        return sn_fail_at(error, SN_BAD_INPUT, given->name, "%s", text);
    }
    const sn_generator_parameter *p = &generator->parameter[i];
    if (seen[i]) return sn_fail_at(error, SN_BAD_INPUT, p->name, "%s.%s is given twice", name, p->name);
    seen[i] = 1;
    if (given->count != p->count && given->count != 1)
        return sn_fail_at(error, SN_BAD_INPUT, p->name, "%s.%s has %d numbers; it takes %d%s", name, p->name,
                          given->count, p->count, p->count > 1 ? ", or one for all of them" : "");
    for (int k = 0; k < p->count; ++k) {
        value[i][k] = given->value[given->count == 1 ? 0 : k];
        const sn_status status = check_value(name, p, value[i][k], error);
        if (status) return status;
    }
    return SN_OK;
}

sn_status sn_mesh_generate(sn_context *context, const char *generator, const sn_generator_value *values, int count,
                           sn_mesh **mesh, sn_error *error) {
    int g = 0;
    while (g < GENERATOR_COUNT && strcmp(listing[g].name, generator) != 0) ++g;
    if (g == GENERATOR_COUNT) {
        char text[400];
        snprintf(text, sizeof text, "there is no generator '%.100s'", generator);
        sn_suggest(text, (int)sizeof text, generator, listing, GENERATOR_COUNT, (int)sizeof *listing);
        return sn_fail(error, SN_NOT_FOUND, "%s", text);
    }
    double value[SN_GENERATOR_PARAMETERS][3];
    uint8_t seen[SN_GENERATOR_PARAMETERS] = {0};
    for (int i = 0; i < SN_GENERATOR_PARAMETERS; ++i) memcpy(value[i], table[g]->parameter[i].value, sizeof value[i]);
    for (int i = 0; i < count; ++i) {
        const sn_status status = set_value(generator, table[g], &values[i], value, seen, error);
        if (status) return status;
    }
    return table[g]->generate(context, (const double(*)[3])value, mesh, error);
}

sn_status sn_generate_create(sn_context *context, const char *generator, int64_t nodes, int64_t tets, int64_t triangles,
                             sn_mesh **mesh, sn_error *error) {
    if (nodes > INT32_MAX || tets > INT32_MAX || triangles > INT32_MAX)
        return sn_fail(error, SN_BAD_INPUT,
                       "%s would have %lld nodes, %lld tets and %lld triangles; at most %d of each are allowed",
                       generator, (long long)nodes, (long long)tets, (long long)triangles, INT32_MAX);
    return sn_mesh_create(context, (int)nodes, (int)tets, 4, (int)triangles, mesh, error);
}
