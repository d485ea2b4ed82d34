"""What lode itself keeps: digests, indices of function traces, repositories, pages. Their content is damaged below
compression and checksums, which then are made right again (docs/formats/digest.md, lodet.md, repository.md)."""
import base64
import binascii
import re
import sqlite3
import struct
import zlib

import mutate
import zstd


def varint(value):
    out = bytearray()
    value %= 1 << 64
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes((value,))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        if self.at > len(self.data):
            raise ValueError("ends early")
        return self.data[self.at - n:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128 or shift > 63:
                return value

    def rest(self):
        return self.data[self.at:]


def change_varints(r, data):
    """One or two of the numbers of a column of varints; what does not fit stays as it is."""
    reader, places = Reader(data), []
    try:
        while reader.at < len(data) and len(places) < 5000:
            places.append((reader.at, reader.varint()))
    except ValueError:
        pass
    if not places:
        return varint(r.choice(mutate.EDGES))
    for _ in range(mutate.some(r, 2)):
        i = r.randrange(len(places))
        at, value = places[i]
        size = len(varint(value))
        data = data[:at] + varint(mutate.edge(r, r.choice((1, 2, 4, 8)), value)) + data[at + size:]
        places = places[:i + 1]
    return data


# ---- Digests ----

def crc64_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0xC96C5795D7870F42 if n & 1 else 0)
        table.append(n)
    return table


CRC64 = crc64_table()


