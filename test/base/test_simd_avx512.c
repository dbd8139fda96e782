/* Vectors of eight lanes with the instructions of AVX-512, whose gathers are written by hand: where compiler and
 * processor have them. */
#include <stdio.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#define SN_WIDTH 8
#include "simd_cases.h"
#pragma GCC pop_options

int main(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return cmocka_run_group_tests(simd_tests, NULL, NULL);
    puts("skipped: this processor has no AVX-512");
    return 0;
}
#else
int main(void) {
    puts("skipped: gcc on x86-64 builds this");
    return 0;
}
#endif
