/* Meshes: nodes, tets, triangles and named groups; generators, selectors, quality, files.
 *
 * Nodes, tets and triangles are counted from 0: their indices. A mesh also keeps the numbers of the file it came from:
 * their labels. All output speaks in labels.
 *
 * Unless a comment says otherwise: a pointer must not be NULL; `error` may be NULL; a function that fails leaves its
 * results untouched, says why in `error`, and leaks nothing; a mesh with an index out of range is refused with
 * SN_BAD_INPUT. */
#ifndef SINEW_MESH_H
#define SINEW_MESH_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the members of a group are: indices of nodes, of tets or of triangles. */
typedef enum sn_group_kind { SN_GROUP_NODES, SN_GROUP_TETS, SN_GROUP_TRIANGLES } sn_group_kind;

/* A named set. Two groups may overlap; a node group and a tet group may have the same name. */
typedef struct sn_group {
    char name[64]; /* ends with a zero: up to 63 bytes */
    sn_group_kind kind;
    int count;       /* of members, 0 or more */
    int32_t *member; /* count: ascending indices (not labels), each once */
} sn_group;

/* A named field of vectors from a file: one vector per tet, or per triangle in a mesh without tets. */
typedef struct sn_mesh_field {
    char name[64]; /* ends with a zero: up to 63 bytes */
    double *value; /* tets (or triangles) x 3 */
} sn_mesh_field;

/* All arrays belong to the mesh and come from the allocator of its context. Positions may be edited in place; counts
 * may not. */
typedef struct sn_mesh {
    sn_context *context; /* outlives the mesh */

    int node_count;
    double *position; /* node_count x 3, m */

    int tet_count;
    int tet_nodes; /* 4 or 10. Ten: the corners, then the nodes in the middle of the edges 01 12 20 03 13 23 (VTK's
                      order). The mesh that sn_world_body_mesh gives for a plane body has 3: its elements are triangles
                    */
    int32_t *tet;  /* tet_count x tet_nodes indices; the volume is positive when det(x1 - x0, x2 - x0, x3 - x0) > 0 */

    int triangle_count; /* triangles that the file or the generator gave: a surface mesh, or some boundary faces of the
                           tets */
    int32_t *triangle;  /* triangle_count x 3 indices, counter-clockwise seen from outside */

    int64_t *node_label;     /* node_count, or NULL: the label is the index */
    int64_t *tet_label;      /* tet_count, or NULL: the label is the index */
    int64_t *triangle_label; /* triangle_count, or NULL: the label is the index */

    /* Nested levels. sn_mesh_refine and sn_mesh_to_tet10 put new nodes into the middle of edges and note this here;
     * each call adds a level. A mesh that neither of them made has no levels. Files do not hold levels. */
    int level_count;      /* 2 or more: level 0 and one for each call; 0: no levels */
    uint8_t *node_level;  /* node_count: the level on which the node was born, 0 for the nodes of the first mesh; NULL
                             without levels */
    int32_t *node_parent; /* node_count x 2: the ends of the edge in whose middle the node was born, both of lower
                             levels; -1 on level 0; NULL without levels */

    int group_count;
    sn_group *group; /* group_count. Only sn_mesh_add_group may add a group: the array's capacity is a power of two */

    int field_count;
    sn_mesh_field *field; /* field_count. Only sn_mesh_add_field may add a field */

    char left_out[160]; /* set by sn_mesh_read: what the mesh does not have of its file, such as "12 lines, 2 data
                           arrays"; "" when nothing. Meshes made from this one have "" */
} sn_mesh;

/* Makes a mesh with all positions and indices 0, without labels and groups. `nodes`, `tets` and `triangles` are 0 or
 * more; `tet_nodes` is 4 or 10, also without tets. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_create(sn_context *context, int nodes, int tets, int tet_nodes, int triangles, sn_mesh **mesh,
                                sn_error *error);
/* An independent copy in the same context, with labels, levels and groups. The caller frees *mesh with sn_mesh_destroy.
 */
