"""The command ``atlantis``, a part of which works where only the library is installed."""

from __future__ import annotations

import sys

from atlantis_training.signals import end_like_ctrl_c

OF_EXTRAS = ("typer", "rich", "click")  # what reading the command line needs


def main() -> None:
    """Run the command line, or the part of it that needs no extra."""
    end_like_ctrl_c()
    try:
        try:
            from atlantis_training.cli.app import main as run
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in OF_EXTRAS:
                raise
            from atlantis_training.cli.plain import run_plain

            run_plain(sys.argv[1:])
        else:
            run()
    except KeyboardInterrupt:  # while modules load
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