def crc64(data):
    crc = (1 << 64) - 1
    for byte in data:
        crc = CRC64[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ ((1 << 64) - 1)


def seal_digest(data):
    """Size and both checksums."""
    data = bytearray(data)
    if len(data) >= 32:
        mutate.put(data, 16, 8, len(data))
        mutate.put(data, 24, 8, crc64(data[32:]))
        mutate.put(data, 12, 4, 0)
        mutate.put(data, 12, 4, zlib.crc32(data[:32]))
    return bytes(data)


def change_digest(r, data):
    if r.random() < 0.05:
        return mutate.damage(r, data)
    header, reader = bytearray(data[:32]), Reader(data[32:])
    sizes = [(reader.varint(), reader.varint()) for _ in range(reader.varint())]
    columns = [reader.take(packed) for _, packed in sizes]
    columns = [c if plain == packed else zstd.unpack(c) for c, (plain, packed) in zip(columns, sizes)]
    held = [i for i, c in enumerate(columns) if c]
    for _ in range(mutate.some(r, 3)):
        # The first two say what the others hold: hardly anything is read behind damage to them.
        i = r.choice(held[2:] if r.random() < 0.9 else held)
        kind = r.randrange(12)
        if kind <= 8:
            columns[i] = change_varints(r, columns[i])
        elif kind <= 10:
            columns[i] = mutate.damage(r, columns[i], 1)
        elif r.random() < 0.3:
            columns[i] = r.choice((columns[i][:-1], columns[i] + b"\0", b"", columns[i] * 2))
    if r.random() < 0.02:
        columns = mutate.shuffle(r, columns, 1)
    out, table = b"", varint(len(columns) if r.random() < 0.99 else mutate.edge(r, 1, len(columns)))
    wrong = r.randrange(len(columns)) if r.random() < 0.03 else -1
    for i, column in enumerate(columns):
        packed = zstd.pack(column)
        if len(packed) >= len(column) or r.random() < 0.1:
            packed = column
        table += varint(mutate.edge(r, 4, len(column)) if i == wrong else len(column)) + varint(len(packed))
        out += packed
    if r.random() < 0.05:
        mutate.put(header, 8, 4, r.choice((0, 1, 2, 4, 1 << 31)))
    return seal_digest(bytes(header) + table + out)


# ---- Indices of function traces (.lodet) ----

def lodet_checksum(data):
    mask = (1 << 64) - 1
    h = len(data) * 0x9E3779B97F4A7C15 & mask
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        h = (h ^ word) * 0xFF51AFD7ED558CCD & mask
        h ^= h >> 32
    word = int.from_bytes(data[whole:], "little")
    return ((h ^ word) * 0xFF51AFD7ED558CCD & mask) >> 32


class Tokens:
    """A sequence of varints ('v'), bytes ('b') and checksums ('c'), read once and written with changes."""

    def __init__(self, data):
        self.reader, self.all = Reader(data), []

    def v(self, n=1):
        for _ in range(n):
            self.all.append(["v", self.reader.varint()])
        return self.all[-1][1]

    def b(self, n):
        self.all.append(["b", self.reader.take(n)])
        return self.all[-1][1]

    def text(self):
        return self.b(self.v())

    def piece(self):
        """A size and its checksum: the index of the size's token."""
        self.v()
        self.b(4)
        return len(self.all) - 2

    def write(self):
        return b"".join(varint(x) if kind == "v" else x for kind, x in self.all) + self.reader.rest()

    def change(self, r):
        for _ in range(mutate.some(r, 3)):
            token = r.choice(self.all)
            if token[0] == "v":
                token[1] = mutate.edge(r, r.choice((1, 2, 4, 8)), token[1])
            else:
                token[1] = mutate.damage(r, token[1], 1)


def lodet_directory(data):
    """Tokens of a directory, and of each thread its calls, b, and the tokens that say where its pieces are."""
    t, threads = Tokens(data), []
    for _ in range(4):
        t.text()
    t.b(8)
    for _ in range(t.v()):
        if t.v():
            t.v(4)
            t.text()
    for _ in range(t.v()):
        t.text()
        t.text()
        t.v(6)
    n_repairs = t.v()
    for _ in range(t.v()):
        t.v(2)
        t.text()
        calls = t.v()
        t.v(1 + n_repairs + 4)  # events, repairs, first, last, depth, stacks
        b = t.v()
        t.v()
        pieces = len(t.all) - 1
        threads.append((calls, b, pieces, t.piece(), t.piece()))
    return t, threads


def lodet_spans(data, calls, b):
    """Tokens of a thread's spans, and those of its pieces' sizes in the order of the file."""
    t, pieces = Tokens(data), []
    t.v(5 * t.v())
    n = -(-calls >> b) if calls else 0
    for _ in range(n):
        t.v(8)
        if t.v():
            t.v(4)
        pieces += [t.piece(), t.piece()]
    while n > 1:
        n = -(-n // 8)
        pieces += [t.piece() for _ in range(n)]
    return t, pieces


def change_columns(r, data):
    try:
        plain = zstd.unpack(data)
    except ValueError:
        return change_varints(r, data)
    return zstd.pack(change_varints(r, plain) if r.random() < 0.8 else mutate.damage(r, plain, 2))


def change_lodet(r, data):
    if r.random() < 0.05:
        return mutate.damage(r, data)
    header = bytearray(data[:48])
    at, size = struct.unpack_from("<QQ", data, 16)
    directory, threads = lodet_directory(zstd.unpack(data[at:at + size]))
    body, place = [], 48
    where = r.randrange(4)  # the directory, a thread's spans, its stacks, its pieces
    victim = r.randrange(len(threads) or 1)
    for i, (calls, b, n_pieces, spans_token, stacks_token) in enumerate(threads):
        sizes = [directory.all[k][1] for k in (n_pieces, spans_token, stacks_token)]
        pieces, spans, stacks = (data[place + sum(sizes[:k]):place + sum(sizes[:k + 1])] for k in range(3))
        place += sum(sizes)
        if i == victim and where == 1:
            t, _ = lodet_spans(zstd.unpack(spans), calls, b)
            t.change(r)
            spans = zstd.pack(t.write())
        elif i == victim and where == 2:
            spans, stacks = spans, zstd.pack(change_varints(r, zstd.unpack(stacks)))
        elif i == victim and where == 3:
            t, tokens = lodet_spans(zstd.unpack(spans), calls, b)
            parts, end = [], 0
            for k in tokens:
                parts.append(pieces[end:end + t.all[k][1]])
                end += t.all[k][1]
            for _ in range(mutate.some(r, 3)):
                k = r.randrange(len(parts))
                parts[k] = change_columns(r, parts[k]) if parts[k] else parts[k]
            for k, part in zip(tokens, parts):
                t.all[k][1], t.all[k + 1][1] = len(part), struct.pack("<I", lodet_checksum(part))
            pieces, spans = b"".join(parts), zstd.pack(t.write())
        directory.all[n_pieces][1] = len(pieces)
        for token, part in ((spans_token, spans), (stacks_token, stacks)):
            directory.all[token][1] = len(part)
            directory.all[token + 1][1] = struct.pack("<I", lodet_checksum(part))
        body += [pieces, spans, stacks]
    if where == 0:
        directory.change(r)
    packed = zstd.pack(directory.write())
    content = b"".join(body)
    struct.pack_into("<QQQ", header, 16, 48 + len(content), len(packed), lodet_checksum(packed))
    if r.random() < 0.05:
        header = bytearray(mutate.fields(r, header, ((8, 4), (12, 4), (16, 8), (24, 8)), 1))
    struct.pack_into("<Q", header, 40, lodet_checksum(header[:40]))
    return bytes(header) + content + packed


# ---- Repositories ----

def change_rows(r, data):
    """Values of rows, through SQLite; digests inside are damaged and sealed."""
    rollback = bytearray(data)
    rollback[18:20] = b"\1\1"  # a database in memory has no WAL
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        db.deserialize(bytes(rollback))
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                                 "name NOT LIKE 'sqlite_%' ORDER BY name")
                  if db.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
        for _ in range(mutate.some(r, 4)):
            change_row(r, db, r.choice(tables))
        if r.random() < 0.05:
            db.execute(r.choice(("PRAGMA user_version = 1", "PRAGMA user_version = -1", "DROP TABLE label",
                                 "DROP INDEX stream_host", "ALTER TABLE digest RENAME COLUMN source TO sauce",
                                 "CREATE TABLE more(a)", "DELETE FROM meta")))
        out = bytearray(db.serialize())
    except sqlite3.Error:  # a constraint that cannot be switched off
        return data
    finally:
        db.close()
    out[18:20] = data[18:20]
    return bytes(out)


def change_row(r, db, table):
    columns = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
    keys = [c[1] for c in db.execute(f"PRAGMA table_info({table})") if c[5]]
    rows = db.execute(f"SELECT {', '.join(keys)} FROM {table} ORDER BY 1").fetchall()
    if not rows:
        return
    key = r.choice(rows)
    where = " AND ".join(f"{k} IS ?" for k in keys)
    if r.random() < 0.1:
        db.execute(f"DELETE FROM {table} WHERE {where}", key)
        return
    column = r.choice(columns)
    (old,) = db.execute(f"SELECT {column} FROM {table} WHERE {where}", key).fetchone()
    if isinstance(old, bytes) and r.random() < 0.85:
        new = change_digest(r, old)
    elif isinstance(old, int) and r.random() < 0.7:
        new = mutate.edge(r, 8, old) - (1 << 63) if r.random() < 0.5 else old + r.choice((-1, 1, 1000))
    elif isinstance(old, str) and r.random() < 0.7:
        new = mutate.text(r, old.encode("utf-8", "surrogateescape"), 2).decode("utf-8", "replace")
    else:
        new = r.choice((None, -1, 0, 1 << 62, 0.5, "", "x" * 17, b"", b"\0"))
    db.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}", (new, *key))


