"""Files that are there whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; move it over `path` on success, remove it on error.

    A reader sees the old file or the new one, never a half of it, at whatever moment the writer is killed.
    The temporary name keeps the suffix, since many writers choose their format by it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pluribus._engine import atomic_path
    >>> target = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("id,cluster")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('id,cluster', 1)
    """
    target = Path(path)
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
