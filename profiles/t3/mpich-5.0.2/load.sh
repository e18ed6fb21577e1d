# Profile t3 for MPICH 5.0.2, for a shell to source: . load.sh
# then mpiexec -n 4 ./app
_rankwise_why=
_rankwise_folder=/tmp/wt/race/profiles/t3/mpich-5.0.2
[ -z "${BASH_SOURCE-}" ] || _rankwise_folder=$(CDPATH='' cd -P -- "$(dirname -- "$BASH_SOURCE")" && pwd)
for _rankwise_file in mpich-algorithms.json mpich-compositions.json; do
    [ -r "$_rankwise_folder/$_rankwise_file" ] || _rankwise_why="$_rankwise_folder/$_rankwise_file cannot be read"
done
_rankwise_said=$("${MPIEXEC:-mpiexec}" --version </dev/null 2>&1) || :
_rankwise_said=$(printf %s "$_rankwise_said" | tr -s ' \t\n' ' ')
case "$_rankwise_said " in
*'Version: 5.0.2'[!0-9A-Za-z.]*) ;;
*) _rankwise_why='profile t3 is for MPICH 5.0.2, and the MPI in PATH says: '$(printf %.80s "${_rankwise_said##*load.sh: }") ;;
esac
_rankwise_set() {
    eval "_rankwise_is=\${$1+set}; _rankwise_has=\${$1-}"
    if [ -z "$_rankwise_is" ]; then
        export "$1=$2"
        RANKWISE_LOADED="${RANKWISE_LOADED-} $1"
    elif [ "$_rankwise_has" != "$2" ]; then
        echo "load.sh: your $1=$_rankwise_has stays in force; the profile has $2" >&2
    fi
}
if [ -z "$_rankwise_why" ]; then
    for _rankwise_is in ${RANKWISE_LOADED-}; do unset "$_rankwise_is"; done
    RANKWISE_LOADED=
    _rankwise_set MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE "$_rankwise_folder"/mpich-compositions.json
    _rankwise_set MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE "$_rankwise_folder"/mpich-algorithms.json
    export RANKWISE_LOADED
else
    echo "load.sh: $_rankwise_why; nothing was loaded" >&2
fi
unset -f _rankwise_set
unset _rankwise_folder _rankwise_said _rankwise_file _rankwise_is _rankwise_has _rankwise_line _rankwise_where
if [ "$_rankwise_why" ]; then
    unset _rankwise_why
    return 1
fi
unset _rankwise_why
