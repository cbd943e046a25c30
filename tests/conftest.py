"""Shared by all tests: a headless browser, a Dask cluster, and a word about browser tests that did not run."""

import os
import shutil
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from kernel_cache import keep_kernels

# Numba reads where its cache is when it is imported.
keep_kernels(Path(find_spec("pluribus").origin).with_name("_kernels"))

# Threads of BLAS and OpenMP would compete with other workers of pytest and other jobs, and wait for each other. This is
# read when the libraries are loaded, so it comes before everything that imports numpy.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# A kernel's first call compiles it: examples have no deadline. The same commit tries the same examples every time;
# new ones are looked for with `pytest --hypothesis-profile=default`. `make test-all` tries more of them.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.load_profile("quick")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")
NO_BROWSER = "needs Chromium and chromedriver, which are not installed"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items):
    # Each worker of pytest starts with a run of consecutive tests. If those with Dask come first, one cluster will do.
    items.sort(key=lambda item: "dask_client" not in getattr(item, "fixturenames", ()))
    if CHROMIUM is None or CHROMEDRIVER is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    result = yield
    left_out = [r for r in terminalreporter.stats.get("skipped", []) if NO_BROWSER in str(r.longrepr)]
    if left_out:
        terminalreporter.write_line("")
        terminalreporter.write_line(f"{len(left_out)} browser tests were left out ({NO_BROWSER}).", yellow=True)
        terminalreporter.write_line("To run them too: make browser, then make test.", yellow=True)
    return result


@pytest.fixture(scope="session")
def _driver(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def browser(_driver):
    """A WebDriver for headless Chromium: no page open, logs empty, no emulation of other devices."""
    _driver.get("about:blank")
    _driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    _driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    for log in ("browser", "performance"):
        _driver.get_log(log)
    return _driver


@contextmanager
def _dask_client():
    import dask
    from distributed import Client, LocalCluster

    with (
        # On a busy machine a worker that was killed may take longer to come back than the cluster would wait.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


_dask = ExitStack()
_clients = []


@pytest.fixture
def dask_client():
    """A client of a Dask cluster with two worker processes, which is also the client in scope."""
    if not _clients:
        _clients.append(_dask.enter_context(_dask_client()))
    return _clients[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """Close the cluster before the first test that does not use it: while idle it takes a twentieth of a core."""
    if _clients and "dask_client" not in getattr(nextitem, "fixturenames", ()):
        _clients.clear()
        _dask.close()
