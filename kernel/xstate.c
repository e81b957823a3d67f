/*
 * ptrace(2) for lab kernels that trace their processes: it knows large registers (AMX), and sets none that are set.
 *
 * User-Mode Linux takes each of its processes' floating-point registers by PTRACE_GETREGSET when that has stopped, and
 * gives them back by PTRACE_SETREGSET before it goes on, from a buffer of 2696 bytes: all that x86 had up to protection
 * keys. Two things are wrong with that.
 *
 * Where the processor has AMX, the machine's kernel takes nothing but a whole XSAVE area, 11008 bytes, and says EFAULT
 * (xstateregs_set in arch/x86/kernel/fpu/regset.c); the lab kernel then ends its first process. Linux 6.13 asks for the
 * size. Here short areas are made whole: what the lab kernel gives, then zeros, and the header says that these hold
 * nothing. No process of a lab ever has AMX's registers: the machine's kernel lends them to who asks by arch_prctl,
 * which a lab kernel does not pass on.
 *
 * And most system calls of a process leave its registers as they are, while setting them costs the machine's kernel
 * an area of virtual memory each time (vmalloc and vfree). So what was got or set last is kept by process, and what
 * equals it is not set, unless the process has run since.
 *
 * Loaded before the C library (LD_PRELOAD). No library and no header is needed to compile it, so that a bare compiler
 * makes it: cc -O2 -shared -fPIC -nostdlib. The layout of the area: Intel SDM volume 1, 13.4.
 */

enum { SYS_PTRACE = 101, NT_X86_XSTATE = 0x202 };
enum { PEEKTEXT = 1, PEEKUSER = 3, GETREGS = 12, SETREGS = 13, ARCH_PRCTL = 30, GETREGSET = 0x4204, SETREGSET = 0x4205 };
enum { ROOM = 65536, HEADER = 512, SHORT = 2696, PROCESSES = 64 };
/* x87, SSE, AVX, MPX (2), AVX-512 (3), PKRU: what fits into SHORT bytes */
static const unsigned long KNOWN = 0x2ff;

struct iovec {
    unsigned char *base;
    unsigned long length;
};

/* Of the C library, as is errno, which the lab kernel reads. */
extern int *__errno_location(void);
extern void *memcpy(void *to, const void *from, unsigned long length);
extern void *memset(void *to, int value, unsigned long length);
extern int memcmp(const void *one, const void *other, unsigned long length);

static unsigned char whole[ROOM] __attribute__((aligned(64))); /* beyond SHORT always zeros */
static unsigned long whole_length; /* what this machine's kernel insists on; 0 until asked */

/* The registers of processes that have not run since; of those that share a place, the latest. */
static struct {
    long pid; /* 0 for none */
    unsigned long length;
    unsigned char area[SHORT];
} latest[PROCESSES];

static long call(long request, long pid, void *address, void *data)
{
    long result;
    register void *fourth __asm__("r10") = data;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_PTRACE), "D"(request), "S"(pid), "d"(address), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static long told(long result)
{
    if (result < 0 && result > -4096) {
        *__errno_location() = (int)-result;
        return -1;
    }
    return result;
}

static void forget(long pid)
{
    if (latest[pid % PROCESSES].pid == pid)
        latest[pid % PROCESSES].pid = 0;
}

static void keep(long pid, const struct iovec *area)
{
    latest[pid % PROCESSES].pid = pid;
    latest[pid % PROCESSES].length = area->length;
    memcpy(latest[pid % PROCESSES].area, area->base, area->length);
}

/* A machine's kernel that has less than SHORT fills in less, and takes no more. */
static int is_set(long pid, const struct iovec *area)
{
    unsigned long length = latest[pid % PROCESSES].length;

    return latest[pid % PROCESSES].pid == pid && area->length >= length
        && memcmp(latest[pid % PROCESSES].area, area->base, length) == 0;
}

static long get_area(long pid, void *address, struct iovec *wanted)
{
    long result = call(GETREGSET, pid, address, wanted);

    if (result >= 0 && wanted->length <= SHORT)
        keep(pid, wanted);
    return result;
}

static long set_area(long pid, void *address, struct iovec *given)
{
    struct iovec area = {whole, ROOM};
    long result;

    if (given->length == SHORT && is_set(pid, given))
        return 0;
    forget(pid);
    if (whole_length == 0) {
        result = call(GETREGSET, pid, address, &area);
        if (result < 0)
            return result;
        memset(whole, 0, ROOM);
        whole_length = area.length;
    }
    if (given->length != SHORT || whole_length <= SHORT || whole_length > ROOM) {
        result = call(SETREGSET, pid, address, given);
    } else {
        memcpy(whole, given->base, SHORT);
        *(unsigned long *)(whole + HEADER) &= KNOWN;
        area.length = whole_length;
        result = call(SETREGSET, pid, address, &area);
    }
    if (result >= 0 && given->length <= SHORT)
        keep(pid, given);
    return result;
}

/* The C library returns the word that is read, the system call stores it. */
static long peek(long request, long pid, void *address)
{
    long word;
    long result = call(request, pid, address, &word);

    if (result < 0)
        return told(result);
    *__errno_location() = 0;
    return word;
}

long ptrace(long request, long pid, void *address, void *data)
{
    if ((long)address == NT_X86_XSTATE && request == SETREGSET)
        return told(set_area(pid, address, data));
    if ((long)address == NT_X86_XSTATE && request == GETREGSET)
        return told(get_area(pid, address, data));
    if (request >= PEEKTEXT && request <= PEEKUSER)
        return peek(request, pid, address);
    if (request != GETREGS && request != SETREGS && request != ARCH_PRCTL)
        forget(pid); /* it goes on, or more of it is set */
    return told(call(request, pid, address, data));
}
