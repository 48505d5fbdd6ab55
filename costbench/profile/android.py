"""Android's power_profile.xml: a maker's currents as numbers of a profile, each with its item as source."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from costbench.errors import InputError
from costbench.profile.loading import FOLDER, RADIOS
from costbench.shipped import shipped
from costbench.units import to_si
from costbench.validated import Words, read_yaml

Entry = dict[str, Any]

#: what the default file of the Android Open Source Project has where a maker must put a measured current [mA]
PLACEHOLDER = 0.1
#: and where the capacity of the battery belongs [mAh]
PLACEHOLDER_CAPACITY = 1000
_OF_DEVICE = re.compile(
    r"cpu\.(active|core_power|cluster_power)|wifi\.(active|controller)|bluetooth\.controller"
)
_LARGEST = 1_000_000


class PowerFile(NamedTuple):
    """A parsed file: numbers and arrays of numbers by name."""

    path: Path
    items: dict[str, float]
    arrays: dict[str, list[float]]

    def fault(self, name: str, found: object, allowed: str) -> InputError:
        """An error at an item of this file."""
        return InputError(self.path, name, found, allowed)


def read_power_file(path: Path) -> PowerFile:
    """The items of a power_profile.xml.

    Parameters
    ----------
    path : the XML file

    Raises
    ------
    InputError : no such file, no XML, a number that is none, or the placeholders of the default file
    """
    items: dict[str, float] = {}
    arrays: dict[str, list[float]] = {}
    for element in _root(path):
        name = element.get("name", "")
        if element.tag == "item":
            items[name] = _number(path, name, element.text)
        elif element.tag == "array":
            arrays[name] = [_number(path, name, each.text) for each in element.iter("value")]
    file = PowerFile(path, items, arrays)
    _refuse_placeholders(file)
    return file


def _root(path: Path) -> ElementTree.Element:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise InputError(path, "", Words("no such file"), "Android's power_profile.xml") from None
    except OSError as error:
        raise InputError(path, "", Words(error.strerror), "a readable XML file") from None
    if len(text) > _LARGEST or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise InputError(path, "", Words("declarations or more than 1 MB"), "Android's power_profile.xml")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(path, "", Words(str(error)), "well-formed XML") from None
    if root.tag != "device":
        raise InputError(path, "", root.tag, "the element device of Android's power_profile.xml")
    return root


def _number(path: Path, name: str, text: str | None) -> float:
    try:
        number = float(text or "")
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise InputError(path, name, text, "a number of at least 0")
    return number


def _refuse_placeholders(file: PowerFile) -> None:
    """The default file's numbers are wrong on purpose, so that makers replace them."""
    if file.items.get("battery.capacity") == PLACEHOLDER_CAPACITY:
        words = "the capacity of this device; 1000 is the placeholder of Android's default file"
        raise file.fault("battery.capacity", PLACEHOLDER_CAPACITY, words)
    numbers = {name: [number] for name, number in file.items.items()} | file.arrays
    for name, column in numbers.items():
        if _OF_DEVICE.match(name) and column and set(column) == {PLACEHOLDER}:
            words = "a current of this device; 0.1 is the placeholder of Android's default file"
            raise file.fault(name, PLACEHOLDER, words)


