"""The dip test: whether numbers have more than one mode."""

import numpy as np

from pluribus._kernels.points.dip import dip_statistic

SIZES = (4, 6, 8, 12, 20, 40, 80, 160, 400, 1_000, 3_000)
PROBABILITIES = (0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
# √n × dip that a uniform sample of n exceeds with these probabilities (scripts/dip_quantiles.py, 40,000 draws each).
_TABLE = np.array([
    (0.2500, 0.2500, 0.2500, 0.2656, 0.3155, 0.3764, 0.4155, 0.4473, 0.4634, 0.4750, 0.4841, 0.4886),  # 4
    (0.2041, 0.2554, 0.3019, 0.3438, 0.3654, 0.3899, 0.4039, 0.4420, 0.4732, 0.4965, 0.5224, 0.5407),  # 6
    (0.2321, 0.2824, 0.3145, 0.3413, 0.3548, 0.4005, 0.4354, 0.4690, 0.4887, 0.5067, 0.5263, 0.5513),  # 8
    (0.2505, 0.2819, 0.3154, 0.3562, 0.3805, 0.4146, 0.4494, 0.4872, 0.5124, 0.5360, 0.5614, 0.5851),  # 12
    (0.2546, 0.2962, 0.3281, 0.3684, 0.3953, 0.4357, 0.4703, 0.5121, 0.5385, 0.5644, 0.5938, 0.6167),  # 20
    (0.2641, 0.3058, 0.3422, 0.3838, 0.4122, 0.4548, 0.4918, 0.5351, 0.5665, 0.5947, 0.6307, 0.6450),  # 40
    (0.2718, 0.3153, 0.3525, 0.3961, 0.4248, 0.4683, 0.5076, 0.5533, 0.5876, 0.6242, 0.6589, 0.6860),  # 80
    (0.2783, 0.3229, 0.3604, 0.4039, 0.4331, 0.4776, 0.5178, 0.5654, 0.5976, 0.6316, 0.6695, 0.6925),  # 160
    (0.2841, 0.3295, 0.3679, 0.4120, 0.4420, 0.4884, 0.5276, 0.5791, 0.6127, 0.6445, 0.6868, 0.7150),  # 400
    (0.2876, 0.3330, 0.3710, 0.4164, 0.4470, 0.4946, 0.5341, 0.5849, 0.6196, 0.6507, 0.6934, 0.7156),  # 1000
    (0.2908, 0.3367, 0.3744, 0.4192, 0.4505, 0.4968, 0.5382, 0.5886, 0.6236, 0.6579, 0.6995, 0.7380),  # 3000
])  # fmt: skip


def dip_p_value(values: np.ndarray) -> float:
    """The probability of a dip as large in a sample of the uniform distribution, the worst case of one mode.

    Between 0.001 and 1; beyond the table the nearest entry counts.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._dip import dip_p_value
    >>> one = np.random.default_rng(0).normal(size=200)
    >>> dip_p_value(one) > 0.5, round(dip_p_value(np.append(one, one + 6)), 3)
    (True, 0.001)
    """
    n = len(values)
    if n < SIZES[0]:
        return 1.0
    scaled = np.sqrt(n) * dip_statistic(np.sort(np.asarray(values, np.float64)))
    at = np.log(min(n, SIZES[-1]))
    quantiles = [float(np.interp(at, np.log(SIZES), column)) for column in _TABLE.T]
    if scaled < quantiles[0]:
        return 1.0
    return float(np.exp(np.interp(scaled, quantiles, np.log(PROBABILITIES))))
