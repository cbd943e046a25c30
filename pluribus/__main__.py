"""``python -m pluribus``: the command line."""

from pluribus.cli import main

if __name__ == "__main__":
    main()
