"""What of Open MPI can be set, and a tuning as variables and rules files.

A parameter is set by a variable of its own: the parameter files of the site and of the user are then read as ever,
and what they set beside stays in force. (`mca_base_param_files` would name a file of ours, but the list of the
others would have to be written with it, and these are elsewhere on the next machine.) Only rules for collective
algorithms need a file, which a variable names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.knobs import described
from rankwise.core.tuning import FOLDER, Choice, Decision, Knob, Loaded, Native, ReadBack, Setting, Tuning
from rankwise.mpi.openmpi import algorithms, json_rules, nonblocking
from rankwise.mpi.openmpi.levers import AUTO, Lever, levers_of
from rankwise.mpi.openmpi.parameters import PARAMETERS_FILE, VARIABLE, Installation, file_variables, shown

RULES_FILE = "tuned-rules.conf"
JSON_RULES_FILE = "tuned-rules.json"
HAN_RULES_FILE = "han-rules.conf"
RULES_SUBJECT = "rules-file"
"""In evidence: the rules file in force. That its algorithms run only their messages can show: see the tests."""


def knobs(installation: Installation) -> tuple[Knob, ...]:
    """Return what of this installation can be set."""
    return tuple(lever.knob for lever in levers_of(installation).values())


def native(installation: Installation, tuning: Tuning) -> Native:
    """Return the variables that every rank needs, and the rules files that some of them name.

    Raises InputError for a knob, value, operation or algorithm that this version does not have.
    """
    levers = levers_of(installation)
    variables: dict[str, str] = {}
    seen: set[str] = set()
    for setting in tuning.settings:
        if setting.knob not in levers:
            raise UnknownNameError(f"knob of Open MPI {installation.version}", setting.knob, levers)
        if setting.knob in seen:
            raise InputError(f"{setting.knob} is set twice", "set it once")
        seen.add(setting.knob)
        lever = levers[setting.knob]
        _check(lever.knob, setting.value)
        variables |= {VARIABLE + name: value for name, value in lever.write(setting.value)}
    _refuse_under_adapt(levers, tuning)
    files = []
    by_parameter = [decision for decision in tuning.decisions if decision.operation in nonblocking.OPERATIONS]
    variables |= nonblocking.variables(installation, by_parameter)
    ruled = [decision for decision in tuning.decisions if decision not in by_parameter]
    if ruled:
        name, text = _tuned_rules(installation, ruled)
        files.append((name, text))
        variables[VARIABLE + "coll_tuned_use_dynamic_rules"] = "1"
        variables[VARIABLE + "coll_tuned_dynamic_rules_filename"] = f"{FOLDER}/{name}"
        for_han = algorithms.han_rules(ruled) if _han_leads(levers, tuning.settings) else ""
        if for_han:
            files.append((HAN_RULES_FILE, for_han))
            variables[VARIABLE + "coll_han_use_dynamic_file_rules"] = "1"
            variables[VARIABLE + "coll_han_dynamic_rules_filename"] = f"{FOLDER}/{HAN_RULES_FILE}"
    return Native(tuple(files), tuple(variables.items()))


def file_settings(loaded: Loaded) -> dict[str, str]:
    """Return what a parameter file on disk sets, by the variables that would overrule it.

    Profiles that were written before variables alone were loaded have one.
    """
    return {
        name: value
        for file in map(Path, loaded.files)
        if file.name == PARAMETERS_FILE
        for name, value in file_variables(file).items()
    }


def reporting() -> Native:
    """Make rank 0 print every parameter; a release build has nothing that names the algorithms that run."""
    return Native(environment=(("OMPI_MCA_mpi_show_mca_params", "all"),))


def read_back(installation: Installation, output: str) -> ReadBack:
    """Return the value in force of each knob, and the rules file if there is one."""
    values = shown(output)
    if not values:
        return ReadBack()
    in_force = [(name, lever.read(values)) for name, lever in levers_of(installation).items()]
    if values.get("coll_tuned_use_dynamic_rules") == "true":
        in_force.append((RULES_SUBJECT, values.get("coll_tuned_dynamic_rules_filename", "")))
    forced = {name: values.get(nonblocking.parameter(name), "") for name in sorted(nonblocking.OPERATIONS)}
    in_force += [
        (f"algorithms of {name}", value) for name, value in forced.items() if value != nonblocking.IGNORED
    ]
    return ReadBack(in_force=tuple(pair for pair in in_force if pair[1]))


def _check(knob: Knob, value: str) -> None:
    """Raises InputError for a value that the knob does not have."""
    if value == AUTO == knob.default:
        return
    if knob.values:
        if value not in knob.values:
            raise UnknownNameError(f"value of {knob.name}", value, knob.values)
    elif not knob.admits(value):
        raise InputError(
            f"{knob.name} = {value}: not a number from {knob.least} to {knob.most} ({knob.unit})",
            "write a whole number in decimals",
        )


def _tuned_rules(installation: Installation, decisions: Sequence[Decision]) -> tuple[str, str]:
    """The rules for `tuned` as name and text of a file: from version 6 on JSON, which is read otherwise there."""
    if installation.major >= json_rules.SINCE:
        return JSON_RULES_FILE, json_rules.tuned_rules(installation, decisions)
    return RULES_FILE, algorithms.tuned_rules(installation, decisions)


def _han_leads(levers: Mapping[str, Lever], settings: Sequence[Setting]) -> bool:
    """Whether `han` takes operations between hosts before `tuned` is asked."""
    return _is_on("han", levers, settings)


def _is_on(name: str, levers: Mapping[str, Lever], settings: Sequence[Setting]) -> bool:
    if name not in levers:
        return False
    chosen = [setting.value for setting in settings if setting.knob == name]
    return (chosen or [levers[name].knob.default])[0] == "on"


def _refuse_under_adapt(levers: Mapping[str, Lever], tuning: Tuning) -> None:
    """Raises InputError for decisions that nobody would look at."""
    acting = [decision for decision in tuning.decisions if any(rule.choice != Choice() for rule in decision.rules)]
    without = {decision.operation for decision in acting} & set(described("adapt").operations)
    if without and _is_on("adapt", levers, tuning.settings):
        raise InputError(
            f"{', '.join(sorted(without))}: the component adapt does this, which chooses by itself",
            "leave these rules out, or set adapt to off",
        )
