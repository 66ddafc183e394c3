// A transcript beside its recording: the times of its lines play the recording in its frame, and the
// lines that are said there are marked. Without this script the times are links to the recording.
const within = (list, line) => {
  const [box, place] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
  if (place.top < box.top || place.bottom > box.bottom) list.scrollTop += place.top - box.top - box.height / 3;
};

export const speak = (section) => {
  const frame = document.querySelector(`#${section.dataset.frame}`);
  const list = section.querySelector("ol");
  const lines = [...list.querySelectorAll("li[data-start]")];
  const send = (permacite, rest) => frame.contentWindow.postMessage({ permacite, ...rest }, "*");

  section.addEventListener("click", (event) => {
    const line = event.target.closest("a.time")?.closest("li");
    if (!line || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    send("from", { time: Number(line.dataset.start) });
  });
  // The frame is trusted with a number alone.
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || data?.permacite !== "now" || !Number.isSafeInteger(data.time)) return;
    const said = lines.filter(({ dataset }) => dataset.start <= data.time && data.time < dataset.end);
    for (const line of lines) {
      if (said.includes(line)) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
    if (data.playing && said.length) within(list, said[0]);
  });
  const cited = list.querySelector("mark");
  if (cited) within(list, cited);
};

// A button that plays the cited words in the frame of their recording.
export const playCited = (button) => {
  const frame = document.querySelector("#player");
  const [start, end] = [Number(button.dataset.start), Number(button.dataset.end)];
  button.hidden = false;
  button.addEventListener("click", () => {
    for (const message of [{ permacite: "part", rect: null, start, end }, { permacite: "play" }]) {
      frame.contentWindow.postMessage(message, "*");
    }
  });
};
