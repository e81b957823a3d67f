"""The plans that a launch sends to the supervisor and to init: every decision about a lab, made outside.

Standard library only, and light: init loads this module in a lab kernel. Annotations are not postponed, since
`records.PlanRecord` reads them.
"""

from frrlib.place.records import PlanRecord


class SupervisorArguments(PlanRecord):
    """The supervisor's argument on its command line: the descriptors that it inherits, and its first duty.

    Attributes:
        orders: socket by which the plan arrives.
        lifeline: pipe whose other end only the program holds. It ends with the program.
        program: pidfd of the program.
        status: pipe for reports to the program.
        wire: the lab's end of its wire.
        folders: temporary folders of the lab. They are removed at its end.
    """

    orders: int
    lifeline: int
    program: int
    status: int
    wire: int
    folders: tuple[str, ...]


class LabIds(PlanRecord):
    """User and group ids that a lab of root has outside.

    Attributes:
        uid, gid: the first id.
        count: number of ids of both kinds.
    """

    uid: int
    gid: int
    count: int


class LabLimits(PlanRecord):
    """Limits of a lab in namespaces.

    Attributes:
        processes: maximum number of processes and threads.
        memory_mib: maximum of memory.
        spare_mib: memory that the machine keeps for itself. The lab's maximum is enforced below it.
    """

    processes: int
    memory_mib: int
    spare_mib: float


class VisibleFolder(PlanRecord):
    """A further folder that a lab sees.

    Attributes:
        source: its path on this machine.
        target: its path in the lab.
        is_copy: whether the lab gets a copy, which it may change.
    """

    source: str
    target: str
    is_copy: bool


class LabFolders(PlanRecord):
    """Folders of this machine that appear in a lab's file tree.

    Attributes:
        code: folder that contains the package, shown at `file_tree.CODE`.
        site: folders of Python packages, shown at `file_tree.SITE`/0, 1, ...
        files: the one folder of this machine that the lab may write, shown at `file_tree.FILES`.
        boot: the lab's start files, shown at `file_tree.BOOT`.
        visible: further folders.
        hidden: folders that the lab does not see. Those of `visible` that are in them are shown.
    """

    code: str
    site: tuple[str, ...]
    files: str
    boot: str
    visible: tuple[VisibleFolder, ...]
    hidden: tuple[str, ...]


class BoundPath(PlanRecord):
    """A file or folder of root's that a bind mount shows to a lab kernel's user.

    Attributes:
        source, target: paths on this machine.
    """

    source: str
    target: str


class KernelProcess(PlanRecord):
    """The process of a lab kernel.

    Attributes:
        file: the program.
        argv: its arguments. `{line}` in `ssl0=` stands for the descriptor of the serial line.
        preload: library that is loaded before it. Empty for none.
        memory: folder of the kernel's memory, which it may write.
        gate: folder that is the wire of a lab in virtual time. Empty in real time.
        ssh_socket: path of the UNIX socket that leads to the lab's SSH server.
        landlock_abi: version of Landlock to use.
        uses_seccomp: whether the kernel runs its programs by `seccomp=`, for which it hands memory to them.
        bound_paths: paths that are shown to the kernel's user before root's rights are dropped.
    """

    file: str
    argv: tuple[str, ...]
    preload: str
    memory: str
    gate: str
    ssh_socket: str
    landlock_abi: int
    uses_seccomp: bool
    bound_paths: tuple[BoundPath, ...]


class SupervisorPlan(PlanRecord):
    """A lab, as the supervisor starts, watches and ends it.

    Attributes:
        python: Python of the system.
        scratch: temporary folder of the lab.
        console: file that receives the output of the lab and the supervisor.
        files: the results folder, which is lent to the lab. `folders.files` is the path at which the lab's user sees
            it.
        ids: ids of the lab outside. None for a lab that keeps the id of its user.
        interfaces: interfaces of this machine that are lent to the lab.
        sockets: UNIX sockets of this machine, hidden from a lab in namespaces.
        limits: limits of a lab in namespaces.
        folders: folders in the lab's file tree.
        kernel: the lab kernel. None for a lab in namespaces.
    """

    python: str
    scratch: str
    console: str
    files: str
    ids: LabIds | None
    interfaces: tuple[str, ...]
    sockets: tuple[str, ...]
    limits: LabLimits
    folders: LabFolders
    kernel: KernelProcess | None


class OwnModule(PlanRecord):
    """A kernel module of the user, whose file is in the lab's folder of start files.

    Attributes:
        name: "tcp_mine".
        parameters: its parameters ("beta=200").
    """

    name: str
    parameters: tuple[str, ...]


class KernelSetup(PlanRecord):
    """Init's work in a lab kernel, where nothing is mounted yet.

    Attributes:
        folders: folders in the lab's file tree.
        memory: folder of the kernel's memory.
        gate: folder that is the wire of a lab in virtual time. Empty in real time.
        seed: entropy of a lab in virtual time, in hexadecimal digits.
        modules: names of kernel modules to load.
        module_folder: folder of the kernel's modules. Empty for a kernel without module files.
        own_modules: modules of the user, in the order in which they are loaded.
        parameters: constants of all modules, which must be in force ("tcp_bbr3.beta=200").
    """

    folders: LabFolders
    memory: str
    gate: str
    seed: str
    modules: tuple[str, ...]
    module_folder: str
    own_modules: tuple[OwnModule, ...]
    parameters: tuple[str, ...]


class InitPlan(PlanRecord):
    """The lab, as init finishes it. It is written into the lab's start file.

    Attributes:
        place: name of the place.
        module: module with the function `main()` that becomes the lab's program.
        site_count: number of folders at `file_tree.SITE`.
        wire: descriptor of the wire of a lab in namespaces, else -1.
        kernel: the setup of a lab kernel. None for a lab in namespaces.
    """

    place: str
    module: str
    site_count: int
    wire: int
    kernel: KernelSetup | None
