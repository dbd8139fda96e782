/* Abaqus input files, .inp, also of CalculiX: *NODE, *ELEMENT, *NSET and *ELSET. Source: the Abaqus Keywords Reference
 * Guide.
 *
 * A line "*KEYWORD, PARAMETER=VALUE, ..." opens a card, the lines behind it are its data, separated by commas. "**" is
 * a comment. Names and keywords are the same in upper and lower case. Nodes and elements carry their numbers, which are
 * kept as labels. Sets become groups. The ten nodes of a C3D10 are in our order. Other cards say nothing about the mesh
 * and are left out; one that would change it is an error. */
#include <stdio.h>
#include <string.h>

#include "format.h"

typedef struct span {
    const char *text;
    int length;
} span;

typedef struct inp {
    sn_text *t;
    sn_builder *b;
    sn_labels skipped; /* elements that were left out: sets may name them */
    int parts, instances;
} inp;

/* ---- Cards ---- */

static bool is(span s, const char *word) { return sn_text_is_any_case(s.text, s.length, word); }

static span trim(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t')) ++begin;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) --end;
    return (span){begin, (int)(end - begin < 1 << 20 ? end - begin : 1 << 20)};
}

static const char *line_end(const sn_text *t, const char *from) {
    const char *newline = memchr(from, '\n', (size_t)(t->end - from));
    return newline ? newline : t->end;
}

/* The end of a card's head: a line that ends with a comma continues. */
static const char *head_end(const sn_text *t) {
    const char *end = line_end(t, t->at);
    for (;;) {
        const span line = trim(t->at, end);
        if (!line.length || line.text[line.length - 1] != ',' || end == t->end) return end;
        end = line_end(t, end + 1);
    }
}

/* The value of a parameter in a card's head; a length of -1: not there. */
static span parameter(const char *begin, const char *end, const char *name) {
    while (begin < end) {
        const char *comma = begin;
        while (comma < end && *comma != ',') ++comma;
        const char *equals = memchr(begin, '=', (size_t)(comma - begin));
        while (begin < comma && (*begin == '\n' || *begin == '\r')) ++begin;
        if (is(trim(begin, equals ? equals : comma), name)) return equals ? trim(equals + 1, comma) : (span){comma, 0};
        begin = comma + 1;
    }
    return (span){NULL, -1};
}

/* Goes to the next line with data of this card. False at the next card and at the end of the file. */
static bool next_data(sn_text *t) {
    for (;;) {
        if (t->at < t->end && *t->at == '\n') ++t->at, ++t->line;
        const bool more = sn_text_more_in_line(t);
        if (more && (*t->at != '*' || (t->at + 1 < t->end && t->at[1] == '*'))) {
            if (*t->at != '*') return true;
            sn_text_skip_line(t);
            continue;
        }
        if (more || t->at >= t->end) return false;
    }
}

/* ---- Sets ---- */

static int find_group(const sn_builder *b, sn_group_kind kind, span name) {
    for (int i = 0; i < b->group_count; ++i)
        if (b->group[i].kind == kind && is(name, b->group[i].name)) return i;
    return -1;
}

static sn_status named_group(inp *r, sn_group_kind kind, span name, int *group) {
    *group = find_group(r->b, kind, name);
    return *group >= 0 ? SN_OK : sn_builder_group_named(r->b, r->t, kind, name.text, name.length, group);
}

/* A set of elements has a group of tets and one of triangles, as far as it has members. */
static sn_status join_element(inp *r, span set, int64_t label) {
    const int tet = sn_labels_find(&r->b->tet, label), triangle = sn_labels_find(&r->b->triangle, label);
    int group;
    if (tet < 0 && triangle < 0)
        return sn_labels_find(&r->skipped, label) >= 0
                   ? SN_OK
                   : sn_text_fail(r->t, "element %lld does not exist", (long long)label);
    const sn_status status = named_group(r, tet >= 0 ? SN_GROUP_TETS : SN_GROUP_TRIANGLES, set, &group);
    return status ? status : sn_builder_join(r->b, r->t, group, tet >= 0 ? tet : triangle);
}

static sn_status join_node(inp *r, span set, int64_t label) {
    int32_t index;
    int group;
    sn_status status = sn_builder_find_node(r->b, r->t, label, &index);
    if (!status) status = named_group(r, SN_GROUP_NODES, set, &group);
    return status ? status : sn_builder_join(r->b, r->t, group, index);
}

static sn_status join(inp *r, bool nodes, span set, int64_t label) {
    return nodes ? join_node(r, set, label) : join_element(r, set, label);
}

/* The members of another set join this one. */
static sn_status join_set(inp *r, bool nodes, span set, span other) {
    bool found = false;
    sn_status status = SN_OK;
    for (int kind = 0; kind < 3 && !status; ++kind) {
        const int from = (kind == SN_GROUP_NODES) == nodes ? find_group(r->b, (sn_group_kind)kind, other) : -1;
        int to;
        if (from < 0) continue;
        found = true;
        status = named_group(r, (sn_group_kind)kind, set, &to);
        const int count = r->b->group[from].count;
        for (int i = 0; i < count && !status && to != from; ++i)
            status = sn_builder_join(r->b, r->t, to, r->b->group[from].member[i]);
    }
    if (!status && !found)
        status = sn_text_fail(r->t, "there is no set '%.*s'", other.length < 40 ? other.length : 40, other.text);
    return status;
}