def change_pages(r, data):
    """Of b-tree pages: kind, freeblock, cells, content, cell pointers; and the file's header."""
    size = struct.unpack_from(">H", data, 16)[0] or 1
    size = 65536 if size == 1 else size
    out = bytearray(data)
    for _ in range(mutate.some(r, 3)):
        start = size * r.randrange(max(1, len(data) // size))
        at = start + (100 if start == 0 else 0)
        kind = r.randrange(5)
        if kind == 0 and r.random() < 0.3:
            place, n = r.choice(((16, 2), (18, 1), (20, 1), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 4),
                                 (52, 4), (56, 4), (60, 4), (92, 4)))
            out[place:place + n] = mutate.edge(r, n, int.from_bytes(out[place:place + n], "big")).to_bytes(n, "big")
        elif kind <= 2:
            place, n = r.choice(((0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4)))
            place += at
            out[place:place + n] = mutate.edge(r, n, int.from_bytes(out[place:place + n], "big")).to_bytes(n, "big")
        elif kind == 3:
            place = at + 8 + 2 * r.randrange(20)
            out[place:place + 2] = struct.pack(">H", mutate.edge(r, 2, r.randrange(size)))
        else:
            place = start + r.randrange(size)
            out[place:place + 8] = mutate.damage(r, bytes(out[place:place + 8]), 1)[:8]
    return bytes(out)


def change_repository(r, data):
    kind = r.random()
    if kind < 0.6:
        return change_rows(r, data)
    return change_pages(r, data) if kind < 0.95 else mutate.damage(r, data)


# ---- Pages ----

REPORT = re.compile(rb'(<script type="application/octet-stream" class="lode-report"[^>]*>)([^<]*)(</script>)')


def change_page(r, data):
    """The JSON of a report, what it is packed in, or the page around."""
    def change_report(match):
        if r.random() < 0.3:
            return match.group()
        text = match.group(2)
        try:
            packed = base64.b64decode(text, validate=True)
            if r.random() < 0.7:
                packed = zlib.compress(mutate.json_text(r, zlib.decompress(packed)))
            else:
                packed = mutate.damage(r, packed)
            text = base64.b64encode(packed)
        except (binascii.Error, zlib.error):
            text = mutate.damage(r, text)
        return match.group(1) + text + match.group(3)

    data = REPORT.sub(change_report, data)
    return mutate.text(r, data, 2) if r.random() < 0.3 else data
