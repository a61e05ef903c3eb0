from datetime import date, datetime, timedelta, timezone

import pytest

from pricing.windows import Window, on, split

BERLIN = "Europe/Berlin"
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("day", "opens", "closes", "hours"),
    [
        (date(2025, 6, 2), "08:00", "17:00", 9),
        (date(2025, 6, 2), "22:00", "06:00", 8),
        (date(2025, 3, 30), "00:00", "24:00", 23),
        (date(2025, 10, 26), "00:00", "24:00", 25),
        (date(2025, 3, 29), "22:00", "06:00", 7),
        (date(2025, 10, 25), "22:00", "06:00", 9),
        (date(2024, 2, 29), "00:00", "24:00", 24),
    ],
    ids=["day", "night", "spring forward", "fall back", "night into spring", "night into autumn", "leap day"],
)
def test_real_hours(day, opens, closes, hours):
    assert on(day, opens, closes, BERLIN).length == hours * HOUR


def test_no_change_of_clocks_in_brisbane():
    assert on(date(2025, 10, 5), "00:00", "24:00", "Australia/Brisbane").length == 24 * HOUR


@pytest.mark.parametrize("text", ["8:00", "0800", "08:60", "25:00", "", "08:0x"])
def test_not_a_time(text):
    with pytest.raises(ValueError):
        on(date(2025, 6, 2), text, "17:00", BERLIN)


def test_the_end_is_outside():
    window = on(date(2025, 6, 2), "08:00", "09:00", BERLIN)
    assert window.start in window
    assert window.end not in window
    assert window.end - timedelta(microseconds=1) in window


def test_neighbours_do_not_overlap(subtests):
    day = date(2025, 6, 2)
    morning = on(day, "08:00", "12:00", BERLIN)
    for opens, closes, expected in [("12:00", "14:00", False), ("11:59", "14:00", True), ("06:00", "08:00", False), ("09:00", "10:00", True)]:
        with subtests.test(f"{opens}-{closes}"):
            other = on(day, opens, closes, BERLIN)
            assert morning.overlaps(other) is expected
            assert other.overlaps(morning) is expected


def test_overlap_across_zones():
    assert on(date(2025, 6, 2), "08:00", "09:00", BERLIN).overlaps(on(date(2025, 6, 2), "07:00", "08:00", "Europe/London"))


def test_slots_of_the_night_without_two_o_clock():
    slots = split(on(date(2025, 3, 30), "00:00", "06:00", BERLIN), HOUR)
    assert len(slots) == 5
    assert [slot.start for slot in slots[1:]] == [slot.end for slot in slots[:-1]]


def test_a_short_rest_is_dropped():
    assert len(split(on(date(2025, 6, 2), "08:00", "09:50", BERLIN), timedelta(minutes=30))) == 3


def test_slots_take_time():
    with pytest.raises(ValueError):
        split(on(date(2025, 6, 2), "08:00", "09:00", BERLIN), timedelta(0))


def test_a_window_needs_a_zone():
    with pytest.raises(ValueError, match="time zone"):
        Window(datetime(2025, 6, 2, 8), datetime(2025, 6, 2, 9, tzinfo=timezone.utc))
