/* The triangles that formats without tets write: OBJ, STL, PLY and OFF. */
#ifndef SN_MESH_OUTER_FACES_H
#define SN_MESH_OUTER_FACES_H

#include "mesh/group_classes.h"

/* The boundary of the tets, or the triangles of a mesh without tets. */
typedef struct sn_outer_faces {
    int count;           /* at least 1 */
    const int32_t *face; /* count x 3 */
    int32_t *owned;      /* NULL when `face` is the mesh's own array */
    sn_classes classes;  /* classes of the triangles; empty for a boundary, which has no groups */
} sn_outer_faces;

/* Fails when the mesh has no surface. */
sn_status sn_outer_faces_make(const sn_mesh *mesh, sn_outer_faces *faces, sn_output *output);
void sn_outer_faces_clear(const sn_mesh *mesh, sn_outer_faces *faces);

/* The class of triangle i, 0 without classes. */
static inline int sn_outer_face_class(const sn_outer_faces *faces, int i) {
    return faces->classes.of ? faces->classes.of[i] : 0;
}

void sn_put_position(sn_output *output, const double position[3]);         /* a line "x y z" */
void sn_put_face(sn_output *output, const int32_t node[3], int32_t first); /* a line "a b c", counted from `first` */

#endif
