"""State of tree construction between two tokens: open elements and the rules in force.

HTML Living Standard §13.2.4: the insertion modes, the stack of open elements, and the list of
active formatting elements. No tree is made; of every start tag, only the furthest place where an
element of it closes is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import LimitError
from permacite.markup.names import IMPLIED, SCOPE, TABLE_SCOPE
from permacite.markup.tokens import EndTag, StartTag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from collections.abc import Set as AbstractSet

    from permacite.markup.foreign import Kind, Point

__all__ = ["MAX_STEPS", "CharacterToken", "Node", "Token", "Tree"]

_MOST_ALIKE = 3
"""Formatting elements of one kind in the list: the "Noah's Ark clause"."""
MAX_STEPS = (500_000, 40)
"""How many elements may be looked at: this many, and this many more for each start tag."""


class CharacterToken(NamedTuple):
    """Some text; `blank`: white space alone. Leading white space is a token of its own."""

    start: int
    end: int
    blank: bool


Token = StartTag | EndTag | CharacterToken


class Node:
    """An open element. `index` counts start tags; None for one that no tag made."""

    __slots__ = ("attributes", "index", "is_open", "key", "kind", "name", "point", "tag")

    def __init__(self, name: str, index: int | None, tag: StartTag | None = None) -> None:
        self.name = name
        self.index = index
        self.tag = tag
        self.kind: Kind = "html"
        self.key = name
        """The name; with a mark before it in foreign content."""
        self.point: Point = ""
        self.is_open = True
        self.attributes: frozenset[tuple[str, str]] | None = None
        """Names and values of the start tag, once they were asked for."""

    def looks_like(self, other: Node) -> bool:
        """Whether both are of the same tag, attributes and all."""
        return self.name == other.name and self.read_attributes() == other.read_attributes()

    def read_attributes(self) -> frozenset[tuple[str, str]]:
        """Read the attributes of the start tag, once."""
        if self.attributes is None:
            given = () if self.tag is None else self.tag.attributes
            self.attributes = frozenset((each.name, each.value) for each in given)
        return self.attributes


class OpenElements:
    """The stack, by the names of what is open, and the ends of what was."""

    def __init__(self) -> None:
        self.stack: list[Node] = []
        self.ends: list[int] = []
        """For each start tag: where the furthest of its elements ends."""
        self._counts: dict[str, int] = {}
        self._steps = 0

    @property
    def current(self) -> str:
        """The name of the current node, marked if foreign; "" where nothing is open."""
        return self.stack[-1].key if self.stack else ""

    def push(self, name: str, tag: StartTag | None = None) -> Node:
        """Open an element of `tag`, or one that no tag made."""
        node = self.make(name, tag)
        self.open(node)
        return node

    def make(self, name: str, tag: StartTag | None) -> Node:
        """Make an element of the start tag that is being read, or of none."""
        return Node(name, None if tag is None else len(self.ends) - 1, tag)

    def copy(self, node: Node) -> Node:
        """Make an element that goes on for another."""
        copy = Node(node.name, node.index, node.tag)
        copy.attributes = node.attributes
        return copy

    def replace(self, at: int, node: Node) -> None:
        """Put a copy in the place of the node that is there."""
        self.stack[at].is_open = False
        self.stack[at] = node

    def take_away(self, at: int) -> None:
        """Take a node off the stack that has not ended here."""
        node = self.stack.pop(at)
        node.is_open = False
        self._counts[node.key] -= 1

    def open(self, node: Node, at: int | None = None) -> None:
        """Put a node on the stack, on top or at a place."""
        self.stack.insert(len(self.stack) if at is None else at, node)
        self._counts[node.key] = self._counts.get(node.key, 0) + 1
        node.is_open = True

    def pop(self, token: Token) -> Node:
        """Close the current node; `token` is why."""
        return self.remove(len(self.stack) - 1, token)

    def remove(self, at: int, token: Token) -> Node:
        """Close the node at a place of the stack, and note where it ends."""
        node = self.stack.pop(at)
        node.is_open = False
        self._counts[node.key] -= 1
        self.close(node, token)
        return node

    def close(self, node: Node, token: Token) -> None:
        """Note that `node` ends with its own end tag, or before any other token."""
        own = isinstance(token, EndTag) and token.name == node.name
        self.ends_at(node, token.end if own else token.start)

    def ends_at(self, node: Node, offset: int) -> None:
        """Note that `node` ends at `offset`, or further on."""
        if node.index is not None:
            self.ends[node.index] = max(self.ends[node.index], offset)

    def pop_until(self, names: Collection[str], token: Token) -> None:
        """Close elements up to one of `names`, that one included."""
        while self.stack and self.pop(token).key not in names:
            pass

    def pop_to(self, names: Collection[str], token: Token) -> None:
        """Close elements up to one of `names`, that one excluded (§13.2.6.4.9 clear the stack)."""
        while self.stack and self.current not in names:
            self.pop(token)

    def imply_ends(self, token: Token, *, but: str = "", names: AbstractSet[str] = IMPLIED) -> None:
        """Generate implied end tags (§13.2.6.3)."""
        while self.current in names and self.current != but:
            self.pop(token)

    def has(self, name: str) -> bool:
        """Whether an element of that name is open."""
        return self._counts.get(name, 0) > 0

    def in_scope(self, names: Collection[str], barriers: AbstractSet[str] = SCOPE) -> bool:
        """Whether one of `names` is open, with no barrier above it (§13.2.4.2)."""
        if not any(map(self.has, names)):
            return False
        for node in reversed(self.stack):
            self.spend(1)
            if node.key in names:
                return True
            if node.key in barriers:
                return False
        return False

    def in_table_scope(self, *names: str) -> bool:
        """Whether one of `names` is open within the innermost table."""
        return self.in_scope(names, TABLE_SCOPE)

    def place(self, node: Node) -> int:
        """Where a node is on the stack; -1 where it is not."""
        if not node.is_open:
            return -1
        for at in range(len(self.stack) - 1, -1, -1):
            self.spend(1)
            if self.stack[at] is node:
                return at
        return -1

    def spend(self, steps: int) -> None:
        """Count work. Raises LimitError where a document of this size asks for too much."""
        self._steps += steps
        maximum = MAX_STEPS[0] + MAX_STEPS[1] * len(self.ends)
        if self._steps > maximum:
            raise LimitError(
                "the elements are nested too deeply to say where each of them ends",
                limit="elements",
                maximum=maximum,
                hint="cite by characters: #char=0,100",
            )


class Tree(OpenElements):
    """The state that the rules of tree construction read and change (§13.2.4)."""

    def __init__(
        self,
        rules: Mapping[str, Callable[[Tree, Token], None]],
        dispatcher: Callable[[Tree, Token], None],
    ) -> None:
        super().__init__()
        self.rules = rules
        self.dispatcher = dispatcher
        self.mode = "before html"
        self.original_mode = "in body"
        self.template_modes: list[str] = []
        self.formatting: list[Node | None] = []
        """The list of active formatting elements; None is a marker."""
        self.head: Node | None = None
        self.form: Node | None = None
        self.quirks = True
        self.frameset_ok = True
        self.ended: set[Node] = set()
        """The body and html elements, where their end tags have come: more may follow in them."""

    def handle(self, token: Token) -> None:
        """Apply the rules that hold here (§13.2.6 the tree construction dispatcher)."""
        self.dispatcher(self, token)

    def by(self, mode: str, token: Token) -> None:
        """Apply the rules of an insertion mode."""
        self.rules[mode](self, token)

    def again(self, mode: str, token: Token) -> None:
        """Switch to an insertion mode and reprocess the token."""
        self.mode = mode
        self.rules[mode](self, token)

    # ------------------------------------------------------------ active formatting elements

    def remember(self, node: Node) -> None:
        """Add to the active formatting elements, at most three that are alike (§13.2.4.3)."""
        alike: list[int] = []
        for at in range(len(self.formatting) - 1, -1, -1):
            self.spend(1)
            entry = self.formatting[at]
            if entry is None:
                break
            if entry.looks_like(node):
                alike.append(at)
                if len(alike) == _MOST_ALIKE:
                    del self.formatting[at]
                    break
        self.formatting.append(node)

    def clear_to_marker(self) -> None:
        """Forget formatting elements up to the last marker."""
        while self.formatting and self.formatting.pop() is not None:
            pass

    def reconstruct(self) -> None:
        """Open again the formatting elements that were closed by implication (§13.2.4.3)."""
        at = len(self.formatting)
        while at and (entry := self.formatting[at - 1]) is not None and not entry.is_open:
            self.spend(1)
            at -= 1
        for place in range(at, len(self.formatting)):
            entry = self.formatting[place]
            if entry is not None:
                again = self.copy(entry)
                self.open(again)
                self.formatting[place] = again
                self.spend(1)

    # ------------------------------------------------------------ modes

    def reset_mode(self) -> None:
        """Set the insertion mode from what is open (§13.2.4.1)."""
        for at in range(len(self.stack) - 1, -1, -1):
            name = self.stack[at].key
            if name == "select":
                self.mode = "in select in table" if self._in_table(at) else "in select"
                return
            if name in {"td", "th"} and at:
                self.mode = "in cell"
                return
            if name == "template":
                self.mode = self.template_modes[-1]
                return
            if name in _MODE_OF and (name != "head" or at):
                self.mode = _MODE_OF[name]
                return
            if name == "html":
                self.mode = "before head" if self.head is None else "after head"
                return
        self.mode = "in body"

    def _in_table(self, at: int) -> bool:
        """Whether a table is open below a place, with no template in between."""
        for node in reversed(self.stack[:at]):
            self.spend(1)
            if node.key in {"table", "template"}:
                return node.key == "table"
        return False


_MODE_OF = {
    "tr": "in row",
    "tbody": "in table body",
    "thead": "in table body",
    "tfoot": "in table body",
    "caption": "in caption",
    "colgroup": "in column group",
    "table": "in table",
    "head": "in head",
    "body": "in body",
    "frameset": "in frameset",
}
