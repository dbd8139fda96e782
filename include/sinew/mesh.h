/* Meshes: nodes, tets, triangles and named groups; generators, selectors, quality, files.
 *
 * A mesh keeps the numbering of its source. `node_label` and `tet_label` are the numbers that the file gave (NULL: 0-based
 * positions), and every output speaks in those. */
#ifndef SINEW_MESH_H
#define SINEW_MESH_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a group's members are: node indices, or indices into `tet` or `triangle`. */
typedef enum sn_group_kind { SN_GROUP_NODES, SN_GROUP_TETS, SN_GROUP_TRIANGLES } sn_group_kind;

typedef struct sn_group {
    char name[64];
    sn_group_kind kind;
    int count;
    int32_t *member; /* count, ascending, 0-based indices (not labels) */
} sn_group;

/* All arrays belong to the mesh and come from its context's allocator. */
typedef struct sn_mesh {
    sn_context *context;
    int node_count;
    double *position; /* node_count x 3, metres */

    int tet_count;
    int tet_nodes; /* 4 or 10. Ten: corners, then mid-edge nodes of 01 12 20 03 13 23 (VTK's order). A plane body's own mesh, which
                      sn_world_body_mesh gives, has 3: its elements are its triangles */
    int32_t *tet;  /* tet_count x tet_nodes; positive volume when det(x1-x0, x2-x0, x3-x0) > 0 */

    int triangle_count; /* faces that the file or generator gave: a surface mesh, or boundary faces of groups */
    int32_t *triangle;  /* triangle_count x 3, counter-clockwise seen from outside */

    int64_t *node_label;     /* node_count, or NULL: label = index */
    int64_t *tet_label;      /* tet_count, or NULL */
    int64_t *triangle_label; /* triangle_count, or NULL */

    int group_count;
    sn_group *group; /* group_count; grows by sn_mesh_add_group alone (its capacity is a power of two) */
} sn_mesh;

SN_API sn_status sn_mesh_create(sn_context *context, int nodes, int tets, int tet_nodes, int triangles, sn_mesh **mesh, sn_error *error);
SN_API sn_status sn_mesh_copy(const sn_mesh *source, sn_mesh **mesh, sn_error *error);
SN_API void sn_mesh_destroy(sn_mesh *mesh);
/* Appends a group; `member` is copied and sorted. */
SN_API sn_status sn_mesh_add_group(sn_mesh *mesh, const char *name, sn_group_kind kind, const int32_t *member, int count, sn_error *error);
SN_API const sn_group *sn_mesh_find_group(const sn_mesh *mesh, const char *name); /* NULL when there is none */

/* ---- Transformations of the rest shape ---- */
SN_API void sn_mesh_scale(sn_mesh *mesh, double factor);
SN_API void sn_mesh_rotate(sn_mesh *mesh, const double axis[3], double degrees);
SN_API void sn_mesh_move(sn_mesh *mesh, const double offset[3]);
/* tet4 -> tet10 with straight edges; the mid-edge nodes follow the corner nodes. */
SN_API sn_status sn_mesh_to_tet10(const sn_mesh *source, sn_mesh **mesh, sn_error *error);
/* Octasection: every tet into eight, every triangle into four; groups are carried over. Corner nodes keep their indices. */
SN_API sn_status sn_mesh_refine(const sn_mesh *source, sn_mesh **mesh, sn_error *error);

/* ---- Generators ---- */
/* A generator by name with named parameters, as in a scene: {"box": {"size": [..], "cells": [..], "split": 6}}. */
typedef struct sn_generator_value {
    const char *name;
    int count; /* how many of `value` are set, 1 to 3 */
    double value[3];
} sn_generator_value;

/* Names: box, sphere, tube, cylinder, torus, and the closed surfaces of creatures. Unknown parameters are errors. */
SN_API sn_status sn_mesh_generate(sn_context *context, const char *generator, const sn_generator_value *values, int count, sn_mesh **mesh,
                                  sn_error *error);
SN_API const sn_listing *sn_generators(int *count);

/* ---- Selectors ---- */
typedef enum sn_select_kind {
    SN_SELECT_ALL,
    SN_SELECT_SURFACE,   /* nodes of boundary faces */
    SN_SELECT_BOX,       /* box[0] <= x <= box[1] */
    SN_SELECT_SPHERE,    /* |x - point| <= radius */
    SN_SELECT_HALFSPACE, /* (x - point) . normal >= 0 */
    SN_SELECT_NORMAL,    /* nodes of boundary faces whose outward normal is within `angle` degrees of `normal` */
    SN_SELECT_NODES,     /* the nodes with these labels */
    SN_SELECT_GROUP,     /* a named group of the mesh */
    SN_SELECT_AND,
    SN_SELECT_OR,
    SN_SELECT_NOT
} sn_select_kind;

