#!/bin/sh
# RunLoop.perform does not wake a run loop that sleeps, in swift-corelibs-foundation 6.3.1.
#
# Expected, as on Apple's systems: a block that another thread gives to a run loop by RunLoop.perform runs soon. Seen: the
# loop goes on sleeping until something else wakes it, such as CFRunLoopWakeUp.
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
import CoreFoundation
import Foundation

nonisolated(unsafe) var sleeper: (RunLoop, CFRunLoop)?
nonisolated(unsafe) var performed = false
let isAsleep = DispatchSemaphore(value: 0)
Thread.detachNewThread {
  sleeper = (RunLoop.current, CFRunLoopGetCurrent())
  let never = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
  RunLoop.current.add(never, forMode: .default)
  isAsleep.signal()
  CFRunLoopRun()
}
isAsleep.wait()
Thread.sleep(forTimeInterval: 1)
sleeper!.0.perform { performed = true }
Thread.sleep(forTimeInterval: 3)
print("3 s after perform:         \(performed ? "has run" : "has not run")")
CFRunLoopWakeUp(sleeper!.1)
Thread.sleep(forTimeInterval: 1)
print("1 s after CFRunLoopWakeUp: \(performed ? "has run" : "has not run")")
exit(0)
SWIFT
swiftc -o "$folder/loop" "$folder/main.swift" || exit 2
seen=$("$folder/loop")
echo "$seen"
expected='3 s after perform:         has not run
1 s after CFRunLoopWakeUp: has run'
if [ "$seen" != "$expected" ]; then
  echo "The behavior has changed; Swift $version printed:" >&2
  echo "$expected" >&2
  exit 1
fi
