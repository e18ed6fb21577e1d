"""The files of a profile beside profile.toml, as text: native ones, modulefiles, sysctl settings, README."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import PackageLoader, StrictUndefined

from rankwise.core.tuning import Native, Part, Profile
from rankwise.profiles import words
from rankwise.profiles.resolving import resolved

README = "README.md"
SYSCTL = "90-rankwise.conf"
MODULES = "modulefiles"
LOAD = "load.sh"
ARGUMENTS = "RANKWISE_MPIEXEC_ARGUMENTS"
"""The variable with a part's words for mpiexec, where there are any: variables alone cannot load them."""
_LISTS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PATH")
"""Variables that others have entries in too: ours go before them."""


def all_files(profile: Profile, folder: Path) -> dict[str, str]:
    """Path below `folder`, where the profile is to lie, -> text; profile.toml aside."""
    found = {README: readme(profile, folder)}
    if words.host_settings(profile):
        found[SYSCTL] = sysctl(profile)
    for part in profile.parts:
        native = native_of(part, folder)
        found[f"{MODULES}/{profile.name}/{part.implementation}"] = modulefile(profile, part, native)
        found[f"{part.implementation}/{LOAD}"] = load_script(profile, part, native)
        found |= {f"{part.implementation}/{name}": text for name, text in native.files}
    return found


def native_of(part: Part, folder: Path) -> Native:
    """What the part loads, its files lying in a folder of its own below the profile's."""
    return resolved(part.native, folder / part.implementation)


def sysctl(profile: Profile) -> str:
    """Kernel settings for /etc/sysctl.d."""
    lines = [f"# Hosts of {profile.testbed}, as profile {profile.name} of Rankwise was measured."]
    for key, value in words.host_settings(profile).items():
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
    """To be sourced by any POSIX shell."""
    lines = [f"# Profile {profile.name} for {part.implementation}: source this file, then {start_line(native)}"]
    for name, value in _variables(native):
        if name in _LISTS:
            lines.append(f'export {name}={shlex.quote(value)}"${{{name}:+:${name}}}"')
        else:
            lines.append(f"export {name}={shlex.quote(value)}")
    return "\n".join(lines) + "\n"


def start_line(native: Native) -> str:
    """How a program is started once the variables are set."""
    return f"mpiexec ${ARGUMENTS} -n 4 ./app" if native.arguments else "mpiexec -n 4 ./app"


def modulefile(profile: Profile, part: Part, native: Native) -> str:
    """In Tcl, which Environment Modules and Lmod both read."""
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
    for name, value in _variables(native):
        lines.append(f"{'prepend-path' if name in _LISTS else 'setenv'} {name} {_tcl(value)}")
    return "\n".join(lines) + "\n"


def readme(profile: Profile, folder: Path) -> str:
    """What was changed, why, what it gains and costs, and how it is loaded."""
    templates = Templates(
        loader=PackageLoader("rankwise.profiles", "templates"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    templates.filters.update(cell=_cell, quote=shlex.quote)
    text = templates.get_template("README.md.j2").render(
        profile=profile, folder=folder, words=words, native_of=native_of, start_line=start_line,
        date=datetime.fromtimestamp(profile.created_at, UTC).strftime("%-d %B %Y"), modules=MODULES, load=LOAD,
        sysctl=SYSCTL, arguments=ARGUMENTS, host_settings=words.host_settings(profile),
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
