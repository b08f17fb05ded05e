#!/bin/sh
# A timer that Timer(timeInterval:repeats:block:) makes is due at once in swift-corelibs-foundation 6.3.1.
#
# Expected, as Apple documents the initializer and as Timer.scheduledTimer behaves on Linux: the block runs once the
# interval has passed. Seen: the timer's fire date is the moment at which it is made, so the block runs in the first turn
# of the run loop. Timer(fire:interval:repeats:block:) and Timer.scheduledTimer wait.
#
# Needs Swift 6.3.1 in PATH (swift.org, Debian 12); blepera is not used. Exit status: 0 where this is still so, 1 where the
# behavior has changed, 2 without this version of Swift.
set -eu

version=6.3.1
if ! command -v swiftc > /dev/null || ! swiftc --version 2>&1 | grep -q "Swift version $version "; then
  echo "Swift $version is not in PATH; its behavior is what this script states" >&2
  exit 2
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/main.swift" <<'SWIFT'
import Foundation

func seconds(_ date: Date, since start: Date) -> Int { Int(date.timeIntervalSince(start).rounded()) }

/// When the block of a timer of three seconds runs.
func wait(for timer: Timer, _ start: Date, _ fired: () -> Date?) -> String {
  let due = seconds(timer.fireDate, since: start)
  RunLoop.main.add(timer, forMode: .default)
  while fired() == nil, Date() < start.addingTimeInterval(6) {
    _ = RunLoop.main.run(mode: .default, before: start.addingTimeInterval(6))
  }
  return "due after \(due) s, ran after \(fired().map { seconds($0, since: start) } ?? -1) s"
}

nonisolated(unsafe) var first: Date?
var start = Date()
print("Timer(timeInterval: 3): " + wait(for: Timer(timeInterval: 3, repeats: false) { _ in first = Date() }, start) { first })
nonisolated(unsafe) var second: Date?
start = Date()
let timer = Timer(fire: start.addingTimeInterval(3), interval: 0, repeats: false) { _ in second = Date() }
print("Timer(fire: in 3 s):    " + wait(for: timer, start) { second })
SWIFT
swiftc -o "$folder/timer" "$folder/main.swift" || exit 2
seen=$("$folder/timer")
echo "$seen"
expected='Timer(timeInterval: 3): due after 0 s, ran after 0 s
Timer(fire: in 3 s):    due after 3 s, ran after 3 s'
if [ "$seen" != "$expected" ]; then
  echo "The behavior has changed; Swift $version printed:" >&2
  echo "$expected" >&2
  exit 1
fi
