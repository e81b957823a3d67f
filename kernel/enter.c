/*
 * The way into a lab of namespaces for a command from outside.
 *
 *     enter LAB FILTER TERMINAL PARENT NODE COMMAND [ARGUMENT...]
 *
 * LAB       descriptor of the lab's first process (a pidfd)
 * FILTER    descriptor of a file with the filter of system calls (struct sock_filter, one after another), -1 for none
 * TERMINAL  descriptor of a UNIX socket that receives a new terminal of the lab, -1 to keep the descriptors 0, 1 and 2
 * PARENT    the process whose end ends the command
 * NODE      the node whose namespaces the command joins, "" for the lab's own
 *
 * The lab is hostile: its root chooses every file in its mount namespace, those of an interpreter, of the C library and
 * of the loader included. So this program is static, reads nothing but its arguments, and joins the mount namespace last:
 *
 *   1. this process installs the filter;
 *   2. it joins the lab's namespaces except that of mounts, as the lab's root, and forks: the child is in the lab's pid
 *      namespace, so it can signal nothing outside;
 *   3. the child joins the mount namespace, opens a terminal if asked, joins the node's namespaces and executes the
 *      command.
 *
 * This process never joins the mount namespace. It passes signals on to the command and ends as the command ends.
 *
 * The caller prepares everything else: a session of its own, streams that are not the user's, an empty environment, the
 * control group. Compiled without a library and without headers: cc -O2 -static -nostdlib -ffreestanding.
 */

#if defined(__x86_64__)
enum {
    READ = 0, WRITE = 1, CLOSE = 3, SIGPROCMASK = 14, IOCTL = 16, GETPID = 39, SENDMSG = 46, CLONE = 56, EXECVE = 59,
    WAIT4 = 61, KILL = 62, FCNTL = 72, CHDIR = 80, GETUID = 102, GETPPID = 110, SETSID = 112, SETRESUID = 117,
    SETRESGID = 119, SIGTIMEDWAIT = 128, PRCTL = 157, SETRLIMIT = 160, EXIT = 231, OPENAT = 257, DUP3 = 292, PIPE2 = 293,
    SETNS = 308
};
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");

static long call(long number, long a, long b, long c, long d, long e)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum {
    DUP3 = 24, FCNTL = 25, IOCTL = 29, CHDIR = 49, OPENAT = 56, CLOSE = 57, PIPE2 = 59, READ = 63, WRITE = 64, EXIT = 94,
    KILL = 129, SIGPROCMASK = 135, SIGTIMEDWAIT = 137, SETRESUID = 147, SETRESGID = 149, SETSID = 157, SETRLIMIT = 164,
    PRCTL = 167, GETPID = 172, GETPPID = 173, GETUID = 174, SENDMSG = 211, CLONE = 220, EXECVE = 221, WAIT4 = 260,
    SETNS = 268
};
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n bl begin\n");

static long call(long number, long a, long b, long c, long d, long e)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#else
#error "the numbers of the system calls of this machine are not known here"
#endif

enum { NEWNS = 0x20000, NEWUTS = 0x4000000, NEWIPC = 0x8000000, NEWUSER = 0x10000000, NEWPID = 0x20000000, NEWNET = 0x40000000 };
enum { SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGTERM = 15, SIGCHLD = 17 };
enum { SIG_BLOCK = 0, SIG_SETMASK = 2, MASK_BYTES = 8 };
enum { PR_SET_PDEATHSIG = 1, PR_SET_DUMPABLE = 4, PR_SET_SECCOMP = 22, PR_SET_NO_NEW_PRIVS = 38, SECCOMP_MODE_FILTER = 2 };
enum { AT_FDCWD = -100, O_RDONLY = 0, O_RDWR = 2, O_NOCTTY = 0400, O_NONBLOCK = 04000, O_CLOEXEC = 02000000 };
enum { TIOCSCTTY = 0x540E, TIOCSPTLCK = 0x40045431, TIOCGPTPEER = 0x5441, F_SETFD = 2, F_SETFL = 4, RLIMIT_CORE = 4, WNOHANG = 1 };
enum { ENOENT = 2, ENOEXEC = 8, EAGAIN = 11, EACCES = 13, ENOTDIR = 20, EINVAL = 22 };
enum { NO_COMMAND = 127, REFUSED = 1, MOST_OPERATIONS = 4096, MOST_WORDS = 8192, MOST_PATH = 4096, LIMITS = 3 };

