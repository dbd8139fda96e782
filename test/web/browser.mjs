// Debian's chromium without a window, and what the tests do with the page.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(path.join(root, "web/package.json"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")));

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function launch() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    protocolTimeout: 240000,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-default-apps", "--no-first-run", "--mute-audio", "--disable-features=Translate,OptimizationHints,MediaRouter"],
  });
}

// A page with its console errors kept in page.problems.
export async function open(browser, address, { width = 1280, height = 800, touch = false, theme } = {}) {
  const page = await browser.newPage();
  page.problems = [];
  page.on("console", (message) => ["error", "assert"].includes(message.type()) && page.problems.push(message.text()));
  page.on("pageerror", (problem) => page.problems.push(String(problem)));
  await page.setViewport({ width, height, isMobile: touch, hasTouch: touch, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme ?? "dark" }]);
  await page.goto(address);
  await ready(page);
  return page;
}

export function ready(page) {
  return page.waitForFunction(() => window.sinew?.state.scene && window.sinew.state.last && !document.body.classList.contains("loading"), { timeout: 120000 });
}

export async function load(page, name) {
  await page.evaluate(async (scene) => {
    window.sinew.state.last = null;
    await window.sinew.loadNamed(scene);
  }, name);
  await page.waitForFunction((scene) => window.sinew.state.name === `${scene}.json` && window.sinew.state.last && !document.body.classList.contains("loading"), { timeout: 120000 }, name);
}

// Waits until the simulation has gone on by so many seconds (or a generous real time is over).
export async function simulate(page, seconds, limit = 60000) {
  const begin = await page.evaluate(() => window.sinew.state.last?.time ?? 0);
  await page.waitForFunction((end) => (window.sinew.state.last?.time ?? 0) >= end, { timeout: limit, polling: 50 }, begin + seconds).catch(() => {});
}

// Means of the bodies' vertices, as three numbers.
export const middle = (page) => page.evaluate(() => {
  const sum = [0, 0, 0];
  let count = 0;
  for (const { mesh } of window.sinew.stage.bodies) {
    const { array } = mesh.geometry.attributes.position;
    for (let i = 0; i < array.length; ++i) sum[i % 3] += array[i];
    count += array.length / 3;
  }
  return sum.map((x) => x / count);
});

export const vertices = (page) => page.evaluate(() => window.sinew.stage.bodies.flatMap(({ mesh }) => [...mesh.geometry.attributes.position.array]));

export const farthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

export async function picture(page, folder, name) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
