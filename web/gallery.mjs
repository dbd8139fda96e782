// The gallery: the scenes in scenes/ that have the key "gallery", in the order of their places. A scene is added by its file and its picture.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(fileURLToPath(import.meta.url));
export const scenes = path.join(path.dirname(web), "scenes");
export const pictures = path.join(web, "pictures");

// Entries { name, title, text, picture, place, time, colour, wire, zoom }: docs/scene.md explains the last five.
export function readGallery() {
  const entries = [];
  for (const file of readdirSync(scenes).filter((file) => file.endsWith(".json"))) {
    const scene = JSON.parse(readFileSync(path.join(scenes, file), "utf8"));
    if (!scene.gallery) continue;
    const name = path.basename(file, ".json");
    const twin = entries.find((entry) => entry.place === scene.gallery.place);
    if (twin) throw new Error(`scenes ${twin.name} and ${name} both have place ${twin.place} in the gallery`);
    const picture = existsSync(path.join(pictures, `${name}.jpg`));
    entries.push({ name, title: scene.name, text: scene.description ?? "", picture, time: 0.5, colour: "none", wire: false, zoom: 1.25, ...scene.gallery });
  }
  return entries.sort((a, b) => a.place - b.place);
}
