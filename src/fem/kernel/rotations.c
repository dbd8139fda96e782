/* The rotations of one instruction set, in the order of names.h. */
#include "fem/law.h"
#include "fem/names.h"

#define DECLARE(id) extern const sn_rotation SN_ISA(sn_rotation_##id);
#define ENTRY(id) &SN_ISA(sn_rotation_##id),

SN_ROTATIONS(DECLARE)

const sn_rotation *const SN_ISA(sn_rotations)[] = {SN_ROTATIONS(ENTRY)};

const int SN_ISA(sn_rotation_count) = sizeof SN_ISA(sn_rotations) / sizeof SN_ISA(sn_rotations)[0];
