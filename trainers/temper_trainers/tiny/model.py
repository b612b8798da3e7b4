"""The tiny tokenizer and model, made in-process: 28 tokens, a Harmony-like template, a GPT-OSS with 4 experts."""

from __future__ import annotations

from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import GptOssConfig, GptOssForCausalLM, PreTrainedTokenizerFast

PAD_ID, START_ID, RETURN_ID = 0, 1, 4
SPECIAL = ["<|pad|>", "<|start|>", "<|message|>", "<|end|>", "<|return|>", "<|unk|>"]
# `\boxed{` must not be a special token: completions are decoded without those
WORDS = ["user", "assistant", "\\boxed{", "}", *"0123456789+-=;?() "]
TEMPLATE = (
    "{%- for m in messages %}<|start|>{{ m['role'] }}<|message|>{{ m['content'] }}"
    "{% if m['role']=='assistant' and loop.last and not add_generation_prompt %}<|return|>{% else %}<|end|>{% endif %}"
    "{%- endfor %}{%- if add_generation_prompt %}<|start|>assistant<|message|>{%- endif %}"
)


def make_tokenizer() -> Any:
    """The tiny tokenizer with its chat template."""
    vocabulary = {word: number for number, word in enumerate(SPECIAL + WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<|unk|>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\\boxed\{|user|assistant|."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        eos_token="<|return|>",
        bos_token="<|start|>",
        unk_token="<|unk|>",
        additional_special_tokens=["<|message|>", "<|end|>"],
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def make_model(vocabulary_size: int) -> Any:
    """An untrained model in float32, drawn from torch's current random state. Sizes are multiples of 32 for MXFP4."""
    return GptOssForCausalLM(
        GptOssConfig(
            num_hidden_layers=2,
            num_local_experts=4,
            num_experts_per_tok=2,
            vocab_size=vocabulary_size,
            hidden_size=64,
            intermediate_size=64,
            head_dim=16,
            num_attention_heads=4,
            num_key_value_heads=2,
            sliding_window=64,
            max_position_embeddings=128,
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
            layer_types=["sliding_attention", "full_attention"],
            pad_token_id=PAD_ID,
            eos_token_id=RETURN_ID,
            bos_token_id=START_ID,
            router_aux_loss_coef=0.0,
        )
    )
