# Sourced by the scripts beside it, with `root` set: install_packages KIND..., build PRESET TARGET...

say() { echo "rtsim: $*" >&2; }

# Installs what scripts/packages.txt lists for the kinds and is not there yet.
install_packages() {
  local kind name wanted=() missing=() as_root=()
  while read -r kind name; do
    [[ " $* " == *" $kind "* ]] && wanted+=("$name")
  done < <(grep -v '^#' "$root/scripts/packages.txt")
  for name in "${wanted[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]} == 0)) && return
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "packages are missing, and neither root nor sudo is here to install them; let root run:"
      say "  apt-get install -y --no-install-recommends ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -q >&2 || say "apt-get update failed; trying with the lists that are here"
  if ! "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >&2; then
    say "could not install; after mending the reason above, run:"
    say "  ${as_root[*]:+sudo }apt-get install -y --no-install-recommends ${missing[*]}"
    return 1
  fi
}

# Configures once and builds; ninja finds out what is stale.
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" ${RTSIM_CMAKE_FLAGS:-} && cmake --build --preset "$preset" "$@") >&2
}
