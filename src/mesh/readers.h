/* The readers, one per format: fill an empty builder from a cursor at the start of the data. file.c makes the mesh from it. */
#ifndef SN_MESH_READERS_H
#define SN_MESH_READERS_H

#include "mesh/builder.h"

sn_status sn_read_msh(sn_text *text, sn_builder *builder);
sn_status sn_read_medit(sn_text *text, sn_builder *builder);
sn_status sn_read_vega(sn_text *text, sn_builder *builder);
sn_status sn_read_obj(sn_text *text, sn_builder *builder);
sn_status sn_read_stl(sn_text *text, sn_builder *builder);
sn_status sn_read_ply(sn_text *text, sn_builder *builder);
sn_status sn_read_off(sn_text *text, sn_builder *builder);

/* TetGen's three files; without .face `face` is NULL. */
sn_status sn_read_tetgen(sn_text *node, sn_text *ele, sn_text *face, sn_builder *builder);

#endif
