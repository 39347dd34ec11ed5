// The field that finds everything, as somebody types; without scripts it leads to a page of its own.
const pause = 200;
let timer = 0;
let asking = false;
let again = false;

export function find() {
  const field = document.getElementById("find");
  const box = document.getElementById("finder");
  if (!field || !box) return;
  // What is looked for; an answer to anything else is of no use.
  let wanted = "";
  field.setAttribute("aria-controls", box.id);

  /** What is under way is not shown any more. */
  function close() {
    clearTimeout(timer);
    again = false;
    wanted = "";
    box.hidden = true;
  }

  /** Asks for one thing at a time, and then for what has been entered meanwhile. */
  async function ask() {
    wanted = field.value.trim();
    // One letter finds too much.
    if (wanted.length < 2) { close(); return; }
    if (asking) { again = true; return; }
    const text = wanted;
    asking = true;
    try {
      const answer = await fetch(`${field.form.action}?q=${encodeURIComponent(text)}`, { redirect: "manual" });
      if (answer.status === 401) { location.reload(); return; }
      // A filter leads elsewhere, to the events.
      const page = answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
      const found = page?.getElementById("found");
      if (text !== wanted) return;
      box.hidden = !found;
      if (!found) return;
      box.replaceChildren(...[...found.childNodes].map((node) => document.importNode(node, true)));
      document.getElementById("news").textContent = found.dataset.news ?? "";
    } catch {
      if (text === wanted) box.hidden = true;
    } finally {
      asking = false;
      if (again) { again = false; ask(); }
    }
  }

  function leave(event) {
    if (event.relatedTarget && !event.relatedTarget.closest("#find, #finder")) close();
  }

  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, pause); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (!box.hidden) field.focus();
    close();
  });
  document.addEventListener("click", (event) => { if (!event.target.closest("#find, #finder")) close(); });
  for (const one of [field, box]) one.addEventListener("focusout", leave);
}