SN_API sn_status sn_mesh_copy(const sn_mesh *source, sn_mesh **mesh, sn_error *error);
SN_API void sn_mesh_destroy(sn_mesh *mesh); /* NULL: does nothing */
/* Appends a group. `name` has up to 63 bytes. `member` has `count` (0 or more) indices in any order; it is copied,
 * sorted, and repeated members are dropped. NULL is allowed when `count` is 0. */
SN_API sn_status sn_mesh_add_group(sn_mesh *mesh, const char *name, sn_group_kind kind, const int32_t *member,
                                   int count, sn_error *error);
/* The first group of this name, of any kind; NULL when there is none. Valid until the next sn_mesh_add_group. */
SN_API const sn_group *sn_mesh_find_group(const sn_mesh *mesh, const char *name);

/* Appends a field of this name, or replaces it. `name` has 1 to 63 bytes. `value` has one vector per tet (per triangle
 * without tets); it is copied. sn_mesh_rotate turns the vectors. */
SN_API sn_status sn_mesh_add_field(sn_mesh *mesh, const char *name, const double *value, sn_error *error);
/* The field of this name; NULL when there is none. */
SN_API const sn_mesh_field *sn_mesh_find_field(const sn_mesh *mesh, const char *name);

/* ---- Transformations of the rest shape ---- */
/* Multiplies all positions by `factor`. A negative factor mirrors the mesh; corners are then swapped, so that volumes
 * stay positive. */
SN_API void sn_mesh_scale(sn_mesh *mesh, double factor);
/* Turns about an axis through the origin, of any length, by the right-hand rule. Does nothing when the axis is zero. */
SN_API void sn_mesh_rotate(sn_mesh *mesh, const double axis[3], double degrees);
SN_API void sn_mesh_move(sn_mesh *mesh, const double offset[3]); /* m */
/* Tets of 4 nodes become tets of 10 with straight edges. The new nodes come after the old ones, which keep their
 * indices and labels; they are a level of their own. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_to_tet10(const sn_mesh *source, sn_mesh **mesh, sn_error *error);
/* Octasection: every tet becomes eight, every triangle four. Groups are carried over; old nodes keep their indices and
 * labels, and the new nodes are the next level. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_refine(const sn_mesh *source, sn_mesh **mesh, sn_error *error);

/* The boundary of tets as triangles, outward, with the corner nodes that it has; groups and labels are not carried
 * over. SN_BAD_INPUT without tets. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_shell(const sn_mesh *source, sn_mesh **mesh, sn_error *error);

/* ---- Generators ---- */
/* One parameter of a generator, as in a scene: {"box": {"size": [1, 1, 1], "cells": [4, 4, 4], "split": 6}}. */
typedef struct sn_generator_value {
    const char *name;
    int count;       /* how many of `value` are set, 1 to 3; one number stands for all numbers of the parameter */
    double value[3]; /* the range and the unit depend on the parameter: see sn_generators() */
} sn_generator_value;

/* Makes a mesh by a generator of sn_generators(). `values` has `count` parameters (may be NULL when `count` is 0); a
 * parameter that is not given has its default. An unknown generator is SN_NOT_FOUND; an unknown parameter, one given
 * twice, and a value out of range are SN_BAD_INPUT. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_generate(sn_context *context, const char *generator, const sn_generator_value *values,
                                  int count, sn_mesh **mesh, sn_error *error);
/* The generators with their parameters; *count of them. The table is static. */
SN_API const sn_listing *sn_generators(int *count);

