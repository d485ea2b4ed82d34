"""Files by path or URL, whatever fsspec reaches: fetched in ranges, tried again, put in place whole.

Credentials come from where fsspec's stores look for them, which is the environment; never from a URL.
"""
import os
import shutil
import time
import urllib.parse
import uuid

ATTEMPTS = 6
FIRST_WAIT_S = 0.2
RANGE_BYTES = 8 << 20


class StoreError(Exception):
    """A store that did not answer as it should, however often it was asked."""


def is_url(path):
    return "://" in path


def check(path):
    """Refuses what would end up in logs, manifests and results."""
    if is_url(path) and "@" in urllib.parse.urlsplit(path).netloc:
        shown = path.split("://")[0] + "://..." + path[path.index("@"):]
        raise StoreError(f"{shown}: credentials belong into the environment, not into addresses")


def _open(url):
    import fsspec  # only who has URLs needs it
    return fsspec.core.url_to_fs(url)


def _again(what, action):
    """What `action` gives; it is tried again unless the file is not there."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except FileNotFoundError:
            raise
        except Exception as error:  # each store has its own
            if attempt + 1 == ATTEMPTS:
                raise StoreError(f"{what}: {type(error).__name__}: {error}, "
                                 f"{ATTEMPTS} times") from None
            time.sleep(FIRST_WAIT_S * 2 ** attempt)


def _size(fs, name):
    """Some stores call a file missing that they could not ask for: only reading it tells."""
    try:
        return fs.info(name)["size"]
    except FileNotFoundError:
        fs.cat_file(name, start=0, end=1)
        raise OSError("its size cannot be had") from None


def fetch(url, path):
    """Copies a file here, range by range, so that a connection that is cut costs one range."""
    fs, name = _open(url)
    size = _again(url, lambda: _size(fs, name))
    with open(path, "wb") as out:
        if size is None:
            data = _again(url, lambda: fs.cat_file(name))
            out.write(data)
            return
        for start in range(0, size, RANGE_BYTES):
            end = min(start + RANGE_BYTES, size)

            def read(start=start, end=end):
                data = fs.cat_file(name, start=start, end=end)
                if len(data) == size and (start, end) != (0, size):
                    data = data[start:end]  # ranges are not for this server
                if len(data) != end - start:
                    raise OSError(f"{len(data)} of {end - start} bytes came")
                return data

            out.write(_again(url, read))


def put(path, to):
    """Puts a file in place: it is there whole or not at all."""
    if not is_url(to):
        folder, name = os.path.split(to)
        beside = os.path.join(folder, f".{name}.{uuid.uuid4().hex}")
        try:
            shutil.copyfile(path, beside)
            os.replace(beside, to)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)
        return
    fs, name = _open(to)
    _again(to, lambda: fs.put_file(path, name))


def size(path):
    """Bytes of a file; None: it is not there."""
    try:
        if not is_url(path):
            return os.stat(path).st_size
        fs, name = _open(path)
        return _again(path, lambda: _size(fs, name))
    except FileNotFoundError:
        return None


def remove(path):
    try:
        if not is_url(path):
            os.unlink(path)
        else:
            fs, name = _open(path)
            _again(path, lambda: fs.rm_file(name))
    except FileNotFoundError:
        pass


def make_folder(path):
    if not is_url(path):
        os.makedirs(path, exist_ok=True)


def join(folder, name):
    return folder.rstrip("/") + "/" + name
