"""States that a radio passes through for a while."""

from __future__ import annotations

from costbench.profile.section import Section
from costbench.quantities import Duration, Power


class RadioState(Section):
    """Waking up, or waiting before it sleeps."""

    duration: Duration
    power: Power