static sn_status read_member(inp *r, bool nodes, span set) {
    int64_t label;
    const char c = *r->t->at;
    if ((c >= '0' && c <= '9') || c == '-' || c == '+') {
        const sn_status status = sn_text_integer(r->t, "member of a set", &label);
        return status ? status : join(r, nodes, set, label);
    }
    span other;
    const sn_status status = sn_text_word(r->t, "member of a set", &other.text, &other.length);
    return status ? status : join_set(r, nodes, set, other);
}

/* Rows "first, last, step". */
static sn_status read_range(inp *r, bool nodes, span set) {
    int64_t first = 0, last = 0, step = 1;
    sn_status status = sn_text_integer(r->t, "first member of a range", &first);
    if (!status) status = sn_text_integer(r->t, "last member of a range", &last);
    if (!status && sn_text_more_in_line(r->t)) status = sn_text_integer(r->t, "step of a range", &step);
    const int64_t most = nodes ? r->b->node.count : r->b->tet.count + r->b->triangle.count + r->skipped.count;
    if (!status && (step < 1 || last < first || (last - first) / step >= most))
        status = sn_text_fail(r->t, "the range %lld, %lld, %lld is not possible", (long long)first, (long long)last,
                              (long long)step);
    for (int64_t label = first; !status && label <= last; label += step) status = join(r, nodes, set, label);
    return status;
}

static sn_status read_set(inp *r, bool nodes, span head) {
    const char *end = head.text + head.length;
    const span name = parameter(head.text, end, nodes ? "NSET" : "ELSET");
    const bool ranges = parameter(head.text, end, "GENERATE").length >= 0;
    sn_status status = SN_OK;
    int group;
    if (name.length < 1) return sn_text_fail(r->t, "the set has no name");
    if (nodes) status = named_group(r, SN_GROUP_NODES, name, &group);
    while (!status && next_data(r->t))
        while (!status && sn_text_more_in_line(r->t))
            status = ranges ? read_range(r, nodes, name) : read_member(r, nodes, name);
    return status;
}

/* ---- Nodes and elements ---- */

static sn_status read_nodes(inp *r, span head) {
    sn_text *t = r->t;
    const char *end = head.text + head.length;
    const span set = parameter(head.text, end, "NSET"), system = parameter(head.text, end, "SYSTEM");
    sn_status status = SN_OK;
    if (parameter(head.text, end, "INPUT").length >= 0) return sn_text_fail(t, "*NODE with INPUT is not supported");
    if (system.length > 0 && !is(system, "R"))
        return sn_text_fail(t, "*NODE with SYSTEM=%.*s is not supported", system.length < 20 ? system.length : 20,
                            system.text);
    while (!status && next_data(t)) {
        int64_t label;
        double position[3] = {0, 0, 0};
        status = sn_text_integer(t, "node number", &label);
        for (int i = 0; !status && i < 3 && sn_text_more_in_line(t); ++i)
            status = sn_text_number(t, "coordinate", &position[i]);
        sn_text_skip_line(t); /* direction cosines of a normal */
        if (!status) status = sn_builder_node(r->b, t, label, position);
        if (!status && set.length > 0) status = join_node(r, set, label);
    }
    return status;
}

typedef enum element_kind { TRIANGLE, TET, LEFT_OUT } element_kind;

/* Elements by the begin of their type; the longest begin counts. */
static const struct {
    const char *begin;
    int nodes;
    element_kind kind;
} elements[] = {
    {"C3D4", 4, TET},        {"C3D10", 10, TET},      {"DC3D4", 4, TET},      {"DC3D10", 10, TET},
    {"CPS3", 3, TRIANGLE},   {"CPE3", 3, TRIANGLE},   {"CAX3", 3, TRIANGLE},  {"CPS6", 6, TRIANGLE},
    {"CPE6", 6, TRIANGLE},   {"CAX6", 6, TRIANGLE},   {"S3", 3, TRIANGLE},    {"STRI3", 3, TRIANGLE},
    {"STRI65", 6, TRIANGLE}, {"S6", 6, TRIANGLE},     {"M3D3", 3, TRIANGLE},  {"M3D6", 6, TRIANGLE},
    {"R3D3", 3, TRIANGLE},   {"SFM3D3", 3, TRIANGLE}, {"DC2D3", 3, TRIANGLE}, {"T3D2", 2, LEFT_OUT},
    {"T2D2", 2, LEFT_OUT},   {"B31", 2, LEFT_OUT},    {"B32", 3, LEFT_OUT},   {"MASS", 1, LEFT_OUT},
};

/* The row of a type, or -1. A letter or nothing may follow the begin: C3D10M, not C3D20. */
static int element_row(span type) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
        const int length = (int)strlen(elements[i].begin);
        if (type.length < length || !is((span){type.text, length}, elements[i].begin)) continue;
        if (type.length == length || type.text[length] < '0' || type.text[length] > '9') return (int)i;
    }
    return -1;
}

