// What became of the passage in other versions: asked for when the page is there already.
export const follow = async (place) => {
  const link = place.firstElementChild;
  const wait = Object.assign(document.createElement("p"), { textContent: place.dataset.wait });
  wait.setAttribute("role", "status");
  place.append(wait);
  try {
    const answer = await fetch(place.dataset.from);
    if (!answer.ok) throw new Error(String(answer.status));
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...made.querySelector(".through").children, link);
  } catch {
    wait.remove(); // the link stays, and says more
  }
};
