/* Overrides: "--set bodies.0.material.young=1e6" changes the parsed tree before it is read, so that a value from the
 * command line is checked like one from the file. Absent keys are created; one pair of moduli (young and poisson, or
 * lame) drives out the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "locate.h"
#include "scene_internal.h"

/* One part of a dotted key; "bodies[0]" is read as "bodies.0". */
static bool next_part(const char **key, char *part, size_t capacity) {
    size_t length = 0;
    const char *at = *key;
    while (*at == '.' || *at == '[' || *at == ']') ++at;
    while (*at && *at != '.' && *at != '[' && *at != ']' && length + 1 < capacity) part[length++] = *at++;
    while (*at == ']') ++at;
    part[length] = 0;
    *key = at;
    return length > 0;
}

static bool last_part(const char *key) {
    while (*key == '.' || *key == '[' || *key == ']') ++key;
    return !*key;
}

static bool is_index(const char *part, int *index) {
    if (!*part || strlen(part) > 8 || strspn(part, "0123456789") != strlen(part)) return false;
    *index = atoi(part);
    return true;
}

/* The place of a part in a list: a number, or the name of an item. */
static bool find_item(const json_t *list, const char *part, int *index) {
    if (is_index(part, index)) return true;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (!name || strcmp(name, part) != 0) continue;
        *index = (int)i;
        return true;
    }
    return false;
}

/* A JSON value, or a bare word as a string. Numbers that are not finite are refused instead of becoming words. */
static sn_status parse_value(sn_reader *reader, const sn_override *override, json_t **value) {
    int line, column;
    char *end;
    *value = NULL;
    const size_t bytes = strlen(override->value);
    if (!sn_json_depth(override->value, bytes, SN_SCENE_DEPTH / 2, &line, &column))
        return sn_fail(reader->error, SN_BAD_INPUT, "--set %.80s: the value nests deeper than %d", override->key,
                       SN_SCENE_DEPTH / 2);
    *value = json_loadb(override->value, bytes, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (*value) return SN_OK;
    const double number = strtod(override->value, &end);
    if (bytes && !*end && !isfinite(number))
        return sn_fail(reader->error, SN_BAD_INPUT, "--set %.80s: the value '%.40s' is not a finite number",
                       override->key, override->value);
    *value = json_string(override->value);
    if (*value) return SN_OK;
    return sn_fail(reader->error, SN_BAD_INPUT, "--set %.80s: the value is not UTF-8", override->key);
}

/* Poisson's ratio that a lame pair stands for, or NULL. */
static json_t *poisson_of(const json_t *lame) {
    const double lambda = json_number_value(json_array_get(lame, 0)), mu = json_number_value(json_array_get(lame, 1));
    return json_is_array(lame) && lambda + mu > 0 ? json_real(lambda / (2 * (lambda + mu))) : NULL;
}

/* Young alone replaces a lame pair by keeping its Poisson's ratio. */
static void drive_out_pair(json_t *object, const char *key) {
    if (strcmp(key, "lame") == 0) {
        json_object_del(object, "young");
        json_object_del(object, "poisson");
    } else if (strcmp(key, "young") == 0 || strcmp(key, "poisson") == 0) {
        json_t *lame = json_object_get(object, "lame");
        if (!lame) return;
        json_t *poisson = poisson_of(lame);
        if (poisson && !json_object_get(object, "poisson")) json_object_set(object, "poisson", poisson);
        json_decref(poisson);
        json_object_del(object, "lame");
    }
}

/* Goes from `node` to the part, creating it as a list or an object when `create` says so. Gives NULL with a message
 * when it cannot. */
static json_t *enter(sn_reader *reader, const sn_override *override, json_t *node, const char *part, json_t *create,
                     char *canonical, size_t capacity) {
    const size_t used = strlen(canonical);
    if (json_is_object(node)) {
        snprintf(canonical + used, capacity - used, "%s%s", used ? "." : "", part);
        if (create) {
            drive_out_pair(node, part);
            if (json_object_set(node, part, create)) sn_no_memory(reader->error);
        }
        return json_object_get(node, part);
    }
    if (!json_is_array(node)) {
        sn_fail(reader->error, SN_BAD_INPUT, "--set %.100s: '%.60s' is neither an object nor a list; it has no '%.60s'",
                override->key, canonical, part);
        return NULL;
    }
    int index;
    const int size = (int)json_array_size(node);
    if (!find_item(node, part, &index) || index > size || (index == size && !create)) {
        sn_fail(reader->error, SN_BAD_INPUT, "--set %.100s: '%.60s' is a list of %d; it has no item '%.60s'",
                override->key, canonical, size, part);
        return NULL;
    }
    snprintf(canonical + used, capacity - used, "%s%d", used ? "." : "", index);
    if (create && (index == size ? json_array_append(node, create) : json_array_set(node, (size_t)index, create)))
        sn_no_memory(reader->error);
    return json_array_get(node, (size_t)index);
}

static bool has(const json_t *node, const char *part) {
    int index;
    if (json_is_object(node)) return json_object_get(node, part) != NULL;
    return json_is_array(node) && find_item(node, part, &index) && index < (int)json_array_size(node);
}

static sn_status apply(sn_reader *reader, json_t *root, const sn_override *override, char *canonical, size_t capacity) {
    const char *rest = override->key;
    char part[80];
    int parts = 0;
    json_t *value, *node = root;
    sn_status status = parse_value(reader, override, &value);
    if (status) return status;
    while (node && next_part(&rest, part, sizeof part)) {
        if (++parts > SN_SCENE_DEPTH / 2) break;
        json_t *create = NULL;
        if (last_part(rest)) {
            create = json_incref(value);
        } else if (!has(node, part)) {
            const char *peek = rest;
            char next[80];
            int index;
            next_part(&peek, next, sizeof next);
            create = is_index(next, &index) ? json_array() : json_object();
        }
        node = enter(reader, override, node, part, create, canonical, capacity);
        json_decref(create);
    }
    json_decref(value);
    if (!node && parts && parts <= SN_SCENE_DEPTH / 2) return SN_BAD_INPUT; /* said why */
    if (parts == 0 || *rest)
        return sn_fail(reader->error, SN_BAD_INPUT, "--set '%.80s': the key is empty or too long", override->key);
    return SN_OK;
}

sn_status sn_scene_override(sn_reader *reader, json_t *root, const sn_override *override, int count) {
    sn_override *kept = sn_scene_allocate(reader, (size_t)count, sizeof *kept);
    if (!kept) return sn_no_memory(reader->error);
    for (int i = 0; i < count; ++i) {
        char *canonical = sn_scene_allocate(reader, 1, 512),
             *value = sn_scene_allocate(reader, 1, strlen(override[i].value) + 1);
        if (!canonical || !value) return sn_no_memory(reader->error);
        strcpy(value, override[i].value);
        const sn_status status = apply(reader, root, &override[i], canonical, 512);
        if (status) return status;
        kept[i] = (sn_override){canonical, value};
    }
    reader->override = kept;
    reader->override_count = count;
    return SN_OK;
}
