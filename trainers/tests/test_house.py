"""House rules that a machine holds: sizes, headers, and what must not import torch."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

TRAINERS = Path(__file__).resolve().parent.parent
FILES = sorted(
    path for folder in ("temper_trainers", "bench", "examples", "tests") for path in (TRAINERS / folder).rglob("*.py")
)
TORCH_FREE = ["__main__", "base", "checkpoint_folder", "contract", "data", "merge", "rewards", "sao", "seal_phase", "sft"]


def complaints(text: str) -> list[str]:
    """What the rules say against a file."""
    tree = ast.parse(text)
    found = [] if ast.get_docstring(tree) else ["no header"]
    if text.count("\n") > 300:
        found.append("more than 300 lines")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None and node.end_lineno - node.lineno >= 60:
            found.append(f"{node.name} has more than 60 lines")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_and_functions_are_short_and_have_headers(path: Path) -> None:
    assert complaints(path.read_text()) == []


def test_the_rules_notice_a_bad_file() -> None:
    long_function = "def f():\n" + "    x = 1\n" * 300
    assert complaints(long_function) == ["no header", "more than 300 lines", "f has more than 60 lines"]


def test_what_needs_no_torch_does_not_import_it() -> None:
    modules = ", ".join(f"temper_trainers.{name}" for name in TORCH_FREE)
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=TRAINERS, check=False).returncode == 0


def test_the_readme_names_every_module() -> None:
    named = set(re.findall(r"\w+", (TRAINERS / "README.md").read_text()))
    modules = {path.stem for path in (TRAINERS / "temper_trainers").glob("*.py")} - {"__init__"}
    assert modules - named == set()
