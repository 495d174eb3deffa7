#!/usr/bin/env python3
"""hostrun.py SO KERNEL IN OUT BYTES N GX GY GZ LX LY LZ: run a kernel of a shared object made by run.py."""
import ctypes, sys

so, kernel, inp, out = sys.argv[1:5]
size, n = int(sys.argv[5]), int(sys.argv[6])
dims = [int(x) for x in sys.argv[7:13]]
lib = ctypes.CDLL(so)
data = open(inp, 'rb').read()
# 128 bytes of alignment, which the largest vectors want.
raw_in, raw_out = ctypes.create_string_buffer(len(data) + 256), ctypes.create_string_buffer(size + 256)
a, b = [(ctypes.addressof(x) + 127) & ~127 for x in (raw_in, raw_out)]
ctypes.memmove(a, data, len(data))
lib.host_run(ctypes.cast(getattr(lib, kernel), ctypes.c_void_p), ctypes.c_void_p(a), ctypes.c_void_p(b), ctypes.c_uint32(n),
             (ctypes.c_uint32 * 3)(*dims[:3]), (ctypes.c_uint32 * 3)(*dims[3:]))
open(out, 'wb').write(ctypes.string_at(b, size))
