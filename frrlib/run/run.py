"""One whole run: build the lab, wait for convergence, measure the paths at rest, send the flows, store the results.

The command line, the editor, exported scripts and experiments all run labs by this module, with the same results
folder.
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
from frrlib.lab.requests import PingOutcome
from frrlib.model.topology import Topology
from frrlib.render.plan import flow_plans
from frrlib.results import layout
from frrlib.results.layout import CaptureInfo
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import Summary
from frrlib.results.writer import Writer
from frrlib.run import requested_values as drawn
from frrlib.run.captures import capture_plans, move_captures
from frrlib.run.delivery import explained_failure, undelivered_flows
from frrlib.run.evaluation import evaluate, load_figures
from frrlib.run.facts import software_facts
from frrlib.run.flow_paths import MOST_PAIRS, Paths, changed_paths
from frrlib.run.logs import copy_logs
from frrlib.run.machine_load import MachineLoad, record_load
from frrlib.wire.plan import CapturePlan

Listener = Callable[[wire.Message], None]
#: The log with the last output of a lab that ended by itself.
CONSOLE = "console.log"


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run, apart from the topology.

    Attributes:
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        sample_hz: samples per second of every flow and queue, 1 to 1000; 0 for none.
        captures: interfaces to capture packet headers at, see `frrlib.run.captures.capture_plans`.
        virtual_time: whether the lab runs in virtual time.
        seed: for all random numbers of a lab in virtual time; ignored in real time.
        allowed_controllers: "ADDRESS:PORT" of controllers outside of the lab that its switches may reach.
        silent_flows: ids of flows that are expected to deliver nothing ("f1", "f2.3"); any other flow that delivers
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
            remedy = "use 1 to 1000 samples a second, or 0 for none"
            raise ValueError(f"sample_hz is {self.sample_hz:g}; {remedy}")

    def lab(self, topology: Topology, folder: Path | None = None) -> Lab:
        """A lab of this topology, not yet started; `folder` is that of its file. Raises as `Lab` does."""
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
        place_reason: its place, and the reason for this place.
        failures: failures of the lab, one sentence each; empty for a successful run.
        warnings: missing things that the lab ran without, such as a controller that does not answer, one sentence each.
        converged: convergence times, from the start of the daemons.
        tables: router to its `show ip route` after convergence.
        pings: results of the pings at rest, see `wire.Ping`, with source and destination.
        steps: seconds that each step took, in order.
        samplers: cost of the measurement, see `wire.RunFlows`.
        summary: statistics of flows and queues; None if the run ended before its flows.
    """

    folder: Path
    place_reason: str = ""
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    converged: ConvergenceTimes = field(default_factory=ConvergenceTimes)
    tables: dict[str, str] = field(default_factory=dict)
    pings: list[PingOutcome] = field(default_factory=list)
    steps: list[tuple[str, float]] = field(default_factory=list)
    samplers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    summary: Summary | None = None

    @property
    def converged_s(self) -> dict[str, float]:
        """Router to the seconds until it had all expected adjacencies and routes."""
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
    """Run a topology and store its results in `out`.

    A failure of the lab (a missing route, a failed flow) is not an error: it is listed in the outcome, and the
    measurements up to it are stored.

    Args:
        topology: the topology to run.
        text: its file's text, stored with the results.
        out: the results folder, new or empty.
        settings: of the run.
        listener: called with every event, in threads of the lab.
        overwrite: whether an earlier run in `out` may be replaced.
        figure: whether to draw the figure; that takes seconds, and can be done later.
        folder: the folder of the topology's file, which the lab sees; None for none.

    Raises:
        TopologyError: the topology has errors, or a router has a line that FRR refuses. Nothing has started then.
        PlaceError: this machine lacks something.
        ResultsError: the results cannot be written to `out`.
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
    """Run a lab that is not yet started, as `run` does. For callers that need the lab meanwhile, for requests or to
    interrupt it.

    Args:
        outcome: with `folder` set; its other fields are set here, also before an error.
        linger: called in the running lab when the flows have ended and the results folder is closed, with summary and
            figure; later events do not belong to this run. The lab ends when it returns. None to end the lab at once.

    Raises:
        KeyboardInterrupt: Ctrl-C, or `Lab.interrupt`; the measurements until then are stored and summarized.
        PlaceError: this machine lacks something.
        ResultsError: the results cannot be written to the folder.
    """

    def stay(writer: Writer) -> None:
        _close(lab, writer, outcome)
        with step(outcome, "figure", listener):
            _evaluate(outcome, figure)
        if linger is not None:
            linger()

    if figure and settings.virtual_time:
        # It takes half a second. The results of a lab in virtual time do not depend on this machine's load.
        threading.Thread(target=load_figures, name="figures", daemon=True).start()
    try:
        _keep_all(lab, text, outcome, settings, listener, overwrite, stay if linger is not None else None)
    except KeyboardInterrupt:
        if outcome.summary is None:
            _evaluate(outcome, figure)  # the measurements until then get their figure, too
        raise
    if outcome.summary is None:
        with step(outcome, "figure", listener):
            _evaluate(outcome, figure)


def _evaluate(outcome: RunOutcome, figure: bool) -> None:
    """As `evaluate`. A write error is a failure of the run; the outcome gets its summary nevertheless."""
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
    """Run the lab and store everything that it reports, until the results folder is closed."""
    out = outcome.folder
    captures = capture_plans(lab.topology, settings.captures)
    settings_json = asdict(settings)
    title = lab.topology.title
    with Writer.create(out, text, settings_json, title=title, overwrite=overwrite, on_failure=lab.interrupt) as writer:

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
                raise  # the caller has interrupted the lab; else the writer has done it
        except LabError as error:
            if writer.is_closed or isinstance(error, TopologyError):
                raise  # this is no failure of the run: its flows had ended, or the topology is wrong
            if not isinstance(error, LabFailed) and not lab.facts:
                raise  # the machine lacks something, and no lab has started
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
    """Close the results folder of a lab that goes on, with its logs and configurations of now."""
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
    """Close the results folder with the outcome's failures, including errors of its own writer."""
    writer.finish("failed" if outcome.failures else "finished", outcome.failures)
    if writer.failure is not None:
        outcome.failures.append(str(writer.failure))


