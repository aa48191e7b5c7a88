"use strict";
// The memory view: live bytes over a step, and at any moment of it what lives, by scope and by tensor.
(function () {
  var views = JSON.parse(document.getElementById("views").textContent);
  var SVG = "http://www.w3.org/2000/svg", WIDE = 1000, HIGH = 300, ROWS = 200;
  function el(name, attributes, parent, text) {
    var e = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (text !== undefined) { e.textContent = text; }
    if (parent) { parent.appendChild(e); }
    return e;
  }
  function shape(name, attributes, parent) {
    var e = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    parent.appendChild(e);
    return e;
  }
  function size(n) {
    var units = ["B", "KiB", "MiB", "GiB"], i = 0, v = Math.abs(n);
    while (v >= 1024 && i < 3) { v /= 1024; i += 1; }
    return (n < 0 ? "-" : "") + v.toFixed(i && v < 100 ? 1 : 0) + " " + units[i];
  }
  function time(us) {
    var f = us >= 1e6 ? [1e6, "s"] : us >= 1e3 ? [1e3, "ms"] : [1, "µs"];
    return String(+(us / f[0]).toPrecision(3)) + " " + f[1];
  }
  function tint(kind) { return "k-" + kind.toLowerCase().replace(/[^a-z0-9]+/g, "-"); }
  function unique(list) { return list.filter(function (v, i) { return list.indexOf(v) === i; }); }
  function option(select, values, chosen) {
    select.textContent = "";
    values.forEach(function (v) { el("option", { value: v }, select, v || "nothing"); });
    select.value = values.indexOf(chosen) >= 0 ? chosen : values[0];
  }

  // What lives in a cell at a moment (µs; null: the fullest), as {kind, layer, op, shape, dtype, line, bytes}.
  function living(cell, at) {
    if (!cell.rows) {
      return cell.held.map(function (h) {
        return { kind: h[0], layer: h[1], op: h[2], shape: "", dtype: "", line: "", bytes: h[3] };
      });
    }
    var w = cell.words;
    return cell.rows.filter(function (r) { return (r[0] < 0 || r[0] <= at) && (r[1] < 0 || r[1] > at); })
      .map(function (r) {
        return { bytes: r[2], kind: w[r[3]], layer: w[r[4]], op: w[r[5]], shape: w[r[6]], dtype: w[r[7]], line: w[r[8]] };
      });
  }
  function total(cell, at) {
    var found = 0;
    for (var i = 0; i < cell.line.length && cell.line[i][0] <= at; i += 1) { found = cell.line[i][1]; }
    return found;
  }
  function ending(cell) { return cell.line.length ? cell.line[cell.line.length - 1][0] || 1 : 1; }
  function fullest(cell) {
    return cell.line.reduce(function (a, b) { return b[1] > a[1] ? b : a; }, [0, 0])[0];
  }

  function View(root, data) {
    var cells = data.cells, key = root.dataset.view, state = {};
    function find(w, b, v) { return cells.filter(function (c) { return c.w === w && c.b === b && c.v === v; })[0]; }
    root.hidden = false;
    var bar = el("p", { "class": "tools" }, root), selects = {};
    [["w", "Workload"], ["b", "Batch"], ["v", "Shown"], ["o", "Over it"]].forEach(function (s) {
      selects[s[0]] = el("select", { name: s[0] }, el("label", {}, bar, s[1] + " "));
      selects[s[0]].addEventListener("change", function () { state[s[0]] = selects[s[0]].value; state.t = null; choose(); });
    });
    var words = el("p", { "class": "moment", "aria-live": "polite" }, root);
    var plot = el("div", { "class": "plot" }, root), up = el("div", { "class": "up" }, plot);
    var svg = shape("svg", { viewBox: "0 0 1000 300", preserveAspectRatio: "none", "aria-hidden": "true" }, plot);
    var along = el("div", { "class": "along" }, plot);
    var label = el("label", { "class": "slide" }, root, "Moment ");
    var slide = el("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": "Moment of the step" }, label);
    var legend = el("p", { "class": "key" }, root);
    var tools = el("p", { "class": "tools" }, root);
    var search = el("input", { type: "search", placeholder: "layer, op or line", "aria-label": "Search in the flame graph" }, tools);
    var back = el("button", { type: "button" }, tools, "Whole step");
    var link = el("a", { href: "#" }, tools, "Link to this moment");
    var trail = el("span", { "class": "soft" }, tools);
    var flame = el("div", { "class": "flame", role: "group", "aria-label": "Live memory by scope" }, root);
    var list = el("div", {}, root), zoom = [], cell, over, top;

    function choose() {
      var ws = unique(cells.map(function (c) { return c.w; }));
      option(selects.w, ws, state.w); state.w = selects.w.value;
      var mine = cells.filter(function (c) { return c.w === state.w; });
      var bs = unique(mine.map(function (c) { return c.b; }));
      if (bs.indexOf(state.b) < 0) { state.b = bs[bs.length - 1]; }
      option(selects.b, bs, state.b);
      mine = mine.filter(function (c) { return c.b === state.b; });
      var vs = mine.map(function (c) { return c.v; });
      if (vs.indexOf(state.v) < 0) { state.v = (mine.filter(function (c) { return c.main; })[0] || mine[0]).v; }
      option(selects.v, vs, state.v);
      var os = [""].concat(vs.filter(function (v) { return v !== state.v; }));
      if (os.indexOf(state.o) < 0) {
        state.o = (mine.filter(function (c) { return c.side === "before" && c.v !== state.v; })[0] || { v: "" }).v;
      }
      option(selects.o, os, state.o);
      cell = find(state.w, state.b, state.v); over = state.o ? find(state.w, state.b, state.o) : null;
      zoom = [];
      migrator.each(document.querySelectorAll("#" + CSS.escape(key) + " [data-w]"), function (e) {
        e.hidden = e.dataset.w !== state.w || e.dataset.b !== state.b;
      });
      draw();
    }
    function draw() {
      [svg, up, along, legend].forEach(function (e) { e.textContent = ""; });
      [plot, label, legend, tools, flame, list].forEach(function (e) { e.hidden = !cell.ok; });
      if (!cell.ok) {
        words.textContent = "Not drawn: the trace of this step holds " + size(cell.replay) + ", and the allocator counted " +
          size(cell.allocator) + ". Only what agrees is shown.";
        return;
      }
      var drawn = [cell].concat(over && over.ok ? [over] : []);
      top = 1.04 * Math.max.apply(null, drawn.map(function (c) { return Math.max.apply(null, c.line.map(function (p) { return p[1]; })); }));
      shape("path", { "class": "grid", d: "M0 150H1000M0 12H1000" }, svg);
      stack();
      if (over && over.ok) { shape("path", { "class": over.tint + " outline", d: path(over, over.line.map(function (p) { return [p[0], 0, p[1]]; }), true) }, svg); }
      [1, 0.5, 0].forEach(function (s) { el("span", {}, up, size(s * top / 1.04)); });
      ["begin", "end of the step (" + drawn.map(function (c) { return time(ending(c)) + " " + c.side; }).join(", ") + ")"]
        .forEach(function (s) { el("span", {}, along, s); });
      shape("line", { "class": "now", x1: 0, x2: 0, y1: 0, y2: HIGH }, svg);
      label.hidden = !cell.rows;
      moment(state.t === null || state.t === undefined ? fullest(cell) : state.t);
    }
    // A path in steps, each cell over its own length: points are [µs, low, high].
    function path(of, points, open) {
      var d = "", back = "", end = ending(of);
      points.forEach(function (p, i) {
        var x = (WIDE * p[0] / end).toFixed(1), y = (HIGH * (1 - p[2] / top)).toFixed(1);
        d += i ? "H" + x + "V" + y : "M" + x + " " + y;
        if (!open) { back = "V" + (HIGH * (1 - p[1] / top)).toFixed(1) + "H" + x + back; }
      });
      return open ? d : d + back + "Z";
    }
    // Kinds over each other; what is in no row that was kept is the grey rest, up to the whole line.
    function stack() {
      if (!cell.rows) {
        shape("path", { "class": cell.tint, d: path(cell, cell.line.map(function (p) { return [p[0], 0, p[1]]; })) }, svg);
        return;
      }
      var kinds = unique(Object.keys(cell.base).concat(cell.rows.map(function (r) { return cell.words[r[3]]; })));
      var sums = cell.line.map(function (p) {
        var at = {}, all = 0;
        cell.rows.forEach(function (r) {
          if ((r[0] < 0 || r[0] <= p[0]) && (r[1] < 0 || r[1] > p[0])) { var k = cell.words[r[3]]; at[k] = (at[k] || 0) + r[2]; all += r[2]; }
        });
        at["smaller tensors"] = Math.max(0, p[1] - all);
        return at;
      });
      var low = cell.line.map(function () { return 0; });
      kinds.concat("smaller tensors").forEach(function (kind) {
        var points = cell.line.map(function (p, i) { var from = low[i]; low[i] += sums[i][kind] || 0; return [p[0], from, low[i]]; });
        shape("path", { "class": tint(kind) + " solid", d: path(cell, points) }, svg);
      });
    }
    function moment(at) {
      state.t = at;
      var found = living(cell, at), live = cell.rows ? total(cell, at) : cell.peak, kinds = {};
      found.forEach(function (f) { kinds[f.kind] = (kinds[f.kind] || 0) + f.bytes; });
      words.textContent = "";
      el("b", {}, words, size(live));
      words.appendChild(document.createTextNode(cell.rows
        ? " live " + time(at) + " into the step" + (Math.abs(at - fullest(cell)) < 1e-6 ? ", its fullest moment" : "") +
          (over && over.ok ? "; " + size(total(over, at / ending(cell) * ending(over))) + " in “" + over.v + "”" : "")
        : " live at the fullest moment" + (cell.op ? ", " + cell.op : "") + ". What is listed are the largest; measure again to see every moment."));
      legend.textContent = "";
      Object.keys(cell.rows ? kinds : cell.kinds).sort(function (a, b) { return (kinds[b] || 0) - (kinds[a] || 0); }).forEach(function (k) {
        var s = el("span", {}, legend), box = shape("svg", { "class": "swatch" }, s);
        shape("rect", { width: "100%", height: "100%", "class": tint(k) }, box);
        s.appendChild(document.createTextNode(k + " " + size(cell.rows ? kinds[k] : cell.kinds[k])));
      });
      var line = svg.querySelector(".now");
      if (line) { line.setAttribute("x1", WIDE * at / ending(cell)); line.setAttribute("x2", WIDE * at / ending(cell)); }
      slide.value = Math.round(1000 * at / ending(cell));
      burn(found);
      tensors(found, live);
      var q = ["w", "b", "v", "o"].map(function (k) { return k + "=" + encodeURIComponent(state[k] || ""); });
      link.href = "#" + key + "?" + q.concat("t=" + at).join("&");
    }
    function tree(found) {
      var base = { name: "all", bytes: 0, inner: {}, kind: "" };
      found.forEach(function (f) {
        var parts = [f.kind].concat(f.layer.split("/")), leaf = f.op.split("/").pop();
        if (parts[parts.length - 1] !== leaf) { parts.push(leaf); }
        var node = base;
        node.bytes += f.bytes;
        parts.forEach(function (p) {
          node = node.inner[p] = node.inner[p] || { name: p, bytes: 0, inner: {}, kind: f.kind, line: f.line };
          node.bytes += f.bytes;
        });
      });
      return base;
    }
    function burn(found) {
      var base = tree(found), node = base, depth = 0;
      zoom.forEach(function (p) { node = node.inner[p] || node; });
      flame.textContent = "";
      trail.textContent = zoom.join(" / ");
      back.disabled = !zoom.length;
      var wanted = search.value.toLowerCase();
      (function place(n, left, width, level, steps) {
        if (width < 0.15 || level > 14) { return; }
        depth = Math.max(depth, level);
        var b = el("button", { type: "button", "class": "f " + tint(n.kind || "whole"), title: n.name + ": " + size(n.bytes) + (n.line ? ", " + n.line : "") }, flame, width > 3 ? n.name + " " + size(n.bytes) : "");
        b.style.left = left + "%"; b.style.width = width + "%"; b.style.top = 22 * level + "px";
        b.setAttribute("aria-label", n.name + ", " + size(n.bytes));
        if (wanted) { b.classList.add((n.name + " " + (n.line || "")).toLowerCase().indexOf(wanted) >= 0 ? "hit" : "dim"); }
        b.addEventListener("click", function () { zoom = zoom.concat(steps); burn(found); });
        var at = left;
        Object.keys(n.inner).map(function (k) { return n.inner[k]; }).sort(function (a, b) { return b.bytes - a.bytes; }).forEach(function (c) {
          var w = width * c.bytes / (n.bytes || 1);
          place(c, at, w, level + 1, steps.concat(c.name));
          at += w;
        });
      })(node, 0, 100, 0, []);
      flame.style.height = 22 * (depth + 1) + "px";
    }
    function tensors(found, live) {
      list.textContent = "";
      var rows = found.slice().sort(function (a, b) { return b.bytes - a.bytes; }).slice(0, ROWS);
      var told = ["size", "of all"].concat(cell.rows ? ["shape", "type", "line"] : [], ["op", "kind", "layer"]);
      var fold = el("details", { open: "" }, list);
      el("summary", {}, fold, "What lives then: the largest " + rows.length + (found.length > rows.length ? " of " + found.length : ""));
      var box = el("div", { "class": "table tall", tabindex: "0", role: "region", "aria-label": "Live tensors" }, fold);
      var table = el("table", {}, box), head = table.createTHead().insertRow(), body = table.createTBody();
      told.forEach(function (t, i) { el("th", i < 2 ? { scope: "col", "class": "n" } : { scope: "col" }, head, t); });
      rows.forEach(function (r) {
        var tr = body.insertRow();
        [size(r.bytes), (100 * r.bytes / live).toFixed(1) + " %"]
          .concat(cell.rows ? [r.shape, r.dtype, r.line] : [], [r.op.split("/").pop(), r.kind, r.layer]).forEach(function (t, i) { el("td", i < 2 ? { "class": "n" } : {}, tr, t); });
      });
      migrator.tools(table);
    }
    function pointed(event) {
      if (!cell.ok || !cell.rows) { return; }
      var box = svg.getBoundingClientRect();
      moment(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * ending(cell));
    }
    svg.addEventListener("click", pointed);
    svg.addEventListener("pointermove", function (event) { if (event.buttons) { pointed(event); } });
    slide.addEventListener("input", function () { moment(slide.value / 1000 * ending(cell)); });
    search.addEventListener("input", function () { burn(living(cell, state.t)); });
    back.addEventListener("click", function () { zoom = []; burn(living(cell, state.t)); });
    link.addEventListener("click", function () { history.replaceState(null, "", link.href); });
    function read() {
      var hash = location.hash.slice(1).split("?");
      if (hash[0] !== key || !hash[1]) { return false; }
      hash[1].split("&").forEach(function (pair) {
        var p = pair.split("=");
        state[p[0]] = p[0] === "t" ? parseFloat(p[1]) : decodeURIComponent(p[1] || "");
      });
      return true;
    }
    if (data.first) { state.w = data.first[0]; state.b = data.first[1]; state.v = data.first[2]; }
    read();
    choose();
    window.addEventListener("hashchange", function () { if (read()) { choose(); } });
  }
  migrator.each(document.querySelectorAll("[data-view]"), function (root) { View(root, views[root.dataset.view]); });
  migrator.follow();
})();
