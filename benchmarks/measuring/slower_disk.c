/* Makes each sync take STEPFAST_SYNC_NANOSECONDS longer, in the process into which it is preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int later(int result)
{
    static __thread int exact;
    static struct timespec more;
    if (!exact) {
        /* Of this thread: the system may else be 50 us late. */
        prctl(PR_SET_TIMERSLACK, 1UL);
        exact = 1;
        const char *told = getenv("STEPFAST_SYNC_NANOSECONDS");
        long long nanoseconds = told ? atoll(told) : 0;
        more = (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
    }
    nanosleep(&more, NULL);
    return result;
}

#define REAL(name) ((int (*)(int))dlsym(RTLD_NEXT, name))

int fsync(int file) { return later(REAL("fsync")(file)); }

int fdatasync(int file) { return later(REAL("fdatasync")(file)); }
