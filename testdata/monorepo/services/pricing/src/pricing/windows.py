"""Pickup windows in local time, which has days of 23 and of 25 hours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Window:
    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("a window needs a time zone")
        if self.end.astimezone(timezone.utc) <= self.start.astimezone(timezone.utc):
            raise ValueError("a window ends after it starts")

    @property
    def length(self) -> timedelta:
        """The time that really passes, not the difference of the clocks on the wall."""
        return self.end.astimezone(timezone.utc) - self.start.astimezone(timezone.utc)

    def overlaps(self, other: Window) -> bool:
        return self.start < other.end and other.start < self.end

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


def on(day: date, opens: str, closes: str, zone: str) -> Window:
    """The window of one day, as "08:30" to "17:00"; "24:00" is the end of the day, and closing early is the next day."""
    tz = ZoneInfo(zone)
    start = datetime.combine(day, _clock(opens), tz)
    if closes == "24:00":
        return Window(start, datetime.combine(day + timedelta(days=1), time(), tz))
    end = datetime.combine(day, _clock(closes), tz)
    return Window(start, end if end > start else end + timedelta(days=1))


def split(window: Window, step: timedelta) -> list[Window]:
    """Cuts a window into slots of real time; a rest shorter than a slot is dropped."""
    if step <= timedelta(0):
        raise ValueError("a slot takes time")
    slots = []
    at = window.start.astimezone(timezone.utc)
    end = window.end.astimezone(timezone.utc)
    while at + step <= end:
        slots.append(Window(at, at + step))
        at += step
    return slots


def _clock(text: str) -> time:
    hours, colon, minutes = text.partition(":")
    if not colon or len(hours) != 2 or len(minutes) != 2:
        raise ValueError(f"not a time of day: {text!r}")
    return time(int(hours), int(minutes))
