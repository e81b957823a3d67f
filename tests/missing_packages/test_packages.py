"""Reading what apt says, the digest of packages, and the refusal of changed files."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest

from frrlib.agent import facts
from frrlib.missing_packages import accounts, machine, setup, start, without_apt
from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.layer import Layer, Store, read, refresh, remove, users
from frrlib.missing_packages.namespace import escape, mounts_below, refusal
from frrlib.missing_packages.packages import Package, digest, first_names, parse_records, parse_simulation, with_digests

_SIMULATION = """\
Reading package lists...
Inst libyang2 (2.1.30-2 Debian:12.5/stable [amd64])
Inst libc6 [2.36-9] (2.36-9+deb12u1 Debian:12.5/stable, Debian-Security:12/stable-security [amd64]) []
Inst libx11-6:amd64 (2:1.8.4-2 Debian:12.5/stable [amd64])
Inst frr-pythontools (8.4.4-1 Debian:12.5/stable [all])
Conf libyang2 (2.1.30-2 Debian:12.5/stable [amd64])
"""
_DPKG_STATUS = """\
Package: iproute2
Status: install ok installed
Version: 6.1

Package: mininet
Status: install ok installed
Version: 2.3
"""
_NAMES = ("libyang2", "libc6", "libx11-6", "frr-pythontools")


def _records(packages: list[Package]) -> str:
    rows = [
        f"Package: {one.name}\nArchitecture: {one.architecture}\nVersion: {one.version}\nSize: 5\n"
        f"SHA256: {hashlib.sha256(one.name.encode()).hexdigest()}\nDescription: text\n Version: 9\n"
        for one in packages
    ]
    return "\n".join(rows)


def _make_deb(folder: Path, name: str, script: str = "#!/bin/sh\necho hello\n") -> Package:
    """A package, made by Debian's own tool, with a program for /bin that has the set-user-id bit."""
    tree = folder / f"{name}-tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "bin").mkdir()
    (tree / "etc" / name).mkdir(parents=True)
    (tree / "bin" / name).write_text(script, encoding="ascii")
    (tree / "bin" / name).chmod(0o4755)
    control = f"Package: {name}\nVersion: 1:1.0\nArchitecture: all\nMaintainer: nobody\nDescription: text\n"
    (tree / "DEBIAN/control").write_text(control, encoding="ascii")
    package = Package(name, "1:1.0", "all")
    path = folder / package.file_name
    subprocess.run(["dpkg-deb", "-b", str(tree), str(path)], check=True, capture_output=True)
    found = subprocess.run(["sha256sum", str(path)], check=True, capture_output=True, text=True).stdout.split()[0]
    return package._replace(sha256=found, size=path.stat().st_size)


def test_simulation_of_apt_and_records_of_its_lists() -> None:
    chosen = parse_simulation(_SIMULATION)
    assert tuple(one.name for one in chosen) == _NAMES
    assert [one.replaced for one in chosen] == ["", "2.36-9", "", ""]
    assert chosen[2].file_name == "libx11-6_2%3a1.8.4-2_amd64.deb"  # as apt names it
    assert [one.architecture for one in chosen] == ["amd64", "amd64", "amd64", "all"]
    records = parse_records(_records(chosen))
    complete = with_digests(chosen, records)
    assert [one.sha256 for one in complete] == [hashlib.sha256(name.encode()).hexdigest() for name in _NAMES]
    assert {one.size for one in complete} == {5}
    with pytest.raises(SetupError, match=r"no SHA256 digest of frr-pythontools"):
        with_digests(chosen, parse_records(_records(chosen[:-1])))
    with pytest.raises(SetupError, match="conflict with openssh-client-gssapi"):
        parse_simulation(_SIMULATION + "Remv openssh-client-gssapi [1]\n")


def test_digest_depends_on_content_and_not_on_order() -> None:
    first, second = Package("a", "1", "all", "", "0" * 64), Package("b", "1", "all", "", "1" * 64)
    assert digest([first, second]) == digest([second, first])
    changed = second._replace(sha256="2" * 64), second._replace(version="2")
    assert len({digest([first, one]) for one in (second, *changed)}) == 3


