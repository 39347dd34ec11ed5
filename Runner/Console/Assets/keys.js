// The keys of the console: "?" shows them.
import { refresh, toggle } from "./live.js";

let leading = false;

function rows() { return [...document.querySelectorAll("main tbody tr")].filter((row) => row.querySelector("a")); }

function move(step) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step));
  all[next].querySelector("a").focus();
}

const acts = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => (document.querySelector("main input[type=search]") ?? document.getElementById("find"))?.focus(),
  r: () => refresh(),
  p: () => toggle(),
  "?": () => document.getElementById("keys").showModal(),
};

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (leading) {
      leading = false;
      const place = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (place) { event.preventDefault(); place.click(); }
      return;
    }
    if (event.key === "g") { leading = true; setTimeout(() => { leading = false; }, 1500); return; }
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.querySelector("#keys [data-does=close]")?.addEventListener("click", () => {
    document.getElementById("keys").close();
  });
}
