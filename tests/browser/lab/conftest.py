"""A JupyterLab server and a browser in front of it, as a student has them."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHOTS = ROOT / "build" / "lab"
IDLE = "Python 3 (ipykernel) | Idle"
SECONDS = 300  # that all cells may take: the first time, numba compiles
ALL_RUN = """() => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(prompt => prompt.textContent)
    return prompts.some(text => /\\d/.test(text)) && !prompts.some(text => text.includes('*'))
}"""  # the cells after one that fails stay without a number


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A folder with a copy of notebooks/."""
    folder = tmp_path_factory.mktemp("jupyter")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    return folder


@pytest.fixture(scope="session")
def server(home):
    """The address of a JupyterLab server whose files are the copy; a user's own settings are left alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": home / "notebooks",
        "ServerApp.allow_root": True,
        "IdentityProvider.token": "",
        "LabApp.extension_manager": "readonly",
    }
    settings = home / "jupyter_config_dir" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", *(f"--{key}={of}" for key, of in options.items())]
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {folder: str(home / folder.lower()) for folder in folders}
    # so that a run that is told to end, and not only one that is interrupted, comes to the 'finally' below
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    log = home / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=os.environ | own, stdout=out, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, process, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(address, process, log, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/api", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    how = f"has ended with {process.returncode}" if process.returncode is not None else f"is silent after {seconds} s"
    pytest.fail(f"JupyterLab at {address} {how}; it said:\n{log.read_text()}", pytrace=False)


@pytest.fixture(scope="session")
def browser(chromium):
    """A fresh profile of the browser."""
    shutil.rmtree(SHOTS, ignore_errors=True)
    context = chromium.new_context(viewport={"width": 1280, "height": 1024})
    context.set_default_timeout(20_000)
    return context


def opened(browser, server, notebook):
    """A page with a notebook whose kernel has started; it reaches nothing but the server."""
    page = browser.new_page()
    page.route(lambda url: not url.startswith((server, "data:", "blob:")), lambda route: route.abort())
    page.goto(f"{server}/lab/tree/{notebook}?reset")  # else it opens the other lessons too
    page.get_by_text(IDLE).wait_for(timeout=60_000)
    return page


def retype(page, text):
    """Type a text in the place of that where the cursor is, line by line, over the indents that the editor makes."""
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    for number, line in enumerate(text.split("\n")):
        if number:
            page.keyboard.press("Enter")
            page.keyboard.press("Shift+Home")
        page.keyboard.type(line) if line else page.keyboard.press("Delete")


def run_all(page):
    for item in ("Run", "Run All Cells"):
        page.get_by_role("menuitem", name=item, exact=True).click()


@pytest.fixture(scope="module")
def page(request, browser, server):
    """A page with one notebook, of which all cells were run from the menu."""
    from playwright.sync_api import TimeoutError

    page = opened(browser, server, f"teaching/{request.param}.ipynb")
    run_all(page)
    try:
        page.wait_for_function(ALL_RUN, timeout=SECONDS * 1000)
        page.get_by_text(IDLE).wait_for()
    except TimeoutError:
        picture = SHOTS / request.param / "failed.png"
        page.screenshot(path=picture)
        pytest.fail(f"{request.param}: some cells are still running after {SECONDS} s, see {picture}", pytrace=False)
    yield page
    page.close()


@pytest.fixture
def keep(request):
    """A function that keeps a picture of the page or of a control in build/lab/."""
    folder = SHOTS / request.node.callspec.params["page"]
    return lambda what, name: what.screenshot(path=folder / f"{name}.png")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """What the page looked like when a test failed is kept too."""
    report = yield
    if call.when == "call" and report.failed and "page" in item.funcargs:
        item.funcargs["page"].screenshot(path=SHOTS / item.callspec.params["page"] / f"failed-{item.originalname}.png")
    return report
