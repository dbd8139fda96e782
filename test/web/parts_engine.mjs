// The engines: step times in the worker, rough treatment, sinew view, the example of the documentation, the size of the site.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { advance, load, open, patience, picture, runs, sleep, soon, vertices } from "./browser.mjs";
import { build, check, dragAndBack, errors, last, pause, quiet, screenPoint, send, shots, shows, site } from "./check.mjs";
import { serve } from "./serve.mjs";

export function testSize() {
  let total = 0;
  for (const name of readdirSync(site)) if (statSync(path.join(site, name)).isFile()) total += gzipSync(readFileSync(path.join(site, name)), { level: 9 }).length;
  for (const name of readdirSync(path.join(site, "pictures"))) total += statSync(path.join(site, "pictures", name)).size;
  check(total < 1.5e6, `the site without the scenes has ${Math.round(total / 1000)} kB compressed; allowed are 1500`);
}

const beam = (cells) => JSON.stringify({
  sinew: 1, name: `beam ${cells}`, time: { step: 0.01, newton: { kind: "one-step" } }, solver: { tolerance: 1e-3 },
  bodies: [{ mesh: { box: { size: [1, 0.3, 0.3], cells, split: 5 } }, material: { law: "corotated", young: 2e5, poisson: 0.35, rayleigh: { stiffness: 0.002 } }, fix: [{ select: { box: [[-1, -1, -1], [1e-6, 1, 1]] } }] }],
});

// Processor time that the browser's workers have used, ms: what a step costs, whatever else the machine does.
function workerTime(browser) {
  const parent = new Map(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((id) => {
    try {
      return [+id, +readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\) \S /s, "").split(" ")[0]];
    } catch {
      return [+id, 0];
    }
  }));
  const ours = (id) => id === browser.process().pid || (id > 1 && ours(parent.get(id) ?? 0));
  let sum = 0;
  for (const id of parent.keys()) {
    if (!ours(id)) continue;
    try {
      for (const thread of readdirSync(`/proc/${id}/task`))
        if (readFileSync(`/proc/${id}/task/${thread}/comm`, "utf8").startsWith("DedicatedWorker")) sum += +readFileSync(`/proc/${id}/task/${thread}/schedstat`, "utf8").split(" ")[0] / 1e6;
    } catch { /* it has just ended */ }
  }
  return sum;
}

// Printed, not judged: what else the machine does counts too. A small window leaves the machine to the worker, as a graphics card would.
export async function testSpeed(browser, address) {
  for (const threads of [1, 2]) {
    const page = await open(browser, `${address}?threads=${threads}#scene=bar`, { width: 160, height: 120 });
    for (const [cells, rate] of [[[21, 7, 7], 60], [[34, 11, 11], 25]]) {
      await pause(page);
      await soon(page, () => !window.sinew.state.last.playing && !window.sinew.state.playing);
      const tets = await page.evaluate(async (text) => {
        await window.ask("scene", { do: "load", name: "speed.json", text, playing: false });
        await window.ask("hash", { do: "advance", steps: 10 }, { do: "hash" });
        return window.sinew.state.scene.bodies[0].elements;
      }, beam(cells));
      const steps = 25;
      const before = workerTime(browser);
      const times = await page.evaluate(async (count) => {
        const found = [];
        for (let i = 0; i < count; ++i) {
          await window.ask("frame", { do: "advance", steps: 1 });
          while (window.sinew.state.frame) await new Promise(requestAnimationFrame);
          if (window.sinew.state.last.stepsSince === 1) found.push(window.sinew.state.last.milliseconds);
        }
        return found.sort((a, b) => a - b);
      }, steps);
      const cost = (workerTime(browser) - before) / steps;
      const [best, median] = [0.1, 0.5].map((share) => times[Math.floor(share * times.length)]);
      const figure = threads === 1 ? Math.min(cost, median) : best; // processor time of one thread is the time of a step on a free machine
      console.log(`     ${tets} tets, ${threads} thread${threads > 1 ? "s" : ""}: a step of 10 ms takes ${median.toFixed(1)} ms in the worker (median; fast tenth ${best.toFixed(1)}), ` +
        `${cost.toFixed(1)} ms of processor time with its frame: ${(1000 / figure).toFixed(0)} a second; wanted ${rate}: ${figure <= 1000 / rate ? "held" : "not held now"}`);
      check(times.length >= 20, `${tets} tets run`);
    }
    await quiet(page);
  }
}

