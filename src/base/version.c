/* The version, and the list of the parts of this build. */
#include "sinew/base.h"

const char *sn_version(void) { return SN_VERSION; }

const char *sn_build_parts(void) {
    return "sinew " SN_VERSION " (MIT)\n"
           "jansson: scene files (MIT)\n"
           "zlib: compressed results (zlib)\n"
           "libpng: pictures (libpng)\n"
#if defined(SN_HAVE_CHOLMOD)
           "SuiteSparse CHOLMOD with METIS: direct solver (LGPL-2.1+, its Supernodal and MatrixOps modules GPL-2+; "
           "METIS Apache-2.0)\n"
#else
           "without CHOLMOD: the direct solver is ldlt\n"
#endif
#if defined(SN_HAVE_X86_KERNELS)
           "kernels: baseline, AVX2, AVX-512\n"
#else
           "kernels: baseline\n"
#endif
        ;
}
