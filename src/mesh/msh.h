/* The parts of the format .msh: the frame of the reader (read_msh.c), its versions (read_msh2.c, read_msh4.c), the
 * writer (write_msh.c). */
#ifndef SN_MESH_MSH_H
#define SN_MESH_MSH_H

#include "mesh/builder.h"
#include "mesh/file_output.h"

sn_status sn_read_msh(sn_text *text, sn_builder *builder);
sn_status sn_write_msh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);

enum { SN_MSH_MAX_NODES = 10, SN_MSH_MAX_PHYSICALS = 64 };

typedef struct sn_msh {
    sn_text *text;
    sn_builder *builder;
    sn_labels physical[4];  /* by dimension: physical tags ... */
    int *physical_group[4]; /* ... and their groups */
    int physical_capacity[4];
    sn_labels entity[4];  /* 4.1: tags of points, curves, surfaces, volumes ... */
    int *entity_begin[4]; /* ... where their physical tags begin in `list` (and end where the next entity's begin) */
    int entity_capacity[4];
    int64_t *list[4];
    int list_count[4], list_capacity[4];
} sn_msh;

typedef struct sn_msh_element_type {
    int type;
    int dimension;
    int nodes; /* 0: not supported */
    const char *name;
} sn_msh_element_type;

/* The entry of a type that can be read; an error for the others. */
sn_status sn_msh_element_type_of(sn_msh *msh, int64_t type, const sn_msh_element_type **entry);
/* The group of a physical tag: named by $PhysicalNames, or by its number. */
sn_status sn_msh_physical(sn_msh *msh, int dimension, int64_t tag, int *group);
/* Adds an element. `node` are labels. Points and lines only serve the node groups. `same`: the element just added once
 * more, for another group. */
sn_status sn_msh_element(sn_msh *msh, const sn_msh_element_type *type, int64_t label, const int64_t *node,
                         const int64_t *physical, int physicals, bool same);

sn_status sn_msh_integer(sn_msh *msh, const char *what, int64_t *value); /* int */
sn_status sn_msh_size(sn_msh *msh, const char *what, int64_t *value);    /* size_t of 4.1 */
sn_status sn_msh_number(sn_msh *msh, const char *what, double *value);
sn_status sn_msh_end_line(sn_msh *msh, const char *what); /* text only */

sn_status sn_msh2_nodes(sn_msh *msh);
sn_status sn_msh2_elements(sn_msh *msh);
sn_status sn_msh4_entities(sn_msh *msh);
sn_status sn_msh4_nodes(sn_msh *msh);
sn_status sn_msh4_elements(sn_msh *msh);

#endif
