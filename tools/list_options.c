/* sinew list options: prints the keys of a scene with their defaults, ranges and meaning, as Markdown or JSON. They
 * come from the tables of the library. */
#include <string.h>

#include "tool.h"

static const char *type_name(const sn_option *option) {
    static const char *const name[] = {[SN_FIELD_DOUBLE] = "number",
                                       [SN_FIELD_INT] = "whole number",
                                       [SN_FIELD_BOOL] = "true or false",
                                       [SN_FIELD_CHOICE] = "name",
                                       [SN_FIELD_ENUM] = "name",
                                       [SN_FIELD_LONG] = "whole number",
                                       [SN_FIELD_TEXT] = "string",
                                       [SN_FIELD_AXES] = "axes",
                                       [SN_FIELD_DIRECTION] = "direction",
                                       [SN_FIELD_RAMP] = "[begin, end]",
                                       [SN_FIELD_KEYS] = "keys",
                                       [SN_FIELD_SELECT] = "select",
                                       [SN_FIELD_OWN] = ""};
    const int type = option->type & ~SN_FIELD_NEEDED;
    return type == SN_FIELD_DOUBLE && option->count == 3 ? "[x, y, z]" : name[type];
}

static bool is_number(const sn_option *option) {
    const int type = option->type & ~SN_FIELD_NEEDED;
    return type == SN_FIELD_DOUBLE || type == SN_FIELD_INT || type == SN_FIELD_LONG;
}

static void print_default(const sn_option *option, char *text, size_t capacity) {
    const int type = option->type & ~SN_FIELD_NEEDED;
    text[0] = 0;
    if (option->type & SN_FIELD_NEEDED)
        snprintf(text, capacity, "needed");
    else if (option->choice)
        snprintf(text, capacity, "%s", option->choice);
    else if (is_number(option) && option->count == 3)
        snprintf(text, capacity, "[%g, %g, %g]", option->value, option->value, option->value);
    else if (is_number(option))
        snprintf(text, capacity, "%g", option->value);
    else if (type == SN_FIELD_BOOL)
        snprintf(text, capacity, "%s", option->value != 0 ? "true" : "false");
    else if (type == SN_FIELD_AXES)
        snprintf(text, capacity, "xyz");
}

static void print_range(const sn_option *option, char *text, size_t capacity) {
    text[0] = 0;
    if (option->choices) {
        int count;
        const sn_listing *choice = option->choices(&count);
        if (count > 7) {
            snprintf(text, capacity, "see `sinew list`");
            return;
        }
        for (int i = 0; i < count; ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", choice[i].name);
        }
        return;
    }
    if (!is_number(option)) return;
    const bool low = option->low > -1e300, high = option->high < 1e300;
    const char *above = option->low_open ? "above" : "at least";
    if (low && high)
        snprintf(text, capacity, "%s %g, at most %g", above, option->low, option->high);
    else if (low)
        snprintf(text, capacity, "%s %g", above, option->low);
}

static json_t *as_json(const sn_option *option, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; ++i) {
        char value[128], range[400];
        print_default(&option[i], value, sizeof value);
        print_range(&option[i], range, sizeof range);
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", option[i].name, "type",
                                               type_name(&option[i]), "unit", option[i].unit, "default", value, "range",
                                               range, "text", option[i].text));
    }
    return array;
}

static void as_markdown(const sn_listing *group, const sn_option *option, int count) {
    printf("\n## %s\nIn C: `%s`.\n\n| key | value | unit | default | allowed | meaning |\n| --- | --- | --- | --- | "
           "--- | --- |\n",
           group->text, group->name);
    for (int i = 0; i < count; ++i) {
        char value[128], range[400];
        print_default(&option[i], value, sizeof value);
        print_range(&option[i], range, sizeof range);
        printf("| `%s` | %s | %s | %s | %s | ", option[i].name, type_name(&option[i]), option[i].unit, value, range);
        for (const char *at = option[i].text; *at; ++at) printf("%s%c", *at == '|' ? "\\" : "", *at);
        printf(" |\n");
    }
}

int tool_list_options(bool json) {
    json_t *object = json_object();
    if (!json)
        printf("# Keys of a scene\n\nWritten by `make docs` from the tables of the library (`sinew list options`). "
               "[scene.md](scene.md) "
               "explains them.\n");
    for (int i = 0; sn_option_group(i); ++i) {
        const sn_listing *group = sn_option_group(i);
        int count;
        const sn_option *option = sn_options(group->name, &count);
        if (json)
            json_object_set_new(object, group->name,
                                json_pack("{s:s, s:o}", "path", group->text, "options", as_json(option, count)));
        else
            as_markdown(group, option, count);
    }
    if (json)
        tool_print_json(object);
    else
        json_decref(object);
    return TOOL_OK;
}
