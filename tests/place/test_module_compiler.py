"""Kernel modules of users: compiled with the headers of the lab kernel, confined, and loaded into labs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from frrlib.errors import PlaceError, TopologyError
from frrlib.formats.mn import dumps
from frrlib.kernels import module_shelf
from frrlib.kernels.shelf import BuiltKernel
from frrlib.lab.program import module_files
from frrlib.model.topology import KernelParameter, Topology
from frrlib.network.network import Network, Shape, Wait
from frrlib.place.labkernel import LabKernel, find_kernel
from frrlib.place.module_compiler import confined_make, crash, modules
from frrlib.place.module_compiler.modules import ModuleSource
from frrlib.place.supervisor.messages import REFUSED, reason_of_refusal
from frrlib.results.read import open_results
from frrlib.results.series import flow_samples
from frrlib.run.run import RunOutcome, RunSettings, run
from tests.cli.commands import invoke

PANIC = """\
Modules linked in: tcp_mine(O)
Pid: 0, comm: swapper Tainted: G           O       6.1.192-lab
RIP: 0033:{function}+0x2c/0x69{module}
Kernel panic - not syncing: Segfault with no mm
"""


@pytest.fixture
def kernel() -> BuiltKernel:
    """The lab kernel of this machine, with its headers."""
    built = modules.built_with_kit(find_kernel())
    if built is None:
        pytest.skip("the lab kernel has no headers")
    return built


def _source(text: str, name: str = "tcp_mine") -> ModuleSource:
    return ModuleSource(name, text.encode(), f"{abs(hash(text)):064x}")


@pytest.mark.parametrize(
    "name", ["mine.c", "tcp_.c", "tcp_MINE.c", "tcp_a-b.c", "tcp_mine.h", "tcp_sixteen_letters_.c"]
)
def test_other_file_names_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(TopologyError, match="is not a valid name of a kernel module"):
        modules.read_source(tmp_path / name)


@pytest.mark.parametrize("name", ["../mine", "a/b", "$(id)", "a b", "a\nb", "-a"])
def test_names_that_are_paths_or_shell_words_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "tcp_mine.c").touch()
    with pytest.raises(TopologyError, match="is not a valid name of a kernel module"):
        modules.read_source(tmp_path / "tcp_mine.c", name)


def test_a_link_to_another_file_is_no_module(tmp_path: Path) -> None:
    """A stranger's folder could otherwise have a secret copied into the results of a run."""
    (tmp_path / "id_rsa").write_text("a secret")
    (tmp_path / "tcp_mine.c").symlink_to(tmp_path / "id_rsa")
    topology = Network("link").topology.model_copy(update={"kernel_modules": ("tcp_mine.c",)})
    (path,) = module_files(topology, tmp_path)
    with pytest.raises(TopologyError, match="id_rsa is not a valid name of a kernel module"):
        modules.read_source(path)


def test_a_file_that_never_ends_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "tcp_mine.c").symlink_to("/dev/zero")
    with pytest.raises(TopologyError, match="is no ordinary file"):
        modules.read_source(tmp_path / "tcp_mine.c")


def test_modules_of_a_results_folder_are_found_in_it(tmp_path: Path) -> None:
    topology = Topology(kernel_modules=("work/tcp_mine.c",))
    with pytest.raises(TopologyError, match=r"work/tcp_mine\.c does not exist"):
        module_files(topology, tmp_path)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/tcp_mine.c").touch()
    assert module_files(topology, tmp_path) == (tmp_path / "modules/tcp_mine.c",)


def test_modules_for_all_labs_are_kept_until_they_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert module_shelf.added() == {}
    path = module_shelf.add("tcp_mine", b"text")
    assert module_shelf.added() == {"tcp_mine": path} and path.read_bytes() == b"text"
    module_shelf.remove("tcp_mine")
    with pytest.raises(PlaceError, match="no added module tcp_mine"):
        module_shelf.remove("tcp_mine")


