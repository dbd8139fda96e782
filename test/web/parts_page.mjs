// The page itself: keys, gallery, grabbing, sliders and choices, a phone.
import { advance, done, farthest, load, open, picture, runs, sleep, soon, vertices } from "./browser.mjs";
import { check, clear, dragAndBack, errors, last, pause, quiet, screenPoint, send, shots } from "./check.mjs";
import { serve } from "./serve.mjs";
import { site } from "./check.mjs";

export async function testPage(browser, address) {
  const page = await open(browser, `${address}?threads=2#scene=bar`, { width: 1280, height: 760 });
  check(await page.evaluate(() => crossOriginIsolated), "the page is cross-origin isolated");
  check(/, 2 threads/.test(await page.$eval("#engine", (node) => node.textContent)), "the engine has threads");
  check(await runs(page, 10), "the first scene runs");
  check(await soon(page, () => /^×\d/.test(document.querySelector("#factor").textContent) && window.sinew.state.last.factor > 0), "the real-time factor is shown");
  await page.keyboard.press("?");
  check(await page.$eval("#help", (node) => !node.hidden), "? shows the help");
  await picture(page, shots, "help");
  await page.keyboard.press("Escape");
  check(await page.$eval("#help", (node) => node.hidden), "Escape closes it");
  await page.keyboard.press("s");
  check(await soon(page, () => window.sinew.state.last.speed === 0.2 && document.querySelector("#slow").classList.contains("on")), "S: slow motion");
  await page.keyboard.press("s");
  check(await soon(page, () => window.sinew.state.last.speed === 1), "S again: real time");
  await page.keyboard.press(" ");
  check(await soon(page, () => !window.sinew.state.last.playing && !window.sinew.state.playing), "space pauses");
  const { steps } = await done(page);
  await page.keyboard.press(".");
  check((await done(page)).steps === steps + 1 && (await done(page)).steps === steps + 1, ". makes one step");
  for (const [key, what, condition] of [
    ["w", "wireframe of the tets", () => window.sinew.state.last.counts.wire > 0],
    ["t", "plots off", () => document.querySelector("#plots").hidden],
    ["t", "plots on", () => !document.querySelector("#plots").hidden && document.querySelectorAll("#plots canvas").length === 3],
    ["m", "panel closed", () => window.sinew.panel.gui._closed],
    ["m", "panel open", () => !window.sinew.panel.gui._closed],
    ["d", "light", () => document.documentElement.dataset.theme === "light"],
    ["g", "gallery", () => document.body.classList.contains("with-gallery")],
    ["x", "hash of the state", () => [...document.querySelectorAll(".message")].some((node) => /hash after \d+ steps: [0-9a-f]{16}/.test(node.textContent))],
  ]) {
    await page.keyboard.press(key);
    check(await soon(page, condition), `${key.toUpperCase()}: ${what}`);
  }
  await sleep(400); // the gallery slides in
  await picture(page, shots, "light");
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  for (const colour of ["displacement", "von_mises", "strain", "energy", "quality", "level", "none"]) {
    await page.keyboard.press("c");
    const coloured = await soon(page, (c) => window.sinew.state.last.colour === c && window.sinew.state.last.counts.values > 0 === (c !== "none"), colour);
    const frame = await last(page);
    check(coloured && frame.range.every(Number.isFinite) && frame.range[0] < frame.range[1], `C: ${colour}, from ${frame.range[0].toPrecision(3)} to ${frame.range[1].toPrecision(3)}`);
    if (colour === "von_mises") await picture(page, shots, "colour");
  }
  await page.keyboard.press("r");
  check(await soon(page, () => window.sinew.state.last.steps === 0), "R resets");
  check((await page.evaluate(() => window.sinew.state.last.probes.length)) === 2 && /tip/.test(await page.$eval("#probes", (node) => node.textContent)), "probes are shown");
  await quiet(page);
}

