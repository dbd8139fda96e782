/* Rigid bodies: a body whose whole mesh moves as one rigid core (cores.c). Its elements are never evaluated. It has
 * mass and inertia only, so its stiffness plays no part.
 *
 * The mass is on nodes, as that of all bodies. For the motion of a rigid body three things count: its mass M, its
 * centre C and its second moments J = int rho (X - C) (X - C)^T dV. The nodes of a mesh cannot give these exactly;
 * those of a surface lie too far outside. So the body gets four more nodes that no element uses. A part f of the mass
 * is spread evenly over the nodes of the mesh. The four carry the rest M' = (1 - f) M, whose centre is C' and whose
 * second moments are J', in equal parts at
 *
 *   C' + L s_i,   L L^T = J' / M',   s = (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1).
 *
 * Since sum s_i = 0 and sum s_i s_i^T = 4 I, mass, centre and inertia of all nodes together are exact. f is at most one
 * half, and so small that J' is positive definite.
 *
 * A closed surface is a body too. It becomes a cone of tets with one of the four nodes as apex. The signed volumes of
 * these tets sum up to the volume that the surface encloses: this is the divergence theorem. */
#ifndef SN_WORLD_RIGID_BODY_H
#define SN_WORLD_RIGID_BODY_H

#include "model.h"

enum { SN_RIGID_NODES = 4 };

/* What makes a rigid body: masses of its nodes, and what they were made of. */
typedef struct sn_rigid {
    double *mass;   /* per node of the body's mesh, kg */
    double *volume; /* per material, m^3 */
    double total;   /* kg, with the densities at the creation */
} sn_rigid;

/* Takes the mesh of a rigid body: a copy with four more nodes, and tets in any case. Sets the element of the body. */
sn_status sn_rigid_body_take(const sn_body_options *options, sn_body *body, sn_error *error);
/* Computes the masses and places the four nodes. The elements of the body have their materials already. */
sn_status sn_rigid_body_weigh(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error);
void sn_rigid_body_release(sn_context *context, sn_rigid *rigid);
/* How much heavier the body is with these materials than at its creation. */
double sn_rigid_body_scale(const sn_body *body, const sn_material *material);

#endif
