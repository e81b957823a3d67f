/*
 * Starts daemons of FRR by copying one that has begun: loaded before the C library (LD_PRELOAD) of the daemon that
 * serves as a pattern.
 *
 * A daemon of FRR spends most of its start on what is the same at every router: its libraries are found and bound, its
 * commands entered, its YANG modules read. In a lab kernel each of the 2,000 pages that this touches costs a page
 * fault, which is dear there, and in every place a copy shares most of them. The pattern does it once, stops where the first thing would follow that belongs to one router
 * (`frr_config_fork`, where FRR itself forks when it is to run in the background; zebra asks the kernel for its network
 * before that, and mgmtd listens, so these stop after `frr_init`), and is copied for each router.
 *
 * It is asked by the socket whose number is in LAB_PATTERN: the thread of a router comes in, the process id of its copy
 * goes out. When a byte comes in, whoever asked is ready for the copy to run; and the copy
 *
 *   - enters the thread's namespaces,
 *   - takes files of its own in the place of the pattern's: logs, the folder for crashes, pipes, its network's handle,
 *   - gives up its privileges, which the pattern has only noted: without them it could not enter a namespace,
 *
 * and goes on as if it had been started there. A pattern that has anything else open answers -1; then the daemon is to
 * be started as usual.
 *
 * For x86-64 and glibc. No header is needed to compile it, so that a bare compiler makes it: cc -O2 -shared -fPIC
 * -nostdlib.
 */

enum { O_WRONLY = 1, O_CREAT = 0100, O_APPEND = 02000, O_CLOEXEC = 02000000, O_PATH = 010000000 };
enum { O_ACCMODE = 3, F_GETFD = 1, F_SETFD = 2, F_GETFL = 3, F_SETFL = 4, FD_CLOEXEC = 1, PR_SET_KEEPCAPS = 8 };
enum { PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32, MREMAP_TO = 3 };
enum { DESCRIPTORS = 64, NAME = 256, GROUPS = 64, MAPS = 65536, STAT_WORDS = 18, STAT_DEVICE = 0, STAT_INODE = 1 };

/* Of the C library. */
extern void *dlsym(void *from, const char *name);
extern char *getenv(const char *name), *strchr(const char *text, int letter);
extern int unsetenv(const char *name), atoi(const char *text), strcmp(const char *one, const char *other);
extern int open(const char *path, int flags, ...), close(int fd), dup2(int from, int to), pipe(int *ends);
extern int fcntl(int fd, int command, ...), fstat(int fd, unsigned long *about), mkdir(const char *path, unsigned mode);
extern int chdir(const char *path), chown(const char *path, unsigned user, unsigned group), setns(int fd, int kind);
extern int fork(void), vfork(void), getpid(void), waitpid(int pid, int *status, int options), prctl(int what, ...);
extern int snprintf(char *to, unsigned long room, const char *form, ...);
extern int mprotect(void *at, unsigned long length, int may);
extern int strncmp(const char *one, const char *other, unsigned long length);
extern long read(int fd, void *to, unsigned long length), write(int fd, const void *from, unsigned long length);
extern long readlink(const char *path, char *to, unsigned long length);
extern unsigned long strtoul(const char *text, char **end, int base);
extern void *memcpy(void *to, const void *from, unsigned long length);
extern void *mmap(void *at, unsigned long length, int may, int flags, int fd, long offset);
extern void *mremap(void *from, unsigned long length, unsigned long new_length, int flags, void *to);
extern void srandom(unsigned seed), _exit(int status) __attribute__((noreturn));
extern char *program_invocation_short_name;

#define NEXT(name) ((__typeof__(&name))dlsym((void *)-1, #name))

static const char crashes[] = "/var/tmp/frr", logs[] = "/var/log/frr";

static int control = -1; /* where a pattern is asked; -1 in all that is none */

/* --- Privileges, to be given up by each copy ---------------------------------------------------------------------- */

static struct {
    int has_groups, has_group, has_user;
    unsigned groups[GROUPS], group[2], user[2];
    unsigned long groups_count;
    void *capabilities; /* libcap's, kept by FRR: as it stands when a copy is made */
} noted;

int setgroups(unsigned long count, const unsigned *groups)
{
    if (control < 0 || count > GROUPS)
        return NEXT(setgroups)(count, groups);
    noted.has_groups = 1;
    noted.groups_count = count;
    memcpy(noted.groups, groups, count * sizeof *groups);
    return 0;
}

