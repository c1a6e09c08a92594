"use strict";
(() => {
  const root = document.documentElement;
  addEventListener("error", e => { root.dataset.error = e.message; });
  const data = JSON.parse(document.getElementById("data").textContent);
  const palette = ["#3b82f6", "#f97316", "#10b981", "#a855f7", "#ef4444", "#eab308", "#06b6d4", "#ec4899", "#84cc16", "#64748b"];
  const colour = i => palette[i % palette.length];
  const ink = name => getComputedStyle(root).getPropertyValue(name).trim() || "#888";
  const label = { cpu: "CPU, cores", memory: "Memory, GiB" };
  const height = 220;
  const width = element => Math.max(element.clientWidth, 260);
  const drawn = new Map(); // element to chart

  const axis = more => Object.assign({ stroke: ink("--faint"), grid: { stroke: ink("--grid"), width: 1 }, ticks: { stroke: ink("--line"), width: 1 } }, more);
  const show = digits => (_, value) => value == null ? "–" : Number(value.toPrecision(4)).toLocaleString(undefined, { maximumFractionDigits: digits });
  const times = [
    [86400 * 28, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
    [86400, "{D} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
    [60, "{HH}:{mm}", "\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1],
    [1, "{HH}:{mm}:{ss}", "\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1],
  ];
  const clock = { label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" };
  const fromZero = (_, low, high) => [0, high > 0 ? high * 1.05 : 1];

  // Two fingers zoom, and move what is zoomed. One finger scrolls the page.
  function pinch() {
    let from = null;
    const at = touches => {
      const a = touches[0].clientX, b = touches[1].clientX;
      return { middle: (a + b) / 2, apart: Math.max(Math.abs(a - b), 10) };
    };
    return {
      hooks: {
        ready: u => {
          u.over.addEventListener("touchstart", e => {
            if (e.touches.length !== 2) return;
            const box = u.over.getBoundingClientRect();
            from = Object.assign(at(e.touches), { min: u.scales.x.min, max: u.scales.x.max, left: box.left, width: box.width });
          }, { passive: true });
          u.over.addEventListener("touchmove", e => {
            if (!from || e.touches.length !== 2) return;
            e.preventDefault();
            const now = at(e.touches), factor = from.apart / now.apart, span = (from.max - from.min) * factor;
            const anchor = from.min + (from.middle - from.left) / from.width * (from.max - from.min);
            const min = anchor - (now.middle - from.left) / from.width * span;
            u.setScale("x", { min, max: min + span });
          }, { passive: false });
          u.over.addEventListener("touchend", () => { from = null; }, { passive: true });
        },
      },
    };
  }

  function options(element, title, sync) {
    return {
      title, height, width: width(element),
      tzDate: seconds => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"),
      cursor: { drag: { x: true, y: false }, sync: sync ? { key: sync } : undefined },
      plugins: [pinch()],
      legend: { live: true },
    };
  }

  function trade(element, recording, resource) {
    const slack = recording.points.map(p => p[resource + "Slack"]), short = recording.points.map(p => p[resource + "Short"]);
    const order = slack.map((_, i) => i).filter(i => slack[i] != null).sort((a, b) => slack[a] - slack[b]);
    if (!order.length) return null;
    const columns = order.map(i => order.map(j => j === i ? short[i] : null));
    const xs = order.map(i => slack[i] * 100);
    return new uPlot(Object.assign(options(element, resource === "cpu" ? "CPU" : "Memory"), {
      scales: { x: { time: false, range: (_, low, high) => low === high ? [low - 1, high + 1] : [low - (high - low) / 10, high + (high - low) / 10] }, y: { range: fromZero } },
      axes: [axis({ label: "mean slack, %", labelSize: 20 }), axis({ label: "too little, min/day", labelSize: 20, size: 60 })],
      series: [{ label: "slack, %", value: show(1) }].concat(order.map(i => ({
        label: recording.recommenders[i], stroke: colour(i), value: show(2), paths: () => null,
        points: { show: true, size: 11, fill: colour(i), stroke: colour(i) },
      }))),
    }), [xs].concat(columns), element);
  }

  const line = (name, colour, more) => Object.assign({ label: name, stroke: colour, width: 1.5, value: show(3), points: { show: false } }, more);

  function fleet(element, recording, resource) {
    const part = recording.fleet[resource];
    if (!recording.fleet.t || !part.used.some(value => value > 0)) return null;
    return new uPlot(Object.assign(options(element, label[resource], "fleet" + data.recordings.indexOf(recording)), {
      scales: { y: { range: fromZero } }, axes: [axis({ values: times }), axis({ size: 60 })],
      series: [clock, line("used", ink("--ink"), { fill: ink("--grid") })].concat(part.given.map((_, i) => line(recording.recommenders[i], colour(i)))),
    }), [recording.fleet.t, part.used].concat(part.given), element);
  }

  function track(element, recording, resource) {
    const of = (recording.worst[element.dataset.recommender] || []).find(t => t.service === element.dataset.service);
    const part = of && of[resource];
    if (!part) return null;
    const step = uPlot.paths.stepped({ align: 1 }), i = Number(element.dataset.recommender);
    return new uPlot(Object.assign(options(element, label[resource], of.service), {
      scales: { y: { range: fromZero } }, axes: [axis({ values: times }), axis({ size: 60 })],
      series: [
        clock, line("used", ink("--ink"), { width: 1 }),
        line("allocation", colour(i), { paths: step, width: 2 }),
        line("recommended", colour(i + 1), { paths: step, dash: [4, 3] }),
      ],
    }), [part.t, part.used, part.given, part.wanted], element);
  }

  const kinds = { trade, fleet, track };

  function draw(element) {
    if (drawn.has(element)) return;
    const chart = kinds[element.dataset.chart](element, data.recordings[element.dataset.recording], element.dataset.resource);
    element.classList.toggle("empty", !chart);
    if (chart) {
      drawn.set(element, chart);
      root.dataset.charts = drawn.size;
    }
  }

  function redraw() {
    for (const [element, chart] of Array.from(drawn)) {
      chart.destroy();
      drawn.delete(element);
      draw(element);
    }
  }

  // A chart is drawn when it comes near the screen; there may be a hundred.
  const all = Array.from(document.querySelectorAll("[data-chart]"));
  if (typeof IntersectionObserver === "function") {
    const watcher = new IntersectionObserver(entries => entries.forEach(e => { if (e.isIntersecting) draw(e.target); }), { rootMargin: "600px" });
    all.forEach(element => watcher.observe(element));
  } else {
    all.forEach(draw);
  }

  for (const select of document.querySelectorAll("select[data-recording]")) {
    select.addEventListener("change", () => {
      for (const block of select.closest("section").querySelectorAll("[data-worst]")) {
        block.hidden = block.dataset.worst !== select.dataset.recording + "-" + select.value;
        if (!block.hidden) block.querySelectorAll("[data-chart]").forEach(draw);
      }
    });
  }

  const fit = element => drawn.has(element) && drawn.get(element).width !== width(element) && drawn.get(element).setSize({ width: width(element), height });
  if (typeof ResizeObserver === "function") {
    const watcher = new ResizeObserver(entries => entries.forEach(e => fit(e.target)));
    all.forEach(element => watcher.observe(element));
  } else {
    addEventListener("resize", () => all.forEach(fit));
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
