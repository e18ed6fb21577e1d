"""The module file of a profile's part, in Tcl, which Environment Modules and Lmod both read.

It does what `load.sh` does: it looks first whether the MPI in PATH is the one that was tuned, and keeps what the
user has set; unloading it takes back what it has set and nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.core import bound_variables
from rankwise.core.records import Environment
from rankwise.core.tuning import FOLDER, Native, Part, Profile
from rankwise.profiles.family_words import tcl_pattern, titled, words_of
from rankwise.profiles.load_script import (
    ARGUMENTS,
    LISTS,
    LOADED,
    PRELOAD,
    arguments,
    needed_files,
    start_line,
    variables,
)

_FOLDER = """\
set folder {frozen}
if {{[info exists ModulesCurrentModulefile]}} {{
    set own [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]
    if {{[file isdirectory "$own/{part}"]}} {{ set folder "$own/{part}" }}
}}
"""
_CHECK = """\
if {{[module-info mode load]}} {{
    catch {{exec sh -c {asked} </dev/null 2>@1}} said
    set said "[regsub -all {{\\s+}} $said {{ }}] "
    if {{![regexp -- {pattern} $said]}} {{
        puts stderr "{wrong}[string range $said 0 159]; nothing was loaded"
        break
    }}
}}
"""
_FILES = """\
set lacking {{}}
foreach file {{{names}}} {{
    if {{![file readable "$folder/$file"]}} {{ set lacking "$folder/$file" }}
}}
if {{[module-info mode load] && $lacking ne {{}}}} {{
    puts stderr "$lacking cannot be read; nothing was loaded"
    break
}}
"""
_LIBRARY = """\
if {{[module-info mode load]}} {{
    catch {{exec env "{preload}=$folder/{name}" sh -c : </dev/null 2>@1}} said
    if {{$said ne {{}}}} {{
        puts stderr "{name} does not load on this host: [string range $said 0 299]; nothing was loaded"
        break
    }}
}}
"""
_SET = """\
set ours {{}}
if {{[info exists ::env({loaded})]}} {{ set ours $::env({loaded}) }}
if {{[module-info mode unload]}} {{
    foreach name $ours {{ setenv $name {{}} }}
    setenv {loaded} {{}}
}} else {{
    set loaded {{}}
    foreach {{name value}} $variables {{
{users}\
        if {{[info exists ::env($name)] && [lsearch -exact $ours $name] < 0}} {{
            if {{$::env($name) ne $value}} {{
                puts stderr "your $name=$::env($name) stays in force; the profile has $value"
            }}
        }} else {{
            setenv $name $value
            lappend loaded $name
        }}
    }}
    setenv {loaded} $loaded
}}
"""
_USERS = """\
        set pattern "(?n)^\\\\s*[string map {{{prefix} {{}}}} $name]\\\\s*=(.*)$"
        if {{![info exists ::env($name)] && [regexp -- $pattern $users whole has]}} {{
            set has [string trim $has]
            if {{$has ne $value}} {{
                puts stderr "your $name=$has of ~/{file} stays in force; the profile has $value"
            }}
            continue
        }}
"""
_READ = """\
set users {{}}
catch {{ set channel [open "$::env(HOME)/{file}"]; set users [read $channel]; close $channel }}
"""


def modulefile(profile: Profile, part: Part, folder: Path) -> str:
    """Return the module file for a part whose files lie in `folder`."""
    native, family, title = part.native, words_of(part.family), titled(part)
    lines = [
        "#%Module1.0",
        f"## {title} as Rankwise tuned it for {profile.testbed}.",
        *([f"## Arguments for mpiexec are in {ARGUMENTS}: {start_line(part)}"] if arguments(part) else []),
        "",
        f"module-whatis {_tcl(f'{title}, tuned for {profile.testbed} by Rankwise')}",
        f"conflict {_tcl(profile.name)}",
        "",
    ]
    text = "\n".join(lines) + "\n"
    if native.files:
        text += _FOLDER.format(frozen=_tcl(str(folder)), part=part.implementation)
        text += _FILES.format(names=" ".join(map(_tcl, needed_files(native))))
    if family.says:
        text += _CHECK.format(
            asked=_tcl(family.asked), pattern=_tcl(tcl_pattern(family, part.version)),
            wrong=_escaped(f"profile {profile.name} is for {title}, and the MPI in PATH reports: "),
        )  # fmt: skip
    for library in native.libraries:
        text += _LIBRARY.format(preload=PRELOAD, name=Path(library).name)
    text += "\n" + _settings(variables(part))
    text += "\n".join(_bound_lines(native, f"module load {profile.name}/{part.implementation}"))
    if family.users_file:
        text += _READ.format(file=family.users_file)
    users = _USERS.format(prefix=family.users_prefix, file=family.users_file) if family.users_file else ""
    return text + _SET.format(loaded=LOADED, users=users)


def _settings(environment: Environment) -> str:
    lines, plain = [], []
    for name, value in bound_variables.of_all(environment):
        if name in LISTS:
            lines.append(f"prepend-path {name} {_tcl(value)}")
        else:
            plain.append(f"lappend variables {name} {_tcl(value)}")
    return "\n".join([*lines, "set variables {}", *plain]) + "\n"


def _bound_lines(native: Native, load: str) -> list[str]:
    """What chooses, when the module is loaded, by the number of ranks in RANKS; all of it ends with the module."""
    by_number = bound_variables.tables(native.environment)
    if not by_number:
        return []
    ranks = bound_variables.RANKS
    lines = [
        f"if {{[info exists ::env({ranks})]}} {{ set ranks $::env({ranks}) }} else {{ set ranks {{}} }}",
        "if {![module-info mode unload]} {",
        "    switch -exact -- $ranks {",
    ]
    for number, own in by_number.items():
        settings = (f"            lappend variables {name} {_tcl(value)}" for name, value in own)
        lines += [f"        {number} {{", *settings, "        }"]
    missing, unknown = bound_variables.missing_words(by_number, load), bound_variables.unknown_words(by_number)
    return [
        *lines,
        f"        {{}} {{ puts stderr {_tcl(missing)} }}",
        f'        default {{ puts stderr "{unknown} $ranks" }}',
        "    }",
        "}",
        "",
    ]


def _tcl(text: str) -> str:
    """A word of Tcl that stands for exactly this text; FOLDER in it is the variable `folder`."""
    return '"' + "${folder}".join(map(_escaped, text.split(FOLDER))) + '"'


def _escaped(text: str) -> str:
    return re.sub(r'([\\"$\[\]{}])', r"\\\1", text).replace("\n", "\\n")
