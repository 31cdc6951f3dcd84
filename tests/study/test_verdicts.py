"""Of several readings of a printed number the first that is judged counts; what explains the numbers is counted so."""

from types import SimpleNamespace

import pytest
from helpers import listing, texts

from simlib.analysis.stats import Interval
from simlib.study import printed_numbers, verdicts
from simlib.study.verdicts import ABSENT, CALENDAR, CLOSE, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT

OURS = {INSIDE: 100.0, CLOSE: 104.0, OFF: 150.0, ABSENT: float("nan")}
"""What has to be ours for a verdict, where 100 is printed and the band goes by 2 to either side."""


def cell(_of="", **judged):
    """A cell with these verdicts by reading."""
    found = {rule: OURS.get(verdict, 100.0) for rule, verdict in judged.items()}
    readings = {rule: (ours, Interval(ours - 2, ours, ours + 2)) for rule, ours in found.items()}
    unjudged = {rule: verdict for rule, verdict in judged.items() if verdict in (OTHER_LOG, INFERRED)}
    return verdicts.cell({"trace": _of}, 100.0, readings, unjudged=unjudged)


def test_each_reading_has_a_verdict_of_its_own_and_its_own_reason_why_there_is_none():
    judged = {TEXT: OTHER_LOG, LIKELY: ABSENT, RESTORED: INSIDE, CALENDAR: INFERRED}
    assert {rule: one["verdict"] for rule, one in cell(**judged)["readings"].items()} == judged


def test_a_log_that_is_not_at_hand_is_said_before_any_other_reason():
    both = verdicts.cell({}, 1.0, float("nan"), unjudged={TEXT: INFERRED})
    assert both["readings"][TEXT]["verdict"] == ABSENT


def test_of_several_readings_the_first_that_is_judged_is_taken():
    one = cell(text=OFF, likely=INSIDE, restored=INFERRED)
    assert verdicts.reading(one, TEXT, LIKELY)["verdict"] == OFF
    assert verdicts.reading(one, RESTORED, CALENDAR, LIKELY, TEXT)["verdict"] == INSIDE
    assert verdicts.reading(one, RESTORED, CALENDAR) is None
    assert verdicts.reading(cell(text=ABSENT, likely=OTHER_LOG), TEXT, LIKELY) is None


CELLS = [
    cell(text=OFF, likely=INSIDE),
    cell(text=OTHER_LOG, likely=OTHER_LOG, restored=CLOSE),
    cell(text=OFF, likely=OFF, restored=INSIDE),
    cell(text=INFERRED, likely=INFERRED, restored=INFERRED, calendar=OFF),
    cell(text=CLOSE, likely=CLOSE, restored=INFERRED, calendar=OFF),
    cell(text=ABSENT, likely=ABSENT),
    cell(text=INSIDE),
]


@pytest.mark.parametrize(
    "rules, inside, close, off",
    [
        ((), 1, 1, 2),
        ((TEXT,), 1, 1, 2),
        ((LIKELY,), 1, 1, 1),
        ((RESTORED,), 1, 1, 0),
        ((LIKELY, TEXT), 2, 1, 1),
        ((RESTORED, LIKELY, TEXT), 3, 2, 0),
        ((CALENDAR, TEXT), 1, 0, 4),
    ],
)
def test_cells_are_counted_once_each_by_the_first_reading_that_is_judged(rules, inside, close, off):
    found = verdicts.tally(CELLS, *rules)
    assert (found[INSIDE], found[CLOSE], found[OFF]) == (inside, close, off)
    assert found["cells"] == found["bands"] == inside + close + off
    assert found["by_chance"] == pytest.approx(0.05 * found["cells"])


@pytest.mark.parametrize("rules", [(), (LIKELY,), (RESTORED, LIKELY, TEXT)])
def test_a_number_from_which_its_reading_was_inferred_never_counts(rules):
    cells = [cell(text=INFERRED, likely=INFERRED, restored=INFERRED)]
    assert verdicts.tally(cells, *rules)["cells"] == 0


