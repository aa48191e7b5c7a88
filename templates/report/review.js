// Filters the hunks and findings of the review page by rule, confidence and file.
(function () {
  var form = document.querySelector(".filters");
  var files = Array.prototype.slice.call(document.querySelectorAll("details.file"));
  var nothing = document.querySelector(".nothing");
  function has(list, word) { return !word || list.split(" ").indexOf(word) >= 0; }
  function counted(n, noun) { return n + " " + noun + (n === 1 ? "" : "s"); }
  function apply() {
    var rule = form.elements.rule.value, kind = form.elements.kind.value;
    var words = form.elements.file.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shownFiles = 0, shownBlocks = 0;
    files.forEach(function (file) {
      var path = file.dataset.path.toLowerCase();
      var named = words.every(function (w) { return path.indexOf(w) >= 0; });
      var blocks = file.querySelectorAll(".block"), left = 0;
      Array.prototype.forEach.call(blocks, function (block) {
        block.hidden = !(has(block.dataset.codes, rule) && has(block.dataset.kinds, kind));
        left += block.hidden ? 0 : 1;
      });
      file.hidden = !named || (left === 0 && (rule !== "" || kind !== "" || blocks.length > 0));
      if (!file.hidden) { shownFiles += 1; shownBlocks += left; }
    });
    nothing.hidden = shownFiles > 0 || files.length === 0;
    form.elements.count.value = counted(shownFiles, "file") + ", " + counted(shownBlocks, "place");
  }
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("reset", function () { setTimeout(apply, 0); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.elements.fold.addEventListener("click", function () {
    var open = files.every(function (file) { return !file.open; });
    files.forEach(function (file) { file.open = open; });
    form.elements.fold.textContent = open ? "Close all" : "Open all";
  });
  form.hidden = false;
  apply();
})();
