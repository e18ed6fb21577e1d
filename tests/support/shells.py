"""Shells that load a profile where Rankwise is not, beside a launcher that only tells its version."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SHELLS = {"sh": ["sh"], "dash": ["dash"], "bash": ["bash"], "bash-posix": ["bash", "--posix"]}
OPEN_MPI, INTEL_MPI = "mpiexec (Open MPI) 5.0.11", "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 1"
_TCL = """
foreach word {module-whatis conflict} { proc $word args {} }
proc module-info {what mode} { expr {$mode eq [lindex $::argv 1]} }
proc setenv {name value} { puts -nonewline "$name=$value\\0" }
proc prepend-path {name value} { puts -nonewline "$name<$value\\0" }
set ModulesCurrentModulefile [lindex $argv 0]
catch { source [lindex $argv 0] } said options
if {[dict get $options -code] == 1} { puts stderr $said }
"""


@dataclass(frozen=True)
class Said:
    """What a shell has printed, and the variables that it had at last."""

    stderr: str
    variables: Mapping[str, str]
    lines: tuple[str, ...] = ()


def launcher(folder: Path, says: str) -> Path:
    """Make a folder for PATH with an mpiexec that says this."""
    folder.mkdir(exist_ok=True)
    (folder / "mpiexec").write_text(f"#!/bin/sh\ncat <<'END'\n{says}\n\nReport bugs to nobody\nEND\n")
    (folder / "mpiexec").chmod(0o755)
    return folder


def shell(name: str, script: str, file: Path, bin_folder: Path, options: str = "-eu", **environment: str) -> Said:
    """Run the script in a strict shell, with `file` as $0; what is exported then is told."""
    ran = subprocess.run(
        [*SHELLS[name], f"{options}c", f"{script}\nenv -0", str(file)], capture_output=True, text=True, timeout=20,
        check=False, env={"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(bin_folder), **environment},
    )  # fmt: skip
    pairs = [one.partition("=") for one in ran.stdout.split("\0") if one]
    return Said(ran.stderr, {name: value for name, _, value in pairs})


def module(file: Path, mode: str, bin_folder: Path, **environment: str) -> Said:
    """Evaluate a module file as `load` or `unload` does."""
    (bin_folder / "read.tcl").write_text(_TCL)
    ran = subprocess.run(
        ["tclsh", bin_folder / "read.tcl", file, mode], capture_output=True, text=True, timeout=20, check=True,
        env={"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(bin_folder), **environment},
    )  # fmt: skip
    lines = ran.stdout.split("\0")[:-1]
    return Said(ran.stderr, dict(one.split("=", 1) for one in lines if "=" in one), tuple(lines))
