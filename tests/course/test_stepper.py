"""The stepper shows a decision a press, passes over what tells nothing new, and asks who starts next."""

import io
import re

import pytest
from helpers import busy_users, seen_picture, seen_text
from helpers import every_policy_beyond as every_policy
from matplotlib.figure import Figure
from matplotlib.image import imread

import simlib
from simlib import EASY, FCFS, Conservative, plots
from simlib.course import views, widgets
from simlib.course.lessons import lesson2, lesson4
from simlib.models import examples

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


# The stepper


@pytest.fixture
def stepper():
    return widgets.stepper(examples.figure1(), EASY())


def test_the_stepper_begins_with_the_first_decision_and_shows_its_sentence(stepper):
    assert stepper.decision is stepper.explanation[0]
    assert seen_text(stepper.sentence) == f"{stepper.decision.sentence} Rule: {stepper.decision.rule}."


def test_the_buttons_of_the_stepper_go_forwards_and_backwards_and_stay_within(stepper):
    places = []
    for button in ("back", "next", "next", "back", "last", "next", "back", "first"):
        getattr(stepper, button).click()
        places.append(stepper.slider.value)
    last = len(stepper.explanation)
    assert places == [1, 2, 3, 2, last, last, last - 1, 1]


def told(stepper):
    """The sentences that Next leads to, from the first decision to the last."""
    sentences = [seen_text(stepper.sentence)]
    while stepper.decision is not stepper.explanation[-1]:
        stepper.next.click()
        sentences.append(seen_text(stepper.sentence))
    return [sentence.partition(" Rule: ")[0] for sentence in sentences]


def test_next_and_back_pass_over_what_tells_nothing_new_and_the_slider_does_not():
    stepper = widgets.stepper(lesson2.queue(), EASY())
    forwards = told(stepper)
    assert len(forwards) == 19 < len(stepper.explanation) == 35
    assert not [sentence for sentence in forwards if "still waits" in sentence]
    assert "Job D" in forwards[5] and "arrives" in forwards[5] and "before the shadow time 30" in forwards[5]
    places = []
    while stepper.slider.value > 1:
        places.append(stepper.slider.value)
        stepper.back.click()
    assert len(places) == 18
    stepper.slider.value = 7
    assert seen_text(stepper.sentence).startswith("Job H still waits at the head")


def test_every_start_is_told_whatever_is_passed_over():
    for policy in (FCFS(), EASY(), EASY(order="sjf"), Conservative()):
        stepper = widgets.stepper(busy_users(3, jobs=20, machine=8), policy)
        sentences = " ".join(told(stepper))
        for decision in stepper.explanation:
            if decision.kind in ("start", "backfill", "reserve", "move"):
                assert decision.sentence in sentences


def test_with_doubled_estimates_seven_presses_lead_to_the_second_backfilled_job():
    stepper = widgets.stepper(lesson4.heel_and_toe(2), EASY())
    for _ in range(7):
        stepper.next.click()
    assert stepper.decision.time == 200 and stepper.decision.job == "s2"


# Predict, then look


@pytest.fixture
def guessing():
    return widgets.stepper(lesson2.queue(), EASY(), predict=True)


def asked(stepper):
    return [each.description for each in stepper.guess.buttons if each.layout.display == ""]


def say(stepper, name):
    next(each for each in stepper.guess.buttons if each.description == name).click()


NOBODY = "nobody until the next event"


def test_who_starts_next_is_asked_before_it_is_shown(guessing):
    assert asked(guessing) == ["job A", "job B", NOBODY]
    say(guessing, "job A")
    assert re.match("Right: job A .* 1 of 1 ", seen_text(guessing.guess.verdict))
    assert guessing.decision.job == "A" and guessing.decision.kind == "start"
    say(guessing, NOBODY)
    assert re.match("Not right: job B .* 1 of 2 ", seen_text(guessing.guess.verdict))
    assert asked(guessing) == []
    guessing.next.click()
    assert seen_text(guessing.guess.verdict) == ""
    assert (guessing.decision.kind, guessing.decision.time, guessing.decision.queue[0].job) == ("event", 2, "H")
    assert asked(guessing) == ["job H", NOBODY]


def test_the_reason_is_told_with_all_that_decides_it(guessing):
    guessing.slider.value = 20  # job D ends
    assert asked(guessing) == ["job H", "job C", "job F", NOBODY]
    say(guessing, "job F")
    assert seen_text(guessing.guess.verdict).startswith("Not right: nobody starts.")
    for reason in ("Job H still waits", "Job C is refused", "Job F is refused"):
        assert reason in seen_text(guessing.sentence)


def test_answers_alone_and_next_lead_to_the_end_and_the_truth_is_always_right(guessing):
    while guessing.decision is not guessing.explanation[-1]:
        place = guessing.slider.value - 1
        if asked(guessing):
            truth = views.question(guessing.explanation, place).answer
            say(guessing, NOBODY if truth is None else f"job {truth}")
        else:
            guessing.next.click()
        assert guessing.slider.value - 1 > place
    assert guessing.guess.right == guessing.guess.asked == 13


@every_policy
def test_a_question_is_answered_by_what_happens_next(policy):
    explanation = simlib.explain.explain(busy_users(3, jobs=12, machine=8), policy)
    for place in range(len(explanation)):
        if asked := views.question(explanation, place):
            between = explanation[place + 1 : asked.place + 1]
            started = [seen.job for seen in between if seen.kind in ("start", "backfill")]
            assert started == ([] if asked.answer is None else [asked.answer])
            assert {seen.time for seen in between} == {explanation[place].time}


def test_a_stepper_that_does_not_ask_has_no_question(stepper):
    assert stepper.guess is None


