"""Runs lode on a terminal of so many columns, for tests of what it shows there."""
import fcntl
import os
import pty
import re
import struct
import termios


def run(columns, words, **env):
    """The exit code, and what the command writes; a variable that is "-" is not set."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        for name in ("NO_COLOR", "LODE_COLOR", "LODE_PAGER", "PAGER", "LESS", "TERM"):
            os.environ.pop(name, None)
        os.environ.update({"TERM": "xterm-256color", "LODE_PAGER": "cat", **env})
        for name in [name for name, value in os.environ.items() if value == "-"]:
            del os.environ[name]
        os.execv(os.environ["LODE"], ["lode", *words])
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code, out.decode().replace("\r\n", "\n")


def plain(text):
    """Without colours and links."""
    return re.sub("\x1b\\[[0-9;]*[mK]|\x1b\\]8;[^\x1b\x07]*(\x1b\\\\|\x07)", "", text)
