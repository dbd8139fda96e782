/* Saving and restoring a state as bytes: a header, the layout of the state (state.h), its numbers, and the history of
 * the workspace (history.c), in the byte order of the machine. With the history a run that restores the state, the run
 * that saved it and a run that was never saved go on with the same bits.
 *
 * The header has a hash over rest shape, elements, laws, the part of the stress that remembers, and method, so that a
 * state is not restored into another model. It also has a checksum over all bytes.
 *
 * Gravity, options, materials and the items of interactions (loads, colliders, grabs) are not saved; the world that
 * restores keeps its own. The numbers of the interactions are saved: pins, contacts, multipliers of links, forces that
 * the caller set. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "fixes.h"
#include "inside.h"

typedef struct header {
    char magic[8];
    uint32_t version, order;                              /* order is 0x01020304; other bytes show another byte order */
    uint64_t model, parts, count, history, key, checksum; /* history: its bytes; key: sn_history_key */
    double time, base_time;
    int64_t steps, base_steps;
} header;

static const char magic[8] = {'S', 'I', 'N', 'E', 'W', 'S', 'T', '\n'};
enum { VERSION = 5, ORDER = 0x01020304 };

static uint64_t hash_text(uint64_t hash, const char *text) { return sn_hash(hash, text, strlen(text) + 1); }

static uint64_t model_hash(const sn_world *world) {
    const sn_model *model = world->model;
    uint64_t hash = sn_hash(SN_HASH_START, model->rest, 3 * (size_t)model->node_count * sizeof *model->rest);
    for (int b = 0; b < model->body_count; ++b) {
        const sn_body *body = &model->body[b];
        hash = sn_hash(hash, body->node,
                       (size_t)body->mesh->tet_count * (size_t)body->element->nodes * sizeof *body->node);
        hash = sn_hash(hash, body->material, (size_t)body->mesh->tet_count * sizeof *body->material);
        if (body->fibre) hash = sn_hash(hash, body->fibre, 3 * (size_t)body->mesh->tet_count * sizeof *body->fibre);
        hash = hash_text(hash, body->element->name);
        hash = sn_hash(hash, &body->consistent, sizeof body->consistent);
    }
    for (int m = 0; m < world->parameters.material_count; ++m) {
        const sn_material *material = &world->parameters.material[m];
        hash = hash_text(hash, material->law);
        hash = hash_text(hash, material->rotation);
        if (material->prony_count > 0) hash = hash_text(hash, *material->prony_on ? material->prony_on : "all");
    }
    return hash_text(hash, world->parameters.method->name);
}

/* The bytes after the header. */
static size_t body_size(const header *h) { return h->parts * sizeof(sn_part) + h->count * sizeof(double) + h->history; }

/* A hash over the header and the bytes after it. */
static uint64_t checksum(const header *h, const void *body) {
    header plain = *h;
    plain.checksum = 0;
    return sn_hash(sn_hash(SN_HASH_START, &plain, sizeof plain), body, body_size(h));
}

/* The bytes of the history. */
static size_t history_size(const sn_world *world) {
    sn_archive archive = {.use = SN_ARCHIVE_COUNT};
    sn_history_visit((sn_world *)(uintptr_t)world, &archive, NULL); /* counting changes nothing */
    return archive.at;
}

size_t sn_world_state_size(const sn_world *world) {
    return sizeof(header) + (size_t)world->state.part_count * sizeof(sn_part) +
           (size_t)world->state.count * sizeof(double) + history_size(world);
}

sn_status sn_world_save_state(sn_world *world, void *bytes, size_t size, sn_error *error) {
    const sn_state *state = &world->state;
    sn_memory_reach(world, state->time); /* the key of the history depends on the moduli */
    const size_t needed = sn_world_state_size(world);
    if (size < needed)
        return sn_fail(error, SN_BAD_INPUT, "a state has %zu bytes; there is room for %zu", needed, size);
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION, h.order = ORDER;
    h.model = model_hash(world), h.parts = (uint64_t)state->part_count, h.count = (uint64_t)state->count;
    h.history = history_size(world), h.key = sn_history_key(world);
    h.time = state->time, h.base_time = state->base_time, h.steps = state->steps, h.base_steps = state->base_steps;
    char *layout = (char *)bytes + sizeof h, *numbers = layout + h.parts * sizeof(sn_part);
    memcpy(layout, state->part, h.parts * sizeof(sn_part));
    sn_state_write(state, numbers);
    sn_archive archive = {SN_ARCHIVE_WRITE, numbers + h.count * sizeof(double), h.history, 0, false};
    const sn_status status = sn_history_visit(world, &archive, error);
    if (status) return status;
    h.checksum = checksum(&h, layout);
    memcpy(bytes, &h, sizeof h);
    return SN_OK;
}

/* Compares the layouts. The message names the first part that differs. */
static sn_status check_layout(const sn_world *world, const char *layout, sn_error *error) {
    for (int i = 0; i < world->state.part_count; ++i) {
        const sn_part *own = &world->state.part[i];
        sn_part part;
        memcpy(&part, layout + (size_t)i * sizeof part, sizeof part);
        if (strncmp(part.name, own->name, sizeof part.name) == 0 && part.begin == own->begin &&
            part.count == own->count)
            continue;
        return sn_fail(
            error, SN_BAD_INPUT,
            "the state belongs to another model: it has %lld numbers of '%.31s' where the world has %lld of '%s'",
            (long long)part.count, part.name, (long long)own->count, own->name);
    }
    return SN_OK;
}

