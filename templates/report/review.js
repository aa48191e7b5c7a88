"use strict";
// The review page: filters by rule, confidence and file; "viewed" ticks; a decision about each hunk, given
// as a file. Ticks and decisions are kept in the browser, by the digest of what a file was and becomes.
(function () {
  var form = document.querySelector(".filters");
  var files = Array.prototype.slice.call(document.querySelectorAll("details.file"));
  var groups = document.querySelectorAll("details.group");
  var nothing = document.querySelector(".nothing");
  var stored = document.getElementById("decisions");
  var record = stored ? JSON.parse(stored.textContent) : {};  // number of a file: [path, digest, hunks]
  function each(list, f) { Array.prototype.forEach.call(list, f); }
  function has(list, word) { return !word || list.split(" ").indexOf(word) >= 0; }
  function counted(n, noun) { return n + " " + noun + (n === 1 ? "" : "s"); }
  function remembered(key) { try { return localStorage.getItem(key) || ""; } catch (error) { return ""; } }
  function remember(key, value) { try { localStorage.setItem(key, value); } catch (error) { return; } }
  function apply() {
    var rule = form.elements.rule.value, kind = form.elements.kind.value;
    var words = form.elements.file.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shownFiles = 0, shownBlocks = 0;
    files.forEach(function (file) {
      var path = file.dataset.path.toLowerCase();
      var named = words.every(function (w) { return path.indexOf(w) >= 0; });
      var blocks = file.querySelectorAll(".block"), left = 0;
      each(blocks, function (block) {
        block.hidden = !(has(block.dataset.codes, rule) && has(block.dataset.kinds, kind));
        left += block.hidden ? 0 : 1;
      });
      file.hidden = !named || (left === 0 && (rule !== "" || kind !== "" || blocks.length > 0));
      if (!file.hidden) { shownFiles += 1; shownBlocks += left; }
    });
    each(groups, function (group) { group.hidden = !group.querySelector("details.file:not([hidden])"); });
    nothing.hidden = shownFiles > 0 || files.length === 0;
    form.elements.count.value = counted(shownFiles, "file") + ", " + counted(shownBlocks, "place");
  }
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("reset", function () { setTimeout(function () { apply(); told(); }, 0); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.elements.fold.addEventListener("click", function () {
    var open = files.every(function (file) { return !file.open; });
    files.forEach(function (file) { file.open = open; });
    form.elements.fold.textContent = open ? "Close all" : "Open all";
  });
  function follow() {
    var found = /^#f\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    for (var e = found; e; e = e.parentElement) { if (e.tagName === "DETAILS") { e.open = true; } }
    if (found) { found.scrollIntoView(); }
  }
  window.addEventListener("hashchange", follow);
  files.forEach(function (file) {
    var label = file.querySelector(".viewed"), entry = record[file.dataset.number];
    if (!label || !entry) { return; }
    var box = label.firstElementChild, link = document.querySelector('nav a[href="#' + file.id + '"]');
    function show() {
      file.open = !box.checked;
      if (link) { link.classList.toggle("done", box.checked); }
    }
    label.hidden = false;
    box.checked = remembered("viewed:" + entry[1]) === "1";
    if (box.checked) { show(); }
    box.addEventListener("change", function () { remember("viewed:" + entry[1], box.checked ? "1" : ""); show(); });
  });
  // -- decisions
  var answers = {};  // number of a file: one boolean for each hunk
  function boxes(file) { return file.querySelectorAll(".take > input"); }
  function told() {
    if (!stored) { return; }
    var all = 0, left = 0;
    Object.keys(answers).forEach(function (n) {
      answers[n].forEach(function (taken) { all += 1; left += taken ? 0 : 1; });
    });
    form.elements.decided.value = all - left + " accepted, " + left + " left";
  }
  function decide(file, box, taken) {
    var n = file.dataset.number, block = box.closest(".block");
    answers[n][Number(block.dataset.hunk)] = box.checked = taken;
    block.classList.toggle("leave", !taken);
    remember("decided:" + record[n][1], answers[n].map(Number).join(""));
  }
  function shown(taken) {
    files.forEach(function (file) {
      if (file.hidden) { return; }
      each(boxes(file), function (box) { if (!box.closest(".block").hidden) { decide(file, box, taken); } });
    });
    told();
  }
  function save() {
    var record_ = { format: "migrator-decisions", version: 1, rules: [], files: {} };
    Object.keys(answers).forEach(function (n) { record_.files[record[n][0]] = [record[n][1], answers[n]]; });
    var link = document.createElement("a");
    link.download = "decisions.json";
    link.href = URL.createObjectURL(new Blob([JSON.stringify(record_, null, 1) + "\n"], { type: "application/json" }));
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  if (stored) {
    files.forEach(function (file) {
      var entry = record[file.dataset.number];
      if (!entry) { return; }
      var kept = remembered("decided:" + entry[1]);
      answers[file.dataset.number] = [];
      for (var i = 0; i < entry[2]; i += 1) { answers[file.dataset.number].push(kept.charAt(i) !== "0"); }
      each(boxes(file), function (box) {
        decide(file, box, answers[file.dataset.number][Number(box.closest(".block").dataset.hunk)]);
        box.parentNode.hidden = false;
        box.addEventListener("change", function () { decide(file, box, box.checked); told(); });
      });
    });
    form.elements.accept.addEventListener("click", function () { shown(true); });
    form.elements.leave.addEventListener("click", function () { shown(false); });
    form.elements.save.addEventListener("click", save);
    document.querySelector(".how").hidden = false;
    told();
  }
  form.hidden = false;
  apply();
  follow();
})();
