"""The files of a profile beside profile.toml, as text: native ones, modulefiles, sysctl settings, README."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import PackageLoader, StrictUndefined

from rankwise.core import bound_variables
from rankwise.core.host_settings import MTU, setting
from rankwise.core.tuning import Native, Part, Profile
from rankwise.profiles import words
from rankwise.profiles.resolving import resolved

README = "README.md"
SYSCTL = "90-rankwise.conf"
MODULES = "modulefiles"
LOAD = "load.sh"
MTU_LINE = setting(MTU).command("").rstrip()
"""Sets a NIC's largest packet; the number follows."""
ARGUMENTS = "RANKWISE_MPIEXEC_ARGUMENTS"
"""The variable with a part's arguments of mpiexec, where there are any: variables alone cannot load them."""
_LISTS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PATH")
"""Variables that others have entries in too: ours go before them."""


def all_files(profile: Profile, folder: Path) -> dict[str, str]:
    """Return the texts by path below `folder`, where the profile is to lie, without profile.toml."""
    found = {README: readme(profile, folder)}
    if words.sysctls(profile):
        found[SYSCTL] = sysctl(profile)
    for part in profile.parts:
        native = native_of(part, folder)
        found[f"{MODULES}/{profile.name}/{part.implementation}"] = modulefile(profile, part, native)
        found[f"{part.implementation}/{LOAD}"] = load_script(profile, part, native)
        found |= {f"{part.implementation}/{name}": text for name, text in native.files}
    return found


def native_of(part: Part, folder: Path) -> Native:
    """Return what the part loads, its files lying in a folder of its own below the profile's."""
    return resolved(part.native, folder / part.implementation)


def sysctl(profile: Profile) -> str:
    """Return the kernel settings for /etc/sysctl.d; an MTU, which is no kernel setting, is a comment."""
    lines = [f"# Hosts of {profile.testbed}, as profile {profile.name} of Rankwise was measured."]
    if mtu := words.mtu(profile):
        lines.append(f"# Measured with an MTU of {mtu} too, on every host: {MTU_LINE} {mtu}")
    for key, value in words.sysctls(profile).items():
        asked = {dict(part.tuning.host_settings).get(key) for part in profile.parts} - {None}
        if len(asked) > 1:
            lines += [
                f"# {part.implementation} was measured with {dict(part.tuning.host_settings)[key]}"
                for part in profile.parts
                if key in dict(part.tuning.host_settings)
            ]
        lines.append(f"{key} = {value}")
    return "\n".join(lines) + "\n"


def load_script(profile: Profile, part: Part, native: Native) -> str:
    """Return what any POSIX shell can source."""
    lines = [f"# Profile {profile.name} for {part.implementation}: {source_line(native, LOAD)}"]
    lines.append(f"# then {start_line(native)}")
    for name, value in bound_variables.of_all(_variables(native)):
        if name in _LISTS:
            lines.append(f'export {name}={shlex.quote(value)}"${{{name}:+:${name}}}"')
        else:
            lines.append(f"export {name}={shlex.quote(value)}")
    return "\n".join([*lines, *bound_variables.shell_lines(native.environment, LOAD)]) + "\n"


def source_line(native: Native, file: str) -> str:
    """Return how a shell loads the variables: with the number of ranks where some are for one number only."""
    ranks = next(iter(bound_variables.tables(native.environment)), 0)
    return f"{bound_variables.RANKS}={ranks} . {shlex.quote(file)}" if ranks else f". {shlex.quote(file)}"


def start_line(native: Native) -> str:
    """Return how a program is started once the variables are set."""
    ranks = next(iter(bound_variables.tables(native.environment)), 4)
    return f"mpiexec ${ARGUMENTS} -n {ranks} ./app" if native.arguments else f"mpiexec -n {ranks} ./app"


def modulefile(profile: Profile, part: Part, native: Native) -> str:
    """Return the module file in Tcl, which Environment Modules and Lmod both read."""
    lines = [
        "#%Module1.0",
        f"## {part.implementation} as Rankwise tuned it for {profile.testbed}.",
        *(
            [f"## Words for mpiexec are in {ARGUMENTS}: {start_line(native)}"]
            if native.arguments
            else []
        ),
        "",
        f"module-whatis {_tcl(f'{part.implementation}, tuned for {profile.testbed} by Rankwise')}",
        f"conflict {_tcl(profile.name)}",
        "",
    ]  # fmt: skip
    for name, value in bound_variables.of_all(_variables(native)):
        lines.append(f"{'prepend-path' if name in _LISTS else 'setenv'} {name} {_tcl(value)}")
    return "\n".join([*lines, *_bound_lines(native, f"module load {profile.name}/{part.implementation}")]) + "\n"


def _bound_lines(native: Native, load: str) -> list[str]:
    """What chooses, when the module is loaded, by the number of ranks in RANKS; all of it ends with the module."""
    by_number = bound_variables.tables(native.environment)
    if not by_number:
        return []
    ranks = bound_variables.RANKS
    lines = [
        "",
        f"if {{[info exists ::env({ranks})]}} {{ set ranks $::env({ranks}) }} else {{ set ranks {{}} }}",
        "if {[module-info mode unload]} {",
        *(f"    setenv {name} {{}}" for name in bound_variables.names(native.environment)),
        "} else {",
        "    switch -exact -- $ranks {",
    ]
    for number, variables in by_number.items():
        lines += [
            f"        {number} {{",
            *(f"            setenv {name} {_tcl(value)}" for name, value in variables),
        ]
        lines.append("        }")
    missing, unknown = bound_variables.missing_words(by_number, load), bound_variables.unknown_words(by_number)
    return [
        *lines,
        f"        {{}} {{ puts stderr {_tcl(missing)} }}",
        f'        default {{ puts stderr "{unknown} $ranks" }}',
        "    }",
        "}",
    ]


def readme(profile: Profile, folder: Path) -> str:
    """Return what was changed, why, what it gains and costs, and how it is loaded."""
    templates = Templates(
        loader=PackageLoader("rankwise.profiles", "templates"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    templates.filters.update(cell=_cell, quote=shlex.quote)
    text = templates.get_template("README.md.j2").render(
        profile=profile, folder=folder, words=words, native_of=native_of, start_line=start_line,
        source_line=source_line, families={part.family for part in profile.parts},
        by_ranks=[part.implementation for part in profile.parts if bound_variables.names(part.native.environment)],
        date=datetime.fromtimestamp(profile.created_at, UTC).strftime("%-d %B %Y"), modules=MODULES, load=LOAD,
        sysctl=SYSCTL, arguments=ARGUMENTS, host_settings=words.host_settings(profile),
        mtu_line=MTU_LINE,
    )  # fmt: skip
    return re.sub(r"\n{3,}", "\n\n", text)


def _variables(native: Native) -> tuple[tuple[str, str], ...]:
    own = ((ARGUMENTS, shlex.join(native.arguments)),) if native.arguments else ()
    return (*native.environment, *own)


def _tcl(text: str) -> str:
    """A word of Tcl that stands for exactly this text."""
    return '"' + re.sub(r'([\\"$\[\]{}])', r"\\\1", text).replace("\n", "\\n") + '"'


def _cell(text: str) -> str:
    """Text within a table of Markdown."""
    return " ".join(text.replace("|", "\\|").split())
