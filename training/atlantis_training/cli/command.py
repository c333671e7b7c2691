"""The command ``atlantis``, which says what is missing where only the library is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from atlantis_training.signals import end_like_ctrl_c


def main() -> None:
    """Run the command line, or say in a line that its packages are not there."""
    if find_spec("typer") is None:
        print("Error: typer not installed: pip install 'atlantis-envs[eval]'", file=sys.stderr)
        raise SystemExit(2)
    end_like_ctrl_c()
    try:
        from atlantis_training.cli.app import main as run

        run()
    except KeyboardInterrupt:  # while modules load
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
