/* A body around a surface: the steps of Civit 5.3.1 in their order, the options, and the search for a cell size. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/cookie.h"
#include "embed_options.h"
#include "fit_body.h"
#include "mesh/mesh_internal.h"
#include "part.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define AT(member) offsetof(sn_embed_options, member)

/* ---- Options ---- */

static const sn_field fields[] = {
    {"surface", SN_FIELD_OWN | SN_FIELD_NEEDED, 0, 1, 0, 0, 0, 0, NULL, NULL, "",
     "a file, or a shape like that of a body's `surface`; it becomes the surface of the body"},
    {"cell", SN_FIELD_DOUBLE, AT(cell), 1, 0, 1e300, 0, 0, NULL, NULL, "m",
     "side of the cubic cells; 0: `elements` decides"},
    {"elements", SN_FIELD_INT, AT(elements), 1, 0, 1e7, 0, 0, NULL, NULL, "", "about so many tets; 0: `cell` decides"},
    {"fit", SN_FIELD_INT, AT(fit), 1, 0, 1000, 0, 10, NULL, NULL, "", "steps that draw the tets to the surface"},
    {"relax", SN_FIELD_DOUBLE, AT(relax), 1, 0, 1, 1, 0.1, NULL, NULL, "",
     "the part of the way to its best place that a node goes in a step"},
};

const sn_field *sn_embed_fields(int *count) {
    *count = COUNT(fields);
    return fields;
}

sn_embed_options sn_embed_options_default(void) {
    sn_embed_options options;
    memset(&options, 0, sizeof options);
    options.cookie = SN_COOKIE;
    sn_fields_default(fields, COUNT(fields), &options);
    return options;
}

