import Glibc

/// The functions that libFuzzer calls (FuzzerInterface.h). Its library has `main`, and reads the command line.
enum Fuzz {
  /// The option with the target's name. libFuzzer ignores it, and passes it on when it runs itself.
  private static let option = "--target="

  static let target: FuzzTarget? = {
    let name = CommandLine.arguments.last { $0.hasPrefix(option) }?.dropFirst(option.count)
    return FuzzTarget.all.first { $0.name == name ?? "" }
  }()

  static func printUsage() {
    print("usage: blepera-fuzz \(option)NAME [libFuzzer's options, folders or files]; the targets are:")
    for target in FuzzTarget.all { print(target.name) }
  }
}

@c(LLVMFuzzerInitialize)
func initialize(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> CInt {
  guard Fuzz.target == nil else { return 0 }
  Fuzz.printUsage()
  exit(2)
}

@c(LLVMFuzzerTestOneInput)
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  unsafe Fuzz.target?.run(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}

/// Ends the process if a property does not hold; libFuzzer then keeps the input.
func require(_ condition: Bool, _ property: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError("this does not hold: \(property())")
}
