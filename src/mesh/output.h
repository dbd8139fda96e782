/* A buffered file for the writers, the numbers that they print, and the groups of a mesh in the forms that files want.
 *
 * Errors are kept until sn_output_close, so that writers read straight. Text numbers are the shortest of 15 or 17 digits that read back
 * to the same double; file.c puts the thread into the C locale. */
#ifndef SN_MESH_OUTPUT_H
#define SN_MESH_OUTPUT_H

#include <stdio.h>

#include "base/context.h"
#include "sinew/mesh.h"

enum { SN_OUTPUT_BUFFER = 1 << 16 };

typedef struct sn_output {
    FILE *file;
    const char *place; /* where it is written */
    const char *path;  /* what messages call it */
    sn_error *error;
    int failure; /* errno of the first failed write */
    size_t used;
    char buffer[SN_OUTPUT_BUFFER];
} sn_output;

/* `output` is large: take it from the allocator. Writes to `place`; messages speak of `path`. */
sn_status sn_output_open(sn_output *output, const char *place, const char *path, sn_error *error);
/* Closes; removes the file when a write failed or `status` is a failure. Returns `status` or SN_IO. */
sn_status sn_output_close(sn_output *output, sn_status status);

void sn_put_bytes(sn_output *output, const void *data, size_t bytes);
void sn_put_text(sn_output *output, const char *text);
void sn_put_format(sn_output *output, const char *format, ...) SN_PRINTF(2, 3); /* up to 255 characters */
void sn_put_integer(sn_output *output, int64_t value, char after);
void sn_put_number(sn_output *output, double value, char after);
void sn_put_i32(sn_output *output, int64_t value); /* binary, this machine's byte order */
void sn_put_u64(sn_output *output, int64_t value);
void sn_put_f64(sn_output *output, double value);

/* Labels, lifted so that the smallest is at least `base`. */
typedef struct sn_numbering {
    const int64_t *label; /* NULL: indices */
    int64_t shift;
    int64_t last; /* the largest number, base - 1 when there is none */
} sn_numbering;
sn_numbering sn_numbering_of(const int64_t *label, int count, int64_t base);
static inline int64_t sn_number_at(const sn_numbering *numbering, int i) {
    return (numbering->label ? numbering->label[i] : i) + numbering->shift;
}

/* The members of groups cut into classes: two things are in one class when they are in the same groups. Class 0 is in none. A class
 * is made from its parent by adding one group, so walking up the parents gives the class's groups, the last one first. */
typedef struct sn_class {
    int parent, group;
    int child; /* scratch: the class made from this one by group `stamp` */
    int stamp;
    int members;
    int64_t reference; /* one number for the class: see sn_classes_number */
} sn_class;

typedef struct sn_classes {
    const sn_context *context;
    sn_class *item;
    int count, capacity;
    int32_t *of; /* one per node, tet or triangle */
    int things;
} sn_classes;

sn_status sn_classes_make(const sn_mesh *mesh, sn_group_kind kind, sn_classes *classes, sn_error *error);
void sn_classes_clear(sn_classes *classes);
/* Files with one number per element: 0 for class 0; R for the group named "tet-R" ("node-R", "tri-R") alone; free numbers else. */
void sn_classes_number(const sn_mesh *mesh, sn_group_kind kind, sn_classes *classes);
/* Comment lines "# tet 5: name, name" for the classes whose number does not tell. */
void sn_classes_explain(const sn_mesh *mesh, sn_group_kind kind, const sn_classes *classes, sn_output *output);

/* What formats without tets write: the boundary of the tets, or the triangles when there are none. `face` is count x 3. */
typedef struct sn_surface {
    int count;
    const int32_t *face;
    int32_t *owned; /* NULL for the mesh's own triangles */
} sn_surface;
sn_status sn_surface_make(const sn_mesh *mesh, sn_surface *surface, sn_error *error);
void sn_surface_clear(const sn_mesh *mesh, sn_surface *surface);

/* The writers. */
sn_status sn_write_msh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_medit(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_vega(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_obj(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_stl(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_ply(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_off(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_tetgen_node(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_tetgen_ele(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
sn_status sn_write_tetgen_face(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);

#endif
