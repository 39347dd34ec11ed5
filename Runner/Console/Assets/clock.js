// The clock as a slider over what comes due: it goes from one moment to the next, marks what would happen until then, and
// fills the forms, which work without it.

import { brief } from "./times.js";

/** The moments of a row: "60+60*3 500" are 60, 120, 180, 240 and 500. */
function moments(text) {
  return text.split(" ").filter(Boolean).flatMap((word) => {
    const [start, step, further] = word.split(/[+*]/).map(Number);
    return Array.from({ length: (further ?? 0) + 1 }, (_, index) => start + (step ?? 0) * index);
  });
}

/** Of the largest unit first: the number and the name of each that is not 0. */
function parts(seconds) {
  return [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]].map(([unit, size]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return [count, unit];
  }).filter(([count]) => count > 0);
}

/** As a form takes it: "1d12h". */
function entered(seconds) { return parts(seconds).map(([count, unit]) => `${count}${unit[0]}`).join(""); }

/** As the pages write it, in two units: "1 d 12 h". */
function length(seconds) { return parts(seconds).slice(0, 2).map((part) => part.join(" ")).join(" "); }

/** As the pages write an instant. */
function said(moment) { return brief(new Date(moment * 1000), moment % 60 !== 0); }

/** As a form takes an instant. */
function written(moment) {
  const text = new Date(moment * 1000).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}Z`;
}

export function slide() {
  const slider = document.getElementById("moments");
  if (!slider) return;
  const now = Number(slider.dataset.now);
  const rows = [...document.querySelectorAll("tr[data-due]")].map((row) => {
    const count = row.querySelector("td.number").firstChild;
    return { row, count, all: count.textContent, times: moments(row.dataset.due) };
  });
  const through = Number(slider.dataset.through);
  const stops = [...new Set(rows.flatMap((line) => line.times))].filter((time) => time > now && time <= through).sort((a, b) => a - b);
  const span = document.querySelector("input[name=span]");
  const target = document.querySelector("input[name=to]");
  const button = document.getElementById("advance");
  const output = document.getElementById("moment");
  if (stops.length === 0) return;

  function show() {
    const stop = stops[slider.value - 1] ?? now;
    let due = 0;
    for (const { row, count, all, times } of rows) {
      const fired = slider.value === "0" ? 0 : times.filter((time) => time <= stop).length;
      due += fired;
      row.classList.toggle("at", fired > 0);
      count.textContent = fired > 0 ? `${fired} of ${all}` : all;
    }
    const text = slider.value === "0"
      ? "now: nothing has come due"
      : `${said(stop)}, in ${length(stop - now)}: ${due} would have come due`;
    output.textContent = text;
    slider.setAttribute("aria-valuetext", text);
  }

  // Where somebody has said how far, the slider begins there; else at now.
  slider.min = button ? 1 : 0;
  slider.max = stops.length;
  slider.value = button ? stops.length : 0;
  show();
  slider.addEventListener("input", () => {
    show();
    const stop = stops[slider.value - 1];
    span.value = stop ? entered(stop - now) : "";
    if (!button || !stop) return;
    target.value = written(stop);
    button.textContent = `Move the clock to ${said(stop)}`;
  });
  // The address is the view: who reads it again, or shares it, comes to the moment where the slider stands.
  slider.addEventListener("change", () => {
    if (span.value === "") return;
    for (const link of [...document.querySelectorAll("#share a"), location]) {
      const address = new URL(link.href);
      address.searchParams.set("span", span.value);
      if (link === location) history.replaceState(null, "", address); else link.href = address;
    }
  });
  document.getElementById("slide").hidden = false;
}
