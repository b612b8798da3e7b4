"""SAO's mathematics on tensors of shape (rows, action tokens): advantages, the hard mask, both losses.

One rollout per prompt. The reward falls on the last action token. Critic: lambda 1, so every token's target is the
rollout's reward. Policy: lambda = 1 - 1/(alpha · length), advantages by GAE over action tokens alone. Ratio
r = exp(log pi - log behaviour), stopped from the gradient; tokens with r outside (1 - below, 1 + above) do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class RatioMask:
    """Tokens count while 1 - below < ratio < 1 + above."""

    below: float
    above: float

    def keeps(self, ratio: torch.Tensor) -> torch.Tensor:
        """Which tokens count."""
        return (ratio > 1 - self.below) & (ratio < 1 + self.above)


@dataclass(frozen=True)
class PolicyTerms:
    """The summed policy loss of some rows (not yet divided by the batch's tokens), and what to report of them."""

    loss: torch.Tensor
    kept_tokens: float
    gap: float


def advantages(values: torch.Tensor, mask: torch.Tensor, rewards: torch.Tensor, alpha: float) -> torch.Tensor:
    """GAE with a lambda by the length of each rollout; zero outside the mask."""
    result = torch.zeros_like(values)
    lengths = mask.sum(1).int().tolist()
    for row, count in enumerate(lengths):
        decay = 1 - 1 / (alpha * count)
        known = values[row, :count].tolist()
        advantage = following = 0.0
        for token in reversed(range(count)):
            reward = rewards[row].item() if token == count - 1 else 0.0
            advantage = reward + following - known[token] + decay * advantage
            following = known[token]
            result[row, token] = advantage
    return result


def policy_terms(
    chosen: torch.Tensor, behaviour: torch.Tensor, advantage: torch.Tensor, mask: torch.Tensor, limits: RatioMask
) -> PolicyTerms:
    """-sg(f(r)) · A · log pi, summed over the tokens that count. `chosen` and `behaviour` are log-probabilities."""
    difference = (chosen - behaviour).detach()
    ratio = difference.exp()
    keep = limits.keeps(ratio) & (mask > 0)
    weight = torch.where(keep, ratio, torch.zeros_like(ratio))
    loss = -(weight * advantage * chosen * mask).sum()
    return PolicyTerms(loss, keep.sum().item(), (difference.abs() * mask).sum().item())


def critic_loss(values: torch.Tensor, mask: torch.Tensor, rewards: torch.Tensor) -> torch.Tensor:
    """Squared distance of every action token's value to the rollout's reward, summed."""
    return (((values - rewards[:, None]) ** 2) * mask).sum()