int setregid(unsigned real, unsigned effective)
{
    if (control < 0)
        return NEXT(setregid)(real, effective);
    noted.has_group = 1;
    noted.group[0] = real;
    noted.group[1] = effective;
    return 0;
}

int setreuid(unsigned real, unsigned effective)
{
    if (control < 0)
        return NEXT(setreuid)(real, effective);
    noted.has_user = 1;
    noted.user[0] = real;
    noted.user[1] = effective;
    return 0;
}

int cap_set_proc(void *capabilities)
{
    if (control < 0)
        return NEXT(cap_set_proc)(capabilities);
    noted.capabilities = capabilities;
    return 0;
}

/* A copy that cannot do what it must ends, as a daemon does that cannot; its log says nothing then. */
static void need(int holds)
{
    if (!holds)
        _exit(1);
}

static void give_up_privileges(void)
{
    if (noted.has_groups)
        need(setgroups(noted.groups_count, noted.groups) == 0);
    if (noted.has_group)
        need(setregid(noted.group[0], noted.group[1]) == 0);
    if (noted.has_user)
        need(prctl(PR_SET_KEEPCAPS, 1) == 0 && setreuid(noted.user[0], noted.user[1]) == 0);
    if (noted.capabilities)
        need(cap_set_proc(noted.capabilities) == 0);
}

/* --- What is open ------------------------------------------------------------------------------------------------- */

/* What stands behind a pattern's descriptor. */
enum { ABSENT, SHARED, LOG, PRINTED, FOLDER, PIPE, NETWORK, UNKNOWN };

static int kinds[DESCRIPTORS];
static char names[DESCRIPTORS][NAME];

static int is_same(int fd, int other)
{
    unsigned long one[STAT_WORDS] = {0}, two[STAT_WORDS] = {0};

    return fstat(fd, one) == 0 && fstat(other, two) == 0 && one[STAT_DEVICE] == two[STAT_DEVICE]
        && one[STAT_INODE] == two[STAT_INODE];
}

static int kind_of(int fd, char *name)
{
    char path[NAME];
    long length;

    snprintf(path, NAME, "/proc/self/fd/%d", fd);
    length = readlink(path, name, NAME - 1);
    if (length <= 0 || fd == control)
        return ABSENT;
    name[length] = 0;
    if (is_same(fd, 1))
        return LOG;
    if (is_same(fd, 2))
        return PRINTED;
    if (strncmp(name, "pipe:", 5) == 0)
        return PIPE;
    if (strncmp(name, "net:", 4) == 0)
        return NETWORK;
    if (strncmp(name, crashes, sizeof crashes - 1) == 0)
        return FOLDER;
    return strcmp(name, "/dev/null") == 0 ? SHARED : UNKNOWN;
}

/* Whether copies can be given all of it anew. */
static int look_around(void)
{
    int known = 1;

    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        kinds[fd] = kind_of(fd, names[fd]);
        known &= kinds[fd] != UNKNOWN;
    }
    return known;
}

static void replace(int fd, int by)
{
    int flags = fcntl(fd, F_GETFD);

    need(by >= 0 && dup2(by, fd) >= 0);
    fcntl(fd, F_SETFD, flags);
}

static void own_log(const char *end, int kind)
{
    char path[NAME];
    int fd;

    snprintf(path, NAME, "%s/%s.%s", logs, program_invocation_short_name, end);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    for (int each = 0; each < DESCRIPTORS; each++)
        if (kinds[each] == kind)
            replace(each, fd);
    close(fd);
}

static void own_folder(int fd)
{
    int own;

    mkdir(names[fd], 0700);
    if (noted.has_user)
        need(chown(names[fd], noted.user[1], noted.has_group ? noted.group[1] : (unsigned)-1) == 0);
    own = open(names[fd], O_PATH | O_CLOEXEC);
    replace(fd, own);
    close(own);
}

static void own_network(int fd)
{
    int own = open("/proc/self/ns/net", O_CLOEXEC);

    replace(fd, own);
    close(own);
}

static void own_pipe(int fd)
{
    int ends[2], status = fcntl(fd, F_GETFL), writes = (status & O_ACCMODE) == O_WRONLY;

    for (int other = fd + 1; other < DESCRIPTORS; other++) {
        if (kinds[other] != PIPE || strcmp(names[fd], names[other]) != 0)
            continue;
        need(pipe(ends) == 0);
        fcntl(ends[writes], F_SETFL, status);
        fcntl(ends[!writes], F_SETFL, fcntl(other, F_GETFL));
        replace(fd, ends[writes]);
        replace(other, ends[!writes]);
        close(ends[0]);
        close(ends[1]);
    }
}

