// Builds the static site: node web/build.mjs BUILD. Wants the engine in BUILD/web-parts (make -f web/engine.mk) and npm's packages in web/node_modules.
import { build, transformSync } from "esbuild";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { pictures as pictureFolder, readGallery, scenes } from "./gallery.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const parts = path.join(process.argv[2] ?? path.join(root, "build"), "web-parts");
const site = path.join(process.argv[2] ?? path.join(root, "build"), "web");

rmSync(site, { recursive: true, force: true });
mkdirSync(path.join(site, "scenes"), { recursive: true });
mkdirSync(path.join(site, "pictures"));

await build({
  entryPoints: { main: path.join(here, "page/main.js"), worker: path.join(here, "page/worker.js") },
  bundle: true, minify: true, format: "esm", target: "es2022", outdir: site, external: ["./sinew.mjs"], logLevel: "warning", legalComments: "none",
  loader: { ".css": "text" },
});
copyFileSync(path.join(here, "index.html"), path.join(site, "index.html"));
const uplot = readFileSync(path.join(here, "node_modules/uplot/dist/uPlot.min.css"), "utf8");
writeFileSync(path.join(site, "page.css"), uplot + readFileSync(path.join(here, "page.css"), "utf8"));
writeFileSync(path.join(site, "sinew.mjs"), transformSync(readFileSync(path.join(parts, "sinew.mjs"), "utf8"), { minify: true, format: "esm", target: "es2022" }).code);
for (const name of ["sinew.wasm", "sinew.worker.js"]) copyFileSync(path.join(parts, name), path.join(site, name));
copyFileSync(path.join(here, "engine.mjs"), path.join(site, "engine.mjs"));
copyFileSync(path.join(here, "licences.txt"), path.join(site, "licences.txt"));

const gallery = readGallery();
for (const { name } of gallery) copyFileSync(path.join(scenes, `${name}.json`), path.join(site, "scenes", `${name}.json`));
writeFileSync(path.join(site, "gallery.json"), JSON.stringify(gallery.map(({ name, title, text, picture }) => ({ name, title, text, picture }))));
if (existsSync(pictureFolder)) cpSync(pictureFolder, path.join(site, "pictures"), { recursive: true });

let gzip = 0, brotli = 0;
for (const name of readdirSync(site)) {
  const file = path.join(site, name);
  if (!statSync(file).isFile()) continue;
  const bytes = readFileSync(file);
  gzip += gzipSync(bytes, { level: 9 }).length;
  brotli += brotliCompressSync(bytes).length;
}
const pictures = readdirSync(path.join(site, "pictures")).reduce((sum, name) => sum + statSync(path.join(site, "pictures", name)).size, 0);
const kb = (n) => `${Math.round(n / 1000)} kB`;
console.log(`site: ${site}, ${gallery.length} scenes; without scenes ${kb(gzip + pictures)} with gzip, ${kb(brotli + pictures)} with brotli (${kb(pictures)} of it pictures)`);
