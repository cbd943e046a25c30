import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

CENTERS = [[0, 0, 0], [9, 0, 0], [0, 9, 0]]


@pytest.fixture(scope="session")
def blobs_frame():
    """90 rows in three clusters, with ids, a category and a column that is no feature."""
    X, y = make_blobs(90, centers=CENTERS, random_state=0)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.insert(0, "id", [f"row {i}" for i in range(90)])
    return frame.assign(team=np.where(y == 0, "red", "blue")), y
