/* Drawing the boundary of a body to the surface inside of it. */
#ifndef SN_EMBED_FIT_BODY_H
#define SN_EMBED_FIT_BODY_H

#include "clean_surface.h"

/* Takes `steps` steps with the relaxation `relax` (k_ODT). `body` bounds the surface with a gap of more than `margin`
 * (m), before and after each move. *stopped gets the number of moves that the surface shortened. */
sn_status sn_fit_body(const sn_clean_surface *surface, sn_mesh *body, int steps, double relax, double margin,
                      int *stopped, sn_error *error);

#endif