// A beam whose memory is more than the 64 MiB of the start.
const large = JSON.stringify({
  sinew: 1, name: "large beam", time: { step: 0.01, newton: { kind: "one-step" } }, solver: { tolerance: 1e-3 },
  bodies: [{ mesh: { box: { size: [1, 0.3, 0.3], cells: [50, 15, 15], split: 5 } }, material: { law: "corotated", young: 2e5, poisson: 0.35 }, fix: [{ select: { box: [[-1, -1, -1], [1e-6, 1, 1]] } }] }],
});

// The same file runs with one thread in a plain memory and with threads in a shared one.
export async function testPlain(browser, address) {
  const server = await serve(site, { isolated: false });
  const page = await open(browser, server.address);
  check(/1 thread$/.test(await page.$eval("#engine", (node) => node.textContent)), "without isolation the engine has one thread");
  check(await runs(page, 3), "and runs");
  const alone = await page.evaluate(async (text) => {
    const [{ Engine }, { default: factory }] = await Promise.all([import("./engine.mjs"), import("./sinew.mjs")]);
    const refused = await Engine.create(factory, { threads: 2 }).catch((problem) => problem.message);
    let hash;
    const engine = await Engine.create(factory, { onmessage: (head) => (hash = head.hash ?? hash) });
    for (const message of [{ do: "load", name: "large.json", text }, { do: "advance", steps: 2 }, { do: "hash" }]) engine.send(message);
    return { refused, hash, memory: engine.wasm.HEAPU8.length, plain: engine.wasm.HEAPU8.buffer instanceof ArrayBuffer };
  }, large);
  check(alone.refused === "2 threads need a page that is cross-origin isolated", `threads are refused there: ${alone.refused}`);
  check(alone.plain && alone.memory > 64 * 2 ** 20, `a plain memory grows to ${Math.round(alone.memory / 2 ** 20)} MiB`);
  await quiet(page);
  server.close();
  const shared = await open(browser, `${address}?threads=2#scene=bar`);
  const { hash } = await done(shared, { do: "load", name: "large.json", text: large, playing: false }, { do: "advance", steps: 2 });
  check(hash === alone.hash, `two threads give the same hash: ${hash}`);
  await quiet(shared);
}

export async function testGallery(browser, address) {
  const page = await open(browser, address, { width: 1180, height: 700 });
  const names = await page.evaluate(() => window.sinew.gallery.map(({ name }) => name));
  check(names.length >= 10, `the gallery has ${names.length} scenes`);
  check(await page.evaluate(() => document.body.classList.contains("with-gallery") && [...document.querySelectorAll(".card img")].length === window.sinew.gallery.length), "each with a picture");
  for (const name of names) {
    await load(page, name);
    const running = await runs(page, 3);
    await done(page, { do: "play", on: false }, { do: "reset" });
    await soon(page, () => window.sinew.state.last.steps === 0);
    const before = await vertices(page);
    const step = await page.evaluate(() => window.sinew.state.parameters.step);
    await advance(page, Math.round(0.5 / step));
    const now = await vertices(page);
    const frame = await last(page);
    const size = await page.evaluate(() => window.sinew.stage.size);
    const moved = farthest(now, before);
    const said = await errors(page);
    check(running && now.every(Number.isFinite) && moved > 1e-3 * size && moved < 10 * size && said.length === 0,
      `${name}: moved by ${moved.toPrecision(3)} m in ${frame.time.toFixed(2)} s, ${frame.milliseconds.toFixed(1)} ms per step ${said.join("; ")}`);
    await clear(page); // the next scene must not be blamed
    if (name === "flag") check(/^[\d,]+ triangles$/.test(await page.$eval("#size", (node) => node.textContent)), "cloth is counted in triangles");
    await picture(page, shots, `scene-${name}`);
  }
  await quiet(page);
}

