// What the console adds where scripts run; without them every page and form works, too.
import { follow } from "./live.js";
import { listen } from "./keys.js";
import { slide } from "./clock.js";
import { tell } from "./times.js";
import { find } from "./find.js";

listen();
tell();
follow();
slide();
find();

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  // Of a link its address is copied.
  const text = source?.href ?? source?.textContent ?? "";
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Pages from another machine may not write to the clipboard: the text is selected instead.
    if (!source) return;
    if (source.href) source.textContent = source.href;
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = said; }, 1500);
});

// Buttons that only scripts can serve appear where scripts run.
for (const button of document.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
