"""Numbers and times of day as the user's region writes them."""

from __future__ import annotations

import re
from datetime import datetime

from PySide6.QtCore import QLocale, QTime

from stepfast_desktop.viewmodels import regional

__all__ = ["LocaleRegion", "use_region"]


class LocaleRegion:
    """A `regional.Regional` of one locale."""

    def __init__(self, locale: QLocale) -> None:
        self._locale = locale
        self._short = locale.timeFormat(QLocale.FormatType.ShortFormat)
        # The long one has the seconds, and the time zone too, which is the user's own.
        self._long = re.sub(r"\s*t+\s*", "", locale.timeFormat(QLocale.FormatType.LongFormat))

    def number(self, value: float, digits: int) -> str:
        return self._locale.toString(float(value), "f", digits)

    def clock(self, local: datetime, *, seconds: bool) -> str:
        moment = QTime(local.hour, local.minute, local.second)
        return self._locale.toString(moment, self._long if seconds else self._short)


def use_region(locale: QLocale) -> None:
    """Write numbers and times of day as in `locale` from now on; in that of C, as the texts are."""
    regional.use(None if locale.language() is QLocale.Language.C else LocaleRegion(locale))
