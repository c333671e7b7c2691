"""Build the documentation site: ``make docs``, or ``make docs ARGS=--serve`` to look at it."""

from __future__ import annotations

import argparse
import functools
import http.server
import sys
from pathlib import Path

from sphinx.cmd.build import main as build

SOURCE = Path(__file__).parent
TARGET = SOURCE.parent / "build" / "docs"


def serve(port: int) -> None:
    """Show the built site on this machine until Ctrl-C."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(TARGET))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")


def main() -> int:
    """Build with warnings as errors; show the site where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help="show the site on this machine")
    parser.add_argument("--port", type=int, default=8000, help="port for --serve (default 8000; 0: any free one)")
    given = parser.parse_args()
    status = build(["-b", "html", "-q", "-W", "--keep-going", str(SOURCE), str(TARGET)])
    if status == 0:
        sys.stdout.write(f"{TARGET / 'index.html'}\n")
        if given.serve:
            serve(given.port)
    return status


if __name__ == "__main__":
    sys.exit(main())
