"""One case: a call made of valid arguments, of which some were made hostile, and its verdict."""

import contextlib
import copy
import inspect
import pickle
import shutil
import time
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn.base
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from attack import arguments as valid
from attack import hostile
from attack.scene import Scene
from attack.targets import Target, calls
from attack.verdict import fault_of, faults_in, place_of

_LEFT = ("case", "summary", "result", "stored", "dtype")  # objects of the library, and a word of numpy's


class Outcome(NamedTuple):
    """What became of a case."""

    verdict: str  # "result", "refused" or "finding"
    problem: str = ""
    place: str = ""
    traceback: str = ""
    given: str = ""
    seconds: float = 0.0


class Call(NamedTuple):
    """A call: of a function or a class, of an estimator that is made and fitted, or of a method of an object."""

    owner: Any  # the class of an estimator, or None
    parameters: dict[str, Any]
    function: Callable[..., Any]
    arguments: dict[str, Any]
    subject: Any = None  # what a method is called on

    def run(self) -> Any:
        """Make the call. Generators are asked for one item."""
        given = {name: value for name, value in self.arguments.items() if not name.startswith("*")}
        more = [item for name, value in self.arguments.items() if name.startswith("*") for item in value]
        if self.owner is not None:
            model = self.owner(**self.parameters)
            return self.function(model, *more, **given)
        if self.subject is not None:
            result = getattr(copy.deepcopy(self.subject), self.function.__name__)(*more, **given)
        else:
            result = self.function(*more, **given)
        return next(result, None) if isinstance(result, Iterator) else result

    def changed(self, change: Callable[[str, Any], Any]) -> "Call | None":
        """The same call with other arguments; None if nothing changes."""
        new = {name: change(name, value) for name, value in self.arguments.items()}
        if all(new[name] is value for name, value in self.arguments.items()):
            return None
        return self._replace(arguments=new)

    def describe(self) -> str:
        """The arguments, as far as a line each can show them."""
        given = {**self.parameters, **self.arguments}
        return "\n".join(f"{name} = {_shown(value)}" for name, value in given.items())


def run_case(name: str, number: int, seed: int) -> Outcome:
    """Run a case and judge it. Number 0 is a plain valid call, which must give a result."""
    target = calls()[name]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
    scene = Scene(rng, plain=number == 0)
    np.random.seed(seed)  # noqa: NPY002 (what is drawn without a generator of its own is drawn the same again)
    started = time.process_time()
    try:
        outcome = _judged(target, scene)
    finally:
        if "folder" in vars(scene):
            shutil.rmtree(scene.folder, ignore_errors=True)
    return outcome._replace(seconds=time.process_time() - started)


def _judged(target: Target, scene: Scene) -> Outcome:
    try:
        with warnings.catch_warnings(record=True) as before_call:
            warnings.simplefilter("always")
            call = make_call(target, scene)
    except Exception as error:  # valid arguments could not be made of this scene
        if scene.plain or fault_of(error) is not None:
            return finding(f"in making the arguments: {error}", error)
        return Outcome("refused")
    touched = 0 if scene.plain else _make_hostile(call, target, scene)
    described = call.describe()
    before = _frozen(call)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = call.run()
            problems = faults_in(result, target, [*warned, *_of_models(before_call)], _n_objects(call))
            if not problems and touched == 0:
                from attack.relations import broken

                problems = broken(call, target, scene, result)
        except Exception as error:
            fault = fault_of(error)
            if fault is None and not scene.plain:
                return Outcome("refused")
            return finding(fault or "a plain call is refused", error)._replace(given=described)
    if not problems and _frozen(call) != before:
        problems = ["an argument was changed"]
    if problems:
        return Outcome("finding", problems[0], target.name, given=described)
    return Outcome("result")


def make_call(target: Target, scene: Scene) -> Call:
    """A valid call."""
    function = target.function
    given = valid.arguments(function, target, scene)
    for parameter in valid.parameters(function):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL and parameter.name in given:
            items = given.pop(parameter.name)
            given["*" + parameter.name] = items if isinstance(items, list) else [items]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            given.pop(parameter.name, None)
    if target.kind == "estimator":
        return Call(target.owner, valid.arguments(target.owner, target, scene), function, given)
    if target.kind == "method" and not inspect.ismethod(function):  # class methods are functions
        return Call(None, {}, function, given, valid.instance(target, scene))
    return Call(None, {}, function, given)


