import numpy as np
import pytest
from scipy import sparse

from pluribus._engine import number_array, real_number, whole_number


@pytest.mark.parametrize(
    "value", [2.0, True, "2", None, [2], -1, np.array([2]), np.float64(2), np.bool_(True), object()]
)
def test_no_whole_number(value):
    with pytest.raises(ValueError, match="n=.*give a whole number, 0 or more"):
        whole_number("n", value, 0)


def test_whole_numbers():
    assert whole_number("n", np.int8(3), 0, 3) == 3
    with pytest.raises(ValueError, match="n=4: give a whole number, from 0 to 3"):
        whole_number("n", 4, 0, 3)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, np.inf, None, "0.5", [0.5], 1j, True])
def test_no_share(value):
    with pytest.raises(ValueError, match="q=.*give a number from 0 to 1"):
        real_number("q", value, 0, 1)


@pytest.mark.parametrize(
    "value",
    [
        "x",
        [1, [2]],
        [1, "x"],
        {"a": 1},
        np.array([1j]),
        sparse.eye_array(2),
        object(),
        np.array(["2020"], "M8[Y]"),
    ],
)
def test_no_numbers(value):
    with pytest.raises(ValueError, match="V=.*give numbers"):
        number_array("V", value)


def test_numbers_keep_their_shape():
    assert number_array("V", [[1, 2]]).tolist() == [[1.0, 2.0]]
    assert number_array("V", np.ones(2, np.float16)).dtype == np.float64


@pytest.mark.filterwarnings("error")
def test_short_floats_are_compared_with_bounds_that_they_cannot_hold():
    assert real_number("held", np.float32(2.5), 0, 1e300) == 2.5
    assert real_number("held", np.float16(0.5), 0, 1e6) == 0.5
    with pytest.raises(ValueError, match="held=.*give a number from 0 to 1e"):
        real_number("held", 10**400, 0, 1e300)
