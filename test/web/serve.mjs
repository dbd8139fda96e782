// A static server on loopback for tests and for looking: node test/web/serve.mjs FOLDER [PORT]. Sends the headers that threads in the page need unless
// `isolated` is false.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";

const kinds = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".jpg": "image/jpeg", ".txt": "text/plain" };

export function serve(folder, { port = 0, isolated = true, extra = {} } = {}) {
  const root = path.resolve(folder);
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = path.join(root, name.endsWith("/") ? name + "index.html" : name);
    if (isolated) response.setHeader("Cross-Origin-Opener-Policy", "same-origin").setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    try {
      if (extra[name]) return void response.setHeader("Content-Type", "text/html").end(extra[name]);
      if (!file.startsWith(root + path.sep)) throw new Error("outside");
      const bytes = await readFile(file);
      response.setHeader("Content-Type", kinds[path.extname(file)] ?? "application/octet-stream").end(bytes);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve({ address: `http://127.0.0.1:${server.address().port}/`, close: () => (server.closeAllConnections(), server.close()) })));
}

if (process.argv[1] && path.basename(process.argv[1]) === "serve.mjs") console.log((await serve(process.argv[2] ?? "build/web", { port: +(process.argv[3] ?? 8080) })).address);
