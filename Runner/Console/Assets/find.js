// The field that finds everything, as somebody types; without scripts it leads to a page of its own.
const pause = 200;
let timer = 0;
let asked = 0;

export function find() {
  const field = document.getElementById("find");
  const box = document.getElementById("finder");
  if (!field || !box) return;

  async function ask() {
    const text = field.value.trim();
    const number = ++asked;
    // A filter leads to the events; one letter finds too much.
    if (text.length < 2 || text.includes(":")) { box.hidden = true; return; }
    try {
      const answer = await fetch(`${field.form.action}?q=${encodeURIComponent(text)}`, { redirect: "manual" });
      if (number !== asked || !answer.ok) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("found");
      if (!found || number !== asked) return;
      box.replaceChildren(...[...found.childNodes].map((node) => document.importNode(node, true)));
      box.hidden = false;
      document.getElementById("news").textContent = found.dataset.news ?? "";
    } catch {
      box.hidden = true;
    }
  }

  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, pause); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || box.hidden) return;
    box.hidden = true;
    field.focus();
  });
  document.addEventListener("click", (event) => { if (!event.target.closest("#find, #finder")) box.hidden = true; });
  box.addEventListener("focusout", (event) => { if (event.relatedTarget && !event.relatedTarget.closest("#find, #finder")) box.hidden = true; });
}
