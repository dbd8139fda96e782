/* Bad scenes: each gets its own message with line, column and key, and never a world. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "failing_allocator.h"
#include "scene_text.h"

/* A right scene in pieces; a case replaces one of them. */
#define BOX "\"mesh\": { \"box\": { \"size\": [1, 1, 1], \"cells\": [2, 2, 2] } }"
#define MATERIAL "\"material\": { \"law\": \"corotated\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000 }"
#define FIX "\"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], [1e-6, 2, 2]] } } ]"
#define SCENE(top, body) "{ \"sinew\": 1,\n  " top "\"bodies\": [ {\n    " body " } ] }"

/* A scene with one mistake. ' stands for ", and @ marks the place that the message must give: it is taken out before
 * the scene is read. */
typedef struct bad {
    const char *text, *path; /* path: of the option at fault; NULL when the text is no JSON */
    const char *says[3];
} bad;

#define B "'mesh': { 'box': { 'size': [1, 1, 1], 'cells': [2, 2, 2] } }"
#define M "'material': { 'law': 'corotated', 'young': 1e5, 'poisson': 0.3 }"
#define TOP(top) "{ 'sinew': 1,\n  " top ",\n  'bodies': [ { " B " } ] }"
#define BODY(body) "{ 'sinew': 1,\n  'bodies': [ {\n    " B ",\n    " body " } ] }"
#define SECOND(body) "{ 'sinew': 1,\n  'bodies': [ { " B " },\n    { " B ",\n    " body " } ] }"

