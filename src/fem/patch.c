/* Patches: how they are made from the batches of elements. */
#include "patch.h"

#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* ---- Laws ---- */
sn_status sn_patch_check(const sn_element *element, const sn_law *law, const sn_material *material, sn_error *error) {
    if (!element->patches) return SN_OK;
    if (law->table)
        return sn_fail_at(error, SN_BAD_INPUT, "law",
                          "law '%s' is a law of the caller: nobody knows which part of it is volume, so element '%s' "
                          "cannot take it",
                          law->name, element->name);
    if (strcmp(material->warping, "none") != 0 && *material->warping)
        return sn_fail_at(error, SN_BAD_INPUT, "warping", "warping does not go with element '%s'", element->name);
    if (sn_material_frame_time(material) > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "frames.every", "'frames.every' does not go with element '%s'",
                          element->name);
    if (material->prony_count && element->patch_shear == 0 && strcmp(material->prony_on, "shear") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "prony.on",
                          "element '%s' has no memory of its volume: 'prony.on' must be 'shear', not '%s'",
                          element->name, material->prony_on);
    return SN_OK;
}

double sn_patch_divide(const sn_element *element, const sn_law *law, int part, double *constant) {
    double bulk, shear;
    if (part == SN_PART_WHOLE) return 1;
    sn_law_mean_moduli(law, constant, &bulk, &shear);
    const double most = SN_PATCH_BULK * shear, left = 1 - element->patch_shear,
                 own = left * (bulk > most ? most / bulk : 1);
    const double soft = 2 * (1 + SN_PATCH_SOFT) / (3 * (1 - 2 * SN_PATCH_SOFT)) * shear; /* its bulk modulus */
    if (part == SN_PART_OWN)
        law->scale(law, left, own, constant);
    else
        law->scale(law, 1 - left, 1 - own, constant);
    return bulk > soft ? (soft - own * bulk) / (bulk - own * bulk) : 1;
}

/* ---- Making ---- */
/* An element's share in a patch. Sorted by key, then by place. */
typedef struct share {
    int32_t node, material; /* the key; elements that are patches: their place and 0 */
    int64_t place;          /* block x SN_LANES + lane */
    int corner;
} share;

static int compare_shares(const void *left, const void *right) {
    const share *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    if (a->material != b->material) return a->material < b->material ? -1 : 1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return a->corner - b->corner;
}

static bool same_patch(const share *a, const share *b) { return a->node == b->node && a->material == b->material; }

typedef struct making {
    sn_context *context;
    sn_elements_model *model;
    sn_patches *patches;
    share *share;
    int64_t share_count, share_room;
    int32_t *around; /* nodes of one patch, then all entries */
    int64_t entry_count, entry_room;
    int patch_count; /* so far, with padding */
} making;

/* All shares of a batch in the order of their patches. */
static void list_shares(making *m, const sn_batch *batch) {
    const int patches = batch->element->patches, nodes = batch->element->nodes;
    m->share_count = 0;
    for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
        if (batch->element_of[n] < 0) continue;
        for (int c = 0; c < patches; ++c) {
            const int32_t node = batch->node[(n / SN_LANES * nodes + c) * SN_LANES + n % SN_LANES];
            m->share[m->share_count++] =
                patches == 1 ? (share){(int32_t)n, 0, n, 0} : (share){node, batch->material_of[n], n, c};
        }
    }
    qsort(m->share, (size_t)m->share_count, sizeof *m->share, compare_shares);
}

/* The entry of a node in a patch. */
static int64_t find_entry(const sn_patches *patches, int patch, int32_t node) {
    return sn_lower_bound(patches->node, patches->begin[patch], patches->begin[patch + 1], node);
}

static void add_share(sn_patches *patches, int patch, const sn_batch *batch, const share *s) {
    const sn_element *element = batch->element;
    const int64_t block = s->place / SN_LANES, lane = s->place % SN_LANES;
    const int nodes = element->nodes;
    for (int q = 0; q < element->points; ++q) {
        const double w = batch->weight[(block * element->points + q) * SN_LANES + lane] *
                         (element->patches == 1 ? 1 : element->point[q][s->corner]);
        const double *g = batch->gradient + (block * element->points + q) * (nodes - 1) * 3 * SN_LANES + lane;
        const int64_t zero = find_entry(patches, patch, batch->node[block * nodes * SN_LANES + lane]);
        patches->weight[patch] += w;
        for (int i = 1; i < nodes; ++i) {
            const int64_t at = find_entry(patches, patch, batch->node[(block * nodes + i) * SN_LANES + lane]);
            for (int a = 0; a < 3; ++a) {
                const double part = w * g[(3 * (i - 1) + a) * SN_LANES];
                patches->gradient[3 * at + a] += part;
                patches->gradient[3 * zero + a] -= part;
            }
        }
    }
}

