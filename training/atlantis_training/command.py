"""The command ``atlantis``, which says what is missing where only the library is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line, or say in a line that its packages are not there."""
    if find_spec("typer") is None:
        print("Error: typer not installed: pip install 'atlantis-envs[eval]'", file=sys.stderr)
        raise SystemExit(2)
    try:
        from atlantis_training.cli import main as run

        run()
    except KeyboardInterrupt:  # while modules load
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
