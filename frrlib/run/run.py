"""One whole run: build, wait, look at the path at rest, send the flows, keep what was measured.

The command line, the editor, an exported script and an experiment all run a lab this way and get the same folder.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from frrlib import wire
from frrlib.configs.history import write_configs
from frrlib.errors import Interrupted, LabError, LabFailed, TopologyError
from frrlib.lab.checks import refuse_unsupported
from frrlib.lab.convergence import ConvergenceTimes
from frrlib.lab.lab import Lab
from frrlib.lab.requests import PingResult
from frrlib.model.topology import Topology
from frrlib.render.plan import flow_plans
from frrlib.results import layout
from frrlib.results.folder import Writer
from frrlib.results.layout import CaptureInfo
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import Summary
from frrlib.run import requested_values as drawn
from frrlib.run.captures import capture_plans, move_captures
from frrlib.run.delivery import undelivered_flows
from frrlib.run.evaluation import evaluate, load_figures
from frrlib.run.facts import software_facts
from frrlib.run.flow_paths import MOST_PAIRS, Paths, changed_paths
from frrlib.run.logs import copy_logs
from frrlib.run.machine_load import MachineLoad, record_load
from frrlib.wire.plan import CapturePlan

Listener = Callable[[wire.Message], None]
#: The log with what a lab printed that ended by itself.
CONSOLE = "console.log"


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run, apart from the topology.

    Attributes:
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        sample_hz: samples a second of every flow and queue, 1 to 1000; 0 for none.
        captures: interfaces whose packets' headers are kept, as `run_captures.capture_plans` takes them.
        virtual_time: whether the lab runs in virtual time.
        seed: what all random numbers of a lab in virtual time come from; of no meaning in real time.
        allowed_controllers: where controllers outside of the lab are that its switches may reach ("ADDRESS:PORT").
        silent_flows: ids of flows that are meant to deliver nothing ("f1", "f2.3"); any other flow that delivers
            nothing is a failure of the run, unless a planned fault explains it.
    """

    place: str = "auto"
    kernel: Path | None = None
    sample_hz: float = 100.0
    captures: tuple[str, ...] = ()
    virtual_time: bool = False
    seed: int = 1
    allowed_controllers: tuple[str, ...] = ()
    silent_flows: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sample_hz and not 1 <= self.sample_hz <= 1000:
            right = "right would be 1 to 1000 samples a second, or 0 for none"
            raise ValueError(f"sample_hz is {self.sample_hz:g}; {right}")

    def lab(self, topology: Topology, folder: Path | None = None) -> Lab:
        """A lab of this topology, neither started nor attached; `folder` is its file's. Raises as `Lab` does."""
        return Lab(
            topology,
            place=self.place,
            kernel=self.kernel,
            virtual_time=self.virtual_time,
            seed=self.seed,
            allowed_controllers=self.allowed_controllers,
            folder=folder,
        )


@dataclass
class RunOutcome:
    """The outcome of a run.

    Attributes:
        folder: the results folder.
        place_reason: which place it ran in, and why.
        failures: what the lab did not do, one sentence each; empty for a run that did all.
        warnings: what the lab went on without, such as a controller that does not answer, one sentence each.
        converged: how long the network took to converge, counted from when the daemons had started.
        tables: router to its `show ip route` once all routes were there.
        pings: what each ping at rest found, as `wire.Ping` says, with source and destination.
        steps: seconds that each step took, in order.
        samplers: what measuring cost, as `wire.RunFlows` says.
        summary: statistics of flows and queues; None where the run did not get so far.
    """

    folder: Path
    place_reason: str = ""
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    converged: ConvergenceTimes = field(default_factory=ConvergenceTimes)
    tables: dict[str, str] = field(default_factory=dict)
    pings: list[PingResult] = field(default_factory=list)
    steps: list[tuple[str, float]] = field(default_factory=list)
    samplers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    summary: Summary | None = None

    @property
    def converged_s(self) -> dict[str, float]:
        """Router to the seconds until it had all neighbours and routes that are expected of it."""
        return self.converged.routers


