/*
 * A poll that sleeps instead of spinning, for FRR's daemons.
 *
 * bgpd reads its connections in a second thread. When the other end resets a connection, that thread no longer asks for
 * any event on it, but poll reports the end of the connection (POLLHUP, POLLERR) whether it is asked for or not, until
 * the main thread has closed the descriptor. So the second thread polls in a loop meanwhile. In real time the scheduler
 * gives the processor to the main thread in the end, but if hundreds of daemons share two processors, such loops take
 * most of them. In virtual time computing takes no time, so the scheduler never takes the processor away from the loop:
 * the main thread never runs, and the clock of the lab hardly moves.
 *
 * Here a poll that returned nothing but such events sleeps before it returns. All other polls are unchanged.
 *
 * Loaded before the C library (LD_PRELOAD). No header is needed to compile it: cc -O2 -shared -fPIC -nostdlib.
 */

enum { SYS_NANOSLEEP = 35, ASKED_FOR = 0x1 | 0x4 /* POLLIN, POLLOUT */, SLEEP_NS = 100000 };

struct timespec {
    long seconds, ns;
};

struct pollfd {
    int descriptor;
    short events, returned;
};

/* Of the C library. */
extern void *dlsym(void *from, const char *name);

/* Whether the caller can do nothing about any of the events: it asked for none on those descriptors. */
static int is_in_vain(const struct pollfd *descriptors, unsigned long count)
{
    unsigned long at;

    for (at = 0; at < count; at++)
        if (descriptors[at].returned && descriptors[at].events & ASKED_FOR)
            return 0;
    return 1;
}

int ppoll(struct pollfd *descriptors, unsigned long count, const struct timespec *time, const void *signals)
{
    static int (*next)(struct pollfd *, unsigned long, const struct timespec *, const void *);
    struct timespec nap = {0, SLEEP_NS};
    int found;
    long result;

    if (!next)
        next = (__typeof__(next))dlsym((void *)-1, "ppoll");
    found = next(descriptors, count, time, signals);
    if (found > 0 && is_in_vain(descriptors, count))
        __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_NANOSLEEP), "D"(&nap), "S"(0) : "rcx", "r11", "memory");
    return found;
}
