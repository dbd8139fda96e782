/* The table of the options of an embedded body. */
#ifndef SN_EMBED_EMBED_OPTIONS_H
#define SN_EMBED_EMBED_OPTIONS_H

#include "base/fields.h"
#include "sinew/embed.h"

const sn_field *sn_embed_fields(int *count);

#endif
