"""All targets by name: calls, commands and faults."""

from attack import cases, commands, faults
from attack.cases import Outcome
from attack.targets import calls


def names() -> list[str]:
    """The names of all targets."""
    return [*calls(), *commands.names(), *faults.names()]


def run(name: str, number: int, seed: int) -> Outcome:
    """Run a case of a target."""
    if name.startswith("cli."):
        return commands.run_case(name, number, seed)
    if name.startswith("faults."):
        return faults.run_case(name, number, seed)
    return cases.run_case(name, number, seed)
