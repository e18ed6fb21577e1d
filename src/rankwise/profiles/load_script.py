"""`load.sh` of a profile: what a POSIX shell sources to have a part's settings in its environment.

It finds out first whether the MPI in PATH is the one that was tuned, and whether its files are there; where not,
it changes nothing and returns 1. What the user has set stays as it is. Names of what it did set are kept in
RANKWISE_LOADED, so that another profile, loaded later, takes the place of this one.

Whether all nodes of a job have the files only a program on each of them can tell: RANKWISE_CHECK asks for that.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from rankwise.core import bound_variables
from rankwise.core.records import Environment
from rankwise.core.tuning import FOLDER, Native, Part, Profile
from rankwise.profiles.family_words import FamilyWords, shell_patterns, titled, words_of

LOAD = "load.sh"
PRELOAD, PRELOADED = "LD_PRELOAD", "RANKWISE_PRELOADED"
"""The variable that the loader reads, and what a profile has put there, so that it can be taken out again."""
ARGUMENTS = "RANKWISE_MPIEXEC_ARGUMENTS"
"""The variable with a part's arguments of mpiexec, where there are any: variables alone cannot load them."""
LOADED = "RANKWISE_LOADED"
"""The variable with the names of those that a profile has set."""
CHECK = "RANKWISE_CHECK"
"""The variable that has every node looked at: 1, or the command that starts a program once on each node."""
FORWARDED = (PRELOAD, "RANKWISE_OVERLAY", "RANKWISE_NETWORK")
"""Those of the overlay: some launchers pass on the variables of their own MPI alone."""
LISTS = ("LD_LIBRARY_PATH", PRELOAD, "PATH")
"""Variables that others have entries in too: ours go before them."""

_OWN_FOLDER = (
    '[ -z "${BASH_SOURCE-}" ] || _rankwise_folder=$(CDPATH=\'\' cd -P -- "$(dirname -- "$BASH_SOURCE")" && pwd)'
)
"""Bash tells a script where it lies, other shells do not."""
_CHECK = """\
_rankwise_said=$({asked} </dev/null 2>&1) || :
_rankwise_said=$(printf %s "$_rankwise_said" | tr -s ' \\t\\n' ' ')
case "$_rankwise_said " in
{patterns}) ;;
*) _rankwise_why={wrong}$(printf %.80s "${{_rankwise_said##*load.sh: }}") ;;
esac
"""
_FILES = """\
for _rankwise_file in {names}; do
    [ -r "$_rankwise_folder/$_rankwise_file" ] || _rankwise_why="$_rankwise_folder/$_rankwise_file cannot be read"
done
"""
_EACH_NODE = """\
if [ -z "$_rankwise_why" ] && [ "${{{check}-}}" ]; then
    _rankwise_line=${check}
    if [ "${check}" = 1 ]; then
        _rankwise_line="{each_node}"
        [ -z "${{SLURM_JOB_NUM_NODES-}}" ] ||
            _rankwise_line="srun --ntasks-per-node=1 --ntasks=$SLURM_JOB_NUM_NODES"
    fi
    _rankwise_has=$(cd "$_rankwise_folder" && cksum {names} | cksum)
    _rankwise_said=$($_rankwise_line sh -c '
        cd "$0" 2>/dev/null && [ "$(cksum {names} 2>/dev/null | cksum)" = "$1" ] ||
            echo "$(uname -n): $0 is missing, or another"
        ' "$_rankwise_folder" "$_rankwise_has" </dev/null 2>&1) ||
        _rankwise_why="cannot check every node ($_rankwise_line): $(printf %.400s "$_rankwise_said")"
    _rankwise_said=$(printf '%s\\n' "$_rankwise_said" | grep ': .* is missing, or another$') || :
    [ -z "$_rankwise_said" ] || _rankwise_why=$_rankwise_said
fi
"""
"""Slurm knows the nodes, else the implementation may. By the checksum of all files: a copy may be older."""
_LIBRARY = """\
if [ -z "$_rankwise_why" ]; then
    _rankwise_said=$({preload}="$_rankwise_folder/{name}" sh -c : 2>&1) || _rankwise_said="$_rankwise_said "
    [ -z "$_rankwise_said" ] || _rankwise_why="{name} does not load on this host: $_rankwise_said"
fi
"""
"""It was built elsewhere: the C library here may be older, and the MPI another one or in another place."""
_TAKE_OUT = f"""\
    if [ "${{{PRELOADED}-}}" ] && [ "${{{PRELOAD}-}}" ]; then
        {PRELOAD}=${{{PRELOAD}#"${PRELOADED}"}} {PRELOAD}=${{{PRELOAD}#:}}
        [ "${PRELOAD}" ] || unset {PRELOAD}
    fi
"""
_SET = """\
_rankwise_set() {{
    eval "_rankwise_is=\\${{$1+set}}; _rankwise_has=\\${{$1-}}"
{users}\
    if [ -z "$_rankwise_is" ]; then
        export "$1=$2"
        {loaded}="${{{loaded}-}} $1"
    elif [ "$_rankwise_has" != "$2" ]; then
        echo "{file}: your $1=$_rankwise_has{where} stays in force; the profile has $2" >&2
    fi
}}
"""
_USERS = """\
    _rankwise_line=$(sed -n "s/^[[:blank:]]*${{1#{prefix}}}[[:blank:]]*=[[:blank:]]*//p" \\
        "${{HOME-}}/{file}" 2>/dev/null | tail -n 1)
    _rankwise_where=
    if [ -z "$_rankwise_is" ] && [ "$_rankwise_line" ]; then
        _rankwise_is=set _rankwise_has=$_rankwise_line _rankwise_where=" of ~/{file}"
    fi
"""
_END = """\
if [ "$_rankwise_why" ]; then
    unset _rankwise_why
    return 1
fi
unset _rankwise_why
"""
_NAMES = "folder said file is has line where"


