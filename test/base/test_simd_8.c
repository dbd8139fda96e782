/* Vectors of eight lanes, on any processor. */
#define SN_WIDTH 8
#include "simd_cases.h"

int main(void) { return cmocka_run_group_tests(simd_tests, NULL, NULL); }
