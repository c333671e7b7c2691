"""Build the documentation site: ``make docs``, or ``make docs ARGS=--serve`` to look at it.

``make docs ARGS=--links`` asks every address outside whether it answers, and needs a network. Links within the site and
links of README to files are checked by every build.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import main as build

SOURCE = Path(__file__).parent
README = SOURCE.parent / "README.md"
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


def readme_links() -> list[str]:
    """Return the addresses outside that README names, each as a link."""
    return [f"<{link}>" for link in re.findall(r"\]\((https?://[^)\s]+)\)", README.read_text("utf-8"))]


def missing_files() -> list[str]:
    """Return the links of README that lead to no file."""
    links = re.findall(r"\]\(([^)\s#]+)", README.read_text("utf-8"))
    return [link for link in links if "://" not in link and not (README.parent / link).exists()]


def check_links() -> int:
    """Ask every address outside, and say which do not answer; return 0 if all do."""
    target = TARGET.parent / "links"
    with TemporaryDirectory(dir=SOURCE) as folder:  # README is no page of the site
        page = Path(folder) / "readme.md"
        page.write_text("---\norphan: true\n---\n# README\n\n" + "\n\n".join(readme_links()), "utf-8")
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
    sys.stdout.writelines(f"README.md: {link}: no such file\n" for link in missing_files())
    status = build(["-b", "html", "-q", "-W", "--keep-going", str(SOURCE), str(TARGET)]) or int(bool(missing_files()))
    if status == 0:
        sys.stdout.write(f"{TARGET / 'index.html'}\n")
        if given.serve:
            serve(given.port)
    return status


if __name__ == "__main__":
    sys.exit(main())
