/* Vectors of four lanes, as for AVX2, on any processor. */
#define SN_WIDTH 4
#include "simd_cases.h"

int main(void) { return cmocka_run_group_tests(simd_tests, NULL, NULL); }