def test_layer_from_packages_and_refused_tampering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("miniedit-test-one", "miniedit-test-two")
    packages = [_make_deb(tmp_path, name) for name in names]
    store = Store(tmp_path / "cache")
    assert store.current() is None
    changed = tmp_path / packages[1].file_name
    original = changed.read_bytes()
    changed.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    with pytest.raises(SetupError, match=r"miniedit-test-two_1%3a1.0_all.deb is refused"):
        store.make(names, packages, tmp_path)
    # What was unpacked before the refusal is no layer, and the next attempt replaces it.
    assert store.current() is None and not store.path_of(packages).exists()
    changed.write_bytes(original)
    layer = store.make(names, packages, tmp_path)
    assert layer == store.current() == read(layer.path) and not store.old_layers()
    program = layer.path / "usr/bin/miniedit-test-one"
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout == "hello\n"
    assert program.stat().st_mode & 0o7777 == 0o755  # nobody gets this user's rights by it
    assert layer.path.stat().st_mode & 0o777 == 0o700
    listed = layer.path / str(machine.LAYER_LIST).lstrip("/")
    assert listed.read_text(encoding="utf-8").split() == list(names)
    assert re.search(r"^frrvty:", (layer.path / "etc/group").read_text(encoding="utf-8"), re.M)
    # It can be used for what it has, on this distribution, until the machine has one of its packages.
    assert setup.usable(store, names) == layer
    assert layer.problem([*names, "other"]) == "it lacks other"
    with monkeypatch.context() as patch:
        patch.setattr(machine, "installed_versions", lambda wanted: {names[0]: "3"})
        assert layer.problem(names[1:]) == "this machine now has another miniedit-test-one"
    with monkeypatch.context() as patch:
        patch.setattr(machine, "distribution", lambda: "debian99-x86_64")
        assert layer.problem(names) == f"it was made for {layer.distribution}"
    # Removal spares a layer that a process runs with.
    table = tmp_path / "proc/7/mountinfo"
    table.parent.mkdir(parents=True)
    table.write_text(f"1 1 0:1 / /usr ro - overlay overlay ro,lowerdir={layer.path}/usr:/usr\n", encoding="ascii")
    assert users(layer.path, tmp_path / "proc") == [7] and users(layer.path) == []
    assert setup.clean(tmp_path / "cache", everything=True) == []
    assert not layer.path.exists() and store.current() is None
    remove(tmp_path / "nothing")  # no error


def test_labs_read_the_versions_of_fetched_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(machine.LAYER_STATUS) == facts.DATABASES[0]
    packages = (
        Package("frr-pythontools", "9", "all"),
        Package("frr", "10.3-3", "amd64"),
        Package("iproute2", "7", "amd64"),
    )
    layer = Layer(tmp_path / "layer", machine.distribution(), ("frr",), packages)
    status, database = tmp_path / "layer" / str(machine.LAYER_STATUS).lstrip("/"), tmp_path / "database"
    status.parent.mkdir(parents=True)
    (layer.path / "etc").mkdir()
    refresh(layer, layer.path)  # a layer of an earlier version has no such file
    database.write_text(_DPKG_STATUS, encoding="ascii")
    monkeypatch.setattr(facts, "DATABASES", (str(status), str(database), str(tmp_path / "nothing")))
    assert facts.versions() == {"frr": "10.3-3", "tc": "7", "mininet": "2.3"}


@pytest.mark.parametrize("output", [
    "E: You don't have enough free space in /home/a/.cache/miniedit-frr/system/apt/archives/.",
    "tar: ./usr/bin/gcc: Cannot write: No space left on device",
    str(OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), "/home/a")),
])  # fmt: skip
def test_a_full_disk_has_a_message(tmp_path: Path, output: str) -> None:
    message = no_space(tmp_path, output)
    assert message.startswith(f"The disk of {tmp_path} is full: ")
    assert "set XDG_CACHE_HOME to a folder on another disk" in message
    assert no_space(tmp_path, "E: Unable to locate package frr") == ""
    assert no_space(tmp_path, "E: 404 Not Found", least_mb=1e12).startswith("The disk of ")


