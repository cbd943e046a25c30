"""The two rules of the house that the layers do not express, as a contract of import-linter.

Doors: a module or folder whose name begins with an underscore belongs to the folder it lies in, and only modules below
that folder import it. A room's ``_internal`` is its door to other rooms. It may open any folder of its own room, as
the room's ``__init__`` and ``_registry`` may.

Methods: a plain module in a family's folder is a method. Methods use helpers, not each other.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

_OPENERS = ("_internal", "_registry")


def _owner(module: str) -> str | None:
    """The folder that the first private part of a module's path belongs to; None if all of it is public."""
    parts = module.split(".")
    for depth in range(2, len(parts)):
        if parts[depth].startswith("_"):
            is_door = depth == 2 and parts[depth] == "_internal"
            return None if is_door else ".".join(parts[:depth])
    return None


def _opens(importer: str, room: str) -> bool:
    """Whether a module is the room itself, or one of those that may open all of its folders."""
    return importer == room or importer in {f"{room}.{name}" for name in _OPENERS}


class HouseContract(Contract):
    """Doors between folders, and methods that do not import each other."""

    method_rooms = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import once."""
        broken = []
        for importer in sorted(graph.modules):
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                reason = self._objection(importer, imported)
                if reason:
                    broken.append(f"{importer} imports {imported}: {reason}")
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def _objection(self, importer: str, imported: str) -> str:
        room = ".".join(imported.split(".")[:2])
        owner = _owner(imported)
        if owner is not None and not (importer + ".").startswith(owner + ".") and not _opens(importer, room):
            return f"it is private to {owner}"
        if self._is_method(importer) and self._is_method(imported) and importer.startswith(room + "."):
            return "a method imports helpers, not another method"
        return ""

    def _is_method(self, module: str) -> bool:
        """pluribus.room.family.method, none of them private."""
        parts = module.split(".")
        return len(parts) == 4 and parts[1] in self.method_rooms and not any(p.startswith("_") for p in parts)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports are in the way."""
        for line in check.metadata["broken"]:
            output.print_error(line)
