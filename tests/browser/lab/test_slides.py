"""The slides of a lesson, in a browser."""

import pytest

from simlib_course.lecture import slides

from .conftest import SHOTS

CUT_OFF = """() => [...Reveal.getCurrentSlide().querySelectorAll('h2, p, li, img, pre')].filter(part => {
    if (part.closest('aside.notes')) return false
    const place = part.getBoundingClientRect()
    const outside = place.left < 0 || place.top < 0 || place.right > innerWidth || place.bottom > innerHeight - 40
    return outside || !place.width
}).map(part => part.tagName + ' ' + part.innerText)"""
SMALL = """() => [...Reveal.getCurrentSlide().querySelectorAll('h2, p, li, pre')]
    .filter(part => !part.closest('aside.notes'))
    .filter(part => parseFloat(getComputedStyle(part).fontSize) * Reveal.getScale() < 24).map(part => part.innerText)"""


def test_a_deck_is_walked_from_the_first_slide_to_the_last(browser, tmp_path):
    try:
        slides.reveal()
    except OSError as error:
        pytest.skip(str(error))
    deck = slides.write(slides.sources(["lesson1"])[0], tmp_path)
    page = browser.new_page()
    page.set_viewport_size({"width": 1280, "height": 720})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(deck.as_uri())
    page.wait_for_function("() => window.Reveal && Reveal.isReady()")
    heads = []
    for number in range(1, 7):
        page.screenshot(path=SHOTS / "slides" / f"lesson1-{number}.png")
        heads.append(page.evaluate("() => Reveal.getCurrentSlide().querySelector('h2').innerText"))
        assert page.evaluate(CUT_OFF) == [] and page.evaluate(SMALL) == []
        assert page.evaluate("() => Reveal.isLastSlide()") == (number == 6)
        page.keyboard.press("ArrowRight")
    assert len(set(heads)) == 6
    assert [url for url in asked if not url.startswith("data:")] == [deck.as_uri()]  # nothing but the file itself
    page.close()
