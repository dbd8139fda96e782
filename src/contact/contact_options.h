/* The options of contact between bodies, for the other parts of the library. */
#ifndef SN_CONTACT_OPTIONS_H
#define SN_CONTACT_OPTIONS_H

#include "base/fields.h"
#include "sinew/contact.h"

/* X(name, text): the responses. The first one is the default. */
#define SN_CONTACT_RESPONSES(X)                                                                                        \
    X("area", "forces at reduced contact points, where surfaces intersect (Civit); needs no clean start, recovers "    \
              "from deep interpenetration")                                                                            \
    X("penalty", "a spring and a damper per area where surfaces intersect, with regularised Coulomb friction")         \
    X("exact", "nothing ever intersects: a barrier, and steps that stop before surfaces meet; needs a clean start")

const sn_field *sn_contact_fields(int *count);
/* Whether bodies touch with this response. */
bool sn_contact_responds(const sn_contact_options *options, const char *response);

#endif