def test_many_names_are_shortened() -> None:
    assert first_names(list("abcde")) == "a b c d e"
    assert first_names(list("abcdefg")) == "a b c d e and 2 others"


def test_packages_that_the_machine_has_are_not_missing() -> None:
    assert machine.missing_packages(["dpkg", "no-such-package-1"]) == ["no-such-package-1"]
    shown = subprocess.run(["dpkg", "-s", "dpkg"], check=True, capture_output=True, text=True).stdout
    assert f"\nVersion: {machine.installed_versions(['dpkg'])['dpkg']}\n" in shown


def test_other_distributions_have_no_packages_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.has_apt() and machine.target() == machine.distribution()
    monkeypatch.setattr(machine, "_STATUS", tmp_path / "status")
    (tmp_path / "status").touch()  # as on Fedora, which has packages of apt and dpkg
    assert not machine.has_apt() and machine.missing_packages(["dpkg"]) == ["dpkg"]
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not machine.has_apt() and machine.target().startswith("debian13-root-")


def test_lists_of_packages_agree() -> None:
    script = Path(".ci/setup.sh").read_text(encoding="utf-8")
    found = re.search(r"^RUN_PACKAGES=\(([^)]*)\)", script, re.M)
    assert found and tuple(found[1].split()) == setup.RUN_PACKAGES
    for_kernels = re.search(r"^KERNEL_PACKAGES=\(([^)]*)\)", script, re.M)
    assert for_kernels and tuple(for_kernels[1].split()) == setup.KERNEL_PACKAGES
    assert set(setup.run_packages()) - set(setup.RUN_PACKAGES) <= {"user-mode-linux"}
    assert "RUN_PACKAGES+=(user-mode-linux)" in script
    assert f"LAYER_LIST={machine.LAYER_LIST}\n" in script
    assert all(f"# {name}=" in script for name in (without_apt.MIRROR, without_apt.SECURITY_MIRROR))
    assert f'LAYER_LIST = "{machine.LAYER_LIST}"\n' in Path(start.__file__).read_text(encoding="utf-8")


def test_accounts_are_added_once(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("root:x:0:0::/root:/bin/sh\nsshd:x:110:65534::/run/sshd:/bin/false", "ascii")
    (tmp_path / "group").write_text("root:x:0:\n", "ascii")
    layer = tmp_path / "layer"
    (layer / "etc").mkdir(parents=True)
    accounts.refresh(layer, tmp_path)
    lines = (layer / "etc/passwd").read_text("ascii").splitlines()
    assert [line.split(":")[0] for line in lines] == ["root", "sshd", "frr", "tcpdump"]
    assert lines[1] == "sshd:x:110:65534::/run/sshd:/bin/false"  # the machine's own stays
    before = (layer / "etc/passwd").stat().st_ino
    accounts.refresh(layer, tmp_path)
    assert (layer / "etc/passwd").stat().st_ino == before
    # as after the installation of FRR, whose daemons check it
    assert re.search(r"^frrvty:x:\d+:frr$", (layer / "etc/group").read_text("ascii"), re.M)
    (tmp_path / "group").write_text("root:x:0:\nstudents:x:5000:\n", "ascii")
    accounts.refresh(layer, tmp_path)
    assert "students:x:5000:\n" in (layer / "etc/group").read_text("ascii")


def test_mounts_stay_in_sight_and_refusals_have_a_remedy(tmp_path: Path) -> None:
    points = ["/", "/etc/hosts", "/etcetera", "/usr/local", "/usr/local/a", "/usr/my\\040share"]
    table = "\n".join(f"1 2 0:1 / {point} rw - ext4 /dev/a rw" for point in points)
    assert mounts_below("/usr", table) == ["/usr/local", "/usr/my share"]
    assert mounts_below("/etc", table) == ["/etc/hosts"]
    assert escape("/home/a,b:c\\d") == "/home/a\\,b\\:c\\\\d"
    error = PermissionError(1, "Operation not permitted")
    assert refusal(error, tmp_path).endswith("(Operation not permitted).")
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel/apparmor_restrict_unprivileged_userns").write_text("1\n", "ascii")
    assert refusal(error, tmp_path).endswith("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
