"""`python -m miniedit_frr` is the same as `miniedit-frr`."""

import contextlib
import errno
import os
import sys

_FAILED, _MISSING, _INTERRUPTED = 1, 3, 130


def main() -> None:
    """The console script. Ctrl-C ends it in order also while modules are still being loaded. A machine that refuses a
    file, a process or the output ends it with one message (with the traceback in Python's development mode)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was started with a closed one, whose number the next file would get
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - stays open
    try:
        from miniedit_frr.cli.main import main as begin

        try:
            begin()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if sys.flags.dev_mode:
            raise
        sys.exit(_refused(error))


def _refused(error: OSError) -> int:
    """Print why the machine refused something; the exit status."""
    with contextlib.suppress(OSError):  # a second attempt to write at the exit would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if error.errno == errno.EPIPE:  # the reader has read enough
        return _FAILED
    status = _FAILED
    why = error.strerror or str(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        why, status = f"{why}. Remedy: raise the limit of open files (ulimit -n 1024)", _MISSING
    elif error.filename is not None:
        why = f"{os.fsdecode(error.filename)}: {why}"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF):
        why = f"the output cannot be written: {why}"
    with contextlib.suppress(OSError):
        sys.stderr.write(f"miniedit-frr: {why}\n")
    return status


if __name__ == "__main__":
    main()
