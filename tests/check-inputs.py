#!/usr/bin/env python3
"""What a kernel starts with: every input in SGPRs that a descriptor can ask for, alone, all at once and in random
subsets; workgroup ids, the three modes of work-item ids, partial groups; in code objects of version 5 as the assembler
makes them, and of version 2, put together here, which alone have the numbers of workgroups.

Hand-written kernels store their first SGPRs, what two of the pointers point to, and their VGPRs. LONG=1: more subsets."""
import os, random, shutil, struct, subprocess, sys, tempfile

ATOLL = os.environ.get('ATOLL', './atoll')
MC = os.environ.get('LLVM_MC', 'llvm-mc-19')
OUT = 0x100000000 # where `atoll exec` puts the first buffer
GRID, GROUP = (11, 7, 5), (4, 3, 2)
GROUPS = tuple((a + b - 1) // b for a, b in zip(GRID, GROUP))
LAST = tuple(a - b * (c - 1) for a, b, c in zip(GRID, GROUP, GROUPS)) # size of the last group
CHIPS = ('gfx700', 'gfx803', 'gfx900')
PRIVATE = 36

# name, SGPRs, bit of kernel_code_properties; in the order in which they lie in registers
INPUTS = [('private_segment_buffer', 4, 0), ('dispatch_ptr', 2, 1), ('queue_ptr', 2, 2), ('kernarg_segment_ptr', 2, 3),
          ('dispatch_id', 2, 4), ('flat_scratch_init', 2, 5), ('private_segment_size', 1, 6),
          ('grid_workgroup_count_x', 1, 7), ('grid_workgroup_count_y', 1, 8), ('grid_workgroup_count_z', 1, 9)]
SYSTEM = ['workgroup_id_x', 'workgroup_id_y', 'workgroup_id_z', 'workgroup_info', 'private_segment_wavefront_offset']
GFX9 = {'gfx900'}


def code(chip, inputs, vgprs):
    """Every work-item of a workgroup stores the same SGPRs; then work-item 0 of each wave what pointers point to, and
    all their ids. Dword i of SGPRs at 4 * i, of the packet at 0x100, the queue at 0x180, arguments at 0x1c0, ids at
    0x200 + 16 * lane."""
    at, regs = 0, {}
    for name, n, _ in INPUTS:
        if name in inputs:
            regs[name] = at
            at += n
    add = (lambda d, s: f'v_add_u32_e32 {d}, vcc, {s}') if chip == 'gfx803' else \
          (lambda d, s: f'v_add_u32_e32 {d}, {s}') if chip in GFX9 else (lambda d, s: f'v_add_i32_e32 {d}, vcc, {s}')
    t = ['s_mov_b64 exec, -1', 'v_mov_b32_e32 v5, 1']
    def store(value, to):
        t.extend([f'v_mov_b32_e32 v6, {value}', f'v_mov_b32_e32 v4, {to:#x}', 'flat_store_dword v[4:5], v6'])
    for i in range(24):
        store(f's{i}', 4 * i)
    for name, to, n in (('dispatch_ptr', 0x100, 16), ('queue_ptr', 0x180, 0), ('kernarg_segment_ptr', 0x1c0, 2)):
        if name not in inputs:
            continue
        base = f's[{regs[name]}:{regs[name] + 1}]'
        for i in range(n) if n else (16, 17):
            off = 4 * i if chip != 'gfx700' else i
            t += [f's_load_dword s40, {base}, {off:#x}', 's_waitcnt lgkmcnt(0)']
            store('s40', to + 4 * (i if n else i - 16))
    t += ['v_mbcnt_lo_u32_b32_e64 v7, -1, 0', 'v_mbcnt_hi_u32_b32_e64 v7, -1, v7' if chip != 'gfx700' else
          'v_mbcnt_hi_u32_b32_e32 v7, -1, v7', 'v_lshlrev_b32_e32 v7, 4, v7']
    t += [add('v4', '0x200, v7')]
    for i in range(vgprs):
        t += [f'flat_store_dword v[4:5], v{i}', add('v4', '4, v4')]
    return '\n  '.join(t + ['s_waitcnt vmcnt(0) lgkmcnt(0)', 's_endpgm'])


def v5(path, chip, inputs, system, mode, vgprs):
    text = [f'.amdgcn_target "amdgcn-amd-amdhsa--{chip}"', '.text', '.p2align 8', 'k:',
            '  ' + code(chip, inputs, vgprs), '.rodata', '.p2align 6', '.amdhsa_kernel k',
            f'  .amdhsa_private_segment_fixed_size {PRIVATE if "private_segment_wavefront_offset" in system else 0}',
            '  .amdhsa_group_segment_fixed_size 1000', '  .amdhsa_kernarg_size 16']
    for name, _, bit in INPUTS[:7]:
        text.append(f'  .amdhsa_user_sgpr_{name} {int(name in inputs)}')
    for name in SYSTEM:
        directive = 'system_sgpr_' + name
        text.append(f'  .amdhsa_{directive} {int(name in system)}')
    text += [f'  .amdhsa_system_vgpr_workitem_id {mode}', '  .amdhsa_next_free_vgpr 8', '  .amdhsa_next_free_sgpr 48',
             '.end_amdhsa_kernel', '']
    open(path + '.s', 'w').write('\n'.join(text))
    subprocess.run([MC, '-triple', 'amdgcn-amd-amdhsa', f'-mcpu={chip}', '-filetype=obj', '--amdhsa-code-object-version=5',
                    path + '.s', '-o', path], check=True)


def v2(path, chip, inputs, system, mode, vgprs):
    """A linked file with an amd_kernel_code_t before the code, a note on the processor, one symbol."""
    s, o = path + '.s', path + '.o'
    open(s, 'w').write('.text\n  ' + code(chip, inputs, vgprs) + '\n')
    subprocess.run([MC, '-triple', 'amdgcn-amd-amdhsa', f'-mcpu={chip}', '-filetype=obj', s, '-o', o], check=True)
    obj = open(o, 'rb').read()
    shoff, = struct.unpack_from('<Q', obj, 40)
    n, strndx = struct.unpack_from('<HH', obj, 60)
    sections = [struct.unpack_from('<IIQQQQIIQQ', obj, shoff + 64 * i) for i in range(n)]
    names = sections[strndx]
    text = next(obj[h[4]:h[4] + h[5]] for h in sections if obj[names[4] + h[0]:].startswith(b'.text\0'))
    user = sum(n for name, n, _ in INPUTS if name in inputs)
    rsrc1 = 1 | (48 // 8 - 1) << 6 | 3 << 18 | 1 << 21 | 1 << 23 # 8 VGPRs, 48 SGPRs, denormals of f64, DX10_CLAMP, IEEE
    private = 'private_segment_wavefront_offset' in system
    rsrc2 = int(private) | user << 1 | sum((1 << 7 + i) for i, name in enumerate(SYSTEM[:4]) if name in system) | mode << 11
    kernel = bytearray(256)
    struct.pack_into('<IIHHHHqQQQIIIIII', kernel, 0, 1, 2, 1, int(chip[3]), int(chip[4]), int(chip[5]), 256, 0, 0, 0, rsrc1, rsrc2,
                     sum(1 << b for name, _, b in INPUTS if name in inputs) | 1 << 17, PRIVATE if private else 0, 1000, 0)
    struct.pack_into('<QIHH', kernel, 72, 16, 0, 48, 8)
    image = bytes(kernel) + text
    note = struct.pack('<III4s', 4, 27, 3, b'AMD\0') + struct.pack('<HHIII', 4, 7, int(chip[3]), int(chip[4]), int(chip[5])) + b'AMD\0AMDGPU\0\0'
    strtab, shstr = b'\0k\0', b'\0.text\0.note\0.symtab\0.strtab\0.shstrtab\0'
    symtab = bytes(24) + struct.pack('<IBBHQQ', 1, 1 << 4 | 10, 0, 1, 0x1000, len(image))
    body, heads = b'', [bytes(64)]
    def section(name, kind, flags, addr, data, link=0, info=0, align=8, entry=0):
        nonlocal body
        body += b'\0' * (-(0x1000 + len(body)) % align)
        heads.append(struct.pack('<IIQQQQIIQQ', shstr.index(name), kind, flags, addr, 0x1000 + len(body), len(data), link, info,
                                 align, entry))
        body += data
    section(b'.text', 1, 6, 0x1000, image, align=256)
    section(b'.note', 7, 2, 0, note, align=4)
    section(b'.symtab', 2, 0, 0, symtab, link=4, info=1, entry=24)
    section(b'.strtab', 3, 0, 0, strtab, align=1)
    section(b'.shstrtab', 3, 0, 0, shstr, align=1)
    body += b'\0' * (-len(body) % 8)
    ident = b'\x7fELF\x02\x01\x01\x40\x00' + bytes(7)
    ehdr = ident + struct.pack('<HHIQQQIHHHHHH', 3, 224, 1, 0, 64, 0x1000 + len(body), 0, 64, 56, 1, 64, len(heads), 5)
    phdr = struct.pack('<IIQQQQQQ', 1, 5, 0x1000, 0x1000, 0x1000, len(image), len(image), 0x1000)
    open(path, 'wb').write((ehdr + phdr).ljust(0x1000, b'\0') + body + b''.join(heads))


def check(work, chip, version, inputs, system, mode, last):
    """Run one kernel; the results of the last workgroup are left. Returns what is wrong."""
    path, out = os.path.join(work, 'k.o'), os.path.join(work, 'out')
    (v2 if version == 2 else v5)(path, chip, inputs, system, mode, mode + 1)
    args = [ATOLL, 'exec', path, '--grid', ','.join(map(str, GRID)), '--group', ','.join(map(str, GROUP)), '--strict',
            '--quiet', '--arg', f'zero:4096:{out}', '--arg', 'u32:0x12345678']
    r = subprocess.run(args, capture_output=True, text=True)
    if r.returncode:
        return [f'exit {r.returncode}: {r.stderr.strip()[:300]}']
    d = struct.unpack('<1024I', open(out, 'rb').read())
    bad, at = [], 0
    private = PRIVATE if 'private_segment_wavefront_offset' in system else 0
    def want(what, got, value):
        if got != value:
            bad.append(f'{what}: {got:#x}, not {value:#x}')
    for name, n, _ in INPUTS:
        if name not in inputs:
            continue
        lo, hi = d[at], d[at + 1]
        if name == 'private_segment_buffer':
            want(name + ' base', lo | (hi & 0xffff) << 32, 0x80000000)
            want(name + ' swizzle', hi >> 31, 1)
            want(name + ' stride', hi >> 16 & 0x3fff, 0)
            want(name + ' index stride, add tid', d[at + 3] >> 21 & 7, 7)
        elif name == 'dispatch_ptr':
            packet = struct.unpack('<HHHHHHIIIIIQQQQ', struct.pack('<16I', *d[64:80]))
            for what, got, value in zip(('header', 'dimensions', 'group x', 'y', 'z', '', 'grid x', 'y', 'z', 'private', 'LDS'),
                                        packet, (2, 3, *GROUP, 0, *GRID, private, 1000)):
                want('packet: ' + what, got, value)
            if 'kernarg_segment_ptr' in inputs:
                k = sum(n for x, n, _ in INPUTS[:3] if x in inputs)
                want('packet: kernarg address', packet[12], d[k] | d[k + 1] << 32)
        elif name == 'queue_ptr':
            want('queue: aperture of LDS', bool(d[96]), True)
            want('queue: aperture of scratch differs', d[96] != d[97], True)
        elif name == 'kernarg_segment_ptr':
            want('argument 0', d[112] | d[113] << 32, OUT)
        elif name == 'dispatch_id':
            want(name, lo | hi << 32, 0)
        elif name == 'flat_scratch_init':
            want(name, lo | hi << 32, 0x80000000 | (0 if chip in GFX9 else private << 32))
        elif name == 'private_segment_size':
            want(name, lo, private)
        else:
            want(name, lo, GROUPS['xyz'.index(name[-1])])
        at += n
    for i in range(3):
        if SYSTEM[i] in system:
            want(SYSTEM[i], d[at], last[i])
            at += 1
    if 'workgroup_info' in system:
        want('workgroup_info: waves', d[at] & 0x3f, 1)
        at += 1
    if private:
        want('wave offset', d[at] % 1024, 0) # 36 bytes x 64, in units of 1024
    for lane in range(LAST[0] * LAST[1] * LAST[2]):
        ids = (lane % LAST[0], lane // LAST[0] % LAST[1], lane // LAST[0] // LAST[1])
        for i in range(mode + 1):
            want(f'work-item id {"xyz"[i]} of lane {lane}', d[128 + 4 * lane + i], ids[i])
    return bad


def main():
    for tool in (MC,):
        if not shutil.which(tool):
            print(f'SKIPPED: no {tool}')
            return 77
    r, runs, failed = random.Random(4), 0, 0
    last = tuple(g - 1 for g in GROUPS)
    with tempfile.TemporaryDirectory() as work:
        for chip in CHIPS:
            for version in (5, 2):
                names = [n for n, _, _ in INPUTS[:7 if version == 5 else 10]]
                cases = [([], SYSTEM[:3], 2), (names[:7], SYSTEM, 2)] + [([n], SYSTEM[:3], 2) for n in names]
                for _ in range(40 if os.environ.get('LONG') else 2):
                    cases.append(([n for n in names if r.random() < .5], [s for s in SYSTEM if r.random() < .6], r.randrange(3)))
                if not os.environ.get('LONG'): # all at once, then by turns
                    cases = cases[1:2] + cases[2 + (CHIPS.index(chip) + version) % 2::3]
                for inputs, system, mode in cases:
                    if sum(n for name, n, _ in INPUTS if name in inputs) > 16:
                        inputs = inputs[1:]
                    runs += 1
                    bad = check(work, chip, version, inputs, system, mode, last)
                    if bad:
                        failed += 1
                        print(f'FAIL: {chip} v{version} {" ".join(inputs)} | {" ".join(system)} | {mode}: {"; ".join(bad[:6])}')
    print(f'check-inputs: {runs} kernels: {"ok" if not failed else str(failed) + " FAILED"}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
