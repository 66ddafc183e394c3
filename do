#!/bin/sh
# The one entry: ./do demo | run | test | deep | check | docs | bench | fuzz | lock | parts  (see ./do help)
set -eu
cd "$(dirname "$0")"
root=$PWD
venv="$root/.venv"
export UV_SYSTEM_CERTS=1 # trust whom the machine trusts, and let npm do so
bundle=/etc/ssl/certs/ca-certificates.crt
if [ -r "$bundle" ]; then export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$bundle}"; fi

say() { printf '%s\n' "do: $*" >&2; }
die() { say "$*"; exit 1; }

find_python() {
    for name in "${PERMACITE_PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$name"
            return
        fi
    done
    die "Python 3.11 or newer is needed; install it (Debian: apt-get install python3) and run again"
}

# Debian's python3 alone has neither pip nor venv. Anybody may download the package that holds pip's
# wheel and unpack it, and a wheel runs where it lies.
fetch_pip() {
    folder="$root/.uv/pip"
    mkdir -p "$folder/lists/partial" "$folder/archives/partial"
    cd "$folder"
    apt="apt-get -qq -o Dir::State::Lists=$folder/lists -o Dir::Cache=$folder"
    { apt-get -qq download python3-pip-whl 2>/dev/null || { $apt update && $apt download python3-pip-whl; } } >&2 ||
        die "$python has neither pip nor venv; install one (Debian: apt-get install python3-venv) and run again"
    dpkg -x python3-pip-whl_*.deb .
    printf '%s\n' "$folder"/usr/share/python-wheels/pip-*.whl
    rm -rf "$folder/lists"
}

# uv makes the environment. Where it is not installed, it is fetched, pinned by hash, into .uv/.
find_uv() {
    if command -v uv >/dev/null 2>&1; then command -v uv; return; fi
    uv="$root/.uv/bin/uv"
    if [ ! -x "$uv" ]; then
        say "fetching uv into .uv/"
        pip="pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt"
        if "$python" -m pip --version >/dev/null 2>&1; then "$python" -m $pip --target "$root/.uv" >&2
        elif "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            "$python" -m venv "$root/.uv" >&2
            "$root/.uv/bin/python" -m $pip >&2
        else "$python" "$(fetch_pip)"/$pip --target "$root/.uv" >&2
        fi
    fi
    printf '%s\n' "$uv"
}

