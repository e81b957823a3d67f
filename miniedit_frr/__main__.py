"""`python -m miniedit_frr` is the same as `miniedit-frr`."""

import contextlib
import errno
import os
import sys

_FAILED, _MISSING, _INTERRUPTED = 1, 3, 130


def main() -> None:
    """The console script.

    Ctrl-C ends it cleanly, even while modules are still being loaded. If the machine refuses a file, a process or the
    output, the program ends with one message (with the traceback in Python's development mode).
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the stream was closed; the next opened file would get its number
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - stays open
    try:
        if sys.argv[1:2] != ["setup"]:
            from frrlib.missing_packages.start import use_fetched_packages

            use_fetched_packages()
        from frrlib.system.loading import loading

        with loading():
            from miniedit_frr.cli.main import main as run_command_line

        try:
            run_command_line()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if sys.flags.dev_mode:
            raise
        sys.exit(_report_refusal(error))


def _report_refusal(error: OSError) -> int:
    """Print the reason why the machine refused something, and return the exit status."""
    with contextlib.suppress(OSError):  # a second attempt to write at the exit would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if error.errno == errno.EPIPE:  # the reader has closed the pipe
        return _FAILED
    status = _FAILED
    reason = error.strerror or str(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        reason, status = f"{reason}. Remedy: raise the limit of open files (ulimit -n 1024)", _MISSING
    elif error.filename is not None:
        reason = f"{os.fsdecode(error.filename)}: {reason}"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF):
        reason = f"the output cannot be written: {reason}"
    with contextlib.suppress(OSError):
        sys.stderr.write(f"miniedit-frr: {reason}\n")
    return status


if __name__ == "__main__":
    main()
