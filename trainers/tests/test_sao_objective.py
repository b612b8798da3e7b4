"""SAO's mathematics against values worked out by hand."""

from __future__ import annotations

import pytest
import torch

from temper_trainers.sao_objective import RatioMask, advantages, critic_loss, policy_terms


def test_advantages_follow_a_lambda_by_length_and_stop_at_the_mask() -> None:
    values = torch.tensor([[0.5, 0.25, 9.0], [0.2, 9.0, 9.0]])
    mask = torch.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    found = advantages(values, mask, torch.tensor([1.0, 0.0]), alpha=1.5)
    decay = 1 - 1 / (1.5 * 2)
    last = 1.0 - 0.25
    assert found[0].tolist() == pytest.approx([0.25 - 0.5 + decay * last, last, 0.0])
    assert found[1].tolist() == pytest.approx([-0.2, 0.0, 0.0])


def test_tokens_outside_the_ratio_limits_do_not_count_and_the_ratio_has_no_gradient() -> None:
    behaviour = torch.log(torch.tensor([[0.1, 0.5, 0.5]]))
    chosen = torch.log(torch.tensor([[0.9, 0.55, 0.3]])).requires_grad_()
    terms = policy_terms(chosen, behaviour, torch.tensor([[1.0, 2.0, 1.0]]), torch.ones(1, 3), RatioMask(0.3, 5.0))
    terms.loss.backward()
    assert terms.kept_tokens == 1
    assert chosen.grad is not None
    assert chosen.grad[0].tolist() == pytest.approx([0.0, -1.1 * 2.0, 0.0])


def test_the_critic_aims_at_the_reward_on_every_action_token() -> None:
    loss = critic_loss(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]), torch.tensor([1.0]))
    assert loss.item() == pytest.approx(0.25)