def test_tallies_have_a_column_of_their_own_for_restored_logs_where_others_count_as_under_likely():
    cells = [
        cell("CTC", text=OTHER_LOG, likely=OTHER_LOG, restored=INSIDE),
        cell("CTC", text=OFF, likely=CLOSE, restored=OFF),
        cell("KTH", text=OFF, likely=INSIDE),
    ]
    table = verdicts.tallies(cells, "trace")
    assert list(table.columns.unique(0)) == [TEXT, LIKELY, RESTORED]
    counts = {rule: table[rule][["cells", INSIDE, CLOSE, OFF]].to_numpy().tolist() for rule in table.columns.unique(0)}
    assert counts == {  # of CTC, of KTH
        TEXT: [[1, 0, 0, 1], [1, 0, 0, 1]],
        LIKELY: [[1, 0, 1, 0], [1, 1, 0, 0]],
        RESTORED: [[2, 1, 0, 1], [1, 1, 0, 0]],
    }


# What explains the printed numbers


NONE = [INSIDE, CLOSE, OFF, "inferred from", "lacks jobs", ABSENT]


def test_each_step_counts_what_became_of_every_number():
    table = printed_numbers.steps(CELLS)
    assert list(table.columns) == NONE and list(table.index) == list(printed_numbers.STEPS.values())
    assert table.to_numpy().tolist() == [
        [1, 0, 4, 0, 1, 1],  # text, calendar's months
        [1, 1, 2, 1, 1, 1],  # text
        [2, 1, 1, 1, 1, 1],  # likely
        [3, 2, 0, 1, 0, 1],  # restored
    ]


def test_in_every_step_each_number_is_counted_once():
    assert printed_numbers.steps(CELLS).sum(axis=1).tolist() == [len(CELLS)] * 4
    assert printed_numbers.steps(CELLS[:1] * 3).sum(axis=1).tolist() == [3] * 4


def test_a_number_inferred_from_is_not_counted_as_met_though_it_would_be_inside():
    one = cell(text=INFERRED, likely=INFERRED, restored=INFERRED)
    assert [reading["ours"] for reading in one["readings"].values()] == [100] * 3  # which is what is printed
    table = printed_numbers.steps([one])
    assert table["inferred from"].tolist() == [1] * 4 and table[INSIDE].sum() == 0


def test_why_a_number_is_not_judged_is_said_by_the_reading_that_a_step_is_about():
    table = printed_numbers.steps([cell(text=OTHER_LOG, likely=OTHER_LOG, restored=INFERRED)])
    assert table["lacks jobs"].tolist() == [1, 1, 1, 0] and table["inferred from"].tolist() == [0, 0, 0, 1]


def test_the_picture_has_a_bar_a_step_as_long_as_all_numbers():
    table = printed_numbers.steps(CELLS * 5)
    figure = printed_numbers.drawn(table)
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == list(table.index) and ax.yaxis_inverted()
    ends = {round(bar.get_y(), 2): 0 for bar in ax.patches}
    for bar in ax.patches:
        ends[round(bar.get_y(), 2)] += bar.get_width()
    assert list(ends.values()) == [5 * len(CELLS)] * 4 and ax.get_xlim() == (0, 5 * len(CELLS))
    assert texts(figure.legends[0]) == NONE
    said = {text.strip() for text in texts(ax) if text.strip()}
    beside = {
        f"{table.loc[step, printed_numbers.INSIDE]} of {count}" for step, count in printed_numbers.judged(table).items()
    }
    assert {text.partition(":")[0] for text in said if ":" in text} == beside
    assert {text for text in said if ":" not in text} == {"15", "20"}  # shorter bars have no room for their numbers


def outcome(paper, cells):
    return SimpleNamespace(paper=paper, cells=cells)


def test_picture_and_table_are_saved_of_mualem_and_feitelsons_numbers_alone(tmp_path):
    printed_numbers.save(
        [outcome("mualem2001", CELLS), outcome("tang2013", CELLS), outcome("mualem2001", [])], tmp_path
    )
    assert listing(tmp_path) == ["printed-numbers.csv", "printed-numbers.png"]
    lines = (tmp_path / "printed-numbers.csv").read_text().splitlines()
    assert lines[0] == "under,inside,close,off,inferred from,lacks jobs,log not at hand"
    assert lines[-1] == "... and the lost jobs put back,3,2,0,1,0,1"


@pytest.mark.parametrize("found", [[], [outcome("tang2013", CELLS)], [outcome("mualem2001", [])]])
def test_where_there_are_no_numbers_nothing_is_saved(found, tmp_path):
    printed_numbers.save(found, tmp_path)
    assert listing(tmp_path) == []