def _describe(lab: Lab, writer: Writer) -> None:
    writer.set_place(lab.place.name, lab.place_reason)
    writer.set_flows(flow_plans(lab.topology))
    writer.set_queues(drawn.queues(lab.topology))
    writer.set_cables(drawn.cables(lab.topology))


def send(
    lab: Lab,
    topology: Topology,
    text: str,
    out: Path,
    settings: RunSettings = RunSettings(),
    *,
    figure: bool = True,
) -> RunOutcome:
    """Send a topology's flows in its running lab, and store the results as `run` does.

    The lab goes on afterwards. Its daemons' logs are not stored, and no packets are captured. Failures are listed in
    the outcome.

    Args:
        lab: it runs in real time; see `Lab.redraw` for the allowed changes of its topology.
        topology: the present topology.
        text: its file's text, stored with the results.
        out: the results folder, new or empty.
        settings: only `sample_hz` is used.
        figure: whether to draw the figure.

    Raises:
        TopologyError: the topology has errors, has no flows, or belongs to another lab.
        ResultsError: the results cannot be written to `out`.
        LabFailed: the lab has ended; the measurements until then are stored.
        Interrupted: the lab was interrupted; likewise.
    """
    if not topology.flows:
        raise TopologyError("has no flows", field="flows", remedy="draw a flow first")
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
        _evaluate(outcome, figure=figure)
        raise
    with step(outcome, "figure", lab.tell):
        _evaluate(outcome, figure=figure)
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
        for module in lab.own_modules.values():
            writer.add_module(module.source.name, module.source.text)
        outcome.warnings += lab.warnings
        outcome.failures += [f"{node}: {reason}" for node, reason in lab.failed_commands.items()]
        with record_load(lab, writer, is_virtual=settings.virtual_time) as load:
            if lab.topology.wait.routes:
                outcome.converged = _wait_converged(lab, outcome)
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


def _wait_converged(lab: Lab, outcome: RunOutcome) -> ConvergenceTimes:
    """Wait for convergence. With intended problems, a network that does not converge is only a warning.

    Raises:
        LabFailed: it does not converge in time.
    """
    try:
        return lab.wait_converged()
    except LabFailed as error:
        if not lab.topology.intended_problems:
            raise
        outcome.warnings.append(f"the topology intends {', '.join(lab.topology.intended_problems)}: {error}")
        return ConvergenceTimes()


def _at_rest(lab: Lab, writer: Writer, outcome: RunOutcome) -> Paths:
    """Record the path of each flow, and ping between its ends before any flow, to measure the base RTT.

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
                failure = f"{source} does not reach {destination} ({ping['address']}): no ping came back"
                outcome.failures.append(explained_failure(lab.topology, source, destination, failure))
    return {flow: flow_facts["path"] for flow, flow_facts in facts.items()}


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
    writer.set_captures({name: CaptureInfo(**capture) for name, capture in result["captures"].items()})
    writer.set_counters(result["counters"], result["queue_drops"])
    writer.add_to_flows(result["ways_out"])
    writer.add_to_flows(changed_paths(lab, paths))
    outcome.samplers = result["samplers"]
    writer.add_facts({"samplers": result["samplers"]})
    for flow, report in result["flows"].items():
        writer.add_flow_report(flow, report)
    outcome.failures += [f"flow {flow} failed: {reason}" for flow, reason in result["failures"].items()]
    outcome.failures += undelivered_flows(
        flow_plans(lab.topology), result["flows"], lab.topology.faults, settings.silent_flows
    )
    outcome.failures += result["fault_failures"]


@contextmanager
def step(outcome: RunOutcome, name: str, listener: Listener) -> Iterator[dict[str, str]]:
    """Measure a step outside the lab. The block may set "text", which is reported at its end."""
    begin, details = time.monotonic(), {"text": ""}
    listener(wire.StepEvent(name, "start", begin))
    yield details
    end = time.monotonic()
    outcome.steps.append((name, end - begin))
    listener(wire.StepEvent(name, "done", end, details["text"] or f"{end - begin:.2f} s"))


def _nobody(message: wire.Message) -> None:
    """A listener that ignores all events."""
