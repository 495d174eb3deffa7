#!/bin/sh
# `atoll regs`: what it prints, and that bad input gets exit status 2 and a helpful message.
set -u
bad=0
# expect STATUS TEXT ARGUMENTS...: exit status, and a line (extended regular expression) of the output.
expect() {
    status=$1; text=$2; shift 2
    out=$("$ATOLL" regs "$@" 2>&1); got=$?
    if [ $got != "$status" ] || ! printf '%s\n' "$out" | grep -Eq -- "$text"; then
        echo "atoll regs $*: exit $got (want $status), no '$text' in:"
        printf '%s\n' "$out" | head -20
        bad=1
    fi
}
expect 0 '^CB_COLOR0_INFO = 0x00000028 .*0x28c70'      CB_COLOR0_INFO=0x28
expect 0 '6:2 +FORMAT +10 \(0xa\)  COLOR_8_8_8_8$'     CB_COLOR0_INFO=0x28
expect 0 '10:8 +MASK_EXPORT_NUM_SAMPLES +3$'           DB_EQAA=0x00173302
expect 0 'no field has: 0x80000000$'                   CB_COLOR0_INFO=0x80000000
expect 0 'as float 1$'                                 PA_CL_VPORT_XSCALE=0x3f800000
expect 0 '^CB_COLOR0_INFO '                            0x28C70
expect 0 '^CB_COLOR0_INFO '                            dw:0xA31C
expect 0 '^DB_EQAA '                                   eqaa
expect 0 '^0x28e14  context  CB_COLOR7_INFO$'          'CB_COLOR*_INFO'
expect 0 ' 10  COLOR_8_8_8_8$'                         cb_color0_info.format
expect 0 '^DB_DEPTH_CLEAR	0x2802c	-	0	31$'           --tsv DB_DEPTH_CLEAR
expect 0 '"value_name": "COLOR_8_8_8_8"'               --json CB_COLOR0_INFO=0x28
expect 0 '^VGT_PRIMITIVE_TYPE  \[0x8958,'              --chip gfx6 VGT_PRIMITIVE_TYPE
expect 0 '^DB_Z_INFO  \[0x28038,'                      --chip gfx900 DB_Z_INFO
expect 0 'RATE_Y +2$'                                  --chip bonaire-vrs GE_VRS_RATE=0x21
expect 0 '^0x28804  context  DB_EQAA$'
expect 2 "no register 'CB_COLR0_INFO'; near: CB_COLOR0_INFO" CB_COLR0_INFO
expect 2 'it exists on gfx8, gfx9$'                    CB_COLOR0_DCC_BASE
expect 2 'VRS extension \(bonaire-vrs\)$'              GE_VRS_RATE
expect 2 'write dw:0xa31c\) is CB_COLOR0_INFO'         0xa31c
expect 2 "no field 'FOO' in DB_EQAA.*it has MAX_ANCHOR" DB_EQAA.FOO
expect 2 "'zz' is not a 32-bit value"                  DB_EQAA=zz
expect 2 'not a 32-bit value'                          DB_EQAA=0x100000000
expect 2 "no chip 'foo'; known are tahiti"             --chip foo
expect 2 'unrecognized option'                         --frobnicate
expect 2 'names no register'                           =3
[ $bad = 0 ] && echo "check-regs-command: ok"
exit $bad