@pytest.mark.parametrize(
    ("console", "reason"),
    [
        (f"booting\n{REFUSED}the kernel refuses it\nreboot\n", "the kernel refuses it"),
        ("Booting kernel: `x' invalid for parameter `tcp_bbr3.beta'\n",
         "the kernel parameter tcp_bbr3.beta=x cannot be set: the value is invalid"),
        ("booting\n", ""),
    ],
)  # fmt: skip
def test_the_console_tells_why_a_lab_kernel_was_not_started(console: str, reason: str) -> None:
    assert reason_of_refusal(console) == reason


@pytest.mark.parametrize(
    ("console", "text"),
    [
        (PANIC.format(function="mine_cong_avoid", module=" [tcp_other]"),
         "the lab kernel has crashed in mine_cong_avoid of the module tcp_other: Segfault with no mm"),
        (PANIC.format(function="tcp_ack", module=""), "the lab kernel has crashed in tcp_ack: Segfault with no mm"),
        ("Kernel panic - not syncing: no instruction\n", ""),
    ],
)  # fmt: skip
def test_a_crash_names_its_function(console: str, text: str) -> None:
    assert crash.explain(console, {}) == text


@pytest.mark.lab
def test_a_missing_compiler_is_named(kernel: BuiltKernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ld").symlink_to("/bin/true")
    monkeypatch.setattr(confined_make, "PATH", str(tmp_path))
    with pytest.raises(PlaceError) as caught:
        modules.compiled_module(kernel, _source("int missing;\n"))
    assert f"tcp_mine.c cannot be compiled: make and gcc are not installed in {tmp_path}" in str(caught.value)
    assert "apt-get install build-essential" in str(caught.value)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("int first;\nint x = ;\n", "tcp_mine.c:2: expected expression"),
        ('#include "/etc/passwd"\n', "tcp_mine.c:1: /etc/passwd: Permission denied"),
        ('#include <linux/module.h>\nvoid no_such(void);\nint init_module(void) { no_such(); return 0; }\n'
         'MODULE_LICENSE("GPL");\n', "the kernel exports no function or variable no_such"),
        ('asm("no_such_instruction");\n', "Error: no such instruction"),
        ('asm(".incbin \\"/proc/self/environ\\"");\n', "file not found: /proc/self/environ"),
        ('asm(".fill 80000000");\n', "File too large"),
        ("int x;\n", "missing MODULE_LICENSE() in tcp_mine.o"),
        (f"#error {'a' * 1000}\n", f"tcp_mine.c:1: #error {'a' * 200}"),
    ],
    ids=["syntax", "file of the machine", "unknown function", "instruction", "environment", "large file", "license",
         "long"],
)  # fmt: skip
def test_errors_of_the_compiler_have_their_lines(kernel: BuiltKernel, text: str, error: str) -> None:
    with pytest.raises(TopologyError) as caught:
        modules.compiled_module(kernel, _source(text))
    assert error in str(caught.value) and "make" not in str(caught.value) and len(str(caught.value)) < 600
    assert not list(kernel.modules.glob(".*"))


