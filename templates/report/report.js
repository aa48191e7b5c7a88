"use strict";
// What every page of results can do: open what a link leads to, sort and copy tables, filter lists.
(function () {
  document.documentElement.classList.add("js");
  function each(list, f) { Array.prototype.forEach.call(list, f); }
  function follow() {
    var found = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]));
    for (var e = found; e; e = e.parentElement) { if (e.tagName === "DETAILS") { e.open = true; } }
    if (found) { found.scrollIntoView(); }
  }
  window.addEventListener("hashchange", follow);
  var SIZES = { B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, "µs": 1e-6, ms: 1e-3, s: 1 };
  function value(text) {
    var m = /^(over )?([+-]?[\d.,]+(?:e[+-]?\d+)?)\s*([A-Za-zµ]*)/.exec(text.trim());
    return m ? parseFloat(m[2].replace(/,/g, "")) * (SIZES[m[3]] || 1) : null;
  }
  function sortable(table) {
    each(table.tHead.rows[0].cells, function (th, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = th.textContent;
      th.textContent = "";
      th.appendChild(button);
      button.addEventListener("click", function () {
        var up = th.getAttribute("aria-sort") === "descending";
        each(th.parentNode.cells, function (o) { o.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
        rows.map(function (row, i) {
          var t = row.cells[column].textContent;
          return { row: row, text: t, number: th.classList.contains("n") ? value(t) : null, i: i };
        }).sort(function (a, b) {
          var d = a.number !== null && b.number !== null ? a.number - b.number
            : a.number !== null ? 1 : b.number !== null ? -1 : a.text.localeCompare(b.text);
          return (up ? d : -d) || a.i - b.i;
        }).forEach(function (item) { body.appendChild(item.row); });
      });
    });
  }
  function csv(table) {
    return Array.prototype.map.call(table.rows, function (row) {
      return Array.prototype.map.call(row.cells, function (cell) {
        var t = cell.textContent.replace(/\s+/g, " ").trim();
        if (/^[=+@\-]/.test(t) && !/^[+\-]?[\d.]/.test(t)) { t = "'" + t; }  // no spreadsheet formula
        return /[",\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t;
      }).join(",");
    }).join("\n") + "\n";
  }
  function copy(text, button) {
    function told(ok) { button.textContent = ok ? "Copied" : "Select and copy below"; }
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(function () { told(true); }, function () { fallback(); });
    } else { fallback(); }
    function fallback() {
      var area = document.createElement("textarea");
      area.value = text;
      button.parentNode.appendChild(area);
      area.select();
      var ok = false;
      try { ok = document.execCommand("copy"); } catch (error) { ok = false; }
      if (ok) { area.remove(); }
      told(ok);
    }
  }
  function tools(table) {
    sortable(table);
    var bar = document.createElement("p"), button = document.createElement("button");
    bar.className = "tools";
    button.type = "button";
    button.textContent = "Copy as CSV";
    button.addEventListener("click", function () { copy(csv(table), button); });
    if (table.tBodies[0].rows.length > 8) {
      var input = document.createElement("input");
      input.type = "search";
      input.placeholder = "words of a row";
      input.setAttribute("aria-label", "Show only rows with these words");
      input.addEventListener("input", function () { narrow(input.value, table.tBodies[0].rows, function (r) { return r; }); });
      bar.appendChild(input);
    }
    bar.appendChild(button);
    var place = table.closest(".table");
    place.parentNode.insertBefore(bar, place.nextSibling);
  }
  function narrow(words, items, of) {
    var wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    each(items, function (item) {
      var text = of(item).textContent.toLowerCase();
      item.hidden = !wanted.every(function (w) { return text.indexOf(w) >= 0; });
    });
  }
  each(document.querySelectorAll(".table table"), tools);
  function cut() {
    each(document.querySelectorAll(".table"), function (t) { t.classList.toggle("cut", t.scrollWidth > t.clientWidth + 1); });
  }
  window.addEventListener("resize", cut);
  document.addEventListener("toggle", cut, true);
  cut();
  each(document.querySelectorAll(".filters"), function (p) { p.hidden = false; });
  each(document.querySelectorAll("[data-filter]"), function (input) {
    var list = document.getElementById(input.dataset.filter);
    input.addEventListener("input", function () { narrow(input.value, list.children, function (item) { return item; }); });
  });
  window.migrator = { follow: follow, tools: tools, each: each, csv: csv };
  follow();
})();
