"""Hardware profiles: devices as sourced numbers, read from YAML and checked key by key."""

from costbench.profile.cellular import CellularRadio
from costbench.profile.device import HardwareProfile
from costbench.profile.folders import FOLDER, LINKS, RADIOS
from costbench.profile.loading import check_profile, list_profiles, load_profile
from costbench.profile.wifi import WifiRadio

__all__ = [
    "FOLDER",
    "LINKS",
    "RADIOS",
    "CellularRadio",
    "HardwareProfile",
    "WifiRadio",
    "check_profile",
    "list_profiles",
    "load_profile",
]
