/* The numbers and the groups of a mesh in the forms that files want.
 *
 * Some formats count from 1, so labels are lifted. Many formats give an element one reference number only, but our
 * groups overlap: a class is one combination of groups, and gets one number. */
#ifndef SN_MESH_GROUP_CLASSES_H
#define SN_MESH_GROUP_CLASSES_H

#include "mesh/file_output.h"
#include "sinew/mesh.h"

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

/* Nodes, tets or triangles in classes: two of them are in one class when they are in the same groups. Class 0 is in no
 * group. A class is made from its parent by adding one group, so walking up the parents gives the class's groups, the
 * last one first. */
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
/* Gives each class a number, for files with one number per element. Class 0 has 0. A class of one group named "tet-R"
 * ("node-R", "tri-R") has R. Other classes get free numbers. */
void sn_classes_number(const sn_mesh *mesh, sn_group_kind kind, sn_classes *classes);
/* Comment lines "# tet 5: name, name" for the classes whose number does not name the group. */
void sn_classes_explain(const sn_mesh *mesh, sn_group_kind kind, const sn_classes *classes, sn_output *output);

#endif
