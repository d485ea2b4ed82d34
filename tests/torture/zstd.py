"""zstd frames, through the library that lode itself is linked with."""
import ctypes
import ctypes.util
import functools


@functools.lru_cache(None)
def library():
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    lib = ctypes.CDLL(name)
    for function in ("ZSTD_compressBound", "ZSTD_compress", "ZSTD_decompress"):
        getattr(lib, function).restype = ctypes.c_size_t
    lib.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    return lib


def pack(data, level=1):
    lib = library()
    bound = lib.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(bound)
    size = lib.ZSTD_compress(out, ctypes.c_size_t(bound), bytes(data), ctypes.c_size_t(len(data)), level)
    if lib.ZSTD_isError(ctypes.c_size_t(size)):
        raise ValueError("zstd cannot pack this")
    return out.raw[:size]


def unpack(data, most=1 << 28):
    """The content of one frame, which may or may not say its size."""
    lib = library()
    size = lib.ZSTD_getFrameContentSize(bytes(data), ctypes.c_size_t(len(data)))
    if size > most:  # not said, or no frame
        size = most if size == (1 << 64) - 1 else 0
    out = ctypes.create_string_buffer(max(size, 1))
    got = lib.ZSTD_decompress(out, ctypes.c_size_t(size), bytes(data), ctypes.c_size_t(len(data)))
    if lib.ZSTD_isError(ctypes.c_size_t(got)):
        raise ValueError("no sound zstd frame")
    return out.raw[:got]


class Buffer(ctypes.Structure):
    """ZSTD_inBuffer and ZSTD_outBuffer."""
    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def unpack_stream(data):
    """The content of frames that may go on, as far as it goes."""
    lib = library()
    lib.ZSTD_createDStream.restype = ctypes.c_void_p
    lib.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream = ctypes.c_void_p(lib.ZSTD_createDStream())
    source = ctypes.create_string_buffer(data, len(data))
    piece = ctypes.create_string_buffer(1 << 17)
    given = Buffer(ctypes.addressof(source), len(data), 0)
    out = []
    while True:
        taken = Buffer(ctypes.addressof(piece), len(piece), 0)
        rc = lib.ZSTD_decompressStream(stream, ctypes.byref(taken), ctypes.byref(given))
        out.append(piece.raw[:taken.at])
        if lib.ZSTD_isError(ctypes.c_size_t(rc)) or (taken.at < len(piece) and given.at == given.size):
            break
    lib.ZSTD_freeDStream(stream)
    return b"".join(out)
