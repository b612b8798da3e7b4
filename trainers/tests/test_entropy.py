"""The entropy by which votes are weighed: what the model says of its own tokens, and where the answer is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from support import Attempts, Made
from test_evaluate import evaluation, rows
from transformers import GenerationConfig, WatermarkingConfig

from temper_trainers.entropy import TokenEntropies, mean_entropy, tokens_of
from temper_trainers.graders import place_of_boxed_integer, read_answer_place, whole_completion
from temper_trainers.loaded_models import LoadedModels
from temper_trainers.numeric_answer import place_of_last_box
from temper_trainers.request import Params, read_checkpoint
from temper_trainers.sampling import Completion, SamplingSettings, encode_prompts, end_tokens, sample, sample_seeded

TOKENS = ["so ", "\\boxed{", "8", "5", "}", "", " or \\boxed{9", "7}", " done"]


def decode(tokens: list[int]) -> str:
    return "".join(TOKENS[token] for token in tokens)


@pytest.mark.parametrize(
    ("title", "tokens", "want"),
    [
        ("between the braces", [0, 1, 2, 3, 4], [2, 3]),
        ("with what ends it", [0, 1, 2, 3, 4, 5], [2, 3]),
        ("of the last box, of tokens that hold more than the answer", [1, 2, 4, 6, 7, 8], [3, 4]),
        ("however much comes after it", [0, 1, 2, 3, 4, *[0] * 200], [2, 3]),
        ("however much comes before it", [*[0] * 200, 1, 2, 3, 4], [201, 202]),
    ],
)
def test_the_tokens_of_an_answer(title: str, tokens: list[int], want: list[int]) -> None:
    place = place_of_boxed_integer(decode(tokens))
    assert place is not None
    assert list(tokens_of(decode, tokens, place)) == want, title


@pytest.mark.parametrize(
    ("grader", "completion", "want"),
    [
        ("boxed-integer", r"so \boxed{85} that is \boxed{8", "85"),
        ("boxed-integer", r"\boxed{85} and \boxed{x}", "85"),
        ("boxed-integer", "85", None),
        ("numeric", r"\boxed{1}, \boxed{\frac{3}{4}}.", r"\frac{3}{4}"),
        ("math-verify", r"\boxed{2\sqrt{2}}", r"2\sqrt{2}"),
        ("math-verify", r"\boxed{1} and \boxed{2", None),
        ("exact-match", r"\boxed{85}", None),
    ],
)
def test_the_answer_is_the_one_that_the_grader_takes(grader: str, completion: str, want: str | None) -> None:
    place = read_answer_place(Params({"grader": grader}, "benchmark"))(completion)
    assert (None if place is None else completion[place]) == want


def test_characters_of_several_tokens_and_spaces_left_out_at_the_beginning_shift_no_token() -> None:
    """As byte-level tokens and SentencePiece do: what a token writes depends on where decoding begins."""
    pieces = [*"\u2581√√√".encode(), *b"x " * 40, *"\\boxed{√2}".encode()]

    def decoded(tokens: list[int]) -> str:
        return bytes(tokens).decode(errors="replace").replace("\u2581", " ").removeprefix(" ")

    begin = len(pieces) - len("√2}".encode())
    text = decoded(pieces)
    place = place_of_last_box(text)
    assert place is not None
    assert text[place] == "√2"
    assert list(tokens_of(decoded, pieces, place)) == list(range(begin, len(pieces) - 1))


@pytest.mark.parametrize("part", [None, slice(2, 2)])
def test_the_mean_is_over_all_tokens_where_no_part_is_asked_for(part: slice | None) -> None:
    def refuse(_tokens: list[int]) -> str:
        raise AssertionError("nothing is looked for: decoding takes its time")

    assert mean_entropy([7, 8], [1.0, 2.0, 9.0], part, refuse) == 1.5
    assert mean_entropy([], [9.0], part, refuse) is None


def test_entropy_is_in_bits_over_the_five_likeliest_and_not_scaled_up() -> None:
    entropies = TokenEntropies(whole_completion)
    even = torch.zeros(1, 8)
    sure = torch.tensor([[100.0, 0, 0, 0, 0, 0, 0, 0]])
    for scores in (even, sure):
        assert entropies(None, scores) is scores
    assert entropies.rows() == [pytest.approx([5 * 3 / 8, 0], abs=1e-6)]


def test_a_sample_tells_how_sure_the_model_was(sft: Made) -> None:
    """Held against one look at the whole completion, which keeps no step of the sampling."""
    model, tokenizer = LoadedModels().load(read_checkpoint(Params(sft.checkpoint(), "checkpoint")))
    of_all, of_last = (
        sampled(model, tokenizer, SamplingSettings(1, 0.8, 24, entropy_of=part))
        for part in (whole_completion, lambda text: slice(len(text) - 1, len(text)))
    )
    for (ids, whole, want), (_, last, _) in zip(of_all, of_last, strict=True):
        assert whole.entropy == pytest.approx(float(want[: whole.tokens].mean()), abs=1e-4)
        assert last.entropy == pytest.approx(float(want[len(ids) - 1]), abs=1e-4)


def test_what_a_model_comes_with_changes_neither_its_samples_nor_how_sure_it_is(sft: Made) -> None:
    """Its generation_config is how somebody else would sample; many forbid it to repeat itself."""
    model, tokenizer = LoadedModels().load(read_checkpoint(Params(sft.checkpoint(), "checkpoint")))
    prompts = [[{"role": "user", "content": sum_}] for sum_ in ("47+38", "5")]
    drawn = SamplingSettings(1, 0.8, 24, entropy_of=whole_completion)

    def look(settings: SamplingSettings) -> list[Any]:
        torch.manual_seed(0)
        mine = sample(model, tokenizer, prompts, settings)
        seeded = sample_seeded(model, tokenizer, encode_prompts(tokenizer, prompts), [1, 2], settings)
        return [[(one.text, one.tokens, one.entropy) for one in some] for some in (*mine, seeded)]

    plain = [look(settings) for settings in (drawn, replace(drawn, temperature=0))]
    ends = end_tokens(model, tokenizer)
    for change in hostile(tokenizer):
        model.generation_config = GenerationConfig(eos_token_id=ends, **change)
        assert [look(settings) for settings in (drawn, replace(drawn, temperature=0))] == plain, change


def hostile(tokenizer: Any) -> list[dict[str, Any]]:
    """All that transformers knows of that would make other samples."""
    seven = tokenizer.encode("7", add_special_tokens=False)
    return [
        {"repetition_penalty": 1.5, "no_repeat_ngram_size": 1, "guidance_scale": 2.0, "num_beams": 2},
        {"suppress_tokens": seven, "begin_suppress_tokens": seven, "bad_words_ids": [seven]},
        {"sequence_bias": [[seven, 9.0]]},
        {"min_length": 64, "min_new_tokens": 24, "exponential_decay_length_penalty": (1, 2.0)},
        {"forced_bos_token_id": seven[0], "forced_eos_token_id": seven[0]},
        {"top_k": 2, "top_p": 0.5, "min_p": 0.5, "typical_p": 0.5, "epsilon_cutoff": 0.3, "eta_cutoff": 0.3},
        {"top_h": 0.1},
        {"watermarking_config": WatermarkingConfig()},
    ]


def sampled(model: Any, tokenizer: Any, settings: SamplingSettings) -> list[tuple[list[int], Completion, torch.Tensor]]:
    """Tokens of the text of each completion, the completion, and how unsure the model is of each token by itself."""
    prompts = encode_prompts(tokenizer, [[{"role": "user", "content": sum_}] for sum_ in ("47+38", "5", "12+81")])
    found = []
    for prompt, completion in zip(prompts, sample_seeded(model, tokenizer, prompts, [1, 2, 3], settings), strict=True):
        ids = tokenizer.encode(completion.text, add_special_tokens=False)
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 :]
        chances = torch.softmax(logits.float(), -1).topk(5).values
        found.append((ids, completion, -(chances * chances.log2()).nan_to_num().sum(-1)))
    return found


@pytest.mark.parametrize("weight", ["answer-entropy", "token-entropy"])
def test_rows_with_an_answer_have_it_where_votes_are_weighed(attempts: Attempts, sft: Made, weight: str) -> None:
    shape: dict[str, Any] = {"grader": "exact-match", "maxTokens": 4, "temperature": 0.8}
    plain = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", **shape)])
    weighed = attempts.run(
        "evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", vote={"weight": weight}, **shape)]
    )
    assert weighed.code == 0, weighed.result
    found = rows(weighed, "o.jsonl")
    assert [("entropy" in row) for row in found] == [row["answer"] is not None for row in found]
    assert any(row.get("entropy", 0) > 0 for row in found)
    assert [{key: value for key, value in row.items() if key != "entropy"} for row in found] == rows(plain, "o.jsonl")
