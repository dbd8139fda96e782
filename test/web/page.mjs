// The page in headless Chromium: node test/web/page.mjs BUILD [PART...]. Parts are named at the end; all by default.
// Screenshots are kept in BUILD/web-test. Step times are printed, not judged: they depend on what else the machine does.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { farthest, launch, load, middle, open, picture, ready, simulate, sleep, vertices } from "./browser.mjs";
import { serve } from "./serve.mjs";

const build = path.resolve(process.argv[2] ?? "build");
const wanted = process.argv.slice(3);
const site = path.join(build, "web");
const shots = path.join(build, "web-test");
let failures = 0;

function check(holds, text) {
  console.log(`${holds ? "ok  " : "FAIL"} ${text}`);
  if (!holds) ++failures;
}

const last = (page) => page.evaluate(() => window.sinew.state.last);
const errors = (page) => page.evaluate(() => [...document.querySelectorAll(".message.error")].map((node) => node.textContent));
const send = (page, message) => page.evaluate((m) => window.sinew.engine.send(m), message);

// Where a point of the surface is on the screen: the vertex farthest along `direction`, a little inwards.
const screenPoint = (page, direction) => page.evaluate((d) => {
  const { stage } = window.sinew;
  const { array } = stage.bodies[0].mesh.geometry.attributes.position;
  const centre = stage.controls.target.clone().set(0, 0, 0);
  const best = centre.clone();
  let most = -Infinity;
  for (let i = 0; i < array.length; i += 3) {
    centre.x += array[i], centre.y += array[i + 1], centre.z += array[i + 2];
    const along = array[i] * d[0] + array[i + 1] * d[1] + array[i + 2] * d[2];
    if (along > most) (most = along), best.set(array[i], array[i + 1], array[i + 2]);
  }
  centre.multiplyScalar(3 / array.length);
  const p = best.lerp(centre, 0.12).project(stage.camera);
  const box = stage.canvas.getBoundingClientRect();
  return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
}, direction);

// True when the last frame fulfils the condition soon; the page may be slow in drawing.
async function soon(page, condition, ...values) {
  const found = page.waitForFunction(condition, { timeout: 20000, polling: 50 }, ...values);
  return found.then(() => true, () => false);
}

// Steps that were made, once frames have stopped coming.
async function settled(page) {
  for (let before = -1; ; await sleep(800)) {
    const { steps } = await last(page);
    if (steps === before) return steps;
    before = steps;
  }
}

// ---- Parts ----