export async function testGrab(browser, address) {
  const page = await open(browser, `${address}#scene=bar`);
  await send(page, { do: "set", body: 0, index: 0, damping: 0.05 });
  await dragAndBack(page, "web");
  await pause(page);
  await advance(page, 1);
  await page.keyboard.press("p");
  check(await page.evaluate(() => document.body.classList.contains("pinning")), "P: a click pins");
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  await page.mouse.click(x, y);
  check(await soon(page, () => window.sinew.state.last.counts.pins > 0), "pins are placed");
  await picture(page, shots, "pins");
  await page.mouse.click(x, y);
  check(await soon(page, () => window.sinew.state.last.counts.pins === 0), "another click removes them");
  await page.keyboard.press("p");
  await page.keyboard.down("Shift");
  await page.mouse.click(x, y);
  await page.keyboard.up("Shift");
  check(await soon(page, () => window.sinew.state.last.counts.pins > 0), "shift-click pins");
  await page.keyboard.press("u");
  check(await soon(page, () => window.sinew.state.last.counts.pins === 0), "U removes all pins");
  const camera = () => page.evaluate(() => window.sinew.stage.camera.position.toArray());
  const before = await camera();
  await page.mouse.move(300, 520);
  await page.mouse.down();
  await page.mouse.move(200, 480, { steps: 4 });
  await page.mouse.up();
  check(await soon(page, (old) => window.sinew.stage.camera.position.toArray().some((v, i) => Math.abs(v - old[i]) > 0.01), before), "a drag beside the body turns the camera");
  await page.keyboard.press("h");
  check(await soon(page, (old) => window.sinew.stage.camera.position.toArray().every((v, i) => Math.abs(v - old[i]) < 0.01), before), "H brings it home");
  await done(page, { do: "set", gravity: [0, -20, 0] });
  for (const glyphs of ["force", "constraint", "stress"]) {
    await page.keyboard.press("y");
    await advance(page, 2);
    const shown = await soon(page, (g) => window.sinew.view.glyphs === g && window.sinew.state.last.counts.glyphs > 0, glyphs);
    const length = await page.evaluate(() => {
      const { position } = window.sinew.stage.glyphs.geometry.attributes;
      let most = 0;
      for (let i = 0; i < 6 * window.sinew.state.last.counts.glyphs; i += 6) most = Math.max(most, Math.hypot(...[0, 1, 2].map((k) => position.array[i + 3 + k] - position.array[i + k])));
      return most / window.sinew.stage.size;
    });
    check(shown && length > 0.02 && length < 0.5, `Y: ${glyphs}, up to ${length.toFixed(2)} of the body's size`);
    await picture(page, shots, `glyphs-${glyphs}`);
  }
  await quiet(page);
}

// The slider of the panel, moved with the mouse to a share of its width.
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
  await done(page);
}

export async function testSliders(browser, address) {
  const page = await open(browser, `${address}#scene=bar`);
  await pause(page);
  await moveSlider(page, "damping", 0.7);
  await advance(page, 150);
  const heights = async () => (await vertices(page)).filter((_, i) => i % 3 === 1);
  const soft = Math.min(...(await heights()));
  await moveSlider(page, "stiffness", 0.75);
  await advance(page, 150);
  const stiff = Math.min(...(await heights()));
  check(stiff > soft + 0.01, `a stiffer bar sags less: lowest point ${soft.toFixed(3)} -> ${stiff.toFixed(3)} m`);
  await moveSlider(page, "gravity", 0.6);
  await moveSlider(page, "stiffness", 0.4);
  await advance(page, 150);
  const high = Math.max(...(await heights()));
  check(high > 0.12, `with gravity upwards it rises: highest point ${high.toFixed(3)} m`);
  await moveSlider(page, "Poisson", 0.3);
  await moveSlider(page, "drag", 0.5);
  await moveSlider(page, "step", 0.5);
  const now = await page.evaluate(() => window.sinew.state.parameters);
  check(Math.abs(now.materials[0].poisson - 0.15) < 0.03 && Math.abs(now.materials[0].drag - 10) < 2 && now.step < 0.006 && now.step > 0.001, `Poisson's ratio ${now.materials[0].poisson}, drag ${now.materials[0].drag}, step ${now.step}`);
  check((await errors(page)).length === 0, "no message");
  await testChoices(page);
  await done(page, { do: "set", law: "stable-neo-hookean", body: 0, index: 0 }, { do: "set", method: "implicit-euler", step: 0.01 }, { do: "reset" });
  check((await done(page)).steps === 0 && (await page.evaluate(() => window.sinew.state.parameters)).materials[0].law === "stable-neo-hookean", "a reset keeps the parameters");
  await quiet(page);
}

