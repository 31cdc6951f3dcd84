"""The site: every link leads somewhere, every page is light, and three people find what they came for."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[3]

SAMPLE = [
    "index.html",
    "docs/README.html",
    "docs/tutorials/lessons.html",
    "docs/how-to/my-cluster.html",
    "docs/how-to/gallery.html",
    "docs/reference/api.html",
    "docs/background/findings.html",
    "exhibits/index.html",
    "exhibits/EXHIBITS.html",
    "exhibits/claims/mualem2001.html",
    "exhibits/mualem2001_table1.html",
    "notebooks/teaching/lesson1-fcfs.html",
    "notebooks/teaching/lesson2-easy.html",
    "notebooks/teaching/lesson3-conservative.html",
    "notebooks/teaching/lesson4a-heel-and-toe.html",
    "notebooks/teaching/lesson4b-a-real-month.html",
    "notebooks/teaching/lesson5a-metrics.html",
    "notebooks/teaching/lesson5b-luck.html",
    "notebooks/teaching/lesson6-own-policy.html",
    "notebooks/teaching/lesson7-your-job.html",
    "notebooks/teaching/assignment.html",
    "notebooks/tang2013/figures14-17.html",
    "docs/reference/api/simlib.simulate.html",
]


class Page(HTMLParser):
    """What a page links to, what can be linked to in it, its pictures, and what it says of itself."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.unnamed, self.meta, self.title = [], {""}, [], {}, ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        if tag == "img" and not given.get("alt"):
            self.unnamed.append(given.get("src"))
        if tag == "meta":
            self.meta[given.get("name") or given.get("property")] = given.get("content")

    def handle_data(self, data):
        if self.lasttag == "title" and not self.title:
            self.title = data.strip()


