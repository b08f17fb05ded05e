#!/bin/sh
# A sweep with GNU parallel, on the processors of this machine: sh parallel.sh [FOLDER]
#
# If it is interrupted, run it again: it continues in the folder. With a folder that other machines share, and blepera on
# each of them, `parallel --sshlogin` runs shards there too.
set -eu
folder=${1:-sweep}
shards=16
mkdir -p "$folder"

# A shard has its name when it is complete. Parallel's log has the shards that are done.
seq "$shards" | parallel --joblog "$folder/log" --resume-failed --retries 3 \
  "blepera predict --interval 1022.5 --preset esphome --preset esphome-30 --trials 1000000 --seed 1 \
    --shard {}/$shards >'$folder/{}.part' && mv '$folder/{}.part' '$folder/{}.jsonl'"

blepera predict --merge "$folder"/*.jsonl --svg "$folder/predictions.svg"