/* --- Copies ------------------------------------------------------------------------------------------------------- */

static void enter(int thread)
{
    static const char *const own[] = {"net", "uts", "mnt"}; /* the last one changes what /proc is */
    char path[NAME];
    int fds[3];

    for (int each = 0; each < 3; each++) {
        snprintf(path, NAME, "/proc/%d/ns/%s", thread, own[each]);
        fds[each] = open(path, O_CLOEXEC);
    }
    for (int each = 0; each < 3; each++) {
        need(setns(fds[each], 0) == 0);
        close(fds[each]);
    }
    need(chdir(crashes) == 0);
}

/* What a copy does before it goes on as the daemon. */
static void become(int thread)
{
    enter(thread);
    own_log("log", LOG);
    own_log("out", PRINTED);
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (kinds[fd] == FOLDER)
            own_folder(fd);
        else if (kinds[fd] == NETWORK)
            own_network(fd);
        else if (kinds[fd] == PIPE)
            own_pipe(fd);
    srandom((unsigned)getpid() * 2654435761u); /* Knuth's: neighbouring ids get numbers far apart */
    give_up_privileges();
}

/*
 * 1 in the copy. It is an orphan at once, so that the first process of the lab, which collects those, learns of its
 * end; what stands between shares the pattern's memory, as the memory of each process costs a lab kernel much.
 */
static int copied(void)
{
    int pid, between = vfork();

    if (between == 0) {
        pid = fork();
        if (pid == 0)
            return 1;
        _exit(write(control, &pid, sizeof pid) != sizeof pid);
    }
    waitpid(between, 0, 0);
    return 0;
}

/*
 * Code and constants become the process's own memory, which its copies have from the start; the pages of a file each
 * copy would look up again, by a page fault each.
 */
static void keep_code(void)
{
    static char maps[MAPS];
    char *line = maps, *end, *rest;
    long length = 0, more;
    int fd = open("/proc/self/maps", O_CLOEXEC);

    while ((more = read(fd, maps + length, (unsigned long)(MAPS - 1 - length))) > 0)
        length += more;
    close(fd);
    for (maps[length] = 0; (end = strchr(line, '\n')); line = end + 1) {
        unsigned long from = strtoul(line, &rest, 16), size = strtoul(rest + 1, &rest, 16) - from;
        char *path = strchr(rest, '/'), *own; /* rest is " r-xp ..." */
        if (!path || path > end || rest[1] != 'r' || rest[2] == 'w')
            continue;
        own = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if ((long)own == -1)
            return;
        memcpy(own, (void *)from, size);
        mprotect(own, size, rest[3] == 'x' ? PROT_READ | PROT_EXEC : PROT_READ);
        mremap(own, size, size, MREMAP_TO, (void *)from);
    }
}

/* Whether whoever asked for a copy is ready for it to run; in the pattern only. */
static int is_wanted(void)
{
    char go;

    return read(control, &go, 1) == 1;
}

/* Returns in copies only. */
static void serve(void)
{
    int thread, gate[2], unfit = -1, fit = look_around();
    char go = 0;

    if (fit)
        keep_code();
    while (read(control, &thread, sizeof thread) == sizeof thread) {
        if (!fit || pipe(gate) != 0) {
            need(write(control, &unfit, sizeof unfit) == sizeof unfit);
            continue;
        }
        if (copied()) {
            close(control);
            control = -1;
            close(gate[1]);
            need(read(gate[0], &go, 1) == 1);
            close(gate[0]);
            become(thread);
            return;
        }
        close(gate[0]);
        need(is_wanted() && write(gate[1], &go, 1) == 1);
        close(gate[1]);
    }
    _exit(0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("LAB_PATTERN");

    if (!number)
        return;
    control = atoi(number);
    fcntl(control, F_SETFD, FD_CLOEXEC);
    unsetenv("LAB_PATTERN");
}

void *frr_init(void)
{
    void *loop = NEXT(frr_init)();
    const char *name = program_invocation_short_name;

    if (control >= 0 && (strcmp(name, "zebra") == 0 || strcmp(name, "mgmtd") == 0))
        serve();
    return loop;
}

void frr_config_fork(void *loop)
{
    if (control >= 0)
        serve();
    NEXT(frr_config_fork)(loop);
}