/* The nodes of the patch of the shares [first, end), once each and ascending; room is there. */
static int list_nodes(const sn_batch *batch, const share *first, const share *end, int32_t *node) {
    const int nodes = batch->element->nodes;
    int count = 0, kept = 0;
    for (const share *s = first; s < end; ++s)
        for (int i = 0; i < nodes; ++i)
            node[count++] = batch->node[(s->place / SN_LANES * nodes + i) * SN_LANES + s->place % SN_LANES];
    qsort(node, (size_t)count, sizeof *node, sn_compare_int32);
    for (int i = 0; i < count; ++i)
        if (i == 0 || node[i] != node[i - 1]) node[kept++] = node[i];
    return kept;
}

/* Appends the patches of a batch: their nodes, and the patches of its elements. */
static void append_patches(making *m, sn_batch *batch, sn_batch *own) {
    sn_patches *p = m->patches;
    const int patches = batch->element->patches, first = m->patch_count;
    list_shares(m, batch);
    for (int64_t at = 0, end; at < m->share_count; at = end) {
        for (end = at; end < m->share_count && same_patch(&m->share[at], &m->share[end]); ++end) {
            const share *s = &m->share[end];
            batch->patch[(s->place / SN_LANES * patches + s->corner) * SN_LANES + s->place % SN_LANES] = m->patch_count;
        }
        m->entry_count += list_nodes(batch, m->share + at, m->share + end, m->around + m->entry_count);
        p->material_of[m->patch_count] = batch->material_of[m->share[at].place];
        p->begin[++m->patch_count] = m->entry_count;
    }
    for (; m->patch_count % SN_LANES; p->begin[++m->patch_count] = m->entry_count)
        p->material_of[m->patch_count] = p->material_of[m->patch_count - 1];
    own->block_count = (m->patch_count - first) / SN_LANES;
    for (int b = 0; b < own->block_count; ++b) {
        p->batch_of[first / SN_LANES + b] = (int32_t)(own - p->batch);
        p->block_in[first / SN_LANES + b] = b;
    }
}

/* Gradients and weights of the patches of a batch. */
static void fill_patches(making *m, const sn_batch *batch) {
    sn_patches *p = m->patches;
    const int patches = batch->element->patches;
    list_shares(m, batch);
    for (int64_t i = 0; i < m->share_count; ++i) {
        const share *s = &m->share[i];
        add_share(p, batch->patch[(s->place / SN_LANES * patches + s->corner) * SN_LANES + s->place % SN_LANES], batch,
                  s);
    }
}

static sn_status start(making *m, sn_error *error) {
    sn_patches *p = m->patches;
    int64_t patches = 0;
    for (int b = 0; b < m->model->batch_count; ++b) {
        sn_batch *batch = &m->model->batch[b];
        const int64_t shares = (int64_t)batch->block_count * SN_LANES * batch->element->patches;
        if (!shares) continue;
        batch->patch = sn_allocate_zero(m->context, (size_t)shares, sizeof *batch->patch);
        if (!batch->patch) return sn_no_memory(error);
        ++p->batch_count;
        if (shares > m->share_room) m->share_room = shares;
        patches += shares + SN_LANES, m->entry_room += shares * batch->element->nodes;
    }
    const size_t room = (size_t)patches;
    p->batch = sn_allocate_zero(m->context, (size_t)p->batch_count, sizeof *p->batch);
    p->batch_of = sn_allocate(m->context, room, sizeof *p->batch_of);
    p->block_in = sn_allocate(m->context, room, sizeof *p->block_in);
    p->begin = sn_allocate_zero(m->context, room + 1, sizeof *p->begin);
    p->material_of = sn_allocate_zero(m->context, room, sizeof *p->material_of);
    m->share = sn_allocate(m->context, (size_t)m->share_room, sizeof *m->share);
    m->around = sn_allocate(m->context, (size_t)m->entry_room, sizeof *m->around);
    return p->batch && p->batch_of && p->block_in && p->begin && p->material_of && m->share && m->around
               ? SN_OK
               : sn_no_memory(error);
}

