r"""The number that an answer writes, exactly; None for whatever is no single finite number.

Reads integers, decimals, thousands in groups (`1,234,567`), `1e3`, `1.5 \times 10^{3}`, fractions (`3/4`, `\frac{3}{4}`,
`\frac34`), a percentage as its hundredths, and a unit after the number (`12\text{ cm}`, `12 cm`, `90^\circ`), which counts
for nothing. Does not calculate: roots, sums, mixed numbers and intervals are no numbers here.
"""

from __future__ import annotations

import re
from fractions import Fraction

LONGEST = 200

SPACES = re.compile(r"\\[,;:! ]|~|\\left|\\right|\\?\$")
UNIT = re.compile(
    r"\s*(?:\\(?:text|textrm|mathrm|mbox)\{[^{}]*\}(?:\^\{?-?\d+\}?)?|\^\{?\\circ\}?|°|(?<=\d)\s+[A-Za-z]{2,}(?:\^\{?\d+\}?)?)$"
)
PERCENT = re.compile(r"\s*\\?%$")
DECIMAL = r"(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)"
POWER = r"(?:[eE](?P<e>[+-]?\d{1,3})|\s*(?:\\times|\\cdot|\u00d7|\*)\s*10\^(?:\{(?P<braced>[+-]?\d{1,3})\}|(?P<bare>\d)))"
PLAIN = re.compile(rf"(?P<sign>[+-]?)\s*(?P<number>{DECIMAL}){POWER}?", re.ASCII)
QUOTIENT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?:\\[dt]?frac\s*(?:\{{(?P<a>[^{{}}]+)\}}\s*\{{(?P<b>[^{{}}]+)\}}|(?P<c>\d)\s*(?P<d>\d))"
    rf"|(?P<x>{DECIMAL})\s*/\s*(?P<y>{DECIMAL}))",
    re.ASCII,
)


def place_of_last_box(completion: str) -> slice | None:
    r"""Where that stands which the last `\boxed{…}` of a completion holds; None without one, or where it is never closed."""
    start = completion.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for index in range(start + len("\\boxed"), len(completion)):
        depth += {"{": 1, "}": -1}.get(completion[index], 0)
        if depth == 0:
            return slice(start + len("\\boxed{"), index)
    return None


def last_box(completion: str) -> str | None:
    r"""What the last `\boxed{…}` of a completion holds; None without one, or where it is never closed."""
    place = place_of_last_box(completion)
    return None if place is None else completion[place]


def read_number(text: str) -> Fraction | None:
    """The number, or None."""
    if len(text) > LONGEST:
        return None
    bare = SPACES.sub("", text.replace("\u2212", "-").replace("{,}", ",")).strip()
    bare = UNIT.sub("", bare.removesuffix("."))
    hundredths = PERCENT.search(bare)
    number = _quotient(PERCENT.sub("", bare))
    return number if number is None or hundredths is None else number / 100


def _quotient(text: str) -> Fraction | None:
    found = QUOTIENT.fullmatch(text)
    if found is None:
        return _plain(text)
    above, below = (_plain((found[one] or found[two] or found[three]).strip()) for one, two, three in ("acx", "bdy"))
    if above is None or not below:
        return None
    return -above / below if found["sign"] == "-" else above / below


def _plain(text: str) -> Fraction | None:
    found = PLAIN.fullmatch(text)
    if found is None:
        return None
    power = int(found["e"] or found["braced"] or found["bare"] or 0)
    number = Fraction(found["number"].replace(",", "").rstrip(".") or "0") * Fraction(10) ** power
    return -number if found["sign"] == "-" else number
