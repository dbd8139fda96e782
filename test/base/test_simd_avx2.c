/* Vectors of four lanes with the instructions of AVX2, whose gathers are written by hand: where compiler and processor
 * have them. */
#include <stdio.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
#define SN_WIDTH 4
#include "simd_cases.h"
#pragma GCC pop_options

int main(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) return cmocka_run_group_tests(simd_tests, NULL, NULL);
    puts("skipped: this processor has no AVX2");
    return 0;
}
#else
int main(void) {
    puts("skipped: gcc on x86-64 builds this");
    return 0;
}
#endif
