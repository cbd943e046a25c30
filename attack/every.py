"""All targets by name: calls, commands and faults."""

from attack import cases, commands, faults
from attack.cases import Outcome
from attack.targets import calls


def names() -> list[str]:
    """The names of all targets."""
    return [*calls(), *commands.names(), *faults.names()]


def quick_names() -> list[str]:
    """The names of the targets without those that start jobs, or that take a second."""
    return [name for name in names() if name not in faults.JOBS and name != "cli.demo"]


def run(name: str, number: int, seed: int) -> Outcome:
    """Run a case of a target."""
    rooms = {"cli": commands.run_case, "faults": faults.run_case}
    runs = rooms.get(name.partition(".")[0], cases.run_case)
    try:
        return runs(name, number, seed)
    except Exception as error:
        return cases.finding("the attack itself fails", error)
