"""Where the parts of profiles that are shipped lie."""

from __future__ import annotations

#: the profiles, one file a device
FOLDER = "hardware_profiles"
#: folders inside: what profiles, or the options of a price, refer to by name
RADIOS, LINKS = "radios", "links"
AIRFRAMES, COMPATIBILITY, ENVIRONMENTS = "airframes", "compatibility", "environments"