/* The law of a batch of patches. */
static sn_batch patch_batch(const sn_context *context, const sn_batch *batch, int index) {
    return (sn_batch){.index = index,
                      .element = batch->element,
                      .kernels = batch->kernels,
                      .law = batch->law,
                      .constants = batch->constants,
                      .rotation = batch->law->flags & SN_LAW_ROTATION ? sn_rotation_find(context, "polar") : NULL,
                      .differential = batch->differential,
                      .projects = batch->projects,
                      .part = SN_PART_PATCH,
                      .terms = batch->element->patch_shear > 0 ? batch->terms : 0,
                      .by_coefficient = batch->element->patch_shear > 0 && batch->by_coefficient,
                      .rotation_state = -1,
                      .kept = -1,
                      .frames = -1};
}

/* The patches around each node. */
static sn_status fill_rows(making *m, sn_error *error) {
    sn_patches *p = m->patches;
    const size_t nodes = (size_t)p->node_count, entries = (size_t)m->entry_count;
    p->row_begin = sn_allocate_zero(m->context, nodes + 2, sizeof *p->row_begin);
    p->row_patch = sn_allocate(m->context, entries, sizeof *p->row_patch);
    p->row_entry = sn_allocate(m->context, entries, sizeof *p->row_entry);
    if (!p->row_begin || !p->row_patch || !p->row_entry) return sn_no_memory(error);
    int64_t *end = p->row_begin + 1; /* while filling: where the next patch of a node goes */
    for (int64_t k = 0; k < m->entry_count; ++k) ++end[p->node[k] + 1];
    for (int i = 0; i < p->node_count; ++i) end[i + 1] += end[i];
    for (int patch = 0; patch < m->patch_count; ++patch)
        for (int64_t k = p->begin[patch]; k < p->begin[patch + 1]; ++k) {
            const int64_t at = end[p->node[k]]++;
            p->row_patch[at] = patch, p->row_entry[at] = k;
        }
    return SN_OK;
}

static sn_status make(making *m, sn_error *error) {
    sn_patches *p = m->patches;
    sn_status status = start(m, error);
    for (int b = 0, own = 0; b < m->model->batch_count && !status; ++b) {
        sn_batch *batch = &m->model->batch[b];
        if (!batch->patch) continue;
        p->batch[own] = patch_batch(m->context, batch, m->model->batch_count + own);
        append_patches(m, batch, &p->batch[own++]);
    }
    if (status) return status;
    p->block_count = m->patch_count / SN_LANES;
    p->node = sn_allocate(m->context, (size_t)m->entry_count, sizeof *p->node);
    p->gradient = sn_allocate_zero(m->context, 3 * (size_t)m->entry_count, sizeof *p->gradient);
    p->weight = sn_allocate_zero(m->context, (size_t)m->patch_count, sizeof *p->weight);
    if (!p->node || !p->gradient || !p->weight) return sn_no_memory(error);
    memcpy(p->node, m->around, (size_t)m->entry_count * sizeof *p->node);
    for (int b = 0; b < m->model->batch_count; ++b)
        if (m->model->batch[b].patch) fill_patches(m, &m->model->batch[b]);
    for (int patch = 0; patch < m->patch_count; ++patch)
        for (int64_t k = 3 * p->begin[patch]; k < 3 * p->begin[patch + 1]; ++k) p->gradient[k] /= p->weight[patch];
    int32_t *material = p->material_of;
    for (int b = 0; b < p->batch_count; ++b) {
        sn_batch *batch = &p->batch[b];
        batch->material_of = material;
        batch->weight = p->weight + (material - p->material_of);
        material += batch->block_count * SN_LANES;
        sn_batch_place_memory(m->model, batch);
    }
    return fill_rows(m, error);
}

sn_status sn_patches_create(sn_context *context, sn_elements_model *model, sn_error *error) {
    bool any = false;
    for (int b = 0; b < model->batch_count; ++b) any = any || model->batch[b].element->patches;
    if (!any) return SN_OK;
    model->patches = sn_allocate_zero(context, 1, sizeof *model->patches);
    if (!model->patches) return sn_no_memory(error);
    making m = {.context = context, .model = model, .patches = model->patches};
    model->patches->node_count = model->node_count;
    const sn_status status = make(&m, error);
    sn_release(context, m.share);
    sn_release(context, m.around);
    model->patches->linearised = model->linearised_size;
    model->patches->tangent_size = (int64_t)model->patches->block_count * (81 + 9) * SN_LANES;
    model->linearised_size += model->patches->tangent_size;
    return status;
}

void sn_patches_release(sn_context *context, sn_patches *patches) {
    if (!patches) return;
    void *array[] = {patches->batch,     patches->batch_of,  patches->block_in, patches->begin,
                     patches->node,      patches->gradient,  patches->weight,   patches->material_of,
                     patches->row_begin, patches->row_patch, patches->row_entry};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, patches);
}
