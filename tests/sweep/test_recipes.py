"""The recipes of docs/sweeps.md, run with dask-jobqueue and dask-kubernetes if they are installed."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"


def recipe(title: str) -> ast.Module:
    """The Python code of a section."""
    _, _, section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n### {title}\n")
    code_block = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code_block is not None
    return ast.parse(code_block[1])


def run_until(tree: ast.Module, name: str) -> dict[str, Any]:
    """Run a recipe up to the assignment of `name`, which would contact a cluster, and return its variables."""
    statements = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement).startswith(name):
            break
        statements.append(statement)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), str(DOCUMENT), "exec"), names)
    return names


def test_slurm_starts_a_worker_in_its_environment() -> None:
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    tree = recipe("Slurm")
    assignment = next(statement for statement in tree.body if isinstance(statement, ast.Assign))
    names = run_until(tree, "cluster")
    with eval(compile(ast.Expression(assignment.value), str(DOCUMENT), "eval"), names) as cluster:
        script = cluster.job_script()
    lines = script.splitlines()
    assert {"#SBATCH --cpus-per-task=8", "#SBATCH -t 08:00:00"} <= set(lines)
    assert lines.index("export MINIEDIT_FRR_KERNEL=/home/me/linux") < len(lines) - 1
    worker = lines[-1].split()
    assert worker[0] == "/home/me/worker/bin/python"
    assert worker[worker.index("--nthreads") + 1] == "8"
    assert worker[-2:] == ["--memory-limit", "0"]  # the last of two values is used


def test_kubernetes_starts_workers_of_one_lab_each() -> None:
    pytest.importorskip("dask_kubernetes", reason="dask-kubernetes is not installed")
    spec = run_until(recipe("Kubernetes"), "cluster")["spec"]
    assert spec["metadata"]["name"] == "sweep" and spec["spec"]["worker"]["replicas"] == 20
    (worker,) = spec["spec"]["worker"]["spec"]["containers"]
    assert worker["args"][:6] == ["dask", "worker", "--nthreads", "1", "--memory-limit", "0"]
    (scheduler,) = spec["spec"]["scheduler"]["spec"]["containers"]
    assert scheduler["args"] == ["dask", "scheduler", "--host", "0.0.0.0"]
    mounted = {volume["name"] for volume in worker["volumeMounts"]}
    assert mounted == {volume["name"] for volume in spec["spec"]["worker"]["spec"]["volumes"]}
