"""What tree construction remembers between two tokens, above all which rules hold.

HTML Living Standard §13.2.4: the insertion modes, the stack of open elements, and the list of
active formatting elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.tree.stack import OpenElements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.markup.tree.stack import Node, Token

__all__ = ["Tree"]


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
                if len(alike) == 3:  # noqa: PLR2004 - "Noah's ark"
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
