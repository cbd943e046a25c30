"""Notes on a job: what was chosen on the way and what was warned of, told as it happens and kept for the report."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class Notes:
    """Sentences in the order in which they came up; ``on_note`` gets each one at once."""

    def __init__(self, on_note: Callable[[str], None] | None = None) -> None:
        if on_note is not None and not callable(on_note):
            raise TypeError(f"on_note={on_note!r:.200}: give a function that takes a sentence, or None.")
        self.sentences: list[str] = []
        self._on_note = on_note

    def add(self, sentences: Iterable[str]) -> None:
        """Keep these, and pass them on."""
        for sentence in sentences:
            self.sentences.append(sentence)
            if self._on_note is not None:
                self._on_note(sentence)

    @contextmanager
    def of_warnings(self) -> Iterator[None]:
        """Keep what is warned of inside as notes too; it is warned of all the same."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                self.add([str(warning.message)])
            warnings.warn(warning.message, warning.category, stacklevel=4)