def run(
    topology: Topology,
    text: str,
    out: Path,
    settings: RunSettings = RunSettings(),
    listener: Listener | None = None,
    *,
    overwrite: bool = False,
    figure: bool = True,
    folder: Path | None = None,
) -> RunOutcome:
    """Run a topology and keep its results in `out`.

    A lab that does not do what was asked (a route is missing, a flow failed) is an `RunOutcome` with failures, not an
    error: all that was measured until then is kept and told.

    Args:
        topology: what to run.
        text: its file's text, kept with the results.
        out: the results folder, new or empty.
        settings: how to run.
        listener: called with every event, from threads of the lab's own.
        overwrite: whether `out` may hold an earlier run, which is then replaced.
        figure: whether the figure is drawn, which takes seconds and can be done at any time.
        folder: the folder that the drawing's file is in, which the lab sees; None for none.

    Raises:
        TopologyError: the topology has errors, or a router has a line that FRR refuses. Nothing has started then.
        PlaceError: this machine lacks something.
        ResultsError: `out` cannot take the results.
    """
    listener = listener or _nobody
    outcome = RunOutcome(out)
    with step(outcome, "place", listener) as done:
        lab = settings.lab(topology, folder)
        refuse_unsupported(topology)
        done["text"] = outcome.place_reason = lab.place_reason
    measure(lab, text, outcome, settings, listener, overwrite=overwrite, figure=figure)
    return outcome


def measure(
    lab: Lab,
    text: str,
    outcome: RunOutcome,
    settings: RunSettings,
    listener: Listener,
    *,
    overwrite: bool = False,
    linger: Callable[[], None] | None = None,
    figure: bool = True,
) -> None:
    """The part of `run` that comes once there is a lab, which is neither started nor attached; for those who hold the
    lab themselves, to interrupt it or to ask it something meanwhile.

    Args:
        outcome: of which only `folder` need be set; the rest is filled in, also where this ends with an error.
        linger: called in the running lab when the flows have ended; the lab ends when it returns. By then the results
            folder is closed, and has its summary and figure: whatever the lab does later is not part of this run. None
            to end the lab at once.

    Raises:
        KeyboardInterrupt: Ctrl-C, or `Lab.interrupt`; what was measured until then is kept and summarised.
        PlaceError: this machine lacks something.
        ResultsError: the folder cannot take the results.
    """

    def stay(writer: Writer) -> None:
        _close(lab, writer, outcome)
        with step(outcome, "figure", listener):
            _evaluate(outcome, figure)
        if linger is not None:
            linger()

    if figure and settings.virtual_time:
        # While the lab runs, whose results do not depend on what else this machine does: it takes half a second.
        threading.Thread(target=load_figures, name="figures", daemon=True).start()
    try:
        _keep_all(lab, text, outcome, settings, listener, overwrite, stay if linger is not None else None)
    except KeyboardInterrupt:
        if outcome.summary is None:
            _evaluate(outcome, figure)  # what was measured until then gets its figure too
        raise
    if outcome.summary is None:
        with step(outcome, "figure", listener):
            _evaluate(outcome, figure)


def _evaluate(outcome: RunOutcome, figure: bool) -> None:
    """As `evaluate`; what cannot be written is a failure of the run, which has its summary all the same."""
    try:
        outcome.summary = evaluate(outcome.folder, figure)
    except OSError as error:
        from frrlib.results.statistics.summary import summarize

        outcome.summary = summarize(open_results(outcome.folder))
        outcome.failures.append(f"summary and figure could not be written into {outcome.folder}: {error.strerror}")


