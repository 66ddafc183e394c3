// A citation or a problem as elements. Text is set as text: nothing from outside becomes markup.
const LABELS = {
  sentence: "Sentence",
  markdown: "Markdown",
  html: "HTML",
  bibtex: "BibTeX",
  csl_json: "CSL-JSON",
  ris: "RIS",
  wiki: "Wiki",
  annotation: "Web Annotation",
};

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const form = (label, text) => {
  const shown = element("pre", { tabIndex: 0, textContent: text });
  return element("details", {}, element("summary", { textContent: label }), shown);
};

export const answerOf = (cited) => {
  const [name, fragment] = cited.reference.split("#");
  const heading = element("h2", { textContent: "Cited", tabIndex: -1 });
  const link = element("a", { href: `/${name}?fragment=${fragment}`, textContent: cited.reference });
  const forms = element(
    "div",
    { className: "forms" },
    form("Name", cited.reference),
    form("Address", cited.url),
    ...(cited.rfc5147_url ? [form("Text address (RFC 5147)", cited.rfc5147_url)] : []),
    ...Object.entries(LABELS).map(([key, label]) => form(label, cited.forms[key])),
    ...cited.forms.warnings.map((text) => element("p", { textContent: text })),
  );
  const quote = element("blockquote", {}, element("mark", { textContent: cited.told }));
  return element("section", { className: "passage" }, heading, quote, element("p", { className: "name" }, link), forms);
};

export const problemOf = (problem) => {
  const heading = element("h2", { textContent: problem.title, tabIndex: -1 });
  const near = (problem.candidates ?? []).map((text) => element("li", { textContent: text }));
  const parts = [heading, element("p", { textContent: problem.detail ?? "" })];
  if (problem.hint) parts.push(element("p", { textContent: problem.hint }));
  if (near.length) parts.push(element("ul", {}, ...near));
  return element("section", { className: "problem" }, ...parts);
};
