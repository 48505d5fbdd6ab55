import pytest
from pydantic import ValidationError

from costbench.quantities import ExactBytes, Power, Share
from costbench.sourced import Sourced

GOOD = {
    "value": 2.5,
    "low": 2.2,
    "high": 2.9,
    "unit": "W",
    "source": "board power logs of a publication",
    "kind": "measured",
}


def refusal(model, **changes):
    with pytest.raises(ValidationError) as error:
        model.model_validate({**GOOD, **changes})
    first = error.value.errors()[0]
    return ".".join(map(str, first["loc"])), first["msg"]


def test_si_values():
    power = Power.model_validate({**GOOD, "unit": "mW"})
    assert (power.si, power.si_low, power.si_high) == pytest.approx((2.5e-3, 2.2e-3, 2.9e-3), rel=1e-15)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"low": 2.6}, "low"),
        ({"high": 2.4}, "high"),
        ({"unit": "J"}, "unit"),
        ({"unit": "horsepower"}, "unit"),
        ({"value": -1.0, "low": -1.0}, "value"),
        ({"value": "2.5"}, "value"),
        ({"value": True}, "value"),
        ({"value": float("nan")}, "value"),
        ({"high": float("inf")}, "high"),
        ({"kind": "assumed", "low": 2.5, "high": 2.5}, "kind"),
        ({"kind": "guess"}, "kind"),
        ({"source": "TODO"}, "source"),
        ({"source": "  ?  "}, "source"),
        ({"source": "unknown"}, "source"),
        ({"comment": "x"}, "comment"),
    ],
)
def test_what_is_refused_and_at_which_key(changes, key):
    assert refusal(Power, **changes)[0] == key


def test_an_assumed_number_with_a_range_is_accepted():
    assert Power.model_validate({**GOOD, "kind": "assumed"}).kind == "assumed"


def test_a_missing_key_is_an_error():
    with pytest.raises(ValidationError, match="high"):
        Power.model_validate({key: entry for key, entry in GOOD.items() if key != "high"})


def test_domains_of_dimensions():
    share = {**GOOD, "unit": "-"}
    assert refusal(Share, **{**share, "value": 1.5, "low": 1.0, "high": 1.5})[0] == "value"
    assert refusal(Share, **{**share, "value": 0, "low": 0, "high": 0.5})[0] == "value"
    header = {**GOOD, "unit": "B", "value": 20, "low": 20, "high": 20}
    assert ExactBytes.model_validate(header).si == 20
    assert refusal(ExactBytes, **{**header, "high": 60})[0] == "high"
    assert refusal(ExactBytes, **{**header, "value": 20.5, "low": 20.5, "high": 20.5})[0] == "value"


def test_numbers_are_frozen():
    with pytest.raises(ValidationError):
        Sourced.model_validate(GOOD).value = 3.0
