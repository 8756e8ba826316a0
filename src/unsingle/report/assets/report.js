// Draws the plots and graphs of a report. All data stands in the page itself; nothing is requested.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const theme = () => ({ text: style("--text"), soft: style("--soft"), line: style("--line"),
    colours: ["--before", "--after", "--third", "--fourth"].map(style) });

  // ------------------------------------------------------------------------------------------- plots

  function layoutOf(figure, colours) {
    const axis = { gridcolor: colours.line, linecolor: colours.line, zerolinecolor: colours.line, automargin: true,
      fixedrange: false, tickfont: { color: colours.soft } };
    const layout = { margin: { l: 50, r: 20, t: 10, b: 40 }, paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)", font: { color: colours.text, family: "system-ui, sans-serif", size: 13 },
      colorway: colours.colours, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      hoverlabel: { align: "left" }, ...figure.layout };
    for (const name of ["xaxis", "yaxis"]) {
      const own = { ...(figure.layout || {})[name] };
      if (own.title) own.title = { text: own.title, standoff: 8 };
      if (own.type === "log" && !own.tickvals) own.dtick = "D2"; // only 1, 2 and 5 of each decade
      layout[name] = { ...axis, ...own };
    }
    return layout;
  }

  const NARROW = 500, LETTERS = 22; // pixels of a plot, and letters of a line beside its bars
  function wrapped(text) {
    let line = "";
    const lines = [];
    for (const word of String(text).split(" ")) {
      if (line && line.length + word.length >= LETTERS) { lines.push(line); line = word; } else line += (line && " ") + word;
    }
    return [...lines, line].join("<br>");
  }

  const drawnAt = new Map(); // the width that each plot has room for
  function drawPlots() {
    const colours = theme();
    for (const [name, figure] of Object.entries(data.figures)) {
      const place = document.getElementById(name);
      if (!place) continue;
      if (!place.clientWidth) continue; // in a step that is not shown: drawn once it is
      const width = place.clientWidth, wrap = width < NARROW; // names would leave no room for the bars
      drawnAt.set(place, width);
      const traces = figure.data.map(({ colour, ...trace }) => ({ ...trace,
        ...(colour === undefined ? {} : { marker: { ...trace.marker, color: colours.colours[colour] } }),
        ...(wrap && trace.orientation === "h" ? { y: trace.y.map(wrapped) } : {}) }));
      const layout = { ...layoutOf(figure, colours), width };
      if (wrap && traces.some((trace) => trace.orientation === "h" && trace.y.some((text) => text.includes("<br>")))) {
        layout.height *= 1.5;
        layout.yaxis.tickfont = { ...layout.yaxis.tickfont, size: 11 };
      }
      Plotly.react(place, traces, layout, { displayModeBar: false });
    }
  }

  // Plotly's own way to follow the window forgets how high a plot is.
  const watching = new ResizeObserver((changes) => {
    const room = ({ target }) => target.clientWidth && target.clientWidth !== drawnAt.get(target);
    if (changes.some(room)) requestAnimationFrame(drawPlots);
  });

  // ------------------------------------------------------------------------------------------ graphs

  const SVG = "http://www.w3.org/2000/svg";
  function element(name, attributes, parent, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text; // as text: a label may hold anything
    parent.appendChild(made);
    return made;
  }

  const isEnd = (name) => Object.hasOwn(data.graph.ends, name); // an activity may be called "constructor"
  const shown = (name) => (isEnd(name) ? data.graph.ends[name] : name);
  const shortened = (name) => (shown(name).length > 24 ? shown(name).slice(0, 23) + "…" : shown(name));
  const sum = (edges, key) => edges.reduce((total, edge) => total + edge[key], 0);

  const MOST_DRAWN = 150; // more than that nobody can read
  // The most frequent edges until they hold this share of all steps, and the best way in and out of every node there.
  function chosenEdges(graph, share) {
    const chosen = new Set();
    let held = 0;
    for (const edge of graph.edges.slice(0, MOST_DRAWN)) {
      if (share < 1 && held >= share * graph.before && chosen.size) break;
      chosen.add(edge);
      held += edge.before;
    }
    const nodes = new Set([...chosen].flatMap((edge) => [edge.source, edge.target]));
    for (const [near, far] of [["target", "source"], ["source", "target"]]) {
      for (const node of nodes) {
        const there = [...chosen].some((edge) => edge[near] === node && edge[far] !== node);
        const best = graph.edges.find((edge) => edge[near] === node && edge[far] !== node && nodes.has(edge[far]));
        if (!there && best) chosen.add(best);
      }
    }
    return [...chosen];
  }

  function layoutGraph(edges) {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 44, edgesep: 10, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    const ids = new Map(); // numbers, because a name may be anything
    for (const name of edges.flatMap((edge) => [edge.source, edge.target])) {
      if (ids.has(name)) continue;
      ids.set(name, `n${ids.size}`);
      graph.setNode(ids.get(name), { name, width: 24 + 7 * shortened(name).length, height: 30 });
    }
    edges.forEach((edge, i) => graph.setEdge(ids.get(edge.source), ids.get(edge.target),
      { width: 52, height: 14, labelpos: "c", edge }, `e${i}`));
    dagre.layout(graph);
    return graph;
  }

  const count = (number) => (number >= 10000 ? Math.round(number / 1000) + "k" : String(number));
  const percent = (share) => (100 * share).toFixed(share < 0.1 ? 1 : 0) + "%";
  function duration(hours) {
    if (hours === null) return "";
    if (hours < 1 / 60) return Math.round(hours * 3600) + " s";
    if (hours < 1) return Math.round(hours * 60) + " min";
    return hours < 48 ? hours.toFixed(1) + " h" : (hours / 24).toFixed(1) + " d";
  }

  // from an activity to itself: a bow at its right side, where the layout leaves room
  const loopAt = ({ x, y, width }) => [[0, -8], [26, -14], [26, 14], [0, 8]].map(([dx, dy]) =>
    ({ x: x + width / 2 + dx, y: y + dy }));

  function drawGraph(place, layout, side, label, totals) {
    const size = layout.graph();
    const room = place.clientWidth || size.width;
    const scale = Math.min(1, Math.max(0.7, room / size.width)); // smaller than that nobody can read it
    const root = element("svg", { class: "graph", viewBox: `0 0 ${size.width} ${size.height}`,
      width: Math.round(scale * size.width), height: Math.round(scale * size.height), role: "img",
      "aria-label": `Directly-follows graph ${side}` }, place);
    const lines = element("g", {}, root), labels = element("g", {}, root); // numbers lie on top of all lines
    for (const key of layout.edges()) {
      const line = layout.edge(key), edge = line.edge;
      const share = { before: edge.before / totals.before, after: edge.after / totals.after };
      const hours = { before: edge.hours_before, after: edge.hours_after };
      const values = label === "hours" ? hours : share;
      const moved = side === "after" && (edge.after === 0 || (values.before !== null && values.after !== null &&
        Math.max(values.before, values.after) > 1.5 * Math.max(Math.min(values.before, values.after), 1e-9)));
      const group = element("g", { class: moved ? "edge moved" : "edge" }, lines);
      const width = 0.8 + 7 * Math.sqrt(share[side]);
      const loop = key.v === key.w ? loopAt(layout.node(key.v)) : null;
      const points = loop || line.points;
      let d = `M${points[0].x},${points[0].y}`;
      for (let i = 1; i < points.length - 1; i += 1) {
        const middle = { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
        const end = i === points.length - 2 ? points[i + 1] : middle;
        d += ` Q${points[i].x},${points[i].y} ${end.x},${end.y}`;
      }
      if (points.length === 2) d += ` L${points[1].x},${points[1].y}`;
      element("path", { d, "stroke-width": width }, group);
      const tip = points[points.length - 1], back = points[points.length - 2];
      const angle = Math.atan2(tip.y - back.y, tip.x - back.x), length = 6 + width;
      const corner = (turn) => `${tip.x - length * Math.cos(angle + turn)},${tip.y - length * Math.sin(angle + turn)}`;
      element("polygon", { points: `${tip.x},${tip.y} ${corner(0.45)} ${corner(-0.45)}` }, group);
      const text = label === "hours" ? duration(hours[side]) : label === "count" ? count(edge[side]) : percent(share[side]);
      const at = loop ? { x: loop[1].x, y: layout.node(key.v).y } : line;
      element("text", { x: at.x, y: at.y, class: moved ? "label moved" : "label", "text-anchor": "middle",
        "dominant-baseline": "middle" }, labels, text);
      element("title", {}, group, `${shown(edge.source)} → ${shown(edge.target)}\n` +
        `before: ${edge.before} times${hours.before === null ? "" : ", " + duration(hours.before)}\n` +
        `after: ${edge.after} times${hours.after === null ? "" : ", " + duration(hours.after)}`);
    }
    for (const id of layout.nodes()) {
      const node = layout.node(id), name = node.name;
      const group = element("g", { class: isEnd(name) ? "node end" : "node" }, root);
      element("rect", { x: node.x - node.width / 2, y: node.y - node.height / 2, width: node.width, height: node.height,
        rx: isEnd(name) ? 15 : 6 }, group);
      element("text", { x: node.x, y: node.y, "text-anchor": "middle", "dominant-baseline": "central" }, group, shortened(name));
      element("title", {}, group, shown(name));
    }
  }

  function drawGraphs() {
    const graph = data.graph;
    if (!graph || !document.getElementById("graph-before").clientWidth) return;
    const slider = document.getElementById("graph-share"), said = document.getElementById("graph-said");
    const label = document.querySelector("input[name=graph-label]:checked").value;
    const edges = chosenEdges(graph, Number(slider.value) / 100);
    const layout = layoutGraph(edges);
    const totals = { before: Math.max(1, graph.before), after: Math.max(1, graph.after) };
    for (const side of ["before", "after"]) {
      const place = document.getElementById(`graph-${side}`);
      place.querySelectorAll("svg").forEach((old) => old.remove());
      drawGraph(place, layout, side, label, totals);
    }
    sides.forEach(showScroll);
    const nodes = layout.nodes().filter((id) => !isEnd(layout.node(id).name)).length;
    said.textContent = `Shown: ${nodes} of ${graph.activities} activities and ${edges.length} of ${graph.all_edges} edges, ` +
      `which hold ${Math.round(100 * sum(edges, "before") / totals.before)}% of all steps of the original.`;
  }

  // what is looked at on one side is looked at on the other
  // a graph that is larger than its frame says so
  const showScroll = (side) => side && side.classList.toggle("scrolls",
    side.scrollWidth > side.clientWidth + 1 || side.scrollHeight > side.clientHeight + 1);
  const sides = ["graph-before", "graph-after"].map((name) => document.getElementById(name));
  sides.forEach((side, i) => side && side.addEventListener("scroll", () => {
    const other = sides[1 - i];
    if (Math.abs(other.scrollTop - side.scrollTop) > 1) other.scrollTop = side.scrollTop;
    if (Math.abs(other.scrollLeft - side.scrollLeft) > 1) other.scrollLeft = side.scrollLeft;
  }));
  document.querySelectorAll("#graph-share, input[name=graph-label]").forEach((control) =>
    control.addEventListener("change", drawGraphs));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlots);
  drawPlots();
  for (const name of Object.keys(data.figures)) {
    const place = document.getElementById(name);
    if (place) watching.observe(place);
  }
  let graphsFor = 0; // the width that graphs were drawn for
  new ResizeObserver(([{ target }]) => {
    if (target.clientWidth && !graphsFor) drawGraphs();
    graphsFor = target.clientWidth;
    sides.forEach(showScroll);
  }).observe(sides[0] || document.body);
  drawGraphs();
  document.documentElement.dataset.ready = "yes";
})();