def load_script(profile: Profile, part: Part, folder: Path) -> str:
    """Return the script for a part whose files lie in `folder`."""
    family = words_of(part.family)
    lines = [
        f"# Profile {profile.name} for {titled(part)}, for a shell to source: {source_line(part.native, LOAD)}",
        f"# then {start_line(part)}",
        "_rankwise_why=",
        f"_rankwise_folder={shlex.quote(str(folder))}",
        _OWN_FOLDER,
    ]
    check = _checks(profile, part, family)
    load = [
        *_TAKE_OUT.splitlines(),
        f'    for _rankwise_is in ${{{LOADED}-}}; do unset "$_rankwise_is"; done',
        f"    {LOADED}=",
        *(f"    {line}" for line in _settings(part)),
        f"    export {LOADED}",
    ]
    refuse = f'echo "{LOAD}: $_rankwise_why; nothing was loaded" >&2'
    return (
        "\n".join(lines) + "\n" + check + _setter(family)
        + 'if [ -z "$_rankwise_why" ]; then\n' + "\n".join(load) + f"\nelse\n    {refuse}\nfi\n"
        + "unset -f _rankwise_set\n"
        + f"unset {' '.join(f'_rankwise_{name}' for name in _NAMES.split())}\n"
        + _END
    )  # fmt: skip


def source_line(native: Native, file: str) -> str:
    """Return how a shell loads the variables: with the number of ranks where some are for one number only."""
    ranks = next(iter(bound_variables.tables(native.environment)), 0)
    return f"{bound_variables.RANKS}={ranks} . {shlex.quote(file)}" if ranks else f". {shlex.quote(file)}"


def start_line(part: Part, launcher: str = "mpiexec") -> str:
    """Return how a program is started once the variables are set."""
    ranks = next(iter(bound_variables.tables(part.native.environment)), 4)
    options = f" ${ARGUMENTS}" if arguments(part) and launcher == "mpiexec" else ""
    return f"{launcher}{options} -n {ranks} ./app"


def arguments(part: Part) -> tuple[str, ...]:
    """Return what must stand on mpiexec's own line: a part's arguments, and which variables every rank gets."""
    forwarded = [
        word.replace("{name}", name)
        for name, _ in part.native.environment if part.native.libraries and name in FORWARDED
        for word in words_of(part.family).forward
    ]  # fmt: skip
    return (*part.native.arguments, *forwarded)


def variables(part: Part) -> Environment:
    """Return all that a shell has to set, the arguments of mpiexec too."""
    own = ((ARGUMENTS, shlex.join(options)),) if (options := arguments(part)) else ()
    return (*part.native.environment, *own)


def needed_files(native: Native) -> tuple[str, ...]:
    """Return the names of all that lies in a part's folder and is read by its ranks."""
    return (*(name for name, _ in native.files), *(Path(library).name for library in native.libraries))


def _checks(profile: Profile, part: Part, family: FamilyWords) -> str:
    names = needed_files(part.native)
    files = _FILES.format(names=shlex.join(names)) if names else ""
    loads = "".join(_LIBRARY.format(preload=PRELOAD, name=Path(library).name) for library in part.native.libraries)
    way = family.each_node.replace("NODES", "${NODES:-1}")
    each_node = _EACH_NODE.format(check=CHECK, each_node=way, names=shlex.join(names)) if names else ""
    if not family.says:
        return files + loads + each_node
    wrong = f"profile {profile.name} is for {titled(part)}, and the MPI in PATH reports: "
    check = _CHECK.format(
        asked=family.asked, patterns=shell_patterns(family, part.version), wrong=shlex.quote(wrong)
    )
    return files + check + loads + each_node


def _setter(family: FamilyWords) -> str:
    users = _USERS.format(prefix=family.users_prefix, file=family.users_file) if family.users_file else ""
    return _SET.format(users=users, loaded=LOADED, file=LOAD, where="$_rankwise_where" if users else "")


def _settings(part: Part) -> list[str]:
    lines = []
    for name, value in bound_variables.of_all(variables(part)):
        if name in LISTS:
            lines.append(f'export {name}={_quoted(value)}"${{{name}:+:${name}}}"')
            if name == PRELOAD:
                lines.append(f"_rankwise_set {PRELOADED} {_quoted(value)}")
        else:
            lines.append(f"_rankwise_set {name} {_quoted(value)}")
    return [*lines, *bound_variables.shell_lines(part.native.environment, LOAD, "_rankwise_set {name} {value}")]


def _quoted(value: str) -> str:
    """A word of the shell, FOLDER in it replaced by where the script's files lie."""
    pieces = [shlex.quote(piece) if piece else "" for piece in value.split(FOLDER)]
    return '"$_rankwise_folder"'.join(pieces) or "''"