def _keep_all(
    lab: Lab,
    text: str,
    outcome: RunOutcome,
    settings: RunSettings,
    listener: Listener,
    overwrite: bool,
    stay: Callable[[Writer], None] | None,
) -> None:
    """Run the lab and keep everything that it reports, until the run's folder is closed."""
    out = outcome.folder
    captures = capture_plans(lab.topology, settings.captures)
    said = asdict(settings)
    title = lab.topology.title
    with Writer.create(out, text, said, title=title, overwrite=overwrite, on_failure=lab.interrupt) as writer:

        def take(message: wire.Message) -> None:
            writer.add(message)
            listener(message)

        lab.read_at_end = True
        lab.attach(writable=writer.lab_folder, listener=take)
        _describe(lab, writer)
        writer.add_facts(software_facts(lab.place))
        try:
            _in_the_lab(lab, writer, outcome, settings, captures, stay)
        except Interrupted:
            if writer.failure is None:
                raise  # somebody asked for the end; else it was the writer
        except LabError as error:
            if writer.is_closed or isinstance(error, TopologyError):
                raise  # not the run's failure: its flows had ended, or the topology is wrong
            if not isinstance(error, LabFailed) and not lab.facts:
                raise  # the machine's fault, before there was a lab
            outcome.failures.append(str(error))
            if lab.last_words:
                writer.add_log(CONSOLE, lab.last_words)
        finally:
            with writer.writing():
                if not writer.is_closed:
                    copy_logs(writer, remove=True)
                move_captures(writer)
                if lab.end_configs and not writer.is_closed:
                    write_configs(out / layout.CONFIGS, lab.end_configs)
            if lab.unread_configs and lab.topology.routers:
                writer.log(f"the configurations at the end were not read: {lab.unread_configs}")
        if writer.is_closed:
            return
        outcome.steps += lab.steps
        _finish(writer, outcome)


def _close(lab: Lab, writer: Writer, outcome: RunOutcome) -> None:
    """Close the results folder of a lab that goes on: what it has logged and configured until now is kept."""
    with writer.writing():
        try:
            lab.save_logs()
            if lab.topology.routers:
                write_configs(writer.folder / layout.CONFIGS, lab.running_configs())
        except LabError as error:
            writer.log(f"logs and configurations at the end of the flows were not all read: {error}")
        copy_logs(writer)
    outcome.steps += lab.steps
    _finish(writer, outcome)


def _finish(writer: Writer, outcome: RunOutcome) -> None:
    """Close the results folder with the outcome's failures, among them that it took nothing more."""
    writer.finish("failed" if outcome.failures else "finished", outcome.failures)
    if writer.failure is not None:
        outcome.failures.append(str(writer.failure))


def _describe(lab: Lab, writer: Writer) -> None:
    writer.set_place(lab.place.name, lab.place_reason)
    writer.set_flows(flow_plans(lab.topology))
    writer.set_queues(drawn.queues(lab.topology))
    writer.set_cables(drawn.cables(lab.topology))


def send(lab: Lab, topology: Topology, text: str, out: Path, settings: RunSettings = RunSettings()) -> RunOutcome:
    """Send a drawing's flows in a lab that runs from it already, and keep what is measured as `run` does.

    The lab goes on afterwards. It keeps its daemons' logs, and no packets are captured. What is not done as asked is
    among the failures of the outcome.

    Args:
        lab: runs, in real time; see `Lab.redraw` for what of the drawing may have changed.
        topology: the drawing as it is now.
        text: its file's text, kept with the results.
        out: the results folder, new or empty.
        settings: of which `sample_hz` counts.

    Raises:
        TopologyError: the drawing has errors, has no flows, or is one of another lab.
        ResultsError: `out` cannot take the results.
        LabFailed: the lab has ended; what was measured until then is kept.
        Interrupted: somebody ended the lab; likewise.
    """
    if not topology.flows:
        raise TopologyError("has no flows", field="flows", right="draw a flow first")
    lab.redraw(topology)
    outcome, begun = RunOutcome(out, lab.place_reason), len(lab.steps)
    writer = Writer.create(out, text, asdict(settings), title=topology.title, on_failure=lambda: None)
    try:
        with writer:
            _describe(lab, writer)
            writer.add_facts(lab.facts)
            with lab.heard_by(writer.add), record_load(lab, writer, is_virtual=settings.virtual_time) as load:
                paths = _at_rest(lab, writer, outcome)
                _flows(lab, writer, outcome, settings, (), paths, load)
            outcome.steps += lab.steps[begun:]
            _finish(writer, outcome)
    except (LabError, Interrupted):
        _evaluate(outcome, figure=True)
        raise
    with step(outcome, "figure", lab.tell):
        _evaluate(outcome, figure=True)
    return outcome


