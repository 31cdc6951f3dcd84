"""The site as a static host gives it, below a path of its own, and a browser in front of it."""

import functools
import http.server
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SITE = ROOT / "build" / "site"
SHOTS = ROOT / "build" / "shots"


@pytest.fixture(scope="session")
def site():
    """The folder of the site."""
    if not (SITE / "index.html").exists():
        pytest.skip(f"there is no {SITE}/index.html; 'make site' makes it")
    return SITE


@pytest.fixture(scope="session")
def address(site):
    """Where a server has the site: not at its root."""
    handler = functools.partial(Quiet, directory=site.parent)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
    server.shutdown()
    server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def visit(chromium, address):
    """A function that opens a page of the site at a width, and notes what it asked of other hosts and what failed."""
    contexts = []

    def opened(page="index.html", width=1280, dark=False):
        scheme = "dark" if dark else "light"
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(15_000)
        contexts.append(context)
        tab = context.new_page()
        tab.elsewhere, tab.failed = [], []
        tab.on("request", lambda request: tab.elsewhere.append(request.url) if elsewhere(request.url) else None)
        tab.on("response", lambda response: tab.failed.append(response.url) if response.status >= 400 else None)
        tab.on("pageerror", lambda error: tab.failed.append(str(error)))
        tab.goto(address + page)
        return tab

    def elsewhere(url):
        return not url.startswith((address, "data:", "blob:"))

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def keep():
    """A function that keeps a picture of a page."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.screenshot(path=SHOTS / f"{name}.png")
