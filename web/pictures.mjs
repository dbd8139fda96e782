// Makes the pictures of the gallery and of the README with the page itself: node web/pictures.mjs BUILD [SCENE...]; SCENE may be "page". Needs chromium.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { launch, load, open, sleep } from "../test/web/browser.mjs";
import { serve } from "../test/web/serve.mjs";
import { pictures, readGallery } from "./gallery.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [build = "build", ...wanted] = process.argv.slice(2);

const server = await serve(path.join(build, "web"));
const browser = await launch();
mkdirSync(pictures, { recursive: true });

// `zoom`: the camera comes closer by this factor than the page puts it.
async function show(page, name, seconds, colour, wire, zoom = 1) {
  await page.evaluate((c, w) => {
    Object.assign(window.sinew.view, { colour: c, wire: w });
    window.sinew.view.change("colour");
  }, colour, wire);
  await load(page, name);
  const steps = await page.evaluate((t) => {
    const { engine, state } = window.sinew;
    const count = Math.round(t / state.parameters.step);
    for (const message of [{ do: "play", on: false }, { do: "reset" }, { do: "advance", steps: count }]) engine.send(message);
    return count;
  }, seconds);
  await page.waitForFunction((n) => window.sinew.state.last.steps === n, { timeout: 240000, polling: 100 }, steps);
  await page.evaluate((share) => {
    const { camera, controls, bodies } = window.sinew.stage;
    if (share === 1) return;
    const sum = [0, 0, 0]; // look at the bodies
    let count = 0;
    for (const { mesh } of bodies) for (const { array } of [mesh.geometry.attributes.position]) array.forEach((x, i) => ((sum[i % 3] += x), (count += i % 3 === 0)));
    const shift = controls.target.clone().set(...sum.map((x) => x / count)).sub(controls.target);
    controls.target.add(shift);
    camera.position.add(shift).sub(controls.target).multiplyScalar(1 / share).add(controls.target);
  }, zoom);
  await sleep(300);
}

try {
  const page = await open(browser, server.address, { width: 480, height: 300 });
  await page.evaluate(() => ((window.sinew.stage.setInsets = () => {}), (window.sinew.stage.insets = { left: 0, right: 0, bottom: 0 }), window.sinew.stage.centre()));
  await page.addStyleTag({ content: "header, footer, #panel, #plots, #legend, #gallery, #messages { display: none !important; }" });
  for (const { name, time, colour, wire, zoom } of readGallery()) {
    if (wanted.length && !wanted.includes(name)) continue;
    await show(page, name, time, colour, wire, zoom);
    await page.screenshot({ path: path.join(pictures, `${name}.jpg`), type: "jpeg", quality: 80 });
    console.log(`${name}: ${await page.evaluate(() => window.sinew.state.last.time.toFixed(2))} s`);
  }
  if (!wanted.length || wanted.includes("page")) {
    const whole = await open(browser, server.address, { width: 1280, height: 760 });
    await whole.evaluate(() => document.body.classList.add("with-gallery"));
    await show(whole, "dropped-octopus", 1, "von_mises", true);
    const point = await whole.evaluate(() => {
      const { stage } = window.sinew;
      const { array } = stage.bodies[0].mesh.geometry.attributes.position;
      let best = 0;
      for (let i = 0; i < array.length; i += 3) if (array[i + 1] > array[best + 1]) best = i;
      const p = stage.controls.target.clone().set(array[best], array[best + 1] - 0.03, array[best + 2]).project(stage.camera);
      return [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight];
    });
    await whole.mouse.move(...point);
    await whole.mouse.down();
    for (let i = 1; i <= 6; ++i) await whole.mouse.move(point[0] + 12 * i, point[1] - 16 * i), await sleep(40);
    await whole.evaluate(() => window.sinew.engine.send({ do: "advance", steps: 40 }));
    await whole.waitForFunction(() => window.sinew.state.last.grabs.length && window.sinew.state.last.steps >= 140, { timeout: 120000, polling: 100 });
    await sleep(500);
    await whole.screenshot({ path: path.join(path.dirname(here), "docs", "page.png") });
  }
} finally {
  await browser.close();
  server.close();
}