// Every name of every list, chosen in the panel: it runs, or the library says why not; then a good one runs again.
async function testChoices(page) {
  await page.evaluate(() => window.sinew.panel.gui.foldersRecursive().forEach((folder) => folder.open()));
  await done(page, { do: "set", gravity: [0, -9.81, 0], step: 0.0005, young: 5e4, poisson: 0.3, drag: 0, damping: 0.001, body: 0, index: 0 }, { do: "reset" });
  for (const [label, key, good] of [["law", "laws", "corotated"], ["rotation", "rotations", "polar"], ["integrator", "methods", "implicit-euler"], ["Newton", "newton", "one-step"], ["solver", "solvers", "auto"], ["preconditioner", "preconditioners", "auto"]]) {
    const results = await page.evaluate(async (text, list, usual) => {
      const row = [...document.querySelectorAll("#panel .lil-controller")].find((node) => node.querySelector(".lil-name")?.textContent === text);
      const select = row.querySelector("select");
      const names = [...window.sinew.panel.lists[list].map(({ name }) => name), usual];
      const found = [];
      for (const name of names) {
        window.heard.length = 0;
        select.selectedIndex = [...select.options].findIndex((option) => option.textContent === name);
        select.dispatchEvent(new Event("change"));
        const before = (await window.ask("hash", { do: "hash" })).head.steps;
        const after = (await window.ask("hash", { do: "advance", steps: 2 }, { do: "hash" })).head.steps;
        found.push({ name, steps: after - before, said: [...window.heard] });
      }
      return found;
    }, label, key, good);
    const wrong = results.filter(({ steps, said }) => steps !== 2 && said.length === 0);
    const refused = results.filter(({ said }) => said.length > 0);
    check(wrong.length === 0 && results.at(-1).steps === 2, `${label}: ${results.length - 1 - refused.length} of ${results.length - 1} names run${refused.length ? `; refused: ${refused.map(({ name, said }) => `${name} (${said[0]})`).join("; ")}` : ""}`);
    await clear(page);
  }
}

export async function testPhone(browser, address) {
  const page = await open(browser, `${address}#scene=bar`, { width: 390, height: 800, touch: true, theme: "light" });
  check((await page.evaluate(() => document.documentElement.dataset.theme)) === "light", "a light system has a light page");
  await pause(page);
  await advance(page, 50);
  const rest = await vertices(page);
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  const first = await page.touchscreen.touchStart(x, y);
  await first.move(x, y - 60);
  await first.move(x, y - 120);
  check(await soon(page, () => window.sinew.state.last.grabs.length === 1), "a finger grabs");
  await advance(page, 30);
  check(farthest(await vertices(page), rest) > 0.02, "and pulls");
  const [u, v] = await screenPoint(page, [0, 1, 0]);
  const second = await page.touchscreen.touchStart(u, v);
  check(await soon(page, () => window.sinew.state.last.grabs.length === 2), "two fingers grab at two points");
  await picture(page, shots, "phone");
  await second.end();
  await first.end();
  check(await soon(page, () => window.sinew.state.last.grabs.length === 0), "lifted, they let go");
  const wide = await page.evaluate(() => Math.max(...[...document.querySelectorAll("footer .bar, footer .pill, header .brand, #panel > *")].map((node) => node.getBoundingClientRect().right)));
  check(wide <= 390, `nothing sticks out of a phone's screen (${wide} px)`);
  await page.tap(".brand");
  await sleep(500);
  await picture(page, shots, "phone-gallery");
  await page.tap(".card:nth-child(4)");
  check(await soon(page, () => window.sinew.state.scene.name === "hanging cube" && !document.body.classList.contains("with-gallery")), "a scene is chosen with a finger");
  await page.tap("#panel .lil-title");
  await sleep(500);
  await picture(page, shots, "phone-panel");
  await quiet(page);
}
