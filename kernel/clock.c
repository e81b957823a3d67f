/*
 * The monotonic clock for daemons in a lab kernel: counted by the processor between two looks at the kernel's.
 *
 * FRR asks what time it is some ten times an event. Elsewhere that is a look into a page that the kernel shares; in
 * User-Mode Linux it is a system call, and two of three of all that FRR makes. So the time is what the kernel said
 * last, plus what the processor has counted since, at the rate measured so far. The kernel is asked again after
 * LOOK_AFTER_NS, and sooner where the rate has been measured for less: what is wrong with it then never adds up to more
 * than what was wrong with one look. Without a counter that runs evenly all calls go to the kernel. Not for virtual
 * time, of which the processor knows nothing.
 *
 * The time that a thread has computed, for which FRR asks twice an event for `show event cpu`, is as the kernel told it
 * last, at most LOOK_AFTER_NS ago: what an event computes is then mostly told of a later one, and sums stay right.
 *
 * FRR cuts off what is less than a millisecond of the time until its next timer. So it wakes too early, and then asks
 * the kernel again and again until the time has come, three system calls each time (its pull request 19715 mended that).
 * Here waits that were cut off last a millisecond longer, and a question that comes without any work since the last one
 * waits for as long: a timer is then late by that much at most, as in an FRR that rounds up.
 *
 * Loaded before the C library (LD_PRELOAD). No header is needed to compile it: cc -O2 -shared -fPIC -nostdlib. The
 * counter: Intel SDM volume 3, 18.17 ("Time-Stamp Counter").
 */

enum { SYS_CLOCK_GETTIME = 228, CLOCK_MONOTONIC = 1, CLOCK_THREAD_CPUTIME_ID = 3 };
enum { CPUID_LAST = 0x80000000u, CPUID_POWER = 0x80000007u, INVARIANT = 8 };
/* A look that took longer is not counted from; no look is counted from for longer than that. */
enum { SURE_NS = 100000, SURE_TICKS = 200000, LOOK_AFTER_NS = 200000000, SECOND_NS = 1000000000 };
enum { CUT_OFF_NS = 1000000 };

struct timespec {
    long seconds, ns;
};

/* Of the C library. */
extern int *__errno_location(void);
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);
extern void *dlsym(void *from, const char *name);

static int counts_evenly;

static struct {
    unsigned long sequence; /* odd while somebody writes what follows */
    unsigned long first_tick, first_ns, tick, ns;
    double ns_per_tick, for_ns;
} looked;

static unsigned long latest_ns;

/* What this thread has computed, and when it was asked. */
static __thread struct {
    unsigned long tick;
    struct timespec time;
} computed __attribute__((tls_model("initial-exec")));

/* Whether this thread's event loop has done anything at all, and anything since it waited last. */
static __thread struct {
    int ever, since;
} worked __attribute__((tls_model("initial-exec")));

/* A copy of a process has computed nothing yet. */
static void forget(void)
{
    computed.tick = 0;
}

static unsigned power_features(unsigned leaf)
{
    unsigned a = leaf, b, c, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return leaf == CPUID_LAST ? a : d;
}

__attribute__((constructor)) static void begin(void)
{
    __register_atfork(0, 0, forget, 0);
    counts_evenly = power_features(CPUID_LAST) >= CPUID_POWER && power_features(CPUID_POWER) >> INVARIANT & 1;
}

static unsigned long ticks(void)
{
    unsigned low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long)high << 32 | low;
}

static long ask(int clock, struct timespec *time)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_CLOCK_GETTIME), "D"(clock), "S"(time) : "rcx", "r11", "memory");
    return result;
}

