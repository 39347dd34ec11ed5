// Times as a person reads them: how long ago, and in their own zone or in UTC, as they choose. The server writes UTC.
const choice = "console-times";
let utc = false;
// What the page's clock is behind this machine's, in milliseconds.
let behind = 0;

function stored(value) {
  // A browser may keep nothing.
  try { return value === undefined ? localStorage.getItem(choice) : localStorage.setItem(choice, value); } catch { return null; }
}

/** `2026-11-29 08:50:12 +01:00`, or in UTC with a Z. */
function written(date) {
  const minutes = utc ? 0 : -date.getTimezoneOffset();
  const text = new Date(date.getTime() + minutes * 60000).toISOString();
  const pair = (number) => String(number).padStart(2, "0");
  const zone = minutes === 0 ? "Z" : ` ${minutes < 0 ? "-" : "+"}${pair(Math.floor(Math.abs(minutes) / 60))}:${pair(Math.abs(minutes) % 60)}`;
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${zone}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `29 Nov, 08:50`, with the year where it is another one. */
export function brief(date, hasSeconds = false) {
  const [text, today] = [date, new Date(Date.now() - behind)].map(written);
  const year = text.slice(0, 4) === today.slice(0, 4) ? "" : ` ${text.slice(0, 4)}`;
  const time = text.slice(11, hasSeconds ? 19 : 16);
  return `${Number(text.slice(8, 10))} ${months[text.slice(5, 7) - 1]}${year}, ${time}${utc ? " UTC" : ""}`;
}

function distance(seconds) {
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const [number, unit] = size < 60 ? [size, "s"] : size < 3600 ? [size / 60, "min"] : size < 86400 ? [size / 3600, "h"] : [size / 86400, "d"];
  return seconds < 0 ? `in ${Math.floor(number)} ${unit}` : `${Math.floor(number)} ${unit} ago`;
}

/** As a lock screen says it in a language: `now` and `2m ago`; nothing after a day, or for a language nobody knows. */
function since(seconds, language) {
  const [number, unit] = seconds < 60 ? [0, "second"] : seconds < 3600 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  try {
    return seconds < 86400 && new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" }).format(-Math.floor(number), unit);
  } catch { return ""; }
}

/** Puts a text in; the same one again would take a selection away. */
function put(element, text) { if (element.textContent !== text) element.textContent = text; }

/** Writes the times of a page, or of one that was read. */
export function write(page = document) {
  const now = page.body?.dataset.now;
  if (page !== document && now) behind = Date.now() - Date.parse(now);
  for (const one of page.querySelectorAll("time[datetime]")) {
    const date = new Date(one.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    one.title = written(date);
    if (one.dataset.ago !== undefined) {
      put(one, distance(Math.round((Date.now() - behind - date.getTime()) / 1000)));
    } else if (one.dataset.since !== undefined) {
      const words = since(Math.floor((Date.now() - behind - date.getTime()) / 1000), one.lang || "en");
      if (words) put(one, words);
    } else if (one.dataset.at !== undefined) {
      put(one, brief(date, one.dataset.at === "s"));
    }
  }
}

/** Writes the times of this page again, unless somebody has chosen something there. */
export function rewrite() { if (getSelection().isCollapsed) write(); }

/** Exact instants go where somebody pastes what they have chosen. */
function copy(event) {
  const selection = getSelection();
  if (selection.rangeCount === 0) return;
  const times = selection.getRangeAt(0).cloneContents().querySelectorAll("time[title]");
  let [done, rest] = ["", selection.toString()];
  for (const one of times) {
    const at = rest.indexOf(one.textContent);
    if (at < 0) continue;
    done += rest.slice(0, at) + one.title;
    rest = rest.slice(at + one.textContent.length);
  }
  if (done === "") return;
  event.clipboardData.setData("text/plain", done + rest);
  event.preventDefault();
}

export function tell() {
  utc = stored() === "utc";
  if (document.body.dataset.now) behind = Date.now() - Date.parse(document.body.dataset.now);
  const button = document.getElementById("zone");
  const label = () => { button.textContent = utc ? "Show times of this place" : "Show times in UTC"; };
  write();
  document.addEventListener("copy", copy);
  setInterval(rewrite, 10000);
  if (!button) return;
  button.hidden = new Date().getTimezoneOffset() === 0;
  label();
  button.addEventListener("click", () => {
    utc = !utc;
    stored(utc ? "utc" : "local");
    label();
    write();
  });
}
