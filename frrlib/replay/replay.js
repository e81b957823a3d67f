"use strict";
// Plays the run whose numbers are in the element "run-data". Every picture depends on the time at the cursor alone.
(() => {
  const run = JSON.parse(document.getElementById("run-data").textContent);
  const byId = (id) => document.getElementById(id);
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const SVG = "http://www.w3.org/2000/svg";
  const MARGIN = { left: 46, right: 10, top: 8, bottom: 5, axis: 20, names: 14 };
  const STEP_MS = 500, LONG_STEP_MS = 5000, ANNOUNCE_EVERY_MS = 2000, TEXTS_EVERY_MS = 80;

  // --- elements and numbers ---

  function make(name, attributes = {}, ...children) {
    const isSvg = !["span", "dt", "dd", "div"].includes(name);
    const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function restored(packed) {
    let time = 0;
    return { ...packed, times: packed.times.map((step) => (time += step)) };
  }

  // The place of the last of some ascending times that is not after a time; -1 before the first.
  function lastBefore(times, time) {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  const stateAt = (states, time) => {
    const place = lastBefore(states.map((state) => state[0] ?? -Infinity), time);
    return place < 0 ? null : states[place];
  };

  const seconds = (time) => (time / 1000).toFixed(Math.abs(time) < 1e6 ? 2 : 0).replace("-", "−") + " s";
  const short = (value) => (Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

  function niceStep(span, count) {
    const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
  }

  // --- curves ---

  const panels = run.panels.map((panel) => {
    const curves = panel.curves.map(restored), references = panel.references.map(restored);
    let largest = 0;
    for (const curve of curves) for (const value of curve.values) if (value > largest) largest = value;
    // A limit far above the curves would press them to the ground.
    for (const reference of references) {
      for (const value of reference.values) if (value > largest && largest > 0.3 * value) largest = value;
    }
    return { ...panel, curves, references, drops: restored({ times: panel.drops }).times, top: largest * 1.06 || 1 };
  });

  function valueAt(curve, time) {
    if (!curve.meanOver) return curve.values[lastBefore(curve.times, time)] ?? null;
    let place = lastBefore(curve.times, time);
    if (place < 0 || (place + 1 < curve.times.length && curve.times[place + 1] - time < time - curve.times[place])) place += 1;
    const isNear = Math.abs(curve.times[place] - time) <= curve.meanOver;
    return isNear ? curve.values[place] : null;
  }

  function curvePath(times, values, x, y, isStepped) {
    const parts = [];
    let isDown = false;
    times.forEach((time, place) => {
      const value = values[place];
      if (value === null) { isDown = false; return; }
      const at = `${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
      if (isStepped && isDown) parts.push(`H${x(time).toFixed(1)}`);
      parts.push((isDown ? "L" : "M") + at);
      isDown = true;
    });
    return parts.join("") || "M0 0";
  }

  function drawChart(panel, number) {
    const svg = byId(`chart-${number}`), isLast = number === panels.length - 1;
    const width = svg.clientWidth || 600, height = svg.clientHeight || 110;
    const bottom = height - (isLast ? MARGIN.axis : MARGIN.bottom), right = width - MARGIN.right;
    const isNamed = number === 0 && run.faults.length > 0, top = MARGIN.top + (isNamed ? MARGIN.names : 0);
    const x = (time) => MARGIN.left + ((time - run.begin) / (run.end - run.begin)) * (right - MARGIN.left);
    const y = (value) => bottom - (value / panel.top) * (bottom - top);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const step = niceStep(panel.top, Math.max(2, (bottom - top) / 28));
    for (let value = 0; value <= panel.top; value += step) {
      svg.append(make("path", { class: value ? "grid" : "axis", d: `M${MARGIN.left} ${y(value)}H${right}` }));
      svg.append(make("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(6)))));
    }
    drawFaults(svg, x, top, bottom, isNamed);
    for (const reference of panel.references) {
      if (Math.max(...reference.values) > panel.top) continue;
      const times = [run.begin, ...reference.times.slice(1), run.end];
      const values = [...reference.values, reference.values.at(-1)];
      svg.append(make("path", { class: "reference", d: curvePath(times, values, x, y, true) },
        make("title", {}, reference.name)));
    }
    for (const curve of panel.curves) {
      svg.append(make("path", { class: `curve ${curve.color}`, "stroke-dasharray": dashes(curve, 1.6),
        d: curvePath(curve.times, curve.values, x, y, false) }));
    }
    if (panel.drops.length) {
      const ticks = panel.drops.map((time) => `M${x(time).toFixed(1)} ${top - 6}v6`).join("");
      svg.append(make("path", { class: "drop", d: ticks }));
    }
    if (isLast) drawTimes(svg, x, bottom);
    panel.veil = make("rect", { class: "veil", y: 0, height: bottom - 1 });
    panel.line = make("path", { class: "cursor", d: `M0 0V${bottom}` });
    panel.dots = panel.curves.map((curve) => make("circle", { class: `dot ${curve.color}`, r: 4 }));
    const overlay = svg.nextElementSibling;  // a layer of its own, so that the curves are not painted again and again
    overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
    overlay.replaceChildren(panel.veil, panel.line, ...panel.dots);
    Object.assign(panel, { x, y, right });
  }

  const dashes = (curve, width) => curve.dashes.map((part) => part * width * 1.5).join(" ") || "none";

  function drawFaults(svg, x, top, bottom, isNamed) {
    let free = 0;
    for (const fault of run.faults) {
      if (fault.begin < run.begin || fault.begin > run.end) continue;
      const from = x(fault.begin), to = x(Math.min(fault.end ?? run.end, run.end));
      svg.append(make("rect", { class: "fault-time", x: from, y: top, width: Math.max(0, to - from), height: bottom - top }));
      svg.append(make("path", { class: "fault-line", d: `M${from} ${isNamed ? 0 : top}V${bottom}` }, make("title", {}, faultWords(fault))));
      if (isNamed && from > free) {
        const name = `${fault.target} ${fault.kind}`;
        svg.append(make("text", { class: "fault-name", x: from + 4, y: 11 }, name));
        free = from + 7 * name.length;
      }
    }
  }

  function drawTimes(svg, x, bottom) {
    const step = niceStep((run.end - run.begin) / 1000, Math.max(2, (x(run.end) - x(run.begin)) / 70)) * 1000;
    for (let time = Math.ceil(run.begin / step) * step; time <= run.end; time += step) {
      svg.append(make("text", { x: x(time), y: bottom + 15, "text-anchor": "middle" }, `${Number((time / 1000).toPrecision(6))} s`));
    }
  }

  const faultWords = (fault) => `${placeWords(fault.target)}: ${fault.text}`;

  // The name of a link with its nodes; any other name unchanged.
  function placeWords(name) {
    const link = run.places.links.find((candidate) => candidate.id === name);
    return link ? `${name} (${link.a}–${link.b})` : name;
  }

  panels.forEach((panel, number) => {
    const values = byId(`values-${number}`);
    panel.texts = panel.curves.map((curve) => {
      const line = make("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, make("path",
        { class: `curve ${curve.color}`, d: "M0 4H22", "stroke-dasharray": dashes(curve, 1.6) }));
      const text = make("span", {});
      values.append(make("span", {}, line, `${curve.name} `, text));
      return text;
    });
  });

  function showCurves(time, withTexts) {
    for (const panel of panels) {
      const at = panel.x(time);
      panel.line.setAttribute("transform", `translate(${at.toFixed(1)} 0)`);
      panel.veil.setAttribute("x", at.toFixed(1));
      panel.veil.setAttribute("width", Math.max(0, panel.right - at + 1).toFixed(1));
      panel.curves.forEach((curve, number) => {
        const value = valueAt(curve, time), dot = panel.dots[number];
        const isKnown = value !== null && time <= curve.times.at(-1) + (curve.meanOver || 1000);
        dot.setAttribute("visibility", isKnown ? "visible" : "hidden");
        if (isKnown) { dot.setAttribute("cx", at.toFixed(1)); dot.setAttribute("cy", panel.y(value).toFixed(1)); }
        if (withTexts) panel.texts[number].textContent = isKnown ? short(value) : "–";
      });
    }
  }

  // --- the drawing ---

  // A path moved to its right, as seen in its direction.
  function shifted(points, aside) {
    return points.map(([x, y], place) => {
      const [x0, y0] = points[Math.max(0, place - 1)], [x1, y1] = points[Math.min(points.length - 1, place + 1)];
      const size = Math.hypot(x1 - x0, y1 - y0) || 1;
      return [x - ((y1 - y0) / size) * aside, y + ((x1 - x0) / size) * aside];
    });
  }

  const pathData = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

  function along(points, share) {
    const sizes = points.slice(1).map(([x, y], place) => Math.hypot(x - points[place][0], y - points[place][1]));
    let rest = sizes.reduce((sum, size) => sum + size, 0) * share;
    for (let place = 0; place < sizes.length; place += 1) {
      const [x0, y0] = points[place], [x1, y1] = points[place + 1], size = sizes[place] || 1;
      if (rest <= sizes[place] || place === sizes.length - 1) {
        return { x: x0 + ((x1 - x0) * rest) / size, y: y0 + ((y1 - y0) * rest) / size, ux: (x1 - x0) / size, uy: (y1 - y0) / size };
      }
      rest -= sizes[place];
    }
    return { x: points[0][0], y: points[0][1], ux: 1, uy: 0 };
  }

  const directed = (link, isForward) => (isForward ? run.places.links[link].points : [...run.places.links[link].points].reverse());
  const isDrawn = (link) => (run.places.links[link]?.points.length ?? 0) > 1;

  const loads = run.loads.directions.filter((load) => isDrawn(load.link)).map((load) => {
    const line = make("path", { class: "load" }), head = make("path", { class: "load-head" }), title = make("title");
    byId("loads").append(make("g", {}, title, line, head));
    return { ...load, limits: restored(load.limits), line, head, title, shown: "" };
  });
  const loadTexts = new Map(loads.map((load) => [load.link, null]));
  for (const link of loadTexts.keys()) {
    // Beside the middle: above a level link, at the right of an upright one.
    const { x, y, ux, uy } = along(run.places.links[link].points, 0.5), side = ux > 0 || (ux === 0 && uy > 0) ? 1 : -1;
    const isUpright = Math.abs(uy) > 0.5 * Math.abs(ux);
    const text = make("text", { class: "load-text", x: x + side * uy * 13, y: y - side * ux * 13 + (isUpright ? 4 : 1),
      "text-anchor": !isUpright ? "middle" : side * uy > 0 ? "start" : "end" });
    byId("load-texts")?.append(text);
    loadTexts.set(link, text);
  }

  function showLoads(time) {
    const place = Math.floor((Math.min(time, run.end - 1) - run.loads.begin) / run.loads.bin);
    const most = new Map();
    for (const load of loads) {
      const rate = load.rates[place] ?? 0;
      const limit = load.limits.values[Math.max(0, lastBefore(load.limits.times, time))];
      const share = limit ? rate / limit : null;
      const grade = rate < 0.02 ? "" : share === null ? "none" : share < 0.4 ? "0" : share < 0.7 ? "1" : share < 0.9 ? "2" : "3";
      const width = Math.round(2 * (2.2 + 1.6 * Math.log10(1 + rate))) / 2;
      if (rate >= 0.02) most.set(load.link, Math.max(rate, most.get(load.link) ?? 0));
      if (load.shown === `${grade} ${width}`) continue;
      load.shown = `${grade} ${width}`;
      load.line.parentNode.setAttribute("class", grade ? `load-${grade}` : "load-none");
      load.line.parentNode.setAttribute("visibility", grade ? "visible" : "hidden");
      const points = shifted(directed(load.link, load.forward), 1.2 + width / 2), tip = along(points, 0.78), size = width + 2.5;
      load.line.setAttribute("d", pathData(points));
      load.line.setAttribute("stroke-width", width);
      load.head.setAttribute("d", pathData([[tip.x + tip.ux * size * 1.3, tip.y + tip.uy * size * 1.3],
        [tip.x - tip.uy * size, tip.y + tip.ux * size], [tip.x + tip.uy * size, tip.y - tip.ux * size]]) + "Z");
      load.title.textContent = `${load.from} to ${load.to}: ${short(rate)} Mbit/s` + (share === null ? "" : ` of ${short(limit)}`);
    }
    for (const [link, text] of loadTexts) {
      const rate = most.get(link) ?? 0;
      text.textContent = rate >= 0.1 ? `${short(rate)} Mbit/s` : "";
    }
  }

  const paths = run.paths.map((path, number) => {
    const line = make("path", { class: `path ${path.color}` }), cross = make("path", { class: `path-end ${path.color}` });
    byId("paths")?.append(line, cross);
    return { ...path, number, line, cross, shown: undefined };
  });

  function showPaths(time) {
    for (const path of paths) {
      const state = time >= path.begin && time <= path.end ? stateAt(path.states, time) : null;
      if (state !== path.shown) {
        path.shown = state;
        const aside = 9 + 4.5 * path.number;
        const pieces = (state?.[1] ?? []).filter(([link]) => isDrawn(link)).map(([link, forward]) => shifted(directed(link, forward), aside));
        path.line.setAttribute("d", pieces.map(pathData).join("") || "M0 0");
        const last = pieces.at(-1)?.at(-1);
        path.cross.setAttribute("d", last && !state[3] ? `M${last[0] - 6} ${last[1] - 6}l12 12m0 -12l-12 12` : "M0 0");
      }
      if (state && !reducedMotion.matches) path.line.setAttribute("stroke-dashoffset", (-(time / 25) % 11).toFixed(1));
    }
  }

  const SIGNS = ["lost", "coming", "up"];
  const marks = run.places.marks.map((mark) => {
    const title = make("title"), group = make("g", { transform: `translate(${mark.at[0]} ${mark.at[1]})` });
    byId("neighbor-marks")?.append(group);
    return { ...mark, title, group, shown: "" };
  });

  function neighborStates(time) {
    return run.neighbors.map((neighbor) => ({ ...neighbor, state: stateAt(neighbor.states, time) }));
  }

  function showMarks(states) {
    for (const mark of marks) {
      const known = mark.neighbors.map((number) => states[number]).filter((neighbor) => neighbor.state);
      const sign = known.length ? SIGNS[Math.min(...known.map((neighbor) => neighbor.state[1]))] : "";
      const words = known.map((neighbor) => `${neighbor.router}: ${neighbor.name} ${neighbor.state[2]}`).join("\n");
      if (mark.shown === sign + words) continue;
      mark.shown = sign + words;
      mark.title.textContent = words;
      const shape = sign === "lost" ? make("path", { class: "mark lost", d: "M-5 -5L5 5M5 -5L-5 5" }) : make("circle", { class: `mark ${sign}`, r: sign === "up" ? 6 : 4.5 });
      mark.group.replaceChildren(mark.title, ...(sign ? [shape] : []));
    }
  }

  const activeFaults = (time) => run.faults.filter((fault) => fault.begin <= time && (fault.end === null || time < fault.end));

  function faultPlace(target) {
    const number = run.places.links.findIndex((link) => link.id === target);
    if (number >= 0 && isDrawn(number)) return along(run.places.links[number].points, 0.3);
    const node = run.places.nodes[target] ?? run.places.nodes[target.split(/[:\s]/)[0]];
    return node ? { x: node[0] + 17, y: node[1] - 17 } : null;
  }

  let shownFaults = "";
  function showFaults(faults) {
    const key = faults.map((fault) => run.faults.indexOf(fault)).join(" ");
    if (key === shownFaults) return;
    shownFaults = key;
    const signs = faults.map((fault) => [fault, faultPlace(fault.target)]).filter(([, at]) => at).map(([fault, at]) =>
      make("g", { class: "fault-mark", transform: `translate(${at.x} ${at.y})` }, make("title", {}, faultWords(fault)),
        make("circle", { r: 10 }), make("text", { y: 5 }, fault.kind.includes("down") || fault.kind === "partition" ? "×" : "!")));
    byId("fault-marks")?.replaceChildren(...signs);
    const broken = new Set(faults.filter((fault) => fault.kind === "link-down").map((fault) => fault.target));
    for (const line of document.querySelectorAll("[data-link]")) {
      line.classList.toggle("broken", broken.has(run.places.links[line.dataset.link]?.id));
    }
  }

  // --- the state as text, and the table of events ---

  const rows = [...document.querySelectorAll("#events tbody tr")];
  const rowTimes = rows.map((row) => Number(row.dataset.time));
  const importantTimes = [...new Set(rows.filter((row) => row.classList.contains("important")).map((row) => Number(row.dataset.time)))]
    .filter((time) => time >= run.begin && time <= run.end);
  const rowWords = (row) => [...row.cells].slice(1).map((cell) => cell.textContent).join(" ");

  function showState(time, states, faults) {
    const lines = [];
    const words = new Map();
    for (const path of paths) if (path.shown) words.set(path.shown[2], [...(words.get(path.shown[2]) ?? []), path.flow]);
    for (const [text, flows] of words) lines.push([words.size > 1 || paths.length === 1 ? `Path ${flows.join(", ")}` : "Path", text]);
    if (states.length) {
      const known = states.filter((neighbor) => neighbor.state), up = known.filter((neighbor) => neighbor.state[1] === 2);
      const others = known.filter((neighbor) => neighbor.state[1] !== 2).map((neighbor) => `${neighbor.router}: ${neighbor.name} ${neighbor.state[2]}`);
      lines.push(["Neighbors", `${up.length} of ${states.length} up` + (others.length ? `; ${others.slice(0, 6).join(", ")}` : "")]);
    }
    lines.push(["Faults", faults.map(faultWords).join("; ") || "none"]);
    const last = lastBefore(rowTimes, time);
    const recent = rows.slice(Math.max(0, last - 40), last + 1).filter((row) => row.classList.contains("important")).slice(-3).reverse();
    recent.forEach((row, place) => lines.push([place ? "" : "Last events", `${seconds(Number(row.dataset.time))}  ${rowWords(row)}`]));
    const key = JSON.stringify(lines);
    if (key === showState.key) return;
    showState.key = key;
    byId("state").replaceChildren(...lines.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
  }

  function showRows(time) {
    const last = lastBefore(rowTimes, time);
    if (last === showRows.last) return;
    showRows.last = last;
    rows.forEach((row, place) => { row.classList.toggle("past", place < last); row.classList.toggle("at-cursor", place === last); });
    if (last >= 0) {
      const box = byId("events"), row = rows[last];
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
  }

  // While the replay plays, new events are announced together, and not more often than every two seconds; the rest when
  // it stops. A jump announces nothing.
  let announced = -1, announcedAt = 0;
  function announce(time, now) {
    const last = lastBefore(rowTimes, time);
    if (last <= announced || now - announcedAt < ANNOUNCE_EVERY_MS) return;
    const fresh = rows.slice(announced + 1, last + 1).filter((row) => row.classList.contains("important"));
    fresh.sort((one, other) => other.classList.contains("fault") - one.classList.contains("fault"));
    announced = last;
    if (!fresh.length) return;
    announcedAt = performance.now();
    const more = fresh.length > 2 ? `, and ${fresh.length - 2} more events` : "";
    byId("announcement").textContent = `${seconds(time)}: ${fresh.slice(0, 2).map(rowWords).join("; ")}${more}`;
  }

  // --- time ---

  let time = run.begin, isPlaying = false, lastFrame = 0, lastTexts = 0;
  const slider = byId("slider"), play = byId("play"), speed = byId("speed"), clock = byId("clock");
  slider.min = run.begin;
  slider.max = run.end;
  clock.append(make("span", {}), make("span", { class: "total" }, ` of ${seconds(run.end)}`));

  function show(now = performance.now()) {
    const withTexts = !isPlaying || now - lastTexts > TEXTS_EVERY_MS;
    const states = neighborStates(time), faults = activeFaults(time);
    showCurves(time, withTexts);
    showLoads(time);
    showPaths(time);
    showMarks(states);
    showFaults(faults);
    slider.value = time;
    if (withTexts) {
      lastTexts = now;
      clock.firstChild.textContent = seconds(time);
      slider.setAttribute("aria-valuetext", `${seconds(time)} of ${seconds(run.end)}`);
      for (const still of document.querySelectorAll(".still")) still.textContent = `At ${seconds(time)}`;
      showState(time, states, faults);
      showRows(time);
    }
    if (isPlaying) announce(time, now);
  }

  function goTo(moment) {
    time = Math.min(run.end, Math.max(run.begin, moment));
    announced = lastBefore(rowTimes, time);
    show();
  }

  function setPlaying(isOn) {
    if (isOn && time >= run.end) goTo(run.begin);
    if (!isOn) announce(time, Infinity);
    isPlaying = isOn;
    play.classList.toggle("playing", isOn);
    play.setAttribute("aria-label", isOn ? "Pause" : "Play");
    lastFrame = 0;
    if (isOn) requestAnimationFrame(nextFrame); else show();
  }

  function nextFrame(now) {
    if (!isPlaying) return;
    if (lastFrame) time = Math.min(run.end, time + (now - lastFrame) * Number(speed.value));
    lastFrame = now;
    if (time >= run.end) { setPlaying(false); return; }
    show(now);
    requestAnimationFrame(nextFrame);
  }

  function goToEvent(step) {
    const next = step > 0 ? importantTimes.find((moment) => moment > time) : importantTimes.findLast((moment) => moment < time);
    goTo(next ?? (step > 0 ? run.end : run.begin));
  }

  function changeSpeed(step) {
    speed.selectedIndex = Math.min(speed.length - 1, Math.max(0, speed.selectedIndex + step));
  }

  // --- input ---

  const KEYS = {
    " ": () => setPlaying(!isPlaying),
    ArrowLeft: (isLong) => goTo(time - (isLong ? LONG_STEP_MS : STEP_MS)),
    ArrowRight: (isLong) => goTo(time + (isLong ? LONG_STEP_MS : STEP_MS)),
    Home: () => goTo(run.begin), End: () => goTo(run.end),
    p: () => goToEvent(-1), n: () => goToEvent(1), "+": () => changeSpeed(1), "-": () => changeSpeed(-1),
  };

  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const isElsewhere = event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, summary");
    const isButton = event.key === " " && event.target.closest("button");
    if (!action || isElsewhere || isButton) return;
    event.preventDefault();
    action(event.shiftKey);
  });
  play.addEventListener("click", () => setPlaying(!isPlaying));
  byId("previous").addEventListener("click", () => goToEvent(-1));
  byId("next").addEventListener("click", () => goToEvent(1));
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  byId("events").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) goTo(Number(row.dataset.time));
  });
  byId("charts").addEventListener("pointerdown", follow);
  byId("charts").addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  function follow(event) {
    const svg = event.target.closest(".chart");
    if (!svg) return;
    const panel = panels[Number(svg.id.split("-")[1])], at = event.clientX - svg.getBoundingClientRect().left;
    goTo(run.begin + ((at - MARGIN.left) / (panel.right - MARGIN.left)) * (run.end - run.begin));
  }

  // A still of the middle of the run is printed unless another time was chosen.
  let isMoved = false;
  addEventListener("beforeprint", () => {
    drawAll();
    isMoved = time === run.begin;
    if (isMoved) goTo((run.begin + run.end) / 2);
  });
  addEventListener("afterprint", () => { if (isMoved) goTo(run.begin); });

  for (const row of rows.filter((candidate) => candidate.classList.contains("important"))) {
    const share = (Number(row.dataset.time) - run.begin) / (run.end - run.begin);
    if (share < 0 || share > 1) continue;
    const tick = make("div", { class: `tick ${row.className}` });
    tick.style.left = `calc(8px + ${share} * (100% - 16px))`;
    byId("track").append(tick);
  }

  // Texts in a small drawing are larger than the drawing's scale makes them.
  function scaleTexts() {
    const drawing = byId("drawing"), scale = drawing?.getScreenCTM()?.a || 1;
    drawing?.style.setProperty("--text-scale", Math.min(2.2, Math.max(1, 0.95 / scale)).toFixed(3));
  }

  function drawAll() {
    scaleTexts();
    panels.forEach(drawChart);
    show();
  }
  const chosen = /[#&]t=(-?[\d.]+)/.exec(location.hash);
  drawAll();
  goTo(chosen ? Number(chosen[1]) * 1000 : run.begin);
  new ResizeObserver(drawAll).observe(byId("charts"));
})();
