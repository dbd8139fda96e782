// What the parts share: the list of failures, where pictures go, and small questions to a page.
import path from "node:path";
import { advance, done, farthest, picture, runs, soon, vertices } from "./browser.mjs";

export const build = path.resolve(process.argv[2] ?? "build");
export const site = path.join(build, "web");
export const shots = path.join(build, "web-test");
export let failures = 0;

export function check(holds, text) {
  console.log(`${holds ? "ok  " : "FAIL"} ${text}`);
  if (!holds) ++failures;
}

export const last = (page) => page.evaluate(() => window.sinew.state.last);
export const errors = (page) => page.evaluate(() => [...document.querySelectorAll(".message.error")].map((node) => node.textContent));
export const clear = (page) => page.evaluate(() => document.querySelectorAll(".message").forEach((node) => node.remove()));
export const send = (page, message) => page.evaluate((m) => window.sinew.engine.send(m), message);
export const shows = (page, text) => soon(page, (t) => [...document.querySelectorAll(".message")].some((node) => node.textContent.includes(t)), text);
export const pause = (page) => done(page, { do: "play", on: false });

export async function quiet(page) {
  check(page.problems.length === 0, `no console error ${page.problems.join("; ")}`);
  await page.browserContext().close();
}

// Where a point of the surface is on the screen: the vertex farthest along `direction`, a little inwards.
export const screenPoint = (page, direction) => page.evaluate((d) => {
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

// A drag with the real mouse displaces the body; let go, it springs back.
export async function dragAndBack(page, label) {
  await pause(page);
  await advance(page, 100);
  const rest = await vertices(page);
  const [x, y] = await screenPoint(page, [1, 0, 0]);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y - 150, { steps: 8 });
  await soon(page, () => window.sinew.state.last.grabs.length === 1);
  await advance(page, 60);
  const pulled = farthest(await vertices(page), rest);
  const grabs = (await last(page)).grabs.length;
  await picture(page, shots, `grab-${label}`);
  await page.mouse.up();
  await advance(page, 250);
  const back = farthest(await vertices(page), rest);
  const size = await page.evaluate(() => window.sinew.stage.size);
  check(grabs === 1 && pulled > 0.05 * size, `${label}: the drag pulls by ${pulled.toPrecision(3)} m`);
  check(back < 0.1 * pulled && (await last(page)).grabs.length === 0, `${label}: let go, it is back within ${back.toPrecision(2)} m`);
  await done(page, { do: "play", on: true });
  check(await runs(page, 2), `${label}: and runs on`);
}