struct filter {
    unsigned short length;
    const void *operations;
};

struct vector {
    const void *base;
    unsigned long length;
};

struct message {
    void *name;
    unsigned int name_length;
    struct vector *vectors;
    unsigned long vector_count;
    void *control;
    unsigned long control_length;
    int flags;
};

struct rights {
    unsigned long length;
    int level, kind, descriptor, padding;
};

static unsigned char operations[8 * MOST_OPERATIONS] __attribute__((aligned(8)));
static const char *words[MOST_WORDS + 5];
static char path[MOST_PATH];

static unsigned long length_of(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}

static void say(const char *text)
{
    call(WRITE, 2, (long)text, (long)length_of(text), 0, 0);
}

static void leave(int status)
{
    for (;;)
        call(EXIT, status, 0, 0, 0, 0);
}

static const char *reason(long error)
{
    switch (-error) {
    case ENOENT:
        return "No such file or directory";
    case ENOEXEC:
        return "Exec format error";
    case EAGAIN:
        return "Resource temporarily unavailable";
    case EACCES:
        return "Permission denied";
    case ENOTDIR:
        return "Not a directory";
    default:
        return "the kernel refused";
    }
}

static void fail(const char *what, const char *why, int status)
{
    say(what);
    say(": ");
    say(why);
    say("\n");
    leave(status);
}

static int number(const char *text)
{
    int value = 0, negative = *text == '-';
    for (text += negative; *text; text++)
        value = 10 * value + (*text - '0');
    return negative ? -value : value;
}

/* --- outside of the lab's mount namespace --- */

static void join(int lab, long namespaces)
{
    if (call(SETNS, lab, namespaces, 0, 0, 0) < 0)
        fail("enter", "the lab has ended or refused", REFUSED);
}

