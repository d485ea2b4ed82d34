"""Function traces in bytes: XRay logs and uftrace's folders, damaged record by record (docs/formats/xray.md,
uftrace.md)."""
import struct

import mutate

XRAY_HEADER, EXTENTS = 32, 7
BASIC_FIELDS = ((0, 2), (2, 1), (3, 1), (4, 4), (8, 8), (16, 4), (20, 4))
UFTRACE_HEADER = 40


def fdr_records(data, at, end):
    """Records of one buffer: those with an odd first byte are 16 bytes and may have bytes behind them."""
    while at < end:
        n = 8
        if data[at] & 1:
            n, kind = 16, data[at] >> 1
            if kind in (5, 8) and at + 16 <= end:
                n += max(0, struct.unpack_from("<i", data, at + 1)[0])
        yield data[at:min(at + n, end)]
        at += n


def fdr_buffers(data):
    """[is_extents_said, records] of each buffer; version 1 has no extents, its buffers are as the header says."""
    at, buffers, version = XRAY_HEADER, [], struct.unpack_from("<H", data)[0]
    size = struct.unpack_from("<Q", data, 16)[0]
    while at < len(data):
        said = version > 1 and data[at] == EXTENTS << 1 | 1 and at + 16 <= len(data)
        if said:
            n = struct.unpack_from("<Q", data, at + 1)[0]
            at += 16
        else:
            n = size if 0 < size < len(data) else len(data)
        end = min(len(data), at + n)
        buffers.append((said, list(fdr_records(data, at, end))))
        at = max(end, at + 1)
    return buffers


def change_fdr_record(r, record):
    record = bytearray(record)
    if len(record) < 8:
        return bytes(record)
    if record[0] & 1:
        if r.random() < 0.3:
            record[0] = r.randrange(12) << 1 | 1
        else:
            return mutate.fields(r, record, ((1, 2), (1, 4), (1, 8), (3, 8), (9, 4)), 1)
    elif r.random() < 0.5:
        word = mutate.number(record, 0, 4)
        word = (word & ~0xE | r.randrange(8) << 1) if r.random() < 0.5 else word & 0xF | r.choice((0, 1, 2, 3, 1 << 27,
                (1 << 28) - 1, r.randrange(64))) << 4
        mutate.put(record, 0, 4, word)
    else:
        mutate.put(record, 4, 4, mutate.edge(r, 4, mutate.number(record, 4, 4)))
    return bytes(record)


def change_xray(r, data):
    if r.random() < 0.08 or len(data) < XRAY_HEADER:
        return mutate.damage(r, data)
    header, kind = data[:XRAY_HEADER], struct.unpack_from("<H", data, 2)[0]
    if r.random() < 0.1:
        header = mutate.fields(r, header, ((0, 2), (4, 4), (8, 8), (16, 8)), 1)
    if kind == 0:
        records = [data[at:at + 32] for at in range(XRAY_HEADER, len(data), 32)]
        for _ in range(mutate.some(r, 6)):
            if r.random() < 0.3:
                records = mutate.shuffle(r, records)
            elif records:
                i = r.randrange(len(records))
                records[i] = mutate.fields(r, records[i], BASIC_FIELDS, 2)
        if r.random() < 0.3:
            records = mutate.many(r, records, BASIC_FIELDS)
        return header + b"".join(records)
    buffers = fdr_buffers(data)
    for _ in range(mutate.some(r, 6)):
        i = r.randrange(len(buffers))
        records = buffers[i][1]
        what = r.randrange(8)
        if r.random() < 0.2 and records:
            records[:] = mutate.many(r, records, ((4, 4), (1, 8), (0, 4)))
        elif what == 0:
            buffers[:] = mutate.shuffle(r, buffers, 1, keep=1)
        elif what == 1:
            records[:] = mutate.shuffle(r, records)
        elif records:
            j = r.randrange(len(records))
            records[j] = change_fdr_record(r, records[j])
    out = [header]
    for said, records in buffers:
        content = b"".join(records)
        if said:
            size = len(content) if r.random() < 0.97 else mutate.edge(r, 8, len(content))
            out.append(bytes((EXTENTS << 1 | 1,)) + struct.pack("<Q7x", size))
        out.append(content)
    return b"".join(out)


def change_task(r, data):
    """Of records of 16 bytes: time, and type, depth, address in one word whose magic stays."""
    records = [data[at:at + 16] for at in range(0, len(data), 16)]
    for _ in range(mutate.some(r, 6)):
        i = r.randrange(len(records) or 1)
        if not records or r.random() < 0.3:
            records = mutate.shuffle(r, records)
        elif r.random() < 0.4:
            records[i] = mutate.fields(r, records[i], ((0, 8),), 1)
        elif len(records[i]) == 16:
            time, word = struct.unpack("<QQ", records[i])
            at, bits = r.choice(((0, 2), (2, 1), (6, 10), (16, 48), (3, 3)))
            word = word & ~((1 << bits) - 1 << at) | r.choice((0, 1, (1 << bits) - 1, r.getrandbits(bits))) << at
            records[i] = struct.pack("<QQ", time, word)
    if r.random() < 0.3:
        records = mutate.many(r, records, ((0, 8), (8, 8), (10, 4)))
    return b"".join(records)


def change_uftrace(r, folder):
    """`folder`: name -> bytes."""
    folder = dict(folder)
    for _ in range(mutate.some(r, 3)):
        name = r.choice(sorted(folder))
        data = folder[name]
        if r.random() < 0.04:
            if r.random() < 0.5:
                del folder[name]
            else:
                folder[r.choice(("1.dat", "kernel-cpu0.dat", "perf-cpu9.dat", "default.opts"))] = data
            if not folder:
                break
        elif name.startswith("perf-cpu"):
            folder[name] = mutate.damage(r, data)
        elif name.endswith(".dat"):
            folder[name] = change_task(r, data)
        elif name == "info":
            head, rest = data[:UFTRACE_HEADER], data[UFTRACE_HEADER:]
            if r.random() < 0.3:
                head = mutate.fields(r, head, ((8, 4), (12, 2), (14, 1), (15, 1), (16, 8), (24, 8), (32, 2)), 1)
            folder[name] = head + mutate.text(r, rest)
        else:
            folder[name] = mutate.text(r, data)
    return folder


def mix_xray(r, data, other):
    """Records of one log behind those of another, whatever their kinds."""
    at, of = (XRAY_HEADER + 8 * r.randrange(max(1, (len(d) - XRAY_HEADER) // 8)) for d in (data, other))
    return data[:at] + other[of:]
