"""The contract's edge: requests, progress lines, seals, results and exit codes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from pathlib import Path

import pytest
from support import Attempts

from temper_trainers.contract import Run
from temper_trainers.errors import DamagedError, StoppedError, UsageError
from temper_trainers.request import read_request
from temper_trainers.seal import compute_seal, seal_path, write_seal, write_text


def request_file(folder: Path, **fields: object) -> Path:
    """A minimal request with some fields changed."""
    document = {"contract": 1, "job": "j", "kind": "base", "attempt": 1, "outputDirectory": str(folder / "out"), **fields}
    path = folder / "request.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("fields", "want"),
    [
        ({"contract": 2}, "not a request of contract 1"),
        ({"job": None}, "request.job is missing"),
        ({"attempt": "two"}, "request.attempt must be a whole number"),
        ({"start": {"path": "/x", "format": "onnx"}}, "request.start.format must be one of hf, peft"),
        ({"start": {"path": "/x", "format": "peft"}}, "request.start.base is missing"),
        ({"resume": {"path": "/x"}}, "request.resume.step is missing"),
    ],
)
def test_a_wrong_request_is_refused_by_the_name_of_its_field(tmp_path: Path, fields: dict[str, object], want: str) -> None:
    with pytest.raises(UsageError, match=want):
        read_request(request_file(tmp_path, **fields))


def test_an_unknown_kind_ends_with_64_and_names_the_kinds(attempts: Attempts) -> None:
    made = attempts.run("sftt")
    assert made.code == 64
    assert made.result["status"] == "failed"
    assert made.result["reason"] == "usage"
    assert "sft, drgrpo" in made.result["message"]


def test_progress_is_strict_json_with_null_for_what_is_not_finite(tmp_path: Path) -> None:
    run = Run(read_request(request_file(tmp_path, targetStep=7)), "token")
    run.record_step(3, {"loss": float("nan"), "grad_norm": 1.5, "reward_std": float("nan")})
    lines = (tmp_path / "out/progress.jsonl").read_text().splitlines()
    parsed = [json.loads(line, parse_constant=lambda _: pytest.fail("not strict JSON")) for line in lines]
    assert [(each["doing"], each["step"], each["of"]) for each in parsed] == [("starting", 0, 7), ("training", 3, 7)]
    assert parsed[1]["metrics"] == {"loss": None, "grad_norm": 1.5}
    assert not run.outcome.finite


def test_one_that_is_stopped_before_it_has_loaded_speaks_of_the_step_it_goes_on_from(tmp_path: Path) -> None:
    resume = {"path": "/store/checkpoint-120", "step": 120, "digest": "d"}
    run = Run(read_request(request_file(tmp_path, targetStep=200, resume=resume)), "token")
    run.finish("stopped")
    lines = [json.loads(line) for line in (tmp_path / "out/progress.jsonl").read_text().splitlines()]
    assert [(each["doing"], each["step"]) for each in lines] == [("starting", 120), ("finishing", 120)]


def test_a_word_that_the_contract_does_not_have_is_an_error(tmp_path: Path) -> None:
    run = Run(read_request(request_file(tmp_path)), "token")
    with pytest.raises(ValueError, match="thinking"):
        run.report("thinking", 0)


def test_a_seal_is_the_digest_of_the_sorted_lines_of_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint-5"
    (folder / "ref").mkdir(parents=True)
    contents = {"b.safetensors": b"weights", "a.json": b"{}", "ref/c.safetensors": b"more"}
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    seal = compute_seal(folder, 5, "peft")
    write_seal(folder, seal)
    document = json.loads(seal_path(folder).read_text())
    assert [each["path"] for each in document["files"]] == ["a.json", "b.safetensors", "ref/c.safetensors"]

    def digest(names: list[str]) -> str:
        lines = (f"{hashlib.sha256(contents[name]).hexdigest()}  {len(contents[name])}  {name}\n" for name in names)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    assert document["digest"] == digest(["a.json", "b.safetensors", "ref/c.safetensors"])
    assert document["weights"] == digest(["b.safetensors", "ref/c.safetensors"])


def test_pods_that_count_their_processes_alike_do_not_write_into_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 7)
    target = tmp_path / "result.json"
    flush = os.fsync

    def other_writes_meanwhile(file: int) -> None:
        flush(file)
        monkeypatch.setattr(os, "fsync", flush)
        write_text(target, "theirs")

    monkeypatch.setattr(os, "fsync", other_writes_meanwhile)
    write_text(target, "ours")
    assert target.read_text() == "ours"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_stop_that_comes_while_the_process_starts_is_heeded_when_its_phase_begins(tmp_path: Path) -> None:
    run = Run(read_request(request_file(tmp_path)), "token")
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(StoppedError):
        run.heed_stops()


def test_a_start_that_is_not_what_was_sealed_is_refused(tmp_path: Path) -> None:
    run = Run(read_request(request_file(tmp_path)), "token")
    folder = tmp_path / "checkpoint-1"
    folder.mkdir()
    (folder / "x").write_text("1")
    with pytest.raises(DamagedError, match=r"is damaged: its digest is .*, not 0000"):
        run.started_from(folder, 1, "hf", "0" * 64)


def test_the_result_carries_the_job_and_its_token(attempts: Attempts, tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint-4"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"x" * 10)
    listed = [{"path": str(folder), "step": 4, "format": "hf"}]
    made = attempts.run("seal", params={"checkpoints": listed})
    assert made.code == 0
    assert (made.result["status"], made.result["jobToken"], made.result["attempt"]) == ("completed", "token-1", 1)
    assert set(made.result["seconds"]) >= {"starting", "saving", "finishing"}
    assert made.result["artifacts"][0]["digest"] == json.loads(seal_path(folder).read_text())["digest"]


def test_sealing_what_is_not_there_is_a_data_error(attempts: Attempts, tmp_path: Path) -> None:
    made = attempts.run("seal", params={"checkpoints": [{"path": str(tmp_path / "no"), "step": 1, "format": "hf"}]})
    assert (made.code, made.result["reason"]) == (65, "data")
