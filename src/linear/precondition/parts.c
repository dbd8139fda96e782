/* See parts.h. */
#include "parts.h"

enum {
    PART_NODES = 1024, /* a part has at least so many nodes */
    JOINT_SHARE = 4    /* the joint has at most this share of the nodes */
};

/* Writes the part of each node of the pattern to `part`, and `count` for the joint. Returns the size of the joint. */
static int divide(const sn_pattern *pattern, int count, int32_t *part) {
    int joint = 0;
    for (int i = 0; i < pattern->nodes; ++i) part[i] = (int32_t)((int64_t)i * count / pattern->nodes);
    for (int i = 0; i < pattern->nodes; ++i) {
        const int32_t own = part[i];
        for (int32_t k = pattern->row_begin[i]; k < pattern->diagonal[i] && part[i] == own; ++k) {
            const int32_t other = part[pattern->column[k]];
            if (other != own && other != count) part[i] = count;
        }
        joint += part[i] == count;
    }
    return joint;
}

sn_status sn_parts_create(sn_context *context, const sn_pattern *pattern, int most, sn_parts *parts, sn_error *error) {
    const size_t nodes = (size_t)pattern->nodes;
    const sn_array array[] = {SN_ARRAY(parts->node, nodes), SN_ARRAY(parts->row, nodes)};
    const sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (status) {
        sn_parts_release(context, parts);
        return status;
    }
    const int large = pattern->nodes / PART_NODES < most ? pattern->nodes / PART_NODES : most;
    int32_t *part = parts->row;
    parts->count = large > 1 ? large : 1;
    if (divide(pattern, parts->count, part) > pattern->nodes / JOINT_SHARE) {
        parts->count = 1;
        divide(pattern, 1, part);
    }
    int32_t next = 0;
    for (int p = 0; p <= parts->count; ++p) {
        parts->first[p] = next;
        for (int i = 0; i < pattern->nodes; ++i) {
            const int node = p == 1 && p < parts->count ? pattern->nodes - 1 - i : i;
            if (part[node] == p) parts->node[next++] = node;
        }
    }
    parts->first[parts->count + 1] = next;
    for (int32_t r = 0; r < next; ++r) parts->row[parts->node[r]] = r;
    return SN_OK;
}

void sn_parts_release(sn_context *context, sn_parts *parts) {
    sn_release(context, parts->node);
    sn_release(context, parts->row);
    *parts = (sn_parts){0};
}
