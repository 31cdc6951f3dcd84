"""The slides of a lesson, in a browser."""

import pytest

from simlib_course.lecture import slides

from .conftest import SHOTS

CUT_OFF = """slide => [...slide.querySelectorAll('h2, p, li, img, pre')].filter(part => {
    if (part.closest('aside')) return false
    const place = part.getBoundingClientRect()
    const outside = place.left < 0 || place.top < 0 || place.right > innerWidth || place.bottom > innerHeight - 30
    return outside || !place.width
}).map(part => part.tagName + ' ' + part.innerText)"""
SMALL = """slide => [...slide.querySelectorAll('h2, p, li, pre')].filter(part => !part.closest('aside'))
    .filter(part => parseFloat(getComputedStyle(part).fontSize) < 24).map(part => part.innerText)"""


@pytest.mark.parametrize("lesson", ["lesson1", "lesson7"])
def test_a_deck_is_walked_by_the_keys_from_the_first_slide_to_the_last(lesson, browser, tmp_path):
    deck = slides.write(slides.sources([lesson])[0], tmp_path)
    page = browser.new_page()
    page.set_viewport_size({"width": 1280, "height": 720})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(deck.as_uri())
    found = page.locator("section")
    assert found.count() == 6
    for number, key in enumerate(["ArrowRight", "PageDown", "Space", "ArrowDown", "ArrowRight", "ArrowLeft"]):
        page.wait_for_function(f"scrollY === {number} * innerHeight")
        page.screenshot(path=SHOTS / "slides" / f"{lesson}-{number + 1}.png")
        assert found.nth(number).evaluate(CUT_OFF) == [] and found.nth(number).evaluate(SMALL) == []
        page.keyboard.press(key)
    page.wait_for_function("scrollY === 4 * innerHeight")
    assert [url for url in asked if not url.startswith("data:")] == [deck.as_uri()]  # nothing but the file itself
    page.close()
