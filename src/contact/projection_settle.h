/* Functions of projection.c that projection_settle.c uses. */
#ifndef SN_CONTACT_PROJECTION_SETTLE_H
#define SN_CONTACT_PROJECTION_SETTLE_H

#include "projection.h"

/* Sets normal and anchor of a slot's node at x and t. */
void sn_contact_linearise(const sn_projection *p, int slot, double t, const double x[3], sn_held_contact *contact);
/* The tangential velocity ut of the node relative to the collider. */
void sn_contact_slip(const sn_projection *p, const sn_held_contact *contact, double t, const double *v, double ut[3]);
/* Makes contacts, rows and filter from the status. Contacts that are not fresh get the normal at (t, x), the beginning
 * of the step. */
void sn_projection_collect(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status);

#endif
