/* See linearisation.h. */
#include "linearisation.h"

sn_status sn_linearisation_solve(sn_linearisation *self, const sn_solve *problem, sn_linear_report *report,
                                 sn_error *error) {
    *report = (sn_linear_report){0};
    ++self->served;
    return self->table->solve(self, problem, report, error);
}
