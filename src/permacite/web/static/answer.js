// A citation or a problem as elements. Text is set as text: nothing from outside becomes markup.
import { has, kept, t } from "./words.js";

const FORMS = ["sentence", "markdown", "html", "bibtex", "csl_json", "ris", "wiki", "annotation"];

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
  const heading = element("h2", { textContent: t("script.cited"), tabIndex: -1 });
  const link = element("a", { href: kept(`/${name}?fragment=${fragment}`), textContent: cited.reference });
  const forms = element(
    "div",
    { className: "forms" },
    form(t("forms.name"), cited.reference),
    form(t("forms.address"), cited.url),
    ...(cited.rfc5147_url ? [form(t("forms.text_address"), cited.rfc5147_url)] : []),
    ...FORMS.map((key) => form(t(`forms.${key}`), cited.forms[key])),
    ...cited.forms.warnings.map((text) => element("p", { textContent: text, lang: "en" })),
  );
  const quote = element("blockquote", {}, element("mark", { textContent: cited.told }));
  return element("section", { className: "passage" }, heading, quote, element("p", { className: "name" }, link), forms);
};

export const problemOf = (problem) => {
  const key = `problem.${problem.code}`;
  const heading = element("h2", { textContent: has(key) ? t(key) : problem.title, tabIndex: -1 });
  const near = (problem.candidates ?? []).map((text) => element("li", { textContent: text }));
  const parts = [heading, element("p", { textContent: problem.detail ?? "" })];
  if (problem.hint) parts.push(element("p", { textContent: problem.hint }));
  if (near.length) parts.push(element("ul", {}, ...near));
  return element("section", { className: "problem" }, ...parts);
};
