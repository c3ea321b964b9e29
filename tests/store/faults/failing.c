/* Makes syncs and writes fail when told to, in the process into which it is preloaded.

   The file that STEPFAST_TEST_FAULTS names is two rows of four ints, of syncs and of writes:
   how many may still pass, how many are to fail after those (below 0: all), errno, how many have failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { PASS, FAIL, ERRNO, FAILED, ROW };

static volatile int *told(int row)
{
    static volatile int *rows;
    if (!rows) {
        const char *name = getenv("STEPFAST_TEST_FAULTS");
        int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
        if (file < 0)
            abort();
        void *mapped = mmap(NULL, 2 * ROW * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (mapped == MAP_FAILED)
            abort();
        rows = mapped;
    }
    return rows + row * ROW;
}

static int fails(int row)
{
    volatile int *it = told(row);
    if (!it[FAIL])
        return 0;
    if (it[PASS] > 0) {
        it[PASS]--;
        return 0;
    }
    if (it[FAIL] > 0)
        it[FAIL]--;
    it[FAILED]++;
    errno = it[ERRNO];
    return 1;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

int fsync(int file) { return fails(0) ? -1 : REAL("fsync", int (*)(int))(file); }

int fdatasync(int file) { return fails(0) ? -1 : REAL("fdatasync", int (*)(int))(file); }

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return fails(1) ? -1 : REAL("pwrite", ssize_t (*)(int, const void *, size_t, off_t))(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    return fails(1) ? -1 : REAL("pwrite64", ssize_t (*)(int, const void *, size_t, off64_t))(file, bytes, size, at);
}