// Everything at its ends while it is thrown about: the page goes on drawing, and shows numbers.
export async function testRough(browser, address) {
  const page = await open(browser, address, { width: 640, height: 480 });
  const well = async (what) => {
    const frames = await page.evaluate(() => window.sinew.state.frames);
    const drawn = await soon(page, (n) => window.sinew.state.frames >= n + 2, frames);
    const finite = (await vertices(page)).every(Number.isFinite);
    const numbers = await page.evaluate(() => document.querySelector("footer .pill").textContent + document.querySelector("#probes").textContent);
    const shown = await errors(page);
    check(drawn && finite && !/NaN|undefined|Infinity/.test(numbers), `${what}: it goes on${shown.length ? `, with the message ${shown.at(-1)}` : ""}`);
  };
  for (const name of ["tissue-pad", "bouncing-spheres", "bone-and-skin"]) {
    await load(page, name);
    for (let i = 0; i < 4; ++i) {
      const [x, y] = await screenPoint(page, [[1, 0, 0], [0, 1, 0], [-1, 1, 0], [1, 1, 1]][i]);
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (const [u, v] of [[0, 0], [640, 480], [0, 480], [640, 0]]) await page.mouse.move(u, v, { steps: 2 });
      await page.mouse.up();
    }
    await well(`${name} thrown about`);
    await advance(page, 40);
    const far = Math.max(...(await vertices(page)).map(Math.abs));
    const size = await page.evaluate(() => window.sinew.stage.size);
    check(far < 100 * size, `${name}: ${(far / size).toFixed(1)} sizes away afterwards`);
  }
  await load(page, "tissue-pad");
  const all = (change) => page.evaluate((c) => window.sinew.state.parameters.materials.forEach(({ body, index }) => window.sinew.engine.send({ do: "set", body, index, ...c })), change);
  for (const [what, act] of [
    ["stiffness 100 Pa", () => all({ young: 100 })], ["stiffness 1 GPa", () => all({ young: 1e9 })], ["Poisson's ratio 0.499", () => all({ young: 1e4, poisson: 0.499 })],
    ["step 0.1 s", () => send(page, { do: "set", step: 0.1 })], ["gravity -100", () => send(page, { do: "set", gravity: [0, -100, 0] })], ["gravity 100", () => send(page, { do: "set", gravity: [0, 100, 0] })],
    ["damping 1 s", () => all({ damping: 1 })], ["step 0.1 ms", () => send(page, { do: "set", step: 1e-4 })],
  ]) {
    await act();
    await well(what);
  }
  await picture(page, shots, "rough");
  await page.keyboard.press("r");
  await well("reset");
  await load(page, "bar"); // an engine that hears nothing is replaced
  await send(page, { do: "advance", steps: 1e9 });
  await page.keyboard.press("r");
  check(await shows(page, "the engine starts again"), "an engine that is stuck is given up");
  check((await soon(page, () => window.sinew.state.last.steps > 0 && window.sinew.state.last.steps < 1000)) && (await runs(page, 3)), "and the scene starts anew");
  await quiet(page);
}

// The handshake with an Origin and a Host; resolves with the status.
function handshake(address, headers) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const ask = request({ hostname, port, path: "/engine", headers: { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": 13, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", ...headers } });
    ask.on("upgrade", (response, socket) => (socket.destroy(), resolve(response.statusCode)));
    ask.on("response", (response) => (response.resume(), resolve(response.statusCode)));
    ask.on("error", () => resolve(0));
    ask.end();
  });
}

