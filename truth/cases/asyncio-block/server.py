"""An asyncio server: `get` is answered at once, `archive` compresses first, in the event loop."""
import asyncio
import lzma
import random
import sys

DATA = random.Random(4).randbytes(400000) * 2


async def serve(reader, writer):
    while line := await reader.readline():
        if line == b"archive\n":
            lzma.compress(DATA, preset=9)
        writer.write(b"ok\n")
        await writer.drain()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
