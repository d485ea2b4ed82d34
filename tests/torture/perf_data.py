"""perf.data: taken apart into attrs, records and features, damaged there, and put together again with
sizes, counts and offsets that fit (docs/formats/perf-data.md)."""
import dataclasses
import struct

import mutate
import zstd

FILE_HEADER, ATTR, TRACING_DATA, BUILD_ID, FEATURE, COMPRESSED, COMPRESSED2 = 104, 64, 66, 67, 80, 81, 83
SAMPLE, MMAP, COMM, FORK, MMAP2 = 9, 1, 3, 7, 10
TRACING_FEATURE = 1
# Where a perf_event_attr has its numbers: type, size, config, period, sample_type, read_format, flags ...
ATTR_FIELDS = ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 4), (52, 4), (56, 8), (64, 8),
               (72, 8), (80, 8), (88, 4), (92, 4), (96, 8), (104, 4), (108, 2))


@dataclasses.dataclass
class Recording:
    attrs: list  # (bytes of perf_event_attr, bytes of its ids)
    records: list
    features: dict  # bit -> bytes

    def file(self):
        out = bytearray(FILE_HEADER)
        entry = max((len(a) for a, _ in self.attrs), default=64)
        ids = []
        for _, id_bytes in self.attrs:
            ids.append((len(out), len(id_bytes)))
            out += id_bytes
        attrs_at = len(out)
        for (attr, _), place in zip(self.attrs, ids):
            out += attr.ljust(entry, b"\0") + struct.pack("<QQ", *place)
        data_at = len(out)
        for record in self.records:
            out += record
        end = len(out)
        bits = sorted(self.features)
        place = end + 16 * len(bits)
        for bit in bits:
            out += struct.pack("<QQ", place, len(self.features[bit]))
            place += len(self.features[bit])
        for bit in bits:
            out += self.features[bit]
        mask = sum(1 << bit for bit in bits)
        out[:FILE_HEADER] = struct.pack("<8sQQQQQQQQ", b"PERFILE2", FILE_HEADER, entry + 16, attrs_at,
                                        data_at - attrs_at, data_at, end - data_at, 0, 0) + mask.to_bytes(32, "little")
        return bytes(out)

    def pipe(self):
        out = [b"PERFILE2" + struct.pack("<Q", 16)]
        for attr, ids in self.attrs:
            out.append(record_of(ATTR, attr + ids))
        for bit, content in sorted(self.features.items()):
            if bit == TRACING_FEATURE:
                content = content.ljust(-(-len(content) // 8) * 8, b"\0")
                out += [record_of(TRACING_DATA, struct.pack("<II", len(content), 0)), content]
            elif bit != 2 and len(content) < 60000:
                out.append(record_of(FEATURE, struct.pack("<Q", bit) + content))
        return b"".join(out + self.records + ([self.features[2]] if 2 in self.features else []))


def record_of(kind, body, misc=0):
    """A record whose size is right; perf pads to 8."""
    body = body[:65520] if kind >= COMPRESSED else body[:65520].ljust(-(-len(body[:65520]) // 8) * 8, b"\0")
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def header_of(record):
    return struct.unpack_from("<IHH", record[:8].ljust(8, b"\0"))


def parse(data):
    size, entry, attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<QQQQQQ", data, 8)
    attrs = []
    for at in range(attrs_at, attrs_at + attrs_size, entry):
        ids_at, ids_size = struct.unpack_from("<QQ", data, at + entry - 16)
        attrs.append((data[at:at + entry - 16], data[ids_at:ids_at + ids_size]))
    records, at = [], data_at
    while at + 8 <= data_at + data_size:
        n = struct.unpack_from("<H", data, at + 6)[0]
        if n < 8:
            break
        records.append(data[at:at + n])
        at += n
    features, at = {}, data_at + data_size
    for bit in (b for b in range(256) if data[72 + b // 8] >> b % 8 & 1):
        place, length = struct.unpack_from("<QQ", data, at)
        features[bit] = data[place:place + length]
        at += 16
    return Recording(attrs, expand(records), features)


def expand(records):
    """What compressed records hold, as records."""
    packed = b"".join(r[8:] for r in records if header_of(r)[0] == COMPRESSED)
    if not packed:
        return records
    content, plain = zstd.unpack_stream(packed), []
    while len(content) >= 8:
        n = struct.unpack_from("<H", content, 6)[0]
        if n < 8 or n > len(content):
            break
        plain.append(content[:n])
        content = content[n:]
    return plain + [r for r in records if header_of(r)[0] != COMPRESSED]


def shrink(data, n_samples=300, n_others=150):
    """A recording's beginning, small enough to be read thousands of times."""
    recording = parse(data)
    kept, counts = [], {True: n_samples, False: n_others}
    for record in recording.records:
        is_sample = header_of(record)[0] == SAMPLE
        if counts[is_sample] > 0:
            counts[is_sample] -= 1
            kept.append(record)
    recording.records = kept
    return recording.file()


def change_record(r, record):
    kind, misc, _ = header_of(record)
    body = bytearray(record[8:])
    what = r.randrange(8)
    if what <= 3 and len(body) >= 8:  # a number in it
        at = 8 * r.randrange(len(body) // 8) + r.choice((0, 0, 0, 4))
        size = r.choice((4, 8)) if at % 8 == 0 else 4
        mutate.put(body, at, size, mutate.edge(r, size, mutate.number(body, at, size)))
    elif what == 4:  # shorter or longer, in steps of 8
        at = 8 * r.randrange(len(body) // 8 + 1)
        body[at:at + 8 * r.randrange(3)] = bytes(8 * r.randrange(3))
    elif what == 5:  # another kind, or another mode
        if r.random() < 0.5:
            kind = r.choice((1, 2, 3, 4, 5, 7, 9, 10, 11, 13, 14, 15, 16, 17, 18, 64, 65, 66, 67, 68, 70, 73, 74, 78,
                             79, 80, 81, 82, 83))
        else:
            misc = mutate.edge(r, 2, misc)
    elif what == 6:
        body = bytearray(mutate.damage(r, bytes(body), 2))
    else:
        return mutate.damage(r, record, 1)
    return record_of(kind, bytes(body), misc)


def change_sizes(r, records):
    """A record's size alone: it takes in the next one, ends too early, or is none; or the body as long as it says."""
    i = r.randrange(len(records))
    kind, misc, size = header_of(records[i])
    following = header_of(records[i + 1])[2] if i + 1 < len(records) else 8
    said = r.choice((0, 7, 8, 9, size - 8, size + 8, size + following, size + following // 2, 0xFFF8, 0xFFFF)) & 0xFFFF
    body = records[i][8:]
    if r.random() < 0.3:
        body = body[:max(0, said - 8)].ljust(max(0, said - 8), r.choice((b"\0", b"\xff", b"A")))
    return [*records[:i], struct.pack("<IHH", kind, misc, said) + body, *records[i + 1:]]


def change_many(r, records):
    """Records of one kind: a number of theirs, or their order."""
    kind = header_of(r.choice(records))[0]
    places = [i for i, record in enumerate(records) if header_of(record)[0] == kind]
    fields = [(at, size) for at in range(8, min(96, max(len(records[i]) for i in places)), 4) for size in (4, 8)]
    changed = mutate.many(r, [records[i] for i in places], fields)
    out = list(records)
    for i, record in zip(places, changed):
        out[i] = record
    return out + changed[len(places):]


def compressed(r, records):
    """Some of the records behind each other in zstd frames, cut anywhere into records."""
    begin = r.randrange(len(records) + 1)
    end = r.randint(begin, len(records))
    plain = b"".join(records[begin:end])
    if r.random() < 0.1:
        plain = mutate.damage(r, plain)
    packed = zstd.pack(plain)
    if r.random() < 0.3:
        packed = mutate.damage(r, packed, 2)
    pieces, at = [], 0
    while at < len(packed):
        n = r.choice((len(packed), 60000, 4096, r.randint(1, 5000)))
        piece = packed[at:at + n][:60000]
        at += len(piece)
        if r.random() < 0.3:
            said = len(piece) if r.random() < 0.9 else mutate.edge(r, 8, len(piece))
            piece = struct.pack("<Q", said) + piece.ljust(-(-len(piece) // 8) * 8, b"\0")
            pieces.append(record_of(COMPRESSED2, piece))
        else:
            pieces.append(record_of(COMPRESSED, piece))
    return records[:begin] + pieces + records[end:]


def change_feature(r, features):
    bit = r.choice(sorted(features))
    content, kind = features[bit], r.randrange(6)
    if kind == 0:
        del features[bit]
    elif kind == 1:
        features[r.randrange(40)] = content
    elif kind == 2 and len(content) >= 4:  # counts and lengths stand in words of 4 or 8
        places = [(4 * i, s) for i in range(min(len(content) // 4, 64)) for s in (4, 8)]
        features[bit] = mutate.fields(r, content, places, 2)
    elif kind == 3 and bit == TRACING_FEATURE:
        features[bit] = mutate.text(r, content)
    elif kind == 4:
        features[bit] = content[:r.randrange(len(content) + 1)]
    else:
        features[bit] = mutate.damage(r, content, 3)


def change(r, data):
    if r.random() < 0.08:
        return mutate.damage(r, data)
    recording = parse(data)
    records = recording.records
    for _ in range(mutate.some(r, 6)):
        kind = r.randrange(12)
        if kind <= 5 and records:
            i = r.randrange(len(records))
            records[i] = change_record(r, records[i])
        elif kind <= 7:
            records[:] = mutate.shuffle(r, records)
        elif kind == 8 and recording.attrs:
            i = r.randrange(len(recording.attrs))
            attr, ids = recording.attrs[i]
            if r.random() < 0.3:
                ids = mutate.damage(r, ids, 1)
            else:
                attr = mutate.fields(r, attr, [f for f in ATTR_FIELDS if sum(f) <= len(attr)], 1)
            recording.attrs[i] = (attr, ids)
        elif kind == 9 and recording.features:
            change_feature(r, recording.features)
        elif kind == 10 and r.random() < 0.2:
            recording.attrs = mutate.shuffle(r, recording.attrs, 1, keep=1)
        elif records:  # something of one record in another
            i, j = r.randrange(len(records)), r.randrange(len(records))
            at = 8 * r.randint(1, max(1, len(records[i]) // 8))
            body = records[i][8:at] + records[j][at:]
            records[i] = record_of(header_of(records[i])[0], body, header_of(records[i])[1])
    if records and r.random() < 0.3:
        records[:] = r.choice((change_sizes, change_many, change_many, mutate.rearrange))(r, records)
    if r.random() < 0.25:
        recording.records = compressed(r, records)
    if r.random() < 0.25:
        return recording.pipe()
    out = recording.file()
    if r.random() < 0.1:  # the header's own numbers
        out = mutate.fields(r, out, [(8 * i, 8) for i in range(1, 13)], 1)
    return out


def mix(r, data, other):
    """Records of two recordings, with the attrs of one and features of both."""
    recording, others = parse(data), parse(other)
    recording.records = mutate.splice(r, recording.records, others.records)
    if r.random() < 0.5:
        recording.features |= {bit: others.features[bit] for bit in others.features if r.random() < 0.3}
    if r.random() < 0.3:
        recording.attrs = mutate.splice(r, recording.attrs, others.attrs)
    return recording.pipe() if r.random() < 0.25 else recording.file()
