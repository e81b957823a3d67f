"""A machine without apt gets a root folder of Debian packages, and runs programs in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.debian_archive import keys
from frrlib.debian_archive.archive import ARCHITECTURES
from frrlib.missing_packages import machine, setup, start
from frrlib.missing_packages import without_apt as archive_access
from frrlib.missing_packages.errors import SetupError
from frrlib.missing_packages.layer import Store
from frrlib.missing_packages.namespace import check_permitted
from tests.debian_archive.signed_archive import SignedArchive, Signer, new_signer

pytestmark = pytest.mark.skipif(shutil.which("gpg") is None, reason="no gpg, which signs the archive")

#: A program without libraries, which the small root lacks: it shows a file, and tries to write into /usr.
_SHOW = """
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
    char text[4096];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(words[i], "r");
        size_t size = file ? fread(text, 1, sizeof text, file) : 0;
        printf("%s: %.*s", words[i], (int)size, file ? text : "");
        puts(file ? "" : "absent");
    }
    printf("user %d, /usr is %s\\n", (int)getuid(), fopen("/usr/new", "w") ? "writable" : "read-only");
    return 0;
}
"""
_ENTER = "import sys; from frrlib.missing_packages.command import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def signer() -> Iterator[Signer]:
    with new_signer() as one:
        yield one


@pytest.fixture
def without_apt(tmp_path: Path, signer: Signer, monkeypatch: pytest.MonkeyPatch) -> SignedArchive:
    """A search path without apt, an archive with one program, and its key in place of Debian's."""
    try:
        check_permitted()
    except SetupError as error:
        pytest.skip(str(error))
    tree = tmp_path / "tree"
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "etc").mkdir()
    (tree / "usr/share/base-passwd").mkdir(parents=True)
    (tree / "usr/share/base-passwd/passwd.master").write_text("root:*:0:0::/root:/bin/bash\nbase-user:*:9:9::/:/\n")
    (tree / "etc/debian_version").write_text("13.9\n")
    command = ["gcc", "-static", "-o", str(tree / "usr/bin/show"), "-x", "c", "-"]
    subprocess.run(command, input=_SHOW, text=True, check=True)
    main = SignedArchive(tmp_path / "main", signer, "trixie")
    main.add("show", tree=tree, Essential="yes")
    main.add("frr", "10.3-3", Depends="show")
    security = SignedArchive(tmp_path / "security", signer, "trixie-security")
    security.add("frr", "10.3-3+deb13u1", Depends="show")
    for archive in (main, security):
        archive.publish(ARCHITECTURES[os.uname().machine])
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("gpgv", "gpg", "sqv"):
        if shutil.which(name):
            (programs / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("MINIEDIT_FRR_MIRROR", main.address)
    monkeypatch.setenv("MINIEDIT_FRR_SECURITY_MIRROR", security.address)
    monkeypatch.setattr(keys, "keyrings", lambda: [signer.keyring])
    return main


def test_a_root_folder_is_made_and_used(
    tmp_path: Path, without_apt: SignedArchive, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache/miniedit-frr"
    layer = setup.prepare(cache, ["frr"])
    progress = capsys.readouterr().err
    assert f"This machine has no apt-get: a root folder of Debian is made in {cache / 'system'}.\n" in progress
    assert "Fetching 2 packages (" in progress
    assert layer.is_root and layer.distribution == f"debian13-root-{os.uname().machine}"
    assert [(package.name, package.version) for package in layer.packages] == [
        ("frr", "10.3-3+deb13u1"),
        ("show", "1.0"),
    ]
    assert setup.usable(Store(cache), ["frr"]) == layer  # the next start uses it
    home = tmp_path / "mine"
    home.write_text("mine\n")
    files = [str(home), "/etc/debian_version", "/etc/apt/sources.list", str(machine.LAYER_LIST), "/proc/self/comm"]
    command = [sys.executable, "-c", _ENTER, "enter", str(cache), "frr", "--", "/bin/show", *files]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.replace("\n\n", "\n").splitlines() == [
        f"{home}: mine", "/etc/debian_version: 13.9", "/etc/apt/sources.list: absent", f"{machine.LAYER_LIST}: frr",
        "show", "/proc/self/comm: show", f"user {os.getuid()}, /usr is read-only",
    ]  # fmt: skip
    names = [line.split(":")[0] for line in (layer.path / "etc/passwd").read_text().splitlines()]
    assert {"root", "frr", "base-user"} <= set(names) and len(set(names)) == len(names)
    assert (layer.path / "etc/hosts").read_bytes() == Path("/etc/hosts").read_bytes()
    # A bundle of it is for other machines without apt.
    setup.write_bundle(cache, tmp_path / "bundle", ["frr"])
    other = setup.read_bundle(tmp_path / "other", tmp_path / "bundle")
    assert other.packages == layer.packages and other.is_root
    assert setup.status(cache, ["frr"])[-1] == "They can be used."
    assert setup.clean(cache, everything=True) == [] and Store(cache).current() is None


def test_a_program_outside_is_not_moved_into_the_root(
    tmp_path: Path, without_apt: SignedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its Python is the machine's, whose libraries the root does not have."""
    setup.prepare(tmp_path / "cache/miniedit-frr", ["frr"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "execvpe", lambda *_: pytest.fail("the program was started again"))
    start.use_fetched_packages()


def test_refusals_have_a_reason(tmp_path: Path, without_apt: SignedArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "nothing"))
        with pytest.raises(SetupError, match=r"No program here checks signatures\. Install one of gpgv, sqv, gpg"):
            setup.prepare(tmp_path / "cache", ["frr"])
    without_apt.release.write_bytes(without_apt.release.read_bytes().replace(b"Origin: Test", b"Origin: Mine"))
    with pytest.raises(SetupError, match="none of the expected keys has signed it"):
        setup.prepare(tmp_path / "cache", ["frr"])
    without_apt.release.unlink()
    with pytest.raises(SetupError, match="The lists of packages cannot be fetched"):
        setup.prepare(tmp_path / "cache", ["frr"])
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "a", "1", "1", "vax")))
    with pytest.raises(SetupError, match="no packages for processors of the kind vax"):
        setup.prepare(tmp_path / "cache", ["frr"])


def test_the_script_says_what_happens_without_apt(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "readlink", "dirname", "getent", "cut", "python3", "grep"):
        (programs / name).symlink_to(str(shutil.which(name)))
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "MINIEDIT_FRR_DRY_RUN": "1"}
    script = Path(".ci/setup.sh").absolute()
    command = [str(programs / "bash"), str(script), "run"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    if os.geteuid() == 0:
        assert done.stderr.startswith(
            "This machine has no apt-get. Start this as an ordinary user, who gets a root folder"
        )
    else:
        names = " ".join(setup.run_packages())
        assert done.stderr.startswith(f"Dry run; this would make a root folder of Debian with: {names}")


def test_a_mirror_must_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIEDIT_FRR_MIRROR", raising=False)
    with pytest.raises(SetupError, match="Set MINIEDIT_FRR_MIRROR"):
        archive_access.suites()
    monkeypatch.setenv("MINIEDIT_FRR_MIRROR", "http://mirror.example/debian/")
    monkeypatch.delenv("MINIEDIT_FRR_SECURITY_MIRROR", raising=False)
    assert [(suite.archive, suite.codename) for suite in archive_access.suites()] == [
        ("http://mirror.example/debian", "trixie"),
        ("http://mirror.example/debian-security", "trixie-security"),
    ]