sn_status sn_embed_options_check(const sn_embed_options *o, sn_error *error) {
    sn_status status = sn_cookie_check(o->cookie, "sn_embed_options", error);
    if (!status) status = sn_fields_check(fields, COUNT(fields), o, error);
    if (status) return status;
    if (o->cell > 0 && o->elements > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "elements", "cell and elements are both given; give one of them");
    if (!(o->cell > 0) && !(o->elements > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "cell",
                          "neither cell nor elements is given; give the side of a cell in metres, or about how many "
                          "tets the body may have");
    return SN_OK;
}

/* ---- Cell size ---- */

enum { TRIALS = 12 };
static const double NEAR = 0.04; /* relative distance to the wanted number of tets that ends the search */

/* A number of about r^(3/8), by square roots: they give the same bits everywhere. The number of tets goes with the size
 * of the cells to a power between -2 (a sheet) and -3 (a block). */
static double size_ratio(double r) {
    const double fourth = sqrt(sqrt(r));
    return fourth * sqrt(fourth);
}

/* Finds a cell size for about `wanted` tets, and keeps the best lattice. */
static sn_status search(const sn_clean_surface *s, int wanted, sn_lattice *best, sn_error *error) {
    double longest = 0, low = 0, high = HUGE_VAL; /* sizes that give too many and too few tets */
    for (int k = 0; k < 3; ++k) longest = fmax(longest, s->high[k] - s->low[k]);
    /* Five tets a cell; cells inside, and about two layers of cells along the surface. */
    double cell = longest * size_ratio(5 * (s->volume / (longest * longest * longest) + 0.1) / wanted);
    *best = (sn_lattice){.context = s->context};
    for (int trial = 0; trial < TRIALS; ++trial) {
        sn_lattice l;
        const sn_status status = sn_lattice_create(s, cell, &l, error);
        if (status) {
            sn_lattice_destroy(best);
            return status;
        }
        const double off = fabs(l.kept - (double)wanted);
        const bool better = !best->place || off < fabs(best->kept - (double)wanted);
        sn_lattice_destroy(better ? best : &l);
        if (better) *best = l;
        if (off <= NEAR * wanted) break;
        if (l.kept > wanted)
            low = cell;
        else
            high = cell;
        cell *= size_ratio((double)l.kept / wanted);
        if (!(cell > low && cell < high)) cell = high < HUGE_VAL ? 0.5 * (low + high) : 2 * low;
    }
    return SN_OK;
}

static sn_status make_lattice(const sn_clean_surface *s, const sn_embed_options *o, sn_lattice *l, sn_error *error) {
    if (o->elements == 0) return sn_lattice_create(s, o->cell, l, error);
    const sn_status status = search(s, o->elements, l, error);
    if (status)
        return sn_fail_at(error, status, "elements",
                          "elements is %d; the cells for so many tets around this surface are too small for its box: "
                          "take fewer elements, or embed the distant parts of the surface one by one",
                          o->elements);
    if (fabs(l->kept - (double)o->elements) <= 0.5 * o->elements) return SN_OK;
    const int kept = l->kept;
    const double cell = l->cell;
    sn_lattice_destroy(l);
    return sn_fail_at(
        error, SN_BAD_INPUT, "elements",
        "elements is %d; the nearest body around this surface has %d tets, with a cell of %g m: give that "
        "number, or a cell",
        o->elements, kept, cell);
}

/* ---- The steps ---- */

static sn_status lay_tets(const sn_clean_surface *s, const sn_embed_options *o, sn_mesh **body, sn_embed_report *r,
                          sn_error *error) {
    sn_lattice l;
    sn_mesh_report shape;
    sn_mesh *made = NULL;
    sn_status status = make_lattice(s, o, &l, error);
    if (status) return status;
    r->cell = l.cell, r->pierced = l.pierced;
    status = sn_part_body(s, &l, &made, &r->split_nodes, error);
    if (!status) status = sn_mesh_inspect(made, &shape, error);
    if (!status && !isfinite(shape.volume))
        status = sn_fail_at(error, SN_BAD_INPUT, "cell", "cell is %g; the volume of the tets must be finite", l.cell);
    if (!status) {
        r->tets = shape.tets, r->nodes = shape.nodes, r->pieces = shape.components;
        r->volume_before = shape.volume;
        r->quality_min_before = shape.quality_min, r->quality_mean_before = shape.quality_mean;
        status = sn_fit_body(s, made, o->fit, o->relax, l.margin, &r->stopped, error);
    }
    if (!status && o->fit > 0) status = sn_mesh_inspect(made, &shape, error);
    if (!status) r->volume = shape.volume, r->quality_min = shape.quality_min, r->quality_mean = shape.quality_mean;
    sn_lattice_destroy(&l);
    if (status)
        sn_mesh_destroy(made);
    else
        *body = made;
    return status;
}

static sn_status check_surface(const sn_clean_surface *s, sn_error *error) {
    double longest = 0;
    for (int k = 0; k < 3; ++k) longest = fmax(longest, s->high[k] - s->low[k]);
    if (!isfinite(longest * longest * longest))
        return sn_fail(error, SN_BAD_INPUT, "the surface is %g m across; its volume must be finite", longest);
    if (longest > 0) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "the surface has no extent: all its triangles lie in one point");
}

sn_status sn_embed_surface(const sn_mesh *surface, const sn_embed_options *options, sn_mesh **body,
                           sn_embed_report *report, sn_error *error) {
    sn_embed_report r = {0};
    sn_clean_surface s;
    int count = 0;
    int32_t *face = NULL;
    sn_status status = sn_embed_options_check(options, error);
    if (!status) status = sn_mesh_check(surface, error);
    if (!status) status = sn_mesh_check_finite(surface, error);
    if (status) return status;
    if (surface->triangle_count == 0 && surface->tet_count > 0)
        status = sn_mesh_boundary(surface, &count, &face, NULL, NULL, error);
    if (status) return status;
    if (!face) count = surface->triangle_count;
    if (count == 0)
        return sn_fail(error, SN_BAD_INPUT,
                       "the surface has no triangles; a body is laid around triangles, or around the boundary of tets");
    status = sn_clean_surface_create(surface, face ? face : surface->triangle, count, &s, &r, error);
    if (face) sn_mesh_release(surface, face);
    if (status) return status;
    status = check_surface(&s, error);
    if (!status) status = lay_tets(&s, options, body, &r, error);
    sn_clean_surface_destroy(&s);
    if (!status && report) *report = r;
    return status;
}