def import_power_profile(path: Path, base: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """A profile whose processor, battery and radios draw what a power_profile.xml says.

    The clusters that train are all but the slowest, at their highest frequency.

    Parameters
    ----------
    path : the XML file
    base : document of the profile that gives every number which the file lacks
    table : what a cpu-table needs besides: sourced `voltage` of the battery and `table_error`

    Returns
    -------
    Document of the new profile, under the id and title of the base

    Raises
    ------
    InputError : a file without the currents of its cores, or one that `read_power_file` refuses
    """
    file = read_power_file(path)
    document = copy.deepcopy(dict(base))
    document["compute"]["power"] = _power(file, table)
    volts = {key: to_si(table["voltage"][key], table["voltage"]["unit"]) for key in ("value", "low", "high")}
    if "battery.capacity" in file.items and document["battery"]:
        document["battery"]["energy"] = _battery(file, volts)
    if awake := [name for name in ("cpu.suspend", "cpu.idle", "cpu.awake") if name in file.items]:
        document["idle"]["power"] = _idle(file, awake, volts, document["idle"]["power"])
    for name, named in base["radios"].items():
        radio = read_yaml(shipped(FOLDER) / RADIOS / f"{named}.yaml") if isinstance(named, str) else named
        if drawn := _radio_powers(file, radio["model"], volts):
            document["radios"][name] = radio | drawn
    return document


def _sourced(value: float, unit: str, kind: str, source: str, low: float = -1, high: float = -1) -> Entry:
    """A number of the file, or computed from it, to the digits that its currents have."""
    value, low, high = (float(f"{end:.6g}") for end in (value, *(value if e < 0 else e for e in (low, high))))
    return {"value": value, "low": low, "high": high, "unit": unit, "kind": kind, "source": source}


def _stands(file: PowerFile, name: str) -> str:
    return f"Android power_profile.xml of the device ({file.path.name}), {name}"


def _power(file: PowerFile, table: Mapping[str, Any]) -> Entry:
    clusters = _clusters(file)
    tops = {name: max(speeds) for name, (speeds, _) in clusters.items()}
    slowest = min(tops, key=lambda name: tops[name])
    busy = [name for name in clusters if len(clusters) == 1 or name != slowest]
    return {
        "model": "cpu-table",
        "voltage": table["voltage"],
        "active_current": _current(file, "cpu.active"),
        "table_error": table["table_error"],
        "clusters": {f"cluster{name}": _cluster(file, name, *clusters[name]) for name in busy},
    }


def _clusters(file: PowerFile) -> dict[int, tuple[list[float], list[float]]]:
    """Frequencies [kHz] and currents [mA] by number of cluster, under new names or older ones."""
    found = {}
    for number in range(len(file.arrays.get("cpu.clusters.cores", [0]))):
        for speeds, currents in _table_names(number):
            if speeds in file.arrays and currents in file.arrays:
                found[number] = file.arrays[speeds], file.arrays[currents]
                if len(file.arrays[speeds]) != len(file.arrays[currents]):
                    allowed = f"as many currents as {speeds} has frequencies, {len(file.arrays[speeds])}"
                    raise file.fault(currents, len(file.arrays[currents]), allowed)
                break
        else:
            raise file.fault(f"cpu.core_power.cluster{number}", Words("nothing"), "currents by frequency")
    return found


def _table_names(number: int) -> list[tuple[str, str]]:
    names = [("core_speeds", "core_power"), ("speeds", "active")]
    named = [(f"cpu.{speeds}.cluster{number}", f"cpu.{power}.cluster{number}") for speeds, power in names]
    return [*named, ("cpu.speeds", "cpu.active")] if number == 0 else named


def _cluster(file: PowerFile, number: int, speeds: list[float], currents: list[float]) -> Entry:
    if "cpu.clusters.cores" not in file.arrays:
        raise file.fault("cpu.clusters.cores", Words("nothing"), "the number of cores of each cluster")
    source = _stands(file, f"frequencies and currents of cluster {number}")
    column = {"kind": "datasheet", "source": source}
    top = _sourced(max(speeds) / 1e3, "MHz", "datasheet", source) | {"note": "a choice: the highest"}
    cores = file.arrays["cpu.clusters.cores"][number]
    return {
        "cores": _sourced(int(cores), "count", "datasheet", _stands(file, "cpu.clusters.cores")),
        "cluster_current": _current(file, f"cpu.cluster_power.cluster{number}"),
        "frequencies": {"values": [speed / 1e3 for speed in speeds], "unit": "MHz", **column},
        "core_currents": {"values": currents, "unit": "mA", **column},
        "frequency": top,
    }


def _current(file: PowerFile, name: str) -> Entry:
    """A current of the file; older files have it in the currents of their cores."""
    if name in file.items:
        return _sourced(file.items[name], "mA", "datasheet", _stands(file, name))
    return _sourced(0.0, "mA", "derived", _stands(file, f"which has no {name}: it is in those of the cores"))


def _battery(file: PowerFile, volts: Mapping[str, float]) -> Entry:
    capacity = file.items["battery.capacity"]
    energy, low, high = (capacity * volts[key] / 1e3 for key in ("value", "low", "high"))
    source = _stands(file, f"battery.capacity, {capacity:g} mAh, at {volts['value']:g} V")
    return _sourced(energy, "Wh", "derived", source, low, high)


def _idle(file: PowerFile, names: Sequence[str], volts: Mapping[str, float], of_base: Entry) -> Entry:
    """Suspend and kernel idle; the range reaches up to that of the base, where more is awake."""
    power = sum(file.items[name] for name in names) * volts["value"]
    source = f"{_stands(file, ' and '.join(names))}; high: {of_base['source']}"
    return _sourced(
        power, "mW", "derived", source, power, max(power, 1e3 * to_si(of_base["high"], of_base["unit"]))
    )


def _radio_powers(file: PowerFile, model: str, volts: Mapping[str, float]) -> Entry:
    """Powers of sending and receiving that the file states for a radio of this model; {} for none."""
    part = {"wifi-airtime": "wifi", "ble": "bluetooth"}.get(model, "")
    supply = file.items.get(f"{part}.controller.voltage", volts["value"] * 1e3) / 1e3
    found = {}
    for key, way in (("transmit_power", "tx"), ("receive_power", "rx")):
        name = f"{part}.controller.{way}"
        name = "wifi.active" if part == "wifi" and name not in file.items else name
        if file.items.get(name, 0.0) > 0:
            source = _stands(file, f"{name}, {file.items[name]:g} mA at {supply:g} V")
            found[key] = _sourced(file.items[name] * supply, "mW", "derived", source)
    return found if len(found) == 2 else {}