static sn_status add_element(inp *r, int row, int64_t label, const int32_t *node) {
    bool fresh;
    switch (elements[row].kind) {
    case TET:
        return sn_builder_tet(r->b, r->t, label, node, elements[row].nodes);
    case TRIANGLE:
        if (elements[row].nodes == 6) sn_builder_leave_out(r->b, "mid-edge nodes of triangles", 3);
        return sn_builder_triangle(r->b, r->t, label, node);
    case LEFT_OUT:
        break;
    }
    sn_builder_leave_out(r->b, elements[row].nodes == 1 ? "points" : "lines", 1);
    return sn_labels_add(r->b->context, &r->skipped, label, &fresh, r->t->error);
}

static sn_status read_elements(inp *r, span head) {
    sn_text *t = r->t;
    const char *end = head.text + head.length;
    const span type = parameter(head.text, end, "TYPE"), set = parameter(head.text, end, "ELSET");
    const int row = type.length > 0 ? element_row(type) : -1;
    sn_status status = SN_OK;
    if (parameter(head.text, end, "INPUT").length >= 0) return sn_text_fail(t, "*ELEMENT with INPUT is not supported");
    if (row < 0)
        return sn_text_fail(t, "elements of type '%.*s' are not supported; C3D4, C3D10 and triangles are",
                            type.length < 0    ? 0
                            : type.length < 20 ? type.length
                                               : 20,
                            type.text ? type.text : "");
    while (!status && next_data(t)) {
        int64_t label, node;
        int32_t index[10] = {0};
        status = sn_text_integer(t, "element number", &label);
        for (int i = 0; !status && i < elements[row].nodes; ++i) { /* may go on in the next line */
            if (!sn_text_more_in_line(t) && !next_data(t))
                return sn_text_fail(t, "element %lld has %d nodes; %.*s has %d", (long long)label, i, type.length,
                                    type.text, elements[row].nodes);
            status = sn_text_integer(t, "node of an element", &node);
            if (!status) status = sn_builder_find_node(r->b, t, node, &index[i]);
        }
        if (!status) status = add_element(r, row, label, index);
        if (!status && set.length > 0) status = join_element(r, set, label);
        if (!status && sn_text_more_in_line(t)) status = sn_text_expected(t, "end of the line after the element");
    }
    return status;
}

/* ---- The file ---- */

/* An instance places a part: one that stays where it is, of one part, changes nothing. */
static sn_status read_instance(inp *r) {
    if (++r->instances > 1) return sn_text_fail(r->t, "more than one *INSTANCE is not supported");
    return next_data(r->t) ? sn_text_fail(r->t, "an *INSTANCE that is moved is not supported") : SN_OK;
}

static sn_status read_card(inp *r) {
    sn_text *t = r->t;
    const char *end = head_end(t), *comma = memchr(t->at, ',', (size_t)(end - t->at));
    const span word = trim(t->at + 1, comma ? comma : line_end(t, t->at));
    const span head = {comma ? comma + 1 : end, comma ? (int)(end - comma - 1) : 0};
    for (const char *p = t->at; p < end; ++p) t->line += *p == '\n';
    t->at = end;
    if (is(word, "NODE")) return read_nodes(r, head);
    if (is(word, "ELEMENT")) return read_elements(r, head);
    if (is(word, "NSET")) return read_set(r, true, head);
    if (is(word, "ELSET")) return read_set(r, false, head);
    if (is(word, "INSTANCE")) return read_instance(r);
    if (is(word, "PART") && ++r->parts > 1) return sn_text_fail(t, "more than one *PART is not supported");
    static const char *const changes[] = {"INCLUDE", "NGEN", "NCOPY", "NFILL", "NMAP", "ELGEN", "ELCOPY", "SYSTEM"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i)
        if (is(word, changes[i])) return sn_text_fail(t, "*%s is not supported", changes[i]);
    static const char *const frame[] = {"HEADING",      "PART",         "END PART", "ASSEMBLY",
                                        "END ASSEMBLY", "END INSTANCE", "PREPRINT"};
    bool silent = false;
    for (size_t i = 0; i < sizeof frame / sizeof *frame; ++i) silent = silent || is(word, frame[i]);
    if (!silent) sn_builder_leave_out(r->b, "keywords of the analysis", 1);
    while (next_data(t)) sn_text_skip_line(t);
    return SN_OK;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    inp r = {.t = t, .b = b};
    sn_status status = SN_OK;
    t->separator = ',';
    t->in_line = true;
    if (next_data(t)) status = sn_text_expected(t, "keyword that begins with '*'");
    while (!status && t->at < t->end) {
        status = read_card(&r);
        if (!status && t->at < t->end && next_data(t)) status = sn_text_expected(t, "keyword that begins with '*'");
    }
    t->in_line = false;
    sn_labels_clear(b->context, &r.skipped);
    return status;
}

const sn_mesh_format sn_format_inp = {.read = read_mesh};
