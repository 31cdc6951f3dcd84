"""Write measures as people say them."""


def per_cent(share: float) -> str:
    """Write a relative difference; that of something from nothing has no end.

    Examples
    --------
    >>> per_cent(-0.391), per_cent(12.5), per_cent(float("inf"))
    ('-39.1 %', '+1,250 %', '+∞ %')
    """
    if share == float("inf"):
        return "+∞ %"
    return f"{100 * share + 0:+,.1f} %" if abs(share) < 9.995 else f"{100 * share:+,.0f} %"


def duration(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> [duration(seconds) for seconds in (45, -600, 7500, 200_000)]
    ['45 s', '-10.0 min', '2.1 h', '2.3 days']
    """
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if abs(seconds) >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} s"
