"""The user's own lab kernels: built, stored, chosen. A script stands for make; everything else is real."""

from __future__ import annotations

import grp
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from frrlib.errors import PlaceError
from frrlib.kernels import build as building
from frrlib.kernels import shelf
from frrlib.place.labkernel import KERNEL_VARIABLE, find_kernel, kernel_release
from miniedit_frr.cli.main import app
from tests.kernels.test_congestion import KCONFIG, MAKEFILE
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
_OPTIONS = ("NET_SCH_FQ_PIE", "NET_SCH_NEW", "TCP_CONG_BBR", "NET_VRF")
CONFIG = "\n".join(['CONFIG_LOCALVERSION="-lab"', "# why", *(f"CONFIG_{name}=y" for name in _OPTIONS), ""])
#: Replaces make. It has the targets allnoconfig, which leaves out options that the source lacks, and linux.
MAKE = """#!/bin/sh
for word; do
    case $word in O=*) objects=${word#O=} ;; KCONFIG_ALLCONFIG=*) config=${word#*=} ;; esac
done
cd "$2"
case $word in
allnoconfig) grep -v SCH_NEW "$config" > "$objects/.config" ;;
linux)
    for part in 1 2 3; do echo "  CC      net/part$part.o"; done
    [ ! -e broken ] || { echo "net/part.c:7: error: no such thing"; seq 30; exit 1; }
    [ ! -e slow ] || { touch slow.begun; sleep 30; }
    printf '#!/bin/sh\\n# User Mode Linux\\necho 9.9.1-lab\\n' > "$objects/linux"
    chmod +x "$objects/linux"
    ;;
esac
"""
STRIP = '#!/bin/sh\nexec cp "$4" "$3"\n'


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and tools of the test's own, and no kernel named from outside."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "flex", "bison", "bc"):
        (tools / name).symlink_to("/bin/true")
    for name, text in (("make", MAKE), ("strip", STRIP)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)
    return tmp_path / "cache" / "miniedit-frr" / "kernels"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder that looks like a source tree of Linux."""
    folder = tmp_path / "linux-9.9"
    (folder / "arch" / "um").mkdir(parents=True)
    (folder / "arch" / "um" / "Makefile").touch()
    (folder / "Makefile").touch()
    ipv4 = folder / "net" / "ipv4"
    ipv4.mkdir(parents=True)
    (ipv4 / "Makefile").write_text(MAKEFILE)
    (ipv4 / "Kconfig").write_text(KCONFIG)
    return folder


@pytest.fixture
def archive(tree: Path, tmp_path: Path) -> Path:
    path = tmp_path / "linux-source-9.9.tar.xz"
    with tarfile.open(path, "w:xz") as packed:
        packed.add(tree, "linux-source-9.9")
    return path


@pytest.fixture
def foreign_kernel(tmp_path: Path) -> Path:
    """A lab kernel that was built elsewhere."""
    path = tmp_path / "other"
    path.write_text("#!/bin/sh\n# User Mode Linux\necho 9.9.2-lab\n")
    path.chmod(0o755)
    return path


def quiet(step: str, share: float) -> None:
    assert step in ("unpack", "configure", "compile") and 0 <= share <= 1


def built_of(source: Path, again: bool = False) -> shelf.BuiltKernel:
    return building.build(source, quiet, 1, CONFIG, again)


def test_a_kernel_is_built_once_and_found_again(archive: Path, cache: Path) -> None:
    steps: list[tuple[str, float]] = []
    first = building.build(archive, lambda *step: steps.append(step), 2, CONFIG)
    assert [step for step, share in steps if share == 1.0] == ["unpack", "configure", "compile"]
    assert first.lacking == ("NET_SCH_NEW",) and first.source == str(archive) and first.jobs == 2
    enabled = dict.fromkeys(("NET_SCH_FQ_PIE", "TCP_CONG_BBR", "NET_VRF"), "y")
    assert first.configured() == {"LOCALVERSION": "-lab", **enabled}
    assert first.name.startswith("9.9.1-lab-") and kernel_release(first.path) == "9.9.1-lab"
    assert shelf.built_kernels() == [first] and first.size_bytes == first.path.stat().st_size
    assert [kernel.name for kernel in cache.iterdir()] == [first.name]  # nothing of the build is left
    assert built_of(archive) == first
    assert built_of(archive, again=True).built >= first.built and len(shelf.built_kernels()) == 1
    second = building.build(archive, quiet, 1, CONFIG + "CONFIG_IFB=y\n")
    assert second.digest != first.digest and len(shelf.built_kernels()) == 2


def test_labs_use_the_chosen_kernel_or_the_newest_one(
    archive: Path, tree: Path, foreign_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tree}:{os.environ['PATH']}")
    (tree / "linux.uml").symlink_to("/bin/true")
    distribution = Path("/bin/true").resolve()
    assert find_kernel() == distribution
    first = built_of(archive)
    assert find_kernel() == first.path
    shelf.use(shelf.DISTRIBUTION)
    assert find_kernel() == distribution
    shelf.use(str(foreign_kernel))
    assert find_kernel() == foreign_kernel
    shelf.use(first.name[:-2])
    assert find_kernel() == first.path
    monkeypatch.setenv(KERNEL_VARIABLE, str(foreign_kernel))
    assert find_kernel() == foreign_kernel
    monkeypatch.delenv(KERNEL_VARIABLE)
    first.path.unlink()  # a removed kernel is not chosen any more
    assert find_kernel() == distribution and shelf.built_kernels() == []


@pytest.mark.parametrize("content", ["", "[]", '{"name": 1}', "{"])
def test_a_folder_without_a_valid_record_is_no_kernel(archive: Path, cache: Path, content: str) -> None:
    first = built_of(archive)
    (cache / "strange").mkdir()
    (cache / "strange" / shelf.RECORD).write_text(content)
    assert shelf.built_kernels() == [first]


def test_wrong_names_are_reported(archive: Path) -> None:
    with pytest.raises(PlaceError, match=r"there is no lab kernel x.*miniedit-frr kernel build"):
        shelf.use("x")
    first = built_of(archive)
    with pytest.raises(PlaceError, match=f"there is no lab kernel 7. Remedy: choose one of {first.name}"):
        shelf.find_built("7")
    building.build(archive, quiet, 1, CONFIG + "CONFIG_IFB=y\n")
    with pytest.raises(PlaceError, match="several lab kernels match 9"):
        shelf.find_built("9")


def test_only_the_file_of_a_lab_kernel_is_chosen(
    tmp_path: Path, foreign_kernel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty := tmp_path / "empty").touch(0o755)
    (plain := tmp_path / "plain").write_bytes(foreign_kernel.read_bytes())
    os.mkfifo(pipe := tmp_path / "pipe", 0o755)
    faults = {
        "/etc": "/etc is a folder.*name the file of a lab kernel", "/bin/false": "is not a kernel of User-Mode Linux",
        "/dev/null": "is not a program", str(empty): "is not a program", str(pipe): "is not a program",
        str(plain): f"is not executable.*chmod \\+x {plain}", str(tmp_path / "gone"): "gone does not exist",
    }  # fmt: skip
    for choice, message in faults.items():
        for attempt in (lambda: shelf.use(choice), lambda: find_kernel(Path(choice))):  # noqa: B023
            with pytest.raises(PlaceError, match=message):
                attempt()
        monkeypatch.setenv(KERNEL_VARIABLE, choice)
        with pytest.raises(PlaceError, match=message):
            find_kernel()
        monkeypatch.delenv(KERNEL_VARIABLE)
    assert not (cache / "used").exists()


@pytest.mark.parametrize("content", [b"/etc\n", b"/bin/false\n", b"a\0b", b"\xff\xfe/x", b"x" * 10_000, b"../../..\n"])
def test_a_stored_choice_that_is_no_kernel_is_named_with_what_to_do(archive: Path, cache: Path, content: bytes) -> None:
    first = built_of(archive)
    (cache / "used").write_bytes(content)
    assert find_kernel() == first.path
    listed = CliRunner().invoke(app, ["kernel", "list"])
    assert (listed.exit_code, first.name in listed.stdout) == (0, True)
    assert "kernel use NAME|FILE|distribution" in " ".join(listed.stderr.split())
    shelf.use(first.name)
    assert shelf.unusable() == ""


def test_a_kernel_that_others_can_change_is_not_used(archive: Path, foreign_kernel: Path, cache: Path) -> None:
    built = built_of(archive).path
    assert find_kernel() == built and built.stat().st_mode & 0o022 == 0
    for path in (built, foreign_kernel):
        for changed, mode in ((path, 0o757), (path.parent, 0o777)):
            before = changed.stat().st_mode
            changed.chmod(mode)
            with pytest.raises(PlaceError, match=f"can be changed by other users.*chmod go-w {changed}"):
                find_kernel(path)
            with pytest.raises(PlaceError, match="can be changed by other users"):
                shelf.use(str(path))
            changed.chmod(before)
        assert find_kernel(path) == path
    built.chmod(0o757)
    with pytest.raises(PlaceError, match="can be changed by other users"):
        find_kernel()  # not another kernel in its place without a word
    foreign_kernel.parent.chmod(0o1777)  # like /tmp: nobody else replaces the file there
    assert find_kernel(foreign_kernel) == foreign_kernel


@pytest.mark.root
def test_a_group_may_change_a_kernel_only_if_it_is_the_owners_private_one(archive: Path) -> None:
    """Ubuntu's umask lets the private group of a user write; here root's group and another one."""
    built = built_of(archive).path
    built.chmod(0o775)
    os.chown(built, 0, grp.getgrnam("root").gr_gid)
    assert find_kernel() == built
    os.chown(built, 0, grp.getgrnam("daemon").gr_gid)
    with pytest.raises(PlaceError, match="can be changed by other users"):
        find_kernel()


@pytest.mark.root
def test_a_kernel_of_another_user_is_not_used(archive: Path, foreign_kernel: Path) -> None:
    built = built_of(archive).path
    for changed, path in ((built, built), (built.parent, built), (foreign_kernel, foreign_kernel)):
        os.chown(changed, 12345, -1)
        with pytest.raises(PlaceError, match=r"belongs to another user \(number 12345\)"):
            find_kernel(path)
        os.chown(changed, 0, -1)
        assert find_kernel(path) == path


def test_a_built_kernel_is_used_only_as_it_was_built(archive: Path, cache: Path) -> None:
    first = built_of(archive)
    assert first.kernel_sha256 == hashlib.sha256(first.path.read_bytes()).hexdigest()
    content = first.path.read_bytes()
    first.path.write_bytes(content + b"# one more line\n")
    for attempt in (find_kernel, lambda: find_kernel(first.path), lambda: shelf.use(first.name)):
        with pytest.raises(PlaceError, match=r"was changed or is damaged.*kernel build --again"):
            attempt()
    first.path.write_bytes(content)
    assert find_kernel() == first.path
    # records of earlier versions have no digest
    record = cache / first.name / shelf.RECORD
    facts = json.loads(record.read_text())
    del facts["kernel_sha256"]
    record.write_text(json.dumps(facts))
    first.path.write_bytes(content + b"# one more line\n")
    assert find_kernel() == first.path


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 3", "exit status 3 after --version"),
        ("exec sleep 60", "no reply to --version within"),
        (None, "does not run: No such file"),
    ],
)
def test_a_kernel_that_does_not_run_is_named_as_its_path(
    foreign_kernel: Path, script: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frrlib.place.labkernel._ANSWER_S", 0.2)
    foreign_kernel.write_text(
        f"#!/bin/sh\n# User Mode Linux\n{script}\n" if script else "#!/no/such/shell User Mode Linux\n"
    )
    shelf.use(str(foreign_kernel))
    with pytest.raises(PlaceError, match=message) as refused:
        kernel_release(foreign_kernel)
    assert "PosixPath" not in str(refused.value)
    listed = CliRunner().invoke(app, ["kernel", "list"])
    assert (listed.exit_code, "(does not run)" in listed.stdout) == (0, True)


def test_a_compilers_error_is_reported_and_nothing_is_stored(tree: Path) -> None:
    (tree / "broken").touch()
    with pytest.raises(PlaceError, match="error: no such thing"):
        built_of(tree)
    assert shelf.built_kernels() == []
    (tree / "broken").unlink()
    assert built_of(tree).source == str(tree)


def test_invalid_sources_are_reported(tmp_path: Path, tree: Path) -> None:
    with pytest.raises(PlaceError, match="is not a Linux source tree with User-Mode Linux"):
        building.find_source(tmp_path)
    broken = tmp_path / "linux.tar.xz"
    broken.write_bytes(b"no archive")
    with pytest.raises(PlaceError, match="cannot be unpacked"):
        built_of(building.find_source(broken))
    with tarfile.open(tmp_path / "other.tar", "w") as packed:
        packed.add(tree / "Makefile", "other/Makefile")
    with pytest.raises(PlaceError, match="holds no Linux with User-Mode Linux"):
        built_of(building.find_source(tmp_path / "other.tar"))
    assert building.find_source(tree) == tree


def test_the_newest_source_package_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_DISTRIBUTIONS", tmp_path)
    with pytest.raises(PlaceError, match="apt-get install linux-source"):
        building.find_source()
    for name in ("linux-source-6.1.tar.xz", "linux-source-6.12.tar.xz", "linux-source-6.2", "linux-source-6.9.tar.xz"):
        (tmp_path / name).touch()
    assert building.find_source().name == "linux-source-6.12.tar.xz"


def test_an_interrupted_build_ends_its_compilers_and_can_be_repeated(archive: Path, tree: Path, cache: Path) -> None:
    (tree / "slow").touch()
    code = (
        "import sys; from pathlib import Path; from frrlib.kernels.build import build\n"
        f"build(Path({str(tree)!r}), lambda *step: None, 1, {CONFIG!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE) as process:

        def asleep() -> list[int]:
            return [pid for pid in _children(process.pid) if _words(pid).startswith("sleep")]

        sleeping = wait_for(asleep, "a compiler")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        errors = process.stderr.read()
    assert b"KeyboardInterrupt" in errors and sleeping
    for pid in sleeping:
        wait_for(lambda pid=pid: "sleep" not in _words(pid), "the compiler's end")  # type: ignore[misc]
    (tree / "slow").unlink()
    assert built_of(tree) in shelf.built_kernels()
    assert not list(cache.glob(".build-*"))


def _children(pid: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # the process has ended meanwhile
        return []
    return children + [below for child in children for below in _children(child)]


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_the_configuration_has_all_features_of_labs() -> None:
    """The disciplines that the window offers, and the modules that labs load with another kernel."""
    from frrlib.model.queues import DISCIPLINES
    from frrlib.place.probe_program import CONTROLS

    lines = set(building.configuration().splitlines())
    for kind in DISCIPLINES:
        if kind not in ("pfifo", "bfifo"):
            assert f"CONFIG_NET_SCH_{kind.upper()}=y" in lines, kind
    names = {"reno": "", "highspeed": "HSTCP"}
    for control in CONTROLS:
        option = names.get(control, control.upper())
        assert not option or f"CONFIG_TCP_CONG_{option}=y" in lines, control


def test_the_command_line(archive: Path, foreign_kernel: Path) -> None:
    def said(*words: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "miniedit_frr", "kernel", *words], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    first = built_of(archive)
    listed = json.loads(said("list", "--json"))
    assert [(kernel["name"], kernel["used"]) for kernel in listed] == [(first.name, True)]
    info = json.loads(said("info", "--json"))
    assert info["queueing disciplines"] == ["fq_pie"] and info["congestion control"] == ["bbr"]
    assert info["networks"] == ["VRF"] and info["kernel"] == []
    assert info["licence"] == "GPL-2.0" and info["source"] == str(archive)
    assert "requested, but missing in this source: NET_SCH_NEW" in said("info", first.name)
    assert str(foreign_kernel) in said("use", str(foreign_kernel))
    assert "Remedy" in said("use", "nothing", status=3)
    assert "is not a Linux source tree" in said("build", "/nowhere", status=3)


@pytest.mark.parametrize(
    ("system", "remedy"),
    [
        ({"ID": "debian"}, "apt-get install user-mode-linux"),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "miniedit-frr kernel build"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "miniedit-frr kernel build"),
    ],
    ids=lambda value: value.get("ID") if isinstance(value, dict) else "",
)
def test_the_remedy_for_a_missing_lab_kernel_suits_the_system(
    system: dict[str, str], remedy: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("frrlib.place.labkernel.shutil.which", lambda *_, **__: None)
    monkeypatch.setattr("frrlib.place.labkernel.platform.freedesktop_os_release", lambda: system)
    with pytest.raises(PlaceError) as refused:
        find_kernel()
    assert refused.value.remedy == remedy