/* ---- Selectors ---- */
typedef enum sn_select_kind {
    SN_SELECT_ALL,
    SN_SELECT_SURFACE,   /* nodes of boundary faces */
    SN_SELECT_BOX,       /* box[0] <= x <= box[1] */
    SN_SELECT_SPHERE,    /* |x - point| <= radius */
    SN_SELECT_HALFSPACE, /* (x - point) . normal >= 0 */
    SN_SELECT_NORMAL,    /* nodes of boundary faces whose outward normal is within `angle` of `normal` */
    SN_SELECT_NODES,     /* the nodes with these labels */
    SN_SELECT_GROUP,     /* the nodes of all groups of this name */
    SN_SELECT_AND,       /* nodes that all children pick */
    SN_SELECT_OR,        /* nodes that a child picks */
    SN_SELECT_NOT        /* nodes that the child does not pick */
} sn_select_kind;

/* Picks nodes. Only the fields of its kind are read. */
typedef struct sn_selector {
    sn_select_kind kind;
    double box[2][3];                /* box: low and high corner, m */
    double point[3];                 /* sphere: centre; halfspace: a point of its plane; m */
    double normal[3];                /* halfspace, normal: any length above 0 */
    double radius;                   /* sphere: m, 0 or more */
    double angle;                    /* normal: degrees, 0 to 180; a scene's default is 1 */
    const int64_t *nodes;            /* nodes: node_count labels */
    int node_count;                  /* nodes: 0 or more */
    char group[64];                  /* group: the name, ends with a zero */
    const struct sn_selector *child; /* and, or: child_count selectors; not: one */
    int child_count;                 /* and, or: 1 or more; not: 1 */
} sn_selector;

/* Sets mask[i] to 1 for each node i that is picked and to 0 for the others: node_count bytes. `face_mask` (may be NULL)
 * gets the same for the boundary faces, in the order of sn_mesh_boundary. A face is picked by SN_SELECT_NORMAL, by a
 * group of triangles, or otherwise when all its nodes are picked. SN_BAD_INPUT when nothing is picked, and when a label
 * or a group does not exist; the masks are then undefined.
 */
SN_API sn_status sn_mesh_select(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, uint8_t *face_mask,
                                sn_error *error);

/* The boundary: faces of tets that no other tet shares, outward, with their corner nodes; or the triangles of a mesh
 * without tets. The order is ascending owner, then ascending opposite. `face` gets *count x 3 node indices. `owner`
 * gets the tet of each face, -1 without tets, the triangle itself in the mesh of a plane body. `opposite` gets the
 * corner (0 to 3) of the tet that the face leaves out, 0 without tets. Each of the three may be NULL; free the others
 * with sn_mesh_release. */
SN_API sn_status sn_mesh_boundary(const sn_mesh *mesh, int *count, int32_t **face, int32_t **owner, uint8_t **opposite,
                                  sn_error *error);
/* Frees an array that a function of this header gave; NULL does nothing. `mesh` is the mesh that the function was
 * called with. */
SN_API void sn_mesh_release(const sn_mesh *mesh, void *array);

/* ---- Report ---- */
/* Labels are -1 when there is no such thing. Quality, angles and edges are 0 in a mesh without elements. */
typedef struct sn_mesh_report {
    int nodes, tets, triangles;
    int boundary_faces;     /* of the tets; the triangles of a mesh without tets */
    double volume;          /* m^3: sum of the signed volumes of the tets; the enclosed volume of a surface mesh */
    double low[3], high[3]; /* m: corners of the box around all nodes */
    double quality_min, quality_mean;  /* tets: 3 inradius / circumradius, 1 regular, 0 flat, below 0 inverted; surface
                                          mesh: 2 inradius / circumradius of the triangles */
    double dihedral_min, dihedral_max; /* degrees: angles between the faces of a tet */
    double edge_min, edge_mean, edge_max; /* m */
    int inverted;                         /* tets of negative volume */
    int flat;                             /* tets with no volume, relative to their size */
    int duplicate_tets;                   /* tets with the same four corners as an earlier tet */
    int duplicate_nodes;                  /* nodes at the same position as an earlier node */
    int isolated_nodes;                   /* nodes of no tet and no triangle */
    int nonmanifold_faces; /* faces of more than two tets; in a surface mesh, edges of more than two triangles */
    int open_edges;        /* in a surface mesh, edges of one triangle only */
    int components;        /* connected pieces */
    int hinges; /* how many more pieces there are when tets join only by faces: parts that hang on others by an edge or
                   a single node, and turn freely about it */
    int64_t worst_tet;                                   /* label of the tet with the lowest quality */
    int64_t first_inverted, first_flat, first_duplicate; /* labels of tets */
    int64_t first_isolated;                              /* label of a node */
} sn_mesh_report;

