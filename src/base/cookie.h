/* The mark of an options struct that its default function made. A struct of zeros, or one that was compiled against
 * another header, does not have it. */
#ifndef SN_BASE_COOKIE_H
#define SN_BASE_COOKIE_H

#include "sinew/base.h"

#define SN_COOKIE 0x534e4f32u

/* `name` is the struct: "sn_fix". */
sn_status sn_cookie_check(uint32_t cookie, const char *name, sn_error *error);

#endif
