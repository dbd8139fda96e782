// The page in headless Chromium: node test/web/page.mjs BUILD [PART...]. Parts are named below; all by default. Pictures are kept in BUILD/web-test.
import { launch } from "./browser.mjs";
import { check, failures, shots, site } from "./check.mjs";
import { testExample, testNative, testRough, testSize, testSpeed } from "./parts_engine.mjs";
import { testDrop, testKeep, testLink } from "./parts_files.mjs";
import { testGallery, testGrab, testPage, testPhone, testPlain, testSliders } from "./parts_page.mjs";
import { serve } from "./serve.mjs";

const parts = { page: testPage, plain: testPlain, gallery: testGallery, grab: testGrab, sliders: testSliders, drop: testDrop, link: testLink, keep: testKeep, phone: testPhone, example: testExample, rough: testRough, speed: testSpeed, native: testNative };
const wanted = process.argv.slice(3);
const unknown = wanted.filter((name) => !parts[name]);
if (unknown.length) {
  console.error(`unknown part ${unknown.join(", ")}; known are ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
testSize();
const server = await serve(site);
const browser = await launch();
const began = performance.now();
try {
  for (const [name, test] of Object.entries(parts)) {
    if (wanted.length && !wanted.includes(name)) continue;
    const start = performance.now();
    console.log(`-- ${name}`);
    await test(browser, server.address).catch((problem) => check(false, `${name}: ${problem.stack}`));
    for (const context of browser.browserContexts()) if (context !== browser.defaultBrowserContext()) await context.close(); // what a failure left open
    console.log(`   ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`${failures ? `${failures} failed` : "all passed"} in ${((performance.now() - began) / 1000).toFixed(0)} s; pictures in ${shots}`);
process.exit(failures ? 1 : 0);
