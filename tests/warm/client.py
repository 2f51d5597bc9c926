# Hands the command of this process to the server whose socket is beside it, and ends as the command ends. See the
# docstring of tests/warm. It imports as little as it can: most of its time is the start of Python.
import marshal
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(__file__.rpartition("/")[0] + "/socket")
    folder = os.getcwd()  # noqa: PTH109 (pathlib takes long to import)
    request = marshal.dumps((sys.argv, folder, dict(os.environ), os.umask(0o077)))
    socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(request)
    status = int.from_bytes(server.recv(4), "big", signed=True)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
