"""What damage looks like: bytes, numbers, lines, JSON values. All of it follows from a random.Random."""
import copy
import json
import re
import sys

sys.setrecursionlimit(20000)  # values far too deep are copied and written by recursion

EDGES = (0, 1, 2, 3, 7, 8, 15, 16, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF,
         0x80000000, 0xFFFFFFFF, 1 << 32, 1 << 40, (1 << 61) - 1, 1 << 61, (1 << 63) - 1, 1 << 63,
         (1 << 64) - 1)


def edge(r, size, old=0):
    """A number of `size` bytes that is at some limit, or beside what was there."""
    bits = 8 * size
    if r.random() < 0.4:
        value = old + r.choice((-1, 1, -8, 8, 1 << r.randrange(bits), -(1 << r.randrange(bits))))
    elif r.random() < 0.8:
        value = r.choice(EDGES)
    else:
        value = r.getrandbits(bits)
    return value % (1 << bits)


def put(data, at, size, value):
    data[at:at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def some(r, most=4):
    """How many changes: mostly one, seldom more than a few."""
    return min(1 + int(r.expovariate(0.8)), most)


def damage(r, data, most=4):
    """Changes bytes in place and in length, without regard to what they mean."""
    data = bytearray(data)
    for _ in range(some(r, most)):
        if not data:
            break
        at, n = r.randrange(len(data)), r.randint(1, 16)
        kind = r.randrange(7)
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at] = r.randrange(256)
        elif kind == 2:
            size = r.choice((1, 2, 4, 8))
            at &= -size
            if at + size <= len(data):
                put(data, at, size, edge(r, size, number(data, at, size)))
        elif kind == 3:
            data[at:at + n] = (b"\xff" if r.random() < 0.5 else b"\0") * len(data[at:at + n])
        elif kind == 4:
            del data[at:at + n]
        elif kind == 5:
            source = r.randrange(len(data))
            data[at:at + n] = data[source:source + n]
        else:
            source = r.randrange(len(data))
            data[at:at] = data[source:source + n]
    return bytes(data)


def fields(r, data, places, most=4):
    """Puts edge values into some of `places`, (offset, size) of the numbers of a format."""
    data = bytearray(data)
    for _ in range(some(r, most)):
        at, size = r.choice(places)
        if at + size <= len(data):
            put(data, at, size, edge(r, size, number(data, at, size)))
    return bytes(data)


def shuffle(r, parts, most=4, keep=0):
    """Records dropped, doubled, exchanged; the first `keep` stay."""
    parts = list(parts)
    for _ in range(some(r, most)):
        if len(parts) <= keep:
            break
        i, j = r.randrange(keep, len(parts)), r.randrange(keep, len(parts))
        kind = r.randrange(4)
        if kind == 0:
            del parts[i]
        elif kind == 1:
            parts.insert(j, parts[i])
        elif kind == 2:
            parts[i], parts[j] = parts[j], parts[i]
        else:
            del parts[i:i + r.randint(1, 8)]
    return parts


def sweep(r, records, places):
    """One field of many records: the same edge value, another record's, in reverse order, or rising by huge steps."""
    records = [bytearray(record) for record in records]
    at, size = r.choice(places)
    having = [i for i, record in enumerate(records) if at + size <= len(record)]
    if not having:
        return [bytes(record) for record in records]
    first = r.randrange(len(having))
    chosen = having[first:first + r.choice((3, 20, len(having)))]
    values = [number(records[i], at, size) for i in chosen]
    kind, start, step = r.randrange(4), edge(r, size, values[0]), 1 << r.randrange(8 * size)
    if kind == 0:
        values = [start] * len(values)
    elif kind == 1:
        values = [r.choice(values) for _ in values]
    elif kind == 2:
        values.reverse()
    else:
        values = [start + step * k for k in range(len(values))]
    for i, value in zip(chosen, values):
        put(records[i], at, size, value)
    return [bytes(record) for record in records]