static void install_filter(int file)
{
    unsigned long length = 0;
    struct filter filter;
    long error;
    if (file < 0)
        return;
    for (;;) {
        long got = call(READ, file, (long)(operations + length), (long)(sizeof operations - length), 0, 0);
        if (got < 0 || length + (unsigned long)got == sizeof operations)
            fail("enter", "the filter of system calls cannot be read", REFUSED);
        if (got == 0)
            break;
        length += (unsigned long)got;
    }
    call(CLOSE, file, 0, 0, 0, 0);
    filter.length = (unsigned short)(length / 8);
    filter.operations = operations;
    call(PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    error = call(PRCTL, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&filter, 0, 0);
    if (error < 0 && error != -EINVAL) /* EINVAL: a kernel without filters */
        fail("enter", "the filter of system calls was refused", REFUSED);
}

static void become_root_of(int lab)
{
    call(PRCTL, PR_SET_DUMPABLE, 0, 0, 0, 0);
    join(lab, NEWUSER);
    if (call(GETUID, 0, 0, 0, 0, 0) != 0 &&
        (call(SETRESGID, 0, 0, 0, 0, 0) < 0 || call(SETRESUID, 0, 0, 0, 0, 0) < 0))
        fail("enter", "the lab's root cannot be taken on", REFUSED);
    call(PRCTL, PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static void die_with_parent(void)
{
    call(PRCTL, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* Wait for the end of the command, pass signals on to it, end as it ends. */
static void wait_for(long command, unsigned long heard)
{
    for (;;) {
        int status = 0;
        long signal = call(SIGTIMEDWAIT, (long)&heard, 0, 0, MASK_BYTES, 0);
        if (signal > 0 && signal != SIGCHLD && call(KILL, -command, signal, 0, 0, 0) < 0)
            call(KILL, command, signal, 0, 0, 0);
        if (call(WAIT4, command, (long)&status, WNOHANG, 0, 0) != command)
            continue;
        if ((status & 0x7f) == 0)
            leave(status >> 8 & 0xff);
        static const unsigned long no_core[2], all;
        call(SETRLIMIT, RLIMIT_CORE, (long)no_core, 0, 0, 0);
        call(SIGPROCMASK, SIG_SETMASK, (long)&all, 0, MASK_BYTES, 0);
        call(KILL, call(GETPID, 0, 0, 0, 0, 0), status & 0x7f, 0, 0, 0);
        leave(128 + (status & 0x7f));
    }
}

/* --- in the lab: the filter is on, and nothing of the user's is left --- */

/* Open a file that the lab chose, without waiting for it. */
static long open_file(const char *folder, const char *name, long flags)
{
    unsigned long at = 0;
    while (*folder)
        path[at++] = *folder++;
    while (*name && at < sizeof path - 1)
        path[at++] = *name++;
    path[at] = 0;
    return call(OPENAT, AT_FDCWD, (long)path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0, 0);
}

/* Make a terminal in the lab, send its master to the socket, and have its other end as the descriptors 0, 1 and 2. */
static void open_terminal(int socket)
{
    static int unlocked;
    struct rights rights = {sizeof rights - sizeof rights.padding, 1 /* SOL_SOCKET */, 1 /* SCM_RIGHTS */, 0, 0};
    struct vector text = {"terminal", 8};
    struct message message = {0, 0, &text, 1, &rights, sizeof rights, 0};
    long master = open_file("/dev/", "ptmx", O_RDWR), slave = -1;
    if (master >= 0 && call(IOCTL, master, TIOCSPTLCK, (long)&unlocked, 0, 0) == 0)
        slave = call(IOCTL, master, TIOCGPTPEER, O_RDWR | O_NOCTTY, 0, 0);
    if (slave < 0)
        fail("terminal", "the lab's /dev/ptmx opens no terminal", REFUSED);
    call(FCNTL, master, F_SETFL, O_RDWR, 0, 0);
    rights.descriptor = (int)master;
    if (call(SENDMSG, socket, (long)&message, 0, 0, 0) < 0)
        leave(REFUSED);
    call(CLOSE, master, 0, 0, 0, 0);
    call(CLOSE, socket, 0, 0, 0, 0);
    call(SETSID, 0, 0, 0, 0, 0);
    call(IOCTL, slave, TIOCSCTTY, 0, 0, 0);
    for (int standard = 0; standard < 3; standard++)
        if (slave != standard)
            call(DUP3, slave, standard, 0, 0, 0);
    if (slave > 2)
        call(CLOSE, slave, 0, 0, 0, 0);
}

static int join_file(const char *folder, const char *node, long kind)
{
    long file = open_file(folder, node, O_RDONLY);
    if (file < 0)
        return 0;
    if (call(SETNS, file, kind, 0, 0, 0) < 0)
        fail(node, "its namespaces cannot be joined", REFUSED);
    call(CLOSE, file, 0, 0, 0, 0);
    return 1;
}

/* Join a node's namespaces; return whether it has limits, which are then the descriptor LIMITS. */
static int join_node(const char *node)
{
    for (const char *letter = node; *letter; letter++)
        if (*letter == '/')
            fail(node, "a node's name has no slash", NO_COMMAND);
    long limits = open_file("/run/lab/nodes/", node, O_RDONLY);
    long names = open_file("/run/lab/uts/", node, O_RDONLY), mounts = open_file("/run/lab/mnt/", node, O_RDONLY);
    if (!join_file("/run/netns/", node, NEWNET))
        fail(node, "the lab has no such node", NO_COMMAND);
    if (names >= 0 && call(SETNS, names, NEWUTS, 0, 0, 0) < 0)
        fail(node, "its host name cannot be joined", REFUSED);
    if (mounts >= 0 && call(SETNS, mounts, NEWNS, 0, 0, 0) < 0)
        fail(node, "its folders cannot be joined", REFUSED);
    call(CLOSE, names, 0, 0, 0, 0);
    call(CLOSE, mounts, 0, 0, 0, 0);
    if (limits < 0)
        return 0;
    if (limits != LIMITS)
        call(DUP3, limits, LIMITS, 0, 0, 0);
    call(FCNTL, LIMITS, F_SETFD, 0, 0, 0); /* the shell that reads it inherits it */
    return 1;
}

static void execute(const char **command, char **environment)
{
    static const char *const folders[] = {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/", 0};
    long error = -ENOENT, refused = 0;
    int has_folder = 0;
    for (const char *letter = command[0]; *letter; letter++)
        has_folder |= *letter == '/';
    if (has_folder)
        error = call(EXECVE, (long)command[0], (long)command, (long)environment, 0, 0);
    for (int place = 0; !has_folder && folders[place]; place++) {
        unsigned long at = 0;
        for (const char *letter = folders[place]; *letter; letter++)
            path[at++] = *letter;
        for (const char *letter = command[0]; *letter && at < sizeof path - 1; letter++)
            path[at++] = *letter;
        path[at] = 0;
        error = call(EXECVE, (long)path, (long)command, (long)environment, 0, 0);
        if (error != -ENOENT && error != -ENOTDIR)
            refused = error;
    }
    fail(command[0], reason(refused ? refused : error), NO_COMMAND);
}

/* --- */

static void enter(int lab, int terminal, int ready, const char *node, char **command, char **environment)
{
    static const unsigned long none;
    static const char *const limited[] = {"/bin/sh", "-c", ". /proc/self/fd/3; exec \"$@\" 3<&-", "enter"};
    char byte;
    int count = 0;
    die_with_parent();
    if (call(READ, ready, (long)&byte, 1, 0, 0) != 1) /* the parent ended before its end could be heard */
        leave(REFUSED);
    call(CLOSE, ready, 0, 0, 0, 0);
    call(SIGPROCMASK, SIG_SETMASK, (long)&none, 0, MASK_BYTES, 0);
    call(SETSID, 0, 0, 0, 0, 0);
    join(lab, NEWNS);
    call(CLOSE, lab, 0, 0, 0, 0);
    call(CHDIR, (long)"/", 0, 0, 0, 0);
    if (terminal >= 0)
        open_terminal(terminal);
    if (*node && join_node(node))
        for (; count < 4; count++)
            words[count] = limited[count];
    for (; *command && count < MOST_WORDS; command++)
        words[count++] = *command;
    words[count] = 0;
    execute(words, environment);
}

__attribute__((used)) void begin(long *stack)
{
    static const unsigned long heard = 1UL << (SIGHUP - 1) | 1UL << (SIGINT - 1) | 1UL << (SIGQUIT - 1) |
                                       1UL << (SIGTERM - 1) | 1UL << (SIGCHLD - 1);
    long count = stack[0], command;
    char **argv = (char **)(stack + 1), **environment = argv + count + 1;
    int ready[2] = {-1, -1};
    if (count < 7 || count > MOST_WORDS)
        fail("enter", "the command is missing or has too many words", REFUSED);
    int lab = number(argv[1]), filter = number(argv[2]), terminal = number(argv[3]);
    call(SIGPROCMASK, SIG_BLOCK, (long)&heard, 0, MASK_BYTES, 0);
    install_filter(filter);
    become_root_of(lab);
    die_with_parent(); /* a change of rights ends this */
    if (call(GETPPID, 0, 0, 0, 0, 0) != number(argv[4]))
        leave(REFUSED);
    join(lab, NEWPID | NEWNET | NEWIPC | NEWUTS);
    call(PIPE2, (long)ready, O_CLOEXEC, 0, 0, 0);
    command = call(CLONE, SIGCHLD, 0, 0, 0, 0);
    if (command == 0) {
        call(CLOSE, ready[1], 0, 0, 0, 0);
        enter(lab, terminal, ready[0], argv[5], argv + 6, environment);
    }
    if (command < 0)
        fail("enter", "the lab has as many processes as it may have, or has ended", REFUSED);
    call(WRITE, ready[1], (long)"+", 1, 0, 0);
    for (int descriptor = 0; descriptor < 3; descriptor++) /* the other ends see when the command closes its own */
        call(CLOSE, descriptor, 0, 0, 0, 0);
    call(CLOSE, ready[0], 0, 0, 0, 0);
    call(CLOSE, ready[1], 0, 0, 0, 0);
    call(CLOSE, lab, 0, 0, 0, 0);
    if (terminal >= 0)
        call(CLOSE, terminal, 0, 0, 0, 0);
    wait_for(command, heard);
}