@pytest.mark.lab
def test_the_compiler_reads_no_file_of_the_user(kernel: BuiltKernel, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    text = f'__asm__(".incbin \\"{secret}\\"");\n'
    with pytest.raises(TopologyError) as caught:
        modules.compiled_module(kernel, _source(text))
    assert "secret" in str(caught.value) and "a secret" not in str(caught.value)


@pytest.mark.lab
def test_text_that_the_assembler_prints_is_bounded_and_obeyed_by_no_terminal(kernel: BuiltKernel) -> None:
    # Each line begins a message without an end: a search that reads on to the end of the log is quadratic.
    lines = r'__asm__(".rept 100000\n.print \"ERROR: modpost: \\\"x\\\" [\"\n.endr\n");'
    title = r'__asm__(".print \"tcp_mine.c:1:1: error: \\033]0;title\\007\"\n");'
    with pytest.raises(TopologyError) as caught:
        modules.compiled_module(kernel, _source(f"{title}\n{lines}\nint x = ;\n"))
    assert "\x1b" not in str(caught.value) and "\x07" not in str(caught.value)


def _run(folder: Path, control: str, constants: Mapping[str, int] = {}) -> RunOutcome:
    parameters = tuple(KernelParameter(name=name, value=value) for name, value in constants.items())
    wait = Wait(routes=False, ping_count=0)
    net = Network("own", wait=wait, kernel_modules=(f"tcp_{control}.c",), kernel_parameters=parameters)
    net.host("h1")
    net.host("h2")
    net.switch("s1")  # which keeps the kernel from accounting the queue to the sender
    net.link("h1", "s1")
    net.link("s1", "h2", a_to_b=Shape(rate_mbit=10, delay_ms=20, queue_packets=17), b_to_a=Shape(delay_ms=20))
    net.flow("f", "h1", "h2", duration_s=3, congestion_control=control)
    settings = RunSettings("labkernel", virtual_time=True)
    return run(net.topology, dumps(net.topology), folder / "out", settings, figure=False, folder=folder)


@pytest.mark.lab
def test_a_template_becomes_a_flow_and_its_constants_change_it(kernel: BuiltKernel, tmp_path: Path) -> None:
    file = tmp_path / "tcp_mine.c"
    file.write_text(modules.template(file))
    episodes = []
    for increase in (1, 8):
        folder = tmp_path / str(increase)
        folder.mkdir()
        (folder / file.name).write_bytes(file.read_bytes())
        outcome = _run(folder, "mine", {"tcp_mine.increase": increase, "tcp_mine.keep_percent": 20})
        assert not outcome.failures
        results = open_results(folder / "out")
        assert (folder / "out/modules/tcp_mine.c").read_bytes() == file.read_bytes()
        assert results.info.facts["kernel_modules"] == {"tcp_mine": modules.read_source(file).digest}
        (flow,) = flow_samples(results)
        assert set(flow.sender["congestion_control"]) == {"mine"}
        episodes.append(float(flow.sender["retransmits"][-1]))
    # Losses begin at about 50 packets (a BDP of 33 and the queue) and leave 10. With 1 packet more in each round trip,
    # it takes 40 of them until the next losses, which is 1.7 s or more. With 8 packets it takes 5.
    assert episodes[1] > 2 * episodes[0] > 0


@pytest.mark.lab
def test_a_crash_ends_the_run_and_names_the_line(kernel: BuiltKernel, tmp_path: Path) -> None:
    text = modules.template(tmp_path / "tcp_mine.c").replace(
        "\t\ttcp_slow_start(tp, acked);", "\t\t*(volatile int *)0 = 1;"
    )
    (tmp_path / "tcp_mine.c").write_text(text)
    line = next(number for number, content in enumerate(text.splitlines(), 1) if "volatile" in content)
    (failure,) = _run(tmp_path, "mine").failures
    where = f"at tcp_mine.c:{line}, in mine_cong_avoid of the module tcp_mine"
    assert failure.startswith(f"the lab kernel has crashed {where}: ")
    assert open_results(tmp_path / "out").status == "failed"


@pytest.mark.lab
def test_an_unknown_constant_is_refused_by_name(kernel: BuiltKernel, tmp_path: Path) -> None:
    file = tmp_path / "tcp_mine.c"
    file.write_text(modules.template(file))
    with pytest.raises(TopologyError) as caught:
        _run(tmp_path, "mine", {"tcp_mine.decrease": 3})
    assert "tcp_mine has no parameter decrease; it has increase, keep_percent" in str(caught.value)


@pytest.mark.lab
def test_a_module_is_written_added_listed_and_removed(
    kernel: BuiltKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "tcp_mine.c"
    assert invoke("kernel", "module", "new", file).exit_code == 0
    again = invoke("kernel", "module", "new", file)
    assert again.exit_code == 2 and "exists already" in again.output
    assert "flows can choose other" in invoke("kernel", "module", "add", file, "--name", "other").output
    place = LabKernel(kernel.path)
    assert "other" in place.abilities().congestion_controls
    (row,) = json.loads(invoke("kernel", "module", "list", "--json").stdout)
    assert (row["name"], row["feature"]) == ("tcp_other", "other")
    assert invoke("kernel", "module", "remove", "tcp_other").exit_code == 0
    assert "other" not in place.abilities().congestion_controls


def test_the_template_is_what_the_kernel_style_allows() -> None:
    lines = modules.template(Path("tcp_mine.c")).splitlines()
    assert len(lines) < 80 and not [line for line in lines if len(line.expandtabs(8)) > 120]
    assert "NAME" not in "".join(lines)
