"""The model that is in memory now, and how to get from it to the next one with the least loading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peft import PeftModel

from .errors import DataError
from .model import load_model, load_tokenizer, model_folder, require_adapter
from .request import Checkpoint


class LoadedModels:
    """Keeps one full model loaded and exchanges the adapter over it."""

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._folder: Path | None = None
        self._adapter: Path | None = None
        self._model: Any = None
        self._tokenizer: Any = None

    def load(self, checkpoint: Checkpoint) -> tuple[Any, Any]:
        """Model and tokenizer of this checkpoint."""
        folder = model_folder(checkpoint)
        bare_again = checkpoint.base is None and self._adapter is not None
        if folder != self._folder or bare_again:
            self._model = None  # freed before the next one is read
            self._model, self._tokenizer = load_model(folder), load_tokenizer(folder)
            self._folder, self._adapter = folder, None
        if checkpoint.base is not None and checkpoint.path != self._adapter:
            self._exchange_adapter(checkpoint.path)
        return self._model, self._tokenizer

    def _exchange_adapter(self, adapter: Path) -> None:
        try:
            if self._adapter is None:
                self._model = PeftModel.from_pretrained(self._model, str(adapter))
            else:
                self._model.delete_adapter("default")
                self._model.load_adapter(str(adapter), "default")
                self._model.set_adapter("default")
        except (OSError, ValueError) as error:
            raise DataError(f"cannot load the adapter {adapter}: {error}") from error
        require_adapter(self._model, adapter)
        self._adapter = adapter
