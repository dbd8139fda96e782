/* sinew rotation: prints the rotation that a method extracts from a deformation gradient. */
#include "tool.h"

static int rotation(int count, char **word);

static const char *gradient, *alpha, *beta;
static bool json;
static const tool_option options[] = {
    {.name = "--F", .value = "\"nine numbers\"", .about = "the deformation gradient, row by row", .text = &gradient},
    {.name = "--alpha",
     .value = "A",
     .about = "an element is degenerate when det F is below A (default 0.1)",
     .text = &alpha},
    {.name = "--beta",
     .value = "B",
     .about = "how far dapd moves a degenerate element back (default 3)",
     .text = &beta},
    {.name = "--json", .about = "print JSON", .flag = &json},
};

const tool_command tool_rotation = {"rotation",  "METHOD",
                                    "rotations", "print the rotation and the stretch that a method extracts",
                                    "",          TOOL_OPTIONS(options),
                                    rotation};

static void print_matrix(const char *name, const double *m) {
    for (int i = 0; i < 3; ++i)
        printf("%s  % .15g  % .15g  % .15g\n", i == 1 ? name : " ", m[3 * i], m[3 * i + 1], m[3 * i + 2]);
}

static int rotation(int count, char **word) {
    const char *method;
    int methods;
    const int code = tool_parse(&tool_rotation, count, word, &method, 1, &methods);
    if (code) return code;
    if (methods == 0 || !gradient)
        return tool_fail(TOOL_BAD_INPUT, "rotation needs a method and --F; usage: sinew %s",
                         tool_usage(&tool_rotation));
    double F[9], R[9], S[9];
    if (!tool_numbers(gradient, F, 9))
        return tool_fail(TOOL_BAD_INPUT, "--F is '%s'; it must be nine finite numbers, row by row", gradient);
    const sn_material usual = sn_material_default();
    double degenerate[2] = {usual.alpha, usual.beta};
    if (alpha && !tool_numbers(alpha, &degenerate[0], 1))
        return tool_fail(TOOL_BAD_INPUT, "--alpha is '%s'; it must be one finite number", alpha);
    if (beta && !tool_numbers(beta, &degenerate[1], 1))
        return tool_fail(TOOL_BAD_INPUT, "--beta is '%s'; it must be one finite number", beta);
    sn_context *context;
    const int failed = tool_context(1, NULL, &context, NULL);
    if (failed) return failed;
    sn_error error = {0};
    const sn_status status = sn_rotation_evaluate(context, method, alpha || beta ? degenerate : NULL, F, R, S, &error);
    sn_context_destroy(context);
    if (status) return tool_error(&error);
    if (json) {
        tool_print_json(json_pack("{s:s, s:o, s:o}", "method", method, "R", tool_array(R, 9), "S", tool_array(S, 9)));
    } else {
        print_matrix("R", R);
        printf("\n");
        print_matrix("S", S);
    }
    return TOOL_OK;
}
