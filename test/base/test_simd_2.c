/* Vectors of two lanes, the baseline. */
#define SN_WIDTH 2
#include "simd_cases.h"

int main(void) { return cmocka_run_group_tests(simd_tests, NULL, NULL); }
