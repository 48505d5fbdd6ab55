"""Pricing: from the counts of a run to joules and seconds of each device. Pure functions over arrays.

Energies are those at the device's power input (boundary "device"): neither the access point nor the
cellular network nor the losses of a battery's regulator are in them. `total` is all terms; `above_idle`
leaves out the two terms that an idle device would draw as well, `compute_static` and `waiting`. The
battery's share does include the regulator: energy at the battery is energy at the device over the supply's
efficiency.
"""
