"""What other rooms may use of this one, and users need not know."""

from pluribus.alternative._shared.known import read_known
from pluribus.alternative._shared.residuals import Residuals

__all__ = ["Residuals", "read_known"]