@pytest.fixture(scope="module")
def pages(site):
    """Every page by its path."""
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def test_every_link_leads_to_a_page_and_a_place_in_it(site, pages):
    lost, elsewhere = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                elsewhere.add(link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            if not target.exists() or (target in pages and place not in pages[target].anchors):
                lost.append(f"{path.relative_to(site)}: {link}")
    print("\n".join(["Links to other sites, not followed:", *sorted(elsewhere)]))
    assert lost == []


def test_no_page_is_heavy_and_the_first_one_is_light(site, pages):
    def weight(path):
        """Bytes of a page with its pictures; styles and scripts are the same on all pages, and loaded once."""
        targets = [(path.parent / unquote(urlsplit(link).path)).resolve() for link in pages[path].links]
        pictures = {target for target in targets if target.suffix in (".png", ".svg") and target.exists()}
        return sum(file.stat().st_size for file in {path, *pictures})

    heavy = {str(path.relative_to(site)): weight(path) for path in pages if weight(path) > 2_000_000}
    assert heavy == {} and weight(site / "index.html") < 300_000


def test_every_page_has_a_title_and_every_picture_a_text(site, pages):
    assert [str(path) for path, page in pages.items() if not page.title] == []
    unnamed = {str(path.relative_to(site)): page.unnamed for path, page in pages.items() if page.unnamed}
    assert unnamed == {}


def test_the_first_page_says_what_it_is_to_those_who_share_it(site, pages):
    meta = pages[site / "index.html"].meta
    assert len(meta["description"]) > 60 and meta["og:title"] and meta["og:description"]
    assert (site / meta["og:image"]).exists()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("page", SAMPLE)
def test_a_page_is_seen_without_scrolling_sideways_and_asks_nothing_of_other_hosts(visit, keep, page, width, dark):
    tab = visit(page, width, dark)
    keep(tab, f"{page.replace('/', '-')}-{width}-{'dark' if dark else 'light'}")
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert tab.evaluate(wide) <= 0
    assert (tab.elsewhere, tab.failed) == ([], [])


def test_the_gallery_has_a_picture_below_the_lines_that_make_it(site):
    text = (site / "docs" / "how-to" / "gallery.html").read_text(encoding="utf-8")
    assert text.count("<img") >= 7


def door(tab, name, heading):
    """Go through one of the three doors of the first page."""
    tab.locator(".sd-card", has_text=name).first.click()
    assert tab.locator("h1").inner_text().startswith(heading)


def test_a_reader_gets_from_the_first_page_to_what_table_1_printed_what_we_get_and_why(visit, keep):
    tab = visit()
    door(tab, "Read the study", "What the study found")
    tab.get_by_role("article").get_by_role("link", name="The exhibits").click()
    tab.locator("#table-1").first.get_by_role("link", name="All pictures and numbers").click()
    assert "Table 1" in tab.locator("h1").inner_text()
    heads = tab.locator("table").first.locator("th").all_inner_texts()
    assert {"published", "ours", "band", "verdict"} <= set(heads)
    keep(tab, "reader-1-table")
    tab.get_by_role("article").get_by_role("link", name="MF-08").click()
    assert tab.url.endswith("#mf-08") and "verdict turns" in tab.locator("section#mf-08").inner_text()
    tab.go_back()
    tab.get_by_role("link", name="The notebook", exact=True).click()
    assert "Table 1" in tab.locator("h1").inner_text()
    keep(tab, "reader-2-notebook")


@pytest.mark.slow
def test_an_administrator_gets_to_what_easy_would_do_with_commands_that_run_in_an_empty_folder(visit, keep, tmp_path):
    tab = visit()
    door(tab, "Try your cluster", "Try your cluster")
    keep(tab, "administrator")
    commands = [line.partition("#")[0].strip() for line in tab.locator("pre").first.inner_text().splitlines()]
    assert commands == ["simlib report jobs.txt", "simlib report mine.swf.gz"]
    command = commands[1]
    made = "import simlib; simlib.write_swf(simlib.load('sample'), 'mine.swf.gz')"
    subprocess.run([sys.executable, "-c", made], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", *command.split()], cwd=tmp_path, check=True, capture_output=True)
    assert re.search("EASY", (tmp_path / "mine.html").read_text(encoding="utf-8"))


def test_a_student_gets_to_the_end_of_lesson_2_on_a_phone(visit, keep):
    tab = visit(width=390)
    door(tab, "Learn", "Learn")
    tab.get_by_role("article").get_by_role("link", name="2 EASY backfilling", exact=True).click()
    assert "Lesson 2" in tab.locator("h1").inner_text()
    tab.get_by_role("heading", name="Key points").scroll_into_view_if_needed()
    keep(tab, "student")
    tab.get_by_role("article").get_by_role("link", name="lesson 3").first.click()
    assert "Lesson 3" in tab.locator("h1").inner_text()


def test_each_lesson_has_a_picture_and_the_lecturer_s_pages_are_a_part_of_their_own(visit, keep):
    tab = visit("docs/tutorials/lessons.html")
    assert tab.get_by_role("article").locator("table img").count() == 9
    keep(tab, "learn")
    assert tab.locator(".bd-links a", has_text="lecturer").count() == 0
    tab.locator(".bd-header").get_by_role("link", name="For lecturers").first.click()
    below = tab.locator(".bd-links li a.internal")
    assert (
        below.count() == len(list((ROOT / "docs" / "how-to" / "teaching").glob("*.md"))) - 2
    )  # their first page, and the answers


def test_no_page_has_a_solution_unless_it_was_asked_for(site):
    assert not (site / "notebooks" / "teaching" / "solutions").exists()
    assert [str(page) for page in site.rglob("*.html") if "teaching/solutions/" in page.read_text("utf-8")] == []


def test_exercises_are_answered_on_the_page_with_the_keyboard_and_what_was_typed_is_kept(visit, keep):
    tab = visit("notebooks/teaching/lesson1-fcfs.html", 390)
    first = tab.locator("simlib-exercise").first
    assert first.get_by_role("status").get_attribute("aria-live") == "polite"
    start, free = first.get_by_label("Job C starts at"), first.get_by_label("Free when it arrives")
    start.focus()
    tab.keyboard.type("10")
    tab.keyboard.press("Enter")
    said = first.get_by_role("status")
    wait(said, "1.1 is waiting for your answer.")
    tab.keyboard.press("Tab")
    tab.keyboard.type("4")
    tab.keyboard.press("Enter")
    wait(said, "Not yet: that is when job C arrives. Look for the left edge of its rectangle.")
    tab.keyboard.press("Shift+Tab")  # which selects what stands in the field
    tab.keyboard.type("40")
    first.get_by_role("button", name="Check").click()
    wait(said, "Right: 4 processors are free when job C comes, and it needs 4. It waits because job B waits.")
    keep(tab, "exercise")
    tab.reload()
    assert (start.input_value(), free.input_value()) == ("40", "4")
    assert "It waits because job B waits" not in tab.content()
    assert tab.failed == []


def wait(locator, text):
    """Wait until it says something."""
    locator.filter(has_text=text).wait_for()


def test_exercises_work_where_a_browser_keeps_nothing(visit):
    tab = visit()
    tab.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })")
    tab.on("pageerror", lambda error: None)
    tab.goto(f"{tab.url.rsplit('/', 1)[0]}/notebooks/teaching/lesson7-your-job.html")
    for exercise in tab.locator("simlib-exercise").all():
        exercise.get_by_role("button").click()
        wait(exercise.get_by_role("status"), "waiting for your answer")


SIZES = """pictures => pictures.map(of => [of.clientWidth, of.clientHeight, of.naturalWidth, of.naturalHeight])"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_notebooks_picture_has_more_pixels_than_it_takes_and_keeps_its_shape(visit, width):
    tab = visit("notebooks/tang2013/table3-figure12.html", width)  # which is always made
    sizes = tab.locator(".cell_output img").evaluate_all(SIZES)
    assert len(sizes) >= 4
    for wide, high, full_wide, full_high in sizes:
        assert wide <= full_wide / 1.5 and wide / high == pytest.approx(full_wide / full_high, rel=0.02)
        assert wide < width
