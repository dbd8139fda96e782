/* What the two halves of the projection response share. */
#ifndef SN_CONTACT_PROJECTION_SETTLE_H
#define SN_CONTACT_PROJECTION_SETTLE_H

#include "projection.h"

/* Normal and anchor of a slot's node at x and t. */
void sn_contact_linearise(const sn_projection *p, int slot, double t, const double x[3], sn_contact *contact);
/* Tangential velocity of the node against the collider. */
void sn_contact_slip(const sn_projection *p, const sn_contact *contact, double t, const double *v, double ut[3]);
/* Contacts, rows and filter from the status; contacts that are not fresh are linearised at (t, x), where the step began. */
void sn_projection_collect(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status);

#endif
