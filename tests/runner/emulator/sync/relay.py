"""A program that passes connections on to a port, and drops all of them at each line it reads.

It is a process of its own: the Python client holds the interpreter while it waits.
"""

import asyncio
import sys
from contextlib import suppress


async def main() -> None:
    """Print the port, and drop connections for each line until the input ends."""
    writers: set[asyncio.StreamWriter] = set()

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        sink.close()
        writers.discard(sink)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
        writers.update((writer, far_writer))
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    while await asyncio.to_thread(sys.stdin.readline):
        for writer in [*writers]:
            writer.transport.abort()
        writers.clear()
        sys.stdout.write("dropped\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
