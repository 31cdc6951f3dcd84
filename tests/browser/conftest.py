"""The browser in which JupyterLab and the site are tested."""

from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
QUIET = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update"


@pytest.fixture(scope="session")
def chromium():
    """Headless Chromium, which asks nothing of other hosts by itself."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}; 'make test-lab' and 'make test-site' install it where apt-get is")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; 'make test-lab' does")
    playwright.expect.set_options(timeout=20_000)
    with playwright.sync_playwright() as started:
        arguments = [f"--{option}" for option in [*QUIET.split(), "disable-sync"]]
        browser = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()
