// A table: words in one of its cells are cited as words, what reaches further as the cells that it is in.
import { t } from "./words.js";

const placeOf = (cell) => cell.dataset.cell.split(",").map(Number);

// Positions count characters of the text with CRLF line ends; a cell shows each as one LF.
const size = (text) => [...text].length + text.split("\n").length - 1;

export const watchTable = (grid, offer) => {
  if (!grid) return;
  document.addEventListener("selectionchange", () => {
    const selected = document.getSelection();
    if (selected.isCollapsed || !selected.rangeCount || !selected.getRangeAt(0).intersectsNode(grid)) return offer(null);
    const range = selected.getRangeAt(0);
    const cells = [...grid.querySelectorAll("[data-cell]")].filter((cell) => holds(range, cell));
    offer(cells.length ? offered(range, cells) : null);
  });
};

// Whether a selection has something of a cell, and does not only touch it.
const holds = (range, cell) => {
  if (!range.intersectsNode(cell)) return false;
  return cell.textContent === "" || within(range, cell).toString() !== "";
};

const within = (range, cell) => {
  const part = range.cloneRange();
  const whole = new Range();
  whole.selectNodeContents(cell);
  if (part.compareBoundaryPoints(Range.START_TO_START, whole) < 0) part.setStart(whole.startContainer, whole.startOffset);
  if (part.compareBoundaryPoints(Range.END_TO_END, whole) > 0) part.setEnd(whole.endContainer, whole.endOffset);
  return part;
};

const offered = (range, cells) => {
  if (cells.length === 1) return inCell(within(range, cells[0]), cells[0]);
  const ends = [placeOf(cells[0]), placeOf(cells.at(-1))]; // a rectangle, though a browser shows whole rows selected
  const [rows, columns] = [0, 1].map((axis) => ends.map((place) => place[axis]));
  const corner = (end) => `${end(...rows)},${end(...columns)}`;
  const cell = `${corner(Math.min)}-${corner(Math.max)}`;
  return { quote: t("script.cells", { cell }), part: { cell } };
};

const inCell = (part, cell) => {
  const quote = part.toString();
  if (quote === cell.textContent || cell.dataset.start === undefined) return { quote: cell.textContent, part: { cell: cell.dataset.cell } };
  const lead = new Range();
  lead.selectNodeContents(cell);
  lead.setEnd(part.startContainer, part.startOffset);
  const start = Number(cell.dataset.start) + size(lead.toString());
  return { quote, part: { char: `${start},${start + size(quote)}` } };
};
