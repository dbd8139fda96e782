/* The fields of the options of a servo. */
#ifndef SN_HAPTIC_SERVO_OPTIONS_H
#define SN_HAPTIC_SERVO_OPTIONS_H

#include "base/fields.h"
#include "sinew/haptic.h"

const sn_field *sn_servo_fields(int *count);
sn_status sn_servo_options_check(const sn_servo_options *options, sn_error *error);

#endif
