"""The entropy by which votes are weighed: what the model says of its own tokens, and where the answer is."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support import Attempts, Made
from test_evaluate import evaluation, rows

from temper_trainers.entropy import TokenEntropies, answer_tokens

TOKENS = ["so ", "\\boxed{", "8", "5", "}", "", " or \\boxed{9", "7}", " done"]


def decode(tokens: list[int]) -> str:
    return "".join(TOKENS[token] for token in tokens)


@pytest.mark.parametrize(
    ("title", "tokens", "want"),
    [
        ("between the braces", [0, 1, 2, 3, 4], [2, 3]),
        ("with what ends it", [0, 1, 2, 3, 4, 5], [2, 3]),
        ("of the last box, of tokens that hold more than the answer", [1, 2, 4, 6, 7, 8], [3, 4]),
        ("all where there is no box", [0, 8], [0, 1]),
        ("all where it is never closed", [0, 1, 2], [0, 1, 2]),
        ("all where it is empty", [0, 1, 4], [0, 1, 2]),
    ],
)
def test_the_tokens_of_an_answer(title: str, tokens: list[int], want: list[int]) -> None:
    assert list(answer_tokens(decode, tokens)) == want, title


def test_entropy_is_in_bits_over_the_five_likeliest_and_not_scaled_up() -> None:
    import torch

    entropies = TokenEntropies()
    even = torch.zeros(1, 8)
    sure = torch.tensor([[100.0, 0, 0, 0, 0, 0, 0, 0]])
    for scores in (even, sure):
        assert entropies(None, scores) is scores
    assert entropies.rows() == [pytest.approx([5 * 3 / 8, 0], abs=1e-6)]


def test_a_sample_tells_how_sure_the_model_was(attempts: Attempts, sft: Made) -> None:
    """Held against one look at the whole completion, which keeps no step of the sampling."""
    import torch

    from temper_trainers.loaded_models import LoadedModels
    from temper_trainers.request import Params, read_checkpoint
    from temper_trainers.sampling import SamplingSettings, encode_prompts, sample_seeded

    model, tokenizer = LoadedModels().load(read_checkpoint(Params(sft.checkpoint(), "checkpoint")))
    prompts = encode_prompts(tokenizer, [[{"role": "user", "content": sum_}] for sum_ in ("47+38", "5", "12+81")])
    drawn = sample_seeded(model, tokenizer, prompts, [1, 2, 3], SamplingSettings(1, 0.8, 24, entropies=True))
    for prompt, completion in zip(prompts, drawn, strict=True):
        ids = tokenizer.encode(completion.text, add_special_tokens=False)
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 :]
        chances = torch.softmax(logits.float(), -1).topk(5).values
        want = (-(chances * chances.log2()).nan_to_num().sum(-1))[: completion.tokens]
        assert completion.token_entropy == pytest.approx(float(want.mean()), abs=1e-4)
        assert completion.answer_entropy is not None
        assert 0 <= completion.answer_entropy <= math.log2(5) + 0.1


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
