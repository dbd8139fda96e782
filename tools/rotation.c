/* sinew rotation: prints the rotation that a method extracts from a deformation gradient. */
#include "tool.h"

static int rotation(int count, char **word);

const tool_command tool_rotation = {
    "rotation", "rotation METHOD --F \"nine numbers\" [--alpha A] [--beta B] [--json]",
    "print the rotation and the stretch that a method extracts",
    "  --F \"a b c d e f g h i\"  the deformation gradient, row by row\n  --alpha A  an element is degenerate "
    "when det F is below A (default 0.1)\n  --beta B  how far dapd moves a degenerate element back (default 3)\n  "
    "--json  print JSON\n",
    rotation};

static void print_matrix(const char *name, const double *m) {
    for (int i = 0; i < 3; ++i)
        printf("%s  % .15g  % .15g  % .15g\n", i == 1 ? name : " ", m[3 * i], m[3 * i + 1], m[3 * i + 2]);
}

static int rotation(int count, char **word) {
    const char *method, *text = NULL, *alpha = NULL, *beta = NULL;
    bool json = false;
    int methods;
    const tool_option option[] = {{.name = "--F", .text = &text},
                                  {.name = "--alpha", .text = &alpha},
                                  {.name = "--beta", .text = &beta},
                                  {.name = "--json", .flag = &json}};
    const int code = tool_parse(&tool_rotation, count, word, option, 4, &method, 1, &methods);
    if (code) return code;
    if (methods == 0 || !text)
        return tool_fail(TOOL_BAD_INPUT, "rotation needs a method and --F; usage: sinew %s", tool_rotation.usage);
    double F[9], R[9], S[9];
    if (!tool_numbers(text, F, 9))
        return tool_fail(TOOL_BAD_INPUT, "--F is '%s'; it must be nine finite numbers, row by row", text);
    const sn_material usual = sn_material_default();
    double degenerate[2] = {usual.alpha, usual.beta};
    if (alpha && !tool_numbers(alpha, &degenerate[0], 1))
        return tool_fail(TOOL_BAD_INPUT, "--alpha is '%s'; it must be one finite number", alpha);
    if (beta && !tool_numbers(beta, &degenerate[1], 1))
        return tool_fail(TOOL_BAD_INPUT, "--beta is '%s'; it must be one finite number", beta);
    sn_context *context = tool_context(1);
    if (!context) return TOOL_FAILED;
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
