// Debian's chromium without a window, and what the tests do with the page. Nothing here waits for a time: waits end when a step, a frame or an answer has come.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(path.join(root, "web/package.json"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")));

export const patience = 180000; // ms; only a page that hangs takes so long

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function launch() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    protocolTimeout: 2 * patience,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-default-apps", "--no-first-run", "--mute-audio", "--disable-features=Translate,OptimizationHints,MediaRouter"],
  });
}

// A page of its own profile, with its console errors kept in page.problems.
export async function open(browser, address, { width = 960, height = 600, touch = false, theme } = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => ["error", "assert"].includes(message.type()) && page.problems.push(message.text()));
  page.on("pageerror", (problem) => page.problems.push(String(problem)));
  await page.setViewport({ width, height, isMobile: touch, hasTouch: touch, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme ?? "dark" }]);
  await page.goto(address, { timeout: patience, waitUntil: "domcontentloaded" });
  await ready(page);
  return page;
}

// True when the condition holds in the page before the patience ends.
export function soon(page, condition, ...values) {
  return page.waitForFunction(condition, { timeout: patience, polling: 40 }, ...values).then(() => true, () => false);
}

export async function ready(page) {
  const loaded = await soon(page, () => window.sinew?.state.scene && window.sinew.state.last && !document.body.classList.contains("loading"));
  if (!loaded) throw new Error(`the page does not start: ${page.problems.join("; ")}`);
  await page.evaluate(() => {
    const { engine } = window.sinew;
    const old = engine.onmessage;
    const waiting = [];
    window.heard = [];
    engine.onmessage = (head, bytes) => {
      const at = waiting.findIndex(({ type }) => type === head.type);
      if (head.type !== "hash" || at < 0) old(head, bytes); // the page would tell the user
      if (head.type === "error") window.heard.push(head.text);
      if (at >= 0) waiting.splice(at, 1)[0].resolve({ head, bytes });
    };
    // Sends messages; resolves with the answer of this type, which comes after all of them have been done.
    window.ask = (type, ...messages) => new Promise((resolve) => {
      waiting.push({ type, resolve });
      for (const message of messages) engine.send(message);
    });
  });
}

// Sends messages and waits until the engine has done them; returns the steps, the time and the hash.
export const done = (page, ...messages) => page.evaluate(async (list) => {
  const { hash, steps, time } = (await window.ask("hash", ...list, { do: "hash" })).head;
  return { hash, steps, time };
}, messages);

// So many steps, then a frame of them.
export async function advance(page, steps) {
  const { steps: now } = await done(page, { do: "advance", steps });
  if (!(await soon(page, (n) => window.sinew.state.last?.steps >= n, now))) throw new Error("no frame comes");
}

// Waits for the engine's own steps.
export async function runs(page, steps) {
  const begin = await page.evaluate(() => window.sinew.state.last?.steps ?? 0);
  return soon(page, (end) => (window.sinew.state.last?.steps ?? 0) >= end, begin + steps);
}

export async function load(page, name) {
  await page.evaluate(async (scene) => {
    window.sinew.state.last = null;
    await window.sinew.loadNamed(scene);
  }, name);
  const there = await soon(page, (scene) => window.sinew.state.name === `${scene}.json` && window.sinew.state.last && !document.body.classList.contains("loading"), name);
  if (!there) throw new Error(`${name} is not loaded`);
}

export const vertices = (page) => page.evaluate(() => window.sinew.stage.bodies.flatMap(({ mesh }) => [...mesh.geometry.attributes.position.array]));

export const farthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

export async function picture(page, folder, name) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
