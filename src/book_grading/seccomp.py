"""A system-call filter for bubblewrap: what could hold memory or reach the kernel past the other limits.

Memory in ``memfd_create`` files, System V objects, POSIX message queues, extended attributes, socket buffers
and rule sets belongs to no process and to no sized file system, so neither the address-space limit nor the
tmpfs size counts it; the other calls no exercise needs. Written for x86-64 and AArch64; elsewhere there is no
filter and the other limits stand alone.
"""

import platform
import struct

# name: (x86-64, AArch64 or None where it has no such call), from the kernel's tables
DENIED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "landlock_create_ruleset": (444, 444),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
LOAD_WORD, JUMP_EQUAL, JUMP_ABOVE_OR_EQUAL, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # REFUSE answers EPERM
X32_BIT = 0x40000000


def program():
    """Return the filter as classic BPF, or None on a machine whose numbers are not known here."""
    machine = platform.machine()
    if machine not in AUDIT_ARCH:
        return None
    column = list(AUDIT_ARCH).index(machine)
    numbers = [pair[column] for pair in DENIED.values() if pair[column] is not None]
    # The last instruction refuses, the one before allows; jumps count the instructions they leap over.
    length = 4 + len(numbers)
    code = [(LOAD_WORD, 0, 0, 4)]  # seccomp_data.arch
    code.append((JUMP_EQUAL, 0, length - 1, AUDIT_ARCH[machine]))
    code.append((LOAD_WORD, 0, 0, 0))  # seccomp_data.nr
    code.append((JUMP_ABOVE_OR_EQUAL, length - 3, 0, X32_BIT))
    code += [(JUMP_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    code += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