# declare FOLDER: the entry points of pyproject.toml, as an installed permacite would declare them.
declare() {
    mkdir -p "$1"
    "$venv/bin/python" - "$1" <<'PYTHON'
import pathlib, sys, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
folder = pathlib.Path(sys.argv[1])
head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
(folder / "METADATA").write_text(head)
groups = project.get("entry-points", {}) | {"console_scripts": project["scripts"]}
lines = []
for group, points in groups.items():
    lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
(folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
PYTHON
}

# ready run|dev: the environment holds at least what that lock file names; a stamp makes it quick.
ready() {
    lock="requirements/$1.txt"
    stamp="$venv/.$1-$(cat "$lock" pyproject.toml | cksum | tr ' ' '-')"
    if [ -e "$stamp" ]; then return; fi
    python=$(find_python)
    uv=$(find_uv)
    if [ ! -x "$venv/bin/python" ]; then
        say "making .venv with $("$python" --version)"
        "$uv" venv -q --python "$(command -v "$python")" "$venv"
    fi
    say "installing what $lock pins"
    "$uv" pip install -q --python "$venv/bin/python" --require-hashes -r "$lock"
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$root/src" >"$site/permacite.pth"
    declare "$site/permacite.dist-info"
    touch "$stamp"
}

lock() {
    python=$(find_python)
    uv=$(find_uv)
    compile="$uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header $*"
    $compile pyproject.toml --extra all -c requirements/bounds.in -o requirements/run.txt
    $compile pyproject.toml requirements/dev.in --extra all -c requirements/run.txt -o requirements/dev.txt
    $compile requirements/bench.in -c requirements/dev.txt -o requirements/bench.txt
    $compile requirements/uv.in -o requirements/uv.txt
}

# parts [--deep]: install programs that tests start (tests/needs.py lists them), where nobody is asked.
# What cannot be installed is skipped by the tests, with reasons.
parts() {
    packages=$("$venv/bin/python" tests/needs.py "$@")
    [ -z "$packages" ] || install_packages $packages
    if [ ! -x .outside/node_modules/.bin/s3rver ] && command -v npm >/dev/null 2>&1; then
        mkdir -p .outside
        cp requirements/outside/package.json requirements/outside/package-lock.json .outside
        say "installing s3rver by npm into .outside/"
        npm ci --prefix .outside --ignore-scripts --no-audit --no-fund --loglevel error >&2 ||
            say "npm could not install s3rver; its tests are skipped"
    fi
}

install_packages() {
    command -v apt-get >/dev/null 2>&1 || { say "tests are skipped that need: $*"; return; }
    if [ "$(id -u)" = 0 ]; then as_root=""
    elif sudo -n true 2>/dev/null; then as_root="sudo -n"
    else say "tests are skipped that need: $* (sudo apt-get install would bring them)"; return
    fi
    $as_root apt-get update -qq >&2 || true
    known=""
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; fi
    done
    [ -n "$known" ] || return 0
    say "installing what tests need (not so with --no-install):$known"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $known >/dev/null ||
        say "apt-get could not; tests that need what is missing are skipped"
}

check() {
    ready dev
    PATH="$venv/bin:$PATH"
    ruff format --check .
    ruff check .
    mypy
    lint-imports
    deptry .
    codespell
}

# in_memory: a new folder in memory, where there is plenty of it and programs may be run from there;
# else nothing. An archive waits for the disk at each commit, and tests make thousands of commits.
in_memory() {
    free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
    available=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
    [ "${free:-0}" -ge 4194304 ] && [ "${available:-0}" -ge 8388608 ] || return 0
    folder=$(mktemp -d /dev/shm/permacite.XXXXXX 2>/dev/null) || return 0
    printf '#!/bin/sh\n' >"$folder/program"
    chmod +x "$folder/program"
    if "$folder/program" 2>/dev/null; then printf '%s\n' "$folder"; else rm -rf "$folder"; fi
}

# all: every test, on all processors. What failed there is run once more by itself, and that counts:
# browsers run out of time beside others, and what one test leaves behind another one may be blamed
# for. Where more than a few failed it is not the machine.
all() {
    status=0
    unset PYTHONDONTWRITEBYTECODE # hundreds of commands are started: compiled once, they take half
    # Tests wait a third of their time, for browsers and servers: so more run than there are processors.
    processes=$(($(getconf _NPROCESSORS_ONLN) * 3 / 2))
    [ "$processes" -le 8 ] || processes=8
    folder=$(in_memory)
    trap '[ -z "$folder" ] || rm -rf "$folder"' EXIT
    trap 'exit 130' INT TERM
    "$venv/bin/python" -m pytest -q --numprocesses "$processes" --dist worksteal \
        ${folder:+--basetemp="$folder"} || status=$?
    [ -z "$folder" ] || rm -rf "$folder"
    [ "$status" -eq 1 ] || exit "$status"
    failed=$("$venv/bin/python" -m pytest -q --last-failed --collect-only | grep -c '::') || exit 1
    [ "$failed" -le 5 ] || exit 1
    say "once more, by themselves: the $failed that failed beside others"
    exec "$venv/bin/python" -m pytest -q --last-failed
}

# Each part is run, whatever became of the one before it; the last word says whether all held.
# deep [--seconds N] [--documents N] [OPTIONS OF PYTEST...]: fewer, to see that every part runs
# (of crash states so few, below half a minute or so, that they prove nothing, and that part fails).
deep() {
    crashing=1800 fuzzing=300 documents=1000000
    while :; do
        case ${1:-} in
            --seconds) crashing=$2 fuzzing=$2; shift 2 ;;
            --documents) documents=$2; shift 2 ;;
            *) break ;;
        esac
    done
    ready dev
    ready bench
    parts --deep
    PATH="$venv/bin:$PATH"
    export PERMACITE_CI=1 COVERAGE_FILE="$root/.coverage" # of the commands that run elsewhere too
    failed=""
    coverage erase
    coverage run -m pytest -q --deep "$@" || failed="$failed tests"
    coverage combine -q && coverage report --skip-covered || failed="$failed coverage"
    coverage json -q -o - | python -m tests.rooms || failed="$failed rooms"
    python -m tests.crash.replay --seconds "$crashing" || failed="$failed crash-states"
    python fuzz/run.py --seconds "$fuzzing" || failed="$failed fuzz"
    python benchmarks/bench_scale.py --documents "$documents" || failed="$failed million"
    [ -z "$failed" ] || die "did not hold:$failed"
    say "all held"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
    demo) ready run; exec "$venv/bin/python" demo/demo.py "$@" ;;
    run) ready run; exec "$venv/bin/python" -m permacite "$@" ;;
    test) # all of them on all processors; named ones plainly, one after another, with what is here
        ready dev
        if [ "${1:-}" = --no-install ]; then shift; export PERMACITE_NO_INSTALL=1; fi
        [ $# -eq 0 ] || exec "$venv/bin/python" -m pytest -q "$@"
        [ -n "${PERMACITE_NO_INSTALL:-}" ] || parts
        all
        ;;
    deep) deep "$@" ;;
    check) check ;;
    docs) ready dev; exec "$venv/bin/python" docs/generate.py "$@" ;;
    bench) ready dev; ready bench; exec "$venv/bin/python" benchmarks/run.py "$@" ;;
    fuzz) ready dev; exec "$venv/bin/python" fuzz/run.py "$@" ;;
    lock) lock "$@" ;;
    parts) ready dev; parts "$@" ;;
    env) ready dev ;;
    help | -h | --help)
        cat <<'HELP'
./do demo      set up, then save, cite, resolve, check and verify a page of a small site (under a minute)
./do run ...   the command line: ./do run save URL, ./do run --help
./do test      set up, install the programs that tests start (Debian packages, where you are root or
               sudo asks nothing), run all tests, and what failed once more by itself;
               --no-install runs with what is there; what is missing is skipped, with the reason
./do test ...  run named tests only, with what is there
./do deep      the long form: all laws and kills many times over, crash states, mutated bytes, and
               the archive of a million documents; hours, and every test of ./do test with them,
               what they ran of each room, of servers and commands too.
               --outside DIR runs suites of other projects as well (tests/outside/README.md)
               --pages DIR cites at random in the pages of that folder, not in /usr/share/doc
               --seconds N, --documents N come first: less of the last three parts
./do check     format, lint, types, floors, dependencies, spelling
./do docs      write the generated pages of docs/ (--check: fail where they have drifted)
./do bench     measure beside named rivals, write benchmarks/RESULTS.md
./do fuzz      feed every parser random bytes (--seconds N)
./do parts     install the programs that tests start, and no more (--deep: those of ./do deep)
./do lock      pin the dependencies again (--upgrade for newer ones)
HELP
        ;;
    *) die "unknown command '$command'; ./do help lists them" ;;
esac
