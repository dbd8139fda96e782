/* Tets of a lattice as a mesh. Its parts are joined only where the surface, or the matter inside it, joins them. */
#ifndef SN_EMBED_PART_H
#define SN_EMBED_PART_H

#include "lattice.h"

/* The kept tets. *added gets the number of nodes beyond those of the lattice. */
sn_status sn_part_body(const sn_clean_surface *surface, const sn_lattice *lattice, sn_mesh **body, int *added,
                       sn_error *error);

#endif
