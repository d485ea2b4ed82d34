"""Damage to a whole text: its encoding, one column of all lines, words and nesting without end."""
import re

import mutate

BAD_UTF8 = (b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xf0\x80\x80\x80", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80",
            b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff", b"\x80", b"\xe2\x82", b"\xf0\x9f\x98", b"\xef\xbf\xbe")
ODD_UTF8 = ("\x1b]0;x\x07", "\u009b31m", "\u202e", "\u200b", "\ufeff", "\u2028", "e\u0301" * 40, "\U0001f600", "\u0130", "\x7f")
PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b'"', b'"'), (b"<", b">"), (b"{\"a\":", b"}"), (b"[[", b""), (b"", b"]]"))
LINE_ENDS = (b"\r\n", b"\r", b"\n\n", b"\n\0", b"\x0b", b"\x0c", b"\xe2\x80\xa8", b"\n \n")
SEPARATOR = re.compile(rb"([\t,;|]| +)")


def number(r):
    """One that no type holds, or that is written as hardly anybody does."""
    digits = b"%d" % r.getrandbits(r.choice((31, 32, 63, 64, 65, 127, 3000)))
    return r.choice((digits, b"-" + digits, b"0" * 400 + digits, digits + b"." + digits, b"." + digits, digits + b".",
                     digits + b"e" + digits[:r.choice((1, 3, 9))], b"1e-" + digits[:3], b"+" + digits, b"0x" + digits,
                     b"1,234,567", b"1.234,5", b"1'000", b"12%", b"3 GiB", b"-0", b"--1", b"NaN", b"-inf", b"Infinity"))


def in_lines(r, data):
    """A column of many lines: one value, the values in reverse order, numbers that no type holds, or gone."""
    lines = data.split(b"\n")
    cut = [SEPARATOR.split(line) for line in lines]
    most = max(len(pieces) for pieces in cut)
    at = 2 * r.randrange((most + 1) // 2)
    having = [i for i, pieces in enumerate(cut) if len(pieces) > at]
    first = r.randrange(len(having))
    chosen = having[first:first + r.choice((2, 20, len(having)))]
    values, kind = [cut[i][at] for i in chosen], r.randrange(6)
    if kind == 0:
        values = [r.choice(values)] * len(values)
    elif kind == 1:
        values.reverse()
    elif kind == 2:
        values = [number(r)] * len(values)
    elif kind == 3:
        r.shuffle(values)
    elif kind == 4:
        values = [mutate.near(r, value) for value in values]
    for i, value in zip(chosen, values):
        cut[i][at:at + (2 if kind == 5 else 1)] = [] if kind == 5 else [value]
    return b"\n".join(b"".join(pieces) for pieces in cut)


def in_place(r, data):
    """A word: many times, nested, beside bytes that are no UTF-8, or a number that no type holds."""
    pieces = list(mutate.PIECE.finditer(data))
    if not pieces:
        return data
    m = r.choice(pieces)
    word, kind = m.group(), r.randrange(6)
    if kind == 0:
        word = (word + r.choice((b"", b" ", b",", b";", b"\n", b"\t"))) * r.choice((2, 100, 5000))
    elif kind == 1:
        begin, end = r.choice(PAIRS)
        n = r.choice((2, 100, 5000, 50000))
        word = begin * n + word + end * (n if r.random() < 0.8 else n - 1)
    elif kind == 2:
        at = r.randrange(len(word) + 1)
        word = word[:at] + r.choice(BAD_UTF8) + word[at:]
    elif kind == 3:
        at = r.randrange(len(word) + 1)
        word = word[:at] + r.choice(ODD_UTF8).encode() + word[at:]
    elif kind == 4:
        word = number(r)
    else:
        at = r.randrange(len(word) + 1)
        word = word[:at] + b"\0" * r.choice((1, 1, 64)) + word[at:]
    return data[:m.start()] + word + data[m.end():]


def whole(r, data):
    """Encoding, line ends, the first or last bytes."""
    kind = r.randrange(8)
    if kind == 0:
        encoded = data.decode("utf-8", "replace").encode(r.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig")))
        return encoded if r.random() < 0.6 else mutate.flip(r, encoded[:len(encoded) - r.randrange(3)])
    if kind == 1:
        return data.replace(b"\n", r.choice(LINE_ENDS))
    if kind == 2:
        end = r.choice(LINE_ENDS)
        return b"".join(line + (end if r.random() < 0.2 else b"\n") for line in data.split(b"\n"))
    if kind == 3:
        return data[:r.randrange(len(data) + 1)]
    if kind == 4:
        return data.rstrip(b"\n") if r.random() < 0.5 else data + b"\n" * r.choice((1, 5000))
    if kind == 5:
        return r.choice((b"", b"\n", b" ", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"#", data * 3))
    if kind == 6:
        return r.choice((b"\xef\xbb\xbf", b"\xfe\xff", b"\n" * 70, b" " * 5000, b"\0", b"#" * 9000 + b"\n")) + data
    return data.replace(b" ", r.choice((b"\t", b"\xc2\xa0", b"  ", b"")))


def change(r, data):
    """One of these, with or without what mutate.text does; or that alone."""
    if r.random() < 0.4:
        return mutate.text(r, data)
    for _ in range(mutate.some(r, 2)):
        data = r.choice((in_lines, in_lines, in_place, in_place, in_place, whole))(r, data)
    return mutate.text(r, data, 2) if r.random() < 0.2 else data


def mix(r, data, other):
    """Lines of two inputs."""
    return b"\n".join(mutate.splice(r, data.split(b"\n"), other.split(b"\n")))


def change_json(r, data, as_text=0.25):
    """Values, or the text that they are written in."""
    if r.random() < 0.7:
        return mutate.json_text(r, data, as_text)
    if r.random() < as_text:
        return change(r, data)
    return in_place(r, data)
