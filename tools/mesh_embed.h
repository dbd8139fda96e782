/* The part of `sinew mesh` that lays tets around a surface. */
#ifndef SINEW_TOOL_MESH_EMBED_H
#define SINEW_TOOL_MESH_EMBED_H

#include "tool.h"

/* The options as the command line gives them; NULL or 0: not given. */
typedef struct mesh_embed {
    bool use;
    const char *cell, *relax;
    int elements, fit; /* fit is -1 when it is not given */
} mesh_embed;

/* Puts the tets in the place of the surface. Without `use` it does nothing, and refuses the other options. */
int mesh_embed_apply(const mesh_embed *embed, sn_mesh **mesh, sn_embed_report *report);
void mesh_embed_print(const sn_embed_report *report);
json_t *mesh_embed_json(const sn_embed_report *report);

#endif
