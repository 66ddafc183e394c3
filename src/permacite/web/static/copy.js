// A "Copy" button beside every ready form, where the browser lets a page write to the clipboard.
export const addCopyButtons = (place) => {
  if (!navigator.clipboard) return;
  for (const shown of place.querySelectorAll(".forms pre:not([data-copied])")) {
    shown.dataset.copied = "";
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    shown.before(button);
  }
};
