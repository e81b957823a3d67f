"""The choice of a place and its reason, with places that only pretend their abilities."""

from __future__ import annotations

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import shelf
from frrlib.kernels.shelf import BuiltKernel
from frrlib.place import choice as choosing
from frrlib.place.base import Abilities, Program, Sandbox
from frrlib.place.choice import Needs, choose, unmet_needs


class Claim:
    """A place that claims abilities."""

    def __init__(self, abilities: Abilities) -> None:
        self.name, self._abilities = abilities.place, abilities

    def abilities(self, refresh: bool = False) -> Abilities:
        return self._abilities

    def start(self, program: Program) -> Sandbox:
        raise NotImplementedError


BASIC = Abilities("namespace", True, kernel="6.18", qdiscs=frozenset({"tbf"}), device_types=frozenset({"veth"}))
RICH = Abilities(
    "labkernel",
    True,
    kernel="6.1",
    qdiscs=frozenset({"tbf", "netem"}),
    congestion_controls=frozenset({"bbr"}),
    device_types=frozenset({"veth", "vrf"}),
)
NOT_ROOT = Abilities("root", False, reason="this program does not run as root", remedy="sudo it")


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = tuple(Claim(abilities) for abilities in (BASIC, RICH, NOT_ROOT))
    monkeypatch.setattr(choosing, "all_places", lambda kernel=None: claims)
    monkeypatch.setattr(shelf, "built_kernels", list)


def _keep_kernel(monkeypatch: pytest.MonkeyPatch, *controls: str) -> None:
    """Put a lab kernel with these congestion controls on the shelf."""
    built = BuiltKernel("6.12-lab-1", "6.12", "", "", "", 0, 1, 1)
    able = Abilities("labkernel", True, kernel="6.12", congestion_controls=frozenset(controls))
    monkeypatch.setattr(shelf, "built_kernels", lambda: [built])
    monkeypatch.setattr(choosing, "LabKernel", lambda path: Claim(able))


@pytest.mark.parametrize("place", ["auto", "labkernel", "namespace"])
def test_a_kernel_on_the_shelf_that_has_the_congestion_control_is_named(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    _keep_kernel(monkeypatch, "bbr2")
    with pytest.raises(PlaceError, match="lacks the congestion control bbr2") as caught:
        choose(place, Needs(congestion_controls=frozenset({"bbr2"})))
    assert caught.value.remedy.endswith("miniedit-frr kernel use 6.12-lab-1")


@pytest.mark.parametrize("control", ["bbr2", "bbr3"])
def test_without_such_a_kernel_the_build_is_the_remedy(monkeypatch: pytest.MonkeyPatch, control: str) -> None:
    _keep_kernel(monkeypatch, "cubic")
    with pytest.raises(PlaceError) as caught:
        choose("auto", Needs(congestion_controls=frozenset({control})))
    assert caught.value.remedy == "miniedit-frr kernel build builds a lab kernel with BBRv2 and BBRv3"


def test_a_kernel_that_lacks_it_too_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _keep_kernel(monkeypatch, "bbr2")
    with pytest.raises(PlaceError) as caught:
        choose("auto", Needs(congestion_controls=frozenset({"mine"})))
    assert "6.12" not in caught.value.remedy


def test_auto_uses_the_first_suitable_place() -> None:
    place, reason = choose("auto", Needs(qdiscs=frozenset({"tbf"})))
    assert place.name == "namespace"
    assert "namespace (kernel 6.18) can" in reason


def test_auto_names_the_needs_that_the_first_place_lacks() -> None:
    place, reason = choose("auto", Needs(qdiscs=frozenset({"netem"}), congestion_controls=frozenset({"bbr"})))
    assert place.name == "labkernel"
    assert "namespace (kernel 6.18) lacks the queueing discipline netem, the congestion control bbr" in reason
    assert "labkernel (kernel 6.1) can" in reason


def test_auto_without_a_suitable_place_names_every_reason() -> None:
    with pytest.raises(PlaceError) as caught:
        choose("auto", Needs(cpu_limits=True))
    for word in ("namespace", "labkernel", "share of the CPU", "does not run as root"):
        assert word in str(caught.value)
    assert caught.value.remedy == "sudo it"


NO_NAMESPACE = Abilities("namespace", False, reason="user namespaces are forbidden", remedy="sudo sysctl")
NO_KERNEL = Abilities("labkernel", False, reason="no lab kernel is installed", remedy="install a kernel")


@pytest.mark.parametrize(
    ("claims", "name", "needs", "remedy"),
    [
        # The kernel of this machine lacks it, so that root would, too.
        ((BASIC, NO_KERNEL, NOT_ROOT), "auto", Needs(congestion_controls=frozenset({"bbr"})), "install a kernel"),
        ((BASIC, NO_KERNEL, NOT_ROOT), "namespace", Needs(qdiscs=frozenset({"netem"})), "install a kernel"),
        # Only a lab kernel loads modules of one's own.
        ((NO_NAMESPACE, NO_KERNEL, NOT_ROOT), "auto", Needs(kernel_modules=("tcp_mine",)), "install a kernel"),
        ((BASIC, NO_KERNEL, NOT_ROOT), "root", Needs(kernel_parameters=("tcp_bbr3.beta=2",)), "install a kernel"),
        ((BASIC, RICH, NOT_ROOT), "root", Needs(kernel_modules=("tcp_mine",), cpus=3), ""),
        # The requested place, or else the first one, if all could do.
        ((NO_NAMESPACE, NO_KERNEL, NOT_ROOT), "auto", Needs(), "sudo sysctl"),
        ((NO_NAMESPACE, NO_KERNEL, NOT_ROOT), "root", Needs(), "sudo it"),
    ],
)  # fmt: skip
def test_the_remedy_is_that_of_a_place_which_could_do_all(
    monkeypatch: pytest.MonkeyPatch, claims: tuple[Abilities, ...], name: str, needs: Needs, remedy: str
) -> None:
    places = tuple(Claim(abilities) for abilities in claims)
    monkeypatch.setattr(choosing, "all_places", lambda kernel=None: places)
    with pytest.raises(PlaceError) as caught:
        choose(name, needs)
    assert caught.value.remedy == remedy


def test_a_need_that_no_place_meets_has_a_remedy() -> None:
    for name in ("auto", "labkernel"):
        with pytest.raises(PlaceError, match="Open vSwitch") as caught:
            choose(name, Needs(open_vswitch=True))
        assert "apt-get install openvswitch-switch" in caught.value.remedy


def test_a_named_place_that_is_unsuitable_names_another_one() -> None:
    with pytest.raises(PlaceError, match="lacks VRFs") as caught:
        choose("namespace", Needs(device_types=frozenset({"vrf"})))
    assert "labkernel" in caught.value.remedy


def test_a_suitable_named_place_is_used() -> None:
    place, reason = choose("labkernel", Needs())
    assert place.name == "labkernel" and "was requested" in reason


def test_an_unknown_name_lists_the_known_places() -> None:
    with pytest.raises(PlaceError, match="no place 'moon'") as caught:
        choose("moon", Needs())
    assert "auto, namespace, labkernel, root" in caught.value.remedy


def test_unmet_needs_are_named() -> None:
    needs = Needs(frozenset({"netem"}), frozenset({"bbr"}), frozenset({"vrf"}), True, True, 4, ("eth1",))
    assert len(unmet_needs(needs, BASIC)) == 7
    supported = (needs.qdiscs, needs.congestion_controls, needs.device_types)
    able = Abilities("x", True, "", "", "1", *supported, True, True, 4, True)
    assert unmet_needs(needs, able) == []
