/* The fields of sn_time_options and of its part sn_newton_options: scene keys, ranges, defaults and texts. */
#ifndef SN_TIME_OPTIONS_H
#define SN_TIME_OPTIONS_H

#include "base/fields.h"
#include "sinew/options.h"

const sn_field *sn_time_fields(int *count);

/* SN_BAD_INPUT when an option differs from its default and has no effect with the others. */
sn_status sn_time_options_used(const sn_time_options *options, sn_error *error);

#endif
