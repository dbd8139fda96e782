// Live plots: energies, step time, iterations over the simulated time.
import uPlot from "uplot";

const most = 600;
const series = [
  { title: "energy [J]", lines: [["kinetic", "#e8b755"], ["elastic", "#e0795f"], ["gravity", "#6f9ceb"], ["total", "#9aa5b1"]] },
  { title: "step [ms]", lines: [["step", "#7fb685"]] },
  { title: "iterations per step", lines: [["linear", "#a77fc0"], ["Newton", "#5fb3b3"]] },
];

export class Plots {
  constructor(parent) {
    this.parent = parent;
    this.data = series.map(({ lines }) => [[], ...lines.map(() => [])]);
    this.charts = [];
    this.dirty = false;
  }

  clear() {
    for (const data of this.data) for (const line of data) line.length = 0;
    this.dirty = true;
  }

  add(head) {
    if (!head.stepsSince) return;
    const rows = [head.energy, [head.milliseconds], [head.linear, head.newton]];
    this.data.forEach((data, i) => {
      const last = data[0].at(-1);
      if (last !== undefined && head.time <= last) for (const line of data) line.length = 0;
      data[0].push(head.time);
      rows[i].forEach((value, k) => data[k + 1].push(value));
      if (data[0].length > most) for (const line of data) line.shift();
    });
    this.dirty = true;
  }

  build() {
    for (const chart of this.charts) chart.destroy();
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--faint");
    const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { show: false }, font: "10px system-ui", size: 22, space: 40 };
    this.charts = series.map(({ title, lines }, i) => new uPlot(
      {
        title, width: 250, height: 118, legend: { show: false }, cursor: { show: false }, padding: [4, 8, 0, 0],
        scales: { x: { time: false } },
        axes: [axis, { ...axis, size: 46, values: (_, ticks) => ticks.map((v) => (Math.abs(v) >= 1000 ? `${+(v / 1000).toPrecision(3)}k` : `${+v.toPrecision(3)}`)), space: 22 }],
        series: [{}, ...lines.map(([label, stroke]) => ({ label, stroke, width: 1.5, points: { show: false } }))],
      },
      this.data[i], this.parent
    ));
    this.parent.querySelectorAll(".u-title").forEach((node, i) => {
      node.innerHTML = `${series[i].title} ${series[i].lines.length > 1 ? series[i].lines.map(([label, stroke]) => `<i style="color:${stroke}">${label}</i>`).join(" ") : ""}`;
    });
  }

  draw() {
    if (!this.dirty || this.parent.hidden) return;
    this.dirty = false;
    this.charts.forEach((chart, i) => chart.setData(this.data[i]));
  }
}
