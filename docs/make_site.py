"""Build the documentation site: ``make docs``, or ``make docs ARGS=--serve`` to look at it.

``make docs ARGS=--links`` asks every address outside whether it answers, and needs a network. Links within the site are
checked by every build.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
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


def check_links() -> int:
    """Ask every address outside, and say which do not answer; return 0 if all do."""
    target = TARGET.parent / "links"
    build(["-b", "linkcheck", "-q", str(SOURCE), str(target)])
    found = [json.loads(line) for line in (target / "output.json").read_text("utf-8").splitlines()]
    outside = [link for link in found if link["uri"].startswith("http")]
    broken = [link for link in outside if link["status"] in ("broken", "timeout")]
    sys.stdout.write(f"{len(outside)} links to other hosts, {len(broken)} without an answer\n")
    if broken and len(broken) == len(outside):
        sys.stdout.write("None answered: is there a network? Links within the site need none; make docs checks them.\n")
    return int(bool(broken))


def main() -> int:
    """Build with warnings as errors; show the site where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help="show the site on this machine")
    parser.add_argument("--port", type=int, default=8000, help="port for --serve (default 8000; 0: any free one)")
    parser.add_argument("--links", action="store_true", help="ask every address outside instead (needs a network)")
    given = parser.parse_args()
    if given.links:
        return check_links()
    status = build(["-b", "html", "-q", "-W", "--keep-going", str(SOURCE), str(TARGET)])
    if status == 0:
        sys.stdout.write(f"{TARGET / 'index.html'}\n")
        if given.serve:
            serve(given.port)
    return status


if __name__ == "__main__":
    sys.exit(main())
