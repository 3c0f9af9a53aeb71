# SPDX-License-Identifier: GPL-2.0-or-later
"""Private apt configurations: any suite of the machine's own Debian mirror, without touching the machine's apt.

Each Archive is a directory of the cache with its own sources list, package lists and configuration. The mirror is the one
that the machine's apt uses; apt checks every file against Debian's keyring.
"""
import functools
import re

from . import host, shell
from .errors import Error
from .paths import CACHE, SYSTEM_PATH

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TARGETS = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"

CONFIGURATION = """\
#clear APT::Default-Release;
#clear APT::Update;
#clear APT::Architectures;
#clear DPkg;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Dir::State "{directory}/state";
Dir::State::status "{directory}/status";
Dir::Cache "{directory}/cache";
Dir::Etc::sourcelist "{directory}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
"""


@functools.cache
def mirrors():
    """The URIs of the machine's Debian mirrors, the one that names itself Debian first. Reads both formats of sources lists."""
    listed = shell.output(["apt-get", "indextargets", "--format", TARGETS], env=shell.environment(PATH=SYSTEM_PATH))
    releases = {host.codename(), "stable", "oldstable"}
    found = {}
    for line in listed.splitlines():
        uri, release, component, origin = line.split("|")
        if release in releases and component == "main" and not uri.startswith("cdrom:"):
            found[uri] = origin == "Debian"
    if not found:
        raise Error(f"apt on this machine has no mirror with component main of {host.codename()}: see `apt-get indextargets`")
    return sorted(found, key=lambda uri: not found[uri])


class Archive:
    """One suite of the mirror: binary packages of one architecture, or source packages."""

    def __init__(self, suite, architecture=None):
        self.suite = suite
        self.kind = "deb" if architecture else "deb-src"
        self.architecture = architecture or host.architecture()
        self.directory = CACHE / "apt" / f"{suite}-{architecture or 'source'}"
        self.configuration = self.directory / "apt.conf"

    @functools.cached_property
    def updated(self):
        """True once the suite's package lists are fetched from the first mirror that has them."""
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        (self.directory / "status").touch()
        self.configuration.write_text(CONFIGURATION.format(architecture=self.architecture, directory=self.directory))
        reasons = []
        for mirror in mirrors():
            (self.directory / "sources.list").write_text(f"{self.kind} [signed-by={KEYRING}] {mirror} {self.suite} main\n")
            done = self.attempt("apt-get", "update")
            if done.returncode == 0:
                return True
            reasons.append(next((line for line in done.stderr.splitlines() if line.startswith("E:")), "E: no message"))
        raise Error(f"apt cannot read suite {self.suite}: {reasons[0]}")

    def attempt(self, tool, *arguments, **options):
        env = shell.environment(PATH=SYSTEM_PATH, LC_ALL="C.UTF-8")
        return shell.attempt([tool, "-c", self.configuration, "-q", *arguments], env=env, **options)

    def run(self, tool, *arguments, **options):
        """The output of an apt tool that works on this archive."""
        if self.updated:
            done = self.attempt(tool, *arguments, **options)
        if done.returncode:
            raise Error(f"{tool} {' '.join(map(str, arguments))}: {shell.last_line(done.stderr)}")
        return done.stdout

    def show(self, package):
        """The fields of a binary package's newest version."""
        return fields(self.run("apt-cache", "show", "--no-all-versions", package))

    def source_versions(self, package):
        """The versions of a source package, newest first."""
        text = self.run("apt-cache", "showsrc", "--only-source", package)
        return [record["Version"] for record in map(fields, text.split("\n\n")) if "Version" in record]

    def download(self, packages, directory):
        """Fetches binary packages into directory; returns {package: {file, version, sha256}}."""
        directory.mkdir(parents=True, exist_ok=True)
        records = {name: self.show(name) for name in packages}
        self.run("apt-get", "download", *(f"{name}={record['Version']}" for name, record in records.items()), cwd=directory)
        return {name: {"file": file_name(record), "version": record["Version"], "sha256": record["SHA256"]}
                for name, record in records.items()}

    def download_source(self, package, version, directory):
        """Fetches a source package into directory; returns the name of its .dsc."""
        directory.mkdir(parents=True, exist_ok=True)
        self.run("apt-get", "source", "--download-only", "--only-source", f"{package}={version}", cwd=directory)
        return f"{package}_{without_epoch(version)}.dsc"


def fields(record):
    """The single-line fields of a Debian control record."""
    return dict(re.findall(r"^([\w-]+): *(.*)$", record, re.MULTILINE))


def file_name(record):
    """The name under which apt-get download stores a package."""
    return f"{record['Package']}_{record['Version'].replace(':', '%3a')}_{record['Architecture']}.deb"


def without_epoch(version):
    return version.split(":", 1)[-1]
