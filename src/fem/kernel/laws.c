/* The laws of one instruction set, in the order of names.h. */
#include "fem/law.h"
#include "fem/names.h"

#define DECLARE(id) extern const sn_law SN_ISA(sn_law_##id);
#define ENTRY(id) &SN_ISA(sn_law_##id),

SN_LAWS(DECLARE)

const sn_law *const SN_ISA(sn_laws)[] = {SN_LAWS(ENTRY)};

const int SN_ISA(sn_law_count) = sizeof SN_ISA(sn_laws) / sizeof SN_ISA(sn_laws)[0];
