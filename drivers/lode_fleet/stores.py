"""Files by path or URL, whatever fsspec reaches: fetched in ranges, tried again, put in place whole.

Credentials come from where fsspec's stores look for them, which is the environment; never from a URL.
"""
import concurrent.futures
import functools
import importlib.util
import os
import shutil
import time
import urllib.parse
import uuid

ATTEMPTS = 6
FIRST_WAIT_S = 0.2
RANGE_BYTES = 8 << 20
FETCHES = 8  # side by side: a store answers many at once, each after a while
# Parts of a query that let whoever has the address in: of S3, Google, Azure, and by custom.
SIGNED = {"x-amz-signature", "x-amz-security-token", "awsaccesskeyid", "signature", "x-goog-signature", "sig", "token",
          "access_token", "api_key", "apikey", "password"}


class StoreError(Exception):
    """A store that did not answer as it should, however often it was asked."""


def is_url(path):
    return "://" in path


def check(path):
    """Refuses what would end up in logs, manifests and results."""
    if not is_url(path):
        return
    url = urllib.parse.urlsplit(path)
    keys = {key.lower() for key, _ in urllib.parse.parse_qsl(url.query, keep_blank_values=True)}
    if "@" in url.netloc or keys & SIGNED:
        shown = f"{url.scheme}://{'...@' if '@' in url.netloc else ''}{url.netloc.rpartition('@')[2]}{url.path}"
        raise StoreError(f"{shown}: credentials must be in the environment, not in the URL")


@functools.lru_cache(maxsize=None)
def _fsspec():
    import fsspec  # only who has URLs needs it
    if not importlib.util.find_spec("s3fs"):
        for name in ("s3", "s3a"):
            fsspec.register_implementation(name, "lode_fleet.s3.S3", clobber=True,
                                           errtxt="S3 needs boto3 (python3-boto3) or s3fs")
    return fsspec


def _open(url):
    try:
        return _fsspec().core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise StoreError(f"{url}: {error}") from None


def _is_refused(error):
    """By who may read: another try would be answered the same."""
    return isinstance(error, PermissionError) or getattr(error, "status", 0) in (401, 403)


def again(what, action):
    """What `action` gives; it is tried again unless the file is not there, or not for us."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except (FileNotFoundError, StoreError):
            raise
        except Exception as error:  # each store has its own
            if _is_refused(error):
                raise StoreError(f"{what}: {error}") from None
            if attempt + 1 == ATTEMPTS:
                raise StoreError(f"{what}: {type(error).__name__}: {error} "
                                 f"({ATTEMPTS} attempts)") from None
            time.sleep(FIRST_WAIT_S * 2 ** attempt)


def _info(fs, name):
    """Some stores call a file missing that they could not ask for: only reading it shows."""
    try:
        return fs.info(name)
    except FileNotFoundError:
        fs.cat_file(name, start=0, end=1)
        raise OSError("its size is unknown") from None


def fetch(url, path):
    """Copies a file here, range by range, so that a connection that is cut costs one range."""
    fs, name = _open(url)
    info = again(url, lambda: _info(fs, name))
    size = info["size"]
    with open(path, "wb") as out:
        if size is None:
            data = again(url, lambda: fs.cat_file(name))
            out.write(data)
            return
        for start in range(0, size, RANGE_BYTES):
            end = min(start + RANGE_BYTES, size)

            def read(start=start, end=end):
                data = fs.cat_file(name, start=start, end=end)
                if len(data) == size and (start, end) != (0, size):
                    data = data[start:end]  # ranges are not for this server
                if len(data) != end - start:
                    raise OSError(f"{len(data)} of {end - start} bytes received")
                return data

            out.write(again(url, read))
    if size > RANGE_BYTES and again(url, lambda: _info(fs, name)).get("ETag") != info.get("ETag"):
        raise StoreError(f"{url}: changed while being read")


@functools.lru_cache(maxsize=None)
def _fetchers():
    return concurrent.futures.ThreadPoolExecutor(FETCHES)


def fetch_all(pairs):
    """Copies each (URL, path) here, some side by side; one that is not there is left out, a failure ends it."""
    def fetch_one(pair):
        try:
            fetch(*pair)
        except FileNotFoundError:
            pass

    futures = [_fetchers().submit(fetch_one, pair) for pair in pairs]
    _, rest = concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_EXCEPTION)
    for future in rest:
        future.cancel()
    concurrent.futures.wait(rest)
    for future in futures:
        if not future.cancelled():
            future.result()


def put(path, to):
    """Puts a file in place: complete or absent, never partial."""
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
    again(to, lambda: fs.put_file(path, name))


def size(path):
    """Bytes of a file; None: it is not there."""
    try:
        if not is_url(path):
            return os.stat(path).st_size
        fs, name = _open(path)
        return again(path, lambda: _info(fs, name))["size"]
    except FileNotFoundError:
        return None


def remove(path):
    try:
        if not is_url(path):
            os.unlink(path)
        else:
            fs, name = _open(path)
            again(path, lambda: fs.rm_file(name))
    except FileNotFoundError:
        pass


def make_folder(path):
    if not is_url(path):
        os.makedirs(path, exist_ok=True)


def join(folder, name):
    return folder.rstrip("/") + "/" + name
