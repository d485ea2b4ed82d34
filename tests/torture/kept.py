"""What lode itself keeps: digests, indices of function traces, repositories, pages. Their content is damaged below
compression and checksums, which then are made right again (docs/formats/digest.md, lodet.md, repository.md)."""
import base64
import binascii
import re
import sqlite3
import struct
import zlib

import mutate
import texts
import zstd


def varint(value):
    out = bytearray()
    value %= 1 << 64
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes((value,))


def overlong(r, value):
    """The same number in more bytes than it needs, or in more than any number may have."""
    out = bytearray(varint(value))
    out[-1] |= 128
    return bytes(out) + b"\x80" * r.choice((0, 1, max(0, 9 - len(out)), 12)) + r.choice((b"\0", b"\0", b"\1", b"\x7f"))


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
    """Some of the numbers of a column of varints: one, a run, their order; what does not fit stays as it is."""
    reader, values = Reader(data), []
    try:
        while reader.at < len(data) and len(values) < 5000:
            values.append(reader.varint())
    except ValueError:
        pass
    rest = data[reader.at:]
    if not values:
        return varint(r.choice(mutate.EDGES))
    kind = r.randrange(12)
    words = [varint(value) for value in values]
    if kind == 0:
        words = mutate.rearrange(r, words)
    elif kind == 1:
        swept = mutate.sweep(r, [struct.pack("<Q", v % (1 << 64)) for v in values], ((0, 8), (0, 4), (0, 1)))
        words = [varint(mutate.number(word, 0, 8)) for word in swept]
    elif kind == 2:
        i = r.randrange(len(words))
        words[i] = overlong(r, values[i])
    elif kind == 3:
        i, j = r.randrange(len(words)), r.randrange(len(words))
        words[i], words[j] = words[j], words[i]
    elif kind == 4:  # times so much that their sum just fits, or nearly
        most = r.choice((1 << 62, (1 << 63) - 1, (1 << 64) - 1))
        factor = r.choice((10**3, 10**6, most // (sum(values) or 1), most // (max(values) or 1))) or 1
        words = [varint(value * factor) for value in values]
    else:
        for _ in range(mutate.some(r, 2)):
            i = r.randrange(len(words))
            words[i] = varint(mutate.edge(r, r.choice((1, 2, 4, 8)), values[i]))
    return b"".join(words) + rest


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


def digest_columns(data):
    """(header, columns), unpacked."""
    header, reader = data[:32], Reader(data[32:])
    sizes = [(reader.varint(), reader.varint()) for _ in range(reader.varint())]
    columns = [reader.take(packed) for _, packed in sizes]
    return header, [c if plain == packed else zstd.unpack(c) for c, (plain, packed) in zip(columns, sizes)]


def change_column(r, column):
    kind = r.randrange(14)
    if kind <= 8:
        return change_varints(r, column)
    if kind <= 10:
        return mutate.damage(r, column, 1)
    if kind <= 12:
        return mutate.flip(r, column)
    return r.choice((column[:-1], column + b"\0", b"", column * 2)) if r.random() < 0.3 else column


def digest_of(r, header, columns):
    """The file, mostly with what fits: few other counts, sizes or versions, few damaged frames of zstd."""
    header, out = bytearray(header), b""
    table = varint(len(columns) if r.random() < 0.99 else mutate.edge(r, 1, len(columns)))
    wrong = r.randrange(len(columns)) if r.random() < 0.03 else -1
    broken = r.randrange(len(columns)) if r.random() < 0.03 else -1
    for i, column in enumerate(columns):
        packed = zstd.pack(column)
        if len(packed) >= len(column) or r.random() < 0.1:
            packed = column
        elif i == broken:
            packed = mutate.flip(r, packed)
        table += varint(mutate.edge(r, 4, len(column)) if i == wrong else len(column)) + varint(len(packed))
        out += packed
    if r.random() < 0.03:
        mutate.put(header, 8, 4, r.choice((0, 1, 2, 4, 1 << 31)))
    return seal_digest(bytes(header) + table + out)


def change_digest(r, data):
    if r.random() < 0.04:
        return mutate.damage(r, data)
    header, columns = digest_columns(data)
    held = [i for i, c in enumerate(columns) if c]
    for _ in range(mutate.some(r, 3)):
        # The first two say what the others hold: hardly anything is read behind damage to them.
        i = r.choice(held[2:] if r.random() < 0.95 else held)
        columns[i] = change_column(r, columns[i])
    if r.random() < 0.01:
        columns = mutate.shuffle(r, columns, 1)
    return digest_of(r, header, columns)


def mix_digests(r, data, other):
    """Columns of another digest in the place of some."""
    (header, columns), (_, others) = digest_columns(data), digest_columns(other)
    for _ in range(mutate.some(r, 4)):
        i = r.randrange(2, min(len(columns), len(others)))
        columns[i] = others[i]
    return digest_of(r, header, columns)


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
        self.reader, self.all, self.fixed = Reader(data), [], 0

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
        """Some of the tokens, or two of them change places; mostly the first `fixed` stay."""
        chosen = self.all[self.fixed:] if r.random() < 0.7 else self.all
        for _ in range(mutate.some(r, 3)):
            token, other = r.choice(chosen), r.choice(chosen)
            if r.random() < 0.15 and token[0] == other[0]:
                token[1], other[1] = other[1], token[1]
            elif token[0] == "v" and r.random() < 0.05:
                token[:] = "b", overlong(r, token[1])
            elif token[0] == "v":
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
    n_repairs, n_threads = t.v(), t.v()
    t.fixed = len(t.all)
    for _ in range(n_threads):
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


def change_piece(r, data):
    try:
        plain = zstd.unpack(data)
    except ValueError:
        return change_varints(r, data)
    return zstd.pack(change_column(r, plain))


class Lodet:
    """An index: tokens of its directory; of each thread its pieces, and its spans and stacks unpacked."""

    def __init__(self, data):
        self.header, self.is_other_directory = bytearray(data[:48]), False
        at, size = struct.unpack_from("<QQ", data, 16)
        self.directory, self.threads = lodet_directory(zstd.unpack(data[at:at + size]))
        self.parts, place = [], 48
        for _, _, *tokens in self.threads:
            parts = []
            for token in tokens:
                parts.append(data[place:place + self.directory.all[token][1]])
                place += len(parts[-1])
            self.parts.append([parts[0], zstd.unpack(parts[1]), zstd.unpack(parts[2])])

    def pieces(self, i):
        """Those of a thread, whose sizes and checksums are in its spans."""
        t, tokens = lodet_spans(self.parts[i][1], *self.threads[i][:2])
        pieces, end = [], 0
        for k in tokens:
            pieces.append(self.parts[i][0][end:end + t.all[k][1]])
            end += len(pieces[-1])
        return t, tokens, pieces

    def put_pieces(self, i, t, tokens, pieces):
        for k, piece in zip(tokens, pieces):
            t.all[k][1], t.all[k + 1][1] = len(piece), struct.pack("<I", lodet_checksum(piece))
        self.parts[i][:2] = b"".join(pieces), t.write()

    def change_pieces(self, r, i):
        t, tokens, pieces = self.pieces(i)
        for _ in range(mutate.some(r, 3)):
            k = r.randrange(len(pieces))
            pieces[k] = r.choice(pieces) if r.random() < 0.1 else change_piece(r, pieces[k]) if pieces[k] else b""
        self.put_pieces(i, t, tokens, pieces)

    def change(self, r):
        """One part of a thread, or the directory, behind which nothing is read if its first figures are wrong."""
        i, where = r.randrange(len(self.threads)), r.randrange(10)
        if where <= 2:
            t, _ = lodet_spans(self.parts[i][1], *self.threads[i][:2])
            t.change(r)
            self.parts[i][1] = t.write()
        elif where <= 4:
            self.parts[i][2] = change_column(r, self.parts[i][2])
        elif where <= 8:
            self.change_pieces(r, i)
        else:
            self.is_other_directory = True

    def write(self, r=None):
        """The file, with sizes and checksums of what it has; with `r` few of the parts are damaged once more."""
        body = []
        for (_, _, n_pieces, *tokens), (pieces, *plain) in zip(self.threads, self.parts):
            self.directory.all[n_pieces][1] = len(pieces)
            body.append(pieces)
            for token, part in zip(tokens, plain):
                part = mutate.flip(r, zstd.pack(part)) if r and r.random() < 0.01 else zstd.pack(part)
                self.directory.all[token][1] = len(part)
                self.directory.all[token + 1][1] = struct.pack("<I", lodet_checksum(part))
                body.append(part)
        if self.is_other_directory:
            self.directory.change(r)
        header, content, packed = self.header, b"".join(body), zstd.pack(self.directory.write())
        struct.pack_into("<QQQ", header, 16, 48 + len(content), len(packed), lodet_checksum(packed))
        if r and r.random() < 0.02:
            header = bytearray(mutate.fields(r, header, ((8, 4), (12, 4), (16, 8), (24, 8)), 1))
        struct.pack_into("<Q", header, 40, lodet_checksum(header[:40]))
        return bytes(header) + content + packed


def change_lodet(r, data):
    if r.random() < 0.04:
        return mutate.damage(r, data)
    index = Lodet(data)
    index.change(r)
    return index.write(r)


def mix_lodets(r, data, other):
    """Pieces, spans or stacks of a thread of another index, or of another thread of it."""
    index, others = Lodet(data), Lodet(other)
    source, place, k = r.choice(others.parts), r.randrange(len(index.parts)), r.choice((0, 1, 2))
    index.parts[place][k] = source[k]
    return index.write(r)


# ---- Models ----

def change_model(r, data):
    """Mostly values, and few of them: damaged text, or one value in the wrong place, is refused before the rest is read."""
    return texts.change_json(r, data, 0.05) if r.random() < 0.1 else mutate.json_text(r, data, 0.05, 2)


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
    key, other = r.choice(rows), r.choice(rows)
    where = " AND ".join(f"{k} IS ?" for k in keys)
    kind, column = r.random(), r.choice(columns)
    if kind < 0.08:
        db.execute(f"DELETE FROM {table} WHERE {where}", key)
        return
    if kind < 0.14:  # another row's value; keys change places with nothing
        theirs = f"(SELECT {column} FROM {table} WHERE {where})"
        db.execute(f"UPDATE OR IGNORE {table} SET {column} = {theirs} WHERE {where}", (*other, *key))
        return
    if kind < 0.2:  # one value in all rows
        value = r.choice((0, -1, 1 << 31, 1 << 62, -(1 << 63), "", None))
        db.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
        return
    if kind < 0.24:  # a row twice, with another first key
        values = ", ".join("?" if c == keys[0] else c for c in columns)
        db.execute(f"INSERT OR IGNORE INTO {table} SELECT {values} FROM {table} WHERE {where}",
                   (r.choice((0, -1, 1 << 40, 1 << 62)), *key))
        return
    (old,) = db.execute(f"SELECT {column} FROM {table} WHERE {where}", key).fetchone()
    if isinstance(old, bytes) and r.random() < 0.85:
        new = change_digest(r, old) if old[1:5] == b"lode" else change_varints(r, old)
    elif isinstance(old, int) and r.random() < 0.7:
        new = mutate.edge(r, 8, old) - (1 << 63) if r.random() < 0.5 else old + r.choice((-1, 1, 1000))
    elif isinstance(old, str) and r.random() < 0.7:
        new = texts.change(r, old.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
    else:
        new = r.choice((None, -1, 0, 1 << 62, 0.5, 1e300, "", "x" * 17, "12", b"", b"\0", b"x" * 70000))
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


def page_of(data):
    """A page's reports, without the program that shows them."""
    return b"<!doctype html>\n" + b"\n".join(m.group() for m in REPORT.finditer(data))


def change_page(r, data):
    """The JSON of a report, what it is packed in, or the page around."""
    def change_report(match):
        if r.random() < 0.1:
            return match.group()
        text = match.group(2)
        try:
            packed = base64.b64decode(text, validate=True)
            if r.random() < 0.7:
                packed = zlib.compress(texts.change_json(r, zlib.decompress(packed)))
            else:
                packed = mutate.damage(r, packed)
            text = base64.b64encode(packed)
        except (binascii.Error, zlib.error):
            text = mutate.damage(r, text)
        return match.group(1) + text + match.group(3)

    data = REPORT.sub(change_report, data)
    return texts.change(r, data) if r.random() < 0.2 else data