async function testPage(browser, address) {
  const page = await open(browser, `${address}?threads=2`);
  check(await page.evaluate(() => crossOriginIsolated), "the page is cross-origin isolated");
  check(/, 2 threads/.test(await page.$eval("#engine", (node) => node.textContent)), "the engine has threads");
  await simulate(page, 0.2);
  check((await last(page)).time > 0, "the first scene runs");
  await page.keyboard.press("?");
  check(await page.$eval("#help", (node) => !node.hidden), "? shows the help");
  await picture(page, shots, "help");
  await page.keyboard.press("Escape");
  await page.keyboard.press(" ");
  check(await soon(page, () => !window.sinew.state.playing), "space pauses");
  const paused = await settled(page);
  await page.keyboard.press(".");
  await soon(page, (steps) => window.sinew.state.last.steps > steps, paused);
  check((await settled(page)) === paused + 1, ". makes one step");
  await page.keyboard.press("r");
  check(await soon(page, () => window.sinew.state.last.steps === 0), "R resets");
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

async function testPlain(browser) {
  const server = await serve(site, { isolated: false });
  const page = await open(browser, server.address);
  check(/1 thread$/.test(await page.$eval("#engine", (node) => node.textContent)), "without isolation the engine has one thread");
  await simulate(page, 0.1);
  check((await last(page)).time > 0 && page.problems.length === 0, `and runs ${page.problems.join("; ")}`);
  await page.close();
  server.close();
}

async function testGallery(browser, address) {
  const page = await open(browser, address);
  const names = await page.evaluate(() => window.sinew.gallery.map(({ name }) => name));
  check(names.length >= 10, `the gallery has ${names.length} scenes`);
  for (const name of names) {
    await load(page, name);
    const before = await vertices(page);
    await simulate(page, 0.25, 45000);
    const moved = farthest(await vertices(page), before);
    const frame = await last(page);
    const size = await page.evaluate(() => window.sinew.stage.size);
    check(moved > 1e-4 * size && (await errors(page)).length === 0, `${name}: moved by ${moved.toPrecision(3)} m, ${frame.milliseconds.toFixed(1)} ms per step, real-time factor ${frame.factor.toFixed(2)}`);
    await picture(page, shots, `scene-${name}`);
  }
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

// A drag with the real mouse displaces the body; let go, it springs back.
async function dragAndBack(page, label) {
  await simulate(page, 1.0);
  const rest = await vertices(page);
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; ++i) {
    await page.mouse.move(x + 5 * i, y - 22 * i);
    await sleep(30);
  }
  await simulate(page, 0.6);
  const pulled = farthest(await vertices(page), rest);
  const grabs = (await last(page)).grabs.length;
  await picture(page, shots, `grab-${label}`);
  await page.mouse.up();
  await simulate(page, 2.5);
  const back = farthest(await vertices(page), rest);
  const size = await page.evaluate(() => window.sinew.stage.size);
  check(grabs === 1 && pulled > 0.05 * size, `${label}: the drag pulls by ${pulled.toPrecision(3)} m`);
  check(back < 0.35 * pulled && (await last(page)).grabs.length === 0, `${label}: let go, it is back within ${back.toPrecision(3)} m`);
}

async function testGrab(browser, address) {
  const page = await open(browser, address);
  await load(page, "bar");
  await send(page, { do: "set", body: 0, index: 0, damping: 0.05 });
  await dragAndBack(page, "web");
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  await page.keyboard.down("Shift");
  await page.mouse.click(x, y);
  await page.keyboard.up("Shift");
  check(await soon(page, () => window.sinew.state.last.counts.pins > 0), "shift-click pins");
  await page.keyboard.press("u");
  check(await soon(page, () => window.sinew.state.last.counts.pins === 0), "U removes the pins");
  const before = await page.evaluate(() => window.sinew.stage.camera.position.toArray());
  await page.mouse.move(900, 700);
  await page.mouse.down();
  await page.mouse.move(700, 650, { steps: 4 });
  await page.mouse.up();
  await sleep(300);
  check(farthest(await page.evaluate(() => window.sinew.stage.camera.position.toArray()), before) > 0.01, "a drag beside the body turns the camera");
  for (const colour of ["displacement", "von_mises", "strain", "energy", "quality"]) {
    await page.evaluate((c) => ((window.sinew.view.colour = c), window.sinew.view.change("colour")), colour);
    const coloured = await soon(page, (c) => window.sinew.state.last.colour === c, colour);
    const frame = await last(page);
    check(coloured && frame.counts.values > 0 && Number.isFinite(frame.range[1]), `colour by ${colour}: up to ${frame.range[1].toPrecision(3)}`);
  }
  for (const glyphs of ["force", "constraint", "stress"]) {
    await page.evaluate((g) => ((window.sinew.view.glyphs = g), (window.sinew.view.wire = true), window.sinew.view.change("glyphs")), glyphs);
    await simulate(page, 0.1);
    check(await soon(page, () => window.sinew.state.last.counts.glyphs > 0 && window.sinew.state.last.counts.wire > 0), `glyphs: ${glyphs}`);
    await picture(page, shots, `glyphs-${glyphs}`);
  }
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

// The slider of the panel, moved with the mouse.
async function moveSlider(page, label, share) {
  const box = await page.evaluate((text) => {
    const row = [...document.querySelectorAll("#panel .lil-controller")].find((node) => node.querySelector(".lil-name")?.textContent.startsWith(text));
    const { x, y, width, height } = row.querySelector(".lil-slider").getBoundingClientRect();
    return { x, y, width, height };
  }, label);
  await page.mouse.move(box.x + 0.5 * box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
}

async function testSliders(browser, address) {
  const page = await open(browser, address);
  await load(page, "bar");
  await send(page, { do: "set", body: 0, index: 0, damping: 0.05 });
  await simulate(page, 1.5);
  const sag = async () => Math.min(...(await vertices(page)).filter((_, i) => i % 3 === 1));
  const soft = await sag();
  await moveSlider(page, "stiffness", 0.75);
  await simulate(page, 1.5);
  const stiff = await sag();
  check(stiff > soft + 0.01, `a stiffer bar sags less: lowest point ${soft.toFixed(3)} -> ${stiff.toFixed(3)} m`);
  await moveSlider(page, "gravity", 0.95);
  await moveSlider(page, "stiffness", 0.4);
  await simulate(page, 1.5);
  const high = Math.max(...(await vertices(page)).filter((_, i) => i % 3 === 1));
  check(high > 0.12, `with gravity upwards it rises: highest point ${high.toFixed(3)} m`);
  for (const change of [{ law: "corotated" }, { law: "stable-neo-hookean" }, { rotation: "" }, { poisson: 0.2 }]) await send(page, { do: "set", body: 0, index: 0, ...change });
  for (const change of [{ method: "implicit-midpoint" }, { method: "bdf2" }, { method: "implicit-euler" }, { solver: "cg" }, { preconditioner: "diagonal" }, { step: 0.005 }]) await send(page, { do: "set", ...change });
  await simulate(page, 0.2);
  const parameters = await page.evaluate(() => window.sinew.state.parameters);
  check(parameters.materials[0].law === "stable-neo-hookean" && parameters.preconditioner === "diagonal" && parameters.step === 0.005, "law, integrator, solver and step can be changed while it runs");
  const shown = await errors(page);
  check(shown.every((text) => /bdf2/.test(text)), `no other message than the library's about names ${shown.join("; ")}`);
  await send(page, { do: "reset" });
  await page.waitForFunction(() => window.sinew.state.last.time < 0.2, { timeout: 20000 }).catch(() => {});
  check((await page.evaluate(() => window.sinew.state.parameters)).materials[0].law === "stable-neo-hookean", "a reset keeps the parameters");
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

const dropFile = (page, name, text) => page.evaluate((n, t) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([t], n));
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
}, name, text);

async function testDrop(browser, address) {
  const page = await open(browser, address);
  await dropFile(page, "broken.json", '{ "sinew": 1,\n  "bodies": [ { "mesh": { "box": {} }, "material": { "yung": 3 } } ] }');
  await page.waitForSelector(".message.error", { timeout: 20000 });
  const [text] = await errors(page);
  check(/broken\.json:2:\d+: .*'?yung'?.*young/.test(text), `a broken scene shows the library's message: ${text}`);
  await picture(page, shots, "broken-scene");
  const time = (await last(page)).time;
  await simulate(page, 0.05);
  check((await last(page)).time > time, "and the scene before runs on");
  await page.evaluate(() => document.querySelectorAll(".message").forEach((node) => node.remove()));
  await dropFile(page, "cube.json", JSON.stringify({ sinew: 1, name: "dropped cube", bodies: [{ mesh: { box: { cells: [2, 2, 2] } } }] }));
  await page.waitForFunction(() => window.sinew.state.scene.name === "dropped cube", { timeout: 20000 });
  check(true, "a dropped scene runs");
  const octahedron = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
  await dropFile(page, "octahedron.obj", octahedron);
  await page.waitForFunction(() => window.sinew.state.scene.name === "octahedron.obj", { timeout: 20000 });
  check(await page.evaluate(() => window.sinew.state.scene.bodies[0].embedded), "a dropped surface gets a cage of tets");
  await dropFile(page, "broken.obj", "v 1 2\nf 1 2 3\n");
  await page.waitForSelector(".message.error", { timeout: 20000 });
  check(/broken\.obj/.test((await errors(page)).at(-1)), `a broken mesh shows the library's message: ${(await errors(page)).at(-1)}`);
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

async function testLink(browser, address) {
  const page = await open(browser, address);
  await load(page, "hanging-cube");
  await send(page, { do: "set", body: 0, index: 0, young: 12345 });
  await page.evaluate(() => (window.sinew.state.changed = true));
  await page.waitForFunction(() => window.sinew.state.parameters.materials[0].young === 12345, { timeout: 20000 });
  await page.keyboard.press("l");
  await page.waitForFunction(() => location.hash.startsWith("#data="), { timeout: 20000 });
  const link = await page.evaluate(() => location.href);
  const other = await open(browser, link);
  const parameters = await other.evaluate(() => window.sinew.state.parameters);
  check((await other.evaluate(() => window.sinew.state.scene.name)) === "hanging cube" && parameters.materials[0].young === 12345, `a link of ${link.length} characters carries the scene and its changes`);
  // A state that is saved and restored goes on with the same bits.
  const hashes = await other.evaluate(async () => {
    const { engine } = window.sinew;
    const old = engine.onmessage;
    const answer = (type) => new Promise((resolve) => (engine.onmessage = (head, bytes) => (head.type === type ? resolve({ head, bytes }) : head.type === "frame" && engine.drawn())));
    engine.send({ do: "play", on: false });
    let next = answer("state");
    engine.send({ do: "save" });
    const { bytes } = await next;
    const found = [];
    for (let i = 0; i < 2; ++i) {
      if (i) engine.send({ do: "restore" }, bytes);
      engine.send({ do: "advance", steps: 5 });
      next = answer("hash");
      engine.send({ do: "hash" });
      found.push((await next).head.hash);
    }
    engine.onmessage = old;
    return found;
  });
  check(hashes[0] === hashes[1], `a restored state goes on with the same bits: ${hashes}`);
  check(page.problems.length + other.problems.length === 0, `no console error ${[...page.problems, ...other.problems].join("; ")}`);
  await page.close();
  await other.close();
}

async function testPhone(browser, address) {
  const page = await open(browser, address, { width: 390, height: 800, touch: true, theme: "light" });
  await load(page, "bar");
  await simulate(page, 0.5);
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  const touch = await page.touchscreen.touchStart(x, y);
  for (let i = 1; i <= 5; ++i) await touch.move(x, y - 20 * i), await sleep(30);
  await simulate(page, 0.2);
  check((await last(page)).grabs.length === 1, "a finger grabs");
  await picture(page, shots, "phone");
  await touch.end();
  await simulate(page, 0.05);
  const wide = await page.evaluate(() => Math.max(...[...document.querySelectorAll("footer button, footer .pill, header .brand, #panel > *")].map((node) => node.getBoundingClientRect().right)));
  check(wide <= 390, `nothing sticks out of a phone's screen (${wide} px)`);
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.close();
}

const beam = (cells) => JSON.stringify({
  sinew: 1, name: `beam ${cells}`, time: { step: 0.01, newton: { kind: "one-step" } }, solver: { tolerance: 1e-3 },
  bodies: [{ mesh: { box: { size: [1, 0.3, 0.3], cells, split: 5 } }, material: { law: "corotated", young: 2e5, poisson: 0.35, rayleigh: { stiffness: 0.002 } }, fix: [{ select: { box: [[-1, -1, -1], [1e-6, 1, 1]] } }] }],
});

async function testSpeed(browser, address) {
  const page = await open(browser, address);
  for (const [cells, rate] of [[[21, 7, 7], 60], [[34, 11, 11], 25]]) {
    const times = await page.evaluate(async (text) => {
      const { engine, loadText } = window.sinew;
      const old = engine.onmessage;
      const found = [];
      await new Promise((resolve) => {
        engine.onmessage = (head, bytes) => {
          old(head, bytes);
          if (head.type === "scene") setTimeout(resolve, 6000);
          if (head.type === "frame" && head.stepsSince) found.push(head.milliseconds);
        };
        loadText(text, "speed.json");
      });
      engine.onmessage = old;
      return { times: found.sort((a, b) => a - b), tets: window.sinew.state.scene.bodies[0].elements };
    }, beam(cells));
    const { length } = times.times;
    const best = times.times[Math.floor(0.1 * length)], median = times.times[Math.floor(0.5 * length)];
    console.log(`     ${times.tets} tets: step ${best.toFixed(1)} ms (fast tenth), ${median.toFixed(1)} ms (median): ${(1000 / best).toFixed(0)} and ${(1000 / median).toFixed(0)} steps a second; wanted ${rate}`);
  }
  await page.close();
}

async function testNative(browser) {
  const child = spawn(path.join(build, "sinew"), ["view", "scenes/bar.json", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => resolve(String(data).split(" ")[0].trim()));
    child.on("exit", () => reject(new Error("sinew view ended")));
  });
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
  try {
    const page = await open(browser, address);
    check((await page.$eval("#engine", (node) => node.textContent)).startsWith("native"), `the native engine answers at ${address}`);
    await send(page, { do: "set", body: 0, index: 0, damping: 0.05 });
    await dragAndBack(page, "native");
    const other = await open(browser, address);
    await simulate(other, 0.1);
    check((await last(other)).time > 0, "a second tab watches");
    const grab = { do: "grab", handle: 0, body: 0, triangle: 0, share: [1, 0, 0], target: [0, 0, 0] };
    await send(page, grab);
    await sleep(300);
    await send(other, grab);
    await other.waitForFunction(() => [...document.querySelectorAll(".message")].some((node) => node.textContent === "another tab holds the mouse"), { timeout: 20000 });
    check(true, "one tab holds the mouse, the other is told");
    await page.close();
    await sleep(500);
    await simulate(other, 0.1);
    check((await last(other)).grabs.length === 0, "a closed tab lets go");
    await dropFile(other, "broken.json", '{ "bodies": [ { "mesh": { "box": {} }, "material": { "yung": 3 } } ] }');
    await other.waitForSelector(".message.error", { timeout: 20000 });
    check(/broken\.json:1:\d+: .*yung/.test((await errors(other)).at(-1)), "a broken scene shows the library's message");
    const stranger = await fetch(address, { headers: { Host: "example.org" } }).catch(() => null);
    const foreign = await other.evaluate((url) => fetch(url).then((r) => r.status), address);
    check(foreign === 200 && (stranger === null || stranger.status !== 500), "pages are served to this machine");
    const refused = await refusedOrigin(address);
    check(refused, "a WebSocket from another origin is refused");
    check(other.problems.length === 0, `no console error ${other.problems.join("; ")}`);
    await other.close();
  } finally {
    child.kill("SIGINT");
  }
  check((await ended) === 0, "Ctrl-C ends it cleanly");
}

// The handshake with a foreign Origin.
async function refusedOrigin(address) {
  const { request } = await import("node:http");
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const ask = request({ hostname, port, path: "/engine", headers: { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": 13, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", Origin: "http://example.org" } });
    ask.on("upgrade", (_, socket) => (socket.destroy(), resolve(false)));
    ask.on("response", (response) => (response.resume(), resolve(response.statusCode >= 400)));
    ask.on("error", () => resolve(true));
    ask.setTimeout(10000, () => resolve(true));
    ask.end();
  });
}

