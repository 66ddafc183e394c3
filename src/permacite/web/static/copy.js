// A "Copy" button beside every ready form, where the browser lets a page write to the clipboard.
import { t } from "./words.js";

export const addCopyButtons = (place) => {
  if (!navigator.clipboard) return;
  for (const shown of place.querySelectorAll(".forms pre:not([data-copied])")) {
    shown.dataset.copied = "";
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: t("script.copy") });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = t("script.copied");
      setTimeout(() => (button.textContent = t("script.copy")), 1500);
    });
    shown.before(button);
  }
};
