/* buffer_load/store_format_* and tbuffer_*: not yet. */
#include "isa/vmem_priv.h"

static void not_yet(struct wave *w, const struct insn *in)
{
    loud_report(w->loud, LOUD_OPCODE, in->op, "formatted buffer access at PC 0x%llx",
                (unsigned long long)w->insn_va);
}

void vmem_format_load(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16)
{
    not_yet(w, in);
}

void vmem_format_store(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16)
{
    not_yet(w, in);
}