def rearrange(r, parts, keep=0):
    """The order and number of records: backwards, turned, cut at one or within it, a run of them many times."""
    head, parts = list(parts[:keep]), list(parts[keep:])
    if not parts:
        return head
    kind, i = r.randrange(6), r.randrange(len(parts))
    n = min(r.choice((2, 8, 64)), len(parts) - i)
    if kind == 0:
        parts.reverse()
    elif kind == 1:
        parts = parts[i:] + parts[:i]
    elif kind == 2:
        del parts[i:]
    elif kind == 3:
        parts[i:] = [parts[i][:r.randrange(len(parts[i]) + 1)]]
    elif kind == 4:
        parts[i:i] = parts[i:i + n] * r.choice((2, 8, 300 // n))
    else:
        run = parts[i:i + n]
        r.shuffle(run)
        parts[i:i + n] = run
    return head + parts


def many(r, records, places):
    """Many records at once: one of their fields, or their order."""
    return sweep(r, records, places) if places and r.random() < 0.5 else rearrange(r, records)


def splice(r, parts, others, keep=0):
    """Records of two inputs of a kind: one's beginning and the other's end, or a run of the one within the other."""
    i, j = r.randint(keep, max(keep, len(parts))), r.randint(min(keep, len(others)), len(others))
    if r.random() < 0.5:
        return list(parts[:i]) + list(others[j:])
    return list(parts[:i]) + list(others[j:j + r.choice((1, 8, 64))]) + list(parts[i:])


def flip(r, data, most=3):
    """Some bits, nothing else: sizes stay."""
    data = bytearray(data)
    for _ in range(some(r, most) if data else 0):
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    return bytes(data)


WORDS = (b"", b"-", b"0", b"-1", b"nan", b"inf", b"1e308", b"-1e-308", b"0x10", b"1e6", b"99999999999999999999",
         b"9223372036854775807", b"-9223372036854775808", b"18446744073709551615", b"2305843009213693952",
         b"4294967296", b"2147483648", b"0.000000000000000001", b"1.5.2", b'"', b"'", b"\\", b"\0", b"\xff\xfe",
         b"\xed\xa0\x80", b"\xe2\x80\xae", b"%s%n", b"[unknown]", b"(", b")", b"[", b"]", b"{", b"}", b";", b"\r",
         b"1970-01-01T00:00:00Z", b"2026-02-30T25:61:61", b"9999-12-31", b"\t\t", b"a" * 300)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
PIECE = re.compile(rb"[^\s,;:|=\"()\[\]{}<>/]+|[\s,;:|=\"()\[\]{}<>/]")


def near(r, word):
    """A number beside that of the text `word`."""
    try:
        value = float(word) if b"." in word else int(word)
    except ValueError:
        return r.choice(WORDS)
    kind = r.randrange(6)
    if kind == 0:
        return r.choice(WORDS)
    if kind == 1:
        return b"-" + word
    if kind == 2:
        return word + b"%d" % r.randrange(10 ** r.randint(1, 20))
    if kind == 3 and isinstance(value, int):
        return b"%d" % (value + r.choice((-1, 1, 60, -3600, 86400, -31536000, 1 << 31, 1 << 62)))
    if kind == 4:
        return word[:r.randrange(len(word) + 1)]
    return b"%d" % r.choice(EDGES)


def change_line(r, line, other):
    kind = r.randrange(7)
    if kind <= 2:  # a number
        found = list(NUMBER.finditer(line))
        if found:
            m = r.choice(found)
            return line[:m.start()] + near(r, m.group()) + line[m.end():]
    pieces = PIECE.findall(line)
    if kind <= 4 and pieces:  # a word, or what parts words
        i = r.randrange(len(pieces))
        pieces[i] = r.choice((b"", pieces[i] * 2, r.choice(WORDS), r.choice(pieces)))
        return b"".join(pieces)
    if kind == 5:  # another line's end
        return line[:r.randrange(len(line) + 1)] + other[r.randrange(len(other) + 1):]
    return damage(r, line, 2)


def text(r, data, most=6):
    """Damages lines and words, so that most of the text is still what it was."""
    if r.random() < 0.05:
        return damage(r, data)
    lines = data.split(b"\n")
    if r.random() < 0.03:  # a line beyond any measure
        i = r.randrange(len(lines))
        lines[i] = (lines[i] or b"x") * r.randint(2, 60000 // (1 + len(lines[i])) + 2)
    for _ in range(some(r, most)):
        i, kind = r.randrange(len(lines)), r.randrange(8)
        if kind <= 4:
            lines[i] = change_line(r, lines[i], r.choice(lines))
        elif kind == 5:
            lines = shuffle(r, lines, 1)
        elif kind == 6 and r.random() < 0.3:
            del lines[i:]
        else:
            lines.insert(i, r.choice(lines))
        if not lines:
            break
    return b"\n".join(lines)


VALUES = (None, True, False, 0, -1, 1 << 53, 1 << 63, (1 << 64), -(1 << 63), 1e308, 1e-308, 0.1, "", "0", "-1",
          "\0", "\u202e", "x" * 300, "1e999", [], {}, [[]], {"": None}, "\ud800")


def nodes(value):
    """Every place in a JSON tree, as (container, key)."""
    todo = [value]
    while todo:
        at = todo.pop()
        keys = at.keys() if isinstance(at, dict) else range(len(at))
        for key in keys:
            yield at, key
            if isinstance(at[key], (dict, list)):
                todo.append(at[key])


def json_text(r, data, as_text=0.25, most=5):
    """Another value, one less, one twice, one far too deep; else, of a share `as_text`, damage to the text."""
    try:
        tree = json.loads(data)
    except ValueError:
        return text(r, data)
    if r.random() < as_text or not isinstance(tree, (dict, list)):
        return text(r, data) if r.random() < 0.5 else damage(r, data)
    for _ in range(some(r, most)):
        places = list(nodes(tree))
        if not places:
            break
        at, key = r.choice(places)
        kind = r.randrange(7)
        if kind == 0:
            del at[key]
        elif kind == 1:
            other, k = r.choice(places)
            if not isinstance(other[k], (dict, list)):
                at[key] = other[k]
        elif kind == 2 and isinstance(at, list):
            at[key:key] = copy.deepcopy(at[key:key + 3])
        elif kind == 3 and isinstance(at, dict):
            at[r.choice((key + "x", "", key.upper(), "\0"))] = at.pop(key)
        elif kind == 4 and isinstance(at[key], (int, float)) and not isinstance(at[key], bool):
            at[key] = r.choice((-at[key], at[key] + 1, at[key] * 1000003, at[key] - 0.5, r.choice(EDGES)))
        elif kind == 5 and r.random() < 0.1:
            deep = r.choice(("", 1, {}))
            for _ in range(r.choice((50, 900))):
                deep = [deep] if r.random() < 0.5 else {"a": deep}
            at[key] = deep
        else:
            at[key] = copy.deepcopy(r.choice(VALUES))  # what is put in may be changed in turn
    return json.dumps(tree, ensure_ascii=r.random() < 0.5).encode("utf-8", "surrogatepass")