// The example of docs/embed-wasm.md as it stands there.
async function testExample(browser) {
  const text = /```html\n([^]*?)```/.exec(readFileSync("docs/embed-wasm.md", "utf8"))[1];
  const server = await serve(site, { extra: { "/example.html": text } });
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && !/favicon/.test(message.location().url ?? "") && problems.push(message.text()));
  page.on("pageerror", (problem) => problems.push(String(problem)));
  await page.goto(`${server.address}example.html`);
  const inked = () => page.evaluate(() => canvas.getContext("2d").getImageData(0, 0, 800, 500).data.reduce((sum, x, i) => (i % 4 === 3 && x ? (sum * 31 + i) % 1e9 : sum), 0));
  await page.waitForFunction(() => canvas.getContext("2d").getImageData(0, 0, 800, 500).data.some((x) => x), { timeout: 60000 });
  const first = await inked();
  await sleep(1500);
  check((await inked()) !== first, "the example of the documentation draws and moves");
  check(problems.length === 0, `no console error ${problems.join("; ")}`);
  await page.close();
  server.close();
}

function testSize() {
  let total = 0;
  for (const name of readdirSync(site)) if (statSync(path.join(site, name)).isFile()) total += gzipSync(readFileSync(path.join(site, name)), { level: 9 }).length;
  for (const name of readdirSync(path.join(site, "pictures"))) total += statSync(path.join(site, "pictures", name)).size;
  check(total < 1.5e6, `the site without the scenes has ${Math.round(total / 1000)} kB compressed; allowed are 1500`);
}

const parts = { page: testPage, plain: testPlain, gallery: testGallery, grab: testGrab, sliders: testSliders, drop: testDrop, link: testLink, phone: testPhone, example: testExample, speed: testSpeed, native: testNative };
testSize();
const server = await serve(site);
const browser = await launch();
try {
  for (const [name, test] of Object.entries(parts)) {
    if (wanted.length && !wanted.includes(name)) continue;
    console.log(`-- ${name}`);
    await test(browser, server.address).catch((problem) => check(false, `${name}: ${problem.message}`));
  }
} finally {
  await browser.close();
  server.close();
}
console.log(failures ? `${failures} failed` : `all passed; pictures in ${shots}`);
process.exit(failures ? 1 : 0);