typedef struct sn_selector {
    sn_select_kind kind;
    double box[2][3];
    double point[3], normal[3];
    double radius;
    double angle;         /* degrees, default 1 */
    const int64_t *nodes; /* labels */
    int node_count;
    char group[64];
    const struct sn_selector *child; /* and, or: child_count of them; not: one */
    int child_count;
} sn_selector;

/* Marks the picked nodes: mask[i] = 1. For SN_SELECT_NORMAL and SN_SELECT_GROUP of triangles, `face_mask` (one per boundary face of
 * sn_mesh_boundary, may be NULL) gets the faces picked by the selector itself; otherwise a face is picked when all its nodes are.
 * Returns SN_BAD_INPUT when nothing is picked, or a label or group does not exist. */
SN_API sn_status sn_mesh_select(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, uint8_t *face_mask, sn_error *error);

/* Boundary faces of the tets, outward, corner nodes only: `face` gets *count x 3 node indices, `owner` (may be NULL) the tet of each and
 * `opposite` (may be NULL) the local index (0..3) of the corner that the face leaves out. A mesh without tets gives its triangles.
 * The arrays come from the context's allocator; free them with sn_mesh_release. Order: ascending owner, then ascending opposite. */
SN_API sn_status sn_mesh_boundary(const sn_mesh *mesh, int *count, int32_t **face, int32_t **owner, uint8_t **opposite, sn_error *error);
SN_API void sn_mesh_release(const sn_mesh *mesh, void *array);

/* ---- Report ---- */
typedef struct sn_mesh_report {
    int nodes, tets, triangles, boundary_faces;
    double volume;                  /* sum of the signed tet volumes; enclosed volume for a surface mesh, m^3 */
    double low[3], high[3];         /* bounding box */
    double quality_min, quality_mean; /* 3 * inradius / circumradius: 1 regular, 0 flat, negative inverted */
    double dihedral_min, dihedral_max; /* degrees */
    double edge_min, edge_mean, edge_max;
    int inverted, flat;              /* tets with negative, with (relatively) no volume */
    int duplicate_tets;              /* same four corners */
    int duplicate_nodes;             /* same position as another node */
    int isolated_nodes;              /* used by no tet and no triangle */
    int nonmanifold_faces;           /* faces of more than two tets; edges of more than two triangles for a surface mesh */
    int open_edges;                  /* surface mesh: edges of one triangle */
    int components;                  /* connected pieces */
    int64_t worst_tet;               /* label of the tet with the lowest quality, -1 without tets */
    int64_t first_inverted, first_flat, first_duplicate, first_isolated; /* labels, -1 for none */
} sn_mesh_report;

SN_API sn_status sn_mesh_inspect(const sn_mesh *mesh, sn_mesh_report *report, sn_error *error);

/* ---- Order ---- */
/* A permutation of the nodes for locality: new_of_old[i] is the place of node i. Deterministic. */
SN_API sn_status sn_mesh_order(const sn_mesh *mesh, int32_t *new_of_old, sn_error *error);

/* ---- Files ---- */
/* Reads by ending: .msh (Gmsh 2.2, 4.1, ASCII and binary), .node/.ele (TetGen, either name; 0- and 1-based), .mesh (Medit), .veg (Vega),
 * .obj, .stl, .ply (ASCII and binary), .off. Errors name file, line (or byte) and reason. Numbers of the file become labels; formats that
 * count from 1 without writing numbers (.mesh, .obj) give labels from 1. STL has no connectivity: points with exactly equal coordinates
 * become one node. TetGen's .face is read when it is there. */
SN_API sn_status sn_mesh_read(sn_context *context, const char *path, sn_mesh **mesh, sn_error *error);
/* The same from memory; `format` is the ending without the dot. TetGen takes both files: `data` is the .node, `extra` the .ele. */
SN_API sn_status sn_mesh_read_memory(sn_context *context, const char *format, const char *name, const void *data, size_t bytes,
                                     const void *extra, size_t extra_bytes, sn_mesh **mesh, sn_error *error);
typedef struct sn_mesh_write_options {
    bool binary; /* where the format has both; default true for .stl, .ply; false for .msh */
    const char *version; /* .msh: "2.2" or "4.1" (default) */
} sn_mesh_write_options;
/* Writes by ending; formats without tets get the boundary surface, or the triangles of a mesh without tets. `options` may be NULL.
 * Formats that count from 1 (.msh, .veg) get labels lifted when the smallest is below. A failure leaves an older file as it was. */
SN_API sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options, sn_error *error);
/* The endings (without the dot) with one line about each. `count` is not NULL. The table is static. */
SN_API const sn_listing *sn_mesh_formats(int *count);
/* Whether a format can be read, or written; false for an unknown name. `format` is a name of sn_mesh_formats(). */
SN_API bool sn_mesh_format_reads(const char *format);
SN_API bool sn_mesh_format_writes(const char *format);

#ifdef __cplusplus
}
#endif
#endif