def test_next_start_passes_over_waits_and_refusals_and_ends_at_the_last_decision(stepper):
    started = []
    for _ in range(7):
        stepper.next_start.click()
        started.append(stepper.decision.job)
    assert started == ["A", "B", "C", "third", "first", "second", None]
    assert stepper.decision is stepper.explanation[-1]


def test_every_decision_has_its_sentence_and_a_picture_of_its_own():
    stepper = widgets.stepper(examples.figure3(), EASY())
    seen = set()
    for place, decision in enumerate(stepper.explanation, 1):
        stepper.slider.value = place
        assert decision.sentence in seen_text(stepper.sentence)
        seen.add(seen_picture(stepper))
    assert len(seen) >= 12
    assert imread(io.BytesIO(seen_picture(stepper))).shape[1] == 11 * 120


@every_policy
def test_the_stepper_shows_one_decision_of_each_kind_under_every_policy(policy):
    stepper = widgets.stepper(busy_users(3, jobs=12, machine=8), policy)
    for place in {seen.kind: place for place, seen in enumerate(stepper.explanation, 1)}.values():
        stepper.slider.value = place
        assert stepper.decision.sentence in seen_text(stepper.sentence)
        if stepper.decision.kind == "reserve":
            assert "reserved" in seen_text(stepper.state)


def test_beside_the_chart_stand_time_free_processors_shadow_time_queue_and_running_jobs(stepper):
    place = next(place for place, seen in enumerate(stepper.explanation, 1) if seen.kind == "backfill")
    stepper.slider.value = place
    assert seen_text(stepper.state) == (
        "Time 6 0 of 10 processors free shadow time 60, no extra processor "
        "Queue: 2 jobs job processors estimate reserved first 8 40 s 60 second 3 50 s "
        "Running: 4 jobs job processors until, expected A 4 30 B 3 60 C 2 110 third 1 31"
    )
    assert re.findall('class="simlib-decided"><td>(.*?)<', stepper.state.value) == ["third"]


def test_the_last_shadow_time_stays_pale_until_the_head_is_looked_at_again(stepper):
    told = []
    for place, seen in [*enumerate(stepper.explanation[:12], 1), (26, stepper.explanation[-1])]:
        stepper.slider.value = place
        shown = seen_text(stepper.state)
        told.append((seen.kind, "shadow time" in shown and ("so far" if "(so far)" in shown else "now")))
    first = [kind for kind, _ in told].index("wait")
    assert set(told[:first]) == {("event", False), ("start", False)}
    assert {("wait", "now"), ("event", "so far"), ("refuse", "now")} <= set(told[first:])
    assert told[-1] == ("event", False)


def test_a_reservation_that_is_only_remembered_is_drawn_until_its_job_starts(stepper):
    for place, seen in enumerate(stepper.explanation):
        ax = Figure().add_subplot()
        drawn = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plots, "spans", lambda _, jobs, *args, into=drawn, **options: into.append(jobs))
            patch.setattr(Figure, "add_axes", lambda *_, ax=ax: ax)
            stepper._draw_instant(Figure(), seen, stepper._promises[place])
        planned = list(drawn[0].index[drawn[0].planned])
        queued = [job.job for job in seen.queue]
        assert set(planned) <= set(queued)
        assert ("first" in planned) == ("first" in queued and seen.time >= 2 and stepper._promises[place] is not None)


def test_conservative_shows_every_reservation_in_the_queue():
    stepper = widgets.stepper(examples.figure1(), Conservative())
    queues = [[job.job for job in seen.queue] for seen in stepper.explanation]
    stepper.slider.value = queues.index(["first", "second"]) + 1
    assert "first 8 40 s 60 second 3 50 s 100" in seen_text(stepper.state)


def test_a_long_queue_is_cut_but_not_the_job_that_is_decided_on(workload):
    stepper = widgets.stepper(
        workload([(0, 100, 100, 4)] + [(1, 10, 10, 1 + k % 4) for k in range(30)], 4), Conservative()
    )
    stepper.slider.value = max(place for place, seen in enumerate(stepper.explanation, 1) if seen.kind == "reserve")
    assert "and 17 more" in seen_text(stepper.state)
    assert re.findall('class="simlib-decided"><td>(.*?)<', stepper.state.value) == ["30"]


def test_play_can_be_paused_and_its_button_says_what_it_will_do(stepper):
    assert stepper.play.description == "Play"
    stepper.play.click()
    assert stepper._clock.playing and stepper.play.description == "Pause"
    stepper.play.click()
    assert not stepper._clock.playing and stepper.play.description == "Play"


def test_play_passes_over_what_next_passes_over_and_stops_at_the_end(stepper):
    by_hand = widgets.stepper(examples.figure1(), EASY())
    stepper.play.click()
    for tick in range(1, len(stepper.explanation)):
        if not stepper._clock.playing:
            break
        stepper._clock.value = tick  # as the browser's clock sets it
        by_hand.next.click()
        assert stepper.slider.value == by_hand.slider.value
    assert stepper.decision is stepper.explanation[-1] and tick < len(stepper.explanation) - 1
    assert stepper.play.description == "Play"
    stepper.play.click()
    assert stepper.slider.value == 1 and stepper._clock.playing


def test_names_of_jobs_cannot_break_the_page(workload):
    w = workload([(0, 10, 10, 1)], 1)
    w = w.derive(w.jobs.rename(index={0: "<b>x</b>"}), "renamed")
    stepper = widgets.stepper(w, FCFS())
    assert "<b>x" not in stepper.sentence.value + stepper.state.value
    assert "&lt;b&gt;x" in stepper.sentence.value
