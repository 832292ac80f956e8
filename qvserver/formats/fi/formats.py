"""Finnish dates: a day of a month takes the month in the partitive, ``30. marraskuuta``."""

MONTH_DAY_FORMAT = "j. E"
