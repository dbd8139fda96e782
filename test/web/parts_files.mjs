// Files and links: what is dropped on the page, what it hands out.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { advance, done, load, open, picture, runs, soon } from "./browser.mjs";
import { build, check, clear, errors, last, pause, quiet, shots, shows } from "./check.mjs";

const dropFile = (page, name, text) => page.evaluate((n, t) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([t], n));
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
}, name, text);

const octahedron = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
const tets = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\nTetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n";

export async function testDrop(browser, address) {
  const page = await open(browser, address);
  const error = async (pattern) => (await soon(page, (p) => [...document.querySelectorAll(".message.error")].some((node) => new RegExp(p).test(node.textContent)), pattern)) && (await errors(page)).at(-1);
  await dropFile(page, "broken.json", '{ "sinew": 1,\n  "bodies": [ { "mesh": { "box": {} }, "material": { "yung": 3 } } ] }');
  const text = await error("broken\\.json:2:\\d+: .*yung.*young");
  check(text, `a broken scene shows the library's message: ${text}`);
  await picture(page, shots, "broken-scene");
  check(await runs(page, 2), "and the scene before runs on");
  await clear(page);
  await dropFile(page, "half.json", '{ "sinew": 1, ');
  check(await error("half\\.json:1:"), `half a scene too: ${(await errors(page)).at(-1)}`);
  await clear(page);
  await dropFile(page, "cube.json", JSON.stringify({ sinew: 1, name: "dropped cube", bodies: [{ mesh: { box: { cells: [2, 2, 2] } } }] }));
  check((await soon(page, () => window.sinew.state.scene.name === "dropped cube")) && (await runs(page, 2)), "a dropped scene runs");
  await dropFile(page, "octahedron.obj", octahedron);
  check(await soon(page, () => window.sinew.state.scene.name === "octahedron.obj" && window.sinew.state.scene.bodies[0].embedded), "a dropped surface gets tets around it");
  check(await runs(page, 2), "and runs");
  await dropFile(page, "two.mesh", tets);
  check((await soon(page, () => window.sinew.state.scene.name === "two.mesh" && window.sinew.state.scene.bodies[0].elements === 2)) && (await runs(page, 2)), "a dropped mesh of tets runs");
  await dropFile(page, "broken.obj", "v 1 2\nf 1 2 3\n");
  check(await error("broken\\.obj"), `a broken mesh shows the library's message: ${(await errors(page)).at(-1)}`);
  await clear(page);
  await dropFile(page, "letter.txt", "hello");
  check(await error("letter\\.txt"), `and other files: ${(await errors(page)).at(-1)}`);
  await clear(page);
  await dropFile(page, "state.sinew", "no state");
  check(await error("."), `no state: ${(await errors(page)).at(-1)}`);
  await quiet(page);
}

export async function testLink(browser, address) {
  const page = await open(browser, `${address}#scene=hanging-cube`);
  await page.evaluate(() => window.sinew.panel.sendMaterial({ young: 12345 }));
  await soon(page, () => window.sinew.state.parameters.materials[0].young === 12345);
  await page.keyboard.press("l");
  check(await soon(page, () => location.hash.startsWith("#data=")), "L makes a link");
  const link = await page.evaluate(() => location.href);
  const other = await open(browser, link);
  const parameters = await other.evaluate(() => window.sinew.state.parameters);
  check((await other.evaluate(() => window.sinew.state.scene.name)) === "hanging cube" && parameters.materials[0].young === 12345, `a link of ${link.length} characters carries the scene and its changes`);
  await other.evaluate(() => (location.hash = "#data=broken"));
  check(await shows(other, "the link is damaged"), "a damaged link is said to be one");
  check(await runs(other, 2), "and a scene of the gallery runs");
  await quiet(page);
  await quiet(other);
}

// What the page hands out lands in a folder: a picture, a video, a state.
export async function testKeep(browser, address) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sinew-web-"));
  const page = await open(browser, `${address}#scene=hanging-cube`, { width: 640, height: 400 });
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId: page.browserContext().id });
  const file = async (name) => {
    const at = path.join(folder, name);
    for (let i = 0; i < 600 && !existsSync(at); ++i) await new Promise((resolve) => setTimeout(resolve, 200));
    return existsSync(at) ? readFileSync(at) : Buffer.alloc(0);
  };
  await runs(page, 5);
  await page.keyboard.press("i");
  const png = await file("sinew.png");
  check(png.subarray(1, 4).toString() === "PNG" && png.length > 5000, `I saves a picture of ${png.length} bytes`);
  mkdirSync(shots, { recursive: true });
  writeFileSync(path.join(shots, "saved-picture.png"), png);
  await page.keyboard.press("v");
  check(await page.$eval("#record", (node) => node.classList.contains("on")), "V records");
  const frames = await page.evaluate(() => window.sinew.state.frames);
  await soon(page, (n) => window.sinew.state.frames >= n + 15, frames);
  await page.keyboard.press("v");
  const webm = await file("sinew.webm");
  check(webm.readUInt32BE(0) === 0x1a45dfa3 && webm.length > 5000, `a WebM of ${webm.length} bytes`);
  writeFileSync(path.join(shots, "recorded.webm"), webm);
  const width = await page.evaluate((data) => new Promise((resolve) => {
    const video = document.createElement("video");
    video.onloadeddata = () => resolve(video.videoWidth);
    video.onerror = () => resolve(0);
    video.src = `data:video/webm;base64,${data}`;
  }), webm.toString("base64"));
  check(width === 640, `that plays, ${width} pixels wide`);
  await pause(page);
  const [x, y] = [320, 200];
  await page.keyboard.down("Shift");
  await page.mouse.click(x, y);
  await page.keyboard.up("Shift");
  await soon(page, () => window.sinew.state.last.counts.pins > 0);
  await page.keyboard.press("k");
  const state = await file("hanging-cube.sinew");
  const { hash } = await done(page);
  const { counts } = await last(page);
  check(state.length > 1000, `K saves a state of ${state.length} bytes`);
  await advance(page, 5);
  const later = (await done(page)).hash;
  await page.keyboard.press("u");
  await advance(page, 2);
  const { steps } = await last(page);
  await (await page.$("#file")).uploadFile(path.join(folder, "hanging-cube.sinew"));
  check(await soon(page, (saved) => window.sinew.state.last.steps === saved, steps - 7), "a state is loaded");
  check((await done(page)).hash === hash && (await last(page)).counts.pins === counts.pins && counts.pins > 0, `with the same bits and its ${counts.pins} pins`);
  await advance(page, 5);
  check((await done(page)).hash === later, "and goes on with the same bits");
  const native = JSON.parse(execFileSync(path.join(build, "sinew"), ["run", "scenes/hanging-cube.json", "--restore", path.join(folder, "hanging-cube.sinew"), "--json", "--quiet", "--set", "time.end=0.6"], { encoding: "utf8" }));
  check(native.status === "ok", "the command restores it too");
  await load(page, "bar");
  await (await page.$("#file")).uploadFile(path.join(folder, "hanging-cube.sinew"));
  check(await soon(page, () => document.querySelectorAll(".message.error").length > 0), `a state of another scene: ${(await errors(page)).at(-1)}`);
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  rmSync(folder, { recursive: true });
  await quiet(page);
}