// A tab that asks for frames and never reads them.
function deafClient(address) {
  const { hostname, port, host, origin } = new URL(address);
  const socket = connect(+port, hostname);
  socket.pause();
  socket.write(`GET /engine HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  const ask = (message) => { // a masked binary frame with a mask of zeros
    const text = Buffer.from(JSON.stringify(message));
    const body = Buffer.alloc((4 + text.length + 7) & ~7);
    body.writeUInt32LE(text.length, 0);
    text.copy(body, 4);
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | body.length, 0, 0, 0, 0]), body]));
  };
  return { ask, end: () => socket.destroy() };
}

async function startView(scene) {
  const child = spawn(path.join(build, "sinew"), ["view", scene, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => resolve(String(data).split(" ")[0].trim()));
    child.on("exit", () => reject(new Error("sinew view ended")));
  });
  return { child, ended, address };
}

export async function testNative(browser) {
  const { child, ended, address } = await startView("scenes/bar.json");
  try {
    const listening = readFileSync("/proc/net/tcp", "utf8") + readFileSync("/proc/net/tcp6", "utf8");
    const port = (+new URL(address).port).toString(16).toUpperCase().padStart(4, "0");
    const sockets = listening.split("\n").map((line) => line.trim().split(/\s+/)).filter((words) => words[1]?.endsWith(`:${port}`) && words[3] === "0A");
    check(sockets.length === 1 && sockets[0][1] === `0100007F:${port}`, "it listens on 127.0.0.1 alone");
    const { host } = new URL(address);
    check((await handshake(address, { Origin: "http://example.org" })) !== 101 && (await handshake(address, { Origin: `http://${host}`, Host: `example.org:${new URL(address).port}` })) !== 101 && (await handshake(address, {})) !== 101,
      "a WebSocket from another origin, to another host or without origin is refused");
    check((await handshake(address, { Origin: `http://${host}` })) === 101, "from its own page it is not");
    const page = await open(browser, address);
    check((await page.$eval("#engine", (node) => node.textContent)).startsWith("native"), `the native engine answers at ${address}`);
    await send(page, { do: "set", body: 0, index: 0, damping: 0.05 });
    await dragAndBack(page, "native");
    await page.keyboard.press("c");
    await soon(page, () => window.sinew.state.last.colour === "displacement");
    const other = await open(browser, address);
    check((await runs(other, 3)) && (await last(other)).colour === "displacement", "a second tab watches, and sees the same colours");
    const [x, y] = await screenPoint(page, [1, 0, 0]);
    await page.bringToFront();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 60, { steps: 3 });
    check(await soon(other, () => window.sinew.state.last.grabs.length === 1), "it sees the first one grab");
    await send(other, { do: "grab", handle: 0, body: 0, triangle: 0, share: [1, 0, 0], target: [0, 0, 0] });
    check(await shows(other, "another tab holds the mouse"), "one tab holds the mouse, the other is told");
    await page.browserContext().close();
    check(await soon(other, () => window.sinew.state.last.grabs.length === 0), "a tab that closes lets go");
    await send(other, { do: "grab", handle: 0, body: 0, triangle: 0, share: [1, 0, 0], target: [0, 0.2, 0] });
    check(await soon(other, () => window.sinew.state.last.grabs.length === 1), "and the other one can grab");
    await send(other, { do: "release", handle: 0 });
    await other.evaluate(async () => window.sinew.loadNamed("dropped-octopus"));
    check(await soon(other, () => window.sinew.state.scene.name === "dropped octopus"), "scenes of the gallery load");
    const deaf = deafClient(address);
    for (let i = 0; i < 40; ++i) deaf.ask({ do: "describe" }), deaf.ask({ do: "drawn" });
    await sleep(500);
    for (let i = 0; i < 200; ++i) deaf.ask({ do: "drawn" });
    check(await runs(other, 10), "a tab that does not read holds up nobody");
    await other.evaluate(() => window.sinew.loadText('{ "bodies": 3 }', "bad.json"));
    check(await shows(other, "bad.json:1:"), `the library's messages arrive: ${(await errors(other)).at(-1)}`);
    await picture(other, shots, "native");
    await quiet(other);
    deaf.end();
  } finally {
    child.kill("SIGINT");
  }
  check((await ended) === 0, "Ctrl-C ends it cleanly");
  const second = await startView("scenes/bar.json"); // and with a tab that still looks and grabs
  const page = await open(browser, second.address);
  await send(page, { do: "grab", handle: 0, body: 0, triangle: 0, share: [1, 0, 0], target: [0, 0, 0] });
  second.child.kill("SIGINT");
  check((await second.ended) === 0 && (await shows(page, "the connection to sinew view is closed")), "with a tab open too, which is told");
  await page.browserContext().close();
}

// The example of docs/embed-wasm.md as it stands there.
export async function testExample(browser) {
  const text = /```html\n([^]*?)```/.exec(readFileSync("docs/embed-wasm.md", "utf8"))[1];
  check(text.trim().split("\n").length <= 45, `the example of the documentation has ${text.trim().split("\n").length} lines`);
  const server = await serve(site, { extra: { "/example.html": text } });
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && !/favicon/.test(message.location().url ?? "") && problems.push(message.text()));
  page.on("pageerror", (problem) => problems.push(String(problem)));
  await page.goto(`${server.address}example.html`, { timeout: patience, waitUntil: "domcontentloaded" });
  const ink = () => page.evaluate(() => [...canvas.getContext("2d").getImageData(0, 0, 800, 500).data].reduce((low, x, i) => (i % 4 === 3 && x ? Math.max(low, Math.floor(i / 3200)) : low), 0));
  const inked = (row) => soon(page, (r) => canvas.getContext("2d").getImageData(0, r, 800, 500 - r).data.some((x) => x), row);
  check(await inked(0), "it draws");
  const first = await ink();
  check(await inked(Math.max(first + 3, 210)), "it sags");
  await picture(page, shots, "example");
  await page.mouse.move(630, 230);
  await page.mouse.down();
  await page.mouse.move(640, 450, { steps: 5 });
  check(await inked(380), "and can be pulled");
  await page.mouse.up();
  check(problems.length === 0, `no console error ${problems.join("; ")}`);
  await page.close();
  server.close();
}
