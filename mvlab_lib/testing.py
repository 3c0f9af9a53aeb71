# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds everything and runs the tests. The last line counts them; any failure makes the exit status 1."""
import json
import xml.etree.ElementTree
from dataclasses import dataclass, field

from . import build, config, exp_guest, guest, host, plugins, shell, source
from .paths import BUILD, CACHE, QEMU, ROOT, SYSTEM_PATH, SYSTEM_PYTHON
from .stamp import Stamp, digest

OUT = BUILD / "tests"
SUITES = ["unit", "qtest", "functional"]
FAILURES = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}
QTESTS = "mvlab-qtests"
REST = "MESON TEST ARGS"
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


@dataclass
class Count:
    """The results of test cases; reasons of skips as the tests gave them."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    problems: list = field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.problems += other.problems


def add_arguments(parser):
    parser.usage = f"mvlab test [options] [-- {REST}]"
    parser.add_argument("--full", action="store_true",
                        help="also the long tests, the loads at full size, and the qtests under the sanitizers")
    build.Variant.add_arguments(parser)


def main(args):
    variant = build.Variant.of(args)
    if args.full:
        host.install(config.load(build.CONFIG)["host"]["full"])
    out = build.build(variant, (build.EMULATOR, QTESTS))
    guest.prepare()
    exp_guest.prepare()
    with shell.locked(BUILD / "tests.lock"):
        prepare()
        total = chosen(args, out, variant)
    for problem in total.problems:
        shell.show(problem)
    shell.show(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed or total.problems or not total.passed else 0


def chosen(args, out, variant):
    """Runs the tests that the user wants; returns their Count."""
    if args.rest:
        return run("chosen", out, args.full, args.rest)
    total = run("normal", out, args.full, [f"--suite={suite}" for suite in SUITES + (["full"] if args.full else [])])
    if args.full:
        sanitized = build.build(build.Variant(variant.peers, True, variant.compiler), (build.EMULATOR, QTESTS))
        total.add(run("sanitized", sanitized, False, ["--suite=qtest"], SANITIZERS))
    return total


def meson():
    """The command that is meson, the private one if there is one."""
    private = build.TOOLS / "usr/bin/meson"
    return [SYSTEM_PYTHON, private] if private.exists() else ["/usr/bin/meson"]


def environment(**changes):
    return shell.environment(PATH=SYSTEM_PATH, PYTHONPATH=build.TOOLS_PYTHON_PATH if build.TOOLS.is_dir() else None,
                             CCACHE_DIR=CACHE / "ccache", LC_ALL="C.UTF-8", **changes)


def prepare(targets=()):
    """Configures and builds what needs no QEMU: the tests' programs and the plugins, or only the targets."""
    with shell.locked(BUILD / "lock"):
        options = [f"-Dqemu_source={source.user_tree() or QEMU / 'src'}"]
        stamp = Stamp(BUILD / "tests.stamp", digest(str(ROOT), options, list(map(str, meson()))))
        if not (stamp.current() and (OUT / "build.ninja").is_file()):
            shell.logged([*meson(), "setup", "--wipe" if OUT.is_dir() else "--reconfigure", *options, OUT, ROOT],
                         "meson-tests.log", env=environment(CC="ccache gcc"))
            stamp.write()
        shell.logged(["ninja", "-C", OUT, *targets], "ninja-tests.log", env=environment())
        plugins.link(OUT)


def run(name, out, full, options, variables=None):
    """Runs meson test once; returns its Count. Progress goes to the terminal, results to build/tests/meson-logs/NAME.*"""
    shell.say(f"running the tests ({name})")
    cases, programs = (OUT / "meson-logs" / f"{name}{suffix}" for suffix in (".junit.xml", ".json"))
    for path in (cases, programs):
        path.unlink(missing_ok=True)
    env = environment(MVLAB_OUT=out, MVLAB_FULL="1" if full else None, **(variables or {}))
    status = shell.visible([*meson(), "test", "-C", OUT, "--no-rebuild", "--print-errorlogs", "--timeout-multiplier", "4",
                            "--logbase", name, *options], env=env)
    count = read(cases, programs) if cases.is_file() else Count()
    if status and not count.failed:
        count.failed += 1
        count.problems.append(f"meson test ({name}) ended with status {status} without a failed test case")
    return count


def read(cases, programs):
    """Counts the test cases of a JUnit file; a program that failed without a failed case (a crash, a time-out) is one."""
    count, failing = Count(), set()
    for case in xml.etree.ElementTree.parse(cases).iter("testcase"):
        program = case.get("classname")
        title = f"{program}: {case.get('name')}"
        if case.find("skipped") is not None:
            count.skipped += 1
            count.problems += unexplained(title, reason_of(case))
        elif case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
            count.problems.append(f"failed: {title}")
            failing.update([program.split(" / ")[-1].removeprefix("mvlab."), case.get("name")])
        else:
            count.passed += 1
    for line in programs.read_text().splitlines():
        result = json.loads(line)
        name = result["name"].split(" / ")[-1]
        if result["result"] in FAILURES and not failing & {name, result["name"]}:
            count.failed += 1
            count.problems.append(f"failed: {name}: {result['result'].lower()} outside its test cases")
    return count


def reason_of(case):
    """Why a case was skipped. A program that skips as a whole has its TAP line there, e.g. `1..0 # SKIP reason`."""
    text = (case.findtext("system-out") or case.get("name")).strip()
    return text.rsplit("# SKIP ", 1)[-1]


def unexplained(title, reason):
    """A problem if README.md does not name the reason of a skip."""
    named = f"`{reason}`" in (ROOT / "README.md").read_text()
    return [] if named else [f"skipped for a reason that README.md does not name: {title} ({reason})"]