static sn_status check_header(const sn_world *world, const header *h, const char *body, size_t size, sn_error *error) {
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return sn_fail(error, SN_BAD_INPUT, "these bytes are not a saved state: their first 8 are not 'SINEWST'");
    if (h->order != ORDER)
        return sn_fail(error, SN_UNSUPPORTED, "the state was saved on a machine of the other byte order");
    if (h->version != VERSION)
        return sn_fail(error, SN_UNSUPPORTED, "the state has version %u; this build reads version %d", h->version,
                       VERSION);
    if (h->model != model_hash(world))
        return sn_fail(
            error, SN_BAD_INPUT,
            "the state belongs to another model: mesh, elements, laws, prony.on and method must be the same");
    if (h->parts != (uint64_t)world->state.part_count || h->count != (uint64_t)world->state.count) {
        const bool whole =
            h->parts == (uint64_t)world->state.part_count && size >= sizeof *h + h->parts * sizeof(sn_part);
        const sn_status status = whole ? check_layout(world, body, error) : SN_OK;
        return status ? status
                      : sn_fail(error, SN_BAD_INPUT, "the state belongs to another model: it has other interactions");
    }
    const size_t rest = size - sizeof *h, numbers = body_size(h) - h->history;
    if (rest < numbers || rest - numbers < h->history)
        return sn_fail(error, SN_BAD_INPUT, "the state is cut off: %zu bytes of %zu", size,
                       sizeof *h + numbers + (size_t)h->history);
    if (rest - numbers > h->history)
        return sn_fail(error, SN_BAD_INPUT, "the state has %zu bytes too many", rest - numbers - (size_t)h->history);
    if (h->checksum != checksum(h, body))
        return sn_fail(error, SN_BAD_INPUT, "the state is damaged: its checksum does not agree");
    return check_layout(world, body, error);
}

/* Reads the history. A world with other options or materials has no use for it. */
static sn_status read_history(sn_world *world, const header *h, const char *history, sn_error *error) {
    sn_workspace_refresh(world);
    sn_memory_reach(world, world->state.time);
    if (h->key != sn_history_key(world)) return SN_OK;
    sn_archive archive = {SN_ARCHIVE_READ, (char *)(uintptr_t)history, h->history, 0, false};
    sn_status status = sn_history_visit(world, &archive, error);
    if (!status && (archive.bad || archive.at != archive.size))
        status = sn_fail(error, SN_BAD_INPUT, "the state is damaged: its history does not fit the world");
    return status;
}

sn_status sn_world_restore_state(sn_world *world, const void *bytes, size_t size, sn_error *error) {
    header h;
    if (size < sizeof h)
        return sn_fail(error, SN_BAD_INPUT, "the state is cut off: %zu bytes, a header has %zu", size, sizeof h);
    memcpy(&h, bytes, sizeof h);
    const char *body = (const char *)bytes + sizeof h;
    sn_state *state = &world->state, *before = &world->workspace.before;
    sn_status status = check_header(world, &h, body, size, error);
    if (status) return status;
    sn_state_copy(world->context, state, before);
    sn_state_read(state, body + h.parts * sizeof(sn_part));
    state->time = h.time, state->base_time = h.base_time, state->steps = h.steps, state->base_steps = h.base_steps;
    if (!sn_state_finite(world->context, state))
        status = sn_fail(error, SN_NOT_FINITE, "the saved state is not finite");
    if (!status) status = sn_adaptive_restore(world, error);
    if (!status) status = sn_fixes_update(world, error);
    if (!status) status = sn_solid_settings(world, state->time, error);
    if (!status) status = read_history(world, &h, body + body_size(&h) - h.history, error);
    if (status) {
        sn_state_copy(world->context, before, state);
        sn_adaptive_restore(world, NULL);
        sn_workspace_refresh(world);
    }
    return status;
}

sn_status sn_world_save(sn_world *world, const char *path, sn_error *error) {
    const size_t size = sn_world_state_size(world);
    void *bytes = sn_allocate(world->context, size, 1);
    if (!bytes) return sn_no_memory(error);
    sn_status status = sn_world_save_state(world, bytes, size, error);
    if (!status) status = sn_file_replace(path, bytes, size, error);
    sn_release(world->context, bytes);
    return status;
}

/* Reads a file to its end, or only its first bytes when they are not those of a state. */
static sn_status read_file(sn_context *context, FILE *file, char **bytes, size_t *size, sn_error *error) {
    size_t room = 1 << 16;
    for (;;) {
        char *larger = sn_allocate(context, room, 1);
        if (!larger) return sn_no_memory(error);
        if (*size) memcpy(larger, *bytes, *size);
        sn_release(context, *bytes);
        *bytes = larger;
        *size += fread(*bytes + *size, 1, room - *size, file);
        if (*size < room || memcmp(*bytes, magic, sizeof magic) != 0) return SN_OK;
        room *= 2;
    }
}

sn_status sn_world_restore(sn_world *world, const char *path, sn_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) return sn_fail(error, SN_NOT_FOUND, "%s: cannot be opened", path);
    char *bytes = NULL;
    size_t size = 0;
    sn_status status = read_file(world->context, file, &bytes, &size, error);
    if (!status && ferror(file)) status = sn_fail(error, SN_IO, "%s: reading failed", path);
    fclose(file);
    if (!status) {
        status = sn_world_restore_state(world, bytes, size, error);
        if (status && status != SN_NO_MEMORY && error) {
            char text[400];
            memcpy(text, error->text, sizeof text);
            text[sizeof text - 1] = 0;
            sn_fail(error, status, "%s: %s", path, text);
        }
    }
    sn_release(world->context, bytes);
    return status;
}
