"""What addresses are named by: ELF files, kallsyms, perf-PID.map, jit-PID.dump; and a recording whose samples ask
for each of them."""
import struct

import mutate
import perf_data

SECTION, SYMBOL = 64, 24
JIT_HEADER, JIT_PID = 40, 4242
FEATURE_BUILD_ID = 2


def sections(data):
    at, = struct.unpack_from("<Q", data, 40)
    size, n = struct.unpack_from("<HH", data, 58)
    return [(at + i * size, *struct.unpack_from("<IIQQQQIIQQ", data, at + i * size)) for i in range(n)
            if at + (i + 1) * size <= len(data)]


SECTION_FIELDS = ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8))
SYMBOL_FIELDS = ((0, 4), (4, 1), (6, 2), (8, 8), (16, 8))
ELF_FIELDS = ((4, 1), (5, 1), (16, 2), (18, 2), (24, 8), (32, 8), (40, 8), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2))
SYMTAB, STRTAB, NOTE, NOBITS, DYNSYM = 2, 3, 7, 8, 11
COMPRESSED_FLAG = 1 << 11


def change_elf(r, data):
    """Tables of symbols, names, unwind and debug information; the build-id stays, so that the file is taken."""
    if r.random() < 0.05:
        return mutate.damage(r, data)
    data = bytearray(data)
    table = sections(data)
    held = [s for s in table if s[2] not in (0, NOTE, NOBITS) and 0 < s[6] and s[5] + s[6] <= len(data)]
    symbols = [s for s in held if s[2] in (SYMTAB, DYNSYM) and s[6] >= SYMBOL]
    for _ in range(mutate.some(r, 6)):
        kind = r.randrange(10)
        if kind <= 3 and symbols:
            s = r.choice(symbols)
            at = s[5] + SYMBOL * r.randrange(s[6] // SYMBOL)
            data[at:at + SYMBOL] = mutate.fields(r, data[at:at + SYMBOL], SYMBOL_FIELDS, 2)
        elif kind <= 5 and table:
            s = r.choice(table)
            data[s[0]:s[0] + SECTION] = mutate.fields(r, data[s[0]:s[0] + SECTION], SECTION_FIELDS, 1)
        elif kind <= 8 and held:
            s = r.choice(held)
            at = s[5] + r.randrange(s[6])
            n = min(r.randint(1, 64), s[5] + s[6] - at)
            data[at:at + n] = mutate.damage(r, bytes(data[at:at + n]), 2)[:n].ljust(n, b"\xff")
        elif r.random() < 0.4 and held:  # compressed, by its own account
            s = r.choice(held)
            mutate.put(data, s[0] + 8, 8, s[3] | COMPRESSED_FLAG)
            size, alignment = mutate.edge(r, 8, s[6] * 4), r.choice((0, 1, 3, 8))
            header = struct.pack("<IIQQ", r.choice((1, 1, 2, 9)), 0, size, alignment)
            data[s[5]:s[5] + min(24, s[6])] = header[:min(24, s[6])]
        elif r.random() < 0.5:
            at, size = r.choice(ELF_FIELDS)
            mutate.put(data, at, size, mutate.edge(r, size, mutate.number(data, at, size)))
    return bytes(data)


def jit_record(kind, body, time=1):
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def jitdump(n=8, base=0x700000000000):
    """Functions of 256 bytes one behind the other, as a runtime with `perf inject --jit` in mind writes them."""
    out = [struct.pack("<IIIIIIQQ", 0x4A695444, 1, JIT_HEADER, 62, 0, JIT_PID, 1, 0)]
    for i in range(n):
        body = struct.pack("<IIQQQQ", JIT_PID, JIT_PID, base + 256 * i, base + 256 * i, 256, i)
        out.append(jit_record(0, body + b"function_%d\0" % i + bytes(256)))
        debug = struct.pack("<QQ", base + 256 * i, 1) + struct.pack("<QII", base + 256 * i, 7, 0) + b"a.js\0"
        out.append(jit_record(2, debug))
    out.append(jit_record(1, struct.pack("<IIQQQQQ", JIT_PID, JIT_PID, base, base, base + 256 * n, 256, 0)))
    out.append(jit_record(3, b""))
    return b"".join(out)


def perf_map(n=200, base=0x700000000000):
    return b"".join(b"%x %x LazyCompile:*function_%d a.js:%d\n" % (base + 16 * i, 16, i, i) for i in range(n))


def change_jitdump(r, data):
    if r.random() < 0.1:
        return mutate.damage(r, data)
    header, at, records = data[:JIT_HEADER], JIT_HEADER, []
    while at + 16 <= len(data):
        n = max(16, mutate.number(data, at + 4, 4))
        records.append(data[at:at + n])
        at += n
    if r.random() < 0.1:
        header = mutate.fields(r, header, ((0, 4), (4, 4), (8, 4), (20, 4), (24, 8), (32, 8)), 1)
    for _ in range(mutate.some(r, 5)):
        if r.random() < 0.3:
            records = mutate.shuffle(r, records)
        elif records:
            i = r.randrange(len(records))
            kind, body = mutate.number(records[i], 0, 4), records[i][16:]
            if r.random() < 0.2:
                kind = r.choice((0, 1, 2, 3, 4, 5, 1 << 31))
            elif r.random() < 0.6 and len(body) >= 16:
                body = mutate.fields(r, body, [(4 * k, s) for k in range(min(14, len(body) // 4)) for s in (4, 8)], 2)
            else:
                body = mutate.damage(r, body, 2)
            records[i] = jit_record(kind, body)
    if r.random() < 0.3:
        records = mutate.many(r, records, ((0, 4), (4, 4), (8, 8), (24, 8), (32, 8), (40, 8)))
    return header + b"".join(records)


# ---- A recording that asks ----

IP_TID_TIME_CALLCHAIN_CPU_PERIOD = 1 | 2 | 4 | 32 | 128 | 256
SAMPLE_ID_ALL = 1 << 18
ATTR = struct.pack("<IIQQQQQII", 1, 112, 0, 10**6, IP_TID_TIME_CALLCHAIN_CPU_PERIOD, 0, SAMPLE_ID_ALL, 1,
                   0).ljust(112, b"\0")


def trailer(pid, time):
    return struct.pack("<IIQII", pid, pid, time, 0, 0)


def mapping(pid, start, size, path):
    body = struct.pack("<IIQQQIIQQII", pid, pid, start, size, 0, 8, 1, 2, 3, 5, 2)
    name = path.encode() + b"\0"
    return perf_data.record_of(perf_data.MMAP2, body + name.ljust(-(-len(name) // 8) * 8, b"\0") + trailer(pid, 1),
                               misc=2)


def named(pid, comm):
    name = comm.encode() + b"\0"
    body = struct.pack("<II", pid, pid) + name.ljust(-(-len(name) // 8) * 8, b"\0") + trailer(pid, 1)
    return perf_data.record_of(perf_data.COMM, body, misc=1 << 13)


def sample(pid, time, chain):
    body = struct.pack("<QIIQIIQQ", chain[0], pid, pid, time, 0, 0, 10**6, len(chain) + 1)
    return perf_data.record_of(perf_data.SAMPLE, body + struct.pack("<Q", (1 << 64) - 512) +
                               struct.pack(f"<{len(chain)}Q", *chain), misc=2)


def asking(path, start, size, addresses, pid=JIT_PID, build_id=None):
    """Samples at the addresses of a file mapped at `start`."""
    records = [named(pid, "asks"), mapping(pid, start, size, path)]
    if path != "//anon" and "jit-" in path:
        records.append(mapping(pid, start, size, "//anon"))
    records += [sample(pid, 1000 * (i + 2), addresses[i:i + 8]) for i in range(0, len(addresses), 4)]
    features = {3: struct.pack("<I", 8) + b"host\0\0\0\0"}
    if build_id:
        name = path.encode() + b"\0"
        features[FEATURE_BUILD_ID] = perf_data.record_of(0, struct.pack("<i", pid) + build_id.ljust(20, b"\0") +
                                                         bytes((len(build_id), 0, 0, 0)) +
                                                         name.ljust(-(-len(name) // 64) * 64, b"\0"), misc=2 | 1 << 15)
    return perf_data.Recording([(ATTR, struct.pack("<Q", 1))], records, features).file()


def asking_for_elf(data, build_id, path="/opt/asked"):
    """Samples all over the code of an ELF file, which is mapped as it lies in the file."""
    code = [s for s in sections(data) if s[2] == 1 and s[3] & 4]
    addresses = [0x400000 + s[5] + s[6] * k // 40 for s in code for k in range(40)]
    return asking(path, 0x400000, -(-len(data) // 4096) * 4096, addresses, build_id=build_id)