def _of_models(warned: list[Any]) -> list[Any]:
    """Warnings about a fitted model that a method is called on, which need not come again."""
    return [warning for warning in warned if issubclass(warning.category, ConvergenceWarning)]


def _make_hostile(call: Call, target: Target, scene: Scene) -> int:
    """Replace some arguments; how many."""
    rng = scene.rng
    places = [(given, name) for given in (call.parameters, call.arguments) for name in given]
    places = [(given, name) for given, name in places if name not in valid.SILENT and name not in _LEFT]
    if not places:
        return 0
    number = min(int(rng.choice([0, 1, 1, 1, 2, 3])), len(places))
    for place in rng.choice(len(places), number, replace=False):
        given, name = places[place]
        given[name] = _hostile(given[name], name, scene)
        if callable(given[name]) and valid.takes_functions(target, name):
            given[name] = hostile.failing
    return number


def _hostile(value: Any, name: str, scene: Scene) -> Any:
    rng = scene.rng
    if name.startswith("*"):
        return [_hostile(item, name[1:], scene) for item in value]
    if isinstance(value, list) and value and isinstance(value[0], tuple | int | float):
        value = np.array(value)  # pairs
    if isinstance(value, Path):
        return hostile.path(value, scene)
    if rng.random() < 0.15 and not isinstance(value, bool):
        return hostile.junk(scene)
    if isinstance(value, np.ndarray):
        return hostile.disguised(value, scene) if rng.random() < 0.5 else hostile.damaged(value, scene)
    if isinstance(value, bool):
        return (0, 1, None, "yes", 2.5, np.bool_(True))[int(rng.integers(6))]  # as Python takes them for true or false
    if value is None or isinstance(value, int | float | np.number):
        return hostile.number(scene, large=name not in valid.COSTLY)
    if isinstance(value, str):
        return hostile.text(rng)
    if isinstance(value, sklearn.base.BaseEstimator) or not hasattr(value, "columns"):
        return hostile.junk(scene)
    return _hostile_frame(value, scene)


def _hostile_frame(frame: Any, scene: Scene) -> Any:
    """A table with other columns, cells or rows."""
    rng, frame = scene.rng, frame.copy()
    column = frame.columns[int(rng.integers(frame.shape[1]))]
    kind = int(rng.integers(9))
    if kind == 0:
        return frame.rename(columns={column: hostile.PAYLOADS[int(rng.integers(len(hostile.PAYLOADS)))]})
    if kind == 1:
        return frame.iloc[: int(rng.integers(3))]
    if kind == 2:
        return frame.rename(columns=lambda _: "same")
    if kind == 3:
        return frame.astype({column: "category"})
    if kind == 4:
        return hostile._polars().from_pandas(frame)
    if kind == 5:
        return frame.drop(columns=column)
    values = frame[column].to_numpy()
    wrong = hostile.damaged(values, scene) if values.dtype.kind == "f" else rng.choice(hostile.PAYLOADS, len(frame))
    if kind == 6 or isinstance(wrong, list) or wrong.shape != (len(frame),):
        return frame.assign(**{column: rng.choice(np.array([np.nan, np.inf, 1e308, -1.0]), len(frame))})
    return frame.assign(**{str(column): wrong})


def _n_objects(call: Call) -> int | None:
    """How many objects the first argument of a fit describes, if that is plain to see."""
    for name in ("ensemble", "X"):
        value = call.arguments.get(name)
        if sparse.issparse(value) or isinstance(value, np.ndarray) or hasattr(value, "columns"):
            return value.shape[0]
        if name in call.arguments:
            return None
    return None


def _frozen(call: Call) -> list[bytes]:
    """The contents of all arrays, tables and lists given."""
    frozen = []
    for value in (*call.parameters.values(), *call.arguments.values()):
        if sparse.issparse(value):
            entries = value.tocoo()
            value = [entries.data, *entries.coords]  # not what it keeps on its own order
        if isinstance(value, np.ndarray | list | dict) or hasattr(value, "columns"):
            with contextlib.suppress(Exception):  # not all can be pickled
                frozen.append(pickle.dumps(value))
    return frozen


def finding(problem: str, error: BaseException) -> Outcome:
    """An error that should not be."""
    text = "".join(traceback.format_exception(error))
    return Outcome("finding", f"{problem}: {type(error).__name__}: {error}"[:300], place_of(error), text)


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        text = f"(no repr: {error})"
    kind = f"{type(value).__module__}.{type(value).__name__}"
    more = f" {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else ""
    return f"{kind}{more}: {text[:300]}"
