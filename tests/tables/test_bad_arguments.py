"""What cannot be meant is refused in words."""

import numpy as np
import pandas as pd
import pytest

from pluribus.tables import Table, TableError, as_table, prepare

FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prepare(FRAME), "of type DataFrame"),
        (lambda: prepare(as_table(FRAME)).recipe.apply([1]), "of type list"),
        (lambda: Table([1, 2], np.array(["x", "y"]), "t"), "of type list"),
        (lambda: Table(FRAME, FRAME, "t"), "ids of type DataFrame"),
        (lambda: Table(FRAME, iter("xy"), "t"), "ids of type str_"),
        (lambda: as_table(FRAME, ignore=5), "columns=5: give a list of names of columns"),
        (lambda: as_table(FRAME, ignore=[np.zeros(0)]), "which is to be ignored"),
        (lambda: as_table(FRAME, id_column=FRAME), "id_column="),
        (lambda: as_table(FRAME, least_rows="2"), "least_rows='2'"),
    ],
)
def test_refused(call, message):
    with pytest.raises(TableError, match=message):
        call()
