"""What a single cell of text may mean."""

from __future__ import annotations

# A cell that says, in any column, that there is no value.
MISSING = frozenset(
    ["", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"]
    + ["N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NAME?"]
)
# A cell that says so among numbers or dates, where it could be a category elsewhere (compared in lower case).
MISSING_AMONG_NUMBERS = frozenset(
    ["-", "--", "---", ".", "..", "none", "n.a.", "na", "nil", "missing", "unknown", "not available", "n.d."]
)

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
INTEGER = r"[+-]?[0-9]+"
POINT_NUMBER = rf"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}"
COMMA_NUMBER = rf"[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+){_EXPONENT}"
INFINITE = r"[+-]?(?:inf|Inf|INF|infinity|Infinity)"
# Meant as a number by a person, but written with units or with separators that have to be guessed.
NUMBER_LIKE = rf"[$€£]? ?[+-]?(?:[0-9]+|[0-9]{{1,3}}(?:[., '][0-9]{{3}})+)(?:[.,][0-9]+)?{_EXPONENT} ?[%$€£]?"
THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+"
DATE_LIKE = r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}(?:[ T][0-9:.]+Z?)?"
