import numpy as np
import pytest

from pluribus.similarity.pairwise._spaces import _solved


@pytest.mark.parametrize("kind", ["gen", "pos"])
def test_singular_equations_have_the_solution_of_least_norm(kind):
    system = np.ones((2, 2))
    assert _solved(system, np.array([2.0, 2.0]), kind) == pytest.approx([1, 1])
    regular = np.array([[2.0, 0], [0, 4]])
    assert _solved(regular, np.array([2.0, 2.0]), kind) == pytest.approx([1, 0.5])
