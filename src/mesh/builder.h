/* A mesh that is being read: nodes, tets, triangles and groups that grow. Each is checked as it comes in.
 *
 * Numbers of the file are labels. As long as they are consecutive (nearly always) a label is found by subtraction; the
 * first one out of the row moves them into a hash table. A label that comes twice is refused at the line where it comes
 * the second time. */
#ifndef SN_MESH_BUILDER_H
#define SN_MESH_BUILDER_H

#include "base/context.h"
#include "mesh/text.h"
#include "sinew/mesh.h"

/* Labels by index, and indices by label. */
typedef struct sn_labels {
    int64_t *label; /* count */
    int count, capacity;
    int32_t *slot;  /* NULL while label[i] == label[0] + i; else open addressing: index, or -1 */
    uint32_t slots; /* power of two */
} sn_labels;

/* Appends; *fresh is false (and nothing appended) when the label is there already. */
sn_status sn_labels_add(const sn_context *context, sn_labels *labels, int64_t label, bool *fresh, sn_error *error);
int sn_labels_find(const sn_labels *labels, int64_t label); /* the index, or -1 */
void sn_labels_clear(const sn_context *context, sn_labels *labels);

typedef struct sn_builder_group {
    char name[64];
    sn_group_kind kind;
    int count, capacity;
    int32_t *member;
} sn_builder_group;

/* Vectors of tets and of triangles; those that were not given are zero. */
typedef struct sn_builder_field {
    char name[64];
    double *value[2]; /* of tets, of triangles */
    int count[2], capacity[2];
} sn_builder_field;

typedef struct sn_builder {
    sn_context *context;
    sn_labels node, tet, triangle;
    double *position;
    int32_t *tet_node, *triangle_node;
    int position_capacity, tet_capacity, triangle_capacity; /* in nodes, tets, triangles */
    int tet_nodes;                                          /* 4 or 10; 0 before the first tet */
    sn_builder_group *group;
    int group_count, group_capacity;
    sn_builder_field *field;
    int field_count, field_capacity;
    sn_labels reference[3];  /* reference numbers already seen, by kind of group ... */
    int *reference_group[3]; /* ... and their groups */
    int reference_capacity[3];
    struct {
        char what[40];
        int64_t count;
    } left_out[6];
} sn_builder;

void sn_builder_clear(sn_builder *builder);

/* All functions take the cursor, because messages name its line. */
sn_status sn_builder_node(sn_builder *builder, sn_text *text, int64_t label, const double position[3]);
/* `node` has `count` indices. `count` is 4 or 10, and the same for all tets. */
sn_status sn_builder_tet(sn_builder *builder, sn_text *text, int64_t label, const int32_t *node, int count);
sn_status sn_builder_triangle(sn_builder *builder, sn_text *text, int64_t label, const int32_t node[3]);
/* A polygon of given nodes as triangles (polygon.h), numbered on from the last triangle. */
sn_status sn_builder_polygon(sn_builder *builder, sn_text *text, const int32_t *node, int count);
/* The index of a node's label, or a message. */
sn_status sn_builder_find_node(sn_builder *builder, sn_text *text, int64_t label, int32_t *index);

/* The group of this kind and name, made when it is new. */
sn_status sn_builder_group_named(sn_builder *builder, sn_text *text, sn_group_kind kind, const char *name, int length,
                                 int *group);
/* The group of a reference number, named "node-7", "tet-7" or "tri-7". */
sn_status sn_builder_group_numbered(sn_builder *builder, sn_text *text, sn_group_kind kind, int64_t number, int *group);
sn_status sn_builder_join(sn_builder *builder, sn_text *text, int group, int32_t member);

/* The field of this name, made when it is new, and a vector of it. */
sn_status sn_builder_field_named(sn_builder *builder, sn_text *text, const char *name, int length, int *field);
sn_status sn_builder_vector(sn_builder *builder, sn_text *text, int field, bool triangle, int32_t cell,
                            const double vector[3]);

/* Notes that `count` things of the file have no place in the mesh. `what` is a plural, such as "lines". */
void sn_builder_leave_out(sn_builder *builder, const char *what, int64_t count);

/* Makes the mesh. Fails when there are neither tets nor triangles. Labels that are 0, 1, 2, ... are left out (NULL). */
sn_status sn_builder_finish(sn_builder *builder, sn_text *text, sn_mesh **mesh);

#endif
