# Sourced by the tests that compile OpenCL C: finds the compiler and the device library, or skips.
#   compile PROCESSOR OUT SOURCE [OPTIONS...]
for t in clang-19 ld.lld-19 python3; do
    command -v $t >/dev/null || { echo "SKIPPED: no $t (./bootstrap.sh deps installs it)"; exit 77; }
done
device_lib=
for d in ${ATOLL_DEVICE_LIB:-} /usr/lib/x86_64-linux-gnu/amdgcn/bitcode /usr/lib/amdgcn/bitcode /opt/rocm/amdgcn/bitcode; do
    [ -z "$device_lib" ] && [ -f "$d/opencl.bc" ] && device_lib=$d
done
[ -n "$device_lib" ] || { echo "SKIPPED: no device library (package rocm-device-libs)"; exit 77; }
export device_lib

compile() {
    cl_chip=$1 cl_out=$2 cl_src=$3
    shift 3
    clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu="$cl_chip" \
        --rocm-device-lib-path="$device_lib" "$@" -c "$cl_src" -o "$cl_out"
}
