"""Which system calls a snippet may make: everything that CSV, Parquet, Excel, SQLite and BLAS need, and no more.

Each name has its number on x86_64 and on aarch64; None: that machine has no such call. What is not here answers EPERM:
sockets, exec, fork, ptrace, mount, unshare, keyctl, io_uring, bpf, memfd, links, shared memory and message queues among
them.
"""

from __future__ import annotations

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine → (column in the tables below, the kernel's name for it in a filter)."""

ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # Reading and writing what is open, and closing it.
    "read": (0, 63),
    "write": (1, 64),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "preadv2": (327, 286),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    # Looking; opening is below.
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    # Changing files in its own folder. No links, no devices, no owners or attributes: they would outlive a rule.
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "umask": (95, 166),
    "flock": (73, 32),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    # Memory.
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "msync": (26, 227),
    "mincore": (27, 232),
    # Threads of its own, and what the C library does to start and end them.
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "getcpu": (309, 168),
    "membarrier": (324, 283),
    "arch_prctl": (158, None),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    # Time.
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "alarm": (37, None),
    "pause": (34, None),
    # Signals to itself (whom kill and tgkill may reach is below).
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    # Waiting for what is open.
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "pipe": (22, None),
    "pipe2": (293, 59),
    # Who and where am I, and chance.
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "getrandom": (318, 278),
    "getpriority": (140, 141),
}

OWN_PID = -1
"""Stands for the snippet's own process, whose number is known only after the fork."""

ONE_OF = {
    # Whom: only itself. The server and the caller may run as the same user.
    "kill": (62, 129, 0, (OWN_PID,)),
    "tgkill": (234, 131, 0, (OWN_PID,)),
    # Limits: its own.
    "prlimit64": (302, 261, 0, (0, OWN_PID)),
    # Is it a terminal, its size, bytes to read, close on exec.
    "ioctl": (16, 29, 1, (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)),
    # Copies, flags and locks of descriptors. Not the owner: that sends signals to others.
    "fcntl": (72, 25, 1, (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032, 1034)),
    # Names of threads and of memory.
    "prctl": (157, 167, 0, (15, 16, 0x53564D41)),
}
"""Call → (numbers, which argument, the values that it may have)."""

HAS_BIT = {
    # CLONE_THREAD: a thread yes, a process no.
    "clone": (56, 220, 0, 0x10000),
}
"""Call → (numbers, which argument, the bit that must be set)."""

BITS_NOT: dict[str, tuple[int | None, int | None, int, int, tuple[int, ...]]] = {
    # Which paths may be opened is Landlock's business, but its first two versions do not see a file being emptied.
    # O_TRUNC goes with an open for writing, which they do see; without one it is refused. So is truncate, which needs
    # no open file: ftruncate is there for honest code.
    "open": (2, None, 1, 0o1003, (0o1000, 0o1003)),
    "openat": (257, 56, 2, 0o1003, (0o1000, 0o1003)),
}
"""Call → (numbers, which argument, which bits of it, the values that these must not have)."""

DONE_NOTHING: dict[str, tuple[int | None, int | None]] = {
    # Times and modes of files: libraries that copy or write files set them and fail if they cannot. A snippet has the
    # same user as the server's copies of the tables, so they are left as they are.
    "utimensat": (280, 88),
    "utimes": (235, None),
    "utime": (132, None),
    "futimesat": (261, None),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
}
"""Calls that answer success and do nothing."""

NOT_THERE: dict[str, tuple[int | None, int | None]] = {
    # The C library then falls back to clone and openat, whose arguments a filter can read.
    "clone3": (435, 435),
    "openat2": (437, 437),
}
"""Calls that answer ENOSYS, as an older kernel would."""