/* Whether nobody else is writing; `sequence` is then odd until `written`. */
static int may_write(unsigned long *sequence)
{
    *sequence = __atomic_load_n(&looked.sequence, __ATOMIC_RELAXED);
    return !(*sequence & 1)
        && __atomic_compare_exchange_n(
               &looked.sequence, sequence, *sequence + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void written(unsigned long sequence)
{
    __atomic_store_n(&looked.sequence, sequence + 2, __ATOMIC_RELEASE);
}

static unsigned long look_ns(void)
{
    struct timespec time;
    unsigned long before = ticks(), after, middle, ns, sequence;
    double rate;

    ask(CLOCK_MONOTONIC, &time);
    after = ticks();
    middle = before + (after - before) / 2;
    ns = (unsigned long)time.seconds * SECOND_NS + (unsigned long)time.ns;
    if (!may_write(&sequence))
        return ns;
    if (looked.first_tick == 0) {
        looked.first_tick = after - before < SURE_TICKS ? middle : 0;
        looked.first_ns = ns;
    } else {
        rate = (double)(ns - looked.first_ns) / (double)(middle - looked.first_tick);
        if ((double)(after - before) * rate < SURE_NS) {
            looked.ns_per_tick = rate;
            looked.for_ns = (double)(ns - looked.first_ns);
            looked.for_ns = looked.for_ns < LOOK_AFTER_NS ? looked.for_ns : LOOK_AFTER_NS;
            looked.tick = middle;
            looked.ns = ns;
        }
    }
    written(sequence);
    return ns;
}

/* 0 where the last look is too long ago. */
static unsigned long counted_ns(void)
{
    unsigned long sequence = __atomic_load_n(&looked.sequence, __ATOMIC_ACQUIRE), ns;
    double passed_ns, for_ns;

    if (sequence & 1 || looked.tick == 0)
        return 0;
    passed_ns = (double)(ticks() - looked.tick) * looked.ns_per_tick;
    for_ns = looked.for_ns;
    ns = looked.ns + (unsigned long)passed_ns;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&looked.sequence, __ATOMIC_RELAXED) != sequence || passed_ns > for_ns)
        return 0;
    return ns;
}

/* Time never goes back, whichever thread asks. */
static unsigned long forward(unsigned long ns)
{
    unsigned long latest = __atomic_load_n(&latest_ns, __ATOMIC_RELAXED);

    while (ns > latest)
        if (__atomic_compare_exchange_n(&latest_ns, &latest, ns, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return ns;
    return latest;
}

/* Whether the last answer is new enough. */
static int is_new(void)
{
    return computed.tick && (double)(ticks() - computed.tick) * looked.ns_per_tick < LOOK_AFTER_NS;
}

int clock_gettime(int clock, struct timespec *time)
{
    unsigned long ns;
    long result;

    if (clock == CLOCK_THREAD_CPUTIME_ID) /* FRR asks this before and after each event */
        worked.ever = worked.since = 1;
    if (clock == CLOCK_THREAD_CPUTIME_ID && counts_evenly && looked.tick) {
        if (!is_new()) {
            ask(clock, &computed.time);
            computed.tick = ticks();
        }
        *time = computed.time;
        return 0;
    }
    if (clock == CLOCK_MONOTONIC && counts_evenly) {
        ns = counted_ns();
        ns = forward(ns ? ns : look_ns());
        time->seconds = (long)(ns / SECOND_NS);
        time->ns = (long)(ns % SECOND_NS);
        return 0;
    }
    result = ask(clock, time);
    if (result < 0)
        *__errno_location() = (int)-result;
    return result < 0 ? -1 : 0;
}

int ppoll(void *descriptors, unsigned long count, const struct timespec *time, const void *signals)
{
    static int (*next)(void *, unsigned long, const struct timespec *, const void *);
    struct timespec longer;
    int at_once = time && time->seconds == 0 && time->ns == 0;

    if (!next)
        next = (__typeof__(next))dlsym((void *)-1, "ppoll");
    if (time && time->ns % CUT_OFF_NS == 0 && (!at_once || (worked.ever && !worked.since))) {
        longer.seconds = time->seconds + (time->ns + CUT_OFF_NS) / SECOND_NS;
        longer.ns = (time->ns + CUT_OFF_NS) % SECOND_NS;
        time = &longer;
    }
    worked.since = 0;
    return next(descriptors, count, time, signals);
}