def _in_the_lab(
    lab: Lab,
    writer: Writer,
    outcome: RunOutcome,
    settings: RunSettings,
    captures: Sequence[CapturePlan],
    stay: Callable[[Writer], None] | None,
) -> None:
    with lab:
        writer.add_facts(lab.facts)
        outcome.warnings += lab.warnings
        outcome.failures += [f"{node}: {why}" for node, why in lab.failed_commands.items()]
        with record_load(lab, writer, is_virtual=settings.virtual_time) as load:
            if lab.topology.wait.routes:
                outcome.converged = lab.wait_converged()
                writer.add_facts({"converged": asdict(outcome.converged)})
            for router in lab.topology.routers:
                if router.runs_frr:
                    outcome.tables[router.name] = lab[router.name].vtysh("show ip route")
                    writer.add_log(f"{router.name}.routes.txt", outcome.tables[router.name])
            paths = _at_rest(lab, writer, outcome)
            if lab.topology.flows:
                _flows(lab, writer, outcome, settings, captures, paths, load)
        if stay is not None:
            stay(writer)


def _at_rest(lab: Lab, writer: Writer, outcome: RunOutcome) -> Paths:
    """Record the path of each flow, and ping between its ends before any flow, so that the base RTT is known.

    Returns:
        the path of each flow.
    """
    count = lab.topology.wait.ping_count
    pairs = dict.fromkeys((flow.source, flow.destination) for flow in lab.topology.flows)
    if not pairs or (not count and len(pairs) > MOST_PAIRS):
        return {}
    with lab.step("rest"):
        facts = drawn.flows(lab)
        writer.add_to_flows(facts)
        for source, destination in pairs if count else ():
            ping = lab.ping(source, destination, count)
            outcome.pings.append(ping)
            writer.add_ping(ping)
            if not ping["received"]:
                outcome.failures.append(f"{source} does not reach {destination} ({ping['address']}): no ping came back")
    return {flow: known["path"] for flow, known in facts.items()}


def _flows(
    lab: Lab,
    writer: Writer,
    outcome: RunOutcome,
    settings: RunSettings,
    captures: Sequence[CapturePlan],
    paths: Paths,
    load: MachineLoad | None = None,
) -> None:
    result = lab.run_flows(settings.sample_hz, captures)
    if load is not None:
        load.zero_s = result["zero_time_s"]
    writer.set_zero_time(result["zero_time_s"], result["zero_unix_s"])
    writer.set_captures({name: CaptureInfo(**each) for name, each in result["captures"].items()})
    writer.set_counters(result["counters"], result["queue_drops"])
    writer.add_to_flows(result["ways_out"])
    writer.add_to_flows(changed_paths(lab, paths))
    outcome.samplers = result["samplers"]
    writer.add_facts({"samplers": result["samplers"]})
    for flow, report in result["flows"].items():
        writer.add_flow_report(flow, report)
    outcome.failures += [f"flow {flow} failed: {why}" for flow, why in result["failures"].items()]
    outcome.failures += undelivered_flows(
        flow_plans(lab.topology), result["flows"], lab.topology.faults, settings.silent_flows
    )
    outcome.failures += result["fault_failures"]


@contextmanager
def step(outcome: RunOutcome, name: str, listener: Listener) -> Iterator[dict[str, str]]:
    """Measure a step outside the lab; what it puts under "text" is told when it is done."""
    begin, said = time.monotonic(), {"text": ""}
    listener(wire.StepEvent(name, "start", begin))
    yield said
    end = time.monotonic()
    outcome.steps.append((name, end - begin))
    listener(wire.StepEvent(name, "done", end, said["text"] or f"{end - begin:.2f} s"))


def _nobody(message: wire.Message) -> None:
    """A listener that does not listen."""
