// Colours of source code and Markdown: comments, strings, numbers and words of the language. They are
// highlights over ranges (CSS Custom Highlight API): the text and its elements stay as they are, and
// so does what is selected and counted in them. Where a browser has none, the text has no colours.

// What begins a comment up to the end of a line, by the families of languages; how one within lines is.
const FAMILIES = [
  { kinds: "python|sh|perl|ruby|r|julia|elixir|nim|yaml|toml|cmake|tcl|terraform|powershell", line: "#" },
  { kinds: "sql|lua|haskell|ada|vhdl", line: "--" },
  { kinds: "lisp|clojure|scheme|asm|ini", line: ";" },
  { kinds: "tex|erlang", line: "%" },
  { kinds: "fortran", line: "!" },
  { kinds: "ocaml|pascal", within: ["(*", "*)"] },
];
const CURLY = { line: "//", within: ["/*", "*/"] };

const WORDS =
  "abstract|and|as|assert|async|await|begin|break|case|catch|class|const|continue|def|default|defer|del|do|else|" +
  "elif|elsif|end|enum|except|export|extends|extern|false|final|finally|fn|for|from|func|function|global|if|" +
  "implements|import|in|include|interface|is|lambda|let|local|loop|match|mod|module|mut|namespace|new|nil|none|not|" +
  "null|of|open|or|override|package|pass|private|proc|protected|pub|public|raise|record|require|return|select|self|" +
  "static|struct|super|switch|then|this|throw|trait|true|try|type|typedef|union|unless|until|use|using|val|var|" +
  "virtual|void|when|where|while|with|yield";

const QUOTES = ["\x22", "'", "\x60"];

const escaped = (sign) => sign.replace(/[^\w\s]/g, "\\$&");

// A string on one line, but for templates. Its length has a limit, or what has no end would be looked for
// from each quote on through all that follows.
const quoted = (sign) => {
  const ending = sign === "`" ? "" : "\\n";
  return `${sign}(?:[^${sign}\\\\${ending}]|\\\\.){0,1000}${sign}`;
};

// What is told apart in a language, in this order: the first that begins at a place counts.
const rulesOf = (kind) => {
  if (kind === "text/markdown") {
    return [
      ["word", "^#{1,6}[ \\t][^\\n]*|^(?:=+|-+)[ \\t]*$"],
      ["string", "^```[^]*?^```|`[^`\\n]+`"],
      ["comment", "^>[^\\n]*|<!--[^]*?(?:-->|$(?![^]))"],
      ["number", "!?\\[[^\\]\\n]{0,400}\\]\\([^)\\n]{0,2000}\\)|https?://[^\\s<>)]+"],
    ];
  }
  const name = kind.replace(/^(?:text|application)\/(?:x-)?/, "").replace(/(?:src|hdr|script)$/, "");
  const { line, within } = FAMILIES.find(({ kinds }) => kinds.split("|").includes(name)) ?? CURLY;
  const comments = [];
  if (within) comments.push(`${escaped(within[0])}[^]*?(?:${escaped(within[1])}|$(?![^]))`);
  if (line) comments.push(`${escaped(line)}[^\\n]*`);
  return [
    ["string", `\x22{3}[^]*?\x22{3}|'''[^]*?'''|${QUOTES.map(quoted).join("|")}`],
    ["comment", comments.join("|")],
    ["number", "\\b0[xX][0-9a-fA-F_]+\\b|\\b[0-9][0-9_]*(?:\\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?\\b"],
    ["word", `\\b(?:${WORDS})\\b`],
  ];
};

const NAMES = ["comment", "string", "number", "word"];

// Colour what is shown of a text now.
export const colour = (text) => {
  const kind = text?.dataset.kind ?? "";
  if (!CSS.highlights || !(kind === "text/markdown" || /^(text|application)\/(x-|javascript|css)/.test(kind))) return;
  const rules = rulesOf(kind);
  const pattern = new RegExp(rules.map(([name, rule]) => `(?<${name}>${rule})`).join("|"), "gm");
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let whole = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push([node, whole.length]);
    whole += node.data;
  }
  const found = Object.fromEntries(NAMES.map((name) => [name, []]));
  let at = 0;
  // The node in which a place is, and where; places come in their order.
  const placed = (place, isEnd) => {
    while (at + 1 < nodes.length && (isEnd ? nodes[at + 1][1] < place : nodes[at + 1][1] <= place)) at++;
    return [nodes[at][0], place - nodes[at][1]];
  };
  for (const { 0: words, index, groups } of whole.matchAll(pattern)) {
    if (!words) continue;
    const [[startContainer, startOffset], [endContainer, endOffset]] = [placed(index, false), placed(index + words.length, true)];
    const name = NAMES.find((each) => groups[each] !== undefined);
    found[name].push(new StaticRange({ startContainer, startOffset, endContainer, endOffset }));
  }
  for (const name of NAMES) CSS.highlights.set(`code-${name}`, new Highlight(...found[name]));
};
