/*
 * ptrace(2) for lab kernels older than Linux 6.13 on processors with large registers (AMX).
 *
 * User-Mode Linux gives each of its processes its floating-point registers by PTRACE_SETREGSET, from a buffer of 2696
 * bytes: all that x86 had up to protection keys. Where the processor has AMX, the machine's kernel takes nothing but a
 * whole XSAVE area, 11008 bytes, and says EFAULT (xstateregs_set in arch/x86/kernel/fpu/regset.c); the lab kernel then
 * ends its first process. Linux 6.13 asks for the size.
 *
 * Loaded before the C library (LD_PRELOAD), this passes everything on and makes short areas whole: what the lab kernel
 * gives, then zeros, and the header says that these hold nothing. No process of a lab ever has AMX's registers: the
 * machine's kernel lends them to who asks by arch_prctl, which a lab kernel does not pass on.
 *
 * No library and no header is used, so that a bare compiler makes it: cc -O2 -shared -fPIC -nostdlib.
 * The layout of the area: Intel SDM volume 1, 13.4.
 */

enum { SYS_PTRACE = 101, PEEKTEXT = 1, PEEKUSER = 3, GETREGSET = 0x4204, SETREGSET = 0x4205, NT_X86_XSTATE = 0x202 };
enum { ROOM = 65536, HEADER = 512, PKRU_END = 2696 };
/* x87, SSE, AVX, MPX (2), AVX-512 (3), PKRU: what fits into PKRU_END bytes */
static const unsigned long KNOWN = 0x2ff;

struct iovec {
    unsigned char *base;
    unsigned long length;
};

static unsigned char whole[ROOM] __attribute__((aligned(64)));
static unsigned long whole_length; /* what this machine's kernel insists on; 0 until asked */

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

/* The lab kernel reads errno, which is the C library's. */
extern int *__errno_location(void);

static long told(long result)
{
    if (result < 0 && result > -4096) {
        *__errno_location() = (int)-result;
        return -1;
    }
    return result;
}

static long set_short_area(long pid, void *address, const struct iovec *given)
{
    struct iovec area = {whole, ROOM};
    unsigned long at;

    if (whole_length == 0) {
        long result = call(GETREGSET, pid, address, &area);
        if (result < 0)
            return result;
        whole_length = area.length;
    }
    if (given->length >= whole_length || given->length < PKRU_END || whole_length > ROOM)
        return call(SETREGSET, pid, address, (void *)given);
    for (at = 0; at < whole_length; at++)
        whole[at] = at < given->length ? given->base[at] : 0;
    *(unsigned long *)(whole + HEADER) &= KNOWN;
    area.length = whole_length;
    return call(SETREGSET, pid, address, &area);
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
    if (request == SETREGSET && (long)address == NT_X86_XSTATE)
        return told(set_short_area(pid, address, data));
    if (request >= PEEKTEXT && request <= PEEKUSER)
        return peek(request, pid, address);
    return told(call(request, pid, address, data));
}
