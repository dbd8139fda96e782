/* Vectors of one lane, the scalar reference. */
#define SN_WIDTH 1
#include "simd_cases.h"

int main(void) { return cmocka_run_group_tests(simd_tests, NULL, NULL); }
