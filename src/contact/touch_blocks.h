/* The blocks that a contact row adds to a matrix. */
#ifndef SN_CONTACT_TOUCH_BLOCKS_H
#define SN_CONTACT_TOUCH_BLOCKS_H

#include "linear/matrix/matrix.h"
#include "touch_rows.h"

/* How many blocks all rows add. */
int64_t sn_touch_rows_block_count(const sn_touch_rows *rows);
/* Appends J_i^T m J_j for all carriers i, j of a row. m: 3x3, row by row. sum_i J_i v_i is the motion of A relative to
 * B (sn_touch_row_motion). */
void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], sn_block_list *list);

#endif