SN_API sn_status sn_mesh_inspect(const sn_mesh *mesh, sn_mesh_report *report, sn_error *error);

/* ---- Order ---- */
/* A permutation of the nodes that puts neighbours near each other: new_of_old[i] is the new place of node i.
 * `new_of_old` has node_count places. The same mesh always gives the same permutation. */
SN_API sn_status sn_mesh_order(const sn_mesh *mesh, int32_t *new_of_old, sn_error *error);

/* ---- Files ---- */
/* Reads a mesh; the ending of `path` chooses the format (sn_mesh_formats, docs/mesh-files.md), in upper or lower case.
 * Other files that belong to the mesh (.node, .ele and .face of TetGen) are found beside it. Numbers of the file become
 * labels. A file that cannot be opened is SN_NOT_FOUND, a broken one SN_BAD_INPUT; the message has file, line (or byte)
 * and reason. The caller frees *mesh with sn_mesh_destroy. */
SN_API sn_status sn_mesh_read(sn_context *context, const char *path, sn_mesh **mesh, sn_error *error);
/* The same from memory. `format` is the ending without the dot; messages begin with `name`. `data` has `bytes` bytes
 * (may be NULL when `bytes` is 0). A format of two files (TetGen) takes the first (.node) in `data` and the second
 * (.ele) in `extra`; other formats ignore `extra`, which may be NULL. Nothing is kept of `data` and `extra`. */
SN_API sn_status sn_mesh_read_memory(sn_context *context, const char *format, const char *name, const void *data,
                                     size_t bytes, const void *extra, size_t extra_bytes, sn_mesh **mesh,
                                     sn_error *error);

typedef struct sn_mesh_write_options {
    uint32_t cookie;     /* set by sn_mesh_write_options_default(); a struct without it is refused */
    bool binary;         /* only for formats that have text and binary files: .msh, .stl, .ply; default false */
    const char *version; /* only for .msh: "2.2" or "4.1"; NULL (default): "4.1" */
} sn_mesh_write_options;
SN_API sn_mesh_write_options sn_mesh_write_options_default(void);
/* Writes a mesh; the ending of `path` chooses the format. `options` may be NULL: .stl and .ply are then binary, all
 * others text. A format without tets gets the boundary of the tets, or the triangles of a mesh without tets. A format
 * that counts from 1 gets labels lifted when the smallest is below 1. Options that the format does not have are
 * SN_BAD_INPUT. A failure leaves an older file as it was. */
SN_API sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options,
                               sn_error *error);

/* What a file of the mesh would not hold, as a text such as "2 node groups, node numbers"; "" when it holds everything.
 * `format` is the ending without the dot; `options` are those of sn_mesh_write. `text` gets up to `capacity` bytes with
 * the final zero. An unknown format is SN_BAD_INPUT. */
SN_API sn_status sn_mesh_losses(const sn_mesh *mesh, const char *format, const sn_mesh_write_options *options,
                                char *text, int capacity, sn_error *error);

/* The formats: the ending without the dot, and one line of text; *count of them. The table is static. */
SN_API const sn_listing *sn_mesh_formats(int *count);
/* Whether a format can be read, or written; false for an unknown one. `format` is the ending without the dot. */
SN_API bool sn_mesh_format_reads(const char *format);
SN_API bool sn_mesh_format_writes(const char *format);

#ifdef __cplusplus
}
#endif
#endif
