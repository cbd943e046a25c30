"""What other rooms may use of this one, and users need not know."""

from pluribus.studio.open_studio import check_installed, desk_in, run_desk

__all__ = ["check_installed", "desk_in", "run_desk"]