static const bad table[] = {
    /* The scene itself. */
    {TOP("@'tme': {}"), "tme", {"unknown", "'time'", "known are"}},
    {TOP("'gravity': @[0, 1]"), "gravity", {"list of 2", "3 numbers", ""}},
    {TOP("'gravity': [0, @'down', 0]"), "gravity.1", {"'down'", "number", ""}},
    {TOP("'gravity': [0, 1e999, 0]"), NULL, {"JSON", "", ""}},
    {TOP("'name': 'a', 'name': 'b'"), NULL, {"duplicate", "name", ""}},
    {TOP("'description': @1"), "description", {"string", "", ""}},
    {"{ 'bodies': [", NULL, {"JSON", "", ""}},
    {"{ 'sinew': @2, 'bodies': [] }", "sinew", {"is 2", "", ""}},
    {"@{ 'sinew': 1 }", "", {"the scene needs 'bodies'", "", ""}},
    {"{ 'sinew': 1, 'bodies': @[] }", "bodies", {"at least 1", "", ""}},
    {"@[]", "", {"object", "", ""}},
    {"", NULL, {"JSON", "", ""}},
    {TOP("'gallery': @3"), "gallery", {"object", "", ""}},
    {TOP("'gallery': @{}"), "gallery", {"needs 'place'", "", ""}},
    {TOP("'gallery': { 'place': @0 }"), "gallery.place", {"is 0", "", ""}},
    {TOP("'gallery': { 'place': 1, @'color': 'none' }"), "gallery.color", {"unknown", "colour", ""}},
    /* Tools. */
    {TOP("'tools': @{}"), "tools", {"list", "", ""}},
    {TOP("'tools': [ { @'springs': 200 } ]"), "tools.0.springs", {"unknown", "'spring'", ""}},
    {TOP("'tools': [ { 'spring': @20 } ]"), "tools.0.spring", {"20", "50", "500"}},
    {TOP("'tools': [ { 'buffer': @'plain' } ]"), "tools.0.buffer", {"'plain'", "'plane'", ""}},
    {TOP("'tools': [ { 'body': @'none' } ]"), "tools.0.body", {"none", "", ""}},
    {TOP("'tools': [ { 'name': 'a' }, @{ 'name': 'a' } ]"), "tools.1", {"'a'", "another tool", ""}},
    {TOP("'tools': [ { 'device': @'mice' } ]"), "tools.0.device", {"'mice'", "recorded", "udp"}},
    {TOP("'tools': [ { 'device': @1 } ]"), "tools.0.device", {"string", "mouse", ""}},
    {TOP("'tools': [ { 'device': @{} } ]"), "tools.0.device", {"names 0", "one", ""}},
    {TOP("'tools': [ { 'device': @{ 'udp': {}, 'recorded': { 'rows': [[0, 0, 0, 0]] } } } ]"),
     "tools.0.device",
     {"names 2", "one", ""}},
    {TOP("'tools': [ { 'device': { 'udp': { @'prt': 5 } } } ]"), "tools.0.device.udp.prt", {"'port'", "", ""}},
    {TOP("'tools': [ { 'device': { 'udp': { 'port': @0 } } } ]"), "tools.0.device.udp.port", {"65535", "", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': @{} } } ]"), "tools.0.device.recorded", {"'file'", "'rows'", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': { 'file': @'no-such-path.csv' } } } ]"),
     "tools.0.device.recorded.file",
     {"no-such-path.csv", "opened", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': { 'rows': @[] } } } ]"),
     "tools.0.device.recorded.rows",
     {"at least 1", "", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': { 'rows': [[0, 0, 0, 0], @[1, 0, 0]] } } } ]"),
     "tools.0.device.recorded.rows.1",
     {"list of 3", "4", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': { 'rows': @[[1, 0, 0, 0], [1, 0, 0, 0]] } } } ]"),
     "tools.0.device.recorded.rows",
     {"row 1", "grow", ""}},
    {TOP("'tools': [ { 'device': { 'recorded': { 'rows': @[[1, 0, 0, 0, 0.5]] } } } ]"),
     "tools.0.device.recorded.rows",
     {"button", "0 or 1", ""}},
    {TOP("'tools': [ { @'rate': 1000 } ]"), "tools.0.rate", {"device", "", ""}},
    {TOP("'tools': [ { @'protocol': 'a.csv' } ]"), "tools.0.protocol", {"device", "", ""}},
    {TOP("'tools': [ { 'device': 'mouse', 'rate': @5 } ]"), "tools.0.rate", {"10", "10000", ""}},
    {TOP("'tools': [ { 'device': 'mouse', 'protocol': @'a/b.csv' } ]"), "tools.0.protocol", {"folder", "", ""}},
    {TOP("'tools': [ { 'device': 'mouse', 'protocol': 'a' }, @{ 'device': 'mouse', 'protocol': 'a' } ]"),
     "tools.1",
     {"protocol", "another tool", ""}},
    {TOP("'tools': [ {} ], 'probes': [ @{ 'tool': 'tool0', 'quantity': 'position', 'node': 0 } ]"),
     "probes.0",
     {"beside 'tool'", "", ""}},
    {TOP("'tools': [ {} ], 'probes': [ { 'tool': @'tool1', 'quantity': 'position' } ]"),
     "probes.0.tool",
     {"tool1", "", ""}},
    {TOP("'tools': [ {} ], 'probes': [ { 'tool': @'tool0', 'quantity': 'volume' } ]"),
     "probes.0.tool",
     {"position and force", "", ""}},
    /* Muscle. */
    {BODY("'material': { 'muscle': @{} }"), "bodies.0.material.muscle", {"needs 'fibre'", "", ""}},
    {BODY("'material': { 'muscle': { 'fibre': @[0, 0, 0] } }"), "bodies.0.material.muscle.fibre", {"0", "", ""}},
    {BODY("'material': { 'muscle': { 'fibre': @'x' } }"), "bodies.0.material.muscle.fibre", {"direction", "from", ""}},
    {BODY("'material': { 'muscle': { 'fibre': { @'form': 'all' } } }"),
     "bodies.0.material.muscle.fibre.form",
     {"unknown", "from", ""}},
    {BODY("'material': { 'muscle': { 'fibre': @{ 'from': 'all' } } }"),
     "bodies.0.material.muscle.fibre",
     {"'from' and 'to'", "", ""}},
    {BODY("'material': { 'muscle': { 'fibre': { 'from': { 'box': [[-1, -1, -1], [0.6, 2, 2]] }, "
          "'to': @{ 'box': [[0.4, -1, -1], [2, 2, 2]] } } } }"),
     "bodies.0.material.0.muscle.fibre.to",
     {"touch", "share no node", ""}},
    {BODY("'material': { 'muscle': { 'fibre': { 'from': @{ 'box': [[5, 5, 5], [6, 6, 6]] }, 'to': 'surface' } } }"),
     "bodies.0.material.0.muscle.fibre.from",
     {"", "", ""}},
    {BODY("'material': { 'muscle': { 'fibre': { 'field': @'grain' } } }"),
     "bodies.0.material.0.muscle.fibre.field",
     {"no field 'grain'", "", ""}},
    {BODY("'material': { 'muscle': { 'fibre': [1, 0, 0], 'activation': @1.5 } }"),
     "bodies.0.material.muscle.activation",
     {"1.5", "at most 1", ""}},
    {BODY("'material': { 'muscle': { 'fibre': [1, 0, 0], 'activation': @-0.5 } }"),
     "bodies.0.material.muscle.activation",
     {"-0.5", "at least 0", ""}},
    {BODY("'material': { 'muscle': { 'fibre': [1, 0, 0], 'activation': { 'keys': @[[0, 0], [1, 2]] } } }"),
     "bodies.0.material.muscle.activation.keys",
     {"key 2", "at most 1", ""}},
    {BODY("'material': { 'muscle': { 'fibre': [1, 0, 0], 'width': @1.5 } }"),
     "bodies.0.material.muscle.width",
     {"1.5", "at most 1", ""}},
    /* Time and solver: by the reader, then by the library, which sees two keys together. */
    {TOP("'time': { 'step': @'fast' }"), "time.step", {"'fast'", "number", "s"}},
    {TOP("'time': { 'step': @0 }"), "time.step", {"is 0", "above 0", ""}},
    {TOP("'time': { 'step': @-0.1 }"), "time.step", {"-0.1", "above 0", ""}},
    {TOP("'time': { 'load_steps': @1.5 }"), "time.load_steps", {"1.5", "whole number", ""}},
    {TOP("'time': { 'newton': { @'kid': 'full' } }"), "time.newton.kid", {"unknown", "kind", ""}},
    {TOP("'time': { 'newton': {\n 'kind': 'full', 'tolerance': @2 } }"),
     "time.newton.tolerance",
     {"is 2", "at most 1", ""}},
    {TOP("'time': { 'newton': @[] }"), "time.newton", {"list", "object", ""}},
    {TOP("'solver': { 'method': @'gc' }"), "solver.method", {"did you mean 'cg'?", "known are auto, cg", "eisenstat"}},
    {TOP("'solver': { 'method': @'' }"), "solver.method", {"is ''", "unknown; known are auto, cg", ""}},
    {TOP("'solver': { 'method': 'ldlt',\n    'operator': @'assembly-free' }"),
     "solver.operator",
     {"ldlt", "needs a matrix", ""}},
    {TOP("'solver': { 'preconditioner': @'ic0', 'method': 'eisenstat' }"),
     "solver.preconditioner",
     {"eisenstat", "'ic0'", "ssor"}},
    /* Output. */
    {TOP("'output': { 'formats': ['obj', @'vtk'] }"), "output.formats.1", {"'vtk'", "'vtu'", ""}},
    {TOP("'output': { 'every': @-1 }"), "output.every", {"-1", "at least 0", ""}},
    {TOP("'output': { 'picture': { 'elevation': @90 } }"), "output.picture.elevation", {"90", "at most 89", ""}},
    {TOP("'output': { 'picture': { @'hight': 90 } }"), "output.picture.hight", {"unknown", "'height'", ""}},
    {TOP("'output': { 'picture': { 'field': @'stres' } }"), "output.picture.field", {"'stres'", "von_mises", ""}},
    /* Colliders. */
    {TOP("'colliders': [ { 'plane': {}, 'response': @'Projektion' } ]"),
     "colliders.0.response",
     {"mean 'projection'", "penalty", ""}},
    {TOP("'colliders': [ { 'plane': {} }, { 'sphere': { 'radius': @0 } } ]"),
     "colliders.1.sphere.radius",
     {"above 0", "", ""}},
    {TOP("'colliders': [ { 'plane': {} },\n { 'plane': {}, 'friction': @-1 } ]"),
     "colliders.1.friction",
     {"-1", "at least 0", ""}},
    {TOP("'colliders': [ { 'plane': { 'normal': @[0, 0, 0] } } ]"), "colliders.0.plane.normal", {"zero", "", ""}},
    {TOP("'colliders': [ { 'plane': {}, 'keys': [[1, 0, 0, 0], @[1, 0, 0, 0]] } ]"),
     "colliders.0.keys.1",
     {"time 1 after 1", "", ""}},
    /* Probes: the library looks for nodes and bodies. */
    {TOP("'probes': [ { 'node': @99 } ]"), "probes.0.node", {"99", "no node", ""}},
    {TOP("'probes': [ { 'node': 1 }, { 'node': 1, 'body': @'bdy' } ]"), "probes.1.body", {"'bdy'", "no body", ""}},
    {TOP("'probes': [ { 'nearest': [0, 0, @true] } ]"), "probes.0.nearest.2", {"number", "", ""}},
    {TOP("'probes': [ { 'node': 1, 'quantity': @'speed' } ]"), "probes.0.quantity", {"'speed'", "velocity", ""}},
    {TOP("'probes': [ { 'select': @{ 'box': [[5, 5, 5], [6, 6, 6]] } } ]"),
     "probes.0.select",
     {"picks nothing", "", ""}},
    {TOP("'probes': [ { 'select': @{ 'nodes': [0] }, 'quantity': 'volume' } ]"),
     "probes.0.select",
     {"no whole element", "", ""}},
    {TOP("'probes': [ @{ 'quantity': 'stress' } ]"), "probes.0", {"nearest, node, select", "", ""}},
    {TOP("'probes': [ { 'name': 'a', 'node': 1 }, @{ 'name': 'a', 'node': 2 } ]"),
     "probes.1",
     {"'a'", "another probe", ""}},
    /* Body, mesh and start. */
    {BODY("'mass': @'heavy'"), "bodies.0.mass", {"'heavy'", "lumped", ""}},
    {BODY("'element': @'tet5'"), "bodies.0.element", {"'tet5'", "tet4", ""}},
    {BODY("'thickness': @0"), "bodies.0.thickness", {"is 0", "above 0", ""}},
    {"{ 'bodies': [ @{ 'name': 'a' } ] }", "bodies.0", {"needs 'mesh'", "", ""}},
    {"{ 'bodies': [ { 'mesh': { 'file': @'no/such.msh' } } ] }", "bodies.0.mesh.file", {"such.msh", "", ""}},
    {"{ 'bodies': [ { 'mesh': { @'bx': {} } } ] }", "bodies.0.mesh.bx", {"unknown", "'box'", ""}},
    {"{ 'bodies': [ { 'mesh': { 'box': { 'cells': [1, 1, 1], 'sice': @1 } } } ] }",
     "bodies.0.mesh.box.sice",
     {"sice", "'size'", ""}},
    {"{ 'bodies': [ { 'mesh': { 'box': { 'size': [1, 1, 1], 'cells': @[0, 1, 1] } } } ] }",
     "bodies.0.mesh.box.cells",
     {"is 0", "", ""}},
    {SECOND("'initial': { 'scale': @'big' }"), "bodies.1.initial.scale", {"'big'", "", ""}},
    {SECOND("'initial': { 'flatten': @'w' }"), "bodies.1.initial.flatten", {"'w'", "x, y, z", ""}},
    {SECOND("'initial': { 'scramble': @-4 }"), "bodies.1.initial.scramble", {"-4", "at least 0", ""}},
    {SECOND("'initial': { @'spn': [0, 0, 1] }"), "bodies.1.initial.spn", {"unknown", "'spin'", ""}},
    /* Materials: most constants are the library's to judge. A list of materials, or one object. */
    {BODY("'material': { @'yung': 1e5 }"), "bodies.0.material.yung", {"unknown", "young", ""}},
    {BODY("'material': { 'young': 1e5, 'poisson': @0.5 }"), "bodies.0.material.poisson", {"0.5", "below 0.5", ""}},
    {BODY("'material': { 'young': 1e5, 'poisson': @0.7 }"), "bodies.0.material.poisson", {"0.7", "below 0.5", ""}},
    {BODY("'material': { 'young': @-1, 'poisson': 0.3 }"), "bodies.0.material.young", {"-1", "at least 0", ""}},
    {BODY("'material': [ { 'select': 'all' },\n      { 'young': @-1, 'select': 'all' } ]"),
     "bodies.0.material.1.young",
     {"-1", "at least 0", ""}},
    {BODY("'material': { 'density': @0 }"), "bodies.0.material.density", {"is 0", "above 0", ""}},
    {BODY("'material': { 'density': @-5 }"), "bodies.0.material.density", {"-5", "above 0", ""}},
    {BODY("'material': { @'young': 1, 'poisson': 0.1, 'lame': [1, 2] }"),
     "bodies.0.material.young",
     {"lame", "young", "not"}},
    {BODY("'material': { 'law': @'stvkk' }"), "bodies.0.material.law", {"'stvkk'", "'stvk'", ""}},
    {BODY("'material': { 'law': 'stvk', 'rotation': @'polar' }"),
     "bodies.0.material.rotation",
     {"'stvk'", "no rotation", ""}},
    {BODY("'material': { 'law': 'ogden', 'mu': [1, 2], 'alpha': @[2], 'd1': 1 }"),
     "bodies.0.material.alpha",
     {"as many", "", ""}},
    {BODY("'material': { 'prony': [ { 'ratio': 1, 'time': @-1 } ] }"),
     "bodies.0.material.prony.0.time",
     {"-1", "above 0", ""}},
    {BODY("'material': { 'prony': { 'terms': [ { 'ratio': 1, 'time': 1 }, { 'ratio': @-2, 'time': 1 } ] } }"),
     "bodies.0.material.prony.terms.1.ratio",
     {"-2", "at least 0", ""}},
    {BODY("'material': { 'lame': [0, 1e4], 'prony': { 'moduli': 'instantaneous', 'on': 'shear',\n 'terms': @[ "
          "{ 'modulus': 6e3, 'time': 1 }, { 'modulus': 6e3, 'time': 2 } ] } }"),
     "bodies.0.material.prony.terms",
     {"1.2", "at most 1", ""}},
    {BODY("'material': { 'law': 'mooney-rivlin', 'prony': { 'on': 'coefficients',\n 'terms': [ { 'ratios': [0.5, @-1], "
          "'time': 1 } ] } }"),
     "bodies.0.material.prony.terms.0.ratios.1",
     {"-1", "at least 0", ""}},
    {BODY("'material': { 'law': 'mooney-rivlin', 'prony': { 'on': 'coefficients',\n 'terms': [ { @'ratio': 0.5, "
          "'time': 1 } ] } }"),
     "bodies.0.material.prony.terms.0.ratio",
     {"unknown", "ratios", ""}},
    {BODY("'material': { 'prony': { 'model': 'maxwell', @'moduli': 'long-term', 'time': 1 } }"),
     "bodies.0.material.prony.moduli",
     {"does not go with 'model'", "", ""}},
    {BODY("'material': { 'prony': { 'model': 'standard', 'ratio': 1, 'time': @0 } }"),
     "bodies.0.material.prony.time",
     {"is 0", "above 0", ""}},
    {BODY("'material': { 'viscous': { 'lambda': @-1 } }"),
     "bodies.0.material.viscous.lambda",
     {"-1", "at least 0", ""}},
    {BODY("'materials': [ { 'select': @{ 'box': [[5, 5, 5], [6, 6, 6]] } } ]"),
     "bodies.0.material.0.select",
     {"no element's centroid", "", ""}},
    {BODY("'material': { 'select': @{ 'sphere': [[9, 9, 9], 1] } }"),
     "bodies.0.material.0.select",
     {"no element's centroid", "", ""}},
    {SECOND("'material': @{ 'law': 'mooney-rivlin', 'c10': 1 }"), "bodies.1.material.d1", {"lacks 'd1'", "", ""}},
    /* Fixes. */
    {BODY("'fix': @{}"), "bodies.0.fix", {"list", "", ""}},
    {BODY("'fix': [ @{ 'axes': 'x' } ]"), "bodies.0.fix.0", {"needs 'select'", "", ""}},
    {BODY("'fix': [ { 'select': @{ 'box': [[5, 5, 5], [6, 6, 6]] } } ]"), "bodies.0.fix.0.select", {"nothing", "", ""}},
    {BODY("'fix': [ { 'select': { @'boks': [] } } ]"), "bodies.0.fix.0.select.boks", {"unknown", "'box'", ""}},
    {BODY("'fix': [ { 'select': 'all' },\n { 'select': 'all', 'axes': @'xw' } ]"),
     "bodies.0.fix.1.axes",
     {"xyz", "", ""}},
    {BODY("'fix': [ { 'select': 'all', 'ramp': @[2, 1] } ]"), "bodies.0.fix.0.ramp", {"before", "", ""}},
    {BODY("'fix': [ { 'select': 'all', 'turn': @{ 'degrees': 4 } } ]"),
     "bodies.0.fix.0.turn",
     {"needs 'axis'", "", ""}},
    {BODY("'fix': [ { 'select': 'all', 'turn': { 'axis': @[0, 0, 0], 'degrees': 4 } } ]"),
     "bodies.0.fix.0.turn.axis",
     {"zero", "", ""}},
    {BODY("'fix': [ { 'select': 'all', 'displacement': [0, 0, 1], @'keys': [[0, 1, 1, 1]] } ]"),
     "bodies.0.fix.0.keys",
     {"beside", "", ""}},
    {BODY("'rigid': [ { 'select': @{ 'nodes': [1, 2] } } ]"), "bodies.0.rigid.0.select", {"2 nodes", "at least 3", ""}},
    /* Loads. */
    {BODY("'loads': [ @{ 'select': 'all' } ]"), "bodies.0.loads.0", {"traction", "pressure", ""}},
    {BODY("'loads': [ @{ 'select': 'all', 'pressure': 1, 'force': [1, 0, 0] } ]"),
     "bodies.0.loads.0",
     {"both 'pressure' and 'force'", "", ""}},
    {BODY("'loads': [ { 'select': @{ 'nodes': [0] }, 'pressure': 1 } ]"), "bodies.0.loads.0.select", {"face", "", ""}},
    {BODY("'loads': [ { 'body': [0, 1, 0] },\n { 'select': @{ 'nodes': [0] }, 'body': [0, 1, 0] } ]"),
     "bodies.0.loads.1.select",
     {"whole element", "", ""}},
    {BODY("'loads': [ { 'body': [0, 1, 0], 'follow': @true } ]"), "bodies.0.loads.0.follow", {"surface", "", ""}},
    {BODY("'loads': [ { 'select': 'surface', 'pressure': 1, 'ramp': @[2, 1] } ]"),
     "bodies.0.loads.0.ramp",
     {"before", "", ""}},
    {BODY("'loads': [ { 'select': 'surface', 'shear': { 'direction': [1, 0, 0], @'valu': 1 } } ]"),
     "bodies.0.loads.0.shear.valu",
     {"unknown", "'value'", ""}},
    /* Links. */
    {BODY("'links': [ { 'point': [0.5, 0.5, 0.5] },\n  { 'point': @[5, 0, 0] } ]"),
     "bodies.0.links.1.point",
     {"not inside", "", ""}},
    {BODY("'links': [ @{ 'to': [1, 1, 1] } ]"), "bodies.0.links.0", {"needs 'point'", "", ""}},
    {BODY("'links': [ { 'point': [0, 0, 0], 'to': { 'body': @'arm' } } ]"),
     "bodies.0.links.0.to.body",
     {"'arm'", "", ""}},
    {SECOND("'links': [ { 'point': [0, 0, 0],\n 'to': { 'body': 'body', 'at': @[9, 0, 0] } } ]"),
     "bodies.1.links.0.to.at",
     {"not inside", "", ""}},
    {BODY("'links': [ { 'point': [0, 0, 0], 'rate': @2 } ]"), "bodies.0.links.0.rate", {"is 2", "at most 1", ""}},
    {BODY("'links': [ { 'point': [0, 0, 0], 'stabilise': @'pots' } ]"),
     "bodies.0.links.0.stabilise",
     {"'post'", "", ""}},
    {"{ 'time': { 'method': @'rk4' }, 'bodies': [ { " B ",\n 'links': [ { 'point': [0, 0, 0] } ] } ] }",
     "time.method",
     {"links", "bdf", ""}},
    /* Keys that the file does not give: the nearest object around them. */
    {"{ 'time': { 'mode': 'static' },\n 'bodies': [ { " B ", 'fix': [ { 'select': 'all' } ] },\n @{ " B ", " M " } ] }",
     "bodies.1.fix",
     {"rigid body in 6 of 6 ways", "", ""}},
    {"{ 'time': { 'mode': 'static' }, 'bodies': [ { " B
     ", 'fix': [ { 'select': { 'normal': [0, -1, 0] } } ],\n 'material': @{ 'young': 0, 'poisson': 0.3 } } ] }",
     "bodies.0.material.0",
     {"modulus of 0", "", ""}},
};

/* The scene with its quotes and without its mark; `line` and `column` of the mark, 0 without one. */
static void prepare(const char *text, char *out, int *line, int *column) {
    int at_line = 1, at_column = 1;
    *line = *column = 0;
    for (; *text; ++text) {
        if (*text == '@') {
            *line = at_line, *column = at_column;
            continue;
        }
        *out++ = *text == '\'' ? '"' : *text;
        ++at_column;
        if (*text == '\n') ++at_line, at_column = 1;
    }
    *out = 0;
}

static sn_status try_scene(sn_context *context, const char *text, const sn_override *set, int sets, sn_error *error) {
    sn_world *world;
    const sn_status status = world_from_text(context, "t.json", text, set, sets, &world, error);
    sn_world_destroy(world);
    return status;
}

static sn_context *one_thread(void) {
    sn_context_options options = sn_context_options_default();
    sn_context *context = NULL;
    options.threads = 1;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static void test_bad_scenes(void **state) {
    (void)state;
    sn_context *context = one_thread();
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char text[2000], position[64] = "t.json:";
        int line, column;
        prepare(table[i].text, text, &line, &column);
        if (line) snprintf(position, sizeof position, "t.json:%d:%d: ", line, column);
        sn_error error = {0};
        const sn_status status = try_scene(context, text, NULL, 0, &error);
        bool good = status != SN_OK && error.status == status && strncmp(error.text, position, strlen(position)) == 0;
        good = good && (!table[i].path || strcmp(table[i].path, error.path) == 0);
        good = good && (!table[i].path || strncmp(error.text + strlen(position), error.path, strlen(error.path)) == 0);
        for (int k = 0; k < 3; ++k) good = good && strstr(error.text, table[i].says[k]);
        if (good) continue;
        print_message("%s\n  should be at %s of '%s' and say '%s'\n  gives '%s' (%s), path '%s'\n", table[i].text,
                      position, table[i].path ? table[i].path : "", table[i].says[0], error.text,
                      sn_status_name(status), error.path);
        ++wrong;
    }
    assert_int_equal(wrong, 0);
    sn_context_destroy(context);
}

static void test_depth(void **state) {
    (void)state;
    sn_context *context = one_thread();
    char text[4096] = "{ \"bodies\": ";
    for (int i = 0; i < 2000; ++i) strcat(text, "[");
    sn_error error = {0};
    assert_int_equal(try_scene(context, text, NULL, 0, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "nest"));
    sn_context_destroy(context);
}

static void test_good_and_overrides(void **state) {
    (void)state;
    sn_context *context = one_thread();
    const char *text = SCENE("", BOX ", \"material\": { \"law\": \"corotated\", \"lame\": [3e5, 3e4] }, " FIX);
    sn_error error = {0};
    assert_int_equal(try_scene(context, text, NULL, 0, &error), SN_OK);
    const sn_override set[] = {{"time.step", "0.005"},          {"bodies.0.material.young", "1e6"},
                               {"bodies[0].name", "cube"},      {"bodies.cube.material.poisson", "0.2"},
                               {"time.newton.iterations", "3"}, {"probes.0", "{\"name\": \"p\", \"node\": 3}"}};
    sn_scene *scene;
    assert_int_equal(sn_scene_parse(context, text, strlen(text), "t.json", "", set, 6, &scene, &error), SN_OK);
    const sn_world_options *world = sn_scene_world_options(scene);
    assert_true(world->time.step == 0.005 && world->time.newton.iterations == 3);
    assert_string_equal(world->body[0].name, "cube");
    assert_int_equal(world->probe_count, 1);
    assert_int_equal(world->body[0].material[0].constant_count, 2);
    for (int i = 0; i < 2; ++i) {
        const sn_constant *c = &world->body[0].material[0].constant[i];
        assert_true(strcmp(c->name, "young") == 0 ? c->value[0] == 1e6
                                                  : strcmp(c->name, "poisson") == 0 && c->value[0] == 0.2);
    }
    sn_scene_destroy(scene);
    const sn_override wrong[][1] = {{{"time.step", "-1"}},
                                    {{"time.stp", "1"}},
                                    {{"bodies.7.name", "x"}},
                                    {{"time.step", "nan"}},
                                    {{"time.step.x", "1"}}};
    for (int i = 0; i < 5; ++i) {
        memset(&error, 0, sizeof error);
        const char *plain = SCENE("\"time\": { \"step\": 0.1 },\n", BOX);
        assert_int_equal(try_scene(context, plain, wrong[i], 1, &error), SN_BAD_INPUT);
        if (strncmp(error.text, "--set ", 6) != 0) fail_msg("override %d gives '%s'", i, error.text);
    }
    sn_context_destroy(context);
}

static void test_materials(void **state) {
    (void)state;
    sn_context *context = one_thread();
    const char *const good[] = {
        "{ \"law\": \"mooney-rivlin\", \"c10\": 1e5, \"c01\": 1e4, \"d1\": 1e-6 }",
        "{ \"law\": \"ogden\", \"mu\": [1e5, 2e4], \"alpha\": [2, -2], \"d1\": 1e-6 }",
        "{ \"law\": \"reduced-polynomial\", \"c\": [1e5, 1e3], \"d1\": 1e-6 }",
        "{ \"law\": \"orthotropic\", \"young\": [1e5, 2e5, 3e5], \"poisson\": [0.2, 0.2, 0.2], \"shear\": [4e4, 4e4, "
        "4e4] }",
        "{ \"law\": \"corotated\", \"young\": { \"keys\": [[0, 1e5], [1, 2e5]] }, \"poisson\": 0.3 }",
        "{ \"law\": \"corotated\", \"young\": 0, \"poisson\": 0.3 }",
        "[ { \"law\": \"stvk\", \"young\": 1e5 }, { \"young\": 1e6, \"select\": { \"box\": [[0, 0, 0], [9, 9, 9]] } } "
        "]",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        char text[1000];
        snprintf(text, sizeof text, SCENE("", BOX ", \"material\": %s"), good[i]);
        sn_error error = {0};
        if (try_scene(context, text, NULL, 0, &error)) fail_msg("material %zu: %s", i, error.text);
    }
    sn_context_destroy(context);
}

/* The short forms of a memory, and moduli in Pa: what they say in terms. mu is 1e4, lambda 2e4. */
static void test_memory_forms(void **state) {
    (void)state;
    static const struct {
        const char *prony, *on, *moduli;
        int count;
        double term[2][2], viscous[2];
    } form[] = {
        {"{ \"model\": \"maxwell\", \"time\": 0.5 }", "", "instantaneous", 1, {{1, 0.5}}, {0}},
        {"{ \"model\": \"standard\", \"ratio\": 2, \"time\": 0.5, \"on\": \"shear\" }",
         "shear",
         "",
         1,
         {{2, 0.5}},
         {0}},
        {"{ \"model\": \"kelvin-voigt\", \"time\": 0.5 }", "", "", 0, {{0}}, {1e4, 5e3}},
        {"{ \"model\": \"kelvin-voigt\", \"time\": 0.5, \"on\": \"shear\" }", "", "", 0, {{0}}, {0, 5e3}},
        {"{ \"on\": \"shear\", \"terms\": [ { \"modulus\": 3e4, \"time\": 1 }, { \"ratio\": 2, \"time\": 4 } ] }",
         "shear",
         "",
         2,
         {{3, 1}, {2, 4}},
         {0}},
        {"{ \"moduli\": \"instantaneous\", \"terms\": [ { \"modulus\": 5e3, \"time\": 1 } ] }",
         "",
         "instantaneous",
         1,
         {{0.5, 1}},
         {0}},
    };
    sn_context *context = one_thread();
    for (size_t i = 0; i < sizeof form / sizeof *form; ++i) {
        char text[1000];
        sn_error error = {0};
        sn_scene *scene;
        snprintf(text, sizeof text, SCENE("", BOX ", \"material\": { \"lame\": [2e4, 1e4], \"prony\": %s }"),
                 form[i].prony);
        if (sn_scene_parse(context, text, strlen(text), "t.json", "", NULL, 0, &scene, &error))
            fail_msg("form %zu: %s", i, error.text);
        const sn_material *m = &sn_scene_world_options(scene)->body[0].material[0];
        assert_string_equal(m->prony_on, form[i].on);
        assert_string_equal(m->prony_moduli, form[i].moduli);
        assert_int_equal(m->prony_count, form[i].count);
        for (int k = 0; k < 2; ++k) {
            for (int t = 0; t < m->prony_count; ++t)
                assert_true(m->prony[t][k] > 0.999999 * form[i].term[t][k] &&
                            m->prony[t][k] < 1.000001 * form[i].term[t][k]);
            assert_true(m->viscous[k] >= 0.999999 * form[i].viscous[k] &&
                        m->viscous[k] <= 1.000001 * form[i].viscous[k]);
        }
        sn_scene_destroy(scene);
    }
    sn_context_destroy(context);
}

/* Every N-th allocation of loading fails once: a clean error, nothing left behind. */
static void test_no_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *context = failing_allocator_context(&failing);
    const char *text =
        SCENE("\"probes\": [ { \"node\": 1 } ], \"colliders\": [ { \"plane\": {} } ],\n",
              BOX ", " MATERIAL ", " FIX ", \"loads\": [ { \"select\": { \"normal\": [1, 0, 0] }, \"pressure\": 1 } ]");
    const sn_override set[] = {{"time.step", "0.02"}};
    const int64_t before = failing.live;
    int n = 1;
    for (; n < 10000; ++n) {
        sn_scene *scene = NULL;
        sn_error error = {0};
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_scene_parse(context, text, strlen(text), "t.json", "", set, 1, &scene, &error);
        failing_allocator_disarm(&failing);
        if (!status) {
            sn_scene_destroy(scene);
            break;
        }
        if (status != SN_NO_MEMORY) fail_msg("allocation %d: %s", n, error.text);
        assert_int_equal(failing.live, before);
    }
    assert_true(n > 20);
    assert_int_equal(failing.live, before);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_scenes),         cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_good_and_overrides), cmocka_unit_test(test_materials),
                                       cmocka_unit_test(test_memory_forms),       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
