// Colours: of bodies, of values, of the two themes.

export const bodyColours = [0xe0795f, 0x6f9ceb, 0x7fb685, 0xe8b755, 0xa77fc0, 0x5fb3b3, 0xd98fa8, 0x9aa5b1];

export const themes = {
  dark: { background: 0x15181d, ground: 0x23272e, grid: 0x3a404a, wire: 0xffffff, wireOpacity: 0.22, hemisphere: [0xdfe8f5, 0x2b2a2d, 1.0], key: 2.3, collider: 0x8b97a8 },
  light: { background: 0xf3f1ec, ground: 0xe7e3db, grid: 0xc9c3b8, wire: 0x14202c, wireOpacity: 0.28, hemisphere: [0xffffff, 0xcfc8bd, 1.5], key: 2.2, collider: 0x8d99a8 },
};

// A map from dark blue over green to warm yellow, even in lightness; control points in sRGB.
const points = [
  [0.0, 66, 76, 150],
  [0.2, 58, 110, 168],
  [0.4, 46, 146, 158],
  [0.6, 84, 180, 118],
  [0.8, 186, 209, 80],
  [1.0, 253, 200, 84],
];
const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const size = 256;
export const table = new Float32Array(3 * size);
for (let i = 0; i < size; ++i) {
  const t = i / (size - 1);
  let k = 0;
  while (k + 2 < points.length && t > points[k + 1][0]) ++k;
  const [a, b] = [points[k], points[k + 1]];
  const s = (t - a[0]) / (b[0] - a[0]);
  for (let c = 0; c < 3; ++c) table[3 * i + c] = linear((a[c + 1] + s * (b[c + 1] - a[c + 1])) / 255);
}

export function paint(values, low, high, target) {
  const scale = high > low ? (size - 1) / (high - low) : 0;
  for (let i = 0; i < values.length; ++i) {
    const at = 3 * Math.max(0, Math.min(size - 1, Math.round((values[i] - low) * scale)));
    target[3 * i] = table[at];
    target[3 * i + 1] = table[at + 1];
    target[3 * i + 2] = table[at + 2];
  }
}

export const gradient = `linear-gradient(to right, ${points.map(([t, r, g, b]) => `rgb(${r},${g},${b}) ${100 * t}%`).join(", ")})`;

// 12345 -> "12.3 k"
export function short(value, unit = "") {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const [factor, prefix] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "k"] : size >= 1 || size === 0 ? [1, ""] : size >= 1e-3 ? [1e-3, "m"] : [1e-6, "µ"];
  return `${(value / factor).toPrecision(3)} ${prefix}${unit}`.trim();
}

// 0.0123456 -> "0.0123"; noise becomes 0.
export function plain(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return Math.abs(value) < 1e-9 ? "0" : String(+value.toPrecision(3));
}
