// Keeps a page up to date: the runner says what has changed, and the page reads itself again.
import { rewrite, write } from "./times.js";

const pause = 400;
const body = document.body;
let wanted = (body.dataset.live ?? "").split(" ").filter(Boolean);
let source = null;
let stopped = false;
let last = 0;
let timer = 0;
let reading = false;
let again = false;
let shares = true;

const badge = document.getElementById("link");
const news = document.getElementById("news");

function show(text, kind = "") {
  badge.hidden = text === "";
  badge.textContent = text;
  badge.className = kind === "" ? "badge" : `badge ${kind}`;
}

let said = 0;
function say(text) {
  // A screen reader hears about changes once in five seconds at most.
  if (Date.now() - said < 5000) return;
  said = Date.now();
  news.textContent = text;
}

/** Reads the page as it is now: a change may not have been told, because nobody listened. */
export function refresh() {
  shares = false;
  plan();
}

/** Reads the page again soon; what comes meanwhile is read together. */
function plan() {
  if (document.hidden || timer) return;
  timer = setTimeout(read, Math.max(0, last + pause - Date.now()));
}

async function read() {
  timer = 0;
  if (reading) { again = true; return; }
  reading = true;
  // After a change that was told, pages with the same address may share an answer that was begun after it.
  const asked = shares ? "change" : "page";
  shares = true;
  try {
    const answer = await fetch(location.href, { headers: { "X-Console": asked }, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.status === 401) { location.reload(); return; }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) { show(fresh.querySelector("h1")?.textContent ?? "cannot be read now", "bad"); return; }
    take(fresh);
    if (!stopped) show("live", "good");
  } catch {
    show("the runner does not answer", "bad");
  } finally {
    reading = false;
    last = Date.now();
    if (again) { again = false; plan(); }
  }
}

function take(fresh) {
  const script = (page) => page.querySelector("script[type=module]")?.getAttribute("src");
  // After an upgrade the page needs the new scripts, and in the place of a problem the whole page.
  if (script(fresh) !== script(document) || document.getElementById("problem")) { location.reload(); return; }
  // A runner that has started again takes only its own tokens.
  const token = (page) => page.querySelector("input[name=token]")?.value;
  if (token(fresh)) for (const field of document.querySelectorAll("input[name=token]")) field.value = token(fresh);
  // Both as they are to be read now, so that only what has changed differs.
  write(fresh);
  rewrite();
  let changed = false;
  for (const region of document.querySelectorAll("[id^=region-]")) {
    const other = fresh.getElementById(region.id);
    if (!other || other.innerHTML === region.innerHTML || isBusy(region)) continue;
    replace(region, other);
    changed = true;
  }
  const note = fresh.querySelector("[data-news]")?.dataset.news;
  if (changed) say(note ?? "The page has changed.");
}

/** Whether somebody enters or selects something there, or has entered something. */
function isBusy(region) {
  const field = document.activeElement;
  if (region.contains(field) && field.matches("input:not([type=checkbox]), textarea, select")) return true;
  const fields = [...region.querySelectorAll("input:not([type=checkbox]), textarea")];
  if (fields.some((one) => one.value !== one.defaultValue)) return true;
  const selection = getSelection();
  return !selection.isCollapsed && selection.anchorNode && region.contains(selection.anchorNode);
}

/** Puts the new content in, and leaves alone what a person has done with the old one: focus, open parts, ticks, place. */
function replace(region, other) {
  const held = region.contains(document.activeElement) ? document.activeElement : null;
  const at = held ? alike(held, region).indexOf(held) : -1;
  const open = new Set([...region.querySelectorAll("details[id][open]")].map((one) => one.id));
  const ticks = new Set([...region.querySelectorAll("input[type=checkbox][id]:checked")].map((one) => one.id));
  const places = [...region.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  const screens = [...region.querySelectorAll(".screen[id]")].map((one) => [one.id, one.scrollTop]);
  region.replaceChildren(...[...other.childNodes].map((node) => document.importNode(node, true)));
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  for (const id of ticks) { const box = document.getElementById(id); if (box) box.checked = true; }
  [...region.querySelectorAll(".scroll")].forEach((one, index) => { one.scrollLeft = places[index] ?? 0; });
  for (const [id, top] of screens) { const one = document.getElementById(id); if (one) one.scrollTop = top; }
  for (const button of region.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  if (held) (successor(held, at, region) ?? document.getElementById("main")).focus({ preventScroll: true });
}

/** The elements that can have the focus and are of the same kind and label. */
function alike(held, region) {
  return [...region.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter(
    (one) => one.tagName === held.tagName && one.getAttribute("aria-label") === held.getAttribute("aria-label"));
}

/** The element in the place of a former one; none for a button without an id, whose place may be another one's now. */
function successor(held, at, region) {
  if (held.id) return document.getElementById(held.id);
  return held.form ? null : alike(held, region)[at];
}

/** Follows changes; a hidden page does not, because a browser has six connections for all pages of a runner. */
function open() {
  close();
  if (document.hidden) return;
  source = new EventSource("/_/console/changes");
  source.addEventListener("open", () => { if (!stopped) show("live", "good"); });
  source.addEventListener("hello", () => refresh());
  source.addEventListener("change", (event) => {
    const { kinds } = JSON.parse(event.data);
    if (kinds.some((kind) => wanted.includes(kind))) plan();
  });
  source.addEventListener("end", () => show("the runner is stopping", "notice"));
  source.addEventListener("error", () => {
    if (source?.readyState === EventSource.CLOSED) {
      // Refused: there are too many streams, or nobody is signed in any more.
      show("not live", "notice");
      setTimeout(resume, 10000);
    } else if (!stopped) {
      show("waiting for the runner", "notice");
    }
  });
}

function close() {
  source?.close();
  source = null;
}

/** Opens what a hidden page has closed, and reads what it has missed. */
function resume() {
  if (stopped) return;
  open();
  refresh();
}

/** Stops or starts live updates. */
export function toggle() {
  if (wanted.length === 0) return;
  stopped = !stopped;
  if (stopped) {
    close();
    show("paused", "notice");
  } else {
    resume();
  }
}

export function follow() {
  if (wanted.length === 0) return;
  open();
  document.addEventListener("visibilitychange", () => document.hidden ? close() : resume());
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) resume(); });
}
