/* A surface as it comes from a file, made ready: equal points joined, duplicate triangles left out, turned triangles
 * turned back, and a search tree over the rest. */
#ifndef SN_EMBED_CLEAN_SURFACE_H
#define SN_EMBED_CLEAN_SURFACE_H

#include "sinew/embed.h"
#include "winding.h"

typedef struct sn_clean_surface {
    sn_context *context;
    int vertices, triangles;
    double *position;       /* vertices x 3, m */
    int32_t *triangle;      /* triangles x 3 */
    double low[3], high[3]; /* m: the box */
    double volume, area;    /* m^3, m^2 */
    bool closed;            /* every edge has two triangles that face one side: the winding number is a whole number */
    sn_triangle_tree tree;
    sn_winding winding;
} sn_clean_surface;

/* Takes `triangle` (count x 3 nodes of the mesh). Fills the fields of `report` about the surface. */
sn_status sn_clean_surface_create(const sn_mesh *mesh, const int32_t *triangle, int count, sn_clean_surface *surface,
                                  sn_embed_report *report, sn_error *error);
void sn_clean_surface_destroy(sn_clean_surface *surface);

/* The three corners of a triangle. */
static inline void sn_clean_surface_corners(const sn_clean_surface *surface, int32_t triangle, const double *x[3]) {
    for (int k = 0; k < 3; ++k)
        x[k] = surface->position + 3 * (size_t)surface->triangle[3 * (size_t)triangle + (size_t)k];
}

/* Whether a tet, which may be flat, meets the surface or comes as near as `margin` (m). */
bool sn_clean_surface_meets(const sn_clean_surface *surface, const double *const tet[4], double margin);

#endif
