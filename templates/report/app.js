"use strict";
// Draws the interactive charts in place of the static ones, and filters the long lists.
(function () {
  var figures = JSON.parse(document.getElementById("figures").textContent);
  var options = { responsive: true, displaylogo: false, displayModeBar: false };
  if (window.Plotly) {
    document.querySelectorAll("[data-chart]").forEach(function (place) {
      var figure = figures[place.dataset.chart];
      if (!figure) { return; }
      var still = place.parentNode.querySelector(".static");
      place.hidden = false;
      still.style.display = "none";
      window.Plotly.newPlot(place, figure.data, figure.layout, options).catch(function () {
        place.hidden = true;
        still.style.display = "";
      });
    });
  }
  document.querySelectorAll(".filters").forEach(function (p) { p.hidden = false; });
  document.querySelectorAll("[data-filter]").forEach(function (input) {
    var list = document.querySelector('[data-list="' + input.dataset.filter + '"]');
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      Array.prototype.forEach.call(list.children, function (item) {
        var text = (item.querySelector("summary") || item).textContent.toLowerCase();
        item.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
      });
    });
  });
  document.querySelectorAll("[data-open]").forEach(function (button) {
    button.addEventListener("click", function () {
      var all = document.querySelectorAll('[data-list="' + button.dataset.open + '"] details');
      var open = !Array.prototype.every.call(all, function (d) { return d.open; });
      all.forEach(function (d) { d.open = open; });
      button.textContent = open ? "Close all" : "Open all";
    });
  });
})();
