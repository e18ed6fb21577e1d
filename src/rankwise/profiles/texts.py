"""A profile's files beside profile.toml, as text: native ones, load.sh, modulefiles, sysctl settings, README."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import PackageLoader, StrictUndefined

from rankwise.core import bound_variables
from rankwise.core.host_settings import MTU, setting
from rankwise.core.tuning import Profile
from rankwise.profiles import words
from rankwise.profiles.family_words import words_of
from rankwise.profiles.load_script import (
    ARGUMENTS,
    CHECK,
    LOAD,
    arguments,
    load_script,
    source_line,
    start_line,
)
from rankwise.profiles.modulefile import modulefile
from rankwise.profiles.resolving import resolved

README = "README.md"
SYSCTL = "90-rankwise.conf"
MODULES = "modulefiles"
MTU_LINE = setting(MTU).command("").rstrip()
"""Sets a NIC's largest packet; the number follows."""


def all_files(profile: Profile, folder: Path) -> dict[str, str]:
    """Return the texts by path below `folder`, where the profile is to lie, without profile.toml."""
    files = {README: readme(profile, folder)}
    if words.sysctls(profile):
        files[SYSCTL] = sysctl(profile)
    for part in profile.parts:
        own = folder / part.implementation
        files[f"{MODULES}/{profile.name}/{part.implementation}"] = modulefile(profile, part, own)
        files[f"{part.implementation}/{LOAD}"] = load_script(profile, part, own)
        files |= {f"{part.implementation}/{name}": text for name, text in resolved(part.native, own).files}
    return files


def sysctl(profile: Profile) -> str:
    """Return the kernel settings for /etc/sysctl.d; an MTU, which is no kernel setting, is a comment."""
    lines = [f"# Hosts of {profile.testbed}, as profile {profile.name} of Rankwise was measured."]
    if mtu := words.mtu(profile):
        lines.append(f"# Measured with an MTU of {mtu} too, on every host: {MTU_LINE} {mtu}")
    for key, value in words.sysctls(profile).items():
        values = {dict(part.tuning.host_settings).get(key) for part in profile.parts} - {None}
        if len(values) > 1:
            lines += [
                f"# {part.implementation} was measured with {dict(part.tuning.host_settings)[key]}"
                for part in profile.parts
                if key in dict(part.tuning.host_settings)
            ]
        lines.append(f"{key} = {value}")
    return "\n".join(lines) + "\n"


def readme(profile: Profile, folder: Path) -> str:
    """Return what was changed, why, what it gains and costs, and how it is loaded."""
    templates = Templates(
        loader=PackageLoader("rankwise.profiles", "templates"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    templates.filters.update(cell=_cell, quote=shlex.quote, each_node=lambda family: words_of(family).each_node)
    text = templates.get_template("README.md.j2").render(
        profile=profile, folder=folder, words=words, start_line=start_line, source_line=source_line,
        words_of=words_of, families=dict.fromkeys(part.family for part in profile.parts),
        by_ranks=[part.implementation for part in profile.parts if bound_variables.names(part.native.environment)],
        date=datetime.fromtimestamp(profile.created_at, UTC).strftime("%-d %B %Y"), modules=MODULES, load=LOAD,
        sysctl=SYSCTL, arguments=ARGUMENTS, needs_arguments=any(map(arguments, profile.parts)),
        check=CHECK, host_settings=words.host_settings(profile),
        mtu_line=MTU_LINE,
    )  # fmt: skip
    return re.sub(r"\n{3,}", "\n\n", text)


def _cell(text: str) -> str:
    """Text within a table of Markdown."""
    return " ".join(text.replace("|", "\\|").split())
