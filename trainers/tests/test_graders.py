"""Graders: which of the ways to write an answer count as it, and which right answers a grader refuses."""

from __future__ import annotations

import random
import sys
from fractions import Fraction

import pytest

from temper_trainers.data import Problem
from temper_trainers.errors import ConfigError, DataError, UsageError
from temper_trainers.graders import Grader, read_grader
from temper_trainers.numeric_answer import last_box, read_number
from temper_trainers.request import Params


def grader(name: str, *answers: str, **more: object) -> Grader:
    """The grader of a benchmark with these right answers."""
    problems = [Problem(f"p{n}", [], answer) for n, answer in enumerate(answers)]
    return read_grader(Params({"grader": name, **more}, "benchmark"), problems)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("42", 42),
        (" -7 ", -7),
        ("\u22127", -7),
        ("+7", 7),
        ("-0", 0),
        ("0.50", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("1e3", 1000),
        ("1.5E-2", Fraction(3, 200)),
        (r"1.5 \times 10^{3}", 1500),
        (r"2\cdot10^4", 20000),
        ("1,234,567", 1234567),
        (r"1{,}234", 1234),
        (r"12\,345", 12345),
        ("3/4", Fraction(3, 4)),
        (r"\frac{3}{4}", Fraction(3, 4)),
        (r"-\dfrac{3}{4}", Fraction(-3, 4)),
        (r"\frac{-3}{4}", Fraction(-3, 4)),
        (r"\frac34", Fraction(3, 4)),
        (r"\tfrac{1.5}{3}", Fraction(1, 2)),
        ("50%", Fraction(1, 2)),
        (r"12.5\%", Fraction(1, 8)),
        (r"12\text{ cm}", 12),
        (r"12\text{ cm}^2", 12),
        ("12 cm", 12),
        (r"3.0\ \mathrm{m}", 3),
        (r"90^\circ", 90),
        (r"90^{\circ}", 90),
        (r"\$5", 5),
        ("$5$", 5),
        ("1e400", Fraction(10) ** 400),
    ],
)
def test_a_number_is_read_exactly(text: str, want: Fraction | int) -> None:
    assert read_number(text) == want


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x",
            "inf",
            "Infinity",
            "-inf",
            "nan",
            "NaN",
            r"\infty",
            "1,5",
            "12,34",
            "1e",
            "1e99999999999",
            "--5",
            "1/0",
            r"\frac{1}{0}",
            r"\frac{}{3}",
            r"\frac{3}{}",
            r"\frac{}{}",
            r"\frac{ }{3}",
        ),
        *("1/2/3", r"\sqrt{2}", "1+1", "2 3", r"2\frac{1}{2}", "(1, 2)", "5 x", "0x10", "1_000", "\u0663", "9" * 201),
    ],
)
def test_what_is_no_single_finite_number_is_none(text: str) -> None:
    assert read_number(text) is None


def test_no_text_that_a_model_may_write_ends_a_job() -> None:
    drawn = random.Random(7)
    parts = [
        *(
            "\\frac",
            "\\dfrac",
            "\\boxed",
            "\\times 10^",
            "\\text",
            "^\\circ",
            "\\%",
            "\\left",
            "{",
            "}",
            "{}",
            " ",
            "",
            "/",
            ",",
        ),
        *(
            ".",
            "-",
            "+",
            "e",
            "0",
            "3",
            "12",
            "999",
            "1,234",
            "%",
            "$",
            "cm",
            "\u0663",
            "\u00b2",
            "\u2212",
            "(",
            "\\",
            "\n",
            "\0",
            "{,}",
        ),
    ]
    grade = grader("numeric", "0.5", tolerance={"relative": 1e-6})

    def some(most: int) -> str:
        return "".join(drawn.choice(parts) for _ in range(drawn.randint(0, most)))

    for number_of in range(20_000):
        text = some(9) if number_of % 2 else f"\\frac{{{some(2)}}}{{{some(2)}}}{some(1)}"
        number = read_number(text)
        assert number is None or isinstance(number, Fraction), text
        assert grade(f"\\boxed{{{text}}}", "0.5")[0] in (True, False), text


@pytest.mark.parametrize(
    ("completion", "want"),
    [
        (r"so \boxed{5}", "5"),
        (r"\boxed{4} no, \boxed{5}", "5"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\boxed{7}}", "7"),
        (r"\boxed{1} and \boxed{2", None),
        ("the answer is 5", None),
    ],
)
def test_the_last_box_counts_whole(completion: str, want: str | None) -> None:
    assert last_box(completion) == want


@pytest.mark.parametrize(
    ("tolerance", "boxed", "answer", "want"),
    [
        ({"relative": 1e-6}, "0.3333333", "1/3", (True, "3333333/10000000")),
        ({"relative": 1e-6}, "0.333", "1/3", (False, "333/1000")),
        ({"relative": 0.01}, "0", "0", (True, "0")),
        ({"relative": 0.01}, "0.001", "0", (False, "1/1000")),
        ({"absolute": 0.5}, "100.5", "100", (True, "201/2")),
        ({"absolute": 0.5}, "100.51", "100", (False, "10051/100")),
        ({"relative": 0.1, "absolute": 0.5}, "109", "100", (True, "109")),
        ({"absolute": 1e-9}, r"50\%", "0.5", (True, "1/2")),
        ({"absolute": 1e-9}, "-0", "0", (True, "0")),
        ({"absolute": 1e9}, "NaN", "0", (False, None)),
    ],
)
def test_numeric_compares_within_the_larger_tolerance(
    tolerance: dict[str, float], boxed: str, answer: str, want: tuple[bool, str | None]
) -> None:
    assert grader("numeric", answer, tolerance=tolerance)(f"so \\boxed{{{boxed}}}", answer) == want


def test_numeric_refuses_answers_that_are_no_numbers_and_a_tolerance_of_nothing() -> None:
    with pytest.raises(DataError, match=r"the answer of p1 is 'pi', which is not a number"):
        grader("numeric", "3", "pi", tolerance={"relative": 0.1})
    with pytest.raises(UsageError, match="tolerance must name relative or absolute, above 0"):
        grader("numeric", "3", tolerance={})


def test_math_verify_that_is_not_installed_is_the_configurations_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "math_verify", None)
    with pytest.raises(ConfigError, match=r"this image lacks: install it there \(pip install math-verify\)"):
        grader("math-verify", "3")


def test_math_verify_compares_what_is_equal() -> None:
    pytest.importorskip("math_verify", reason="math-verify is an option of an image, and not installed here")
    grade = grader("math-verify", r"\frac{1}{2}", r"\sqrt{8}")
    assert grade(r"so \boxed{0.5}", r"\frac{1}{2}")[0]
    assert grade(r"so \boxed{2\sqrt{2}}", r"\sqrt{8}") == (True, "2*sqrt(2)")
    assert not grade(r"so \boxed{3}", r"\sqrt{8}")[0]
    assert grade(r"\boxed{4} no, \boxed{\frac12}", r"\frac{1}{2}") == (True, "1/2")
    assert not grade(r"\boxed{\frac12} no, \boxed{4}", r"\frac{1}{2}")[0]
    assert grade("the answer is $0.5$", r"\frac{1}{2}")[0]
    assert grade("no answer", r"\sqrt{8}") == (False, None)
    with pytest.raises(DataError, match="the answer of p0 is '', which is not what math-verify can read"):
        grader("math-verify", "")
